"""Pictures of simulation studies: bias and spread of estimators (ece_sweep figures 6-14), and sample sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from ...engine.binnings.binning import Sweep
from ...engine.binnings.binning_kinds import EQUAL_MASS, UNIFORM
from ...foundation import validation
from ...foundation.arrays import Array
from ...foundation.written import chosen_percent, counted, number, percent
from ...metrics.masses import clopper_pearson
from ..bars import named_bars
from ..records import Figure, Role, Series, Shape, Ticks
from ..shapes import areas, around, bars, known_only, level, logs, nothing, powers_of_ten, ticks, up_to
from ..table_checks import table_of
from .decisions import AFTER, FEWEST_POINTS, MODELS

# Figures are written with the labels of the axes on one line, which the formatter would split.
AXES = "n", "bins", "tce"
DIMENSIONS = "estimator", "n", "bins", "network"
LEAST_RATIO = 1.4
MOST_LINEAR = 0.7  # of the log10 of a ratio, beyond which an axis is logarithmic
MOST_PICTURES = 12
LINES: tuple[Role, ...] = (*MODELS, "extra", AFTER)
Z = 1.96  # standard errors of a mean over simulations

CURVES: dict[str, tuple[str, Role, Shape]] = {
    "width": ("width of the interval", "bins", "line and dots"),
    "width_assured": ("width, with the assurance", "extra", "line and dots"),
    "detectable": ("least error noticed 4 times out of 5", "overlay 1", "line and dots"),
    "net_benefit_width": ("width for the net benefit", "overlay 2", "line"),
}


def simulated_errors_figures(cube: Any, x: str = "n") -> tuple[Figure, ...]:
    """Bias and spread of estimators against the number of samples or of bins, or the true error.

    A line is an estimator, and of several networks each has a picture (ece_sweep figure 6); of several numbers of
    samples or of bins a line is one of them, and each estimator has a picture (figures 4, 7 and 9 to 15). Over bins,
    upright lines stand at the mean number of bins that a sweep chose (figure 15).

    Parameters
    ----------
    cube : xarray.Dataset
        What `simulate_errors` returns, with several labels along one dimension at most beside x and the estimators.
    x : {"n", "bins", "tce"}

    Returns
    -------
    tuple of Figure
        The bias in every picture, then the spread in each.
    """
    cube = table_of(cube, "cube", "simulate_errors", {"bias": DIMENSIONS, "std": DIMENSIONS})
    dim, place, ticks = _read_axis(cube, validation.choice(x, "x", AXES))
    along, each = _spread_out(cube, dim)
    order, x_range = np.argsort(place), around(place, margin=0.05 if len(place) > 1 else 0.5)
    bias, spread = ({name: _rows(part[kind], along, dim) for name, part in each.items()} for kind in ("bias", "std"))
    half = {name: Z * spread[name] / np.sqrt(cube.attrs["simulations"]) for name in each}
    names = _read_names(cube, along)
    y_range = around(*(bias[name] + sign * half[name] for name in each for sign in (-1, 1)), 0.0)
    shown: dict[str, Any] = {
        "x_range": x_range, "x_ticks": ticks, "x_in_percent": dim == "network", "y_in_percent": True
    }  # fmt: skip  # short entries stand in rows

    def bias_of(name: str) -> Figure:
        rows, known = bias[name], np.isfinite(bias[name]).any()
        worst = np.unravel_index(np.nanargmax(np.abs(rows)), rows.shape)[0] if known else 0
        most = percent(float(np.nanmax(np.abs(rows)))) if known else "not known"
        return Figure(
            "simulated-bias", f"Bias{name and ': '}{name}", _label_axis(x), "mean estimate less the truth",
            (
                level("reference", x_range, 0.0, "no bias"),
                *_draw_noise(place[order], *((rows + sign * half[name])[:, order] for sign in (-1, 1))),
                *_draw_lines(names, place, rows),
                *_draw_sweeps(cube, each[name], along, x, place, y_range),
            ),
            f"Bias of {name or ', '.join(names)}: the largest is {most} ({names[worst]}).",
            y_range=y_range, **shown,
        )  # fmt: skip  # short entries stand in rows

    def spread_of(name: str) -> Figure:
        return Figure(
            "simulated-spread", f"Spread{name and ': '}{name}", _label_axis(x), "standard deviation of the estimate",
            _draw_lines(names, place, spread[name]),
            f"Standard deviation of {name or ', '.join(names)}, up to {percent(float(np.nanmax(spread[name])))}.",
            y_range=up_to(*spread.values(), room=0.05), **shown,
        )  # fmt: skip  # short entries stand in rows

    return (*map(bias_of, each), *map(spread_of, each))


def misses_by_error_figure(table: Any) -> Figure:
    """The share of tests in which an estimator misses a miscalibrated network, by its true error (ece_sweep figure 8).

    Parameters
    ----------
    table : xarray.Dataset
        What `miss_rates` returns, for one number of samples.
    """
    table = table_of(table, "table", "miss_rates", {"miss_rate": ("estimator", "n", "network")})
    if table.sizes["n"] > 1:
        raise ValueError("table has several of 'n': choose one with .sel(n=[...])")
    _, place, _ = _read_axis(table, "tce")
    names, order = _read_names(table, "estimator"), np.argsort(place)
    rate = _rows(table.miss_rate, "estimator", "network")
    ends = [clopper_pearson(row, np.full(len(row), float(table.attrs["simulations"])), 0.95) for row in rate]
    low, high = (np.array([end[i][order] for end in ends]) for i in range(2))
    n = int(np.ravel(table.n.values)[0])
    return Figure(
        "miss-rates",
        f"Misses among {counted(n)}",
        _label_axis("tce"),
        "share taken for calibrated",
        (*_draw_noise(place[order], low, high), *_draw_lines(names, place, rate)),
        f"Miss rate of {', '.join(names)} at {counted(n)}, "
        f"with {chosen_percent(1 - table.attrs['level'])} false alarms.",
        around(place),
        (0.0, 1.0),
        x_in_percent=True,
        y_in_percent=True,
    )


def miss_rates_figures(table: Any) -> tuple[Figure, ...]:
    """The pictures of `misses_by_error_figure`, one for each number of samples in what `miss_rates` returns."""
    table = table_of(table, "table", "miss_rates", {"miss_rate": ("estimator", "n", "network")})
    if table.sizes["n"] > MOST_PICTURES:
        raise ValueError(f"table has {table.sizes['n']} of 'n', and {MOST_PICTURES} pictures are the most: use .sel")
    return tuple(misses_by_error_figure(table.isel(n=[i])) for i in range(table.sizes["n"]))


def confidences_figures(table: Any) -> tuple[Figure, Figure]:
    """The mean k-th largest probability relative to a baseline, and the mean entropy (gece figures 2 and 11).

    Parameters
    ----------
    table : xarray.Dataset
        What `confidences` returns, with several labels along one dimension at most: calibrators, models, ...
    """
    table = table_of(table, "table", "confidences", {})
    if missing := {"relative", "entropy", "rank"} - set(map(str, table.variables)):
        raise ValueError(f"table must be what cv.confidences(...) returns, but it holds no {min(missing)!r}")
    several = [str(dim) for dim, size in table.entropy.sizes.items() if size > 1]
    if len(several) > 1:
        kept = several[1:] if several[0] == "calibrator" else [dim for dim in several if dim != "calibrator"]
        raise ValueError(f"table has several of {kept[0]!r}: choose one with .sel({kept[0]}=[...])")
    if not table.entropy.dims:
        table = table.expand_dims("calibrator")
    along = next(iter(several), "calibrator" if "calibrator" in table.entropy.dims else str(table.entropy.dims[0]))
    names = _read_names(table, along)
    ranks = table["rank"].values.astype(np.float64)
    rows = _rows(table.relative, along, "rank")
    place, entropy = np.log2(ranks), _rows(table.entropy.expand_dims("one"), along, "one")[:, 0]
    x_range = around(place, margin=0.05 if len(place) > 1 else 0.5)
    known = np.isfinite(rows)
    ends = f"from {rows[known].min():.3g} to {rows[known].max():.3g}" if known.any() else "not known"
    is_log = bool((np.abs(np.log10(rows[known & (rows > 0)])) > MOST_LINEAR).any())
    drawn = logs(rows) if is_log else rows
    y_range = around(drawn, 0.0) if is_log else around(drawn, 1.0)
    baseline = str(table.relative.attrs.get("description", "")).rpartition("relative to ")[2]
    return (
        Figure(
            "relative-confidences", "Mean confidence by rank", "rank k of the probability",
            "relative to the baseline",
            (
                level("reference", x_range, 0.0 if is_log else 1.0),
                *_draw_lines(names, place, drawn, dotted=len(place) <= FEWEST_POINTS),
            ),
            f"Mean k-th largest probability relative to {baseline or 'the baseline'}: {ends}.",
            x_range, y_range, _label_sizes(ranks), y_is_log=is_log, y_ticks=powers_of_ten(*y_range) if is_log else (),
        ),
        named_bars(
            "entropies", "Mean entropy", along, "entropy in nats", names, entropy,
            along == "calibrator",
        ),
    )  # fmt: skip  # short entries stand in rows


def spread_by_size_figure(table: Any, is_error: bool = False) -> Figure:
    """A number and its spread on bootstrap samples of several sizes (gece figure 9).

    Parameters
    ----------
    table : xarray.Dataset
        What `spread_by_size` returns; sizes whose mean is nan are not drawn.
    is_error : bool
        Whether the number is a calibration error, which is shown in per cent.
    """
    table = table_of(table, "table", "spread_by_size", dict.fromkeys(("mean", "lower", "upper", "size"), ("fraction",)))
    size = table["size"].values.astype(np.float64)
    mean, lower, upper = (table[name].values for name in ("mean", "lower", "upper"))
    place, ticks = np.log2(size), _label_sizes(size)
    known = mean[np.isfinite(mean)]
    text = percent if is_error else number
    span = f"{text(known.min())} to {text(known.max())}" if len(known) else "not known yet"
    return Figure(
        "sample-sizes", "Spread by the number of samples", "samples drawn",
        "calibration error" if is_error else "the number",
        (bars("spread under resampling", "interval", place, lower, upper),
         known_only("bootstrap mean", "bins", "line and dots", place, mean)),
        f"Bootstrap mean on {round(size.min()):,} to {counted(size.max())}: {span}.",
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
        else nothing("reference", "line")
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
        f"The interval is {percent(wide[0])} wide with {counted(sizes[0])}, {percent(wide[-1])} with {sizes[-1]:,}.",
        x_range,
        around(*values.values(), *(line.y for line in asked), floor=0.0),
        ticks((f"{size:,}" for size in sizes), place),
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
    return ticks((f"{value:,.0f}" for value in shown), np.log2(shown))


def _spread_out(cube: xr.Dataset, dim: str) -> tuple[str, dict[str, xr.Dataset]]:
    """The dimension of the lines, and what each picture draws, by its title."""
    several = [other for other in ("n", "bins", "network") if other != dim and cube.sizes[other] > 1]
    if len(several) > 1:
        named = " and ".join(map(repr, several))
        raise ValueError(f"x leaves several of {named}: choose one with .sel({several[0]}=[...])")
    along = "estimator" if several in ([], ["network"]) else several[0]
    over = (several or [""])[0] if along == "estimator" else "estimator"
    rest = [other for other in DIMENSIONS if other not in (dim, along, over)]
    if not over or (cube.sizes[over] == 1 and along == "estimator"):
        return along, {"": cube.squeeze(rest)}
    if cube.sizes[over] > MOST_PICTURES:
        raise ValueError(f"cube has {cube.sizes[over]} {over}s, and {MOST_PICTURES} pictures are the most: use .sel")
    return along, {str(label.item()): cube.sel({over: label}).squeeze(rest) for label in cube[over]}


def _rows(values: xr.DataArray, along: str, dim: str) -> Array:
    """The values over the lines and one dimension."""
    rest = [other for other in values.dims if other not in (along, dim)]
    return np.asarray(values.squeeze(rest).transpose(along, dim).values, dtype=np.float64)


def _read_names(cube: xr.Dataset, along: str) -> list[str]:
    labels = cube[along].values.tolist() if along in cube.coords else list(range(cube.sizes[along]))
    if len(labels) > len(LINES):
        raise ValueError(f"there are {len(labels)} {along}s, but a picture tells {len(LINES)} apart: choose with .sel")
    written = {"n": "{:,} samples", "bins": "{} bins"}.get(along, "{}")
    return [written.format(label) for label in labels]


def _draw_lines(names: list[str], place: Array, rows: Array, dotted: bool = True) -> tuple[Series, ...]:
    order = np.argsort(place)
    return tuple(
        known_only(name, LINES[k], "line and dots" if dotted else "line", place[order], row[order])
        for k, (name, row) in enumerate(zip(names, rows, strict=True))
    )


def _draw_noise(place: Array, low: Array, high: Array) -> list[Series]:
    """The noise of the simulation around each line, of places in ascending order."""
    return [
        areas("noise of the simulation" if k == 0 else "", LINES[k], [(place, *ends)])
        for k, ends in enumerate(zip(low, high, strict=True))
    ]


def _draw_sweeps(
    cube: xr.Dataset, part: xr.Dataset, along: str, x: str, place: Array, y_range: tuple[float, float]
) -> list[Series]:
    """Over numbers of bins, an upright line for each line at the mean number that its sweep chose."""
    if x != "bins" or "sweep_bins" not in cube:
        return []
    if along == "estimator":
        chosen = part.sweep_bins
    else:
        is_uniform = str(part.estimator.item()).startswith(UNIFORM.name)
        sweep = Sweep((UNIFORM if is_uniform else EQUAL_MASS).name).name
        if sweep not in cube.estimator.values:
            return []
        chosen = cube.sweep_bins.sel(estimator=sweep)
    least, most = place.min(), place.max()
    upright: list[Series] = []
    for k, count in enumerate(np.log2(np.ravel(chosen.values))):
        if least <= count <= most:
            name = "bins that a sweep chose" if not upright else ""
            upright.append(Series(name, LINES[k], "line", np.array([count, count]), np.array(y_range)))
    return upright


def _label_axis(x: str) -> str:
    return {"n": "samples", "bins": "bins", "tce": "true calibration error"}[x]
