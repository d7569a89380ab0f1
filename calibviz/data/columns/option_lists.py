"""Records that give probabilities to options of their own, or to the same ones in any order: matched by name."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError, listed
from ..top_classes import WRONG_RIGHT
from .answer_tokens import LETTERS, only_answers, stripped
from .choices import Account, Arguments, ReadingOptions, Unclear, as_text
from .classes import Labels, no_first
from .known_names import OPTION_LISTS, SCORES, chosen_column, is_prediction, plain, says_confidence, weight_column
from .missing_rows import keep_known, keep_labelled
from .recognition.content import MANY, tolerance
from .recognition.other_columns import field_columns
from .recognition.repeated_rows import refuse_models
from .recognition.truth import OWN_ANSWERS, named_truths, two_truths, weak_level
from .tables import ArrayTable, FirstRows, is_missing, is_one_hot, shortened

Record = dict[str, Any]

PROBS = ("probs", "probabilities", "probas", "scores", *(name for names in SCORES for name in names))
LOGPROBS = ("logprobs", "log_probs", "loglikelihoods", "logits")
USUAL = ("options", "choices")
LOOKED_AT = 1_000  # records by which it is judged what a key holds
RESCALED = "log-probabilities rescaled over the options"
CAPITALS = "capitals of labels do not matter"
TOP_TOKENS = "top_logprobs"  # the likeliest tokens, of which some may be answers
#: What an entry of a list calls an option, and what it gives to it: `{"label": "A", "score": 0.7}`.
CALLED = (
    "label", "token", "decoded_token", "option", "option_id", "class", "class_name", "choice", "name", "display_name",
    "tag_name", "id", "text",
)  # fmt: skip  # short entries stand in rows
GIVEN = ("score", "probability", "prob", "logprob", "log_prob", "proba", "confidence", "p")


@dataclass(frozen=True)
class OptionShape:
    """The keys of records that a tool wrote, where it gives numbers to options."""

    scores: str  # the numbers of the options by their names
    answer: str | None = None  # the option that is right, or its place
    said: str = ""  # what is done with these numbers, for the line of assumptions


Converted = tuple[list[Record], NDArray[np.intp], OptionShape | None]
"""Plain records, their places in the source, and the keys that give numbers to options, if a tool wrote these."""


def are_scores(values: Sequence[Any], key: str) -> bool:
    """Whether dicts hold the probabilities of options, or log-probabilities, by their numbers or by their key.

    Those of confidences may hold one from each of several sources, which add up to anything.
    """
    held = [value for value in values[:LOOKED_AT] if value]
    of_numbers = [value for value in held if isinstance(value, dict) and _are_numbers(value.values())]
    if not of_numbers or max(map(len, of_numbers)) < 2:
        return False
    names = {name for value in of_numbers for name in value}
    are_sources = says_confidence(key) or all(map(says_confidence, names))
    if _rank(key) is not None and not are_sources:
        return 2 * len(of_numbers) >= len(held)
    return len(of_numbers) == len(held) and all(_are_shares(list(value.values())) for value in held)


def _are_numbers(values: Any) -> bool:
    return all(value is None or type(value) in (int, float) for value in values)


def _are_shares(values: Sequence[float | None]) -> bool:
    """Whether several numbers are probabilities that add up to 1, or all are below 0."""
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    if len(known) < 2 or len(known) < len(values):
        return False
    if (known < 0).all():
        return True
    return bool((known >= 0).all() and abs(known.sum() - 1) <= tolerance(known) * len(known))


def scores_by_name(entries: Sequence[Any]) -> dict[str, float] | None:
    """The numbers of a list of `{label, score}`, or of `{token, logprob}`, by their names; None of any other list."""
    if len(entries) == 1 and isinstance(entries[0], list):
        entries = entries[0]
    found: dict[str, float] = {}
    for entry in entries:
        if not isinstance(entry, dict):
            return None
        entry = {plain(str(name)): value for name, value in entry.items()}  # AWS writes Name and Score
        called = [entry[name] for name in CALLED if name in entry and not isinstance(entry[name], list | dict)]
        given = [number for name in GIVEN if (number := _as_number(entry.get(name))) is not None]
        if not called or len(given) != 1:
            return None
        name = str(called[0])
        if name in found:
            return None
        found[name] = given[0]
    return found or None


def _as_number(value: Any) -> float | None:
    """A number, maybe in a text, as BigQuery writes it; None of anything else."""
    is_text = isinstance(value, str) and re.fullmatch(r"-?\d*\.?\d+([eE]-?\d+)?", value)
    return float(value) if is_text else value if type(value) in (int, float) else None


def _end(key: str) -> str:
    """The last part of a key within another one, or the key itself, plainly written."""
    return plain(key.rpartition(".")[2])


def _rank(key: str) -> int | None:
    """The place of a key among the names of probabilities; those that stand within another key come last."""
    names = (*PROBS, *LOGPROBS, TOP_TOKENS)
    for before, said in ((0, plain(key)), (len(names), _end(key))):
        if said in names:
            return before + names.index(said)
    return None


def option_arguments(
    records: list[Record],
    keys: list[str],
    choices: ReadingOptions,
    account: Account,
    shape: OptionShape | None = None,
) -> Arguments | None:
    """The arguments of `Predictions`, None where no record names the options of its probabilities.

    `shape` tells the keys of records that a tool wrote; options of the user outrank it.
    """
    is_known = shape is not None and choices.prob is None and choices.logits is None
    records = _with_named_truth(records, keys)
    scores = shape.scores if shape is not None and is_known else _scores_key(records, keys, choices)
    if scores is None:
        return None
    if shape is not None and is_known and shape.answer is not None and choices.label is None:
        return _of_options(records, keys, (scores, None, shape.answer), choices, account, shape.said)
    has_dicts = any(isinstance(record.get(scores), dict) for record in records[:LOOKED_AT])
    lists = [] if has_dicts else _option_keys(records, keys, scores)
    if not has_dicts and not lists:
        return None
    if has_dicts:  # which name the options themselves
        listed_too = [key for key in keys if _end(key) in OPTION_LISTS and isinstance(records[0].get(key), list)]
        keys = [key for key in keys if key not in listed_too]
    if has_dicts and _end(scores) in (*LOGPROBS, TOP_TOKENS):  # of tokens, maybe
        records = [record | {scores: stripped(record.get(scores))} for record in records]
    if _end(scores) == TOP_TOKENS:
        options, answer = _answer(records, keys, scores, [], choices, account)
        records = only_answers(records, (scores, next(iter(listed_too), None), answer), choices, account)
    else:
        options, answer = _answer(records, keys, scores, lists, choices, account)
    said = shape.said if shape is not None and scores == shape.scores else RESCALED
    return _of_options(records, keys, (scores, options, answer), choices, account, said)


def _with_named_truth(records: list[Record], keys: list[str]) -> list[Record]:
    """The records, in which {"cat": 0, "dog": 1} is the option dog where another key gives numbers to the same options.

    So spaCy writes what is true and what is predicted, both as `cats`.
    """
    held = {key: record[key] for record in records[:1] for key in keys if isinstance(record.get(key), dict)}
    for key, options in held.items():
        if any(other != key and theirs.keys() == options.keys() for other, theirs in held.items()):
            right = [_one_option(record.get(key)) for record in records]
            if None not in right:
                return [record | {key: name} for record, name in zip(records, right, strict=True)]
    return records


def _one_option(value: Any) -> str | None:
    """The only option whose number is 1 where those of all others are 0."""
    if not isinstance(value, dict) or not is_one_hot([*value.values()]):
        return None
    return next(name for name, number in value.items() if number == 1)


def entries(records: list[Record], key: str) -> Any:
    """The values of one key as an array; what is not there is missing, and what is nested is text."""
    values: list[Any] = [record.get(key) for record in records]
    are_plain = all(type(value) in (int, float) and -(2**53) < value < 2**53 for value in values)
    if are_plain or all(isinstance(value, bool) for value in values):
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
    held = {
        key: values
        for key in ([chosen_column(given, keys, "prob")] if given is not None else keys)
        if (values := [record.get(key) for record in records[:LOOKED_AT]])
        and any(isinstance(value, list | dict) for value in values)
    }
    if given is not None:
        return next(iter(held), None)
    ranks = {key: rank for key in held if (rank := _rank(key)) is not None}
    named = sorted(ranks, key=ranks.__getitem__)
    found = named or [key for key, values in held.items() if _may_be_scores(records, keys, key, values)]
    if not found:
        return next((name for name in PROBS[:3] if name in keys), None)
    rivals = [key for key in found[1:] if held[key] != held[found[0]] and (not named or _may_rival(key, found[0]))]
    if rivals:
        raise Unclear(
            f"two keys may hold the probabilities, {found[0]!r} and {rivals[0]!r}",
            *({"prob": key} for key in (found[0], *rivals)),
            otherwise=f": pass prob={found[0]!r} or prob={rivals[0]!r}",
        )
    return found[0]


def _may_be_scores(records: list[Record], keys: list[str], key: str, values: Sequence[Any]) -> bool:
    """Whether a key of unknown name holds the probabilities of options: by their names, or beside a list of these."""
    known = [value for value in values if value is not None]
    if not all(isinstance(value, list) and _are_numbers(value) and _are_shares(value) for value in known):
        return are_scores(known, key)
    pairs = [[(record.get(other), record.get(key)) for record in records[:LOOKED_AT]] for other in keys if other != key]
    return bool(known) and any(all(_are_options(*pair, is_named=False) for pair in of_key) for of_key in pairs)


def _may_rival(key: str, other: str) -> bool:
    """Whether two keys are named as probabilities, both of their own or both within another key."""
    ends = {_end(name) for name in (key, other)}
    return ends <= set(PROBS) and (plain(key) in PROBS) == (plain(other) in PROBS)


def _option_keys(records: list[Record], keys: list[str], scores: str) -> list[str]:
    """The keys under which a record may list the options of its probabilities, the usual names first."""
    rank = {name: i for i, name in enumerate(OPTION_LISTS)}
    usual = sorted((key for key in keys if _end(key) in rank), key=lambda key: (rank[_end(key)], key not in rank))
    found = []
    for key in dict.fromkeys([*usual, *keys]):
        if key == scores:
            continue
        if key in USUAL:
            found.append(key)
            continue
        pairs = [(record.get(key), record.get(scores)) for record in records[:LOOKED_AT]]
        pairs = [(names, values) for names, values in pairs if names is not None and values is not None]
        if pairs and all(_are_options(names, values, _end(key) in OPTION_LISTS) for names, values in pairs):
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
    account.rivals = [key for key in named_truths(keys, of_keys=True) if key not in (scores, *lists)]
    lists_or_none: list[str | None] = [*lists] or [None]
    fitting = [key for key in keys if any(_names_options(records, key, scores, options) for options in lists_or_none)]
    named = account.rivals if choices.label is None else [chosen_column(choices.label, keys, "label")]
    predicted = [plain(key) for key in keys if is_prediction(key)]
    named = named or [key for key in fitting if weak_level(key, predicted, set())]
    if not named:
        raise Unclear(
            f"found no answers among the keys {listed(keys)}: expected 'label' or 'answer'; label='...' names them",
            *({"label": key} for key in fitting),
        )
    readings: dict[str, tuple[str | None, list[str | None]]] = {}
    for key in named:
        for options in lists_or_none:
            right = _answers_of(records, key, scores, options)
            if key not in readings or _known(right) > _known(readings[key][1]):
                readings[key] = options, right
    are_known = choices.label is not None or any(_known(right) for _, right in readings.values())
    if not are_known and _end(scores) != TOP_TOKENS:  # of which some may be answers
        raise Unclear(
            f"found no answers: {listed(named)} name{'s' * (len(named) == 1)} none of the options in {scores!r}; "
            "label='...' names the key that does",
            *({"label": key} for key in fitting),
        )
    looked_at = min(LOOKED_AT, len(records))
    fitting = [key for key in named if 2 * _known(readings[key][1]) >= looked_at] or named[:1]
    every = readings
    if looked_at < len(records) and len(fitting) > 1:  # which may differ below
        every = {
            key: (options, _answers_of(records, key, scores, options, len(records)))
            for key, (options, _) in readings.items()
        }
    fitting = [key for i, key in enumerate(fitting) if not any(every[key][1] == every[e][1] for e in fitting[:i])]
    likeliest = [_likeliest(record, scores, readings[named[0]][0]) for record in records[: len(every[named[0]][1])]]
    said = [key for key in fitting if _are_said(every[key][1], likeliest)]
    left = [key for key in fitting if key not in said] or fitting
    account.take("predicted class", *(key for key in said if key not in left))
    if len(left) > 1:
        raise two_truths(left)
    return readings[left[0]][0], left[0]


def _names_options(records: list[Record], key: str, scores: str, options: str | None) -> bool:
    """Whether a key of any name holds one of the names that are given numbers in each of many records."""
    if len(records) < MANY or is_prediction(key):
        return False
    pairs = ((record.get(key), _options_of(record, scores, options)[0]) for record in records[:LOOKED_AT])
    listed_names = ((as_text(answer).casefold(), names if isinstance(names, list) else []) for answer, names in pairs)
    return all(answer in [str(name).casefold() for name in names] for answer, names in listed_names)


def _answers_of(
    records: list[Record], key: str, scores: str, options: str | None, looked_at: int = LOOKED_AT
) -> list[str | None]:
    """The option that each of the first records calls right; None where it names none."""
    from_one = _counts_from_one(records, key, scores, options)
    out = []
    for record in records[:looked_at]:
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
    said: str,
) -> Arguments:
    """The arguments where each record gives probabilities to options of its own, or to the same ones in any order.

    `said` tells what is done with numbers that are no probabilities as yet.
    """
    scores, options, answer = roles
    account.take("label", answer)
    account.take("probability", scores)
    account.take("names of the options", options)
    weight = weight_column([key for key in keys if key not in roles], choices, account)
    account.take("weight", weight)
    every = list(records)
    values = [record.get(answer) for record in records]
    place = {value: k for k, value in enumerate(dict.fromkeys(str(v) for v in values if v is not None))}
    labels = Labels(np.array([-1 if v is None else place[str(v)] for v in values]), list(place), answer)

    def keep(rows: Any) -> None:
        records[:] = [every[i] for i in rows]

    def lacking(row: int, said: str) -> RowError:
        name = _first_missing(records[row], scores, options)
        return RowError("row ", row, f" of {scores!r}{'' if name is None else f', option {name!r},'} {said}")

    labels = keep_labelled(labels, choices, account, keep)
    has_all = np.array([not _lacks_some(_options_of(record, scores, options)[1]) for record in records])
    labels = labels.only(keep_known(has_all, "probability", lacking, choices, account, keep))
    is_log = _end(scores) in LOGPROBS or choices.logits is not None or _are_negative(records, scores, options)
    parsed = [_probabilities(i, record, scores, options, is_log) for i, record in enumerate(records)]
    if is_log:
        account.say(said)
    parsed = _by_number(parsed, [record[answer] for record in records], account)
    _refuse_places(records, parsed, options, answer)
    from_one = _counts_from_one(records, answer, scores, options)
    right = [
        _right_option(i, records[i][answer], list(options_of), answer, from_one, account)
        for i, options_of in enumerate(parsed)
    ]
    taken = {scores, answer, options, weight}
    table = ArrayTable({key: entries(records, key) for key in keys if key not in taken})
    first = FirstRows(table)
    refuse_models(table.columns, labels, choices, first)
    kept_fields = field_columns(table.columns, (labels, []), choices, account, first)
    arguments: Arguments = {"fields": table.fields(kept_fields), "notes": table.notes(account.notes)}
    if weight is not None:
        arguments["weights"] = ArrayTable({weight: entries(records, weight)}).numbers([weight])[:, 0]
    names = list(choices.classes or no_first(list(parsed[0])))
    likeliest = [max(p, key=lambda name: p[name]) for p in parsed]
    are_alike = all(p.keys() == set(names) for p in parsed)
    is_few = len(right) < MANY and options is None and plain(answer) == "label" and right == likeliest
    if is_few or (not are_alike and _are_said(right, likeliest)):
        if choices.label is None:
            ways = dict.fromkeys([*(key for key in account.rivals if key != answer), answer])
            said = f"every label of {answer!r} is the likeliest option: {OWN_ANSWERS}"
            raise Unclear(said, *({"label": key} for key in ways))
        account.doubts.append(f"every label is the likeliest option: is {answer!r} the prediction?")
    if are_alike:
        for i, name in enumerate(right):
            if name is None:
                given = shortened(records[i][answer])
                raise RowError("row ", i, f" of {answer!r} is {given}, none of the options {listed(names)}")
        probs = np.array([[p[name] for name in names] for p in parsed])
        return arguments | {"probs": probs, "labels": [names.index(str(name)) for name in right], "class_names": names}
    if choices.classes is not None:
        i = next(i for i, p in enumerate(parsed) if p.keys() != set(names))
        raise RowError("row ", i, f" has the options {listed(parsed[i])}, but classes names {listed(names)}")
    account.say("the options differ, so confidence in the likeliest one and whether it is right")
    if choices.fields is None:
        arguments["fields"] |= {"options": np.array([len(p) for p in parsed])}
    return arguments | _of_likeliest(parsed, likeliest, right, choices.normalize)


def _refuse_places(records: list[Record], parsed: list[dict[str, float]], options: str | None, answer: str) -> None:
    """Refuse answers that are places among options which have no order of their own.

    Keys of an object have none where it differs; nor have options that a tool sorted by their probabilities.
    """
    found = (_place(records[i][answer], list(p), from_one=False)[1] for i, p in enumerate(parsed))
    places = [i for i, said in enumerate(found) if said not in ("", CAPITALS)]
    if not places or len({tuple(p) for p in parsed}) == len({frozenset(p) for p in parsed}):
        return
    is_sorted = len(parsed) >= MANY and all(list(p.values()) == sorted(p.values(), reverse=True) for p in parsed)
    if is_sorted or options is None:
        which = "are sorted by their probabilities" if is_sorted else "stand in another order in other records"
        said = f" of {answer!r} is {shortened(records[places[0]][answer])}, a place among options that {which}"
        raise RowError("row ", places[0], f"{said}: write the name of the option that is right")


def _of_likeliest(
    parsed: list[dict[str, float]], likeliest: list[str], right: list[str | None], normalize: bool
) -> Arguments:
    """How probable the likeliest option of each record is, and whether it is right."""
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


def _are_negative(records: list[Record], scores: str, options: str | None) -> bool:
    """Whether the numbers of all options are below 0, as log-probabilities are; one may be 0."""
    least = 0.0
    for record in records:
        values = _options_of(record, scores, options)[1]
        for value in values if isinstance(values, list) else ():
            if type(value) not in (int, float) or value > 0:
                return False
            least = min(least, value)
    return least < 0


def _lacks_some(values: Any) -> bool:
    return any(map(is_missing, values if isinstance(values, list) else [values]))


def _first_missing(record: Record, scores: str, options: str | None) -> Any:
    """The first option of a record without a score; None where the record names no options, or has no scores."""
    names, values = _options_of(record, scores, options)
    if not isinstance(names, list) or not isinstance(values, list) or len(names) != len(values):
        return None
    return next((name for name, value in zip(names, values, strict=True) if is_missing(value)), None)


def _probabilities(i: int, record: Record, scores: str, options: str | None, is_log: bool) -> dict[str, float]:
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
        numbers = np.exp(numbers - numbers.max())
        numbers /= numbers.sum()
    return dict(zip(texts, numbers.tolist(), strict=True))


def _by_number(parsed: list[dict[str, float]], answers: Sequence[Any], account: Account) -> list[dict[str, float]]:
    """Options such as `LABEL_0` by their numbers, where the answers are these."""
    names = {name for p in parsed for name in p}
    parts = {name: re.fullmatch(r"(.*?\D)(\d+)", name) for name in names}
    numbers = {name: str(int(part[2])) for name, part in parts.items() if part is not None}
    stems = {part[1] for part in parts.values() if part is not None}
    given = {str(answer) for answer in answers if not isinstance(answer, bool)}
    if len(numbers) < len(names) or len(stems) != 1 or not given <= set(numbers.values()) or len(given) < 1:
        return parsed
    account.say(f"classes from the numbers of {listed(sorted(names, key=lambda name: int(numbers[name])))}")
    order = sorted(numbers, key=lambda name: int(numbers[name]))
    return [{numbers[name]: p[name] for name in order if name in p} for p in parsed]


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
    if as_text(answer) in names:
        return as_text(answer), ""
    folded = [name for name in names if name.casefold() == str(answer).strip().casefold()]
    if len(folded) == 1:
        return folded[0], CAPITALS
    if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer - from_one < len(names):
        return names[answer - from_one], f"answers that are numbers count the options from {int(from_one)}"
    if isinstance(answer, str) and len(answer) == 1 and answer in LETTERS[: len(names)]:
        return names[LETTERS.index(answer)], "answers that are letters count the options from A"
    return None, ""
