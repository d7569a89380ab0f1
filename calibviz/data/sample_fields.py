"""Sample fields: further columns of numbers, text, booleans or dates with an entry for each sample."""

from __future__ import annotations

import numbers
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import plain_array
from ..foundation.validation import listed, mapping, refuse_invisible, texts
from .safeguards import text_array


def sample_fields(value: Any, n: int) -> dict[str, NDArray[Any]]:
    """Sample fields: arrays (n,) of numbers, text, booleans or dates by name.

    A missing number is nan, a missing text is empty.
    """
    out: dict[str, NDArray[Any]] = {}
    for name, column in mapping({} if value is None else value, "fields", "columns").items():
        refuse_invisible(name, "fields has the name")
        array = original = plain_array(column, f"fields[{name!r}]")
        if array.shape != (n,):
            raise ValueError(f"fields[{name!r}] must have shape ({n},), one a sample; it has shape {array.shape}")
        if array.dtype.kind == "O" and any(are_missing := [type(entry).__name__ == "NAType" for entry in array]):
            array = array.copy()
            array[are_missing] = None  # NA of pandas, of which nothing can be asked
        if array.dtype.kind == "O" and all(entry is None or _is_float(entry) for entry in array):
            array = array.astype(np.float64)
        elif array.dtype.kind == "O" and all(entry is None or isinstance(entry, date) for entry in array):
            array = np.array([in_utc(entry) for entry in array], dtype="datetime64[us]")
        elif array.dtype.kind in "OS":
            texts_there = ("" if entry is None or entry != entry else entry for entry in array.tolist())
            array = text_array(texts(texts_there, f"fields[{name!r}]["))
        if array.dtype.kind == "T":  # text of variable length becomes text of a fixed one
            array = text_array(array.tolist())
        if array.dtype.kind not in "biufUMm":
            raise TypeError(f"fields[{name!r}] must hold numbers, text, booleans or dates, not {array.dtype}")
        # A copy, since cached results of a selection would be wrong once the user changes the array.
        out[name] = array.copy() if array is original else array
    return out


def named_column(given: Any, name: str, fields: dict[str, NDArray[Any]], n: int) -> tuple[str, NDArray[Any]]:
    """A column of samples that an argument gives, with its name: that of a field, or values (n,)."""
    if not isinstance(given, str):
        return name, sample_fields({name: given}, n)[name]
    if given not in fields:
        raise ValueError(f"{name}: there is no field {given!r}: the fields are {listed(fields) if fields else 'none'}")
    return given, fields[given]


def _is_float(entry: Any) -> bool:
    """Whether a float holds an entry exactly; large whole numbers, which it does not hold, stay text."""
    return isinstance(entry, numbers.Real) and not (isinstance(entry, numbers.Integral) and abs(int(entry)) > 2**53)


def in_utc(entry: date | None) -> datetime | date | None:
    """A moment in UTC, without its time zone, which NumPy does not know."""
    if isinstance(entry, datetime) and entry.tzinfo is not None:
        return entry.astimezone(UTC).replace(tzinfo=None)
    return entry
