"""Simulated data sets of one size, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.batch import ScalarBatch
from .known_truth import KnownTruth

Array = NDArray[np.float64]

ENTRIES = 2_000_000  # scores that are drawn at a time


class SimulatedScores:
    """The scores of m data sets of n samples each, and the chances that decide their labels.

    Parameters
    ----------
    score : ndarray, shape (m, n)
        Ascending along the rows.
    rest : ndarray, shape (m, n)
        1 - c of each score c, which keeps the digits that c would lose.
    chance : ndarray, shape (m, n)
        Uniform on [0, 1); a label is 1 where it lies below the true probability.
    """

    def __init__(self, score: Array, rest: Array, chance: Array) -> None:
        self.score = score
        self.rest = rest
        self.chance = chance
        self._batch = ScalarBatch(self.score, chance)

    def labelled(self, network: KnownTruth) -> ScalarBatch:
        """The data sets of a network with such scores."""
        return self._batch.with_target(self.chance < network.true_curve(self.score, self.rest))


def block_sizes(n: int, simulations: int, entries: int = ENTRIES) -> list[int]:
    """How many data sets are simulated at a time."""
    at_once = max(1, entries // n)
    return [min(at_once, simulations - first) for first in range(0, simulations, at_once)]


def drawn_scores(
    network: KnownTruth, n: int, simulations: int, seed: Any, entries: int = ENTRIES
) -> Iterator[SimulatedScores]:
    """Scores of simulated data sets of a network, about so many entries at a time.

    They are sorted before the labels are drawn, which then need no sorting. How many come at a time does not change
    them.
    """
    of_scores, of_labels = np.random.default_rng(seed).spawn(2)
    for size in block_sizes(n, simulations, entries):
        score, rest = network.draw((size, n), of_scores, ascending=True)
        yield SimulatedScores(score, rest, of_labels.random(score.shape))
