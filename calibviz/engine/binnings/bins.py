"""The record that every binning makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import Array

ROUNDING = 1e-9  # of the mean of one sample among some 10,000,000


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of a problem, with their counts and means; the means of empty bins are nan.

    Those of a batch have a leading axis of problems. Rows of fewer bins than others end in empty ones.

    Attributes
    ----------
    weight : ndarray, shape (B,)
    score, target : ndarray, shape (B,) or (B, m)
        Weighted means.
    count : ndarray of int, shape (B,)
        Samples in the bin; one that straddles bins counts where it begins.
    left, right : ndarray, shape (B,), or None for cells of a vector problem
        The edges of uniform bins, else the least and the greatest score in the bin.

    See Also
    --------
    reliability : The same as a table, with intervals.
    Uniform, EqualMass, Sweep, KDTree : Binnings that make it.
    calibration_error : The mean distance of score and target over the bins.

    Examples
    --------
    >>> cv.Uniform(2)(cv.ScalarProblem([0.1, 0.2, 0.6, 0.9], [0, 1, 1, 1])).target
    array([0.5, 1. ])
    """

    weight: Array
    score: Array
    target: Array
    count: NDArray[np.intp]
    left: Array | None = None
    right: Array | None = None

    def __len__(self) -> int:
        return self.weight.shape[-1]

    def samples(self, problem: Any) -> NDArray[np.intp]:
        """How many samples of a problem each bin holds; whole-number weights count repetitions, as everywhere."""
        counted = problem.whole_weights and problem.total <= 2**53  # beyond, float64 cannot count
        return np.rint(self.weight).astype(np.intp) if counted else self.count

    def edges(self, problem: Any) -> tuple[Array, Literal["left", "right"]] | None:
        """The edges between the bins of a problem, and the side on which a score on one belongs above it.

        None where the binning does not tell them.
        """
        if self.left is None or self.right is None:
            return None
        left = self.left[np.isfinite(self.left)]
        edges = np.concatenate([left, self.right[np.isfinite(self.right)][-1:]])
        sides: tuple[Literal["left", "right"], ...] = ("left", "right")
        for side in sides:
            if (problem.between(edges, side)[3] == self.count[: len(left)]).all():
                return edges, side
        return edges, "left"

    @classmethod
    def of_sums(
        cls,
        weight: Array,
        score: Array,
        target: Array,
        count: NDArray[np.integer],
        left: Array | None = None,
        right: Array | None = None,
    ) -> Bins:
        """Bins from weighted sums instead of means."""
        divisor = np.where(weight > 0, weight, np.nan)
        if score.ndim > weight.ndim:  # means of vectors
            divisor = divisor[:, None]
        means = score / divisor, target / divisor
        for mean in means:  # differences of cumulative sums round, and no error shall exceed 1 for that
            above = mean > 1
            if above.any():
                mean[above & (mean < 1 + ROUNDING)] = 1.0
        return cls(weight, *means, count.astype(np.intp, copy=False), left, right)

    @classmethod
    def concatenated(cls, several: Sequence[Bins]) -> Bins:
        """The bins of several binnings one after the other, without their edges."""
        columns = zip(*((b.weight, b.score, b.target, b.count) for b in several), strict=True)
        return cls(*(np.concatenate(column) for column in columns))
