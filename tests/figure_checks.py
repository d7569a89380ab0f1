"""What holds for every figure record."""

from __future__ import annotations

import numpy as np

from calibviz.figures import BARS
from calibviz.figures.styles import BLUE, GREEN, STYLES

UPRIGHT = (*BARS, "rug")  # what no reader takes for a curve


def situation(series):
    """What tells a series from others: its colour, and the dash, marker and fill of what it is drawn as.

    Dots of no size are not seen: they are there to be pointed at.
    """
    style = STYLES[series.role]
    line = (style.dash, series.role in UPRIGHT and style.width) if "line" in series.shape else None
    dots = (style.marker, style.filled, style.size > 1) if "dots" in series.shape else None
    return style.colour, line, dots, (style.dash, style.opacity) if series.shape == "area" else None


def check_colours(figure):
    """No two roles of a picture look alike, and what is before or after a repair has the colour of it."""
    seen = {}
    for series in figure.series:
        assert seen.setdefault(situation(series), series.role) == series.role, (figure.name, series.role)
        for word, colour in (("before", BLUE), ("after", GREEN)):
            if word in series.role.split() or word in series.name.split():
                assert STYLES[series.role].colour == colour, (figure.name, series.role, series.name)


def ks_mark(figure):
    """The mark of the largest distance, and whether it has the colour of what stands beyond noise."""
    beyond, within = by_role(figure, "gap"), by_role(figure, "gap within")
    assert len(beyond.x) + len(within.x) == 2
    return (beyond, True) if len(beyond.x) else (within, False)


def by_role(figure, role):
    """The series of a role; its dots, where it has lines as well."""
    (found,) = [series for series in figure.series if series.role == role and series.shape != "line"] or [
        series for series in figure.series if series.role == role
    ]
    return found


def form(figure):
    """What must not change from one record of a kind to the next."""
    return figure.name, [(series.role, series.shape) for series in figure.series]


def check(figure):
    """What holds for every picture."""
    check_colours(figure)
    assert figure.alt.endswith(".") and "nan" not in figure.alt and "inf" not in figure.alt
    for low, high in (figure.x_range, figure.y_range):
        assert np.isfinite(low) and low < high < np.inf
    for series in figure.series:
        assert series.role in STYLES
        assert series.x.shape == series.y.shape and series.x.ndim == 1
        assert not np.isinf(series.x).any() and not np.isinf(series.y).any()
        if "dots" in series.shape:
            assert not np.isnan(series.x).any() and not np.isnan(series.y).any()
        np.testing.assert_array_equal(np.isnan(series.x), np.isnan(series.y))
        if not len(series.x):
            assert series.name == ""
            continue
        assert not np.isnan(series.x[[0, -1]]).any(), series.role  # a browser complains of a line that ends nowhere
        if series.shape == "area" and series.role not in (
            "everything",
            "histogram",
            "worst histogram",
            "others",
        ):  # each piece is closed
            for piece in np.split(np.arange(len(series.x)), np.flatnonzero(np.isnan(series.x))):
                xs, ys = (values[piece][~np.isnan(series.x[piece])] for values in (series.x, series.y))
                assert (xs[0], ys[0]) == (xs[-1], ys[-1])
    return figure
