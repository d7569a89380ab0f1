"""Selection operators (gece 4.1): conditions that keep some of the samples.

    cv.quantity("label").isin([3, 5]) & (cv.quantity("confidence") > 0.5)

prints as `label in [3, 5] and confidence > 0.5`, and `condition_parser.parse` reads that text back. Conditions are
frozen and equal when they say the same.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.predictions import Predictions
from ..foundation import validation

Mask = NDArray[np.bool_]
Value = bool | int | float | str

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
PLAIN_SUBJECTS = ("label", "predicted", "correct", "confidence", "output")
NAME = re.compile(r"[^\W\d]\w*")  # of a field that needs no quotes
RESERVED = (*PLAIN_SUBJECTS, "probability", "field", "and", "or", "not", "in", "True", "False")


@dataclass(frozen=True)
class Subject:
    """The quantity that a condition compares: its kind, and for `probability` and `field` which one.

    `correct` is 1 where the predicted class is the label, else 0; with soft labels, 1 where at least half of the
    label's mass is on the predicted class.
    """

    kind: str
    argument: int | str | None = None

    def __str__(self) -> str:
        if self.kind == "field":
            name = str(self.argument)
            return name if NAME.fullmatch(name) and name not in RESERVED else f"field({text_of(name)})"
        return self.kind if self.argument is None else f"{self.kind}({text_of(self.argument)})"

    def values(self, predictions: Predictions, output: NDArray[np.float64] | None) -> NDArray[Any]:
        """One value a sample."""
        if self.kind == "label":
            if predictions.labels is None:
                raise ValueError("a selection on the label needs hard labels, but these predictions have soft ones")
            return predictions.labels
        if self.kind == "predicted":
            if predictions.of_confidence:
                raise ValueError(
                    "a selection on the predicted class needs probabilities of classes, but these are confidences in a "
                    'predicted class that is not known: where a field holds it, select by field("predicted")'
                )
            return predictions.predicted
        if self.kind == "correct":
            return (predictions.top_target >= 0.5).astype(np.intp)
        if self.kind == "confidence":
            return predictions.confidence.astype(np.float64)
        if self.kind == "probability":
            c = validation.class_index(self.argument, predictions.class_names, "probability of class")
            return predictions.probs[:, c].astype(np.float64)
        if self.kind == "field":
            if self.argument not in predictions.fields:
                known = ", ".join(predictions.fields) or "none"
                hint = validation.did_you_mean(str(self.argument), predictions.fields)
                raise ValueError(
                    f"field {self.argument!r} is unknown: the fields of these predictions are: {known}{hint}"
                )
            column = predictions.fields[str(self.argument)]
            # Else NumPy would round the number that it is compared with to float32.
            return column.astype(np.float64) if column.dtype.kind == "f" else column
        if output is None:
            raise ValueError("output is the score that a lens looks at, and there is no lens here")
        return output


def text_of(value: Value) -> str:
    """A value as it stands in the text of a selection."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


class Condition:
    """Something that holds for a sample or not; combined by `&`, `|` and `~`."""

    def __and__(self, other: Condition) -> Condition:
        return And(joined((self, _condition(other)), And))

    def __or__(self, other: Condition) -> Condition:
        return Or(joined((self, _condition(other)), Or))

    def __invert__(self) -> Condition:
        return self.part if isinstance(self, Not) else Not(self)

    def __bool__(self) -> bool:
        raise TypeError("a selection is not true or false by itself: combine with & | ~, and use .between(low, high)")

    def __repr__(self) -> str:
        return f"selection({str(self)!r})"

    def mask(self, predictions: Predictions, output: NDArray[np.float64] | None = None) -> Mask:
        """Which samples are kept, shape (n,). `output` is the lens's own scalar score of each sample."""
        raise NotImplementedError

    def uses(self, kind: str, argument: str | None = None) -> bool:
        """Whether the condition looks at a subject of this kind, and of this name if one is given."""
        raise NotImplementedError


def _condition(value: Any) -> Condition:
    if not isinstance(value, Condition):
        raise TypeError(f"a selection can only be combined with another one, not with {value!r}: mind the parentheses")
    return value


def joined(conditions: Iterable[Condition], kind: type[And] | type[Or]) -> tuple[Condition, ...]:
    """The parts of conditions that are joined by `and`, or by `or`."""
    return tuple(
        part for condition in conditions for part in (condition.parts if isinstance(condition, kind) else (condition,))
    )


@dataclass(frozen=True, repr=False)
class _OfSubject(Condition):
    """A condition on one subject."""

    subject: Subject

    def uses(self, kind: str, argument: str | None = None) -> bool:
        return self.subject.kind == kind and argument in (None, self.subject.argument)


