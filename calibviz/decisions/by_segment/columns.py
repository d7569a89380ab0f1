"""The values of a field and the parts that it is cut into; its column may be read in pieces."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...context.conditions import And, Comparison, Condition, Not, Or, Subject, Value
from ...foundation.arrays import LARGEST_EXACT, missing_in
from ...foundation.written import with_minus

FEWEST_DIGITS = 3  # of the ends of an interval in words, unless more are needed to tell them apart
MOST_NUMBERS = 2**16  # of a field, which are told apart when it is read in parts
BITS = 63  # of a number, besides its sign


@dataclass(frozen=True, eq=False)
class Values:
    """The values that a column holds, and how often, by ranges of neighbouring values."""

    low: NDArray[Any]  # the lower ends, ascending; for a range of one value both are equal
    high: NDArray[Any]
    count: NDArray[np.int64]
    missing: bool  # whether the column also holds missing values
    dropped: int = 0  # how many last bits are ignored: numbers that differ in these alone are one range

    @classmethod
    def of(cls, column: NDArray[Any]) -> Values:
        """Each value of a column by itself."""
        missing = missing_in(column)
        values, count = np.unique(column[~missing], return_counts=True)
        return cls(values, values, count, bool(missing.any()))

    @classmethod
    def joined(cls, several: Sequence[Values], most: int) -> Values:
        """The values of several columns of one field, numbers in at most `most` ranges; see `bits_to_drop`."""
        low = np.concatenate([values.low for values in several])
        order = np.argsort(low, kind="stable")
        low, high = low[order], np.concatenate([values.high for values in several])[order]
        count = np.concatenate([values.count for values in several])[order]
        missing, dropped = any(values.missing for values in several), max(values.dropped for values in several)
        if not len(low):
            return cls(low, high, count, missing, dropped)
        if low.dtype.kind in "UTb":
            starts = np.flatnonzero(np.append(True, low[1:] != low[:-1]))
            return cls(low[starts], low[starts], np.add.reduceat(count, starts), missing)
        bits = ordered_bits(low)
        apart = bits[1:] ^ bits[:-1]
        dropped = bits_to_drop(apart, dropped, most)
        starts = np.flatnonzero(np.append(True, apart >> dropped != 0))
        ends = np.maximum.reduceat(high, starts)
        return cls(low[starts], ends, np.add.reduceat(count, starts), missing, dropped)

    def fewer(self, numbers: int, texts: int | None) -> Values:
        """Return the values with at most so many different numbers, or the first few `texts`."""
        if self.low.dtype.kind in "UT":
            return replace(self, low=self.low[:texts], high=self.high[:texts], count=self.count[:texts])
        return Values.joined([self], numbers)

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Which ranges hold a finite number, or a date, shape (m,)."""
        low, high = numbers_of(self.low), numbers_of(self.high)
        return np.isfinite(low) | np.isfinite(high) | (low < high)

    @property
    def are_whole(self) -> bool:
        """Whether all values are whole numbers, dates or durations."""
        if self.low.dtype.kind != "f":
            return True
        numbers = self.low.astype(np.float64)
        return not self.dropped and bool(np.all((np.abs(numbers) < LARGEST_EXACT) & (numbers == np.rint(numbers))))

    def below(self, number: float) -> float:
        """The largest finite number that is less, or the number itself where there is none."""
        ends = numbers_of(np.append(self.low, self.high)).astype(np.float64)
        less = ends[np.isfinite(ends) & (ends < number)]
        return float(less.max()) if len(less) else number

    def largest_is_alone(self, above: Any) -> bool:
        """Whether only one value lies above a number."""
        low, high = numbers_of(self.low), numbers_of(self.high)
        return bool(low[-1] == high[-1] and high[-2] <= above)

    def quantiles(self, at: Sequence[float]) -> NDArray[np.float64]:
        """Quantiles of type 7 of the numbers, as if those of a range were spread evenly; infinite ones as the ends."""
        upto = np.cumsum(self.count).astype(np.float64)
        before = upto - self.count
        places = np.stack([before, np.maximum(upto - 1, before)], axis=1).ravel()
        ends = np.stack([numbers_of(self.low), numbers_of(self.high)], axis=1).ravel().astype(np.float64)
        there = ends[np.isfinite(ends)]
        return np.interp((upto[-1] - 1) * np.asarray(at), places, ends.clip(there.min(), there.max()))


