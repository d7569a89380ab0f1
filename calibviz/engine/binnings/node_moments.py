"""Which coordinate of a node of a k-d tree varies most, and its mean.

Of a large node without passing over it again: a split moves few samples or many; the sums of the smaller side are added
up and those of the larger side are what is left. Sums found so are a little less exact, so where they leave more than
one coordinate in question, the variances of those are computed in two passes.

Small nodes, of which there are many, are looked at together: there it is the calls that take time, not the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import Array, dot, row_blocks
from ..vector import VectorProblem
from .cells import run_sums

Rows = NDArray[np.integer]

TIE = 1e-12  # variances that differ by less, relative to the largest, are equal
ROUNDING = 1e-10  # generous bound on what sums lose, relative to the sums that they were last added up from


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of a node, about the mean of the root."""

    weight: float
    first: Array  # shape (m,): sum of w (x - centre)
    second: Array  # shape (m,): sum of w (x - centre)^2
    scale: float  # the largest second moment of the node whose samples were last added up
    centre: Array  # shape (m,)

    @classmethod
    def of(cls, problem: VectorProblem, rows: Rows, centre: Array | None = None) -> Moments:
        """The moments of some samples."""
        n, m = len(rows), problem.score.shape[1]
        if centre is None:
            centre = problem.score[:1].astype(np.float64)[0]  # any point among them does
            shift = cls.of(problem, rows, centre)
            centre = centre + shift.first / shift.weight
        weight, first, second = 0.0, np.zeros(m), np.zeros(m)
        for block in row_blocks(n, m):
            part = problem.score[rows[block]] - centre
            if problem.given_weight is None:
                weight += len(part)
                first += part.sum(axis=0)
                second += np.einsum("ij,ij->j", part, part)
            else:
                weights = problem.given_weight[rows[block]]
                weight += float(weights.sum())
                first += weights @ part
                second += np.einsum("i,ij,ij->j", weights, part, part)
        return cls(weight, first, second, float(second.max()), centre)

    def split(self, problem: VectorProblem, left: Rows, right: Rows) -> tuple[Moments, Moments]:
        """The moments of the two parts of the node."""
        small = Moments.of(problem, min(left, right, key=len), self.centre)
        rest = Moments(
            self.weight - small.weight, self.first - small.first, self.second - small.second, self.scale, self.centre
        )
        return (small, rest) if len(left) <= len(right) else (rest, small)

    def widest(self, problem: VectorProblem, rows: Rows) -> int:
        """The coordinate of the largest population variance; of tied ones the first."""
        variance = self.second / self.weight - (self.first / self.weight) ** 2
        slack = ROUNDING * self.scale / self.weight
        (candidates,) = np.nonzero(variance >= variance.max() * (1 - TIE) - 2 * slack)
        if len(candidates) > 1:
            weights = None if problem.given_weight is None else problem.given_weight[rows]
            exact = np.array([_variance(column_of(problem, rows, int(j)), weights) for j in candidates])
            candidates = candidates[exact >= exact.max() * (1 - TIE)]
        return int(candidates[0])


def widest_of_many(problem: VectorProblem, rows: Rows, size: NDArray[np.intp]) -> tuple[NDArray[np.intp], Array, Array]:
    """Return the coordinate of the largest variance of each node and its mean (nodes,), and its values (rows,).

    The nodes hold `size` of the rows each, one after the other; see `Moments.widest`.
    """
    starts = np.cumsum(size) - size
    weights = None if problem.given_weight is None else problem.given_weight[rows]
    total = (size.astype(np.float64) if weights is None else np.add.reduceat(weights, starts))[:, None]
    values = problem.score[rows].astype(np.float64, copy=False)
    sums = run_sums(starts, len(rows), weights)

    def mean(of: Array) -> Array:
        return sums(of) / total

    def spread(of: Array) -> Array:
        return np.repeat(of, size, axis=0)

    middle = values[starts]  # from any point among them the mean is rounded once, as by `mean_of`
    middle = middle + mean(values - spread(middle))
    variance = mean((values - spread(middle)) ** 2)
    widest = np.argmax(variance >= variance.max(axis=1, keepdims=True) * (1 - TIE), axis=1)
    return widest, middle[np.arange(len(size)), widest], values[np.arange(len(rows)), spread(widest)]


def column_of(problem: VectorProblem, rows: Rows, coordinate: int) -> Array:
    """One coordinate of some samples."""
    return problem.score[rows, coordinate].astype(np.float64)


def mean_of(values: Array, weights: Array | None) -> float:
    """The weighted mean, rounded once: how it is added up must not decide on which side of it a value lies."""
    mean = _mean(values, weights)
    return mean + _mean(values - mean, weights)


def _variance(values: Array, weights: Array | None) -> float:
    return _mean((values - mean_of(values, weights)) ** 2, weights)


def _mean(values: Array, weights: Array | None) -> float:
    return float(values.sum() / len(values) if weights is None else dot(weights, values) / weights.sum())
