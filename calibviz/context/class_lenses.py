"""Lenses that look at every class: each by itself, or all entries at once (gce_measuring section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.predictions import Predictions
from ..engine.columns import ColumnFamily
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation.arrays import are_counts
from .lenses import BuiltIn, ClassConditional, Lens, Top1, of_checked


@dataclass(frozen=True, repr=False)
class Classwise(BuiltIn):
    """Every class by itself; the error is the mean over the K classes (gce_measuring 4.3, "SCE").

    See Also
    --------
    ClassConditional : One of the classes.
    Full : All classes jointly.
    Pooled : All entries as one scalar problem.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.calibration_error(p, cv.lens("classwise")), 3)
    0.039
    """

    name = "classwise"

    @of_checked
    def __call__(self, predictions: Predictions) -> ProblemFamily:
        if predictions.labels is None or predictions.weights is not None:
            samples = counted(predictions.weights, len(predictions))
            return ProblemFamily(predictions.class_names, lambda c: ClassConditional(c)(predictions), samples)
        return ColumnFamily(predictions.class_names, predictions.probs, predictions.labels)


def counted(weights: NDArray[np.float64] | None, samples: int) -> int:
    """The number of samples of positive weight; whole-number weights count repetitions."""
    if weights is None:
        return samples
    return int(weights.sum()) if are_counts(weights) else int(np.count_nonzero(weights))


@dataclass(frozen=True, repr=False)
class Top1ByClass(BuiltIn):
    """The top-1 lens split by the predicted class; the error is the sum over classes divided by K.

    A class that is never predicted adds 0 (gce_measuring 4.1).

    See Also
    --------
    Top1 : All predicted classes together.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.calibration_error(p, cv.lens("top-1 by class")), 3)
    0.197
    """

    name = "top-1 by class"
    about_predicted = True

    @of_checked
    def __call__(self, predictions: Predictions) -> ProblemFamily:
        if predictions.of_confidence:
            raise ValueError(
                f"the lens 'top-1 by class' splits samples by predicted class, but these are {predictions.kind}, "
                "whichever it was: use 'top-1', with a selection by a field that holds the class"
            )
        whole = Top1()(predictions)
        predicted = predictions.predicted[whole.order]
        by_class = np.argsort(predicted, kind="stable")  # by score within a class
        starts = np.searchsorted(predicted[by_class], np.arange(predictions.n_classes + 1))

        def part(c: int) -> ScalarProblem:
            if starts[c] == starts[c + 1]:
                name = predictions.class_names[c]
                raise EmptyProblemError(f"no sample is left: the class {name!r} is never predicted")
            return whole.taken(by_class[starts[c] : starts[c + 1]])

        return ProblemFamily(predictions.class_names, part, whole.samples, whole.nbytes + by_class.nbytes)


@dataclass(frozen=True, repr=False)
class Pooled(BuiltIn):
    """All n * K probabilities as one scalar problem.

    See Also
    --------
    Classwise : The classes one by one.
    Full : All classes jointly.

    Examples
    --------
    >>> p = cv.Predictions([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 2])
    >>> len(cv.lens("pooled")(p))
    6
    """

    name = "pooled"

    @of_checked
    def __call__(self, predictions: Predictions) -> ScalarProblem:
        if predictions.of_confidence:
            raise ValueError(
                f"the lens 'pooled' would mix {predictions.kind} with what they leave of 1, so that errors at c and at "
                "1 - c cancel: use 'top-1'"
            )
        n, classes = predictions.probs.shape
        weight = None if predictions.weights is None else np.repeat(predictions.weights, classes)
        if predictions.soft_labels is not None:
            target = predictions.soft_labels.ravel()
        else:
            target = np.zeros(n * classes, dtype=bool)
            assert predictions.labels is not None
            target[np.arange(n) * classes + predictions.labels] = True
        problem = ScalarProblem(predictions.probs.ravel(), target, weight)
        problem.order = problem.order // classes  # the sample, of which each class is an entry
        return problem


def scores_per_sample(lens: Lens, predictions: Predictions) -> int:
    """The number of scores that a scalar lens has of each sample: K under the pooled lens, else 1."""
    return predictions.n_classes if isinstance(lens, Pooled) else 1
