"""Isotonic regression (Zadrozny and Elkan 2002)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from ..engine.scalar import ScalarProblem, distinct
from .base import ProblemCalibrator

Array = NDArray[np.float64]


class Isotonic(ProblemCalibrator):
    """The non-decreasing map nearest to the targets in least squares.

    Tied scores are one point with their mean target. Scores below all events become 0, which a log loss does not
    forgive. Between the scores of the calibration set the map is linear,
    outside constant.

    Attributes
    ----------
    score_, fitted_ : ndarray, shape (m,)
        The corners of the map: calibration scores, ascending, and what they become.

    References
    ----------
    Zadrozny and Elkan 2002, "Transforming classifier scores into accurate multiclass probability estimates".

    Examples
    --------
    >>> cv.Isotonic().fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1])([0.2, 0.5, 0.9])
    array([0. , 0.5, 1. ])
    """

    short_name = "isotonic"
    keeps_ranking = True

    def _fit(self, problem: ScalarProblem) -> None:
        score, target, weight = distinct(problem)
        fitted = isotonic_regression(target, weights=weight).x
        level = np.concatenate(([True], fitted[1:] != fitted[:-1], [True]))
        corner = level[:-1] | level[1:]  # the ends of each level: between them nothing bends
        self.score_: Array = score[corner]
        self.fitted_: Array = fitted[corner]

    def _map(self, score: Array) -> Array:
        return np.interp(score, self.score_, self.fitted_)
