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
from ..elements import FLOATING, FOCUSED, PLAIN_BUTTON, SCROLLING, page_script
from ..theme import BLUE, FAINT, TEXT

ACTIONS = ("undo", "redo", "reset")

STYLE_SHEET = f"""
.calibviz-actions {{ color: {TEXT}; font-size: 13px; position: relative; overflow: visible; }}
.calibviz-actions > div:first-child {{ display: flex; flex-flow: row wrap; gap: 4px; justify-content: flex-end; }}
.calibviz-actions button {{
  {PLAIN_BUTTON} border: 1px solid transparent; border-radius: 5px; min-width: 28px; height: 26px; padding: 0 4px;
}}
.calibviz-actions button:is(:hover, [aria-expanded=true]):not([aria-disabled=true]) {{ color: {BLUE}; }}
.calibviz-actions button[aria-disabled=true] {{ opacity: 0.45; cursor: default; }}
.calibviz-actions button:focus-visible {{ {FOCUSED} }}
.calibviz-actions button.letter {{ border-color: {FAINT}; white-space: nowrap; padding: 0 6px; }}
.calibviz-actions button.letter[aria-pressed=true] {{ border-color: {BLUE}; box-shadow: inset 0 -3px 0 0 {BLUE}; }}
.calibviz-actions svg {{
  width: 18px; height: 18px; display: block; margin: auto; fill: none; stroke: currentColor; stroke-width: 2;
  stroke-linecap: round; stroke-linejoin: round;
}}
.calibviz-actions .steps {{ {FLOATING} max-width: min(420px, 90vw); right: 0; top: 100%; }}
.calibviz-actions .steps dl {{
  display: grid; grid-template-columns: auto 1fr; gap: 2px 16px; margin: 0; padding: 2px 8px;
}}
.calibviz-actions .steps dt {{ font-weight: 700; }}
.calibviz-actions .steps dd {{ margin: 0; }}
.calibviz-actions .steps > p {{ margin: 0 0 4px 0; padding: 2px 8px; color: {FAINT}; font-size: 12px; }}
.calibviz-actions .steps > div {{ {SCROLLING} }}
.calibviz-actions .steps button {{
  display: flex; justify-content: space-between; gap: 16px; height: auto; padding: 4px 8px; text-align: left;
  overflow-wrap: anywhere;
}}
.calibviz-actions .steps button[aria-current=true] {{ font-weight: 700; }}
.calibviz-actions .steps .undone {{ color: {FAINT}; }}
.calibviz-actions .steps small {{ font-weight: 400; color: {FAINT}; white-space: nowrap; }}
@media (pointer: coarse) {{ .calibviz-actions button {{ min-height: 36px; min-width: 36px; }} }}
"""


class Actions(Shared, Scripted):
    """Buttons and keys that take steps back, make them again, and list them.

    The browser's half is ``actions.js``. It hears Ctrl+Z and Ctrl+Shift+Z, and the keys that open questions and the
    drawer, while the focus is inside the same ``calibviz-explorer`` and not in a text field.
    """

    _esm = page_script(__file__)
    _css = STYLE_SHEET

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
