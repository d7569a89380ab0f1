"""The widget of each control, and the section in which it stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....answers.asked.presets import PRESETS
from ....answers.asked.spec import (
    BINNINGS,
    COMPARISONS,
    CUMULATIVE,
    CURVES,
    DISTANCES,
    GAMMAS,
    INTERVALS,
    MATRICES,
    MOST_BINS,
    MOST_KNOTS,
    NORMS,
    SAMPLES,
    SCALES,
    SPLINE_OPTIONS,
    SWITCHES,
    gamma_text,
)
from ....context.lens_names import LENS_KINDS
from ...transport.shared_widgets import (
    BoundedIntText,
    Dropdown,
    IntSlider,
    Layout,
    PercentRangeSlider,
    PercentSlider,
    SelectionSlider,
    Text,
)
from ...transport.transport import Transport
from .checklist import Checklist
from .number_grid import NumberGrid

CHOOSE = "choose …"
LABEL_WIDTH = "122px"
MOST_LEAVES = 10_000


def gamma_options(gammas: Iterable[float]) -> tuple[tuple[str, float], ...]:
    """Gammas by the text of each, such as 1/8, the largest first."""
    return tuple((gamma_text(gamma), gamma) for gamma in sorted(gammas, reverse=True))


#: Controls whose value is the choice of the same name.
PLAIN: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "model": (Dropdown, {}),
    "outcome": (Dropdown, {}),
    "binning": (Dropdown, {"options": BINNINGS}),
    "bins": (IntSlider, {"min": 1, "max": MOST_BINS}),
    "gamma": (SelectionSlider, {"options": gamma_options(GAMMAS)}),
    "distance": (Dropdown, {"options": tuple(DISTANCES)}),
    "norm": (Dropdown, {"options": tuple(NORMS)}),
    "calibrator": (Dropdown, {}),
    "knots": (IntSlider, {"min": 2, "max": MOST_KNOTS}),
    "spline": (Checklist, {"options": SPLINE_OPTIONS}),
    "share": (PercentSlider, {"min": 0.05, "max": 0.95, "step": 0.05, "readout_format": ".0f"}),
    "interval": (Dropdown, {"options": INTERVALS}),
    "curves": (Checklist, {"options": CURVES}),
    "scale": (Dropdown, {"options": SCALES}),
    "overlays": (Checklist, {}),
    "cumulative": (Dropdown, {"options": CUMULATIVE}),
    "samples": (Dropdown, {"options": [("judged: evaluation", SAMPLES[0]), ("fitted to: calibration", SAMPLES[1])]}),
    "rows": (Dropdown, {"options": [("lenses", "lens"), ("metrics", "metric"), ("GCE family", "gce")]}),
    "comparison": (Dropdown, {"options": COMPARISONS}),
    "calibrators": (Checklist, {}),
    "metrics": (Checklist, {}),
    "by": (Dropdown, {"options": ("class", "group", "level")}),
    "depth": (Dropdown, {"options": [("one field", 1), ("two fields", 2)]}),
    "minimum": (BoundedIntText, {"min": 1, "max": MOST_LEAVES}),
}


def _other_of(name: str) -> str:
    """The other setting of the same switch, for the line of one."""
    [other] = (text for text, switch in SWITCHES.items() if switch.field == SWITCHES[name].field and text != name)
    return f"or {other}"


#: Controls whose value is a part of a choice, or another form of it.
OTHERS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "preset": (Dropdown, {"options": (CHOOSE, *PRESETS)}),
    "kind": (Dropdown, {"options": tuple(LENS_KINDS)}),
    "number": (IntSlider, {"min": 1, "max": 2, "value": 2}),
    "class_": (Dropdown, {}),
    "groups": (Text, {"continuous_update": False, "placeholder": "even: 0, 2, 4; odd: *"}),
    "labels": (Checklist, {}),
    "confidence": (PercentRangeSlider, {"readout_format": ".0f"}),
    "output": (PercentRangeSlider, {"readout_format": ".0f"}),
    "selection": (Text, {"continuous_update": False, "placeholder": "label in [3, 5] and confidence > 0.5"}),
    "examples": (Dropdown, {"options": (CHOOSE,)}),
    "gamma_number": (Text, {"continuous_update": False, "placeholder": "0.1 or 1/20"}),
    "temperature": (Text, {"continuous_update": False, "placeholder": "fitted"}),
    "likert": (Text, {"continuous_update": False, "placeholder": "0, 0.33, 0.66, 1"}),
    "threshold": (PercentSlider, {}),
    "cost_ratio": (Text, {"continuous_update": False}),
    "prevalence": (PercentSlider, {}),
    "bin": (BoundedIntText, {"min": 0, "max": MOST_LEAVES}),
    "weights": (NumberGrid, {"least": 0.0}),
    "weights_text": (Text, {"continuous_update": False, "placeholder": "cat: 2; dog: 0.5"}),
    "matrix": (Dropdown, {"options": MATRICES}),
    "matrix_numbers": (NumberGrid, {"is_symmetric": True}),
    "switches": (Checklist, {"options": tuple(SWITCHES), "counts": tuple(map(_other_of, SWITCHES))}),
}
#: Every control, which is made when it is first on screen.
CONTROLS = {**PLAIN, **OTHERS}
MOST_WEIGHTS, MOST_ROWS = 10, 5  # outcomes of which each weight, or each row of the matrix, has a control
BY_NUMBER = "by number"  # a matrix without a name
SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Look through", ("preset", "model", "kind", "number", "class_", "groups", "outcome")),
    ("Keep", ("labels", "confidence", "output", "selection", "chips", "examples")),
    (
        "Bins and categories",
        (
            "binning",
            "bins",
            "gamma",
            "gamma_number",
            "distance",
            "weights",
            "weights_text",
            "refusal",
            "matrix",
            "matrix_numbers",
            "norm",
            "likert",
        ),
    ),
    ("Recalibrate", ("calibrator", "knots", "spline", "share")),
    ("Draw", ("interval", "curves", "scale", "overlays")),
)


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
    kind = kind or CONTROLS.get(name, (None,))[0]
    in_percent = kind in (PercentSlider, PercentRangeSlider)
    # A slider over a list lacks the margins of all other widgets, and is not told that it has no effect.
    of_list = ("jupyter-widgets", "calibviz-of-list", *(("is-faint",) if is_faint else ()))
    return (
        f"calibviz-{name.strip('_')}",
        *(("calibviz-with-term",) if has_small else ()),
        *(("calibviz-percent",) if in_percent else ()),
        *(of_list if kind is SelectionSlider else ()),
    )
