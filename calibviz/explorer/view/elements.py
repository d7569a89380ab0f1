"""What the widgets with a browser's half of their own share: how it is read, labels, fields and lists that float."""

from __future__ import annotations

from typing import Any

import traitlets

from ..transport.scripted import Scripted, read_script
from ..transport.transport import Shared
from .theme import BACK, FAINT, FOCUS, LINE, TEXT

#: What has the focus.
FOCUSED = f"outline: 2px solid {FOCUS}; outline-offset: 1px;"
#: What looks like the text around it; a button of this kind; and a field that text or a number is typed into.
PLAIN = "font: inherit; color: inherit; background: transparent; margin: 0;"
PLAIN_BUTTON = f"{PLAIN} cursor: pointer;"
FIELD = f"{PLAIN} border: 1px solid {FAINT}; box-sizing: border-box;"
#: A list that floats over what is below it, and the part of it that scrolls.
FLOATING = (
    "position: absolute; z-index: 4; box-sizing: border-box; padding: 6px; width: max-content; "
    f"background: {BACK}; border: 1px solid {LINE}; border-radius: 8px; box-shadow: 0 4px 16px rgb(0 0 0 / 30%);"
)
SCROLLING = "overflow-y: auto; max-height: 300px; display: flex; flex-flow: column;"


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


def labelled(name: str) -> str:
    """The rules of an `OwnControl` of a class name: its size and its label are as those of ipywidgets."""
    return f"""
.{name} {{
  display: flex; align-items: flex-start; color: {TEXT}; margin: 2px; min-width: 0; width: 306px;
  font-size: var(--jp-widgets-font-size, 13px);
}}
.{name} > .widget-label {{ flex: none; width: 122px; text-align: left; margin-right: 8px; }}
"""
