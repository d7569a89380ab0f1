"""What a report says of one model: frozen records of numbers, sentences and pictures, free of HTML."""

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
from ...figures.words import After, brier_change, reading, tilt
from ...foundation.fit_warnings import notices
from ...foundation.progress import with_progress
from ...metrics.binned import binned_error, ks_error
from ...metrics.calibration_tests import ks_limit
from ...metrics.clinical.discrimination import runs_backwards
from ...metrics.likert import problem_likert
from ...recalibration import Spline
from ...uncertainty.bin_intervals import mean_interval
from ...uncertainty.noise_floors import NoiseFloor
from ...uncertainty.sensitivity import sensitivity
from . import many
from .choices import Scope
from .clinical import Clinical, ClinicalRequest, clinical_of, looked_through
from .errors import Besides, category_floors, class_noise, floors_beside, intervals_beside, largest_in, p_values_in
from .numbers import BINS, FEWEST_REPLICATES, SEED, Number, numbers_of, replicates_for
from .over_time import OverTime, over_time_of
from .ranks import Ranks, ranks_of
from .risk import Risk, risk_of
from .segments import Segments, segments_of

Array = NDArray[np.float64]
T = TypeVar("T")

SHARE = 0.5
KNOTS = 6
MOST_LISTED = 1_000  # rows of a table of classes; 10,000 would be ten times as large as all else on the page
MOST_CLASSES = 20  # rows of a table of classes that are shown at once, and have noise floors; the others unfold

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Measured:
    """The predictions of a model, recalibrated or not, the problem that the lens makes of them, and its numbers."""

    predictions: Predictions
    problem: ScalarProblem
    numbers: Mapping[str, Number]

    @classmethod
    def of(
        cls,
        predictions: Predictions,
        problem: ScalarProblem,
        replicates: int = 0,
        drawn: tuple[Predictions, ScalarProblem] | None = None,
    ) -> Measured:
        """The numbers of a problem, with this many bootstrap replicates; 0 stands for as many as suit the problem.

        `drawn` are predictions, and their problem, that stand for these where samples are drawn.
        """
        n = replicates or replicates_for(many.scores_in(predictions, problem))
        return cls(predictions, problem, numbers_of(predictions, problem, n, drawn))

    @property
    def replicates(self) -> int:
        """How many bootstrap replicates were drawn."""
        return len(self.numbers["ks"].replicates)


