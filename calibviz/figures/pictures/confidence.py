"""Pictures of the mean probability by rank and by group of classes (gece figures 2 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...foundation.arrays import Array
from ...foundation.written import percent
from ..records import OVERLAY_ROLES, Figure, Role, Series, Shape, Ticks
from ..shapes import (
    areas,
    around,
    bars,
    known_only,
    level,
    logs,
    nothing,
    over_trials,
    powers_of_ten,
    slots,
    ticks,
    up_to,
)

SLOTS: tuple[Role, ...] = ("bins", *OVERLAY_ROLES)
MOST_PLAIN_RANKS = 20
MOST_DOTS = 40
DODGE = 0.12
LOG_AXIS_RATIO = 30.0
ROOM_FOR_NEVER = 0.12  # of a log axis, for what is never observed


class ObservedShares(NamedTuple):
    """How often each of several outcomes is true, the ends of an interval, and what the legend calls that."""

    name: str
    mean: Array
    lower: Array
    upper: Array


def confidence_figure(
    ranks: ArrayLike,
    curves: Mapping[str, ArrayLike],
    baseline: str = "",
    *,
    after: str = "",
    found: ObservedShares | None = None,
) -> Figure:
    """The mean k-th largest probability relative to a baseline, for every rank k (gece figure 2).

    Parameters
    ----------
    ranks : array-like, shape (R,)
        Ascending from 1; more than 20 are drawn on a log10 axis.
    curves : dict of name to array-like of shape (trials, R), at most 5
        The first is the current one. For several trials the mean is shown, with a band of one standard deviation.
        Values below a thirtieth or above thirty times the baseline are drawn on a log10 axis.
    baseline : str, optional
        What the curves are divided by, for the legend.
    after : str, optional
        Which of the curves is the current one after a calibrator.
    found : ObservedShares, optional
        How often the class of each of the first ranks is true, also divided by the baseline.
    """
    line = f"{baseline} (baseline)" if baseline else "baseline"
    all_ranks = np.asarray(ranks, dtype=np.float64)
    picked = np.arange(len(all_ranks))
    if len(all_ranks) > MOST_DOTS:  # evenly on the log axis
        picked = np.unique(np.geomspace(1, len(all_ranks), MOST_DOTS).round().astype(np.intp)) - 1
    most = float(all_ranks.max())
    x = all_ranks[picked] if most <= MOST_PLAIN_RANKS else np.log10(all_ranks[picked])
    means = {name: over_trials(np.asarray(values)[:, picked]) for name, values in curves.items()}
    ends = {name: (mean - std, mean + std) for name, (mean, std) in means.items() if len(np.asarray(curves[name])) > 1}
    shown = {name: mean for name, (mean, _) in means.items()}
    largest = max((float(np.nanmax(np.abs(logs(mean)), initial=0.0)) for mean in shown.values()), default=0)
    wide = largest > np.log10(LOG_AXIS_RATIO)
    if wide:
        ends = {name: (logs(np.maximum(low, shown[name] / 10)), logs(high)) for name, (low, high) in ends.items()}
        shown = {name: logs(mean) for name, mean in shown.items()}
    bands = [(x, *pair) for pair in ends.values()]
    truth = None if found is None else _of_ranks(found, wide)
    never = None if found is None or not wide else found.mean == 0  # which has no place on a log axis
    middles: list[ArrayLike] = [[0.0 if wide else 1.0], *shown.values(), *(band[1:] for band in bands)]
    middles += [] if truth is None else [truth.mean]
    reach = around(*middles, margin=0.5)  # the interval of a rare rank may run out of the picture
    y_range = around(*middles, *([] if truth is None else [np.clip(truth[2:], *reach)]))
    bottom = y_range[0]
    if never is not None and never.any():  # room below all others, above the numbers of the axis
        room = ROOM_FOR_NEVER * (y_range[1] - bottom)
        bottom, y_range = bottom - room / 2, (bottom - room, y_range[1])
    places = _places_of(0 if truth is None else len(truth.mean), most)
    return Figure(
        "confidence",
        "How much probability does each rank get?",
        "rank k: 1 is the likeliest class",
        "times that of the baseline",
        (
            areas("± std of trials", "band", bands),
            level("reference", (float(x[0]), float(x[-1])), 0.0 if wide else 1.0, line),
            *_with_after("line and dots", [(name, x, mean) for name, mean in shown.items()], after, "curves"),
            *_draw_observed(truth, places, never, bottom),
        ),
        f"Mean k-th largest probability relative to the baseline, for k from 1 to {most:g}. "
        + " ".join(_describe(name, all_ranks[picked], mean) for name, (mean, _) in means.items()),
        around(x, places, margin=0.02),
        y_range,
        _make_rank_ticks(most),
        y_ticks=powers_of_ten(*y_range) if wide else (),
        y_is_log=bool(wide),
    )


def _places_of(ranks: int, most: float) -> Array:
    """The places on the axis of what is observed of the first ranks, beside what is predicted of them."""
    k = np.arange(1.0, ranks + 1) + DODGE
    return k if most <= MOST_PLAIN_RANKS else np.log10(k)


def _of_ranks(found: ObservedShares, wide: bool) -> ObservedShares:
    """Return the observed shares by rank as they are drawn."""
    if not wide:
        return found
    lowest = np.maximum(found.lower, found.mean / 10)  # as with bands, 0 has no place on the axis
    return ObservedShares(found.name, *(logs(part) for part in (found.mean, lowest, found.upper)))


def _draw_observed(
    found: ObservedShares | None, x: Array, never: NDArray[np.bool_] | None = None, bottom: float = 0.0
) -> tuple[Series, Series, Series]:
    """Draw observed shares with their intervals; those `never` observed stand open at the bottom of a log axis."""
    if found is None:
        return nothing("spread", "line"), nothing("observed", "dots"), nothing("observed never", "dots")
    at = x[:0] if never is None else x[never]
    lower = found.lower if never is None else np.where(never, bottom, found.lower)
    return (
        bars("", "spread", x, lower, found.upper),
        known_only(found.name, "observed", "dots", x, found.mean),
        known_only("never observed (0)", "observed never", "dots", at, np.full(len(at), bottom)),
    )


def _with_after(
    shape: Shape, shown: Sequence[tuple[str, Array, Array]], after: str, argument: str
) -> tuple[Series, ...]:
    """A series for each (name, x, y): the current one, the same after a calibrator, and others."""
    own, *others = slots(SLOTS, shape, [each for each in shown if each[0] != after], argument)
    return (own, *slots(("after",), shape, [each for each in shown if each[0] == after], argument), *others)


def groups_figure(
    groups: Sequence[str], values: Mapping[str, ArrayLike], *, after: str = "", found: ObservedShares | None = None
) -> Figure:
    """The mean probability of each group of classes (gece figure 4).

    Parameters
    ----------
    groups : sequence of str, G of them
    values : dict of name to array-like of shape (trials, G), at most 5
        The first is the current one. For several trials the mean is shown, with bars of one standard deviation.
    after : str, optional
        Which of them is the current one after a calibrator.
    found : ObservedShares, optional
        How often each group of classes is true.
    """
    means = {name: over_trials(trials) for name, trials in values.items()}
    shift = np.arange(len(means)) - (len(means) - 1) / 2
    x = {name: np.arange(len(groups)) + DODGE * shift[i] for i, name in enumerate(means)}
    several = [name for name in means if len(np.asarray(values[name])) > 1]
    ends = [np.stack([x[name], mean - std, mean + std]) for name, (mean, std) in means.items() if name in several]
    return Figure(
        "groups",
        "Mean probability of each group",
        "group",
        "mean probability",
        (
            bars("± std of trials", "spread", *np.hstack([np.empty((3, 0)), *ends])),
            *_with_after("dots", [(name, x[name], mean) for name, (mean, _) in means.items()], after, "values"),
            *_draw_observed(found, np.arange(len(groups)) + DODGE * (shift[-1] + 1)),
        ),
        f"Mean probability of {len(groups)} groups. "
        + " ".join(_describe_largest(name, groups, mean) for name, (mean, _) in means.items())
        + ("" if found is None else f" {_describe_largest(found.name, groups, found.mean)}"),
        (-0.5, max(len(groups), 1) - 0.5),
        up_to(
            *(end for mean, std in means.values() for end in (mean, mean + std)),
            *(() if found is None else found[2:]),
            room=0.05,
        ),
        ticks(groups),
        y_in_percent=True,
    )


def _describe(name: str, ranks: Array, mean: Array) -> str:
    known = np.isfinite(mean)
    if not known.any():
        return f"{name}: not known."
    at = int(np.where(known, np.abs(mean - 1), -1.0).argmax())
    first = int(known.argmax())
    return f"{name}: {mean[first]:.3g} at rank {ranks[first]:g}, farthest from 1 at rank {ranks[at]:g}, {mean[at]:.3g}."


def _describe_largest(name: str, groups: Sequence[str], mean: Array) -> str:
    known = np.isfinite(mean)
    if not known.any():
        return f"{name}: not known."
    at = int(np.where(known, mean, -1.0).argmax())
    return f"{name}: most in {groups[at]}, {percent(float(mean[at]))}."


def _make_rank_ticks(most: float) -> Ticks:
    if most <= MOST_PLAIN_RANKS:
        step = 1 if most <= MOST_PLAIN_RANKS / 2 else 5
        return tuple((float(k), str(k)) for k in range(1, int(most) + 1) if k == 1 or k % step == 0)
    steps = (factor * 10**power for power in range(int(np.log10(most)) + 1) for factor in (1, 2, 5))
    return tuple((float(np.log10(k)), str(k)) for k in steps if k <= most)
