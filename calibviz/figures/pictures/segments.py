"""The picture of the gaps of segments with their intervals, those that are shown to be off first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.written import chosen_percent, counted, p_value, percent, signed_points
from ..records import Figure, Series
from ..shapes import around, known_only, nothing, separated
from ..table_checks import table_of

MOST_SEGMENTS = 20
COLUMNS = ("gap", "score", "lower", "upper", "count", "p_adjusted")


def segments_figure(table: Any, most: int = MOST_SEGMENTS) -> Figure:
    """Mean target less mean score of each segment, with an interval; segments beyond noise are marked.

    Parameters
    ----------
    table : xarray.Dataset
        What `segments` returns.
    most : int
        The number of segments to draw, from the first of the table on.
    """
    table = table_of(table, "table", "segments", dict.fromkeys(COLUMNS, ("segment",)))
    level, draws, total = table.attrs["level"], table.attrs["n"], table.sizes["segment"]
    table = table.isel(segment=slice(most))
    names = [str(name) for name in table.coords.get("words", table.segment).values]
    place = np.arange(len(names), dtype=np.float64)[::-1]
    gap, p = table.gap.values, table.p_adjusted.values
    lower, upper = (table[end].values - table.score.values for end in ("lower", "upper"))
    known = np.isfinite(lower) & np.isfinite(upper)
    beyond = p <= 1 - level + 1e-12

    def adjusted(q: float) -> str:
        return "" if np.isnan(q) else p_value(q, "adjusted p", draws)

    hints = [
        ", ".join(filter(None, (f"{name}: {signed_points(g)}", counted(n), adjusted(q))))
        for name, g, n, q in zip(names, gap, table["count"].values, p, strict=True)
    ]
    span = place[[0, -1]] + (0.5, -0.5)
    interval = nothing("interval", "line")
    if known.any():
        x, y = separated(lower[known], upper[known]), separated(place[known], place[known])
        interval = Series(f"{chosen_percent(level)} interval", "interval", "line", x, y)
    tested = np.isfinite(p).any()
    note = "" if tested else "No labels were drawn (n=0): which segments are beyond noise is not known."
    if tested and (beyond & (lower <= 0) & (upper >= 0)).any():
        note = "Where the interval of a segment beyond noise holds 0, its errors cancel: read its reliability diagram."
    shown = f"{len(names)} of {total} segments" if len(names) < total else f"{total} segments"
    summary, first = "without a test of which are beyond noise", "The first is"
    if tested:
        summary = "those that are shown to be off first: "
        summary += f"{int(beyond.sum())} of them beyond noise after correction for looking at all"
        first = "The largest gap shown is that of" if beyond[0] else "The first is"
    return Figure(
        "segments",
        "Observed less predicted, by segment",
        "gap: observed less predicted",
        "",
        (
            Series("no gap", "level", "line", np.zeros(2), span),
            interval,
            _draw_dots(
                f"beyond noise ({p_value(1 - level, 'adjusted p').replace('=', 'up to')})",
                "stands",
                gap,
                place,
                hints,
                beyond,
            ),
            _draw_dots("within noise" if tested else "gap", "within", gap, place, hints, ~beyond),
        ),
        f"{shown}, {summary}. {first} {names[0]}: {percent(float(gap[0]))}.",
        around(lower, upper, gap, 0.0),
        (float(place[-1]) - 0.5, float(place[0]) + 0.5),
        note=note,
        x_in_percent=True,
        y_ticks=tuple(zip(place.tolist(), names, strict=True)),
    )


def _draw_dots(name: str, role: Any, x: np.ndarray, y: np.ndarray, hints: list[str], kept: np.ndarray) -> Series:
    kept = kept & np.isfinite(x)
    if not kept.any():
        return known_only("", role, "dots", x[kept], y[kept])
    return Series(name, role, "dots", x[kept], y[kept], tuple(np.array(hints, dtype=object)[kept]))
