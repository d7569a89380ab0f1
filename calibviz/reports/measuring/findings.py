"""What a report says of one model: frozen records of numbers, sentences and pictures, without a word of HTML."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ... import figures
from ...context.class_lenses import Classwise, scores_per_sample
from ...context.induced import induced_problem, scalar_problem
from ...data.predictions import Predictions
from ...engine.binning import Uniform
from ...engine.family import ProblemFamily
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...figures import Figure
from ...figures.words import After, brier_change, ks_limit, mean_interval, reading
from ...foundation.fit_warnings import notices
from ...foundation.progress import with_progress
from ...metrics.binned import binned_error, ks_error
from ...metrics.likert import problem_likert
from ...recalibration import Spline
from ...uncertainty.noise_floors import NoiseFloor
from ...uncertainty.sensitivity import sensitivity
from .choices import Scope
from .clinical import Clinical, ClinicalRequest, clinical_of, looked_through
from .errors import Besides, category_floors, floors_beside, intervals_beside, p_values_in
from .numbers import BINS, FEWEST_REPLICATES, SEED, Number, numbers_of, replicates_for
from .ranks import Ranks, ranks_of
from .segments import Segments, segments_of

Array = NDArray[np.float64]
T = TypeVar("T")

SHARE = 0.5
KNOTS = 6

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Measured:
    """A model, recalibrated or not, as a report looks at it."""

    predictions: Predictions
    problem: ScalarProblem
    numbers: Mapping[str, Number]

    @classmethod
    def of(cls, predictions: Predictions, problem: ScalarProblem, replicates: int = 0) -> Measured:
        """With so many replicates, or with 0 as many as suit the problem."""
        return cls(predictions, problem, numbers_of(predictions, problem, replicates or replicates_for(problem)))

    @property
    def replicates(self) -> int:
        return len(self.numbers["ks"].replicates)


@dataclass(frozen=True, eq=False)
class Recalibration:
    """What a spline does to samples that it was not fitted to."""

    said: str
    fitted_to: int
    before: Measured
    after: Measured
    beside_before: Besides
    beside_after: Besides
    pictures: tuple[Figure, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Category:
    """A Likert category: its row of `likert_error`, and the 95 % interval of its mean target if it holds samples.

    `floors` are the noise floors of the errors in its row, by name, where there are some.
    """

    name: str
    ends: tuple[float, float]
    row: Mapping[str, Any]
    interval: tuple[float, float] | None
    floors: Mapping[str, NoiseFloor]


@dataclass(frozen=True, eq=False)
class Classes:
    """Every class by itself, the largest error first: shares of the labels, mean probabilities and errors, (K,)."""

    names: tuple[str, ...]
    share: Array
    mean_score: Array
    error: Array
    picture: Figure


@dataclass(frozen=True, eq=False)
class Findings:
    """All that a report of one model says; a sentence stands for what cannot be computed."""

    choices: Scope
    judged: Measured
    beside: Besides
    calibration: Predictions | None
    said: str
    reliability: tuple[Figure, ...]
    cumulative: tuple[Figure, ...]
    recalibration: Recalibration | str
    ranks: Ranks | str
    sensitivity: tuple[Figure, ...] | str
    categories: tuple[Category, ...]
    category_pictures: tuple[Figure, ...]
    classes: Classes | str
    segments: Segments | str | None
    clinical: Clinical | str | None


def findings(
    predictions: Predictions,
    calibration: Predictions | None,
    choices: Scope,
    progress: bool,
    asked: ClinicalRequest | None = None,
) -> Findings:
    """Measure everything; where nothing can be said at all, a `ValueError` says why."""
    problem = choices.problem(predictions)
    parts = _told(lambda: _parts(predictions, calibration))
    steps: dict[str, Callable[[], Any]] = {
        "judged": lambda: Measured.of(predictions, problem),
        "beside": lambda: intervals_beside(predictions, problem, choices),
        "cumulative": lambda: _cumulative(problem, choices.name),
        "recalibration": lambda: parts if isinstance(parts, str) else _told(lambda: _recalibration(*parts, choices)),
        "ranks": lambda: parts if isinstance(parts, str) else _told(lambda: ranks_of(*parts, choices)),
        "sensitivity": lambda: _told(lambda: _sensitivity(predictions, problem, choices)),
        "categories": lambda: categories_of(problem, choices),
        "classes": lambda: _told(lambda: _classes(predictions, choices)),
        "segments": lambda: _told(lambda: segments_of(predictions, looked_through(choices, asked))),
        "clinical": lambda: _told(lambda: clinical_of(predictions, choices, asked)),
    }
    found = {name: steps[name]() for name in with_progress(steps, "report", len(steps), progress)}
    categories = found["categories"]
    return Findings(
        choices=choices,
        calibration=calibration,
        said=reading(
            about_predicted=choices.about_predicted,
            p_values=p_values_in(found["beside"]),
            **facts(predictions, problem, choices),
        ),
        reliability=_reliability(problem, choices),
        category_pictures=category_pictures(categories),
        **found,
    )


def facts(predictions: Predictions, problem: ScalarProblem, choices: Scope) -> dict[str, Any]:
    """What `reading` needs to know of a problem; of n samples the pooled lens has n K scores, which tell no more."""
    return {
        "mean_score": problem.mean_score,
        "mean_target": problem.mean_target,
        "interval": mean_interval(problem),
        "count": max(1, len(problem) // scores_per_sample(choices.lens, predictions)),
        "ks": ks_error(problem),
        "ks_limit": ks_limit(problem),
    }


def categories_of(problem: ScalarProblem, choices: Scope) -> tuple[Category, ...]:
    """Every Likert category of all judged samples."""
    found = []
    for name, (low, high) in choices.categories.items():
        inside = (problem.score >= low) & (problem.score <= high)
        row = problem_likert(problem, low, high, Uniform(BINS))
        part = problem.subset(inside) if row["count"] else None
        interval = None if part is None else mean_interval(part)
        floors = {} if part is None else category_floors(part, (low, high), choices)
        found.append(Category(name, (low, high), row, interval, floors))
    return tuple(found)


def category_pictures(categories: Sequence[Category]) -> tuple[Figure, ...]:
    """How many samples the categories hold, and their errors."""
    if not categories:
        return ()
    drawn = figures.likert_figures([one.name for one in categories], [[one.row for one in categories]], None)
    names = {
        "before": "samples",
        "inter-interval, before": "from the category",
        "total variation, before": "from the score",
    }
    return tuple(
        replace(one, series=tuple(replace(part, name=names.get(part.name, part.name)) for part in one.series))
        for one in drawn
    )


def _told(make: Callable[[], T]) -> T | str:
    """What is made, or the sentence that says why it cannot be."""
    try:
        return make()
    except ValueError as error:
        log.debug("a part of the report is missing", exc_info=True)
        return str(error)


def _parts(predictions: Predictions, calibration: Predictions | None) -> tuple[Predictions, Predictions]:
    """What calibrators are fitted to, and what judges them."""
    if calibration is not None:
        return calibration, predictions
    if len(predictions) == 1:
        raise ValueError("there is one sample: none can be set aside to fit a repair to")
    return predictions.split(SHARE, SEED)


def _reliability(problem: ScalarProblem, choices: Scope) -> tuple[Figure, ...]:
    bins = Uniform(BINS)(problem)
    return (
        figures.reliability_figure([problem], [bins], choices.name, categories=choices.categories),
        replace(figures.histogram_figure([problem], choices.name), title=f"Scores of {choices.name}"),
    )


def _cumulative(problem: ScalarProblem, name: str) -> tuple[Figure, Figure]:
    both, _, difference = figures.cumulative_figures([problem], name)
    return replace(both, title=f"Cumulative curves of {name}"), replace(difference, title="Their difference")


def _recalibration(calibration: Predictions, evaluation: Predictions, choices: Scope) -> Recalibration:
    fitted_to = scalar_problem(calibration, choices.lens)
    with notices() as heard:
        spline = Spline(KNOTS).fit(fitted_to)
    problem, mapped = choices.problem(evaluation), choices.problem(evaluation, spline)
    before = Measured.of(evaluation, problem)
    # As many replicates, though a selection by output may keep more or fewer: differences are paired.
    after = Measured.of(evaluation, mapped, before.replicates)
    beside = floors_beside(evaluation, problem, choices), floors_beside(evaluation, mapped, choices, mapped=True)
    p_values = [p_values_in(one) for one in beside]
    said = reading(
        about_predicted=choices.about_predicted,
        after=After(
            spline.short_name,
            p_values=p_values[1],
            brier_change=brier_change(problem, mapped),
            **facts(evaluation, mapped, choices),
        ),
        p_values=p_values[0],
        **facts(evaluation, problem, choices),
    )
    bins = Uniform(BINS)(problem), Uniform(BINS)(mapped)
    moved = spline(spline.score_)
    curve = figures.map_figure(
        choices.name,
        spline.short_name,
        spline.score_,
        moved,
        is_curve=True,
        knots=(spline.knot_scores_, spline(spline.knot_scores_)),
        rug=fitted_to.score,
        moved=float(np.abs(moved - spline.score_).max()),
    )
    notes = list(heard)
    if len(fitted_to) < 20 * KNOTS:
        few = f"{len(fitted_to)} sample{'s' * (len(fitted_to) > 1)}"
        notes.append(f"Only {few} to fit {KNOTS} knots to: the curve follows their noise.")
    if choices.selects_by_output:
        notes.append("The selection looks at the scores, after as before: the two columns hold different samples.")
    difference = replace(figures.cumulative_figures([mapped], choices.name)[2], title="Cumulative difference, after")
    pictures = (figures.with_bins(curve, *bins), difference)
    return Recalibration(said, len(fitted_to), before, after, *beside, pictures, tuple(notes))


def _sensitivity(predictions: Predictions, problem: ScalarProblem, choices: Scope) -> tuple[Figure, ...]:
    n = min(FEWEST_REPLICATES, replicates_for(problem)) // 2
    table = sensitivity(predictions, choices.lens, selection=choices.selection, n=n, seed=SEED)
    return tuple(
        figures.marked(picture, BINS)
        for picture in (figures.sensitivity_figure(table), figures.points_per_bin_figure(table))
    )


def _classes(predictions: Predictions, choices: Scope) -> Classes:
    if choices.selects_by_output:
        raise ValueError("the selection looks at the output, of which every class has its own: select by confidence")
    family = induced_problem(predictions, Classwise(), choices.selection)
    assert isinstance(family, ProblemFamily)
    found = np.full((3, len(family.outcomes)), np.nan)
    for c in range(len(family.outcomes)):
        try:
            bins = Uniform(BINS)(family.outcome(c))
        except EmptyProblemError:
            continue
        kept = bins.weight > 0
        weight = bins.weight[kept] / bins.weight.sum()
        found[:, c] = weight @ bins.target[kept], weight @ bins.score[kept], binned_error(bins)
    order = figures.worst_first(found[2])
    names = tuple(family.outcomes[c] for c in order)
    share, mean_score, error = found[:, order]
    return Classes(names, share, mean_score, error, figures.classes_figure(names, error))
