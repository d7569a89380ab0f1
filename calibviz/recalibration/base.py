"""The two kinds of calibrators: of whole rows of probabilities, and of the scores of a scalar problem."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..context.induced import Summarized
from ..data.predictions import Predictions
from ..data.reweighting import label_mass
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import arrays, validation
from ..foundation.arrays import Array
from ..foundation.fit_warnings import notice
from ..foundation.validation import listed
from ..foundation.written import percent
from ..metrics.scores import accuracy
from .parameters import Parameters
from .solvers.logit_blocks import log_probs, logits_of

MOST_LOOKED_AT = 10_000  # rows that show what becomes of a class without samples
MOST_CLASSES = 10**7  # a record that claims more is no fit
MOST_KEPT = 0.5  # of the probability of such a class, where it is said that a calibrator takes it away


@runtime_checkable
class Calibrator(Protocol):
    """A map of the class probabilities of a sample: any object with `fit` and `transform`."""

    def fit(self, predictions: Predictions) -> Self: ...

    def transform(self, predictions: Predictions) -> Predictions: ...


@runtime_checkable
class ScalarCalibrator(Protocol):
    """A map of the scores of a scalar problem: any object with `fit` that can be called."""

    def fit(self, problem: ScalarProblem) -> Self: ...

    def __call__(self, score: Array) -> Array: ...


class RowCalibrator(Parameters):
    """A calibrator of rows of probabilities."""

    keeps_ranking: bool  # whether the order of the classes of each sample stays, up to ties by rounding to the dtype
    knows_classes = True  # whether it fits something to each class, and knows nothing of one that no sample has

    def fit(
        self,
        predictions: Predictions | ArrayLike | None = None,
        labels: ArrayLike | None = None,
        *,
        logits: ArrayLike | None = None,
    ) -> Self:
        """Return the calibrator, fitted to a calibration set, whose samples should not be among those judged later.

        Parameters
        ----------
        predictions : Predictions, or probabilities of shape (n, K) or (n,)
            None where `logits` are given.
        labels : array-like, shape (n,) or (n, K)
            Only with arrays: `Predictions` hold their labels.
        logits : array-like, shape (n, K) or (n,), optional
            Only with arrays, too.

        Raises
        ------
        TypeError, ValueError
            Where `Predictions` would refuse the input; an `EmptyProblemError` where all weights are 0.
        """
        calibration = self._given(predictions, labels, logits)
        if calibration.weights is not None and not calibration.weights.any():
            raise EmptyProblemError(
                "the weights of the calibration set are all 0: pass samples of which at least one has a weight above 0"
            )
        self._fit(calibration)
        self._remember(calibration)
        if self.knows_classes and (absent := absent_classes(calibration)):
            seen = calibration.select(np.arange(min(len(calibration), MOST_LOOKED_AT)))
            notice_absent(absent, seen, self._transform(seen), repr(self))
        return self

    def transform(self, predictions: Predictions) -> Predictions:
        """Return the samples under recalibrated probabilities, whose dtype is kept.

        Raises
        ------
        NotFittedError
        ValueError
            Where the number of classes differs from that of the calibration set, or needed logits are missing.
        """
        self._check_fitted()
        if not isinstance(predictions, Predictions):
            raise TypeError(
                f"{type(self).__name__} transforms cv.Predictions, not {type(predictions).__name__}; "
                "predict_proba takes arrays"
            )
        if predictions.n_classes != self.n_classes_:
            raise ValueError(
                f"predictions have {predictions.n_classes} classes, but {self!r} was fitted to {self.n_classes_}"
            )
        return self._transform(predictions)

    def predict_proba(self, probs: ArrayLike | None = None, *, logits: ArrayLike | None = None) -> NDArray[Any]:
        """The recalibrated probabilities of new samples, shape (n, K), in the dtype of `probs`; else float64.

        Parameters
        ----------
        probs : array-like, shape (n, K) or (n,)
            None where `logits` are given.
        logits : array-like, shape (n, K) or (n,), optional
            Needed by a calibrator that was fitted to logits.
        """
        values = probs if probs is not None else logits
        if values is None:
            raise TypeError("probs is missing: pass probabilities of shape (n, K), or logits=...")
        rows = arrays.plain_array(values, "probs" if probs is not None else "logits")
        unlabelled = np.zeros(len(np.atleast_1d(rows)), dtype=np.intp)
        return self.transform(Predictions(probs, unlabelled, logits=logits)).probs

    def accuracy_change(self, predictions: Predictions) -> float:
        """The change of the accuracy on these predictions, in percentage points."""
        return 100 * (accuracy(self.transform(predictions)) - accuracy(predictions))

    def recalibrate(self, calibration: Predictions, judged: Predictions) -> Predictions:
        """The result of `fit(calibration)` and `transform(judged)`; parts of the fit need not be kept in memory."""
        return self.fit(calibration).transform(judged)

    def _given(self, predictions: Any, labels: Any, logits: Any) -> Predictions:
        if isinstance(predictions, Predictions):
            if labels is not None or logits is not None:
                raise TypeError("labels and logits belong into the Predictions: pass them when you make these")
            return predictions
        if labels is None:
            name = type(predictions).__name__
            raise TypeError(
                f"{type(self).__name__} is fitted to cv.Predictions(probs, labels), or to probs and labels, "
                f"not to {name} alone{': draw some with its sample()' if name == 'LazyPredictions' else ''}"
            )
        return Predictions(predictions, labels, logits=logits)

    n_classes_: int

    def _example(self, fields: Mapping[str, Any] | None = None) -> NDArray[Any]:
        classes = validation.whole_number(self.n_classes_, "n_classes_", 2, MOST_CLASSES)
        row = np.linspace(0.0, 1.0, classes)[None]  # under any values but numbers it makes nan
        return self.transform(Predictions(logits=row, labels=[0], fields=fields)).probs

    def _remember(self, predictions: Predictions) -> None:
        """Keep the properties of the calibration set that every calibrator has."""
        self.n_classes_ = predictions.n_classes

    @abstractmethod
    def _fit(self, predictions: Predictions) -> None: ...

    @abstractmethod
    def _transform(self, predictions: Predictions) -> Predictions: ...


def absent_classes(predictions: Predictions) -> list[int]:
    """The classes that no label names, or none of a weight above 0."""
    return np.flatnonzero(label_mass(predictions, predictions.weights) == 0).tolist()


def notice_absent(classes: list[int], given: Predictions, moved: Predictions, calibrator: str) -> None:
    """Warn where a calibrator takes most of their probability from classes that its calibration set does not have."""
    before, after = (float(p.probs[:, classes].sum(axis=1, dtype=np.float64).mean()) for p in (given, moved))
    if after > before * MOST_KEPT or not before:
        return
    names = listed(given.class_names[c] for c in classes)
    which = "the class" if len(classes) == 1 else "any of the classes"
    notice(
        f"no sample of the calibration set has {which} {names}: {calibrator} takes that for all but impossible, and "
        f"its mean probability goes from {percent(before)} to {percent(after)}. Fit it to samples of every class",
        stacklevel=3,
    )


class LogitCalibrator(RowCalibrator):
    """A calibrator that maps the logits of a sample or, without logits, its log-probabilities.

    Where the calibration set had logits, new samples need them, too, unless `takes_either` says that the calibrator
    gives the same for log-probabilities, which differ from logits by a constant for each sample.
    """

    takes_either = False
    uses_logits_: bool  # whether the calibration set had logits

    def _remember(self, predictions: Predictions) -> None:
        super()._remember(predictions)
        self.uses_logits_ = predictions.logits is not None

    @abstractmethod
    def _logits(self, z: Array) -> Array:
        """The new logits of some samples, shape (m, K); `z` may be overwritten."""

    @staticmethod
    def _input(predictions: Predictions, rows: slice, dtype: Any = np.float64) -> NDArray[Any]:
        return logits_of(predictions, rows, dtype)

    def _transform(self, predictions: Predictions) -> Predictions:
        if self.uses_logits_ and predictions.logits is None and not self.takes_either:
            raise ValueError(
                f"{self!r} was fitted to logits, but these predictions have none: pass logits=..., or fit it to "
                "probabilities alone"
            )
        inputs = self._input if self.uses_logits_ else log_probs
        probs = np.empty_like(predictions.probs)
        logits = None if predictions.logits is None else np.empty_like(predictions.logits)
        for block in arrays.row_blocks(*probs.shape):
            new = self._logits(inputs(predictions, block))
            if logits is not None:
                most = np.finfo(logits.dtype).max  # a low temperature can make logits too large for float16
                logits[block] = np.clip(new, -most, most)
            probs[block] = arrays.softmax(new)
        return predictions.with_probs(probs, logits)


class ProblemCalibrator(Parameters):
    """A calibrator of the scores of a scalar problem."""

    @property
    @abstractmethod
    def keeps_ranking(self) -> bool: ...  # whether no higher score becomes a lower one; different ones may become equal

    if not TYPE_CHECKING:  # as in the base class

        def __getattr__(self, name: str) -> Any:
            if hasattr(RowCalibrator, name):
                raise AttributeError(
                    f"{type(self).__name__} maps scores, and has no {name}: fit cv.OneVsRest(cv.{self!r}), which "
                    "recalibrates predictions"
                )
            return super().__getattr__(name)

    def fit(self, problem: ScalarProblem | ArrayLike, target: ArrayLike | None = None) -> Self:
        """Return the calibrator, fitted to a scalar problem of the calibration set.

        Parameters
        ----------
        problem : ScalarProblem, Summary, or scores of shape (n,) in [0, 1]
        target : array-like, shape (n,), values in [0, 1]
            Only with scores: 1 where the predicted event was observed.

        Raises
        ------
        TypeError, ValueError
            Where the arguments are no scores and targets.
        """
        if isinstance(problem, Summarized):
            problem = problem.problem
        if isinstance(problem, ScalarProblem):
            if target is not None:
                raise TypeError("target belongs into the ScalarProblem: pass it when you make it")
        else:
            is_other = target is None or isinstance(problem, Predictions)
            if is_other or arrays.plain_array(problem, "problem").ndim != 1:
                name = type(self).__name__
                raise TypeError(
                    f"{name} is fitted to a scalar problem, such as cv.lens('top-1')(predictions), or to scores and "
                    f"targets of shape (n,), not to {type(problem).__name__}; cv.OneVsRest(cv.{name}()) recalibrates "
                    "predictions"
                )
            score, hit = arrays.float_array(problem, "problem"), arrays.float_array(target, "target")
            if np.isin(score, (0, 1)).all() and not np.isin(hit, (0, 1)).all():
                raise ValueError("problem holds nothing but 0 and 1, and target other numbers: scores come first")
            problem = ScalarProblem(score, hit)
        self._fit(problem)
        return self

    def __call__(self, score: ArrayLike) -> Array:
        """The recalibrated scores, float64 in [0, 1], in the shape of `score`.

        Raises
        ------
        NotFittedError
        ValueError
            Where a score is not finite.
        """
        self._check_fitted()
        values = arrays.float_array(score, "score").astype(np.float64, copy=False)
        bad = ~np.isfinite(values)
        if bad.any():
            arrays.refuse_where(np.atleast_1d(bad), np.atleast_1d(values), "score", 0, "every entry must be finite")
        return np.clip(self._map(values), 0.0, 1.0)

    def predict_proba(self, score: ArrayLike) -> Array:
        """The recalibrated scores of new samples, shape (n,), as a call gives them; rows are refused."""
        if len(shape := arrays.plain_array(score, "score").shape) != 1:
            name = type(self).__name__
            raise ValueError(f"score must have shape (n,), not {shape}: cv.OneVsRest(cv.{name}()) recalibrates rows")
        return self(score)

    def _example(self) -> Array:
        return self(np.array([0.0, 0.5, 1.0]))

    @abstractmethod
    def _fit(self, problem: ScalarProblem) -> None: ...

    @abstractmethod
    def _map(self, score: Array) -> Array: ...
