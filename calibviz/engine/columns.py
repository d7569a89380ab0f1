"""The columns of a matrix of probabilities as a family of problems, one a class."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import Array, row_blocks, summed_over_rows
from ..foundation.cache import lazy_property
from ..foundation.threads import workers
from .deferred import ColumnProblem, digits, exceeds
from .family import COLUMNS_TOGETHER, ProblemFamily


class ColumnFamily(ProblemFamily):
    """Every class by itself, of samples with hard labels and without weights."""

    def __init__(self, outcomes: tuple[str, ...], probs: NDArray[np.floating], labels: NDArray[np.integer]) -> None:
        # Columns are copied a few at a time, as the entries of one column lie far apart in memory.
        self._threads = workers()
        held = labels.nbytes + self._threads * COLUMNS_TOGETHER * len(probs) * probs.itemsize
        super().__init__(outcomes, self._column, len(probs), held)
        self._probs = probs
        self._labels = labels
        self._copied: dict[int, NDArray[np.floating]] = {}  # by the number of the first column

    def between(self, edges: Array, side: Literal["left", "right"]) -> tuple[Array, Array, Array, NDArray[np.intp]]:
        """Sums of all problems between the same edges, each of shape (K, bins); see `ScalarProblem.between`.

        Most scores of many classes lie in the first bin, which is what the others leave.
        """
        inner, bins, classes = edges[1:-1], len(edges) - 1, len(self.outcomes)

        def sums_of(rows: slice) -> tuple[NDArray[Any], ...]:
            part, labels = self._probs[rows], self._labels[rows]
            flat = part.ravel()
            above = np.flatnonzero(exceeds(flat, inner[0], side)) if bins > 1 else np.empty(0, np.intp)
            scores = flat[above]
            cells = above % classes * bins + digits(scores, inner, side)
            of_labels = digits(part[np.arange(len(part)), labels], inner, side)
            return (
                part.astype(np.float64).sum(axis=0),
                np.bincount(cells, scores, classes * bins).astype(np.float64, copy=False),  # int where there are none
                np.bincount(labels * bins + of_labels, minlength=classes * bins),
                np.bincount(cells, minlength=classes * bins),
            )

        total, *sums = summed_over_rows(sums_of, *self._probs.shape)
        score, hits, count = (column.reshape(classes, bins) for column in sums)
        count[:, 0] = len(self._probs) - count.sum(axis=1)
        score[:, 0] = np.where(count[:, 0], total - score.sum(axis=1), 0.0)
        return count.astype(np.float64), score, hits.astype(np.float64), count

    @lazy_property
    def _by_label(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The samples in the order of their labels, and where those of each class begin."""
        order = np.argsort(self._labels, kind="stable")
        return order, np.searchsorted(self._labels[order], np.arange(len(self.outcomes) + 1))

    def _column(self, c: int) -> ColumnProblem:
        order, starts = self._by_label
        first = c - c % COLUMNS_TOGETHER
        copied = self._copied.get(first)
        if copied is None:
            several = self._probs[:, first : first + COLUMNS_TOGETHER]
            copied = np.empty(several.shape[::-1], several.dtype)
            for rows in row_blocks(*several.shape):
                copied[:, rows] = several[rows].T
            # Other threads may be looking at other columns: only as many are kept as there are threads.
            latest = list(self._copied.items())[1 - self._threads :] if self._threads > 1 else []
            self._copied = dict(latest) | {first: copied}
        return ColumnProblem(copied[c - first], order[starts[c] : starts[c + 1]])
