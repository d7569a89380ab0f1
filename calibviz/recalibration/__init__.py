"""Recalibration: maps from probabilities to better ones, fitted on a calibration set.

A *calibrator* is fitted to `Predictions` and transforms `Predictions`. A *scalar calibrator* is fitted to a
`ScalarProblem` and maps scores; `OneVsRest` makes a calibrator of it.
"""

from .base import Calibrator, NotFittedError, ScalarCalibrator
from .one_vs_rest import OneVsRest
from .spline import Spline
from .temperature import Temperature

__all__ = ["Calibrator", "NotFittedError", "OneVsRest", "ScalarCalibrator", "Spline", "Temperature"]
