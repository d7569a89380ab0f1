"""A small table of numbers to type, such as a weight for each class, or a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from ..elements import OwnControl, page_script, page_style


class NumberGrid(OwnControl):
    """A number for each row, or for each row and column; its value changes when a number is entered.

    Disabled it takes a single line, which sums the numbers up: a faint table would push away what has an effect.

    The browser's half is ``number_grid.js``.
    """

    _esm = page_script(__file__)
    _css = page_style(__file__)

    rows: traitlets.Tuple = traitlets.Tuple(help="The names of the rows").tag(sync=True)
    columns: traitlets.Tuple = traitlets.Tuple(help="Those of the columns; none of a single column").tag(sync=True)
    value: traitlets.Tuple = traitlets.Tuple(help="The numbers, row by row").tag(sync=True)
    least = traitlets.Float(None, allow_none=True, help="The least number, if there is one").tag(sync=True)
    is_symmetric = traitlets.Bool(False, help="Whether a number stands on both sides of the diagonal").tag(sync=True)

    @traitlets.validate("value")
    def _freeze(self, proposal: Any) -> tuple[tuple[float, ...], ...]:
        return tuple(map(tuple, proposal.value))

    def on_refuse(self, do: Callable[[str], None]) -> None:
        """Call `do` with the row, and the column if there are any, of a cell in which somebody types no number."""

        def refused(_widget: Any, content: Any, _buffers: Any) -> None:
            row, column = content["refused"]
            do(f"{self.rows[row]}, {self.columns[column]}" if self.columns else self.rows[row])

        self.on_msg(refused)
