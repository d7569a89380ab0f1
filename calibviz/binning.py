"""Binnings of scalar problems, and uniform cells of vector problems.

A binning is called with a problem and returns its `Bins`; any callable of that signature with a `name` serves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import validation
from .problems import ScalarProblem, VectorProblem

Array = NDArray[np.float64]

FALL_TOLERANCE = 1e-9
MOST_SWEPT = 5_000_000  # bins; only large whole weights, which count repetitions, could ask for more


@dataclass(frozen=True, eq=False)
class Bins:
    """What a binning makes of a problem; means of empty bins are nan.

    Attributes
    ----------
    weight : ndarray, shape (B,)
    score, target : ndarray, shape (B,) or (B, m)
        Weighted means.
    count : ndarray of int, shape (B,)
        Samples in the bin; one that straddles bins counts where it begins.
    left, right : ndarray, shape (B,), or None for cells of a vector problem
        The edges of uniform bins, else the least and the greatest score in the bin.
    """

    weight: Array
    score: Array
    target: Array
    count: NDArray[np.int64]
    left: Array | None = None
    right: Array | None = None

    def __len__(self) -> int:
        return len(self.weight)


class Binning(Protocol):
    """What a binning is."""

    @property
    def name(self) -> str: ...

    def __call__(self, problem: Any) -> Bins: ...


@dataclass(frozen=True)
class Uniform:
    """Bins of equal width on [0, 1] (Naeini et al. 2015; Guo et al. 2017).

    The edges are the quotients k / bins in float64. On a vector problem: the grid cells of all coordinates but
    the last that hold samples.

    Parameters
    ----------
    bins : int, at least 1
    closed : {"left", "right"}
        Bins are [low, high) with the last one closed, or (low, high] with the first one closed.
    """

    bins: int = 15
    closed: str = "left"

    def __post_init__(self) -> None:
        object.__setattr__(self, "bins", validation.whole_number(self.bins, "bins", 1))
        validation.choice(self.closed, "closed", ("left", "right"))

    @property
    def name(self) -> str:
        return "uniform" if self.closed == "left" else "uniform, closed right"

    @property
    def edges(self) -> Array:
        """The bins + 1 edges."""
        return np.arange(self.bins + 1) / self.bins

    def __call__(self, problem: ScalarProblem | VectorProblem) -> Bins:
        if isinstance(problem, VectorProblem):
            return _cell_bins(problem, self)
        edges = self.edges
        cuts = np.searchsorted(problem.score, edges, side="left" if self.closed == "left" else "right")
        cuts[0], cuts[-1] = 0, len(problem)
        return _between_samples(problem, cuts, edges[:-1], edges[1:])

    def digits(self, score: NDArray[Any]) -> NDArray[np.int64]:
        """The number of the bin that each score falls into."""
        inner = self.edges[1:-1]
        return np.searchsorted(inner, score, side="right" if self.closed == "left" else "left")


@dataclass(frozen=True)
class EqualMass:
    """Bins of equal weight (Nguyen & O'Connor 2015): the i-th smallest score belongs to bin floor(i * bins / n).

    Tied samples share their mean target, and a weighted sample that straddles a cut is shared in proportion.

    Parameters
    ----------
    bins : int, at least 1
    """

    bins: int = 15

    def __post_init__(self) -> None:
        object.__setattr__(self, "bins", validation.whole_number(self.bins, "bins", 1))

    @property
    def name(self) -> str:
        return "equal-mass"

    def __call__(self, problem: ScalarProblem) -> Bins:
        refuse_vector(problem, self.name)
        return _between_weights(problem, equal_mass_cuts(problem, self.bins))


@dataclass(frozen=True)
class Sweep:
    """As many bins as keep the target means non-decreasing (Roelofs et al. 2022, algorithm 1).

    Parameters
    ----------
    scheme : {"equal-mass", "uniform"}
    """

    scheme: str = "equal-mass"

    def __post_init__(self) -> None:
        validation.choice(self.scheme, "scheme", ("equal-mass", "uniform"))

    @property
    def name(self) -> str:
        return "sweep" if self.scheme == "equal-mass" else "uniform sweep"

    def __call__(self, problem: ScalarProblem) -> Bins:
        refuse_vector(problem, self.name)
        bins = self.choose(problem)
        return EqualMass(bins)(problem) if self.scheme == "equal-mass" else Uniform(bins)(problem)

    def choose(self, problem: ScalarProblem) -> int:
        """The number of bins: the largest b for which 1, 2, ..., b bins all have non-decreasing means."""
        refuse_vector(problem, self.name)
        n = int(problem.total) if problem.whole_weights else len(problem)
        most = min(max(1, n - 1), MOST_SWEPT)
        if (np.diff(problem.target) >= -FALL_TOLERANCE / len(problem)).all():
            return most  # non-decreasing targets have non-decreasing means, however they are cut
        for bins in range(2, most + 1):
            if self.scheme == "equal-mass":
                weight, target = _equal_mass_sums(problem, bins)
            else:
                cuts = np.searchsorted(problem.score, np.arange(1, bins) / bins, side="left")
                cuts = np.concatenate(([0], cuts, [len(problem)]))
                weight = np.diff(problem.cumulative_weight[cuts])
                target = np.diff(problem.cumulative_target[cuts])
                weight, target = weight[weight > 0], target[weight > 0]
            means = target / weight
            if (means[1:] < means[:-1] - FALL_TOLERANCE).any():
                return bins - 1
        return most


def refuse_vector(problem: ScalarProblem | VectorProblem, what: str) -> None:
    """Raise where `what`, which needs one score a sample, meets a vector problem."""
    if isinstance(problem, VectorProblem):
        raise ValueError(
            f"{what} needs a scalar lens, but this one has the outcomes {', '.join(problem.outcomes[:6])}"
            f"{', ...' if len(problem.outcomes) > 6 else ''}: choose one with outcome=..., or use cv.Uniform(bins)"
        )


def equal_mass_cuts(problem: ScalarProblem, bins: int) -> Array | NDArray[np.int64]:
    """The bins + 1 cuts of the cumulative weight: ceil(b W / bins) for whole weights, else b W / bins."""
    if problem.whole_weights and problem.total * bins < 2**53:
        return -((-np.arange(bins + 1, dtype=np.int64) * int(problem.total)) // bins)
    return np.arange(bins + 1) * problem.total / bins  # in this order the last cut is the total


def _equal_mass_sums(problem: ScalarProblem, bins: int) -> tuple[Array, Array]:
    cuts = equal_mass_cuts(problem, bins)
    target = _at_weight(problem, problem.cumulative_target, cuts)
    return np.diff(cuts).astype(np.float64), np.diff(target)


def _at_weight(problem: ScalarProblem, cumulative: Array, cuts: NDArray[Any]) -> Array:
    """A cumulative sum at given cumulative weights; inside a sample it grows in proportion."""
    if problem.given_weight is None:
        return cumulative[cuts]
    return np.interp(cuts, problem.cumulative_weight, cumulative)


def _between_samples(problem: ScalarProblem, cuts: NDArray[np.intp], left: Array, right: Array) -> Bins:
    count = np.diff(cuts)
    weight = count.astype(np.float64) if problem.given_weight is None else np.diff(problem.cumulative_weight[cuts])
    return _bins(
        weight, np.diff(problem.cumulative_score[cuts]), np.diff(problem.cumulative_target[cuts]), count, left, right
    )


def _between_weights(problem: ScalarProblem, cuts: NDArray[Any]) -> Bins:
    starts = problem.cumulative_weight[:-1]
    begins = np.searchsorted(starts, cuts, side="left")  # the first sample that begins at a cut or after it
    begins[-1] = len(problem)
    weight = np.diff(cuts).astype(np.float64)
    # A bin's first sample may have begun in an earlier bin.
    first = np.searchsorted(starts, cuts[:-1], side="right") - 1
    last = np.maximum(first, begins[1:] - 1)
    empty = weight <= 0
    return _bins(
        weight,
        np.diff(_at_weight(problem, problem.cumulative_score, cuts)),
        np.diff(_at_weight(problem, problem.cumulative_target, cuts)),
        np.diff(begins),
        np.where(empty, np.nan, problem.score[first]),
        np.where(empty, np.nan, problem.score[last]),
    )


def _bins(weight: Array, score: Array, target: Array, count: NDArray[Any], left: Array, right: Array) -> Bins:
    with np.errstate(invalid="ignore", divide="ignore"):
        empty = weight <= 0
        return Bins(
            weight,
            np.where(empty, np.nan, score / weight),
            np.where(empty, np.nan, target / weight),
            count.astype(np.int64),
            left,
            right,
        )


def _cell_bins(problem: VectorProblem, binning: Uniform) -> Bins:
    """Uniform cells on the simplex; only cells that hold samples are listed."""
    n, m = problem.score.shape
    cell = np.zeros(n, dtype=np.int64)
    cells = 1
    for j in range(m - 1):
        if cells > np.iinfo(np.int64).max // binning.bins:  # renumber before the cell number overflows
            cell = np.unique(cell, return_inverse=True)[1].astype(np.int64)
            cells = int(cell.max()) + 1
        cell = cell * binning.bins + binning.digits(problem.score[:, j])
        cells *= binning.bins
    cell = np.unique(cell, return_inverse=True)[1]
    cells = int(cell.max()) + 1
    count = np.bincount(cell, minlength=cells)
    weight = np.bincount(cell, problem.given_weight, cells).astype(np.float64)
    kept = weight > 0

    def means(column: NDArray[Any]) -> Array:
        values = column if problem.given_weight is None else column * problem.given_weight
        return np.bincount(cell, values, cells)[kept] / weight[kept]

    score = np.column_stack([means(problem.score[:, j]) for j in range(m)])
    if problem.target.ndim == 2:
        target = np.column_stack([means(problem.target[:, j]) for j in range(m)])
    else:
        joint = cell * m + problem.target
        target = np.bincount(joint, problem.given_weight, cells * m).reshape(cells, m)[kept] / weight[kept, None]
    return Bins(weight[kept], score, target, count[kept])
