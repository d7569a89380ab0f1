"""Calibrators that are judged on the very samples they are fitted to: each sample by a fit to the other folds."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..context.induced import scalar_problem
from ..context.lenses import Lens
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.scalar import MapOfSamples, ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.cancellation import check
from ..foundation.fit_warnings import notices
from .base import RowCalibrator, ScalarCalibrator
from .registry import method_of, of_rows, recalibrated, score_map
from .solvers.cross_validation import FOLDS, few_to_deal, in_folds


@takes_arrays
def cross_fitted(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    calibrator: Any,
    outcome: int | str | None = None,
    folds: int = FOLDS,
    rng: int | np.random.Generator | None = 0,
) -> Any:
    """Return a calibrator for the samples that it is fitted to: each is mapped by a fit to the other folds.

    All samples are judged in this way, and none by a fit that has seen it. In each class the samples are dealt to the
    folds at random, so that the sizes of the folds differ by one sample at most, in all and in each class. A
    cluster is in one fold as a whole: clusters are dealt, the largest first, each to the fold with the fewest samples.

    Parameters
    ----------
    predictions : Predictions, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name, optional
        What a calibrator of scores looks at; one of rows takes none.
    calibrator : calibrator of scores or of rows, or the name of one
    outcome : int or str, optional
        Of a lens with several outcomes, the one that a calibrator of scores looks at.
    folds : int, at least 2
    rng : int, numpy.random.Generator or None

    Returns
    -------
    fitted calibrator
        To be passed as ``calibrator=``; one of rows has ``transform``. Both map the given samples, or some of them
        under a selection, and refuse others: their attribute `whole` is the fit to all samples, which maps new ones.

    Raises
    ------
    TypeError, ValueError
        Where the other folds cannot be fitted to, such as those of a single sample, or clusters are fewer than folds.

    See Also
    --------
    evaluate : Does this with ``folds=5``.
    Predictions.split : Two parts, one to fit to and one to judge.

    Examples
    --------
    >>> forest = cv.load_dataset("heart")["random forest"]
    >>> spline = cv.cross_fitted(forest, "class 1", calibrator=cv.Spline())
    >>> round(cv.net_benefit(forest, "class 1", threshold=0.2, calibrator=spline), 3)
    0.472
    """
    folds = validation.whole_number(folds, "folds", 2)
    _, calibrator = method_of(calibrator)
    if calibrator is None:
        raise TypeError("calibrator must be a calibrator, or the name of one, not None")
    if isinstance(calibrator, ScalarCalibrator):
        return CrossFittedScores(calibrator, predictions, lens, outcome, folds, rng)
    if lens is not None or outcome is not None:
        raise ValueError(f"lens={lens!r} cannot be used: {calibrator!r} maps rows of probabilities: leave it out")
    return CrossFittedRows(calibrator, folds, rng).fit(predictions)


def folds_of(
    predictions: Predictions, folds: int = FOLDS, rng: int | np.random.Generator | None = 0
) -> NDArray[np.intp]:
    """The fold, 0..folds - 1, of each sample, shape (n,)."""
    if predictions.dealt is not None:
        if predictions.dealt.max(initial=0) >= folds:
            raise ValueError(f"folds is {folds}, but the rows of this summary were dealt to more: pass {FOLDS}")
        return predictions.dealt
    if few := few_to_deal(predictions, folds):
        raise ValueError(f"{folds} folds of whole clusters need {folds} of them at least, not {few}")
    if isinstance(rng, np.random.Generator):
        return in_folds(predictions, folds, rng)
    return predictions.cache.get(("folds", folds, rng), lambda: in_folds(predictions, folds, rng))


def dealt(predictions: Predictions, folds: int = FOLDS) -> Predictions:
    """Rows of whole-number weights, which stand for many samples, as rows that each stand for samples of one fold.

    The samples of a class are dealt in turn, so that the sizes of the folds differ by one at most.
    """
    labels, weights = predictions.labels, predictions.weights
    assert labels is not None and weights is not None
    by_class = np.argsort(labels, kind="stable")
    ends = np.empty(len(labels), dtype=np.intp)
    ends[by_class] = np.cumsum(weights[by_class].astype(np.intp))
    before = np.array([ends - weights.astype(np.intp), ends])[..., None]
    upto = (before + (folds - 1) - np.arange(folds)) // folds  # the samples of each fold up to a place
    several = upto[1] - upto[0]
    rows, fold = np.nonzero(several)
    made = predictions.select(rows).with_weights(several[rows, fold].astype(np.float64))
    return made._with(base=None, dealt=fold.astype(np.intp))


class CrossFittedScores(MapOfSamples):
    """Scores of the samples of predictions, each mapped by a fit to the other folds; `whole` is the fit to all."""

    def __init__(
        self,
        calibrator: Any,
        predictions: Predictions,
        lens: str | Lens | None,
        outcome: int | str | None,
        folds: int,
        rng: int | np.random.Generator | None,
    ) -> None:
        self.calibrator, self.folds = calibrator, folds
        self.problem = scalar_problem(predictions, lens, None, outcome)
        fold = folds_of(predictions, folds, rng)[self.problem.order]
        self._mapped = np.empty(len(fold))
        for k in range(folds):
            check()
            here = fold == k
            if here.any():
                fitted = score_map(calibrator, _rest(self.problem.subset, ~here, predictions))
                self._mapped[here] = fitted(self.problem.score[here])

    @cached_property
    def whole(self) -> Any:
        with notices():  # the fits to the folds said the same
            return score_map(self.calibrator, self.problem)

    if not TYPE_CHECKING:  # as in the base class of calibrators of scores

        def __getattr__(self, name: str) -> Any:
            if hasattr(RowCalibrator, name):
                raise AttributeError(
                    f"{self!r} maps scores, and has no {name}: pass it as calibrator=, or cross-fit cv.OneVsRest "
                    "of its calibrator, which recalibrates predictions"
                )
            return self.__getattribute__(name)

    def of_samples(self, problem: ScalarProblem) -> Array:
        known = self.problem
        if np.array_equal(problem.order, known.order) and np.array_equal(problem.score, known.score):
            return self._mapped.copy()
        places = self._places(problem)
        if not np.array_equal(known.score[places], problem.score):
            raise ValueError(
                f"{self!r} maps the samples that it was fitted to, but these have other scores: use its `whole`, "
                "the fit to all of them, to map others"
            )
        return self._mapped[places]

    def _places(self, problem: ScalarProblem) -> NDArray[np.intp]:
        """Where the entries of a problem stand among those that were fitted to; several of a sample by their scores."""
        known = self.problem
        at = np.lexsort((known.score, known.order))
        mine = np.lexsort((problem.score, problem.order))
        kept = np.isin(known.order[at], problem.order)
        if kept.sum() != len(mine):
            raise ValueError(
                f"{self!r} maps the {len(known):,} scores that it was fitted to, not {len(problem):,} others"
            )
        places = np.empty(len(mine), dtype=np.intp)
        places[mine] = at[kept]
        return places

    def __repr__(self) -> str:
        return f"cross_fitted({self.calibrator!r}, folds={self.folds})"


class CrossFittedRows(RowCalibrator):
    """Rows of predictions, each mapped by a fit to the other folds; `whole` is the fit to all."""

    knows_classes = False  # the calibrator says what it does not know

    def __init__(self, calibrator: Any, folds: int = FOLDS, rng: int | np.random.Generator | None = 0) -> None:
        self.calibrator, self.folds, self.rng = calibrator, folds, rng

    @property
    def keeps_ranking(self) -> bool:  # type: ignore[override]
        """Whether every fit keeps the ranking of the classes."""
        return bool(getattr(of_rows(self.calibrator), "keeps_ranking", False))

    @cached_property
    def whole(self) -> Any:
        with notices():  # the fits to the folds said the same
            return copy.deepcopy(of_rows(self.calibrator)).fit(self.calibration_)

    def _fit(self, predictions: Predictions) -> None:
        self.__dict__.pop("whole", None)
        self.calibration_ = predictions
        self.moved_ = crossed(self.calibrator, predictions, folds_of(predictions, self.folds, self.rng))

    def _transform(self, predictions: Predictions) -> Predictions:
        if not np.array_equal(predictions.probs, self.calibration_.probs):
            raise ValueError(
                f"{self!r} maps the samples that it was fitted to, and these are others: use its `whole`, the fit to "
                "all of them, to map others"
            )
        return self.moved_


def crossed(calibrator: Any, predictions: Predictions, fold: NDArray[np.intp]) -> Predictions:
    """Predictions whose rows are each mapped by a fit to the other folds."""
    probs = np.empty_like(predictions.probs)
    for k in np.unique(fold):  # one part at a time: each is nearly as large as the whole
        check()
        rest = _rest(predictions.select, fold != k, predictions)
        probs[fold == k] = recalibrated(calibrator, rest, predictions.select(fold == k)).probs
    return predictions.with_probs(probs)


def _rest(select: Callable[[NDArray[np.bool_]], Any], others: NDArray[np.bool_], predictions: Predictions) -> Any:
    """The samples of the other folds, which one fold is mapped by."""
    if not others.any():
        only = "There is one sample" if predictions.weights is None else "All weights but one are 0"
        raise ValueError(f"{only}: no sample can be judged by a fit to others.")
    return select(others)
