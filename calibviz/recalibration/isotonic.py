"""Isotonic regression (Zadrozny and Elkan 2002)."""

from __future__ import annotations

import numpy as np

from ..engine.scalar import ScalarProblem, distinct
from ..foundation.arrays import Array
from .base import ProblemCalibrator


class Isotonic(ProblemCalibrator):
    """Isotonic regression: the non-decreasing map nearest to the targets in least squares.

    Tied scores are one point with their mean target. Scores below all events become 0, whose log loss may be infinite.
    The map is linear between the scores of the calibration set and constant outside.

    Attributes
    ----------
    score_, fitted_ : ndarray, shape (m,)
        The corners of the map: calibration scores, ascending, and their values.

    See Also
    --------
    corp : The same fit as an estimate of the calibration curve.

    Notes
    -----
    The map m has the least sum_i w_i (m(s_i) - t_i)^2 among those that never fall.

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
        from scipy.optimize import isotonic_regression

        score, target, weight = distinct(problem)
        fitted = isotonic_regression(target, weights=weight).x
        level = np.concatenate(([True], fitted[1:] != fitted[:-1], [True]))
        corner = level[:-1] | level[1:]  # the ends of each level set; the map is straight between them
        self.score_: Array = score[corner]
        self.fitted_: Array = fitted[corner]

    def _map(self, score: Array) -> Array:
        return np.interp(score, self.score_, self.fitted_)
