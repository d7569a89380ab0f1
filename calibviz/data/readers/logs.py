"""Logs of decisions (.jsonl): a record of one prediction in each line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from ...foundation.validation import RowError, listed
from ..columns.choices import NO_WEIGHT, Account, Arguments, ReadingOptions
from ..columns.classes import Labels
from ..columns.dates import dated
from ..columns.known_names import LABELS, chosen_column
from ..columns.missing_rows import keep_known, keep_labelled
from ..columns.table_roles import table_arguments
from ..columns.tables import ArrayTable, shortened
from ..safeguards import TEXT_SIZE, charge, json_value, reading, refuse_many
from ..top_classes import WRONG_RIGHT
from .text_tables import as_utf8, read_bytes

Record = dict[str, Any]

ANSWERS = (*LABELS[0], "answer", "correct_answer", "gold", *LABELS[1])
PROBS = ("probs", "probabilities", "probas")
LOGPROBS = ("logprobs", "log_probs", "loglikelihoods", "logits")
OPTIONS = ("options", "choices")
DEEPEST = 100  # lists or records within each other
SIGNS = b"{", b"[", b",", b":", b"\n"  # an object of Python begins at each, at most
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def read_log(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a log with a record in each line."""
    records, lines = _records(read_bytes(file), account)
    account.line = lines.__getitem__
    keys = list(dict.fromkeys(key for record in records for key in record))
    refuse_many(len(keys), "keys")
    scores = next((key for key in (*PROBS, *LOGPROBS) if key in keys), None)
    options = next((key for key in OPTIONS if key in keys), None)
    has_options = scores is not None and (
        options is not None or any(isinstance(record.get(scores), dict) for record in records)
    )
    if choices.prob is None and choices.logits is None and has_options:
        assert scores is not None
        return dated(_of_options(records, keys, scores, options, choices, account), account)
    charge(2 * 8 * len(keys) * len(records))
    table = ArrayTable({key: _column(records, key) for key in keys})
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


def _column(records: list[Record], key: str) -> Any:
    """The values of one key as an array; what is not there is missing, and what is nested is text."""
    values: list[Any] = [record.get(key) for record in records]
    if all(isinstance(value, bool) for value in values):
        return np.array(values)
    if all(type(value) in (int, float) and -(2**53) < value < 2**53 for value in values):
        return np.array(values)
    if all(value is None or type(value) is float for value in values):
        return np.array([np.nan if value is None else value for value in values])
    column = np.empty(len(values), dtype=object)
    of_numbers = all(
        value is None or (isinstance(value, list) and all(x is None or type(x) in (int, float) for x in value))
        for value in values
    )
    for i, value in enumerate(values):
        nested = isinstance(value, list | dict) and not of_numbers
        column[i] = json.dumps(value, ensure_ascii=False) if nested else value
    return column


def _of_options(
    records: list[Record], keys: list[str], scores: str, options: str | None, choices: ReadingOptions, account: Account
) -> Arguments:
    """The arguments where each record gives probabilities to options of its own, or to the same ones in any order."""
    answer = _answer_key(keys, choices)
    account.take("label", answer)
    account.take("probability", scores)
    account.take("names of the options", options)
    account.take("weight", choices.weight or None)
    missing = np.array([record.get(answer) is None for record in records])
    labels, every = Labels(np.where(missing, -1, 0), ["answer"], answer), list(records)

    def keep(rows: Any) -> None:
        records[:] = [every[i] for i in rows]

    def lacking(row: int, said: str) -> RowError:
        name = _first_untold(records[row], scores, options)
        return RowError("row ", row, f" of {scores!r}{'' if name is None else f', option {name!r},'} {said}")

    keep_labelled(labels, choices, account, keep)
    told = np.array([not _lacks_some(_options_of(record, scores, options)[1]) for record in records])
    keep_known(told, "probability", lacking, choices, account, keep)
    parsed = [_probabilities(i, record, scores, options, account) for i, record in enumerate(records)]
    right = [
        _right_option(i, records[i][answer], list(options_of), answer, account) for i, options_of in enumerate(parsed)
    ]
    taken = {scores, answer, options, choices.weight}
    charge(2 * 8 * len(keys) * len(records))
    fields = ArrayTable({key: _column(records, key) for key in keys if key not in taken})
    arguments: Arguments = {"fields": fields.fields(fields.columns)}
    if choices.weight not in (None, NO_WEIGHT):
        weight = chosen_column(choices.weight, keys, "weight")
        arguments["weights"] = ArrayTable({weight: _column(records, weight)}).numbers([weight])[:, 0]
    names = list(choices.classes or parsed[0])
    if all(p.keys() == set(names) for p in parsed):
        for i, name in enumerate(right):
            if name is None:
                given = shortened(records[i][answer])
                raise RowError("row ", i, f" of {answer!r} is {given}, none of the options {listed(names)}")
        probs = np.array([[p[name] for name in names] for p in parsed])
        return arguments | {"probs": probs, "labels": [names.index(str(name)) for name in right], "class_names": names}
    account.say("the options differ, so confidence in the likeliest one and whether it is right")
    arguments["fields"] |= {"options": np.array([len(p) for p in parsed])}
    return arguments | _of_likeliest(parsed, right, choices.normalize)


