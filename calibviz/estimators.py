"""Estimators of calibration error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import validation
from .binning import Binning, Bins, Sweep, Uniform
from .distances import Distance, TotalVariation
from .lenses import Lens, Problem
from .looking import induced_problem, scalar_problem
from .predictions import Predictions
from .problems import ScalarProblem
from .selections import Condition

Array = NDArray[np.float64]


def calibration_error(
    predictions: Predictions,
    lens: str | Lens = "top-1",
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    distance: Distance | None = None,
    p: float = 1.0,
    aggregate: str = "mean",
    outcome: int | str | None = None,
) -> float:
    """Plug-in calibration error: (sum_b w_b / W * d_b^p)^(1/p) over the bins that hold samples.

    Parameters
    ----------
    predictions : Predictions
    lens : lens or its name
    binning : binning, default Uniform(15)
    selection : condition or its text, optional
    distance : distance, default TotalVariation()
    p : float, at least 1
        Power of the mean.
    aggregate : {"mean", "max"}
        "max" takes the largest distance of a bin (MCE of Naeini et al. 2015).
    outcome : int or str, optional
        One outcome of a vector lens, looked at as a scalar problem.

    Returns
    -------
    float
        For the default distance in [0, 1].

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the lens does not fit the number of classes, or the binning does
        not fit the lens.

    References
    ----------
    gece equation 3; Guo et al. 2017 (top-1, uniform 15).
    """
    problem = induced_problem(predictions, lens, selection, outcome)
    return problem_error(problem, Uniform() if binning is None else binning, distance, p, aggregate)


def problem_error(
    problem: Problem,
    binning: Binning,
    distance: Distance | None = None,
    p: float = 1.0,
    aggregate: str = "mean",
) -> float:
    """Plug-in calibration error of an induced problem; see `calibration_error`."""
    return binned_error(bins_of(problem, binning), distance, p, aggregate)


def binned_error(bins: Bins, distance: Distance | None = None, p: float = 1.0, aggregate: str = "mean") -> float:
    """Plug-in calibration error of given bins; see `calibration_error`."""
    validation.choice(aggregate, "aggregate", ("mean", "max"))
    validation.real_number(p, "p", 1.0, np.finfo(float).max)
    distance = TotalVariation() if distance is None else distance
    if not callable(distance):
        raise TypeError(f"distance must be a distance such as cv.Lp(2), not {distance!r}")
    kept = bins.weight > 0
    gap = distance(bins.score[kept], bins.target[kept])
    if aggregate == "max":
        return float(gap.max())
    weight = bins.weight[kept]
    if p == 1:
        return float(weight @ gap / weight.sum())
    largest = gap.max()
    if largest == 0:
        return 0.0
    # Scaled by the largest, so that no power of a small distance vanishes.
    return float(largest * (weight @ (gap / largest) ** p / weight.sum()) ** (1.0 / p))


def bins_of(problem: Problem, binning: Binning) -> Bins:
    """The bins that a binning makes of a problem."""
    if not callable(binning):
        raise TypeError(f"binning must be a binning such as cv.Uniform(15), not {binning!r}")
    return binning(problem)


def ks_error(
    predictions: Predictions,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> float:
    """Kolmogorov-Smirnov calibration error: max_i |h_i - h~_i| over the distinct scores (ks equations 11-12).

    Parameters
    ----------
    predictions, lens, selection
        As in `calibration_error`.
    outcome : int or str, optional
        The outcome of a vector lens to look at; the first by default.

    Returns
    -------
    float, in [0, 1]
    """
    return problem_ks(scalar_problem(predictions, lens, selection, outcome))


def problem_ks(problem: ScalarProblem) -> float:
    """KS calibration error of a scalar problem; see `ks_error`."""
    return float(np.abs(cumulative_difference(problem)).max())


def cumulative_difference(problem: ScalarProblem) -> Array:
    """h_i - h~_i at the last sample of each distinct score (ks equation 11)."""
    ends = problem.block_ends
    return (problem.cumulative_target[ends] - problem.cumulative_score[ends]) / problem.total


def sweep_bins(
    predictions: Predictions,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    scheme: str = "equal-mass",
) -> int:
    """The number of bins that the monotone sweep chooses (ece_sweep algorithm 1)."""
    return Sweep(scheme).choose(scalar_problem(predictions, lens, selection, outcome))


def accuracy(
    predictions: Predictions,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> float:
    """Weighted share of the selected samples whose predicted class is right.

    Parameters
    ----------
    predictions, selection
        As in `calibration_error`. Soft labels count their mass on the predicted class.
    lens, outcome
        Only what `output` in the selection means.
    """
    return right_share(predictions, scalar_problem(predictions, lens, selection, outcome))


def right_share(predictions: Predictions, problem: ScalarProblem) -> float:
    """Accuracy over the samples of a problem; see `accuracy`."""
    hits = predictions.top_target[problem.order]
    return float(hits.mean() if problem.given_weight is None else hits @ problem.given_weight / problem.total)
