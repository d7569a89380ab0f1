"""Grouped bars of a cube: an error by lens and calibrator, or by any two of its dimensions (gece figures 1, 3, 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..cube.metrics import metrics_in
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.written import chosen_percent, in_unit
from .records import Figure, Grid, Role, Series, Shape
from .shapes import around, bars, joined, known_only, nothing, over_trials, ticks, up_to
from .table_checks import table_of

HUES: tuple[Role, ...] = ("bar 1", "bar 2", "bar 3", "bar 4", "bar 5", "bar 6")
#: Of models and of whatever else is no calibrator: without green, and in the order of what is drawn over a model.
OTHER_HUES: tuple[Role, ...] = ("bar 1", "bar 3", "bar 4", "bar 5", "bar 7", "bar 6")
MOST_HUES = 2 * len(HUES)  # filled ones, and after them outlines of the same colours
NOISE = "noise limit: 95 of 100 calibrated models stay below"
MOST_LETTERS = 30  # of names that fit side by side below a picture as narrow as a telephone
WIDE = 0.8  # of the room of a group: its bars


def bars_figure(cube: Any, metric: str, x: str = "lens", hue: str | None = "calibrator", over: str = "trial") -> Figure:
    """Draw a bar for each label of two dimensions, with error bars, and a mark where noise ends.

    Parameters
    ----------
    cube : xarray.Dataset
        What `evaluate` returns, with one label of every other dimension.
    metric : str
        A variable of it.
    x, hue : str
        Dimensions: the groups of bars, and the bars of a group. Without a hue there is one bar in each.
    over : str
        The dimension of repeated trials, if there is one: a bar is their mean, an error bar their standard deviation.
        Else error bars are the intervals of the true error that the cube holds, else the quantiles of its bootstrap.
    """
    metrics = metrics_in(table_of(cube, "cube", "evaluate", {}))
    record = metrics[validation.choice(metric, "metric", tuple(metrics))]
    dims = tuple(map(str, cube[metric].dims))
    validation.choice(x, "x", dims)
    if hue is not None:
        validation.choice(hue, "hue", tuple(dim for dim in dims if dim != x))
    if validation.text(over, "over") != "trial" or over in dims:
        validation.choice(over, "over", tuple(dim for dim in dims if dim not in (x, hue)))
    refuse_many(cube, hue, MOST_HUES)
    read = GroupedValues.of(cube, metric, x, hue, over)
    title = f"{record.title} by {x}" + ("" if hue is None else f" and {hue}")
    frame = "bars", title, x, record.definition.partition(",")[0]
    return _grouped(frame, metric, read, record.unit == "%", read.notes, HUES if hue == "calibrator" else OTHER_HUES)


def refuse_many(cube: xr.Dataset, hue: str | None, most: int) -> None:
    """Raise where a dimension has more labels than a picture has colours."""
    if hue is not None and cube.sizes[hue] > most:
        raise ValueError(f"hue has {cube.sizes[hue]} labels, but a picture tells {most} apart: choose some with .sel")


@dataclass(frozen=True, eq=False)
class GroupedValues:
    """Values over two dimensions, such as those of a metric in a cube, with what is known of their noise.

    Arrays have the shape (groups, hues), and are nan where nothing is known.
    """

    groups: list[str]  # labels of one dimension
    hues: list[str]  # those of the other; without one ""
    height: Array
    lower: Array  # ends of error bars
    upper: Array
    noise: Array  # noise floors
    named: str  # what the error bars are; empty where there are none

    @property
    def notes(self) -> list[str]:
        """The note of a picture on error bars that it does not have."""
        return [] if self.named else ["No error bars: the cube holds neither trials nor intervals nor a bootstrap."]

    def name_of(self, i: int, j: int) -> str:
        """The name of a value: its group and its hue."""
        return ", ".join(filter(None, [self.groups[i], self.hues[j]]))

    @classmethod
    def of(cls, cube: xr.Dataset, metric: str, x: str, hue: str | None, over: str) -> GroupedValues:
        """Read them from a cube that has a single label of every dimension but x, hue and over."""

        def column(name: str, **chosen: Any) -> Array:
            """The values over trials, groups and hues, trials first."""
            values = cube[name].sel(chosen) if chosen else cube[name]
            if several := [dim for dim in values.dims if values.sizes[dim] > 1 and dim not in (x, hue, over)]:
                raise ValueError(
                    f"x, hue and over leave several of {several[0]!r} in cube: choose one with .sel({several[0]}=...)"
                )
            values = values.squeeze([dim for dim in values.dims if dim not in (x, hue, over)])
            values = values.expand_dims([dim for dim in (over, hue or "hue") if dim not in values.dims])
            return np.asarray(values.transpose(over, x, hue or "hue").values, dtype=np.float64)

        values = column(metric)
        height, spread = over_trials(values)
        unknown = np.full(height.shape, np.nan)
        noise = column(f"{metric}_noise").mean(axis=0) if f"{metric}_noise" in cube else unknown
        ends, named = (unknown, unknown), ""
        if len(values) > 1:
            ends, named = (height - spread, height + spread), f"± std of {len(values)} trials"
        elif f"{metric}_lower" in cube:
            ends = column(f"{metric}_lower")[0], column(f"{metric}_upper")[0]
            level = cube[f"{metric}_lower"].attrs.get("level")
            named = "interval" if level is None else f"{chosen_percent(level)} interval of the true error"
        elif f"{metric}_quantile" in cube and cube.sizes.get("quantile", 1) > 1:
            least, most = float(cube["quantile"].min()), float(cube["quantile"].max())
            ends = column(f"{metric}_quantile", quantile=least)[0], column(f"{metric}_quantile", quantile=most)[0]
            named = f"{chosen_percent(least)} to {chosen_percent(most)} of bootstrap samples"
        return cls(_labels(cube, x), [""] if hue is None else _labels(cube, hue), height, *ends, noise, named)


def grid_bars(grid: Grid) -> tuple[Figure, ...]:
    """The rows of a grid as groups of bars, one bar a column, with intervals and noise floors: a picture for each unit.

    In percent where the unit is "%": the values of the grid are then hundredfold.
    """
    if len(grid.columns) > MOST_HUES:
        raise ValueError(f"grid has {len(grid.columns)} columns, but a picture tells {MOST_HUES} apart")
    units = grid.units or ("",) * len(grid.rows)
    of_column = np.arange(len(grid.columns))
    drawn = []
    for unit in dict.fromkeys(units):
        kept = [i for i, other in enumerate(units) if other == unit]
        factor = 0.01 if unit == "%" else 1.0
        values, lower, upper, floors = (
            np.full((len(kept), len(grid.columns)), np.nan) if table is None else factor * table[kept]
            for table in (grid.values, grid.lower, grid.upper, grid.floors)
        )
        names = [grid.rows[i] for i in kept]
        label = {"%": "error", "nat": "nats"}.get(unit, "score")
        ending = {"%": "", "nat": "-nats"}.get(unit, "-numbers")
        read = GroupedValues(names, list(grid.columns), values, lower, upper, floors, "95 % interval")
        figure = _grouped((f"{grid.name}-bars{ending}", grid.title, "", label), label, read, unit == "%")
        known = np.isfinite(values)
        series = [
            *(_of_cells(figure.series[j], grid, kept, known & (of_column == j)) for j in of_column),
            figure.series[-2],
            _of_cells(figure.series[-1], grid, kept, np.isfinite(floors)),
        ]
        rest = [
            nothing(HUES[k % len(HUES)], "area" if k < len(HUES) else "line")
            for k in range(len(grid.columns), MOST_HUES)
        ]
        on_axis = [grid.on_axis[i] for i in kept] if grid.on_axis else names
        drawn.append(
            replace(
                figure,
                series=(*series[: len(grid.columns)], *rest, *series[len(grid.columns) :]),
                x_ticks=ticks(on_axis),
                x_is_turned=sum(map(len, on_axis)) > MOST_LETTERS,
            )
        )
    return tuple(drawn)


def _of_cells(series: Series, grid: Grid, kept: list[int], known: NDArray[np.bool_]) -> Series:
    """The series of the known cells of the kept rows, with the hint of each dot or bar, and its cell."""
    cells = tuple((kept[i], int(j)) for i, j in np.argwhere(known))
    return replace(
        series,
        hints=tuple(_cell_hint(grid, *cell) for cell in cells),
        cells=cells,
        classes=tuple(grid.classes[i] for i, _ in cells) if grid.classes else (),
    )


def _cell_hint(grid: Grid, i: int, j: int) -> str:
    """Return the hint of a cell of a grid, line by line: its name, the number, its interval, and the noise floor."""
    unit = grid.units[i] if grid.units else ""
    digits, name = {"%": (".2f", " %"), "nat": (".4f", " nats")}.get(unit, (".4f", ""))
    value, low, high, floor = (
        np.nan if table is None else float(table[i, j]) for table in (grid.values, grid.lower, grid.upper, grid.floors)
    )
    lines = [f"{grid.rows[i]}, {grid.columns[j]}: {value:{digits}}{name}"]
    if np.isfinite([low, high]).all():
        lines.append(f"95 % interval {low:{digits}} to {high:{digits}}{name}")
    if np.isfinite(floor):
        lines.append(f"{NOISE} {floor:{digits}}{name}")
    return "\n".join(lines)


def _grouped(
    frame: tuple[str, str, str, str],
    metric: str,
    read: GroupedValues,
    in_percent: bool,
    notes: Sequence[str] = (),
    roles: Sequence[Role] = HUES,
) -> Figure:
    """Grouped bars: name, title and labels of the axes; the name of what is measured, and its values."""
    groups, hues, height = read.groups, read.hues, read.height
    width = WIDE / len(hues)
    place = np.arange(len(groups))[:, None] + width * (np.arange(len(hues)) - (len(hues) - 1) / 2)
    drawn = [
        _bars(name, roles[k % len(roles)], k < len(roles), place[:, k], height[:, k], width)
        for k, name in enumerate(hues)
    ]
    if unknown := [read.name_of(i, j) for i, j in np.argwhere(~np.isfinite(height))]:
        notes = [*notes, f"Not drawn, as they are infinite or not known: {validation.listed(unknown, most=3)}."]
    ends = bars(read.named, "error bar", place.ravel(), read.lower.ravel(), read.upper.ravel())
    return Figure(
        *frame,
        (*drawn, ends, known_only(NOISE, "noise limit", "dots", place.ravel(), read.noise.ravel())),
        _alt_of(metric, read, in_percent),
        x_range=(-0.5, len(groups) - 0.5),
        y_range=_range(height, read.lower, read.upper, read.noise),
        x_ticks=ticks(groups),
        note=" ".join(notes),
        y_in_percent=in_percent,
    )


def named_bars(
    name: str, title: str, x_label: str, y_label: str, groups: list[str], values: Array, of_calibrators: bool
) -> Figure:
    """One bar for each name, of numbers that have no noise floor."""
    unknown = np.full((len(groups), 1), np.nan)
    read = GroupedValues(groups, [""], values[:, None], unknown, unknown, unknown, "")
    roles = HUES if of_calibrators else OTHER_HUES
    return _grouped((name, title, x_label, y_label), y_label, read, False, roles=roles)


def _labels(cube: xr.Dataset, dim: str) -> list[str]:
    values = cube[dim].values if dim in cube.coords else np.arange(cube.sizes[dim])
    return [str(value) for value in values]


def _bars(name: str, role: Role, filled: bool, place: Array, height: Array, width: float) -> Series:
    """The bars of one hue: outlines, filled for the first ones, with nan between them."""
    shape: Shape = "area" if filled else "line"
    known = np.isfinite(height)
    if not known.any():
        return nothing(role, shape)
    left, right = place[known] - width / 2, place[known] + width / 2
    top, foot = height[known], np.zeros(known.sum())
    x = joined(np.column_stack([left, left, right, right, left]))
    return Series(name, role, shape, x, joined(np.column_stack([foot, top, top, foot, foot])))


def _range(*values: Array) -> tuple[float, float]:
    known = np.concatenate([heights[np.isfinite(heights)] for heights in values] + [np.zeros(1)])
    return up_to(known, room=0.05) if known.min() >= 0 else around(known)


def _alt_of(metric: str, read: GroupedValues, in_percent: bool) -> str:
    """Return the largest and the least bar in words, and how many are within noise."""
    height, noise = read.height, read.noise
    known = np.isfinite(height)
    if not known.any():
        return f"{metric}: not known."

    def named(flat: Any) -> str:
        i, j = divmod(int(flat), len(read.hues))
        return f"{in_unit(float(height[i, j]), '%' if in_percent else '')} ({read.name_of(i, j)})"

    text = f"{metric} of {int(known.sum())} bars, from {named(np.nanargmin(height))} to {named(np.nanargmax(height))}"
    if np.isfinite(noise).any():
        text += f"; {int((height <= noise).sum())} of them are no more than 95 % of calibrated models show"
    return f"{text}."
