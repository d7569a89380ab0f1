"""How much the Brier score differs between two views of the same samples, with its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ...decisions.acting_draws import FEWEST
from ...engine.scalar import ScalarProblem

TWO_SIDED = float(ndtri(0.975))  # standard errors on either side of a mean, for 95 %


@dataclass(frozen=True)
class PairedChange:
    """A mean change with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def is_noise(self) -> bool:
        """Whether the interval holds 0."""
        return self.low <= 0 <= self.high


def paired_brier_change(first: ScalarProblem, second: ScalarProblem) -> PairedChange | None:
    """How far the second Brier score lies above the first.

    It is a mean of one number a sample, so its standard error is known.

    `uncertainty.brier_change` judges a calibrator by the same difference. This one is shown as numbers: a plain
    interval of 95 %, with 2.5 % beyond each end. Where labels are many, their own spread says how noisy they are;
    the scores, which may be wrong, are asked only where events are few. Both sides may have targets of their own, such
    as those of two lenses. Weights are refused, and a target that is a mean counts as one sample.

    Parameters
    ----------
    first, second : ScalarProblem
        Equal entries of `order` are the same sample.

    Returns
    -------
    PairedChange or None
        None where the samples differ, have weights, or have several scores each.
    """
    sorts = np.argsort(first.order), np.argsort(second.order)
    samples, others = (problem.order[sort] for problem, sort in zip((first, second), sorts, strict=True))
    if len(samples) < 2 or not np.array_equal(samples, others) or not np.diff(samples).all():
        return None
    if np.ptp(first.weight) or np.ptp(second.weight):
        return None
    losses = [
        ((problem.score - problem.given_target) ** 2)[sort]
        for problem, sort in zip((first, second), sorts, strict=True)
    ]
    change = losses[1] - losses[0]
    mean, variance = float(change.mean()), float(change.var(ddof=1))
    events = first.mean_target * len(change)
    if min(events, len(change) - events) < FEWEST:  # so few say too little of the noise of labels: see `brier_change`
        scores = [np.clip(problem.score[sort], 0.0, 1.0) for problem, sort in zip((first, second), sorts, strict=True)]
        step = scores[1] - scores[0]
        variance = max(variance, *(float((4 * step**2 * score * (1 - score)).mean()) for score in scores))
    half = TWO_SIDED * (variance / len(change)) ** 0.5
    return PairedChange(mean, mean - half, mean + half)
