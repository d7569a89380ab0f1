"""A column of predicted classes beside one of the confidence in them: what it says is how often that is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .choices import known_columns
from .classes import Labels
from .column_names import PREDICTED, SCORES
from .tables import ColumnTable

CONFIDENCE = "confidence"
EVEN = 0.5  # the confidence in the likelier of two classes is not below it


def named_predictions(table: ColumnTable, columns: Sequence[str], labels: Labels) -> str | None:
    """The only column that is named as predicted classes and holds some, beside one that is named as scores."""
    name = _named(table, columns, labels)
    others = [column for column in columns if column != name]
    return name if any(known_columns(others, names) for names in SCORES) else None


def column_of_predictions(
    table: ColumnTable, columns: Sequence[str], labels: Labels, scored: str, scores: NDArray[np.float64]
) -> str | None:
    """The column of the predicted classes, if the scores (n,), the column `scored`, are the confidence in these.

    With more than two classes a single score can be nothing else; the column is known by its name, or as the only text
    whose values are classes. With two, the scores do not tell one class by its larger scores, as the probability of a
    class would, and none is below 1/2, unless they are called confidence.
    """
    name = _named(table, columns, labels)
    if name is None and len(labels.present) > 2:
        texts = [name for name in columns if np.asarray(table.column(name)).dtype.kind in "OU"]
        held = {name: set(table.texts(name)) - {""} for name in texts}
        fitting = [name for name, values in held.items() if len(values) > 1 and values <= set(labels.present)]
        name = fitting[0] if len(fitting) == 1 else None
    if name is None:
        return None
    predicted = table.labels(name)
    if len({*labels.present, *predicted.present}) > 2:
        return name
    one, other = scores[predicted.codes == 0], scores[predicted.codes == 1]
    is_sure = scores.min() >= EVEN * (100 if scores.max() > 1 else 1) or scored.casefold() == CONFIDENCE
    if not (len(one) and len(other) and is_sure):
        return None
    return None if one.max() <= other.min() or other.max() <= one.min() else name


def rightness(labels: Labels, predicted: Labels) -> NDArray[np.int64]:
    """1 where the label is the predicted class, else 0, shape (n,)."""
    number = {value: k for k, value in enumerate(dict.fromkeys([*labels.values, *predicted.values]))}
    return (labels.numbered(number) == predicted.numbered(number)).astype(np.int64)


def _named(table: ColumnTable, columns: Sequence[str], labels: Labels) -> str | None:
    """The only column that is named as predicted classes; most of its values are labels."""
    named = known_columns(columns, PREDICTED)
    if len(named) != 1 or _holds_lists(table, named[0]):
        return None
    present = set(table.labels(named[0]).present)
    return named[0] if 2 * len(present & set(labels.present)) > len(present) else None


def _holds_lists(table: ColumnTable, name: str) -> bool:
    return any(isinstance(value, list | tuple | dict | np.ndarray) for value in np.asarray(table.column(name)))
