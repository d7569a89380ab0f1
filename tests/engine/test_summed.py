"""Problems whose rows are sums over samples."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv
from calibviz.engine.deferred import reweighted
from calibviz.engine.scalar import EmptyProblemError
from calibviz.engine.summed import SummedProblem


@pytest.fixture
def rows():
    """Three rows, given out of order: 4 samples of weight 0.5, 1 of weight 3, and 2 of weight 1."""
    return SummedProblem(
        np.array([0.6, 0.2, 0.9]),
        np.array([1.0, 0.0, 1.0]),
        np.array([2.0, 3.0, 2.0]),
        np.array([4.0, 1.0, 2.0]),
        np.array([4.0, 1.0, 2.0]),
    )


def test_rows_are_worth_their_samples(rows):
    samples = cv.ScalarProblem(
        np.repeat([0.2, 0.6, 0.9], [1, 4, 2]), np.repeat([0, 1, 1], [1, 4, 2]), np.repeat([3, 0.5, 1], [1, 4, 2])
    )
    assert rows.samples == samples.samples == 7
    assert rows.effective_size == pytest.approx(samples.effective_size)
    for binning in (cv.Uniform(2), cv.Distinct()):
        ours, theirs = binning(rows), binning(samples)
        for name in ("weight", "score", "target", "count"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name))


def test_whole_sums_are_no_repetitions(rows):
    assert not rows.whole_weights
    assert cv.ScalarProblem(rows.score, rows.target, rows.weight).whole_weights


def test_parts_and_other_scores_keep_what_rows_are_worth(rows):
    above = rows.above(0.5)
    assert above.worth.tolist() == above.counts.tolist() == [4, 2]
    turned = rows.mapped(lambda score: 1 - score)
    assert turned.counts.tolist() == [2, 4, 1]
    assert turned.order.tolist() == [2, 0, 1]


def test_draws(rows):
    drawn = reweighted(rows, np.array([0.0, 4.0, 1.0]))
    assert drawn.score.tolist() == [0.6, 0.9]
    # Of 4 samples 8 were drawn, and of 2 samples 1.
    np.testing.assert_allclose(drawn.worth, [8 / (1 + 7 / 4), 1.0])
    assert drawn.samples == round(drawn.worth.sum())
    with pytest.raises(EmptyProblemError):
        reweighted(rows, np.zeros(3))
