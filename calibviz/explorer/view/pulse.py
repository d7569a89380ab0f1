"""Says over a view that its kernel or its server has ended, and beside it that the kernel is busy."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ..model.sentences import ENDED_COMMAND, STOPPED
from .theme import VEIL_STYLE


class Pulse(anywidget.AnyWidget):
    """Covers the view that it is shown in while nothing would react, and says why and what to do.

    That view is the nearest around it of class ``calibviz-explorer``, or a ``calibviz-page`` around that. The browser's
    half is ``pulse.js``: it watches the kernel's status and its connection, and asks the server for a sign of life. A
    kernel that is busy has not stopped: it is said to be busy, and nothing is covered.
    """

    _esm = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    _css = VEIL_STYLE

    me = traitlets.Unicode(help="The id of this widget, which a kernel started anew does not know").tag(sync=True)

    sentences = traitlets.Dict(help="What is said, by the kind of page and by what has happened").tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        me = uuid.uuid4().hex
        super().__init__(model_id=me, me=me, sentences=STOPPED, **kwargs)

    def name_command(self, command: str) -> None:
        """Let it be said which command starts the server that serves this page."""
        voila = {**STOPPED["voila"], "ended": ENDED_COMMAND.format(command=command)}
        self.sentences = {**STOPPED, "voila": voila}
