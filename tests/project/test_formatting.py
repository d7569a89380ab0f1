"""Lines that the formatter may not touch say why: everything else it lays out alone."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("calibviz", "tests", "scripts", "benchmarks", "docs")
MARKER = re.compile(r"#\s*(fmt|yapf):\s*(skip|off|disable)\b")


def unexplained(source):
    """The numbers of the lines that keep the formatter away, and have no words beside that in their comment."""
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.COMMENT
    ]
    kept = [token for token in comments if MARKER.search(token.string)]
    return [token.start[0] for token in kept if len(re.findall(r"\w{2,}", MARKER.sub("", token.string))) < 2]


@pytest.mark.parametrize(
    ("comment", "lines"),
    [
        ("# fmt: skip", [1]),
        ("#fmt:off", [1]),
        ("# noqa # fmt: skip", [1]),
        ("# fmt: skip  # a matrix, row by row", []),
        ("# a matrix, row by row  # fmt: skip", []),
        ("# formatted", []),
    ],
)
def test_what_is_unexplained_is_found(comment, lines):
    assert unexplained(f"rows = [1]  {comment}\ntext = '# fmt: skip'\n") == lines


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_the_formatter_may_not_touch_says_why(folder):
    found = {path: unexplained(path.read_text(encoding="utf-8")) for path in sorted((ROOT / folder).rglob("*.py"))}
    assert found, folder
    assert {str(path.relative_to(ROOT)): lines for path, lines in found.items() if lines} == {}
