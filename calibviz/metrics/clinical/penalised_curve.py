"""The penalised calibration curve: a logistic regression on the log-odds of the score and waves of its rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from ...engine.clustered import FEWEST, Clusters
from ...engine.scalar import ScalarProblem, once
from ...foundation.arrays import Array
from ...foundation.newton import minimum
from ..masses import clopper_pearson, repetitions
from .logistic_fits import information, loss_and_slope, loss_of

COSINES = 20
CELLS = 250  # groups of neighbouring scores that the fit uses, at most
LARGEST_LOG_ODDS = 25.0  # of scores, which are clipped there
ROUGHNESS = (10.0, 1.0, 0.1, 0.01)  # penalties of the cosines; the AIC chooses one
FLAT = 1e-12  # gradient for each sample at which a fit ends
PRIOR = np.append([0.0, 1.0], np.zeros(COSINES))  # a calibrated curve


@dataclass(frozen=True, eq=False)
class Cells:
    """Samples of a problem in at most `CELLS` groups of neighbouring scores, in pieces of rows."""

    cell: NDArray[np.intp]  # the cell of each piece, ascending
    row: NDArray[np.intp]  # the row of each piece, ascending; one of several repetitions may lie in several cells
    mass: Array  # how many samples each piece is worth
    size: Array  # how many samples each cell is worth

    @classmethod
    def of(cls, problem: ScalarProblem) -> Cells:
        """The i-th of n rows belongs to cell floor(i c / n); whole weights repeat rows."""
        mass = repetitions(problem)
        is_repeated = problem.given_weight is not None and problem.whole_weights
        ends = np.cumsum(mass) if is_repeated else np.arange(1.0, len(mass) + 1)
        n, count = int(ends[-1]), int(min(ends[-1], CELLS))
        cuts = np.array([-(-b * n // count) for b in range(count + 1)], dtype=np.float64)  # in exact whole numbers
        starts = np.union1d(np.append(0.0, ends[:-1]), cuts[:-1])
        row = np.searchsorted(ends, starts, "right")
        cell = np.searchsorted(cuts, starts, "right") - 1
        pieces = np.diff(starts, append=ends[-1]) if is_repeated else mass
        return cls(cell, row, pieces, np.bincount(cell, pieces, count).astype(np.float64))

    def means(self, values: Array) -> Array:
        """The weighted mean of the values of rows in each cell, shape (..., c)."""
        starts = np.searchsorted(self.cell, np.arange(len(self.size)))
        return np.add.reduceat(values[..., self.row] * self.mass, starts, axis=-1) / self.size


class PenalisedCurve:
    """The fit of one problem, and its normal approximation.

    The penalty pulls towards a calibrated curve: prior means 0 (constant), 1 (log-odds z) and 0 (waves), precisions
    0.1, 1 and r j^4 / 10 of the j-th wave, sqrt(2) cos(pi j x), x the middle rank of the score. Of four values of r the
    one of the lowest AIC is taken, `roughness`. There is always a fit, on separated data or those of one class too.
    `precision` is the inverse covariance of the 22 coefficients.
    """

    def __init__(self, problem: ScalarProblem) -> None:
        z, self.cells = bounded_log_odds(problem.score), Cells.of(problem)
        place = _places(problem)
        last = np.flatnonzero(np.diff(z, append=np.inf))  # of scores that are clipped to the same log-odds
        self._z, self._place = z[last], place[last]
        self.features = build_features(z, place)  # shape (n, 22): of the rows of the problem
        self.of_cells = build_features(self.cells.means(z), self.cells.means(place))  # shape (cells, 22)
        target = np.clip(self.cells.means(problem.target), 0.0, 1.0)
        self._clusters, spread_at = Clusters.of(problem), None
        if self._clusters is not None:
            spread_at = partial(_spread_of_clusters, problem, self._clusters, self.features)
        fits = [_fit(self.of_cells, target, self.cells.size, roughness, spread_at) for roughness in ROUGHNESS]
        _, self.roughness, self.coefficients, self.precision = min(fits, key=lambda fit: fit[0])
        self._root = None  # of the covariance, where that is not the inverse of the precision
        if spread_at is not None:
            middle = spread_at(self.coefficients) + np.diag(held_by(self.roughness))
            self._root = np.linalg.solve(self.precision, np.linalg.cholesky(middle))

    @property
    def about(self) -> dict[str, Any]:
        """The penalty."""
        return {"roughness": self.roughness}

    @property
    def fitted(self) -> Array:
        """The probability at each row of the problem, shape (n,)."""
        return expit(self.features @ self.coefficients)

    def __call__(self, score: Array) -> Array:
        """The probability that the curve gives to scores."""
        return expit(self._features_at(score) @ self.coefficients)

    def away(self, normal: Array) -> Array:
        """Draws of the coefficients less their estimates, (22, m), from standard normal numbers of that shape."""
        if self._root is not None:
            return self._root @ normal
        return np.linalg.solve(np.linalg.cholesky(self.precision).T, normal)

    def band(self, score: Array, level: float) -> tuple[Array, Array]:
        """The pointwise interval of the curve: exact quantiles of draws from the normal approximation.

        It is nan of too few clusters.
        """
        if self._clusters is not None and self._clusters.count < FEWEST:
            return np.full(len(score), np.nan), np.full(len(score), np.nan)
        features = self._features_at(score)
        eta, half = features @ self.coefficients, ndtri((1 + level) / 2) * self._spread(features)
        return expit(eta - half), expit(eta + half)

    def _spread(self, features: Array) -> Array:
        if self._root is not None:
            scaled = self._root.T @ features.T
        else:
            scaled = np.linalg.solve(np.linalg.cholesky(self.precision), features.T)
        return np.asarray(np.sqrt(np.sum(scaled**2, axis=0)), dtype=np.float64)

    def _features_at(self, score: Array) -> Array:
        z = bounded_log_odds(score)
        return build_features(z, np.interp(z, self._z, self._place))


def held_at_ends(problem: ScalarProblem, score: Array, band: tuple[Array, Array], level: float) -> tuple[Array, Array]:
    """A band that is held at ends where all samples are alike, by the Clopper-Pearson interval of their share.

    There the normal approximation of log-odds knows nothing, and reaches from 0 to 1 where 82 of 82 are right. A score
    is held by those of these samples that lie between it and the others, which takes for granted that the curve does
    not turn back towards the end.
    """
    lower, upper = band
    for step in (1, -1):
        target, worth = problem.target[::step], repetitions(problem)[::step]
        alike = int(np.argmax(np.append(target, np.nan) != target[0]))
        if target[0] not in (0.0, 1.0):
            continue
        outwards = np.cumsum(worth[:alike][::-1])
        if (codes := problem.cluster_codes) is not None:  # those of a cluster may be alike for one reason
            first = np.zeros(alike)
            first[np.unique(codes[::step][:alike][::-1], return_index=True)[1]] = 1.0
            outwards = np.minimum(outwards, np.cumsum(first))
        inwards = np.append(outwards[::-1], 0.0)  # the worth of each sample and those further in
        held_by = inwards[np.searchsorted(step * problem.score[::step][:alike], step * score)]
        least, most = clopper_pearson(np.full_like(held_by, target[0]), held_by, level)  # nan where none is further in
        lower, upper = np.fmax(lower, least), np.fmin(upper, most)
    return lower, upper


def bounded_log_odds(score: Array) -> Array:
    """The log-odds of scores, at most `LARGEST_LOG_ODDS` from 0."""
    return np.clip(logit(np.clip(score, 0.0, 1.0)), -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)


def _places(problem: ScalarProblem) -> Array:
    """The share of the mass below each score and half of its ties, in (0, 1)."""
    upto = np.append(0.0, np.cumsum(repetitions(problem)))
    below, with_ties = (upto[np.searchsorted(problem.score, problem.score, side)] for side in ("left", "right"))
    return (below + with_ties) / (2 * upto[-1])


def build_features(z: Array, place: Array) -> Array:
    """Return 1, the log-odds z and the waves of the place among the scores, from 0 to 1, shape (n, 22)."""
    waves = np.sqrt(2) * np.cos(np.pi * np.arange(1, COSINES + 1) * place[:, None])
    return np.column_stack([np.ones_like(z), z, waves])


def held_by(roughness: float) -> Array:
    """The precisions of the coefficients before any sample, shape (22,)."""
    return np.append([0.1, 1.0], roughness * np.arange(1, COSINES + 1) ** 4 / 10)


def _spread_of_clusters(problem: ScalarProblem, clusters: Clusters, features: Array, coefficients: Array) -> Array:
    """The sum of U U' over clusters, where a cluster pulls at the coefficients by U."""
    scale = repetitions(problem).sum() / clusters.total
    gaps = (problem.given_target - expit(features @ coefficients)) * scale
    return clusters.outer(features * gaps[:, None])


