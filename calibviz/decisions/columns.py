"""The values of a field and the parts that it is cut into; its column may be read in pieces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..context.conditions import And, Between, Comparison, Condition, Not, Or, Subject, Value

FEWEST_DIGITS = 3  # of the ends of an interval in words, unless more are needed to tell them apart
MOST_NUMBERS = 2**16  # of a field, which are told apart when it is read in parts
BITS = 63  # of a number, besides its sign


@dataclass(frozen=True, eq=False)
class Values:
    """The values that a column holds, and how often.

    Attributes
    ----------
    low, high : ndarray, shape (m,)
        The ends of groups of neighbouring values, ascending; for a group of one value both are equal.
    count : ndarray of int, shape (m,)
    missing : bool
        Whether the column also holds missing values.
    dropped : int
        How many last bits are ignored: numbers that differ in these alone are one group.
    """

    low: NDArray[Any]
    high: NDArray[Any]
    count: NDArray[np.int64]
    missing: bool
    dropped: int = 0

    @classmethod
    def of(cls, column: NDArray[Any]) -> Values:
        """Each value of a column by itself."""
        missing = missing_in(column)
        values, count = np.unique(column[~missing], return_counts=True)
        return cls(values, values, count, bool(missing.any()))

    @classmethod
    def joined(cls, several: Sequence[Values], most: int) -> Values:
        """The values of several columns of one field, numbers in at most `most` groups; see `bits_to_drop`."""
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
        """The same values with at most so many groups of numbers, or the first few `texts`."""
        if self.low.dtype.kind in "UT":
            return replace(self, low=self.low[:texts], high=self.high[:texts], count=self.count[:texts])
        return Values.joined([self], numbers)

    def quantiles(self, at: Sequence[float]) -> NDArray[np.float64]:
        """Quantiles of type 7 of the numbers, as if those of a group were spread evenly."""
        upto = np.cumsum(self.count).astype(np.float64)
        before = upto - self.count
        places = np.stack([before, np.maximum(upto - 1, before)], axis=1).ravel()
        ends = np.stack([numbers_of(self.low), numbers_of(self.high)], axis=1).ravel()
        return np.interp((upto[-1] - 1) * np.asarray(at), places, ends.astype(np.float64))


@dataclass(frozen=True, eq=False)
class FieldCut:
    """Where a field is cut.

    Attributes
    ----------
    subject : Subject
        The field, or the predicted class.
    names : tuple of str
        Of the parts, to be read, such as "site = North" or "3 < day <= 9"; what is missing is the last.
    words : tuple of str
        The same as a person would say it, in few digits: "day 3 to 9".
    conditions : tuple of Condition
        Which keep the samples of the parts.
    values : ndarray
        The value of each part, or the ends of the intervals.
    between : bool
        Whether the parts are intervals between the values.
    """

    subject: Subject
    names: tuple[str, ...]
    words: tuple[str, ...]
    conditions: tuple[Condition, ...]
    values: NDArray[Any]
    between: bool

    @classmethod
    def of(cls, subject: Subject, held: Values, cuts: int) -> FieldCut:
        """Each value of a field, or quantile cuts of one with more than `cuts` numbers."""
        values, kind = held.low, held.low.dtype.kind
        field = subject.argument or subject.kind
        between = kind not in "UTb" and len(values) > cuts
        if between:
            values = np.unique(held.quantiles([j / cuts for j in range(cuts + 1)]))
            said = told(values) if kind in "iuf" else [str(edge) for edge in values.astype(held.low.dtype)]
            names = [
                f"{low} {'<=' if i == 0 else '<'} {field} <= {high}"
                for i, (low, high) in enumerate(itertools.pairwise(said))
            ]
            plain = list(map(with_minus, told(values, FEWEST_DIGITS))) if kind in "iuf" else said
            words = [f"{field} {low} to {high}" for low, high in itertools.pairwise(plain)]
            conditions = _between(subject, values, held)
        else:
            said = told(values.astype(np.float64)) if kind == "f" else [str(value) for value in values]
            names = [f"{field} = {value}" for value in said]
            words = [f"{field} = {with_minus(value)}" for value in said] if kind in "iuf" else list(names)
            conditions = [Comparison(subject, "==", _as_text_says(value)) for value in values]
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
        if self.between:
            code[~missing] = np.maximum(np.searchsorted(self.values, numbers_of(there), "left") - 1, 0)
        else:
            code[~missing] = np.searchsorted(self.values, there)
        return code


def bits_to_drop(apart: NDArray[np.int64], dropped: int, most: int) -> int:
    """How many last bits to ignore, at least `dropped`, so that neighbouring values form at most `most` groups.

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


def missing_in(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are nan, no date, or empty text, shape (n,)."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind in "mM":
        return np.isnat(column)
    missing: NDArray[np.bool_] = column == "" if column.dtype.kind in "UT" else np.zeros(len(column), dtype=bool)
    return missing


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


def _between(subject: Subject, edges: NDArray[Any], held: Values) -> list[Condition]:
    """What keeps the parts between the edges; the first and the last reach as far as the values do."""
    ends: list[Value]
    if held.low.dtype.kind in "mM":
        ends = [_as_text_says(edge) for edge in edges.astype(held.low.dtype)]
    else:
        plain = [_plain_edge(float(edge), held) for edge in edges]
        ends = [int(edge) if edge == int(edge) else edge for edge in plain]
    if len(ends) == 2:
        return [Between(subject, *ends)]
    above = [Comparison(subject, ">", low) for low in ends[1:-1]]
    up_to = [Comparison(subject, "<=", high) for high in ends[1:-1]]
    return [up_to[0], *(And((low, high)) for low, high in zip(above, up_to[1:], strict=False)), above[-1]]


def _is_missing(subject: Subject, dtype: np.dtype[Any]) -> Condition:
    """What keeps the samples without a value: missing numbers and dates lie on neither side of any other."""
    if dtype.kind in "UT":
        return Comparison(subject, "==", "")
    some: Value = {"M": "1970-01-01", "m": "0"}.get(dtype.kind, 0)
    return Not(Or((Comparison(subject, "<=", some), Comparison(subject, ">", some))))


def _as_text_says(value: Any) -> Value:
    """A value of a column as selections write it: dates as text, durations as text of whole units."""
    if isinstance(value, np.timedelta64):
        return str(value.astype(np.int64))
    written: Value = str(value) if isinstance(value, str | np.datetime64) else value.item()
    return written


def with_minus(number: str) -> str:
    """A number with the sign of a minus, which is no hyphen."""
    return number.replace("-", "−")


def told(numbers: NDArray[np.float64], fewest: int = 6) -> list[str]:
    """Numbers as text, with enough digits to tell them apart, and all of those before the point."""
    whole = len(f"{np.abs(numbers).max(initial=0.0):.0f}")
    for digits in range(max(fewest, min(whole, 6)), 17):
        said = [f"{number:.{digits}g}" for number in numbers]
        if len(set(said)) == len(numbers):
            break
    return said
