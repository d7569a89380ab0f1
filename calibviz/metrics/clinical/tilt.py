"""Whether scores are too extreme or too cautious, once they are right on the whole: a score test of the slope."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ...engine.clustered import Clusters
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import dot
from ..masses import unit_weights, variances
from .logistic_fits import fitted_shift, log_odds

TILTED = 1.96  # standard deviations from which on scores are called too extreme, or too cautious


def tilt_z(problem: ScalarProblem) -> float:
    """Return how far targets rise more with the scores than these say, in standard deviations under calibration.

    The log-odds are first shifted until the mean score is the mean target, so that what is too high or too low on the
    whole is neither; then a score test asks whether what is left falls or rises with the scores. For calibrated labels
    the variance is known, less what the shift takes of it. It is below 0 where scores are too extreme, above 0 where
    they are too cautious, and nan where one outcome alone was observed, or all scores are the same.
    """
    odds, weight, target = log_odds(problem.score), unit_weights(problem), problem.target
    events = dot(weight, target)
    if np.ptp(odds) == 0 or not 0 < events < weight.sum():
        return float("nan")
    q = expit(odds + fitted_shift(odds, weight, events))
    clusters = Clusters.of(problem)
    noise = (variances(problem) if clusters is None else problem.unit_squares) * q * (1 - q)
    apart = q - dot(noise, q) / float(noise.sum())
    if clusters is None:
        spread = dot(noise, apart**2)
    else:
        spread = float(np.square(clusters.sums(apart * (problem.given_target - q))).sum())
    return float(dot(weight, apart * (target - q)) / np.sqrt(spread)) if spread > 0 else float("nan")
