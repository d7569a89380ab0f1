"""Binnings of scalar problems, and uniform cells of vector problems.

A binning is called with a problem and returns its `Bins`; any callable of that signature with a `name` serves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...foundation import validation
from ...foundation.arrays import Array
from ..batch import ScalarBatch
from ..columns import ColumnFamily
from ..family import ProblemFamily, refuse_family
from ..scalar import ScalarProblem, once
from ..sorted_scores import cuts_at, entries
from ..vector import VectorProblem
from .bins import Bins
from .cells import cell_sums, grid_cells

FALL_TOLERANCE = 1e-9
CUTS_AT_ONCE = 4096  # of the sweep
FEW_BINS = 16  # which the sweep tries before it looks whether all targets rise
MOST_BINS_AT_ONCE = 1 << 20  # of all classes: more take more memory than the classes one after the other
MOST_BINS = 5_000_000  # of the sweep; only large whole weights, which count repetitions, could ask for more


class Binning(Protocol):
    """A way to cut the scores of a problem into bins."""

    @property
    def name(self) -> str: ...

    def __call__(self, problem: Any) -> Bins: ...


@dataclass(frozen=True)
class Uniform:
    """Bins of equal width on [0, 1] (Naeini et al. 2015; Guo et al. 2017).

    The edges are the quotients k / bins in float64. On a vector problem: the grid cells of all coordinates but
    the last that hold samples. The last is not cut, so an error under the lens "full" depends on which class is the
    last; in `KDTree`, which cuts all coordinates, it does not.

    Parameters
    ----------
    bins : int, at least 1
    closed : {"left", "right"}
        Bins are [low, high) with the last one closed, or (low, high] with the first one closed.

    See Also
    --------
    EqualMass : Bins of equal weight.
    KDTree : Bins for vector problems.
    sensitivity : The error over the number of bins.

    Examples
    --------
    >>> cv.Uniform(4).edges
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """

    source: ClassVar[str] = "Naeini et al. 2015; Guo et al. 2017"

    bins: int = 15
    closed: Literal["left", "right"] = "left"

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
        edges = self.edges
        if isinstance(problem, ScalarProblem):
            return _between_edges(problem, edges, self.closed)
        refuse_family(problem)
        # Scores are sought in edges here, not edges in scores.
        side: Literal["left", "right"] = "right" if self.closed == "left" else "left"
        digits = [np.searchsorted(edges[1:-1], column, side) for column in problem.score.T[:-1]]
        return Bins.of_sums(*cell_sums(problem, *grid_cells(digits, self.bins)))


@dataclass(frozen=True)
class EqualMass:
    """Bins of equal weight (Nguyen & O'Connor 2015): the i-th smallest score belongs to bin floor(i * bins / n).

    Tied samples share their mean target, and a weighted sample that straddles a cut is shared in proportion.

    Parameters
    ----------
    bins : int, at least 1

    See Also
    --------
    Uniform : Bins of equal width.
    Sweep : Chooses how many bins there are.
    HistogramBinning : A calibrator from such bins.

    Examples
    --------
    >>> cv.EqualMass(2)(cv.ScalarProblem([0.1, 0.2, 0.6, 0.9], [0, 1, 1, 1])).count.tolist()
    [2, 2]
    """

    source: ClassVar[str] = "Nguyen and O'Connor 2015"

    bins: int = 15

    def __post_init__(self) -> None:
        object.__setattr__(self, "bins", validation.whole_number(self.bins, "bins", 1))

    name = "equal-mass"

    def __call__(self, problem: ScalarProblem) -> Bins:
        refuse_vector(problem, self.name)
        return _between_weights(problem, equal_mass_cuts(problem, self.bins, np.arange(self.bins + 1)))


#: What a sweep can choose the number of bins of, by name.
SCHEMES: dict[str, type[EqualMass] | type[Uniform]] = {kind().name: kind for kind in (EqualMass, Uniform)}


@dataclass(frozen=True)
class Sweep:
    """The largest number of bins that keeps the target means non-decreasing (Roelofs et al. 2022, algorithm 1).

    Parameters
    ----------
    scheme : {"equal-mass", "uniform"}

    See Also
    --------
    sweep_bins : The number of bins that it chooses.
    EqualMass, Uniform : A number of bins of your choice.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.Sweep().choose(cv.lens("top-1")(p))
    4
    """

    scheme: str = "equal-mass"

    def __post_init__(self) -> None:
        validation.choice(self.scheme, "scheme", tuple(SCHEMES))

    @property
    def name(self) -> str:
        return "sweep" if self.is_by_mass else "uniform sweep"

    @property
    def is_by_mass(self) -> bool:
        """Whether its bins have equal weight, not equal width."""
        return SCHEMES[self.scheme] is EqualMass

    def of(self, bins: int) -> EqualMass | Uniform:
        """The binning of its scheme with a number of bins."""
        return SCHEMES[self.scheme](bins)

    def __call__(self, problem: ScalarProblem) -> Bins:
        refuse_vector(problem, self.name)
        if isinstance(problem, ScalarBatch):
            return self._bins_of_each(problem)
        return self.of(self.choose(problem))(problem)

    def _bins_of_each(self, batch: ScalarBatch) -> Bins:
        bins = self.choose_each(batch)[:, None]
        place = np.minimum(np.arange(bins.max() + 1), bins)  # rows of fewer bins end in empty ones
        if self.is_by_mass:
            return _between_weights(batch, equal_mass_cuts(batch, bins, place))
        return _between_edges(batch, place / bins, "left")

    def choose(self, problem: ScalarProblem) -> int:
        """The number of bins: the largest b for which 1, 2, ..., b bins all have non-decreasing means.

        See Also
        --------
        sweep_bins : The same of predictions under a lens.
        """
        refuse_vector(problem, self.name)
        return int(self.choose_each(problem)[0])

    def choose_each(self, batch: ScalarProblem) -> NDArray[np.intp]:
        """The number of bins of each problem of a batch, shape (m,); of a single problem, shape (1,)."""
        return once(batch, self, lambda: self._chosen(batch))

    def _chosen(self, problem: ScalarProblem) -> NDArray[np.intp]:
        most = self.most(problem)
        rows = np.arange(problem.score.size // len(problem))  # of the batch at the start, which gets smaller
        done = np.atleast_1d(problem.score[..., 0] == problem.score[..., -1])  # bins of equal scores never fall
        chosen = np.where(done, 1, most)
        # Most problems end at few bins, so fewer numbers of bins are tried at once where there are more problems.
        first, last = 2, 1 + max(1, (FEW_BINS - 1) // len(rows))
        have_looked = False
        while first <= most:
            # Whether targets rise takes longer to see than whether the means of few bins of many samples fall.
            if not have_looked and (first > FEW_BINS or problem.given_weight is not None):
                # Non-decreasing targets have non-decreasing means, however they are cut.
                done = done | (np.diff(problem.target) >= -FALL_TOLERANCE / len(problem)).all(axis=-1)
                have_looked = True
            if done.all():
                break
            falls = self._first_falls(problem, first, min(last, most))
            ends = ~done & (falls > 0)
            chosen[rows[ends]] = falls[ends] - 1
            done = done | ends
            if isinstance(problem, ScalarBatch) and 2 * done.sum() >= len(done) > done.sum():
                problem, rows, done = problem.only(~done), rows[~done], np.zeros((~done).sum(), dtype=bool)
            first, last = last + 1, last + max(1, min(last, CUTS_AT_ONCE // (last * len(rows))))
        return chosen

    def _first_falls(self, problem: ScalarProblem, first: int, last: int) -> NDArray[np.intp]:
        """The first of several numbers of bins under which means fall, 0 where none do: all are cut at once, (m,)."""
        series = _cuts_of(first, last)
        if self.is_by_mass:
            cuts = equal_mass_cuts(problem, series.bins, series.place)
            upto, target = cuts, _target_at_weight(problem, cuts)
        else:
            cuts = cuts_at(problem.score, series.edge, "left")
            upto = cuts if problem.given_weight is None else problem.cumulative_weight[cuts]
            target = problem.target_up_to(cuts)
        run, weight, target = series.bins[:-1], upto[..., 1:] - upto[..., :-1], target[..., 1:] - target[..., :-1]
        rows = target.size // len(run)
        if isinstance(problem, ScalarBatch):  # the bins of all problems one after the other
            run = (run + np.arange(rows)[:, None] * (last + 1)).ravel()
            weight, target = np.broadcast_to(weight, target.shape).ravel(), target.ravel()
        # It is below 0 from the last cut of one number of bins back to the first of the next.
        real = np.flatnonzero(weight > 0)
        run, means = run[real], target[real] / weight[real]
        falls = np.flatnonzero((means[1:] < means[:-1] - FALL_TOLERANCE) & (run[1:] == run[:-1]))
        row, bins = np.divmod(run[falls[::-1]], last + 1)
        first_falls = np.zeros(rows, dtype=np.intp)
        first_falls[row] = bins  # of several falls in a row, the first is written last
        return first_falls

    @staticmethod
    def most(problem: ScalarProblem) -> int:
        """The most bins that are tried."""
        return min(max(1, problem.samples - 1), MOST_BINS)


@dataclass(frozen=True)
class Distinct:
    """One bin for each distinct score.

    See Also
    --------
    EqualMass : Several distinct scores in a bin.
    brier_split : Has no terms within bins under this binning.
    corp : Neighbouring scores are pooled until their targets ascend.

    Examples
    --------
    >>> cv.Distinct()(cv.ScalarProblem([0.1, 0.1, 0.9], [0, 1, 1])).target
    array([0.5, 1. ])
    """

    name = "distinct"

    def __call__(self, problem: ScalarProblem) -> Bins:
        refuse_vector(problem, self.name)
        cuts = np.concatenate(([0], problem.block_ends))
        score = problem.score[cuts[:-1]]
        return Bins.of_sums(*problem.sums(cuts), score, score)


def bins_of(problem: Any, binning: Binning) -> Bins:
    """The bins that a binning makes of a problem."""
    if not callable(binning) or isinstance(binning, type):
        raise TypeError(f"binning must be a binning such as cv.Uniform(15) or cv.EqualMass(15), not {binning!r}")
    bins = binning(problem)
    if not isinstance(bins, Bins):
        raise TypeError(
            f"binning {getattr(binning, 'name', binning)!r} must return the bins of a problem, as those of "
            f"cv.Uniform(15)(problem), not {type(bins).__name__}"
        )
    return bins


def bin_series(problem: Any, binnings: Sequence[Binning]) -> tuple[Bins, NDArray[np.intp]]:
    """The bins of several binnings one after the other, and where those of each begin.

    Equal-mass bins of a scalar problem, and uniform ones, are all cut at once: a hundred bin counts cost little
    more than one.
    """
    kinds = {(type(binning), getattr(binning, "closed", "")) for binning in binnings}
    kind = kinds.pop()[0] if len(kinds) == 1 else None
    several = len(binnings) > 1 and kind in (Uniform, EqualMass)
    if several and isinstance(problem, ScalarProblem) and problem.given_weight is None:
        sizes = np.array([binning.bins for binning in binnings])  # type: ignore[attr-defined]
        series = _series_of(sizes)
        if kind is EqualMass:
            bins = _between_weights(problem, equal_mass_cuts(problem, series.bins, series.place))
        else:
            cuts = cuts_at(problem.score, series.edge, binnings[0].closed)  # type: ignore[attr-defined]
            bins = Bins.of_sums(*problem.sums(cuts))
        # Not what lies between the last cut of one binning and the first of the next.
        real = np.flatnonzero(series.place[1:])
        weight, score, target = (column.take(real, axis=-1) for column in (bins.weight, bins.score, bins.target))
        return Bins(weight, score, target, bins.count.take(real, axis=-1)), np.cumsum(sizes) - sizes
    made = dict(finest_first(problem, binnings))
    sizes = np.array([len(made[i]) for i in range(len(binnings))])
    bins = made[0] if len(made) == 1 else Bins.concatenated([made[i] for i in range(len(made))])
    return bins, np.cumsum(sizes) - sizes


def finest_first(problem: Any, binnings: Sequence[Binning]) -> Iterator[tuple[int, Bins]]:
    """The bins of each binning with its place among them, in an order in which a k-d tree is grown in one go."""
    for i in sorted(range(len(binnings)), key=lambda i: getattr(binnings[i], "gamma", 0.0)):
        yield i, bins_of(problem, binnings[i])


def family_bins(family: ProblemFamily, binnings: Sequence[Binning]) -> Bins | None:
    """The bins of every problem of a family, (K, bins), where that is quicker than one after the other; else None."""
    if not isinstance(family, ColumnFamily) or len(binnings) != 1 or not isinstance(binnings[0], Uniform):
        return None
    if len(family.outcomes) * binnings[0].bins > MOST_BINS_AT_ONCE:
        return None
    return Bins.of_sums(*family.between(binnings[0].edges, binnings[0].closed))


def refuse_vector(problem: Any, what: str) -> None:
    """Raise where `what`, which needs one score a sample, meets a vector problem or a family."""
    refuse_family(problem)
    if isinstance(problem, VectorProblem):
        raise ValueError(
            f"{what} needs a scalar lens, but this one has the outcomes {', '.join(problem.outcomes[:6])}"
            f"{', ...' if len(problem.outcomes) > 6 else ''}: choose one with outcome=..., or use cv.KDTree(gamma) "
            "or cv.Uniform(bins)"
        )


def equal_mass_cuts(problem: ScalarProblem, bins: Any, place: NDArray[np.intp]) -> Array | NDArray[np.intp]:
    """The b-th cuts of the cumulative weight, b = `place`: ceil(b W / bins) for whole weights, else b W / bins."""
    if problem.whole_weights and problem.total * np.max(bins) < 2**53:
        return -((-place * int(problem.total)) // bins)
    return place * problem.total / bins  # in this order the last cut is the total


class _Series(NamedTuple):
    """The cuts of several numbers of bins one after the other."""

    bins: NDArray[np.intp]  # the number of bins that each cut is of
    place: NDArray[np.intp]  # which of its cuts it is
    edge: Array  # where it cuts uniform bins; the outer ones leave no score out


@lru_cache(maxsize=8)
def _cuts_of(first: int, last: int) -> _Series:
    """Return the series of all numbers of bins from the first to the last."""
    return _series_of(np.arange(first, last + 1))


def _series_of(sizes: NDArray[np.intp]) -> _Series:
    bins = np.repeat(sizes, sizes + 1)
    place = np.arange(len(bins)) - np.repeat(np.cumsum(sizes + 1) - sizes - 1, sizes + 1)
    return _Series(bins, place, np.where(place == 0, -np.inf, np.where(place == bins, np.inf, place / bins)))


def _target_at_weight(problem: ScalarProblem, cuts: NDArray[Any]) -> Array:
    plain = problem.given_weight is None
    return problem.target_up_to(cuts) if plain else _at_weight(problem, problem.cumulative_target, cuts)


def _at_weight(problem: ScalarProblem, cumulative: Array, cuts: NDArray[Any]) -> Array:
    """A cumulative sum at given cumulative weights; inside a sample it grows in proportion."""
    return np.interp(cuts, problem.cumulative_weight, cumulative)


def _between_edges(problem: ScalarProblem, edges: Array, closed: Literal["left", "right"]) -> Bins:
    return Bins.of_sums(*problem.between(edges, closed), edges[..., :-1], edges[..., 1:])


def _between_weights(problem: ScalarProblem, cuts: NDArray[Any]) -> Bins:
    """Bins between cuts of the cumulative weight; between two series of cuts, one bin that means nothing."""
    if problem.given_weight is None:
        first, last = np.minimum(cuts[..., :-1], len(problem) - 1), np.maximum(cuts[..., 1:] - 1, 0)
        weight, score, target, count = problem.sums(cuts)
    else:
        starts = problem.cumulative_weight[:-1]
        begins = np.searchsorted(starts, cuts, side="left")  # the first sample that begins at a cut or after it
        # A bin's first sample may have begun in an earlier bin.
        first = np.searchsorted(starts, cuts[:-1], side="right") - 1
        last = np.maximum(first, begins[1:] - 1)
        weight, count = np.diff(cuts).astype(np.float64), problem.numbers(begins)
        # Cuts divide samples, so sums of whole samples, which `ScalarProblem.sums` takes of weights, do not serve.
        score = np.diff(_at_weight(problem, problem.cumulative_score, cuts))
        target = np.diff(_target_at_weight(problem, cuts))
    left, right = (np.where(weight > 0, entries(problem.score, place), np.nan) for place in (first, last))
    return Bins.of_sums(weight, score, target, count, left, right)
