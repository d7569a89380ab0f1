"""Tables whose rows or cells can be chosen, with the mouse or with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets
import traitlets

from ....figures.tables import Table
from ....foundation.marked import runs
from ...transport.scripted import Scripted
from ...transport.transport import Shared, assign
from ..elements import page_script
from ..theme import page_style


class TableView(Shared, Scripted):
    """Shows a `Table`, and reports which of its rows or cells is clicked.

    The browser's half is ``table.js``. It changes the cells in place: focus and scroll position stay where they are.
    """

    _esm = page_script(__file__)
    _css = page_style(__file__)

    content = traitlets.Dict(help="The fields of the table that is shown").tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        self._clicked = ipywidgets.CallbackDispatcher()
        self._sorted = ipywidgets.CallbackDispatcher()
        self._acted = ipywidgets.CallbackDispatcher()
        self._chosen = ipywidgets.CallbackDispatcher()
        self._record: Table | None = None
        super().__init__(**kwargs)
        self.on_msg(TableView._answer)

    def show(self, record: Table) -> None:
        """Show a table; nothing is sent if it equals the one that is shown."""
        if record is self._record or record == self._record:
            return
        self._record = record
        assign(self, content=_content(record))

    def on_click(self, callback: Callable[[int, int], None], remove: bool = False) -> None:
        """Call `callback` with the row and column of a click; the column of a clickable row is 0."""
        self._clicked.register_callback(callback, remove=remove)

    def on_sort(self, callback: Callable[[int], None], remove: bool = False) -> None:
        """Call `callback` with the column whose heading is clicked, where rows can be sorted by it."""
        self._sorted.register_callback(callback, remove=remove)

    def on_action(self, callback: Callable[[int, int], None], remove: bool = False) -> None:
        """Call `callback` with the row of a button that is pressed, and which of the row's buttons it is."""
        self._acted.register_callback(callback, remove=remove)

    def on_choose(self, callback: Callable[[int, int, str], None], remove: bool = False) -> None:
        """Call `callback` with the row and column of a cell with a menu, and what was chosen there."""
        self._chosen.register_callback(callback, remove=remove)

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        match message:
            case {"click": [row, column]} if self._can_click(row, column):
                self._clicked(row, column)
            case {"sort": int(column)} if self._can_sort(column):
                self._sorted(column)
            case {"action": [row, which]} if self._can_act(row, which):
                self._acted(row, which)
            case {"choose": [row, column, str(text)]} if text in self._choices(row, column):
                self._chosen(row, column, text)

    def _can_act(self, row: object, which: object) -> bool:
        opened = () if self._record is None else self._record.opened
        if type(row) is not int or type(which) is not int:
            return False
        return 0 <= row < len(opened) and 0 <= which < len(opened[row].actions)

    def _choices(self, row: object, column: object) -> tuple[str, ...]:
        """The choices of a cell; none where the table, which may have changed, has no such menu."""
        rows = () if self._record is None else self._record.rows
        if type(row) is not int or type(column) is not int or not 0 <= row < len(rows):
            return ()
        return rows[row][column].choices if 0 <= column < len(rows[row]) else ()

    def _can_sort(self, column: int) -> bool:
        columns = () if self._record is None else self._record.columns
        return 0 <= column < len(columns) and bool(columns[column].sort)

    def _can_click(self, row: object, column: object) -> bool:
        """Whether the table, which may have changed since the click, has such a row or cell to click."""
        if self._record is None or type(row) is not int or type(column) is not int:
            return False
        columns = {"": range(0), "rows": range(1), "cells": range(1, len(self._record.columns))}
        return self._record.first <= row < len(self._record.rows) and column in columns[self._record.clickable]


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
