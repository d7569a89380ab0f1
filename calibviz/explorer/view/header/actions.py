"""The buttons at the right of the header: undo, redo, back to the start, the list of steps, and what is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from ....answers.asked.spec import KEPT_NAMES
from ...state.history import History
from ...transport.scripted import Scripted
from ...transport.transport import Shared, assign
from ..elements import page_script, page_style

ACTIONS = ("undo", "redo", "reset")


class Actions(Shared, Scripted):
    """Buttons and keys that take steps back, make them again, and list them.

    The browser's half is ``actions.js``. It hears Ctrl+Z and Ctrl+Shift+Z, and the keys that open questions and the
    drawer, while the focus is inside the same ``calibviz-explorer`` and not in a text field. Then `ask` is called
    with "undo", "redo" or "reset", `go` with the number of steps to be done, and `keep` with "A" or "B".
    """

    _esm = page_script(__file__)
    _css = page_style(__file__)

    content = traitlets.Dict(
        {"steps": [], "place": 0, "atStart": True, "kept": []},
        help="The steps in words, how many of them are done, and what is kept",
    ).tag(sync=True)

    def __init__(
        self, ask: Callable[[str], None], go: Callable[[int], None], keep: Callable[[str], None], **kwargs: Any
    ) -> None:
        self._ask, self._go, self._keep = ask, go, keep
        super().__init__(**kwargs)
        self.on_msg(Actions._answer)

    def show(self, history: History) -> None:
        """Show the steps; those that are equal to what is shown send nothing."""
        assign(
            self,
            content={
                "steps": list(history.steps),
                "place": history.place,
                "atStart": not history.differing,
                "kept": [name for name, _ in history.now["kept"]],
            },
        )

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        match message:
            case {"ask": str(action)} if action in ACTIONS:
                self._ask(action)
            case {"keep": str(name)} if name in KEPT_NAMES:
                self._keep(name)
            case {"go": int(place)}:
                self._go(place)
