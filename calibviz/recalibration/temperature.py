"""Temperature scaling (Guo et al. 2017), by likelihood or by a calibration error."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from ..data.predictions import Predictions
from ..data.reweighting import label_mass
from ..foundation import arrays, validation
from ..foundation.arrays import Array
from ..foundation.cancellation import check
from ..foundation.fit_warnings import notice
from ..foundation.progress import with_progress
from ..foundation.written import number
from ..metrics.binned import calibration_error
from .base import LogitCalibrator
from .solvers.logit_blocks import LogitBlocks, logits_of

COLDEST, HOTTEST = 1e-3, 1e3
MOST_STEPS, SMALL_STEPS = 60, 6
FIRST_SAMPLE = 2500  # samples for a first, rough minimum
MOST_VALLEYS = 3  # of a curve, in which its minimum is searched
#: How far the binary logarithms of temperatures lie from that of least log loss, on either side: up to a factor of 3.
NEAR = np.log2(3.0) * np.arange(1, 31) / 30
#: Those at which an error may be less still: the whole range, with a finer grid where most models have their minimum.
FIRST_PLACES = np.unique([np.log2(COLDEST), *range(-9, 10), np.log2(HOTTEST), *np.linspace(-3, 3, 49)])
ROUNDING = 1e-12  # errors that differ by less are equal
PLACE_TOLERANCE = 1e-4  # of the binary logarithm of a temperature


class _Tempered(LogitCalibrator):
    keeps_ranking = True
    knows_classes = False
    takes_either = True
    temperature_: float

    def _logits(self, z: Array) -> Array:
        z /= self.temperature_
        return z


class Temperature(_Tempered):
    """Temperature scaling: divides the logits by the T > 0 of least negative log-likelihood on the calibration set.

    It keeps the ranking of the classes, hence the accuracy, up to ties by rounding to the dtype.

    Parameters
    ----------
    temperature : float, 0.001 to 1000, optional
        A T of your own, which is then not fitted.

    Attributes
    ----------
    temperature_ : float
        Between 0.001 and 1000; a warning says where the minimum lies outside.
    gradient_norm_ : float
        Absolute derivative of the mean negative log-likelihood with respect to 1 / T, one step before the end; nan for
        a T of your own.

    See Also
    --------
    MetricTemperature : The temperature of the least calibration error.
    EnsembleTemperature : A mixture with the original and the uniform probabilities.

    Notes
    -----
    The probabilities become softmax(z / T) of the logits z; where there are none, z is the logarithm of the
    probabilities, clipped at 1e-12.

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

    def __init__(self, temperature: float | None = None) -> None:
        if temperature is not None:
            validation.real_number(temperature, "temperature", COLDEST, HOTTEST)
        self.temperature = temperature

    def _fit(self, predictions: Predictions) -> None:
        if self.temperature is not None:
            self.temperature_, self.gradient_norm_ = float(self.temperature), float("nan")
            return
        inverse, slope = best_inverse(predictions)
        _notice_bound(inverse)
        self.temperature_ = 1.0 / inverse
        self.gradient_norm_ = abs(slope)


