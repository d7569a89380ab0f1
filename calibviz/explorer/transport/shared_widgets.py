"""Widgets that share the messages of their transport; the browser sees the usual ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bqplot
import ipywidgets
import traitlets

from .transport import Shared, Transport, Urgent


def _shared(kind: Any, mixin: type[Shared] = Shared) -> Any:
    """A kind of widget that shares messages; with the mixin `Urgent`, one that waits for no other widget."""
    what = "shares messages" if mixin is Shared else "waits for no other widget"
    about = f"`{kind.__module__.partition('.')[0]}.{kind.__name__}` that {what}."
    return type(kind.__name__, (mixin, kind), {"__doc__": about, "__module__": __name__})


Scatter = _shared(bqplot.Scatter)
BrushIntervalSelector = _shared(bqplot.interacts.BrushIntervalSelector)
Figure = _shared(bqplot.Figure)
Axis = _shared(bqplot.Axis)
LinearScale = _shared(bqplot.LinearScale)
HTML = _shared(ipywidgets.HTML)
Layout = _shared(ipywidgets.Layout)  # it shows and hides panels
Dropdown = _shared(ipywidgets.Dropdown)
BoundedIntText = _shared(ipywidgets.BoundedIntText)
Text = _shared(ipywidgets.Text)
IntSlider = _shared(ipywidgets.IntSlider)
Play = _shared(ipywidgets.Play)
FloatSlider = _shared(ipywidgets.FloatSlider)
FloatLogSlider = _shared(ipywidgets.FloatLogSlider)
IntRangeSlider = _shared(ipywidgets.IntRangeSlider)
Button = _shared(ipywidgets.Button)
ToggleButton = _shared(ipywidgets.ToggleButton)
ToggleButtons = _shared(ipywidgets.ToggleButtons)
SelectionSlider = _shared(ipywidgets.SelectionSlider)
VBox = _shared(ipywidgets.VBox)  # whose children come and go with the other changes
Box = _shared(ipywidgets.Box)
UrgentHTML = _shared(ipywidgets.HTML, Urgent)
UrgentButton = _shared(ipywidgets.Button, Urgent)


class Lines(Shared, bqplot.Lines):
    """`bqplot.Lines` that share messages.

    Its dots may each have an area of their own, in square pixels, and each be of some classes.
    """

    areas: traitlets.List[float] = traitlets.List(help="Of each dot; empty where all are alike").tag(sync=True)
    classes: traitlets.List[tuple[int, ...]] = traitlets.List(help="The classes of each dot, or empty").tag(sync=True)


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


def push_button(
    transport: Transport,
    text: str,
    about: str,
    press: Callable[[], object],
    *dom_classes: str,
    comes_and_goes: bool = False,
) -> ipywidgets.Button:
    """A button that calls `press`; one that comes and goes has a layout of its own, and is not there at first."""
    own = Layout(width="auto", display="none", transport=transport) if comes_and_goes else None
    layout = own or transport.common(Layout, width="auto")
    button = Button(description=text, tooltip=about, layout=layout, transport=transport, _dom_classes=dom_classes)
    button.on_click(lambda _: press())
    return button


def boxed(kind: Any, transport: Transport, dom_classes: str, *children: ipywidgets.Widget, **traits: Any) -> Any:
    """A `Box` or `VBox` of these children; its classes are the words of `dom_classes`."""
    return kind(children, transport=transport, _dom_classes=tuple(dom_classes.split()), **traits)
