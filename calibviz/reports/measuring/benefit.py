"""What acting from a threshold on is worth under each of several models of the same samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...decisions.acting_draws import BenefitDifference, DecisionDraws, decision_steps, too_few
from ...decisions.thresholds import ALL, NONE
from ...engine.scalar import ScalarProblem
from .numbers import SEED, replicates_for


@dataclass(frozen=True, eq=False)
class Benefits:
    """The net benefits of models at a threshold, and their differences on the same samples.

    Attributes
    ----------
    draws : DecisionDraws
        Of the models by name.
    few : str
        A sentence where a class has too few samples for a verdict; else empty.
    """

    threshold: float
    draws: DecisionDraws
    few: str

    @property
    def replicates(self) -> int:
        return self.draws.replicates

    def of(self, name: str) -> tuple[float, float, float]:
        """The net benefit of a model, or of treating all or none, and the ends of its interval."""
        row = self.draws.table(None).sel(strategy=name).isel(threshold=0)
        return float(row.net_benefit), float(row.lower), float(row.upper)

    def over(self, name: str, other: str) -> BenefitDifference:
        """How much more one way to act brings than another."""
        difference = self.draws.difference(name, other, self.threshold, None)
        assert difference is not None
        return difference


def benefits_of(problems: Mapping[str, ScalarProblem], threshold: float | None) -> Benefits | None:
    """The net benefits at a threshold; None without one."""
    if threshold is None:
        return None
    first = next(iter(problems.values()))
    if taken := {ALL, NONE} & problems.keys():
        raise ValueError(f"a model cannot be called {taken.pop()!r} where a threshold is named: call it otherwise")
    *_, (_, draws) = decision_steps(problems, np.array([threshold]), replicates_for(len(first)), SEED)
    return Benefits(threshold, draws, too_few(first))
