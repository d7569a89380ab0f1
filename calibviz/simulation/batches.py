"""Many simulated data sets of one size at once: the errors of all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.binning import FALL_TOLERANCE, Uniform, equal_mass_counts
from ..engine.scalar import ScalarProblem
from ..engine.ties import block_means, runs_of
from .networks import Network

Array = NDArray[np.float64]
Places = NDArray[np.intp]

MOST_SWEPT = 20  # bins that few sweeps come to, unless nothing ends them


class SimulatedScores:
    """The scores of m data sets of n samples each, and the chance that decides their labels.

    Parameters
    ----------
    rest : ndarray, shape (m, n)
        1 - c of each score c, descending along the rows: it keeps the digits that c would lose.
    chance : ndarray, shape (m, n)
        Uniform on [0, 1); a label is 1 where it lies below the true probability.
    """

    def __init__(self, rest: Array, chance: Array) -> None:
        self.rest = rest
        self.chance = chance
        self.score = 1.0 - rest

    @cached_property
    def cumulative_score(self) -> Array:
        return _cumulative(self.score)

    @cached_property
    def ties(self) -> tuple[Places, Places]:
        """Where runs of equal scores of a row begin in the flattened array, and how long they are."""
        same = np.zeros(self.score.shape, dtype=bool)
        np.equal(self.score[:, 1:], self.score[:, :-1], out=same[:, 1:])
        return runs_of(same.ravel())

    def uniform_cuts(self, rows: Places, bins: int) -> Places:
        """How many scores of each row lie below each edge of uniform bins, shape (rows, bins + 1)."""
        edges = Uniform(bins).edges
        cuts = np.stack([np.searchsorted(self.score[row], edges) for row in rows])
        cuts[:, 0], cuts[:, -1] = 0, self.score.shape[1]
        return cuts

    def labelled(self, network: Network) -> SimulatedSets:
        """The data sets of a network with such scores."""
        return SimulatedSets(self, self.chance < network.true_curve(self.score, self.rest))


class SimulatedSets:
    """Data sets of n scores and targets each, sorted, with cumulative sums: one a row.

    What `ScalarProblem` is to one data set, with the same numbers.

    Parameters
    ----------
    scores : SimulatedScores
    target : ndarray of bool, shape (m, n)
    """

    def __init__(self, scores: SimulatedScores, target: NDArray[np.bool_]) -> None:
        self.scores = scores
        self.given_target = target
        self._swept: dict[Cutter, Places] = {}

    def __len__(self) -> int:
        return len(self.given_target)

    @property
    def n(self) -> int:
        return self.given_target.shape[1]

    @cached_property
    def target(self) -> NDArray[Any]:
        """The targets, those of tied scores of a row replaced by their mean."""
        first, size = self.scores.ties
        if not len(first):
            return self.given_target
        given = self.given_target.astype(np.float64)
        return block_means(given.ravel(), None, first, size).reshape(given.shape)

    @cached_property
    def cumulative_target(self) -> Array:
        return _cumulative(self.target)

    def swept(self, cut: Cutter) -> Places:
        """The number of bins that the monotone sweep chooses in each data set, shape (m,); see `Sweep`."""
        if cut not in self._swept:
            self._swept[cut] = _swept(self, cut)
        return self._swept[cut]

    @property
    def problems(self) -> Iterator[ScalarProblem]:
        """Every data set by itself."""
        return (ScalarProblem(*row) for row in zip(self.scores.score, self.given_target, strict=True))


class Cut:
    """The bins of some of the data sets: the means of what lies between cuts of the sorted scores.

    Attributes
    ----------
    cuts : ndarray of int, shape (m, bins + 1)
        Or (1, bins + 1), where they are those of every row.
    share, score, target : ndarray, shape (m, bins)
        The share of the samples, and their means; 0 where a bin is empty.
    """

    def __init__(self, sets: SimulatedSets, rows: Places, cuts: Places) -> None:
        self.cuts = cuts
        at = rows[:, None], cuts
        count = np.diff(cuts, axis=1)
        filled = np.maximum(count, 1)
        self.score = np.diff(sets.scores.cumulative_score[at], axis=1) / filled
        self.target = np.diff(sets.cumulative_target[at], axis=1) / filled
        self.share = np.broadcast_to(count / sets.n, self.score.shape)

    @property
    def falls(self) -> NDArray[np.bool_]:
        """Whether the mean targets of the filled bins fall anywhere, shape (m,)."""
        # An empty bin falls below nothing, and hides no fall: it carries the highest mean before it on.
        highest = np.maximum.accumulate(np.where(self.share > 0, self.target, -np.inf), axis=1)
        return np.any((self.share > 0) & (self.target < highest - FALL_TOLERANCE), axis=1)

    def error(self, p: float) -> Array:
        """The plug-in error, shape (m,); see `calibration_error`."""
        gap = np.abs(self.score - self.target)
        largest = gap.max(axis=1, keepdims=True)  # so that no power of a small distance vanishes
        powers = (gap / np.where(largest > 0, largest, 1.0)) ** p
        found: Array = largest[:, 0] * (self.share * powers).sum(axis=1) ** (1 / p)
        return found


Cutter = Callable[[SimulatedSets, Places, int], Cut]


def uniform(sets: SimulatedSets, rows: Places, bins: int) -> Cut:
    """The uniform bins of some rows."""
    return Cut(sets, rows, sets.scores.uniform_cuts(rows, bins))


def equal_mass(sets: SimulatedSets, rows: Places, bins: int) -> Cut:
    """The bins of equal mass of some rows."""
    return Cut(sets, rows, equal_mass_counts(sets.n, bins)[None])


def _swept(sets: SimulatedSets, cut: Cutter) -> Places:
    most = max(1, sets.n - 1)
    chosen = np.full(len(sets), most)
    going = np.arange(len(sets))
    for bins in range(2, most + 1):
        if bins == MOST_SWEPT:  # non-decreasing targets have non-decreasing means, however they are cut
            target = sets.target[going].astype(np.float64)
            going = going[(np.diff(target, axis=1) < -FALL_TOLERANCE / sets.n).any(axis=1)]
        if not len(going):
            break
        falls = cut(sets, going, bins).falls
        chosen[going[falls]] = bins - 1
        going = going[~falls]
    return chosen


def _cumulative(values: Array) -> Array:
    out = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=out[:, 1:])
    return out
