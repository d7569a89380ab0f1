"""Tables in memory, of pandas, polars or Arrow, and what estimators predict from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import plain_array
from .columns.choices import Account, Arguments, ReadingOptions, Unclear, as_text
from .columns.classes import binary_labels
from .columns.table_roles import table_arguments
from .columns.tables import ArrayTable, ArrowTable, ColumnTable, FrameTable
from .rows import refuse_other_rows


def frame_arguments(frame: Any, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a table."""
    return table_arguments(as_table(frame), choices, account)


def is_frame(value: Any) -> bool:
    """Whether a value is a DataFrame of pandas or polars, or an Arrow table."""
    return is_arrow(value) or (hasattr(value, "shape") and hasattr(value, "columns") and hasattr(value, "__getitem__"))


def is_arrow(value: Any) -> bool:
    """Whether a value is an Arrow table."""
    return hasattr(value, "column_names") and hasattr(value, "num_rows")


def as_table(frame: Any, argument: str = "source") -> ColumnTable:
    """A table of pandas, polars or Arrow by its columns; anything else is refused."""
    if is_arrow(frame):
        return ArrowTable(frame)
    if not is_frame(frame):
        kind = type(frame).__name__
        hint = ": call its collect() first" if hasattr(frame, "collect") else ""
        if isinstance(frame, list | tuple):
            hint = ": read each by itself, or one with truth=... where another one holds its labels"
        raise TypeError(
            f"{argument} must be the path of a file, an open file, a DataFrame or an Arrow table, not {kind}{hint}"
        )
    index = getattr(frame, "index", None) if argument != "fields" else None
    named = [name for name in getattr(index, "names", ()) if name is not None and name not in frame.columns]
    return FrameTable(frame.reset_index(named) if named else frame)  # a file of it holds such an index as columns


def column_names(frame: Any) -> list[str]:
    """The names of the columns of a table, as text."""
    return [str(name) for name in (frame.column_names if is_arrow(frame) else frame.columns)]


def refuse_other_order(value: Any, argument: str, classes: Sequence[str]) -> None:
    """Raise where the columns of a table are the classes in another order."""
    columns = column_names(value) if is_frame(value) else []
    if columns != list(classes) and sorted(columns) == sorted(classes):
        place = next(i for i, (one, other) in enumerate(zip(columns, classes, strict=True)) if one != other)
        raise ValueError(
            f"{argument} has its columns in another order than the classes: column {place} is {columns[place]!r}, but "
            f"class {place} is {classes[place]!r}; pass {argument}[{list(classes)}]"
        )


def frame_fields(frame: Any) -> dict[str, Any]:
    """The columns of a table as fields."""
    table = as_table(frame, "fields")
    return table.fields(table.columns)


def binary_arguments(labels: Any, probs: Any, positive: Any) -> Arguments:
    """The arguments of `Predictions` where labels of two classes stand beside the probability of one of them."""
    if np.ndim(probs) != 1:
        if positive is not None:
            raise ValueError(f"positive={positive!r} is for probabilities of one class, of shape (n,), not of all")
        return {"probs": probs, "labels": labels}
    given = plain_array(labels, "y_true")
    if given.ndim != 1 or len(given) != len(probs):
        raise ValueError(f"y_true has shape {given.shape}, but y_prob has {len(probs)} entries: pass a label for each")
    options = ReadingOptions.checked(positive=positive)
    known = ArrayTable({"y_true": given}).labels("y_true", ("y_true[", "]"))
    if (known.codes < 0).any():
        raise known.error(int(np.argmin(known.codes)), "is missing")
    try:
        return {"probs": probs} | binary_labels(known, options, Account())
    except Unclear as unclear:
        raise unclear.refused() from None


def estimator_arguments(estimator: Any, samples: Any, labels: Any) -> Arguments:
    """The arguments of `Predictions` that a fitted classifier gives to samples."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"estimator must have predict_proba, but {type(estimator).__name__} has none: a classifier of scikit-learn "
            "has it, some only with probability=True"
        )
    if not hasattr(estimator, "classes_"):
        raise TypeError(f"estimator must have classes_, but {type(estimator).__name__} has none: fit it first")
    given = labels_of(samples, labels)
    probs = estimator.predict_proba(samples)
    if isinstance(probs, list) and np.ndim(probs) == 3:
        raise ValueError(f"estimator predicts {len(probs)} outcomes at once: pass the predictions of one of them")
    names = [as_text(name) for name in plain_array(estimator.classes_, "estimator.classes_").tolist()]
    place = {name: k for k, name in enumerate(names)}
    numbers = []
    for i, value in enumerate(given.tolist()):
        number = place.get(as_text(value))
        if number is None:
            raise ValueError(f"y[{i}] is {value!r}, which is none of the classes of the estimator, {names}")
        numbers.append(number)
    return {
        "probs": plain_array(probs, "probs"),
        "labels": numbers,
        "class_names": names,
        "fields": frame_fields(samples) if is_frame(samples) else None,
    }


def labels_of(samples: Any, labels: Any) -> NDArray[Any]:
    """The labels as an array, shape (n,), of n samples that an estimator is fitted to, or predicts from."""
    if not getattr(samples, "shape", ()) and not isinstance(samples, list | tuple):
        kind = type(samples).__name__
        raise TypeError(f"X must be an array or a DataFrame with a row for each sample, not {kind}")
    refuse_other_rows(X=samples, y=labels)
    given = plain_array(labels, "y")
    if given.ndim != 1:
        raise TypeError(f"y must have a label for each sample, so one dimension, not {given.ndim}")
    rows = samples.shape[0] if hasattr(samples, "shape") else len(samples)
    if len(given) != rows:
        raise ValueError(f"y has {len(given)} entries, but X has {rows} rows")
    return given
