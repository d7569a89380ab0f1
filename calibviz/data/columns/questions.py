"""Questions about a source: what is unclear, and a line of options for each reading that is consistent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .choices import Account, Question, Reading, ReadingOptions, SeveralModels, Unclear
from .line import in_short, roles_in_words, what_was_taken

MOST_LINES = 6
Read = Callable[[ReadingOptions, Account], Any]


def asked(unclear: Unclear, choices: ReadingOptions, read: Read) -> ValueError:
    """The question as an error: with the options of each of its lines, the source is read."""
    readings: dict[str, Reading] = {}
    for way in unclear.ways:
        reading = _reading(choices.changed(**way), read)
        if reading is not None:
            readings.setdefault(str(reading.options), reading)
    if not readings:
        return ValueError(f"{unclear}{unclear.otherwise}")
    return Question(str(unclear), list(readings.values())[:MOST_LINES])


def _reading(choices: ReadingOptions, read: Read) -> Reading | None:
    """The reading of a source by some options, with all that it needs; None where it gives an error."""
    if isinstance(choices.model, tuple):
        return _of_models(choices, choices.model, read)
    try:
        whole = _named(choices, read)
        predictions = read(whole, account := Account())
    except Unclear as unclear:  # such as of which class the probabilities are: the likeliest of these
        found = (_next(choices, way, read) for way in unclear.ways)
        return next((reading for reading in found if reading is not None), None)
    except SeveralModels as several:
        return _of_models(choices, several.models, read)
    except (TypeError, ValueError):
        return None
    line = "; ".join([*what_was_taken(predictions, account), *account.assumed])
    roles = roles_in_words(predictions, account)
    return Reading(whole.given, in_short(predictions), line, roles, tuple(predictions.class_names))


def _of_models(choices: ReadingOptions, models: Sequence[str], read: Read) -> Reading | None:
    """The reading of each of several models, and what the first of them gives.

    Columns are models of the same rows only if each is read with the same options.
    """
    are_columns = isinstance(choices.model, tuple)
    tried = models if are_columns else models[:1]
    found = [reading for name in tried if (reading := _reading(choices.of_model(name), read)) is not None]
    if len(found) < len(tried) or any(each.options != found[0].options for each in found):
        return None
    every = "both" if len(models) == 2 else f"all {len(models)}"
    of_first = f"{f'{every} side by side' if are_columns else f'{len(models)} models'}, of which {models[0]!r} has "
    roles = {} if are_columns else {str(choices.model): "model"}
    for reading in found:
        roles = reading.roles | roles
    return replace(found[0], gives=of_first + found[0].gives, line=of_first + found[0].line, roles=roles)


def _next(choices: ReadingOptions, way: dict[str, Any], read: Read) -> Reading | None:
    more = choices.changed(**way)
    if any(name in choices.given and getattr(choices, name) != getattr(more, name) for name in way):  # options stay
        return None
    return None if more == choices else _reading(more, read)


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