@dataclass(frozen=True, eq=False)
class FieldCut:
    """Where a field is cut."""

    subject: Subject  # the field, or the predicted class
    names: tuple[str, ...]  # of the parts, such as "site = North" or "3 < day <= 9"; what is missing is the last
    words: tuple[str, ...]  # as a person reads it: "day 4 to 9", the least and the largest that a part really holds
    conditions: tuple[Condition, ...]  # which keep the samples of the parts
    values: NDArray[Any]  # of each part, or the ends between neighbouring intervals, which belong to the lower one
    between: bool  # whether the parts are intervals between the values

    @classmethod
    def of(cls, subject: Subject, held: Values, cuts: int) -> FieldCut:
        """Each value of a field, or quantile cuts of one with more than `cuts` numbers.

        Infinite numbers belong to the outermost parts.
        """
        values, kind = held.low, held.low.dtype.kind
        field = subject.argument or subject.kind
        between = kind not in "UTb" and len(values) > cuts and int(held.finite.sum()) > 1
        if between:
            least, *inner, largest = held.quantiles([j / cuts for j in range(cuts + 1)])
            # An end may be the value of so many samples that it is a part by itself, as where a quarter are 0.
            if inner[-1] == largest:
                inner = np.minimum(inner, held.below(largest)).tolist()
            edges = np.array([least, *np.unique([edge for edge in inner if edge < largest]), largest])
            values = _exact_ends(edges[1:-1], held)
            names = _interval_names(str(field), edges, held)
            words = [f"{field} {said}" for said in _interval_words(values, held)]
            conditions = _between(subject, values, held)
        else:
            texts = _whole_texts(values, held) if kind == "M" else map(str, values)
            said = told_apart(values.astype(np.float64)) if kind == "f" else list(texts)
            names = [f"{field} = {value}" for value in said]
            words = [f"{field} = {with_minus(value)}" for value in said] if kind in "iuf" else list(names)
            conditions = [_equals(subject, value) for value in values]
        if held.missing:
            names.append(f"{field} is missing")
            words.append(names[-1])
            conditions.append(_is_missing(subject, held.low.dtype))
        return cls(subject, tuple(names), tuple(words), tuple(conditions), values, between)

    def codes(self, column: NDArray[Any]) -> NDArray[np.int64]:
        """The number of the part that each sample belongs to, shape (n,)."""
        missing = missing_in(column)
        code = np.full(len(column), len(self.names) - 1)
        there = column[~missing]
        code[~missing] = np.searchsorted(self.values, numbers_of(there) if self.between else there, "left")
        return code


def bits_to_drop(apart: NDArray[np.int64], dropped: int, most: int) -> int:
    """Return how many last bits to ignore, at least `dropped`, so that at most `most` ranges of values are left.

    `apart` holds the bits in which neighbours differ. A piece of the data never drops more bits than all of it, so the
    result does not depend on how the data are cut into pieces.
    """
    while dropped < BITS and np.count_nonzero(apart >> dropped) >= most:
        dropped += 1
    return dropped


