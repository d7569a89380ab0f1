"""The panel Recalibration: what a calibrator does to scores, and to the bins of samples that it has not seen."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ... import figures
from ...context.class_lenses import Pooled
from ...context.induced import scalar_problem
from ...decisions.acting_draws import of_one_kind
from ...decisions.by_segment.flagged_segments import value_of
from ...figures.segment_names import name_of
from ...figures.svg.cards import Moved, before_and_after
from ...figures.svg.small import NoisyError, noise_strips
from ...figures.tables import Place
from ...foundation.arrays import Array
from ...foundation.marked import strong
from ...foundation.written import of_hundred, percent, spaced
from ...recalibration.registry import called, noun_of
from ...uncertainty.intervals.brier_change import Interval
from ..asked.spec import OF_AFTER, OF_BINS, OF_SAMPLES
from ..first_screen import calibrators
from ..first_screen.segments import OF_SEARCH, news_of, problem_of
from ..situation.content import Content, ShortAnswer, thinned
from ..situation.engine import Side
from ..situation.noise import TO_COME, beside_error
from ..situation.reading import reads
from ..situation.situation import Situation


@reads(*OF_SAMPLES, *OF_BINS, *OF_AFTER, *OF_SEARCH, "calibrators", "samples")
def recalibration(situation: Situation) -> Content:
    """The map of the calibrator with the bins of the samples before and after it, and what others would do."""
    spec, after = situation.spec, situation.after
    notes = [calibrators.how_judged(situation)]
    pictures = []
    if situation.spec.is_recalibrated:
        drawn, size = _map(situation)
        bins = situation.bins(situation.before)[0], None if after is None else situation.bins(after)[0]
        if size < 20 * spec.knots and spec.calibrator == "spline":
            notes.append(
                f"Only {situation.nouns.counted(size)} to fit {spec.knots} knots to: the curve follows their noise."
            )
        pictures, notes = [figures.with_bins(drawn, *bins)], [*notes, situation.no_after]
    if (
        situation.spec.is_recalibrated
        and situation.maps is None
        and situation.engine.is_of_scores(spec, spec.calibrator)
    ):
        notes.append("Every class is recalibrated by a map of its own, and the rows are rescaled.")
    if by_field := spec.own_of("field"):
        offered = ", ".join(f"“{called(name)}”" for name in by_field)
        notes.append(f"Segments that are off in unlike ways need a calibrator each: choose {offered}.")
    notes.append(situation.of_first_trial)
    table, names = calibrators.calibrator_table(situation)
    said, numbers = short_answer(situation).marked, in_numbers(situation)
    notes = notes if said == numbers else [numbers, *notes]
    return Content((*pictures, table), " ".join(filter(None, notes)), names, said)


def in_numbers(situation: Situation) -> str:
    """Whether the recalibrated scores are better on samples that the calibrator has not seen, in a sentence.

    They are called better or worse where the Brier score surely falls or rises, each at a level of 5 %, so that the
    interval is one of 90 %. It is empty
    where there is nothing after, or many scores of each sample.
    """
    if situation.after is None:
        return ""
    if situation.keeps_others(situation.after):
        here, there = (side.problems[0].samples for side in (situation.before, situation.after))
        return (
            f"The selection keeps {situation.nouns.counted(here)} before the {situation.calibrator_noun} and {there:,} "
            "after it, not the same ones: keep them by what does not depend on the scores to compare."
        )
    ends = calibrators.change_of_brier(situation, situation.after)
    if ends is None:
        return _of_one_kind(situation)
    low, high = ends
    first, then = (percent(situation.ks(side)) for side in (situation.before, situation.after))
    by = f"the Brier score (lower is better) changes by {calibrators.written_change(ends)} on "
    by += f"{situation.nouns.many} that it has not seen; KS error {first} before, {then} after"
    if low == high == 0:
        return f"The {situation.calibrator_noun} changes nothing."
    if high < 0:
        return f"Yes, the {situation.calibrator_noun} helps: {by}."
    if low > 0:
        return f"No, the {situation.calibrator_noun} makes it worse: {by}."
    return f"The {situation.calibrator_noun} is not shown to help: {by}."


def _of_one_kind(situation: Situation) -> str:
    """A sentence that says why one outcome alone does not show who helps; empty where there are both."""
    one_kind = of_one_kind(situation.before.problems[0], situation.nouns)
    return f"One outcome alone does not say: {one_kind[0].lower()}{one_kind[1:]}." if one_kind else ""


@reads(*OF_SAMPLES, *OF_AFTER, *OF_SEARCH, "calibrators")
def short_answer(situation: Situation) -> ShortAnswer:
    """Whether one calibrator for all helps, and one for each value of the field of a segment that is off.

    The picture shows the gaps of the values of that field before and after; without one the errors without bins, before
    and after the calibrator, over their noise.
    """
    after, nouns = situation.after, situation.nouns
    ends = None if after is None else calibrators.change_of_brier(situation, after)
    if situation.spec.is_recalibrated and ends is None:
        return ShortAnswer(in_numbers(situation))
    if (why_not := calibrators.why_none_known(situation)) is not None:
        return ShortAnswer(_of_one_kind(situation) or ("" if situation.scores_per_sample > 1 else why_not))
    whole = calibrators.one_for_all(situation)
    said = [f"One for {nouns.whole}: {TO_COME if whole is None else f'{_gain(whole.change, noun_of(whole.name))}.'}"]
    of_field = calibrators.of_field_of_segment(situation)
    field = calibrators.field_of(situation.spec, situation.spec.calibrator)
    if field and ends is not None and (of_field is None or of_field.field != field):
        said.append(_of_each(field, ends))
    own = None if of_field is None else calibrators.change_of_brier(situation, of_field.side)
    if of_field is not None and own is not None:
        said += [_of_each(of_field.field, own), *([_moved(situation, of_field)] if own[1] < 0 else [])]
        return ShortAnswer(" ".join(said), before_and_after(_moves(situation, of_field)), _place(situation, of_field))
    if whole is None:
        return ShortAnswer(" ".join(said))
    change = calibrators.written_change(whole.change)
    by = f"It changes the Brier score by {change}, judged on {nouns.many} it has not seen."
    sides: tuple[tuple[Side, Literal["before", "after"]], ...] = (
        (situation.before, "before"),
        (whole.side, "after"),
    )
    errors = (NoisyError(situation.ks(side), beside_error(situation, side, "ks"), of) for side, of in sides)
    return ShortAnswer(" ".join([*said, by]), noise_strips(*errors))


def _gain(ends: Interval, noun: str = "it") -> str:
    word = calibrators.word_of(ends)
    return {calibrators.HELPING: strong(f"yes, {noun} helps"), calibrators.WITHIN: "gain within noise"}.get(word, word)


def _of_each(field: str, ends: Interval) -> str:
    """The gain of a calibrator for each value of a field, in a sentence."""
    each = f"One for each {spaced(field)}:"
    return strong(f"{each} yes.") if ends[1] < 0 else f"{each} {_gain(ends)}."


def _place(situation: Situation, found: calibrators.OfField) -> Place:
    """The place that the segment has after the calibrator of its own."""
    one = found.segment
    after = problem_of(situation, found.side, one.selection).mean_score
    return Place(after, one.observed, one.lower, one.upper)


def _moved(situation: Situation, found: calibrators.OfField) -> str:
    """A sentence on the segment that is off: what is predicted of it before and after the calibrator of its own."""
    one = found.segment
    after = problem_of(situation, found.side, one.selection).mean_score
    before, then, observed = of_hundred(one.predicted, after, one.observed)
    name, judged = name_of(one), f"judged on {situation.nouns.many} it has not seen"
    if calibrators.is_closer(one, after):
        return f"{name.heading} goes from {before} to {then}, {judged}."
    return f"It does not help {name.sentence}: from {before} to {then}, observed {observed}, {judged}."


def _moves(situation: Situation, found: calibrators.OfField) -> list[Moved]:
    """The values of the field with their gaps before and after, those that are shown to be off first."""
    table = found.table
    off = {one.segment for one in news_of(table) if one.is_beyond}
    moves = []
    for i, (text, fields) in enumerate(zip(table.selection.values, table.n_fields.values, strict=True)):
        value = value_of(str(text), int(fields))
        if value is None or value.subject.argument != found.field:
            continue
        row = table.isel(segment=i)
        gap = float(row.target) - problem_of(situation, found.side, str(text)).mean_score
        moves.append(Moved(str(value.value), float(row.gap), gap, str(row.segment.item()) in off))
    return moves


@reads(*OF_SAMPLES, *OF_AFTER)
def _map(situation: Situation) -> tuple[figures.Figure, int]:
    """The picture of the map without bins, and the number of samples that the calibrator was fitted to."""
    calibration = scalar_problem(situation.engine.fitted_to(situation.spec.model)[0], situation.lens)
    calibrator, knots = situation.spec.calibrator, None
    scores, mapped, moved = np.empty(0), np.empty(0), 0.0
    if situation.maps is not None:
        fitted = situation.maps[0]
        scores = calibration.score[thinned(len(calibration), figures.MOST_POINTS)]
        mapped = fitted(scores)
        moved = float(np.abs(fitted(calibration.score) - calibration.score).max())
        if calibrator == "spline":
            knots = fitted.knot_scores_, fitted(fitted.knot_scores_)
    elif situation.after is not None:
        scores, mapped, moved = _cloud(situation)
    figure = figures.map_figure(
        situation.name,
        calibrator,
        scores,
        mapped,
        is_curve=situation.maps is not None,
        knots=knots,
        rug=calibration.score,
        moved=moved,
    )
    return figure, len(calibration)


def _cloud(situation: Situation) -> tuple[Array, Array, float]:
    """Some scores before and after, of samples that are shown on both sides, and the largest change of any."""
    assert situation.after is not None
    judged, moved = situation.predictions, situation.after.predictions[0]
    scores = np.full((2, len(judged)), np.nan)
    for row, side in enumerate((situation.before, situation.after)):
        scores[row, side.problems[0].order] = side.problems[0].score
    if isinstance(situation.lens, Pooled):
        rows = np.flatnonzero(~np.isnan(scores).any(axis=0))
        scores = np.array([judged.probs[rows].ravel(), moved.probs[rows].ravel()], np.float64)
    both = scores[:, ~np.isnan(scores).any(axis=0)]
    both = both[:, np.argsort(both[0], kind="stable")]
    farthest = float(np.abs(both[1] - both[0]).max(initial=0.0))
    picked = both[:, thinned(both.shape[1], figures.MOST_POINTS)]
    return picked[0], picked[1], farthest
