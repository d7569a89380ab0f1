"""Pictures of predictions: reliability diagrams, cumulative and flexible curves, before and after recalibration.

Probabilities and their labels stand for predictions, as in `calibviz.calibration_error`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from .. import figures
from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.induced import Judged, look_named, scalar_problem
from ..context.lenses import Lens
from ..data.models import checked, models_of, of_arrays, takes_arrays
from ..data.predictions import Predictions
from ..decisions.pairs import recalibrated_problem
from ..engine.binnings.binning import Binning, Uniform, bins_of
from ..foundation import validation
from ..metrics.binned import ks_error
from ..metrics.calibration_tests import ks_limit
from ..metrics.clinical.flexible_curve import SMOOTHER
from ..recalibration import Spline
from ..uncertainty.intervals.bin_intervals import INTERVAL_LEVEL
from .display import CalibrationDisplay
from .drawing import Picture, drawn, over_histogram, panels

KS_AXES: tuple[Literal["fractile", "score"], ...] = ("fractile", "score")


@takes_arrays
def reliability(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    categories: Mapping[str, tuple[float, float]] | None = None,
    interval: str = "clopper-pearson",
    level: float = INTERVAL_LEVEL,
) -> Picture:
    """Reliability diagram with a bar for each bin, and the histogram of the scores below it.

    Parameters are those of `calibviz.reliability` for one binning, without a calibrator; `categories` are Likert
    categories to mark. `CalibrationDisplay` draws several models, or one before and after a calibrator, together.
    """
    display = CalibrationDisplay(
        predictions, lens, binning=binning, selection=selection, outcome=outcome, categories=categories,
        interval=interval, level=level,
    ).plot()  # fmt: skip  # the options stand together
    assert isinstance(display.figure_, Picture)
    return display.figure_


@takes_arrays
def cumulative(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> Picture:
    """Cumulative score and target against the fractile, the KS maximum marked (ks figure 1a)."""
    problem = scalar_problem(predictions, lens, selection, outcome)
    return drawn(figures.cumulative_figures([problem], look_named(predictions, lens, outcome))[0])


@takes_arrays
def ks(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    calibrator: Any = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibration: Predictions | None = None,
) -> Picture:
    """Draw cumulative curves and slopes by fractile and score (ks figure 1), before and after recalibration.

    `calibrator` is a fitted calibrator, or a function of scores; with `calibration`, what it was fitted to, there are
    rows for these samples as well. Each row tells the KS error, and what 95 % of calibrated models stay below. The
    other parameters are those of `calibviz.ks_error`.
    """
    sets = {"judged": checked(predictions)}
    if calibration is not None:
        sets["fitted to"] = checked(of_arrays(calibration), "calibration")
    what = look_named(predictions, lens, outcome)
    records: list[figures.Figure] = []
    for name, samples in sets.items():
        before = scalar_problem(samples, lens, selection, outcome)
        shown = {"before": before}
        if calibrator is not None:
            shown["after"] = recalibrated_problem(before, calibrator, samples, lens, outcome)
        for when, problem in shown.items():
            row = [
                *figures.cumulative_figures([problem], what, is_after=when == "after")[:2],
                *(figures.slopes_figure([problem], what, against=x, is_after=when == "after") for x in KS_AXES),
            ]
            error, limit = figures.percent(ks_error(problem)), ks_limit(problem)
            noise = "" if np.isnan(limit) else f", noise up to {figures.percent(limit)}"
            titles = [f"{name}, {when}: KS {error}{noise}"] + 3 * [f"{name}, {when}"]
            records += [replace(record, title=title) for record, title in zip(row, titles, strict=True)]
    return panels(records, f"{what}: predicted and observed", columns=4)


@takes_arrays
def recalibration(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    calibration: Predictions,
    knots: int = 6,
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> Picture:
    """The spline fitted to `calibration`, and the bins of `predictions` before and after it."""
    calibration = checked(of_arrays(calibration), "calibration")
    binning = Uniform() if binning is None else binning
    condition = read_selection(selection)
    spline = Spline(knots).fit(scalar_problem(calibration, lens, None, outcome))
    before = scalar_problem(predictions, lens, condition, outcome)
    after = scalar_problem(predictions, lens, condition, outcome, spline)
    mapped = spline(spline.score_)
    record = figures.map_figure(
        look_named(predictions, lens, outcome),
        spline.short_name,
        spline.score_,
        mapped,
        is_curve=True,
        knots=(spline.knot_scores_, spline(spline.knot_scores_)),
        moved=float(np.abs(mapped - spline.score_).max()),
    )
    return drawn(figures.with_bins(record, bins_of(before, binning), bins_of(after, binning)))


@takes_arrays
def calibration_curve(
    predictions: Judged | Mapping[str, Predictions],
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    level: float = INTERVAL_LEVEL,
    smoother: str = SMOOTHER,
) -> Picture:
    """The flexible calibration curve with its band over the diagonal, and the histogram of the scores.

    Parameters are those of `calibviz.calibration_curve`; a dict of models is overlaid. Of a single model the knots of
    a spline are drawn.
    """
    several: Mapping[str, Judged] = (
        models_of(predictions, "predictions") if isinstance(predictions, Mapping) else {"model": predictions}
    )
    problems = {name: scalar_problem(judged, lens, selection, outcome) for name, judged in several.items()}
    first = next(iter(several.values()))
    what = look_named(first, lens, outcome)
    curve, histogram = figures.calibration_curve_figures(problems, what, validation.level(level), smoother)
    return over_histogram(curve, histogram)
