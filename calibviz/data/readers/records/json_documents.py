"""Documents of JSON: a list of records, columns with their data, lists by name, or records by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....foundation.validation import listed
from ...columns.choices import Account, Arguments, ReadingOptions
from ...columns.known_names import may_forbid, plain
from ...columns.option_lists import LOGPROBS, PROBS, Record
from ...columns.recognition.scores import WORD, score_level
from ...columns.tables import shortened
from ...safeguards import charge, refuse_repeated
from ..tables.text_tables import read_bytes
from .logs import RECORD_SIZE, charged_text, log_arguments, record_arguments, value_of

SPLIT = (("columns", "data"), ("fields", "values"))  # names and rows: of pandas, W&B, MLflow; of Watson
#: Keys of a document under which its records may stand.
LISTS = ("results", "samples", "predictions", "data", "records", "rows", "request_states", "examples")
CLASSES = ("class_names", "classes", "labels_order")
ID, KEY = "id", "key"
EXPECTED = (
    "expected a list of records, such as [{'prob': 0.8, 'label': 1}], {'columns': [...], 'data': [[...]]}, lists of "
    "one length by name, or records by their ids"
)


def read_json(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a document of JSON."""
    content = charged_text(read_bytes(file), account)
    if not is_log(content):
        return document_arguments(value_of(content, "the text"), choices, account)
    account.say("a record in each line, as in .jsonl")
    return log_arguments(content, choices, account)


