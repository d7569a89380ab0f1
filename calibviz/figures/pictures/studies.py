"""Pictures of simulation studies: bias and spread of estimators (ece_sweep figures 6-14), and sample sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from ...foundation import validation
from ...foundation.written import percent
from ...metrics.masses import clopper_pearson
from ..records import Array, Figure, Role, Series, Shape, Ticks
from ..shapes import areas, around, bars, known_only, level, up_to
from ..table_checks import table_of
from .decisions import MODELS

# Figures are written with the labels of the axes on one line, which the formatter would split.
AXES = "n", "bins", "tce"
DIMENSIONS = "estimator", "n", "bins", "network"
LEAST_RATIO = 1.4
Z = 1.96  # standard errors of a mean over simulations

CURVES: dict[str, tuple[str, Role, Shape]] = {
    "width": ("width of the interval", "bins", "line and dots"),
    "detectable": ("least error noticed 4 times out of 5", "overlay 1", "line and dots"),
    "net_benefit_width": ("width for the net benefit", "overlay 2", "line"),
}


def simulated_errors_figures(cube: Any, x: str = "n") -> tuple[Figure, Figure]:
    """Bias and spread of every estimator against the number of samples or of bins, or the true error.

    Parameters
    ----------
    cube : xarray.Dataset
        What `simulate_errors` returns, with a single label along each dimension that is not drawn.
    x : {"n", "bins", "tce"}
    """
    cube = table_of(cube, "cube", "simulate_errors", {"bias": DIMENSIONS, "std": DIMENSIONS})
    dim, place, ticks = _read_axis(cube, validation.choice(x, "x", AXES))
    bias, spread = (_select_rows(cube[name], dim) for name in ("bias", "std"))
    half = Z * spread / np.sqrt(cube.attrs["simulations"])
    names = _read_names(cube)
    order = np.argsort(place)
    noise = [
        areas("noise of the simulation" if k == 0 else "", MODELS[k], [(place[order], low[order], high[order])])
        for k, (low, high) in enumerate(zip(bias - half, bias + half, strict=True))
    ]
    worst = int(np.abs(bias).max(axis=1).argmax())
    shown: dict[str, Any] = {
        "x_range": around(place),
        "x_ticks": ticks,
        "x_in_percent": dim == "network",
        "y_in_percent": True,
    }
    return (
        Figure(
            "simulated-bias", "Bias", _label_axis(x), "mean estimate less the truth",
            (level("reference", around(place), 0.0, "no bias"), *noise, *_draw_lines(names, place, bias)),
            f"Bias of {', '.join(names)}: the largest is {percent(float(np.abs(bias).max()))} ({names[worst]}).",
            y_range=around(bias - half, bias + half, 0.0), **shown,
        ),
        Figure(
            "simulated-spread", "Spread", _label_axis(x), "standard deviation of the estimate",
            _draw_lines(names, place, spread),
            f"Standard deviation of {', '.join(names)}, up to {percent(float(spread.max()))}.",
            y_range=up_to(spread, room=0.05), **shown,
        ),
    )  # fmt: skip  # short entries stand in rows


def miss_rates_figure(table: Any) -> Figure:
    """The share of tests in which an estimator misses a miscalibrated network, by its true error (ece_sweep figure 8).

    Parameters
    ----------
    table : xarray.Dataset
        What `miss_rates` returns, for one number of samples.
    """
    table = table_of(table, "table", "miss_rates", {"miss_rate": ("estimator", "n", "network")})
    _, place, _ = _read_axis(table, "tce")
    rate, names, order = _select_rows(table.miss_rate, "network"), _read_names(table), np.argsort(place)
    ends = [clopper_pearson(row, np.full(len(row), float(table.attrs["simulations"])), 0.95) for row in rate]
    noise = [
        areas("noise of the simulation" if k == 0 else "", MODELS[k], [(place[order], low[order], high[order])])
        for k, (low, high) in enumerate(ends)
    ]
    n = int(np.ravel(table.n.values)[0])
    return Figure(
        "miss-rates",
        f"Misses among {n:,} samples",
        _label_axis("tce"),
        "share taken for calibrated",
        (*noise, *_draw_lines(names, place, rate)),
        f"Miss rate of {', '.join(names)} at {n:,} samples, with {percent(table.attrs['level'])} false alarms.",
        around(place),
        (0.0, 1.0),
        x_in_percent=True,
        y_in_percent=True,
    )


def sample_sizes_figure(table: Any, is_error: bool = False) -> Figure:
    """A number and its spread on bootstrap samples of several sizes (gece figure 9).

    Parameters
    ----------
    table : xarray.Dataset
        What `sample_sizes` returns; sizes whose mean is nan are not drawn.
    is_error : bool
        Whether the number is a calibration error, which is shown in per cent.
    """
    table = table_of(table, "table", "sample_sizes", dict.fromkeys(("mean", "lower", "upper", "size"), ("fraction",)))
    size = table["size"].values.astype(np.float64)
    mean, lower, upper = (table[name].values for name in ("mean", "lower", "upper"))
    place, ticks = np.log2(size), _label_sizes(size)
    known = mean[np.isfinite(mean)]
    text = percent if is_error else "{:.4g}".format
    said = f"{text(known.min())} to {text(known.max())}" if len(known) else "not known yet"
    return Figure(
        "sample-sizes", "Spread by the number of samples", "samples drawn",
        "calibration error" if is_error else "the number",
        (bars("spread under resampling", "interval", place, lower, upper),
         known_only("bootstrap mean", "bins", "line and dots", place, mean)),
        f"Bootstrap mean on {size.min():,.0f} to {size.max():,.0f} samples: {said}.",
        around(place, margin=0.05 if len(place) > 1 else 0.5), around(lower, upper, mean), ticks,
        y_in_percent=is_error,
    )  # fmt: skip  # short entries stand in rows


def sample_size_figure(table: xr.Dataset) -> Figure:
    """The width of the interval and the least error that is noticed over the number of samples, on a log10 axis.

    Parameters
    ----------
    table : xarray.Dataset
        What `calibviz.sample_size` returns.
    """
    sizes = table["n"].values
    place = np.log10(sizes)
    x_range = around(place, margin=0.05 if len(place) > 1 else 0.5)
    values = {name: table[name].values if name in table else np.full(len(place), np.nan) for name in CURVES}
    noise = Z * table["width_error"].values
    asked = [
        level("reference", x_range, table.attrs[name], f"asked for: {percent(table.attrs[name])}")
        if name in table.attrs
        else Series("", "reference", "line", np.empty(0), np.empty(0))
        for name in ("precision", "detectable")
    ]
    wide = values["width"]
    drawn = (known_only(CURVES[name][0], *CURVES[name][1:], place, each) for name, each in values.items())
    return Figure(
        "sample-size",
        "Samples needed",
        "samples (logarithmic)",
        f"{table.attrs['error']}, {table.attrs['lens']}",
        (bars("", "interval", place, wide - noise, wide + noise), *drawn, *asked),
        f"The interval is {percent(wide[0])} wide with {sizes[0]:,} samples, {percent(wide[-1])} with {sizes[-1]:,}.",
        x_range,
        around(*values.values(), *(line.y for line in asked), floor=0.0),
        tuple((float(x), f"{size:,}") for x, size in zip(place, sizes, strict=True)),
        table.attrs.get("note", ""),
        y_in_percent=True,
    )


def _read_axis(cube: xr.Dataset, x: str) -> tuple[str, Array, Ticks]:
    """The dimension, the places of its labels, and their ticks."""
    if x == "tce":
        return "network", np.ravel(cube.tce.values).astype(np.float64), ()
    values = np.ravel(cube[x].values).astype(np.float64)
    return x, np.log2(values), _label_sizes(values)


def _label_sizes(values: Array) -> Ticks:
    """Ticks on a log2 axis, without those too close to the one before."""
    shown: list[float] = []
    for value in np.sort(values).tolist():
        if not shown or value >= LEAST_RATIO * shown[-1]:
            shown.append(value)
    return tuple((float(np.log2(value)), f"{value:,.0f}") for value in shown)


def _select_rows(values: xr.DataArray, dim: str) -> Array:
    """The values over estimator and one dimension."""
    if several := [str(other) for other in values.dims if other not in ("estimator", dim) and values.sizes[other] > 1]:
        raise ValueError(f"x leaves several of {several[0]!r}: choose one with .sel({several[0]}=[...])")
    rest = [other for other in values.dims if other not in ("estimator", dim)]
    return np.asarray(values.squeeze(rest).transpose("estimator", dim).values, dtype=np.float64)


def _read_names(cube: xr.Dataset) -> list[str]:
    names = [str(name) for name in cube.estimator.values]
    if len(names) > len(MODELS):
        raise ValueError(
            f"there are {len(names)} estimators, but a picture tells {len(MODELS)} apart: choose with .sel"
        )
    return names


def _draw_lines(names: list[str], place: Array, rows: Array) -> tuple[Series, ...]:
    order = np.argsort(place)
    return tuple(
        known_only(name, MODELS[k], "line and dots", place[order], row[order])
        for k, (name, row) in enumerate(zip(names, rows, strict=True))
    )


def _label_axis(x: str) -> str:
    return {"n": "samples", "bins": "bins", "tce": "true calibration error"}[x]
