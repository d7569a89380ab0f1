"""Logs of decisions (.jsonl): a record of one prediction in each line."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ..columns.choices import Account, Arguments, ReadingOptions
from ..columns.dates import dated
from ..columns.option_lists import Record, entries, option_arguments
from ..columns.table_roles import table_arguments
from ..columns.tables import ArrayTable, shortened
from ..safeguards import TEXT_SIZE, charge, json_value, reading, refuse_many
from .text_tables import as_utf8, read_bytes

DEEPEST = 100  # lists or records within each other
SIGNS = b"{", b"[", b",", b":", b"\n"  # an object of Python begins at each, at most


def read_log(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a log with a record in each line."""
    records, lines = _records(read_bytes(file), account)
    account.line = lines.__getitem__
    keys = list(dict.fromkeys(key for record in records for key in record))
    refuse_many(len(keys), "keys")
    charge(2 * 8 * len(keys) * len(records))
    of_options = option_arguments(records, keys, choices, account)
    if of_options is not None:
        return dated(of_options, account)
    table = ArrayTable({key: entries(records, key) for key in keys})
    return dated(table_arguments(table, choices, account), account)


def _records(content: bytes, account: Account) -> tuple[list[Record], list[int]]:
    """The records, and the line of each."""
    records, lines = [], []
    content = as_utf8(content, account)
    is_wide = not content.isascii() or b"\\u" in content  # a text takes four bytes for each letter where one needs them
    charge(len(content) * (4 if is_wide else 1))
    for sign in SIGNS:
        charge(TEXT_SIZE * content.count(sign))
    for number, line in enumerate(io.BytesIO(content), start=1):
        if not line.strip():
            continue
        with reading(f"line {number:,}", ValueError, RecursionError):
            record = json_value(line)
            if line.count(b"[") + line.count(b"{") > DEEPEST and _is_deep(record):
                raise ValueError(f"more than {DEEPEST} lists or records are within each other")
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
        level = [inner for each in nested for inner in each]
    return bool(level)
