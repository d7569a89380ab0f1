"""The picture of an error over windows of time."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from ...foundation.written import chosen_percent, counted, percent
from ..records import Figure, Series, Ticks
from ..shapes import areas, around, bars, ticks, up_to

MOST_LETTERS = 40  # of all names of windows on the axis of a narrow picture


def drift_figure(table: xr.Dataset) -> Figure:
    """Draw the error of each window with its spread under resampling, over the error of calibrated predictions.

    Parameters
    ----------
    table : xarray.Dataset
        What `calibviz.drift` returns; windows without samples are nan.
    """
    place, x_ticks = _read_places(table)
    error, lower, upper, noise = (table[name].values for name in ("error", "lower", "upper", "noise"))
    known = np.isfinite(error)
    beyond = int((error > noise).sum())
    columns = (table[name].values for name in ("count", "mean_score", "mean_target"))
    hints = tuple(
        f"{name}: {percent(value)}, {counted(count)}; predicted {percent(s)}, observed {percent(t)}"
        for name, value, count, s, t in zip(_read_names(table), error, *columns, strict=True)
        if np.isfinite(value)
    )
    span = f"from {percent(float(error[known].min()))} to {percent(float(error[known].max()))}, " if known.any() else ""
    several = counted(int(known.sum()), "window")
    false_alarms = (1 - table.attrs["level"]) / 2
    in_all = ", in all windows" if table.attrs["simultaneous"] else ""
    calibrated = f"{chosen_percent(1 - false_alarms)} of calibrated models{in_all}"
    return Figure(
        "drift",
        f"Drift of {table.attrs['of']}" if table.attrs["of"] else "Drift",
        "window",
        table.attrs["statistic"] or "calibration error",
        (
            areas(calibrated, "noise", [(place, np.zeros(len(place)), noise)]),
            bars(f"{chosen_percent(table.attrs['level'])} spread under resampling", "interval", place, lower, upper),
            Series("error", "before", "line and dots", place[known], error[known], hints),
        ),
        f"Calibration error over {several}: {span}{beyond} of them larger than calibrated predictions show in "
        f"{chosen_percent(1 - false_alarms)} of cases{in_all}.",
        around(place, margin=0.05 if len(place) > 1 else 0.5),
        up_to(lower, upper, error, noise, room=0.05),
        x_ticks,
        y_in_percent=True,
    )


def _read_names(table: xr.Dataset) -> list[str]:
    return [str(name).removesuffix(":00") for name in table.indexes["window"].astype(str)]  # without seconds of 0


def _read_places(table: xr.Dataset) -> tuple[np.ndarray, Ticks]:
    """The places of the windows and their ticks: numbers as they are, dates in days, names at 0, 1, ..."""
    values = table["window"].values
    if values.dtype.kind in "iuf":
        return values.astype(np.float64), ()
    dates = values.dtype.kind == "M"
    place = (values - values[0]) / np.timedelta64(1, "D") if dates else np.arange(len(values), dtype=np.float64)
    names = _read_names(table)
    step = math.ceil(len(names) / max(2, MOST_LETTERS // max(map(len, names))))
    return place, ticks(names[::step], place[::step])
