"""Bins that follow the data in several dimensions: the leaves of a k-d tree (gece B.1; Vaicenavicius et al. 2019).

Whether a node is split depends on that node alone, so the tree of a coarse gamma is a prefix of the tree of a fine
one: a tree is grown once, further where a finer gamma asks for it, and every gamma is a cut through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ...foundation import validation
from ...foundation.arrays import BLOCK_ENTRIES
from ...foundation.cancellation import check
from ..family import refuse_family
from ..scalar import MOST_REPEATED, ScalarProblem, once
from ..sorted_scores import places
from ..vector import VectorProblem
from .bins import Bins
from .cells import cell_sums, run_sums
from .node_moments import Moments, Rows, column_of, mean_of, widest_of_many
from .tree_nodes import NODE, Nodes, cut_leaves


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

    See Also
    --------
    Uniform : Cells of a grid, which are mostly empty for many outcomes.
    lens, Grouping : Lenses that make vector problems, such as "full" and "top-5".
    sensitivity : The error over gamma.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.calibration_error(p, "full", binning=cv.KDTree(gamma=0.05)), 3)
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
        return tree.bins(least_weight(self.gamma, problem.total))


def least_weight(gamma: float, total: float) -> int:
    """The weight of the samples from which on a cell is split: gamma times that of all, rounded."""
    return round(gamma * total)


@dataclass(frozen=True, eq=False)
class Partition:
    """The cuts of a tree by themselves, which tell where samples belong that it was not grown on; arrays over nodes."""

    child: NDArray[np.intp]  # the left child, which the right one follows; -1 of a leaf. Children come after parents
    column: NDArray[np.intp]  # samples whose coordinate `column` is below `value` belong to the left child
    value: NDArray[np.float64]
    settled: NDArray[np.bool_]  # leaves that cannot be split, as their samples do not differ

    @classmethod
    def of(cls, problem: VectorProblem, gamma: float) -> Partition:
        """Return the partition of the tree that is grown on a problem."""
        return _tree_of(problem, "mean").partition(least_weight(gamma, problem.total))

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

    def cut(self, weight: NDArray[np.float64], least: float) -> NDArray[np.intp]:
        """The leaves of the tree in which nodes of weight `least` or more are split, given the weight of each node."""
        return cut_leaves(self.child, weight, least)


def _tree_of(problem: ScalarProblem | VectorProblem, split: str) -> _Tree:
    """The tree of a problem, kept with it."""
    refuse_family(problem)
    return once(problem, split, lambda: _Tree(problem) if split == "mean" else _MedianTree(problem))


MOST_TOGETHER = 1 << 14  # entries of a node, samples times coordinates, below which it is split together with others


class _Tree:
    """A tree that is grown as far as it has been asked for."""

    most_together = MOST_TOGETHER

    def __init__(self, problem: ScalarProblem | VectorProblem) -> None:
        if isinstance(problem, ScalarProblem):
            # Tied samples stay together, so it does not matter which of them was right.
            of_scores = problem.of_scores
            problem = VectorProblem.known(problem.score[:, None], problem.target[:, None], problem.given_weight)
            problem.of_scores = of_scores
            self.one_dimensional = True
        else:
            # Not the problem itself, which keeps this tree: a circle would hold both until the garbage is collected.
            problem = problem.with_target(problem.target)
            self.one_dimensional = False
        self.problem = problem
        self.lock = Lock()  # of all that follows, which threads that cut the same tree may grow
        n = len(problem.score)
        self.rows: Rows = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
        root = np.array([(0, n, problem.total, -1, 0, np.nan, False)], NODE)
        moments = {0: Moments.of(problem, self.rows)} if self._is_large(n) else {}
        # The nodes; where the finest leaves begin, and what they hold, from left to right: any other node is a run.
        self.grown = Nodes(root, moments), np.zeros(1, np.intp), cell_sums(problem, self.rows, np.zeros(1, np.intp))

    def bins(self, least: float) -> Bins:
        """The leaves, from left to right, of the tree in which nodes of weight `least` or more are split."""
        with self.lock:
            self._grow(least)
            return self._cut(least)

    def partition(self, least: float) -> Partition:
        """The cuts of the tree in which nodes of weight `least` or more are split."""
        with self.lock:
            self._grow(least)
            nodes = self.grown[0]
            several = nodes["stop"] - nodes["start"] > 1  # of a single sample it is not known
            child, column, value = (nodes[name].copy() for name in ("child", "column", "value"))
            return Partition(child, column, value, nodes["settled"] & several)

    def _cut(self, least: float) -> Bins:
        nodes, starts, sums = self.grown
        leaves = cut_leaves(nodes["child"], nodes["weight"], least)
        leaves = leaves[np.argsort(nodes["start"][leaves])]
        first = np.searchsorted(starts, nodes["start"][leaves])
        of_runs = run_sums(first, len(starts))
        weight, count = (np.add.reduceat(column, first) for column in (sums[0], sums[3]))
        score, target = of_runs(sums[1]), of_runs(sums[2])
        if not self.one_dimensional:
            return Bins.of_sums(weight, score, target, count)
        ends = self.rows[nodes["start"][leaves]], self.rows[nodes["stop"][leaves] - 1]
        left, right = (self.problem.score[end, 0] for end in ends)  # sorted scores, whose order splitting keeps
        return Bins.of_sums(weight, score[:, 0], target[:, 0], count, left, right)

    def _grow(self, least: float) -> None:
        """Split what weighs `least` or more; who interrupts it finds the tree as it was.

        Targets split nothing, so the first trees of other targets, such as those of drawn labels, are the same.
        """
        nodes, starts, sums = self.grown
        if not (nodes.may_split & (nodes["weight"] >= least)).any():
            return
        is_first, of_scores, kind = len(nodes) == 1, self.problem.of_scores, (type(self), least)
        known = of_scores.get("tree")
        if is_first and known is not None and known[0] == kind:
            _, nodes, rows, starts = known
            self.rows = rows.copy()
            self.grown = nodes, starts, cell_sums(self.problem, rows, starts)
            return
        nodes = nodes.copy()
        large: list[int] = []
        small: list[NDArray[np.intp]] = []

        def sort_in(several: NDArray[np.intp]) -> None:
            entries = (nodes["stop"][several] - nodes["start"][several]) * self.problem.score.shape[1]
            is_large = entries > self.most_together
            large.extend(several[is_large].tolist())
            small.append(several[~is_large])

        sort_in(np.flatnonzero(nodes.may_split & (nodes["weight"] >= least)))
        while large or any(map(len, small)):
            check()
            if large:
                children = self._split(nodes, large.pop())
            else:
                waiting = np.concatenate(small)
                entries = np.cumsum(nodes["stop"][waiting] - nodes["start"][waiting]) * self.problem.score.shape[1]
                now = max(1, int(np.searchsorted(entries, BLOCK_ENTRIES)))
                small[:] = [waiting[now:]]
                children = self._split_together(nodes, waiting[:now])
            children = np.concatenate([children, children + 1])
            sort_in(children[nodes["weight"][children] >= least])
        if len(nodes) > len(self.grown[0]):
            starts = np.sort(nodes["start"][nodes["child"] < 0])
            sums = cell_sums(self.problem, self.rows, starts)
        self.grown = nodes, starts, sums
        if is_first:
            of_scores["tree"] = kind, nodes, self.rows.copy(), starts  # of one error after the other

    def _split(self, nodes: Nodes, node: int) -> NDArray[np.intp]:
        """Split a large node; its left child, or none."""
        moments = nodes.moments.pop(node)
        rows = self.rows[nodes["start"][node] : nodes["stop"][node]]
        goes_left, column, value = self._goes_left(rows, moments)
        left, right = rows[goes_left], rows[~goes_left]
        if not (len(left) and len(right)):
            nodes["settled"][node] = True
            return np.empty(0, np.intp)
        halves = moments.split(self.problem, left, right)
        weights = [np.array([self._weight_of(half)]) for half in (left, right)]
        rows[: len(left)], rows[len(left) :] = left, right
        (first,) = nodes.split(np.array([node]), np.array([len(left)]), weights, column, value)
        nodes.moments |= {first + i: half for i, half in enumerate(halves) if self._is_large(len((left, right)[i]))}
        return np.array([first])

    def _split_together(self, nodes: Nodes, several: NDArray[np.intp]) -> NDArray[np.intp]:
        """Split small nodes; the left children of those whose samples differ."""
        start = nodes["start"][several]
        size = nodes["stop"][several] - start
        rows = self.rows[places(start, size)]
        column, value, values = widest_of_many(self.problem, rows, size)
        goes_left = values < np.repeat(value, size)
        first = np.cumsum(size) - size
        left = np.add.reduceat(goes_left, first, dtype=np.intp)
        # Those that go left, in their order, and then the others.
        before = np.cumsum(goes_left) - np.repeat(np.cumsum(left) - left, size)
        inside = np.arange(len(rows)) - np.repeat(first, size)
        place = np.where(goes_left, before - 1, np.repeat(left, size) + inside - before)
        self.rows[place + np.repeat(start, size)] = rows
        weight = np.ones(len(rows)) if self.problem.given_weight is None else self.problem.given_weight[rows]
        weights = [np.add.reduceat(weight * side, first) for side in (goes_left, ~goes_left)]
        differ = (left > 0) & (left < size)
        nodes["settled"][several[~differ]] = True
        return nodes.split(
            several[differ], left[differ], [weight[differ] for weight in weights], column[differ], value[differ]
        )

    def _goes_left(self, rows: Rows, moments: Moments) -> tuple[NDArray[np.bool_], int, float]:
        """Which samples of a node go left, and the coordinate and the value where it is split."""
        widest = moments.widest(self.problem, rows)
        values = column_of(self.problem, rows, widest)
        weights = None if self.problem.given_weight is None else self.problem.given_weight[rows]
        middle = mean_of(values, weights)
        return values < middle, widest, middle

    def _is_large(self, samples: int) -> bool:
        return samples * self.problem.score.shape[1] > self.most_together

    def _weight_of(self, rows: Rows) -> float:
        return float(len(rows) if self.problem.given_weight is None else self.problem.given_weight[rows].sum())


class _MedianTree(_Tree):
    """Halves at the median of the widest coordinate (Widmann et al. 2019)."""

    most_together = 0  # each has a median of its own

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

    def _goes_left(self, rows: Rows, moments: Moments) -> tuple[NDArray[np.bool_], int, float]:
        widest = moments.widest(self.problem, rows)
        values = column_of(self.problem, rows, widest)
        half = len(rows) // 2
        median = np.partition(values, half)[half]
        below = values < median
        # Of the samples that tie at the median, those go left that are less in the other coordinates.
        (tied,) = np.nonzero(values == median)
        order = np.lexsort(self.problem.score[rows[tied]].T[::-1])  # by the first coordinate, then the second, ...
        below[tied[order[: half - int(below.sum())]]] = True
        return below, widest, float(median)


def _sharing_targets(problem: VectorProblem) -> VectorProblem:
    """The problem in which equal rows share their mean target: which of them goes left must not matter."""
    whole = np.ascontiguousarray(problem.score + 0)  # -0 is 0
    rows = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).ravel()
    _, cell, count = np.unique(rows, return_inverse=True, return_counts=True)
    if count.max() == 1:
        return problem
    _, _, target, _ = cell_sums(problem, np.argsort(cell, kind="stable"), np.cumsum(count) - count)
    return problem.with_target((target / count[:, None])[cell])
