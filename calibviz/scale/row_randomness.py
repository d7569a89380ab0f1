"""Random numbers of rows. They depend on the number of the row and the seed alone, not on the parts that are read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BLOCK_ROWS = 2**16  # rows whose numbers are drawn in one call
BLOCK_NUMBERS = 2**22  # numbers that are drawn in one call
SPLIT, SAMPLE, BOOTSTRAP = 1, 2, 3  # purposes, whose numbers are independent


def row_uniforms(start: int, rows: int, seed: int, purpose: int) -> NDArray[np.float64]:
    """A random number in [0, 1) for each of some rows, shape (rows,)."""
    blocks = range(start // BLOCK_ROWS, (start + rows - 1) // BLOCK_ROWS + 1)
    drawn = np.concatenate([np.random.default_rng([seed, block, purpose]).random(BLOCK_ROWS) for block in blocks])
    return drawn[start - blocks[0] * BLOCK_ROWS :][:rows]


def on_side(start: int, rows: int, seed: int, low: float, high: float) -> NDArray[np.bool_]:
    """Which of some rows have random numbers in [low, high), one side of a random split, shape (rows,)."""
    if (low, high) == (0.0, 1.0):
        return np.ones(rows, dtype=bool)
    number = row_uniforms(start, rows, seed, SPLIT)
    return (low <= number) & (number < high)


def poisson_draws(numbers: NDArray[np.intp], replicates: int, seed: int) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
    """How often each of n replicates draws the rows of ascending numbers, some rows at a time, shape (n, rows)."""
    at_once = min(BLOCK_ROWS, max(256, BLOCK_NUMBERS // max(1, replicates)))
    start = 0
    while start < len(numbers):
        block = int(numbers[start]) // at_once
        stop = int(np.searchsorted(numbers, (block + 1) * at_once))
        rng = np.random.default_rng([seed, block, BOOTSTRAP])
        drawn = rng.poisson(1.0, (at_once, replicates)).astype(np.uint8)
        yield slice(start, stop), drawn[numbers[start:stop] - block * at_once].T
        start = stop
