"""A calibrator for each value of a field, such as each hospital, where the samples suffice for one."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.predictions import Predictions
from ..foundation import arrays, validation
from ..foundation.fit_warnings import notice
from .base import Calibrator, RowCalibrator, ScalarCalibrator
from .one_vs_rest import OneVsRest

FEWEST = 50  # samples of a value, what their weights are worth
MOST_VALUES = 20  # of a field that is offered
LOOKED_AT = 10_000  # samples that show that a field has more
FEWEST_OF_CLASS = 5  # of them of each class; `benchmarks/by_field.py` measures what such a fit costs and gains
KINDS = {"U": "text", "b": "booleans", "M": "dates", "m": "times"}  # all others are numbers


class ByField(RowCalibrator):
    """Fits a calibrator to each value of a field that has enough samples, and the common one to all samples.

    Enough are 50 samples, and 5 of each class; weighted samples count by what they are worth. The common calibrator
    maps the samples of other values, of values that the calibration set does not have, and those whose value is
    missing. It helps where segments are off in opposite ways, which no map of the scores alone can mend, and asks for
    many samples: each fit sees those of one value.

    Parameters
    ----------
    field : str
        Of the predictions. Each of its values counts, so take one of few.
    calibrator : calibrator of scores or of rows, such as Platt()
        Copied for every value; one of scores is fitted one class against the rest.

    Attributes
    ----------
    values_ : list
        The values that have a calibrator of their own, ascending.
    calibrators_ : list of fitted copies
        One for each of them.
    common_ : fitted copy
        The one of all samples.

    See Also
    --------
    segments : Shows whether segments are off in unlike ways.
    InContext : One map, scaled to the error in one context.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("heart")["logistic regression"].split(0.5)
    >>> calibrator = cv.ByField("site", cv.Platt()).fit(calibration)
    >>> calibrator.values_
    ['Budapest', 'Cleveland', 'Long Beach', 'Zurich and Basel']
    >>> before, after = evaluation, calibrator.transform(evaluation)
    >>> round(cv.brier_score(before, "class disease"), 3), round(cv.brier_score(after, "class disease"), 3)
    (0.143, 0.131)
    """

    short_name = "by field"
    knows_classes = False  # the calibrators say what they do not know

    def __init__(self, field: str, calibrator: ScalarCalibrator | Calibrator) -> None:
        validation.text(field, "field")
        if isinstance(calibrator, type) or not isinstance(calibrator, ScalarCalibrator | Calibrator):
            shown = validation.shown(calibrator)
            raise TypeError(f"calibrator must be a calibrator of scores or of rows, such as cv.Platt(), not {shown}")
        self.field = field
        self.calibrator = calibrator

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.field!r}, {self.calibrator!r})"

    @property
    def name(self) -> str:
        """The label in a cube, such as "platt by site"."""
        return f"{getattr(self.calibrator, 'name', type(self.calibrator).__name__)} by {self.field}"

    @property
    def keeps_ranking(self) -> bool:  # type: ignore[override]
        """Whether each of the calibrators keeps the ranking of the classes."""
        fitted = [*getattr(self, "calibrators_", ()), getattr(self, "common_", self._copy())]
        return all(getattr(each, "keeps_ranking", False) for each in fitted)

    def _copy(self) -> Any:
        inner = copy.deepcopy(self.calibrator)
        return OneVsRest(inner) if isinstance(inner, ScalarCalibrator) else inner

    def _fit(self, predictions: Predictions) -> None:
        column = self._column(predictions)
        self.kind_ = _kind(column)
        self.values_, self.calibrators_ = [], []
        self.common_ = self._copy().fit(predictions)
        for value in np.unique(column[~arrays.missing_in(column)]):
            inside = column == value
            if _are_enough(predictions, inside):
                self.values_.append(value.item())
                self.calibrators_.append(self._copy().fit(predictions.select(inside)))
        if not self.values_:
            notice(
                f"no value of the field {self.field!r} has {FEWEST} samples of the calibration set, and "
                f"{FEWEST_OF_CLASS} of each class: the common calibrator is used for all",
                stacklevel=3,
            )

    def _transform(self, predictions: Predictions) -> Predictions:
        column = self._column(predictions)
        if _kind(column) != self.kind_:
            raise ValueError(
                f"the field {self.field!r} holds {_kind(column)}, but {self!r} was fitted to {self.kind_}: give both "
                "the same values"
            )
        left = np.ones(len(predictions), dtype=bool)
        parts: list[tuple[NDArray[np.intp], Predictions]] = []
        for value, fitted in [*zip(self.values_, self.calibrators_, strict=True), (None, self.common_)]:
            rows = np.flatnonzero(left if value is None else column == value)
            left[rows] = False
            if len(rows):
                parts.append((rows, fitted.transform(predictions.select(rows))))
        probs = np.empty_like(predictions.probs)
        logits = np.empty_like(predictions.logits) if all(part.logits is not None for _, part in parts) else None
        for rows, part in parts:
            probs[rows] = part.probs
            if logits is not None:
                logits[rows] = part.logits
        return predictions.with_probs(probs, logits)

    def _example(self, fields: Mapping[str, Any] | None = None) -> NDArray[Any]:
        each = [super(ByField, self)._example({self.field: [value]}) for value in self.values_]
        return np.concatenate([self.common_._example(), *each])

    def _column(self, predictions: Predictions) -> NDArray[Any]:
        """The values of the field, one a sample."""
        known = predictions.fields
        if self.field not in known:
            there = f"the fields {validation.listed(known)}" if known else "no fields"
            raise ValueError(
                f"{self!r} looks at the field {self.field!r}, and these predictions have {there}: fit and transform "
                f"cv.Predictions(..., fields={{{self.field!r}: ...}})"
            )
        return known[self.field]


def fields_of(predictions: Predictions) -> list[str]:
    """The fields of text or booleans that have few values, of which two have enough samples at least."""
    found = []
    for name, column in predictions.fields.items():
        if column.dtype.kind not in "Ub" or len(np.unique(column[:LOOKED_AT])) > MOST_VALUES:
            continue
        values = np.unique(column[~arrays.missing_in(column)])
        enough = (v for v in values if _are_enough(predictions, column == v))
        if 2 <= len(values) <= MOST_VALUES and len(list(islice(enough, 2))) == 2:
            found.append(name)
    return found


def _kind(column: NDArray[Any]) -> str:
    """The kind of what a field holds, in a word."""
    return KINDS.get(column.dtype.kind, "numbers")


def _are_enough(predictions: Predictions, inside: NDArray[np.bool_]) -> bool:
    """Whether the samples of a mask, and those of each class among them, are worth enough for a fit."""
    weights = np.ones(inside.sum()) if predictions.weights is None else predictions.weights[inside]
    size = arrays.effective_size(weights)
    if not size >= max(FEWEST, FEWEST_OF_CLASS * predictions.n_classes):
        return False
    for c in range(predictions.n_classes):
        of_class = weights * predictions.target_column(c)[inside]
        worth = min(size * of_class.sum() / weights.sum(), arrays.effective_size(of_class))
        if not worth >= FEWEST_OF_CLASS:
            return False
    return True
