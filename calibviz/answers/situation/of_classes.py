"""Which single classes a lens or a selection is of, so that a class that is pointed at is found in every table."""

from __future__ import annotations

from collections.abc import Sequence

from ...context.conditions import And, Comparison, Condition
from ...context.lenses import ClassConditional, Lens
from ...foundation import validation

CLASS_SUBJECTS = ("label", "predicted")


def classes_of_lens(lens: Lens, names: Sequence[str]) -> tuple[int, ...]:
    """The class that a lens looks at alone, by its index; empty where it looks at several, or at whichever is likely.

    Parameters
    ----------
    names : sequence of str
        The names of the classes.
    """
    return (validation.class_index(lens.c, names),) if isinstance(lens, ClassConditional) else ()


def classes_of_selection(condition: Condition | None, names: Sequence[str]) -> tuple[int, ...]:
    """The classes whose samples alone a selection keeps, by their true or predicted class; empty where it names none.

    Parameters
    ----------
    names : sequence of str
        The names of the classes.
    """
    parts = condition.parts if isinstance(condition, And) else (condition,)
    named = [
        part.value
        for part in parts
        if isinstance(part, Comparison) and part.op == "==" and part.subject.kind in CLASS_SUBJECTS
    ]
    return tuple(dict.fromkeys(validation.class_index(value, names) for value in named))
