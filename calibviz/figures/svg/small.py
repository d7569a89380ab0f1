"""Small pictures for cards and tables: lines, and strips of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...uncertainty.noise_floors import Beside
from ..markup import Markup, tag
from ..records import Series
from ..styles import BLUE, GREEN, GREY, STYLES, VERMILION, tone
from ..tables import Strip

DASHES = {"solid": None, "dashed": "6 4", "dotted": "2 3", "dash_dotted": "6 3 2 3"}
STRIP_COLOURS = {"before": BLUE, "after": GREEN, "stands": VERMILION, "unjudged": GREY}
WIDTH = 150  # pixels of a small picture
ROW = 14  # pixels of a strip
MARGIN, RADIUS, SQUARE, DIAMOND = 5, 4, 3.5, 5.5
THIN_DASHES = {"dashed": "4 2", "dotted": "1 2", "dash_dotted": "4 2 1 2"}
HEADROOM = 1.15  # what the scale of errors reaches to, in multiples of the largest of them
NO_PICTURE = Markup()
BACK = "var(--calibviz-back, #fff)"


@dataclass(frozen=True)
class Axis:
    """A range of numbers on a stretch of the picture, from `start` to `stop`."""

    low: float
    high: float
    start: float
    stop: float

    def place(self, value: float) -> float:
        """Where a value stands in the picture."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)


def digits(value: float) -> str:
    """A place in the picture, with one digit where it needs one."""
    return f"{value:.1f}".removesuffix(".0")


def pair(x: float, y: float) -> str:
    """Two of them."""
    return f"{digits(x)} {digits(y)}"


def path(series: Series, x: Axis, y: Axis, closed: bool = False) -> str:
    """The path through the points of a series; it is interrupted at points that are nan."""
    known = np.isfinite(series.x) & np.isfinite(series.y)
    pieces = np.flatnonzero(np.diff(known, prepend=False, append=False)).reshape(-1, 2).tolist()
    places = zip(series.x.tolist(), series.y.tolist(), strict=True)
    points = [pair(x.place(at), y.place(level)) for at, level in places]
    return "".join(f"M{'L'.join(points[start:stop])}{'z' if closed else ''}" for start, stop in pieces)


@dataclass(frozen=True)
class NoisyError:
    """An error and what stands beside it, before or after recalibration."""

    error: float
    beside: Beside
    of: Literal["before", "after"] = "before"

    def ends(self) -> tuple[float, float]:
        """The ends of the interval of the true error; the error itself where there is none to be shown."""
        interval = None if self.beside.is_vague else self.beside.interval
        return (self.error, self.error) if interval is None else (interval.lower, interval.upper)


def noise_strips(*errors: NoisyError) -> Markup:
    """Errors on one scale, one below the other; nothing as long as a noise floor is not known."""
    shown = strips_of(errors)
    known = [strip for strip in shown if strip is not None]
    return strips(known) if len(known) == len(shown) else NO_PICTURE


def strips_of(errors: Sequence[NoisyError]) -> list[Strip | None]:
    """Return strips of errors on one scale from 0: grey as far as noise reaches, a dot, open within it, and a line.

    None of those whose noise floor is not known.
    """
    floors = [None if each.beside.floor is None else each.beside.floor.reaches for each in errors]
    most = HEADROOM * max(1e-9, *(max(each.error, *each.ends()) for each in errors), *filter(None, floors))
    shown: list[Strip | None] = []
    for each, floor in zip(errors, floors, strict=True):
        low, high = each.ends()
        hollow = each.beside.is_noise(each.error)
        ends = low / most, each.error / most, high / most
        shown.append(None if floor is None else Strip(*ends, floor / most, hollow, 0.0, each.of))
    return shown


def strips(shown: Sequence[Strip]) -> Markup:
    """Draw strips one below the other; readers of screens do not hear of them, as the words beside them suffice."""
    rows = (part for row, strip in enumerate(shown) for part in _strip(strip, ROW * row))
    return small_svg(*rows, height=ROW * len(shown))


