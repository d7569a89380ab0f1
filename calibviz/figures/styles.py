"""The styles of roles: a colour means the same in every picture, and markers, dashes and fills tell apart as well.

Blue is the model as it is, green what is recalibrated, vermilion a threshold and what is beyond noise, grey noise and
what is not selected, purple the place that is looked at. The other colours mean nothing by themselves: they tell
models, estimators or metrics apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

VERMILION_TEXT, GREEN_TEXT = "#B04000", "#007756"  # of words, which need more contrast than marks
BLUE, GREEN, VERMILION, GREY, PURPLE = "#0072B2", "#008F68", "#C84A00", "#87919D", "#A8458A"
INK, OCHRE, VIOLET, OLIVE, BROWN = "#1B2026", "#9A6700", "#6A51C4", "#6B7700", "#80513C"

#: The names of the colours in style sheets, and their tones on dark pages, which stand out from these at 4.5:1 or more.
NAMES = {
    BLUE: "blue", GREEN: "green", VERMILION: "vermilion", GREY: "grey", PURPLE: "purple",
    INK: "ink", OCHRE: "ochre", VIOLET: "violet", OLIVE: "olive", BROWN: "brown",
    VERMILION_TEXT: "vermilion-text", GREEN_TEXT: "green-text",
}  # fmt: skip  # short entries stand in rows
ON_DARK = {
    BLUE: "#56B4E9", GREEN: "#35C796", VERMILION: "#FF8A4C", GREY: "#8D97A3", PURPLE: "#E39BCB",
    INK: "#E9ECEF", OCHRE: "#E6B95C", VIOLET: "#B4A5F5", OLIVE: "#BFC95A", BROWN: "#D0A48E",
    VERMILION_TEXT: "#FF9A63", GREEN_TEXT: "#35C796",
}  # fmt: skip  # short entries stand in rows


def tone(colour: str) -> str:
    """A colour as the style sheet of the Explorer names it, so that it is another one on dark pages."""
    return f"var(--calibviz-{NAMES[colour]}, {colour})"


def tones(prefix: str = "--", dark: bool = False) -> str:
    """The declarations of all colours for a style sheet, such as "--blue:#0072B2;", or of those of dark pages."""
    return "".join(f"{prefix}{name}:{ON_DARK[colour] if dark else colour};" for colour, name in NAMES.items())


@dataclass(frozen=True)
class Style:
    """Colour; line width in pixels; "solid", "dashed", "dotted" or "dash_dotted"; marker, its area, and its fill.

    Areas have an opacity. Markers and dashes go by the names of bqplot.
    """

    colour: str
    width: float = 2.0
    dash: str = "solid"
    marker: str = "circle"
    size: float = 36.0
    opacity: float = 1.0
    filled: bool = True


STYLES = {
    # Of no side: what things are compared with, and what is only there to be read.
    "reference": Style(GREY, 1.0, "dashed"),
    "level": Style(GREY, 1.0),
    "rug": Style(GREY, 1.0),
    "category": Style(GREY, 0.0, opacity=0.15),
    "strip": Style(GREY, 1.0, opacity=0.2),
    "handle": Style(INK, marker="diamond", size=120.0),
    "gap within": Style(INK, 2.0, marker="square", filled=False),
    "truth": Style(INK),
    "observed": Style(INK, marker="diamond", size=50.0),
    "observed never": Style(INK, marker="diamond", size=50.0, filled=False),
    "observed interval": Style(INK, 1.0),
    "error bar": Style(INK, 2.0),
    "spread": Style(INK, 1.0),
    "band": Style(INK, 0.5, opacity=0.1),
    "least": Style(INK, marker="diamond", size=60.0),
    "suggestion": Style(OCHRE, 1.0, opacity=0.15),
    "suggestion so far": Style(OCHRE, 1.5, "dashed"),
    # Noise, and what is not selected.
    "noise": Style(GREY, 1.0, opacity=0.3),
    "limit": Style(GREY, 1.5, "dash_dotted"),
    "noise limit": Style(GREY, marker="diamond", size=60.0),
    "within": Style(GREY, 2.0, size=50.0, filled=False),
    "others": Style(GREY, 0.5, opacity=0.3),
    "everything": Style(GREY, 1.0, opacity=0.4),
    "everyone": Style(GREY, marker="square", size=30.0),
    # The model as it is.
    "before": Style(BLUE, opacity=0.15),
    "interval": Style(BLUE, 1.0),
    "bins": Style(BLUE, 1.0),
    "few": Style(BLUE, 1.5, filled=False),
    "followed": Style(INK, 1.5, marker="diamond", size=70.0, filled=False),
    "histogram": Style(BLUE, 1.0, opacity=0.4),
    "flexible": Style(BLUE, 2.5, opacity=0.15),
    "flexible where few": Style(BLUE, 2.0, "dotted"),
    "on the curve": Style(BLUE, 0.0, size=0.01),  # what a reader points at: the line itself is what is seen
    "smooth": Style(BLUE, 2.0, "dashed"),
    "corp": Style(BLUE, 2.0, "dash_dotted"),
    "curve knots": Style(BLUE, marker="diamond", size=80.0),
    "predicted before": Style(BLUE, dash="dotted"),
    "variation before": Style(BLUE, marker="triangle-up", size=50.0, filled=False),
    "resampled": Style(BLUE, 1.5, "dashed"),
    "most": Style(BLUE, 1.5, "dashed"),
    "fewest": Style(BLUE, 1.5, "dotted"),
    # What is recalibrated; its line is solid in a picture of its own.
    "after histogram": Style(GREEN, 1.5),
    "after": Style(GREEN, 2.5, "dashed", "square", opacity=0.15),
    "few after": Style(GREEN, 1.5, marker="square", filled=False),
    "after alone": Style(GREEN, opacity=0.15),
    "predicted after": Style(GREEN, dash="dotted"),
    "variation after": Style(GREEN, marker="diamond", size=50.0, filled=False),
    "observed after": Style(GREEN, marker="square", size=50.0, filled=False),
    "interval after": Style(GREEN, 1.0),
    "acted on after": Style(GREEN, 1.0, opacity=0.4),
    "map": Style(GREEN),
    "cloud": Style(GREEN, marker="triangle-up", size=16.0),
    "knots": Style(GREEN, marker="diamond", size=80.0),
    # Where somebody acts, and what is beyond noise.
    "acting": Style(VERMILION, 1.0),
    "threshold": Style(VERMILION, marker="triangle-up", size=120.0),
    "missed": Style(INK, 1.0, opacity=0.35),
    "stands": Style(VERMILION, marker="diamond", size=70.0),
    "gap": Style(VERMILION, 3.0, marker="square"),
    "worst gap": Style(VERMILION, 1.5, "dotted"),
    "worst interval": Style(VERMILION, 3.0),
    "worst": Style(VERMILION, marker="diamond", size=150.0),
    "worst histogram": Style(VERMILION, 1.0, opacity=0.8),
    "worst was": Style(VERMILION, marker="diamond", size=110.0, filled=False),
    "worst move": Style(GREEN, 1.5),
    "worst interval after": Style(GREEN, 3.0),
    "worst after": Style(GREEN, marker="diamond", size=150.0),
    # What is looked at.
    "cursor": Style(PURPLE, 2.0, "dotted"),
    "selected": Style(PURPLE, size=180.0, filled=False),
    # Other models, estimators and metrics.
    "overlay 1": Style(OCHRE, 1.5, "dashed", "diamond", opacity=0.15),
    "overlay 2": Style(VIOLET, 1.5, "dotted", "triangle-up", opacity=0.15),
    "overlay 3": Style(OLIVE, 1.5, "dash_dotted", "cross", opacity=0.15),
    "overlay 4": Style(INK, 1.5, "dotted", "triangle-down", opacity=0.15),
    "extra": Style(BROWN, 1.5, "dashed", "square", opacity=0.15),
    **{
        f"bar {i}": Style(colour, 1.0, opacity=0.6)
        for i, colour in enumerate((BLUE, GREEN, OCHRE, VIOLET, OLIVE, BROWN, INK), 1)
    },
}
STYLES |= {
    f"{name} band": replace(style, width=0.0, dash="solid")
    for name, style in STYLES.items()
    if name in ("flexible", "after", "after alone") or name.startswith("overlay")
}