def ordered_bits(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Whole numbers in the same order as numbers, dates or scores; their last bits matter least."""
    bits = (numbers_of(numbers).astype(np.float64) + 0.0).view(np.int64)  # -0 becomes 0
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)


def numbers_of(column: NDArray[Any]) -> NDArray[Any]:
    """Numbers as they are, and dates as whole numbers."""
    return column if column.dtype.kind in "iuf" else column.astype(np.int64)


def _plain_edge(edge: float, held: Values) -> float:
    """A number of few digits that parts the values as the edge does."""
    ends = [numbers_of(held.low), numbers_of(held.high)]
    below = [np.searchsorted(values, edge, "right") for values in ends]
    for digits in range(2, 17):
        plain = float(f"{edge:.{digits}g}")
        unit = 10.0 ** (math.floor(math.log10(abs(edge))) + 1 - digits) if edge else 1.0
        for candidate in (plain, float(f"{plain + unit:.{digits}g}")):
            if [np.searchsorted(values, candidate, "right") for values in ends] == below:
                return candidate
    return edge


def _exact_ends(edges: NDArray[np.float64], held: Values) -> NDArray[Any]:
    """Ends that part the values as the edges do: whole numbers for dates and whole numbers, else of few digits."""
    if held.low.dtype.kind in "mM":
        return _whole_ends(edges, held)
    plain = [_plain_edge(float(edge), held) for edge in edges]
    if held.low.dtype.kind in "iu":
        return np.array([math.floor(edge) for edge in plain], dtype=held.low.dtype)
    return np.array(plain, dtype=np.float64)


def _whole_ends(edges: NDArray[np.float64], held: Values) -> NDArray[np.int64]:
    """Ends of dates or durations as whole numbers; whole days where all dates are."""
    ends = np.floor(edges).astype(np.int64)
    if held.low.dtype.kind == "m":
        return ends
    days = [moments.astype("datetime64[D]").astype(moments.dtype) for moments in (held.low, held.high)]
    if held.dropped or not all(map(np.array_equal, days, (held.low, held.high))):
        return ends
    return ends.astype(held.low.dtype).astype("datetime64[D]").astype(held.low.dtype).astype(np.int64)


def _interval_names(field: str, edges: NDArray[np.float64], held: Values) -> list[str]:
    """The parts between the edges as inequalities; where a value is infinite, so is the outermost end."""
    if held.low.dtype.kind in "mM":
        said = _whole_texts(_whole_ends(edges, held), held)
    else:
        of_edge = dict(zip(np.unique(edges).tolist(), told_apart(np.unique(edges)), strict=True))
        said = [of_edge[edge] for edge in edges.tolist()]
        lowest, highest = held.low[0], held.high[-1]
        said = ["-inf" if lowest == -np.inf else said[0], *said[1:-1], "inf" if highest == np.inf else said[-1]]
    names = [f"{said[0]} <= {field} <= {said[1]}"]
    names += [f"{low} < {field} <= {high}" for low, high in itertools.pairwise(said[1:])]
    if said[0] == said[1]:
        names[0] = f"{field} = {said[0]}"
    if len(names) > 1 and held.largest_is_alone(edges[-2]):
        names[-1] = f"{field} = {said[-1]}"
    return names


def _interval_words(ends: NDArray[Any], held: Values) -> list[str]:
    """Return the content of each part, as a person would name it.

    A part of whole numbers, dates or durations is named by the least and the largest that it holds, "10 to 14" or
    "15". Between other numbers there is always another one, so it is named by its ends: "above 1.5 up to 2". These are
    those of its condition, so that what is said is true of the very samples that are kept.
    """
    if not held.are_whole:
        said = [with_minus(repr(_plain(end))) for end in ends.tolist()]
        if not said:
            there = np.stack([held.low, held.high]).astype(np.float64)
            return [" to ".join(map(with_minus, told_apart(np.array([there.min(), there.max()]), FEWEST_DIGITS)))]
        between = [f"above {low} up to {high}" for low, high in itertools.pairwise(said)]
        least = said[0] if held.low[0] == held.high[0] == ends[0] else f"up to {said[0]}"
        top = float(held.high[-1])
        is_one_value = held.largest_is_alone(ends[-1]) and top == float(f"{top:.6g}")
        return [least, *between, with_minus(repr(_plain(top))) if is_one_value else f"above {said[-1]}"]
    low, high = (numbers_of(values) for values in (held.low, held.high))
    # Values that are read in parts may share a range, which an end may cut.
    first = np.append(0, np.searchsorted(high, ends, "right")).clip(0, len(high) - 1)
    last = np.append(np.searchsorted(low, ends, "right"), len(low)) - 1
    least, largest = low[first], high[last]
    whole = np.floor(ends).astype(low.dtype)
    least[1:], largest[:-1] = np.maximum(least[1:], whole + 1), np.minimum(largest[:-1], whole)
    return [
        one if one == other else f"{one} to {other}"
        for one, other in zip(_whole_texts(least, held), _whole_texts(largest, held), strict=True)
    ]


def _whole_texts(numbers: NDArray[Any], held: Values) -> list[str]:
    """Whole numbers, dates or durations as text, times of day without zeros at their end."""
    dtype = held.low.dtype
    if dtype.kind == "M":
        return [_moment_text(moment) for moment in numbers.astype(dtype)]
    if dtype.kind == "m":
        return [str(duration) for duration in numbers.astype(dtype)]
    return [with_minus(f"{int(number)}") for number in numbers]


def _between(subject: Subject, ends: NDArray[Any], held: Values) -> list[Condition]:
    """Return conditions that keep the parts between the ends; the first and the last hold all below and above."""
    if held.low.dtype.kind in "mM":
        written = [_as_text_says(end) for end in ends.astype(held.low.dtype)]
    else:
        written = [_plain(end) for end in ends.tolist()]
    if not written:
        return [_is_known(subject, held.low.dtype)]
    above = [Comparison(subject, ">", low) for low in written]
    up_to = [Comparison(subject, "<=", high) for high in written]
    return [up_to[0], *(And((low, high)) for low, high in zip(above, up_to[1:], strict=False)), above[-1]]


def _plain(number: float) -> int | float:
    """A number that is whole as a whole number."""
    return int(number) if number == int(number) else number


def _equals(subject: Subject, value: Any) -> Condition:
    """Return a condition that keeps one value; for infinity, which selections cannot name, one above all numbers."""
    if isinstance(value, np.floating) and np.isinf(value):
        return Comparison(subject, ">" if value > 0 else "<", math.copysign(sys.float_info.max, value))
    return Comparison(subject, "==", _as_text_says(value))


def _is_known(subject: Subject, dtype: np.dtype[Any]) -> Condition:
    """Return a condition that keeps the samples with a number or a date."""
    some: Value = {"M": "1970-01-01", "m": "0"}.get(dtype.kind, 0)
    return Or((Comparison(subject, "<=", some), Comparison(subject, ">", some)))


def _is_missing(subject: Subject, dtype: np.dtype[Any]) -> Condition:
    """Return a condition that keeps samples without a value: missing ones lie on neither side of any other."""
    if dtype.kind in "UT":
        return Comparison(subject, "==", "")
    return Not(_is_known(subject, dtype))


def _as_text_says(value: Any) -> Value:
    """A value of a column as selections write it: dates as text, durations as text of whole units."""
    if isinstance(value, np.timedelta64):
        return str(value.astype(np.int64))
    if isinstance(value, np.datetime64):
        return _moment_text(value)
    return str(value) if isinstance(value, str) else value.item()


def _moment_text(moment: np.datetime64) -> str:
    """A date or time without zeros at its end, months and years without days."""
    return min(str(moment), str(np.datetime_as_string(moment, unit="auto")), key=len)


def told_apart(numbers: NDArray[np.float64], fewest: int = 6) -> list[str]:
    """Numbers as text, with enough digits to tell them apart, and all of those before the point."""
    whole = len(f"{np.abs(numbers).max(initial=0.0):.0f}")
    for digits in range(max(fewest, min(whole, 6)), 17):
        said = [f"{number:.{digits}g}" for number in numbers]
        if len(set(said)) == len(numbers):
            break
    return said
