"""The risk-coverage curve in one number: the mean risk of accepted samples, the surest first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from ..engine.scalar import ScalarProblem
from ..engine.sorted_scores import segment_sums
from ..foundation.arrays import Array
from .masses import repetitions

EQUAL = 1e-12  # a smaller difference is rounding


@dataclass(frozen=True, eq=False)
class TieBlocks:
    """The weights and losses of blocks of equal values, in the order in which they are accepted."""

    value: Array
    weight: Array
    loss: Array

    @classmethod
    def of(cls, problem: ScalarProblem, weight: Array) -> TieBlocks:
        """By score, descending; tied samples are accepted together."""
        cuts = np.concatenate([[0], problem.block_ends])
        loss = segment_sums(weight * (1 - problem.target), cuts)[::-1]
        return cls(problem.score[cuts[:-1]][::-1], segment_sums(weight, cuts)[::-1], loss)

    @classmethod
    def at_best(cls, problem: ScalarProblem, weight: Array) -> TieBlocks:
        """By loss, ascending: the order of acceptance if the loss were known."""
        value, place = np.unique(1 - problem.given_target, return_inverse=True)
        mass = np.bincount(place, weight, len(value)).astype(np.float64)
        return cls(value, mass, mass * value)

    def mean_risk(self) -> float:
        """The mean, over all ranks, of the risk of those accepted so far, averaged over the orders of ties."""
        before, lost = np.cumsum(self.weight) - self.weight, np.cumsum(self.loss) - self.loss
        rate = self.loss / self.weight
        part = self.weight * rate + (lost - rate * before) * (digamma(before + self.weight + 1) - digamma(before + 1))
        return float(part.sum() / self.weight.sum())


def mean_risk(problem: ScalarProblem) -> float:
    """The area under the risk-coverage curve; see `aurc`."""
    return TieBlocks.of(problem, repetitions(problem)).mean_risk()


def excess_risk(problem: ScalarProblem) -> float:
    """Return the area above that of a perfect ranking; see `excess_aurc`."""
    excess = mean_risk(problem) - TieBlocks.at_best(problem, repetitions(problem)).mean_risk()
    return excess if excess > EQUAL else 0.0


def mean_generalized_risk(problem: ScalarProblem) -> float:
    """The area under the generalized risk-coverage curve; see `augrc`."""
    blocks = TieBlocks.of(problem, problem.weight)
    lost = np.concatenate([[0.0], np.cumsum(blocks.loss)])
    area = (blocks.weight / problem.total) @ ((lost[1:] + lost[:-1]) / (2 * problem.total))
    return float(min(area, 0.5))
