"""What a report says of several models on the same samples."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ... import figures
from ...cube.evaluate import evaluate
from ...data.predictions import Predictions
from ...engine.binning import Uniform
from ...engine.scalar import ScalarProblem
from ...figures import MOST_OVERLAYS, Figure, Overlay
from ...foundation.fit_warnings import notices
from ...foundation.progress import with_progress
from ...recalibration.registry import CALIBRATORS
from ...uncertainty.noise_floors import looks_at_truth
from .apart import Difference, contender, differences
from .benefit import Benefits, benefits_of
from .choices import Scope
from .errors import Besides, floors_beside
from .findings import SHARE, Category, Measured, categories_of, said_of
from .numbers import BINS, SEED
from .ranks import RANKED, Ranks, ranks_in, reasons

REPAIRS = ("none", *(name for name, record in CALIBRATORS.items() if record.is_compared))
MOST_DRAWN = MOST_OVERLAYS + 1
MOST_FLOORED = 200_000  # beyond this number of samples, the repairs have no noise floor: it would take too long

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Compared:
    """All that a report of several models says.

    Attributes
    ----------
    judged, said, beside : dict of model name to its numbers, its sentence, and what stands beside its errors
    differences : dict of model name to differences
        How each number differs from that of the first model, which has no entry.
    repaired : dict of error name to ndarray, shape (models, methods)
        Errors after recalibration, on samples that the methods were not fitted to; or a sentence that says why there
        are none.
    reached : ndarray, shape (models, methods)
        The KS error that calibrated predictions with the repaired scores reach by noise; nan where that is not known.
    still_best : ndarray of bool, shape (models, methods)
        Which models are within noise of the best after recalibration, by the Brier score.
    """

    choices: Scope
    calibration: Mapping[str, Predictions] | None
    judged: Mapping[str, Measured]
    said: Mapping[str, str]
    beside: Mapping[str, Besides]
    differences: Mapping[str, Mapping[str, Difference]]
    reliability: Figure
    cumulative: tuple[Figure, ...]
    ranks: Ranks
    repaired: Mapping[str, np.ndarray] | str
    reached: np.ndarray
    still_best: np.ndarray
    notes: tuple[str, ...]
    categories: Mapping[str, tuple[Category, ...]]
    benefits: Benefits | None = None


def compared(
    models: Mapping[str, Predictions],
    calibration: Mapping[str, Predictions] | None,
    choices: Scope,
    progress: bool,
    threshold: float | None = None,
) -> Compared:
    """Everything that a report says of several models; a `ValueError` if they were judged on different samples."""
    refuse_other_samples(models, choices)
    problems = {name: choices.problem(predictions) for name, predictions in models.items()}
    judged = {
        name: Measured.of(models[name], problems[name])
        for name in with_progress(problems, "compare", len(problems), progress)
    }
    first, *others = judged
    ranks = evaluate(
        models,
        [choices.lens],
        bins=BINS,
        selections={"shown": choices.selection},
        metrics=[*RANKED, *choices.metrics],
        rng=SEED,
        ranking="model",
        progress=progress,
    )
    contenders = {name: contender(measured, choices) for name, measured in judged.items()}
    repaired, reached, still_best, heard = _repaired(models, calibration, choices, progress)
    return Compared(
        choices=choices,
        calibration=calibration,
        judged=judged,
        said={name: said_of(models[name], problems[name], choices) for name in judged},
        beside={
            name: floors_beside(measured.predictions, measured.problem, choices) for name, measured in judged.items()
        },
        differences={
            name: differences(judged[first], judged[name], choices, (contenders[first], contenders[name]))
            for name in others
        },
        reliability=_overlaid(judged, choices),
        cumulative=_differences(problems),
        ranks=ranks_in(ranks, "model", choices),
        repaired=repaired,
        reached=reached,
        still_best=still_best,
        notes=heard,
        categories={name: categories_of(problem, choices) for name, problem in problems.items()},
        benefits=benefits_of(problems, threshold),
    )


def refuse_other_samples(models: Mapping[str, Predictions], choices: Scope) -> None:
    """Raise unless all models were judged on the same samples, and the selection keeps the same of each."""
    if len(models) < 2:
        raise ValueError("a comparison needs two models at least: a report is about one")
    (name, first), *others = models.items()
    if choices.selects_by_output:
        raise ValueError("the selection looks at the output, which differs between models: select by label or field")
    for other, predictions in others:
        if len(predictions) != len(first):
            raise ValueError(
                f"{other!r} has {len(predictions):,} samples, but {name!r} has {len(first):,}: compare models on the "
                "same ones"
            )
        if predictions.class_names != first.class_names:
            raise ValueError(f"the classes of {other!r} are not those of {name!r}, in the same order")
        if predictions.of_confidence != first.of_confidence:
            raise ValueError(f"{other!r} holds {predictions.kind}, but {name!r} {first.kind}")
        for what in ("labels", "soft_labels", "weights"):
            mine, theirs = getattr(predictions, what), getattr(first, what)
            if (mine is None) != (theirs is None):
                raise ValueError(f"one of {name!r} and {other!r} has {what.replace('_', ' ')}, and the other has none")
            if mine is not None and not np.array_equal(mine, theirs):
                row = int(np.flatnonzero((mine != theirs).reshape(len(mine), -1).any(axis=1))[0])
                raise ValueError(
                    f"{what.replace('_', ' ')} of {other!r} differ from those of {name!r}, first in row {row}: "
                    "compare models on the same samples, in the same order"
                )
        kept = choices.selection
        if kept is not None and not np.array_equal(kept.mask(predictions), kept.mask(first)):
            raise ValueError(
                f"the selection {str(kept)!r} keeps other samples of {other!r} than of {name!r}: "
                "select by label or field"
            )


def _differences(problems: Mapping[str, ScalarProblem]) -> tuple[Figure, ...]:
    """The cumulative difference of each model, all to one scale."""
    drawn = [figures.cumulative_figures([problem], name)[2] for name, problem in problems.items()]
    half = max(figure.y_range[1] for figure in drawn)
    return tuple(replace(figure, y_range=(-half, half)) for figure in drawn)


def _overlaid(judged: Mapping[str, Measured], choices: Scope) -> Figure:
    """The reliability diagrams of the first few models in one picture, with bars for the first."""
    binning = Uniform(BINS)
    (name_of_first, reference), *others = list(judged.items())[:MOST_DRAWN]
    drawn = figures.reliability_figure(
        [reference.problem],
        [binning(reference.problem)],
        choices.name,
        categories=choices.categories,
        bars_name=f"95 % interval of {name_of_first}",
        overlays=[Overlay(name, [other.problem], [binning(other.problem)]) for name, other in others],
    )
    named = (replace(series, name=name_of_first) if series.role == "bins" else series for series in drawn.series)
    return replace(drawn, series=tuple(named))


def _repaired(
    models: Mapping[str, Predictions], calibration: Mapping[str, Predictions] | None, choices: Scope, progress: bool
) -> tuple[Mapping[str, np.ndarray] | str, np.ndarray, np.ndarray, tuple[str, ...]]:
    shape = len(models), len(REPAIRS)
    noise = not looks_at_truth(choices.selection) and max(map(len, models.values())) <= MOST_FLOORED
    try:
        with notices() as heard:
            cube = evaluate(
                models, [choices.lens], bins=BINS, selections={"shown": choices.selection}, metrics=("ks", "brier"),
                calibrators=REPAIRS, calibration=SHARE if calibration is None else calibration, rng=SEED,
                ranking="model", noise=noise, progress=progress,
            )  # fmt: skip  # short entries stand in rows
    except ValueError as error:
        log.debug("a part of the comparison is missing", exc_info=True)
        return str(error), np.full(shape, np.nan), np.zeros(shape, dtype=bool), ()
    errors = {name: cube[name].values.reshape(shape) for name in ("ks", "brier")}
    heard = [*heard, *reasons(cube[list(errors)], "model", np.array(list(errors.values())))]
    reached = cube.ks_noise.values.reshape(shape) if noise else np.full(shape, np.nan)
    return errors, reached, cube.brier_within_noise.values.reshape(shape), tuple(heard)
