"""A smooth fit of the true calibration curve of a scalar problem, and draws from its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from ..engine.binning import equal_mass_counts
from ..engine.scalar import ScalarProblem
from ..engine.sorted_scores import segment_sums
from ..foundation.logistic import information, loss_and_slope, loss_of
from ..foundation.newton import minimum

Array = NDArray[np.float64]

COSINES = 20
CELLS = 250  # groups of neighbouring scores that the fit uses, at most
LARGEST_LOG_ODDS = 25.0  # of scores, which are clipped there
ROUGHNESS = (10.0, 1.0, 0.1, 0.01)  # penalties of the cosines; the AIC chooses one
GRADIENT_TOLERANCE = 1e-7  # of the gradient of the mean loss
WAYS = 3  # of stretching a curve: see `TrueCurve.away`


@dataclass(frozen=True, eq=False)
class TrueCurve:
    """Possible true calibration curves of a problem, as log-odds of the target at each score.

    Attributes
    ----------
    z : ndarray, shape (n,)
        The log-odds of the scores, ascending.
    curves : ndarray, shape (m, n)
        The log-odds of m curves at these scores: the fit, then draws from its normal approximation.
    """

    z: Array
    curves: Array

    @property
    def fit(self) -> Array:
        """The fitted probability at each score, shape (n,)."""
        return expit(self.curves[0])

    def stretched(self, m: int, by: float, way: int = 0) -> Array:
        """The m-th curve with its log-odds moved to `by` times their distance from those of the scores, shape (n,)."""
        return expit(self.z + by * self.away(m, way))

    def away(self, m: int, way: int) -> Array:
        """The distance of the log-odds of a curve from those of the scores, shape (n,), in one of `WAYS`.

        Way 0 takes the m-th curve, way 1 its mirror image, way 2 the curve that is 1/2 everywhere.
        """
        return -self.z if way == 2 else (self.curves[m] - self.z) * (-1.0 if way else 1.0)


def true_curve(problem: ScalarProblem, draws: int, rng: np.random.Generator) -> TrueCurve:
    """Fit the true curve by penalised logistic regression on the log-odds z of the score and 20 cosines of its rank.

    Parameters
    ----------
    problem : ScalarProblem
        More than 250 samples are grouped to 250 cells of neighbours for the fit. Weights count as many samples as the
        effective size says.
    draws : int
        The number of curves to draw from the uncertainty of the fit.
    rng : numpy.random.Generator

    Notes
    -----
    The penalty pulls towards a calibrated curve: prior means 0 (constant), 1 (z) and 0 (cosines), precisions 0.1, 1 and
    r j^4 / 10 of the j-th cosine. Of four values of r the one of the lowest AIC is taken.
    """
    n = len(problem)
    z = clipped_log_odds(problem.score)
    below = np.searchsorted(problem.score, problem.score, "left")
    place = (below + np.searchsorted(problem.score, problem.score, "right")) / (2 * n)
    cuts = equal_mass_counts(n, min(n, CELLS))
    weight = problem.weight * (problem.effective_size / problem.total)
    size = segment_sums(weight, cuts)
    z_of, place_of, target = (segment_sums(weight * each, cuts) / size for each in (z, place, problem.target))
    cells, target = build_features(z_of, place_of), np.clip(target, 0.0, 1.0)
    fits = [_fit(cells, target, size, roughness) for roughness in ROUGHNESS]
    _, chosen, precision = min(fits, key=lambda fit: fit[0])
    spread = np.linalg.solve(np.linalg.cholesky(precision).T, rng.standard_normal((len(chosen), draws)))
    coefficients = np.concatenate([chosen[None], chosen + spread.T])
    return TrueCurve(z, coefficients @ build_features(z, place).T)


def clipped_log_odds(score: Array) -> Array:
    """Return the log-odds of scores, which a curve is a function of, shape (n,)."""
    return np.clip(logit(np.clip(score, 0.0, 1.0)), -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)


def build_features(z: Array, place: Array) -> Array:
    """Return 1, the log-odds z and the cosines of the place among the scores, from 0 to 1, shape (n, 22)."""
    waves = np.sqrt(2) * np.cos(np.pi * np.arange(1, COSINES + 1) * place[:, None])
    return np.column_stack([np.ones_like(z), z, waves])


def penalties(roughness: float) -> Array:
    """Return the precisions of the coefficients of these features, shape (22,)."""
    return np.concatenate([[0.1, 1.0], roughness * np.arange(1, COSINES + 1) ** 4 / 10])


def _fit(features: Array, target: Array, size: Array, roughness: float) -> tuple[float, Array, Array]:
    """The AIC, the coefficients, and the precision matrix of their normal approximation."""
    prior = np.zeros(features.shape[1])
    prior[1] = 1.0
    held = penalties(roughness)

    def loss(x: Array) -> tuple[float, Array]:
        own, slope = loss_and_slope(features, target, size, x)
        return own + float(held @ (x - prior) ** 2) / 2, slope + held * (x - prior)

    def known_at(x: Array) -> Array:
        return information(features, expit(features @ x), size)

    coefficients = minimum(loss, lambda x: known_at(x) + np.diag(held), prior, GRADIENT_TOLERANCE * float(size.sum()))
    known = known_at(coefficients)
    precision = known + np.diag(held)
    parameters = np.trace(np.linalg.solve(precision, known))
    return float(2 * (loss_of(features @ coefficients, target, size) + parameters)), coefficients, precision
