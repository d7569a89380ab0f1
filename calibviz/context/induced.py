"""Predictions seen through a lens, under a selection: the one way from predictions to a problem.

What was computed once is kept with the predictions, so a new binning, estimator or bin count costs no new sort.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.models import no_predictions
from ..data.predictions import Predictions
from ..data.survival import AllFollowed
from ..engine.by_truth import SOME_OF_THEM
from ..engine.deferred import reweighted
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..engine.vector import VectorProblem
from ..foundation import validation
from .class_lenses import Pooled
from .condition_parser import selection as read_selection
from .conditions import Condition
from .lens_names import lens, lens_for
from .lenses import AnyProblem, Lens, Outcome, Problem, Top1, in_clusters, outcome_of
from .truth_selections import looks_at_truth, truth_selection

ScoreMap = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class Summarized(ABC):
    """An object that stands for a problem whose samples are gone, such as a summary."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the lens, and of its outcome, that the samples were seen through."""

    @property
    @abstractmethod
    def problem(self) -> ScalarProblem:
        """The problem that estimators take."""


def refuse_summary(judged: Any, what: str) -> None:
    """Raise where `what` is found row by row, but the samples are gone."""
    if isinstance(judged, Summarized):
        name = type(judged).__name__
        raise TypeError(f"predictions must be cv.Predictions(probs, labels), not {name}: {what}, which sums have lost")


Judged = Predictions | Problem | Summarized


def resampled_of(judged: Judged) -> Predictions | Problem:
    """Return what samples can be drawn from: predictions, a problem, or the problem of a summary."""
    return judged.problem if isinstance(judged, Summarized) else judged


def lens_of(judged: Judged, lens_: str | Lens | None = None) -> Lens:
    """Return the lens that predictions are looked at through: the one that is named, or the default.

    A problem does not know its lens. Top-1 stands for it, under which no estimator does anything special.
    """
    if lens_ is None and not isinstance(judged, Predictions):
        return Top1()
    return lens_for([judged], lens_)


def look_named(judged: Judged, lens_: str | Lens | None = None, outcome: int | str | None = None) -> str:
    """Return the name of the lens that something is looked at through, with that of the outcome."""
    if isinstance(judged, Summarized):
        return judged.name
    name = lens_of(judged, lens_).name if isinstance(judged, Predictions) else "this problem"
    return name if outcome is None else f"{name}: {outcome}"


def _refuse_again(judged: Problem | Summarized, lens_: str | Lens | None, selection: str | Condition | None) -> None:
    """Raise where what a lens has made is to be looked at through another one."""
    if selection is not None:
        given = f"selection={str(selection)!r}"
    elif lens_ is not None and not (isinstance(judged, Summarized) and lens(lens_).name == judged.name):
        given = f"lens={lens(lens_).name!r}"
    else:
        return
    raise ValueError(
        f"{given} cannot be used: a problem or a summary has been looked at through a lens already. Leave it out, or "
        "make another problem of the predictions"
    )


def induced_problem(
    predictions: Judged,
    lens_: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibrator: ScoreMap | None = None,
) -> Problem:
    """The problem that a lens makes of the selected samples; raises `EmptyProblemError` where there are none.

    What a lens has made of predictions is returned as it is, or the one outcome of it; without a lens predictions are
    looked at through their default one. `output` in a selection is the scalar lens's own score, mapped by the fitted
    calibrator if there is one; under a vector lens the score of its first outcome. `outcome` makes a scalar problem of
    a vector lens, and chooses one problem of a family.
    """
    if calibrator is not None and (isinstance(calibrator, type) or not callable(calibrator)):
        raise TypeError(f"calibrator must be a fitted calibrator of scores, not {validation.shown(calibrator)}")
    if isinstance(predictions, Problem | Summarized):
        _refuse_again(predictions, lens_, selection)
        predictions = resampled_of(predictions)
        assert not isinstance(predictions, Predictions)
        problem = predictions if outcome is None else outcome_of(predictions, outcome)
        if calibrator is None:
            return problem
        if not isinstance(problem, ScalarProblem):
            raise ValueError("a scalar calibrator needs one score a sample: pass outcome=...")
        return problem.mapped(calibrator)
    if not isinstance(predictions, Predictions):
        raise no_predictions(predictions)
    seen = lens_of(predictions, lens_)
    chosen = seen if outcome is None else Outcome(seen, outcome)
    condition = read_selection(selection)
    if calibrator is not None:  # not kept, since it may be fitted anew at any time
        return _make(predictions, chosen, condition, calibrator)
    return predictions.cache.get(("problem", chosen, condition), lambda: _make(predictions, chosen, condition, None))


