"""Temperature scaling (Guo et al. 2017)."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from .. import arrays
from ..predictions import Predictions
from .base import NotFittedError

Array = NDArray[np.float64]

COLDEST, HOTTEST = 1e-3, 1e3
SMALLEST_PROBABILITY = 1e-12


def logits_of(predictions: Predictions, rows: slice = slice(None)) -> Array:
    """The logits where there are some, else the log of the probabilities clipped at 1e-12; float64 (n, K)."""
    if predictions.logits is not None:
        return predictions.logits[rows].astype(np.float64)
    return np.log(np.maximum(predictions.probs[rows].astype(np.float64), SMALLEST_PROBABILITY))


class Temperature:
    """Divides the logits by the T > 0 that minimises the negative log-likelihood of the calibration set.

    It keeps the ranking of the classes, hence the accuracy, up to ties that rounding to the dtype makes.

    Attributes
    ----------
    temperature_ : float
        Between 0.001 and 1000; a warning says where the minimum lies outside.

    References
    ----------
    Guo et al. 2017, "On Calibration of Modern Neural Networks", section 4.2.
    """

    name = "temperature"

    def __repr__(self) -> str:
        return "Temperature()"

    def fit(self, predictions: Predictions) -> Self:
        """Fit to the predictions of the calibration set."""
        # The negative log-likelihood is convex in 1 / T, so its slope has one zero at most.
        if not isinstance(predictions, Predictions):
            raise TypeError(f"Temperature is fitted to cv.Predictions(probs, labels), not {type(predictions).__name__}")
        coldest, hottest = 1 / COLDEST, 1 / HOTTEST
        if _slope(predictions, 1.0) == 0:
            inverse = 1.0
        elif _slope(predictions, coldest) <= 0:
            inverse = coldest
        elif _slope(predictions, hottest) >= 0:
            inverse = hottest
        else:
            low, high = _bracket(predictions, hottest, coldest)
            inverse = brentq(lambda b: _slope(predictions, b), low, high, xtol=1e-13, rtol=1e-12)
        if inverse in (coldest, hottest):
            warnings.warn(
                f"no temperature between {COLDEST:g} and {HOTTEST:g} minimises the negative log-likelihood; "
                f"{1 / inverse:g} is used",
                RuntimeWarning,
                stacklevel=2,
            )
        self.temperature_ = 1.0 / inverse
        return self

    def transform(self, predictions: Predictions) -> Predictions:
        """The predictions under softmax(logits / T); the dtype of the probabilities is kept."""
        if not hasattr(self, "temperature_"):
            raise NotFittedError(self)
        probs = np.empty_like(predictions.probs)
        logits = None if predictions.logits is None else np.empty_like(predictions.logits)
        for block in arrays.row_blocks(*probs.shape):
            scaled = logits_of(predictions, block) / self.temperature_
            if logits is not None:
                logits[block] = scaled
            probs[block] = arrays.softmax(scaled)
        return predictions.with_probs(probs, logits)


def _bracket(predictions: Predictions, hottest: float, coldest: float) -> tuple[float, float]:
    """A short interval around the minimum, which nearly always lies near 1 / T = 1."""
    low = high = 1.0
    if _slope(predictions, 1.0) > 0:
        while _slope(predictions, low) > 0 and low > hottest:
            low, high = max(low / 4, hottest), low
    else:
        while _slope(predictions, high) <= 0 and high < coldest:
            low, high = high, min(high * 4, coldest)
    return low, high


def _slope(predictions: Predictions, inverse: float) -> float:
    """Derivative of the summed negative log-likelihood with respect to 1 / T."""
    total = 0.0
    for block in arrays.row_blocks(predictions.n_samples, predictions.n_classes):
        z = logits_of(predictions, block)
        z -= z.max(axis=1, keepdims=True)
        e = np.exp(z * inverse)
        expected = np.einsum("ij,ij->i", z, e) / e.sum(axis=1)
        if predictions.soft_labels is not None:
            soft = predictions.soft_labels[block]
            observed = np.einsum("ij,ij->i", z, soft)
            expected *= soft.sum(axis=1)
        else:
            assert predictions.labels is not None
            observed = z[np.arange(len(z)), predictions.labels[block]]
        gap = expected - observed
        total += float(gap.sum() if predictions.weights is None else gap @ predictions.weights[block])
    return total
