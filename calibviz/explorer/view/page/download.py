"""Files that the browser saves, and text that it puts on the clipboard."""

from __future__ import annotations

import csv
import numbers
import re
from collections.abc import Callable
from typing import Any

import ipywidgets
import traitlets
import xarray as xr

from ....figures.captions import Caption
from ...transport.scripted import Scripted, read_script
from ...transport.transport import Shared

NO_CAPTION = Caption(())
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # a spreadsheet runs a cell that begins with one of these
#: In countries where semicolons or tabs separate the cells, a cell may begin inside of a text.
INSIDE = re.compile(rf"([;\t\r\n][\s\"]*)(?=[{re.escape(''.join(FORMULA))}])")


class Download(Shared, Scripted):
    """Lets the browser save a file, or put text on the clipboard, and keeps the address of a page up to date.

    It shows nothing and need not be displayed. The browser's half is ``download.js``. Every page that shows
    the notebook saves the file.
    """

    _esm = read_script(__file__)

    address = traitlets.Unicode(
        help="The query that brings back what is shown, for the address of a page of its own; empty elsewhere"
    ).tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        self._copied = ipywidgets.CallbackDispatcher()
        super().__init__(**kwargs)
        self.on_msg(Download._answer)

    def offer(self, name: str, data: bytes, kind: str) -> None:
        """Let the browser save `data` as a file of this name and media type, such as ``"image/png"``."""
        self.send({"offer": name, "kind": kind}, [data])

    def copy(self, text: str, is_query: bool = False) -> None:
        """Put text on the clipboard; of a query the whole address.

        Browsers allow it only shortly after a click or a key.
        """
        self.send({"copy": text, "isQuery": is_query})

    def on_copied(self, callback: Callable[[bool, str], None]) -> None:
        """Call `callback` with whether the browser could copy the text, and with the text."""
        self._copied.register_callback(callback)

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        match message:
            case {"copied": bool(copied), "text": str(text)}:
                self._copied(copied, text)


def csv_of(table: xr.Dataset, caption: Caption = NO_CAPTION) -> bytes:
    """A table as CSV: a column for each dimension and variable, all texts quoted and safe for spreadsheets.

    The caption stands in two columns after these, the same in every row: lines above the headings would break what
    reads tables, and rows that are sorted or copied elsewhere take columns with them.
    """
    frame = table.to_dataframe().reset_index()
    if caption.lines:
        for name, said in {"verdict": " ".join(caption.lines), "about": caption.below}.items():
            frame.insert(frame.shape[1], name, said, allow_duplicates=True)
    frame.columns = [harmless(name) for name in frame.columns]
    for i, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "biufcM":
            frame.isetitem(i, [harmless(cell) for cell in frame.iloc[:, i]])
    text: str = frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)
    return text.encode(errors="backslashreplace")


def harmless(cell: Any) -> Any:
    """A text that no spreadsheet takes for a formula; a number as it is.

    An apostrophe stands before what would begin a formula, as the OWASP advises against CSV injection: the names of
    models, classes and fields may come from anybody.
    """
    if cell is None or isinstance(cell, numbers.Number):
        return cell
    text = INSIDE.sub(r"\1'", str(cell))
    return f"'{text}" if text.lstrip().startswith(FORMULA) or text.startswith(("\t", "\r", "\n")) else text
