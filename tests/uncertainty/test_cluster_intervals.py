"""Intervals of calibration errors of samples in clusters."""

import numpy as np
import pytest
from clustered_samples import clustered
from scipy.special import expit, logit, ndtr

import calibviz as cv
from calibviz.engine.clustered import Clusters
from calibviz.uncertainty.error_inversion import _ClusterDraws

ERRORS = [cv.ks_error, cv.kuiper_error, cv.calibration_error, cv.debiased_error]


def interval(problem, error=cv.ks_error, **options):
    return cv.interval(problem, error=error, progress=False, **options)


@pytest.mark.parametrize("error", ERRORS)
def test_an_interval_holds_its_estimate_and_depends_on_the_clusters(error):
    problem = clustered(60, 15, seed=1, latent=0.6)
    plain = cv.ScalarProblem(problem.score, problem.given_target)
    own, rows = interval(problem, error), interval(plain, error)
    assert own.lower <= own.estimate <= own.upper and own.noise > 1.1 * rows.noise and own.note == ""
    assert own.upper > rows.upper


def test_drawn_data_sets_are_of_whole_clusters():
    problem = clustered(20, 6, seed=2)
    clusters, fit = Clusters.of(problem), np.full(120, 0.5)
    draws = _ClusterDraws(problem, clusters, fit, np.random.default_rng(0), False)
    for (rows, drawn, residuals), other in zip(draws.held, draws(np.full((10, 120), 0.4)), strict=True):
        assert (np.diff(rows) >= 0).all() and len(Clusters.of(drawn).sums(fit[rows])) == 20
        for c in range(20):
            own = rows[drawn.cluster_codes == c]
            (code,) = np.unique(problem.cluster_codes[own])
            assert len(own) == 6 and sorted(own) == sorted(np.flatnonzero(problem.cluster_codes == code))
            sign = residuals[drawn.cluster_codes == c] / (problem.given_target - 0.5)[own]
            assert len(set(sign)) == 1 and set(np.abs(sign)) == {1}
        assert other.given_target == pytest.approx(0.4 + residuals)


def test_the_lower_end_of_the_ece_is_at_most_that_of_the_range():
    problem = clustered(60, 15, seed=3)
    off = cv.ScalarProblem(problem.score**2, problem.given_target, cluster=problem.cluster_codes)
    assert interval(off, cv.calibration_error).lower <= interval(off, cv.kuiper_error).lower


def test_clusters_of_one_score_and_one_outcome_are_one_sample_each():
    rng = np.random.default_rng(4)
    score = rng.uniform(0.1, 0.9, 80)
    target = rng.random(80) < score
    once = interval(cv.ScalarProblem(score, target))
    code = np.repeat(np.arange(80), 5)
    assert interval(cv.ScalarProblem(np.repeat(score, 5), np.repeat(target, 5), cluster=code)) == once


def test_very_many_clusters_of_one_score_and_one_outcome_are_one_sample_each(monkeypatch):
    monkeypatch.setattr("calibviz.uncertainty.error_intervals.MOST_INVERTED", 70)
    rng = np.random.default_rng(4)
    score = rng.uniform(0.1, 0.9, 80)
    target, code = rng.random(80) < score, np.repeat(np.arange(80), 5)
    once = interval(cv.ScalarProblem(score, target))
    assert interval(cv.ScalarProblem(np.repeat(score, 5), np.repeat(target, 5), cluster=code)) == once


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (clustered(19, 10), "needs 20 clusters, but there are 19"),
        (clustered(30, 5, weighted=True), "of samples in clusters takes no weights"),
        (
            cv.ScalarProblem(np.linspace(0.2, 0.8, 90), np.arange(90) // 3 % 2, cluster=np.arange(90) // 3),
            "share its outcome, but have several scores: there is no interval of an error; cv.calibration_test tests",
        ),
        (
            cv.ScalarProblem(np.arange(91) // 3 / 40, np.arange(91) // 3 % 2, cluster=np.arange(91) // 3),
            "share its outcome and its score, and clusters differ in size",
        ),
    ],
)
def test_what_has_no_interval_is_refused(problem, said):
    with pytest.raises(ValueError, match=said):
        interval(problem)


def test_fewer_than_fifty_clusters_are_approximate():
    assert interval(clustered(49, 5)).note == "approximate: fewer than 50 clusters"


def test_equal_weights_are_none():
    problem = clustered(30, 10, seed=5)
    same = cv.ScalarProblem(problem.score, problem.given_target, np.full(300, 2.5), cluster=problem.cluster_codes)
    assert interval(same) == interval(problem)


def test_intervals_of_shifted_clusters_hold_the_truth_more_often_than_those_of_rows():
    """Claim: 90 % intervals of the KS error of 50 clusters of 20, latent correlation .5, all log-odds .3 too low."""
    grid = (np.arange(5000) + 0.5) / 5000
    truth = np.abs(np.cumsum(grid - expit(logit(grid) + 0.3))).max() / 5000
    held, of_rows = 0, 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        code, score = np.repeat(np.arange(50), 20), rng.random(1000)
        shared = 0.5**0.5 * (rng.normal(size=50)[code] + rng.normal(size=1000))
        problem = cv.ScalarProblem(score, ndtr(shared) < expit(logit(score) + 0.3), cluster=code)
        found = interval(problem, level=0.9)
        held += found.lower <= truth <= found.upper
        found = interval(cv.ScalarProblem(problem.score, problem.given_target), level=0.9)
        of_rows += found.lower <= truth <= found.upper
    assert held >= 24 and of_rows < held
