"""The panel Recalibration: what a calibrator does to scores, and to the bins of samples that it has not seen."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .. import figures
from ..context.class_lenses import Pooled
from ..context.induced import scalar_problem
from ..figures.svg.small import NoisyError, noise_strips
from ..foundation.written import percent
from .asked.spec import OF_AFTER, OF_BINS, OF_SAMPLES
from .calibrators import are_other_samples, calibrator_table, change_of_brier, how_judged, written_change
from .content import Content, ShortAnswer, thinned
from .situation.engine import Side
from .situation.noise import beside_error
from .situation.reading import reads
from .situation.situation import Situation

Array = NDArray[np.float64]


@reads(*OF_SAMPLES, *OF_BINS, *OF_AFTER, "depth", "minimum", "calibrators")
def recalibration(situation: Situation) -> Content:
    """The map of the calibrator with the bins of the samples before and after it, and what others would do."""
    spec, after = situation.spec, situation.after
    drawn, size = _map(situation)
    bins = situation.bins(situation.before)[0], None if after is None else situation.bins(after)[0]
    notes = [how_judged(situation)]
    if after is None:
        notes.append(situation.no_after)
    if situation.maps is None and situation.engine.is_of_scores(spec, spec.calibrator):
        notes.append("Every class is recalibrated by a map of its own, and the rows are rescaled.")
    if size < 20 * spec.knots and spec.calibrator == "spline":
        notes.append(f"Only {size} samples to fit {spec.knots} knots to: the curve follows their noise.")
    if spec.by_field:
        offered = ", ".join(f"“{name}”" for name in spec.by_field)
        notes.append(f"Segments that are off in unlike ways need a calibrator each: choose {offered}.")
    if len(situation.trials) > 1:
        notes.append("This shows the first trial.")
    table, names = calibrator_table(situation)
    return Content((figures.with_bins(drawn, *bins), table), " ".join(notes), names, answer(situation))


def answer(situation: Situation) -> str:
    """Whether the recalibrated scores are better on samples that the calibrator has not seen, in a sentence.

    They are called better or worse where the Brier score surely falls or rises, each at a level of 5 %, so that the
    interval is one of 90 %. It is empty
    where there is nothing after, or many scores of each sample.
    """
    if situation.after is None:
        return ""
    if are_other_samples(situation, situation.after):
        here, there = (side.problems[0].samples for side in (situation.before, situation.after))
        return (
            f"The selection keeps {here:,} samples before the {situation.calibrator_noun} and {there:,} after it, not "
            "the same ones: keep samples by what does not depend on the scores to compare."
        )
    ends = change_of_brier(situation, situation.after)
    if ends is None:
        return ""
    low, high = ends
    first, then = (percent(situation.ks(side)) for side in (situation.before, situation.after))
    by = f"the Brier score (lower is better) changes by {written_change(ends)} on samples that it has not seen"
    by += f"; KS error {first} before, {then} after"
    if low == high == 0:
        return f"The {situation.calibrator_noun} changes nothing."
    if high < 0:
        return f"Yes, the {situation.calibrator_noun} helps: {by}."
    if low > 0:
        return f"No, the {situation.calibrator_noun} makes it worse: {by}."
    return f"The {situation.calibrator_noun} is not shown to help: {by}."


@reads(*OF_SAMPLES, *OF_AFTER)
def short_answer(situation: Situation) -> ShortAnswer:
    """The answer, and the errors without bins of the headline, before and after the calibrator, over their noise."""
    said = answer(situation)
    if situation.after is None or change_of_brier(situation, situation.after) is None:
        return ShortAnswer(said)
    sides: tuple[tuple[Side, Literal["before", "after"]], ...] = (
        (situation.before, "before"),
        (situation.after, "after"),
    )
    errors = (NoisyError(situation.ks(side), beside_error(situation, side, "ks"), of) for side, of in sides)
    return ShortAnswer(said, noise_strips(*errors))


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
