"""A batch of problems measured at once, against every problem by itself."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv
from calibviz.engine.batch import ScalarBatch
from calibviz.engine.binnings.binning import bin_series
from calibviz.metrics.binned import (
    cumulative_difference,
    debiased_squares,
    error_series,
    ks_errors,
    kuiper_errors,
    label_binned_errors,
)

BINNINGS = [cv.Uniform(7), cv.Uniform(40), cv.EqualMass(7), cv.EqualMass(40), cv.Sweep(), cv.Sweep("uniform")]


def batch_of(n, m=9, decimals=None):
    """Problems of one size; rounded scores are tied."""
    rng = np.random.default_rng(n)
    score = np.sort(rng.beta(1.0, 0.5, (m, n)), axis=1)
    target = rng.random((m, n)) < score**2
    return ScalarBatch(score if decimals is None else score.round(decimals), target)


@pytest.fixture(params=[(1, None), (2, 1), (30, None), (30, 1), (200, 2)])
def batch(request):
    return batch_of(request.param[0], decimals=request.param[1])


@pytest.mark.parametrize("binning", BINNINGS, ids=repr)
def test_bins_are_those_of_every_problem(batch, binning):
    bins = binning(batch)
    for row, problem in enumerate(batch.problems):
        expected = binning(problem)
        size = len(expected)  # under a sweep, other problems may have more bins
        for name in ("weight", "score", "target", "count"):
            column = getattr(bins, name)[row]
            np.testing.assert_allclose(column[:size], getattr(expected, name), rtol=1e-9, atol=1e-12)
        assert not bins.weight[row, size:].any()


@pytest.mark.parametrize("p", [1, 2, 7.5])
@pytest.mark.parametrize("kind", [cv.Uniform, cv.EqualMass])
def test_errors_of_several_binnings(batch, kind, p):
    binnings = [kind(bins) for bins in (1, 3, 50)]
    errors = error_series(batch, binnings, p=p)
    assert errors.shape == (len(batch.score), 3)
    assert len(bin_series(batch, binnings)[0]) == 54
    expected = [error_series(problem, binnings, p=p) for problem in batch.problems]
    np.testing.assert_allclose(errors, expected, rtol=1e-9, atol=1e-12)


def test_other_errors(batch):
    for kernel in (
        ks_errors,
        kuiper_errors,
        lambda problem: debiased_squares(problem, cv.EqualMass(5)),
        lambda problem: label_binned_errors(problem, cv.Uniform(5), 2.0)[..., 0],
    ):
        expected = [kernel(problem) for problem in batch.problems]
        np.testing.assert_allclose(kernel(batch), np.ravel(expected), rtol=1e-9, atol=1e-12)
    assert cumulative_difference(batch).shape == batch.score.shape


def test_a_batch_of_many_problems_sweeps_as_one_does():
    """Problems whose sweep has ended are set aside, and those whose targets rise take as many bins as there can be."""
    batch = batch_of(60, m=300)
    rising = np.arange(60) >= np.arange(300)[:, None] % 50
    batch = batch.with_target(np.where(np.arange(300)[:, None] % 3, batch.given_target, rising))
    for sweep in (cv.Sweep(), cv.Sweep("uniform")):
        assert sweep.choose_each(batch).tolist() == [sweep.choose(problem) for problem in batch.problems]
        assert (sweep.choose_each(batch) == 59).sum() >= 100


def test_other_targets_share_what_is_known_of_the_scores():
    batch = batch_of(30, decimals=1)
    other = batch.with_target(~batch.given_target.astype(bool))
    assert other.cumulative_score is batch.cumulative_score
    np.testing.assert_allclose(other.cumulative_target + batch.cumulative_target, np.arange(31) + np.zeros((9, 1)))
    assert repr(other) == "<ScalarBatch of 9 problems, 30 samples each>"
