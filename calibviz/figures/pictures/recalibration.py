"""The picture of the map of a calibrator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...engine.binnings.bins import Bins
from ...foundation.arrays import Array
from ...foundation.written import percent
from ..records import Figure, Role, Series
from ..shapes import bars, diagonal, few_of, known_only, nothing

MOST_TICKS = 300
TICK = 0.02
SIDES: tuple[Role, ...] = ("before", "after")


def map_figure(
    what: str,
    method: str,
    scores: Array,
    mapped: Array,
    *,
    is_curve: bool,
    knots: tuple[Array, Array] | None = None,
    rug: Array | None = None,
    moved: float,
) -> Figure:
    """The map of a fitted calibrator.

    Parameters
    ----------
    what, method : str
        The names of the lens and of the calibrator.
    scores, mapped : ndarray, shape (m,)
        Scores and their recalibrated values.
    is_curve : bool
        Whether equal scores have equal values. If not, as for a calibrator of whole rows, they are drawn as dots.
    knots : (scores, mapped), optional
    rug : ndarray, optional
        The scores of the calibration set, drawn as ticks at the bottom.
    moved : float
        The largest change of a score.
    """
    order = np.argsort(scores, kind="stable")
    picked = order[few_of(np.arange(len(order)))] if len(order) else order
    xs, ys = scores[picked], mapped[picked]
    ticks = np.sort(np.empty(0) if rug is None else rug)
    if len(ticks) > MOST_TICKS:  # evenly spaced ranks, so that the ticks are as dense as the scores
        ticks = ticks[np.linspace(0, len(ticks) - 1, MOST_TICKS).round().astype(np.intp)]
    return Figure(
        "recalibration",
        f"Recalibration of {what}: {method}",
        "predicted (score)",
        "recalibrated, observed",
        (
            diagonal(),
            bars("", "rug", ticks, np.zeros(len(ticks)), np.full(len(ticks), TICK)),
            nothing("cloud", "dots") if is_curve else known_only(method, "cloud", "dots", xs, ys),
            *(nothing(role, "dots") for role in SIDES),
            known_only(method, "map", "line", xs, ys) if is_curve else nothing("map", "line"),
            nothing("knots", "dots") if knots is None else Series("knots", "knots", "dots", *knots),
        ),
        f"Recalibration map of {what} by {method}: it moves a score by up to {percent(moved)}.",
        score_at=np.array([0.0, 1.0]),
        x_in_percent=True,
        y_in_percent=True,
    )


def with_bins(figure: Figure, before: Bins, after: Bins | None) -> Figure:
    """Return a `map_figure` with the bins of the samples that are judged, before and after recalibration."""
    dots = {"before": _draw_dots("before", before), "after": _draw_dots("after", after)}
    alt = f"{figure.alt} Largest distance of a bin from the diagonal: {_describe_farthest(before)} before"
    alt += "." if after is None else f", {_describe_farthest(after)} after."
    return replace(figure, series=tuple(dots.get(series.role, series) for series in figure.series), alt=alt)


def _draw_dots(role: Role, bins: Bins | None) -> Series:
    if bins is None:
        return nothing(role, "dots")
    kept = bins.weight > 0
    return Series(role, role, "dots", bins.score[kept], bins.target[kept])


def _describe_farthest(bins: Bins) -> str:
    return percent(float(np.abs(bins.score - bins.target)[bins.weight > 0].max()))