def _answer_key(keys: list[str], choices: ReadingOptions) -> str:
    """The key that tells which option is right."""
    if choices.label is not None:
        return chosen_column(choices.label, keys, "label")
    answer = next((key for key in ANSWERS if key in keys), None)
    if answer is None:
        raise ValueError(
            f"found no answers among the keys {listed(keys)}: expected 'label' or 'answer'; label='...' names them"
        )
    return answer


def _of_likeliest(parsed: list[dict[str, float]], right: list[str | None], normalize: bool) -> Arguments:
    """How probable the likeliest option of each record is, and whether it is right."""
    likeliest = [max(p, key=lambda name: p[name]) for p in parsed]
    totals = [sum(p.values()) if normalize else 1.0 for p in parsed]
    confidence = np.array([p[name] / total for p, name, total in zip(parsed, likeliest, totals, strict=True)])
    correct = [int(name == is_right) for name, is_right in zip(likeliest, right, strict=True)]
    return {"probs": confidence, "labels": correct, "class_names": list(WRONG_RIGHT), "of_confidence": True}


def _options_of(record: Record, scores: str, options: str | None) -> tuple[Any, Any]:
    """The names of the options of a record, and what it gives to each; both are lists if they are as they should be."""
    values = record.get(scores)
    if isinstance(values, dict):
        return list(values), list(values.values())
    names = None if options is None else record.get(options)
    return list(names) if isinstance(names, dict) else names, values


def _lacks_some(values: Any) -> bool:
    return any(map(_is_untold, values if isinstance(values, list) else [values]))


def _is_untold(value: Any) -> bool:
    return value is None or value != value


def _first_untold(record: Record, scores: str, options: str | None) -> Any:
    """The first option of a record without a score; None where the record names no options, or has no scores."""
    names, values = _options_of(record, scores, options)
    if not isinstance(names, list) or not isinstance(values, list) or len(names) != len(values):
        return None
    return next((name for name, value in zip(names, values, strict=True) if _is_untold(value)), None)


def _probabilities(i: int, record: Record, scores: str, options: str | None, account: Account) -> dict[str, float]:
    """The probability of each option of a record."""
    names, values = _options_of(record, scores, options)
    if not isinstance(values, list) or not isinstance(names, list) or len(names) != len(values) or not values:
        each = f"of the options {shortened(names)}" if names else "option, such as {'A': 0.7, 'B': 0.3}"
        raise RowError("row ", i, f" of {scores!r} is {shortened(values)}, not a number for each {each}")
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise RowError("row ", i, f" has an option twice: {shortened(names)}")
    for value in values:
        if type(value) not in (int, float) or not np.isfinite(value):
            raise RowError("row ", i, f" of {scores!r} holds {shortened(value)}, not a number")
    numbers = np.array(values, dtype=np.float64)
    if scores in LOGPROBS:
        account.say("log-probabilities rescaled over the options")
        numbers = np.exp(numbers - numbers.max())
        numbers /= numbers.sum()
    return dict(zip(texts, numbers.tolist(), strict=True))


def _right_option(i: int, answer: Any, names: list[str], key: str, account: Account) -> str | None:
    """The option that is right, by its name, its number from 0 or its letter; None where it is none of them."""
    if isinstance(answer, list | dict):
        raise RowError("row ", i, f" of {key!r} is {shortened(answer)}, not one option")
    if str(answer) in names:
        return str(answer)
    if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer < len(names):
        account.say("answers that are numbers count the options from 0")
        return names[answer]
    if isinstance(answer, str) and len(answer) == 1 and answer in LETTERS[: len(names)]:
        account.say("answers that are letters count the options from A")
        return names[LETTERS.index(answer)]
    return None
