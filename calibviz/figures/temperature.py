"""How errors depend on the temperature: each has its least at another one (gce_measuring figure 1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from .confidence import SLOTS
from .records import Array, Figure, Role, Series, Ticks
from .shapes import around, cursor, percent, slots

CURVES: tuple[Role, ...] = (*SLOTS, "extra")
MOST_TICKS = 6
IN_NATS = ("NLL", "log loss")


def temperature_figure(temperatures: ArrayLike, errors: Mapping[str, ArrayLike], current: float) -> Figure:
    """Errors over the temperature by which the logits are divided, on a log2 axis.

    Each is drawn from its least value, 0, to its largest, 1, for they have different units; the least is marked.

    Parameters
    ----------
    temperatures : array-like, shape (m,), above 0, ascending
    errors : dict of name to array-like of shape (m,), at most 6
        nan where one is still to come. "NLL" and "log loss" are read in nats, all others as shares of 1.
    current : float, above 0
        The temperature to mark.
    """
    chosen = np.asarray(temperatures, dtype=np.float64)
    x = np.log2(chosen)
    shown, minima, said = [], [], []
    for name, values in errors.items():
        error = np.asarray(values, dtype=np.float64)
        known = np.isfinite(error)  # a log loss may be infinite
        error = np.where(known, error, np.nan)
        if not known.any():
            shown.append((name, x, error))
            continue
        at = int(np.nanargmin(error))
        least, largest = float(error[at]), float(np.nanmax(error))
        text = f"{least:.4g}" if name in IN_NATS else percent(least)
        legend = f"{name}: {text} at T = {chosen[at]:.3g}"
        shown.append((legend, x, (error - least) / (largest - least or 1.0)))
        minima.append(x[at])
        said.append(legend)
    places = np.array(minima, dtype=np.float64)
    y_range = (-0.05, 1.05)
    return Figure(
        "temperature",
        "Errors over the temperature",
        "temperature",
        "from its least to its largest value",
        (
            cursor(float(np.log2(current)), y_range, f"T = {current:.3g}"),
            *slots(CURVES, "line and dots", shown, "errors"),
            Series("least", "minimum", "dots", places, np.zeros(len(places)))
            if len(places)
            else Series("", "minimum", "dots", places, places),
        ),
        f"Errors at temperatures from {chosen[0]:.3g} to {chosen[-1]:.3g}, the current one {current:.3g}. "
        f"Least values: {'; '.join(said) if said else 'not known yet'}.",
        around(x, [np.log2(current)], margin=0.02),
        y_range,
        _ticks(x),
    )


def _ticks(x: Array) -> Ticks:
    """Powers of 2 inside the axis, of 4 where there are many."""
    powers = range(int(np.ceil(x.min())), int(np.floor(x.max())) + 1)
    step = 1 if len(powers) <= MOST_TICKS else 2
    return tuple((float(k), f"{2**k}" if k >= 0 else f"1/{2**-k}") for k in powers if k % step == 0)
