"""The panel Sensitivity: how much the error depends on the number of bins or on gamma."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .... import figures
from ....context.induced import induced_problem
from ..situation import Situation
from ..slow_steps import sensitivity_steps
from .content import Content


def sensitivity(look: Situation) -> Content:
    """The error over the number of bins or gamma, with bootstrap bars, and how many samples a bin holds."""
    spec, kind, side = look.spec, look.kind, look.before
    is_joint = bool(look.outcomes and not look.no_joint and kind == "k-d tree")
    name = spec.lens if is_joint else look.name

    def steps() -> Iterator[tuple[float, Any]]:
        problems: Any = side.problems
        if is_joint:
            problems = [induced_problem(trial, spec.make_lens(), side.selection) for trial in side.predictions]
        yield from sensitivity_steps(problems, spec, kind, name)

    key = ("sensitivity", side.key, kind, spec.error, name)
    job = look.engine.jobs.get(key, "bootstrap", steps, now="first" if look.is_instant or not is_joint else "")
    if job.value is None:
        return Content((), job.ended_early or "The tree is growing …")
    place = math.log2(spec.gamma) if kind == "k-d tree" else spec.bins  # log2 of gamma, or the number itself
    pictures = job.value()[1]
    note = " ".join(filter(None, (job.ended_early, *(figure.note for figure in pictures))))
    return Content(tuple(figures.marked(figure, place) for figure in pictures), note)
