"""Pictures of decisions: net benefit, who crosses a threshold, selective prediction, and segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import xarray as xr

from .. import figures
from ..foundation import validation
from .drawing import Picture, drawn, panels


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


def murphy_curve(table: xr.Dataset | Mapping[str, xr.Dataset]) -> Picture:
    """The elementary score of a model at every threshold, beside that of the mean target, with intervals if there are.

    `table` is what `calibviz.murphy_curve` returns, or a dict of models' names to such tables of the same samples.
    """
    return drawn(figures.murphy_figure(table))


def risk_coverage(table: xr.Dataset | Mapping[str, xr.Dataset], generalized: bool = False) -> Picture:
    """The share of wrong ones among the surest samples, with AURC and excess AURC; `generalized`, among all samples.

    `table` is what `calibviz.risk_coverage` returns, or a dict of models' names to such tables.
    """
    return drawn(figures.risk_coverage_figure(table, validation.truth(generalized, "generalized")))


def centres(table: xr.Dataset) -> Picture:
    """Draw a forest plot: a measure of each centre, the average over centres, and what to expect of a new one.

    `table` is what `calibviz.by_centre` returns; its first measure has the axis.
    """
    return panels([figures.centres_table(table)])


def segments(table: xr.Dataset, most: int = figures.MOST_SEGMENTS) -> Picture:
    """Draw observed less predicted in segments on one axis, those that are off first, with their intervals.

    What is beyond noise, looking at all, is filled and in colour; the last column says what is unlike the others.
    `table` is what `calibviz.segments` returns; `most` is how many segments are drawn.
    """
    most = validation.whole_number(most, "most", 1)
    return panels([replace(figures.segments_table(table, most), at_once=most)])
