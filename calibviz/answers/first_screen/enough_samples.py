"""How many samples would tell the overall error to within a few points."""

from __future__ import annotations

import xarray as xr

from ...metrics.binned import ks_error
from ...simulation.sample_size import sample_size, suggested
from ..asked.spec import OF_SAMPLES, OF_SCORES
from ..situation.job import Steps
from ..situation.noise import TO_COME
from ..situation.reading import reads, slow
from ..situation.situation import Situation

ENOUGH = "Enough samples?"
UNKNOWN = "That is not known where weights do not count {}."
TOGETHER = "That is not known where {} belong together."
PRECISION = 0.05  # the width of an interval that is aimed at


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
    """The sentence, which two sizes decide: the last that is too small, and the next. Large ones take longest."""
    side = situation.before
    studies: dict[int, xr.Dataset] = {}
    effort = situation.spec.effort
    sizes, place = sorted(effort.sizes), len(effort.sizes) // 2
    is_enough: set[bool] = set()
    while 0 <= place < len(sizes) and len(is_enough) < 2:
        studies[sizes[place]] = study = sample_size(
            side.predictions[0],
            lens=situation.lens,
            error=ks_error,
            selection=side.selection,
            n=sizes[place],
            precision=PRECISION,
            replicates=effort.of_size,
            progress=False,
        )
        is_enough.add(study.suggested == sizes[place])
        place += -1 if study.suggested == sizes[place] else 1
    table = xr.concat([studies[size] for size in sorted(studies)], "n")
    yield 1.0, str(suggested(table, {"precision": PRECISION})["note"])
