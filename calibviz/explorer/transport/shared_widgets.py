"""Widgets that share the messages of their transport; the browser sees the usual ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bqplot
import ipywidgets
import traitlets

from .transport import Shared, Transport, Urgent


class Lines(Shared, bqplot.Lines):
    """`bqplot.Lines` that share messages.

    Its dots may each have an area of their own, in square pixels, and each be of some classes.
    """

    areas: traitlets.List[float] = traitlets.List(help="Of each dot; empty where all are alike").tag(sync=True)
    classes: traitlets.List[tuple[int, ...]] = traitlets.List(help="The classes of each dot, or empty").tag(sync=True)


class Scatter(Shared, bqplot.Scatter):
    """`bqplot.Scatter` that shares messages."""


class BrushIntervalSelector(Shared, bqplot.interacts.BrushIntervalSelector):
    """`bqplot.interacts.BrushIntervalSelector` that shares messages."""


class Figure(Shared, bqplot.Figure):
    """`bqplot.Figure` that shares messages."""


class Axis(Shared, bqplot.Axis):
    """`bqplot.Axis` that shares messages."""


class LinearScale(Shared, bqplot.LinearScale):
    """`bqplot.LinearScale` that shares messages."""


class HTML(Shared, ipywidgets.HTML):
    """`ipywidgets.HTML` that shares messages."""


class Layout(Shared, ipywidgets.Layout):
    """`ipywidgets.Layout` that shares messages; it shows and hides panels."""


class Dropdown(Shared, ipywidgets.Dropdown):
    """`ipywidgets.Dropdown` that shares messages."""


class BoundedIntText(Shared, ipywidgets.BoundedIntText):
    """`ipywidgets.BoundedIntText` that shares messages."""


class Text(Shared, ipywidgets.Text):
    """`ipywidgets.Text` that shares messages."""


class IntSlider(Shared, ipywidgets.IntSlider):
    """`ipywidgets.IntSlider` that shares messages."""


class Play(Shared, ipywidgets.Play):
    """`ipywidgets.Play` that shares messages."""


class FloatSlider(Shared, ipywidgets.FloatSlider):
    """`ipywidgets.FloatSlider` that shares messages."""


class FloatLogSlider(Shared, ipywidgets.FloatLogSlider):
    """`ipywidgets.FloatLogSlider` that shares messages."""


class IntRangeSlider(Shared, ipywidgets.IntRangeSlider):
    """`ipywidgets.IntRangeSlider` that shares messages."""


class FloatRangeSlider(Shared, ipywidgets.FloatRangeSlider):
    """`ipywidgets.FloatRangeSlider` that shares messages."""


def _in_percent(share: Any, _widget: object) -> Any:
    return [_in_percent(end, _widget) for end in share] if isinstance(share, tuple) else round(100 * share, 9)


def _of_percent(percent: Any, _widget: object) -> Any:
    return (
        tuple(_of_percent(end, _widget) for end in percent) if isinstance(percent, list) else round(percent / 100, 11)
    )


IN_PERCENT = {"sync": True, "to_json": _in_percent, "from_json": _of_percent}


class PercentSlider(Shared, ipywidgets.FloatSlider):
    """A slider of a share of 1, which the browser shows, and lets people type, in per cent."""

    value = traitlets.CFloat(0.0).tag(**IN_PERCENT)
    min = traitlets.CFloat(0.0).tag(**IN_PERCENT)
    max = traitlets.CFloat(1.0).tag(**IN_PERCENT)
    step = traitlets.CFloat(0.01).tag(**IN_PERCENT)


class PercentRangeSlider(Shared, ipywidgets.FloatRangeSlider):
    """A slider of a range of shares of 1, which the browser shows, and lets people type, in per cent."""

    value = traitlets.Tuple(traitlets.CFloat(), traitlets.CFloat(), default_value=(0.0, 1.0)).tag(**IN_PERCENT)
    min = traitlets.CFloat(0.0).tag(**IN_PERCENT)
    max = traitlets.CFloat(1.0).tag(**IN_PERCENT)
    step = traitlets.CFloat(0.01).tag(**IN_PERCENT)


class Button(Shared, ipywidgets.Button):
    """`ipywidgets.Button` that shares messages."""


def push_button(
    transport: Transport,
    text: str,
    about: str,
    press: Callable[[], object],
    *dom_classes: str,
    comes_and_goes: bool = False,
) -> Button:
    """A button that calls `press`; one that comes and goes has a layout of its own, and is not there at first."""
    own = Layout(width="auto", display="none", transport=transport) if comes_and_goes else None
    layout = own or transport.common(Layout, width="auto")
    button = Button(description=text, tooltip=about, layout=layout, transport=transport, _dom_classes=dom_classes)
    button.on_click(lambda _: press())
    return button


class ToggleButton(Shared, ipywidgets.ToggleButton):
    """`ipywidgets.ToggleButton` that shares messages."""


class ToggleButtons(Shared, ipywidgets.ToggleButtons):
    """`ipywidgets.ToggleButtons` that share messages."""


class SelectionSlider(Shared, ipywidgets.SelectionSlider):
    """`ipywidgets.SelectionSlider` that shares messages."""


class VBox(Shared, ipywidgets.VBox):
    """`ipywidgets.VBox` that shares messages, so that its children come and go with the other changes."""


class Box(Shared, ipywidgets.Box):
    """`ipywidgets.Box` that shares messages."""


class UrgentHTML(Urgent, ipywidgets.HTML):
    """`ipywidgets.HTML` that waits for no other widget."""


class UrgentButton(Urgent, ipywidgets.Button):
    """`ipywidgets.Button` that waits for no other widget."""
