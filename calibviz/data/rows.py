"""The rows that a user names: by the index of pandas objects, by numbers, or by a mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.arrays import plain_array
from ..foundation.validation import listing


def refuse_other_rows(**given: Any) -> None:
    """Raise where two arguments name their rows in another order, or name other rows.

    Rows that are only numbered from 0 on have no names: they are taken in order beside any other names, unless these
    are the same numbers in another order.
    """
    indices: dict[str, Any] = {name: getattr(value, "index", None) for name, value in given.items()}
    named = [(name, index) for name, index in indices.items() if hasattr(index, "equals")]
    for name, other in named[1:]:
        first, one = named[0]
        if len(one) != len(other) or one.equals(other):  # another number of rows is refused where it is counted
            continue
        if (_is_numbered(one) or _is_numbered(other)) and set(one) != set(other):
            continue
        there, here = one.tolist(), other.tolist()
        place = next(i for i, (a, b) in enumerate(zip(there, here, strict=True)) if a != b)
        raise ValueError(
            f"{name} has other rows than {first}: row {place} is {here[place]!r}, but {there[place]!r} in {first}; "
            f"pass {name}.loc[{first}.index], or {name}.to_numpy() where they belong together as they stand"
        )


def _is_numbered(index: Any) -> bool:
    """Whether rows are numbered from 0 on, in order."""
    return bool(np.array_equal(index.to_numpy(), np.arange(len(index))))


def row_numbers(value: Any, n: int) -> Any:
    """A boolean mask (n,), or an array of row numbers from -n to n - 1; a slice as it is."""
    if isinstance(value, slice):
        return value
    array = plain_array(value if isinstance(value, np.ndarray) else listing(value, "rows", "row numbers"), "rows")
    if array.ndim == 1 and not array.size:
        return array.astype(np.intp)
    is_mask = array.dtype.kind == "b" and array.shape == (n,)
    if array.ndim != 1 or not (is_mask or array.dtype.kind in "iu"):
        raise TypeError(
            f"rows must be a boolean mask of shape ({n},) or an array of row numbers, "
            f"not an array of {array.dtype} and shape {array.shape}"
        )
    if not is_mask and (array.min() < -n or array.max() >= n):
        bad = array[(array < -n) | (array >= n)][0]
        raise ValueError(f"rows holds {bad}, but the {n} rows are 0..{n - 1}")
    return array
