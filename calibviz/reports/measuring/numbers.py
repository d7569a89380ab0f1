"""The numbers of a report, each with its bootstrap replicates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...context.induced import replicate
from ...cube.metrics import Plan, measured
from ...data.predictions import Predictions
from ...engine.binning import Uniform
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...metrics.records.record import MetricRecord
from ...metrics.records.registry import METRICS
from ...metrics.scores import right_share
from ...uncertainty.bootstrap import draws_of, quantiles

Array = NDArray[np.float64]

BINS = 15
SEED = 0
QUANTILES = (0.025, 0.975)  # of a 95 % interval, as all intervals of a report are
MOST_REPLICATES, FEWEST_REPLICATES = 500, 200
DRAWN = 5_000_000  # scores in all replicates together, as long as that leaves FEWEST_REPLICATES


@dataclass(frozen=True)
class Reading:
    """How a number is called on the page, and how it is written.

    Attributes
    ----------
    name, why : str
        Its name, and what it says.
    is_share : bool
        Whether it is written as a percentage.
    """

    name: str
    why: str
    is_share: bool = True

    @classmethod
    def of(cls, record: MetricRecord) -> Reading:
        """How a report calls a metric, whose bins are those of all reports."""
        bins = f", {BINS} uniform bins" if "bins" in record.own_dims else ""
        return cls(record.term + bins, record.says, record.unit == "%")


#: The metrics of a report, in the order in which it lists them.
RECORDS = {
    name: METRICS[name]
    for name in ("accuracy", "mean_score", "mean_target", "ece", "sweep", "debiased", "ks", "brier", "log_loss")
}
READINGS: Mapping[str, Reading] = {name: Reading.of(record) for name, record in RECORDS.items()}
PLAN = Plan(
    {name: record for name, record in RECORDS.items() if record.has_problem},
    {"uniform": Uniform},
    (BINS,),
    quantiles=QUANTILES,
    seed=SEED,
)


@dataclass(frozen=True, eq=False)
class Number:
    """A number and its bootstrap replicates.

    Attributes
    ----------
    value : float
        nan if it cannot be computed; `why_not` then says why.
    replicates : ndarray, shape (n,)
        nan for bootstrap samples of which the selection keeps nothing.
    """

    value: float
    replicates: Array
    why_not: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """The 2.5 % and 97.5 % quantiles of the replicates."""
        low, high = quantiles(self.replicates, QUANTILES)
        return float(low), float(high)


def replicates_for(scores: int) -> int:
    """How many bootstrap samples to draw: the more scores, the fewer, since their intervals are smooth with few."""
    return min(MOST_REPLICATES, max(FEWEST_REPLICATES, DRAWN // scores))


def numbers_of(
    predictions: Predictions,
    problem: ScalarProblem,
    n: int,
    drawn: tuple[Predictions, ScalarProblem] | None = None,
) -> dict[str, Number]:
    """Every number of a problem, which a lens has made of these predictions, with n bootstrap replicates.

    The replicates are of `drawn`, predictions and their problem, where these are given.

    The draws depend only on the number of samples and their weights, so that differences between models, or between
    before and after, are paired. The intervals are those of `evaluate`.
    """
    values, reasons = _values(predictions, problem)
    columns = {name: np.full(n, np.nan) for name in READINGS}
    source, whole = drawn or (predictions, problem)
    for i, weights in enumerate(draws_of(source, n, None, SEED)):
        try:
            other = replicate(whole, weights)
            assert isinstance(other, ScalarProblem)
            replicated, _ = _values(source, other)
        except EmptyProblemError:  # the selection keeps nothing of this bootstrap sample
            continue
        for name, value in replicated.items():
            columns[name][i] = value
    return {name: Number(values[name], columns[name], reasons.get(name, "")) for name in READINGS}


def _values(predictions: Predictions, problem: ScalarProblem) -> tuple[dict[str, float], dict[str, str]]:
    """The numbers by name, and the reasons of those that cannot be computed."""
    cells, reasons = measured(problem, PLAN)
    values = {"accuracy": right_share(predictions, problem), **{name: float(v.item()) for name, v in cells.items()}}
    return values, {name: sentence for name, [(_, sentence), *_] in reasons.items()}
