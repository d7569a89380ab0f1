"""Tables whose rows or cells can be chosen, with the mouse or with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, get_args

import ipywidgets
import traitlets

from ....figures.tables import Table
from ....foundation.marked import runs
from ...transport.scripted import Scripted
from ...transport.transport import Shared, assign
from ..elements import page_script, page_style

T = TypeVar("T")
Heard = Literal["click", "sort", "action", "choose"]  # from the page
NOTHING = Table("", "", (), (), "")


class TableView(Shared, Scripted):
    """Shows a `Table`, and reports which of its rows or cells is clicked.

    The browser's half is ``table.js``. It changes the cells in place: focus and scroll position stay where they are.
    """

    _esm = page_script(__file__)
    _css = page_style(__file__)

    content = traitlets.Dict(help="The fields of the table that is shown").tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        self._heard = {what: ipywidgets.CallbackDispatcher() for what in get_args(Heard)}
        self._record = NOTHING
        super().__init__(**kwargs)
        self.on_msg(TableView._answer)

    def show(self, record: Table) -> None:
        """Show a table; nothing is sent if it equals the one that is shown."""
        if record is self._record or record == self._record:
            return
        self._record = record
        assign(self, content=_content(record))

    def on(self, what: Heard, callback: Callable[..., None], remove: bool = False) -> None:
        """Call `callback` with the row and column of a "click"; the column of a clickable row is 0.

        Of a "sort" it is called with the column whose heading is clicked, of an "action" with the row of a button and
        which of its buttons that is, of a "choose" with the row and column of a cell with a menu, and what was chosen.
        """
        self._heard[what].register_callback(callback, remove=remove)

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        known = self._record  # it may have changed meanwhile
        match message:
            case {"click": [row, column]} if self._can_click(row, column):
                self._heard["click"](row, column)
            case {"sort": column} if (heading := _at(known.columns, column)) and heading.sort:
                self._heard["sort"](column)
            case {"action": [row, which]} if (opened := _at(known.opened, row)) and _at(opened.actions, which):
                self._heard["action"](row, which)
            case {"choose": [row, column, str(text)]}:
                cell = _at(_at(known.rows, row) or (), column)
                if cell is not None and text in cell.choices:
                    self._heard["choose"](row, column, text)

    def _can_click(self, row: object, column: object) -> bool:
        """Whether the table has such a row or cell to click."""
        known = self._record
        if _at(known.rows, row) is None or type(row) is not int or type(column) is not int:
            return False
        columns = {"": range(0), "rows": range(1), "cells": range(1, len(known.columns))}
        return known.first <= row and column in columns[known.clickable]


def _at(values: Sequence[T], place: object) -> T | None:
    """The value at a place; None where there is none."""
    return values[place] if type(place) is int and 0 <= place < len(values) else None


def _content(record: Table) -> dict[str, Any]:
    """The fields of a table, like `dataclasses.asdict`, but without copying every text."""
    sent = None if record.search else record.at_once or None  # all rows can be found
    return {
        **vars(record),
        "note": " ".join(filter(None, (record.hint, record.note))),
        "columns": [vars(column) for column in record.columns],
        "rows": [
            [{**vars(cell), "strip": cell.strip and vars(cell.strip), "numbers": ()} for cell in row]
            for row in record.rows[:sent]
        ],
        "places": [vars(place) for place in record.places[:sent]],
        "opened": [{**vars(each), "detail": runs(each.detail)} for each in record.opened[:sent]],
    }
