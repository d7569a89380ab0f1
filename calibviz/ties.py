"""Sorted scores and their ties."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def cuts_at(score: Array, edges: Array, side: Literal["left", "right"]) -> NDArray[np.intp]:
    """The number of sorted scores below each edge; below the first and above the last there are none."""
    cuts = np.searchsorted(score, edges, side)
    cuts[0], cuts[-1] = 0, len(score)
    return cuts


def ascending(score: Array) -> NDArray[np.intp]:
    """The stable order: `order` is shown to people and should not depend on the processor."""
    order = np.argsort(score)  # several times faster than a stable sort, but equal scores may come in any order
    first, size = tied_runs(score[order])
    if len(first):
        place = places(first, size)
        run = np.repeat(np.arange(len(first)), size) * len(score)
        order[place] = np.sort(run + order[place]) - run
    return order


def tied_runs(score: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where runs of more than one equal score begin, and how many there are of each."""
    same = np.concatenate(([False], score[1:] == score[:-1], [False]))
    first = np.flatnonzero(~same[:-1] & same[1:])
    return first, np.flatnonzero(same[:-1] & ~same[1:]) + 1 - first


def block_starts(score: Array) -> NDArray[np.intp]:
    """The place of the first sample of each distinct score."""
    return np.flatnonzero(np.concatenate(([True], score[1:] != score[:-1])))


def block_means(given: Array, weight: Array | None, first: NDArray[np.intp], size: NDArray[np.intp]) -> Array:
    """The targets, those of tied samples replaced by their mean."""
    if not len(first):
        return given
    place = places(first, size)
    begins = np.cumsum(size) - size
    values, mass = given[place], size
    if weight is not None:
        values, mass = values * weight[place], np.add.reduceat(weight[place], begins)
    given = given.copy()
    given[place] = np.repeat(np.add.reduceat(values, begins) / mass, size)
    return given


def places(first: NDArray[np.intp], size: NDArray[np.intp]) -> NDArray[np.intp]:
    """All places of the runs that begin at `first` and have `size` members."""
    return np.arange(size.sum()) + np.repeat(first - (np.cumsum(size) - size), size)