class MetricTemperature(_Tempered):
    """Divides the logits by the T that minimises a calibration error of the calibration set.

    Many calibration errors are also small where all rows are alike, whatever they are about. So only temperatures
    near that of least log loss are considered, at which the probabilities still tell samples apart.

    Parameters
    ----------
    error : function of Predictions
        By default the ECE; for example `cv.ks_error`, `cv.GCE.named("ACE")` or
        `lambda q: cv.calibration_error(q, "full", cv.KDTree(0.1))`.

    Attributes
    ----------
    temperature_ : float
        Between 0.001 and 1000. A warning says where the error is less at a temperature that is not considered.
    error_ : float
        At that temperature, on the calibration set.

    See Also
    --------
    Temperature : The temperature of the least negative log-likelihood.
    InContext : Tests whether the error of one context is lower.

    Notes
    -----
    With l(T) the log loss, T0 where it is least, and l_const that of the class frequencies, their entropy, T lies in
    [T0 / 3, 3 T0], and l(T) is at most halfway from l(T0) to l_const. Where l_const is no more than l(T0), T0 is taken.
    Errors in bins are not smooth in T, and have several minima. So a grid of 61 temperatures is refined by halving in
    each valley that may hold the minimum (gce_measuring 5.2). Of equal errors the T nearest to T0 wins.

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
        inverse, _ = best_inverse(predictions)
        _notice_bound(inverse)
        usual, loss = -float(np.log2(inverse)), _Likelihood(predictions).loss
        errors: dict[float, float] = {}

        def look_at(places: Iterable[float]) -> None:
            for place in places:
                temperature = _to_temperature(place)
                errors[place] = error = float(self.error(tempered(predictions, temperature)))
                if np.isnan(error):
                    raise ValueError(
                        f"error is nan at the temperature {temperature:g}: it has to be a number everywhere"
                    )

        def best() -> float:
            least = min(errors.values())
            return next(p for p in sorted(errors, key=lambda p: (abs(p - usual), p)) if errors[p] <= least + ROUNDING)

        most = (loss(inverse) + _entropy(predictions)) / 2
        near = _considered(usual, loss, most)
        look_at(with_progress(sorted(near, key=lambda place: abs(place - usual)), self.name, len(near)))
        while closer := closer_places(
            np.array(sorted(errors)), np.array([errors[place] for place in sorted(errors)]), PLACE_TOLERANCE
        ):
            check()
            look_at(closer)
        chosen = best()
        temperature, least = _to_temperature(chosen), errors[chosen]
        errors = {}
        far = [place for place in FIRST_PLACES if not near[0] <= place <= near[-1]]
        look_at(with_progress(far, f"{self.name}, elsewhere", len(far)))
        if errors[other := best()] < least - ROUNDING:
            where = "where nearly every row is certain" if other < usual else "where all rows are nearly alike"
            if most <= loss(inverse):
                where = "where the log loss is no less than that of the class frequencies"
            elif loss(2.0**-other) <= most:
                where = f"which is more than three times off T = {2.0**usual:.3g}"
            losses = f"log loss {number(loss(2.0**-other))} for {number(loss(1 / temperature))}"
            notice(
                f"the error is less still at T = {_to_temperature(other):.3g}, {where} ({losses}): not used",
                stacklevel=3,
            )
        self.temperature_, self.error_ = temperature, least


def _considered(usual: float, loss: Callable[[float], float], most: float) -> list[float]:
    """The places of a grid around the `usual` one, ascending, at which the log loss is at most so large."""
    if most <= loss(2.0**-usual):
        return [usual]
    ends = np.log2([COLDEST, HOTTEST])
    sides = [usual + sign * NEAR for sign in (-1.0, 1.0)]
    # From the least on the loss only grows, on either side.
    kept = [side[: bisect_right(side, most, key=lambda place: loss(2.0**-place))] for side in sides]
    near = np.concatenate([kept[0][::-1], [usual], kept[1]])
    return [float(place) for place in near if place == usual or ends[0] <= place <= ends[1]]


def _entropy(predictions: Predictions) -> float:
    """The log loss of the class frequencies as probabilities."""
    mass = label_mass(predictions, predictions.weights)
    return float(entr(mass / mass.sum()).sum())


def _notice_bound(inverse: float) -> None:
    if inverse in (1 / COLDEST, 1 / HOTTEST):
        notice(
            f"no temperature between {COLDEST:g} and {HOTTEST:g} minimises the negative log-likelihood; "
            f"{1 / inverse:g} is used",
            stacklevel=4,
        )


def closer_places(places: Array, errors: Array, close: float) -> list[float]:
    """The next places to evaluate in the search for the minimum of a curve: halfway to the neighbours of low points.

    A low point lies so far below its neighbours that the curve, if it fell as much again between them, would get below
    the minimum so far. The lowest few are taken. The list is empty once the neighbours are `close`. Places ascend.
    """
    known = np.isfinite(errors)
    if not known.any():
        return []
    places, errors = places[known], errors[known]
    rise = np.diff(errors)
    before, after = np.append(0.0, -rise), np.append(rise, 0.0)  # how much higher the neighbours are
    fall = np.maximum(np.abs(before), np.abs(after))
    (valleys,) = np.nonzero((before >= 0) & (after >= 0) & (fall > 0) & (errors - fall <= errors.min()))
    lowest = sorted(valleys, key=lambda i: (errors[i], abs(places[i])))[:MOST_VALLEYS]
    steps = {(places[j], places[j + 1]) for i in lowest for j in (i - 1, i) if 0 <= j < len(rise)}
    return sorted(float(low + high) / 2 for low, high in steps if high - low > close)


def _to_temperature(place: float) -> float:
    """The temperature of a binary logarithm, the ends exactly."""
    return float(np.clip(2.0**place, COLDEST, HOTTEST))


def tempered(predictions: Predictions, temperature: float) -> Predictions:
    """The predictions at a temperature, without new logits."""
    probs = np.empty_like(predictions.probs)
    for block in arrays.row_blocks(*probs.shape):
        probs[block] = arrays.softmax(logits_of(predictions, block) / temperature)
    return predictions.with_probs(probs)


def best_inverse(predictions: Predictions) -> tuple[float, float]:
    """The 1 / T of least negative log-likelihood, which is convex in 1 / T, and the slope there."""
    start = 1.0
    if len(predictions) > 4 * FIRST_SAMPLE:
        sample = predictions.select(np.arange(0, len(predictions), len(predictions) // FIRST_SAMPLE))
        if sample.weights is None or sample.weights.any():
            start = _solve_by_halley(_Likelihood(sample), start, 1e-2)[0]
    return _solve_by_halley(_Likelihood(predictions), start, 1e-4)


def _solve_by_halley(likelihood: _Likelihood, inverse: float, tolerance: float) -> tuple[float, float]:
    """The zero of the slope by Halley's method, bracketed by a negative and a positive slope.

    The convergence is cubic: once a step is below the tolerance, the next would be below its cube.
    """
    low, high, slope = 0.0, np.inf, np.nan
    for turn in range(MOST_STEPS):
        slope, curvature, bend = likelihood.derivatives(inverse)
        if slope == 0:
            if low > 0 and curvature == 0:  # the slope stays negative, and underflows
                inverse = 1 / COLDEST
            break
        low, high = (inverse, high) if slope < 0 else (low, inverse)
        scale = 2 * curvature**2 - slope * bend
        new = inverse - 2 * slope * curvature / scale if min(curvature, scale) > 0 else np.nan
        if not abs(new - inverse) <= tolerance * inverse:
            if low > 0 and high < np.inf:
                new = new if low < new < high else np.sqrt(low * high)
            elif not low < new < high or turn >= SMALL_STEPS:  # far from the zero, Halley's steps can be tiny
                new = inverse / 4 if high < np.inf else max(4 * inverse, 0.0 if np.isnan(new) else new)
        new = float(np.clip(new, 1 / HOTTEST, 1 / COLDEST))
        moved, inverse = abs(new - inverse), new
        if moved <= tolerance * inverse:
            break
    return inverse, slope


class _Likelihood:
    """The mean negative log-likelihood as a function of 1 / T."""

    def __init__(self, predictions: Predictions) -> None:
        self.logits = LogitBlocks(predictions, _subtract_largest)
        self.ones = np.ones(predictions.n_classes)  # a matrix product adds rows up faster than a sum

    def loss(self, inverse: float) -> float:
        """The mean loss."""
        total = 0.0
        for block, z in self.logits():
            observed = self.logits.observed(block, z)
            e = np.exp(z * inverse)
            total += float(self.logits.weights(block) @ (np.log(e @ self.ones) - inverse * observed))
        return total / self.logits.total

    def derivatives(self, inverse: float) -> tuple[float, float, float]:
        """The first, second and third derivative of the mean loss."""
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
            weight, observed = self.logits.weights(block), self.logits.observed(block, z)
            slope += arrays.dot(weight, expected - observed)
            curvature += arrays.dot(weight, square - expected**2)
            bend += arrays.dot(weight, cube - 3 * expected * square + 2 * expected**3)
        total = self.logits.total
        return slope / total, curvature / total, bend / total


def _subtract_largest(predictions: Predictions, rows: slice, dtype: Any) -> NDArray[Any]:
    """The logits less the largest of each row, so that their exponentials do not overflow."""
    z = logits_of(predictions, rows, dtype)
    z -= z.max(axis=1, keepdims=True)
    return z
