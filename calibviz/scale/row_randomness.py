"""Random numbers of rows, which the number of a row and the seed decide alone, in whatever parts rows are read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 2**16  # rows whose numbers are drawn together
MOST_DRAWN = 2**22  # numbers drawn together
SPLIT, SAMPLE, BOOTSTRAP = 1, 2, 3  # what numbers are for: those for one purpose know nothing of those for another


def resolved(seed: int | None) -> int:
    """The seed, or one that is never the same."""
    return int(np.random.default_rng().integers(2**31)) if seed is None else seed


def row_uniforms(start: int, rows: int, seed: int, purpose: int) -> NDArray[np.float64]:
    """A random number in [0, 1) for each of some rows, shape (rows,)."""
    blocks = range(start // AT_ONCE, (start + rows - 1) // AT_ONCE + 1)
    drawn = np.concatenate([np.random.default_rng([seed, block, purpose]).random(AT_ONCE) for block in blocks])
    return drawn[start - blocks[0] * AT_ONCE :][:rows]


def on_side(start: int, rows: int, seed: int, low: float, high: float) -> NDArray[np.bool_]:
    """Which of some rows lie on one side of a random split, that where numbers lie in [low, high), shape (rows,)."""
    if (low, high) == (0.0, 1.0):
        return np.ones(rows, dtype=bool)
    number = row_uniforms(start, rows, seed, SPLIT)
    return (low <= number) & (number < high)


def poisson_draws(numbers: NDArray[np.int64], replicates: int, seed: int) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
    """How often each of n replicates draws rows, given by ascending numbers: some rows at a time, shape (n, rows)."""
    at_once = min(AT_ONCE, max(256, MOST_DRAWN // max(1, replicates)))
    start = 0
    while start < len(numbers):
        block = int(numbers[start]) // at_once
        stop = int(np.searchsorted(numbers, (block + 1) * at_once))
        rng = np.random.default_rng([seed, block, BOOTSTRAP])
        drawn = rng.poisson(1.0, (at_once, replicates)).astype(np.uint8)
        yield slice(start, stop), drawn[numbers[start:stop] - block * at_once].T
        start = stop
