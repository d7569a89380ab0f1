"""The truth in a column that holds what one of two others does, as the winner of a game is one of its two teams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import listed
from ..choices import ReadingOptions
from ..known_names import is_prediction, words
from ..tables import ArrayTable, ColumnTable, FirstRows
from .class_names import varying_parts
from .content import MANY
from .predicted_classes import rightness

WINNERS = frozenset(("winner", "won", "wins", "winning", "victor"))
MOST_TEXTS = 20  # columns, of which two are the rivals


@dataclass(frozen=True)
class Winner:
    """A column of winners, `columns`, each of which is one of two rivals in its row, `classes` by their names."""

    columns: list[str]
    rivals: list[str]
    classes: list[str]

    @property
    def said(self) -> str:
        """Which class a row has."""
        return f"{self.columns[0]!r} is of the class {' or '.join(self.classes)}, as it stands in {listed(self.rivals)}"

    def joined(self, table: ColumnTable) -> tuple[ColumnTable, str]:
        """The table with the classes in place of the winners, and the name of their column; another text stays."""
        [name] = self.columns
        place, held = _place(table, name, self.rivals), table.labels(name)
        texts = np.array([*held.values, None], dtype=object)[held.codes]
        classes = np.where(place < 0, texts, np.array(self.classes, dtype=object)[place])
        return ArrayTable({other: table.column(other) for other in table.columns} | {name: classes}, table), name


def winner_truth(columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> Winner | None:
    """Return the column of winners, if one of such a name, or that of the option `label`, is one of two in most rows.

    All others hold one text, such as "draw", or nothing.
    """
    named = [name for name in columns if WINNERS & {*words(name)} and not is_prediction(name)]
    texts = [name for name in columns if first.number(name) is None and first.held(name) is not None]
    found = []
    for name in [choices.label] if choices.label is not None else named:
        rivals = [other for other in texts if other != name and not is_prediction(other)]
        for pair in combinations(rivals, 2) if name in texts and len(rivals) <= MOST_TEXTS else ():
            parts = varying_parts(pair)
            if parts is not None and _are_rivals(first, name, pair) and _are_rivals(first.of_all(), name, pair):
                found.append(Winner([name], list(pair), parts))
    return found[0] if len(found) == 1 else None


def _are_rivals(rows: ColumnTable, name: str, pair: Sequence[str]) -> bool:
    held, place = rows.labels(name), _place(rows, name, pair)
    others = set(held.codes[place < 0].tolist()) - {-1}
    are_two = {0, 1} <= set(place.tolist()) and 2 not in place  # 2 as of annotators that agree
    return are_two and int((place >= 0).sum()) >= MANY and len(others) < 2


def _place(table: ColumnTable, name: str, pair: Sequence[str]) -> NDArray[np.intp]:
    """Which of two columns, 0 or 1, holds in each row what a third one does; -1 where none does, 2 where both do."""
    own, one, other = (table.labels(column) for column in (name, *pair))
    return np.where(own.codes < 0, -1, rightness(own, one) + 2 * rightness(own, other) - 1)
