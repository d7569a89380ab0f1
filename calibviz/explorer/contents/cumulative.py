"""One of the cumulative pictures (ks figure 1)."""

from __future__ import annotations

from ... import figures
from ..look import Look
from ..spec import CUMULATIVE
from .content import Content


def cumulative(look: Look) -> Content:
    """One of the cumulative pictures (ks figure 1), whichever is chosen."""
    problems, which = look.before.problems, look.spec.cumulative
    place = CUMULATIVE.index(which)
    against = "score" if which.endswith("by score") else "fractile"
    drawn = look.engine.of(
        problems[0], ("cumulative", look.name, against),
        lambda: figures.cumulative_figures(problems, look.name, against=against),  # type: ignore[arg-type]
    )  # fmt: skip
    return Content((drawn[min(place, 3)],))
