"""Records as named columns: one level of keys within each other, and the largest group of those that are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import listed
from ...foundation.written import counted
from ..columns.choices import Account
from ..columns.option_lists import Record, are_scores, scores_by_name

KINDS = ("type", "event", "event_type", "kind")  # keys that say what a record of a log of events is


def flattened(records: list[Record]) -> list[Record]:
    """Records without those within them: `{"a": {"b": 1}}` has the column `a.b`, and options of numbers stay together.

    Lists of `{label, score}` or `{token, logprob}` become the numbers by their names.
    """
    held: dict[str, list[Any]] = {}
    for record in records:  # once, since there may be as many keys as records
        for key, value in record.items():
            held.setdefault(key, []).extend([] if value is None else [value])
    opened: set[str] = set()
    named: set[str] = set()
    for key, values in held.items():
        if values and all(isinstance(value, dict) for value in values) and not are_scores(values, key):
            opened.add(key)
        elif values and all(isinstance(value, list) and scores_by_name(value) is not None for value in values):
            named.add(key)
    if not (opened or named):
        return records
    inner = {f"{key}.{name}" for key in opened for value in held[key] for name in value}
    twice = next((name for name in held if name in inner), None)
    if twice is not None:
        raise ValueError(f"two keys are named {twice!r}, one of them within another: rename one of them")
    return [dict(_opened(record, opened, named)) for record in records]


def _opened(record: Record, opened: set[str], named: set[str]) -> Iterable[tuple[str, Any]]:
    for key, value in record.items():
        if key in opened:
            yield from ((f"{key}.{name}", inner) for name, inner in (value or {}).items())
        else:
            yield key, scores_by_name(value) if key in named and value is not None else value


def of_one_shape(
    records: list[Record], places: NDArray[np.intp], account: Account
) -> tuple[list[Record], NDArray[np.intp]]:
    """The largest group of records with the same keys, and those that lack some or have half of these."""
    shapes = [frozenset(record) for record in records]
    counts = Counter(shapes)
    if len(counts) < 2:
        return records, places
    [(usual, most), *others] = counts.most_common()
    kind = next((key for key in KINDS if key in usual), None)
    kinds = {str(record[kind]) for record, shape in zip(records, shapes, strict=True) if shape == usual and kind}
    alike = [
        shape <= usual or (2 * len(shape & usual) >= len(usual) and (not kind or str(record.get(kind)) in kinds))
        for record, shape in zip(records, shapes, strict=True)
    ]
    if all(alike):
        return records, places
    apart = next((shape for shape, count in others if count == most and not shape & usual), None)
    if apart is not None:
        raise ValueError(
            f"there are as many records with the keys {listed(sorted(usual))} as with {listed(sorted(apart))}: write "
            "those that hold predictions to a file of their own"
        )
    account.say(f"{counted(alike.count(False), 'record')} with other keys left out")
    return [record for record, is_alike in zip(records, alike, strict=True) if is_alike], places[np.array(alike)]
