"""The samples that are seen both before and after recalibration."""

from __future__ import annotations

import numpy as np

from ...decisions.thresholds import MODEL, RECALIBRATED
from ...engine.scalar import ScalarProblem
from ..asked.spec import OF_AFTER, OF_SAMPLES
from .reading import reads
from .situation import Situation


@reads(*OF_SAMPLES, *OF_AFTER)
def paired_problems(situation: Situation) -> dict[str, ScalarProblem]:
    """The problems of the first trial before and after recalibration, of the samples that both sides hold.

    Equal entries of `order` are the same sample.
    """
    before = situation.before.problems[0]
    if situation.after is None:
        return {MODEL: before}
    after = situation.after.problems[0]
    kept = np.intersect1d(before.order, after.order)
    if not len(kept):  # a selection by output may keep other samples after recalibration
        return {MODEL: before}
    sides = {MODEL: before, RECALIBRATED: after}
    if len(kept) == len(before) == len(after):
        return sides
    is_kept = np.zeros(int(max(before.order.max(), after.order.max())) + 1, dtype=bool)
    is_kept[kept] = True
    return {name: problem.subset(is_kept[problem.order]) for name, problem in sides.items()}
