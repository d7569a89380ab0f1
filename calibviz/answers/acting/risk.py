"""Risk and coverage: which part of the decisions can be left to the model, and how many of the surest are wrong."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...data.nouns import Nouns
from ...decisions.acting_draws import LEVEL
from ...decisions.selective import risk_curve
from ...engine.scalar import ScalarProblem
from ...figures import risk_coverage_figure
from ...figures.tables import Cell, Column, Table
from ...foundation.written import interval, percent
from ...metrics.risks import EQUAL
from ...uncertainty.intervals.bin_intervals import mean_interval
from ..asked.spec import OF_SAMPLES
from ..situation.as_code import selected
from ..situation.content import Code, Content
from ..situation.reading import reads
from ..situation.situation import Situation
from .decision import risk_of

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
    parts = {
        share: _accepted(problem, float(threshold[i]), float(risks[i])) for share, i in zip(SHARES, places, strict=True)
    }
    headings = ("accepted", situation.nouns.many, "from a score of", "wrong, predicted", "wrong, observed")
    columns = tuple(map(Column, headings))
    rows = tuple(map(_row, parts, parts.values()))
    table = Table("risk", "", columns, rows, "How many of the surest are wrong.", NOTE)
    figure = risk_coverage_figure({situation.spec.model: risk_of(problem)})
    return Content((table, figure), marked=_said(parts, situation.nouns))


def _accepted(problem: ScalarProblem, threshold: float, risk: float) -> dict[str, float]:
    """The samples whose score reaches a threshold: how many, and how many of them are predicted and observed wrong.

    `lower` and `upper` are the ends of the interval of what is observed (Clopper and Pearson 1934).
    """
    surest = problem.subset(problem.score >= threshold)
    low, high = mean_interval(surest, LEVEL)
    wrong = {"predicted": 1 - surest.mean_score, "observed": risk, "lower": 1 - high, "upper": 1 - low}
    return {"samples": surest.samples, "threshold": threshold, **wrong}


def _row(share: float, part: Mapping[str, float]) -> tuple[Cell, ...]:
    ends = interval(part["lower"], part["upper"])
    texts = {"samples": f"{part['samples']:,}"} | {name: percent(part[name]) for name in ("threshold", "predicted")}
    observed = tuple((name, part[name]) for name in ("observed", "lower", "upper"))
    return (
        Cell(f"{100 * share:g} %"),
        *(Cell(text, numbers=((name, part[name]),)) for name, text in texts.items()),
        Cell(percent(part["observed"]), below=ends, numbers=observed),
    )


def _said(parts: Mapping[float, Mapping[str, float]], nouns: Nouns) -> str:
    """A sentence about all samples and the surest half."""
    whole, half = parts[1.0], parts[0.5]
    return (
        f"Of all {nouns.counted(whole['samples'])} {percent(whole['observed'])} are wrong, where "
        f"{percent(whole['predicted'])} are predicted; of the surest half {percent(half['observed'])} (95 % interval "
        f"{interval(half['lower'], half['upper'])}), where {percent(half['predicted'])} are predicted."
    )


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the risks at some coverages."""
    print_one = f"print(share, cv.risk_at_coverage(predictions, {selected(situation)}, coverage=share))"
    return Code(("", f"for share in {list(SHARES)}:", f"    {print_one}"))
