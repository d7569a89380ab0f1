"""Estimators without bins: smooth error, kernel density error, and the isotonic split of the Brier score."""

from __future__ import annotations

from ...context.conditions import Condition
from ...context.induced import Judged, estimated, scalar_problem
from ...context.lenses import Lens
from .corp import Corp, corp_of
from .kernel_density import kde_value
from .smooth import smooth_value


def smooth_error(
    predictions: Judged,
    lens: str | Lens = "top-1",
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

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.smooth_error(p), 3)
    0.055
    """
    return estimated(smooth_value, predictions, lens, selection, outcome)


def kde_error(
    predictions: Judged,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    p: int = 1,
) -> float:
    """Kernel density calibration error (Zhang, Kailkhura and Han 2020).

    E|s - T(s)|^p under triweight densities of all scores and of those with target 1, without a root.

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

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.kde_error(p), 3)
    0.053
    """
    return estimated(lambda problem: kde_value(problem, p), predictions, lens, selection, outcome)


def corp(
    predictions: Judged,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> Corp:
    """Isotonic reliability curve, and what it says of the Brier score (Dimitriadis, Gneiting and Jordan 2021).

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.

    Returns
    -------
    Corp
        With score, recalibrated, weight, and miscalibration - discrimination + uncertainty = brier.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the lens does not fit the number of classes, or it makes several problems.

    See Also
    --------
    brier_split : A split of the Brier score over bins.
    reliability : A reliability curve in bins.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.corp(p).miscalibration, 4)
    0.018
    """
    return corp_of(scalar_problem(predictions, lens, selection, outcome))
