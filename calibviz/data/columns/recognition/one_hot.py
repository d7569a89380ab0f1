"""The truth in a column of 0 and 1 for each class, of which one is 1 in each row, beside probabilities of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..choices import ReadingOptions
from ..known_names import is_prediction
from ..tables import ArrayTable, ColumnTable, FirstRows
from .class_names import varying_parts
from .content import is_likeliest, only
from .scores import families_of
from .truth import CONTENT, MOST_COLUMNS, levels_of

ANSWERS = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0}


@dataclass(frozen=True)
class OneHot:
    """Columns of 0 and 1, each of a class, of which one is 1 in each row."""

    columns: list[str]
    classes: list[str]
    said: str = "the class of a row is that whose column is 1"

    def joined(self, table: ColumnTable) -> tuple[ColumnTable, str]:
        """The table with one column of classes in place of these, and its name; a row without a 1 has no label."""
        values = np.column_stack([_answers(table, name) for name in self.columns])
        is_known = ((values == 1).sum(axis=1) == 1) & np.isin(values, (0, 1)).all(axis=1)
        classes = np.array([*self.classes, None], dtype=object)
        columns = {name: table.column(name) for name in table.columns if name not in self.columns}
        name = ", ".join(self.columns)
        joined = classes[np.where(is_known, values.argmax(axis=1), len(self.classes))]
        return ArrayTable(columns | {name: joined}, table), name


def one_hot_truth(columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> OneHot | None:
    """Return the columns that hold the truth one class each; None where others may hold it, or none do.

    Their names are those of the classes in the names of the probabilities, with a common part before or after.
    """
    if choices.label is not None or len(columns) > MOST_COLUMNS or not (families := families_of(columns, first)):
        return None
    decided = {name: values for name in columns if (values := _decisions(first, name)) is not None}
    if len(decided) < 2:
        return None
    found = []
    for family in families:
        classes = varying_parts(family)
        for group in _groups(list(decided), classes or ()):
            values = np.column_stack([decided[name] for name in group])
            probs = np.column_stack(list(first.units(family).values()))
            if (values.sum(axis=1) == 1).all() and not is_likeliest(values.argmax(axis=1), probs):
                found.append(OneHot(group, list(classes or ())))
    if len(found) != 1:
        return None
    others = [name for name in columns if name not in found[0].columns]
    has_rival = any(level > CONTENT for level in levels_of(others, choices, first).values())
    return None if has_rival else found[0]


def _groups(columns: Sequence[str], classes: Sequence[str]) -> list[list[str]]:
    """Columns whose names are those of all classes, each with the same signs before it, or after it."""
    forms: dict[tuple[str, str], dict[str, str]] = {}
    for name in columns:
        for part in classes if not is_prediction(name) else ():
            for form in _forms(name, part):
                forms.setdefault(form, {})[part] = name
    return [[group[part] for part in classes] for group in forms.values() if classes and len(group) == len(classes)]


def _forms(name: str, part: str) -> list[tuple[str, str]]:
    """The words before a class in a name, and those after it."""
    folded, said = name.casefold(), part.casefold()
    forms = []
    if folded.endswith(said) and not folded.removesuffix(said)[-1:].isalnum():
        forms.append((folded.removesuffix(said), ""))
    if folded.startswith(said) and folded != said and not folded.removeprefix(said)[:1].isalnum():
        forms.append(("", folded.removeprefix(said)))
    return forms


def _decisions(first: FirstRows, name: str) -> NDArray[np.float64] | None:
    """A column of 0 and 1, or of true and false; None of anything else."""
    if first.unit(name) is not None:
        return None
    held = first.held(name)
    if held is None or not held.folded <= ANSWERS.keys():
        return None
    values = _answers(first, name)
    return values if only(values, 0, 1) and not np.isnan(values).any() else None


def _answers(table: ColumnTable, name: str) -> NDArray[np.float64]:
    """A column of 0 and 1, or of true and false, as numbers; nan of anything else."""
    held = table.labels(name)
    return np.array([*(ANSWERS.get(value.casefold(), np.nan) for value in held.values), np.nan])[held.codes]
