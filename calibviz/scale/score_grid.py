"""The fixed fine grid of scores that summaries add up on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..foundation import validation
from ..foundation.arrays import ROW_SUM_TOLERANCE, Array

LEAST_DISTANCE = 2.0**-54  # from 0 or 1, for the number of a bucket: what is nearer shares the bucket of the end
MOST_OUTSIDE = 4 * ROW_SUM_TOLERANCE  # farther than any score lies below 0 or above 1
END_LOGIT = 52 * np.log(2)  # float64 holds no score between 1 - 2^-53 and 1
MOST_CELLS, MOST_BINS = 2**24, 1000


@dataclass(frozen=True)
class ScoreGrid:
    """Cells of scores: one half of them equally wide, one half as wide in logits, so finer towards 0 and 1.

    The edges of all uniform binnings of up to `bins` bins are among the edges, and what lies exactly on one of them has
    a cell of its own (0 and 1 do): sums between such edges are exact, on whichever side bins are closed, and
    scores rounded to two digits are kept apart.

    Parameters
    ----------
    cells : int, from 16 to 2^24
        About so many, and twice as many more as there are such edges.
    bins : int, from 1 to 1000

    See Also
    --------
    summarize : Makes summaries on a grid.

    Examples
    --------
    >>> len(cv.ScoreGrid())
    69547
    """

    cells: int = 2**16
    bins: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", validation.whole_number(self.cells, "cells", 16, MOST_CELLS))
        object.__setattr__(self, "bins", validation.whole_number(self.bins, "bins", 1, MOST_BINS))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def left(self) -> Array:
        """Where each cell begins. It ends where the next one begins; the last cell holds 1 alone."""
        return _left(self.cells, self.bins)


class Room:
    """Arrays for the work on so many scores, which one block of rows after the other uses.

    Where a process gives memory back at once, as dask's workers do, to ask for an array takes longer than to fill it.
    """

    def __init__(self, rows: int) -> None:
        self._arrays = np.empty((3, rows)), np.empty((2, rows), dtype=np.intp), np.empty(rows, dtype=bool)

    def of(self, rows: int) -> tuple[Array, NDArray[np.intp], NDArray[np.bool_]]:
        """Three arrays of numbers, two of whole numbers and one of truths: what they hold now means nothing."""
        reals, wholes, truths = self._arrays
        return reals[:, :rows], wholes[:, :rows], truths[:rows]


def cells_of(grid: ScoreGrid, score: Array, room: Room | None = None) -> NDArray[np.intp]:
    """The cell of each score, in any order; all below 0 are in the first, all above 1 in the last.

    Scores lie in one piece in memory, and no farther outside of [0, 1] than those of predictions may. What is returned
    lies in the first of the whole numbers of a `room`, whose first two arrays of numbers are written over.
    """
    return _buckets(grid.cells, grid.bins).find(score, room or Room(len(score)))


def cell_cuts(grid: ScoreGrid, score: Array) -> NDArray[np.intp]:
    """How many of the ascending scores lie below each cell and below the end, shape (cells + 1,)."""
    inner = np.searchsorted(score, grid.left[1:], "left")
    return np.concatenate(([0], inner, [len(score)]))


@lru_cache(maxsize=4)  # so that a grid takes no room where summaries travel
def _left(cells: int, most_bins: int) -> Array:
    half = cells // 2
    even = np.arange(half + 1) / half
    logits = np.linspace(-END_LOGIT, END_LOGIT, half)
    low = 1 / (1 + np.exp(-logits[: half // 2]))
    kept = np.concatenate([np.arange(bins + 1) / bins for bins in range(1, most_bins + 1)])
    left = np.unique(np.concatenate([even, low, 1 - low, kept, np.nextafter(kept, 1.0)]))
    left.flags.writeable = False
    return left


class _Buckets:
    """Where a cell is looked up: buckets of scores, most of them with one edge of a cell or none.

    The number of a bucket is read from the bits of floats. Those of 1 + s are even in s, and those of the odds
    s / (1 - s) nearly even in logits; as the cells are one or the other, the sum of both follows them. Each of them
    never falls where s rises, whatever is rounded, so an edge in an earlier bucket is an edge below, and only those in
    the bucket of the score itself have to be compared with it.
    """

    def __init__(self, left: Array) -> None:
        fine = len(left).bit_length() - 1
        self._shifts = np.uint64(52 - fine), np.uint64(52 - max(1, fine - 7))
        self._first = np.uint64(0)
        ends = self._numbers(np.array([-MOST_OUTSIDE, 1 + MOST_OUTSIDE]))
        self._first = np.uint64(ends[0])
        edges = np.bincount(self._numbers(left[1:]), minlength=int(ends[1] - ends[0]) + 1)
        below = np.cumsum(edges) - edges
        # Of buckets with several edges, -1 - the cells below: these are few, and looked at more closely.
        self._below = np.where(edges > 1, ~below, below)
        self._next = np.append(left[1:], np.inf)

    def find(self, score: Array, room: Room) -> NDArray[np.intp]:
        """The cell of each score."""
        (number, rest, _), (cell, _), truths = room.of(len(score))
        # Every place exists, so nothing is clipped; by default NumPy would fill a copy of `out` first.
        self._below.take(self._numbers(score, number, rest), out=cell, mode="clip")
        several = np.flatnonzero(np.less(cell, 0, out=truths))
        cell[several] = ~cell[several]
        cell += np.greater_equal(score, self._next.take(cell, out=rest, mode="clip"), out=truths)
        while len(several):
            several = several[score[several] >= self._next[cell[several]]]
            cell[several] += 1
        return cell

    def _numbers(self, score: Array, number: Array | None = None, rest: Array | None = None) -> NDArray[np.intp]:
        """The number of the bucket of each score."""
        even, odds = self._shifts
        rest = np.subtract(1.0, score, out=rest)
        np.maximum(rest, LEAST_DISTANCE, out=rest)
        number = np.maximum(score, LEAST_DISTANCE, out=number)
        np.divide(number, rest, out=number)
        bits = number.view(np.uint64)
        bits >>= odds
        np.add(score, 1.0, out=rest)
        more = rest.view(np.uint64)
        more >>= even
        bits += more
        bits -= self._first
        return bits.view(np.int64).astype(np.intp, copy=False)


@lru_cache(maxsize=4)
def _buckets(cells: int, most_bins: int) -> _Buckets:
    return _Buckets(_left(cells, most_bins))