@dataclass(frozen=True, repr=False)
class _Combined(Condition):
    """A condition made of others."""

    parts: tuple[Condition, ...]

    def mask(self, predictions: Predictions, output: NDArray[np.float64] | None = None) -> Mask:
        joins = np.logical_and if isinstance(self, And) else np.logical_or
        return reduce(joins, (part.mask(predictions, output) for part in self.parts))

    def uses(self, kind: str, argument: str | None = None) -> bool:
        return any(part.uses(kind, argument) for part in self.parts)


@dataclass(frozen=True, repr=False)
class Comparison(_OfSubject):
    """`subject op value`."""

    op: str
    value: Value

    def __str__(self) -> str:
        return f"{self.subject} {self.op} {text_of(self.value)}"

    def mask(self, predictions: Predictions, output: NDArray[np.float64] | None = None) -> Mask:
        values = self.subject.values(predictions, output)
        value = _comparable(self.subject, self.value, values, predictions, self.op in ("==", "!="))
        return np.asarray(OPERATORS[self.op](values, value))


@dataclass(frozen=True, repr=False)
class Between(_OfSubject):
    """`low <= subject <= high`."""

    low: Value
    high: Value

    def __str__(self) -> str:
        return f"{text_of(self.low)} <= {self.subject} <= {text_of(self.high)}"

    def mask(self, predictions: Predictions, output: NDArray[np.float64] | None = None) -> Mask:
        values = self.subject.values(predictions, output)
        low, high = (_comparable(self.subject, v, values, predictions) for v in (self.low, self.high))
        return np.asarray((values >= low) & (values <= high))


@dataclass(frozen=True, repr=False)
class IsIn(_OfSubject):
    """`subject in [values]`."""

    values: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.subject} in [{', '.join(text_of(v) for v in self.values)}]"

    def mask(self, predictions: Predictions, output: NDArray[np.float64] | None = None) -> Mask:
        values = self.subject.values(predictions, output)
        wanted = [_comparable(self.subject, v, values, predictions, exact=True) for v in self.values]
        if values.dtype.kind in "iu":  # compared as whole numbers: NumPy would round them in an array of floats
            ends = np.iinfo(values.dtype)
            wanted = [int(value) for value in wanted if value == int(value) and ends.min <= value <= ends.max]
            return np.isin(values, np.array(wanted, dtype=values.dtype))
        return np.isin(values, wanted) if wanted else np.zeros(len(values), dtype=bool)


@dataclass(frozen=True, repr=False)
class Not(Condition):
    """`not part`."""

    part: Condition

    def __str__(self) -> str:
        return f"not ({self.part})"

    def mask(self, predictions: Predictions, output: NDArray[np.float64] | None = None) -> Mask:
        return ~self.part.mask(predictions, output)

    def uses(self, kind: str, argument: str | None = None) -> bool:
        return self.part.uses(kind, argument)


class And(_Combined):
    """All parts hold."""

    def __str__(self) -> str:
        return " and ".join(f"({p})" if isinstance(p, Or) else str(p) for p in self.parts)


class Or(_Combined):
    """At least one part holds."""

    def __str__(self) -> str:
        return " or ".join(str(p) for p in self.parts)


def _comparable(
    subject: Subject, value: Value, values: NDArray[Any], predictions: Predictions, exact: bool = False
) -> Any:
    """The value in the form that the subject's values have; class names become class numbers.

    With `exact`, the value is to be one of the subject's own, so that a class that does not exist is refused.
    """
    if subject.kind in ("label", "predicted"):
        if isinstance(value, str) or exact:
            return validation.class_index(value, predictions.class_names, f"{subject}: class")
        return value
    if values.dtype.kind in "mM":
        if not isinstance(value, str):
            raise ValueError(f'{subject} holds dates or durations: compare it with a text such as "2024-05-31"')
        try:
            moment = _moment(value) if values.dtype.kind == "M" else np.array(value, dtype=values.dtype)
        except ValueError:
            moment = np.datetime64("NaT")
        if np.isnat(moment):
            raise ValueError(f"{subject} holds dates or durations, and {value!r} cannot be read as one")
        return moment
    if isinstance(value, str) != (values.dtype.kind == "U"):
        kind = "text" if values.dtype.kind == "U" else "numbers"
        raise ValueError(f"{subject} holds {kind} and cannot be compared with {text_of(value)}")
    return value


def _moment(text: str) -> np.datetime64:
    """A date or time in its own unit, so that nothing of it is cut off; with a time zone, in UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return np.datetime64(text)
    found = np.datetime64(moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment)
    finer = re.search(r"[.,]\d{6}(\d{1,3})", text)  # nanoseconds, of which Python knows nothing
    return found + np.timedelta64(int(f"{finer[1]:0<3}"), "ns") if finer else found
