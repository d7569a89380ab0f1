"""A figure record as an SVG: a group for each series, a title for each dot, colours from the style sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...foundation.written import shortened, with_minus, wrapped
from ..labels import SIDES
from ..markup import Markup, tag
from ..records import BARS, Figure, Label, Role, Run, Series, Shape, Ticks
from ..shapes import widened
from ..styles import NAMES, STYLES, Style
from .small import DASHES, Axis, digits, pair, path

WIDTH, HEIGHT = 460, 350
TOP, RIGHT, BOTTOM = 10, 14, 46
LEVEL_LEFT, PLAIN_LEFT = 34.0, 80.0  # left of pictures that share an axis, whose names stand above or beside them
BARE = 8.0  # below a picture whose axis stands below another
SQUARE, FLAT = 460, 130  # the height of a picture that is about as high as wide, and of one below it
LEVEL_TOP = 24  # below the name of the y axis that stands above it
LINE_HEIGHT, BASELINE = 14.0, 4.0  # of words in a picture, and how far their baseline lies below their middle
CHARACTER = 6.4  # width of a character at the size of the text
LONG_TICKS = 44  # with more characters in all labels of ticks, the labels are turned
LONGEST = 16  # characters of the label of a tick
ROUND = 1e-9
DRAGGED = "handle"  # the role of what a live view moves; a written one has nothing to drag
INHERITED = "currentColor"  # of the text around a swatch
MOST_HINTS = 300  # with more dots, those without hints of their own get none that tell their place
SEEN = 0.5  # pixels of the radius of a dot; a smaller one is there to be pointed at


def drawn(figure: Figure, identity: str, is_flat: bool = False, has_axis_below: bool = False) -> Markup:
    """The picture as an SVG element; its `identity` must be unique on the page.

    A flat one stands below another one, which leaves the axis to it.
    """
    y_ticks = figure.y_ticks or (percent_ticks if figure.y_in_percent else plain_ticks)(*figure.y_range)
    x_ticks = figure.x_ticks or (percent_ticks if figure.x_in_percent else plain_ticks)(*figure.x_range)
    turned = bool(figure.x_ticks) and sum(len(short(text)) + 2 for _, text in x_ticks) > LONG_TICKS
    bottom = (
        BARE
        if has_axis_below
        else BOTTOM + (0.72 * CHARACTER * min(LONGEST, max(len(text) for _, text in x_ticks)) if turned else 0)
    )
    top = LEVEL_TOP if figure.has_level_names and figure.y_label else TOP
    height = (SQUARE if figure.shares_x else FLAT if is_flat else HEIGHT) + round(bottom - BOTTOM)
    beside = [] if figure.has_level_names else wrapped(figure.y_label, int((height - bottom - top) / CHARACTER))
    wide = 2 if figure.y_in_percent else 0  # the percent sign is wider than other characters
    left = 34 + CHARACTER * (wide + max((len(short(text)) for _, text in y_ticks), default=1))
    if figure.shares_x or is_flat:
        left = LEVEL_LEFT if figure.has_level_names else PLAIN_LEFT
    left += LINE_HEIGHT * max(0, len(beside) - 1)
    x = Axis(*widened(figure.x_range), left, WIDTH - RIGHT)
    y = Axis(*widened(figure.y_range), height - bottom, top)
    inside: dict[str, Any] = {"x": left, "y": top, "width": digits(x.stop - left), "height": digits(y.start - top)}
    under: dict[str, Any] = {"x": digits((x.start + x.stop) / 2), "y": digits(height - 6)}
    clip = f"{identity}-inside"
    return tag(
        "svg",
        tag("defs", tag("clipPath", tag("rect", **inside), id=clip)),
        tag("rect", class_="inside", **inside),
        *_marks(x, y, x_ticks, y_ticks, turned, not has_axis_below),
        None if has_axis_below else tag("text", figure.x_label, class_="label", **under),
        *_y_name(figure, beside, y),
        *(_series(series, figure, x, y, clip) for series in figure.series if len(series.x) and series.role != DRAGGED),
        *(_leads(label, x, y) for label in figure.labels if label.about is not None),
        *(_label(label, x, y) for label in figure.labels),
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_label=figure.alt,
        class_="plot",
    )


def _y_name(figure: Figure, beside: Sequence[str], y: Axis) -> Iterator[Markup]:
    """The name of the y axis: beside it, turned, in as many lines as it needs, or above it, level."""
    if figure.has_level_names:
        yield tag("text", figure.y_label, class_="label name", x=0, y=12)
    for i, line in enumerate(beside):
        turned = f"translate({digits(12 + LINE_HEIGHT * i)} {digits((y.start + y.stop) / 2)}) rotate(-90)"
        yield tag("text", line, class_="label", transform=turned)


def _leads(label: Label, x: Axis, y: Axis) -> Markup:
    """The line from words to what they are about."""
    ends = [pair(x.place(across), y.place(up)) for across, up in ((label.x, label.y), label.about or (0.0, 0.0))]
    return tag("path", class_="leads", d="M" + "L".join(ends))


def _label(label: Label, x: Axis, y: Axis) -> Markup:
    """Words in the picture, each line a text of its own."""
    across = digits(x.place(label.x) + SIDES[label.side] * label.apart)
    middle = y.place(label.y) - label.above - LINE_HEIGHT * (len(label.lines) - 1) / 2
    lines = (
        tag(
            "text",
            *(
                tag("tspan", run.text, class_=_run_class(run))
                for run in line
                if not (label.is_on_area and run.is_detail)  # there is no room for it
            ),
            x=across,
            y=digits(middle + LINE_HEIGHT * i + BASELINE),
        )
        for i, line in enumerate(label.lines)
    )
    return tag("g", *lines, class_=f"words {label.side}" + (" on-area" if label.is_on_area else ""))


def _run_class(run: Run) -> str | None:
    named = (NAMES[run.colour] if run.colour else "", "strong" if run.is_strong else "")
    return " ".join(filter(None, named)) or None


def swatch(role: Role, shape: Shape) -> Markup:
    """A small sample of a series, for the legend, in the colour of the text; bars stand upright, as in the picture."""
    style, is_bar = STYLES[role], role in BARS
    wide = 26 if "line" in shape and not is_bar else 14
    edge: dict[str, Any] = {"class_": "line", "fill": "none", "stroke": INHERITED}
    parts = []
    if shape == "area":
        inner: dict[str, Any] = {"x": 1, "y": 2, "width": wide - 2, "height": 10}
        parts.append(tag("rect", class_="area", **inner, fill=INHERITED, fill_opacity=_opacity(style)))
        parts.append(tag("rect", **inner, **edge, **_edge(style)))
    if "line" in shape:
        parts.append(tag("path", d="M7 1V13" if is_bar else f"M1 7H{wide - 1}", **edge, **_stroke(style)))
    if "dots" in shape:
        is_bare = style.marker == "cross" or not style.filled
        look = {"fill": "none", "stroke": INHERITED, "stroke_width": "1.5"} if is_bare else {"fill": INHERITED}
        parts.append(tag("g", _dot(style, wide / 2, 7, 4), **look))
    size: dict[str, Any] = {"width": wide, "height": 14, "viewBox": f"0 0 {wide} 14"}
    return tag("svg", *parts, **size, class_=f"swatch {NAMES[style.colour]}", aria_hidden="true")


def _series(series: Series, figure: Figure, x: Axis, y: Axis, clip: str) -> Markup:
    style = STYLES[series.role]
    parts: list[Markup] = []
    inside = f"url(#{clip})"
    if series.shape == "area":
        outline = path(series, x, y, closed=True)
        parts.append(tag("path", class_="area", d=outline, fill_opacity=_opacity(style), clip_path=inside))
        parts.append(tag("path", class_="line", d=outline, clip_path=inside, **_edge(style)))
    if "line" in series.shape:
        parts.append(tag("path", class_="line", d=path(series, x, y), clip_path=inside, **_stroke(style)))
    if "dots" in series.shape:
        parts += _dots(series, figure, style, x, y)
    return tag("g", *parts, class_=f"series {NAMES[style.colour]}", data_series=series.name or None)


def _dots(series: Series, figure: Figure, style: Style, x: Axis, y: Axis) -> Iterator[Markup]:
    sizes = [0.5 * area**0.5 for area in series.areas or [style.size] * len(series.x)]
    hints = list(series.hints)
    if not hints and series.name and len(series.x) <= MOST_HINTS:
        hints = [
            _place_hint(series, figure, *place) for place in zip(series.x.tolist(), series.y.tolist(), strict=True)
        ]
    for i, (at, level) in enumerate(zip(series.x.tolist(), series.y.tolist(), strict=True)):
        if np.isfinite(at) and np.isfinite(level):
            yield _dot(style, x.place(at), y.place(level), sizes[i], hints[i] if hints else "")


def _place_hint(series: Series, figure: Figure, at: float, level: float) -> str:
    """The hint of a dot: its series and its place."""
    named = [text for place, text in figure.x_ticks if abs(place - at) < 0.5]
    where = named[0] if named else f"{figure.x_label} {figure.x_text(at)}"
    return f"{series.name}: {where}, {figure.y_label} {figure.y_text(level)}"


def _dot(style: Style, x: float, y: float, size: float, hint: str = "") -> Markup:
    title = (tag("title", hint),) if hint else ()
    kind = "dot" if style.filled else "dot hollow"
    if size < SEEN:
        kind += " unseen"
    if style.marker == "circle":
        return tag("circle", *title, class_=kind, cx=digits(x), cy=digits(y), r=digits(size))
    s = 0.886 * size  # so that all markers have nearly the same area
    path = {
        "square": f"M{pair(x - s, y - s)}h{digits(2 * s)}v{digits(2 * s)}h{digits(-2 * s)}z",
        "diamond": f"M{pair(x, y - 1.3 * s)}L{pair(x + 1.3 * s, y)} {pair(x, y + 1.3 * s)} {pair(x - 1.3 * s, y)}z",
        "triangle-up": f"M{pair(x, y - 1.3 * s)}L{pair(x + 1.3 * s, y + s)} {pair(x - 1.3 * s, y + s)}z",
        "triangle-down": f"M{pair(x, y + 1.3 * s)}L{pair(x + 1.3 * s, y - s)} {pair(x - 1.3 * s, y - s)}z",
        "cross": f"M{pair(x, y - 1.3 * s)}V{digits(y + 1.3 * s)}M{pair(x - 1.3 * s, y)}H{digits(x + 1.3 * s)}",
    }[style.marker]
    return tag("path", *title, class_=f"{kind} cross" if style.marker == "cross" else kind, d=path)


def _marks(x: Axis, y: Axis, x_ticks: Ticks, y_ticks: Ticks, turned: bool, are_named: bool) -> Iterator[Markup]:
    """The grid lines and the labels of the ticks; those below the picture only where they are named here."""
    for at, text in x_ticks:
        place = digits(x.place(at))
        yield tag("path", class_="grid", d=f"M{place} {digits(y.start)}V{digits(y.stop)}")
        if not are_named:
            continue
        full = tag("title", text) if len(text) > LONGEST else None
        if turned:
            turn = f"translate({place} {digits(y.start + 12)}) rotate(-40)"
            yield tag("text", short(text), full, class_="tick turned", transform=turn)
        else:
            yield tag("text", short(text), full, class_="tick", x=place, y=digits(y.start + 16))
    for at, text in y_ticks:
        place = digits(y.place(at))
        yield tag("path", class_="grid", d=f"M{digits(x.start)} {place}H{digits(x.stop)}")
        yield tag("text", short(text), class_="tick left", x=digits(x.start - 6), y=digits(y.place(at) + 4))


def _stroke(style: Style, scale: float = 1.0) -> dict[str, str | None]:
    return {"stroke_width": digits(scale * style.width), "stroke_dasharray": DASHES[style.dash]}


def _edge(style: Style) -> dict[str, str | None]:
    """The outline of an area, which is thinner than a line."""
    return _stroke(style, 0.5 / max(1.0, style.width))


def _opacity(style: Style) -> str:
    return f"{style.opacity:g}"


def plain_ticks(low: float, high: float, most: int = 6) -> tuple[tuple[float, str], ...]:
    """At most `most` round numbers from low to high with their labels, 1, 2 or 5 times a power of ten apart."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough * (1 - ROUND))
    first, last = math.ceil(low / step - ROUND), math.floor(high / step + ROUND)
    digits = max(0, -math.floor(math.log10(step) + ROUND))
    large = max(abs(low), abs(high)) >= 1e5 or digits > 5
    return tuple((i * step, _number(i * step, digits, large)) for i in range(first, last + 1))


def percent_ticks(low: float, high: float, most: int = 6) -> tuple[tuple[float, str], ...]:
    """The ticks of shares, labelled as percentages."""
    return tuple((at / 100, f"{text} %") for at, text in plain_ticks(100 * low, 100 * high, most))


def short(name: str) -> str:
    """A name, cut so that it fits under an axis."""
    return shortened(name, LONGEST)


def _number(value: float, digits: int, large: bool) -> str:
    text = f"{value:g}" if large else f"{value:.{digits}f}"
    return "0" if float(text) == 0 else with_minus(text)
