"""Curves over a common axis, whatever they are: of a table that has no picture of its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...foundation import validation
from ..records import Figure, Shape
from ..shapes import LEAST_SPAN, around, known_only, level, nothing, ticks as named_at
from .decisions import FEWEST_POINTS, MODELS

ROOM = 0.05


def curves_figure(
    title: str,
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    x_label: str,
    y_label: str,
    *,
    truth: float | None = None,
    ticks: bool = False,
    x_in_percent: bool = False,
    y_in_percent: bool = False,
) -> Figure:
    """Several curves over the same places.

    Parameters
    ----------
    title, x_label, y_label : str
    x : array-like, shape (n,)
        Ascending.
    curves : mapping of name to array-like of shape (n,)
        At most 5; nan where one has no value.
    truth : float, optional
        A level to draw across.
    ticks : bool
        Whether each place has a tick, on a logarithmic axis.
    x_in_percent, y_in_percent : bool
        Whether `x` and the curves are shares of 1.

    Raises
    ------
    ValueError
        Where there are too many curves, or a curve has another shape.
    """
    places = validation.float_values(x, "x", 1)
    rows = {name: validation.float_values(values, f"curves[{name!r}]", 1) for name, values in curves.items()}
    if not 0 < len(rows) <= len(MODELS):
        raise ValueError(f"curves has {len(rows)} entries, but a picture tells 1 to {len(MODELS)} apart")
    for name, values in rows.items():
        if len(values) != len(places):
            raise ValueError(f"curves[{name!r}] has {len(values)} values, but x has {len(places)}")
    shown = np.log2(places) if ticks else places
    named = named_at((f"{place:g}" for place in places), shown) if ticks else ()
    x_range = around(shown, margin=0.0 if np.ptp(shown) > LEAST_SPAN else ROOM)
    across = nothing("truth", "line") if truth is None else level("truth", x_range, truth, "truth")
    shape: Shape = "line" if len(places) > FEWEST_POINTS else "line and dots"
    lines = [known_only(name, MODELS[k], shape, shown, row) for k, (name, row) in enumerate(rows.items())]
    span = [*rows.values()] + ([] if truth is None else [np.array([truth])])
    return Figure(
        "curves", title, x_label, y_label, (across, *lines),
        f"{title}: {', '.join(rows)} over {x_label}.", x_range, around(*span), named,
        x_in_percent=x_in_percent, y_in_percent=y_in_percent,
    )  # fmt: skip  # short entries stand in rows
