"""Chances of each row to be selected and true, selected and not true, or not selected, if scores are calibrated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import Array
from .by_truth import KnownChances
from .deferred import reweighted
from .scalar import ScalarProblem
from .summed import SummedProblem


@dataclass(frozen=True, eq=False)
class Odds:
    """Scores s, and what may become of each: A is 1 if it is selected, else 0, and t is 1 if it is true."""

    score: Array  # shape (n,)
    hit: Array  # the chance to be selected and true
    miss: Array  # selected and not true
    rest: Array  # not selected

    @property
    def share(self) -> Array:
        """The chance to be selected."""
        return self.hit + self.miss

    @property
    def expected(self) -> Array:
        """The mean of A (t - s): 0 where all are selected."""
        return self.hit * (1 - self.score) - self.miss * self.score

    @property
    def variance(self) -> Array:
        """The variance of A (t - s): s (1 - s) where all are selected.

        It is that of three values and their chances, written as a sum over pairs, so that nothing cancels.
        """
        outside = self.rest * (self.hit * (1 - self.score) ** 2 + self.miss * self.score**2)
        return self.hit * self.miss + outside

    @property
    def are_selected(self) -> bool:
        """Whether all are selected for certain."""
        return not self.rest.any()


@dataclass(frozen=True, eq=False)
class Chances(Odds):
    """The rows that take part in a problem, in the order of their scores, and the odds of each if these are calibrated.

    Under a selection that does not look at the truth these are the samples of the problem: each is selected for
    certain, and it is true by the chance of its score. A selection that looks at the truth may take any row.
    """

    # All that may be selected, and those that the data select though no label of a chance would, with their targets.
    rows: ScalarProblem
    kept: NDArray[np.bool_]  # shape (n,): which rows the data select
    total: float  # the weight of all samples, also of those that could not be selected
    odds: float = 1.0  # how much more a sample weighs if it is true, where `as_sampled` made them

    @classmethod
    def of(cls, problem: ScalarProblem) -> Chances:
        """The chances of a problem; raises ValueError where its selection looks at the truth and no label is drawn."""
        if problem.by_truth is not None:
            return problem.by_truth.chances
        score = np.clip(problem.score, 0.0, 1.0)
        return cls._of_all(problem, score, score)

    @classmethod
    def _of_all(cls, problem: ScalarProblem, score: Array, chance: Array, odds: float = 1.0) -> Chances:
        n = len(problem)
        return cls(score, chance, 1 - chance, np.zeros(n), problem, np.ones(n, np.bool_), problem.total, odds)

    @classmethod
    def as_sampled(cls, problem: ScalarProblem) -> Chances:
        """The chances of labels as they were sampled, before `at_prevalence` weighted each by its class.

        A sample that weighs a if it is true, b if not, is true there with h = b s / v, v = a (1 - s) + b s. Its gap
        w (t - s) is v (t - h), whose weight depends on no label. Raises ValueError where a and b are not known.
        """
        squares = problem.squared_weights
        if squares is None:
            return cls.of(problem)
        if not len(squares) or problem.clusters is not None or isinstance(problem, SummedProblem):
            problem.refuse_to_draw()
        own, product, score = problem.weight, squares[problem.order], np.clip(problem.score, 0.0, 1.0)
        is_true = problem.given_target == 1
        of_true = own[is_true][0] if is_true.any() else product[0] / own[0]
        of_false = product[0] / of_true
        expected = np.full(len(own), product[0]), np.where(is_true, of_true, of_false)
        if not np.isclose((product, own), expected, atol=0.0).all():
            problem.refuse_to_draw()
        rows = reweighted(problem, of_true * (1 - score) + of_false * score)
        rows.squared_weights, rows.whole_weights = None, False
        return cls._of_all(rows, score, of_false * score / rows.weight, float(of_true / of_false))

    def weighted(self, chance: Array) -> Array:
        """The chances to be true, of these chances of labels as they were sampled, once their weights count."""
        return chance if self.odds == 1 else self.odds * chance / (self.odds * chance + 1 - chance)

    @property
    def selected(self) -> float:
        """The weight of the samples that the data select."""
        return float(self.rows.weight[self.kept].sum())

    def possible(self) -> Chances:
        """The rows that may be selected; all, where there are none of these."""
        may = self.share > 0
        return self if may.all() or not may.any() else self.taken(np.flatnonzero(may))

    def taken(self, chosen: NDArray[np.intp]) -> Chances:
        """Some of the rows, at ascending places."""
        score, hit, miss, rest = (each[chosen] for each in (self.score, self.hit, self.miss, self.rest))
        return Chances(score, hit, miss, rest, self.rows.taken(chosen), self.kept[chosen], self.total, self.odds)

    def problem(self) -> ScalarProblem:
        """The problem of the samples that the data select."""
        problem = self.rows.subset(self.kept)
        problem.by_truth = KnownChances(self)
        return problem

    @property
    def residuals(self) -> Array:
        """A (t - s) of the data less what is expected: of mean 0 if the scores are calibrated."""
        return self.kept * (self.rows.given_target - self.score) - self.expected

    def terms(self, weight: Array) -> tuple[Array, Array, Array]:
        """A t, A s and what is expected of their difference, times weights: sums of each alone are the most exact."""
        kept = weight * self.kept
        return kept * self.rows.given_target, kept * self.score, weight * self.expected
