"""Questions about a source: what is unclear, and a line of options for each reading that is consistent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .choices import Account, Question, ReadingOptions, SeveralModels, Unclear
from .line import in_short

MOST_LINES = 6
Line = tuple[dict[str, Any], str]
Read = Callable[[ReadingOptions, Account], Any]


def asked(unclear: Unclear, choices: ReadingOptions, read: Read) -> ValueError:
    """The question as an error: with the options of each of its lines, the source is read."""
    lines = []
    for way in unclear.ways:
        line = _line(choices.changed(**way), read)
        if line is not None and line not in lines:
            lines.append(line)
    return Question(str(unclear), lines[:MOST_LINES]) if lines else ValueError(f"{unclear}{unclear.otherwise}")


def _line(choices: ReadingOptions, read: Read) -> Line | None:
    """The options that read the source in one way, all of them, and what that gives; None where it gives an error."""
    try:
        whole = _named(choices, read, account := Account())
        predictions = read(whole, account)
    except Unclear as unclear:  # such as of which class the probabilities are: the likeliest of these
        return next((line for way in unclear.ways if (line := _next(choices, way, read)) is not None), None)
    except SeveralModels as several:
        return _of_models(choices, several.models, read)
    except (TypeError, ValueError):
        return None
    return whole.given, in_short(predictions)


def _of_models(choices: ReadingOptions, models: list[str], read: Read) -> Line | None:
    """The options that read each of several models, and what the first of them give."""
    line = _line(choices.changed(model=(choices.model, models[0])), read)
    if line is None:
        return None
    given, gives = line
    return given, f"{len(models)} models, of which {models[0]!r} has {gives}"


def _next(choices: ReadingOptions, way: dict[str, Any], read: Read) -> Line | None:
    more = choices.changed(**way)
    if any(name in choices.given and getattr(choices, name) != getattr(more, name) for name in way):  # options stay
        return None
    return None if more == choices else _line(more, read)


def _named(choices: ReadingOptions, read: Read, account: Account) -> ReadingOptions:
    """Return options that name the columns of the labels and of the probabilities."""
    guessed = Account()
    read(choices, guessed)
    label, logits = guessed.named("label"), guessed.named("logit")
    scores = logits or guessed.named("probability", "confidence")
    named: dict[str, Any] = {"label": label[0]} if choices.label is None and len(label) == 1 else {}
    if choices.prob is None and choices.logits is None and scores:
        named["logits" if logits else "prob"] = scores[0] if len(scores) == 1 else scores
    return choices.changed(**named)
