"""Scalar problems that are looked at once and thrown away, and so put off what that one look may not need.

A column of a matrix of probabilities need not know which sample each score belongs to; a bootstrap replicate in
uniform bins needs no cumulative sums. Each becomes a complete problem as soon as anything else is asked of it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .problems import EmptyProblemError, ScalarProblem
from .ties import cuts_at, places

Array = NDArray[np.float64]


class Replicate(ScalarProblem):
    """A problem under other weights.

    Parameters
    ----------
    base : ScalarProblem
    weight : ndarray, shape (n,)
        In the order of the scores of `base`; samples of weight 0 are left out.
    """

    def __init__(self, base: ScalarProblem, weight: Array) -> None:
        if not weight.any():
            raise EmptyProblemError
        self._base = base
        self._weight = weight

    @property
    def nbytes(self) -> int:
        return self._weight.nbytes

    def __getattr__(self, name: str) -> Any:  # only called for what is not there yet
        if name.startswith("__") or "score" in self.__dict__:
            raise AttributeError(name)
        kept = np.flatnonzero(self._weight)
        self._set_sorted(
            self._base.score[kept], self._base._given[kept], self._weight[kept], lambda: self._base.order[kept]
        )
        return getattr(self, name)

    def between(self, edges: Array, side: Literal["left", "right"]) -> tuple[Array, Array, Array, NDArray[np.int64]]:
        cuts = cuts_at(self._base.score, edges, side)
        weight = self._weight
        return (
            _segment_sums(weight, cuts),
            _segment_sums(weight * self._base.score, cuts),
            _segment_sums(weight * self._base._given, cuts),
            _segment_sums((weight != 0).view(np.int8), cuts, np.int64),
        )


class ColumnProblem(ScalarProblem):
    """The scores of one class, of which hard, unweighted labels say where it is the right one.

    Values are sorted, which is ten times faster than finding the order that sorts them.

    Parameters
    ----------
    column : ndarray, shape (n,)
        Scores that are known to be valid.
    hit : ndarray of bool, shape (n,)
    """

    is_binary = True

    def __init__(self, column: NDArray[np.floating], hit: NDArray[np.bool_]) -> None:
        if not len(column):
            raise EmptyProblemError
        self._column = column
        self._hit = hit
        self._hit_scores = np.sort(column[hit]).astype(np.float64)
        self.score = np.sort(column).astype(np.float64, copy=False)
        self.given_weight = None
        self.total = float(len(column))

    @property
    def nbytes(self) -> int:
        return self.score.nbytes

    def __getattr__(self, name: str) -> Any:  # only called for what is not there yet
        if name not in ("order", "_given"):
            raise AttributeError(name)
        self.order = np.argsort(self._column, kind="stable")
        self._given = self._hit[self.order]
        return getattr(self, name)

    @cached_property
    def target(self) -> Array:
        target = np.zeros(len(self.score))
        values, hits = np.unique(self._hit_scores, return_counts=True)
        first = np.searchsorted(self.score, values, "left")
        size = np.searchsorted(self.score, values, "right") - first
        target[places(first, size)] = np.repeat(hits / size, size)
        return target

    def between(self, edges: Array, side: Literal["left", "right"]) -> tuple[Array, Array, Array, NDArray[np.int64]]:
        cuts = cuts_at(self.score, edges, side)
        count = np.diff(cuts)
        hits = np.diff(cuts_at(self._hit_scores, edges, side)).astype(np.float64)
        return count.astype(np.float64), _segment_sums(self.score, cuts), hits, count

    def sums(self, cuts: NDArray[np.intp]) -> tuple[Array, Array, Array, NDArray[np.int64]]:
        count = np.diff(cuts)
        if (count < 0).any():  # several binnings one after the other: cumulative sums serve them all
            return super().sums(cuts)
        return count.astype(np.float64), _segment_sums(self.score, cuts), _segment_sums(self.target, cuts), count

    def above(self, threshold: float) -> ScalarProblem:
        kept = self._column > threshold
        return self if kept.all() else ColumnProblem(self._column[kept], self._hit[kept])


def _segment_sums(values: NDArray[Any], cuts: NDArray[np.intp], dtype: Any = np.float64) -> NDArray[Any]:
    """Sums of the values between neighbouring cuts, of which the first is 0 and the last the end."""
    starts, filled = cuts[:-1], cuts[:-1] < cuts[1:]
    sums = np.zeros(len(starts), dtype=dtype)
    sums[filled] = np.add.reduceat(values, starts[filled], dtype=dtype)
    return sums