def scalar_problem(
    predictions: Judged,
    lens_: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibrator: ScoreMap | None = None,
) -> ScalarProblem:
    """Like `induced_problem`, but always scalar; of a vector lens and of a family, `outcome` has to name one."""
    if outcome is None:
        single(induced_problem(predictions, lens_))
    return single(induced_problem(predictions, lens_, selection, outcome, calibrator))


def single(problem: Problem) -> ScalarProblem:
    """The problem, of one score a sample; raises where a lens makes several."""
    if isinstance(problem, ProblemFamily):
        raise ValueError(
            f"this lens makes {len(problem.outcomes)} problems, one for each class: choose one with outcome=..."
        )
    if isinstance(problem, VectorProblem):
        raise ValueError(
            f"this needs one score a sample, but the lens has the outcomes {validation.listed(problem.outcomes)}: "
            "choose one with outcome=..."
        )
    return problem


def replicate(problem: ScalarProblem | VectorProblem, weights: NDArray[np.float64]) -> ScalarProblem | VectorProblem:
    """The problem under other weights of the samples, shape (n,); nothing is sorted again."""
    return reweighted(problem, weights.take(problem.order))


def _make(predictions: Predictions, chosen: Lens, condition: Condition | None, calibrator: ScoreMap | None) -> Problem:
    made = _made(predictions, chosen, condition, calibrator)
    squares = predictions.squared_weights
    if squares is not None:
        made = _following(made, squares)
    if isinstance(made, ScalarProblem) and calibrator is None and not looks_at_truth(condition):
        made.followed = (
            None if predictions.followed is None else partial(_of_all, predictions.followed, chosen, condition)
        )
    if condition is not None and looks_at_truth(condition):
        made = _by_truth(made, predictions, chosen, condition, calibrator)
    elif predictions.by_truth is not None and not isinstance(made, ProblemFamily):
        made.by_truth = predictions.by_truth
    return made


def _of_all(followed: AllFollowed, lens_: Lens, condition: Condition | None) -> tuple[Problem, AllFollowed]:
    """The problem of all rows, also of those censored before the horizon, and their follow-up."""
    return induced_problem(followed.predictions, lens_, condition), followed


def _by_truth(
    problem: AnyProblem, predictions: Predictions, lens_: Lens, condition: Condition, calibrator: ScoreMap | None
) -> AnyProblem:
    """The problem, marked as one of samples that were selected by truth; of a family, each of its problems."""
    if isinstance(problem, ProblemFamily):
        part = problem.outcome
        seen = partial(_by_truth, predictions=predictions, condition=condition, calibrator=calibrator)
        problem.outcome = lambda index: seen(part(index), lens_=Outcome(lens_, index))
    elif isinstance(problem, VectorProblem):
        problem.by_truth = SOME_OF_THEM
    else:
        whole = partial(_all_samples, predictions, lens_, condition, calibrator)
        problem.by_truth = truth_selection(predictions, lens_, condition, calibrator is not None, whole)
    return problem


def _all_samples(
    predictions: Predictions, lens_: Lens, condition: Condition, calibrator: ScoreMap | None
) -> tuple[ScalarProblem, NDArray[np.float64] | None]:
    """The problem of all samples, selected or not, and the score of each that a condition looks at."""
    whole = single(induced_problem(predictions, lens_, calibrator=calibrator))
    return whole, output_of(predictions, condition, whole)


