"""Histogram binning (Zadrozny and Elkan 2001)."""

from __future__ import annotations

import numpy as np

from ..engine.binnings.binning_kinds import EQUAL_MASS, UNIFORM
from ..engine.scalar import ScalarProblem
from ..engine.sorted_scores import segment_sums
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.cancellation import check
from ..uncertainty.resampling.bootstrap import draws_of
from .base import ProblemCalibrator

BINNINGS = (UNIFORM.name, EQUAL_MASS.name)
ALWAYS_REPEATED, MOST_REPETITIONS = 100_000, 5_000_000


class HistogramBinning(ProblemCalibrator):
    """Histogram binning: every score becomes the mean target of its bin; in an empty bin it stays as it is.

    For all classes there are two ways (gce_measuring 5.1): `OneVsRest(HistogramBinning())` fits bins for each class,
    `OneVsRest(HistogramBinning(), shared=True)` the same bins for all.

    Parameters
    ----------
    bins : int, at least 1
    binning : {"uniform", "equal-mass"}
        Bins of equal width, [lo, hi), the last one closed, or of equal weight with equal scores in one bin.
    replicates : int
        With m > 0 the mean of the maps of m bootstrap samples, which has finer steps (gce_measuring 5.4).
    rng : int, numpy.random.Generator or None
        Of the bootstrap samples.

    Attributes
    ----------
    edges_ : ndarray, shape (m - 1,)
        The scores, ascending, at which a new step begins.
    fitted_ : ndarray, shape (m,)
        The value of each step; nan where scores stay as they are.

    See Also
    --------
    Isotonic : Steps that ascend, at the scores that fit best.

    References
    ----------
    Zadrozny and Elkan 2001, "Obtaining calibrated probability estimates from decision trees and naive Bayesian
    classifiers".

    Examples
    --------
    >>> cv.HistogramBinning(bins=2).fit([0.2, 0.4, 0.7, 0.9], [0, 1, 1, 1])([0.3, 0.8])
    array([0.5, 1. ])
    """

    short_name = "histogram"
    keeps_ranking = False

    def __init__(
        self,
        bins: int = 15,
        binning: str = "uniform",
        *,
        replicates: int = 0,
        rng: int | np.random.Generator | None = 0,
    ) -> None:
        validation.whole_number(bins, "bins", 1)
        validation.whole_number(replicates, "replicates", 0)
        drawn = validation.rng(rng)
        self.bins = bins
        self.binning = validation.choice(binning, "binning", BINNINGS)
        self.replicates = replicates
        self.rng = None if rng is None else drawn

    def _fit(self, problem: ScalarProblem) -> None:
        if not self.replicates:
            self.edges_, self.fitted_ = self._find_steps(problem, problem.weight)
            return
        # Sorted by score and weight, the draws do not depend on the order of the samples.
        problem = _write_out(problem)
        if problem.given_weight is not None:
            problem = problem.taken(np.lexsort((problem.weight, problem.score)))
        draws = draws_of(problem, self.replicates, None, validation.rng(self.rng))
        maps: list[tuple[Array, Array]] = []
        for weight in draws:
            check(len(maps) / self.replicates)
            maps.append(self._find_steps(problem, weight))
        self.edges_ = np.unique(np.concatenate([edges for edges, _ in maps]))
        places = np.concatenate(([-np.inf], self.edges_))
        values = [fitted[np.searchsorted(edges, places, "right")] for edges, fitted in maps]
        known = ~np.isnan(values)
        times = known.sum(axis=0)
        total = np.where(known, values, 0.0).sum(axis=0)
        self.fitted_ = np.divide(total, times, out=np.full(len(total), np.nan), where=times > 0)

    def _find_steps(self, problem: ScalarProblem, weight: Array) -> tuple[Array, Array]:
        edges = np.arange(1, self.bins) / self.bins
        if self.binning == EQUAL_MASS.name:
            upto = np.cumsum(weight)
            begins = np.arange(1, self.bins) * upto[-1] / self.bins  # rounded once
            first = np.searchsorted(upto, begins, "right")  # the sample in which each further bin begins
            edges = np.unique(problem.score[np.minimum(first, len(upto) - 1)])
            edges = edges[edges > problem.score[0]]
        cuts = np.concatenate(([0], np.searchsorted(problem.score, edges, "left"), [len(problem)]))
        mass = segment_sums(weight, cuts)
        total = segment_sums(weight * problem.target, cuts)
        return edges, np.divide(total, mass, out=np.full(len(mass), np.nan), where=mass > 0)

    def _map(self, score: Array) -> Array:
        fitted = self.fitted_[np.searchsorted(self.edges_, score, "right")]
        return np.where(np.isnan(fitted), score, fitted)


def _write_out(problem: ScalarProblem) -> ScalarProblem:
    """The problem with whole-number weights as rows, so that the draws are those of rows, unless there are too many."""
    whole = problem.given_weight is not None and problem.whole_weights
    most = min(MOST_REPETITIONS, max(ALWAYS_REPEATED, 10 * len(problem)))
    return problem.repeated() if whole and problem.total <= most else problem
