"""Sums of a vector problem in the leaves of a k-d tree that was grown on some of the samples; they add."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..context.conditions import Condition
from ..context.induced import induced_problem
from ..context.lenses import Lens
from ..data.predictions import Predictions
from ..engine.binnings.bins import Bins
from ..engine.binnings.kdtree import Partition, least_weight
from ..engine.scalar import EmptyProblemError
from ..engine.vector import VectorProblem
from ..foundation.arrays import Array
from ..metrics.binned import binned_error
from ..metrics.records.registry import METRICS
from ..scale.row_randomness import poisson_draws
from ..scale.sums import TOO_HEAVY
from ..uncertainty.resampling.bootstrap import quantiles
from .cells_in_memory import noise_of
from .metrics import Measured, Plan

WEIGHT, BRIER, LOSS, IMPOSSIBLE, HITS, SCORES = range(6)  # columns of the sums; the targets follow the scores
ROWS = ": draw rows with predictions.sample(), which evaluate takes as a whole"
TOO_FEW = 2  # times the weight at which a leaf would have been split


class LeafSums:
    """Weighted sums over the samples of each leaf: exact, whatever the samples that the tree was grown on.

    `sums`, of shape (nodes, 1 + replicates, 5 + 2 m), are of 1, Brier score, log loss where it is finite, how often it
    is not, hits, the m scores and the m targets; on the samples as they are, and on replicates where each is there as
    often as a Poisson number of mean 1 says. `samples` are those of positive weight.
    """

    def __init__(self, nodes: int, replicates: int, outcomes: int) -> None:
        self.sums = np.zeros((nodes, 1 + replicates, columns(outcomes)))
        self.samples, self.plain, self.whole = 0, True, True  # whether all weights are 1, or whole numbers

    def __add__(self, other: LeafSums) -> LeafSums:
        both = object.__new__(LeafSums)
        with np.errstate(over="ignore"):
            both.sums = self.sums + other.sums
        both.samples = self.samples + other.samples
        both.plain, both.whole = self.plain and other.plain, self.whole and other.whole
        return both


def columns(outcomes: int) -> int:
    """How many sums there are of each leaf."""
    return SCORES + 2 * outcomes


@dataclass(frozen=True, eq=False)
class TreeLook:
    """The key of leaf sums: a vector lens, a selection and a tree; sides and calibrators are as in `Look`."""

    lens: Lens
    condition: Condition | None
    partition: Partition
    outcomes: int
    replicates: int
    seed: int
    low: float = 0.0
    high: float = 1.0
    calibrator: Any = None

    @property
    def nbytes(self) -> int:
        """Bytes of the sums of a part."""
        return 8 * len(self.partition) * (1 + self.replicates) * columns(self.outcomes)

    def empty(self, class_names: tuple[str, ...]) -> LeafSums:
        """Sums of nothing yet."""
        return LeafSums(len(self.partition), self.replicates, self.outcomes)

    def add(self, leaves: LeafSums, predictions: Predictions, numbers: NDArray[np.intp]) -> None:
        """Add samples; their numbers among all decide how often they are drawn."""
        if predictions.soft_labels is not None:
            raise ValueError("sums count targets of 0 and 1, but the labels are soft")
        try:
            problem = induced_problem(predictions, self.lens, self.condition)
        except EmptyProblemError:
            return
        assert isinstance(problem, VectorProblem)
        hits, weight = predictions.top_target[problem.order], problem.weight
        leaves.samples += len(problem)
        leaves.plain &= bool((weight == 1).all())
        leaves.whole &= problem.whole_weights
        for rows, drawn in poisson_draws(numbers[problem.order], self.replicates, self.seed):
            score, target = problem.score[rows].astype(np.float64), problem.target_rows(rows)
            times = np.vstack([weight[rows], drawn * weight[rows]])
            with np.errstate(divide="ignore"):
                loss = -np.log((score * target).sum(axis=1))
            impossible = np.isinf(loss)
            loss[impossible] = 0.0  # so that it does not spoil the draws that it is not in
            brier = ((score - target) ** 2).sum(axis=1)
            values = np.column_stack([np.ones(len(score)), brier, loss, impossible, hits[rows], score, target])
            leaf = self.partition.leaf_of(problem.score[rows])
            order = np.argsort(leaf, kind="stable")
            starts = np.flatnonzero(np.diff(leaf[order], prepend=-1))
            for i, part in zip(leaf[order][starts], np.split(order, starts[1:]), strict=True):
                leaves.sums[i] += times[:, part] @ values[part]


def measured_leaves(leaves: LeafSums, partition: Partition, plan: Plan) -> Measured:
    """Return those numbers of a cube that leaf sums know."""
    if not leaves.samples:
        raise EmptyProblemError
    sums = leaves.sums.copy()
    for node in range(len(partition) - 1, -1, -1):  # children come after their parents
        if partition.child[node] >= 0:
            sums[node] = sums[partition.child[node]] + sums[partition.child[node] + 1]
    if not np.isfinite(sums[0, 0, WEIGHT]):
        raise ValueError(TOO_HEAVY)
    values = {metric: np.full(plan.shape(metric), np.nan) for metric in plan.of_lenses}
    known = ", ".join(name for name, record in METRICS.items() if record.in_leaves)
    reasons = {
        metric: [("", f"of a lens with several outcomes, one pass finds {known} alone")]
        for metric, record in plan.of_lenses.items()
        if not record.in_leaves
    }
    with_quantiles = [metric for metric, record in plan.of_lenses.items() if record.has_quantiles]
    own = _of_replicate(sums[:, 0], partition, plan) | {
        "count": np.array(sums[0, 0, WEIGHT] if leaves.whole else float(leaves.samples))
    }
    values |= {metric: value for metric, value in own.items() if metric in values}
    for i, gamma in enumerate(plan.gammas if "kdtree_ece" in values else ()):
        if _is_coarse(sums[:, 0, WEIGHT], partition, gamma):
            values["kdtree_ece"][i] = np.nan
            why = "too few of the selected samples are among those that the tree was grown on"
            reasons.setdefault("kdtree_ece", []).append((f"gamma={gamma:g}", why))
    if plan.replicates and leaves.whole and not leaves.plain:
        why = "samples are drawn as a whole, so not where weights count repetitions: repeat the rows"
        for metric in with_quantiles:
            reasons.setdefault(metric, []).append(("quantile", why))
    elif plan.replicates:
        drawn = [_of_replicate(sums[:, i], partition, plan) for i in range(1, sums.shape[1])]
        for metric in with_quantiles:
            unknown = np.full_like(values[metric], np.nan)
            several = np.stack([replicate.get(metric, unknown) for replicate in drawn])
            several[:, np.isnan(values[metric])] = np.nan
            values[f"{metric}_quantile"] = np.moveaxis(quantiles(several, plan.quantiles), 0, -1)
    noise, why_not = noise_of(values, _nulls, plan)
    return values | noise, reasons | why_not


def _nulls() -> Iterator[Measured]:
    raise ValueError(f"labels are drawn row by row, and the sums of leaves have no rows{ROWS}")


def _of_replicate(sums: Array, partition: Partition, plan: Plan) -> dict[str, Array]:
    """Return the numbers that the sums of every node give; none where no sample was drawn."""
    weight, total = sums[:, WEIGHT], sums[0] / (sums[0, WEIGHT] or np.nan)
    if not 0 < weight[0] < np.inf:
        return {}
    errors = [_error(sums[partition.cut(weight, least_weight(gamma, weight[0]))], plan) for gamma in plan.gammas]
    return {
        "kdtree_ece": np.array(errors),
        "brier": np.array(total[BRIER]),
        "log_loss": np.array(np.inf if total[IMPOSSIBLE] else total[LOSS]),
        "accuracy": np.array(total[HITS]),
    }


def _error(leaves: Array, plan: Plan) -> float:
    weight, (score, target) = leaves[:, WEIGHT], np.split(leaves[:, SCORES:], 2, axis=1)
    return binned_error(Bins.of_sums(weight, score, target, (weight > 0).astype(np.intp)), plan.distance, plan.p)


def _is_coarse(weight: Array, partition: Partition, gamma: float) -> bool:
    """Whether a leaf is heavy for want of samples that would have shown where to cut it."""
    least = gamma * weight[0]
    leaves = partition.cut(weight, round(least))
    return any(
        partition.child[leaf] < 0 and not partition.settled[leaf] and weight[leaf] > TOO_FEW * least for leaf in leaves
    )
