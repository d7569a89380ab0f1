"""The base of what data sets are drawn from, whose true calibration error is known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engine.scalar import ScalarProblem

Floats = NDArray[np.float64]


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
    def draw(self, shape: tuple[int, ...], rng: np.random.Generator, ascending: bool = False) -> tuple[Floats, Floats]:
        """Scores c, and 1 - c of each, which keeps the digits that c would lose; ascending along the last axis."""

    @abstractmethod
    def shares_between(self, edges: Floats) -> Floats:
        """The share of the scores between one edge and the next, shape (B,)."""

    @property
    @abstractmethod
    def population(self) -> ScalarProblem:
        """Scores with their true probabilities as targets, as infinitely many samples have them."""

    @abstractmethod
    def true_error(self, p: float) -> float:
        """TCE_p; see `true_calibration_error`."""
