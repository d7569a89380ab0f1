"""A calibrator that is scaled to the error in one context where cross-validation shows that this helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.induced import induced_problem, single
from ..context.lens_names import lens as read_lens
from ..context.lenses import Lens
from ..data.predictions import Predictions
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from ..foundation.clusters import of_several
from ..foundation.fit_warnings import notice, notices
from ..foundation.progress import with_progress
from ..metrics.binned import calibration_error
from ..metrics.clinical.acting import net_benefits, threshold_of
from ..metrics.distances import InterInterval
from ..metrics.likert import distance_of, in_category
from ..uncertainty.resampling.bootstrap import drawn_weights
from .base import LogitCalibrator, RowCalibrator
from .solvers.cross_validation import FOLDS, few_to_deal, in_folds
from .temperature import MetricTemperature, Temperature

REPLICATES = 200
GAIN_QUANTILE = 1.645  # in standard deviations of the gain; noise alone exceeds it once in 20 times
PLAIN, IN_CONTEXT = "plain", "context"


class InContext(RowCalibrator):
    """A map of logits, scaled to the error in one context if cross-validation shows that this helps there.

    The map itself is fitted to all samples. Then its logits are divided by the T that minimises the error through a
    lens, among selected samples; so 1/T scales the parameters of the map. This T is kept only if it lowers the error on
    the folds left out by more than 1.645 standard deviations of the difference under resampling. Else T is 1, the plain
    fit. Outside of the context the scaled fit may be worse, so use it there only.

    Parameters
    ----------
    calibrator : calibrator of logits
        Such as `Temperature()`, `VectorScaling()` or `MatrixScaling(penalty=1.0)`.
    lens : lens or its name, optional
        By default the positive class of two, and top-1 of more.
    selection : selection or its text, optional
        It may not look at the output of the lens, which the map changes.
    categories : sequence of ascending edges, optional
        The error is the distance of the mean target from each category of scores, averaged over the samples.
    threshold : float, in [0, 1), optional
        The error is minus the net benefit of acting at this score.
    error : function of a problem, optional
        By default `calibration_error`. Pass one of categories, threshold and error at most.

    Attributes
    ----------
    chosen_ : {"plain", "context"}
    temperature_ : float
        The divisor of the logits of the plain fit; 1 where the plain fit is chosen.
    plain_error_, context_error_ : float
        The errors of both fits in the context, on the folds left out.
    gain_, noise_ : float
        The difference of the two errors, and its standard deviation under paired resampling.
    calibrator_ : calibrator
        The plain fit.

    Raises
    ------
    EmptyProblemError
        Where the context holds no sample. With fewer than 5 it is the plain fit, and a warning says so.

    See Also
    --------
    MetricTemperature : The temperature of the least error, without cross-validation.

    Notes
    -----
    The errors of few samples are mostly noise, and a fit to noise does harm elsewhere. So expect the plain fit, unless
    the context is large and differs from the rest. `benchmarks/in_context.py` measures how often the choice is wrong.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> calibrator = cv.InContext(cv.Temperature(), "top-1", error=cv.ks_error).fit(calibration)
    >>> calibrator.chosen_, calibrator.gain_ < 1.645 * calibrator.noise_
    ('plain', True)
    """

    short_name = "in context"

    def __init__(
        self,
        calibrator: LogitCalibrator,
        lens: str | Lens | None = None,
        *,
        selection: str | Condition | None = None,
        categories: Sequence[float] | None = None,
        threshold: float | None = None,
        error: Callable[[Any], float] | None = None,
    ) -> None:
        if not isinstance(calibrator, LogitCalibrator):
            raise TypeError(f"calibrator must map logits, such as cv.Temperature(), not {validation.shown(calibrator)}")
        if lens is not None:
            read_lens(lens)
        condition = read_selection(selection)
        if condition is not None and condition.uses("output"):
            raise ValueError("selection must not look at the output, which the calibrator moves: pass categories=...")
        if sum(option is not None for option in (categories, threshold, error)) > 1:
            raise ValueError("pass one of categories, threshold and error at most: each says what the error is")
        if categories is not None:
            _check_categories(categories)
        if threshold is not None:
            threshold_of(threshold)
        if error is not None and (not callable(error) or isinstance(error, type)):
            raise TypeError(f"error must be a function of a problem such as cv.ks_error, not {validation.shown(error)}")
        self.calibrator = calibrator
        self.lens = lens
        self.selection = selection
        self.categories = categories
        self.threshold = threshold
        self.error = error

    knows_classes = False  # the calibrator says what it does not know

    @property
    def keeps_ranking(self) -> bool:  # type: ignore[override]
        """Whether the calibrator keeps the ranking of the classes."""
        return self.calibrator.keeps_ranking

    def _fit(self, predictions: Predictions) -> None:
        if predictions.weights is not None:
            predictions = predictions.select(predictions.weights > 0)
        condition = read_selection(self.selection)
        inside = np.ones(len(predictions), dtype=bool) if condition is None else condition.mask(predictions)
        if not inside.any():
            raise EmptyProblemError("the context holds no sample of the calibration set: the selection keeps none")
        few = few_to_deal(predictions.select(inside), FOLDS)
        if inside.sum() < FOLDS or few:
            held = few or f"{inside.sum()} samples"
            few = f"the context holds {held} of the calibration set, too few for {FOLDS} folds"
            notice(f"{few}: the plain fit is used", stacklevel=3)
            self.plain_error_ = self.context_error_ = self.gain_ = self.noise_ = float("nan")
            self.calibrator_, self.temperature_ = self._fit_plain(predictions), 1.0
            return
        fold = np.empty(len(predictions), dtype=np.intp)
        codes = of_several(predictions.cluster_codes)
        some_inside = inside if codes is None else np.isin(codes, codes[inside])  # a cluster is in one fold
        for part in (some_inside, ~some_inside):
            fold[part] = in_folds(predictions.select(part), FOLDS)
        sides: list[list[Predictions]] = [[], []]
        rows: list[NDArray[np.intp]] = []
        for k in with_progress(range(FOLDS), self.name, FOLDS):
            with notices():  # the fit to all samples below says the same
                plain, temperature = self._fit_both(predictions.select(fold != k), inside[fold != k])
            rows.append(np.flatnonzero((fold == k) & inside))
            judged = plain.transform(predictions.select(rows[-1]))
            for side, by in zip(sides, (1.0, temperature), strict=True):
                side.append(_divide(judged, by))
        probs = (np.concatenate([part.probs for part in side]) for side in sides)
        self._compare(predictions.select(np.concatenate(rows)), *probs)
        self.calibrator_, temperature = self._fit_both(predictions, inside)
        self.temperature_ = temperature if self.chosen_ == IN_CONTEXT else 1.0

    @property
    def chosen_(self) -> str:
        """The name of the chosen fit."""
        self._check_fitted()
        return IN_CONTEXT if self.gain_ > GAIN_QUANTILE * self.noise_ else PLAIN

    def _compare(self, held_out: Predictions, *probs: NDArray[Any]) -> None:
        """Compare two sets of probabilities of samples that neither fit has seen."""
        plain, context = (held_out.with_probs(rows) for rows in probs)
        self.plain_error_, self.context_error_ = self._measure(plain), self._measure(context)
        self.gain_ = self.plain_error_ - self.context_error_
        gains, codes = [], held_out.cluster_codes
        codes = np.arange(len(held_out)) if codes is None else codes  # samples, or clusters with all of theirs
        for weights in drawn_weights(len(held_out), held_out.weights, REPLICATES, clusters=codes):
            try:
                gains.append(self._measure(plain.with_weights(weights)) - self._measure(context.with_weights(weights)))
            except EmptyProblemError:
                continue
        self.noise_ = float(np.std(gains))

    def _fit_both(self, predictions: Predictions, inside: NDArray[np.bool_]) -> tuple[LogitCalibrator, float]:
        """The plain fit to all samples, and the temperature of the least error in the context after it."""
        plain = self._fit_plain(predictions)
        moved = plain.transform(predictions.select(inside))
        with notices():  # a warning about this temperature would confuse, since it may not be chosen
            return plain, MetricTemperature(self._measure).fit(moved).temperature_

    def _fit_plain(self, predictions: Predictions) -> LogitCalibrator:
        return type(self.calibrator)(**self.calibrator.get_params(deep=False)).fit(predictions)

    def _measure(self, predictions: Predictions) -> float:
        problem = induced_problem(predictions, self.lens)
        if self.categories is None and self.threshold is None:
            return float((calibration_error if self.error is None else self.error)(problem))
        if self.threshold is None:
            return _average_distance(single(problem), _check_categories(self.categories))
        benefit = net_benefits(single(problem), np.array([self.threshold]))[0]
        return -float(benefit)  # as a large benefit is good

    def _transform(self, predictions: Predictions) -> Predictions:
        return _divide(self.calibrator_.transform(predictions), self.temperature_)


def _check_categories(edges: Any) -> list[float]:
    """The edges of Likert categories, ascending in [0, 1]."""
    ascending: list[float] = validation.float_values(edges, "categories", 1).tolist()
    if len(ascending) < 2 or not all(0 <= low < high <= 1 for low, high in pairwise(ascending)):
        raise ValueError(f"categories must hold two or more ascending numbers from 0 to 1, not {edges!r}")
    return ascending


def _average_distance(problem: ScalarProblem, edges: Sequence[float]) -> float:
    """The distance of the mean target of each category from the category, averaged over the samples."""
    total = 0.0
    for low, high in pairwise(edges):
        part = in_category(problem, low, high, open_end=high < edges[-1])
        if part is not None:
            total += part.total * distance_of(part, InterInterval(low, high))
    return total / problem.total


def _divide(predictions: Predictions, temperature: float) -> Predictions:
    """The predictions with all logits divided by a temperature."""
    if temperature == 1:
        return predictions
    scaled = Temperature()
    scaled.temperature_, scaled.uses_logits_ = temperature, predictions.logits is not None
    scaled.n_classes_ = predictions.n_classes
    return scaled.transform(predictions)
