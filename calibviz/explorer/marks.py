"""Draws figure records with bqplot: the marks are made once, and only what changed is sent."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import bqplot
import ipywidgets
import numpy as np
from numpy.typing import NDArray

from .. import figures
from ..styles import STYLES, Style
from .transport import Axis, Figure, LinearScale, Lines, Scatter, Transport, assign

MARGIN = {"top": 8, "bottom": 42, "left": 56, "right": 12}
GLYPHS = {"circle": "●", "square": "■", "diamond": "◆"}
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
        self._shown: figures.Figure | None = None
        self.draw(record)

    def draw(self, record: figures.Figure) -> None:
        """Show a record; one that is shown already costs nothing."""
        if record is self._shown:
            return
        for side, span in (("x", record.x_range), ("y", record.y_range)):
            margin = WIDENED * (span[1] - span[0])
            assign(self._scales[side], min=span[0] - margin, max=span[1] + margin)
            assign(self._axes[side], tick_values=round_ticks(*span, at_least=2 if self._flat and side == "y" else 4))
        assign(self._axes["x"], label=record.x_label)
        assign(self._axes["y"], label=record.y_label)
        for mark, series in zip(self._marks, record.series, strict=True):
            if len(series.x):
                assign(mark, x=series.x, y=series.y, visible=True)
            else:
                assign(mark, visible=False)
        self._transport.describe(self.widget, record.alt)
        self._shown = record

    def _mark(self, series: figures.Series) -> bqplot.Mark:
        style = STYLES[series.role]
        shared: dict[str, Any] = {
            "scales": self._scales,
            "transport": self._transport,
            "x": [0.0],
            "y": [0.0],
            "visible": False,
        }
        if series.shape == "dots":
            return Scatter(
                colors=[style.colour], marker=style.marker, default_size=int(style.size), stroke_width=0, **shared
            )
        line: dict[str, Any] = {"colors": [style.colour], "stroke_width": style.width, "line_style": style.dash}
        if series.shape == "area":
            line |= {"fill": "inside", "fill_colors": [style.colour], "fill_opacities": [style.opacity]}
        if series.shape == "line and dots":
            line |= {"marker": style.marker, "marker_size": int(style.size)}
        return Lines(**line, **shared)


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
        f"{_glyph(one.shape, STYLES[one.role])}</span>{escape(one.name)}</span>"
        for one in series
        if one.name
    ]
    return f'<div class="calibviz-legend">{"".join(items)}</div>'


def _glyph(shape: str, style: Style) -> str:
    if shape == "area":
        return "▒"
    line = DASHES[style.dash] if "line" in shape else ""
    return line + GLYPHS[style.marker] + line if "dots" in shape else line * 2
