"""Scalar problems whose rows are sums over several samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import Array
from .scalar import EmptyProblemError, ScalarProblem
from .sorted_scores import segment_sums


class SummedProblem(ScalarProblem):
    """A scalar problem of which each row stands for several samples, whose weights do not count repetitions.

    A weight is the sum of those of its samples; as many samples of equal weight as a row is `worth` have the same sums
    of weights and of their squares, and it adds `counts` to the number of samples.
    """

    whole_weights = False

    def __init__(
        self, score: NDArray[np.floating], target: NDArray[Any], weight: Array, worth: Array, counts: Array
    ) -> None:
        super().__init__(score, target, weight)
        self.worth, self.counts = worth[self.order], counts[self.order]  # as `score`

    @property
    def samples(self) -> int:
        return round(self.counts.sum())

    @property
    def unit_squares(self) -> Array:
        return super().unit_squares / self.worth

    def numbers(self, cuts: NDArray[np.intp]) -> NDArray[np.intp]:
        return segment_sums(self.counts, cuts).astype(np.intp)

    def taken(self, chosen: NDArray[np.integer]) -> SummedProblem:
        return self._rows(chosen, self.weight[chosen], self.worth[chosen], self.counts[chosen])

    def reweighted(self, weight: NDArray[Any]) -> SummedProblem:
        """The rows with the weights of a draw, in the order of `score`; those of weight 0 are left out."""
        kept = np.flatnonzero(weight)
        if not len(kept):
            raise EmptyProblemError
        times = weight[kept] / self.weight[kept] * self.worth[kept]
        worth = times / (1 + (times - 1) / self.worth[kept])  # some samples are drawn more than once
        return self._rows(kept, weight[kept], worth, worth)

    def _rows(self, chosen: NDArray[np.integer], weight: Array, worth: Array, counts: Array) -> SummedProblem:
        other = object.__new__(SummedProblem)
        other._set_sorted(self.score[chosen], self._given[chosen], weight, lambda: self.order[chosen])
        other.worth, other.counts = worth, counts
        return other

    def mapped(self, function: Callable[[Array], Array]) -> SummedProblem:
        score = np.clip(function(self.score.copy()), 0.0, 1.0)
        other = SummedProblem(score, self._given, self.weight, self.worth, self.counts)
        other.order = self.order[other.order]
        return other
