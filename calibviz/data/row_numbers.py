"""The check of row numbers or a mask, with which a user selects rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.arrays import plain_array
from ..foundation.validation import listing


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
