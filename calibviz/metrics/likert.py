"""Likert categories: the mean target of each, compared with its own interval (gece 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from ..context.conditions import Condition
from ..context.induced import ScoreMap, scalar_problem
from ..context.lenses import Lens
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.binnings.binning import Binning, Uniform, bins_of
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from ..foundation.described import described
from .binned import binned_error
from .distances import InterInterval, TotalVariation

SAID = {
    "error": "inter-interval error of the category, over bins",
    "one_bin_error": "distance of the mean target from the category",
    "total_variation": "calibration error of the category, over bins",
}


@takes_arrays
def likert_error(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    categories: Sequence[float] | Mapping[str, tuple[float, float]] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    closed: str = "both",
    calibrator: ScoreMap | None = None,
) -> xr.Dataset:
    """Inter-interval error of each Likert category, under the selection of the scores in it (gece 4.3, figure 5).

    Parameters
    ----------
    categories : ascending cut points, or dict of name to (low, high)
        Named categories may leave gaps.
    closed : {"both", "left"}
        Whether a score on a cut point belongs to both categories, or to the upper one alone.
    calibrator : fitted scalar calibrator, optional
        Look at the scores that it makes (gece figure 5).
    predictions, lens, binning, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.

    Returns
    -------
    xarray.Dataset
        Over `category`: error, the mean over the bins of the category, which grows as they get fewer samples;
        one_bin_error, how far the mean target of all of it lies outside; total_variation (of the same bins), count,
        mean_score, mean_target, and the coordinates low and high. A category without samples has count 0 and nan
        elsewhere.

    Raises
    ------
    ValueError
        Where the intervals are out of order or outside [0, 1], or the lens makes several problems.

    See Also
    --------
    calibration_error : The error over all scores.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> table = cv.likert_error(p, "class malignant", categories={"send home": (0, 0.1), "biopsy": (0.5, 1)})
    >>> table["count"].values.tolist()
    [363, 201]
    """
    categories = validation.intervals(categories)
    validation.choice(closed, "closed", ("both", "left"))
    problem = scalar_problem(predictions, lens, selection, outcome, calibrator)
    rows = [
        problem_likert(problem, low, high, Uniform() if binning is None else binning, closed == "left" and high < 1.0)
        for low, high in categories.values()
    ]
    columns = {name: ("category", np.array([row[name] for row in rows])) for name in rows[0]}
    ends = np.array(list(categories.values()))
    table = xr.Dataset(
        columns,
        coords={"category": list(categories), "low": ("category", ends[:, 0]), "high": ("category", ends[:, 1])},
    )
    return described(table, "Kirchenbauer, Oaks and Heim 2022, section 4.3", SAID)


def in_category(problem: ScalarProblem, low: float, high: float, open_end: bool = False) -> ScalarProblem | None:
    """The scores in a category, with those on its ends; None where there are none."""
    below = problem.score < high if open_end else problem.score <= high
    try:
        return problem.subset((problem.score >= low) & below)
    except EmptyProblemError:
        return None


def distance_of(problem: ScalarProblem, category: InterInterval) -> float:
    """The distance of the mean target of all samples from a category."""
    return float(category(np.array(problem.mean_score), np.array(problem.mean_target)))


def problem_likert(
    problem: ScalarProblem, low: float, high: float, binning: Binning, open_end: bool = False
) -> dict[str, Any]:
    """One category of `likert_error`."""
    part = in_category(problem, low, high, open_end)
    if part is None:
        nan = float("nan")
        names = ("error", "one_bin_error", "total_variation", "mean_score", "mean_target")
        return {**dict.fromkeys(names, nan), "count": 0}
    bins, category = bins_of(part, binning), InterInterval(low, high)
    return {
        "error": binned_error(bins, category),
        "one_bin_error": distance_of(part, category),
        "total_variation": binned_error(bins, TotalVariation()),
        "count": part.samples,
        "mean_score": part.mean_score,
        "mean_target": part.mean_target,
    }
