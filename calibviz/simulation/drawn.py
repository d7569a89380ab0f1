"""Networks whose true curve, and whose density of scores, are drawn by hand."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array, float_array
from ..foundation.validation import shown
from ..uncertainty.intervals.true_curves import curve_error
from .known_truth import KnownTruth

Heights = tuple[float, ...]

KNOTS = np.arange(11) / 10  # scores at which the curve is given
EDGES = np.arange(21) / 20  # of the intervals whose densities are given
MIDDLES = (2 * np.arange(20) + 1) / 40
POPULATION = 2**16  # samples that stand for infinitely many
DIAGONAL: Heights = tuple(KNOTS.tolist())
FLAT: Heights = (1.0,) * len(MIDDLES)
KNOWN_DIGITS = 4  # of what is drawn on
NEARLY_LEVEL = 1e-7  # a piece of the gap, whose mean needs no integral then


@dataclass(frozen=True)
class DrawnNetwork(KnownTruth):
    """A true curve and a density of scores that were drawn by hand, or one of them and the other of a network.

    Parameters
    ----------
    name : str
    curve : tuple of float, of length 11 or 0
        The true probability at the scores 0, 0.1, ..., 1, with straight lines between them; empty for that of the base.
    density : tuple of float, of length 20 or 0
        Relative heights over the intervals 0 to 0.05, 0.05 to 0.1, ..., in each of which scores are uniform; empty for
        the scores of the base.
    base : KnownTruth, optional
        What is not drawn is its.
    is_rounded : bool
        Whether all scores of an interval are its middle.

    See Also
    --------
    Network.drawn : What makes it.
    Network : Scores that follow a Beta distribution.
    """

    name: str
    curve: Heights
    density: Heights
    base: KnownTruth | None = None
    is_rounded: bool = False

    @property
    def scores_from(self) -> str:
        return "a drawn density" if self.density or self.base is None else self.base.scores_from

    @property
    def score_key(self) -> Hashable:
        return (self.density, self.is_rounded) if self.density or self.base is None else self.base.score_key

    @property
    def score_range(self) -> tuple[float, float]:
        if self.base is not None and not self.density:
            return self.base.score_range
        filled = np.flatnonzero(self.density)
        return float(EDGES[filled[0]]), float(EDGES[filled[-1] + 1])

    @property
    def calibrated(self) -> KnownTruth:
        return replace(self, name=f"{self.name}, calibrated", curve=DIAGONAL)

    def true_curve(self, c: ArrayLike, complement: ArrayLike | None = None) -> Any:
        if self.base is not None and not self.curve:
            return self.base.true_curve(c, complement)
        score = float_array(c, "c").astype(np.float64, copy=False)
        return np.clip(score, 0.0, 1.0) if self.curve == DIAGONAL else np.interp(score, KNOTS, self.curve)[()]

    @property
    def _upto(self) -> Array:
        """The share of the scores below each edge, shape (21,)."""
        upto = np.cumsum(np.append(0.0, self.density))
        return upto / upto[-1]

    def _score_at(self, level: Array) -> Array:
        """The scores below which shares of all lie."""
        upto = self._upto
        place = np.minimum(np.searchsorted(upto, level, "right") - 1, int(np.flatnonzero(self.density)[-1]))
        if self.is_rounded:
            return MIDDLES[place]
        inside = (level - upto[place]) / (upto[place + 1] - upto[place])
        return np.minimum(EDGES[place] + inside / len(MIDDLES), 1.0)

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator, ascending: bool = False) -> tuple[Array, Array]:
        if self.base is not None and not self.density:
            return self.base.draw(shape, rng, ascending)
        level = rng.random(shape)
        if validation.truth(ascending, "ascending"):
            level.sort(axis=-1)
        score = self._score_at(level)
        return score, 1.0 - score

    def shares_between(self, edges: Array) -> Array:
        if self.base is not None and not self.density:
            return self.base.shares_between(edges)
        shares = np.diff(self._upto)
        if self.is_rounded:
            return np.histogram(MIDDLES, edges, weights=shares)[0]
        return np.diff(np.interp(edges, EDGES, self._upto))

    @property
    def population(self) -> ScalarProblem:
        if self.base is not None and not self.density:
            scores = _population_of(self.base)
            return scores.with_target(self.true_curve(scores.score))
        if self.is_rounded:
            filled = np.flatnonzero(self.density)
            return ScalarProblem(MIDDLES[filled], self.true_curve(MIDDLES[filled]), np.array(self.density)[filled])
        score = self._score_at((np.arange(POPULATION) + 0.5) / POPULATION)
        return ScalarProblem(score, self.true_curve(score))

    def true_error(self, p: float) -> float:
        if self.is_rounded or not (self.curve and self.density):
            population = self.population
            return curve_error(population, population.target, p)
        gap = EDGES - self.true_curve(EDGES)
        largest = float(np.abs(gap).max())
        if largest == 0.0:
            return 0.0
        below, above = gap[:-1] / largest, gap[1:] / largest  # so that no power of a small distance vanishes
        rise = above - below
        is_level = np.abs(rise) < NEARLY_LEVEL
        integral = (np.abs(above) ** p * above - np.abs(below) ** p * below) / (p + 1)
        means = np.where(is_level, np.abs((below + above) / 2) ** p, integral / np.where(is_level, 1.0, rise))
        return float(largest * (np.diff(self._upto) @ means) ** (1 / p))


@lru_cache(maxsize=2)  # a curve that is bent over the same scores needs them at each step
def _population_of(base: KnownTruth) -> ScalarProblem:
    return base.population


def drawn_network(curve: Any, density: Any, base: KnownTruth | None, rounded: Any, name: Any) -> DrawnNetwork:
    """The network of a drawn curve and density; see `Network.drawn`."""
    validation.text(name, "name")
    is_rounded = validation.truth(rounded, "rounded")
    probabilities = heights(curve, "curve", KNOTS)
    relative = heights(density, "density", MIDDLES)
    if relative and not any(relative):
        raise ValueError("density: all heights are 0, so there is no score: raise one of them")
    if base is None:
        probabilities, relative = probabilities or DIAGONAL, relative or FLAT
    if is_rounded and not relative:
        raise ValueError("rounded=True needs density=...: the scores of a network are as they are")
    return DrawnNetwork(name, probabilities, relative, base, is_rounded)


def knots_of(network: KnownTruth) -> Array:
    """The true probability at each of the scores between which a curve is drawn, shape (11,)."""
    return np.round(network.true_curve(KNOTS), KNOWN_DIGITS)


def heights_of(network: KnownTruth) -> Array:
    """The density of the scores in each of the intervals of a drawn one, the greatest 1, shape (20,)."""
    shares = network.shares_between(EDGES)
    return np.round(shares / shares.max(), KNOWN_DIGITS)


def heights(value: Any, argument: str, places: Array) -> Heights:
    """Numbers from 0 to 1, one for each place; None, or nothing, where none is drawn."""
    if value is None or (isinstance(value, list | tuple) and not value):
        return ()
    numbers = float_array(value, argument).astype(np.float64)
    if numbers.shape != places.shape:
        raise ValueError(
            f"{argument} must have {len(places)} numbers, for the scores {places[0]:g}, {places[1]:g}, ..., "
            f"{places[-1]:g}, not the shape {numbers.shape}"
        )
    bad = np.flatnonzero(~((numbers >= 0) & (numbers <= 1)))
    if len(bad):
        raise ValueError(f"{argument}[{bad[0]}] must be between 0 and 1, not {shown(float(numbers[bad[0]]))}")
    return tuple(numbers.tolist())


@dataclass(frozen=True)
class DrawnPreset:
    """A true curve to begin with, and where it matters a density of scores, both as of a `DrawnNetwork`."""

    about: str  # what it shows, in a sentence
    curve: Heights
    density: Heights = ()  # without one, scores stay as they are
    is_rounded: bool = False


def _rounded(values: Array) -> Heights:
    return tuple(np.round(values, KNOWN_DIGITS).tolist())


NOISE = 0.1
ZIGZAG = 0.12
BASE_RATE = 6  # the interval whose middle is said of everybody
PRESETS = {
    "calibrated": DrawnPreset("Every score is the true probability: whatever an estimator shows is noise.", DIAGONAL),
    "over-confident": DrawnPreset(
        "Scores are too close to 0 and 1: half of their log-odds are true.", _rounded(expit(logit(KNOTS) / 2))
    ),
    "under-confident": DrawnPreset(
        "Scores are too close to a half: twice their log-odds are true.", _rounded(expit(2 * logit(KNOTS)))
    ),
    "label noise": DrawnPreset(
        f"A calibrated model, of whose labels {NOISE:.0%} are wrong: its curve turns towards a half.",
        _rounded(NOISE + (1 - 2 * NOISE) * KNOTS),
    ),
    "zigzag": DrawnPreset(
        "Errors of opposite signs side by side: wide bins average them away.",
        _rounded(np.clip(KNOTS + ZIGZAG * (-1.0) ** np.arange(len(KNOTS)) * (KNOTS > 0) * (KNOTS < 1), 0, 1)),
    ),
    "base rate": DrawnPreset(
        "The same score, the base rate, for everybody: an error of 0, and no two people are set apart.",
        DIAGONAL,
        tuple(float(i == BASE_RATE) for i in range(len(MIDDLES))),
        True,
    ),
}
