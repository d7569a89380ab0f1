"""Samples of lm-evaluation-harness (`samples_*.jsonl`): log-likelihoods of the choices of each document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError, listed
from ..columns.choices import Account
from ..columns.option_lists import Converted, OptionShape, Record
from ..columns.tables import shortened

RESPONSES, TARGET, ACCURACY = "filtered_resps", "target", "acc"
METRICS = ("acc_norm", "acc_mutual_info", "exact_match", "em", "f1", "mcc", "brier_score", "metrics", "likelihood_diff")
LEFT_OUT = ("arguments", "resps", "doc_hash", "prompt_hash", "target_hash", "filter", ACCURACY, *METRICS)
SAID = (
    f"softmax of the log-likelihoods in {RESPONSES!r} over the choices: relative among these, and not normalised for "
    "their length"
)
Places = list[int]


def is_written(records: Sequence[Record]) -> bool:
    """Whether records are samples of the harness."""
    return all(RESPONSES in record and TARGET in record for record in records)


def plain_records(records: list[Record], places: NDArray[np.intp], account: Account) -> Converted:
    """Records with the log-likelihood of each choice, the choice that is right, and what the document says."""
    filters = list(dict.fromkeys(str(record["filter"]) for record in records if "filter" in record))
    if len(filters) > 1:
        raise ValueError(f"'filter' holds {listed(filters)}, so each document is there twice: write one to a file")
    likelihoods = [_likelihoods(record[RESPONSES]) for record in records]
    if all(values is None for values in likelihoods):
        raise ValueError(
            f"no probabilities: {RESPONSES!r} holds generated texts; run a task of choices, whose log-likelihoods are "
            "kept, or ask the model for a confidence"
        )
    for i, values in enumerate(likelihoods):
        if values is None or len(values) < 2:
            given = shortened(records[i][RESPONSES])
            raise RowError("row ", i, f" of {RESPONSES!r} is {given}, not the log-likelihoods of two choices or more")
    known = [values for values in likelihoods if values is not None]
    listed_choices = [_choices(record.get("doc"), len(values)) for record, values in zip(records, known, strict=True)]
    texts, labels = ([names[j] for names in listed_choices] for j in (0, 1))
    right = _right(records, known, texts, labels)
    names = _names(known, texts, labels)
    out = []
    for record, values, own, k in zip(records, known, names, right, strict=True):
        doc = record.get("doc")
        within = doc.items() if isinstance(doc, dict) else ()
        said: Record = {f"doc.{key}": value for key, value in within if _is_single(value)}
        said |= {key: value for key, value in record.items() if _is_single(value) and key not in (*LEFT_OUT, TARGET)}
        out.append(said | {RESPONSES: dict(zip(own, values, strict=True)), TARGET: own[k]})
    account.left += [key for key in (ACCURACY, *METRICS) if any(key in record for record in records)]
    return out, places, OptionShape(RESPONSES, TARGET, SAID)


def _is_single(value: Any) -> bool:
    return not isinstance(value, list | dict)


def _likelihoods(responses: Any) -> list[float] | None:
    """The log-likelihoods of `[[-20.4, "False"], ...]`, numbers or texts; None of generated texts."""
    if not isinstance(responses, list) or not responses:
        return None
    out = []
    for response in responses:
        if not isinstance(response, list) or len(response) != 2:
            return None
        try:
            value = float(response[0])
        except (TypeError, ValueError):
            return None
        if value != value or value > 0:
            return None
        out.append(value)
    return out


def _choices(doc: Any, n: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts and the labels of the choices of a document, empty where it does not list as many."""
    given = doc.get("choices") if isinstance(doc, dict) else None
    named = given if isinstance(given, dict) else {"text": given}
    texts, labels = (named.get(key) for key in ("text", "label"))

    def of_all(values: Any) -> tuple[str, ...]:
        if not isinstance(values, list) or len(values) != n or len({str(value).strip() for value in values}) < n:
            return ()
        return tuple(str(value).strip() for value in values)

    return of_all(texts), of_all(labels)


def _names(
    likelihoods: Sequence[Sequence[float]], texts: Sequence[tuple[str, ...]], labels: Sequence[tuple[str, ...]]
) -> Sequence[tuple[str, ...]]:
    """The names of the choices: their texts or labels, if these are the same in all records; else their places."""
    for names in (texts, labels):
        if names[0] and len(set(names)) == 1:
            return names
    return [tuple(map(str, range(len(values)))) for values in likelihoods]


def _right(
    records: Sequence[Record],
    likelihoods: Sequence[Sequence[float]],
    texts: Sequence[tuple[str, ...]],
    labels: Sequence[tuple[str, ...]],
) -> Places:
    """The place of the right choice in each record; `acc`, where it is there, tells whether the likeliest one is it."""
    places = [tuple(map(str, range(len(values)))) for values in likelihoods]
    readings: list[Places] = []
    for names in (places, texts, labels):
        found = [_place(record[TARGET], own) for record, own in zip(records, names, strict=True)]
        known = [place for place in found if place is not None]
        if len(known) == len(found) and known not in readings:
            readings.append(known)
    if not readings:
        every = [
            {_place(record[TARGET], names[i]) for names in (places, texts, labels)} for i, record in enumerate(records)
        ]
        i = next((i for i, found in enumerate(every) if found == {None}), 0)
        target = shortened(records[i][TARGET])
        raise RowError("row ", i, f" of {TARGET!r} is {target}, none of the {len(likelihoods[i])} choices")
    fitting = [reading for reading in readings if _contradiction(records, likelihoods, reading) is None]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        i = next(i for i, found in enumerate(zip(*fitting, strict=True)) if len(set(found)) > 1)
        target = shortened(records[i][TARGET])
        raise RowError("row ", i, f" of {TARGET!r} is {target}, the place of one choice and the name of another")
    i = _contradiction(records, likelihoods, readings[0]) or 0
    accuracy = records[i][ACCURACY]
    if accuracy not in (0, 1):
        raise RowError("row ", i, f" of {ACCURACY!r} is {accuracy}, a share, so several choices are right")
    raise RowError(
        "row ", i, f" of {ACCURACY!r} is {accuracy}, which contradicts the target {shortened(records[i][TARGET])}"
    )


def _place(target: Any, names: Sequence[str]) -> int | None:
    """The place of a target, which may be a list of one, among the names of choices."""
    if isinstance(target, list) and len(target) == 1:
        target = target[0]
    if isinstance(target, list | dict) or target is None:
        return None
    text = str(int(target)) if isinstance(target, bool) else str(target).strip()
    return names.index(text) if text in names else None


def _contradiction(records: Sequence[Record], likelihoods: Sequence[Sequence[float]], right: Places) -> int | None:
    """The first record whose `acc` is not whether its likeliest choice is the right one; None where there is none."""
    for i, (record, values) in enumerate(zip(records, likelihoods, strict=True)):
        accuracy = record.get(ACCURACY)
        if type(accuracy) not in (int, float, bool) or values.count(max(values)) > 1:
            continue
        if accuracy != (values.index(max(values)) == right[i]):
            return i
    return None
