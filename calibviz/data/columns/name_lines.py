"""Lines below the names of columns that name or describe them further, such as units, kinds, or a second name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .choices import Account
from .recognition.content import MANY
from .tables import NO_NUMBER

MOST = 3  # lines below the names
LOOKED_AT = MOST + MANY  # rows


def name_lines(rows: Sequence[Sequence[Any]]) -> int:
    """How many of the rows below the names hold words alone, above numbers in several columns; 0 if none does."""
    looked_at = rows[:LOOKED_AT]
    lines = next((i for i, row in enumerate(looked_at) if any(map(is_number, row))), len(looked_at))
    if not 0 < lines <= MOST or len(looked_at) < lines + MANY:
        return 0
    columns = list(zip(*looked_at, strict=False))
    named = [column for column in columns if any(map(_is_said, column[:lines]))]
    are_above = [all(is_number(value) or not _is_said(value) for value in column[lines:]) for column in named]
    return lines if sum(are_above) > 1 else 0


def joined_names(header: Sequence[str], rows: Sequence[Sequence[Any]], account: Account) -> list[str]:
    """The names of columns with what stands in the lines below them, without records, as Qualtrics writes them."""
    account.say(f"the names of the columns stand in {len(rows) + 1} lines")
    columns = zip(header, *rows, strict=False)
    return [
        " ".join(str(part).strip() for part in column if _is_said(part) and not str(part).startswith("{"))
        for column in columns
    ]


def is_number(value: Any) -> bool:
    """Whether a value is a number as it is written, maybe in per cent."""
    return re.fullmatch(r"[-+]?\d*[.,]?\d+([eE][-+]?\d+)? ?%?", str(value).strip()) is not None


def is_word(value: Any) -> bool:
    """Whether a value is a text without digits."""
    return _is_said(value) and isinstance(value, str) and not re.search(r"\d", value)


def _is_said(value: Any) -> bool:
    return value is not None and str(value).strip() not in NO_NUMBER
