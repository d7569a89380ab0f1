"""The panel Bin count: how much the error depends on the number of bins or on gamma, and on that of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .. import figures
from ..context.induced import induced_problem
from ..engine.family import ProblemFamily
from .asked.spec import OF_BINS, OF_ERROR, OF_SAMPLES, Error
from .content import Content
from .situation.reading import reads
from .situation.situation import Situation
from .steps.sensitivity import sensitivity_steps, size_steps


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR)
def sensitivity(look: Situation) -> Content:
    """The error over the number of bins or gamma, with bootstrap bars, the samples in a bin, and fewer samples."""
    spec, kind, side = look.spec, look.kind, look.before
    is_joint = bool(look.outcomes and not look.no_joint and kind == "k-d tree")
    name, error = (spec.lens, look.whole_error) if is_joint else (look.name, spec.error)

    def steps() -> Iterator[tuple[float, Any]]:
        problems: Any = side.problems
        if is_joint:
            problems = [induced_problem(trial, spec.make_lens(), side.selection) for trial in side.predictions]
        yield from sensitivity_steps(problems, error, kind, name)

    key = ("sensitivity", side.key, kind, error, name)
    job = look.engine.jobs.get(key, "bootstrap", steps, now="first" if look.is_instant or not is_joint else "")
    if job.value is None:
        return Content((), job.ended_early or "The tree is growing …")
    place = math.log2(spec.gamma) if kind == "k-d tree" else spec.bins  # log2 of gamma, or the number itself
    pictures = job.value()[1]
    answer = " ".join(figure.note for figure in pictures if figure.note)
    problem = induced_problem(look.trials[0], spec.make_lens(), side.selection) if is_joint else side.problems[0]
    return Content(
        (*(figures.marked(figure, place) for figure in pictures), *_by_size(look, problem, error, name)),
        job.ended_early,
        answer=answer,
    )


def _by_size(look: Situation, problem: Any, error: Error, name: str) -> tuple[figures.Figure, ...]:
    """The error in the chosen bins on fewer samples; nothing of several trials, or of a mean over classes."""
    if len(look.trials) > 1 or look.of_summary or isinstance(problem, ProblemFamily):
        return ()
    binning = look.spec.make_binning()
    key = ("sample sizes", look.before.key, binning, error, name)
    job = look.engine.jobs.get(key, "sample sizes", lambda: size_steps(problem, binning, error), now="first")
    return () if job.value is None else (figures.sample_sizes_figure(job.value, is_error=True),)
