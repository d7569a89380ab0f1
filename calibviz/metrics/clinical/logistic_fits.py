"""Logistic regression for targets in [0, 1] that count `times` each."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ...foundation.arrays import Array, dot
from ...foundation.newton import minimum

CLIP = 1e-12  # of scores, before their log-odds are taken
FLAT = 1e-11  # gradient for each sample at which a fit ends


def log_odds(score: Array, clip: float = CLIP) -> Array:
    """ln c - ln(1 - c) with c the score, at least `clip` away from 0 and 1."""
    clipped = np.clip(score, clip, 1 - clip)
    return np.log(clipped) - np.log(1 - clipped)


def loss_of(eta: Array, target: Array, times: Array) -> float:
    """The negative log-likelihood of log-odds eta, sum_i times_i (ln(1 + exp(eta_i)) - target_i eta_i)."""
    return dot(times, np.logaddexp(0.0, eta) - target * eta)


def loss_and_slope(features: Array, target: Array, times: Array, x: Array) -> tuple[float, Array]:
    """The loss of coefficients x, shape (m,), of features, shape (n, m), and its gradient, shape (m,)."""
    eta = features @ x
    return loss_of(eta, target, times), features.T @ (times * (expit(eta) - target))


def information(features: Array, chance: Array, times: Array) -> Array:
    """The Fisher information of the coefficients, which is the Hessian of the loss, shape (m, m)."""
    return features.T @ (features * (times * chance * (1 - chance))[:, None])


def fitted_shift(odds: Array, times: Array, wanted: float) -> float:
    """The shift of log-odds after which their probabilities, `times` each, sum to `wanted`, which is possible."""
    from scipy.optimize import brentq

    reach = float(np.abs(odds).max()) + abs(float(np.log(wanted / (times.sum() - wanted)))) + 1
    return float(brentq(lambda shift: dot(times, expit(odds + shift)) - wanted, -reach, reach, xtol=1e-12))


def fitted_logistic(features: Array, target: Array, times: Array, start: Array, flat: float = FLAT) -> Array:
    """The coefficients, shape (m,), of maximum likelihood; where none exist, as on separated data, large ones."""
    return minimum(
        lambda x: loss_and_slope(features, target, times, x),
        lambda x: information(features, expit(features @ x), times),
        start,
        flat * float(times.sum()),
    )
