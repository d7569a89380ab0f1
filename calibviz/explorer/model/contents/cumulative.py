"""The panel Cumulative: one of the cumulative pictures (Gupta et al. 2021, figure 1)."""

from __future__ import annotations

import numpy as np

from .... import figures
from ....metrics.binned import ks_error
from ...state.spec import CUMULATIVE, SLOPES
from ..noise import beside_error, sentence_of
from ..situation import Situation
from .content import Content


def cumulative(look: Situation) -> Content:
    """The chosen cumulative picture, and a sentence about the KS error and its noise floor."""
    problems, which = look.before.problems, look.spec.cumulative
    if which in SLOPES:
        against = SLOPES[which]
        key = ("slopes", look.name, against)
        slopes = look.engine.of(problems[0], key, lambda: figures.slopes_figure(problems, look.name, against=against))
        return Content((slopes,))
    drawn = look.engine.of(
        problems[0], ("cumulative", look.name), lambda: figures.cumulative_figures(problems, look.name)
    )
    ks, beside = float(np.mean([ks_error(problem) for problem in problems])), beside_error(look, look.before, "ks")
    return Content((drawn[CUMULATIVE.index(which)],), sentence_of(ks, beside))
