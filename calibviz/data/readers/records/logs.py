"""Logs, a record of one prediction in each line, and what any records become."""

from __future__ import annotations

import io
import json
import re
import sys
from typing import Any

import numpy as np

from ...columns.choices import Account, Arguments, ReadingOptions
from ...columns.dates import dated
from ...columns.option_lists import Record, entries, option_arguments
from ...columns.table_roles import table_arguments
from ...columns.tables import ArrayTable, shortened
from ...safeguards import TEXT_SIZE, charge, json_value, refuse_many
from ...shapes import as_tools_write
from ...shapes.records import flattened, of_one_shape
from ..tables.text_tables import as_utf8

DEEPEST = 100  # lists or records within each other
SIGNS = b"{", b"[", b",", b":", b"\n"  # an object of Python begins at each, at most
RECORD_SIZE = 240  # bytes of a record that is made anew, besides its values


def log_arguments(content: bytes, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in the text of a log."""
    records, lines = _records(content)
    account.line = lines.__getitem__
    return record_arguments(records, choices, account)


def record_arguments(records: list[Record], choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in records, those of which no tool has a form of its own flattened by a level."""
    charge(2 * RECORD_SIZE * len(records))
    places = np.arange(len(records))
    records, places, shape = as_tools_write(records, places, account)
    if shape is None:
        records, places = of_one_shape(flattened(records), places, account)
    if len(places) and places[-1] != len(places) - 1:
        account.places = places
    keys = list(dict.fromkeys(key for record in records for key in record))
    refuse_many(len(keys), "keys")
    charge(2 * 8 * len(keys) * len(records))
    of_options = option_arguments(records, keys, choices, account, shape)
    if of_options is not None:
        return dated(of_options, account)
    table = ArrayTable({key: entries(records, key) for key in keys})
    return table_arguments(table, choices, account)


def charged_text(content: bytes, account: Account) -> bytes:
    """A text of JSON in UTF-8, for whose values memory is set aside."""
    content = as_utf8(content, account)
    is_wide = not content.isascii() or b"\\u" in content  # a text takes four bytes for each letter where one needs them
    charge(len(content) * (4 if is_wide else 1))
    for sign in SIGNS:
        charge(TEXT_SIZE * content.count(sign))
    return content


def value_of(text: bytes, what: str) -> Any:
    """The value of a text of JSON, which messages call `what`."""
    try:
        value = json_value(text)
    except RecursionError:
        raise _too_deep(what) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno:,}, column" if error.lineno > 1 else "column"
        said = f"it is no JSON from {place} {error.colno:,} on"
        raise ValueError(f"{what} cannot be read and may be damaged: {said}") from error
    except ValueError as error:
        digits = max(map(len, re.findall(rb"\d+", text)), default=0)
        if digits > sys.get_int_max_str_digits():
            raise ValueError(f"{what} cannot be read: it holds a number of {digits:,} digits") from None
        raise ValueError(f"{what} cannot be read and may be damaged: {error}") from error
    if text.count(b"[") + text.count(b"{") > DEEPEST and _is_deep(value):
        raise _too_deep(what)
    return value


def _too_deep(what: str) -> ValueError:
    return ValueError(f"{what} cannot be read: more than {DEEPEST} lists or records are within each other")


def _records(content: bytes) -> tuple[list[Record], list[int]]:
    """The records, and the line of each."""
    records, lines = [], []
    for number, line in enumerate(io.BytesIO(content), start=1):
        if not line.strip():
            continue
        record = value_of(line.strip(), f"line {number:,}")
        if not isinstance(record, dict):
            example = "{'prob': 0.8, 'label': 1}"
            raise ValueError(f"line {number:,} is {shortened(record)}, not a record such as {example} in a line")
        records.append(record)
        lines.append(number)
    if not records:
        raise ValueError("the file is empty")
    return records, lines


def _is_deep(value: Any) -> bool:
    """Whether lists or records are within each other more often than any log has them."""
    level = [value]
    for _ in range(DEEPEST + 1):
        nested = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [inner for each in nested for inner in each if isinstance(inner, dict | list)]
    return bool(level)
