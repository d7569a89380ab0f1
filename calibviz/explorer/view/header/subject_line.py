"""The line of words above everything else: what is looked at, each part a button that changes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import traitlets

from ....answers.subject import SubjectPart
from ...transport.scripted import Scripted
from ...transport.transport import Shared, assign
from ..elements import page_script, page_style


class SubjectLine(Shared, Scripted):
    """Shows what is looked at, and says which part of it is to become what.

    The browser's half is ``subject_line.js``. `choose` is called with the choices that an offer means, by their names.
    """

    _esm = page_script(__file__)
    _css = page_style(__file__)

    content: traitlets.List[dict[str, Any]] = traitlets.List(
        help="The name, the words and the offers of each part"
    ).tag(sync=True)

    def __init__(self, choose: Callable[..., None], **kwargs: Any) -> None:
        self._choose = choose
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
                    "field": part.field,
                    "code": part.code,
                    "few": part.few,
                    "offers": [
                        {"text": offer.text, "current": offer.current, "note": offer.note} for offer in part.offers
                    ],
                }
                for part in parts
            ],
        )

    def _answer(self, message: Any, _buffers: list[memoryview]) -> None:
        match message:
            case {"choose": [str(name), str(text)]} if name in self._parts:  # the line may have changed meanwhile
                offer = next((offer for offer in self._parts[name].offers if offer.text == text), None)
                if offer is not None:
                    self._choose(**offer.choices)
