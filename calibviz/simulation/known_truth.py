"""The base of what data sets are drawn from, whose true calibration error is known, and many data sets at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.batch import ScalarBatch
from ..engine.scalar import ScalarProblem
from ..foundation.arrays import Array

ENTRIES = 2_000_000  # scores that are drawn at a time


class KnownTruth(ABC):
    """A distribution of scores and the true probability at each, from which any number of data sets can be drawn."""

    name: str

    @property
    @abstractmethod
    def scores_from(self) -> str:
        """Where the scores come from, in words."""

    @property
    def score_label(self) -> str:
        """The name of these scores in a legend."""
        return self.scores_from

    @property
    @abstractmethod
    def score_key(self) -> Hashable:
        """Equal for networks whose scores follow the same distribution."""

    @property
    @abstractmethod
    def score_range(self) -> tuple[float, float]:
        """The scores between which the true curve is known."""

    @property
    @abstractmethod
    def calibrated(self) -> KnownTruth:
        """The network of the same scores that is calibrated."""

    @abstractmethod
    def true_curve(self, c: ArrayLike, complement: ArrayLike | None = None) -> Any:
        """The true probability at scores c."""

    @abstractmethod
    def draw(self, shape: tuple[int, ...], rng: np.random.Generator, ascending: bool = False) -> tuple[Array, Array]:
        """Scores c, and 1 - c of each, which keeps the digits that c would lose; ascending along the last axis."""

    @abstractmethod
    def shares_between(self, edges: Array) -> Array:
        """The share of the scores between one edge and the next, shape (B,)."""

    @property
    @abstractmethod
    def population(self) -> ScalarProblem:
        """Scores with their true probabilities as targets, as infinitely many samples have them."""

    @abstractmethod
    def true_error(self, p: float) -> float:
        """TCE_p; see `true_calibration_error`."""


class SimulatedScores:
    """The scores of m data sets of n samples each, and the chances that decide their labels, all of shape (m, n)."""

    def __init__(self, score: Array, rest: Array, chance: Array) -> None:
        self.score = score  # ascending along the rows
        self.rest = rest  # 1 - c of each score c, which keeps the digits that c would lose
        self.chance = chance  # uniform on [0, 1); a label is 1 where it lies below the true probability
        self._batch = ScalarBatch(self.score, chance)

    def labelled(self, network: KnownTruth) -> ScalarBatch:
        """The data sets of a network with such scores."""
        return self._batch.with_target(self.chance < network.true_curve(self.score, self.rest))


def block_sizes(n: int, simulations: int, entries: int = ENTRIES) -> list[int]:
    """How many data sets are simulated at a time."""
    at_once = max(1, entries // n)
    return [min(at_once, simulations - first) for first in range(0, simulations, at_once)]


def drawn_scores(
    network: KnownTruth, n: int, simulations: int, seed: Any, entries: int = ENTRIES
) -> Iterator[SimulatedScores]:
    """Scores of simulated data sets of a network, about so many entries at a time.

    They are sorted before the labels are drawn, which then need no sorting. How many come at a time does not change
    them.
    """
    of_scores, of_labels = np.random.default_rng(seed).spawn(2)
    for size in block_sizes(n, simulations, entries):
        score, rest = network.draw((size, n), of_scores, ascending=True)
        yield SimulatedScores(score, rest, of_labels.random(score.shape))
