"""The values of a field and the parts that it is cut into; its column may be read in pieces."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_NUMBERS = 2**16  # groups of the numbers of a field that is read in parts
BITS = 63  # of a 64-bit number, without its sign


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
    field : str
    names : tuple of str
        The parts as conditions, such as "site = North" or "3 < day <= 9"; the part of missing values is the last.
    values : ndarray
        The value of each part, or the ends of the intervals.
    between : bool
        Whether the parts are intervals between the values.
    """

    field: str
    names: tuple[str, ...]
    values: NDArray[Any]
    between: bool

    @classmethod
    def of(cls, field: str, held: Values, cuts: int) -> FieldCut:
        """Each value of a field, or quantile cuts of one with more than `cuts` numbers."""
        values, kind = held.low, held.low.dtype.kind
        between = kind not in "UTb" and len(values) > cuts
        if between:
            values = np.unique(held.quantiles([j / cuts for j in range(cuts + 1)]))
            said = _told(values) if kind in "iuf" else [str(edge) for edge in values.astype(held.low.dtype)]
            names = [
                f"{low} {'<=' if i == 0 else '<'} {field} <= {high}"
                for i, (low, high) in enumerate(itertools.pairwise(said))
            ]
        else:
            said = _told(values.astype(np.float64)) if kind == "f" else [str(value) for value in values]
            names = [f"{field} = {value}" for value in said]
        if held.missing:
            names.append(f"{field} is missing")
        return cls(field, tuple(names), values, between)

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


def _told(numbers: NDArray[np.float64]) -> list[str]:
    """Numbers as text, with enough digits to tell them apart."""
    for digits in range(6, 17):
        said = [f"{number:.{digits}g}" for number in numbers]
        if len(set(said)) == len(numbers):
            break
    return said
