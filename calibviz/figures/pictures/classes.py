"""Pictures of the errors of classes, groups or levels, the largest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..records import Array, Figure, Series
from ..shapes import bars, percent, ticks, up_to

MOST_NAMES = 20


def worst_first(errors: ArrayLike) -> NDArray[np.intp]:
    """The classes in the order in which `classes_figure` draws them, by decreasing error; nan is left out."""
    values = np.asarray(errors, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    return order[np.isfinite(values[order])]


def classes_figure(
    names: Sequence[str],
    errors: ArrayLike,
    current: int | None = None,
    spread: ArrayLike | None = None,
    *,
    kind: str = "class",
    classes: Sequence[tuple[int, ...]] = (),
) -> Figure:
    """Calibration errors, the largest first.

    Parameters
    ----------
    names : sequence of str, K of them
    errors : array-like, shape (K,)
        nan where an error is not known yet, or is undefined.
    current : int, 0 to K - 1, optional
        The class to mark, by its place in `names`.
    spread : array-like, shape (K,), optional
        Standard deviations over trials, drawn as bars.
    kind : str
        The kind of the names: "class", "group", ...
    classes : sequence of tuples of int, K of them, optional
        The classes that each name stands for, by their index.
    """
    order = worst_first(errors)
    sorted_errors: Array = np.asarray(errors, dtype=np.float64)[order]
    deviation = np.full(len(order), np.nan) if spread is None else np.asarray(spread, dtype=np.float64)[order]
    place = np.arange(len(order), dtype=np.float64)
    marked = order == current
    named = [str(names[i]) for i in order]
    unknown = len(names) - len(order)
    summary = f"Calibration error by {kind}: "
    if len(order):
        summary += (
            f"the largest {percent(float(sorted_errors[0]))} ({named[0]}), the least "
            f"{percent(float(sorted_errors[-1]))} ({named[-1]}), the mean of {len(order)} "
            f"{percent(float(sorted_errors.mean()))}"
        )
    if marked.any():
        at = int(marked.argmax())
        summary += f"; {named[at]} is marked, number {at + 1} with {percent(float(sorted_errors[at]))}"
    if unknown:
        summary += f"{'; ' if len(order) else ''}not known: {unknown}"
    return Figure(
        "classes",
        f"Error by {kind}",
        f"{kind}, the largest error first" if len(order) <= MOST_NAMES else f"place of the {kind}, by its error",
        "calibration error",
        (
            bars("± std of trials", "interval", place, sorted_errors - deviation, sorted_errors + deviation),
            Series(
                "",
                "bins",
                "dots",
                place,
                sorted_errors,
                _write_hints(named, sorted_errors),
                classes=tuple(classes[i] for i in order) if classes else (),
            ),
            Series("current" if marked.any() else "", "selected", "dots", place[marked], sorted_errors[marked]),
        ),
        f"{summary}.",
        (-0.5, max(len(order), 1) - 0.5),
        up_to(sorted_errors, sorted_errors + deviation, room=0.05),
        ticks(named) if len(order) <= MOST_NAMES else (),
        y_in_percent=True,
    )


def _write_hints(names: Sequence[str], errors: Array) -> tuple[str, ...]:
    return tuple(f"{name}: {percent(error)}" for name, error in zip(names, errors.tolist(), strict=True))
