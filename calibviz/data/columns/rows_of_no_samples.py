"""Rows that are no samples: sums and means of those above, descriptions of the columns, and their names once more."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError
from .choices import Unclear, as_text
from .classes import Labels
from .name_lines import LOOKED_AT, is_word, name_lines
from .recognition.content import MANY
from .tables import NAMES_ONCE_MORE, FirstRows

MOST_SUMMARIES = 5  # rows of means, deviations and the like, which some write below the others


def refuse_descriptions(columns: Sequence[str], first: FirstRows) -> None:
    """Refuse a table whose first rows describe its columns, by their kinds or units, above numbers in several."""
    rows = list(zip(*(first.column(name)[:LOOKED_AT] for name in columns), strict=True))
    if name_lines(rows):
        place = next(i for i, value in enumerate(rows[0]) if is_word(value))
        said = f" of column {columns[place]!r} is {rows[0][place]!r}, but numbers follow, as in other columns"
        raise RowError("row ", 0, f"{said}: where the first rows describe the columns, remove them")


def refuse_names_once_more(labels: Labels, others: Sequence[str], first: FirstRows) -> None:
    """Refuse a table in which a row holds the names of the columns, as where files were joined."""
    if labels.name in labels.present:
        row = labels.first(labels.name)
        if all(str(first.of_all().column(name)[row]).strip() == name for name in others):
            raise RowError("row ", row, NAMES_ONCE_MORE)


def refuse_total(labels: Labels) -> None:
    """Refuse a last label that is the number, the sum or the mean of those of 0 and 1 above it."""
    above = labels.codes[:-1]
    above, last = above[above >= 0], labels.values[labels.codes[-1]]
    others = {labels.values[code] for code in np.unique(above)}
    if (
        len(above) < MANY
        or labels.codes[-1] < 0
        or others != {"0", "1"}
        or not re.fullmatch(r"\d+(\.\d+)?", last)
        or last in others
    ):
        return
    number, events, decimals = float(last), int((above == labels.values.index("1")).sum()), len(last.partition(".")[2])
    summed = {"number": len(above), "sum": events, "mean": round(events / len(above), decimals)}
    what = next((name for name, value in summed.items() if value == number), None)
    if what is not None:
        said = (
            f"is {last}, the {what} of all labels above: ignore={last!r} leaves this row out, as one that sums them up"
        )
        raise Unclear(labels.error(len(labels.codes) - 1, said), {"ignore": [last]})


def refuse_summaries(columns: list[str], labels: Labels, first: FirstRows) -> None:
    """Refuse a table whose last rows are called mean, total or the like in a column of numbers, such as an id.

    So is one whose last label is a number, where all others are words.
    """
    last, row = labels.values[labels.codes[-1]], len(labels.codes) - 1
    others = [value for value in labels.present if value != last]
    if row >= MANY and re.fullmatch(r"-?\d*\.?\d+", last) and others and all(map(is_word, others)):
        raise labels.error(row, f"is {last!r}, but all labels above are words: where it sums these up, remove it")
    if first.of_all() is not first:  # so many rows no person writes sums below
        return
    for name in columns:
        column = first.column(name)
        values = (
            column[-MOST_SUMMARIES - 1 :].tolist() if getattr(column, "dtype", np.dtype(float)).kind in "OU" else []
        )
        above = next((i for i, v in enumerate(reversed(values)) if not is_word(v)), len(values))
        if not 0 < above < len(values) or not str(values[-above - 1]).strip().isdecimal():
            continue
        numbers = [str(value).strip() for value in column[:-above].tolist()]
        if len(numbers) >= MANY and all(value.isdecimal() for value in numbers):
            said = f" of column {name!r} is {values[-above]!r}, but all rows above hold numbers there"
            raise RowError("row ", len(numbers), f"{said}: where it sums these up, remove it")


def means_below(shares: NDArray[np.float64]) -> str | None:
    """The reason to refuse labels of 0 and 1 below which few fractions stand; None of others."""
    are_fractions = (shares > 0) & (shares < 1)
    n = int(are_fractions.sum())
    if not (0 < n <= MOST_SUMMARIES < len(shares) - n and are_fractions[-n:].all()):
        return None
    more = "this row is" if n == 1 else f"the last {n} rows are"
    said = f"is {shares[-n]:g}, a fraction, but all labels above are 0 or 1"
    return f"{said}: where {more} a mean or another summary of those above, remove it"


def without_rows(summaries: NDArray[np.float64]) -> dict[str, list[str]]:
    """The option that leaves out the rows below others whose labels are these."""
    return {"ignore": [as_text(value) for value in dict.fromkeys(summaries.tolist())]}
