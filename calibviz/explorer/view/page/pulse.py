"""Tells the user that the kernel or server behind a view has ended, or that the kernel is frozen or busy."""

from __future__ import annotations

from typing import Any

import traitlets

from ...transport.scripted import Scripted, read_script
from ..elements import page_style
from .stopped import ENDED_COMMAND, STOPPED


class Pulse(Scripted):
    """Covers a view that cannot react any more, and says why and what to do.

    The view is the nearest element around this widget of class ``calibviz-explorer``, or a ``calibviz-page`` around
    that. The browser's half is ``pulse.js``: it watches the kernel's status and its connection, and asks the server for
    a sign of life. While the kernel is only busy, a note says so and nothing is covered.

    In a page of our own server it asks by the page's websocket, which also tells whether the kernel is frozen. Once
    that has closed, nothing is asked any more. Elsewhere nobody else looks at the kernel's heartbeat: there a kernel
    that is idle, and has a thread of its own for such questions, is asked itself, by messages that Jupyter counts as
    nobody's work. One that has said that it is busy is believed.
    """

    _esm = read_script(__file__)
    _css = page_style(__file__)

    sentences = traitlets.Dict(help="The sentences, by kind of page and by event").tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(sentences=STOPPED, **kwargs)

    def name_command(self, command: str) -> None:
        """Name the command that starts the server of this page, for the sentence that asks to restart it."""
        voila = {**STOPPED["voila"], "ended": ENDED_COMMAND.format(command=command)}
        self.sentences = {**STOPPED, "voila": voila}
