"""Columns beside those of the probabilities and of the truth: which are fields, and which forbid a reading."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import listed
from ..choices import MAY_BE_CENSORED, NO_WEIGHT, WAY_TO_HORIZON, Account, ReadingOptions, Unclear
from ..classes import Labels, pair_of
from ..known_names import (
    LIMIT_WORDS,
    MAY_BE_SAID,
    chosen_column,
    is_key,
    is_prediction,
    is_time,
    may_number,
    may_say_weights,
    named_outcome,
    names_rows,
    plain,
    says_right,
    words,
)
from ..tables import SEVERAL, FirstRows
from .clusters import named_cluster
from .content import FIRST, MANY, MOST_CLASSES, adds_up, equal, is_logit, runs_without_gap, same_partition, splits
from .pairs import pairs_of
from .truth import are_equal, is_right_by_score, named_truths

TWO_ANSWERS = 2  # of an outcome, such as 0 and 1
LEAST_SPLIT = 5  # rows of an outcome, above fewer of which one of several numbers may lie without being made of it
TRAINED_ON = frozenset(("train", "training", "trn"))  # and what stands beside these in a column of parts
HELD_OUT = frozenset(("test", "testing", "tst", "val", "valid", "validation", "dev", "holdout", "hold-out", "eval"))
DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}")
LATEST_TIME = 1e6  # larger ones are moments in seconds


def field_columns(
    free: Sequence[str],
    roles: tuple[Labels, Sequence[str]],
    choices: ReadingOptions,
    account: Account,
    first: FirstRows,
) -> list[str]:
    """The columns that are fields: all, but for those that are no covariates; an option names others.

    `roles` are the labels and the columns of the probabilities.
    """
    cluster = named_cluster(free, choices, account)
    if choices.fields is not None:
        named = [chosen_column(name, free, "fields") for name in choices.fields]
        chosen = list(dict.fromkeys([*named, *cluster]))
        account.left = [name for name in free if name not in set(chosen)]
        return chosen
    free = [name for name in free if not _is_empty(name, first)]
    outcomes = {outcome for _, outcome in pairs_of(list(first.columns), first)}
    left = [
        name for name in free if name not in cluster and (name in outcomes or _is_no_field(name, free, *roles, first))
    ]
    if left:
        account.say(f"not fields: {', '.join(left)}")
    if choices.weight is None and choices.can_drop and not account.named("weight"):
        _refuse_weights([name for name in free if name not in left], first)
    account.left = left
    _say_what_was_trained_on([name for name in free if name not in left], account, first)
    account.notes = [name for name in left if _is_id(name, first)]
    return [name for name in free if name not in set(left)]


def _say_what_was_trained_on(fields: Sequence[str], account: Account, first: FirstRows) -> None:
    """Say that rows count which a model was fitted to, where a field divides them into such and others."""
    for name in fields:
        held = first.held(name)
        if held is not None and held.folded & TRAINED_ON and held.folded <= TRAINED_ON | HELD_OUT:
            trained = listed(value for value in held.present if value.casefold() in TRAINED_ON)
            account.say(f"rows of {trained} in {name!r} count, too: a model looks better on those it was fitted to")


def _is_empty(name: str, first: FirstRows) -> bool:
    """Whether nothing stands in a column."""
    every = (each.held(name) for each in (first, first.of_all()))  # all rows only where the first ones hold nothing
    return len(first.column(name)) > 0 and all(held is not None and not held.present for held in every)


def _refuse_weights(fields: Sequence[str], first: FirstRows) -> None:
    """Refuse to guess whether columns of such names as `w` hold the weights of samples, where their numbers may."""
    may_weigh = [
        name
        for name in fields
        if may_say_weights(name)
        and (values := first.number(name)) is not None
        and bool((np.isfinite(values) & (values >= 0)).all())
        and len(np.unique(values)) > TWO_ANSWERS
    ]
    if may_weigh:
        said = f"{listed(may_weigh)} may hold the weights of samples, or be a field"
        raise Unclear(said, *({"weight": name} for name in (*may_weigh, NO_WEIGHT)))


def _is_no_field(name: str, free: Sequence[str], labels: Labels, scores: Sequence[str], first: FirstRows) -> bool:
    """Whether a column is an id, the probability once more in another form, another outcome, or computed from it."""
    if len(first.column(name)) < MANY:
        return False
    are_of_scores = (_is_of_scores(name, free, scores, rows) for rows in first.and_all())
    is_of_truth = _is_outcome(name, labels, first) or _is_of_errors(name, free, labels, scores, first)
    return _is_id(name, first) or all(are_of_scores) or is_of_truth


def _is_id(name: str, first: FirstRows) -> bool:
    """Whether a column names rows, or what they belong to, by its name or as it differs in every row."""
    if not _differs(name, first) or (held := first.held(name)) is None:
        return False
    is_text = first.number(name) is None and not (may_number(name) or names_rows(name))  # which no row belongs to
    return is_text or len(held.present) < len(held.codes) or first.all_differ(name)


def _differs(name: str, first: FirstRows) -> bool:
    if is_key(name):
        return not _repeats(name, first)
    column, values = np.asarray(first.column(name)), first.number(name)
    if column.dtype.kind in "Mm":
        return False
    if values is not None:
        is_whole = bool(np.isfinite(values).all()) and np.array_equal(values, np.floor(values))
        is_different = is_whole and len(np.unique(values)) == len(values)
        return is_different and (may_number(name) or runs_without_gap(values))
    held = first.held(name)
    if held is None or len(held.present) < len(held.codes):
        return False
    return not all(DATE.match(value) for value in held.values[:50])


def _repeats(name: str, first: FirstRows) -> bool:
    """Whether a column names persons, questions or the like, of which some have several rows."""
    if not (is_key(name) and names_rows(name)) or (held := first.held(name)) is None:
        return False
    return 1 < len(held.present) < len(held.codes)


def _is_of_scores(name: str, free: Sequence[str], scores: Sequence[str], first: FirstRows) -> bool:
    """Whether a column is a complement, the logit or a limit of the probability, or belongs to its family."""
    values = first.number(name)
    if values is None:
        return False
    own = [column for score in scores if (column := first.number(score)) is not None]
    is_whole = np.array_equal(values, np.floor(values))  # as no log-odds of many rows are
    if not is_whole and any(is_logit(values, column) or is_logit(-values, column) for column in own):
        return True
    if first.unit(name) is None:
        return False
    if plain(name).startswith("pred_") and name.startswith("."):
        return True
    if any(equal(1 - column, values) for column in own):
        return True
    if len(own) != 1:
        return False
    return _is_limit(name, free, own[0], first) or _is_of_family(name, free, scores[0], first)


def _is_limit(name: str, free: Sequence[str], score: NDArray[np.float64], first: FirstRows) -> bool:
    """Whether a column lies on one side of the probability in every row, and another one on the other."""
    values = first.unit(name) if LIMIT_WORDS & set(words(name)) else None
    if values is None:
        return False
    is_low, is_high = (bool((side >= 0).all()) and bool(side.any()) for side in (score - values, values - score))
    if not (is_low or is_high):
        return False
    units = first.units(other for other in free if LIMIT_WORDS & set(words(other)))
    return any(bool(((other - score if is_low else score - other) >= 0).all()) for other in units.values())


def _is_of_family(name: str, free: Sequence[str], score: str, first: FirstRows) -> bool:
    """Whether a column and that of the probability are among those of a name whose rows add up to 1."""
    stem = words(score)[:-1]
    if not stem or words(name)[:-1] != stem:
        return False
    family = [other for other in free if words(other)[:-1] == stem]
    own = first.unit(score)
    return own is not None and adds_up(own, *(column for column in first.units(family).values()))


def _is_outcome(name: str, labels: Labels, first: FirstRows) -> bool:
    """Whether a column is the same outcome once more, or another one."""
    few = max(MOST_CLASSES, len(labels.present))
    values = first.column(name)[:FIRST].tolist()
    if is_prediction(name) or any(isinstance(value, SEVERAL) for value in values) or len(set(map(str, values))) > few:
        return False
    held = first.held(name)
    if held is None:
        return False
    if first.holds(lambda rows: same_partition(rows.codes, labels.codes[: len(rows.codes)]), held=[name]):
        return True
    base = named_outcome(name)
    if base is not None and any(plain(other) == base and first.unit(other) is not None for other in first.columns):
        return True
    is_named = bool(named_truths([name])) and plain(name) not in MAY_BE_SAID
    return is_named and len(held.present) > 1 and held.folded <= labels.folded


def _is_of_errors(name: str, free: Sequence[str], labels: Labels, scores: Sequence[str], first: FirstRows) -> bool:
    """Whether a column tells how far the probability was off, or whether the predicted class was right, or which error.

    As a field it would be a segment in which the model seems to fail, as it does wherever it was wrong.
    """

    def tell_errors(held: Labels, predicted: Labels) -> bool:
        truth = labels.only(slice(len(held.codes)))
        is_right, both = are_equal(truth, predicted), truth.codes * (len(predicted.values) + 1) + predicted.codes
        return any(same_partition(held.codes, codes) for codes in (is_right * 1, both, np.where(is_right, -1, both)))

    def is_distance(values: NDArray[np.float64], score: NDArray[np.float64]) -> bool:
        is_event = [labels.codes[: len(values)] == code for code in (0, 1)]
        for rows in (slice(MANY), slice(None)):  # of most columns few rows tell
            off = np.abs(np.array(is_event)[:, rows] - score[rows])
            with np.errstate(divide="ignore", invalid="ignore"):
                forms = (*off, *off**2, *-np.log1p(-off))
            if not any(equal(np.abs(values[rows]), form) for form in forms):
                return False
        return True

    def is_right(held: Labels, score: NDArray[np.float64]) -> bool:
        truth = labels.only(slice(len(held.codes)))
        return len(held.present) == TWO_ANSWERS and is_right_by_score(truth, held, score)

    def splits_truth(values: NDArray[np.float64]) -> bool:
        is_one = labels.codes[: len(values)] == 0
        is_enough = min(is_one.sum(), (~is_one).sum()) >= LEAST_SPLIT and len(np.unique(values)) >= MANY
        return is_enough and splits(is_one, values)

    is_one_of_two = len(scores) == 1 and len(labels.values) == TWO_ANSWERS
    if len(labels.values) == TWO_ANSWERS and first.holds(splits_truth, numbers=[name]):
        return True
    if is_one_of_two and first.holds(is_distance, numbers=[name, scores[0]]):
        return True
    if is_prediction(name) or len(set(map(str, first.column(name)[:FIRST].tolist()))) > 2 * TWO_ANSWERS:
        return False
    if is_one_of_two and first.holds(is_right, held=[name], numbers=scores):
        return True
    return any(is_prediction(said) and first.holds(tell_errors, held=[name, said]) for said in free if said != name)


def refuse_times(
    free: Sequence[str], labels: Labels, choices: ReadingOptions, account: Account, first: FirstRows
) -> None:
    """Refuse two outcomes beside times to something: those who left early have no outcome yet."""
    if len(labels.present) != 2 or says_right(labels.name):  # of an answer, which is known at once
        return
    for name in free:
        values = first.number(name) if is_time(name) else None
        if values is None or len(values) < MANY or runs_without_gap(values):
            continue
        is_time_to = bool(np.nanmin(values) >= 0) and bool(1 < np.nanmax(values) < LATEST_TIME)
        if not is_time_to or len(np.unique(values)) <= len(values) // 10:
            continue
        at_horizon = f"time={name!r}, event={labels.name!r}, horizon=..."
        if choices.label is None:
            said = f"{labels.name!r} looks like an outcome that may be censored, with follow-up in {name!r}"
            ways = f"pass {at_horizon}, or label={labels.name!r} if nobody was lost"
            here = ways if choices.can_drop else "cv.Predictions.at_horizon judges risks by a horizon"
            raise Unclear(f"{said}: {here}", {"label": labels.name})
        no = (pair_of(labels.present) or labels.present)[0]
        said = f"rows with {labels.name} {no} {MAY_BE_CENSORED}: {name!r} stands beside it"
        account.censoring = f"{said}{WAY_TO_HORIZON}{at_horizon}"
        account.say(account.censoring)
        return
