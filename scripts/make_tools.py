"""List what tools write in docs/data.md, as the table of names by which columns are known describes it.

python scripts/make_tools.py           # writes the list
python scripts/make_tools.py --check   # fails if it is not that of the table
"""

from __future__ import annotations

import sys

from generated import write_or_check

from calibviz.data.columns.tools import TOOLS, Tool

BAR = "\\|"


def row_of(tool: Tool) -> str:
    """A tool as a row of the list."""
    named = (tool.truth, tool.predicted, (*tool.single, *tool.family), tool.logits)
    typed = f"{tool.typed} {tool.note}".strip() if tool.typed else tool.note
    cells = (tool.name, *(", ".join(f"`{name}`" for name in names) for names in named), typed)
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"


def table() -> str:
    """All tools, as Markdown."""
    columns = ("tool, or habit", "truth", "predicted class", "probabilities", "logits", "you type, beside the file")
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *map(row_of, TOOLS), ""])


if __name__ == "__main__":
    sys.exit(write_or_check("data.md", "make_tools.py", table(), __doc__))
