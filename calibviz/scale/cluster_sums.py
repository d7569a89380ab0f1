"""Sums of samples that belong together: of each cluster in each cell that it has samples in, and their problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..engine.sorted_scores import segment_sums
from ..foundation.arrays import Array
from ..foundation.clusters import hashed
from .score_grid import ScoreGrid, cells_of

MOST_ENTRIES = 2**22  # pairs of a cluster and a cell; of more, cells become coarser
COARSE_CELLS, FARTHEST = 256, 8.0  # uniform in the log-odds, between these ends
SUMS = ("count", "right", "wrong", "offset")


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over the samples of one cluster in one cell, for each of m pairs that occur, by cluster and then by cell.

    All arrays have shape (m,).
    """

    cluster: NDArray[np.uint64]  # a hash of the name of the cluster
    cell: NDArray[np.int64]
    count: Array  # of samples
    right: Array  # sums of w t
    wrong: Array  # sums of w (1 - t)
    offset: Array  # sums of w (s - where the cell begins)
    #: Whose cells these are; None of 256 cells of equal width in the log-odds, if there were too many pairs.
    grid: ScoreGrid | None

    @classmethod
    def of(cls, problem: ScalarProblem, names: NDArray[np.generic], grid: ScoreGrid) -> ClusterSums:
        """The sums of a problem, of which each row belongs to the cluster of a name, shape (n,)."""
        values, place = np.unique(names, return_inverse=True)
        hashes = np.array([hashed(name) for name in values.tolist()], dtype=np.uint64)
        score, weight = np.ascontiguousarray(problem.score, dtype=np.float64), problem.weight
        cell = np.array(cells_of(grid, score), dtype=np.int64)
        right = weight * problem.given_target
        sums = np.ones(len(score)), right, weight - right, weight * (score - grid.left[cell])
        return cls(hashes[place], cell, *sums, grid)._grouped()

    def __add__(self, other: ClusterSums) -> ClusterSums:
        if (self.grid is None) != (other.grid is None):
            return self._coarse() + other._coarse()
        names = ("cluster", "cell", *SUMS)
        both: dict[str, Any] = {n: np.concatenate([getattr(each, n) for each in (self, other)]) for n in names}
        return ClusterSums(**both, grid=self.grid)._grouped()

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(np.unique(self.cluster))

    @property
    def _starts(self) -> Array:
        """Where the cell of each pair begins; 0 of coarse cells."""
        return np.zeros(len(self.cell)) if self.grid is None else self.grid.left[self.cell]

    def _grouped(self) -> ClusterSums:
        """The sums by pairs: those of equal ones are added up, and of too many the cells become coarser."""
        order = np.lexsort((self.cell, self.cluster))
        cluster, cell = self.cluster[order], self.cell[order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (np.diff(cluster) > 0) | (np.diff(cell) != 0)
        starts = np.flatnonzero(is_first)
        cuts = np.append(starts, len(order))
        sums: dict[str, Any] = {name: segment_sums(getattr(self, name)[order], cuts) for name in SUMS}
        made = ClusterSums(cluster[starts], cell[starts], **sums, grid=self.grid)
        if len(starts) <= MOST_ENTRIES:
            return made
        if made.grid is None:
            raise ValueError(
                f"the samples lie in {made.clusters:,} clusters, whose sums are more than {MOST_ENTRIES:,}: pass "
                "cv.Predictions, which hold the samples, or cluster=None, which takes all to be independent"
            )
        return made._coarse()

    def _coarse(self) -> ClusterSums:
        """The sums in coarse cells."""
        if self.grid is None:
            return self
        weight = self.right + self.wrong
        offset = self.offset + weight * self._starts
        place = (logit(np.clip(offset / weight, *expit([-FARTHEST, FARTHEST]))) + FARTHEST) / (2 * FARTHEST)
        cell = np.minimum((place * COARSE_CELLS).astype(np.int64), COARSE_CELLS - 1)
        return ClusterSums(self.cluster, cell, self.count, self.right, self.wrong, offset, None)._grouped()

    def problem(self, lowest: Array, highest: Array) -> ScalarProblem:
        """The problem of rows that stand for the samples of a cluster, in a cell, of one target.

        They have the mean score of the cluster's samples in the cell, in which no score is below `lowest` or above
        `highest`, shape (cells,).
        """
        weight = self.right + self.wrong
        if not weight.any():
            raise EmptyProblemError
        ends = (0.0, 1.0) if self.grid is None else (lowest[self.cell], highest[self.cell])
        score = np.clip(self._starts + self.offset / weight, *ends)  # a rounded mean must not leave the cell
        of_target = np.concatenate([self.wrong, self.right])
        filled = np.flatnonzero(of_target > 0)
        problem = ScalarProblem(
            np.tile(score, 2)[filled], np.repeat([0.0, 1.0], len(weight))[filled], of_target[filled]
        )
        codes = np.unique(self.cluster, return_inverse=True)[1].astype(np.intp)
        problem.clusters = np.tile(codes, 2)[filled]  # also where each cluster is one row, which stands for several
        if not np.array_equal(self.count, weight):  # samples of weight 1 are as many as they weigh
            of_target = np.tile(self.count, 2) * (of_target / np.tile(weight, 2))
        problem.times = of_target[filled]
        return problem
