"""The panel Bin count: how much the error depends on the number of bins or on gamma, and on that of samples."""

from __future__ import annotations

import math
from typing import Any

from ... import figures
from ...context.induced import induced_problem
from ...engine.binnings.binning_kinds import BinningKind
from ...engine.family import ProblemFamily
from ..asked.spec import OF_BINS, OF_ERROR, OF_SAMPLES, OF_SCORES, Error
from ..situation.content import Content
from ..situation.job import Steps
from ..situation.reading import reads, slow
from ..situation.situation import Situation
from ..steps.sensitivity import sensitivity_steps, size_steps


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR)
def sensitivity(situation: Situation) -> Content:
    """The error over the number of bins or gamma, with bootstrap bars, the samples in a bin, and fewer samples."""
    spec, kind, side = situation.spec, situation.kind, situation.before
    is_fine = kind.takes == "gamma"
    is_joint = bool(situation.outcomes and not situation.no_joint and is_fine)
    name, error = (spec.lens, situation.whole_error) if is_joint else (situation.name, spec.error)
    now = "first" if situation.is_instant or not is_joint else ""
    job = _bootstrapped(situation, kind, error, name, is_joint, label="bootstrap", now=now)
    if job.value is None:
        return Content((), job.ended_early or "The tree is growing …")
    place = math.log2(spec.gamma) if is_fine else spec.bins  # log2 of gamma, or the number itself
    pictures = job.value()[1]
    answer = " ".join(figure.note for figure in pictures if figure.note)
    problem = induced_problem(situation.trials[0], spec.make_lens(), side.selection) if is_joint else side.problems[0]
    return Content(
        (*(figures.marked(figure, place) for figure in pictures), *_by_size(situation, problem, error)),
        job.ended_early,
        marked=answer,
    )


def _by_size(situation: Situation, problem: Any, error: Error) -> tuple[figures.Figure, ...]:
    """The error in the chosen bins on fewer samples; nothing of several trials, or of a mean over classes."""
    if len(situation.trials) > 1 or situation.of_summary or isinstance(problem, ProblemFamily):
        return ()
    job = _fewer_samples(situation, problem, error, label="sample sizes", now="first")
    return () if job.value is None else (figures.spread_by_size_figure(job.value, is_error=True),)


@slow(*OF_SCORES)
def _bootstrapped(situation: Situation, kind: BinningKind, error: Error, name: str, is_joint: bool) -> Steps:
    side = situation.before
    problems: Any = side.problems
    if is_joint:
        problems = [induced_problem(trial, situation.spec.make_lens(), side.selection) for trial in side.predictions]
    yield from sensitivity_steps(problems, error, kind, name, situation.spec.effort.errors)


@slow(*OF_SCORES, *OF_BINS)
def _fewer_samples(situation: Situation, problem: Any, error: Error) -> Steps:
    return size_steps(problem, situation.spec.chosen_binning, error, situation.spec.effort.errors)
