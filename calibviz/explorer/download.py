"""Files and text that leave the notebook through the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets


class Download(anywidget.AnyWidget):
    """Lets the browser save a file, or put text on the clipboard. It shows nothing and need not be displayed.

    The browser's half is ``download.js``. Every page that shows the notebook saves the file.
    """

    _esm = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

    def __init__(self, **kwargs: Any) -> None:
        self._copied = ipywidgets.CallbackDispatcher()
        super().__init__(**kwargs)
        self.on_msg(Download._answer)

    def offer(self, name: str, data: bytes, kind: str) -> None:
        """Let the browser save `data` as a file of this name and media type, such as ``"image/png"``."""
        self.send({"offer": name, "kind": kind}, [data])

    def copy(self, text: str) -> None:
        """Put text on the clipboard. Browsers allow it only shortly after a click or a key."""
        self.send({"copy": text})

    def on_copied(self, callback: Callable[[bool], None], remove: bool = False) -> None:
        """Call `callback` with whether the browser has put on the clipboard what `copy` gave it."""
        self._copied.register_callback(callback, remove=remove)

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        match message:
            case {"copied": bool(copied)}:
                self._copied(copied)
