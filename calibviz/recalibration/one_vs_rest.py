"""Calibrators of predictions that fit a scalar calibrator for each class, or for each rank."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..context.class_lenses import Classwise, Pooled
from ..data.models import checked
from ..data.predictions import Predictions
from ..engine.family import COLUMNS_TOGETHER
from ..engine.scalar import ScalarProblem
from ..foundation import arrays, validation
from ..foundation.arrays import Array
from ..foundation.cancellation import check
from ..foundation.progress import with_progress
from .base import RowCalibrator, ScalarCalibrator, absent_classes, notice_absent

ROUNDING = 1e-9  # a smaller sum of a row is 0 up to rounding

Maps = Callable[[int], Callable[[Array], Array]]


class Columnwise(RowCalibrator):
    """Maps each column of a table of probabilities, and rescales the rows to sum to 1.

    Parameters
    ----------
    calibrator : scalar calibrator, such as Spline()
        Copied for every column.

    Attributes
    ----------
    calibrators_ : list of K fitted copies
    """

    keeps_ranking = False

    def __init__(self, calibrator: ScalarCalibrator) -> None:
        if isinstance(calibrator, type) or not isinstance(calibrator, ScalarCalibrator):
            raise TypeError(f"calibrator must be a scalar calibrator such as cv.Spline(), not {calibrator!r}")
        self.calibrator = calibrator

    def __repr__(self) -> str:
        return super().__repr__().replace("(calibrator=", "(", 1)

    @property
    def name(self) -> str:
        return f"{getattr(self.calibrator, 'name', type(self.calibrator).__name__)}, {self.short_name}"

    def _fit(self, predictions: Predictions) -> None:
        problems = self._problems(predictions)
        columns = with_progress(range(predictions.n_classes), self.name, predictions.n_classes)
        self.calibrators_ = [self._copy().fit(problems(c)) for c in columns]

    def _transform(self, predictions: Predictions) -> Predictions:
        return self._mapped(predictions, self.calibrators_.__getitem__)

    def recalibrate(self, calibration: Predictions, judged: Predictions) -> Predictions:
        """The result of `fit(calibration)` and `transform(judged)`; only one fitted copy is in memory at a time."""
        problems = self._problems(checked(calibration, "calibration"))

        def fitted(column: int) -> Callable[[Array], Array]:
            check(column / calibration.n_classes)
            return self._copy().fit(problems(column))

        moved = self._mapped(checked(judged, "judged"), fitted)
        if self.knows_classes and (absent := absent_classes(calibration)):
            notice_absent(absent, judged, moved, repr(self))
        return moved

    def _copy(self) -> ScalarCalibrator:
        return copy.deepcopy(self.calibrator)

    @abstractmethod
    def _problems(self, predictions: Predictions) -> Callable[[int], ScalarProblem]:
        """The problem of each column."""

    @abstractmethod
    def _mapped(self, predictions: Predictions, maps: Maps) -> Predictions: ...


class OneVsRest(Columnwise):
    """Fits a scalar calibrator to each class against the rest and rescales the rows to sum to 1.

    It can change the ranking of the classes. A row that every class maps to 0 keeps its probabilities. A class without
    samples in the calibration set is fitted to the targets 0, and a warning names it. A fitted `Spline` keeps its
    calibration scores, so K of them take several times the memory of the probabilities; `recalibrate` holds one at a
    time.

    Parameters
    ----------
    calibrator : scalar calibrator, such as Spline()
        Copied for every class.
    shared : bool
        Fit one copy to the entries of all classes at once, instead of one to each class. That sorts all n * K of
        them, which takes about ten times the memory of the probabilities.

    Attributes
    ----------
    calibrators_ : list of K fitted copies, with `shared` of one

    See Also
    --------
    ByRank : The same by rank.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> calibrator = cv.OneVsRest(cv.Isotonic()).fit(calibration)
    >>> round(cv.ks_error(evaluation), 3), round(cv.ks_error(calibrator.transform(evaluation)), 3)
    (0.024, 0.011)
    """

    short_name = "one-vs-rest"

    def __init__(self, calibrator: ScalarCalibrator, shared: bool = False) -> None:
        super().__init__(calibrator)
        self.shared = validation.truth(shared, "shared")

    @property
    def knows_classes(self) -> bool:  # type: ignore[override]
        """Whether there is a map for each class."""
        return not self.shared

    @property
    def name(self) -> str:
        return super().name + (", shared" if self.shared else "")

    def _fit(self, predictions: Predictions) -> None:
        if self.shared:
            self.calibrators_ = [self._copy().fit(Pooled()(predictions))]
        else:
            super()._fit(predictions)

    def _transform(self, predictions: Predictions) -> Predictions:
        return self._mapped(predictions, lambda c: self.calibrators_[0 if self.shared else c])

    def recalibrate(self, calibration: Predictions, judged: Predictions) -> Predictions:
        if self.shared:
            return self.fit(calibration).transform(judged)
        return super().recalibrate(calibration, judged)

    def _problems(self, predictions: Predictions) -> Callable[[int], ScalarProblem]:
        return Classwise()(predictions).outcome

    def _mapped(self, predictions: Predictions, maps: Maps) -> Predictions:
        probs = np.empty_like(predictions.probs)
        classes = predictions.n_classes
        for first in range(0, classes, COLUMNS_TOGETHER):
            columns = slice(first, first + COLUMNS_TOGETHER)
            scores = np.ascontiguousarray(predictions.probs[:, columns].T)
            mapped = []
            for c, column in enumerate(scores, first):
                check()
                mapped.append(maps(c)(column.astype(np.float64)))
            probs[:, columns] = np.stack(mapped).T
        return predictions.with_probs(_rescale(probs, predictions.probs))


class ByRank(Columnwise):
    """Fits a scalar calibrator to each rank, the largest probability first, and rescales the rows to sum to 1.

    The target of a sample's r-th largest probability is 1 where that class is the label (ks section 2). It can change
    the ranking of the classes. A row that every rank maps to 0 keeps its probabilities.

    See Also
    --------
    OneVsRest : The same by class.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> calibrator = cv.ByRank(cv.Spline()).fit(calibration)
    >>> round(cv.ks_error(evaluation), 3), round(cv.ks_error(calibrator.transform(evaluation)), 3)
    (0.024, 0.018)
    """

    short_name = "by rank"
    knows_classes = False

    def _problems(self, predictions: Predictions) -> Callable[[int], ScalarProblem]:
        order = predictions.ranking(predictions.n_classes)

        def problem(rank: int) -> ScalarProblem:
            classes = order[:, rank]
            return ScalarProblem(
                predictions.probability_of(classes), predictions.target_of(classes), predictions.weights
            )

        return problem

    def _mapped(self, predictions: Predictions, maps: Maps) -> Predictions:
        order = predictions.ranking(predictions.n_classes)
        probs = np.empty_like(predictions.probs)
        rows = np.arange(len(probs))
        for rank in range(predictions.n_classes):
            check()
            classes = order[:, rank]
            probs[rows, classes] = maps(rank)(predictions.probability_of(classes).astype(np.float64))
        return predictions.with_probs(_rescale(probs, predictions.probs))


def _rescale(probs: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    """Rows divided by their sums, in place; a row of zeros becomes the row in `given`."""
    for block in arrays.row_blocks(*probs.shape):
        part = probs[block].astype(np.float64)
        total = part.sum(axis=1, keepdims=True)
        known = total > ROUNDING
        part /= np.where(known, total, 1.0)
        probs[block] = np.where(known, part, given[block])
    return probs
