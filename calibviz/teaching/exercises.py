"""A question of a lesson: what is asked, by what code it is answered, and what helps on the way."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from textwrap import dedent
from typing import Any

from .kinds import Kind

#: The package that begins what an answer computes; what is imported here imports nothing from above.
PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True)
class Exercise:
    """A question whose answer is computed by the lines that are shown as the way to it."""

    name: str  # lesson and number, such as "03.1"
    asks: str
    kind: Kind  # what an answer is, and when it is right
    because: str  # why the answer is as it is; "{}" stands for the answer
    hints: tuple[str, ...]  # each says more than the one before
    solve: Callable[[Any], Any]  # takes calibviz, as `cv`, and returns the answer

    @cached_property
    def truth(self) -> Any:
        """The right answer, computed when it is first needed."""
        return self.kind.read(self.name, self.solve(import_module(PACKAGE)))

    @property
    def explained(self) -> str:
        """The right answer, and why."""
        return self.because.format(self.kind.written(self.truth))

    @property
    def way(self) -> str:
        """The lines that compute the answer, for a cell of their own; an empty text where they have no source."""
        try:
            source = dedent(inspect.getsource(self.solve))
        except OSError:
            return ""
        function = ast.parse(source).body[0]
        assert isinstance(function, ast.FunctionDef)
        body = function.body[1:] if ast.get_docstring(function) else function.body
        lines = source.splitlines()
        last = body[-1].lineno - 1
        lines[last] = lines[last].replace("return ", "", 1)
        return dedent("\n".join(lines[body[0].lineno - 1 :]))


def exercise(
    name: str, asks: str, kind: Kind, because: str, hints: tuple[str, ...] = ()
) -> Callable[[Callable[[Any], Any]], Exercise]:
    """Return a decorator that makes a question of the function that answers it."""
    return lambda solve: Exercise(name, asks, kind, because, hints, solve)
