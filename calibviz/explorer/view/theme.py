"""The style sheets of the Explorer's widgets: colours follow JupyterLab's and Voila's theme, light or dark."""

from __future__ import annotations

from pathlib import Path

from ...figures import styles
from .grid import RULES

#: The tones of marks, by the names that style sheets call them by.
TONES = (
    f"body, :host {{ {styles.tones('--calibviz-')} }}\n"
    f'body[data-jp-theme-light="false"] {{ {styles.tones("--calibviz-", dark=True)} }}\n'
)


def page_style(file: str) -> str:
    """The style sheet beside a Python file, below what the style sheets of this folder share."""
    sheets = (Path(__file__).with_name("elements.css"), Path(file).with_suffix(".css"))
    return TONES + "\n".join(path.read_text(encoding="utf-8") for path in sheets)


#: That of the Explorer as a whole, as HTML.
SHEETS = ("desk", "answers", "projector")
MORE = "".join(Path(__file__).with_name(f"{name}.css").read_text(encoding="utf-8") for name in SHEETS)
STYLE_SHEET = f"<style>\n{page_style(__file__)}{MORE}{RULES}</style>"
