"""Cells of vector problems: sums over the samples of a cell, and the uniform grid on the simplex."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import Array, row_blocks
from ..vector import VectorProblem


def cell_sums(
    problem: VectorProblem, rows: NDArray[np.integer], starts: NDArray[np.integer]
) -> tuple[Array, Array, Array, NDArray[np.intp]]:
    """Sums over cells: weight (C,), score and target (C, m), and the number of samples (C,).

    Cell i holds the samples rows[starts[i]:starts[i + 1]], the last one those up to the end; none is empty.
    """
    count = np.diff(starts, append=len(rows)).astype(np.intp)
    weights = None if problem.given_weight is None else problem.given_weight[rows]
    weight = count.astype(np.float64) if weights is None else np.add.reduceat(weights, starts)
    score = _row_sums(problem.score, rows, starts, weights)
    if problem.target.ndim == 2:
        return weight, score, _row_sums(problem.target, rows, starts, weights), count
    cells, outcomes = score.shape
    place = np.repeat(np.arange(cells) * outcomes, count) + problem.target[rows]
    target: Array = np.bincount(place, weights, cells * outcomes).astype(np.float64).reshape(cells, outcomes)
    return weight, score, target, count


def _row_sums(
    matrix: NDArray[Any], rows: NDArray[np.integer], starts: NDArray[np.integer], weights: Array | None
) -> Array:
    sums = np.zeros((len(starts), matrix.shape[1]))
    for block in row_blocks(len(rows), matrix.shape[1]):
        part = matrix[rows[block]].astype(np.float64)
        first = int(np.searchsorted(starts, block.start, side="right")) - 1
        inner = starts[first + 1 : np.searchsorted(starts, block.start + len(part))]
        local = np.concatenate(([0], inner - block.start))
        summed = run_sums(local, len(part), None if weights is None else weights[block])
        sums[first : first + len(local)] += summed(part)
    return sums


def run_sums(starts: NDArray[np.integer], length: int, weights: Array | None = None) -> Callable[[Array], Array]:
    """A function that sums the rows of a matrix (length, m) over runs, each begun at one of `starts`: (runs, m).

    The runs fill all rows; with weights (length,) the rows are weighted. A product with a sparse matrix takes a
    fraction of the time of `np.add.reduceat` along the first axis, which goes through a matrix column by column.
    """
    from scipy.sparse import csr_array

    ends = np.append(starts, length)
    values = np.ones(length) if weights is None else weights
    sparse = csr_array((values, np.arange(length), ends), shape=(len(starts), length))
    return lambda rows: sparse @ rows


def grid_cells(digits: list[NDArray[np.int64]], bins: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Samples sorted by their grid cell, and where each cell that holds some begins.

    `digits` has, for each coordinate, the number of the bin of each sample, from 0 to bins - 1.
    """
    cell = np.zeros(len(digits[0]) if digits else 0, dtype=np.int64)
    cells = 1
    for digit in digits:
        if cells > np.iinfo(np.int64).max // bins:  # renumber before the cell number overflows
            cell = np.unique(cell, return_inverse=True)[1].astype(np.int64)
            cells = int(cell.max()) + 1
        cell = cell * bins + digit
        cells *= bins
    order = np.argsort(cell, kind="stable")
    ordered = cell[order]
    return order, np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
