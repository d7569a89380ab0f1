"""Risk and coverage: which part of the decisions can be left to the model, and how many of the surest are wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.nouns import Nouns
from ..decisions.acting_draws import LEVEL
from ..decisions.selective import risk_curve
from ..engine.scalar import ScalarProblem
from ..figures import risk_coverage_figure
from ..figures.tables import Cell, Column, Table
from ..foundation.written import interval, percent
from ..metrics.risks import EQUAL
from ..uncertainty.bin_intervals import mean_interval
from .asked.spec import OF_SAMPLES
from .content import Code, Content
from .decision import risk_of
from .situation.as_code import selected
from .situation.reading import reads
from .situation.situation import Situation

SHARES = (1.0, 0.9, 0.75, 0.5, 0.25)  # of the samples that are accepted, the surest first
NOTE = (
    "Accepted are the samples of which the model is the surest; those tied at the least score are accepted together. "
    "Predicted is the mean of 1 minus the score. The interval is that of Clopper and Pearson (1934)."
)


def why_no_risk(situation: Situation) -> str:
    """A sentence that says why there is no risk to show; empty where a score is how sure the model is to be right."""
    return "" if situation.says_how_sure else "The score is not how sure the model is to be right."


@reads(*OF_SAMPLES)
def risk(situation: Situation) -> Content:
    """How many of the surest samples are wrong, in parts of several sizes, and the risk-coverage curve."""
    problem = situation.before.problems[0]
    curve = risk_curve(problem)
    coverage, threshold, risks = curve.coverage.values, curve.threshold.values, curve.risk.values
    places = [int(np.argmax(coverage >= share - EQUAL)) for share in SHARES]
    parts = [
        Accepted.of(problem, share, float(threshold[i]), float(risks[i]))
        for share, i in zip(SHARES, places, strict=True)
    ]
    headings = ("accepted", situation.nouns.many, "from a score of", "wrong, predicted", "wrong, observed")
    columns = tuple(map(Column, headings))
    table = Table("risk", "", columns, tuple(part.row for part in parts), "How many of the surest are wrong.", NOTE)
    figure = risk_coverage_figure({situation.spec.model: risk_of(problem)})
    return Content((table, figure), marked=_said(parts, situation.nouns))


@dataclass(frozen=True)
class Accepted:
    """The surest samples: from which score on, how many of them are predicted to be wrong, and how many are.

    `lower` and `upper` are the ends of the interval of `observed` (Clopper and Pearson 1934).
    """

    share: float
    samples: int
    threshold: float
    predicted: float
    observed: float
    lower: float
    upper: float

    @classmethod
    def of(cls, problem: ScalarProblem, share: float, threshold: float, risk: float) -> Accepted:
        """The samples whose score reaches a threshold."""
        surest = problem.subset(problem.score >= threshold)
        low, high = mean_interval(surest, LEVEL)
        return cls(share, surest.samples, threshold, 1 - surest.mean_score, risk, 1 - high, 1 - low)

    @property
    def row(self) -> tuple[Cell, ...]:
        """A row of the table."""
        return (
            Cell(f"{100 * self.share:g} %"),
            Cell(f"{self.samples:,}", numbers=(("samples", self.samples),)),
            Cell(percent(self.threshold), numbers=(("threshold", self.threshold),)),
            Cell(percent(self.predicted), numbers=(("predicted", self.predicted),)),
            Cell(
                percent(self.observed),
                below=interval(self.lower, self.upper),
                numbers=(("observed", self.observed), ("lower", self.lower), ("upper", self.upper)),
            ),
        )


def _said(parts: list[Accepted], nouns: Nouns) -> str:
    """A sentence about all samples and the surest half."""
    whole, half = parts[0], next(part for part in parts if part.share <= 0.5)
    return (
        f"Of all {nouns.counted(whole.samples)} {percent(whole.observed)} are wrong, where {percent(whole.predicted)} "
        f"are predicted; of the surest half {percent(half.observed)} (95 % interval "
        f"{interval(half.lower, half.upper)}), where {percent(half.predicted)} are predicted."
    )


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the risks at some coverages."""
    print_one = f"print(share, cv.risk_at_coverage(predictions, {selected(situation)}, coverage=share))"
    return Code(("", f"for share in {list(SHARES)}:", f"    {print_one}"))
