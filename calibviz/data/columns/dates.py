"""Dates in texts, which have no other way to hold them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..sample_fields import in_utc
from .choices import Account, Arguments
from .tables import MISSING

#: What is read as a date of ISO 8601 without being asked for: a whole date, with or without a time and a zone.
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,6})?)?(Z|[-+]\d\d(:?\d\d)?)?)?")

#: Other dates that are read in one way only: 31.1.2024, in which the day stands first everywhere, and 2024/01/31.
DOTTED = re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})(?P<time>[T ]\d\d:\d\d(:\d\d)?)?")
SLASHED = re.compile(r"(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})(?P<time>[T ]\d\d:\d\d(:\d\d)?)?")
#: Dates whose day and month cannot be told apart.
UNCLEAR = re.compile(r"\d{1,2}([/-])\d{1,2}\1\d{2}(\d{2})?([T ]\d{1,2}:\d\d(:\d\d)?( ?[AaPp][Mm])?)?")


def dated(arguments: Arguments, account: Account) -> Arguments:
    """The arguments of `Predictions` in which a field of texts holds dates where each of its texts is one."""
    return arguments | {
        "fields": {name: _as_dates(name, column, account) for name, column in arguments["fields"].items()}
    }


def _as_dates(name: str, column: NDArray[Any], account: Account) -> NDArray[Any]:
    """A column as dates where every text that is not missing is one that is read in one way; any other as it is."""
    first = next((text for text in column if text not in MISSING), None) if column.dtype.kind == "U" else None
    order = next((form for form in (DOTTED, SLASHED) if first is not None and form.fullmatch(first)), None)
    if first is None or not (order or ISO_DATE.fullmatch(first) or UNCLEAR.fullmatch(first)):
        return column
    import pandas as pd  # late, since few columns come so far

    codes, texts = pd.factorize(column.astype(object))
    if all(text in MISSING or UNCLEAR.fullmatch(text) for text in texts):
        account.say(
            f"{name!r} stays text, since dates such as {first} are read in different ways: write them as 2024-01-31"
        )
        return column
    written = texts if order is None else [_in_iso(text, order) for text in texts]
    matches = [ISO_DATE.fullmatch(text) for text in written]
    known = [match for match in matches if match is not None]
    zoned = {match[4] is not None for match in known}
    if len(known) < sum(text not in MISSING for text in texts) or len(zoned) > 1:
        return column
    try:
        moments = [None if match is None else in_utc(datetime.fromisoformat(match[0])) for match in matches]
    except (ValueError, OverflowError):  # such as 2024-02-31
        return column
    form = "in UTC" if True in zoned else "as day.month.year" if order is DOTTED else ""
    account.say(f"dates in {name!r}{f', {form}' if form else ''}")
    unit = "us" if any(match[1] for match in known) else "D"
    return np.array(moments, dtype=f"datetime64[{unit}]")[codes]


def _in_iso(text: str, order: re.Pattern[str]) -> str:
    """A date of one of the forms above as one of ISO 8601; nothing of any other text."""
    parts = order.fullmatch(text)
    return "" if parts is None else f"{parts['y']}-{int(parts['m']):02d}-{int(parts['d']):02d}{parts['time'] or ''}"
