"""The panel Confidence: the mean probability of each rank and of each group of classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import entr

from ... import figures
from ...context.lenses import in_clusters
from ...cube.confidences import mean_ranked
from ...data.predictions import Predictions
from ...engine.clustered import Clusters
from ...engine.scalar import ScalarProblem
from ...figures.shapes import over_trials
from ...figures.tables import Cell, Column, Table
from ...foundation.arrays import Array, effective_size, row_blocks
from ...metrics.masses import clopper_pearson
from ...recalibration.registry import AS_IT_IS
from ...uncertainty.intervals.bin_intervals import INTERVAL_LEVEL, mean_interval
from ..asked.spec import OF_AFTER, OF_SAMPLES
from ..situation.content import Content, at_once
from ..situation.job import Job, Steps
from ..situation.paired_change import TWO_SIDED
from ..situation.reading import reads
from ..situation.situation import Situation, not_fitted

MOST_LIKELY = 10  # classes of which top-k accuracy is drawn
MOST_SIDES = 5  # models, and the recalibrated one among them
SAME = 1e-9  # accuracies that differ by less, which is rounding
Sides = Mapping[
    str, tuple[Sequence[Predictions], Any]
]  # by name, the trials and the selection that keeps some of their samples


def why_no_ranks(situation: Situation) -> str:
    """A sentence that says why ranks tell nothing; empty where there are more than two."""
    return "" if situation.predictions.n_classes > 2 else "Of two classes the second rank is the rest of the first."


@reads(*OF_SAMPLES, *OF_AFTER, "overlays")
def confidence(situation: Situation) -> Content:
    """How much probability each rank gets, as a multiple of a baseline, and how much each group gets."""
    spec, engine = situation.spec, situation.engine
    if situation.of_summary:
        return Content((), "A summary holds sums under its lens, not whole rows.")
    kept = spec.chosen_selection
    if kept is not None and kept.uses("output"):
        return Content((), "A selection by output does not apply to whole rows: select by confidence instead.")
    wanted = list(_wanted(situation))
    compared, note = _compared(
        situation, [(model, calibrator) for model, calibrator in wanted if calibrator == AS_IT_IS]
    )
    small, job = _ranks_of(situation, compared)
    if not job.value:  # what needs no fit comes first, which may take a while
        return Content((), job.ended_early or "Sorting the probabilities …")
    if any(calibrator != AS_IT_IS for _, calibrator in wanted):
        compared, note = _compared(situation, wanted)
        small, whole = _ranks_of(situation, compared)
        job = whole if whole.value else job
    first, *drawn = job.value
    sides, key = compared.sides, compared.key
    groups = situation.groups
    if groups:
        means = engine.jobs.get(
            (*key, *groups.items()), "groups", lambda: _grouped(compared, groups, spec.model), now=small
        )
        if means.value is not None:
            drawn.append(means.value)
        note = f"{note} {means.ended_early}".strip()
    rows = engine.jobs.get((*key, "whole rows"), "entropy and top-k accuracy", lambda: _measured(sides), now=small)
    if rows.value is not None:
        pairs = zip(sides, rows.value, strict=False)  # those that are not measured yet are left out
        known = {name: measured for name, measured in pairs if np.isfinite(measured.observed).all()}
        top_k = [_top_k_figure(known, spec.model, compared.after)] if spec.model in known else []
        drawn += [*top_k, _entropy_table(known)]
        note = f"{note} {rows.ended_early}".strip()
    against = (
        f"The first picture divides by what {first} predicts as it is (the baseline): at 1, as much is predicted. "
        f"What is observed is that of {spec.model}."
    )
    return Content(tuple(drawn), " ".join(f"{against} {note} {job.ended_early}".split()))


@dataclass(frozen=True)
class Compared:
    """The sides that the pictures compare, the current model first, the key of their jobs and the recalibrated one."""

    sides: Sides
    key: tuple[Hashable, ...]
    after: str


def _wanted(situation: Situation) -> Iterator[tuple[str, str]]:
    """The models and calibrators beside the current model: those drawn over it, else its calibrator and all models."""
    spec, models = situation.spec, situation.engine.models
    if spec.overlays:
        several = situation.drawn_over
    else:
        own = [(spec.model, spec.calibrator)] if spec.is_recalibrated else []
        several = [*own, *((model, AS_IT_IS) for model in models if model != spec.model)][: MOST_SIDES - 1]
    like = situation.predictions
    for model, calibrator in several:
        first = models[model][0]
        if (first.n_classes, first.of_confidence) == (like.n_classes, like.of_confidence):
            yield model, calibrator


def _compared(situation: Situation, beside: Iterable[tuple[str, str]]) -> tuple[Compared, str]:
    """The current model with those beside it that can be shown now, and why others cannot."""
    spec, engine = situation.spec, situation.engine
    kept = spec.chosen_selection
    sides: dict[str, tuple[Sequence[Predictions], Any]] = {spec.model: (situation.trials, kept)}
    keys, moves, notes = [engine.key(spec, spec.model, AS_IT_IS)], dict[str, str](), []
    for model, calibrator in beside:
        if calibrator == AS_IT_IS:
            sides[model] = engine.models[model], kept
        else:
            moved = engine.moved(spec, model, calibrator)
            if isinstance(moved, Job):
                notes.append(not_fitted(calibrator, moved))
                continue
            name = f"{model}, {calibrator}"
            name += " (recalibrated)" * (name in engine.models)
            moves[name] = calibrator
            sides[name] = engine.kept_of_moved(spec, model, calibrator, moved)
        keys.append(engine.key(spec, model, calibrator))
    after = next((name for name, calibrator in moves.items() if calibrator == spec.calibrator), next(iter(moves), ""))
    return Compared(sides, ("confidence", spec.selection, spec.groups, *keys), after), " ".join(notes)


def _ranks_of(situation: Situation, compared: Compared) -> tuple[str, Job]:
    """Whether all that is made of the sides is soon done, and the job of their ranks."""
    spec, engine = situation.spec, situation.engine
    small = at_once(len(compared.sides) * sum(trial.probs.size for trial in situation.trials))
    steps = partial(_ranked, compared.sides, engine.models, spec.model, compared.after)
    return small, engine.jobs.get(compared.key, "mean probabilities", steps, now=small)


def _ranked(sides: Sides, models: Iterable[str], model: str, after: str) -> Steps:
    """Steps to the name of the baseline, and the figure of all ranks, at last with what is observed."""
    first = next((name for name in models if name in sides), next(iter(sides)))
    means: dict[str, Array] = {}
    for i, name in enumerate(sorted(sides, key=lambda name: name != first)):
        trials, selection = sides[name]
        means[name] = np.array([mean_ranked(trial, selection)[0] for trial in trials])
        baseline = means[first].mean(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            curves = {name: means[name] / baseline for name in sides if name in means}
        drawn = partial(figures.confidence_figure, np.arange(1, len(baseline) + 1), curves, first, after=after)
        yield (i + 1) / (len(sides) + 1), (first, drawn(found=None))
    yield 1.0, (first, drawn(found=_found_by_rank(sides[model], baseline)))


def _found_by_rank(side: tuple[Sequence[Predictions], Any], baseline: Array) -> figures.ObservedShares:
    """How often the class of each of the first ranks is true, relative to the baseline."""

    def of_ranks(trial: Predictions) -> list[Array]:
        within = [trial.target_within(k) for k in range(1, min(MOST_LIKELY, trial.n_ranks) + 1)]
        return [within[0], *(later - former for former, later in pairwise(within))]

    found = _shares_found(*side, of_ranks)
    with np.errstate(divide="ignore", invalid="ignore"):
        return figures.ObservedShares(found.name, *(part / baseline[: len(part)] for part in found[1:]))


def _shares_found(
    trials: Sequence[Predictions], selection: Any, targets_of: Callable[[Predictions], Sequence[Array]]
) -> figures.ObservedShares:
    """How often each of several outcomes is true: of one trial with its 95 % interval (Clopper and Pearson 1934)."""
    shares, size, ends = [], np.nan, None
    for trial in trials:
        weight = _weights(trial, selection)
        total = float(weight.sum()) or np.nan
        targets = targets_of(trial)
        shares.append([float(weight @ target) / total for target in targets])
        size, ends = effective_size(weight), ends_by_clusters(trial, weight, targets)
    mean, std = over_trials(shares)
    if len(trials) > 1:
        return figures.ObservedShares("observed, ± std of trials", mean, mean - std, mean + std)
    if ends is None:
        ends = clopper_pearson(mean, np.full(len(mean), size), INTERVAL_LEVEL)
    return figures.ObservedShares(f"observed, {100 * INTERVAL_LEVEL:g} % interval", mean, *ends)


def ends_by_clusters(trial: Predictions, weight: Array, targets: Sequence[Array]) -> tuple[Array, Array] | None:
    """The interval of each mean of targets, as of a bin of samples in clusters; None where there are none."""
    if trial.cluster_codes is None or not weight.any():
        return None
    problems = (in_clusters(ScalarProblem(target, target, weight), trial) for target in targets)
    lower, upper = np.array([mean_interval(problem, INTERVAL_LEVEL) for problem in problems]).T
    return lower, upper


def _weights(trial: Predictions, selection: Any) -> Array:
    """The weights of the samples, 0 where the selection leaves one out."""
    weight = np.ones(len(trial)) if trial.weights is None else trial.weights
    return weight if selection is None else weight * selection.mask(trial)


@dataclass(frozen=True)
class WholeRows:
    """Measures of whole rows of probabilities, one entry a trial: see `_measure`."""

    entropy: Array
    deviation: Array
    predicted: Array
    observed: Array
    ends: Array


def _measured(sides: Sides) -> Steps:
    """Measure the whole rows of each side, one after the other."""
    measured: list[WholeRows] = []
    for trials, selection in sides.values():
        parts = zip(*(_measure(trial, selection) for trial in trials), strict=True)
        measured.append(WholeRows(*(np.array(part) for part in parts)))
        yield len(measured) / len(sides), list(measured)


def _measure(predictions: Predictions, selection: Any) -> tuple[float, float, Array, Array, Array]:
    """Mean entropy in nats and its standard error; the k likeliest, predicted and observed, and the latter's ends."""
    n, most = len(predictions), min(MOST_LIKELY, predictions.n_ranks)
    weight = _weights(predictions, selection)
    total = float(weight.sum()) or np.nan  # the selection may keep no sample of a recalibrated model
    entropy, predicted = np.empty(n), np.zeros(most)
    for block in row_blocks(*predictions.probs.shape):
        part = np.clip(predictions.ranked(block).astype(np.float64), 0.0, 1.0)
        entropy[block] = entr(part).sum(axis=1)
        predicted += weight[block] @ np.cumsum(part[:, :most], axis=1)
    targets = [predictions.target_within(k) for k in range(1, most + 1)]
    found = np.array([weight @ target for target in targets]) / total
    mean, size = float(weight @ entropy) / total, effective_size(weight)
    error = (float(weight @ (entropy - mean) ** 2) / total / size) ** 0.5
    ends = ends_by_clusters(predictions, weight, targets)
    if ends is None:
        ends = clopper_pearson(found, np.full(most, size), INTERVAL_LEVEL)
    elif predictions.cluster_codes is not None:
        clusters = Clusters.of_rows(predictions.cluster_codes, weight)
        error = clusters.error_of_mean(entropy[weight > 0]) * clusters.reach(INTERVAL_LEVEL) / TWO_SIDED
    return mean, error, predicted / total, found, np.array(ends)


