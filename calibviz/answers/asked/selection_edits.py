"""Lenses and selections, taken apart into the values of controls and put together again: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...context.condition_parser import selection as read_selection
from ...context.conditions import And, Between, Comparison, Condition, IsIn, Not, Subject
from ...context.lens_names import LENS_KINDS, kind_of
from ...context.lenses import ClassConditional, Lens, TopK
from ...data.predictions import Predictions
from ...foundation import validation

LABEL, CONFIDENCE, OUTPUT = Subject("label"), Subject("confidence"), Subject("output")
CLASS_SUBJECTS = ("label", "predicted")
MOST_EXAMPLES = 8  # fields with an example
EXAMPLE_ROWS = 10_000  # rows from which an example is made
FEW_VALUES, MOST_DIFFERENT = 10, 0.9  # texts of which more, and a larger share, are different tell the samples apart


def lens_parts(name: str) -> tuple[str, str]:
    """The kind of a lens and its parameter: "rank 2" is ("rank", "2")."""
    known = kind_of(name)
    return (name, "") if known is None else (known[0].name, known[1])


def lens_name(kind: str, number: int, class_name: str) -> str:
    """The name of a lens of a kind, with the parameter that this kind takes."""
    known = LENS_KINDS.get(kind)
    return kind if known is None else known.named(class_name if known.takes == "class" else number)


def kept_outcome(outcome: str | None, kind: str, number: int) -> str | None:
    """The chosen outcome if a lens of this kind and number has it too, else None."""
    return outcome if kind == "top-k" and outcome in TopK(number).outcomes else None


def chosen_labels(text: str, class_names: Sequence[str]) -> tuple[str, ...]:
    """The class names that a selection's `label in [...]` lists; empty if there is no such condition."""
    for part in conditions_of(text):
        if isinstance(part, IsIn) and part.subject == LABEL:
            return tuple(
                class_names[value] if type(value) is int and 0 <= value < len(class_names) else str(value)
                for value in part.values
            )
    return ()


def with_labels(text: str, names: Sequence[str], class_names: Sequence[str]) -> str:
    """The selection with its `label in [...]` set to these classes; none of them, or all, means no such condition."""
    numbered = all(name == str(i) for i, name in enumerate(class_names))
    values = tuple(int(name) if numbered else name for name in names)
    keep_all = not names or len(names) == len(class_names)
    old = conditions_of(text)
    at = [i for i, part in enumerate(old) if isinstance(part, IsIn) and part.subject == LABEL]
    return _replaced(old, at[:1], None if keep_all else IsIn(LABEL, values))


def chosen_range(text: str, subject: Subject) -> tuple[float, float]:
    """The range that a selection's conditions leave to a subject, such as the confidence; (0, 1) if there is none."""
    ranges = [ends for part in conditions_of(text) if (ends := _range_of(part, subject))]
    low, high = max((low for low, _ in ranges), default=0.0), min((high for _, high in ranges), default=1.0)
    return (low, high) if low <= high else (0.0, 1.0)  # conditions that keep nothing leave no range


def with_range(text: str, subject: Subject, low: float, high: float) -> str:
    """The selection with one range of a subject in place of what it says of it; (0, 1) means no such condition."""
    new = None if (low, high) == (0.0, 1.0) else Between(subject, low, high)
    old = conditions_of(text)
    return _replaced(old, [i for i, part in enumerate(old) if _range_of(part, subject)], new)


def conjuncts(text: str) -> tuple[str, ...]:
    """The conditions that a selection joins by `and`, each as text; empty for an empty selection."""
    return tuple(map(str, conditions_of(text)))


def without(text: str, i: int) -> str:
    """The selection without the i-th of its `conjuncts`."""
    parts = conditions_of(text)
    i = validation.whole_number(i, "i", 0, len(parts) - 1)
    return _joined([*parts[:i], *parts[i + 1 :]])


def with_part(text: str, part_text: str) -> str:
    """The selection joined with the conditions of `part_text` that it does not have already."""
    return _joined(list(dict.fromkeys((*conditions_of(text), *conditions_of(part_text)))))


def rest_of(text: str, part_text: str) -> str:
    """The selection without the samples that `part_text` keeps of it."""
    old = conditions_of(text)
    own = [part for part in conditions_of(part_text) if part not in old]
    return _joined([*old, Not(And(tuple(own)) if len(own) > 1 else own[0])]) if own else text


