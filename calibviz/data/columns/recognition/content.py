"""Roles that a column can have by its content: pure functions of arrays, which know no names of columns and no files.

With fewer than `MANY` rows content proves little: names have to tell what a column is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....foundation.arrays import ROW_SUM_TOLERANCE
from ....foundation.chance import orders_backwards

Floats = NDArray[np.float64]

MANY = 20  # rows
MOST_CLASSES = 30  # that a column of unknown name may hold
EVEN = 0.5  # the confidence in the likelier of two classes is not below it
FIRST = 1_000  # rows that show most of what is not so
MOST_DIGITS = 7  # more are not told from those of a number of 32 bits
SINGLE = 1e-6
MOST_OF_A_CLASS = 2_000  # rows, which show in what order a class stands to another
LOGIT_TOLERANCE = 1e-3
MOST_MARGIN, EVEN_MARGIN = 1.25, 0.03  # of the sum of probabilities with a margin, and the deviation of such sums
MOST_LACKING = 0.3  # of the rows of all outcomes but rare ones
COARSEST = 0.0501  # half a unit of the first decimal, and a little


def only(values: Floats, *allowed: float) -> bool:
    """Whether a column holds some numbers and nothing else, missing entries aside."""
    known = values[~np.isnan(values)]
    return bool(len(known)) and all(
        bool(np.logical_or.reduce([part == value for value in allowed]).all()) for part in (known[:FIRST], known)
    )


def is_unit(values: Floats) -> bool:
    """Whether a column holds numbers in [0, 1], not only 0, 1/2 and 1."""
    known = values[~np.isnan(values)]
    if not len(known) or known[:FIRST].min() < 0 or known[:FIRST].max() > 1:
        return False
    return bool(known.min() >= 0 and known.max() <= 1) and not only(known, 0, 0.5, 1)


def tolerance(values: Floats) -> float:
    """Half a unit of the last decimal that a column is written with; at least what numbers of 32 bits are off by."""
    looked_at = values[:: 1 + len(values) // FIRST]  # a file may be sorted, and its first rows hold 0
    known = looked_at[np.isfinite(looked_at)]
    units = 10.0 ** np.arange(1, MOST_DIGITS)[:, None]
    with np.errstate(over="ignore"):
        are_written = (np.abs(known - np.round(known * units) / units) <= 1e-12).all(axis=1)
    return float(0.5 * 10.0 ** -(1 + int(np.argmax(are_written))) + 1e-9) if are_written.any() else SINGLE


def equal(one: Floats, other: Floats, within: float | None = None) -> bool:
    """Whether two columns of many rows are the same number in each, by default as exactly as they are written."""
    if len(one) < MANY:
        return False
    if within is None:
        if not (np.abs(one[:MANY] - other[:MANY]) <= 2 * COARSEST).all():  # as in most pairs
            return False
        within = tolerance(one) + tolerance(other)
    return all(bool((np.abs(one[part] - other[part]) <= within).all()) for part in (slice(FIRST), slice(None)))


def is_logit(values: Floats, probs: Floats) -> bool:
    """Whether a column holds the log-odds of probabilities in each of many rows, however coarsely these are written."""
    above = values[:MANY] > 0  # as probabilities are above 1/2 then
    if (np.where(above, 0.5 - probs[:MANY], probs[:MANY] - 0.5) > COARSEST).any():
        return False
    inside = (probs > 0.01) & (probs < 0.99)  # where rounded probabilities still have exact log-odds
    if inside.sum() < MANY:
        return False
    known, given = probs[inside], values[inside]
    within = tolerance(probs)
    lowest, highest = (np.clip(known + side * within, 1e-9, 1 - 1e-9) for side in (-1, 1))
    is_above = given >= np.log(lowest / (1 - lowest)) - LOGIT_TOLERANCE
    return bool((is_above & (given <= np.log(highest / (1 - highest)) + LOGIT_TOLERANCE)).all())


def adds_up(*columns: Floats) -> bool:
    """Whether rows of probabilities of all classes add up to 1, as exactly as they are written."""
    if len(columns) < 2:
        return False
    beginning = np.sum([column[:MANY] for column in columns], axis=0)  # as if they were written with one decimal
    if (np.abs(beginning[~np.isnan(beginning)] - 1) > len(columns) * COARSEST).any():
        return False
    within = sum(tolerance(column) for column in columns)
    for part in (slice(FIRST), slice(None)):
        total = columns[0][part].copy()
        for column in columns[1:]:  # one by one: a copy of all of them would take longer than their sum
            total += column[part]
        if not bool((np.abs(total[~np.isnan(total)] - 1) <= within).all()):
            return False
    return True


def rows_add_up(values: NDArray[Any]) -> bool:
    """Whether an array holds rows of fractions, of two columns or more, that add up to 1: probabilities of classes."""
    return values.ndim == 2 and values.dtype.kind == "f" and adds_up(*values.T.astype(np.float64, copy=False))


def has_margin(values: NDArray[Any]) -> bool:
    """Whether many rows (n, K) add up to about the same above 1, as those of a bookmaker's odds do.

    Those of labels that do not exclude each other differ by more.
    """
    total = values.sum(axis=1)
    total = total[~np.isnan(total)]
    return bool(len(total) >= MANY and total.min() > 1 and total.max() <= MOST_MARGIN and total.std() <= EVEN_MARGIN)


def falls_short(values: NDArray[Any]) -> bool:
    """Whether many rows (n, K) of three classes or more add up to 1 or a little less, as without rare outcomes."""
    total = values.sum(axis=1)
    total = total[~np.isnan(total)]
    is_near = len(total) >= MANY and total.min() >= 1 - MOST_LACKING and total.max() <= 1 + ROW_SUM_TOLERANCE
    return bool(is_near and values.shape[1] > 2)


def is_likeliest(codes: NDArray[np.intp], probs: NDArray[Any]) -> bool:
    """Whether class numbers (n,) of two classes or more are those of the largest probability (n, K) in every row.

    Rows in which several are largest say nothing: in many rows one has to be.
    """
    if len(codes) < MANY or codes.min() < 0 or codes.max() >= probs.shape[1] or len(np.unique(codes)) < 2:
        return False
    for part in (slice(FIRST), slice(None)):
        given, scores = codes[part], probs[part]
        largest = scores.max(axis=1)
        if not bool((scores[np.arange(len(given)), given] >= largest).all()):
            return False
    return int(((scores == largest[:, None]).sum(axis=1) == 1).sum()) >= MANY


def is_sorted(probs: NDArray[Any]) -> bool:
    """Whether the numbers (n, K) of each of many rows stand in descending order, and not the same ones in all rows."""
    if len(probs) < MANY or (probs[:FIRST, 0] == probs[0, 0]).all():
        return False
    return all(bool((np.diff(probs[part], axis=1) <= 0).all()) for part in (slice(FIRST), slice(None)))


def splits(is_above: NDArray[np.bool_], score: NDArray[Any]) -> bool:
    """Whether every score of one of two classes is strictly above every score of the other, in many rows."""
    if len(score) < MANY or not is_above.any() or is_above.all():
        return False
    for part in (slice(FIRST), slice(None)):
        above, below = score[part][is_above[part]], score[part][~is_above[part]]
        if len(above) and len(below) and not (above.min() > below.max() or below.min() > above.max()):
            return False
    return True


def runs_backwards(score: NDArray[Any], is_event: NDArray[np.bool_], times: int = 1) -> bool:
    """Whether the higher the score, the rarer the event, as `orders_backwards` says; ties count half.

    Of many rows of a class those at even steps are looked at, since a file may be sorted.
    """
    places = [np.flatnonzero(rows) for rows in (is_event, ~is_event)]
    events, others = (np.sort(score[rows[:: 1 + len(rows) // MOST_OF_A_CLASS]]) for rows in places)
    if not len(events) or not len(others):
        return False
    lower = sum(int(np.searchsorted(others, events, side).sum()) for side in ("left", "right"))
    return orders_backwards(lower / (2 * len(events) * len(others)), len(events), len(others), times)


def are_predicted(values: Floats, predicted: Floats) -> bool:
    """Whether a column is closer to the numbers in another one, of many rows, than their mean is: a regression's."""
    known = ~np.isnan(values) & ~np.isnan(predicted)
    values, predicted = values[known], predicted[known]
    if len(values) < MANY or is_unit(values) != is_unit(predicted) or (predicted == np.floor(predicted)).all():
        return False
    are_many = len(np.unique(values)) > (MOST_CLASSES if is_unit(values) else 2)
    return are_many and float(((values - predicted) ** 2).mean()) < float(values.var())


def runs_without_gap(values: Floats) -> bool:
    """Whether whole numbers of many rows are all different and leave none out."""
    if len(values) < MANY or not np.isfinite(values).all() or not np.array_equal(values, np.floor(values)):
        return False
    return bool(values.max() - values.min() == len(values) - 1) and len(np.unique(values)) == len(values)


def same_partition(one: NDArray[np.intp], other: NDArray[np.intp], least: int = MANY) -> bool:
    """Whether two columns of values, numbered, part many rows in the same way."""
    if len(one) < least or len(one) != len(other):
        return False
    pairs = set(zip(one[:FIRST].tolist(), other[:FIRST].tolist(), strict=True))
    if not len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}) > 1:
        return False
    together = np.unique(one * (other.max() + 2) + other)  # missing ones have the number -1
    return len(together) == len(np.unique(one)) == len(np.unique(other))
