"""The numbers of a report: each with what the bootstrap makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..context.induced import replicate
from ..cube.metrics import Plan, measured
from ..data.predictions import Predictions
from ..engine.binning import Uniform
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..metrics.scores import right_share
from ..uncertainty.bootstrap import draws_of, quantiles

Array = NDArray[np.float64]

BINS = 15
SEED = 0
QUANTILES = (0.025, 0.975)  # of a 95 % interval, as all intervals of a report are
MOST_REPLICATES, FEWEST_REPLICATES = 500, 200
DRAWN = 5_000_000  # scores in all replicates together, unless so many need more than the fewest


@dataclass(frozen=True)
class Metric:
    """A number as a reader meets it.

    Attributes
    ----------
    name, why : str
        What it is called, and what it says.
    is_share : bool
        Whether it reads as a percentage.
    """

    name: str
    why: str
    is_share: bool = True


METRICS: Mapping[str, Metric] = {
    "accuracy": Metric("accuracy", "how often the likeliest class is the right one, whatever the lens"),
    "mean_score": Metric("mean score", "what the model says on average"),
    "mean_target": Metric("mean target", "what is true on average"),
    "ece": Metric(
        f"ECE, {BINS} uniform bins",
        "distance of mean score and mean target in each bin, averaged by the samples in it; few samples make it larger",
    ),
    "sweep": Metric(
        "ECE, monotone sweep",
        "the same on as many bins of equal mass as keep the mean target from falling (Roelofs et al. 2022)",
    ),
    "debiased": Metric(
        "debiased L2 error",
        f"root mean square distance in {BINS} bins of equal mass, less its noise (Kumar et al. 2019)",
    ),
    "ks": Metric("KS error", "largest distance of the cumulative curves, without bins (Gupta et al. 2020)"),
    "brier": Metric("Brier score", "mean squared distance of score and target: calibration and sharpness", False),
    "log_loss": Metric("log loss", "mean −ln of what was said of what came true, in nats", False),
}
PLAN = Plan(
    metrics=tuple(name for name in METRICS if name != "accuracy"), binnings={"uniform": Uniform}, bins=(BINS,),
    gammas=(), likert={}, distance=None, p=1.0, bootstrap=0, quantiles=QUANTILES, seed=SEED,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Number:
    """A number and what it is on bootstrap samples.

    Attributes
    ----------
    value : float
        nan where it cannot be computed; `why_not` then says so.
    replicates : ndarray, shape (n,)
        nan where a bootstrap sample held nothing to judge.
    """

    value: float
    replicates: Array
    why_not: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """The 2.5 % and the 97.5 % quantile of the replicates."""
        low, high = quantiles(self.replicates, QUANTILES)
        return float(low), float(high)


def replicates_for(problem: ScalarProblem) -> int:
    """How many bootstrap samples are drawn: fewer of many samples, whose intervals are smooth with few."""
    return min(MOST_REPLICATES, max(FEWEST_REPLICATES, DRAWN // len(problem)))


def numbers_of(predictions: Predictions, problem: ScalarProblem, n: int) -> dict[str, Number]:
    """Every number of a problem that a lens has made of these predictions, with n bootstrap replicates.

    The draws depend only on the number of samples and their weights, so that differences between models, or between
    before and after, are paired. The intervals are those of `evaluate`.
    """
    values, reasons = _values(predictions, problem)
    columns = {name: np.full(n, np.nan) for name in METRICS}
    for i, weights in enumerate(draws_of(predictions, n, None, SEED)):
        try:
            other = replicate(problem, weights)
            assert isinstance(other, ScalarProblem)
            found, _ = _values(predictions, other)
        except EmptyProblemError:  # the selection keeps nothing of this one
            continue
        for name, value in found.items():
            columns[name][i] = value
    return {name: Number(values[name], columns[name], reasons.get(name, "")) for name in METRICS}


def _values(predictions: Predictions, problem: ScalarProblem) -> tuple[dict[str, float], dict[str, str]]:
    found, reasons = measured(problem, PLAN)
    values = {"accuracy": right_share(predictions, problem), **{name: float(v.item()) for name, v in found.items()}}
    return values, {name: sentence for name, [(_, sentence), *_] in reasons.items()}
