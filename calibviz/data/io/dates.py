"""Dates in texts, which have no other way to hold them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .choices import Account
from .common import Arguments
from .tables import MISSING

#: What is read as a date without being asked for: a whole date, with or without a time and a zone.
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,6})?)?(Z|[-+]\d\d(:?\d\d)?)?)?")


def dated(arguments: Arguments, account: Account) -> Arguments:
    """The arguments of `Predictions` in which a field of texts holds dates where each of its texts is one."""
    return arguments | {
        "fields": {name: _as_dates(name, column, account) for name, column in arguments["fields"].items()}
    }


def _as_dates(name: str, column: NDArray[Any], account: Account) -> NDArray[Any]:
    """A column as dates where every text that is not missing is one of ISO 8601; any other as it is."""
    first = next((text for text in column if text not in MISSING), None) if column.dtype.kind == "U" else None
    if first is None or not ISO_DATE.fullmatch(first):
        return column
    import pandas as pd  # late, since few columns come so far

    codes, texts = pd.factorize(column.astype(object))
    matches = [None if text in MISSING else ISO_DATE.fullmatch(text) for text in texts]
    known = [match for match in matches if match is not None]
    zoned = {match[4] is not None for match in known}
    if len(known) < sum(text not in MISSING for text in texts) or len(zoned) > 1:
        return column
    try:
        moments = [None if match is None else _in_utc(match[0]) for match in matches]
    except (ValueError, OverflowError):  # such as 2024-02-31
        return column
    account.say(f"dates in {name!r}{', in UTC' if True in zoned else ''}")
    unit = "us" if any(match[1] for match in known) else "D"
    return np.array(moments, dtype=f"datetime64[{unit}]")[codes]


def _in_utc(text: str) -> datetime:
    """A moment of ISO 8601 without its zone, in UTC where it has one."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
