"""Logistic regression by Newton's method, for targets in [0, 1] that count `times` each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]

CLIP = 1e-12  # of scores, before their log-odds are taken
STEPS = 200
FALL = 1e-13  # of the loss, relative: where it falls by less, the fit ends


def log_odds(score: Array, clip: float = CLIP) -> Array:
    """ln c - ln(1 - c) with c the score, at least `clip` away from 0 and 1."""
    clipped = np.clip(score, clip, 1 - clip)
    return np.log(clipped) - np.log(1 - clipped)


def loss_of(eta: Array, target: Array, times: Array) -> float:
    """The negative log-likelihood of log-odds eta."""
    return float(times @ (np.logaddexp(0.0, eta) - target * eta))


def fitted_logistic(features: Array, target: Array, times: Array, start: Array) -> Array:
    """The coefficients of maximum likelihood; where there are none, as on separated data, the steps go far enough.

    Parameters
    ----------
    features : ndarray, shape (n, m)
    target, times : ndarray, shape (n,)
    start : ndarray, shape (m,)
    """
    found, eta = start, features @ start
    loss = loss_of(eta, target, times)
    for _ in range(STEPS):
        chance = expit(eta)
        step = np.linalg.lstsq(information(features, chance, times), features.T @ (times * (target - chance)))[0]
        towards = features @ step
        share, lower = 1.0, loss_of(eta + towards, target, times)
        while not lower <= loss and share > 1e-10:
            share /= 2
            lower = loss_of(eta + share * towards, target, times)
        if not lower <= loss:
            return found
        found, eta, fall, loss = found + share * step, eta + share * towards, loss - lower, lower
        if fall < FALL * max(1.0, abs(loss)):
            break
    return found


def information(features: Array, chance: Array, times: Array) -> Array:
    """The expected, and here the observed, information of the coefficients, shape (m, m)."""
    information: Array = features.T @ (features * (times * chance * (1 - chance))[:, None])
    return information
