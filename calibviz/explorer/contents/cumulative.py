"""One of the cumulative pictures (ks figure 1)."""

from __future__ import annotations

from typing import Any

from ... import figures
from ..look import Look
from ..spec import CUMULATIVE
from .content import Content


def cumulative(look: Look) -> Content:
    """One of the cumulative pictures (ks figure 1), whichever is chosen."""
    problems, which = look.before.problems, look.spec.cumulative
    if which.startswith("slopes"):
        against: Any = which.removeprefix("slopes by ")
        key = ("slopes", look.name, against)
        slopes = look.engine.of(problems[0], key, lambda: figures.slopes_figure(problems, look.name, against=against))
        return Content((slopes,))
    drawn = look.engine.of(
        problems[0], ("cumulative", look.name), lambda: figures.cumulative_figures(problems, look.name)
    )
    return Content((drawn[CUMULATIVE.index(which)],))
