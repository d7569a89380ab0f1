"""The styles of roles: colours of Okabe & Ito (2008), with markers and dashes that also differ."""

from __future__ import annotations

from dataclasses import dataclass, replace

# These of their colours have the best contrast on white and on dark pages; orange, fainter on white, is used last.
BLUE, VERMILION, GREEN, ORANGE, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#808080"


@dataclass(frozen=True)
class Style:
    """Colour; line width in pixels; "solid", "dashed" or "dotted"; marker of dots, its area, and whether it is filled.

    Areas have an opacity. Markers go by the names of bqplot.
    """

    colour: str
    width: float = 2.0
    dash: str = "solid"
    marker: str = "circle"
    size: float = 36.0
    opacity: float = 1.0
    filled: bool = True


STYLES = {
    "reference": Style(GREY, 1.0, "dashed"),
    "category": Style(GREEN, 1.0, "dotted", opacity=0.15),
    "interval": Style(BLUE, 1.0),
    "bins": Style(BLUE, 1.0),
    "histogram": Style(BLUE, 1.0, opacity=0.4),
    "score": Style(VERMILION, dash="dashed"),
    "target": Style(BLUE, opacity=0.15),
    "gap": Style(PURPLE, 3.0, marker="square"),
    "map": Style(GREEN),
    "cloud": Style(GREEN, marker="triangle-up", size=16.0),
    "knots": Style(GREEN, marker="diamond", size=80.0),
    "rug": Style(GREY, 1.0),
    "before": Style(VERMILION, marker="circle", opacity=0.15),
    "after": Style(BLUE, marker="square", opacity=0.15),
    "variation before": Style(VERMILION, marker="triangle-up", size=50.0, filled=False),
    "variation after": Style(BLUE, marker="diamond", size=50.0, filled=False),
    "smooth": Style(GREEN, 2.5, "dashed"),
    "corp": Style(PURPLE, 2.5, "dotted"),
    "band": Style(GREY, 0.5, opacity=0.25),
    "chance": Style(ORANGE, 0.5, opacity=0.2),
    "cursor": Style(PURPLE, 2.0, "dotted"),
    "provisional": Style(GREEN, 1.5, "dashed"),
    "minimum": Style(GREY, marker="diamond", size=60.0),
    "handle": Style(GREEN, marker="diamond", size=120.0),
    "selected": Style(VERMILION, size=180.0, filled=False),
    "overlay 1": Style(VERMILION, 1.5, "dashed", "square", opacity=0.15),
    "overlay 2": Style(GREEN, 1.5, "dotted", "diamond", opacity=0.15),
    "overlay 3": Style(PURPLE, 1.5, "dashed", "triangle-up", opacity=0.15),
    "overlay 4": Style(ORANGE, 1.5, "dotted", "cross", opacity=0.15),
    "extra": Style(GREY, 1.5, "dashed", "triangle-down"),
    **{
        f"bar {i}": Style(colour, 1.0, opacity=0.6)
        for i, colour in enumerate((BLUE, VERMILION, GREEN, PURPLE, ORANGE, GREY), 1)
    },
    "error bar": Style(GREY, 2.0),
    "flexible": Style(BLUE, 2.5, opacity=0.15),
    "flexible where few": Style(BLUE, 2.0, "dotted"),
    "few": Style(BLUE, 1.5, filled=False),
    "found after": Style(VERMILION, marker="square", size=50.0, filled=False),
    "interval after": Style(VERMILION, 1.0),
    "others": Style(GREY, 0.5, opacity=0.3),
    "acting": Style(VERMILION, 1.0),
    "threshold": Style(VERMILION, marker="triangle-up", size=120.0),
}
STYLES |= {
    f"{name} band": replace(style, width=0.0)
    for name, style in STYLES.items()
    if name == "flexible" or name.startswith("overlay")
}
