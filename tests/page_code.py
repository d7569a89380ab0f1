"""Python in Markdown pages: found, run, and held against the values that its comments say."""

from __future__ import annotations

import ast
import re
from typing import Any


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run(code: str, namespace: dict[str, Any], page: str) -> list[tuple[str, str, Any]]:
    """Run a block statement by statement; return (source, the value said in its comment, value) where one is said."""
    said = []
    for statement in ast.parse(code).body:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), page, "exec"), namespace)
            continue
        value = eval(compile(ast.Expression(statement.value), page, "eval"), namespace)
        assert statement.end_lineno is not None
        comment = re.search(r"  # ('.*'$|-?\d+\.\d+|\w+$)", code.splitlines()[statement.end_lineno - 1])
        if comment:
            said.append((ast.unparse(statement), comment[1], value))
    return said


def shown(value: Any, said: str) -> str:
    """A value as a comment would say it: a float with as many decimals as that has, a text in quotes."""
    if said.startswith("'"):
        return repr(value)
    return f"{value:.{len(said.partition('.')[2])}f}" if isinstance(value, float) else str(value)
