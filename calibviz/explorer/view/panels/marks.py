"""Draws figure records with bqplot: marks are made once, and only what changed is sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import bqplot
import ipywidgets
import numpy as np

from .... import figures
from ....figures.bars import HUES
from ....figures.shapes import power_of_ten, round_ticks, widened
from ....figures.styles import PURPLE, STYLES, Style, tone
from ....figures.svg.picture import swatch
from ....foundation.written import TICK_DIGITS, chosen_percent, shortened, unbroken
from ...transport.shared_widgets import Axis, BrushIntervalSelector, Figure, LinearScale, Lines, Scatter
from ...transport.transport import Transport, assign, on_the_wire
from ..sentence import as_html
from .words_over import DRAGGED, words_over

MARGIN = {"top": 8, "bottom": 42, "left": 60, "right": 16}  # half of "100 %" stands beyond the plot
LEVEL_MARGIN = {"top": 28, "left": 38, "right": 22}  # the name of the y axis stands above it
SHARED = 4  # below a picture whose x axis is that of the next one
AXES = {"x": {"side": "bottom"}, "y": {"side": "left", "label_offset": "46px"}}
TICKS = ".5~g"  # of numbers on an axis: no exponent below 100,000
FEWEST_ZEROS = 1e-6  # smaller numbers are written by a browser with an exponent
TINY = 5e-4  # shares of 1 whose percentages would be too long for an axis
TURNED = -50  # degrees by which names are turned that do not fit side by side
ACROSS, DOWN = 3.3, 4.5  # pixels that a letter of a turned name takes
NARROWEST = 290  # pixels of a plot, on a telephone
LONGEST_TURNED = 40
LONGEST_NAME = 24  # characters of a name on an axis
MORE = '<button type="button" hidden aria-expanded="false" aria-label="all of the legend">…</button>'
NOWHERE = np.zeros(1, np.float32)  # the points of a mark that has none yet
NUMBER = re.compile(r"[\d./]+")  # also a fraction, as on an axis of powers
BANDS = ("before", "after", "after alone band", *figures.OVERLAY_ROLES, *figures.BANDS)  # roles of bands around a line
BAND_EDGE = 0.5


class Plot:
    """A bqplot figure that shows figure records of one kind, of the same series, one after the other."""

    def __init__(self, record: figures.Figure, transport: Transport, height: str) -> None:
        self._transport = transport
        self._plain_height = int(height.removesuffix("px"))
        self._flat = self._plain_height < 200
        # Without padding, the plot area is exactly the range of the record.
        spans = self._spans(record)
        self._scales = {
            side: LinearScale(allow_padding=False, transport=transport, **spans[side]) for side in ("x", "y")
        }
        situations = self._axis_looks(record)
        self._axes = {
            side: Axis(scale=scale, transport=transport, **AXES[side], **situations[side])
            for side, scale in self._scales.items()
        }
        self._marks = [self._mark(series) for series in record.series]
        self.widget = Figure(
            marks=self._marks,
            axes=list(self._axes.values()),
            fig_margin=_margin(record),
            padding_x=0.0,
            padding_y=0.0,
            animation_duration=0,
            min_aspect_ratio=0.01,
            max_aspect_ratio=100,
            layout=ipywidgets.Layout(width="100%", height=self._height(record), min_width="0"),
            transport=transport,
            _dom_classes=(f"calibviz-{record.name}",),
        )
        self._shown = record
        self._held: bqplot.Scatter | None = None
        self._has_words = False
        self._abouts: dict[str, str] = {}
        self._upward: set[str] = set()  # roles of dots that go up and down
        for place, (series, mark) in enumerate(zip(record.series, self._marks, strict=True)):
            if "dots" in series.shape and isinstance(mark, Lines):
                self._show_dots(mark, STYLES[series.role], partial(self._hint, place))
        self._draw(record)

    def on_click(self, role: str, callback: Callable[[int], None], about: str = "") -> None:
        """Call `callback` with the place of a clicked dot among the dots of its series; its hint ends with `about`."""
        self._abouts[role] = f" · {about}" if about else ""
        self._transport.on_dot(self._mark_of(role), callback)

    def on_cell(self, callback: Callable[[int, int], None]) -> None:
        """Call `callback` with the row and column that a clicked bar, or the mark of its noise, stands for."""
        for place, series in enumerate(self._shown.series):
            mark = self._marks[place]
            if series.role in HUES:
                self._transport.show_dots(mark, {"bars": True}, partial(self._hint, place))
            elif series.role != "noise limit":
                continue
            self._transport.on_dot(mark, partial(self._pick_cell, place, callback))

    def _pick_cell(self, place: int, callback: Callable[[int, int], None], dot: int) -> None:
        cells = self._shown.series[place].cells
        if dot < len(cells):
            callback(*cells[dot])

    def on_drag(
        self,
        role: str,
        callback: Callable[[int, float], None],
        held: Callable[[float], float] = float,
        jump: Callable[[int], None] = lambda _towards: None,
        is_upward: bool = False,
    ) -> None:
        """Let dots be dragged to the left and right; `callback` gets the place of a dot and its new score.

        Where they go up and down, it gets the new y.

        It gets it while the dot is dragged, too. `held` says at which score a dot stays that was dropped; keys, whose
        steps may be finer, and a number that was typed, move it exactly. `jump` hears of Home (-1) and End (1).
        """
        dots = self._mark_of(role)
        dots.enable_move, dots.restrict_x, dots.restrict_y = True, not is_upward, is_upward
        if is_upward:
            self._upward.add(role)
        along = "y" if is_upward else "x"

        def moved(place: int, x: float) -> None:
            callback(place, x)
            self.draw_again()  # if the choice was refused, the dot goes back

        def dragged(place: int, x: float) -> None:
            self._held = dots  # a dot that is drawn anew is another element, which the pointer does not hold
            callback(place, held(x if is_upward else self._shown.score_of(x)))

        def dropped(_mark: Any, event: Any) -> None:
            self._held = None
            at = float(event["point"][along])
            moved(int(event["index"]), held(at if is_upward else self._shown.score_of(at)))

        dots.on_drag_end(dropped)
        self._transport.on_handle(dots, moved, dragged, jump)

    def on_brush(self, callback: Callable[[float, float], None]) -> None:
        """Let a range of x be brushed; `callback` gets its ends when it is let go, or (0, 0) when it was removed."""
        brush = BrushIntervalSelector(scale=self._scales["x"], color=PURPLE, transport=self._transport)

        def brushed(_change: Any) -> None:
            if not brush.brushing:
                ends = () if brush.selected is None else tuple(float(end) for end in brush.selected)
                callback(*(map(self._shown.score_of, ends) if len(ends) == 2 else (0.0, 0.0)))

        brush.observe(brushed, ["selected", "brushing"])
        self._brush = brush
        self.let_brush(True)

    def let_brush(self, is_allowed: bool) -> None:
        """Let a range be brushed, or no longer."""
        assign(self.widget, interaction=self._brush if is_allowed else None)

    def show_brushed(self, low: float, high: float) -> None:
        """Show a range as brushed; the range (0, 1) shows none."""
        ends = np.array([low, high])
        if self._shown.is_stretched:
            ends = figures.log_odds(ends)
        assign(self._brush, selected=None if (low, high) == (0.0, 1.0) else ends)

    def _mark_of(self, role: str) -> Any:
        """The dots of a role, of which there may be a line as well."""
        both = zip(self._marks, self._shown.series, strict=True)
        return next(mark for mark, series in both if series.role == role and "dots" in series.shape)

    def _show_dots(self, mark: bqplot.Lines, style: Style, hint: Callable[[int], str]) -> None:
        situation = {"marker": style.marker, "size": style.size, "colour": tone(style.colour), "filled": style.filled}
        self._transport.show_dots(mark, situation, hint)

    def _hint(self, place: int, dot: int) -> str:
        """The hint of a dot of the series at `place`; empty if that dot is no longer there."""
        record, series = self._shown, self._shown.series[place]
        if series.hints:
            about = self._abouts.get(series.role, "")
            return unbroken(series.hints[dot]) + about if dot < len(series.hints) else ""
        if dot >= len(series.x):
            return ""
        x = _place_name(record, float(series.x[dot]))
        name = f"{series.name}: " if series.name else ""
        return unbroken(f"{name}{record.x_label} {x}, {record.y_label} {record.y_text(float(series.y[dot]))}")

    def draw_again(self) -> None:
        """Show the same record, after what can be done in it has changed."""
        self._draw(self._shown)

    def draw(self, record: figures.Figure) -> None:
        """Show a record; it costs nothing if it is shown already."""
        if record is not self._shown:
            if _frame(record) != _frame(self._shown):
                self._draw_frame(record)
            self._draw(record, self._shown)

    def _draw(self, record: figures.Figure, before: figures.Figure | None = None) -> None:
        """Draw what has changed since the record before; all of it where there is none."""
        earlier = (before or record).series
        for mark, series, old in zip(self._marks, record.series, earlier, strict=True):
            # In most steps, most series are the same.
            if before is not None and (old is series or not (len(series.x) or len(old.x))):
                continue
            if mark is self._held:
                continue
            if series.role in DRAGGED:
                is_upward = series.role in self._upward
                values = series.y.tolist() if is_upward else list(map(record.score_of, series.x.tolist()))
                handles = {"role": series.role, "names": list(series.hints), "values": values, "upward": is_upward}
                self._transport.tell_of(mark, handles=handles)
            assign(mark, **_points(series))
        self._transport.tell_of(self.widget, alt=record.alt)
        words = words_over(record, _margin(record), self._spans(record))
        if words or self._has_words:
            self._transport.tell_of(self.widget, labels=words)
            self._has_words = bool(words)
        if record.score_at is not None:
            low, high = record.x_range
            self._transport.tell_of(self.widget, scores={"scores": record.score_at.tolist(), "low": low, "high": high})
        self._shown = record

    def _draw_frame(self, record: figures.Figure) -> None:
        for side, span in self._spans(record).items():
            assign(self._scales[side], **span)
        for side, situation in self._axis_looks(record).items():
            assign(self._axes[side], **situation)
        assign(self.widget, fig_margin=_margin(record))
        assign(self.widget.layout, height=self._height(record))

    def _height(self, record: figures.Figure) -> str:
        """The height of the picture: turned names take no room from what is drawn."""
        return f"{self._plain_height + _margin(record)['bottom'] - MARGIN['bottom']}px"

    @staticmethod
    def _spans(record: figures.Figure) -> dict[str, dict[str, float]]:
        """Return the ranges of the scales, by the side of the picture."""
        ends = {"x": widened(record.x_range), "y": widened(record.y_range)}
        return {side: {"min": low, "max": high} for side, (low, high) in ends.items()}

    def _axis_looks(self, record: figures.Figure) -> dict[str, dict[str, Any]]:
        """Return the labels and ticks of the axes, by the side of the picture."""
        is_elsewhere = {"x": record.shares_x, "y": record.has_level_names}
        situations = {}
        for side, span, label, named, in_percent in (
            ("x", record.x_range, record.x_label, record.x_ticks, record.x_in_percent),
            ("y", record.y_range, record.y_label, record.y_ticks, record.y_in_percent),
        ):
            ticks = round_ticks(*span, at_least=2 if self._flat and side == "y" else 4)
            if side == "y" and record.y_in_percent and not named and span[0] >= 0 and span[1] < TINY:
                power = int(np.floor(np.log10(100 * span[1])))
                named = tuple((place, f"{100 * place / 10.0**power:.3g}") for place in ticks.tolist())
                label = f"{label} in {power_of_ten(power)} %"
            elif in_percent and not named:
                named = tuple((place, chosen_percent(place, TICK_DIGITS)) for place in ticks.tolist())
            if named:
                ticks = np.array([place for place, _ in named])
            situations[side] = {
                "label": "" if is_elsewhere[side] else unbroken(label),
                "tick_format": TICKS,
                "tick_values": on_the_wire(ticks),
                "tick_labels": {
                    _key(place): "" if is_elsewhere["x"] and side == "x" else _tick(record, side, place, name)
                    for place, name in named
                },
            }
        situations["x"]["tick_rotate"] = TURNED if record.x_is_turned else 0
        situations["x"]["tick_style"] = {"text-anchor": "end" if record.x_is_turned else "middle"}
        return situations

    def _mark(self, series: figures.Series) -> bqplot.Mark:
        style = STYLES[series.role]
        shared = {"scales": self._scales, "transport": self._transport, "x": NOWHERE, "y": NOWHERE, **_points(series)}
        if series.role in DRAGGED:
            return Scatter(
                colors=[tone(style.colour)], marker=style.marker, default_size=int(style.size), stroke_width=0, **shared
            )
        line: dict[str, Any] = {"colors": [tone(style.colour)], "stroke_width": style.width, "line_style": style.dash}
        if series.shape == "area":
            if series.role in BANDS:
                line["stroke_width"] = BAND_EDGE
            line |= {"fill": "inside", "fill_colors": [tone(style.colour)], "fill_opacities": [style.opacity]}
        if series.shape == "dots":
            line |= {"stroke_width": 0.0, "apply_clip": False}  # large ones at the edge of a picture are drawn whole
        return Lines(**line, **shared)


def _points(series: figures.Series) -> dict[str, Any]:
    """Where a mark shows its points; one without points keeps the last ones out of sight."""
    if not len(series.x):
        return {"visible": False}
    of_dots = {} if series.role in DRAGGED else {"areas": list(series.areas), "classes": list(series.classes)}
    return {"x": on_the_wire(series.x), "y": on_the_wire(series.y), "visible": True, **of_dots}


def _frame(record: figures.Figure) -> tuple[Any, ...]:
    """Return all that scales and axes show; it is the same in most steps."""
    texts = record.x_label, record.y_label, record.x_ticks, record.y_ticks, record.x_is_turned
    return record.x_range, record.y_range, record.x_in_percent, record.y_in_percent, *texts


def _place_name(record: figures.Figure, x: float) -> str:
    """The name of a place on the axis: that of its category, beside whose middle dots may stand, or its number."""
    places, names = [at for at, _ in record.x_ticks], [name for _, name in record.x_ticks]
    is_in_a_row = bool(places) and places == [places[0] + i for i in range(len(places))]
    is_of_categories = is_in_a_row and not all(NUMBER.fullmatch(name) for name in names)
    reach = 0.5 if is_of_categories else 0.0
    return next((name for at, name in record.x_ticks if abs(at - x) <= reach), record.x_text(x))


def _tick(record: figures.Figure, side: str, place: float, name: str) -> str:
    """A name as it stands on an axis, where a long one would run out of the picture; hints tell all of it."""
    return unbroken(shortened(name, _longest(record, side, place)))


def _longest(record: figures.Figure, side: str, place: float) -> int:
    """How many characters of the name at a place an axis has room for; turned ones go down to the left of it."""
    if side == "y" or not record.x_is_turned:
        return LONGEST_NAME
    low, high = record.x_range
    room = MARGIN["left"] + NARROWEST * (place - low) / (high - low)
    return min(LONGEST_TURNED, int(room / ACROSS))


def _margin(record: figures.Figure) -> dict[str, int]:
    """The room beside the plot, with that for turned names below it, or a level one above it."""
    bottom = SHARED if record.shares_x else MARGIN["bottom"]
    if record.has_level_names:
        top = LEVEL_MARGIN["top"] if record.y_label else MARGIN["bottom"] // 2
        return {**LEVEL_MARGIN, "top": top, "bottom": bottom}
    if not record.x_is_turned:
        return {**MARGIN, "bottom": bottom}
    longest = max(min(len(name), _longest(record, "x", place)) for place, name in record.x_ticks)
    return {**MARGIN, "bottom": max(MARGIN["bottom"], round(20 + DOWN * longest))}


def _key(place: float) -> str:
    """A place as the browser writes it, which knows it with 32 bits."""
    value = float(np.float32(place))
    if value and abs(value) < FEWEST_ZEROS:
        mantissa, exponent = np.format_float_scientific(value, trim="-").split("e")
        return f"{mantissa}e{int(exponent)}"
    return np.format_float_positional(value, trim="-")


def legend(series: Sequence[figures.Series]) -> str:
    """HTML that names the series that have a name, each with its colour and shape, in one line.

    A button shows what does not fit into the line; see ``legends.js``.
    """
    items = [_key_of(line.role, line.shape, line.name) for line in series if line.name]
    return (
        f'<div class="calibviz-legend"><div class="calibviz-keys">{"".join(items)}</div>{MORE}</div>' if items else ""
    )


@lru_cache(maxsize=1000)
def _key_of(role: figures.Role, shape: figures.Shape, name: str) -> str:
    placed = f"color:{tone(STYLES[role].colour)};display:inline-flex;vertical-align:-2px;margin-right:3px"
    return f'<span><span style="{placed}">{swatch(role, shape)}</span>{as_html(name)}</span>'
