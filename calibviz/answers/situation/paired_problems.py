"""The samples that are seen both before and after recalibration."""

from __future__ import annotations

import numpy as np

from ...decisions.thresholds import MODEL, RECALIBRATED
from ...engine.scalar import ScalarProblem
from .situation import Situation


def paired_problems(look: Situation) -> dict[str, ScalarProblem]:
    """What the pictures look at of the first trial, before and after recalibration: the samples that both sides hold.

    Equal entries of `order` are the same sample.
    """
    before = look.before.problems[0]
    if look.after is None:
        return {MODEL: before}

    def pair() -> dict[str, ScalarProblem | None]:
        assert look.after is not None
        after = look.aligned(look.after)[0]
        kept = np.intersect1d(before.order, after.order)
        if not len(kept):  # a selection by output may keep other samples after recalibration
            return {MODEL: None}
        if len(kept) == len(before) == len(after):
            return {MODEL: None, RECALIBRATED: after}
        is_kept = np.zeros(int(max(before.order.max(), after.order.max())) + 1, dtype=bool)
        is_kept[kept] = True
        sides = {MODEL: before, RECALIBRATED: after}
        return {name: problem.subset(is_kept[problem.order]) for name, problem in sides.items()}

    # None stands for the problem itself: what is kept of a problem must not keep it alive.
    sides = look.engine.of(before, ("paired", look.after.key), pair)
    return {name: before if problem is None else problem for name, problem in sides.items()}
