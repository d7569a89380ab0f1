"""The buttons at the right of the header: undo, redo, back to the start, the list of steps, and what is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets
import traitlets

from ....answers.asked.spec import KEPT_NAMES
from ...state.history import History
from ...transport.scripted import Scripted
from ...transport.transport import Shared, assign
from ..elements import page_script
from ..theme import page_style

ACTIONS = ("undo", "redo", "reset")


class Actions(Shared, Scripted):
    """Buttons and keys that take steps back, make them again, and list them.

    The browser's half is ``actions.js``. It hears Ctrl+Z and Ctrl+Shift+Z, and the keys that open questions and the
    drawer, while the focus is inside the same ``calibviz-explorer`` and not in a text field.
    """

    _esm = page_script(__file__)
    _css = page_style(__file__)

    content = traitlets.Dict(
        {"steps": [], "place": 0, "atStart": True, "kept": []},
        help="The steps in words, how many of them are done, and what is kept",
    ).tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        self._asked = ipywidgets.CallbackDispatcher()
        self._kept = ipywidgets.CallbackDispatcher()
        self._gone = ipywidgets.CallbackDispatcher()
        super().__init__(**kwargs)
        self.on_msg(Actions._answer)

    def show(self, history: History) -> None:
        """Show the steps; those that are equal to what is shown send nothing."""
        assign(
            self,
            content={
                "steps": list(history.steps),
                "place": history.place,
                "atStart": history.is_at_start,
                "kept": [name for name, _ in history.now["kept"]],
            },
        )

    def on_ask(self, callback: Callable[[str], None]) -> None:
        """Call `callback` with "undo", "redo" or "reset" when somebody asks for that."""
        self._asked.register_callback(callback)

    def on_go(self, callback: Callable[[int], None]) -> None:
        """Call `callback` with the number of steps that somebody wants to be done."""
        self._gone.register_callback(callback)

    def on_keep(self, callback: Callable[[str], None]) -> None:
        """Call `callback` with "A" or "B" when somebody wants to keep what is shown under that name."""
        self._kept.register_callback(callback)

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        match message:
            case {"ask": str(action)} if action in ACTIONS:
                self._asked(action)
            case {"keep": str(name)} if name in KEPT_NAMES:
                self._kept(name)
            case {"go": int(place)}:
                self._gone(place)
