"""A smooth fit of the true calibration curve of a scalar problem, and draws from its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ...engine.binnings.binning import Distinct
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...metrics.binned import binned_error
from ...metrics.clinical.penalised_curve import bounded_log_odds, penalised_curve

WAYS = 3  # of stretching a curve: see `TrueCurve.away`


@dataclass(frozen=True, eq=False)
class TrueCurve:
    """Possible true calibration curves of a problem, as log-odds of the target at each score."""

    z: Array  # shape (n,): the log-odds of the scores, ascending
    curves: Array  # shape (m, n): the log-odds of m curves there: the fit, then draws from its normal approximation

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


def curve_error(problem: ScalarProblem, curve: Array, p: float) -> float:
    """The error (mean |s - T(s)|^p)^(1/p) of a true curve that has the values `curve` at the scores of a problem."""
    return binned_error(Distinct()(problem.with_target(curve)), p=p)


def true_curve(problem: ScalarProblem, draws: int, rng: np.random.Generator | int = 0) -> TrueCurve:
    """The penalised curve of a problem, and as many draws from its uncertainty; weights count by the effective size."""
    curve = penalised_curve(problem)
    chosen = curve.coefficients
    away = curve.away(np.random.default_rng(rng).standard_normal((len(chosen), draws)))
    coefficients = np.concatenate([chosen[None], chosen + away.T])
    return TrueCurve(bounded_log_odds(problem.score), coefficients @ curve.features.T)
