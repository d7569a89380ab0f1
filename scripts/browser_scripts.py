"""Writes each script that a browser gets into a folder, whole, so that Node's tools can check it: `npm run check`.

A widget's script is made of several files (`explorer/transport/scripted.py`), which know each other's names.
"""

from __future__ import annotations

import sys
from pathlib import Path

import calibviz.app.opening
import calibviz.explorer.linked  # noqa: F401, both import all widgets
from calibviz.app.playground.page import playground_script
from calibviz.explorer.transport.scripted import Scripted
from calibviz.reports.writing.page import page_script

PACKAGE = Path(__file__).parents[1] / "calibviz"
#: The scripts that stand in a page by themselves.
ALONE = ("app/server/static/calibviz-page.js", "teaching/guess.js")


def browser_scripts() -> dict[str, str]:
    """The scripts by name: those of widgets are modules called after their class."""
    scripts = {f"{widget.__name__}.js": widget._esm for widget in _below(Scripted) if "_esm" in vars(widget)}
    scripts |= {"report.js": page_script(), "playground.js": playground_script()}
    return scripts | {name.rpartition("/")[2]: (PACKAGE / name).read_text(encoding="utf-8") for name in ALONE}


def _below(widget: type) -> list[type]:
    return [found for below in widget.__subclasses__() for found in (below, *_below(below))]


def main(folder: Path) -> None:
    """Write the scripts into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, script in browser_scripts().items():
        (folder / name).write_text(script, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
