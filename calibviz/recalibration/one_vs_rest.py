"""A calibrator of predictions, made of a scalar one."""

from __future__ import annotations

import copy
from typing import Self

import numpy as np

from .. import arrays
from ..lenses import ClassConditional
from ..predictions import Predictions
from .base import NotFittedError, ScalarCalibrator


class OneVsRest:
    """Fits a scalar calibrator to each class against the rest and rescales the rows to sum to 1.

    It can change the ranking of the classes. A row that every class maps to 0 keeps its probabilities.

    Parameters
    ----------
    calibrator : scalar calibrator, such as Spline()
        Copied for every class.

    Attributes
    ----------
    calibrators_ : list of K fitted copies
    """

    def __init__(self, calibrator: ScalarCalibrator) -> None:
        if isinstance(calibrator, type) or not isinstance(calibrator, ScalarCalibrator):
            raise TypeError(f"calibrator must be a scalar calibrator such as cv.Spline(), not {calibrator!r}")
        self.calibrator = calibrator

    @property
    def name(self) -> str:
        return f"{getattr(self.calibrator, 'name', type(self.calibrator).__name__)}, one-vs-rest"

    def __repr__(self) -> str:
        return f"OneVsRest({self.calibrator!r})"

    def fit(self, predictions: Predictions) -> Self:
        """Fit to the predictions of the calibration set."""
        if not isinstance(predictions, Predictions):
            raise TypeError(f"OneVsRest is fitted to cv.Predictions(probs, labels), not {type(predictions).__name__}")
        self.calibrators_ = [
            copy.deepcopy(self.calibrator).fit(ClassConditional(c)(predictions)) for c in range(predictions.n_classes)
        ]
        return self

    def transform(self, predictions: Predictions) -> Predictions:
        """The recalibrated predictions; the dtype of the probabilities is kept."""
        if not hasattr(self, "calibrators_"):
            raise NotFittedError(self)
        if len(self.calibrators_) != predictions.n_classes:
            raise ValueError(
                f"predictions have {predictions.n_classes} classes, but {self!r} was fitted to {len(self.calibrators_)}"
            )
        probs = np.empty_like(predictions.probs)
        for block in arrays.row_blocks(*probs.shape):
            given = predictions.probs[block].astype(np.float64)
            mapped = np.column_stack([f(given[:, c]) for c, f in enumerate(self.calibrators_)])
            total = mapped.sum(axis=1, keepdims=True)
            probs[block] = np.where(total > 0, mapped / np.where(total > 0, total, 1.0), given)
        return predictions.with_probs(probs)
