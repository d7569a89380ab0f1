"""List the lessons in docs/instructors.md: their goals and minutes, and a link for each state that a slide shows.

python scripts/make_plan.py           # writes the list
python scripts/make_plan.py --check   # fails if it is not that of the notebooks
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from generated import write_or_check
from make_slides import lessons, link_of
from nbformat import NotebookNode
from run_notebooks import is_widget

PARTS = re.compile(r"# (?P<title>.+?)\n\n\*\*Goal\.\*\* (?P<goal>.+?)\n\n\*\*Time\.\*\* (?P<time>.+?)\n\n", re.DOTALL)
ELSEWHERE = "run the cell, whose data the lesson makes"


def plan() -> str:
    """All lessons that ask before they show, as Markdown, and below them the states of their widgets."""
    read = {path: nbformat.read(path, as_version=4) for path in lessons()}
    rows = ["| lesson | goal | minutes | exercises |", "|---|---|---|---|"]
    rows += [_row(path, notebook) for path, notebook in read.items()]
    states = [
        f"- [{path.stem[:2]}](../notebooks/{path.name}), {state}"
        for path, one in read.items()
        for state in _states(one)
    ]
    return "\n".join([*rows, "", "Each state that a slide shows:", "", *states, ""])


def _row(path: Path, notebook: NotebookNode) -> str:
    found = PARTS.match(notebook.cells[0].source)
    assert found, f"{path.name} does not begin with title, goal and time"
    checks = sum("teaching.check(" in cell.source for cell in notebook.cells)
    goal, time = (" ".join(found[name].split()) for name in ("goal", "time"))
    goal = goal.replace("](../docs/", "](")
    return f"| [{path.stem[:2]} {found['title']}](../notebooks/{path.name}) | {goal} | {time} | {checks} |"


def _states(notebook: NotebookNode) -> Iterator[str]:
    """The widgets of a lesson in order, each with its state."""
    for place, cell in enumerate(filter(is_widget, notebook.cells), start=1):
        link = link_of(notebook, cell)
        yield f'widget {place}: `calibviz demo --link "{link}"`' if link else f"widget {place}: {ELSEWHERE}"


if __name__ == "__main__":
    sys.exit(write_or_check("instructors.md", "make_plan.py", plan(), __doc__))
