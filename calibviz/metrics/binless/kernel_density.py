"""Calibration error by kernel densities of the scores (Zhang et al. 2020)."""

from __future__ import annotations

import numbers

import numpy as np

from ...context.conditions import Condition
from ...context.induced import Judged
from ...context.lenses import Lens
from ...data.models import takes_arrays
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...foundation.validation import shown
from ..asked import measured_mean, problem_of

GRID = np.linspace(0.0, 1.0, 2**14)
STEP = float(GRID[1])
NEGLIGIBLE_DENSITY = 1e-6


@takes_arrays
def kde_error(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    p: int = 1,
) -> float:
    """Kernel density calibration error (Zhang, Kailkhura and Han 2020).

    ``E|s - T(s)|^p`` under triweight densities of all scores and of those with target 1, without a root.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    p : {1, 2}

    Returns
    -------
    float, at least 0

    Raises
    ------
    ValueError
        Where the scores with target 1 are all the same, or there are none: they set the width of the kernel.

    See Also
    --------
    smooth_error : A smoothed error that chooses its width itself.
    calibration_error : An error in bins.

    Notes
    -----
    T(c) = min(1, tbar f_1(c) / f(c)), where f is the density of all scores and f_1 of those with target 1. The
    half-width of the kernel is 3 h, where h is the standard deviation of the scores with target 1 times (2 n)^(-1/5).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.kde_error(p), 3)
    0.035
    """
    return measured_mean(problem_of(predictions, lens, selection, outcome), lambda problem: kde_value(problem, p))


def kde_value(problem: ScalarProblem, p: int = 1) -> float:
    """The error of one problem; see `kde_error`. A soft target counts as the share t of a sample with t = 1.

    The integrals are those of the trapezoid rule on 2^14 points. At points where neither density is above 1e-6 the
    integrand is that of the point before. This adds next to nothing unless the kernel spans a few points only; then it
    may even take the value above 1. The kernel is mirrored at 0 and at 1. All is as in the authors' `ece_kde_binary`.
    """
    from scipy.integrate import trapezoid

    if not isinstance(p, numbers.Real) or p not in (1, 2):
        raise ValueError(f"p must be 1 or 2 for the kernel density error, not {shown(p)}")
    hit, all_ = densities(problem, half_width(problem))
    mean = problem.mean_target
    # Where f2 alone vanishes, by rounding, the quotient counts as above 1.
    curve = np.minimum(1.0, np.divide(mean * hit, all_, out=np.ones_like(all_), where=all_ > 0))
    integrand = np.abs(GRID - curve) ** p * all_
    seen = np.maximum(hit, all_) > NEGLIGIBLE_DENSITY
    last = np.maximum.accumulate(np.where(seen, np.arange(len(GRID)), -1))
    integrand = np.where(last >= 0, integrand[last], 0.0)
    return float(trapezoid(integrand) / trapezoid(all_))


def half_width(problem: ScalarProblem) -> float:
    """Half the width of the kernel: three times its standard deviation."""
    mass = problem.weight * problem.target
    total = mass.sum()
    if not total > 0:
        raise ValueError("the kernel density error has no bandwidth: no target is above 0")
    spread = float(np.sqrt(mass @ (problem.score - mass @ problem.score / total) ** 2 / total))
    width = 3.0 * spread * (2.0 * problem.effective_size) ** -0.2
    if width < STEP:
        raise ValueError(
            "the kernel density error has no bandwidth: the scores with t = 1 have the standard deviation "
            f"{spread:.3g}, too small for a grid of {len(GRID)} points"
        )
    return width


def densities(problem: ScalarProblem, width: float) -> tuple[Array, Array]:
    """Densities of the scores with t = 1 and of all scores at the points of `GRID`, each shape (2^14,).

    The kernel (1 - u^2)^3 at u = y - z is a polynomial of degree 6 in z. So the sum of it over the samples in reach
    of a point follows from their moments, the sums of w z^k, and these are differences of cumulative sums. To keep
    z small, and the differences exact, z is counted from the middle of a short chunk of the grid.
    """
    score = np.clip(problem.score, 0.0, 1.0)
    mass = np.stack([problem.weight * problem.target, problem.weight])
    scale = 35.0 / 32.0 / width / mass.sum(axis=1, keepdims=True)
    below, above = np.searchsorted(score, [width, 1.0 - width])  # those whose mirror images are in reach
    score = np.concatenate((-score[:below][::-1], score, 2.0 - score[above:][::-1]))
    mass = np.concatenate((mass[:, :below][:, ::-1], mass, mass[:, above:][:, ::-1]), axis=1)

    start, stop = (np.searchsorted(score, GRID + reach) for reach in (-width, width))
    points = int(width / STEP)  # in a chunk, which is hence narrower than the half-width
    first = np.arange(0, len(GRID), points)
    last = np.minimum(first + points, len(GRID)) - 1
    middle = (GRID[first] + GRID[last]) / 2
    # The samples of all chunks one after the other: those of the chunk j begin at offset[j].
    length = stop[last] - start[first]
    offset = np.cumsum(length) - length
    sample = np.arange(length.sum()) + np.repeat(start[first] - offset, length)
    chunk = np.arange(len(GRID)) // points
    start, stop = (ends + (offset - start[first])[chunk] for ends in (start, stop))

    z = (score[sample] - np.repeat(middle, length)) / width
    y = (GRID - middle[chunk]) / width
    term = mass.take(sample, axis=1)
    cumulative = np.zeros((2, len(z) + 1))
    out = np.zeros((2, len(GRID)))
    for k, coefficient in enumerate(_coefficients(y)):
        if k:
            term *= z
        np.cumsum(term, axis=1, out=cumulative[:, 1:])
        out += coefficient * (cumulative.take(stop, axis=1) - cumulative.take(start, axis=1))
    # Rounding may leave less than nothing at the rim of a kernel.
    hit, all_ = np.maximum(out, 0.0) * scale
    return hit, all_


def _coefficients(y: Array) -> tuple[Array | float, ...]:
    """The coefficients of 1, z, ..., z^6 in (1 - (y - z)^2)^3 = (a + b z - z^2)^3."""
    a, b = 1.0 - y**2, 2.0 * y
    return a**3, 3 * a**2 * b, 3 * a * (b**2 - a), b**3 - 6 * a * b, 3 * (a - b**2), 3 * b, -1.0
