"""What selections are written with in Python: `cv.confidence > 0.5`, `cv.field("age").between(20, 40)`.

`cv.correct == 0` keeps the errors. It is 1 where the predicted class is the label; with soft labels, where at least
half of the label's mass is on the predicted class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np

from ..foundation.validation import listing
from .conditions import Between, Comparison, IsIn, Subject, Value


class Quantity:
    """What conditions are made from: compare it, or use `isin` and `between`."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __repr__(self) -> str:
        return f"<selection quantity {self._subject}>"

    def _compare(self, op: str, value: Any) -> Comparison:
        return Comparison(self._subject, op, _plain(value, self._subject))

    def __eq__(self, value: object) -> Comparison:  # type: ignore[override]
        return self._compare("==", value)

    def __ne__(self, value: object) -> Comparison:  # type: ignore[override]
        return self._compare("!=", value)

    def __lt__(self, value: Value) -> Comparison:
        return self._compare("<", value)

    def __le__(self, value: Value) -> Comparison:
        return self._compare("<=", value)

    def __gt__(self, value: Value) -> Comparison:
        return self._compare(">", value)

    def __ge__(self, value: Value) -> Comparison:
        return self._compare(">=", value)

    def isin(self, values: Iterable[Value]) -> IsIn:
        """The quantity is one of `values`."""
        return IsIn(self._subject, tuple(_plain(v, self._subject) for v in listing(values, "isin", "values")))

    def between(self, low: Value, high: Value) -> Between:
        """low <= quantity <= high."""
        return Between(self._subject, _plain(low, self._subject), _plain(high, self._subject))


def _plain(value: Any, subject: Subject) -> Value:
    if isinstance(value, np.datetime64 | date):
        return str(value) if isinstance(value, np.datetime64) else value.isoformat()
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{subject} is compared with {value}: only finite numbers can be written in a selection")
    if not isinstance(value, bool | int | float | str):
        raise TypeError(f"{subject} can be compared with a number or a text, not with {value!r}")
    return value


label = Quantity(Subject("label"))
predicted = Quantity(Subject("predicted"))
correct = Quantity(Subject("correct"))
confidence = Quantity(Subject("confidence"))
output = Quantity(Subject("output"))


def probability(c: int | str) -> Quantity:
    """The predicted probability of a class, given by number or name.

    See Also
    --------
    confidence : The largest probability.
    output : The score that the lens looks at.

    Examples
    --------
    >>> cv.probability("malignant") >= 0.1
    selection('probability("malignant") >= 0.1')
    """
    c = c.item() if isinstance(c, np.generic) else c
    if isinstance(c, bool) or not isinstance(c, int | str):
        raise TypeError(f"probability needs a class number or name, not {c!r}")
    return Quantity(Subject("probability", c))


def field(name: str) -> Quantity:
    """A sample field of the predictions.

    See Also
    --------
    selection : Selections as text.

    Examples
    --------
    >>> cv.field("age").between(20, 40) & (cv.confidence > 0.9)
    selection('20 <= age <= 40 and confidence > 0.9')
    """
    return Quantity(Subject("field", name))
