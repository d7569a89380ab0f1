"""Intervals of calibration errors of samples in clusters."""

import numpy as np
import pytest
from clustered_samples import clustered
from scipy.special import expit, logit, ndtr

import calibviz as cv
from calibviz.engine.clustered import Clusters
from calibviz.uncertainty.intervals.error_intervals import several_ends
from calibviz.uncertainty.intervals.error_inversion import _ClusterDraws

ERRORS = [cv.ks_error, cv.kuiper_error, cv.calibration_error, cv.debiased_error]


def interval(problem, error=cv.ks_error, **options):
    return cv.interval(problem, error=error, progress=False, **options)


def uneven(clusters, seed=0):
    """A calibrated problem of clusters of which every fourth has 21 rows, and the others one."""
    problem = clustered(clusters, 21, seed=seed)
    kept = (problem.cluster_codes % 4 == 0) | np.isin(
        np.arange(len(problem)), np.unique(problem.cluster_codes, return_index=True)[1]
    )
    return cv.ScalarProblem(problem.score[kept], problem.given_target[kept], cluster=problem.cluster_codes[kept])


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
    curves = np.zeros((10, 120)), np.tile(np.arange(120.0), (10, 1)), np.full((10, 120), 0.4)
    for drawn, by_place, other in zip(*map(draws, curves), strict=True):
        residuals = drawn.given_target
        rows = np.rint(by_place.given_target - residuals).astype(int)
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
    monkeypatch.setattr("calibviz.uncertainty.intervals.error_intervals.MOST_INVERTED", 70)
    rng = np.random.default_rng(4)
    score = rng.uniform(0.1, 0.9, 80)
    target, code = rng.random(80) < score, np.repeat(np.arange(80), 5)
    once = interval(cv.ScalarProblem(score, target))
    assert interval(cv.ScalarProblem(np.repeat(score, 5), np.repeat(target, 5), cluster=code)) == once


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (
            clustered(19, 10),
            "an interval of an error takes more: 19 clusters are fewer than 20: to take their rows to be independent, "
            "pass cluster=False$",
        ),
        (uneven(60), "an interval of an error takes more: 60 clusters are worth 19 of equal size, fewer than 20: "),
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


def test_clusters_worth_fewer_than_fifty_are_approximate():
    assert interval(clustered(49, 5)).note == "approximate, since 49 clusters are fewer than 50"
    said = "approximate, since 80 clusters are worth 25 of equal size, fewer than 50"
    assert interval(uneven(80)).note == said
    assert interval(uneven(170)).note == "" and Clusters.of(uneven(170)).worth > 50


@pytest.mark.thorough
@pytest.mark.parametrize("error", ERRORS)
def test_the_lower_end_is_0_unless_the_test_rejects(error):
    """Claim: the lower end is above 0 only where the p-value is at most half of 1 - level."""
    seen = set()
    # Of the last set the inversion alone puts the lower end of two errors above 0, where the test does not reject.
    for seed, shift in ((0, 0.0), (0, 0.2), (0, 1.0), (5, 0.2), (13, 0.45)):
        problem = uneven(80, seed)
        moved = cv.ScalarProblem(
            expit(logit(problem.score) + shift), problem.given_target, cluster=problem.cluster_codes
        )
        found = interval(moved, error, level=0.9)
        rejects = found.p_value <= 0.05 + 1e-12
        assert found.lower == 0 or rejects
        if seed == 0:  # once for each shift, as it takes as long again
            [(lower, estimate, upper)] = several_ends(moved, cv.lens("class 1"), [(error, None)], 0.9, 0)
            assert (found.lower, found.estimate, found.upper) == (lower, estimate, upper)
        seen.add((rejects, found.lower > 0))
    assert {(False, False), (True, True)} <= seen


@pytest.mark.parametrize("binning", [None, cv.Uniform(7), cv.Sweep()])
def test_other_targets_have_the_error_of_a_new_problem(binning):
    problem = clustered(40, 6, ties=True)
    cv.debiased_error(problem, binning=binning)  # its scores keep the bins that do not look at the targets
    other = problem.with_target(1 - problem.given_target)
    new = cv.ScalarProblem(problem.score, other.given_target, cluster=problem.cluster_codes)
    error = cv.debiased_error(new, binning=binning)
    assert error > 0 and cv.debiased_error(other, binning=binning) == pytest.approx(error, abs=1e-12)


def test_a_level_beyond_what_draws_can_say_takes_their_least_p_value():
    problem = clustered(60, 15, seed=3)
    off = cv.ScalarProblem(problem.score**4, problem.given_target, cluster=problem.cluster_codes)
    found = interval(off, level=0.9999)
    assert found.p_value == 1 / 500 and found.lower > 0


def test_equal_weights_are_none():
    problem = clustered(30, 10, seed=5)
    same = cv.ScalarProblem(problem.score, problem.given_target, np.full(300, 2.5), cluster=problem.cluster_codes)
    assert interval(same) == interval(problem)


@pytest.mark.thorough
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
