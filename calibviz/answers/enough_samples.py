"""How many samples would tell the overall error to within a few points."""

from __future__ import annotations

from ..metrics.binned import ks_error
from ..simulation.sample_size import sample_size
from .asked.spec import OF_SAMPLES, OF_SCORES
from .situation.job import Steps
from .situation.noise import TO_COME
from .situation.reading import reads, slow
from .situation.situation import Situation

ENOUGH = "Enough samples?"
UNKNOWN = "That is not known where weights do not count {}."
TOGETHER = "That is not known where {} belong together."
PRECISION, REPLICATES = 0.05, 40  # the width of an interval that is aimed at, and data sets of each size


@reads(*OF_SAMPLES)
def enough_samples(situation: Situation) -> str:
    """A sentence on how many samples it takes, and how many are here; empty where samples are not known one by one."""
    if situation.of_summary or len(situation.trials) > 1:
        return ""
    problem = situation.before.problems[0]
    if problem.clusters is not None:
        return TOGETHER.format(situation.nouns.many)
    if problem.given_weight is not None and not problem.whole_weights:
        return UNKNOWN.format(situation.nouns.many)
    job = _sample_size(situation, label="number of samples", is_aside=True)
    if not job.value:
        return job.ended_early or TO_COME
    said: str = job.value.replace("An interval", "An interval of the overall error")
    return f"{said} Here are {problem.samples:,}."


@slow(*OF_SCORES)
def _sample_size(situation: Situation) -> Steps:
    side = situation.before
    table = sample_size(
        side.predictions[0],
        lens=situation.lens,
        error=ks_error,
        selection=side.selection,
        precision=PRECISION,
        replicates=REPLICATES,
        progress=False,
    )
    yield 1.0, str(table.note)
