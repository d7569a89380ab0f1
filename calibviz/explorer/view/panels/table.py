"""Tables whose rows or cells can be chosen, with the mouse or with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets
import traitlets

from ....figures.tables import Cell, Table
from ...transport.scripted import Scripted
from ...transport.transport import Shared, assign
from ..elements import FOCUSED, PLAIN_BUTTON, page_script
from ..theme import BLUE, FAINT, FOCUS, GREEN, GREY, LINE, PURPLE, TEXT, VERMILION

BAR = BLUE  # at least 3:1 on the pages of light and dark themes

STYLE_SHEET = f"""
.calibviz-table {{
  --back: var(--jp-layout-color0, #fff); --room: 320px; /* for the rows of a long table, which scrolls */
  color: {TEXT}; font-size: var(--jp-widgets-font-size, 13px); line-height: 1.4; min-width: 0;
}}
body[data-voila] .calibviz-table {{ --back: var(--jp-layout-color1, #fff); }} /* as the page, in dark themes too */
.calibviz-table h3 {{ font-size: 14px; font-weight: 600; margin: 6px 0 2px 0; }}
.calibviz-table small {{ color: {FAINT}; }}
.calibviz-table td.faint {{ color: {FAINT}; }}
.calibviz-table :is(td, th) small {{ display: block; white-space: pre; font-size: 11px; }}
.calibviz-table .shaded small {{ color: inherit; }}
.calibviz-table h3:empty, .calibviz-table small:empty {{ display: none; }}
.calibviz-table > div {{
  overflow: auto; max-height: var(--room); position: relative; isolation: isolate; background: var(--back);
  scroll-padding: 2.4em 0 0 8em; /* what has the focus must not hide behind the headings */
}}
.calibviz-table.is-long:not(.in-blocks) > div {{ border-bottom: 1px solid {LINE}; }} /* a row may be cut there */
.calibviz-table > small {{ display: block; margin-top: 2px; }}
.calibviz-table > div:focus-visible {{ outline: 2px solid {FOCUS}; outline-offset: -2px; }}
.calibviz-table caption {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }}
/* Separate borders: collapsed ones do not stick with their cells. */
.calibviz-table table {{
  border-collapse: separate; border-spacing: 0; font-variant-numeric: tabular-nums; width: 100%; margin: 0;
}}
.calibviz-table th, .calibviz-table td {{
  text-align: right; vertical-align: middle; padding: 3px 6px; border-bottom: 1px solid {LINE}; font-weight: normal;
  --ring: {TEXT};
  box-shadow: inset 0 var(--top, 0) var(--ring), inset 0 var(--bottom, 0) var(--ring),
    inset var(--left, 0) 0 var(--ring), inset var(--right, 0) 0 var(--ring);
}}
.calibviz-table td {{ white-space: nowrap; }}
.calibviz-table th, .calibviz-table thead td {{ position: sticky; background-color: var(--back); }}
.calibviz-table tbody th {{
  left: 0; z-index: 1; text-align: left; color: {FAINT}; max-width: 16em; overflow-wrap: break-word;
}}
.calibviz-table:not(.in-blocks, .wraps-names) tbody th {{ white-space: nowrap; max-width: none; }}
.calibviz-table thead tr > * {{ top: 0; z-index: 2; font-weight: 600; max-width: 16em; overflow-wrap: break-word; }}
.calibviz-table thead tr > :first-child {{ left: 0; z-index: 3; text-align: left; }}
.calibviz-table thead th[title] {{ text-decoration: underline dotted; text-underline-offset: 3px; cursor: help; }}
.calibviz-table thead button {{
  {PLAIN_BUTTON} border: none; padding: 0; text-align: inherit;
}}
.calibviz-table thead button:focus-visible {{ {FOCUSED} }}
.calibviz-table th[aria-sort=none] button:hover::after {{ content: " ↕"; }}
.calibviz-table th[aria-sort=ascending] button::after {{ content: " ▲"; }}
.calibviz-table th[aria-sort=descending] button::after {{ content: " ▼"; }}
.calibviz-table img {{ display: inline-block; height: 36px; image-rendering: pixelated; vertical-align: middle; }}
.calibviz-table svg {{ display: block; width: 80px; height: 14px; margin: 2px 0 2px auto; overflow: visible; }}
.calibviz-table svg {{ --strip: {BAR}; }}
.calibviz-table svg.after {{ --strip: {GREEN}; }}
.calibviz-table svg.stands {{ --strip: {VERMILION}; }}
.calibviz-table svg line {{ stroke: var(--strip); stroke-width: 2.5; }}
.calibviz-table svg .middle {{ stroke: {GREY}; stroke-width: 1; }}
.calibviz-table svg .chance {{ fill: {GREY}; opacity: 0.4; }}
.calibviz-table svg .dot {{ fill: var(--strip); stroke: var(--strip); stroke-width: 1.5; }}
.calibviz-table svg .dot.hollow {{ fill: var(--back); }}
.calibviz-table .bar {{
  background-image: linear-gradient({BAR}, {BAR}); background-repeat: no-repeat;
  background-position: 0 100%; background-size: var(--bar) 3px;
}}
.calibviz-table .shaded.bar {{ background-image: linear-gradient(currentcolor, currentcolor); }}
.calibviz-table .shaded {{ --ring: currentcolor; }}
.calibviz-table .top {{ --top: 2px; }}
.calibviz-table .bottom {{ --bottom: -2px; }}
.calibviz-table .left {{ --left: 2px; }}
.calibviz-table .right {{ --right: -2px; }}
.calibviz-table tr[tabindex], .calibviz-table td[tabindex] {{ cursor: pointer; }}

/* Where a table would be cut, each of its rows is a block, and each cell stands below its heading. */
.calibviz-table {{ --cell: 150px; }} /* as wide as a cell of a block is at least */
.calibviz-table.in-blocks > div {{ max-height: none; }}
.calibviz-table.in-blocks :is(table, tbody) {{ display: block; }}
.calibviz-table.in-blocks thead {{
  position: absolute; width: 100%; overflow: hidden; clip-path: inset(50%);
}}
.calibviz-table.in-blocks tr {{
  display: grid; grid-template-columns: repeat(var(--in-a-line), minmax(0, 1fr)); padding: 4px 0;
  border-bottom: 1px solid {LINE};
}}
.calibviz-table.in-blocks :is(td, tbody th) {{
  text-align: left; border: none; padding: 2px 6px; min-width: 0; white-space: normal; overflow-wrap: anywhere;
}}
.calibviz-table.in-blocks tbody th {{ /* what lies above others would cut the frame of its row */
  grid-column: 1 / -1; max-width: none; position: static; z-index: auto; background: none;
}}
.calibviz-table.in-blocks td::before {{
  content: attr(data-column); display: block; font-size: 11px; color: {FAINT}; white-space: normal;
  overflow-wrap: anywhere;
}}
.calibviz-table.in-blocks td:empty {{ display: none; }} /* a heading above nothing says nothing */
.calibviz-table.in-blocks td small {{ white-space: pre-line; }}
.calibviz-table.in-blocks svg {{ margin-left: 0; }}
.calibviz-table td:where([tabindex]):hover {{ outline: 1px solid currentcolor; outline-offset: -1px; }}
.calibviz-table tr:where([tabindex]):hover > * {{ --top: 1px; --bottom: -1px; }}
/* It is of the class that is pointed at elsewhere. */
.calibviz-table tr.pointed > * {{ --ring: {PURPLE}; --top: 2px; --bottom: -2px; }}
.calibviz-table tr.pointed > :first-child {{ --left: 4px; }}
.calibviz-table td:focus-visible {{
  outline: 2px solid {FOCUS}; outline-offset: -2px; box-shadow: inset 0 0 0 4px var(--back); /* on every shade */
}}
.calibviz-table tr:focus-visible {{ outline: 2px solid transparent; }} /* is seen where colours are forced */
.calibviz-table tr:focus-visible > * {{ --ring: {FOCUS}; --top: 3px; --bottom: -3px; }}
.calibviz-table tr:focus-visible > :first-child {{ --left: 3px; }}
.calibviz-table tr:focus-visible > :last-child {{ --right: -3px; }}
/* The cells of a row that is a block stand in several lines: the frame is around all of them. */
.calibviz-table.in-blocks tr {{ outline-offset: -2px; }}
.calibviz-table.in-blocks tr:where([tabindex]):hover {{ outline: 1px solid {TEXT}; }}
.calibviz-table.in-blocks tr[aria-current] {{ outline: 2px solid {TEXT}; }}
.calibviz-table.in-blocks tr.pointed {{ outline: 2px solid {PURPLE}; }}
.calibviz-table.in-blocks tr:focus-visible {{ outline: 3px solid {FOCUS}; outline-offset: -3px; }} /* its box cuts it */
.calibviz-table.in-blocks tr:is([tabindex]:hover, [aria-current], .pointed, :focus-visible) > * {{ box-shadow: none; }}
"""


class TableView(Shared, Scripted):
    """Shows a `Table`, and reports which of its rows or cells is clicked.

    The browser's half is ``table.js``. It changes the cells in place: focus and scroll position stay where they are.
    """

    _esm = page_script(__file__)
    _css = STYLE_SHEET

    content = traitlets.Dict(help="The fields of the table that is shown").tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        self._clicked = ipywidgets.CallbackDispatcher()
        self._sorted = ipywidgets.CallbackDispatcher()
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

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        match message:
            case {"click": [row, column]} if self._can_click(row, column):
                self._clicked(row, column)
            case {"sort": int(column)} if self._can_sort(column):
                self._sorted(column)

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
    return {
        **vars(record),
        "columns": [vars(column) for column in record.columns],
        "rows": [[_cell(cell) for cell in row] for row in record.rows],
        "places": [vars(place) for place in record.places],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return vars(cell) if cell.strip is None else {**vars(cell), "strip": vars(cell.strip)}
