"""Records that give probabilities to options of their own, or to the same ones in any order: matched by name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...foundation.validation import RowError, listed
from ..top_classes import WRONG_RIGHT
from .choices import NO_WEIGHT, Account, Arguments, ReadingOptions, Unclear
from .classes import Labels
from .known_names import OPTION_LISTS, SCORES, chosen_column
from .missing_rows import keep_known, keep_labelled, keep_wanted
from .recognition.content import MANY
from .recognition.other_columns import field_columns
from .recognition.truth import OWN_ANSWERS, named_truths, two_truths
from .tables import ArrayTable, FirstRows, shortened

Record = dict[str, Any]

PROBS = ("probs", "probabilities", "probas", "scores", *(name for names in SCORES for name in names))
LOGPROBS = ("logprobs", "log_probs", "loglikelihoods", "logits")
USUAL = ("options", "choices")
USUAL_ANSWERS = ("label", "labels", "outcome", "answer")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOOKED_AT = 1_000  # records by which it is judged what a key holds


def option_arguments(
    records: list[Record], keys: list[str], choices: ReadingOptions, account: Account
) -> Arguments | None:
    """The arguments of `Predictions`, None where no record names the options of its probabilities."""
    scores = _scores_key(records, keys, choices)
    if scores is None:
        return None
    has_dicts = any(isinstance(record.get(scores), dict) for record in records[:LOOKED_AT])
    lists = [] if has_dicts else _option_keys(records, keys, scores)
    if not has_dicts and not lists:
        return None
    options, answer = _answer(records, keys, scores, lists, choices, account)
    return _of_options(records, keys, (scores, options, answer), choices, account)


def entries(records: list[Record], key: str) -> Any:
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


def _scores_key(records: list[Record], keys: list[str], choices: ReadingOptions) -> str | None:
    """The key of the probabilities or log-probabilities of options, which are lists or dicts."""
    given = choices.prob or choices.logits
    if isinstance(given, tuple):
        return None
    names = (*PROBS, *LOGPROBS) if given is None else (chosen_column(given, keys, "prob"),)
    several = [
        name
        for name in names
        if name in keys and any(isinstance(record.get(name), list | dict) for record in records[:LOOKED_AT])
    ]
    return several[0] if several else next((name for name in names[:3] if name in keys and given is None), None)


def _option_keys(records: list[Record], keys: list[str], scores: str) -> list[str]:
    """The keys under which a record may list the options of its probabilities, the usual names first."""
    usual = [key for key in OPTION_LISTS if key in keys]
    found = []
    for key in dict.fromkeys([*usual, *keys]):
        if key == scores:
            continue
        if key in USUAL:
            found.append(key)
            continue
        pairs = [(record.get(key), record.get(scores)) for record in records[:LOOKED_AT]]
        pairs = [(names, values) for names, values in pairs if names is not None and values is not None]
        if pairs and all(_are_options(names, values, key in OPTION_LISTS) for names, values in pairs):
            found.append(key)
    return found


def _are_options(names: Any, values: Any, is_named: bool) -> bool:
    """Whether a list holds a different name for each entry of another one."""
    if not isinstance(names, list) or not isinstance(values, list) or len(names) != len(values) or not names:
        return False
    kinds = (str, int) if is_named else str
    return all(isinstance(name, kinds) for name in names) and len(set(map(str, names))) == len(names)


def _answer(
    records: list[Record],
    keys: list[str],
    scores: str,
    lists: Sequence[str],
    choices: ReadingOptions,
    account: Account,
) -> tuple[str | None, str]:
    """The keys of the options and of the one that is right; of two that may be the truth, a question."""
    given = None if choices.label is None else chosen_column(choices.label, keys, "label")
    named = [given] if given is not None else [key for key in named_truths(keys) if key not in (scores, *lists)]
    if not named:
        raise ValueError(
            f"found no answers among the keys {listed(keys)}: expected 'label' or 'answer'; label='...' names them"
        )
    account.rivals = [key for key in named_truths(keys) if key not in (scores, *lists)]
    readings: dict[str, tuple[str | None, list[str | None]]] = {}
    lists_or_none: list[str | None] = [*lists] or [None]
    for key in named:
        for options in lists_or_none:
            right = _answers_of(records, key, scores, options)
            if key not in readings or _known(right) > _known(readings[key][1]):
                readings[key] = options, right
    likeliest = [_likeliest(record, scores, readings[named[0]][0]) for record in records[:LOOKED_AT]]
    fitting = [key for key in named if 2 * _known(readings[key][1]) >= len(likeliest)] or named[:1]
    fitting = [key for i, key in enumerate(fitting) if not any(readings[key][1] == readings[e][1] for e in fitting[:i])]
    said = [key for key in fitting if _are_said(readings[key][1], likeliest)]
    left = [key for key in fitting if key not in said] or fitting
    account.take("predicted class", *(key for key in said if key not in left))
    if len(left) > 1:
        raise two_truths(left)
    return readings[left[0]][0], left[0]


def _answers_of(records: list[Record], key: str, scores: str, options: str | None) -> list[str | None]:
    """The option that each of the first records calls right; None where it names none."""
    from_one = _counts_from_one(records, key, scores, options)
    out = []
    for record in records[:LOOKED_AT]:
        names, _ = _options_of(record, scores, options)
        answer = record.get(key)
        is_plain = isinstance(names, list) and not isinstance(answer, list | dict)
        out.append(_place(answer, [str(name) for name in names], from_one)[0] if is_plain else None)
    return out


def _known(names: Sequence[str | None]) -> int:
    return sum(name is not None for name in names)


def _likeliest(record: Record, scores: str, options: str | None) -> str | None:
    names, values = _options_of(record, scores, options)
    if not isinstance(names, list) or not isinstance(values, list) or len(names) != len(values) or not values:
        return None
    numbers = [value if type(value) in (int, float) and value == value else -np.inf for value in values]
    return str(names[int(np.argmax(numbers))])


def _are_said(names: Sequence[str | None], likeliest: Sequence[str | None]) -> bool:
    """Whether the answers of many records are the likeliest options in each."""
    pairs = [(a, b) for a, b in zip(names, likeliest, strict=True) if a is not None and b is not None]
    return len(pairs) >= MANY and all(a == b for a, b in pairs)


def _counts_from_one(records: list[Record], key: str, scores: str, options: str | None) -> bool:
    """Whether answers that are numbers count the options from 1: the number of all of them occurs, and 0 does not."""
    is_last = False
    for record in records:
        answer = record.get(key)
        if type(answer) is not int:
            continue
        names, _ = _options_of(record, scores, options)
        if answer == 0 or not isinstance(names, list):
            return False
        is_last = is_last or answer == len(names)
    return is_last


def _of_options(
    records: list[Record],
    keys: list[str],
    roles: tuple[str, str | None, str],
    choices: ReadingOptions,
    account: Account,
) -> Arguments:
    """The arguments where each record gives probabilities to options of its own, or to the same ones in any order."""
    scores, options, answer = roles
    account.take("label", answer)
    account.take("probability", scores)
    account.take("names of the options", options)
    account.take("weight", choices.weight or None)
    every = list(records)
    values = [record.get(answer) for record in records]
    place = {value: k for k, value in enumerate(dict.fromkeys(str(v) for v in values if v is not None))}
    labels = Labels(np.array([-1 if v is None else place[str(v)] for v in values]), list(place), answer)

    def keep(rows: Any) -> None:
        records[:] = [every[i] for i in rows]

    def lacking(row: int, said: str) -> RowError:
        name = _first_missing(records[row], scores, options)
        return RowError("row ", row, f" of {scores!r}{'' if name is None else f', option {name!r},'} {said}")

    labels = keep_wanted(labels, choices, account, keep)
    labels = keep_labelled(labels, choices, account, keep)
    has_all = np.array([not _lacks_some(_options_of(record, scores, options)[1]) for record in records])
    known = keep_known(has_all, "probability", lacking, choices, account, keep)
    labels = labels if known is None else labels.only(known)
    is_log = scores in LOGPROBS or choices.logits is not None
    parsed = [_probabilities(i, record, scores, options, is_log, account) for i, record in enumerate(records)]
    _refuse_places(records, parsed, options, answer)
    from_one = _counts_from_one(records, answer, scores, options)
    right = [
        _right_option(i, records[i][answer], list(options_of), answer, from_one, account)
        for i, options_of in enumerate(parsed)
    ]
    taken = {scores, answer, options, choices.weight}
    table = ArrayTable({key: entries(records, key) for key in keys if key not in taken})
    kept_fields = field_columns(table.columns, (labels, []), choices, account, FirstRows(table))
    arguments: Arguments = {"fields": table.fields(kept_fields), "notes": table.notes(account.notes)}
    if choices.weight not in (None, NO_WEIGHT):
        weight = chosen_column(choices.weight, keys, "weight")
        arguments["weights"] = ArrayTable({weight: entries(records, weight)}).numbers([weight])[:, 0]
    names = list(choices.classes or parsed[0])
    if all(p.keys() == set(names) for p in parsed):
        for i, name in enumerate(right):
            if name is None:
                given = shortened(records[i][answer])
                raise RowError("row ", i, f" of {answer!r} is {given}, none of the options {listed(names)}")
        probs = np.array([[p[name] for name in names] for p in parsed])
        return arguments | {"probs": probs, "labels": [names.index(str(name)) for name in right], "class_names": names}
    if choices.classes is not None:
        i = next(i for i, p in enumerate(parsed) if p.keys() != set(names))
        raise RowError("row ", i, f" has the options {listed(parsed[i])}, but classes names {listed(names)}")
    likeliest = [max(p, key=lambda name: p[name]) for p in parsed]
    if _are_said(right, likeliest):
        if choices.label is None:
            ways = dict.fromkeys([*(key for key in account.rivals if key != answer), answer])
            said = f"every label of {answer!r} is the likeliest option: {OWN_ANSWERS}"
            raise Unclear(said, *({"label": key} for key in ways))
        account.doubts.append(f"every label is the likeliest option: is {answer!r} the prediction?")
    account.say("the options differ, so confidence in the likeliest one and whether it is right")
    if choices.fields is None:
        arguments["fields"] |= {"options": np.array([len(p) for p in parsed])}
    return arguments | _of_likeliest(parsed, right, choices.normalize)


def _refuse_places(records: list[Record], parsed: list[dict[str, float]], options: str | None, answer: str) -> None:
    """Refuse answers that are places among options which have no order of their own.

    Keys of an object have none where it differs; nor have options that a tool sorted by their probabilities.
    """
    places = [i for i, p in enumerate(parsed) if _place(records[i][answer], list(p), from_one=False)[1]]
    if not places or len({tuple(p) for p in parsed}) == len({frozenset(p) for p in parsed}):
        return
    is_sorted = len(parsed) >= MANY and all(list(p.values()) == sorted(p.values(), reverse=True) for p in parsed)
    if is_sorted or options is None:
        which = "are sorted by their probabilities" if is_sorted else "stand in another order in other records"
        said = f" of {answer!r} is {shortened(records[places[0]][answer])}, a place among options that {which}"
        raise RowError("row ", places[0], f"{said}: write the name of the option that is right")


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
    return any(map(_is_missing, values if isinstance(values, list) else [values]))


def _is_missing(value: Any) -> bool:
    return value is None or value != value


def _first_missing(record: Record, scores: str, options: str | None) -> Any:
    """The first option of a record without a score; None where the record names no options, or has no scores."""
    names, values = _options_of(record, scores, options)
    if not isinstance(names, list) or not isinstance(values, list) or len(names) != len(values):
        return None
    return next((name for name, value in zip(names, values, strict=True) if _is_missing(value)), None)


def _probabilities(
    i: int, record: Record, scores: str, options: str | None, is_log: bool, account: Account
) -> dict[str, float]:
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
    if is_log:
        account.say("log-probabilities rescaled over the options")
        numbers = np.exp(numbers - numbers.max())
        numbers /= numbers.sum()
    return dict(zip(texts, numbers.tolist(), strict=True))


def _right_option(i: int, answer: Any, names: list[str], key: str, from_one: bool, account: Account) -> str | None:
    """The option that is right, by its name, its number or its letter; None where it is none of them."""
    if isinstance(answer, list | dict):
        raise RowError("row ", i, f" of {key!r} is {shortened(answer)}, not one option")
    name, said = _place(answer, names, from_one)
    if said:
        account.say(said)
    return name


def _place(answer: Any, names: list[str], from_one: bool) -> tuple[str | None, str]:
    """The option that an answer names, and what was assumed of it."""
    if str(answer) in names:
        return str(answer), ""
    if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer - from_one < len(names):
        return names[answer - from_one], f"answers that are numbers count the options from {int(from_one)}"
    if isinstance(answer, str) and len(answer) == 1 and answer in LETTERS[: len(names)]:
        return names[LETTERS.index(answer)], "answers that are letters count the options from A"
    return None, ""
