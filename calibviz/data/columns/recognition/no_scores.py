"""Columns that hold no probabilities, though they may look so: what is refused, and the options that may read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import RowError, did_you_mean, listed
from ..choices import ReadingOptions, Unclear
from ..classes import Labels, pair_of
from ..known_names import PREFIXES, SCORE_WORDS, alike, is_key, is_prediction, says_percent, words
from ..tables import FirstRows
from .class_names import class_parts
from .content import MANY, Floats, adds_up, are_predicted, is_unit, runs_backwards, runs_without_gap
from .scores import (
    MOST_ASKED,
    MOST_POINTS,
    OF_DIFFERENCES,
    OF_POINTS,
    WHOLE_PERCENTS,
    WORD,
    are_differences,
    are_points,
    is_hundred,
    is_odds,
    lists_scores,
    score_level,
    strength,
)

EXPECTED = (
    "expected p_0, p_1, ... or p_cat, p_dog, ... or one column named after each class, or a single `prob` (or `p`, "
    "`y_prob`, `score`, ...)"
)
CORRECT_IT = "; correct the label, or add a column of its class"
OF_CLASSES = "calibviz judges the probabilities of classes"
MOST_WORDS = 5  # in rows of a column of numbers


def no_probabilities(columns: list[str], labels: Labels, first: FirstRows, unread: str) -> ValueError:
    """The error of a table no column of which may hold probabilities, with what these hold, and what may read it.

    `unread` says which columns were not read.
    """
    classes, known = set(labels.present), set(columns)
    stranger = min(classes - known or classes, key=labels.first)
    hint, are_named = "" if stranger in known else alike(stranger, columns), classes <= known
    if classes & known and not are_named:
        said = f" of the labels is {stranger!r}, but no column is named so{CORRECT_IT}{hint}"
        return RowError("row ", labels.first(stranger), said)
    if (of_others := _of_other_classes(columns, labels, first)) is not None:
        return of_others
    for name in columns:
        if score_level(name) >= WORD and first.number(name) is None and not lists_scores(name, first):
            _refuse_no_numbers(name, first)
    held = {name: values for name in columns if (values := first.number(name)) is not None}
    numeric = {name: values for name, values in held.items() if not is_key(name)}
    differences = [name for name, values in held.items() if are_differences(values)]
    unbounded = [name for name, values in numeric.items() if (values < 0).any() and name not in differences]
    signed = [name for name in unbounded if (numeric[name] > 0).any() and (is_prediction(name) or len(numeric) == 1)]
    is_named = are_named or labels.values[0].isdecimal()
    unnamed = "" if is_named else f", none of which is named after the label {stranger!r}"
    numbers = [name for name in columns if name.isdecimal()]
    percents, truth = _may_be_percents(held, labels), labels.codes == labels.values.index(labels.present[-1])
    if unnamed and len(numbers) == len(labels.present) > 1:
        order = sorted(labels.present)
        hint = f"; if {listed(numbers)} hold those of {listed(order)}, prob={numbers!r} and classes={order!r} say so"
        ways: list[dict[str, Any]] = [{"prob": numbers, "classes": order}]
    else:
        hint += f"; {listed(differences)} {OF_DIFFERENCES}" if differences else ""
        of_logits, ways = _of_logits(unbounded, signed, labels)
        if empty := [name for name, values in numeric.items() if np.isnan(values).all()]:
            hint += f"; {listed(empty)} hold{'s' * (len(empty) == 1)} no value, as formulas that were not computed"
        hint += of_logits if percents else _of_points(numeric, truth) + of_logits
    if percents:
        hint += f"; {listed(percents)} from 0 to 100 may be per cents, which normalize=True divides by 100"
    strongest = sorted(percents, key=lambda name: -strength(held[name], truth))
    ways += [{"prob": name, "normalize": True} for name in strongest[:MOST_ASKED]]
    predicted = [name for name in columns if is_prediction(name) and name not in signed]
    decided = f"; {listed(predicted)} may hold predicted classes, which are no probabilities" if predicted else ""
    return Unclear(
        f"found no probabilities among the columns {listed(columns) or '(none)'}{unnamed}: {EXPECTED}; "
        f"prob='...' names another column{decided}; truth=FILE names this file where another one holds the "
        f"probabilities{hint}{unread}",
        *ways,
    )


def _of_other_classes(columns: list[str], labels: Labels, first: FirstRows) -> Unclear | None:
    """The error of a table whose columns of probabilities are named after other classes than the labels, or models."""
    families = [(prefix, name) for prefix in PREFIXES for name in columns if name.startswith(prefix)]
    suffixes = [name.removeprefix(prefix) for prefix, name in families]
    if len(suffixes) < 2:
        return None
    names = [name for _, name in families]
    if len(first.units(names)) == len(names) and not first.holds(adds_up, numbers=names):
        return Unclear(
            f"{listed(names)} do not add up to 1: each may hold the probabilities",
            *({"prob": name} for name in names[:MOST_ASKED]),
        )
    stranger = min(set(labels.present) - set(suffixes) or labels.present, key=labels.first)
    said = (
        f" of the labels is {stranger!r}, but the columns {listed(names)} name the "
        f"classes {listed(suffixes)}{CORRECT_IT}, or, where labels number the classes from 0, name these in order "
        f"by classes=[...]{did_you_mean(stranger, suffixes)}"
    )
    orders = (suffixes, suffixes[::-1]) if len(suffixes) == 2 else (suffixes,)
    return Unclear(RowError("row ", labels.first(stranger), said), *({"classes": order} for order in orders))


def _of_points(numeric: Mapping[str, Floats], truth: NDArray[np.bool_]) -> str:
    """The columns that may hold points of a scale: those named as scores, or the one that goes best with the truth."""
    whole = {name: values for name, values in numeric.items() if not runs_without_gap(values) and _are_whole(values)}
    called = [name for name in numeric if score_level(name) >= WORD or "score" in words(name)]
    best = sorted(whole, key=lambda name: -strength(whole[name], truth))[:1]
    said = ""
    for name in called or best:
        values = numeric[name]
        is_scale = name in whole or (_is_within(values, WHOLE_PERCENTS) and np.nanmax(values) > 1)
        if (is_scale or are_points(values)) and not says_percent(name):
            said += f"; {name!r} goes from {np.nanmin(values):g} to {np.nanmax(values):g}: {OF_POINTS}"
    return said


def _are_whole(values: Floats) -> bool:
    """Whether all numbers that are known are whole and as few as points are, and some is above 1."""
    known = values[~np.isnan(values)]
    return _is_within(known, MOST_POINTS) and bool(known.max() > 1) and bool((known == np.floor(known)).all())


def _of_logits(unbounded: list[str], signed: list[str], labels: Labels) -> tuple[str, list[dict[str, Any]]]:
    """A hint to logits of all classes, or to log-odds, and the option that reads them; nothing of others."""
    logits, takes = unbounded, "the softmax of logits or log-probabilities"
    if not len(unbounded) == len(labels.present) > 1 or class_parts(unbounded, labels.present) is None:
        logits, takes = signed if len(signed) == 1 else [], "the sigmoid of log-odds"
    given = logits[0] if len(logits) == 1 else logits
    return (f"; logits={given!r} takes {takes}", [{"logits": given}]) if logits else ("", [])


def _may_be_percents(held: Mapping[str, Floats], labels: Labels) -> list[str]:
    """The columns of numbers from 0 to 100 that may be per cents, by their names or as they go with the labels."""
    return [
        name
        for name, values in held.items()
        if (is_hundred(values, name) or (says_percent(name) and _is_within(values, 100)))
        and (says_percent(name) or is_prediction(name) or "score" in words(name) or _is_higher(values, labels))
    ]


def _refuse_no_numbers(name: str, first: FirstRows) -> None:
    """Refuse a column, named as probabilities, by an entry that is no number, where nearly all or most hold digits.

    Few rows that hold words may be those of totals.
    """
    column = first.column(name)
    texts = [str(value).strip() for value in column.tolist()]
    words_there = [row for row, value in enumerate(texts) if value and not re.search(r"\d", value)]
    if 0 < len(words_there) <= MOST_WORDS < MANY <= len(texts):
        said = f" of column {name!r} is {texts[words_there[0]]!r}, not a number"
        last = ": where it sums up those above, remove it" if words_there[0] == len(texts) - len(words_there) else ""
        raise RowError("row ", words_there[0], said + last)
    if 2 * sum(isinstance(value, str) and bool(re.search(r"\d", value)) for value in column) > len(column):
        first.of_all().numbers([name])


def refuse_odds(names: Sequence[str], columns: Sequence[str], first: FirstRows) -> None:
    """Refuse columns of odds, and ask about those beside them that may hold probabilities."""
    odds = {name: values for name in names if is_odds(name) and (values := first.number(name)) is not None}
    odds = {name: values for name, values in odds.items() if not is_unit(values)}
    if odds:
        are_decimal = not any((values < 1).any() for values in odds.values())
        decimal = ", or p = 1 / odds where these are the decimal odds of a bookmaker," if are_decimal else ""
        raise Unclear(
            f"{listed(odds)} {'holds' if len(odds) == 1 else 'hold'} odds, not probabilities: write p = odds / (1 + "
            f"odds){decimal} into a column of its own, and name that by prob='...'",
            *({"prob": name} for name in list(first.units(columns))[:MOST_ASKED]),
        )


def refuse_regression(truths: Iterable[str], columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> None:
    """Refuse numbers beside predictions of them; about those in [0, 1], which may be soft labels, it is asked."""
    if choices.prob or choices.logits or choices.positive or choices.classes:
        return
    predictions = [name for name in columns if is_prediction(name) and not SCORE_WORDS & {*words(name)}]
    predicted = {name: held for name in predictions[:MOST_ASKED] if (held := first.number(name)) is not None}
    for name in truths if predicted else ():
        values = first.number(name)
        is_soft = values is not None and is_unit(values)
        if values is None or (is_soft and choices.label):
            continue
        said = next((said for said, held in predicted.items() if said != name and are_predicted(values, held)), None)
        if said is not None:
            raise Unclear(
                f"{said!r} predicts the numbers in {name!r}, as a regression does: {OF_CLASSES}"
                + f"; label={name!r} reads these numbers as soft labels" * is_soft,
                *[{"label": name}] * is_soft,
            )


def refuse_sums_below(name: str, values: Floats, first: FirstRows) -> None:
    """Refuse a column of numbers in [0, 1], named as probabilities, whose last row is a sum of those above."""
    if len(values) > MANY and first.of_all() is first and values[-1] > 1 and is_unit(values[:-1]):
        said = f" of column {name!r} is {values[-1]:g}, but all rows above are from 0 to 1: where it sums these up, "
        raise RowError("row ", len(values) - 1, f"{said}remove it")


def _is_higher(values: Floats, labels: Labels) -> bool:
    """Whether numbers of many rows are higher where labels are the second of two answers, beyond noise."""
    pair, rows = pair_of(labels.present), len(values)
    known = ~np.isnan(values) & (labels.codes[:rows] >= 0)
    if pair is None or known.sum() < MANY:
        return False
    is_no = labels.numbered({value: value.casefold() == pair[0].casefold() for value in labels.values})[:rows]
    return runs_backwards(values[known], is_no[known] == 1)


def _is_within(values: Floats, most: float) -> bool:
    """Whether all numbers that are known, and any is, lie from 0 to another one."""
    known = values[~np.isnan(values)]
    return bool(len(known)) and bool(known.min() >= 0) and bool(known.max() <= most)
