"""What is said once stays said once: binnings are known by their registry, choices by their table."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from calibviz.answers.asked.choices import CHOICES
from calibviz.engine.binnings.binning_kinds import BINNINGS

PACKAGE = Path(__file__).parents[2] / "calibviz"


@pytest.fixture(scope="module")
def trees():
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}


def _conditions(tree):
    """Everything by which the code goes one way or the other."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            yield node
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node.test
        elif isinstance(node, ast.match_case):
            yield node.pattern


def test_no_condition_names_a_binning(trees):
    named = {
        f"{path}:{node.lineno}: {node.value!r}"
        for path, tree in trees.items()
        for condition in _conditions(tree)
        for node in ast.walk(condition)
        if isinstance(node, ast.Constant) and node.value in BINNINGS
    }
    assert not named, (
        "ask the kind of the binning what it takes, cuts or is measured by (engine/binnings/binning_kinds.py)"
    )


def test_a_default_stands_once(trees):
    """No file of the answers or the Explorer but the table gives a choice its default by name."""
    given = {
        f"{path}:{key.lineno}: {key.value}"
        for path, tree in trees.items()
        if path.startswith(("answers/", "explorer/")) and path != "answers/asked/presets.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value in CHOICES and isinstance(value, ast.Constant)
        if value.value == CHOICES[key.value].default and value.value not in (None, "")
    }
    assert not given
