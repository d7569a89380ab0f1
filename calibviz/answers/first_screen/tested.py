"""The test of calibration that the verdict and the segments rest on, run once for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

from ...context.truth_selections import OF_ENTRIES
from ...foundation.validation import clause_of
from ...uncertainty.intervals.error_intervals import LEVEL
from ...uncertainty.joint_test import JointTest, calibration_test
from ..asked.effort import Effort
from ..asked.spec import OF_SCORES
from ..situation.engine import Side
from ..situation.job import Job, Steps
from ..situation.reading import slow
from ..situation.situation import Situation

AT_ONCE = 2_000  # samples that are tested in a moment


@dataclass(frozen=True)
class Draws:
    """How labels are drawn, by default as often as on every page, and at which level intervals are given."""

    level: float = LEVEL
    replicates: int | None = None
    rng: int | None = 0

    def number(self, effort: Effort) -> int:
        """The number of draws, which is that of a page where none is given."""
        return effort.tests if self.replicates is None else self.replicates


USUAL = Draws()


def tested(situation: Situation, side: Side, draws: Draws = USUAL) -> Job:
    """The test of the first trial, a `JointTest` or the reason why there is none."""
    now = "soon" if side.problems[0].samples <= AT_ONCE else ""
    return _test(situation, side, draws, label="test of calibration", now=now)


def is_of_gaps(test: JointTest | str | None) -> TypeGuard[JointTest]:
    """Whether a test is there, and is of no gap at all: under a selection by what is true, segments have their own."""
    return isinstance(test, JointTest) and test.expected is None


@slow(*OF_SCORES)
def _test(situation: Situation, side: Side, draws: Draws) -> Steps:
    yield 1.0, _tested(situation, side, draws)


def _tested(situation: Situation, side: Side, draws: Draws) -> JointTest | str:
    if situation.scores_per_sample > 1:
        return f"there is no test, since {OF_ENTRIES}"
    how: dict[str, Any] = {"replicates": draws.number(situation.spec.effort), "rng": draws.rng, "progress": False}
    try:
        if side.maps is not None:  # scores that no rows have
            found = calibration_test(side.problems[0], **how)
        else:
            found = calibration_test(side.predictions[0], situation.lens, selection=side.selection, **how)
        if not found.why_not:
            return found
        clusters = situation.clusters_of(side.problems[0])
        return f"there is no test: {found.why_not}" if clusters is None else clusters.too_few_to("tell")
    except ValueError as why:
        return clause_of(why)
