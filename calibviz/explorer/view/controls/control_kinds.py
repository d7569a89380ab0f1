"""The widget of each kind of control, and the sections of the drawer."""

from __future__ import annotations

from typing import Any

from ....answers.asked.choices import CONTROLS, Choice, Control
from ...transport import shared_widgets as widgets
from ...transport.transport import Transport
from .checklist import Checklist
from .number_grid import NumberGrid

LABEL_WIDTH = "122px"

#: What makes a control of a kind, and what all of its kind have.
KINDS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "menu": (widgets.Dropdown, {}),
    "switch": (widgets.ToggleButtons, {}),
    "checklist": (Checklist, {}),
    "slider": (widgets.IntSlider, {}),
    "fine slider": (widgets.FloatSlider, {}),
    "logarithmic slider": (widgets.FloatLogSlider, {"readout": False}),
    "steps": (widgets.SelectionSlider, {}),
    "percent": (widgets.PercentSlider, {}),
    "range of percent": (widgets.PercentRangeSlider, {"readout_format": ".0f"}),
    "number": (widgets.BoundedIntText, {}),
    "numbers": (NumberGrid, {}),
    "text": (widgets.Text, {"continuous_update": False}),
}
#: The controls of each section of the drawer, from top to bottom.
SECTIONS: dict[str, list[str]] = {}
for _control in CONTROLS.values():
    if _control.section:
        SECTIONS.setdefault(_control.section, []).append(_control.name)
OF_DRAWER = [name for names in SECTIONS.values() for name in names if CONTROLS[name].kind]


def widget_of(control: Control, transport: Transport) -> Any:
    """The control itself, with its label and tooltip, which shows no choice yet."""
    kind, of_kind = KINDS[control.kind]
    allowed = control.allowed.traits if isinstance(control, Choice) else {}
    traits = of_kind | {name: value for name, value in allowed.items() if hasattr(kind, name)} | dict(control.traits)
    widget = kind(
        description=control.label(),
        description_allow_html=True,
        tooltip=control.meaning,
        style={"description_width": LABEL_WIDTH},
        layout=widgets.Layout(width="310px", transport=transport),
        transport=transport,
        _dom_classes=control_classes(control),
        **traits,
    )
    transport.tell_of(widget, hints=control.meaning)
    return widget


def control_classes(control: Control, lacks: str = "") -> tuple[str, ...]:
    """The classes of a control in the page, of which `calibviz-NAME` is one; `lacks` says why it has no effect."""
    kind = KINDS[control.kind][0]
    # A slider over a list lacks the margins of all other widgets, and is not told that it has no effect.
    of_list = ("jupyter-widgets", "calibviz-of-list", *(("is-faint",) if lacks else ()))
    return (
        f"calibviz-{control.name.strip('_')}",
        *(("calibviz-with-term",) if control.small(lacks) else ()),
        *(("calibviz-percent",) if kind in (widgets.PercentSlider, widgets.PercentRangeSlider) else ()),
        *(("calibviz-switch",) if kind is widgets.ToggleButtons else ()),
        *((f"calibviz-moves-{control.handle}",) if control.handle else ()),
        *(of_list if kind is widgets.SelectionSlider else ()),
    )
