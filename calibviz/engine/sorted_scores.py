"""Sorted scores and their ties; scores of several problems of one size stand in the rows of a matrix."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import Array


def cuts_at(score: Array, edges: Array, side: Literal["left", "right"]) -> NDArray[np.intp]:
    """The number of sorted scores below each edge; below the first and above the last there are none.

    Every row of scores may have edges of its own, and repeat the last one to have as many as other rows.
    """
    if score.ndim == 1:
        cuts = np.searchsorted(score, edges, side)
    else:
        edges_of = np.broadcast_to(edges, (len(score), edges.shape[-1]))
        cuts = np.stack([np.searchsorted(*row, side) for row in zip(score, edges_of, strict=True)])
        cuts[edges_of == edges_of[:, -1:]] = score.shape[-1]
    cuts[..., 0], cuts[..., -1] = 0, score.shape[-1]
    return cuts


def entries(values: Array, place: NDArray[np.integer]) -> Array:
    """The entries at places that all rows of values share, shape (P,), or that each has for itself, (m, P)."""
    return values.take(place, axis=-1) if place.ndim == 1 else np.take_along_axis(values, place, axis=-1)


def cumulative(values: NDArray[Any]) -> Array:
    """Sums of the first 0, 1, ..., n values of each row."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, dtype=np.float64, out=sums[..., 1:])
    return sums


def ascending(score: NDArray[np.floating]) -> tuple[NDArray[np.intp], Array]:
    """The stable order of scores, and the scores in it as float64.

    Stable, because `order` is shown to people and should not depend on the processor.
    """
    if score.dtype == np.float32 and len(score) < 2**32 and score.min(initial=0.0) >= 0:
        return _packed(score)
    order = np.argsort(score)  # several times faster than a stable sort, but equal scores may come in any order
    first, size = tied_runs(score[order])
    if len(first):
        place = places(first, size)
        run = np.repeat(np.arange(len(first)), size) * len(score)
        order[place] = np.sort(run + order[place]) - run
    return order, score[order].astype(np.float64, copy=False)


def _packed(score: NDArray[np.float32]) -> tuple[NDArray[np.intp], Array]:
    """Score and place in one whole number: the bits of a positive float32 rise with it. -0 becomes 0."""
    keys = (score + np.float32(0)).view(np.uint32).astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= np.arange(len(score), dtype=np.uint64)
    keys.sort()
    order = (keys & np.uint64(2**32 - 1)).astype(np.intp)
    return order, (keys >> np.uint64(32)).astype(np.uint32).view(np.float32).astype(np.float64)


def with_hits(score: NDArray[np.floating], target: NDArray[Any]) -> tuple[Array, NDArray[np.bool_]] | None:
    """Ascending scores as float64 with their targets, ascending among equal scores; None where another way is needed.

    A score that float32 holds and a target of 0 or 1 make one whole number of 32 bits. Such numbers are sorted three
    times faster than the order of the scores is found, and many numbers of a problem do not need that order.
    """
    exact = score.astype(np.float32)
    if not (exact == score).all() or exact.min(initial=0.0) < 0:
        return None
    hits = target.astype(np.bool_)
    if target.dtype != np.bool_ and not (hits == target).all():
        return None
    keys = (exact + np.float32(0)).view(np.uint32)  # -0 becomes 0; the bits of a positive float32 rise with it
    keys <<= np.uint32(1)
    keys |= hits
    keys.sort()
    return (keys >> np.uint32(1)).view(np.float32).astype(np.float64), (keys & np.uint32(1)).astype(np.bool_)


def tied_runs(score: NDArray[np.floating]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where runs of more than one equal score of a row begin, counted through all rows, and how many there are."""
    same = np.zeros(score.shape, dtype=bool)
    np.equal(score[..., 1:], score[..., :-1], out=same[..., 1:])
    follows = np.append(same, False)
    first = np.flatnonzero(~follows[:-1] & follows[1:])
    return first, np.flatnonzero(follows[:-1] & ~follows[1:]) + 1 - first


def mid_ranks(values: NDArray[Any]) -> Array:
    """Ranks along the last axis from 1 on; equal values share the mean of theirs, nan stays nan."""

    def ranks(row: NDArray[Any]) -> Array:  # SciPy's take a third of a second to import
        _, code, count = np.unique(row, return_inverse=True, return_counts=True)
        return (np.cumsum(count) - (count - 1) / 2)[code]

    if not values.size:
        return np.empty(values.shape)
    return np.where(np.isnan(values), np.nan, np.apply_along_axis(ranks, -1, values))


def block_starts(score: Array) -> NDArray[np.intp]:
    """The place of the first sample of each distinct score."""
    return np.flatnonzero(np.concatenate(([True], score[1:] != score[:-1])))


def block_means(given: Array, weight: Array | None, first: NDArray[np.intp], size: NDArray[np.intp]) -> Array:
    """The targets, those of tied samples replaced by their mean."""
    if not len(first):
        return given
    place = places(first, size)
    begins = np.cumsum(size) - size
    values, mass = given.ravel()[place], size
    if weight is not None:
        values, mass = values * weight[place], np.add.reduceat(weight[place], begins)
    given = given.copy()
    given.ravel()[place] = np.repeat(np.add.reduceat(values, begins) / mass, size)
    return given


def segment_sums(values: NDArray[Any], cuts: NDArray[np.intp], dtype: Any = np.float64) -> NDArray[Any]:
    """Sums of the values between neighbouring cuts, which ascend from 0 to the end."""
    starts, filled = cuts[:-1], cuts[:-1] < cuts[1:]
    sums = np.zeros(len(starts), dtype=dtype)
    sums[filled] = np.add.reduceat(values, starts[filled], dtype=dtype)
    return sums


def places(first: NDArray[np.intp], size: NDArray[np.intp]) -> NDArray[np.intp]:
    """All places of the runs that begin at `first` and have `size` members."""
    return np.arange(size.sum()) + np.repeat(first - (np.cumsum(size) - size), size)
