"""List the terms in docs/glossary.md, which the Explorer explains too.

python scripts/make_glossary.py           # writes the list
python scripts/make_glossary.py --check   # fails if it is not that of calibviz
"""

from __future__ import annotations

import sys

from generated import write_or_check

from calibviz.answers.asked.glossary import GLOSSARY


def table() -> str:
    """All terms, as Markdown."""
    rows = [("in plain words", "term", "in the papers"), ("---",) * 3, *GLOSSARY]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    sys.exit(write_or_check("glossary.md", "make_glossary.py", table(), __doc__))