def _fit(
    features: Array, target: Array, size: Array, roughness: float, spread_at: Callable[[Array], Array] | None
) -> tuple[float, float, Array, Array]:
    """The AIC, the roughness, the coefficients, and the precision matrix of their normal approximation.

    Of samples in clusters, `spread_at` the coefficients is what these vary by in place of the information.
    """
    held = held_by(roughness)

    def loss(x: Array) -> tuple[float, Array]:
        own, slope = loss_and_slope(features, target, size, x)
        return own + float(held @ (x - PRIOR) ** 2) / 2, slope + held * (x - PRIOR)

    def known_at(x: Array) -> Array:
        return information(features, expit(features @ x), size)

    coefficients = minimum(loss, lambda x: known_at(x) + np.diag(held), PRIOR, FLAT * float(size.sum()))
    known = known_at(coefficients)
    precision = known + np.diag(held)
    parameters = np.trace(np.linalg.solve(precision, known if spread_at is None else spread_at(coefficients)))
    aic = float(2 * (loss_of(features @ coefficients, target, size) + parameters))
    return aic, roughness, coefficients, precision


def penalised_curve(problem: ScalarProblem) -> PenalisedCurve:
    """The curve of a problem, which keeps it."""
    return once(problem, "penalised curve", lambda: PenalisedCurve(problem))
