"""The widget of each kind of control, and the sections of the drawer."""

from __future__ import annotations

from typing import Any

from ....answers.asked.choices import CONTROLS, Choice, Control
from ...transport.shared_widgets import (
    BoundedIntText,
    Dropdown,
    IntSlider,
    Layout,
    PercentRangeSlider,
    PercentSlider,
    SelectionSlider,
    Text,
    ToggleButtons,
)
from ...transport.transport import Transport
from .checklist import Checklist
from .number_grid import NumberGrid

LABEL_WIDTH = "122px"

#: What makes a control of a kind, and what all of its kind have.
KINDS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "menu": (Dropdown, {}),
    "switch": (ToggleButtons, {}),
    "checklist": (Checklist, {}),
    "slider": (IntSlider, {}),
    "steps": (SelectionSlider, {}),
    "percent": (PercentSlider, {}),
    "range of percent": (PercentRangeSlider, {"readout_format": ".0f"}),
    "number": (BoundedIntText, {}),
    "numbers": (NumberGrid, {}),
    "text": (Text, {"continuous_update": False}),
}
#: The controls of each section of the drawer, from top to bottom.
SECTIONS: dict[str, list[str]] = {}
for _control in CONTROLS.values():
    if _control.section:
        SECTIONS.setdefault(_control.section, []).append(_control.name)
OF_DRAWER = [name for names in SECTIONS.values() for name in names if CONTROLS[name].kind]


def widget_of(control: Control, transport: Transport) -> Any:
    """The control itself, which shows no choice yet."""
    kind, of_kind = KINDS[control.kind]
    allowed = control.allowed.traits if isinstance(control, Choice) else {}
    traits = of_kind | {name: value for name, value in allowed.items() if hasattr(kind, name)} | dict(control.traits)
    label = control.label(), control.meaning
    return make_control(kind, control.name, label, transport, traits, bool(control.small()))


def make_control(
    kind: type[Any],
    name: str,
    term: tuple[str, str],
    transport: Transport,
    traits: dict[str, Any],
    has_small: bool = False,
) -> Any:
    """A control with its label and tooltip, of the class ``calibviz-NAME``; the label may have a term in small."""
    return kind(
        description=term[0],
        description_allow_html=True,
        tooltip=term[1],
        style={"description_width": LABEL_WIDTH},
        layout=Layout(width="310px", transport=transport),
        transport=transport,
        _dom_classes=control_classes(name, has_small, kind=kind),
        **traits,
    )


def control_classes(
    name: str, has_small: bool, is_faint: bool = False, kind: type[Any] | None = None
) -> tuple[str, ...]:
    """The classes of a control in the page, whose label may have a second line in small.

    `kind` is that of a control which is none of the Explorer's.
    """
    kind = kind or KINDS[CONTROLS[name].kind][0]
    in_percent = kind in (PercentSlider, PercentRangeSlider)
    handle = CONTROLS[name].handle if name in CONTROLS else ""
    # A slider over a list lacks the margins of all other widgets, and is not told that it has no effect.
    of_list = ("jupyter-widgets", "calibviz-of-list", *(("is-faint",) if is_faint else ()))
    return (
        f"calibviz-{name.strip('_')}",
        *(("calibviz-with-term",) if has_small else ()),
        *(("calibviz-percent",) if in_percent else ()),
        *(("calibviz-switch",) if kind is ToggleButtons else ()),
        *((f"calibviz-moves-{handle}",) if handle else ()),
        *(of_list if kind is SelectionSlider else ()),
    )
