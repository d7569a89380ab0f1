"""Sums of a scalar problem in the cells of a grid, and the problem that they stand for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..engine.by_truth import ByTruth
from ..engine.scalar import ScalarProblem
from ..engine.sorted_scores import segment_sums
from ..engine.summed import SummedProblem
from ..foundation.arrays import Array, row_blocks
from ..foundation.cache import lazy_property
from .score_grid import Room, ScoreGrid, cell_cuts, cells_of

TOO_HEAVY = "the weights add up to more than a number can hold: scale them"
#: What is known of each cell, and how that of two summaries becomes one.
SUMMED = {
    "count": np.add,
    "right": np.add,
    "wrong": np.add,
    "offset": np.add,
    "lowest": np.minimum,
    "highest": np.maximum,
}
ARRAYS = (*SUMMED, "right_squares", "wrong_squares")

ROWS_AT_ONCE = 2**18


class Sums:
    """The sums of the samples in each cell; for the attributes see `Summary`."""

    by_truth: ByTruth | None = None  # of the problem

    def __init__(self, grid: ScoreGrid) -> None:
        self.grid = grid
        cells = len(grid)
        self.count = np.zeros(cells, dtype=np.int64)
        self.right, self.wrong, self.offset, self.right_squares, self.wrong_squares = np.zeros((5, cells))
        self.lowest, self.highest = np.full(cells, np.inf), np.full(cells, -np.inf)
        self.whole_weights = True
        self.unit = 0.0  # the largest weight, of which squares are taken; 0 before the first sample

    @property
    def weight(self) -> Array:
        """Sums of the weights, shape (cells,)."""
        return self.right + self.wrong

    @property
    def samples(self) -> int:
        """How many samples of positive weight are in the cells; whole-number weights count repetitions."""
        return int(self.weight.sum()) if self.whole_weights else int(self.count.sum())

    def add(self, problem: ScalarProblem) -> None:
        """Add the samples of a problem."""
        new = Sums(self.grid)
        if problem.given_weight is None and problem.is_binary:
            new._fill(*problem.rows)
        else:
            new._fill_in_order(problem)
        self.join(new)
        self.__dict__.pop("problem", None)

    def _fill(self, score: NDArray[np.floating], hits: NDArray[np.bool_]) -> None:
        """Add up samples that come in any order; no sum depends on it."""
        left, cells = self.grid.left, len(self.grid.left)
        counts = np.zeros((2, cells), dtype=np.int64)  # of targets of 0, and of 1
        room = Room(min(len(score), ROWS_AT_ONCE))
        for rows in _blocks_of(score):  # so that no array of all rows is made
            (_, offset, part), (_, place), _ = room.of(rows.stop - rows.start)
            part[:] = score[rows]
            cell = cells_of(self.grid, part, room)
            np.multiply(hits[rows], cells, out=place)
            place += cell
            counts += np.bincount(place, minlength=2 * cells).reshape(2, cells)
            np.minimum.at(self.lowest, cell, part)
            np.maximum.at(self.highest, cell, part)
            np.subtract(part, left.take(cell, out=offset, mode="clip"), out=offset)
            self.offset += np.bincount(cell, offset, cells)
        self.count, (self.wrong, self.right) = counts.sum(axis=0), counts.astype(np.float64)
        self.right_squares, self.wrong_squares, self.unit = self.right, self.wrong, 1.0
        # A sum is exact in any order if it is less than 2^53 times the last bit of its terms, which is at least 2^-53
        # times where the cell begins. Of fuller cells the order counts: these are added up from the least score on.
        filled = np.flatnonzero(self.count > 1)
        start = left[filled]
        reach = np.maximum(self.highest[filled] - start, start - self.lowest[filled])
        filled = filled[self.count[filled] * reach > start]
        if len(filled):
            is_long = np.zeros(cells, dtype=bool)
            is_long[filled] = True
            parts = (np.ascontiguousarray(score[rows], dtype=np.float64) for rows in _blocks_of(score))
            ordered = np.sort(np.concatenate([part[is_long[cells_of(self.grid, part)]] for part in parts]))
            ordered -= np.repeat(left[filled], self.count[filled].astype(np.intp))
            self.offset[filled] = segment_sums(ordered, np.append(0, np.cumsum(self.count[filled])).astype(np.intp))

    def _fill_in_order(self, problem: ScalarProblem) -> None:
        """The sums of samples whose weights or targets are any numbers, from the least score to the greatest."""
        score, target, weight = problem.score, problem.given_target, problem.given_weight
        cuts = cell_cuts(self.grid, score)
        self.count = np.diff(cuts)
        offset = score - np.repeat(self.grid.left, self.count.astype(np.intp))
        each: Array | float = 1.0 if weight is None else weight
        with np.errstate(over="ignore"):
            self.right, self.wrong = segment_sums(each * target, cuts), segment_sums(each * (1 - target), cuts)
        self.offset = segment_sums(each * offset, cuts)
        filled = np.flatnonzero(self.count)
        self.lowest[filled], self.highest[filled] = score[cuts[filled]], score[cuts[filled + 1] - 1]
        self.whole_weights = problem.whole_weights
        self.unit = 1.0 if weight is None else float(weight.max())
        square: Array | float = 1.0 if weight is None else (weight / self.unit) ** 2
        self.right_squares = segment_sums(square * target, cuts)
        self.wrong_squares = segment_sums(square * (1 - target), cuts)

    def join(self, other: Sums) -> None:
        """Add the sums of others; where they are too large, nothing is added."""
        with np.errstate(over="ignore"):
            # New arrays: a copy of this summary may share the old ones.
            sums = {name: join(getattr(self, name), getattr(other, name)) for name, join in SUMMED.items()}
            total = sums["right"].sum() + sums["wrong"].sum()
        if not np.isfinite(total):
            raise ValueError(TOO_HEAVY)
        self.__dict__.update(sums)
        self.whole_weights &= other.whole_weights
        if other.unit:
            self._add_squares(other.unit, other.right_squares, other.wrong_squares)

    def _add_squares(self, unit: float, right: Array, wrong: Array) -> None:
        """Add sums of (w / unit)^2."""
        largest = max(unit, self.unit)
        mine, its = (self.unit / largest) ** 2, (unit / largest) ** 2
        self.right_squares = self.right_squares * mine + right * its
        self.wrong_squares = self.wrong_squares * mine + wrong * its
        self.unit = largest

    def thin(self, other: Sums, right: Array, wrong: Array) -> None:
        """Take so many of the targets of others that count repetitions, with a like share of their scores."""
        self.right, self.wrong = right, wrong
        kept = (right + wrong) / np.maximum(other.weight, 1.0)
        self.count = np.maximum(np.rint(kept * other.count), kept > 0).astype(np.int64)
        self.offset = kept * other.offset
        self.lowest, self.highest = np.where(kept > 0, other.lowest, np.inf), np.where(kept > 0, other.highest, -np.inf)
        self._add_squares(1.0, right, wrong)  # of repetitions, whatever the rows: whole weights do not need them

    @lazy_property
    def problem(self) -> ScalarProblem:
        """The scalar problem that the estimators judge; `EmptyProblemError` where no sample was kept.

        The samples of a cell have its mean score; equal ones are one row of their weight. Where weights do not count
        repetitions, the rows are those of a `SummedProblem`: a Poisson number whose mean is what a row is worth draws
        sums whose mean and variance are those of drawn samples.
        """
        weight = self.weight
        filled = np.flatnonzero(weight > 0)
        weight, right, wrong = weight[filled], self.right[filled], self.wrong[filled]
        # The rounded mean must not leave the cell.
        score = self.grid.left[filled] + self.offset[filled] / weight
        score = np.clip(score, self.lowest[filled], self.highest[filled])
        score, target = np.tile(score, 2), np.repeat([0.0, 1.0], len(filled))
        weight = np.concatenate([wrong, right])
        if self.whole_weights:
            return self._marked(ScalarProblem(score, target, weight))
        squares = np.concatenate([self.wrong_squares[filled], self.right_squares[filled]])
        # At least 1, but for rounding, and where the square of a small weight is 0.
        worth = np.maximum((weight / self.unit) ** 2 / np.where(squares > 0, squares, np.inf), 1.0)
        # How many of the samples of a cell were right is not known: the first row of the cell counts them all.
        count = self.count[filled].astype(np.float64)
        counts = np.concatenate([np.where(wrong > 0, count, 0.0), np.where(wrong > 0, 0.0, count)])
        return self._marked(SummedProblem(score, target, weight, worth, counts))

    def _marked(self, problem: ScalarProblem) -> ScalarProblem:
        problem.by_truth = self.by_truth
        return problem


def _blocks_of(score: NDArray[np.floating]) -> Iterator[slice]:
    return row_blocks(len(score), 1, ROWS_AT_ONCE)
