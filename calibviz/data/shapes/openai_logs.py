"""Logs of OpenAI: events of its evals, and answers with the log-probabilities of their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.written import counted
from ..columns.answer_tokens import LETTERS
from ..columns.choices import Account
from ..columns.known_names import SCORES
from ..columns.option_lists import TOP_TOKENS, Converted, Record, are_scores
from ..columns.recognition.truth import named_truths
from .answer_positions import NOTHING_SAID, answer_position, token_list
from .records import flattened

WITHIN = ("response", "body", "output", "completion", "result")  # keys in which an answer may stand


def is_written(records: Sequence[Record]) -> bool:
    """Whether records are events of evals, or hold the tokens of an answer."""
    return any(map(_is_event, records)) or any(_content(record) is not None for record in records[:100])


def plain_records(records: list[Record], places: NDArray[np.intp], account: Account) -> Converted:
    """The events that say whether an answer was right, or records with the log-probabilities of the answer's token."""
    if any(map(_is_event, records)):
        is_wanted = np.array([_is_event(record) for record in records])
        events = flattened([record for record in records if _is_event(record)])
        if others := len(records) - len(events):
            account.say(f"{counted(others, 'record')} of other types left out")
        if not any(_has_scores(key, event) for event in events[:100] for key in event):
            raise ValueError(
                f"no probabilities: the events hold what was picked, not how sure the model is of it; {NOTHING_SAID}"
            )
        return events, places[is_wanted], None
    keys = list(dict.fromkeys(key for record in records for key in record))
    truths = named_truths(keys, of_keys=True)
    answers = {str(record[key]).strip() for key in truths for record in records if isinstance(record.get(key), str)}
    out = []
    for record in records:
        choices = record.get("choices") or record.get("options")
        is_listed = isinstance(choices, list) and bool(choices) and all(isinstance(name, str) for name in choices)
        letters = set(LETTERS[: len(choices)]) if isinstance(choices, list) and is_listed else set()
        content = _content(record)
        held = None if content is None else answer_position(content, letters or answers)
        kept = {key: value for key, value in record.items() if not isinstance(value, dict) and key != TOP_TOKENS}
        if not is_listed:
            kept.pop("choices", None)
        out.append(kept | {TOP_TOKENS: held})
    if not any(record[TOP_TOKENS] for record in out):
        raise ValueError(
            "no probabilities: no token of the answers is one of those that are right elsewhere, or has the likeliest "
            f"others beside it; {NOTHING_SAID}"
        )
    return out, places, None


def _is_event(record: Record) -> bool:
    data = record.get("data")
    return isinstance(data, dict) and isinstance(data.get("correct"), bool) and "type" in record


def _has_scores(key: str, event: Record) -> bool:
    name, value = key.rpartition(".")[2], event[key]
    is_number = type(value) in (int, float) and any(name in names for names in SCORES)
    return is_number or (isinstance(value, dict) and are_scores([value], key))


def _content(record: Any, depth: int = 3) -> list[dict[str, Any]] | None:
    """The tokens of an answer with their log-probabilities, in the record or in one within it."""
    if not isinstance(record, dict):
        return None
    own = token_list(record.get("logprobs")) or token_list(record)
    choices = record.get("choices")
    if own is None and isinstance(choices, list) and choices:
        own = _content(choices[0], 0)
    for key in WITHIN if own is None and depth else ():
        own = own or _content(record.get(key), depth - 1)
    return own
