"""Likert categories, before and after."""

from __future__ import annotations

from ... import figures
from ...tables import problem_likert
from ..look import Look
from .content import Content


def likert(look: Look) -> Content:
    """Counts and errors of every Likert category, before and after."""
    categories = look.spec.categories()
    if not categories:
        return Content((), 'No categories yet: write cut points such as "0, 0.33, 0.66, 1" into Likert.')
    sides = [
        None if side is None else [
            [problem_likert(problem, low, high, look.spec.make_binning()) for low, high in categories.values()]
            for problem in side.problems
        ]
        for side in (look.before, look.after)
    ]  # fmt: skip
    assert sides[0] is not None
    return Content(figures.likert_figures(list(categories), sides[0], sides[1]))
