"""`verdict`: a verdict on the probabilities, of all samples and of a segment that is off, with its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from ...context.conditions import Condition
from ...context.lens_names import lens as read_lens
from ...context.lenses import Lens, Outcome
from ...data.dependence import assumes_independence
from ...data.models import no_predictions, takes_arrays
from ...data.predictions import Predictions
from ...decisions.acting_draws import too_few
from ...decisions.by_segment.flagged_segments import FlaggedSegment
from ...foundation import validation
from ...metrics.calibration_tests import is_certain
from ...metrics.clinical.discrimination import runs_backwards
from ...metrics.clinical.estimates import calibration_slope
from ...scale.summary import Summary
from ...uncertainty.intervals.bin_intervals import mean_interval
from ...uncertainty.intervals.error_intervals import LEVEL, hidden_error
from ...uncertainty.joint_test import JointTest
from ..asked.choices import CHOICES
from ..asked.first import first_spec
from ..asked.spec import OF_AFTER, OF_SAMPLES, Spec
from ..asked.typed import named_categories
from ..situation.content import completed
from ..situation.engine import Engine, Side
from ..situation.noise import interval_of
from ..situation.reading import reads
from ..situation.situation import Situation
from ..situation.summarized import unsummarized
from .segments import (
    OF_SEARCH,
    can_search,
    is_judged,
    news_of,
    problem_of,
    searched,
    why_not_searched,
    worst_segment,
)
from .tested import USUAL, Draws, is_of_gaps, tested
from .verdict_sentences import MeanMoved, Verdict
from .worst_news import WorthLess, category_off, worth_less

OF_WORDS = ("margin", *OF_SEARCH, "likert", "threshold")
FAR_OFF = 0.05  # of the mean score from the mean target, from where on other shares may be why
MARGIN: float = CHOICES["margin"].default


@reads(*OF_SAMPLES, *OF_WORDS)
def verdict_of(situation: Situation, draws: Draws = USUAL, has_segments: bool = True, acts: bool = False) -> Verdict:
    """The verdict on the model as it is, as far as it is known by now.

    `acts` says that somebody named the threshold, so that it counts even where it is the one that choices begin with.
    """
    return _judged(situation, situation.before, draws, has_segments, acts)


@reads(*OF_SAMPLES, *OF_AFTER, *OF_WORDS)
def verdict_after(situation: Situation, draws: Draws = USUAL, has_segments: bool = True, acts: bool = False) -> Verdict:
    """The verdict on the recalibrated scores; on the model where there are none."""
    return _judged(situation, situation.after or situation.before, draws, has_segments, acts)


def _judged(situation: Situation, side: Side, draws: Draws, has_segments: bool, acts: bool) -> Verdict:
    problem = side.problems[0]
    job, interval = tested(situation, side, draws), interval_of(situation, side, "ks", False, draws.level, draws.rng)
    test, (size, _) = job.value, interval.value or (None, "")
    no_test = test if isinstance(test, str) else job.ended_early.rstrip(".")
    is_compared = is_of_gaps(test)
    test = None if isinstance(test, str) else test
    search = searched(situation, side, draws, is_aside=False) if has_segments and is_compared else None
    is_known = search is not None and is_judged(search)
    found: xr.Dataset | None = search.value if search is not None and is_known else None
    news = news_of(found)
    not_searched = "" if search is None else why_not_searched(situation, search)
    # The pooled lens has K scores of each sample, which tell no more than one would.
    times = situation.scores_per_sample
    return Verdict(
        lens=situation.name,
        outcome=situation.outcome,
        predicted=problem.mean_score,
        observed=problem.mean_target,
        observed_interval=mean_interval(problem),
        samples=problem.samples // times,
        nouns=situation.nouns,
        worth=problem.effective_size / times,
        in_clusters="" if problem.cluster_codes is None else situation.counted(problem),
        test=test,
        size=size,
        could_hide=hidden_error(problem, draws.level) if size is None else size.upper,
        margin=situation.spec.margin,
        segments=news,
        searched=0 if found is None else found.sizes["segment"] - 1,
        not_searched=not_searched,
        category=None if times > 1 or not is_compared else category_off(problem, situation.spec.categories()),
        worth_less=_worth_less(situation, side, found, acts),
        no_test=no_test,
        about_predicted=situation.says_how_sure,
        is_backwards=times == 1 and runs_backwards(problem),
        is_of_other_shares=is_of_gaps(test) and _is_of_other_shares(situation, side, test),
        is_certain=test is not None and is_certain(problem),  # of some selections by what is true nobody knows
        trials=len(situation.trials),
        calibrator="" if side is situation.before else situation.calibrator_noun,
        moved=_moved(situation, side, news, is_known),
        is_searching=(not job.done and has_segments and can_search(situation))
        or (search is not None and not is_known and not not_searched),
    )


def _is_of_other_shares(situation: Situation, side: Side, test: JointTest) -> bool:
    """Whether the model is far off on average, and by a constant of the log-odds as far as its slope tells."""
    if not test.direction or abs(test.observed - test.predicted) <= FAR_OFF:
        return False
    if side is not situation.before or situation.says_how_sure:
        return False
    slope = calibration_slope(side.problems[0])
    return slope.lower <= 1.0 <= slope.upper


def _moved(situation: Situation, side: Side, news: tuple[FlaggedSegment, ...], is_known: bool) -> MeanMoved | None:
    """The segment of the second line before and after the calibrator: the one that was off, else one that is."""
    if side is situation.before or situation.keeps_others(side):
        return None
    one = worst_segment(situation) or next(iter(news), None)
    if one is None or not is_known:
        return None
    return MeanMoved(one, *(problem_of(situation, of, one.selection).mean_score for of in (situation.before, side)))


def _worth_less(situation: Situation, side: Side, found: xr.Dataset | None, acts: bool) -> WorthLess | None:
    """The segment that is worth less at the threshold; None at the one that choices begin with, unless it was named."""
    at = situation.spec.threshold
    if found is None or not (acts or at != situation.spec.first_threshold) or too_few(side.problems[0]):
        return None
    return worth_less(side.predictions[0], side.problems[0], found, at)


@assumes_independence
@takes_arrays
def verdict(
    predictions: Predictions | Summary,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibrator: Any = None,
    calibration: Predictions | Summary | None = None,
    segments: bool = True,
    categories: Mapping[str, tuple[float, float]] | Iterable[float] | None = None,
    threshold: float | None = None,
    margin: float = MARGIN,
    level: float = LEVEL,
    replicates: int | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> Verdict:
    """Return what may be said of probabilities: what the Explorer opens with, and a report begins with.

    One test decides whether miscalibration is shown, which no choice of bins moves. The interval of the KS error says
    how large it is, and whether it is less than a margin that hardly matters. The worst news of a segment stands in the
    second line. Samples are taken to be independent of each other.

    Parameters
    ----------
    predictions : Predictions, Summary, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name, optional
        By default the positive class of two, and top-1 of more.
    selection : condition or its text, optional
    outcome : int or str, optional
        Of a vector lens, the outcome that is judged; by default the first, which the sentence names.
    calibrator : name of a calibrator, a calibrator, or None
        With one, the recalibrated scores are judged, not those of the model.
    calibration : Predictions or Summary, optional
        What the calibrator is fitted to. Without it, each sample is recalibrated by a fit to the others, in five folds.
    segments : bool
        Whether to look for segments that are off, where the samples have fields, or several classes are predicted.
    categories : ascending cut points, or dict of name to (low, high), optional
        The second line says which of them does not keep its promise, where no segment is off.
    threshold : float, in (0, 1), optional
        From which score on somebody acts; the second line then says in which segment that is worth less than to act on
        all, or on nobody.
    margin : float, in [0.001, 0.999]
        The KS error that hardly matters: 0.02 is 2 points.
    level : float, in (0, 1)
        Of the interval of the KS error. Tests are at 5 %.
    replicates : int, at least 1, optional
        Draws of calibrated labels, by default 999.
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Verdict
        With sentence and lines, and the numbers that they rest on: test, size, margin, shown, within, direction, tilt
        and segment.

    Raises
    ------
    TypeError, ValueError
        Where an argument cannot be used, or the selection keeps no sample.

    See Also
    --------
    Explorer, report : Show it above all else.
    calibration_test, interval, segments : What it rests on.

    Examples
    --------
    >>> print(cv.verdict(cv.load_dataset("heart")["logistic regression"]))
    Over all, no error shows: predicted 53 of 100, observed 55 (920 people).
    In Zurich and Basel predicted 70, observed 93 (123 people).
    """
    validation.truth(segments, "segments")
    validation.truth(progress, "progress")
    if not isinstance(predictions, Predictions | Summary):
        raise no_predictions(predictions)
    n = None if replicates is None else validation.whole_number(replicates, "replicates", 1)
    drawn = Draws(validation.level(level), n, validation.rng(rng))
    judged, fit_on = unsummarized(predictions, calibration)
    engine = Engine(judged, fit_on)
    more = {"margin": margin, "likert": named_categories(categories)}
    more |= {} if threshold is None else {"threshold": threshold}
    situation = Situation(engine, _spec(engine, lens, selection, outcome, calibrator, **more))
    situation.exists()
    acts = threshold is not None
    if calibrator is None:
        return completed(situation, lambda seen: verdict_of(seen, drawn, segments, acts), "verdict", progress)
    found = completed(situation, lambda seen: verdict_after(seen, drawn, segments, acts), "verdict", progress)
    if situation.after is None:
        raise ValueError(situation.no_after)
    return found


def _spec(engine: Engine, lens: Any, selection: Any, outcome: Any, calibrator: Any, **more: Any) -> Spec:
    """The choices of the first screen, with these in the place of some."""
    seen: Any = read_lens(engine.first_lens if lens is None else lens)
    if isinstance(seen, Outcome):
        if outcome is not None:
            raise ValueError(f"outcome={outcome!r} cannot be used: the lens {seen.name!r} names one already")
        seen, outcome = seen.lens, seen.outcome
    chosen = more if calibrator is None else more | {"calibrator": calibrator}
    spec = first_spec(tuple(engine.models), lens=seen, selection=selection, **chosen)
    if outcome is None:
        return spec
    names = Situation(engine, spec).outcomes
    if not names:
        raise ValueError(f"outcome={outcome!r} cannot be used: the lens {seen.name!r} has one score a sample")
    return spec.but(outcome=names[validation.class_index(outcome, names)])
