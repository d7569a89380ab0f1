"""The panel Confidence: the mean probability of each rank and of each group of classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .... import figures
from ....cube.confidences import mean_ranked
from ....data.predictions import Predictions
from ..job import Job, Steps
from ..situation import Situation, not_fitted
from .content import Content, at_once

Array = NDArray[np.float64]
Sides = Mapping[
    str, tuple[Sequence[Predictions], Any]
]  # by name, the trials and the selection that keeps some of their samples


def confidence(look: Situation) -> Content:
    """The mean k-th largest probability relative to a baseline, and the mean probability of each group."""
    spec, engine = look.spec, look.engine
    if look.of_summary:
        return Content((), "A summary holds sums under its lens, not whole rows.")
    kept = spec.make_selection()
    if kept is not None and kept.uses("output"):
        return Content((), "A selection by output does not apply to whole rows: select by confidence instead.")
    sides: dict[str, tuple[Sequence[Predictions], Any]] = {spec.model: (look.trials, engine.selection(spec))}
    others = [model for model in engine.models if model != spec.model]
    moved = engine.moved(spec, spec.model, spec.calibrator)
    if isinstance(moved, Job):
        note = not_fitted(spec.calibrator, moved)
    else:
        name = f"{spec.model}, {spec.calibrator}"
        sides[f"{name} (recalibrated)" if name in engine.models else name] = (moved, kept)
        note = ""
    same = [model for model in others if engine.models[model][0].n_classes == look.predictions.n_classes]
    for model in same[: 5 - len(sides)]:
        sides[model] = (engine.models[model], engine.selection(spec))
    key = ("confidence", tuple(sides), spec.selection, engine.key(spec, spec.model, spec.calibrator))
    small = at_once(look, len(sides) * sum(trial.probs.size for trial in look.trials))
    job = engine.jobs.get(key, "mean probabilities", lambda: _ranked(sides, engine.models), now=small)
    if not job.value:
        return Content((), job.ended_early or "Sorting the probabilities …")
    first, *drawn = job.value
    groups = look.groups
    if groups:
        means = engine.jobs.get((*key, *groups.items()), "groups", lambda: _grouped(sides, groups), now=small)
        if means.value is not None:
            drawn.append(means.value)
        note = f"{note} {means.ended_early}".strip()
    return Content(tuple(drawn), " ".join(f"Relative to {first}, uncalibrated. {note} {job.ended_early}".split()))


def _ranked(sides: Sides, models: Iterable[str]) -> Steps:
    """Steps to the name of the baseline, and the figure of all ranks."""
    first = next((name for name in models if name in sides), next(iter(sides)))
    means: dict[str, Array] = {}
    for i, name in enumerate(sorted(sides, key=lambda name: name != first)):
        trials, selection = sides[name]
        means[name] = np.array([mean_ranked(trial, selection)[0] for trial in trials])
        baseline = means[first].mean(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            curves = {name: means[name] / baseline for name in sides if name in means}
        yield (i + 1) / len(sides), (first, figures.confidence_figure(np.arange(1, len(baseline) + 1), curves))


def _grouped(sides: Sides, groups: Mapping[str, Any]) -> Steps:
    means = {name: _group_means(trials, selection, groups) for name, (trials, selection) in sides.items()}
    yield 1.0, figures.groups_figure(list(groups), means)


def _group_means(trials: Any, selection: Any, groups: Mapping[str, Any]) -> Array:
    """The mean probability of each group, shape (trials, groups)."""
    of_groups = []
    for trial in trials:
        weight = np.ones(len(trial)) if trial.weights is None else trial.weights
        weight = weight if selection is None else weight * selection.mask(trial)
        total = weight.sum() or np.nan  # the selection may keep no sample of a recalibrated model
        mean = np.array([weight @ trial.probs[:, c] for c in range(trial.n_classes)]) / total
        of_groups.append([mean[list(members)].sum() for members in groups.values()])
    return np.array(of_groups)
