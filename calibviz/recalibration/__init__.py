"""Calibrators: maps of probabilities that are fitted to a calibration set, one file per family.

A *calibrator* is fitted to `Predictions` and transforms `Predictions`. A *scalar calibrator* is fitted to a
`ScalarProblem` and maps scores; `OneVsRest` and `ByRank` turn it into a calibrator.
"""

from .base import Calibrator, RowCalibrator, ScalarCalibrator
from .by_field import ByField
from .cross_fitting import cross_fitted, folds_of
from .ensemble import EnsembleTemperature
from .histogram import HistogramBinning
from .in_context import InContext
from .isotonic import Isotonic
from .linear import BiasCorrectedTemperature, Dirichlet, MatrixScaling, VectorScaling
from .neural import NeuralScaling
from .one_vs_rest import ByRank, OneVsRest
from .parameters import NotFittedError
from .platt_beta import Beta, Platt
from .spline import Spline
from .temperature import MetricTemperature, Temperature

# A list that is not formatted one name a line.
__all__ = [
    "Beta", "BiasCorrectedTemperature", "ByField", "ByRank", "Calibrator", "Dirichlet",
    "EnsembleTemperature", "HistogramBinning", "InContext", "Isotonic", "MatrixScaling", "MetricTemperature",
    "NeuralScaling", "NotFittedError", "OneVsRest", "Platt", "RowCalibrator", "ScalarCalibrator", "Spline",
    "Temperature", "VectorScaling", "cross_fitted", "folds_of",
]  # fmt: skip  # short entries stand in rows
