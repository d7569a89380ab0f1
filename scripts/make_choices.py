"""List the choices of the Explorer in docs/choices.md, as the table of choices describes them.

python scripts/make_choices.py           # writes the list
python scripts/make_choices.py --check   # fails if it is not that of the table
"""

from __future__ import annotations

import sys

from generated import write_or_check

from calibviz.answers.asked.choices import CHOICES, Choice, word_of
from calibviz.answers.first_screen.verdict import verdict_of
from calibviz.answers.registry import ANSWERS

BAR = "\\|"


def row_of(choice: Choice) -> str:
    """A choice as a row of the list; what reads it is what the answers say."""
    reading = [answer.title for answer in ANSWERS.values() if choice.name in answer.reads]
    reading += ["the verdict"] if choice.name in verdict_of.reads and not reading else []
    default = "the first one" if choice.name == "model" else f"`{choice.default!r}`"
    term = "" if choice.term in ("", word_of(choice.name), choice.name) else f" ({choice.term})"
    cells = (
        f"`{choice.name}`",
        f"{word_of(choice.name)}{term}",
        f"`{choice.allowed.values}`",
        default,
        ". ".join(filter(None, (choice.meaning, choice.about))),
        "all" if len(reading) == len(ANSWERS) else ", ".join(reading),
    )
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"


def table() -> str:
    """All choices, as Markdown."""
    columns = ("in Python", "on screen", "values", "at first", "what it is", "panels that it changes")
    rows = map(row_of, CHOICES.values())
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows, ""])


if __name__ == "__main__":
    sys.exit(write_or_check("choices.md", "make_choices.py", table(), __doc__))
