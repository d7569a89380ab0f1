"""Draws figure records with bqplot: the marks are made once, and only what changed is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import bqplot
import ipywidgets
import numpy as np
from numpy.typing import NDArray

from .. import figures
from ..styles import PURPLE, STYLES, Style
from .transport import Axis, BrushIntervalSelector, Figure, LinearScale, Lines, Scatter, Transport, assign

MARGIN = {"top": 8, "bottom": 42, "left": 56, "right": 12}
GLYPHS = {
    "circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "triangle-down": "▼", "cross": "✚",
}  # fmt: skip
HOLLOW = {"circle": "○", "square": "□", "diamond": "◇", "triangle-up": "△", "triangle-down": "▽", "cross": "✛"}
DASHES = {"solid": "━", "dashed": "╍", "dotted": "┉"}
AXES = {"x": {"side": "bottom"}, "y": {"side": "left", "label_offset": "42px"}}
WIDENED = 0.02


class Plot:
    """A bqplot figure that shows figure records of one kind, one after the other.

    Parameters
    ----------
    record : figures.Figure
        The first one; the following have the same series.
    transport : Transport
    height : str
        In pixels, such as "300px".
    """

    def __init__(self, record: figures.Figure, transport: Transport, height: str) -> None:
        self._transport = transport
        self._flat = int(height.removesuffix("px")) < 200
        # Without padding of its own the plot area is exactly the range of the record.
        self._scales = {side: LinearScale(allow_padding=False, transport=transport) for side in ("x", "y")}
        self._axes = {
            side: Axis(scale=scale, tick_format=".3~g", transport=transport, **AXES[side])
            for side, scale in self._scales.items()
        }
        self._series = record.series
        self._marks = [self._mark(series) for series in record.series]
        self.widget = Figure(
            marks=self._marks,
            axes=list(self._axes.values()),
            fig_margin=MARGIN,
            padding_x=0.0,
            padding_y=0.0,
            animation_duration=0,
            min_aspect_ratio=0.01,
            max_aspect_ratio=100,
            layout=ipywidgets.Layout(width="100%", height=height, min_width="0"),
            transport=transport,
        )
        self.widget.add_class(f"calibviz-{record.name}")
        self._clickable: dict[str, Any] = {}
        self._shown: figures.Figure | None = None
        self.draw(record)

    def on_click(self, role: str, callback: Callable[[int], None]) -> None:
        """Call `callback` with the place of a dot that is clicked, among the dots of its series.

        A dot that is pointed at says what it is.
        """
        dots = self._dots(role)
        dots.tooltip = bqplot.Tooltip(fields=["name"], show_labels=False)
        dots.on_element_click(lambda _mark, event: callback(int(event["data"]["index"])))

    def on_drag(self, role: str, callback: Callable[[int, float], None]) -> None:
        """Let dots be dragged to the left and right; `callback` gets the place of one and where it was dropped."""
        dots = self._dots(role)
        dots.enable_move, dots.restrict_x = True, True

        def dropped(_mark: Any, event: Any) -> None:
            callback(int(event["index"]), float(event["point"]["x"]))
            shown, self._shown = self._shown, None
            if shown is not None:
                self.draw(shown)  # a dot that may not stay where it was dropped goes back

        dots.on_drag_end(dropped)

    def on_brush(self, callback: Callable[[float, float], None]) -> None:
        """Let a range of x be brushed; `callback` gets its ends when it is let go, (0, 0) where it was taken away."""
        brush = BrushIntervalSelector(scale=self._scales["x"], color=PURPLE, transport=self._transport)

        def brushed(_change: Any) -> None:
            if not brush.brushing:
                ends = () if brush.selected is None else tuple(float(end) for end in brush.selected)
                callback(*(ends if len(ends) == 2 else (0.0, 0.0)))

        brush.observe(brushed, ["selected", "brushing"])
        self._brush = brush
        self.widget.interaction = brush

    def show_brushed(self, low: float, high: float) -> None:
        """Show a range as brushed; none where it is the whole axis."""
        ends = None if (low, high) == (0.0, 1.0) else np.array([low, high])
        assign(self._brush, selected=ends)

    def _dots(self, role: str) -> Any:
        """The mark that draws the dots of a role, on top of a line where there is one."""
        if role not in self._clickable:
            place = next(i for i, series in enumerate(self._series) if series.role == role)
            mark = self._marks[place]
            if not isinstance(mark, Scatter):
                mark.marker = None
                style = STYLES[role]
                mark = self._scatter(style)
                self.widget.marks = [*self.widget.marks, mark]
            self._clickable[role] = mark
            self._shown, shown = None, self._shown
            if shown is not None:
                self.draw(shown)
        return self._clickable[role]

    def draw(self, record: figures.Figure) -> None:
        """Show a record; one that is shown already costs nothing."""
        if record is self._shown:
            return
        if self._shown is None or _frame(record) != _frame(self._shown):
            self._draw_frame(record)
        before = record.series if self._shown is None else self._shown.series
        for mark, series, old in zip(self._marks, record.series, before, strict=True):
            # Most of them, most of the time.
            if self._shown is not None and (old is series or not (len(series.x) or len(old.x))):
                continue
            clickable = self._clickable.get(series.role)
            for one in {mark, clickable or mark}:
                if len(series.x):
                    told = {"names": np.array(series.hints)} if one is clickable and series.hints else {}
                    assign(one, x=series.x, y=series.y, visible=True, **told)
                else:
                    assign(one, visible=False)
        self._transport.describe(self.widget, record.alt)
        self._shown = record

    def _draw_frame(self, record: figures.Figure) -> None:
        for side, span in (("x", record.x_range), ("y", record.y_range)):
            margin = WIDENED * (span[1] - span[0])
            assign(self._scales[side], min=span[0] - margin, max=span[1] + margin)
            ticks = round_ticks(*span, at_least=2 if self._flat and side == "y" else 4)
            if side == "x" and record.x_ticks:
                ticks = np.array([place for place, _ in record.x_ticks])
            assign(self._axes[side], tick_values=ticks)
        assign(self._axes["x"], label=record.x_label)
        assign(self._axes["y"], label=record.y_label)
        assign(self._axes["x"], tick_labels={f"{place:g}": label for place, label in record.x_ticks})

    def _mark(self, series: figures.Series) -> bqplot.Mark:
        style = STYLES[series.role]
        if series.shape == "dots":
            return self._scatter(style)
        line: dict[str, Any] = {"colors": [style.colour], "stroke_width": style.width, "line_style": style.dash}
        if series.shape == "area":
            line |= {"fill": "inside", "fill_colors": [style.colour], "fill_opacities": [style.opacity]}
        if series.shape == "line and dots":
            line |= {"marker": style.marker, "marker_size": int(style.size)}
        return Lines(**line, **self._shared)

    def _scatter(self, style: Style) -> bqplot.Mark:
        look: dict[str, Any] = {"names_unique": False, "display_names": False}  # they are for who points at a dot
        look |= {"stroke_width": 0} if style.filled else {"fill": False, "stroke": style.colour, "stroke_width": 2}
        return Scatter(colors=[style.colour], marker=style.marker, default_size=int(style.size), **look, **self._shared)

    @property
    def _shared(self) -> dict[str, Any]:
        """What all marks are made with."""
        return {"scales": self._scales, "transport": self._transport, "x": [0.0], "y": [0.0], "visible": False}


def _frame(record: figures.Figure) -> tuple[Any, ...]:
    """What scales and axes show, compared at once: of most steps it is the same."""
    return record.x_range, record.y_range, record.x_label, record.y_label, record.x_ticks


def round_ticks(low: float, high: float, at_least: int = 4) -> NDArray[np.float64]:
    """Round numbers in [low, high]: multiples of 1, 2 or 5 times a power of ten, in `at_least` steps or more."""
    most = (high - low) / at_least * (1 + 1e-9)
    power = 10.0 ** np.floor(np.log10(most))
    step = max(factor * power for factor in (1, 2, 5) if factor * power <= most)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return np.arange(first, last + 1) * step


def legend(series: Sequence[figures.Series]) -> str:
    """HTML that names the series that have a name, each with its colour and shape."""
    items = [
        f'<span><span style="color:{STYLES[one.role].colour};margin-right:3px" aria-hidden="true">'
        f"{'┃' if one.role == 'interval' else _glyph(one.shape, STYLES[one.role])}</span>{escape(one.name)}</span>"
        for one in series
        if one.name
    ]
    return f'<div class="calibviz-legend">{"".join(items)}</div>'


def _glyph(shape: str, style: Style) -> str:
    if shape == "area":
        return "▒"
    line = DASHES[style.dash] if "line" in shape else ""
    glyphs = GLYPHS if style.filled else HOLLOW
    return line + glyphs[style.marker] + line if "dots" in shape else line * 2
