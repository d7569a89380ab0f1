"""Fields that are no covariates: the score or what was observed once more, numbers and names of rows, and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from ...context.conditions import Subject
from ...data.columns.classes import pair_of
from ...data.columns.known_names import is_moment, may_name_rows, says_outcome
from ...data.columns.recognition.clusters import is_cluster, may_depend
from ...data.columns.recognition.content import MANY, equal, only, tolerance
from ...data.predictions import Predictions
from ...engine.scalar import ScalarProblem
from ...engine.sorted_scores import mid_ranks
from ...foundation.arrays import Array, missing_in
from ...scale.row_randomness import SAMPLE, row_uniforms
from .columns import Values

Column = NDArray[Any]

MOST_ROWS, MOST_PROBABILITIES = 2**16, 2**22  # that are looked at; of more rows, those of the least random numbers
NEARLY_ALL = 0.95  # of the rows
CLOSE = 1e-6
SAME_ORDER, NEAR_ORDER = 0.9999, 0.8  # Spearman's rho of all rows, and of a few of them, of which 5 % may be others
FEW = 1000  # rows, which show most of what is not so
FEWEST_SCORES = 10  # different ones of a rounded column
EVEN_STEPS = 0.99  # correlation with the place of the row; that of a sorted normal variable is 0.977
CHANCE = 0.01  # that so few of numbers that were drawn would be repeated

ONE_VALUE_A_ROW = "one value a row, so no group"
OBSERVED = "tells what was observed"
WEIGHTS = "the weights"
SCORE = "score"


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The rows by which it is judged which fields are covariates: all, or of very many a random part."""

    row: NDArray[np.integer]  # its number in the predictions, ascending
    drawn: Array  # its random number
    score: Array
    target: Array
    label: NDArray[np.integer]  # the true class
    is_right: NDArray[np.bool_]  # whether that is the likeliest
    probs: NDArray[np.floating]  # shape (n, K)
    weight: Array  # empty where no weights were given
    columns: dict[str, Column]  # the fields by name

    @classmethod
    def of(
        cls, predictions: Predictions, problem: ScalarProblem, columns: Mapping[Subject, Column], start: int = 0
    ) -> JudgedRows:
        """The rows of a problem and their columns; `start` is the number of the first row of the predictions."""
        order = problem.order
        own = {str(subject.argument): column for subject, column in columns.items() if subject.kind == "field"}
        label, drawn = np.asarray(predictions.labels), row_uniforms(start, len(predictions), 0, SAMPLE)
        truths = problem.given_target, label[order], (label == predictions.predicted)[order]
        weight = np.empty(0) if predictions.weights is None else predictions.weights[order]
        rows = cls(start + order, drawn[order], problem.score, *truths, predictions.probs[order], weight, own)
        return rows._fewer()

    @classmethod
    def joined(cls, several: Sequence[JudgedRows]) -> JudgedRows:
        """The rows of several parts of the predictions."""
        columns = {name: np.concatenate([rows.columns[name] for rows in several]) for name in several[0].columns}
        arrays = {name: np.concatenate([getattr(rows, name) for rows in several]) for name in ARRAYS}
        return cls(**arrays, columns=columns)._fewer()

    def _fewer(self) -> JudgedRows:
        """Return as many as may be looked at, in the order of the predictions."""
        most = min(MOST_ROWS, max(MANY, MOST_PROBABILITIES // self.probs.shape[1]))
        kept = np.argsort(self.row) if len(self.row) <= most else np.argsort(self.drawn, kind="stable")[:most]
        kept = kept[np.argsort(self.row[kept])]
        columns = {name: column[kept] for name, column in self.columns.items()}
        arrays = {name: array[kept] if len(array := getattr(self, name)) else array for name in ARRAYS}
        return JudgedRows(**arrays, columns=columns)


ARRAYS = tuple(each.name for each in fields(JudgedRows) if each.name != "columns")


def no_covariates(rows: JudgedRows, class_names: Sequence[str]) -> dict[str, str]:
    """Why each field is left out that is no covariate, by name."""
    scores = _Scores(rows, class_names)
    reasons = {name: _why_none(name, column, rows, scores) for name, column in rows.columns.items()}
    return {name: reason for name, reason in reasons.items() if reason}


def _why_none(name: str, column: Column, rows: JudgedRows, scores: _Scores) -> str:
    """Why a field is no covariate; empty if it may be one."""
    if len(column) < MANY:
        return ""
    known = ~missing_in(column)
    truths = rows.target, rows.label, rows.is_right
    if any(_tells(known.astype(np.intp), truth) for truth in truths):
        return f"{OBSERVED} by where it is missing"
    there = column[known]
    if len(there) < MANY:
        return ""
    held = Values.of(there)
    is_whole = column.dtype.kind in "iuf" and held.are_whole
    if column.dtype.kind in "iuf" and len(held.low) > 1:
        numbers = there.astype(np.float64)
        if len(rows.weight) and equal(numbers, rows.weight[known], CLOSE * float(rows.weight.max())):
            return WEIGHTS
        is_rounded = len(held.low) >= FEWEST_SCORES and held.low[0] >= 0 and held.low[-1] <= 100
        within = CLOSE if not is_rounded else 0.5 if is_whole else tolerance(numbers)
        reason = scores.repeated(numbers, within, known)
        if reason:
            return reason
    reason = _of_rows(name, there, len(held.low)) if is_whole or column.dtype.kind in "UT" else ""
    if reason:
        return reason
    is_named = len(held.low) == 2 and _are_answers(held.low) and says_outcome(name)
    code = np.searchsorted(held.low, there)
    return OBSERVED if is_named or any(_tells(code, truth[known]) for truth in truths) else ""


class _Scores:
    """Columns that a field may repeat: the score, each probability, and the confidence."""

    def __init__(self, rows: JudgedRows, class_names: Sequence[str]) -> None:
        self.names = [SCORE, *(f"probability of {name}" for name in class_names), "confidence"]
        self.columns = [rows.score, *rows.probs.T, rows.probs.max(axis=1)]
        self.few = slice(None, None, 1 + len(rows.score) // FEW)
        self.ranks = np.stack([mid_ranks(column[self.few]) for column in self.columns])

    def repeated(self, numbers: Array, within: float, known: NDArray[np.bool_]) -> str:
        """How a column of numbers, of the rows where it is known, is a score once more; empty if it is another one."""
        whole = np.full(len(known), np.nan)
        whole[known] = numbers
        there = known[self.few]
        near = np.abs(_correlations(mid_ranks(whole[self.few][there]), self.ranks[:, there])) >= NEAR_ORDER
        for i in np.flatnonzero(near):
            reason = _of_score(numbers, within, self.columns[i][known].astype(np.float64), self.names[i])
            if reason:
                return reason
        return ""


def _of_score(numbers: Array, within: float, score: Array, said: str) -> str:
    """How a column of numbers, which may be rounded, is a score once more; empty if it is another one."""
    rest = "1 - score" if said == SCORE else f"1 - the {said}"
    for reason, other in ((f"the {said} itself", score), (rest, 1 - score)):
        if np.mean(np.abs(numbers - other) <= CLOSE) >= NEARLY_ALL or equal(numbers, other, within):
            return reason
    if equal(numbers, 100 * score, within):
        return f"the {said} in per cent"
    order = float(_correlations(mid_ranks(numbers), mid_ranks(score)))
    return f"orders the samples as the {said} does{', backwards' * (order < 0)}" if abs(order) >= SAME_ORDER else ""


def _correlations(one: Array, others: Array) -> Array:
    """The correlation of a column with each of others, 0 where one is constant."""
    one, others = (each - each.mean(axis=-1, keepdims=True) for each in (one, others))
    size = np.sqrt((one**2).sum() * (others**2).sum(axis=-1))
    return np.divide(others @ one, size, out=np.zeros_like(size), where=size > 0)


def _of_rows(name: str, there: Column, different: int) -> str:
    """Why text or whole numbers number or name rows, or what several rows belong to; empty if they do not."""
    n = len(there)
    if different < NEARLY_ALL * n:
        return may_depend(name) * is_cluster(name, n, different, there.dtype.kind in "UT")
    is_id = there.dtype.kind in "UT" or may_name_rows(name)
    if not is_id and not is_moment(name):
        numbers = there.astype(np.float64)
        is_id = _runs_evenly(numbers) or _is_crowded(numbers, different)
    return ONE_VALUE_A_ROW * is_id


def _runs_evenly(numbers: Array) -> bool:
    """Whether numbers ascend or descend row by row, in steps such as those of numbers that are given in turn."""
    steps = np.diff(numbers)
    if not ((steps > 0).all() or (steps < 0).all()):
        return False
    return bool(abs(_correlations(np.arange(float(len(numbers))), numbers)) >= EVEN_STEPS)


def _is_crowded(numbers: Array, different: int) -> bool:
    """Whether whole numbers would be repeated more often if they were drawn, from however even a distribution."""
    n, possible = len(numbers), float(np.ptp(numbers)) + 1
    expected = n + possible * np.expm1(n * np.log1p(-1 / possible))
    return bool(pdtr(n - different, expected) <= CHANCE)


def _are_answers(values: Column) -> bool:
    """Whether two values are 0 and 1, or another pair of answers such as no and yes."""
    if values.dtype.kind in "iuf":
        return only(values.astype(np.float64), 0, 1)
    return values.dtype.kind == "b" or pair_of([str(value) for value in values]) is not None


def _tells(code: NDArray[np.intp], truth: NDArray[Any]) -> bool:
    """Whether all rows of a value are of one truth, in values of several rows, which are nearly all rows."""
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    several = np.diff(starts, append=len(code)) > 1
    if (np.diff(starts, append=len(code)) * several).sum() < NEARLY_ALL * len(code):
        return False
    least, largest = (each.reduceat(truth[order], starts)[several] for each in (np.minimum, np.maximum))
    return np.array_equal(least, largest) and bool((least != least[0]).any())
