"""How much means differ between views of the same samples: one with its interval, and all that are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, xlogy

from ...decisions.acting_draws import FEWEST
from ...engine.clustered import Clusters, too_few
from ...engine.scalar import ScalarProblem
from ...foundation import arrays
from ...foundation.arrays import Array
from ...foundation.marked import aside, strong
from ...foundation.written import difference, interval

TWO_SIDED = float(ndtri(0.975))  # standard errors on either side of a mean, for 95 %
DRAWS, LEVEL = 999, 0.05  # of the largest difference on a page


@dataclass(frozen=True)
class PairedChange:
    """A mean change with its interval, of 95 % unless another was asked for."""

    mean: float
    low: float
    high: float

    @property
    def is_noise(self) -> bool:
        """Whether the interval holds 0."""
        return self.low <= 0 <= self.high

    def __str__(self) -> str:
        """Whether the second of two Brier scores is better, marked, and by how much."""
        word = "within noise" if self.is_noise else "better" if self.mean < 0 else "worse"
        ends = interval(self.low, self.high, "", signed=True)
        return f"{strong(word)}, Brier score {difference(self.mean)} {aside(f'(95 % interval {ends})')}"


def paired_brier_change(
    first: ScalarProblem, second: ScalarProblem, *, level: float = 1 - LEVEL
) -> PairedChange | None:
    """How far the second Brier score lies above the first; equal entries of `order` are the same sample.

    It is a mean of one number a sample, so its standard error is known. It is None where the samples differ, have
    weights, have several scores each, or lie in fewer than six clusters.

    `uncertainty.intervals.brier_change` judges a calibrator by the same difference. This one is shown as numbers: a
    plain interval, with as much beyond each end. Where labels are many, their own spread says how noisy they are; the
    scores, which may be wrong, are asked only where events are few. Both sides may have targets of their own, such
    as those of two lenses. A target that is a mean counts as one sample.
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
    mean, variance, reach = float(change.mean()), float(change.var(ddof=1)), float(ndtri((1 + level) / 2))
    which, of = (0, first) if first.clusters is not None else (1, second)
    if (clusters := Clusters.of(of)) is not None:
        own = np.empty(len(change))
        own[sorts[which]] = change
        variance, reach = clusters.error_of_mean(own) ** 2 * len(change), clusters.reach(level)
        if too_few(clusters.count):
            return None
    events = first.mean_target * len(change)
    if min(events, len(change) - events) < FEWEST:  # so few say too little of the noise of labels: see `brier_change`
        scores = [np.clip(problem.score[sort], 0.0, 1.0) for problem, sort in zip((first, second), sorts, strict=True)]
        step = scores[1] - scores[0]
        variance = max(variance, *(float((4 * step**2 * score * (1 - score)).mean()) for score in scores))
    half = reach * (variance / len(change)) ** 0.5
    return PairedChange(mean, mean - half, mean + half)


def losses_of(problem: ScalarProblem, right: Array | None, threshold: float) -> Array:
    """The means of a page as one value a sample, shape (numbers, n), by `order`: what `told_apart` compares.

    They are whether the prediction is right, of all samples, the score, the squared error, the log loss, and the net
    benefit.
    """
    score, target = problem.score, problem.given_target.astype(np.float64)
    hits = np.full(len(score), np.nan) if right is None else right[problem.order]
    log_loss = -(xlogy(target, score) + xlogy(1 - target, 1 - score))
    benefit = np.where(score >= threshold, target - (1 - target) * threshold / (1 - threshold), 0.0)
    return np.stack([hits, score, (score - target) ** 2, log_loss, benefit])[:, np.argsort(problem.order)]


def told_apart(
    values: Sequence[Array], weight: Array, worth: float, seed: int = 0, clusters: Clusters | None = None
) -> NDArray[np.bool_]:
    """Which means of which two models are told apart at 5 % for all of them together, shape (models, models, numbers).

    The largest of all |difference| / standard error on a page is compared with its multiplier bootstrap: normal
    multipliers of the samples, the same for all differences. Given the samples, the multiplied differences are normal
    with the correlations of the differences, so these are drawn at once. Clusters have one multiplier each, and fewer
    than six tell nothing apart.

    Each model has values of shape (numbers, n); the weights are worth as many equal samples as `worth`.
    """
    models, (numbers, n) = len(values), values[0].shape
    pairs = list(combinations(range(models), 2))
    share, are_apart = weight / weight.sum(), np.zeros((models, models, numbers), dtype=bool)
    if clusters is not None and too_few(clusters.count):
        return are_apart
    with np.errstate(invalid="ignore"):  # the difference of two infinite losses
        means = np.concatenate([(values[j] - values[i]) @ share for i, j in pairs])
        spread = np.concatenate(
            [
                ((values[j] - values[i] - mean[:, None]) ** 2) @ share
                for (i, j), mean in zip(pairs, means.reshape(-1, numbers), strict=True)
            ]
        )
    errors = np.sqrt(spread / max(worth - 1, 1e-9))
    if clusters is not None:
        moved = np.concatenate([values[j] - values[i] for i, j in pairs]) - means[:, None]
        own = clusters.sums(np.where(np.isfinite(moved), moved, np.nan).T).T / clusters.total
        errors = np.sqrt(clusters.correction * np.square(own).sum(axis=1))
    known = np.flatnonzero(np.isfinite(means) & (errors > 1e-12 * np.abs(means)) & (errors > 0))
    if not len(known) or worth <= 1:
        return are_apart
    likeness = np.zeros((len(known), len(known)))
    if clusters is not None:
        alike = own[known] / np.linalg.norm(own[known], axis=1)[:, None]
        likeness = alike @ alike.T
    for rows in arrays.row_blocks(n, max(1, models * numbers)) if clusters is None else ():
        apart = np.concatenate([values[j][:, rows] - values[i][:, rows] for i, j in pairs])[known]
        apart = (apart - means[known, None]) / np.sqrt(spread[known, None])
        likeness += (apart * share[rows]) @ apart.T
    sizes, axes = np.linalg.eigh(likeness)
    drawn = np.random.default_rng(seed).normal(size=(DRAWS, len(known))) @ (axes * np.sqrt(np.maximum(sizes, 0))).T
    largest = np.sort(np.abs(drawn).max(axis=1))[-int(LEVEL * (DRAWS + 1))]
    beyond = np.zeros(len(means), dtype=bool)
    beyond[known] = np.abs(means[known]) / errors[known] > largest
    for (i, j), row in zip(pairs, beyond.reshape(-1, numbers), strict=True):
        are_apart[i, j] = are_apart[j, i] = row
    return are_apart