def _following(problem: AnyProblem, squares: NDArray[np.float64]) -> AnyProblem:
    """The problem, marked as one whose weights depend on the labels; of a family, each of its problems."""
    if isinstance(problem, ProblemFamily):
        part = problem.outcome
        problem.outcome = lambda index: _following(part(index), np.empty(0))
    else:
        problem.squared_weights = squares
    return problem


def _made(predictions: Predictions, chosen: Lens, condition: Condition | None, calibrator: ScoreMap | None) -> Problem:
    if predictions.base is not None:
        whole = induced_problem(predictions.base, chosen, condition, calibrator=calibrator)
        if not isinstance(whole, ProblemFamily):
            assert predictions.weights is not None
            return replicate(whole, predictions.weights)
    if condition is not None:
        return _selected(predictions, chosen, condition, calibrator)
    if calibrator is not None:
        plain = induced_problem(predictions, chosen)
        if not isinstance(plain, ScalarProblem):
            raise ValueError(f"a scalar calibrator needs one outcome of the lens {chosen.name!r}: pass outcome=...")
        return plain.mapped(calibrator)
    if isinstance(chosen, Outcome):  # all outcomes share the vector problem
        return outcome_of(induced_problem(predictions, chosen.lens), chosen.outcome, chosen.lens.name)
    problem = in_clusters(chosen(predictions), predictions)
    if not isinstance(problem, Problem):
        raise TypeError(
            f"lens {chosen.name!r} must return a cv.ScalarProblem or cv.VectorProblem, not {type(problem).__name__}"
        )
    _refuse_other_samples(problem, chosen, predictions)
    return problem


def _refuse_other_samples(problem: Problem, chosen: Lens, predictions: Predictions) -> None:
    """Raise where a lens left samples out: selections and resampling find a sample by its place."""
    if isinstance(problem, ProblemFamily) or isinstance(chosen, Pooled):
        return
    weights = predictions.weights
    allowed = {len(predictions)} if weights is None else {len(predictions), int(np.count_nonzero(weights))}
    if len(problem) not in allowed:
        raise ValueError(
            f"lens {chosen.name!r} must look at each of the {len(predictions)} samples once, but it returned "
            f"{len(problem)}: leave samples out by a selection"
        )


def _selected(predictions: Predictions, chosen: Lens, condition: Condition, calibrator: ScoreMap | None) -> Problem:
    whole = induced_problem(predictions, chosen, calibrator=calibrator)
    several = isinstance(whole, ProblemFamily) or isinstance(chosen, Pooled)
    if condition.uses("output") and several:
        raise ValueError(
            f"the lens {chosen.name!r} has several outputs a sample: select by confidence or probability(class) instead"
        )
    mask = condition.mask(predictions, output_of(predictions, condition, whole))
    if not mask.any():
        raise EmptyProblemError(f"no sample is left: the selection keeps none: {condition}")
    if isinstance(whole, ProblemFamily):
        selected = predictions.select(mask)
        family = in_clusters(chosen(selected), selected)
        if isinstance(family, ProblemFamily):
            family.nbytes += selected.probs.nbytes  # which it keeps alive
        return family
    kept = mask.take(whole.order)
    if isinstance(whole, ScalarProblem):
        return reweighted(whole, kept if whole.given_weight is None else kept * whole.given_weight)
    return whole.subset(kept)


def output_of(predictions: Predictions, condition: Condition, whole: Problem) -> NDArray[np.float64] | None:
    """The lens's own scalar score of each sample, where the condition asks for it."""
    if not condition.uses("output"):
        return None
    output = np.full(predictions.n_samples, np.nan)  # samples of weight 0 have no output and are not kept
    scores = whole if isinstance(whole, ScalarProblem) else whole.outcome(0)
    output[scores.order] = scores.score
    return output
