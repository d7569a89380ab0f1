"""Samples of inspect_ai (`.eval`, or its JSON): targets, choices, log-probabilities, scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError
from ..columns.answer_tokens import LETTERS
from ..columns.choices import Account
from ..columns.known_names import plain
from ..columns.option_lists import TOP_TOKENS, Converted, Record
from ..columns.tables import shortened
from ..safeguards import TEXT_RATIO
from .answer_positions import NOTHING_SAID, answer_position, token_list

RIGHT = {"C": True, "I": False, "N": False}  # correct, incorrect, no answer
CONFIDENCES = ("confidence", "probability", "prob")
SINGLE = ("id", "epoch")


def is_written(records: Sequence[Record]) -> bool:
    """Whether records are samples of inspect_ai."""
    return all({"target", "scores"} <= record.keys() and isinstance(record.get("output"), dict) for record in records)


def reduced(sample: Record) -> tuple[Record, int]:
    """A sample without its messages, its events and the texts of its scores, and about how many bytes it takes."""
    outputs = sample["output"].get("choices") if isinstance(sample.get("output"), dict) else None
    first = outputs[0] if isinstance(outputs, list) and outputs and isinstance(outputs[0], dict) else {}
    answers, content = _answers(sample), token_list(first.get("logprobs")) or []
    tokens = [
        entry if str(entry.get("token", "")).strip() in answers else {"token": entry.get("token")} for entry in content
    ]
    scores = sample.get("scores")
    kept = {key: sample[key] for key in (*SINGLE, "target", "choices", "metadata") if key in sample}
    kept["scores"] = {
        name: {key: score.get(key) for key in ("value", "metadata")}
        for name, score in (scores.items() if isinstance(scores, dict) else ())
        if isinstance(score, dict)
    }
    kept["output"] = {"choices": [{"logprobs": {"content": tokens} if tokens else None}]}
    return kept, TEXT_RATIO * len(json.dumps(kept))


def _answers(record: Record) -> list[str]:
    """The tokens that may be answers: the letters of the choices, or the target where there are none."""
    choices, target = record.get("choices"), record.get("target")
    letters = list(LETTERS[: len(choices)]) if isinstance(choices, list) else []
    return letters or [str(name).strip() for name in (target if isinstance(target, list) else [target])]


def plain_records(records: list[Record], places: NDArray[np.intp], account: Account) -> Converted:
    """Records with the log-probabilities of the answer's token, or with a confidence and whether it is right."""
    tokens = [_tokens(record) for record in records]
    said = [_said(record) for record in records]
    if any(tokens):
        lists_choices = all(isinstance(record.get("choices"), list) and record["choices"] for record in records)
        out = []
        for i, (record, held) in enumerate(zip(records, tokens, strict=True)):
            target = record["target"]
            if isinstance(target, list):
                if len(target) != 1:
                    raise RowError("row ", i, f" of 'target' is {shortened(target)}, not one answer")
                target = target[0]
            listed_choices = {"choices": record["choices"]} if lists_choices else {}
            out.append(_kept(record) | listed_choices | {TOP_TOKENS: held, "target": target})
        return out, places, None
    if any(entry is not None for entry in said):
        out = []
        for i, (record, entry) in enumerate(zip(records, said, strict=True)):
            value, confidence = entry or (None, None)
            right = RIGHT.get(value, value) if isinstance(value, str) else value
            if right is not None and (right not in (0, 1) or isinstance(right, str)):
                raise RowError("row ", i, f" has the score {shortened(value)}, neither correct nor incorrect")
            out.append(_kept(record) | {"confidence": confidence, "correct": None if right is None else int(right)})
        account.say("correct from the score 'C' of each sample")
        return out, places, None
    raise ValueError(f"no probabilities: the samples hold no log-probabilities and no confidence; {NOTHING_SAID}")


def _kept(record: Record) -> Record:
    """The id of a sample, and the metadata of its data set."""
    metadata = record.get("metadata")
    of_data = metadata.items() if isinstance(metadata, dict) else ()
    single = {f"metadata.{key}": value for key, value in of_data if not isinstance(value, list | dict)}
    return {key: record[key] for key in SINGLE if key in record} | single


def _tokens(record: Record) -> dict[str, float] | None:
    """The log-probabilities at the token of the answer; None where there are none."""
    outputs = record["output"].get("choices")
    first = outputs[0] if isinstance(outputs, list) and outputs and isinstance(outputs[0], dict) else {}
    content = token_list(first.get("logprobs"))
    return None if content is None else answer_position(content, _answers(record))


def _said(record: Record) -> tuple[Any, float] | None:
    """The value of a score and the confidence in its metadata; None where no score has one."""
    scores = record.get("scores")
    for score in scores.values() if isinstance(scores, dict) else ():
        metadata = score.get("metadata") if isinstance(score, dict) else None
        for key, value in metadata.items() if isinstance(metadata, dict) else ():
            if plain(str(key)) in CONFIDENCES and type(value) in (int, float):
                return score.get("value"), value
    return None
