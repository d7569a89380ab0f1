"""Very many binary samples, as a few thousand weighted rows from which a report can draw again and again."""

from __future__ import annotations

import numpy as np

from ..context.lenses import ClassConditional, Lens, Top1
from ..data.predictions import Predictions
from .score_grid import ScoreGrid
from .summary import Summary

MOST_DRAWN_SINGLY = 100_000  # samples
MOST_ROUNDING = 1e-6  # of the sum of a row
GRID = ScoreGrid(cells=4096)
COARSE = ScoreGrid(cells=512, bins=50)  # of samples in folds, which each have rows of their own
WIDEST_CELL, WIDEST_COARSE = 1 / 2048, 1 / 256
SAID = (
    f"More than {MOST_DRAWN_SINGLY:,} samples would take long to draw again and again, so noise floors, intervals, "
    "all after recalibration and the picture of bin counts are computed from their sums in "
    f"{len(GRID):,} cells of probability. A cell is at most {100 * WIDEST_CELL:.2f} % wide "
    f"({100 * WIDEST_COARSE:.1f} % where samples are dealt to folds), and its samples have its mean probability there."
)


def are_drawn_in_cells(predictions: Predictions, lens: Lens) -> bool:
    """Whether samples are so many, and so plain, that a report without a selection draws them by their cells.

    Samples of one class and nearly one probability must be alike in all that is looked at.
    """
    return (
        len(predictions) > MOST_DRAWN_SINGLY
        and predictions.n_classes == 2
        and predictions.weights is None
        and predictions.soft_labels is None
        and predictions.cluster_codes is None  # which belong together, no cell says
        and isinstance(lens, Top1 | ClassConditional)
        and add_up_to_one(predictions)
    )


def add_up_to_one(predictions: Predictions) -> bool:
    """Whether what one class leaves is predicted of the other, so that the probability of one class says all."""
    return bool(np.abs(predictions.probs.sum(axis=1, dtype=np.float64) - 1).max() <= MOST_ROUNDING)


def in_cells(predictions: Predictions, grid: ScoreGrid = GRID) -> Predictions:
    """The rows that stand for predictions of which `are_drawn_in_cells` is true, with their numbers as weights."""
    summary = Summary(ClassConditional(1), grid=grid)
    summary.update(predictions)
    sums = summary.problem
    return Predictions(
        np.clip(sums.score, 0.0, 1.0),
        sums.given_target.astype(np.int64),
        weights=sums.weight,
        class_names=predictions.class_names,
        groups=predictions.groups,
        about=predictions.about,
        **predictions.nouns.arguments,
        of_confidence=predictions.of_confidence,
    )
