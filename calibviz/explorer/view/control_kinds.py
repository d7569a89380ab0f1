"""The widget of each control, and the section in which it stands."""

from __future__ import annotations

from typing import Any

from ...context.lens_names import LENS_KINDS
from ..state.presets import PRESETS
from ..state.spec import (
    BINNINGS,
    CUMULATIVE,
    CURVES,
    DISTANCES,
    FINEST_GAMMA,
    INTERVALS,
    MOST_BINS,
    MOST_KNOTS,
    NORMS,
    ROWS,
)
from ..transport.shared_widgets import (
    BoundedIntText,
    Dropdown,
    FloatRangeSlider,
    FloatSlider,
    IntSlider,
    Layout,
    SelectionSlider,
    SelectMultiple,
    Text,
)
from ..transport.transport import Transport

CHOOSE = "choose …"
LABEL_WIDTH = "84px"
MOST_LEAVES = 10_000
GAMMAS = [(f"1/{2**power}", 2.0**-power) for power in range(1, FINEST_GAMMA + 1)]

#: Controls whose value is the choice of the same name.
PLAIN: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "model": (Dropdown, {}),
    "outcome": (Dropdown, {}),
    "binning": (Dropdown, {"options": BINNINGS}),
    "bins": (IntSlider, {"min": 1, "max": MOST_BINS}),
    "gamma": (SelectionSlider, {"options": GAMMAS}),
    "distance": (Dropdown, {"options": tuple(DISTANCES)}),
    "norm": (Dropdown, {"options": tuple(NORMS)}),
    "calibrator": (Dropdown, {}),
    "knots": (IntSlider, {"min": 2, "max": MOST_KNOTS}),
    "share": (FloatSlider, {"min": 0.05, "max": 0.95, "step": 0.05, "readout_format": ".0%"}),
    "interval": (Dropdown, {"options": INTERVALS}),
    "curves": (SelectMultiple, {"options": CURVES, "rows": 2}),
    "overlays": (SelectMultiple, {"rows": 4}),
    "cumulative": (Dropdown, {"options": CUMULATIVE}),
    "rows": (Dropdown, {"options": ROWS}),
    "calibrators": (SelectMultiple, {"rows": 4}),
    "metrics": (SelectMultiple, {"rows": 4}),
    "by": (Dropdown, {"options": ("class", "group", "level")}),
    "depth": (Dropdown, {"options": [("one field", 1), ("two fields", 2)]}),
    "minimum": (BoundedIntText, {"min": 1, "max": MOST_LEAVES}),
}
#: Controls whose value is a part of a choice, or another form of it.
OTHERS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "preset": (Dropdown, {"options": (CHOOSE, *PRESETS)}),
    "kind": (Dropdown, {"options": tuple(LENS_KINDS)}),
    "number": (IntSlider, {"min": 1, "max": 2, "value": 2}),
    "class_": (Dropdown, {}),
    "groups": (Text, {"continuous_update": False, "placeholder": "even: 0, 2, 4; odd: *"}),
    "labels": (SelectMultiple, {}),
    "confidence": (FloatRangeSlider, {"min": 0.0, "max": 1.0, "step": 0.01, "readout_format": ".2f"}),
    "output": (FloatRangeSlider, {"min": 0.0, "max": 1.0, "step": 0.01, "readout_format": ".2f"}),
    "selection": (Text, {"continuous_update": False, "placeholder": "label in [3, 5] and confidence > 0.5"}),
    "examples": (Dropdown, {"options": (CHOOSE,)}),
    "likert": (Text, {"continuous_update": False, "placeholder": "0, 0.33, 0.66, 1"}),
    "threshold": (FloatSlider, {"min": 0.01, "max": 0.99, "step": 0.01, "readout_format": ".0%"}),
    "cost_ratio": (Text, {"continuous_update": False}),
    "prevalence": (FloatSlider, {"min": 0.01, "max": 0.99, "step": 0.01, "readout_format": ".0%"}),
    "bin": (BoundedIntText, {"min": 0, "max": MOST_LEAVES}),
}
SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Look through", ("preset", "model", "kind", "number", "class_", "groups", "outcome")),
    ("Keep", ("labels", "confidence", "output", "selection", "chips", "examples")),
    ("Bins and categories", ("binning", "bins", "gamma", "distance", "norm", "likert")),
    ("Recalibrate", ("calibrator", "knots", "share")),
    ("Draw", ("interval", "curves", "overlays")),
)


def make_control(
    kind: type[Any], name: str, term: tuple[str, str], transport: Transport, traits: dict[str, Any]
) -> Any:
    """A control with its label and tooltip; its class in the page is ``calibviz-NAME``."""
    return kind(
        description=term[0],
        tooltip=term[1],
        style={"description_width": LABEL_WIDTH},
        layout=Layout(width="310px", transport=transport),
        transport=transport,
        **traits,
    ).add_class(f"calibviz-{name.strip('_')}")
