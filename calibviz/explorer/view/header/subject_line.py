"""The line of words above everything else: what is looked at, each part a button that changes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets
import traitlets

from ....answers.subject import SubjectPart
from ...transport.scripted import Scripted
from ...transport.transport import Shared, assign
from ..elements import FIELD, FLOATING, FOCUSED, PLAIN_BUTTON, SCROLLING, page_script
from ..theme import BLUE, FAINT, TEXT

STYLE_SHEET = f"""
.calibviz-subject {{ color: {TEXT}; font-size: 13px; line-height: 1.5; position: relative; overflow: visible; }}
.calibviz-subject > div {{ display: flex; flex-flow: row wrap; align-items: baseline; gap: 0 4px; }}
.calibviz-subject .step {{ display: inline-flex; align-items: baseline; gap: 4px; min-width: 0; }}
.calibviz-subject .dot {{ color: {FAINT}; }}
.calibviz-subject button {{
  {PLAIN_BUTTON} border: none; border-radius: 4px; padding: 1px 3px; text-align: left; overflow-wrap: anywhere;
}}
.calibviz-subject .part {{ border-bottom: 1px dotted {FAINT}; border-radius: 0; font-weight: 600; }}
.calibviz-subject button:is(:hover, [aria-expanded=true]) {{ color: {BLUE}; }}
.calibviz-subject :is(button, input):focus-visible {{ {FOCUSED} }}
.calibviz-subject .offers {{
  {FLOATING} max-width: min(380px, 100%); display: flex; flex-flow: column;
}}
.calibviz-subject .offers > div {{ {SCROLLING} }}
.calibviz-subject .offers input {{
  {FIELD} border-radius: 4px; padding: 3px 6px; margin-bottom: 4px; min-width: 220px;
}}
.calibviz-subject .offers button {{ padding: 4px 8px; }}
.calibviz-subject .offers button[aria-current=true] {{ font-weight: 700; }}
.calibviz-subject .offers button[aria-current=true]::before {{ content: "✓ "; }}
.calibviz-subject .offers small {{ color: {FAINT}; padding: 4px 8px; }}
@media (pointer: coarse) {{ .calibviz-subject button {{ min-height: 36px; }} }}
"""


class SubjectLine(Shared, Scripted):
    """Shows what is looked at, and says which part of it is to become what.

    The browser's half is ``subject_line.js``.
    """

    _esm = page_script(__file__)
    _css = STYLE_SHEET

    content: traitlets.List[dict[str, Any]] = traitlets.List(
        help="The name, the words and the offers of each part"
    ).tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        self._chosen = ipywidgets.CallbackDispatcher()
        self._parts: dict[str, SubjectPart] = {}
        super().__init__(**kwargs)
        self.on_msg(SubjectLine._answer)

    def show(self, parts: Sequence[SubjectPart]) -> None:
        """Show a line; one that is equal to what is shown sends nothing."""
        self._parts = {part.name: part for part in parts}
        assign(
            self,
            content=[
                {
                    "name": part.name,
                    "text": part.text,
                    "offers": [{"text": offer.text, "current": offer.current} for offer in part.offers],
                }
                for part in parts
            ],
        )

    def on_choose(self, callback: Callable[[Mapping[str, Any]], None], remove: bool = False) -> None:
        """Call `callback` with the choices that an offer means."""
        self._chosen.register_callback(callback, remove=remove)

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        match message:
            case {"choose": [str(name), str(text)]} if name in self._parts:  # the line may have changed meanwhile
                offer = next((offer for offer in self._parts[name].offers if offer.text == text), None)
                if offer is not None:
                    self._chosen(offer.choices)