def _top_k_figure(whole: Mapping[str, WholeRows], model: str, recalibrated: str) -> figures.Figure:
    """The top-k accuracy of the model beside what is predicted, and that of reordered classes after recalibration."""
    own = whole[model]
    after = [recalibrated] if recalibrated in whole else []
    predicted = {name: whole[name].predicted for name in (model, *after)}
    moved = [whole[name] for name in after if not np.allclose(whole[name].observed, own.observed, rtol=0, atol=SAME)]
    found = [(side.observed, _interval(side)) for side in (own, *moved)]
    return figures.top_k_figure(predicted, *found[0], *(found[1] if moved else ()))


def _interval(side: WholeRows) -> tuple[Array, Array] | None:
    """The interval of each top-k accuracy of one trial."""
    return (side.ends[0][0], side.ends[0][1]) if len(side.observed) == 1 else None


def _entropy_table(whole: Mapping[str, WholeRows]) -> Table:
    """The mean entropy of each side with its interval, and among how many equal classes one would be as unsure."""
    rows = []
    for name, measured in whole.items():
        mean = float(measured.entropy.mean())
        if len(measured.entropy) > 1:
            below = f"± {measured.entropy.std():.3f} over the trials"
        else:
            reach = TWO_SIDED * float(measured.deviation[0])
            below = f"{max(0.0, mean - reach):.3f} to {mean + reach:.3f}"
        classes = Cell(f"{np.exp(mean):.2f} classes")
        rows.append((Cell(name), Cell(f"{mean:.3f} nat", below=below), classes))
    heads = (
        Column("model"),
        Column(
            "how unsure (mean entropy)", "How unsure the probabilities are, whatever is true; below, its 95 % interval"
        ),
        Column(
            "wavers between (perplexity)",
            "As unsure as somebody to whom so many classes are equally likely: e to the power of the entropy",
        ),
    )
    alt = "The mean entropy of the probabilities (Kirchenbauer et al. 2022, figure 11)."
    return Table("entropy", "How sure it says it is", heads, tuple(rows), alt)


def _grouped(compared: Compared, groups: Mapping[str, Any], model: str) -> Steps:
    sides = compared.sides
    means = {name: _group_means(trials, selection, groups) for name, (trials, selection) in sides.items()}
    found = _shares_found(
        *sides[model],
        lambda trial: [np.sum([trial.target_column(c) for c in members], axis=0) for members in groups.values()],
    )
    yield 1.0, figures.groups_figure(list(groups), means, after=compared.after, found=found)


def _group_means(trials: Any, selection: Any, groups: Mapping[str, Any]) -> Array:
    """The mean probability of each group, shape (trials, groups)."""
    of_groups = []
    for trial in trials:
        weight = _weights(trial, selection)
        total = weight.sum() or np.nan  # the selection may keep no sample of a recalibrated model
        mean = np.array([weight @ trial.probs[:, c] for c in range(trial.n_classes)]) / total
        of_groups.append([mean[list(members)].sum() for members in groups.values()])
    return np.array(of_groups)
