"""Outcomes that are censored: who had the event by a horizon, and weights for those whose follow-up ended before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation import arrays, validation
from ..foundation.arrays import Array, missing_in
from ..foundation.written import counted
from .sample_fields import sample_fields

CENSORED, EVENT, COMPETING = range(3)
FEW_AT_RISK, LARGE_WEIGHT = 10, 20.0


@dataclass(frozen=True)
class Horizon:
    """Numbers on the outcomes at a horizon; see `Predictions.at_horizon`.

    Attributes
    ----------
    at : float
        The horizon, in the unit of the times.
    known, censored_before, at_risk : int
        Rows of which the outcome at the horizon is known, rows that were censored before, which are left out, and rows
        that were followed to the horizon.
    largest_weight : float, at least 1
        By what a row counts at most, for those like it that were censored.
    observed : float, in [0, 1]
        The share that has the event by the horizon (Aalen-Johansen; Kaplan-Meier without competing events).
    expected : float, in [0, 1]
        The mean risk of all rows, also of those that were censored.
    ratio : float
        Observed by expected.

    See Also
    --------
    Predictions : Its `at_horizon` makes it.

    Examples
    --------
    >>> time, event = [5.0] * 12 + [1.0, 2.0], [0] * 12 + [1, 0]
    >>> p = cv.Predictions.at_horizon([0.1] * 14, time=time, event=event, horizon=3)
    >>> p.horizon.known, p.horizon.censored_before
    (13, 1)
    """

    at: float
    known: int
    censored_before: int
    at_risk: int
    largest_weight: float
    observed: float
    expected: float
    ratio: float


@dataclass(frozen=True, eq=False)
class AllFollowed:
    """All rows of predictions at a horizon, also those that were censored before."""

    predictions: Any  # of all rows; their labels say who was seen to have the event by the horizon
    time: Array  # shape (n,)
    code: NDArray[np.intp]  # shape (n,): CENSORED, EVENT, or COMPETING for any other event
    horizon: float

    def observed(self, rows: NDArray[np.intp], weight: Array) -> float:
        """The share of some rows that has the event by the horizon; nan where none is followed to it."""
        time, code = self.time[rows], self.code[rows]
        if not ((time >= self.horizon) & (weight > 0)).any():
            return np.nan
        return _curves(time, code, weight, self.horizon)[2]


def codes_of_events(event: Any, event_of: Any, censored: Any, n: int) -> NDArray[np.intp]:
    """0 of censored rows, 1 of those with the event, 2 of those with any other event, shape (n,)."""
    column = sample_fields({"event": event}, n)["event"]
    missing = missing_in(column)
    if missing.any():
        raise ValueError(f"event: row {int(np.argmax(missing))} has none")
    if column.dtype.kind == "U" and (event_of is None or censored is None):
        there = validation.listed(np.unique(column).tolist())
        raise ValueError(
            f"event holds text, {there}: pass event_of= for the event, and censored= for those without one"
        )
    if column.dtype.kind not in "biufU":
        raise TypeError(f"event must hold whole numbers, booleans or text, not {column.dtype}")
    if column.dtype.kind == "f" and (column % 1 != 0).any():
        row = int(np.argmax(column % 1 != 0))
        raise ValueError(f"event: row {row} is {column[row]:g}; 0 is censored, 1 the event, other whole numbers others")
    for name, value in (("event_of", event_of), ("censored", censored)):
        if value is not None and not isinstance(value, str | bool | int | float | np.generic):
            raise TypeError(f"{name} must be one of the values of event, not {validation.shown(value)}")
    is_event = column == (EVENT if event_of is None else event_of)
    is_censored = column == (CENSORED if censored is None else censored)
    for name, given, found in (("event_of", event_of, is_event), ("censored", censored, is_censored)):
        if given is not None and not found.any():
            raise ValueError(f"{name}={given!r} is in no row of event: {validation.listed(np.unique(column).tolist())}")
    return np.where(is_event, EVENT, np.where(is_censored, CENSORED, COMPETING))


def horizon_of(value: Any) -> float:
    """The time by which events count, above 0."""
    horizon = validation.real_number(value, "horizon", 0.0)
    if not horizon:
        raise ValueError("horizon must be above 0: nothing has happened at the beginning")
    return horizon


def times_of(time: Any, n: int) -> Array:
    """The times of follow-up, shape (n,), at least 0."""
    array = arrays.float_array(time, "time").astype(np.float64)
    if array.shape != (n,):
        raise ValueError(f"time must have shape ({n},), one for each row; it has shape {array.shape}")
    arrays.refuse_where(~np.isfinite(array), array, "time", 0, "every time must be finite")
    arrays.refuse_where(array < 0, array, "time", 0, "a time cannot be negative")
    return array


def followed(
    risk: Array, time: Array, code: NDArray[np.intp], horizon: float, weight: Array, group: NDArray[Any] | None
) -> tuple[NDArray[np.bool_], Array, Horizon]:
    """The rows whose outcome at a horizon is known, what the weight of each is multiplied by, and numbers on them.

    A row is known that was followed to the horizon, or had any event before. It counts 1 / G(min(T, h)): G is the
    chance not to be censored before, by Kaplan and Meier within each group, where events precede censorings at equal
    times.
    """
    known = (time >= horizon) | (code != CENSORED)
    names = np.zeros(len(time), np.intp) if group is None else np.unique(group, return_inverse=True)[1]
    times, observed = np.ones(len(time)), 0.0
    for j in range(int(names.max()) + 1):
        rows = np.flatnonzero((names == j) & (weight > 0))
        if not len(rows):
            continue
        if not (time[rows] >= horizon).any():
            where = "" if group is None else f" where by is {group[rows[0]].item()!r}"
            raise ValueError(f"horizon {horizon:g}: the longest follow-up{where} is {time[rows].max():g}")
        at, chances, share = _curves(time[rows], code[rows], weight[rows], horizon)
        place = np.searchsorted(at, np.minimum(time[rows], horizon), "left")  # those before the time of the row
        times[rows] = 1 / np.append(1.0, chances)[place]
        observed += share * weight[rows].sum()
    counts = known & (weight > 0)
    share, expected = float(observed / weight.sum()), float(risk @ weight / weight.sum())
    record = Horizon(
        at=horizon,
        known=int(counts.sum()),
        censored_before=int((~known).sum()),
        at_risk=int((time >= horizon).sum()),
        largest_weight=float(times[counts].max()),
        observed=share,
        expected=expected,
        ratio=share / expected if expected else np.nan,
    )
    return known, times, record


def _curves(time: Array, code: NDArray[np.intp], weight: Array, horizon: float) -> tuple[Array, Array, float]:
    """Ascending times, the chance not to be censored up to each, and the share with the event by the horizon."""
    at, place = np.unique(time, return_inverse=True)
    leave = np.bincount(place, weight, len(at))
    at_risk = leave[::-1].cumsum()[::-1]
    censored, events, others = (np.bincount(place, weight * (code == kind), len(at)) for kind in range(3))
    stay = at_risk - events - others  # at risk of being censored at this time
    uncensored = np.cumprod(1 - np.divide(censored, stay, out=np.zeros_like(stay), where=stay > 0))
    free = np.cumprod(1 - (events + others) / at_risk)
    share = float((np.append(1.0, free[:-1]) * events / at_risk)[at <= horizon].sum())
    return at, uncensored, share


def said_of(horizon: Horizon, by: str | None) -> str:
    """How many rows are known, and what is assumed of those that are not."""
    left_out = f"{counted(horizon.censored_before, 'row')} censored before"
    within = "" if by is None else f" within {by}"
    return (
        f"outcomes at {horizon.at:g}: {horizon.known:,} known, which count for {left_out}; censoring is taken to be "
        f"independent of the risk{within}"
    )


def unsure_of(horizon: Horizon) -> str | None:
    """A sentence where few rows stand for many; None elsewhere."""
    if horizon.at_risk >= FEW_AT_RISK and horizon.largest_weight <= LARGE_WEIGHT:
        return None
    return (
        f"{counted(horizon.at_risk, 'row')} followed to the horizon {horizon.at:g}, and a row counts up to "
        f"{horizon.largest_weight:.3g} times for those that were censored: what is observed there rests on few"
    )
