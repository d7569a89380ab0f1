"""How the error, and the samples in a bin, depend on the bins (gece figures 7 and 8)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr

from .records import Array, Figure, Series
from .shapes import around, bars, cursor, known_only, nothing, percent

_WINDOW = ("window_start", "window_stop")
_IN_BIN = ("most", "median", "fewest")


def sensitivity_figure(table: xr.Dataset) -> Figure:
    """The error over gamma (on a log2 axis) or the number of bins, with bootstrap bars (gece figure 7).

    Parameters
    ----------
    table : xarray.Dataset
        What `sensitivity` returns; nan where something is not known yet.
    """
    what, (settings, place) = table.attrs["lens"], _places(table)
    lower, upper, mean, error = (_column(table, name) for name in ("lower", "upper", "mean", "error"))
    y_range = around(lower, upper, error, floor=0.0)
    flat = "suggestion" in table.attrs
    ends = sorted(place[np.flatnonzero(settings == table.attrs[end])[0]] for end in _WINDOW) if flat else []
    known = error[np.isfinite(error)]
    said = "nowhere flat within its noise"
    if flat:
        said = f"flattest around {table.attrs['suggestion']:.3g}"
    elif not np.isfinite(mean).all():
        said = "its noise is not known yet"
    span = f"from {percent(float(known.min()))} to {percent(float(known.max()))}" if len(known) else "not known yet"
    return Figure(
        "sensitivity",
        f"Sensitivity of the error of {what}",
        _axis(table),
        "calibration error",
        (
            Series("flattest", "category", "area", np.array(ends)[[0, 1, 1, 0, 0]], np.array(y_range)[[0, 0, 1, 1, 0]])
            if flat
            else nothing("category", "area"),
            bars("bootstrap interval", "interval", place, lower, upper),
            known_only("bootstrap mean", "target", "line", place, mean),
            known_only("error", "before", "line and dots", place, error),
            nothing("cursor", "line"),
        ),
        f"Calibration error of {what} against {'gamma' if 'gamma' in table.dims else 'the number of bins'}: "
        f"{span}, {said}.",
        around(place, margin=0.0 if len(place) > 1 else 0.5),
        y_range,
        y_in_percent=True,
    )


def points_per_bin_figure(table: xr.Dataset) -> Figure:
    """The fewest, the median and the most samples in a bin over the settings, on a log10 axis (gece figure 8).

    Parameters
    ----------
    table : xarray.Dataset
        What `sensitivity` returns. Without the numbers, as for a family of problems, nothing is drawn.
    """
    _, place = _places(table)
    held = {
        name: _column(table, f"{name}_in_bin").astype(np.float64)
        if f"{name}_in_bin" in table.variables
        else np.full(len(place), np.nan)
        for name in _IN_BIN
    }
    logs = {name: np.log10(np.where(values > 0, values, np.nan)) for name, values in held.items()}
    y_range = around(*logs.values())
    typical = held["median"][np.isfinite(held["median"])]
    said = f"the median from {typical.min():g} to {typical.max():g}" if len(typical) else "not known"
    return Figure(
        "points-per-bin",
        f"Samples in a bin of {table.attrs['lens']}",
        _axis(table),
        "per bin, log₁₀",
        (
            known_only("most", "score", "line", place, logs["most"]),
            known_only("median", "after", "line and dots", place, logs["median"]),
            known_only("fewest", "map", "line", place, logs["fewest"]),
            nothing("cursor", "line"),
        ),
        f"Samples in a bin of {table.attrs['lens']} against "
        f"{'gamma' if 'gamma' in table.dims else 'the number of bins'}: {said}.",
        around(place, margin=0.0 if len(place) > 1 else 0.5),
        y_range,
    )


def marked(figure: Figure, place: float) -> Figure:
    """Either of the two with a line at a setting, or at its log2 if it is gamma; with none beyond the axis."""
    low, high = figure.x_range
    line = cursor(place if low <= place <= high else None, figure.y_range, "current")
    return replace(figure, series=(*figure.series[:-1], line))


def _column(table: xr.Dataset, name: str) -> Array:
    """The values of a variable; `table[name]` would make an array with all its coordinates, for every step anew."""
    values: Array = table.variables[name].values
    return values


def _places(table: xr.Dataset) -> tuple[Array, Array]:
    """The settings and their places on the axis."""
    fine = "gamma" in table.dims
    settings = _column(table, "gamma" if fine else "bins").astype(np.float64)
    return settings, np.log2(settings) if fine else settings


def _axis(table: xr.Dataset) -> str:
    return "log₂ γ: finer cells to the left" if "gamma" in table.dims else "number of bins"
