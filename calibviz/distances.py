"""Distances between the mean score and the mean target of a bin.

A distance is called with the means of all bins at once: shape (B,) for a scalar problem, (B, m) for a vector
one, and returns shape (B,). Any callable of that signature with a `name` serves as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from . import validation

Array = NDArray[np.float64]


class Distance(Protocol):
    """What a distance is."""

    @property
    def name(self) -> str: ...

    def __call__(self, score: Array, target: Array) -> Array: ...


@dataclass(frozen=True)
class TotalVariation:
    """Half the L1 distance (gece 4.3); |score - target| on a scalar problem, which stands for (s, 1 - s)."""

    @property
    def name(self) -> str:
        return "total variation"

    def __call__(self, score: Array, target: Array) -> Array:
        gap = np.abs(score - target)
        return gap if gap.ndim == 1 else 0.5 * gap.sum(axis=1)


@dataclass(frozen=True)
class Lp:
    """(sum |g - t|^p)^(1/p) over the outcomes (gece A.2); |score - target| on a scalar problem.

    Parameters
    ----------
    p : float, at least 1
    """

    p: float = 2.0

    def __post_init__(self) -> None:
        validation.real_number(self.p, "p", 1.0, np.finfo(float).max)

    @property
    def name(self) -> str:
        return f"L{self.p:g}"

    def __call__(self, score: Array, target: Array) -> Array:
        gap = np.abs(score - target)
        return gap if gap.ndim == 1 else np.linalg.norm(gap, ord=self.p, axis=1)


@dataclass(frozen=True)
class InterInterval:
    """How far the mean target of a bin lies outside a Likert category [low, high] (gece equation 7).

    Parameters
    ----------
    low, high : float, in [0, 1]
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        validation.interval((self.low, self.high), "InterInterval(low, high)")

    @property
    def name(self) -> str:
        return f"inter-interval [{self.low:g}, {self.high:g}]"

    def __call__(self, score: Array, target: Array) -> Array:
        if target.ndim == 2:
            raise ValueError(
                "the inter-interval distance needs a scalar problem: choose one outcome of the lens with outcome=..."
            )
        return np.maximum(0.0, np.maximum(self.low - target, target - self.high))
