"""Fields of samples that hold dates, also as texts or numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation import validation
from .predictions import Predictions

Moments = NDArray[np.datetime64]

#: Names of fields whose texts and numbers are read as dates.
TIME_NAMES = frozenset(("time", "timestamp", "date", "datetime", "day", "created", "created_at", "ts"))
BEGINS_AS_DATE = re.compile(r"\d{4}-\d\d")
HOW_TO_DATE = "write them as 2024-05-31 or 2024-05-31 14:30, since 31/05/2024 and the like are not read as dates"
#: The numbers that are read as seconds, and a thousand times as large as milliseconds since 1970: from 2000 to 2100.
SECONDS = (946_684_800.0, 4_102_444_800.0)


class NoDatesError(ValueError):
    """No field of the samples holds dates."""


@dataclass(frozen=True, eq=False)
class TimeField:
    """A field that holds dates."""

    name: str
    moments: Moments  # shape (n,), NaT where the date is missing; of texts with a zone in UTC
    assumed: str = ""  # how numbers were read; empty for dates and texts


def time_fields(predictions: Predictions) -> list[TimeField]:
    """The fields that hold dates: as such, or as texts or numbers under a name that says so; at least one."""
    fields = predictions.fields.items()
    read = [_read(name, column) for name, column in fields if column.dtype.kind == "M" or name.casefold() in TIME_NAMES]
    dated = [field for field in read if field is not None]
    if not dated:
        raise NoDatesError(f"no field of these samples holds dates; {HOW_TO_DATE}")
    return dated


def time_field(predictions: Predictions, name: str) -> TimeField:
    """The field of that name; a `ValueError` where there is none, or it does not hold dates."""
    if name not in predictions.fields:
        known = validation.listed(predictions.fields) or "none"
        raise ValueError(f"field {name!r} is unknown: the fields of these predictions are {known}")
    field = _read(name, predictions.fields[name])
    if field is None:
        raise ValueError(f"the field {name!r} does not hold dates, such as '2024-05-01' or seconds since 1970")
    return field


def _read(name: str, column: NDArray[Any]) -> TimeField | None:
    """The dates in a field; None where it holds others."""
    field = None
    if column.dtype.kind == "M":
        field = TimeField(name, column)
    elif column.dtype.kind == "U":
        field = _read_texts(name, column)
    elif column.dtype.kind in "iuf":
        field = _read_numbers(name, column)
    return None if field is None or np.isnat(field.moments).all() else field


def _read_texts(name: str, column: NDArray[np.str_]) -> TimeField | None:
    """Dates as ISO 8601 writes them, with or without a time and a zone; empty texts are missing ones."""
    import pandas as pd  # imported late, since few fields are read so

    if not all(not text or BEGINS_AS_DATE.match(text) for text in np.unique(column).tolist()):
        return None
    try:
        return TimeField(name, pd.to_datetime(column, utc=True, format="ISO8601").tz_localize(None).to_numpy())
    except ValueError:  # such as 2024-02-31
        return None


def _read_numbers(name: str, column: NDArray[Any]) -> TimeField | None:
    """Seconds or milliseconds since 1970."""
    known = column[np.isfinite(column)]
    for factor, called in ((1.0, "seconds"), (1000.0, "milliseconds")):
        lowest, highest = (factor * end for end in SECONDS)
        if len(known) and lowest <= known.min() and known.max() <= highest:
            moments = np.full(len(column), np.datetime64("NaT"), dtype="datetime64[ms]")
            moments[np.isfinite(column)] = (known * (1000.0 / factor)).astype(np.int64).astype("datetime64[ms]")
            return TimeField(name, moments, f"the numbers in {name!r} are {called} since 1970")
    return None
