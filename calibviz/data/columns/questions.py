"""Questions about a source: what is unclear, and a line of options for each reading that is consistent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    if isinstance(choices.model, tuple):
        return _of_models(choices, choices.model, read)
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


def _of_models(choices: ReadingOptions, models: Sequence[str], read: Read) -> Line | None:
    """The options that read each of several models, and what the first of them gives.

    Columns are models of the same rows only if each is read with the same options.
    """
    tried = models if isinstance(choices.model, tuple) else models[:1]
    lines = [line for name in tried if (line := _line(choices.of_model(name), read)) is not None]
    if len(lines) < len(tried) or any(given != lines[0][0] for given, _ in lines):
        return None
    given, gives = lines[0]
    every = "both" if len(models) == 2 else f"all {len(models)}"
    which = f"{every} side by side" if isinstance(choices.model, tuple) else f"{len(models)} models"
    return given, f"{which}, of which {models[0]!r} has {gives}"


def _next(choices: ReadingOptions, way: dict[str, Any], read: Read) -> Line | None:
    more = choices.changed(**way)
    if any(getattr(choices, name) not in (None, getattr(more, name)) for name in way):  # what options say stays
        return None
    return None if more == choices else _line(more, read)


def _named(choices: ReadingOptions, read: Read, account: Account) -> ReadingOptions:
    """Return options that name the columns of the labels and of the probabilities."""
    guessed = Account()
    read(choices, guessed)
    label, logits = guessed.named("label"), guessed.named("logit")
    scores = logits or guessed.named("probability", "confidence")
    named: dict[str, Any] = {"label": label[0]} if choices.label is None and label else {}
    if choices.prob is None and choices.logits is None and scores:
        named["logits" if logits else "prob"] = scores[0] if len(scores) == 1 else scores
    return choices.changed(**named)
