"""The table of centres: what each shows, their average, and what to expect of a new one, on one axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from ...data.nouns import SAMPLES, Nouns
from ...foundation.written import chosen_percent, counted, with_minus
from ..table_checks import table_of
from ..tables import Cell, Column, Strip, Table

#: The name, the value where nothing is off, and what lies to both sides of it; of O:E on a scale of ratios.
MEASURES = {
    "observed_expected": ("O:E", 1.0, ("← predicted too high", "predicted too low →")),
    "calibration_intercept": ("intercept", 0.0, ("← predicted too high", "predicted too low →")),
    "calibration_slope": ("slope", 1.0, ("← too extreme", "too timid →")),
}
RATIO = "observed_expected"
TICKS = {
    True: (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0),
    False: (-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0),
}
MOST_SHOWN = {True: (0.1, 10.0), False: (-3.0, 4.0)}  # of the axis; what lies beyond is drawn at its end
FEW = 5
AVERAGE, NEW = "average of centres", "a new centre"
COLUMNS = {
    **dict.fromkeys(("each", "each_lower", "each_upper"), ("measure", "centre")),
    **dict.fromkeys(("estimate", "lower", "upper", "predicted_lower", "predicted_upper"), ("measure",)),
    **dict.fromkeys(("count", "events"), ("centre",)),
}  # fmt: skip  # dimensions stand beside the names
EACH, OF_AVERAGE, OF_NEW = (
    ("each", "each_lower", "each_upper"),
    ("estimate", "lower", "upper"),
    ("estimate", "predicted_lower", "predicted_upper"),
)


def centres_table(table: Any, nouns: Nouns = SAMPLES) -> Table:
    """Each centre with its interval, their average, and a new centre; the first measure of the table has the axis.

    Parameters
    ----------
    table : xarray.Dataset
        What `by_centre` returns.
    nouns : Nouns
        What samples are called.
    """
    table = table_of(table, "table", "by_centre", COLUMNS)
    measures = [str(name) for name in table.measure.values]
    axis = _Axis(table.sel(measure=measures[0]), measures[0])
    level = chosen_percent(float(table.attrs["level"]))
    names = [MEASURES[name][0] for name in measures]
    title = f"{names[0]} of each centre, with its {level} interval; filled: it misses {axis.perfect:g}"
    columns = (
        Column("centre"),
        Column(names[0], title, ticks=axis.ticks, sides=MEASURES[measures[0]][2]),
        *(Column(name, f"With its {level} interval") for name in names),
        Column(nouns.many),
    )
    rows = []
    for centre in table.centre.values:
        one = table.sel(centre=centre)
        count = Cell(f"{float(one['count']):,.0f}", numbers=(("count", float(one["count"])),))
        rows.append(_row(Cell(str(centre), bold=True), one, measures, EACH, axis, count))
    rows.append(_row(Cell(AVERAGE), table, measures, OF_AVERAGE, axis, Cell("")))
    rows.append(_row(Cell(NEW, faint=True), table, measures, OF_NEW, axis, Cell("")))
    alt = f"{counted(table.sizes['centre'], 'centre')}: {names[0]} of each, their average, and what a new one may show."
    left_out = f" Not in the average: {_named(table.attrs['left_out'])}." if table.attrs["left_out"] else ""
    half = f" Half an event was added: {_named(table.attrs['corrected'])}." if table.attrs["corrected"] else ""
    unknown = table.attrs["without_centre"]
    without = f" Without {nouns.counted(unknown)} whose centre is missing." if unknown else ""
    note = (
        f"Thick line: {level} for this centre; diamond: the average (Hartung and Knapp 2001). A new centre: where one "
        f"that is not among these lies in {level} of cases (Higgins, Thompson and Spiegelhalter 2009)."
    )
    note += half + left_out + without
    return Table("centres", "", columns, tuple(rows), alt, note)


def _named(centres: str) -> str:
    """The measures and centres of an attribute, by the names of measures in words."""
    parts = (part.partition(": ") for part in centres.split("; "))
    return "; ".join(f"{MEASURES[measure][0]} of {centre}" for measure, _, centre in parts)


def centres_sentence(table: xr.Dataset) -> str:
    """The average over centres, and what to expect of a new one."""
    measure = str(table.measure.values[0])
    name, one = MEASURES[measure][0], table.isel(measure=0)
    k = int(np.isfinite(one.each.values).sum())
    if k < 2:
        return f"{name} is known in {counted(k, 'centre')}, and an average takes two."
    low, high = float(one.predicted_lower), float(one.predicted_upper)
    new = ""
    if np.isfinite([low, high]).all():
        level = chosen_percent(float(table.attrs["level"]))
        new = f"; a new centre of this kind lies between {_number(low)} and {_number(high)} ({level})"
    few = f" {counted(k, 'centre').capitalize()}: the spread between them is hardly known." if k < FEW else ""
    name = f"observed by expected ({name})" if measure == RATIO else name
    return f"{name} {_with_interval(one, OF_AVERAGE)} on average over {counted(k, 'centre')}{new}.{few}"


class _Axis:
    """The axis of a measure: places from 0 to 1."""

    def __init__(self, one: xr.Dataset, measure: str) -> None:
        _, self.perfect, _ = MEASURES[measure]
        self.is_ratio = measure == RATIO
        least, most = MOST_SHOWN[self.is_ratio]
        shown = np.concatenate([one[name].values.ravel() for of in (EACH, OF_AVERAGE, OF_NEW) for name in of])
        shown = np.clip(shown[np.isfinite(shown)], least, most)
        ends = self._scaled(np.array([min([self.perfect, *shown]), max([self.perfect, *shown])]))
        room = 0.04 * float(np.ptp(ends)) or 0.1
        self.low, self.high = float(ends[0]) - room, float(ends[1]) + room
        places = [(self.place(tick), f"{tick:g}") for tick in TICKS[self.is_ratio]]
        self.ticks = tuple((place, with_minus(text)) for place, text in places if 0 < place < 1)

    def _scaled(self, value: Any) -> Any:
        return np.log(value) if self.is_ratio else value

    def place(self, value: float) -> float:
        least, most = MOST_SHOWN[self.is_ratio]
        at = float(self._scaled(np.clip(np.float64(value), least, most)))
        return min(1.0, max(0.0, (at - self.low) / (self.high - self.low)))


def _row(
    name: Cell, of: xr.Dataset, measures: list[str], ends: tuple[str, str, str], axis: _Axis, count: Cell
) -> tuple[Cell, ...]:
    value, low, high = (float(of.sel(measure=measures[0])[end]) for end in ends)
    drawn = Cell("–")
    if np.isfinite([value, low, high]).all():
        misses = not low <= axis.perfect <= high
        is_new, places = ends == OF_NEW, [axis.place(each) for each in (low, value, high)]
        strip = Strip(
            places[1] if is_new else places[0], places[1], places[1] if is_new else places[2], axis.place(axis.perfect),
            not misses or is_new,
            outer=(places[0], places[2]) if is_new else None, is_first=ends == OF_AVERAGE,
        )  # fmt: skip  # short entries stand in rows
        drawn = Cell(_with_interval(of.sel(measure=measures[0]), ends), strip=strip)
    texts = (
        Cell(_with_interval(of.sel(measure=each), ends, is_new=ends == OF_NEW), faint=ends == OF_NEW)
        for each in measures
    )
    return name, drawn, *texts, count


def _with_interval(one: xr.Dataset, ends: tuple[str, str, str], is_new: bool = False) -> str:
    value, low, high = (float(one[end]) for end in ends)
    if not np.isfinite(value):
        return "–"
    known = np.isfinite([low, high]).all()
    interval = f"{_number(low)} to {_number(high)}" if known else ""
    if is_new:
        return interval or "–"
    return f"{_number(value)} ({interval})" if known else _number(value)


def _number(value: float) -> str:
    return with_minus(f"{value:.2f}") if abs(value) < 100 else with_minus(f"{value:.3g}")
