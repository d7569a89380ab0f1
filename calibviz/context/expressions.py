"""Quantities of which selections are made: `cv.quantity("confidence") > 0.5`, `cv.field("age").between(20, 40)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import numpy as np

from ..foundation import validation
from ..foundation.validation import listing
from .conditions import PLAIN_SUBJECTS, Between, Comparison, IsIn, Subject, Value


def _compared(op: str) -> Callable[[Quantity, Any], Comparison]:
    """The method that compares a quantity with a value by a sign."""

    def compared(quantity: Quantity, value: Any) -> Comparison:
        return Comparison(quantity._subject, op, _plain(value, quantity._subject))

    return compared


class Quantity:
    """A quantity of each sample: compare it, or use `isin` and `between`, to make a condition."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __repr__(self) -> str:
        return f"<selection quantity {self._subject}>"

    __eq__ = _compared("==")  # type: ignore[assignment]
    __ne__ = _compared("!=")  # type: ignore[assignment]
    __lt__ = _compared("<")
    __le__ = _compared("<=")
    __gt__ = _compared(">")
    __ge__ = _compared(">=")

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


def quantity(name: str) -> Quantity:
    """A quantity that every sample has, to be compared with values: the word of it in the text of a selection.

    Parameters
    ----------
    name : {"label", "predicted", "correct", "confidence", "output"}
        The label and the predicted class; 1 where they are the same (with soft labels, where at least half of the
        label's mass is on the predicted class) and else 0; the largest probability; the score that the lens looks at.

    Returns
    -------
    Quantity
        Compare it by `<`, `>=`, `==`, ..., or use its methods `isin` and `between`; the result is a condition, and
        conditions are combined by `&`, `|` and `~`.

    Raises
    ------
    ValueError
        Where it is no such word.

    See Also
    --------
    field : A field of the samples.
    probability : The probability of a class.
    selection : Selections as text.

    Examples
    --------
    >>> cv.quantity("label").isin([3, 8]) & (cv.quantity("confidence") > 0.9)
    selection('label in [3, 8] and confidence > 0.9')
    """
    return Quantity(Subject(validation.choice(name, "name", PLAIN_SUBJECTS)))


def probability(c: int | str) -> Quantity:
    """The predicted probability of a class, given by number or name.

    See Also
    --------
    quantity : The label, the predicted class, the largest probability, and the score that the lens looks at.
    field : A field of the samples.

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
    quantity, probability : What every sample has.
    selection : Selections as text.

    Examples
    --------
    >>> cv.field("age").between(20, 40) & (cv.field("site") == "Zurich")
    selection('20 <= age <= 40 and site == "Zurich"')
    """
    return Quantity(Subject("field", name))