def read_log(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a log with a record in each line."""
    content = charged_text(read_bytes(file), account)
    document = document_in(content)
    if document is None:
        return log_arguments(content, choices, account)
    account.say("one document, as in .json")
    return document_arguments(document, choices, account)


def document_in(content: bytes) -> Any:
    """The value of a text that holds one document rather than a record in each line; else None."""
    first, _, rest = content.strip().partition(b"\n")
    if first.startswith(b"{") and _is_record(first):
        return None
    if not first.startswith((b"{", b"[")) or (first.endswith(b"]") and rest) or content.strip() == b"[]":
        return None
    try:
        document = value_of(content, "the text")
    except ValueError:
        return None
    return document if isinstance(document, dict) or isinstance(document[0], dict) else None


def is_log(content: bytes) -> bool:
    """Whether a text of JSON holds a record in each line, the first of which is one by itself."""
    first, _, rest = content.strip().partition(b"\n")
    return first.startswith(b"{") and rest.lstrip().startswith(b"{") and _is_record(first)


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(value_of(line, "the first line"), dict)
    except ValueError:
        return False


def document_arguments(document: Any, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in the value of a document."""
    records, classes = records_of(document, account)
    if classes is not None and choices.classes is None:
        choices = choices.changed(classes=classes)
    return record_arguments(records, choices, account)


def records_of(document: Any, account: Account) -> tuple[list[Record], list[str] | None]:
    """The records of a document, and the names of the classes where it lists them."""
    whole = document[0] if isinstance(document, list) and len(document) == 1 else document
    for names, rows in SPLIT if isinstance(whole, dict) else ():
        if isinstance(whole.get(names), list) and isinstance(whole.get(rows), list):
            return _split(whole, names, rows), None
    if isinstance(document, list):
        if not document:
            raise ValueError("the file is empty")
        odd = next((i for i, record in enumerate(document) if not isinstance(record, dict)), None)
        if odd is not None:
            raise ValueError(f"entry {odd:,} is {shortened(document[odd])}, not a record: {EXPECTED}")
        return document, None
    if not isinstance(document, dict) or not document:
        raise ValueError(f"the file holds {shortened(document)}: {EXPECTED}")
    columns = {key: values for key, values in document.items() if isinstance(values, list) and values}
    inner = {key: values for key, values in columns.items() if isinstance(values[0], dict)}
    tables = {key: value for key, value in document.items() if key in LISTS and isinstance(value, dict) and value}
    if inner or tables:
        return _inner(inner or tables, document, account)
    if columns:
        return _of_columns(columns, document, account)
    if all(isinstance(value, dict) for value in document.values()):
        return _by_id(document), None
    raise ValueError(f"the file holds the keys {listed(document)}: {EXPECTED}")


def _split(document: Record, columns: str, data: str) -> list[Record]:
    """The records of a document whose rows are lists, beside one of their names."""
    names, rows = [str(name) for name in document[columns]], document[data]
    refuse_repeated(names, "columns")
    charge((RECORD_SIZE + 16 * len(names)) * len(rows))
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(names):
            held = f"{len(row)} values" if isinstance(row, list) else shortened(row)
            raise ValueError(f"row {i} of {data!r} holds {held}, but {columns!r} names {len(names)}")
    return [dict(zip(names, map(_without_media, row), strict=True)) for row in rows]


def _without_media(value: Any) -> Any:
    """The path of a picture or sound, which W&B keeps in a file of its own, in place of all it says of that."""
    return value.get("path") if isinstance(value, dict) and str(value.get("_type", "")).endswith("-file") else value


def _inner(held: dict[str, Any], document: Record, account: Account) -> tuple[list[Record], list[str] | None]:
    """The records of a document under one of its keys; what its other keys are is said."""
    known = [key for key in held if key in LISTS] or list(held)
    if len(known) > 1:
        raise ValueError(
            f"the file holds several lists of records, {listed(known)}: write the one with the predictions to a file "
            "of its own"
        )
    records, classes = records_of(held[known[0]], account)
    others = [key for key in document if key != known[0]]
    account.say(f"records from {known[0]!r}" + (f", not from {listed(others)}" if others else ""))
    return records, classes


def _has_role(key: str) -> bool:
    """Whether a key says that it holds the truth, predictions or probabilities."""
    return may_forbid(key) or score_level(key) >= WORD or plain(key) in (*PROBS, *LOGPROBS)


def _of_columns(
    columns: dict[str, list[Any]], document: Record, account: Account
) -> tuple[list[Record], list[str] | None]:
    """Records of lists of one length by name; a list of names may tell the classes, others of no role are left out."""
    named = next((key for key in CLASSES if key in columns and {*map(type, columns[key])} == {str}), None)
    lengths = {key: len(values) for key, values in columns.items() if key != named}
    rows = max(lengths.values(), default=0)
    if named is not None and len(columns[named]) == rows:
        lengths, named = lengths | {named: rows}, None
    lengths = {key: n for key, n in lengths.items() if n == rows or _has_role(key)}
    other = next((key for key, length in lengths.items() if length != rows), None)
    if other is not None:
        longest = next(key for key, length in lengths.items() if length == rows)
        raise ValueError(f"the list {other!r} holds {lengths[other]:,} entries, but {longest!r} holds {rows:,}")
    left = [key for key in document if key not in lengths and key != named]
    if left:
        account.say(f"not read, since they are no columns: {listed(left)}")
    if named is not None:
        account.say(f"classes from {named!r}")
    charge((RECORD_SIZE + 16 * len(lengths)) * rows)
    records = [dict(zip(lengths, row, strict=True)) for row in zip(*(columns[key] for key in lengths), strict=True)]
    return records, None if named is None else [str(name) for name in columns[named]]


def _by_id(document: Mapping[str, Record]) -> list[Record]:
    """Records by their ids, which become a column; or columns by their names, as pandas writes them, by their rows."""
    charge(2 * RECORD_SIZE * len(document))
    rows = {key for record in document.values() for key in record}
    if all(map(str.isdecimal, rows)) and not all(map(str.isdecimal, document)):
        of_all = list(dict.fromkeys(key for record in document.values() for key in record))
        charge((RECORD_SIZE + 16 * len(document)) * len(of_all))
        return [{name: column.get(row) for name, column in document.items()} for row in of_all]
    name = next(name for name in (ID, KEY, f"{KEY}_of_record") if name not in rows)
    if name == KEY and all(record.get(ID) == key for key, record in document.items()):
        return list(document.values())
    return [{name: key} | record for key, record in document.items()]
