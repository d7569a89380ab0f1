"""The picture of errors over the temperature, whose minima differ (gce_measuring figure 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ...foundation.arrays import Array
from ...foundation.written import in_unit
from ..records import Figure, Hints, Role, Ticks
from ..shapes import areas, around, cursor, known_only, slots
from .confidence import SLOTS

CURVES: tuple[Role, ...] = (*SLOTS, "extra")
TEMPERATURE_DOTS: tuple[Role, ...] = (*CURVES, "least")  # the dots of the picture, each at a temperature
MOST_TICKS = 6
ROW = 0.055  # height of the rows below the curves that mark the minima
MARGIN = 1.25  # of the axis beyond the minima, in powers of 2
Y_RANGE = (-0.05 - ROW * len(CURVES), 1.05)


def temperature_figure(
    temperatures: ArrayLike,
    errors: Mapping[str, ArrayLike],
    current: float,
    within: Mapping[str, tuple[float, float]] | None = None,
    units: Mapping[str, str] | None = None,
) -> Figure:
    """Errors over the temperature by which the logits are divided, on a log2 axis.

    Only temperatures near the minima and the current one are drawn. As the errors have different units, each curve is
    scaled from its minimum, 0, to its largest value there, 1. Each minimum is marked below, in a row of its own, in the
    order of `errors`.

    Parameters
    ----------
    temperatures : array-like, shape (m,), above 0, ascending
    errors : dict of name to array-like of shape (m,), at most 6
        nan where one is not known yet.
    current : float, above 0
        The temperature to mark.
    within : dict of name to (float, float), optional
        The range of temperatures within noise of the minimum, drawn as a bar in its row: 0 or infinity where it goes on
        beyond the first or last temperature, nan where it is empty.
    units : dict of name to str, optional
        The unit of each error, "%" by default; the values of the others are shown as plain numbers.
    """
    chosen = np.asarray(temperatures, dtype=np.float64)
    unit_of = units or {}
    x, now = np.log2(chosen), float(np.log2(current))
    known = {name: np.asarray(values, dtype=np.float64) for name, values in errors.items()}
    known = {name: np.where(np.isfinite(error), error, np.nan) for name, error in known.items()}  # infinite log losses
    least_at = {name: int(np.nanargmin(error)) for name, error in known.items() if not np.isnan(error).all()}
    marked = [*x[list(least_at.values())], now]
    near = (x >= min(marked) - MARGIN) & (x <= max(marked) + MARGIN) if least_at else np.ones(len(x), dtype=bool)
    x_range = around(x[near], [now], margin=0.02)
    shown, minima, legends, bars = [], [], [], []
    for row, (name, error) in enumerate(known.items()):
        if name not in least_at:
            shown.append((name, x, error))
            continue
        at = least_at[name]
        least, largest = float(error[at]), float(np.nanmax(error[near]))
        legend = f"{name}: {in_unit(least, unit_of.get(name, '%'))} at T = {chosen[at]:#.3g}"
        if not 0 < at < len(x) - 1:
            legend += ", the last one tried"
        height = -0.05 - ROW * (row + 0.5)
        low, high = (within or {}).get(name, (np.nan, np.nan))
        if name in (within or {}):
            legend += f" ({_describe_range(low, high)})"
        if low <= high:
            ends = np.clip(np.log2(np.clip([low, high], chosen[0], chosen[-1])), *x_range)
            bars.append((ends, np.full(2, height - ROW / 3), np.full(2, height + ROW / 3)))
        shown.append((legend, x, np.where(near, (error - least) / (largest - least or 1.0), np.nan)))
        minima.append((x[at], height))
        legends.append(legend)
    curves = list(slots(CURVES, "line and dots", shown, "errors"))
    for row, ((name, error), (_, _, drawn)) in enumerate(zip(known.items(), shown, strict=True)):
        if len(curves[row].x):
            hints = _write_hints(name, chosen, error, drawn, unit_of.get(name, "%"))
            curves[row] = replace(curves[row], hints=hints)
    places, heights = np.array(minima, dtype=np.float64).reshape(-1, 2).T
    return Figure(
        "temperature",
        "Errors over the temperature",
        "temperature",
        "from its least to its largest value",
        (
            cursor(now, Y_RANGE, f"T = {current:.3g}"),
            *curves,
            areas("within noise", "noise", bars),
            known_only("least", "least", "dots", places, heights, legends),
        ),
        f"Errors at temperatures from {chosen[0]:.3g} to {chosen[-1]:.3g}, the current one {current:.3g}. "
        f"Least values{', in brackets what is within noise of them' if within else ''}: "
        f"{'; '.join(legends) if legends else 'not known yet'}.",
        x_range,
        Y_RANGE,
        _make_ticks(x[near]),
        y_ticks=tuple((share, f"{share:g}") for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),  # below are no values
    )


def _write_hints(name: str, temperatures: Array, error: Array, drawn: Array, unit: str) -> Hints:
    """Return a hint for each dot of a curve: the error there, in its own unit."""
    shown = np.flatnonzero(np.isfinite(drawn))
    return Hints(
        len(shown), lambda i: f"{name}: {in_unit(float(error[shown[i]]), unit)} at T = {temperatures[shown[i]]:#.3g}"
    )


def _describe_range(low: float, high: float) -> str:
    """A range of temperatures, in words."""
    if not low <= high:
        return "none is calibrated"
    if low <= 0:
        return "any" if np.isinf(high) else f"up to {high:#.3g}"
    if np.isinf(high):
        return f"{low:#.3g} and more"
    ends = dict.fromkeys((f"{low:#.3g}", f"{high:#.3g}"))
    return f"{' to '.join(ends)}{' alone' if len(ends) == 1 else ''}"


def _make_ticks(x: Array) -> Ticks:
    """Powers of 2 inside the axis, or of 4 if there are many."""
    powers = range(int(np.ceil(x.min())), int(np.floor(x.max())) + 1)
    step = 1 if len(powers) <= MOST_TICKS else 2
    return tuple((float(k), f"{2**k}" if k >= 0 else f"1/{2**-k}") for k in powers if k % step == 0)
