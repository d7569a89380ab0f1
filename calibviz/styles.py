"""How roles look: colours of Okabe & Ito (2008), told apart by marker and dash as well."""

from __future__ import annotations

from dataclasses import dataclass

BLUE, VERMILION, GREEN, ORANGE, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#808080"


@dataclass(frozen=True)
class Style:
    """Colour; line width in pixels; "solid", "dashed" or "dotted"; marker of dots and its area; opacity of areas."""

    colour: str
    width: float = 2.0
    dash: str = "solid"
    marker: str = "circle"
    size: float = 36.0
    opacity: float = 1.0


STYLES = {
    "reference": Style(GREY, 1.0, "dashed"),
    "category": Style(GREEN, 1.0, "dotted", opacity=0.15),
    "interval": Style(BLUE, 1.0),
    "bins": Style(BLUE, 1.0),
    "histogram": Style(BLUE, 1.0, opacity=0.4),
    "score": Style(VERMILION, dash="dashed"),
    "target": Style(BLUE),
    "gap": Style(PURPLE, 3.0, marker="square"),
    "map": Style(GREEN),
    "knots": Style(GREEN, marker="diamond", size=80.0),
    "before": Style(VERMILION, marker="circle"),
    "after": Style(BLUE, marker="square"),
}
