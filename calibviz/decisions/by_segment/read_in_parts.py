"""Scores and parts of fields of predictions that are read in parts: one pass for the cuts, one for sums of samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...context.conditions import Subject
from ...data.predictions import Predictions
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...engine.summed import SummedProblem
from ...foundation.arrays import Array
from ...scale.lazy import LazyPredictions, predictions_of
from ...scale.passes import Part, passed
from .columns import MOST_NUMBERS, FieldCut, Values, bits_to_drop, ordered_bits
from .covariates import JudgedRows
from .divisions import Parts
from .segment_request import MOST_VALUES, SegmentRequest

MOST_GROUPS = 2**18  # sums of the samples in the same parts with the same or neighbouring scores
MOST_DROPPED = 44  # of the 52 bits of a score: then 256 scores from 1/2 to 1 stay apart, 256 from 1/4 to 1/2, ...


def scores_and_parts(
    predictions: LazyPredictions, request: SegmentRequest, progress: bool
) -> tuple[ScalarProblem, list[Parts], dict[str, str]]:
    """One problem whose samples are groups of rows, the parts of each field, and why others are left out.

    Rows form a group if they are in the same part of every field and have the same score. If that makes more than
    `MOST_GROUPS` groups, the last bits of scores are ignored, as many as necessary. The result does not depend on how
    the rows are cut into pieces.
    """
    held = _passed(predictions, partial(_values_in, request, predictions.normalize), _joined_values, progress)
    if held is None:
        raise EmptyProblemError()
    cuts, skipped = request.cut(held.values, held.rows, predictions.class_names)
    reader = partial(_groups_in, request, cuts, predictions.normalize)
    groups = _passed(predictions, reader, _joined_groups, progress)
    problem = groups.problem
    place = problem.order % len(groups.low)
    parts = [Parts(cut.names, cut.words, cut.conditions, groups.codes[i][place]) for i, cut in enumerate(cuts)]
    return problem, parts, skipped


def _passed(predictions: LazyPredictions, look: Any, join: Any, progress: bool) -> Any:
    """Return what `look` reads from each part, joined, in one pass over the rows."""
    predictions.refuse_clusters()
    [result] = passed([(predictions.parts, look)], join, progress)
    return result


@dataclass(frozen=True, eq=False)
class _Held:
    """The values of the fields, and the rows by which it is judged which of them are covariates."""

    values: dict[Subject, Values]
    rows: JudgedRows | None


def _values_in(request: SegmentRequest, normalize: bool, part: Part, arguments: dict[str, Any]) -> _Held | None:
    """Read what the fields hold from a part of the rows; None if the selection keeps none of them."""
    predictions = predictions_of(part, arguments, normalize)
    problem = _kept(request, predictions)
    order = np.arange(0) if problem is None else problem.order
    columns = request.columns(predictions, order)  # raises for an unknown field, even where no row is kept
    if problem is None:
        return None
    texts = None if request.fields else MOST_VALUES + 1
    values = {name: Values.of(column).fewer(MOST_NUMBERS, texts) for name, column in columns.items()}
    return _Held(values, request.judged_rows(predictions, problem, columns, part.start))


def _joined_values(several: Sequence[_Held | None]) -> _Held | None:
    held = [each for each in several if each is not None]
    if not held:
        return None
    values = {name: Values.joined([each.values[name] for each in held], MOST_NUMBERS) for name in held[0].values}
    rows = [each.rows for each in held if each.rows is not None]
    return _Held(values, JudgedRows.joined(rows) if rows else None)


def _kept(request: SegmentRequest, predictions: Predictions) -> ScalarProblem | None:
    """The problem of a part of the rows; None if the selection keeps none of them."""
    try:
        return request.problem(predictions)
    except EmptyProblemError:
        return None


@dataclass(frozen=True, eq=False)
class Groups:
    """Sums of the samples of each of m groups."""

    codes: NDArray[np.intp]  # shape (fields, m): the part of each field that a group is in
    low: Array  # its least score
    high: Array  # its largest
    sums: Array  # shape (5, m): weight times score; then of target 0 and of target 1: weights, and how many there are
    largest: Array  # shape (2, m): the largest weight of target 0 and of target 1, 0 where there are none
    squares: Array  # shape (2, m): of weights in units of the largest, so that none is too large or too small
    whole: bool  # whether all weights count repetitions
    dropped: int = 0  # how many last bits are ignored: scores that differ in these alone are one group

    @classmethod
    def of(cls, problem: ScalarProblem, codes: NDArray[np.intp]) -> Groups:
        """Groups of one sample each."""
        weight, came_true = problem.weight, problem.given_target == 1
        counts = np.stack([~came_true, came_true]).astype(np.float64)
        weights = counts * weight
        sums = np.stack([weight * problem.score, weights[0], counts[0], weights[1], counts[1]])
        return cls(codes, problem.score, problem.score, sums, weights, counts, problem.whole_weights)

    @property
    def problem(self) -> ScalarProblem:
        """The problem that has two samples for each group: of target 0, then of target 1."""
        weights, counts = np.moveaxis(self.sums[1:].reshape(2, 2, -1), 1, 0)
        score = np.clip(self.sums[0] / weights.sum(axis=0), self.low, self.high)  # rounding must not move it
        rows = np.tile(score, 2), np.repeat([0.0, 1.0], len(score)), weights.ravel()
        if self.whole:
            return ScalarProblem(*rows)
        with np.errstate(invalid="ignore"):  # 0 / 0 in rows without samples, which the problem leaves out
            worth = np.maximum((weights / self.largest) ** 2 / self.squares, 1.0)
        return SummedProblem(*rows, worth.ravel(), counts.ravel())


def _joined_groups(several: Sequence[Groups | None]) -> Groups | None:
    """The groups of several parts; if there are too many, those of neighbouring scores are merged."""
    there = [groups for groups in several if groups is not None]
    if not there:
        return None
    names = ("codes", "sums", "largest", "squares", "low", "high")
    codes, sums, largest, squares, low, high = (
        np.concatenate([getattr(groups, name) for groups in there], axis=-1) for name in names
    )
    bits = ordered_bits(low)
    order = np.lexsort([bits, *codes])
    codes, sums, largest, squares = (columns[:, order] for columns in (codes, sums, largest, squares))
    low, high, bits = low[order], high[order], bits[order]
    apart = bits[1:] ^ bits[:-1]
    apart[(codes[:, 1:] != codes[:, :-1]).any(axis=0)] = -1
    dropped = bits_to_drop(apart, max(groups.dropped for groups in there), MOST_GROUPS)
    if dropped > MOST_DROPPED:
        raise ValueError(
            f"the fields have too many parts to be combined, since more than {MOST_GROUPS:,} sums would be kept: "
            "name fewer fields=..., or make fewer cuts"
        )
    starts = np.flatnonzero(np.append(True, apart >> dropped != 0))
    unit = np.maximum.reduceat(largest, starts, axis=1)
    of_each = np.repeat(unit, np.diff(starts, append=len(low)), axis=1)
    squares = squares * (largest / np.where(of_each > 0, of_each, 1.0)) ** 2
    return Groups(
        codes[:, starts], np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts),
        np.add.reduceat(sums, starts, axis=1), unit, np.add.reduceat(squares, starts, axis=1),
        all(groups.whole for groups in there), dropped,
    )  # fmt: skip  # short entries stand in rows


def _groups_in(
    request: SegmentRequest, cuts: list[FieldCut], normalize: bool, part: Part, arguments: dict[str, Any]
) -> Groups | None:
    """Read the groups of a part of the rows; None if the selection keeps none of them."""
    predictions = predictions_of(part, arguments, normalize)
    problem = _kept(request, predictions)
    if problem is None:
        return None
    columns = request.columns(predictions, problem.order)
    codes = [cut.codes(columns[cut.subject]) for cut in cuts]
    stacked = np.array(codes, dtype=np.intp).reshape(len(codes), len(problem))
    return _joined_groups([Groups.of(problem, stacked)])
