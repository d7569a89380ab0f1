"""How much the error depends on the number of bins or on gamma."""

from __future__ import annotations

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
    if look.outcomes and not look.no_joint and kind == "k-d tree":
        problems: Any = (
            tuple(induced_problem(one, spec.make_lens(), side.selection) for one in side.predictions)
            if look.is_instant
            else None
        )
    else:
        problems = side.problems

    def steps() -> Iterator[tuple[float, Any]]:
        found = problems or [induced_problem(one, spec.make_lens(), side.selection) for one in side.predictions]
        yield from sensitivity_steps(found, spec, kind, look.name if problems is side.problems else spec.lens)

    key = ("sensitivity", side.key, kind, spec.error, look.name if problems is side.problems else spec.lens)
    job = look.engine.jobs.get(key, "bootstrap", steps, now="" if problems is None else "first")
    if job.value is None:
        return Content((), job.ended_early or "The tree is growing …")
    place = -(spec.setting() + 1) if kind == "k-d tree" else spec.bins  # log2 of gamma, or the number itself
    pictures = job.value()[1]
    note = " ".join(filter(None, (job.ended_early, *(figure.note for figure in pictures))))
    return Content(tuple(figures.marked(figure, place) for figure in pictures), note)
