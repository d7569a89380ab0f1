"""List the figures and tables of the papers in docs/papers.md, as the catalogue describes them.

python scripts/make_papers.py           # writes the table
python scripts/make_papers.py --check   # fails if it is not that of the catalogue
"""

from __future__ import annotations

import sys

from generated import write_or_check

from calibviz.papers.catalogue import ITEMS, PAPERS


def table() -> str:
    """All items, as Markdown."""
    rows = [
        f"| {PAPERS[item.paper].cited} | `{item.paper}` | {item.name} | {item.title} | {item.state} |" for item in ITEMS
    ]
    return "\n".join(["| paper | in code | item | what it shows | state |", "|---|---|---|---|---|", *rows, ""])


if __name__ == "__main__":
    sys.exit(write_or_check("papers.md", "make_papers.py", table(), __doc__))
