"""Pictures of a cube that is all there is: an error over numbers of bins, lenses, calibrators, ..., and its noise."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from ...cube.metrics import metrics_in
from ...foundation import validation
from ...foundation.arrays import Array
from ...foundation.written import in_unit
from ...metrics.records.record import MetricRecord
from ..bars import NOISE, GroupedValues, bars_figure, refuse_many
from ..records import Figure, Role, Series, Ticks
from ..shapes import around, bars, known_only, nothing, ticks
from .decisions import AFTER, MODELS

LINES: tuple[Role, ...] = (*MODELS, "extra", AFTER)
#: Of calibrators: the first is the model as it is, the next what it is recalibrated by.
CALIBRATED: tuple[Role, ...] = (MODELS[0], AFTER, *MODELS[1:], "extra")
NUMBERS = ("bins", "gamma", "k", "decision_threshold")
ON_X = (*NUMBERS, "lens", "category", "calibrator", "model", "selection")
AS_HUE = ("calibrator", "lens", "model", "binning", "selection", "category")
MOST_PANELS = 12
BESIDE = 0.012  # of the axis: from one hue to the next
WITHIN_NOISE = "within noise"
WIDE_RATIO = 8  # of the largest and the least number, from which on an axis is logarithmic


def held_by(cube: Any) -> dict[str, MetricRecord]:
    """The metrics that a cube holds, at least one."""
    if not isinstance(cube, xr.Dataset) or not (held := metrics_in(cube)):
        raise ValueError("cube holds no metric: it must be what cv.evaluate(...) returns")
    return held


def metric_of(cube: Any, metric: str | None = None) -> str:
    """The metric of a cube that is asked for; else its first error of calibration, or its first metric."""
    held = held_by(cube)
    if metric is not None:
        return validation.choice(metric, "metric", tuple(held))
    return next((name for name, record in held.items() if record.calibration), next(iter(held)))


def dims_of(cube: xr.Dataset, metric: str) -> dict[str, int]:
    """The dimensions of a metric that a picture can spread out, and how many labels each has."""
    return {str(dim): size for dim, size in cube[metric].sizes.items() if size > 1}


def axes_of(cube: xr.Dataset, metric: str, x: str | None, hue: str | None) -> tuple[str, str | None]:
    """Return the dimension of the x axis and that of colours: as asked for, else numbers before names."""
    dims, several = tuple(map(str, cube[metric].dims)), dims_of(cube, metric)
    if x is None:
        free = [dim for dim in (*ON_X, *dims) if dim in several and dim != hue]
        x = next(iter([*free, *(dim for dim in ("lens", *dims) if dim in dims and dim != hue)]))
    validation.choice(x, "x", dims)
    if hue is None:
        return x, next((dim for dim in AS_HUE if dim in several and dim != x and several[dim] <= len(LINES)), None)
    return x, validation.choice(hue, "hue", tuple(dim for dim in dims if dim != x))


def cube_figures(cube: Any, metric: str | None = None, x: str | None = None, hue: str | None = None) -> list[Figure]:
    """A metric of a cube over a dimension, with a colour for each label of another, and a picture for each of the rest.

    Numbers on the x axis make lines, names make bars; trials are averaged. A line or a mark shows where 95 of 100
    calibrated models stay below, and bars the interval or the bootstrap, where the cube holds them.

    Parameters
    ----------
    cube : xarray.Dataset
        What `evaluate` returns; other labels than those wanted are left out with `.sel`.
    metric, x, hue : str, optional
        By default the first error of calibration; the number of bins, else the lens, ...; and the calibrator, ...
    """
    name = metric_of(cube, metric)
    if not cube[name].dims:  # of all dimensions one label was chosen
        cube = cube.expand_dims([dim for dim in ON_X if dim in cube.coords][:1] or "model")
    x, hue = axes_of(cube, name, x, hue)
    rest = [dim for dim in dims_of(cube, name) if dim not in (x, hue, "trial")]
    places = [dict(zip(rest, labels, strict=True)) for labels in itertools.product(*(cube[dim].values for dim in rest))]
    if len(places) > MOST_PANELS:
        raise ValueError(
            f"x and hue leave {len(places)} pictures, for each {', '.join(rest)}, and {MOST_PANELS} are the most: "
            f"choose labels with .sel({rest[0]}=...)"
        )
    is_number, long_name = cube[x].dtype.kind in "iuf", metrics_in(cube)[name].long_name
    drawn = []
    for place in places:
        part = cube.sel(place)
        one = _lines(part, name, x, hue) if is_number else bars_figure(part, name, x, hue)
        title = f"{long_name} by {x}" + (f" and {hue}" if hue else "")
        drawn.append(replace(one, title=", ".join([title, *map(str, place.values())]), y_label=long_name))
    return drawn


def _lines(cube: xr.Dataset, metric: str, x: str, hue: str | None) -> Figure:
    """A line for each hue over numbers, with error bars, the lines of the noise floors, and rings around what is below.

    Hues stand a little beside each other, so that their error bars do not hide each other.
    """
    refuse_many(cube, hue, len(LINES))
    record, read = metrics_in(cube)[metric], GroupedValues.of(cube, metric, x, hue, "trial")
    place, x_ticks = _places(cube[x].values.astype(np.float64))
    order, hues = np.argsort(place), len(read.hues)
    x_range = around(place, margin=0.05 if len(place) > 1 else 0.5)
    step = BESIDE * (x_range[1] - x_range[0]) if read.named else 0.0
    at = place[:, None] + step * (np.arange(hues) - (hues - 1) / 2)
    is_noise = read.height <= read.noise

    def hint(i: int, k: int) -> str:
        where, floor = ", ".join(filter(None, [read.hues[k], f"{x} {read.groups[i]}"])), read.noise[i, k]
        below = f"\n{NOISE} {in_unit(floor, record.unit)}" if np.isfinite(floor) else ""
        return f"{where}: {in_unit(read.height[i, k], record.unit)}{below}"

    roles, lines = CALIBRATED if hue == "calibrator" else LINES, []
    for k, role in enumerate(roles):
        if k >= hues:
            lines.append(nothing(role, "line and dots"))
            continue
        name, hints = read.hues[k] or record.long_name, [hint(i, k) for i in order if np.isfinite(read.height[i, k])]
        lines.append(known_only(name, role, "line and dots", at[order, k], read.height[order, k], hints))
    floors = _broken(read.noise[order])
    has_noise = bool(np.isfinite(floors).any())
    limits = Series(NOISE, "limit", "line", _broken(at[order]), floors) if has_noise else nothing("limit", "line")
    finite = read.height[np.isfinite(read.height)]
    ends = [in_unit(end, record.unit) for end in (finite.min(), finite.max())] if len(finite) else []
    span = f"from {' to '.join(ends)}" if ends else "not known"
    if has_noise:
        span += f"; {int(is_noise.sum())} of {len(finite)} are no more than 95 % of calibrated models show"
    return Figure(
        "cube",
        f"{record.long_name} by {x}",
        str(cube[x].attrs.get("long_name", x)),
        record.long_name,
        (
            limits,
            bars(read.named, "error bar", at.ravel(), read.lower.ravel(), read.upper.ravel()),
            *lines,
            known_only(WITHIN_NOISE, "within", "dots", at[is_noise], read.height[is_noise]),
        ),
        f"{record.long_name} by {x}: {span}.",
        x_range,
        around(read.height, read.lower, read.upper, read.noise, floor=0.0 if record.range[0] >= 0 else None),
        x_ticks,
        note=" ".join(read.notes),
        y_in_percent=record.unit == "%",
    )


def _broken(columns: Array) -> Array:
    """Columns one after the other with nan between them, where a line stops."""
    return np.vstack([columns, np.full(columns.shape[1], np.nan)]).T.ravel()[:-1]


def _places(values: Array) -> tuple[Array, Ticks]:
    """Where numbers stand on an axis, of log2 where they span much, and their ticks."""
    is_wide = len(values) > 2 and values.min() > 0 and values.max() / values.min() >= WIDE_RATIO
    place = np.log2(values) if is_wide else values
    return place, ticks((f"{value:g}" for value in values), place)
