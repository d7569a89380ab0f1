"""Temperature scaling (Guo et al. 2017), by likelihood or by a calibration error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from .. import arrays
from ..estimators import calibration_error
from ..notices import notice
from ..predictions import Predictions
from ..progress import with_progress
from .base import LogitCalibrator
from .logit_blocks import LogitBlocks, logits_of

Array = NDArray[np.float64]

COLDEST, HOTTEST = 1e-3, 1e3
MOST_STEPS, SMALL_STEPS = 60, 6
FIRST_LOOK = 2500  # samples that tell roughly where the minimum lies
TRIED = np.geomspace(1 / 8, 8, 49)  # temperatures at which a calibration error is looked at first


class _Tempered(LogitCalibrator):
    keeps_ranking = True
    takes_either = True
    temperature_: float

    def _logits(self, z: Array) -> Array:
        z /= self.temperature_
        return z


class Temperature(_Tempered):
    """Divides the logits by the T > 0 that minimises the negative log-likelihood of the calibration set.

    It keeps the ranking of the classes, hence the accuracy, up to ties that rounding to the dtype makes.

    Attributes
    ----------
    temperature_ : float
        Between 0.001 and 1000; a warning says where the minimum lies outside.
    gradient_norm_ : float
        Size of the derivative of the mean negative log-likelihood with respect to 1 / T, one step before the end.

    References
    ----------
    Guo et al. 2017, "On Calibration of Modern Neural Networks", section 4.2.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> round(cv.Temperature().fit(calibration).temperature_, 2)
    2.2
    """

    short_name = "temperature"

    def _fit(self, predictions: Predictions) -> None:
        inverse, slope = best_inverse(predictions)
        if inverse in (1 / COLDEST, 1 / HOTTEST):
            notice(
                f"no temperature between {COLDEST:g} and {HOTTEST:g} minimises the negative log-likelihood; "
                f"{1 / inverse:g} is used",
                stacklevel=3,
            )
        self.temperature_ = 1.0 / inverse
        self.gradient_norm_ = abs(slope)


class MetricTemperature(_Tempered):
    """Divides the logits by the T that minimises a calibration error of the calibration set.

    Errors in bins are not smooth in T, so it is looked for on a grid of 49 temperatures from 1/8 to 8, and then
    between the neighbours of the best one (gce_measuring 5.2).

    Parameters
    ----------
    error : function of Predictions
        By default the ECE; for example `cv.ks_error`, `cv.GCE_METRICS["ACE"]` or
        `lambda q: cv.calibration_error(q, "full", cv.KDTree(0.1))`.

    Attributes
    ----------
    temperature_ : float
    error_ : float
        At that temperature, on the calibration set.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> round(cv.MetricTemperature(cv.ks_error).fit(calibration).temperature_, 2)
    2.24
    """

    short_name = "metric temperature"

    def __init__(self, error: Callable[[Predictions], float] = calibration_error) -> None:
        if not callable(error) or isinstance(error, type):
            raise TypeError(f"error must be a function of Predictions such as cv.ks_error, not {error!r}")
        self.error = error

    def _fit(self, predictions: Predictions) -> None:
        found: dict[float, float] = {}

        def error_at(log_temperature: float) -> float:
            temperature = float(np.exp(log_temperature))
            error = float(self.error(tempered(predictions, temperature)))
            if np.isnan(error):
                raise ValueError(f"error is nan at the temperature {temperature:g}: it has to be a number everywhere")
            found[temperature] = error
            return error

        # From 1 outwards: of equal errors the one that changes least wins.
        tried = sorted(np.log(TRIED), key=lambda t: (round(abs(t), 12), t))
        for t in with_progress(tried, self.name, len(tried)):
            error_at(0.0 if abs(t) < 1e-12 else t)
        best = np.log(min(found, key=found.__getitem__))
        step = np.log(TRIED[1] / TRIED[0])
        minimize_scalar(error_at, bounds=(best - step, best + step), method="bounded", options={"xatol": 1e-4})
        self.temperature_ = min(found, key=found.__getitem__)
        self.error_ = found[self.temperature_]


def tempered(predictions: Predictions, temperature: float) -> Predictions:
    """The predictions at a temperature, without new logits."""
    probs = np.empty_like(predictions.probs)
    for block in arrays.row_blocks(*probs.shape):
        probs[block] = arrays.softmax(logits_of(predictions, block) / temperature)
    return predictions.with_probs(probs)


def best_inverse(predictions: Predictions) -> tuple[float, float]:
    """1 / T, at the zero of the slope of the negative log-likelihood, which is convex in it; and that slope."""
    start = 1.0
    if len(predictions) > 4 * FIRST_LOOK:
        some = predictions.select(np.arange(0, len(predictions), len(predictions) // FIRST_LOOK))
        if some.weights is None or some.weights.any():
            start = _halley(_Likelihood(some), start, 1e-2)[0]
    return _halley(_Likelihood(predictions), start, 1e-4)


def _halley(likelihood: _Likelihood, inverse: float, tolerance: float) -> tuple[float, float]:
    """The zero of the slope by Halley's method, kept between the places where the slope is known to be - and +.

    Once a step is below the tolerance, the next one would be below its cube.
    """
    low, high, slope = 0.0, np.inf, np.nan
    for turn in range(MOST_STEPS):
        slope, curvature, bend = likelihood.derivatives(inverse)
        if slope == 0:
            if low > 0 and curvature == 0:  # it has always been negative, and is now too small for a number
                inverse = 1 / COLDEST
            break
        low, high = (inverse, high) if slope < 0 else (low, inverse)
        scale = 2 * curvature**2 - slope * bend
        new = inverse - 2 * slope * curvature / scale if min(curvature, scale) > 0 else np.nan
        if not abs(new - inverse) <= tolerance * inverse:
            if low > 0 and high < np.inf:
                new = new if low < new < high else np.sqrt(low * high)
            elif not low < new < high or turn >= SMALL_STEPS:  # far away these steps can be tiny
                new = inverse / 4 if high < np.inf else max(4 * inverse, 0.0 if np.isnan(new) else new)
        new = float(np.clip(new, 1 / HOTTEST, 1 / COLDEST))
        moved, inverse = abs(new - inverse), new
        if moved <= tolerance * inverse:
            break
    return inverse, slope


class _Likelihood:
    """The mean negative log-likelihood as a function of 1 / T."""

    def __init__(self, predictions: Predictions) -> None:
        self.logits = LogitBlocks(predictions, _from_the_largest)
        self.ones = np.ones(predictions.n_classes)  # a product with them adds rows up faster than a sum

    def derivatives(self, inverse: float) -> tuple[float, float, float]:
        """The first, the second and the third."""
        slope = curvature = bend = 0.0
        for block, z in self.logits():
            e = z * inverse
            np.exp(e, out=e)
            scale = e @ self.ones
            e *= z
            expected = (e @ self.ones) / scale
            e *= z
            square = (e @ self.ones) / scale
            e *= z
            cube = (e @ self.ones) / scale
            soft, weight = self.logits.soft(block), self.logits.weights(block)
            observed = z[self.logits.entries(block)] if soft is None else np.einsum("ij,ij->i", z, soft)
            slope += float(weight @ (expected - observed))
            curvature += float(weight @ (square - expected**2))
            bend += float(weight @ (cube - 3 * expected * square + 2 * expected**3))
        total = self.logits.total
        return slope / total, curvature / total, bend / total


def _from_the_largest(predictions: Predictions, rows: slice, dtype: Any) -> NDArray[Any]:
    """The logits less the largest of each row: no power of them is too large."""
    z = logits_of(predictions, rows, dtype)
    z -= z.max(axis=1, keepdims=True)
    return z
