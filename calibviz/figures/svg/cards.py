"""Small pictures beside the answers to the three questions: each is the answer itself, readable without a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...foundation.written import chosen_percent
from ..markup import Markup, tag
from ..records import Figure, Series
from ..styles import BLUE, GREEN, GREY, VERMILION, VERMILION_TEXT, tone
from .small import NO_PICTURE, Axis, digits, line, pair, small_svg

WIDTH, HEIGHT, FLAT = 200, 106, 88  # pixels, the last of what stands beside two lines of text
SIDE, DOT = 10, 3.8  # dots of a side of the square of 100, and the radius of one
STEP = 10.4  # from dot to dot
TEXT = "currentColor"
NAMES = (("act on all", 60), ("all", 18))  # of a curve, the longest that has room, and the pixels that each takes
BESIDE, NEAR = 6, 8  # pixels beside its curve; places that are tried
HELD = ("acting", "threshold")  # roles of the threshold, which has a line of its own here
MOST_ROWS = 5  # segments before and after


@dataclass(frozen=True)
class Moved:
    """A segment with its gap before and after recalibration, and whether the first is beyond noise."""

    name: str
    before: float
    after: float
    is_beyond: bool


def hundred(predicted: int, observed: int) -> Markup:
    """Hundred dots: as many as were predicted, and how many more or fewer were observed, in the colour of that."""
    fewer, more = sorted((predicted, observed))
    dots = []
    for i in range(SIDE * SIDE):
        row, column = divmod(i, SIDE)
        is_apart = fewer <= i < more
        colour = tone(BLUE if i < fewer else VERMILION if is_apart else GREY)
        is_filled = i < fewer or (is_apart and observed > predicted)
        place = {"cx": digits(5 + STEP * column), "cy": digits(HEIGHT - 6 - STEP * row)}
        dots.append(tag("circle", **place, r=DOT, fill=colour if is_filled else "none", stroke=colour, stroke_width=1))
    left = STEP * SIDE + 8
    texts = [_text(f"{predicted} predicted", left, HEIGHT - 4, tone(BLUE), bold=True)]
    if more > fewer:
        how = "more" if observed > predicted else "fewer"
        top = HEIGHT - 6 - STEP * (more // SIDE - 1)
        texts += [
            _text(f"{more - fewer} {how}", left, top, tone(VERMILION_TEXT), bold=True),
            _text("than predicted", left, top + 15, tone(VERMILION_TEXT)),
        ]
        if predicted == more:  # its name would stand where the difference does
            texts[0] = _text(f"{predicted} predicted", left, 10, tone(GREY), bold=True)
            texts[1:] = [
                _text(f"{more - fewer} {how}", left, 30, tone(VERMILION_TEXT), bold=True),
                _text("than predicted", left, 45, tone(VERMILION_TEXT)),
                _text(f"{observed} observed", left, HEIGHT - 4, tone(BLUE), bold=True),
            ]
    # Where there is room for the dots alone, a page cuts off the words.
    return small_svg(*dots, *texts, height=HEIGHT, width=WIDTH, class_="hundred", preserveAspectRatio="xMinYMid slice")


def benefit_lines(figure: Figure, threshold: float) -> Markup:
    """The lines of a decision curve named at their ends, with the threshold."""
    drawn = [series for series in figure.series if "line" in series.shape and len(series.x) and series.role not in HELD]
    x = Axis(*figure.x_range, 1.0, WIDTH - 46.0)
    low = min(0.0, figure.y_range[0])
    y = Axis(low, figure.y_range[1], FLAT - 3.0, 16.0)
    parts: list[Markup] = []
    for series in drawn:
        parts.append(line(series, x, y))
        if series.role == "reference":
            parts.append(_name_of_all(series, drawn, threshold, x, y))
        if series.role == "before":
            end = y.place(max(low, float(series.y[-1])))
            parts.append(_text("model", x.stop + 4, min(FLAT - 6.0, end + 4), tone(BLUE), bold=True))
    at = digits(x.place(threshold))
    parts.append(tag("line", x1=at, x2=at, y1=14, y2=FLAT - 2, stroke=tone(VERMILION), stroke_width=1.5))
    parts.append(_text(chosen_percent(threshold), x.place(threshold) + 4, 12, tone(VERMILION_TEXT), bold=True))
    return small_svg(*parts, height=FLAT, width=WIDTH)


def _name_of_all(everybody: Series, drawn: Sequence[Series], threshold: float, x: Axis, y: Axis) -> Markup:
    """The name of the curve of acting on all, the longest with a place beside it through which no line goes."""
    lines = [(x.place(at), y.place(level)) for series in drawn for at, level in zip(series.x, series.y, strict=True)]
    upright = [(x.place(threshold), level) for level in np.linspace(y.stop, y.start, 5 * NEAR)]
    across, level = np.array([*lines, *upright]).T
    for name, room in NAMES:
        tries = []
        for height in np.linspace(0.1, 0.6, NEAR):
            i = int(np.abs(everybody.y - height * y.high).argmin())
            at, base = x.place(float(everybody.x[i])), y.place(float(everybody.y[i])) + 4
            for start in (at - BESIDE - room, at + BESIDE):
                on = (across > start - 2) & (across < start + room) & (level > base - 11) & (level < base + 3)
                out = start < 0 or start + room > x.stop
                tries.append((out, int(on.sum()), start, base))
        out, on_lines, start, base = min(tries)
        if not (out or on_lines):
            return _text(name, start, base, tone(GREY))
    return NO_PICTURE


def before_and_after(rows: Sequence[Moved]) -> Markup:
    """The gaps of segments before recalibration, dots, and after it, squares, beside no gap; nothing of no segments.

    They are green where the gap gets smaller.
    """
    if not rows:
        return NO_PICTURE
    shown = rows[:MOST_ROWS]
    reach = max(max(abs(row.before), abs(row.after)) for row in shown) or 1.0
    low, high = (min(0.0, *(gap for row in shown for gap in (row.before, row.after))), reach)
    x = Axis(min(low, -0.15 * reach), high, 102.0, WIDTH - 8.0)
    middle, step = x.place(0.0), (FLAT - 20) / max(4, len(shown))
    bottom = step * len(shown) + 2
    origin = tag("line", x1=digits(middle), x2=digits(middle), y1=2, y2=digits(bottom), stroke=tone(GREY))
    parts: list[Markup] = [origin, _text("no gap", middle, bottom + 13, tone(GREY), anchor="middle")]
    for i, row in enumerate(shown):
        at, here, there = step * (i + 0.5) + 1, x.place(row.before), x.place(row.after)
        moved = tone(GREEN if abs(row.after) < abs(row.before) else GREY)
        name = row.name if len(row.name) <= 13 else f"{row.name[:12].rstrip()}…"
        parts += [
            _text(name, 92, at + 4, TEXT, anchor="end"),
            tag("path", d=f"M{pair(here, at)}H{digits(there)}", stroke=moved, stroke_width=1.5),
            tag("circle", cx=digits(here), cy=digits(at), r=4, fill=tone(VERMILION if row.is_beyond else BLUE)),
            tag("rect", x=digits(there - 4), y=digits(at - 4), width=8, height=8, fill=moved),
        ]
    return small_svg(*parts, height=FLAT, width=WIDTH)


def _text(text: str, x: float, y: float, colour: str, bold: bool = False, anchor: str | None = None) -> Markup:
    look: dict[str, Any] = {"font_size": 12, "fill": colour, "font_weight": 700 if bold else None}
    return tag("text", text, x=digits(x), y=digits(y), text_anchor=anchor, **look)
