"""The scripts and style sheets beside widgets, whose colours follow the page's theme, and the base of own controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets

from ...figures import styles
from ..transport.scripted import Scripted, read_script
from ..transport.transport import Shared
from .grid import RULES

#: The tones of marks, by the names that style sheets call them by.
TONES = (
    f"body, :host {{ {styles.tones('--calibviz-')} }}\n"
    f'body[data-jp-theme-light="false"] {{ {styles.tones("--calibviz-", dark=True)} }}\n'
)


def page_script(file: str) -> str:
    """The script beside a Python file of this folder, below what the scripts of the folder share."""
    return read_script(__file__, file)


def _styles(*sheets: Path) -> str:
    return TONES + "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def page_style(file: str) -> str:
    """The style sheet beside a Python file, below what the style sheets of this folder share."""
    return _styles(Path(__file__).with_suffix(".css"), Path(file).with_suffix(".css"))


#: That of the Explorer as a whole, as HTML.
SHEETS = ("elements", "theme", "desk", "answers", "projector")
STYLE_SHEET = f"<style>\n{_styles(*(Path(__file__).with_name(f'{name}.css') for name in SHEETS))}{RULES}</style>"


class OwnControl(Shared, Scripted):
    """A control that stands among those of ipywidgets, with a label such as theirs."""

    description = traitlets.Unicode(help="The label, as HTML: a word, and its term").tag(sync=True)
    tooltip = traitlets.Unicode(help="What the control means").tag(sync=True)
    disabled = traitlets.Bool(False).tag(sync=True)

    def __init__(self, description_allow_html: bool = True, style: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
