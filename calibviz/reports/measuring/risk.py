"""What part of the decisions can be left to the model: how many of the surest ones are wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...context.lenses import Lens
from ...data.predictions import Predictions
from ...decisions.selective import risk_curve, with_intervals
from ...engine.scalar import ScalarProblem
from ...figures import Figure, risk_coverage_figure
from ...metrics.masses import clopper_pearson
from ...metrics.risks import EQUAL
from .choices import Scope

SHARES = (1.0, 0.9, 0.75, 0.5, 0.25)  # of the samples that are accepted, the surest first
MOST_POINTS = 500  # of the curve in the picture
LEVEL = 0.95


@dataclass(frozen=True)
class Accepted:
    """The surest samples: from which score on, how many of them are said to be wrong, and how many are.

    Attributes
    ----------
    share : float
        Of all samples, asked for; those tied at the least score are accepted together.
    samples : int
    threshold, told, found, lower, upper : float
        `lower` and `upper` are the ends of the interval of `found` (Clopper and Pearson 1934).
    """

    share: float
    samples: int
    threshold: float
    told: float
    found: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class Risk:
    """The surest samples in parts of several sizes, the risk-coverage curve, and the choices that give it again."""

    accepted: tuple[Accepted, ...]
    picture: Figure
    choices: Scope


def risk_of(predictions: Predictions, problem: ScalarProblem, choices: Scope) -> Risk | None:
    """How many of the surest are wrong; None where the score does not say how sure a prediction is."""
    if not choices.says_how_sure(predictions):
        return None
    curve = risk_curve(problem)
    coverage, threshold = curve.coverage.values, curve.threshold.values
    places = [int(np.argmax(coverage >= share - EQUAL)) for share in SHARES]
    risk = curve.risk.values
    accepted = tuple(_accepted(problem, share, threshold[i], risk[i]) for share, i in zip(SHARES, places, strict=True))
    kept = np.unique(np.linspace(0, len(coverage) - 1, min(MOST_POINTS, len(coverage))).round().astype(int))
    drawn = with_intervals(curve.isel(point=kept), problem, LEVEL)
    return Risk(accepted, risk_coverage_figure({"model": drawn}), choices)


def _accepted(problem: ScalarProblem, share: float, threshold: float, risk: float) -> Accepted:
    surest = problem.subset(problem.score >= threshold)
    lower, upper = clopper_pearson(np.array([risk]), np.array([surest.effective_size]), LEVEL)
    told = 1 - surest.mean_score
    return Accepted(share, surest.samples, float(threshold), told, float(risk), float(lower[0]), float(upper[0]))


def risk_code(shown: Risk | None, lens_code: Callable[[Lens], str]) -> list[str]:
    """The Python that gives the shares of wrong ones again."""
    if shown is None:
        return []
    about = f"predictions, {lens_code(shown.choices.lens)}, selection=selection"
    return [
        "",
        "# Risk and coverage",
        f"for share in {list(SHARES)}:",
        f"    print(share, cv.risk_at_coverage({about}, coverage=share))",
    ]
