"""Many scalar problems of one size, which every kernel that reads along the last axis measures at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import Array
from ..foundation.written import counted
from .scalar import SHARED, ScalarProblem


class ScalarBatch(ScalarProblem):
    """Scalar problems of n samples each and without weights, one a row: arrays of shape (m, n).

    Scores are known to be valid, and ascend along the rows. Cumulative sums have a row for each problem too, so bins
    and errors have a leading axis of problems.
    """

    def __init__(self, score: Array, target: NDArray[Any]) -> None:
        self._set_sorted(score, target, None, lambda: np.broadcast_to(np.arange(score.shape[1]), score.shape))

    @property
    def problems(self) -> Iterator[ScalarProblem]:
        """Every problem by itself."""
        return (ScalarProblem(*row) for row in zip(self.score, self._given, strict=True))

    @property
    def block_ends(self) -> NDArray[np.intp]:
        """The end of every sample: rows have different ties, inside which cumulative sums are straight lines."""
        return np.arange(1, len(self) + 1)

    def __repr__(self) -> str:
        return f"<ScalarBatch of {counted(len(self.score), 'problem')}, {counted(len(self))} each>"

    def numbers(self, cuts: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.broadcast_to(np.diff(cuts), (len(self.score), cuts.shape[-1] - 1))

    def with_target(self, target: NDArray[Any]) -> ScalarBatch:
        batch = ScalarBatch(self.score, target)
        batch.__dict__.update({name: getattr(self, name) for name in SHARED})
        return batch

    def only(self, rows: NDArray[np.bool_]) -> ScalarBatch:
        """The problems where `rows` is True."""
        batch = ScalarBatch(self.score[rows], self._given[rows])
        batch.cumulative_target = self.cumulative_target[rows]  # so that no tie is looked for again
        return batch