def with_value(text: str, part_text: str) -> str:
    """The selection and what else `part_text` asks for, in place of what it asks of the same subjects so far."""
    asked = {part.subject for part in conditions_of(part_text) if isinstance(part, Comparison | IsIn | Between)}
    kept = [part for part in conditions_of(text) if getattr(part, "subject", None) not in asked]
    return _joined([*kept, *conditions_of(part_text)])


def field_examples(predictions: Predictions) -> tuple[str, ...]:
    """Conditions to offer for a selection: one for each of the first eight fields, and three that always make sense.

    Numbers are compared with their median, dates with the middle one, other values with the most frequent one. Texts
    that name a single sample each, such as the numbers of cases, choose none.
    """
    names = list(predictions.fields)[:MOST_EXAMPLES]
    examples = [_example(Subject("field", name), predictions.fields[name]) for name in names]
    classes = predictions.class_names
    if predictions.labels is not None:
        examples.append(with_labels("", classes[: min(2, len(classes) - 1)], classes))
    return tuple(example for example in (*examples, "confidence > 0.9", "correct == 0") if example)


def _example(subject: Subject, column: NDArray[Any]) -> str:
    """A condition that keeps some of the samples; empty if no value is known, or texts differ from row to row."""
    column = column[:: max(1, len(column) // EXAMPLE_ROWS)]
    kind = column.dtype.kind
    known = column[column != ""] if kind == "U" else column[np.isfinite(column)]
    if not len(known) or kind not in "biufUM":
        return ""
    if kind == "M":
        return str(Comparison(subject, ">=", str(np.sort(known)[len(known) // 2].astype("datetime64[D]"))))
    if kind in "iuf":
        known = known.astype(np.float64) if kind == "f" else known
        for digits in range(2, 17):
            rounded = float(f"{np.median(known):.{digits}g}")
            if 0.25 <= (known > rounded).mean() <= 0.75:
                return str(Comparison(subject, ">", rounded if kind == "f" else int(rounded)))
    values, counts = np.unique(known, return_counts=True)
    if kind == "U" and len(values) > max(FEW_VALUES, MOST_DIFFERENT * len(known)):
        return ""
    return str(Comparison(subject, "==", values[counts.argmax()].item()))


def conditions_of(text: str) -> tuple[Condition, ...]:
    """The conditions that a selection joins by `and`; empty for an empty selection."""
    condition = read_selection(text)
    if condition is None:
        return ()
    return condition.parts if isinstance(condition, And) else (condition,)


def classes_of_lens(lens: Lens, names: Sequence[str]) -> tuple[int, ...]:
    """The index of the class that a lens looks at alone; none where it looks at several, or at whichever is likely."""
    return (validation.class_index(lens.c, names),) if isinstance(lens, ClassConditional) else ()


def classes_of_selection(condition: Condition | None, names: Sequence[str]) -> tuple[int, ...]:
    """The classes, true or predicted, whose samples alone a selection keeps, by their index."""
    parts = condition.parts if isinstance(condition, And) else (condition,)
    named = [
        part.value
        for part in parts
        if isinstance(part, Comparison) and part.op == "==" and part.subject.kind in CLASS_SUBJECTS
    ]
    return tuple(dict.fromkeys(validation.class_index(value, names) for value in named))


def _joined(parts: Sequence[Condition]) -> str:
    return "" if not parts else str(parts[0] if len(parts) == 1 else And(tuple(parts)))


def _range_of(part: Condition, subject: Subject) -> tuple[float, float] | None:
    """The range that a condition on a subject keeps, such as (0.9, 1) of `confidence > 0.9`; None of any other."""
    match part:
        case Between(subject=about, low=int() | float() as low, high=int() | float() as high):
            ends = float(low), float(high)
        case Comparison(subject=about, op=">=" | ">", value=int() | float() as value):
            ends = float(value), 1.0
        case Comparison(subject=about, op="<=" | "<", value=int() | float() as value):
            ends = 0.0, float(value)
        case _:
            return None
    return ends if about == subject and 0 <= ends[0] <= ends[1] <= 1 else None


def _replaced(old: Sequence[Condition], at: Sequence[int], new: Condition | None) -> str:
    """The conditions with a new one, or none, in the place of the first of those at some places."""
    parts = [part for i, part in enumerate(old) if i not in at]
    if new is not None:
        parts.insert(at[0] if at else len(parts), new)
    return _joined(parts)
