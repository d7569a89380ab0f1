"""Questions about a source: what is unclear, and a line of options for each reading that is consistent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .choices import Account, Question, Reading, ReadingOptions, SeveralModels, Unclear
from .line import in_short, order_in_words, predicted_and_observed, roles_in_words, what_was_taken

MOST_LINES = 6
Read = Callable[[ReadingOptions, Account], Any]


def asked(unclear: Unclear, choices: ReadingOptions, read: Read) -> ValueError:
    """The question as an error: with the options of each of its lines, the source is read, or asks for what is left."""
    known: set[tuple[str, tuple[str, ...]]] = set()
    groups = []
    for way in unclear.ways:
        answer = choices.changed(**way)
        found = {(reading.line, reading.class_names): reading for reading in _readings(answer, read)}
        if new := [reading for key, reading in found.items() if key not in known]:
            groups.append((answer.given, new))
        known |= found.keys()
    if unclear.by_means:
        groups.sort(key=lambda group: min(map(_distance, group[1])))
    readings = _few(groups)
    return Question(str(unclear), readings) if readings else ValueError(f"{unclear}{unclear.otherwise}")


def _distance(reading: Reading) -> float:
    """How far what is predicted is from what is observed; infinite where that is not known."""
    return np.inf if reading.means is None else abs(reading.means[0] - reading.means[1])


def _few(groups: Sequence[tuple[dict[str, Any], list[Reading]]]) -> list[Reading]:
    """At most as many readings as a question has lines, of the options of each answer and the readings that it leaves.

    None that is likelier than others is left out. Where one answer leaves something open, each reading of it is a line.
    If these are too many, the answer alone is, which asks for the rest, so that no answer is missing.
    """
    kept = [readings for _, readings in groups[:MOST_LINES]]
    for i in reversed(range(len(kept))):
        if sum(map(len, kept)) > MOST_LINES and len(kept) > 1 and len(kept[i]) > 1:
            said = f"{len(kept[i])} ways to read it, asked next"
            kept[i] = [Reading(groups[i][0], said, "", kept[i][0].roles, ())]
    return [reading for readings in kept for reading in readings][:MOST_LINES]


def _readings(choices: ReadingOptions, read: Read) -> list[Reading]:
    """The readings of a source by some options, each with all that it needs; none where these give an error."""
    if isinstance(choices.model, tuple):
        return _of_models(choices, choices.model, read)
    try:
        whole = _named(choices, read)
        predictions = read(whole, account := Account())
    except Unclear as unclear:  # such as of which class the probabilities are: each of these
        return [reading for way in unclear.ways for reading in _next(choices, way, read)]
    except SeveralModels as several:
        return _of_models(choices, several.models, read)
    except (TypeError, ValueError):
        return []
    line = "; ".join([*what_was_taken(predictions, account), *account.assumed])
    roles = roles_in_words(predictions, account)
    names = () if predictions.of_confidence else tuple(predictions.class_names)
    means = predicted_and_observed(predictions)
    return [Reading(whole.given, in_short(predictions), line, roles, names, means, order_in_words(predictions))]


def _of_models(choices: ReadingOptions, models: Sequence[str], read: Read) -> list[Reading]:
    """The reading of each of several models, and what the first of them gives.

    Columns are models of the same rows only if each is read with the same options.
    """
    are_columns = isinstance(choices.model, tuple)
    found = [_readings(choices.of_model(name), read) for name in (models if are_columns else models[:1])]
    every = "both" if len(models) == 2 else f"all {len(models)}"
    of_first = f"{f'{every} side by side' if are_columns else f'{len(models)} models'}, of which {models[0]!r} has "
    out = []
    for alike in zip(*found, strict=False):
        first = alike[0]
        if any(each.options != first.options for each in alike):
            break
        roles = {} if are_columns else {str(choices.model): "model"}
        for reading in alike:
            roles = reading.roles | roles
        out.append(replace(first, gives=of_first + first.gives, line=of_first + first.line, roles=roles))
    return out


def _next(choices: ReadingOptions, way: dict[str, Any], read: Read) -> list[Reading]:
    more = choices.changed(**way)
    is_other = any(name in choices.given and getattr(choices, name) != getattr(more, name) for name in way)
    if is_other or (more.prob is not None and more.logits is not None):  # options stay
        return []
    return [] if more == choices else _readings(more, read)


def _named(choices: ReadingOptions, read: Read) -> ReadingOptions:
    """Return options that name the columns of the labels and of the probabilities."""
    guessed = Account()
    read(choices, guessed)
    label, logits = guessed.named("label"), guessed.named("logit")
    scores = logits or guessed.named("probability", "confidence")
    named: dict[str, Any] = {"label": label[0]} if choices.label is None and len(label) == 1 else {}
    if choices.prob is None and choices.logits is None and scores:
        named["logits" if logits else "prob"] = scores[0] if len(scores) == 1 else scores
    return choices.changed(**named)
