"""The panel Classes: the error of every class, group or level of a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import figures
from ...context.class_lenses import Classwise
from ...context.induced import induced_problem
from ...context.lenses import ClassConditional, Grouping, Lens, Outcome
from ...engine.binnings.binning import bins_of
from ...engine.binnings.binning_kinds import TREE, BinningKind
from ...engine.scalar import EmptyProblemError
from ...figures.tables import Cell, Column, Place, Table
from ...foundation import validation
from ...foundation.written import percent
from ...metrics.binned import binned_error, error_series
from ...uncertainty.noise_floors import Beside, NoiseFloor
from ..asked.spec import MAHALANOBIS, OF_BINS, OF_ERROR, OF_SAMPLES, WEIGHTED
from ..situation.content import Content, at_once
from ..situation.job import Job, Steps
from ..situation.noise import NOT_HERE, OF_NOISE, Floors, error_cell, floors_of, several_beside
from ..situation.reading import reads, slow
from ..situation.situation import Situation

MOST_CLASSES, MOST_CHOSEN = 20, 100  # rows of all classes, and of a range that somebody chose
BY_TOTAL_VARIATION = "The errors of levels are by total variation: weights and matrix are of the outcomes of a lens."
ONE_IN_TWENTY = "By noise alone one in twenty shows more."


def why_no_classes(situation: Situation) -> str:
    """A sentence that says why a list of classes tells nothing; empty where there are more than two."""
    return "" if situation.predictions.n_classes > 2 else "Of two classes the error of one is that of the other."


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR, "by", "zoom")
def classes(situation: Situation) -> Content:
    """The error of every class, group or level, the largest first (Nixon et al. 2019, figure 1, left)."""
    spec, by = situation.spec, situation.spec.by
    listed = _listed(situation)
    if isinstance(listed, str):
        return Content((), listed)
    names, job = listed
    if job.value is None:
        return Content((), job.ended_early or "Looking at every class …")
    errors, spread = job.value[:, :, spec.setting(_kind(situation))]
    current = names.index(current_name(situation)) if current_name(situation) in names else None
    deviation = spread if len(situation.trials) > 1 else None
    members = _members(situation)
    order = figures.worst_first(errors)
    first, last = ranks = zoomed(spec.zoom, len(order))
    is_zoomed = ranks != (1, len(order))
    in_sight = order[first - 1 : last]
    worst = in_sight[: MOST_CHOSEN if is_zoomed else MOST_CLASSES]
    floors, why = _noise(situation, [names[c] for c in worst])
    reached = [floors[name].reaches if name in floors else np.nan for name in names]
    figure = figures.classes_figure(
        names, errors, current, deviation, floors=reached, kind=by, classes=members, ranks=ranks if is_zoomed else None
    )
    rows = tuple(_row(names[c], float(errors[c]), floors.get(names[c]), why) for c in worst)
    place = list(worst).index(current) if current in worst else None
    what = {"class": "classes", "group": "groups", "level": "levels"}[by]
    shown = "" if len(rows) == len(names) else f"The worst {len(rows)} of {len(names):,}. "
    if is_zoomed:
        of_these = "" if len(rows) == len(in_sight) else f" The worst {len(rows)} of these are listed."
        shown = f"Ranks {first:,} to {last:,} of {len(order):,}.{of_these} "
    alt = f"The {len(rows)} {what} of the largest error"
    alt = f"{alt} from rank {first} on" if is_zoomed else alt
    by_noise = f"No noise floor: {why}." if why else OF_NOISE if by == "level" else f"{OF_NOISE} {ONE_IN_TWENTY}"
    table = Table(
        "worst",
        "",
        (Column(by), Column("error")),
        rows,
        f"{alt}.",
        f"{shown}{by_noise}",
        None if place is None else (place, None),
        "rows",
        tuple(Place(classes=members[c]) for c in worst) if members else (),
    )
    note = job.ended_early
    if by == "level" and spec.distance in (WEIGHTED, MAHALANOBIS):
        note = " ".join(filter(None, (note, BY_TOTAL_VARIATION)))
    return Content((figure, table), note, tuple(names[c] for c in in_sight), of_many=len(order))


def zoomed(zoom: tuple[int, ...], count: int) -> tuple[int, int]:
    """The first and the last rank that are shown of so many: those chosen, or all where none of them is there."""
    first, last = zoom or (1, count)
    return (first, min(last, count)) if first <= count else (1, count)


def _members(situation: Situation) -> tuple[tuple[int, ...], ...]:
    """The classes that each listed name stands for, by their index; empty for levels, which are of all classes."""
    if situation.spec.by == "class":
        return tuple((c,) for c in range(situation.predictions.n_classes))
    return tuple(map(tuple, situation.groups.values())) if situation.spec.by == "group" else ()


def _row(name: str, error: float, floor: NoiseFloor | None, why_not: str) -> tuple[Cell, Cell]:
    return Cell(name), error_cell(percent(error), error, Beside(floor, no_floor=why_not, no_interval=NOT_HERE))


def _noise(situation: Situation, names: Sequence[str]) -> tuple[Floors, str]:
    """The noise floors of the listed names that are known so far, and why there are none."""
    return several_beside(situation, _floors, tuple(sorted(names)), label=f"errors by {situation.spec.by}")


def _lens_of(situation: Situation, name: str) -> Lens:
    """The lens through which a class, a group against the rest, or a level is looked at."""
    if situation.spec.by == "class":
        return ClassConditional(name)
    if situation.spec.by == "group":
        return Outcome(situation.spec.but(lens="grouping").make_lens(), name)
    groups = situation.predictions.hierarchy[name].items()
    return Grouping(tuple((group, tuple(members)) for group, members in groups))


@slow("model", "groups", "selection", *OF_BINS, *OF_ERROR, "by")  # whatever class is looked at
def _floors(situation: Situation, names: Sequence[str]) -> Steps:
    spec = situation.spec
    side = situation.engine.unlooked(spec)
    kind = _kind(situation)
    binning = spec.settings(kind)[spec.setting(kind)]

    def measure(problem: Any) -> dict[str, float]:
        return {"": binned_error(bins_of(problem, binning), *spec.error)}

    floors: dict[str, NoiseFloor] = {}
    for i, name in enumerate(names):
        lens = _lens_of(situation, name)
        problems = [induced_problem(trial, lens, side.selection) for trial in side.predictions]
        floors[name] = floors_of(situation, side, lens, problems, measure, of_many=len(names))[""]
        yield (i + 1) / len(names), dict(floors)


def _listed(situation: Situation) -> tuple[tuple[str, ...], Job] | str:
    """The names and the job that measures their errors at every setting, or a sentence that says why there are none."""
    spec, by = situation.spec, situation.spec.by
    if (kept := spec.chosen_selection) is not None and kept.uses("output"):
        return "The selection looks at the output, of which every class has its own: select by confidence."
    names, size = situation.predictions.class_names, 10 * situation.predictions.probs.size
    if by == "group":
        if not situation.groups:
            return "There are no groups of classes: write them in “groups”, or pass Predictions(groups=...)."
        names, size = tuple(situation.groups), len(situation.groups) * len(situation.predictions)
    elif by == "level":
        levels = situation.predictions.hierarchy
        if not levels:
            return "There is no hierarchy of classes: pass Predictions(hierarchy={level: groups})."
        names = tuple(levels)
    trials = situation.before.predictions  # there are none of a lens or a selection that cannot be used
    now = "" if by == "level" else at_once(size * len(trials), situation.kind)
    return names, _errors(situation, names, label=f"errors by {by}", now=now)


@slow("model", "groups", "selection", "by", "kind", "error", "own_gamma")
def _errors(situation: Situation, names: Sequence[str]) -> Steps:
    """The error of every name at every setting: mean and spread over the trials, shape (2, names, settings).

    nan for those to come, and for classes without samples. Those of levels are as in gece figure 12.
    """
    spec, selection = situation.spec, situation.spec.chosen_selection
    binnings = spec.settings(_kind(situation))
    spread = np.full((2, len(names), len(binnings)), np.nan)
    families: Any = None
    if spec.by == "class":  # whose columns are sorted together
        families = [induced_problem(trial, Classwise(), selection) for trial in situation.trials]
    for i, name in enumerate(names):
        try:
            if families is not None:
                problems = [family.outcome(i) for family in families]
            else:
                problems = [induced_problem(trial, _lens_of(situation, name), selection) for trial in situation.trials]
            errors = [error_series(problem, binnings, *spec.error) for problem in problems]
        except EmptyProblemError:
            continue
        spread[:, i] = np.mean(errors, axis=0), np.std(errors, axis=0)
        yield (i + 1) / len(names), spread.copy()
    yield 1.0, spread


def _kind(situation: Situation) -> BinningKind:
    """The kind of bins that the errors are in: those of levels, which are of whole rows, are on cells."""
    return TREE if situation.spec.by == "level" else situation.kind


def level_groups(situation: Situation, level: str) -> dict[str, tuple[str, ...]]:
    """The groups of a level of the hierarchy, each with the names of its classes."""
    names = situation.predictions.class_names
    return {
        group: tuple(names[c] for c in members) for group, members in situation.predictions.hierarchy[level].items()
    }


def current_name(situation: Situation) -> str:
    """The name of the class, group or level that the lens looks at; empty if there is none."""
    spec = situation.spec
    if spec.by == "level":
        chosen = {name: frozenset(members) for name, members in situation.groups.items()}
        for level, groups in situation.predictions.hierarchy.items():
            if spec.lens == "grouping" and chosen == {name: frozenset(m) for name, m in groups.items()}:
                return level
        return ""
    if spec.by == "group":
        return (situation.outcome or "") if spec.lens == "grouping" else ""
    if not isinstance(situation.lens, ClassConditional):
        return ""
    names = situation.predictions.class_names
    return names[validation.class_index(situation.lens.c, names)]
