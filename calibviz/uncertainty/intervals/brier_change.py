"""How much a recalibration changes the Brier score of the same samples: an interval that decides whether it helps."""

from __future__ import annotations

import math

import numpy as np

from ...engine.clustered import Clusters, too_few
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...metrics.masses import unit_weights, variances

Interval = tuple[float, float]

LEVEL = 0.9
ONE_SIDED = 1.6449  # the 95 % quantile of the normal distribution: each end is a test by itself at 5 %


def brier_change(before: ScalarProblem, after: ScalarProblem) -> Interval | None:
    """The interval of the change of the Brier score by a map, each end at 5 %; None where there is none.

    There is none where the samples differ, or lie in fewer than six clusters.

    A mean of one number a sample, m^2 - s^2 - 2 t (m - s), so its standard error is known. A map that keeps scores
    apart changes the Brier score by what it changes of the miscalibration, and by nothing else. Of samples in clusters
    the standard error is that of sums of clusters, of which there must be six.

    `answers.situation.paired_change` has an interval of the same difference for two views of any kind, which is shown
    as numbers. This one decides a verdict: each end is a test by itself, and the noise of the labels is never taken to
    be less than by the scores of one side. It knows that both sides have the same targets, so it also takes weights
    and targets that are means.
    """
    if before.squared_weights is not None:  # weights that depend on the targets
        return None
    moved = np.full(1 + max(before.order.max(), after.order.max()), np.nan)
    moved[after.order] = after.score
    moved = moved[before.order]
    clusters = Clusters.of(before)
    if len(before) != len(after) or np.isnan(moved).any() or (clusters is not None and too_few(clusters.count)):
        return None
    weight, target = unit_weights(before), before.given_target
    times = variances(before) if clusters is None else before.unit_squares
    step = moved - before.score
    change = step * (moved + before.score - 2.0 * target)
    mean = float(np.average(change, weights=weight))
    # A target that is the mean of several samples hides how far these are apart.
    if clusters is None:
        own, reach = float((times * ((change - mean) ** 2 + 4.0 * step**2 * target * (1.0 - target))).sum()), ONE_SIDED
    else:
        own, reach = (clusters.error_of_mean(change) * float(weight.sum())) ** 2, clusters.reach(LEVEL)
    # Where few targets are 1, or few are 0, these few show too little of the noise of labels: if the scores that the
    # map gives up are the true ones, or those that it makes, their noise is known.
    low, high = (
        reach * math.sqrt(max(0.0, own, _label_noise(times, step, scores))) / float(weight.sum())
        for scores in (moved, before.score)
    )
    return mean - low, mean + high


def _label_noise(times: Array, step: Array, scores: Array) -> float:
    """The variance of the sum of changes by the labels alone, if these have the scores as probabilities."""
    share = np.clip(scores, 0.0, 1.0)
    return float((times * 4.0 * step**2 * share * (1.0 - share)).sum())
