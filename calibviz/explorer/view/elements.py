"""The common base of widgets that have a browser's half of their own; its look is in `elements.css`."""

from __future__ import annotations

from typing import Any

import traitlets

from ..transport.scripted import Scripted, read_script
from ..transport.transport import Shared


def page_script(file: str) -> str:
    """The script beside a Python file of this folder, below what the scripts of the folder share."""
    return read_script(__file__, file)


class OwnControl(Shared, Scripted):
    """A control that stands among those of ipywidgets, with a label such as theirs."""

    description = traitlets.Unicode(help="The label, as HTML: a word, and its term").tag(sync=True)
    tooltip = traitlets.Unicode(help="What the control means").tag(sync=True)
    disabled = traitlets.Bool(False).tag(sync=True)

    def __init__(self, description_allow_html: bool = True, style: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
