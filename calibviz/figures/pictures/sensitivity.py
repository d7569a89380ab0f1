"""Pictures of the error, and of the samples in a bin, over the fineness of the bins (gece figures 7 and 8)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import xarray as xr

from ...foundation.arrays import Array
from ...foundation.written import percent
from ..records import Figure
from ..shapes import around, bars, cursor, known_only, logs, nothing, powers_of_ten

_WINDOW = ("window_start", "window_stop")
_IN_BIN = ("most", "median", "fewest")


def sensitivity_figure(table: xr.Dataset) -> Figure:
    """The error over gamma (on a log2 axis) or the number of bins, with bootstrap bars (gece figure 7).

    The flattest range is filled; while the bootstrap goes on it is only outlined, as it may still change.

    Parameters
    ----------
    table : xarray.Dataset
        What `sensitivity` returns; nan where a number is not known yet. While the bootstrap goes on, the attributes
        `replicates` and `of_replicates` give its progress.
    """
    what, (settings, place) = table.attrs["lens"], _read_places(table)
    lower, upper, mean, error = (_read_column(table, name) for name in ("lower", "upper", "mean", "error"))
    y_range = around(lower, upper, error, floor=0.0)
    x, y = np.empty(0), np.empty(0)
    if table.attrs.get("suggestion") is not None:
        ends = sorted(place[np.flatnonzero(settings == table.attrs[end])[0]] for end in _WINDOW)
        x, y = np.array(ends)[[0, 1, 1, 0, 0]], np.array(y_range)[[0, 0, 1, 1, 0]]
    known = error[np.isfinite(error)]
    span = f"from {percent(float(known.min()))} to {percent(float(known.max()))}" if len(known) else "not known yet"
    note = _describe(table)
    window = known_only("flattest", "suggestion", "area", x, y), nothing("suggestion so far", "line")
    if "replicates" in table.attrs:
        window = nothing("suggestion", "area"), known_only("flattest so far", "suggestion so far", "line", x, y)
    return Figure(
        "sensitivity",
        f"Sensitivity of the error of {what}",
        _label_axis(table),
        "calibration error",
        (
            *window,
            bars("spread under resampling", "interval", place, lower, upper),
            known_only("bootstrap mean", "resampled", "line", place, mean),
            known_only("error", "before", "line and dots", place, error),
            nothing("cursor", "line"),
        ),
        f"Calibration error of {what} against {'gamma' if 'gamma' in table.dims else 'the number of bins'}: {span}. "
        f"{note}",
        around(place, margin=0.0 if len(place) > 1 else 0.5),
        y_range,
        x_ticks=_name_gammas(table),
        note=note,
        y_in_percent=True,
    )


def _describe(table: xr.Dataset) -> str:
    """A sentence about the range in which the error is flat, or about the reason why there is none."""
    if "note" not in table.attrs:
        return "Where it is flat is not known yet."
    note = table.attrs["note"]
    if "replicates" in table.attrs:
        note = f"so far, by {table.attrs['replicates']} of {table.attrs['of_replicates']} replicates, {note}"
    return f"{note[:1].upper()}{note[1:]}."


def points_per_bin_figure(table: xr.Dataset) -> Figure:
    """The fewest, the median and the most samples in a bin over the settings, on a log10 axis (gece figure 8).

    Parameters
    ----------
    table : xarray.Dataset
        What `sensitivity` returns. Without the numbers, as for a family of problems, nothing is drawn.
    """
    _, place = _read_places(table)
    held = {
        name: _read_column(table, f"{name}_in_bin").astype(np.float64)
        if f"{name}_in_bin" in table.variables
        else np.full(len(place), np.nan)
        for name in _IN_BIN
    }
    drawn = {name: logs(values) for name, values in held.items()}
    y_range = around(*drawn.values())
    typical = held["median"][np.isfinite(held["median"])]
    span = f"the median from {typical.min():g} to {typical.max():g}" if len(typical) else "not known"
    return Figure(
        "points-per-bin",
        f"Samples in a bin of {table.attrs['lens']}",
        _label_axis(table),
        "samples in a bin",
        (
            known_only("most", "most", "line", place, drawn["most"]),
            known_only("median", "bins", "line and dots", place, drawn["median"]),
            known_only("fewest", "fewest", "line", place, drawn["fewest"]),
            nothing("cursor", "line"),
        ),
        f"Samples in a bin of {table.attrs['lens']} against "
        f"{'gamma' if 'gamma' in table.dims else 'the number of bins'}: {span}.",
        around(place, margin=0.0 if len(place) > 1 else 0.5),
        y_range,
        x_ticks=_name_gammas(table),
        y_ticks=powers_of_ten(*y_range),
        y_is_log=True,
    )


def marked(figure: Figure, place: float) -> Figure:
    """One of these two figures with a line at a setting (at the log2 of a gamma), if it lies on the axis."""
    low, high = figure.x_range
    line = cursor(place if low <= place <= high else None, figure.y_range, "current")
    return replace(figure, series=(*figure.series[:-1], line))


def _read_column(table: xr.Dataset, name: str) -> Array:
    """The values of a variable; `table[name]` would build a DataArray with coordinates at every step."""
    return table.variables[name].values


def _read_places(table: xr.Dataset) -> tuple[Array, Array]:
    """The settings and their places on the axis."""
    fine = "gamma" in table.dims
    settings = _read_column(table, "gamma" if fine else "bins").astype(np.float64)
    return settings, np.log2(settings) if fine else settings


def _label_axis(table: xr.Dataset) -> str:
    return "γ: finer cells to the left" if "gamma" in table.dims else "number of bins"


def _name_gammas(table: xr.Dataset) -> tuple[tuple[float, str], ...]:
    """The gammas that are powers of a half, as ticks on the axis of their logarithms; none of numbers of bins."""
    if "gamma" not in table.dims:
        return ()
    _, place = _read_places(table)
    powers = range(math.ceil(place.min()), math.floor(place.max()) + 1)
    return tuple((float(power), f"1/{2**-power}" if power < 0 else f"{2**power}") for power in powers)
