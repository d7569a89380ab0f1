"""Pictures of Likert categories: the numbers of samples and the errors (gece figures 5, 6 and 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...foundation.written import percent
from ..records import Array, Figure, Role, Series
from ..shapes import bars, known_only, nothing, over_trials, ticks, up_to

DODGE = 0.12
Side = Sequence[Sequence[Mapping[str, Any]]]


def likert_figures(names: Sequence[str], before: Side, after: Side | None) -> tuple[Figure, Figure]:
    """Counts and errors of Likert categories before and after recalibration.

    Parameters
    ----------
    names : sequence of str, C of them
    before, after : sequence of trials, each of C mappings
        With the keys count, mean_target, error and total_variation, as the rows of `likert_error`; `after` may be
        None. For several trials the means are shown, with bars of one standard deviation.

    Returns
    -------
    "likert-counts"
        Samples in each category (gece figure 6).
    "likert-errors"
        Inter-interval error (gece figure 5) and total variation error (figure 13).
    """
    x_range = (-0.5, max(len(names), 1) - 0.5)
    counts = _average(before, after, "count")
    errors, variations = _average(before, after, "error"), _average(before, after, "total_variation")
    outer = 2.5 * DODGE
    return (
        Figure(
            "likert-counts",
            "Samples in each category",
            "category",
            "samples",
            (
                *(_draw_stems(role, side, place) for role, side, place in zip(_ROLES, counts, _PLACES, strict=True)),
                _draw_spread(counts, _PLACES),
                *(
                    _draw_dots(role, role, side, place)
                    for role, side, place in zip(_ROLES, counts, _PLACES, strict=True)
                ),
            ),
            _describe("Samples in each category", names, counts, lambda value: f"{value:.6g}"),
            x_range,
            up_to(*(value for mean, std in _drop_missing(counts) for value in (mean, mean + std)), room=0.05),
            ticks(names),
        ),
        Figure(
            "likert-errors",
            "Error of each category",
            "category",
            "calibration error",
            (
                _draw_spread([*errors, *variations], [*_PLACES, -outer, outer]),
                *(
                    _draw_dots(f"outside the category, {role}", role, side, place)
                    for role, side, place in zip(_ROLES, errors, _PLACES, strict=True)
                ),
                _draw_dots("from predicted, before", "variation before", variations[0], -outer),
                _draw_dots("from predicted, after", "variation after", variations[1], outer),
            ),
            _describe("Inter-interval error of each category", names, errors, percent)
            + _describe(" Total variation error", names, variations, percent),
            x_range,
            up_to(
                *(value for mean, std in _drop_missing([*errors, *variations]) for value in (mean, mean + std)),
                room=0.05,
            ),
            ticks(names),
            y_in_percent=True,
        ),
    )


_ROLES: tuple[Role, Role] = ("before", "after")
_PLACES = (-DODGE, DODGE)
_Values = tuple[Array, Array] | None  # mean and standard deviation over the trials


def _average(before: Side, after: Side | None, key: str) -> list[_Values]:
    """The mean and standard deviation of a number of the rows, before and after; None without `after`."""
    values: list[_Values] = []
    for side in (before, after):
        if side is None:
            values.append(None)
            continue
        mean, std = over_trials([[float(row[key]) for row in trial] for trial in side])
        values.append((mean, std if len(side) > 1 else np.full(len(mean), np.nan)))
    return values


def _drop_missing(sides: Sequence[_Values]) -> list[tuple[Array, Array]]:
    return [side for side in sides if side is not None]


def _place(mean: Array, place: float) -> Array:
    return np.arange(len(mean), dtype=np.float64) + place


def _draw_dots(name: str, role: Role, side: _Values, place: float) -> Series:
    if side is None:
        return nothing(role, "dots")
    return known_only(name, role, "dots", _place(side[0], place), side[0])


def _draw_stems(role: Role, side: _Values, place: float) -> Series:
    if side is None:
        return nothing(role, "line")
    mean = side[0]
    return bars("", role, _place(mean, place), np.zeros(len(mean)), mean)


def _draw_spread(sides: Sequence[_Values], places: Sequence[float]) -> Series:
    """The bars of all sides, as one line."""
    shown = [(_place(side[0], place), *side) for side, place in zip(sides, places, strict=True) if side]
    x, mean, std = (np.concatenate(parts) for parts in zip(*shown, strict=True))
    return bars("± std of trials", "spread", x, mean - std, mean + std)


def _describe(what: str, names: Sequence[str], sides: list[_Values], text: Any) -> str:
    (before, _), after = _drop_missing(sides)[0], sides[1]

    def in_words(value: float) -> str:
        return "none" if np.isnan(value) else text(float(value))

    parts = [
        f"{name} {in_words(before[i])}" + ("" if after is None else f" before, {in_words(after[0][i])} after")
        for i, name in enumerate(names)
    ]
    return f"{what}: {'; '.join(parts)}."
