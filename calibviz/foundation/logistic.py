"""The loss of a logistic regression, its gradient and its Hessian."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .arrays import dot

Array = NDArray[np.float64]


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
