"""Pictures of decisions: net benefit, who crosses a threshold, selective prediction, and segments."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap

import xarray as xr

from .. import figures
from ..foundation import validation
from .drawing import CHARACTERS, NOTE_CHARACTERS, Picture, drawn, fill, legend_below, panels
from .looks import plain


def decision_curve(table: xr.Dataset | Mapping[str, xr.Dataset]) -> Picture:
    """The net benefit of a model at every threshold, beside treating all and none, with intervals where there are any.

    `table` is what `calibviz.decision_curve` returns, or a dict of models' names to such tables of the same samples.
    """
    return drawn(figures.decision_curve_figure(table))


def changed_sides(table: xr.Dataset) -> Picture:
    """Draw who crosses a threshold under a calibrator: what is predicted and observed of them, and how many they are.

    `table` is what `calibviz.changed_sides` returns.
    """
    return panels(figures.changed_sides_figures(table))


def local_calibration(table: xr.Dataset) -> Picture:
    """Draw the predicted and observed shares near each threshold, over the flexible curve.

    `table` is what `calibviz.local_calibration` returns.
    """
    return drawn(figures.local_calibration_figure(table))


def risk_coverage(table: xr.Dataset | Mapping[str, xr.Dataset], generalized: bool = False) -> Picture:
    """The share of wrong ones among the surest samples, with AURC and excess AURC; `generalized`, among all samples.

    `table` is what `calibviz.risk_coverage` returns, or a dict of models' names to such tables.
    """
    return drawn(figures.risk_coverage_figure(table, validation.truth(generalized, "generalized")))


def segments(table: xr.Dataset, most: int = figures.MOST_SEGMENTS) -> Picture:
    """Draw a forest plot: observed less predicted in segments, those that are off first, with their intervals.

    Those that are beyond noise, given that all were looked at, are marked. `table` is what `calibviz.segments`
    returns; `most` is how many segments are drawn.
    """
    record = figures.segments_figure(table, validation.whole_number(most, "most", 1))
    places, names = zip(*record.y_ticks, strict=True)
    lines = [wrap(name, CHARACTERS, break_long_words=False) for name in names]
    picture = Picture(figsize=(8, 1.6 + 0.24 * max(map(len, lines)) * len(lines)), layout="constrained")
    ax = picture.subplots()
    fill(ax, record)
    ax.set_yticks(places, ["\n".join(map(plain, name)) for name in lines], fontsize="small")
    right = ax.secondary_yaxis("right")
    right.set_yticks(places, [f"{n:,.0f}" for n in table["count"].values[: len(places)]], fontsize="small")
    right.tick_params(length=0)
    right.set_ylabel("samples")
    legend_below(ax, "\n".join(wrap(record.note, 2 * NOTE_CHARACTERS)))
    return picture
