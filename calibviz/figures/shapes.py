"""Parts of pictures: series of lines, bars and outlines, means over trials, ranges of axes, texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import repeat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engine.scalar import ScalarProblem
from ..foundation.arrays import Array
from ..foundation.written import chosen_percent, with_minus
from .records import Role, Series, Shape, Ticks

MOST_POINTS = 600
FRACTILES = 101
MOST_POWERS, PLAIN_POWERS = 6, 4  # ticks of a log axis, and up to which power they are written in full
LEAST_SPAN = 1e-9
MARGIN = 0.02  # of a range, beyond each of its ends
LEAST_RELATIVE_SPAN = 0.05  # of an axis, relative to its largest value


def signed(value: float, digits: int = 4) -> str:
    """Return a change as text, with its sign."""
    text = f"{value:+,.{digits}f}"
    return with_minus(text) if text.strip("+-0.") else text[1:]


def round_ticks(low: float, high: float, at_least: int = 4) -> Array:
    """Round numbers in [low, high]: multiples of 1, 2 or 5 times a power of ten, in `at_least` steps or more."""
    most = (high - low) / at_least * (1 + 1e-9)
    power = 10.0 ** np.floor(np.log10(most))
    step = max(factor * power for factor in (1, 2, 5) if factor * power <= most)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))  # so none is −0
    return np.arange(first, last + 1) * step


def powers_of_ten(low: float, high: float) -> Ticks:
    """Ticks of an axis of log10 values: the numbers themselves, in steps of 1, 2 and 5 where there are few powers."""
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    step = 1 + (len(powers) - 1) // MOST_POWERS
    factors = (1, 2, 5) if high - low < 2 else (1,)
    places = [(np.log10(factor) + k, factor, k) for k in powers if k % step == 0 for factor in factors]
    shown = [(float(at), factor, k) for at, factor, k in places if low <= at <= high]
    plain = all(abs(k) <= PLAIN_POWERS for _, _, k in shown)
    return tuple((at, _power(factor, k, plain)) for at, factor, k in shown)


def _power(factor: int, k: int, plain: bool) -> str:
    """A number of one digit and zeros, such as "0.02" or "5,000"; or, if it is not to be `plain`, as a power."""
    if plain or not k:
        return f"{factor * 10**k:,}" if k >= 0 else f"{factor * 10.0**k:.{-k}f}"
    return ("" if factor == 1 else f"{factor}·") + power_of_ten(k)


def power_of_ten(k: int) -> str:
    """A power of ten as text, such as "10⁻³"."""
    return "10" + str(k).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def over_trials(values: ArrayLike) -> tuple[Array, Array]:
    """Mean and standard deviation (of the trials, not of their population) over the first axis, without nan."""
    stacked = np.asarray(values, dtype=np.float64)
    if len(stacked) == 1:
        mean = np.where(np.isfinite(stacked[0]), stacked[0], np.nan)
        return mean, 0.0 * mean
    known = np.isfinite(stacked)
    count = np.where(known.any(axis=0), known.sum(axis=0), np.nan)
    mean = np.where(known, stacked, 0.0).sum(axis=0) / count
    return mean, np.sqrt(np.where(known, (stacked - mean) ** 2, 0.0).sum(axis=0) / count)


def known_only(name: str, role: Role, shape: Shape, x: Array, y: Array, hints: Sequence[str] = ()) -> Series:
    """A series without nan points, which would be drawn as stray dots; without a name if no point is left.

    The hints are those of the points that are left.
    """
    known = np.isfinite(x) & np.isfinite(y)
    return Series(name if known.any() else "", role, shape, x[known], y[known], hints)


@cache
def nothing(role: Role, shape: Shape) -> Series:
    """A series without points."""
    return Series("", role, shape, np.empty(0), np.empty(0))


def slots(
    roles: Sequence[Role], shape: Shape, shown: Sequence[tuple[str, Array, Array]], argument: str
) -> tuple[Series, ...]:
    """A series for each role; the last ones are empty if fewer (name, x, y) are shown."""
    if len(shown) > len(roles):
        raise ValueError(f"{argument} has {len(shown)} entries, but a picture shows {len(roles)} at most")
    filled = tuple(known_only(name, role, shape, x, y) for role, (name, x, y) in zip(roles, shown, strict=False))
    return (*filled, *map(nothing, roles[len(shown) :], repeat(shape)))


@cache
def diagonal(name: str = "perfect") -> Series:
    """The line on which score and target are equal."""
    return Series(name, "reference", "line", np.array([0.0, 1.0]), np.array([0.0, 1.0]))


def bars(name: str, role: Role, x: Array, lower: Array, upper: Array) -> Series:
    """Vertical bars as one line with nan between them; bars with a nan end are left out."""
    known = np.isfinite(x) & np.isfinite(lower) & np.isfinite(upper)
    x, lower, upper = x[known], lower[known], upper[known]
    return Series(name if len(x) else "", role, "line", separated(x, x), separated(lower, upper))


def histogram(name: str, role: Role, shape: Shape, edges: Array, heights: Array) -> Series:
    """The outline of the bars of a histogram."""
    return Series(name, role, shape, np.repeat(edges, 2), np.concatenate(([0.0], np.repeat(heights, 2), [0.0])))


def level(role: Role, x_range: tuple[float, float], y: float, name: str = "") -> Series:
    """A horizontal line."""
    return Series(name, role, "line", np.array(x_range), np.array([y, y]))


def cursor(place: float | None, y_range: tuple[float, float], name: str = "") -> Series:
    """A vertical line at a place; an empty series for None or nan."""
    if place is None or not np.isfinite(place):
        return nothing("cursor", "line")
    return Series(name, "cursor", "line", np.array([place, place]), np.array(y_range))


def acting(threshold: float | None, y_range: tuple[float, float], is_named: bool = True) -> tuple[Series, Series]:
    """The line at the score from which on somebody acts, and the handle by which a reader drags it."""
    if threshold is None:
        return nothing("acting", "line"), nothing("threshold", "dots")
    name = f"act from {chosen_percent(threshold)}" if is_named else ""
    at = np.array([threshold])
    return (
        Series("", "acting", "line", np.full(2, threshold), np.array(y_range)),
        Series(name, "threshold", "dots", at, np.zeros(1), ("act from",)),
    )


def score_at_fractiles(problem: ScalarProblem) -> Array:
    """The scores at evenly spread shares of the samples, the smallest scores first, shape (101,)."""
    ends = problem.cumulative_weight[1:] / problem.total
    return np.interp(np.linspace(0.0, 1.0, FRACTILES), ends, problem.score)


def areas(name: str, role: Role, outlines: Iterable[tuple[Array, Array, Array]]) -> Series:
    """Bands between lower and upper ends, given as (x, lower, upper); points with a nan end are left out."""
    xs, ys = [], []
    for x, lower, upper in outlines:
        known = np.isfinite(lower) & np.isfinite(upper)
        if known.any():
            x, lower, upper = x[known], lower[known], upper[known]
            xs.append(np.concatenate([x, x[::-1], x[:1], [np.nan]]))
            ys.append(np.concatenate([lower, upper[::-1], lower[:1], [np.nan]]))
    if not xs:
        return nothing(role, "area")
    return Series(name, role, "area", np.concatenate(xs)[:-1], np.concatenate(ys)[:-1])


def separated(first: Array, second: Array) -> Array:
    """Pairs with nan between them, so that a line does not connect them."""
    return joined(np.column_stack([first, second]))


def joined(pieces: Array) -> Array:
    """The rows one after the other with nan between them (and none at the end, where bqplot puts a label)."""
    return np.column_stack([pieces, np.full(len(pieces), np.nan)]).ravel()[:-1]


def few_of(ends: NDArray[np.intp], *always: int) -> NDArray[np.intp]:
    """0, at most about 600 of the `ends`, evenly spread up to the last one, and the places in `always`."""
    if len(ends) > MOST_POINTS:
        ends = ends[np.linspace(0, len(ends) - 1, MOST_POINTS).round().astype(np.intp)]
    return np.unique(np.concatenate(([0], ends, always)).astype(np.intp))


def up_to(*values: ArrayLike, room: float = 0.0) -> tuple[float, float]:
    """The range from 0 to the largest finite value, with some room above."""
    return 0.0, max((1 + room) * float(_drop_nonfinite(values).max(initial=0.0)), LEAST_SPAN)


def around(*values: ArrayLike, margin: float = 0.05, floor: float | None = None) -> tuple[float, float]:
    """The range of the finite values with some room, not below the floor, and wide enough for ticks of three digits."""
    known = _drop_nonfinite(values)
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    room = margin * (high - low) or margin
    room = max(room, (LEAST_RELATIVE_SPAN * max(abs(low), abs(high)) - (high - low)) / 2)
    return (low - room if floor is None else max(floor, low - room)), high + room


def widened(span: tuple[float, float]) -> tuple[float, float]:
    """The ends of an axis that shows a range and a margin beyond it."""
    margin = MARGIN * (span[1] - span[0])
    return span[0] - margin, span[1] + margin


def ticks(names: Iterable[str], places: Iterable[float] | None = None) -> Ticks:
    """Names at their places on an axis; on a categorical one the first is at 0, the second at 1, ..."""
    named = list(names)
    at = range(len(named)) if places is None else places
    return tuple((float(place), str(name)) for place, name in zip(at, named, strict=True))


def logs(values: Array) -> Array:
    """Their log10, nan where they have none."""
    return np.log10(np.where(values > 0, values, np.nan))


def _drop_nonfinite(values: tuple[ArrayLike, ...]) -> Array:
    flat = np.concatenate([np.ravel(np.asarray(value, dtype=np.float64)) for value in values])
    return flat[np.isfinite(flat)]
