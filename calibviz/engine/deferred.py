"""Scalar problems that are looked at once and thrown away, and so put off what that one look may not need.

A column of a matrix of probabilities need not know which sample each score belongs to; a selection or a bootstrap
replicate in uniform bins needs no cumulative sums, and a summary adds up scores that are not sorted. Each becomes a
complete problem as soon as anything else is asked of it.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import Array
from ..foundation.cache import lazy_property
from .scalar import EmptyProblemError, ScalarProblem, as_targets, hand_on
from .sorted_scores import cuts_at, places, segment_sums
from .summed import SummedProblem
from .vector import VectorProblem

SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


class ReweightedProblem(ScalarProblem):
    """Some samples of a problem whose rows are samples, or all of them under other weights.

    Weights are in the order of the scores of `base`, and bool where it has none; samples of weight 0 are left out.
    """

    def __init__(self, base: ScalarProblem, weight: Array | NDArray[np.bool_]) -> None:
        if not weight.any():
            raise EmptyProblemError
        self.base = base
        self._weight = weight
        hand_on(base, self)
        self._is_complete = False

    @property
    def nbytes(self) -> int:
        return 5 * self.base.score.nbytes  # once it is complete

    @lazy_property
    def rows_of_base(self) -> NDArray[np.intp]:
        """The rows of `base` that are left, ascending."""
        return np.flatnonzero(self._weight)

    @lazy_property
    def score(self) -> Array:  # type: ignore[override]
        return self.base.score[self.rows_of_base]

    @lazy_property
    def given_weight(self) -> Array | None:  # type: ignore[override]
        return None if self._weight.dtype == bool else self._weight[self.rows_of_base].astype(np.float64, copy=False)

    @lazy_property
    def _given(self) -> NDArray[Any]:
        return as_targets(self.base._given[self.rows_of_base])

    @lazy_property
    def order(self) -> NDArray[np.integer]:
        return self.base.order[self.rows_of_base]

    @lazy_property
    def total(self) -> float:  # type: ignore[override]
        return float(self.cumulative_weight[-1])

    def complete(self) -> None:
        """Make what serves any number of looks, as if it were no shortcut."""
        self._is_complete = True

    def between(self, edges: Array, side: Literal["left", "right"]) -> tuple[Array, Array, Array, NDArray[np.intp]]:
        if self._is_complete:
            return super().between(edges, side)
        base, weight = self.base, self._weight
        cuts = cuts_at(base.score, edges, side)
        kept = weight if weight.dtype == bool else weight != 0
        return (
            segment_sums(weight, cuts),
            segment_sums(weight * base.score, cuts),
            segment_sums(weight * base._given, cuts),
            segment_sums(kept.view(np.int8), cuts, np.intp),
        )


@overload
def reweighted(problem: ScalarProblem, weight: Array | NDArray[np.bool_]) -> ScalarProblem: ...
@overload
def reweighted(
    problem: ScalarProblem | VectorProblem, weight: Array | NDArray[np.bool_]
) -> ScalarProblem | VectorProblem: ...
def reweighted(
    problem: ScalarProblem | VectorProblem, weight: Array | NDArray[np.bool_]
) -> ScalarProblem | VectorProblem:
    """A problem under other weights, given in its own order; nothing is sorted again."""
    if isinstance(problem, SummedProblem | VectorProblem):
        return problem.reweighted(weight)
    return ReweightedProblem(problem, weight)


class UnsortedProblem(ScalarProblem):
    """Unweighted valid scores that are sorted when that is first needed; a summary adds them up as they come."""

    is_binary = True

    def __init__(self, score: NDArray[np.floating], hits: NDArray[np.bool_]) -> None:
        if not len(score):
            raise EmptyProblemError
        self._unsorted = score, hits
        self.given_weight = None
        self.total = float(len(score))

    @property
    def nbytes(self) -> int:
        return len(self) * (6 * 8 + 1)  # once it is sorted

    @property
    def rows(self) -> tuple[NDArray[np.floating], NDArray[Any]]:
        return self._unsorted

    def __len__(self) -> int:
        return len(self._unsorted[0])

    @lazy_property
    def _sorted(self) -> ScalarProblem:
        made = ScalarProblem.known(*self._unsorted)
        self._unsorted = made.rows  # lets go of the predictions that the scores are a column of
        return made

    @lazy_property
    def score(self) -> Array:  # type: ignore[override]
        return self._sorted.score

    @lazy_property
    def _target_of_ties(self) -> NDArray[Any]:
        return self._sorted._target_of_ties

    @lazy_property
    def _given(self) -> NDArray[Any]:
        return self._sorted._given

    @lazy_property
    def order(self) -> NDArray[np.integer]:
        return self._sorted.order


class ColumnProblem(ScalarProblem):
    """The valid scores of one class; `hits` has the places, ascending, where hard, unweighted labels say it is right.

    Values are sorted, which is ten times faster than finding the order that sorts them.
    """

    is_binary = True

    def __init__(self, column: NDArray[np.floating], hits: NDArray[np.intp]) -> None:
        if not len(column):
            raise EmptyProblemError
        self._column = column
        self._hits = hits
        self._hit_scores = np.sort(column[hits]).astype(np.float64)
        self.given_weight = None
        self.total = float(len(column))

    @property
    def nbytes(self) -> int:
        return self._column.nbytes

    def __len__(self) -> int:
        return len(self._column)

    @lazy_property
    def order(self) -> NDArray[np.integer]:
        return np.argsort(self._column, kind="stable")

    @lazy_property
    def _given(self) -> NDArray[np.bool_]:
        hit = np.zeros(len(self), dtype=bool)
        hit[self._hits] = True
        return hit[self.order]

    @lazy_property
    def score(self) -> Array:  # type: ignore[override]
        return np.sort(self._column).astype(np.float64, copy=False)

    @lazy_property
    def target(self) -> Array:
        target = np.zeros(len(self))
        values, hits = np.unique(self._hit_scores, return_counts=True)
        first = np.searchsorted(self.score, values, "left")
        size = np.searchsorted(self.score, values, "right") - first
        target[places(first, size)] = np.repeat(hits / size, size)
        return target

    @lazy_property
    def cumulative_target(self) -> Array:
        return np.concatenate(([0.0], np.cumsum(self.target)))

    def between(self, edges: Array, side: Literal["left", "right"]) -> tuple[Array, Array, Array, NDArray[np.intp]]:
        # Most scores of one class of many lie in the first bin, which is what the others leave: it is not sorted.
        column = self._column
        several = len(edges) > 2
        chosen = np.flatnonzero(exceeds(column, edges[1], side)) if several else np.empty(0, dtype=np.intp)
        above = np.sort(column[chosen]).astype(np.float64)
        cuts = cuts_at(above, edges[1:], side) if several else np.zeros(1, dtype=np.intp)
        count = np.diff(cuts, prepend=len(above) - len(column))
        score = np.concatenate(([0.0], segment_sums(above, cuts)))
        score[0] = column.astype(np.float64).sum() - score.sum() if count[0] else 0.0
        hits = np.diff(cuts_at(self._hit_scores, edges, side)).astype(np.float64)
        return count.astype(np.float64), score, hits, count

    def sums(self, cuts: NDArray[np.intp]) -> tuple[Array, Array, Array, NDArray[np.intp]]:
        count = np.diff(cuts)
        if (count < 0).any():  # several binnings one after the other: cumulative sums serve them all
            return super().sums(cuts)
        return count.astype(np.float64), segment_sums(self.score, cuts), np.diff(self._hits_before(cuts)), count

    def _hits_before(self, cuts: NDArray[np.intp]) -> Array:
        """Targets of the first scores added up; a run of tied ones that a cut divides is shared in proportion."""
        score = self.score[np.minimum(cuts, len(self) - 1)]
        below, upto = (np.searchsorted(self._hit_scores, score, side) for side in SIDES)
        first, last = (np.searchsorted(self.score, score, side) for side in SIDES)
        return below + (upto - below) * (cuts - first) / (last - first)

    def above(self, threshold: float) -> ScalarProblem:
        kept = np.flatnonzero(exceeds(self._column, threshold, "right"))
        if len(kept) == len(self):
            return self
        hits = self._hits[exceeds(self._column[self._hits], threshold, "right")]
        return ColumnProblem(self._column[kept], np.searchsorted(kept, hits))


def exceeds(
    column: NDArray[np.floating], edge: float | np.floating, side: Literal["left", "right"]
) -> NDArray[np.bool_]:
    """column >= edge with side "left", column > edge with side "right"."""
    return column >= thresholds(np.array([edge]), column.dtype, side)[0]


def digits(score: NDArray[np.floating], inner: Array, side: Literal["left", "right"]) -> NDArray[np.intp]:
    """The number of inner edges that each score exceeds; see `exceeds`."""
    return np.searchsorted(thresholds(inner, score.dtype, side), score, "right")


def thresholds(edges: Array, dtype: np.dtype[Any], side: Literal["left", "right"]) -> NDArray[np.floating]:
    """The least number of a dtype that exceeds each edge, so that a column need not become float64 to be compared."""
    least = edges.astype(dtype)
    falls_short = least < edges if side == "left" else least <= edges
    return np.where(falls_short, np.nextafter(least, np.array(np.inf, dtype)), least)
