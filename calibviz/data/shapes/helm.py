"""Logs of HELM (`scenario_state.json`, `display_predictions.json`): letters of answers with their log-probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.written import counted
from ..columns.choices import Account
from ..columns.option_lists import Converted, Record
from .answer_positions import NOTHING_SAID

NO_PROBABILITIES = f"no probabilities: the log holds answers without their log-probabilities; {NOTHING_SAID}"


def is_written(records: Sequence[Record]) -> bool:
    """Whether records are states of requests, or predictions as they are displayed."""
    return all("instance" in record and "result" in record for record in records) or all(
        "instance_id" in record and "predicted_text" in record for record in records
    )


def plain_records(records: list[Record], places: NDArray[np.intp], account: Account) -> Converted:
    """Records with the probability of the letter that was answered, and whether its reference is a correct one."""
    found = [_answered(record) for record in records]
    # Where a service gives no log-probabilities, HELM writes 0 for each.
    if not any(entry is not None and entry["confidence"] < 1 for entry in found):
        raise ValueError(NO_PROBABILITIES)
    is_there = np.array([entry is not None for entry in found])
    if n := int((~is_there).sum()):
        said = counted(n, "answer that is", "answers that are")
        account.say(f"{said} no letter of a reference left out")
    account.say("confidence from the log-probability of the letter that was answered, correct from its reference")
    return [entry for entry in found if entry is not None], places[is_there], None


def _answered(record: Record) -> Record | None:
    """The confidence in the letter that was answered; None where the answer is none, or has no log-probability."""
    instance, result, mapping = (record.get(key) for key in ("instance", "result", "output_mapping"))
    completions = result.get("completions") if isinstance(result, dict) else None
    if not isinstance(instance, dict) or not isinstance(mapping, dict) or not completions:
        return None
    first = completions[0] if isinstance(completions, list) and isinstance(completions[0], dict) else {}
    letter = str(first.get("text", "")).strip()
    tokens = first.get("tokens")
    own = [_number(token) for token in tokens if _text(token) == letter] if isinstance(tokens, list) else []
    if letter not in mapping or len(own) != 1 or own[0] is None:
        return None
    references = instance.get("references")
    right = set()
    for reference in references if isinstance(references, list) else ():
        output = reference.get("output") if isinstance(reference, dict) else None
        if isinstance(output, dict) and "correct" in (reference.get("tags") or ()):
            right.add(str(output.get("text")))
    if not right:
        return None
    split = {"split": instance["split"]} if isinstance(instance.get("split"), str) else {}
    said = {"id": instance.get("id"), "confidence": math.exp(own[0]), "correct": int(str(mapping[letter]) in right)}
    return said | split


def _text(token: Any) -> str:
    return str(token.get("text", "")).strip() if isinstance(token, dict) else ""


def _number(token: Any) -> float | None:
    value = token.get("logprob")
    return float(value) if type(value) in (int, float) and value <= 0 else None
