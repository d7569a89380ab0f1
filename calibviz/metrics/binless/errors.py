"""Estimators without bins: smooth error and kernel density error."""

from __future__ import annotations

from ...context.conditions import Condition
from ...context.induced import Judged, estimated
from ...context.lenses import Lens
from ...data.models import takes_arrays
from .kernel_density import kde_value
from .smooth import smooth_value


@takes_arrays
def smooth_error(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> float:
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
    return estimated(smooth_value, predictions, lens, selection, outcome)


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
    return estimated(lambda problem: kde_value(problem, p), predictions, lens, selection, outcome)
