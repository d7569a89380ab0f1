"""What calibrators have in common."""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..predictions import Predictions
from ..problems import ScalarProblem

Array = NDArray[np.float64]


@runtime_checkable
class Calibrator(Protocol):
    """Maps all class probabilities of a sample."""

    def fit(self, predictions: Predictions) -> Self: ...

    def transform(self, predictions: Predictions) -> Predictions: ...


@runtime_checkable
class ScalarCalibrator(Protocol):
    """Maps the scores of a scalar problem."""

    def fit(self, problem: ScalarProblem) -> Self: ...

    def __call__(self, score: Array) -> Array: ...


class NotFittedError(ValueError):
    """A calibrator was used before it was fitted."""

    def __init__(self, calibrator: object) -> None:
        super().__init__(f"{type(calibrator).__name__} is not fitted: call fit(...) with calibration data first")
