"""Pairs of problems: samples before and after recalibration, one score each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..context.induced import Judged, induced_problem
from ..context.lenses import Lens
from ..data.predictions import Predictions
from ..engine.by_truth import Undrawn
from ..engine.scalar import ScalarProblem
from ..recalibration import Calibrator
from ..recalibration.registry import moved_by

SELECTED_BEFORE = Undrawn("it is made before recalibration: recalibrate the predictions, then select")


def recalibrated_problem(
    problem: ScalarProblem,
    calibrator: Any,
    predictions: Judged,
    lens: str | Lens | None = None,
    outcome: int | str | None = None,
) -> ScalarProblem:
    """Return the samples of a problem, which a lens makes of predictions, with the scores that a calibrator gives them.

    It is a fitted calibrator of scores or of rows, or any function of scores.
    """
    if isinstance(calibrator, Calibrator):
        if not isinstance(predictions, Predictions):
            raise TypeError(f"{calibrator!r} maps rows of probabilities: pass cv.Predictions, not a problem")
        judged = paired_problem(problem, moved_by(calibrator, predictions), lens, outcome, repr(calibrator))
        judged.by_truth = None if problem.by_truth is None else SELECTED_BEFORE
        return judged
    if isinstance(calibrator, type) or not callable(calibrator):
        raise TypeError(
            f"calibrator must be a fitted calibrator, or a function of scores, not {type(calibrator).__name__}"
        )
    return problem.mapped(calibrator)


def paired_problem(
    problem: ScalarProblem, others: Predictions, lens: str | Lens | None, outcome: int | str | None, name: str
) -> ScalarProblem:
    """Return what a lens makes of the samples of a problem in other predictions of all samples, which have a name."""
    whole = induced_problem(others, lens, None, outcome)
    if not isinstance(whole, ScalarProblem):
        raise ValueError(f"{name} is of rows, and this lens makes several problems: choose one with outcome=...")
    kept = np.zeros(len(others), dtype=bool)
    kept[problem.order] = True
    return whole.subset(kept[whole.order])
