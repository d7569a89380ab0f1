"""The segment that pictures and tables show beside all samples: the first that the verdict names."""

from __future__ import annotations

from ..context.condition_parser import selection as read_selection
from ..context.induced import scalar_problem
from ..decisions.flagged_segments import FlaggedSegment
from ..engine.scalar import ScalarProblem
from .asked.spec import OF_SAMPLES
from .situation.reading import reads
from .situation.situation import Situation
from .verdict import OF_WORDS, verdict_of


@reads(*OF_SAMPLES, *OF_WORDS)
def worst_segment(situation: Situation) -> FlaggedSegment | None:
    """The first news of the verdict; None where there is none, or its errors cancel, so that it has no gap."""
    first = verdict_of(situation).segment
    return None if first is None or first.cancels else first


@reads(*OF_SAMPLES)
def problem_of(situation: Situation, segment: FlaggedSegment) -> ScalarProblem:
    """The scores and targets of its samples."""
    return scalar_problem(situation.before.predictions[0], situation.lens, read_selection(segment.selection))
