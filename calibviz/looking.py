"""Predictions seen through a lens, under a selection: the one way from predictions to a problem.

What was computed once is kept with the predictions, so a new binning, estimator or bin count costs no new sort.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .lenses import Lens, Outcome, Problem, lens
from .predictions import Predictions
from .problems import ScalarProblem, VectorProblem
from .selection_text import selection as read_selection
from .selections import Condition

ScoreMap = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def induced_problem(
    predictions: Predictions,
    lens_: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibrator: ScoreMap | None = None,
) -> Problem:
    """The problem that a lens makes of the selected samples.

    Parameters
    ----------
    predictions : Predictions
    lens_ : lens or its name
    selection : selection or its text, optional
        `output` in it is the scalar lens's own score; under a vector lens the score of its first outcome.
    outcome : int or str, optional
        Of a vector lens, the one outcome to look at, as a scalar problem.
    calibrator : fitted scalar calibrator, optional
        Maps the scores of the scalar problem; `output` in the selection is then the mapped score.

    Raises
    ------
    EmptyProblemError
        Where the selection keeps no sample.
    """
    if not isinstance(predictions, Predictions):
        raise TypeError(f"predictions must be cv.Predictions(probs, labels), not {type(predictions).__name__}")
    chosen = lens(lens_) if outcome is None else Outcome(lens(lens_), outcome)
    condition = read_selection(selection)
    if calibrator is not None:  # not kept, since it may be fitted anew at any time
        return _make(predictions, chosen, condition, calibrator)
    return predictions.cache.get(("problem", chosen, condition), lambda: _make(predictions, chosen, condition, None))


def scalar_problem(
    predictions: Predictions,
    lens_: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibrator: ScoreMap | None = None,
) -> ScalarProblem:
    """Like `induced_problem`, but always scalar: of a vector lens the first outcome unless another is named."""
    if outcome is None and not induced_problem(predictions, lens_).is_scalar:
        outcome = 0
    problem = induced_problem(predictions, lens_, selection, outcome, calibrator)
    assert isinstance(problem, ScalarProblem)
    return problem


def _make(predictions: Predictions, chosen: Lens, condition: Condition | None, calibrator: ScoreMap | None) -> Problem:
    if condition is not None:
        whole = induced_problem(predictions, chosen, calibrator=calibrator)
        mask = condition.mask(predictions, _output(predictions, chosen, condition, calibrator))
        return whole.subset(mask[whole.order])
    if calibrator is not None:
        plain = induced_problem(predictions, chosen)
        if isinstance(plain, VectorProblem):
            raise ValueError(f"a scalar calibrator needs one outcome of the lens {chosen.name!r}: pass outcome=...")
        return plain.mapped(calibrator)
    if isinstance(chosen, Outcome):  # all outcomes share the vector problem
        return chosen.of(induced_problem(predictions, chosen.lens))
    problem = chosen(predictions)
    if not isinstance(problem, ScalarProblem | VectorProblem):
        raise TypeError(
            f"lens {chosen.name!r} must return a cv.ScalarProblem or cv.VectorProblem, not {type(problem).__name__}"
        )
    return problem


def _output(
    predictions: Predictions, chosen: Lens, condition: Condition, calibrator: ScoreMap | None
) -> NDArray[np.float64] | None:
    """The lens's own scalar score of each sample, where the condition asks for it."""
    if not condition.uses("output"):
        return None
    output = np.full(predictions.n_samples, np.nan)  # samples of weight 0 have no output and are not kept
    scores = scalar_problem(predictions, chosen, calibrator=calibrator)
    output[scores.order] = scores.score
    return output