def small_svg(*parts: Markup, height: int, width: int = WIDTH, **more: str) -> Markup:
    """A small picture, which readers of screens do not hear of."""
    return tag("svg", *parts, width=width, height=height, viewBox=f"0 0 {width} {height}", aria_hidden="true", **more)


def two_means(predicted: float, observed: float) -> Markup:
    """Draw what is predicted and observed on average, shares of 1, as a dot and a diamond on one line from 0 to 100 %.

    Readers of screens do not hear of it, as the words beside it suffice.
    """
    axis, y, below = Axis(0.0, 1.0, MARGIN, WIDTH - MARGIN), ROW / 2, 2 * ROW - 2
    dot, mark = axis.place(predicted), axis.place(observed)
    words: dict[str, Any] = {"y": digits(below), "font_size": 11, "fill": "currentColor"}
    return small_svg(
        _straight(axis.start, axis.stop, y, y, tone(GREY), 1.5),
        _straight(dot, mark, y, y, tone(BLUE), 2.5),
        tag("circle", cx=digits(dot), cy=digits(y), r=RADIUS, fill=tone(BLUE)),
        tag("path", d=_diamond(mark, y), fill=tone(STYLES["observed"].colour)),
        tag("text", "0", x=0, **words),
        tag("text", "100 %", x=WIDTH, text_anchor="end", **words),
        height=2 * ROW,
    )


def _strip(strip: Strip, top: float) -> tuple[Markup, ...]:
    axis, colour, grey = Axis(0.0, 1.0, MARGIN, WIDTH - MARGIN), tone(STRIP_COLOURS[strip.of]), tone(GREY)
    low, value, high, middle = (axis.place(place) for place in (strip.low, strip.value, strip.high, strip.middle))
    y = top + ROW / 2
    noise: tuple[Markup, ...] = ()
    if strip.origin is not None:
        start, edge = axis.place(strip.origin), 1
        size: dict[str, Any] = {"width": digits(middle - start), "height": ROW - 2 * edge}
        noise = (tag("rect", x=digits(start), y=digits(top + edge), **size, fill=grey, opacity=0.4),)
    else:
        edge = 0  # the marks of several strips make one line
    filled: dict[str, Any] = {"fill": BACK if strip.hollow else colour, "stroke": colour, "stroke_width": 2}
    outer: tuple[Markup, ...] = ()
    if strip.outer is not None:
        start, stop = map(axis.place, strip.outer)
        outer = (_straight(start, stop, y, y, colour, 1.0),)
    dot = tag("circle", cx=digits(value), cy=digits(y), r=RADIUS, **filled)
    if strip.of == "after":
        side = 2 * SQUARE
        dot = tag("rect", x=digits(value - SQUARE), y=digits(y - SQUARE), width=side, height=side, **filled)
    if strip.is_first:
        dot = tag("path", d=_diamond(value, y), **filled)
    return (
        *noise,
        *outer,
        _straight(axis.start, axis.stop, y, y, grey, 0.5),
        _straight(middle, middle, top + edge, top + ROW - edge, grey, 1.0),
        _straight(low, high, y, y, colour, 2.5),
        dot,
    )


def _diamond(x: float, y: float) -> str:
    corners = ((x, y - DIAMOND), (x + DIAMOND, y), (x, y + DIAMOND), (x - DIAMOND, y))
    return f"M{'L'.join(pair(*corner) for corner in corners)}z"


def _straight(x1: float, x2: float, y1: float, y2: float, colour: str, width: float) -> Markup:
    ends = {"x1": digits(x1), "x2": digits(x2), "y1": digits(y1), "y2": digits(y2)}
    return tag("line", **ends, stroke=colour, stroke_width=width)


def line(series: Series, x: Axis, y: Axis) -> Markup:
    """The line of a series, as thin as a small picture needs it."""
    style = STYLES[series.role]
    return tag(
        "path", d=path(series, x, y), fill="none", stroke=tone(style.colour), stroke_width=min(style.width, 1.8),
        stroke_dasharray=THIN_DASHES.get(style.dash),
    )  # fmt: skip  # short entries stand in rows
