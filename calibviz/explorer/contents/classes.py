"""The errors of every class, group or level of a hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import figures, validation
from ...class_lenses import Classwise
from ...figures import percent
from ...lenses import ClassConditional
from ...looking import induced_problem
from ...table_records import Cell, Column, Table
from ..jobs import Steps
from ..look import Look
from ..measurements import class_steps, group_errors, level_steps
from .content import Content, at_once

Array = NDArray[np.float64]

MOST_CLASSES = 20


def classes(look: Look) -> Content:
    """The error of every class, group or level of the hierarchy, the largest first (gce_measuring figure 1, left)."""
    spec, by = look.spec, look.spec.by
    names, job_value, failed = _errors_by(look)
    if names is None:
        return Content((), failed)
    if job_value is None:
        return Content((), failed or "Looking at every class …")
    errors = job_value[:, spec.setting("k-d tree" if by == "level" else look.kind)]
    current = names.index(current_name(look)) if current_name(look) in names else None
    spread = None
    figure = figures.classes_figure(names, errors, current, spread, kind=by)
    order = figures.worst_first(errors)[:MOST_CLASSES]
    top = float(np.nanmax(errors, initial=0.0)) or 1.0
    rows = tuple((Cell(names[c]), Cell(percent(float(errors[c])), bar=min(1.0, float(errors[c]) / top))) for c in order)
    place = list(order).index(current) if current in order else None
    what = {"class": "classes", "group": "groups", "level": "levels"}[by]
    table = Table(
        "worst", "", (Column(by), Column("error")), rows, f"The {len(rows)} {what} of the largest error.",
        "" if len(rows) == len(names) else f"The worst {len(rows)} of {len(names)}.",
        None if place is None else (place, None), "rows",
    )  # fmt: skip
    return Content((figure, table), failed)


def _errors_by(look: Look) -> tuple[list[str] | None, Array | None, str]:
    """Names and errors at every setting; or why there are none."""
    spec, jobs = look.spec, look.engine.jobs
    if (kept := spec.make_selection()) is not None and kept.uses("output"):
        return None, None, "The selection looks at the output, of which every class has its own: select by confidence."
    key = ("classes", spec.by, look.before.key[0], look.before.selection, look.kind, spec.error, spec.groups)  # type: ignore[index]
    if spec.by == "class":

        def steps() -> Steps:
            families: Any = [induced_problem(one, Classwise(), look.before.selection) for one in look.trials]
            yield from class_steps(families, spec, look.kind)

        job = jobs.get(key, "classes", steps, now=at_once(look, 10 * sum(one.probs.size for one in look.trials)))
        return list(look.predictions.class_names), job.value, job.failed
    if spec.by == "group":
        if not look.groups:
            return (
                None,
                None,
                "There are no groups of classes: write them in “groups”, or pass Predictions(groups=...).",
            )
        whole = len(look.groups) * sum(len(one) for one in look.trials)
        job = jobs.get(
            key, "groups", lambda: iter([(1.0, group_errors(look, list(look.groups)))]), now=at_once(look, whole)
        )
        return list(look.groups), job.value, job.failed
    levels = look.predictions.hierarchy
    if not levels:
        return None, None, "There is no hierarchy of classes: pass Predictions(hierarchy={level: groups})."
    job = jobs.get(key, "levels", lambda: level_steps(look, levels))
    return list(levels), job.value, job.failed


def sorted_names(look: Look) -> list[str]:
    """The classes, groups or levels, the worst first."""
    names, values, _ = _errors_by(look)
    if names is None or values is None:
        return []
    errors = values[:, look.spec.setting("k-d tree" if look.spec.by == "level" else look.kind)]
    return [names[c] for c in figures.worst_first(errors)]


def level_groups(look: Look, level: str) -> dict[str, tuple[str, ...]]:
    """The groups of a level of the hierarchy, as names of classes."""
    names = look.predictions.class_names
    return {group: tuple(names[c] for c in members) for group, members in look.predictions.hierarchy[level].items()}


def current_name(look: Look) -> str:
    """The class, group or level that is looked through."""
    spec = look.spec
    if spec.by == "level":
        chosen = {name: frozenset(members) for name, members in look.groups.items()}
        for level, groups in look.predictions.hierarchy.items():
            if spec.lens == "grouping" and chosen == {name: frozenset(m) for name, m in groups.items()}:
                return level
        return ""
    if spec.by == "group":
        return (look.outcome or "") if spec.lens == "grouping" else ""
    if not isinstance(look.lens, ClassConditional):
        return ""
    names = look.predictions.class_names
    return names[validation.class_index(look.lens.c, names)]
