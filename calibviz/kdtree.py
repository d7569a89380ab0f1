"""Bins that follow the data in several dimensions: the leaves of a k-d tree (gece B.1; Vaicenavicius et al. 2019).

Whether a node is split depends on that node alone, so the tree of a coarse gamma is a prefix of the tree of a fine
one: a tree is grown once, further where a finer gamma asks for it, and every gamma is a cut through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from . import validation
from .bins import Bins
from .cancellation import check
from .cells import cell_sums
from .families import refuse_family
from .moments import Moments, Rows, column_of, mean_of
from .problems import MOST_REPEATED, ScalarProblem
from .vector_problems import VectorProblem


@dataclass(frozen=True)
class KDTree:
    """The leaves of a k-d tree as bins, of scalar and vector problems.

    A node of fewer than round(gamma * n) samples is a leaf; any other is split at the mean of the coordinate of the
    largest variance, smaller values to the left. With ``split="median"`` a node of at least 2 * min_leaf samples is
    cut into halves at the median instead (Widmann et al. 2019).

    Parameters
    ----------
    gamma : float, in (0, 1]
        For the mean split. Of weighted samples n is the sum of the weights, which should therefore count samples, not
        sum to 1.
    split : {"mean", "median"}
    min_leaf : int, at least 1
        For the median split, which has no gamma.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.calibration_error(p, "full", cv.KDTree(gamma=0.05)), 3)
    0.163
    """

    gamma: float = 0.1
    split: str = "mean"
    min_leaf: int = 100

    def __post_init__(self) -> None:
        validation.choice(self.split, "split", ("mean", "median"))
        validation.real_number(self.gamma, "gamma", 0.0, 1.0)
        if self.gamma == 0:
            raise ValueError("gamma must be above 0: a cell of fewer than gamma * n samples is not split")
        object.__setattr__(self, "min_leaf", validation.whole_number(self.min_leaf, "min_leaf", 1))

    @property
    def name(self) -> str:
        return "k-d tree" if self.split == "mean" else "k-d tree, median"

    def __call__(self, problem: ScalarProblem | VectorProblem) -> Bins:
        tree = _tree_of(problem, self.split)
        if self.split == "median":
            return tree.bins(2 * self.min_leaf)
        return tree.bins(round(self.gamma * problem.total))


@dataclass(frozen=True, eq=False)
class Partition:
    """The cuts of a tree by themselves, which tell where samples belong that it was not grown on.

    Attributes
    ----------
    child : ndarray of int, shape (nodes,)
        The left child of each node, which the right one follows; -1 of a leaf. Children come after their parents.
    column, value : ndarray, shape (nodes,)
        Samples whose coordinate `column` is below `value` belong to the left child.
    settled : ndarray of bool, shape (nodes,)
        Leaves that cannot be split, as their samples do not differ.
    """

    child: NDArray[np.int64]
    column: NDArray[np.int64]
    value: NDArray[np.float64]
    settled: NDArray[np.bool_]

    @classmethod
    def of(cls, problem: VectorProblem, gamma: float) -> Partition:
        """Of the tree that is grown on a problem."""
        return _tree_of(problem, "mean").partition(round(gamma * problem.total))

    def __len__(self) -> int:
        return len(self.child)

    def leaf_of(self, score: NDArray[np.floating]) -> NDArray[np.intp]:
        """The number of the leaf where each sample belongs, shape (n,)."""
        node = np.zeros(len(score), dtype=np.intp)
        moving = np.arange(len(score)) if self.child[0] >= 0 else np.empty(0, dtype=np.intp)
        while len(moving):
            at = node[moving]
            right = ~(score[moving, self.column[at]] < self.value[at])
            node[moving] = self.child[at] + right
            moving = moving[self.child[node[moving]] >= 0]
        return node

    def cut(self, weight: NDArray[np.float64], least: float) -> list[int]:
        """The leaves of the tree in which nodes of weight `least` or more are split, given the weight of each node."""
        return cut_leaves(self.child.tolist(), weight, least)


def cut_leaves(child: Sequence[int], weight: Sequence[float] | NDArray[np.float64], least: float) -> list[int]:
    """From left to right, the nodes that have no child or a weight below `least`, but no such parent."""
    leaves, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if child[node] < 0 or weight[node] < least:
            leaves.append(node)
        else:
            waiting += [child[node] + 1, child[node]]
    return leaves


def _tree_of(problem: ScalarProblem | VectorProblem, split: str) -> _Tree:
    """The tree of a problem, kept with it."""
    refuse_family(problem)
    found: _Tree | None = problem.kept.get(split)
    if found is None:  # of two threads that get here both take the tree that was kept first
        found = problem.kept.setdefault(split, _Tree(problem) if split == "mean" else _MedianTree(problem))
    return found


class _Tree:
    """A tree that is grown as far as it has been asked for.

    Node i holds the samples rows[start[i]:stop[i]]; its children, where it has some, are child[i] and child[i] + 1.
    """

    def __init__(self, problem: ScalarProblem | VectorProblem) -> None:
        if isinstance(problem, ScalarProblem):
            # Tied samples stay together, so it does not matter which of them was right.
            problem = VectorProblem.known(problem.score[:, None], problem.target[:, None], problem.given_weight)
            self.one_dimensional = True
        else:
            # Not the problem itself, which keeps this tree: a circle would hold both until the garbage is collected.
            problem = problem.with_target(problem.target)
            self.one_dimensional = False
        self.problem = problem
        self.lock = Lock()  # of all that follows, which threads that cut the same tree may grow
        n, m = problem.score.shape
        self.rows: Rows = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
        self.start, self.stop, self.child = [0], [n], [-1]
        self.weight = [problem.total]
        self.moments = {0: Moments.of(problem, self.rows)}  # of the leaves that may yet be split
        self.cuts: dict[int, tuple[int, float]] = {}  # the coordinate and the value where nodes are split
        # What the finest leaves hold, from left to right: any other node is a run of them.
        self.leaf_starts = np.empty(0, dtype=np.int64)
        self.leaf_sums = (np.empty(0), np.empty((0, m)), np.empty((0, m)), np.empty(0, dtype=np.int64))

    def bins(self, least: float) -> Bins:
        """The leaves, from left to right, of the tree in which nodes of weight `least` or more are split."""
        with self.lock:
            self._grow(least)
            return self._cut(least)

    def partition(self, least: float) -> Partition:
        """The cuts of the tree in which nodes of weight `least` or more are split."""
        with self.lock:
            self._grow(least)
            cuts = [self.cuts.get(node, (0, np.nan)) for node in range(len(self.child))]
            column, value = zip(*cuts, strict=True)
            several = np.subtract(self.stop, self.start) > 1  # of a single sample it is not known
            settled = [child < 0 and node not in self.moments for node, child in enumerate(self.child)] & several
            return Partition(np.array(self.child), np.array(column), np.array(value), settled)

    def _cut(self, least: float) -> Bins:
        leaves = cut_leaves(self.child, self.weight, least)
        first = np.searchsorted(self.leaf_starts, [self.start[leaf] for leaf in leaves])
        weight, score, target, count = (np.add.reduceat(sums, first, axis=0) for sums in self.leaf_sums)
        if not self.one_dimensional:
            return Bins.of_sums(weight, score, target, count)
        ends = [(self.rows[self.start[leaf]], self.rows[self.stop[leaf] - 1]) for leaf in leaves]
        left, right = self.problem.score[np.array(ends), 0].T  # scores were sorted, and splitting keeps their order
        return Bins.of_sums(weight, score[:, 0], target[:, 0], count, left, right)

    def _grow(self, least: float) -> None:
        ready = [node for node in self.moments if self.weight[node] >= least]
        while ready:
            check()
            node = ready.pop()
            moments = self.moments[node]
            rows = self.rows[self.start[node] : self.stop[node]]
            goes_left = self._goes_left(node, rows, moments)
            left, right = rows[goes_left], rows[~goes_left]
            if not (len(left) and len(right)):
                del self.moments[node]
                continue
            halves = moments.split(self.problem, left, right)
            weights = [self._weight_of(left), self._weight_of(right)]
            # All that is slow is done: who interrupts it finds the tree as it was.
            del self.moments[node]
            rows[: len(left)], rows[len(left) :] = left, right
            new, middle = len(self.child), self.start[node] + len(left)
            self.child[node] = new
            self.child += [-1, -1]
            self.start += [self.start[node], middle]
            self.stop += [middle, self.stop[node]]
            self.moments[new], self.moments[new + 1] = halves
            self.weight += weights
            ready += [one for one in (new, new + 1) if self.weight[one] >= least]
        if 2 * len(self.leaf_starts) != len(self.child) + 1:  # a tree has one leaf more than nodes that are split
            starts = (start for start, child in zip(self.start, self.child, strict=True) if child < 0)
            leaf_starts = np.array(sorted(starts))
            self.leaf_sums = cell_sums(self.problem, self.rows, leaf_starts)
            self.leaf_starts = leaf_starts

    def _goes_left(self, node: int, rows: Rows, moments: Moments) -> NDArray[np.bool_]:
        widest = moments.widest(self.problem, rows)
        values = column_of(self.problem, rows, widest)
        weights = None if self.problem.given_weight is None else self.problem.given_weight[rows]
        self.cuts[node] = widest, mean_of(values, weights)
        return values < self.cuts[node][1]

    def _weight_of(self, rows: Rows) -> float:
        return float(len(rows) if self.problem.given_weight is None else self.problem.given_weight[rows].sum())


class _MedianTree(_Tree):
    """Halves at the median of the widest coordinate (Widmann et al. 2019)."""

    def __init__(self, problem: ScalarProblem | VectorProblem) -> None:
        if problem.given_weight is not None:
            if not problem.whole_weights:
                raise ValueError(
                    "the median split counts samples, so weights must be whole numbers: use cv.KDTree(gamma) instead"
                )
            if problem.total > MOST_REPEATED:
                raise ValueError(
                    f"the weights repeat the samples {problem.total:g} times: too many for the median split, "
                    "use cv.KDTree(gamma) instead"
                )
            problem = problem.repeated()
        super().__init__(problem if isinstance(problem, ScalarProblem) else _sharing_targets(problem))

    def _goes_left(self, node: int, rows: Rows, moments: Moments) -> NDArray[np.bool_]:
        widest = moments.widest(self.problem, rows)
        values = column_of(self.problem, rows, widest)
        half = len(rows) // 2
        median = np.partition(values, half)[half]
        below = values < median
        # Of the samples that tie at the median, those go left that are less in the other coordinates.
        (tied,) = np.nonzero(values == median)
        order = np.lexsort(self.problem.score[rows[tied]].T[::-1])  # by the first coordinate, then the second, ...
        below[tied[order[: half - int(below.sum())]]] = True
        return below


def _sharing_targets(problem: VectorProblem) -> VectorProblem:
    """The problem in which equal rows share their mean target: which of them goes left must not matter."""
    whole = np.ascontiguousarray(problem.score + 0)  # -0 is 0
    rows = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).ravel()
    _, cell, count = np.unique(rows, return_inverse=True, return_counts=True)
    if count.max() == 1:
        return problem
    _, _, target, _ = cell_sums(problem, np.argsort(cell, kind="stable"), np.cumsum(count) - count)
    return problem.with_target((target / count[:, None])[cell])
