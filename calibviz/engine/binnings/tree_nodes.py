"""The nodes of a k-d tree as arrays: what is split into what, and which nodes are the leaves of a coarser tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .node_moments import Moments

NODE = np.dtype(
    [("start", np.intp), ("stop", np.intp), ("weight", np.float64), ("child", np.intp),
     ("column", np.intp), ("value", np.float64), ("settled", np.bool_)]
)  # fmt: skip  # short entries stand in rows


class Nodes:
    """The nodes of a tree, with room for more.

    Node i holds the samples rows[start[i]:stop[i]] of `weight`; its children, where it has some, are child[i] and
    child[i] + 1, parted where the coordinate `column` is `value`. A node is `settled` if its samples do not differ.
    """

    def __init__(self, nodes: NDArray[Any], moments: dict[int, Moments]) -> None:
        self._nodes, self._count = nodes, len(nodes)
        self.moments = moments  # of the large ones that may yet be split

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, field: str) -> NDArray[Any]:
        return self._nodes[field][: self._count]

    @property
    def may_split(self) -> NDArray[np.bool_]:
        """Which nodes have not been split yet, though their samples may differ."""
        return (self["child"] < 0) & ~self["settled"]

    def copy(self) -> Nodes:
        return Nodes(self._nodes[: self._count].copy(), dict(self.moments))

    def split(
        self,
        nodes: NDArray[np.intp],
        left: NDArray[np.intp],
        weights: Sequence[NDArray[np.float64]],
        column: NDArray[np.intp] | int,
        value: NDArray[np.float64] | float,
    ) -> NDArray[np.intp]:
        """Part nodes after so many samples, with these weights on the left and on the right; the left children."""
        before, self._count = self._count, self._count + 2 * len(nodes)
        first = np.arange(before, self._count, 2)
        if self._count > len(self._nodes):
            self._nodes = np.concatenate([self._nodes, np.zeros(self._count, NODE)])
        self["child"][before:] = -1
        self["start"][first], self["stop"][first + 1] = self["start"][nodes], self["stop"][nodes]
        self["stop"][first] = self["start"][first + 1] = self["start"][nodes] + left
        for children, weight in zip((first, first + 1), weights, strict=True):  # rounding makes none of them too heavy
            self["weight"][children] = np.minimum(weight, self["weight"][nodes])
        self["child"][nodes], self["column"][nodes], self["value"][nodes] = first, column, value
        return first


def cut_leaves(child: NDArray[np.intp], weight: NDArray[np.float64], least: float) -> NDArray[np.intp]:
    """The nodes that have no child or a weight below `least`, but no such parent; none is heavier than its parent."""
    is_split = (child >= 0) & (weight >= least)
    is_reached = np.arange(len(child)) == 0
    is_reached[child[is_split]] = is_reached[child[is_split] + 1] = True
    return np.flatnonzero(is_reached & ~is_split)
