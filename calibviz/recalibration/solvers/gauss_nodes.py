"""Gauss quadrature for sums over repeated samples: a few terms, however often a sample is repeated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import Array

MOST_NODES = 4  # of a run, exact up to degree 7; a product of two splines has degree 6


def run_nodes(ends: Array, cuts: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """Nodes and weights for sums over whole numbers, exact for products of two cubics between the cuts.

    The Gauss rule of the numbers a + 1, ..., b of each run that neither an end of a block nor a cut interrupts (the
    zeros of a discrete Chebyshev polynomial; DLMF 18.19): a sum of f over them is the weighted sum of f over the nodes,
    at most four in a run. Block j holds the whole numbers above ends[j - 1], or 0, and up to ends[j]; its first node is
    returned, too. Between the cuts, which are whole numbers, functions are polynomials.
    """
    last = np.union1d(ends, cuts[(cuts > 0) & (cuts < ends[-1])])
    count = np.diff(last, prepend=0.0)
    middle = last - (count - 1) / 2
    each = np.minimum(count, MOST_NODES).astype(np.intp)
    run = np.repeat(np.arange(len(last)), each)
    place = np.arange(len(run)) - np.repeat(np.cumsum(each) - each, each)
    node: Array = (last - count)[run] + 1.0 + place  # of short runs, the numbers themselves
    weight = np.ones(len(run))
    long = count > MOST_NODES
    if long.any():
        far, near, share = _compute_rule(count[long])
        of_long = long[run]
        node[of_long] = (middle[long][:, None] + np.column_stack([-far, -near, near, far])).ravel()
        outer, inner = count[long] * share, count[long] * (0.5 - share)
        weight[of_long] = np.column_stack([outer, inner, inner, outer]).ravel()
    block = np.searchsorted(ends, last, "left")[run]
    return node, weight, np.searchsorted(block, np.arange(len(ends)))


def _compute_rule(count: Array) -> tuple[Array, Array, Array]:
    """The distances of the four nodes from the middle of `count` numbers, and the share of each outer node."""
    rest = (1 / count) ** 2
    # Moments about the middle, divided by powers of the count, since the moments themselves may be too large.
    second = (1 - rest) / 12
    fourth = (1 - rest) * (3 - 7 * rest) / 240
    sixth = (1 - rest) * (3 - 18 * rest + 31 * rest**2) / 1344
    spread = fourth - second**2
    half_sum = (sixth - second * fourth) / spread / 2
    product = (second * sixth - fourth**2) / spread
    root = np.sqrt(half_sum**2 - product)
    far, near = half_sum + root, half_sum - root
    return count * np.sqrt(far), count * np.sqrt(near), (second - near) / (far - near) / 2
