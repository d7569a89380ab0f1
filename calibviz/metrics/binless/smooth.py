"""Smooth calibration error, with a kernel as wide as the error that it finds (Blasiok & Nakkiran 2023)."""

from __future__ import annotations

import numpy as np

from ...engine.scalar import ScalarProblem
from ...foundation import validation
from ...foundation.arrays import Array
from ..asked import measured_mean, of_lens

# A grid of spacing d gives an error sigma to about d^2 / (9 sigma): to 1e-6 where sigma is above FINE on the coarse
# grid. So small an error is rare, and the fine grid takes sixteen times as long.
COARSE_CELLS, FINE_CELLS, FINE = 2**13, 2**17, 2e-3
NEGLIGIBLE_DENSITY = 1e-6
ACCURACY, STEPS = 2e-6, 500  # of a value; and the steps of the search for its lower end


@of_lens(measured_mean)
def smooth_error(problem: ScalarProblem) -> float:
    """Smooth calibration error (Blasiok and Nakkiran 2023).

    The integral of the residuals t - s, smoothed by a reflected Gaussian whose width is that integral itself.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.

    Returns
    -------
    float, in [0, 1]

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the lens does not fit the number of classes, or it has several outcomes
        and none is chosen.

    See Also
    --------
    ks_error, kuiper_error : Other errors without bins.
    kde_error : A smoothed error, by kernels.

    Notes
    -----
    smECE_sigma = integral over u from 0 to 1 of ``|sum_i w_i / W (t_i - s_i) K_sigma(u, s_i)|``, where the Gaussian
    K_sigma is reflected at 0 and at 1; the error is the value at the sigma where smECE_sigma = sigma.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.smooth_error(p), 3)
    0.056
    """
    return smooth_value(problem)


def smooth_value(problem: ScalarProblem) -> float:
    """The error of one problem, to 1e-6; see `smooth_error`. It is 0 where every residual is 0."""
    residual = problem.weight * (problem.target - problem.score) / problem.total
    value = _crossing(_spectrum(residual, problem.score, COARSE_CELLS))
    if 0.0 < value < FINE:
        value = _crossing(_spectrum(residual, problem.score, FINE_CELLS))
    return min(value, 1.0)


def smooth_curve(problem: ScalarProblem, points: int = 200) -> tuple[Array, Array, Array]:
    """Smooth reliability curve (Blasiok & Nakkiran 2023): the kernel regression of t on s, with that of `smooth_value`.

    The kernel is not made narrower than half the distance of two points, so that no sample falls between them. Returned
    are scores from 0 to 1, targets, nan where the density is below 1e-6, and the density of the scores, smoothed with
    the same kernel, each of shape (points,).
    """
    points = validation.whole_number(points, "points", 2)
    sigma = max(smooth_value(problem), 0.5 / (points - 1))
    weight = problem.weight / problem.total
    score = np.linspace(0.0, 1.0, points)
    hit, density = (
        np.interp(score, np.linspace(0.0, 1.0, COARSE_CELLS + 1), _smoothed(spectrum, sigma))
        for spectrum in (_spectrum(mass, problem.score, COARSE_CELLS) for mass in (weight * problem.target, weight))
    )
    target = np.divide(hit, density, out=np.full(points, np.nan), where=density > NEGLIGIBLE_DENSITY)
    return score, np.clip(target, 0.0, 1.0), np.maximum(density, 0.0)


def _spectrum(mass: Array, score: Array, cells: int) -> Array:
    """Cosine transform of masses at scores, each shared by the two nodes of a uniform grid next to it."""
    place = np.clip(score, 0.0, 1.0) * cells
    left = np.minimum(place.astype(np.intp), cells - 1)
    right_share = mass * (place - left)
    density = np.zeros(cells + 1)
    density[:-1] = np.bincount(left, mass - right_share, cells)
    density[1:] += np.bincount(left, right_share, cells)
    density *= cells
    density[[0, -1]] *= 2.0  # the end nodes stand for half a cell
    from scipy.fft import dct  # few errors need it, and it takes long to load

    return dct(density, type=1)


def _smoothed(spectrum: Array, sigma: float) -> Array:
    """Densities at the nodes after heat has flowed for a time sigma^2 / 2 in a rod with insulated ends.

    That is the convolution with the reflected Gaussian, and damps cos(k pi u) by exp(-(k pi sigma)^2 / 2).
    """
    # All others are below 1e-19; a sigma may be so small that its inverse is no number.
    kept = len(spectrum) if sigma * len(spectrum) <= 3.0 else int(3.0 / sigma) + 1
    damped = np.zeros(len(spectrum))
    damped[:kept] = spectrum[:kept] * np.exp(-0.5 * (np.pi * sigma * np.arange(kept)) ** 2)
    from scipy.fft import idct  # see above

    return idct(damped, type=1)


def smooth_ends(problem: ScalarProblem, moved: float) -> tuple[float, float]:
    """The least and the greatest `smooth_value` of samples whose scores differ from these by `moved` on average.

    A residual that is moved by m changes by m, and its kernel by m (2 / pi)^(1/2) / sigma in total variation, so
    smECE_sigma by no more than `moved` times 1 + (2 / pi)^(1/2) / sigma. It is never below the mean residual.
    """
    from scipy.optimize import brentq

    value = smooth_value(problem)
    residual = problem.weight * (problem.target - problem.score) / problem.total
    least = max(0.0, abs(float(residual.sum())) - moved - ACCURACY)
    if moved == 0.0:
        return value - ACCURACY, value + ACCURACY
    spectrum = _spectrum(residual, problem.score, COARSE_CELLS if value >= FINE else FINE_CELLS)

    def change(sigma: float) -> float:
        return moved * (1 + np.sqrt(2 / np.pi) / sigma) + ACCURACY

    high = brentq(lambda sigma: _smoothed_error(spectrum, sigma) + change(sigma) - sigma, 1e-9, 3 + 3 * moved)
    below = value * np.arange(STEPS if value > ACCURACY else 0, 0, -1) / STEPS
    low = next((sigma for sigma in below if _smoothed_error(spectrum, sigma) - change(sigma) >= sigma), 0.0)
    return max(float(low), least), float(high)


def _smoothed_error(spectrum: Array, sigma: float) -> float:
    """smECE_sigma, by the trapezoid rule."""
    height = np.abs(_smoothed(spectrum, sigma))
    return float(height.sum() - (height[0] + height[-1]) / 2) / (len(height) - 1)


def _crossing(spectrum: Array) -> float:
    """The sigma at which smECE_sigma is sigma."""
    from scipy.optimize import brentq

    largest = _smoothed_error(spectrum, 0.0)
    if largest == 0.0:
        return 0.0
    return float(brentq(lambda sigma: _smoothed_error(spectrum, sigma) - sigma, 0.0, 2.0 * largest, xtol=1e-9))