@dataclass(frozen=True, eq=False)
class Recalibration:
    """What a spline does to samples that it was not fitted to."""

    said: str
    fitted_to: int
    judged: int
    before: Measured
    after: Measured
    beside_before: Besides
    beside_after: Besides
    pictures: tuple[Figure, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Category:
    """A Likert category: its row of `likert_error`, and the 95 % interval of its mean target if it holds samples.

    `floors` holds the noise floors of the errors in its row, by name; it is empty if they are not known.
    """

    name: str
    ends: tuple[float, float]
    row: Mapping[str, Any]
    interval: tuple[float, float] | None
    floors: Mapping[str, NoiseFloor]


@dataclass(frozen=True, eq=False)
class Classes:
    """Every class by itself, the largest error first: shares of the labels, mean probabilities and errors, (K,).

    `floors` is what the errors of calibrated predictions reach; nan of classes beyond the first, and where not known.
    """

    names: tuple[str, ...]
    share: Array
    mean_score: Array
    error: Array
    floors: Array
    picture: Figure


@dataclass(frozen=True, eq=False)
class Findings:
    """All that a report of one model says; where a part cannot be computed, a sentence says why.

    `is_in_cells` tells whether samples were drawn by their cells; see `many`.
    """

    choices: Scope
    judged: Measured
    beside: Besides
    calibration: Predictions | None
    is_in_cells: bool
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
    over_time: OverTime | str | None
    risk: Risk | None
    clinical: Clinical | str | None


def findings(
    predictions: Predictions,
    calibration: Predictions | None,
    choices: Scope,
    progress: bool,
    asked: ClinicalRequest | None = None,
) -> Findings:
    """Everything that a report says of one model; a `ValueError` if the lens or the selection cannot be used."""
    problem = choices.problem(predictions)
    parts = _told(lambda: _parts(predictions, calibration))
    drawn, drawn_problem = predictions, problem
    if is_in_cells := many.are_drawn_in_cells(predictions, choices):
        drawn = many.in_cells(predictions)
        drawn_problem = choices.problem(drawn)
        if not isinstance(parts, str):
            fitted, judging = parts
            if calibration is None or many.are_drawn_in_cells(calibration, choices):
                fitted = many.in_cells(fitted)
            parts = fitted, many.in_cells(judging)
    steps: dict[str, Callable[[], Any]] = {
        "judged": lambda: Measured.of(predictions, problem, drawn=(drawn, drawn_problem)),
        "beside": lambda: intervals_beside(drawn, drawn_problem, choices),
        "cumulative": lambda: _cumulative(problem, choices.name),
        "recalibration": lambda: parts if isinstance(parts, str) else _told(lambda: _recalibration(*parts, choices)),
        "ranks": lambda: parts if isinstance(parts, str) else _told(lambda: ranks_of(*parts, choices)),
        "sensitivity": lambda: _told(lambda: _sensitivity(drawn, drawn_problem, choices)),
        "categories": lambda: categories_of(problem, choices),
        "classes": lambda: _told(lambda: _classes(predictions, drawn, choices)),
        "segments": lambda: _told(lambda: segments_of(predictions, looked_through(choices, asked))),
        "over_time": lambda: _told(lambda: over_time_of(predictions, looked_through(choices, asked))),
        "risk": lambda: risk_of(predictions, problem, choices),
        "clinical": lambda: _told(lambda: clinical_of(predictions, choices, asked)),
    }
    measured = {name: steps[name]() for name in with_progress(steps, "report", len(steps), progress)}
    categories = measured["categories"]
    return Findings(
        choices=choices,
        calibration=calibration,
        is_in_cells=is_in_cells,
        said=said_of(
            predictions,
            problem,
            choices,
            p_values=p_values_in(measured["beside"]),
            largest=largest_in(measured["beside"]),
        ),
        reliability=_reliability(problem, choices),
        category_pictures=category_pictures(categories),
        **measured,
    )


def said_of(predictions: Predictions, problem: ScalarProblem, choices: Scope, **more: Any) -> str:
    """A problem in one line; `more` goes to `reading`."""
    is_of_one = scores_per_sample(choices.lens, predictions) == 1
    return reading(
        about_predicted=choices.about_predicted,
        tilted=lambda: tilt(problem) if is_of_one else 0,
        backwards=is_of_one and runs_backwards(problem),
        **facts(predictions, problem, choices),
        **more,
    )


def facts(predictions: Predictions, problem: ScalarProblem, choices: Scope) -> dict[str, Any]:
    """The arguments of `reading` that describe a problem.

    The count is that of samples: the pooled lens has K scores of each, which tell no more than one would.
    """
    return {
        "mean_score": problem.mean_score,
        "mean_target": problem.mean_target,
        "interval": mean_interval(problem),
        "count": max(1, many.scores_in(predictions, problem) // scores_per_sample(choices.lens, predictions)),
        "ks": ks_error(problem),
        "ks_limit": ks_limit(problem),
    }


def categories_of(problem: ScalarProblem, choices: Scope) -> tuple[Category, ...]:
    """The Likert categories, each with its samples' row and floors."""
    categories = []
    for name, (low, high) in choices.categories.items():
        inside = (problem.score >= low) & (problem.score <= high)
        row = problem_likert(problem, low, high, Uniform(BINS))
        part = problem.subset(inside) if row["count"] else None
        interval = None if part is None else mean_interval(part)
        floors = {} if part is None else category_floors(part, (low, high), choices)
        categories.append(Category(name, (low, high), row, interval, floors))
    return tuple(categories)


def category_pictures(categories: Sequence[Category]) -> tuple[Figure, ...]:
    """How many samples the categories hold, and their errors."""
    if not categories:
        return ()
    drawn = figures.likert_figures(
        [category.name for category in categories], [[category.row for category in categories]], None
    )
    names = {
        "before": "samples",
        "outside the category, before": "outside the category",
        "from told, before": "from told",
    }
    return tuple(
        replace(
            picture,
            series=tuple(replace(series, name=names.get(series.name, series.name)) for series in picture.series),
        )
        for picture in drawn
    )


def _told(make: Callable[[], T]) -> T | str:
    """The result of `make`, or the message of its `ValueError`."""
    try:
        return make()
    except ValueError as error:
        log.debug("a part of the report is missing", exc_info=True)
        return str(error)


def _parts(predictions: Predictions, calibration: Predictions | None) -> tuple[Predictions, Predictions]:
    """The samples that calibrators are fitted to, and those that judge them."""
    if calibration is not None:
        return calibration, predictions
    if len(predictions) == 1:
        raise ValueError("there is one sample: none can be set aside to fit a repair to")
    return predictions.split(SHARE, rng=SEED)


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
    # Paired differences need as many replicates as before, though a selection by output may keep other samples.
    after = Measured.of(evaluation, mapped, before.replicates)
    beside = floors_beside(evaluation, problem, choices), floors_beside(evaluation, mapped, choices, mapped=True)
    p_values = [p_values_in(besides) for besides in beside]
    said = said_of(
        evaluation,
        problem,
        choices,
        after=After(
            spline.short_name,
            p_values=p_values[1],
            brier_change=brier_change(problem, mapped),
            **facts(evaluation, mapped, choices),
        ),
        p_values=p_values[0],
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
    counts = many.scores_in(calibration, fitted_to), many.scores_in(evaluation, mapped)
    if counts[0] < 20 * KNOTS:
        few = f"{counts[0]} sample{'s' * (counts[0] > 1)}"
        notes.append(f"Only {few} to fit {KNOTS} knots to: the curve follows their noise.")
    if choices.selects_by_output:
        notes.append("The selection looks at the scores, after as before: the two columns hold different samples.")
    difference = replace(
        figures.cumulative_figures([mapped], choices.name, is_after=True)[2], title="Cumulative difference, after"
    )
    pictures = (figures.with_bins(curve, *bins), difference)
    return Recalibration(said, *counts, before, after, *beside, pictures, tuple(notes))


def _sensitivity(predictions: Predictions, problem: ScalarProblem, choices: Scope) -> tuple[Figure, ...]:
    n = min(FEWEST_REPLICATES, replicates_for(len(problem))) // 2
    table = sensitivity(predictions, choices.lens, selection=choices.selection, replicates=n, rng=SEED)
    return tuple(
        figures.marked(picture, BINS)
        for picture in (figures.sensitivity_figure(table), figures.points_per_bin_figure(table))
    )


def _class_family(predictions: Predictions, choices: Scope) -> ProblemFamily:
    family = induced_problem(predictions, Classwise(), choices.selection)
    assert isinstance(family, ProblemFamily)
    return family


def _classes(predictions: Predictions, drawn: Predictions, choices: Scope) -> Classes:
    if choices.selects_by_output:
        raise ValueError("the selection looks at the output, of which every class has its own: select by confidence")
    family = _class_family(predictions, choices)
    columns = np.full((3, len(family.outcomes)), np.nan)
    for c in range(len(family.outcomes)):
        try:
            bins = Uniform(BINS)(family.outcome(c))
        except EmptyProblemError:
            continue
        kept = bins.weight > 0
        weight = bins.weight[kept] / bins.weight.sum()
        columns[:, c] = weight @ bins.target[kept], weight @ bins.score[kept], binned_error(bins)
    order = figures.worst_first(columns[2])
    names = tuple(family.outcomes[c] for c in order)
    share, mean_score, error = columns[:, order]
    to_draw = family if drawn is predictions else _class_family(drawn, choices)
    judged = order[:MOST_CLASSES]
    floors = np.full(len(names), np.nan)
    floors[: len(judged)] = [class_noise(to_draw.outcome(c), choices, len(judged)) for c in judged]
    return Classes(names, share, mean_score, error, floors, figures.classes_figure(names, error, floors=floors))
