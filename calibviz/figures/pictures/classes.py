"""Pictures of the errors of classes, groups or levels, the largest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...foundation.arrays import Array
from ...foundation.written import percent
from ..records import Figure, Series
from ..shapes import areas, bars, up_to

MOST_NAMES = 20
HALF_WIDTH = 0.3  # of the column of a noise floor; ranks are 1 apart


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
    floors: ArrayLike | None = None,
    kind: str = "class",
    classes: Sequence[tuple[int, ...]] = (),
    ranks: tuple[int, int] | None = None,
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
    floors : array-like, shape (K,), optional
        What the errors of calibrated predictions reach in 95 of 100 cases, as columns; nan where it is not known.
    kind : str
        The kind of the names: "class", "group", ...
    classes : sequence of tuples of int, K of them, optional
        The classes that each name stands for, by their index.
    ranks : (int, int), optional
        The first and the last rank that are drawn, where the largest error has rank 1; None draws all.
    """
    order = worst_first(errors)
    sorted_errors: Array = np.asarray(errors, dtype=np.float64)[order]
    first, last = ranks or (1, max(len(order), 1))
    part = slice(first - 1, last)
    drawn, shown = order[part], sorted_errors[part]
    deviation = np.full(len(shown), np.nan) if spread is None else np.asarray(spread, dtype=np.float64)[drawn]
    reach = np.full(len(shown), np.nan) if floors is None else np.asarray(floors, dtype=np.float64)[drawn]
    place = np.arange(first, first + len(shown), dtype=np.float64)
    marked = drawn == current
    named = [str(names[i]) for i in drawn]
    return Figure(
        "classes",
        f"Error by {kind}",
        f"{kind}, the largest error first" if len(shown) <= MOST_NAMES else f"rank of the {kind}, by its error",
        "calibration error",
        (
            areas("within noise", "noise", _columns(place, reach)),
            bars("± std of trials", "interval", place, shown - deviation, shown + deviation),
            Series(
                "",
                "bins",
                "dots",
                place,
                shown,
                _write_hints(named, shown, reach),
                classes=tuple(classes[i] for i in drawn) if classes else (),
            ),
            Series("current" if marked.any() else "", "selected", "dots", place[marked], shown[marked]),
        ),
        _describe(kind, names, order, sorted_errors, current)
        + _count_beyond(shown, reach)
        + (f" Shown: ranks {first} to {last}." if ranks else ""),
        (first - 0.5, last + 0.5),
        up_to(shown, shown + deviation, reach, room=0.05),
        tuple(zip(place.tolist(), named, strict=True)) if len(shown) <= MOST_NAMES else (),
        y_in_percent=True,
    )


def _describe(kind: str, names: Sequence[str], order: NDArray[np.intp], errors: Array, current: int | None) -> str:
    """The largest and the least error, their mean, the marked one, and how many are not known."""
    sentences = []
    if len(order):
        sentences.append(
            f"the largest {percent(float(errors[0]))} ({names[order[0]]}), "
            f"the least {percent(float(errors[-1]))} ({names[order[-1]]}), "
            f"the mean of {len(order)} {percent(float(errors.mean()))}"
        )
    if (order == current).any():
        at = int((order == current).argmax())
        sentences.append(f"{names[order[at]]} is marked, number {at + 1} with {percent(float(errors[at]))}")
    if unknown := len(names) - len(order):
        sentences.append(f"not known: {unknown}")
    return f"Calibration error by {kind}: {'; '.join(sentences)}."


def _columns(place: Array, reach: Array) -> list[tuple[Array, Array, Array]]:
    """The columns from 0 to the noise floors."""
    return [
        (x + np.array([-HALF_WIDTH, HALF_WIDTH]), np.zeros(2), np.full(2, y)) for x, y in zip(place, reach, strict=True)
    ]


def _count_beyond(errors: Array, reach: Array) -> str:
    """How many of the drawn errors are more than noise, in words; empty where no noise floor is known."""
    known = int(np.isfinite(reach).sum())
    which = "the" if known == len(errors) else "the worst"
    return f" Of {which} {known}, {int((errors > reach).sum())} are beyond noise." if known else ""


def _write_hints(names: Sequence[str], errors: Array, reach: Array) -> tuple[str, ...]:
    return tuple(
        f"{name}: {percent(error)}" + (f", noise: {percent(most)}" if np.isfinite(most) else "")
        for name, error, most in zip(names, errors.tolist(), reach.tolist(), strict=True)
    )
