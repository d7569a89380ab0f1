"""Where a calibrated model is under a selection that looks at the truth, beside the diagonal."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv
from calibviz import figures
from calibviz.context.induced import scalar_problem
from calibviz.engine.binnings.binning import bins_of

NAME = "a calibrated model here"


def drawn(n, seed, digits=6):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.full(3, 0.7), n).round(digits)
    probs /= probs.sum(axis=1, keepdims=True)
    return cv.Predictions(probs, (probs.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=2))


def series(p, lens, selection, binning, name=NAME):
    problem = scalar_problem(p, lens, selection)
    figure = figures.reliability_figure([problem], [bins_of(problem, binning)], lens)
    return figure, [one for one in figure.series if one.name == name]


@pytest.mark.parametrize("binning", [cv.Uniform(5), cv.EqualMass(4), cv.Uniform(5, closed="right")], ids=repr)
def test_the_line_is_where_drawn_labels_are_in_each_bin(binning):
    p = drawn(4000, 1, digits=1)  # with scores on the edges of bins
    _, (line,) = series(p, "class 1", "label in [0, 1]", binning)
    s, k, m = p.probs[:, 1], p.probs[:, 0] + p.probs[:, 1], p.probs[:, 1]
    bins = bins_of(scalar_problem(p, "class 1", "label in [0, 1]"), binning)
    inner = bins.left[1:]
    cell = np.searchsorted(inner, s, "left" if repr(binning).find("right") > 0 else "right")
    share = np.bincount(cell, k)
    assert line.x == pytest.approx(np.bincount(cell, k * s) / share)
    assert line.y == pytest.approx(np.bincount(cell, m) / share)


def test_the_band_holds_the_bins_of_calibrated_labels():
    p = drawn(3000, 2)
    figure, (band,) = series(p, "class 1", "label in [0, 1]", cv.Uniform(8), "95 % of calibrated models")
    _, (dots,) = series(p, "class 1", "label in [0, 1]", cv.Uniform(8), "bins")
    bins, line = 8, series(p, "class 1", "label in [0, 1]", cv.Uniform(8))[1][0]
    lower, upper = band.y[:bins], band.y[2 * bins - 1 : bins - 1 : -1]
    assert (lower < line.y).all() and (line.y < upper).all()
    assert ((lower <= dots.y) & (dots.y <= upper)).sum() >= 6
    assert "a calibrated model would show" in figure.alt and "observed where it predicts" in figure.alt


def test_other_selections_have_the_diagonal_alone():
    for selection in (None, "confidence > 0.5"):
        figure, lines = series(drawn(300, 3), "class 1", selection, cv.Uniform(8))
        assert not lines and "calibrated model" not in figure.alt


def test_without_rows_that_are_distributions_there_is_no_line_and_a_reason():
    p = drawn(300, 4)
    problem = scalar_problem(p, "class 1", "label in [0, 1]").mapped(np.sqrt)
    figure = figures.reliability_figure([problem], [bins_of(problem, cv.Uniform(5))])
    assert not [one for one in figure.series if one.name == NAME]
    assert "No line of a calibrated model: the selection looks at what is true, and" in figure.alt


def test_cumulated_gaps_have_no_limit_around_0_there():
    problem = scalar_problem(drawn(300, 5), "class 1", "label in [0, 1]")
    *_, figure = figures.cumulative_figures([problem], "class 1")
    empty = {one.role: len(one.x) for one in figure.series}
    assert (empty["limit"], empty["noise"]) == (0, 0) and "do not stay around 0" in figure.alt
