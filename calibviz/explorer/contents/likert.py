"""Likert categories, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import figures
from ...figures import spread
from ...table_records import Cell, Column, Table
from ...tables import problem_likert
from ..engine import Side
from ..look import Look
from .content import Content

COLUMNS = {
    "count": "how many scores lie in the category; one on a cut point counts in both",
    "mean_target": "what is true of them on average",
    "error": "inter-interval: how far the mean target of a bin lies outside the category, on average "
    "(Kirchenbauer et al. 2022)",
    "total_variation": "the error of the same samples against the diagonal",
}
HEADINGS = {"count": "samples", "mean_target": "mean target", "error": "error", "total_variation": "total variation"}


def likert(look: Look) -> Content:
    """Counts and errors of every Likert category, before and after."""
    categories = look.spec.categories()
    if not categories:
        return Content((), 'No categories yet: write cut points such as "0, 0.33, 0.66, 1" into Likert.')
    before = _measured(look, look.before)
    after = None if look.after is None else _measured(look, look.after)
    sides = [("before", before), *([] if after is None else [("after", after)])]
    columns = [Column(f"{HEADINGS[what]} {side}", why) for what, why in COLUMNS.items() for side, _ in sides]
    rows = tuple(
        (
            Cell(name),
            *(Cell(_said(what, [trial[i][what] for trial in trials])) for what in COLUMNS for _, trials in sides),
        )
        for i, name in enumerate(categories)
    )
    table = Table(
        "categories", "", (Column("category"), *columns), rows, "Likert categories before and after recalibration.",
        "A score on a cut point counts in both categories.",
    )  # fmt: skip
    return Content((*figures.likert_figures(list(categories), before, after), table))


def _measured(look: Look, side: Side) -> list[list[dict[str, Any]]]:
    """Every category of every trial."""
    binning = look.spec.make_binning()
    return [
        [problem_likert(problem, low, high, binning) for low, high in look.spec.categories().values()]
        for problem in side.problems
    ]


def _said(what: str, values: Sequence[Any]) -> str:
    if what == "count":
        return f"{round(np.mean(values)):,}"
    if np.isnan(values).any():
        return "–"
    return spread(values)
