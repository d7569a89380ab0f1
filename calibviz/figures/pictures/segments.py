"""The table of segments: those that are shown to be off first, each with its gap on one axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

from ...data.nouns import SAMPLES, Nouns
from ...decisions.by_segment.flagged_segments import (
    ALL_OFF,
    OF_ALL,
    ROUNDING,
    FlaggedSegment,
    flagged_segments,
    sure_gap,
)
from ...foundation.marked import off, strong
from ...foundation.written import UNKNOWN, chosen_percent, interval, of_hundred, p_value, signed_points, with_minus
from ..segment_names import SegmentName, name_of
from ..table_checks import table_of
from ..tables import Cell, Column, Opened, Strip, Table

MOST_SEGMENTS = 12
ROOM = 0.04  # of the axis beyond what it shows
STEPS = (1, 2, 5, 10, 20, 50)  # points between two ticks
MOST_TICKS = 7
SIDES = "← predicted too high", "predicted too low →"
UNLIKE = "unlike the others"
AS_ALL = "as {}"
MAY_BE_RIGHT = "may be right"  # where the others are off
NOT_DRAWN = "No labels were drawn (n=0): which segments are beyond noise is not known."
COLUMNS = (
    "gap", "score", "target", "lower", "upper", "lower_of_all", "upper_of_all", "count", "p_adjusted", "p_unlike",
    "n_fields",
)  # fmt: skip  # short entries stand in rows
GROUP = Column("segment", "A value of a field, or a range that holds a part of them")
GAP = (
    "Observed less predicted, in percentage points. Thick line: the {} interval of this segment alone (Clopper and "
    "Pearson 1934); thin line: of all segments at once (Bonferroni); filled: it misses 0"
)
SAID = Column("predicted", "The mean score: what is predicted on average, of 100")
FOUND = Column("observed", "What is observed, of 100")
APART = (
    "Whether a curve that is fitted to all does not explain the segment either (adjusted p, with the curve fitted anew "
    "to each draw; Westfall and Young 1993). Where one segment is far off, others may be unlike the curve that it bends"
)


def segments_table(table: Any, most: int = MOST_SEGMENTS, nouns: Nouns = SAMPLES) -> Table:
    """Observed less predicted of each segment on one axis, with an interval; what is beyond noise is marked.

    Parameters
    ----------
    table : xarray.Dataset
        What `segments` returns.
    most : int
        The number of segments to draw, from the first of the table on; all samples are no segment.
    nouns : Nouns
        What samples are called.
    """
    table = table_of(table, "table", "segments", dict.fromkeys(COLUMNS, ("segment",)))
    shown = table.isel(segment=np.flatnonzero(table.n_fields.values > 0)[:most])
    flagged, level = flagged_segments(table), float(table.attrs["level"])
    low, high, ticks = _axis(shown)
    gap = Column("gap", GAP.format(chosen_percent(level)), ticks=ticks, sides=SIDES)
    columns = (GROUP, gap, SAID, FOUND, Column(nouns.many), Column("", APART))
    first = next((one.segment for one in flagged if one.is_news and not one.cancels), None)
    is_by_curve = bool(table.attrs[ALL_OFF])
    rows, opened, overlaps = [], [], _overlaps(flagged)
    for i in range(shown.sizes["segment"]):
        row = shown.isel(segment=i)
        segment, count = str(row.segment.item()), float(row["count"])
        name = SegmentName.of(str(row.words.item()), str(row.selection.item()), int(row.n_fields))
        is_off = _is_beyond(row)
        predicted, observed = of_hundred(float(row.score), float(row.target), are_apart=is_off)
        ends = " to ".join(of_hundred(float(row.lower), float(row.upper)))
        look: Any = "off" if is_off else ""
        rows.append(
            (
                Cell(name.name, bold=True, aside=name.field, why=str(row.selection.item())),
                _gap(row, low, high, level, segment == first),
                Cell(predicted, numbers=(("predicted", float(row.score)),)),
                Cell(observed, look=look, bold=is_off, why=ends, numbers=(("observed", float(row.target)),)),
                Cell(f"{count:,.0f}", numbers=(("count", count),)),
                _tag(row, nouns, table.attrs["n"], is_by_curve, 1 - level),
            )
        )
        said = f"of 100: {predicted} predicted, {observed} observed ({ends})"
        actions = f"Look at these {count:,.0f}", "Set against the rest", f"List the {nouns.many}"
        opened.append(Opened(overlaps.get(segment, ""), actions, said))
    total = _searched(table)
    many = f"{len(rows)} of {total}" if len(rows) < total else f"{total}"
    alt = f"{many} segments: those that are shown to be off first, then the others by what their noise leaves."
    return Table(
        "segments", "", columns, tuple(rows), alt, _legend(table, nouns), clickable="rows", at_once=MOST_SEGMENTS,
        opened=tuple(opened),
    )  # fmt: skip  # short entries stand in rows


def _searched(table: xr.Dataset) -> int:
    """How many segments there are; all samples are none."""
    return int((table.n_fields.values > 0).sum())


def _axis(shown: xr.Dataset) -> tuple[float, float, tuple[tuple[float, str], ...]]:
    """The ends of the axis of all gaps, which holds every interval: a cut line would look like one that ends there."""
    ends = {side: (shown[f"{side}_of_all"] - shown.score).values for side in ("lower", "upper")}
    low = min(0.0, float(np.nanmin(ends["lower"], initial=-0.01)))
    high = max(0.0, float(np.nanmax(ends["upper"], initial=0.01)))
    room = ROOM * (high - low)
    low, high = low - room, high + room
    step = next((step for step in STEPS if 100 * (high - low) / step <= MOST_TICKS), STEPS[-1])
    at = range(math.ceil(100 * low / step), math.floor(100 * high / step) + 1)
    return low, high, tuple(((step * k / 100 - low) / (high - low), _tick(step * k)) for k in at)


def _tick(points: int) -> str:
    return with_minus(f"{points:+d}") if points else "0"


def _is_beyond(row: xr.Dataset) -> bool:
    """Whether the gap of a segment is beyond noise, looking at all at once: by it marks are filled, numbers orange."""
    return bool(sure_gap(*(row[name].values for name in OF_ALL)))


def _gap(row: xr.Dataset, low: float, high: float, level: float, is_first: bool) -> Cell:
    """Observed less predicted on the axis, with both of its intervals."""
    score = float(row.score)
    lower, gap, upper = (float(row[end]) - score for end in ("lower", "target", "upper"))
    outer = float(row.lower_of_all) - score, float(row.upper_of_all) - score

    def place(at: float) -> float:
        return min(1.0, max(0.0, (at - low) / (high - low)))

    strip = Strip(
        place(lower),
        place(gap),
        place(upper),
        place(0.0),
        not _is_beyond(row),
        of="stands" if is_first and _is_beyond(row) else "before",
        outer=(place(outer[0]), place(outer[1])),
        is_first=is_first,
    )
    numbers = ("gap", gap), ("lower", lower), ("upper", upper)
    text = f"{signed_points(gap)}, {chosen_percent(level)} interval {interval(lower, upper, signed=True)}"
    return Cell(text, strip=strip, numbers=numbers)


def _tag(row: xr.Dataset, nouns: Nouns, draws: int, is_by_curve: bool, alpha: float) -> Cell:
    """Whether the segment is unlike the others, with both p-values for those who ask."""
    p, unlike = float(row.p_adjusted), float(row.p_unlike)
    known = [p_value(each, what, draws) for each, what in ((p, "adjusted p"), (unlike, f"{UNLIKE}: p")) if each == each]
    numbers = tuple((name, each) for name, each in (("p_unlike", unlike), ("p_adjusted", p)) if each == each)
    if np.isnan(unlike):
        return Cell("…" if draws and np.isnan(p) else UNKNOWN, why=", ".join(known), numbers=numbers)
    is_unlike, is_off = unlike <= alpha + ROUNDING, p <= alpha + ROUNDING and not is_by_curve
    holds = float(row.lower) <= float(row.score) <= float(row.upper)
    look: Any = "off" if is_unlike and _is_beyond(row) else ""
    text = AS_ALL.format(nouns.whole) if not is_unlike else MAY_BE_RIGHT if holds and is_by_curve else UNLIKE
    below = "off in parts" if is_off and holds else ""
    return Cell(text, look=look, below=below, faint=text != UNLIKE, why=", ".join(known), numbers=numbers)


def _legend(table: xr.Dataset, nouns: Nouns) -> str:
    """How the marks are read, in sentences."""
    level, count = float(table.attrs["level"]), _searched(table)
    if not table.attrs["n"]:
        return NOT_DRAWN
    right = f" {MAY_BE_RIGHT.capitalize()}: not as the others, but its own thick line holds 0."
    return (
        f"Thick line: {chosen_percent(level)} for this segment alone. Thin line: {chosen_percent(level)} for all "
        f"{count:,} at once; filled: it misses 0. {UNLIKE.capitalize()}: still off once {nouns.whole} are recalibrated "
        f"together (p < {1 - level:.3g} over all).{right if table.attrs[ALL_OFF] else ''}"
    )


def _overlap(one: FlaggedSegment, holder: str) -> str:
    """How many of its samples a segment shares with one above it, and what is true of the others."""
    if one.rest is None:
        return strong(f"All of these {one.count:,.0f} are in {holder}.")
    rest = one.rest
    predicted, observed = of_hundred(rest.predicted, rest.observed, are_apart=rest.is_beyond)
    low, high = of_hundred(rest.lower, rest.upper)
    found = f"predicted {predicted}, observed {off(observed) if rest.is_beyond else observed} ({low} to {high})"
    return (
        f"{strong(f'{one.shared:,.0f} of these {one.count:,.0f} are in {holder}.')} The other {rest.count:,.0f}: "
        f"{found}, {'beyond' if rest.is_beyond else 'within'} noise."
    )


def _overlaps(shown: tuple[FlaggedSegment, ...]) -> dict[str, str]:
    """Marked sentences on the segments that share most of their samples with one before them, by segment."""
    names = {one.words: name_of(one).sentence for one in shown}
    return {one.segment: _overlap(one, names.get(one.shared_with, one.shared_with)) for one in shown if one.shared_with}
