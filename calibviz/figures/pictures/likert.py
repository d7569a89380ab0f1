"""Pictures of Likert categories: the numbers of samples and the errors (gece figures 5, 6 and 13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...foundation.arrays import Array
from ...foundation.written import percent
from ..records import OVERLAY_ROLES, Figure, Role, Series
from ..shapes import bars, known_only, over_trials, slots, ticks, up_to

DODGE = 0.12
Side = Sequence[Sequence[Mapping[str, Any]]]


def likert_figures(
    names: Sequence[str],
    before: Side,
    after: Side | None,
    others: Mapping[str, Side] | None = None,
    noun: str = "samples",
) -> tuple[Figure, Figure]:
    """Counts and errors of Likert categories before and after recalibration, and of others that are drawn over them.

    Parameters
    ----------
    names : sequence of str, C of them
    before, after : sequence of trials, each of C mappings
        With the keys count, mean_target, error and total_variation, as the rows of `likert_error`; `after` may
        None. For several trials the means are shown, with bars of one standard deviation.
    others : dict of name to the same, at most 4
    noun : str
        The plural of what samples are called.

    Returns
    -------
    "likert-counts"
        Samples in each category (gece figure 6).
    "likert-errors"
        Inter-interval error (gece figure 5) and total variation error (figure 13); of others the first alone.
    """
    more, title = others or {}, f"{noun.capitalize()} in each category"
    x_range = (-0.5, max(len(names), 1) - 0.5)
    counts, errors, variations = (
        [_averaged(side, key, len(names)) for side in (before, after)] for key in ("count", "error", "total_variation")
    )
    of_others = {key: [_averaged(side, key, len(names)) for side in more.values()] for key in ("count", "error")}
    in_counts, in_errors = _places(len(more), _PLACES), _places(len(more), (-OUTER, *_PLACES, OUTER))
    beside, (low, *middle, high) = in_counts[2:], in_errors[:4]

    def over(key: str, places: Sequence[float]) -> tuple[Series, ...]:
        drawn = zip(more, of_others[key], places, strict=True)
        return slots(OVERLAY_ROLES, "dots", [(name, _place(mean, at), mean) for name, (mean, _), at in drawn], "others")

    return (
        Figure(
            "likert-counts",
            title,
            "category",
            noun,
            (
                *(_draw_stems(role, side, place) for role, side, place in zip(_ROLES, counts, in_counts, strict=False)),
                _draw_spread([*counts, *of_others["count"]], in_counts),
                *(
                    _draw_dots(role, role, side, place)
                    for role, side, place in zip(_ROLES, counts, in_counts, strict=False)
                ),
                *over("count", beside),
            ),
            _describe(title, names, counts, lambda value: f"{value:.6g}", after is not None)
            + _describe_others(names, more, of_others["count"], lambda value: f"{value:.6g}"),
            x_range,
            _reach([*counts, *of_others["count"]]),
            ticks(names),
        ),
        Figure(
            "likert-errors",
            "Error of each category",
            "category",
            "calibration error",
            (
                _draw_spread([*errors, *variations, *of_others["error"]], [*middle, low, high, *in_errors[4:]]),
                *(
                    _draw_dots(f"outside the category, {role}", role, side, place)
                    for role, side, place in zip(_ROLES, errors, middle, strict=True)
                ),
                _draw_dots("from predicted, before", "variation before", variations[0], low),
                _draw_dots("from predicted, after", "variation after", variations[1], high),
                *over("error", in_errors[4:]),
            ),
            _describe("Inter-interval error of each category", names, errors, percent, after is not None)
            + _describe(" Total variation error", names, variations, percent, after is not None)
            + _describe_others(names, more, of_others["error"], percent),
            x_range,
            _reach([*errors, *variations, *of_others["error"]]),
            ticks(names),
            y_in_percent=True,
        ),
    )


_ROLES: tuple[Role, Role] = ("before", "after")
_PLACES, OUTER = (-DODGE, DODGE), 2.5 * DODGE
_Values = tuple[Array, Array]  # mean and standard deviation over the trials


def _places(more: int, usual: Sequence[float]) -> list[float]:
    """Where the marks of a category stand beside each other, those of others on the right of the usual ones."""
    if not more:
        return list(usual)
    step = min(2 * DODGE, 0.9 / (len(usual) + more))
    return [step * (i - (len(usual) + more - 1) / 2) for i in range(len(usual) + more)]


def _averaged(side: Side | None, key: str, n: int) -> _Values:
    """The mean and standard deviation of a number of the rows; nan where there is no such side."""
    if side is None:
        return (np.full(n, np.nan),) * 2
    mean, std = over_trials([[float(row[key]) for row in trial] for trial in side])
    return mean, std if len(side) > 1 else np.full(len(mean), np.nan)


def _reach(sides: Sequence[_Values]) -> tuple[float, float]:
    return up_to(*(value for mean, std in sides for value in (mean, mean + std)), room=0.05)


def _place(mean: Array, place: float) -> Array:
    return np.arange(len(mean), dtype=np.float64) + place


def _draw_dots(name: str, role: Role, side: _Values, place: float) -> Series:
    return known_only(name, role, "dots", _place(side[0], place), side[0])


def _draw_stems(role: Role, side: _Values, place: float) -> Series:
    return bars("", role, _place(side[0], place), np.zeros(len(side[0])), side[0])


def _draw_spread(sides: Sequence[_Values], places: Sequence[float]) -> Series:
    """The bars of all sides, as one line."""
    shown = [(_place(side[0], place), *side) for side, place in zip(sides, places, strict=True)]
    x, mean, std = (np.concatenate(parts) for parts in zip(*shown, strict=True))
    return bars("± std of trials", "spread", x, mean - std, mean + std)


def _describe(what: str, names: Sequence[str], sides: Sequence[_Values], text: Any, has_after: bool) -> str:
    parts = [
        f"{name} {_in_words(before, text)}" + (f" before, {_in_words(after, text)} after" if has_after else "")
        for name, before, after in zip(names, *(mean for mean, _ in sides), strict=True)
    ]
    return f"{what}: {'; '.join(parts)}."


def _describe_others(names: Sequence[str], others: Iterable[str], sides: Sequence[_Values], text: Any) -> str:
    said = []
    for other, (mean, _) in zip(others, sides, strict=True):
        of_each = (f"{name} {_in_words(value, text)}" for name, value in zip(names, mean, strict=True))
        said.append(f" {other}: {'; '.join(of_each)}.")
    return "".join(said)


def _in_words(value: float, text: Any) -> str:
    return "none" if np.isnan(value) else str(text(float(value)))
