"""Draws of samples in clusters: joint tests, noise floors and consistency."""

from itertools import product

import numpy as np
import pytest
from clustered_samples import clustered

import calibviz as cv
from calibviz.context.lenses import Top1
from calibviz.engine.cluster_draws import sign_patterns
from calibviz.uncertainty.noise_floors import floors_under
from calibviz.uncertainty.resampling.consistency import calibrated

ERRORS = [
    cv.ks_error,
    cv.calibration_error,
    cv.debiased_error,
    cv.smooth_error,
    cv.label_binned_error,
    lambda q: cv.calibration_error(q, binning=cv.Sweep()),
    lambda q: cv.corp(q).miscalibration,
]


@pytest.mark.parametrize("clusters", [1, 2, 7, 12])
@pytest.mark.parametrize("even", [False, True])
def test_all_patterns_of_few_clusters_come_once(clusters, even):
    signs = sign_patterns(clusters, 999, np.random.default_rng(0), even)
    assert (signs[0] == 1).all() and len(np.unique(signs, axis=0)) == len(signs) == 2 ** (clusters - even)
    if even:
        assert len(np.unique(np.concatenate([signs, -signs]), axis=0)) == 2**clusters


def test_signs_of_more_clusters_are_random():
    signs = sign_patterns(13, 999, np.random.default_rng(0))
    assert signs.shape == (1000, 13) and (signs[0] == 1).all() and abs(signs[1:].mean()) < 0.03


def test_consistency_of_few_clusters_is_that_of_all_patterns():
    problem = clustered(9, 8, seed=1)
    found = cv.consistency(problem, error=cv.ks_error, progress=False)
    assert len(found.replicates) == 2**9 - 1
    assert found.p_value == pytest.approx(cv.ks_test(problem).p_value, abs=1e-12)


@pytest.mark.parametrize("error", ERRORS)
def test_errors_take_targets_beyond_0_and_1(error):
    """Each error of drawn targets is that of the same targets written out by hand."""
    problem = clustered(8, 12, seed=2)
    assert (problem.given_target != problem.score).all()
    code, gaps = problem.cluster_codes, problem.given_target - problem.score
    values = [
        error(problem.with_target(problem.score + np.array(xi)[code] * gaps)) for xi in product([1, -1], repeat=8)
    ]
    assert np.isfinite(values).all() and min(values) >= 0
    drawn = [error(other) for other in calibrated(problem, 999)]
    assert sorted(drawn) == pytest.approx(sorted(values[1:]), abs=1e-12)
    assert all(
        other.given_target.min() < 0 or other.given_target.max() > 1 for other in list(calibrated(problem, 999))[:3]
    )


@pytest.mark.parametrize("lens", ["full", "classwise", "pooled", "top-1 by class", "top-2"])
def test_all_scores_of_a_sample_share_the_sign_of_its_cluster(lens):
    rng = np.random.default_rng(3)
    p = cv.Predictions(rng.dirichlet(np.ones(3), 240), rng.integers(0, 3, 240), cluster=np.arange(240) % 40)
    found = cv.consistency(p, lens, error=cv.calibration_error, replicates=99, progress=False)
    assert 0 < found.p_value <= 1 and found.lower < found.estimate


def test_a_floor_is_the_larger_of_both_draws_where_signs_do_not_suffice():
    rng = np.random.default_rng(4)
    score, code = np.repeat(rng.uniform(0.2, 0.8, 20), 5), np.repeat(np.arange(20), 5)
    problem = cv.ScalarProblem(score, np.repeat(rng.random(20) < 0.5, 5), cluster=code)
    both = [
        np.array([cv.ks_error(q) for q in calibrated(problem, 499, 0, kind)]) for kind in ("signs", "whole clusters")
    ]
    floor = floors_under(problem, problem, Top1(), None, lambda q: {"ks": cv.ks_error(q)}, n=499)["ks"]
    assert floor.reaches == max(np.sort(one)[-25] for one in both)
    found = cv.consistency(problem, error=cv.ks_error, replicates=499, progress=False)
    estimate = cv.ks_error(problem)
    assert found.p_value == max((1 + (one >= estimate - 1e-12).sum()) / 500 for one in both)
    with pytest.raises(ValueError, match="all samples of a cluster have one outcome"):
        next(calibrated(problem, 10))


def test_fewer_than_six_clusters_have_no_floor():
    said = "^5 clusters are fewer than 6: to take their rows to be independent, pass cluster=False$"
    with pytest.raises(ValueError, match=said):
        cv.consistency(clustered(5, 20), error=cv.ks_error, progress=False)
    found = cv.calibration_test(clustered(5, 20), progress=False)
    assert np.isnan([found.p_value, found.gap_p_value]).all() and not found.shown
    assert found.why_not == "5 clusters are fewer than 6"


def test_where_each_row_is_its_own_rows_are_too_few():
    time = [2.0] * 5 + [1.0] * 9
    with pytest.warns(UserWarning, match="5 rows followed to the horizon"):
        p = cv.Predictions.at_horizon(np.full(14, 0.2), time=time, event=[0] * 14, horizon=1.5)
    said = "5 rows are fewer than 6"
    assert {test(p).why_not for test in (cv.ks_test, cv.spiegelhalter_test)} == {said}
    assert cv.calibration_test(p, progress=False).why_not == cv.observed_expected(p).note == said
    with pytest.raises(ValueError, match=said):
        cv.consistency(p, error=cv.ks_error, progress=False)
    assert "since 5 rows are fewer than 6" in cv.check(p, within=0.1, measure="gap").checks[0].sentence
    rare = cv.Predictions.at_horizon(np.full(40, 0.01), time=[2.0] * 40, event=[0] * 40, horizon=1.5)
    assert cv.observed_expected(rare).note == "few rows hold an event, or few hold none: no level is claimed"


def test_no_floor_is_drawn_under_a_selection_by_truth():
    rng = np.random.default_rng(2)
    p = cv.Predictions(rng.dirichlet(np.ones(3), 90), rng.integers(0, 3, 90), cluster=np.arange(90) % 9)
    said = (
        "^noise under a selection that looks at the truth would take all samples to be independent, but these lie in "
        "clusters: leave selection out, use cv.calibration_test or, to take them so, make the predictions with "
        "cluster=False$"
    )
    with pytest.raises(ValueError, match=said):
        cv.consistency(p, "top-1", selection="label in [0, 1]", error=cv.ks_error, progress=False)
    options = {"selection": "label in [0, 1]", "progress": False}
    assert 0 < cv.calibration_test(p, "top-1", **options).p_value <= 1
    assert 0 < cv.consistency(p.with_cluster(False), "top-1", error=cv.ks_error, **options).p_value <= 1


def test_the_joint_test_of_few_clusters_is_that_of_all_patterns():
    problem = clustered(9, 10, seed=5, weighted=True)
    found = cv.calibration_test(problem, progress=False)
    code, gaps = problem.cluster_codes, problem.weight * (problem.given_target - problem.score)
    walks, totals, ratios = [], [], []
    for xi in product([1, -1], repeat=9):
        drawn = problem.with_target(problem.score + np.array(xi)[code] * (problem.given_target - problem.score))
        walks.append(cv.calibration_test(drawn, progress=False, replicates=1).kuiper_ratio)
        ratios.append(cv.calibration_test(drawn, progress=False, replicates=1).smooth_statistic)
        totals.append(abs((np.array(xi)[code] * gaps).sum()))
    shares = [np.mean(np.array(v)[:, None] <= np.array(v) * (1 + 1e-9), axis=1) for v in (walks, ratios, totals)]
    least = np.minimum(shares[0], shares[1])
    assert found.p_value == pytest.approx((least <= least[0] + 1e-12).mean())
    assert found.gap_p_value == pytest.approx(shares[2][0])
    own = np.bincount(code, gaps)
    assert found.gap_z == pytest.approx(own.sum() / np.sqrt((own**2).sum()))
    assert found.kuiper_ratio == cv.kuiper_test(problem).ratio and found.draws == "signs"


@pytest.mark.parametrize("scale", [0.1, 4.0])
def test_the_unit_of_weights_changes_no_joint_test(scale):
    problem = clustered(14, 6, seed=6, weighted=True)
    other = cv.ScalarProblem(problem.score, problem.given_target, problem.weight * scale, cluster=problem.cluster_codes)
    one, two = (cv.calibration_test(q, progress=False) for q in (problem, other))
    for name in ("p_value", "kuiper_ratio", "smooth_statistic", "gap_z", "gap_p_value", "tilt_z", "worth"):
        assert getattr(two, name) == pytest.approx(getattr(one, name), rel=1e-7)


@pytest.mark.thorough
@pytest.mark.parametrize("test", [cv.ks_test, cv.kuiper_test, lambda q: cv.calibration_test(q, progress=False)])
def test_clusters_keep_the_level_that_rows_break(test):
    """Claim: false alarms at 5 % of 20 clusters of 20 rows, latent correlation .5."""
    sets, of_clusters, of_rows = 200, 0, 0
    for seed in range(sets):
        problem = clustered(20, 20, seed=seed, latent=0.5)
        of_clusters += test(problem).p_value <= 0.05
        problem.clusters = None
        problem.kept.clear()
        of_rows += test(problem).p_value <= 0.05
    assert of_clusters <= 0.1 * sets
    assert of_rows > 0.3 * sets


def test_windows_have_the_noise_of_their_clusters():
    windows = {name: clustered(20, 15, seed=i, latent=0.6) for i, name in enumerate(["a", "b"])}
    rows = {name: cv.ScalarProblem(one.score, one.given_target) for name, one in windows.items()}
    table, plain = (cv.drift(of, error=cv.ks_error, replicates=99, progress=False) for of in (windows, rows))
    assert (table.noise > 1.2 * plain.noise).all()
    few = cv.drift({"a": clustered(5, 30)}, error=cv.ks_error, replicates=99, progress=False)
    assert np.isnan(few.noise.item()) and np.isnan(few.lower.item())
    short = {str(i): clustered(7, 30, seed=i) for i in range(10)}
    many = cv.drift(short, error=cv.ks_error, simultaneous=True, progress=False)
    assert np.isnan(many.noise).all()  # of 2^7 patterns none is as rare as is asked for


def test_trust_asks_what_clusters_would_show():
    problem = clustered(25, 12, seed=3, latent=0.6)
    plain = cv.ScalarProblem(problem.score, problem.given_target)
    found, rows = (cv.trust(one, replicates=99, progress=False) for one in (problem, plain))
    assert found.threshold > rows.threshold and found.detectable > rows.detectable
    whole = cv.ScalarProblem(np.full(60, 0.4), np.repeat(np.arange(20) < 8, 3), cluster=np.repeat(np.arange(20), 3))
    with pytest.raises(ValueError, match="all samples of a cluster have one outcome"):
        cv.trust(whole, replicates=99, progress=False)


def test_centres_are_averaged_by_their_clusters():
    problems = [clustered(15, 10, seed=i, latent=0.6) for i in range(4)]
    score, target = (np.concatenate([getattr(q, name) for q in problems]) for name in ("score", "given_target"))
    code = np.concatenate([q.cluster_codes + 100 * i for i, q in enumerate(problems)])
    centre = np.repeat(list("abcd"), 150)
    p = cv.Predictions(score, target.astype(int), cluster=code)
    table = cv.by_centre(p, centre)
    for i, q in enumerate(problems):
        estimate = cv.observed_expected(q)
        reach = np.log(estimate.upper / estimate.lower) / 2
        own = table.sel(measure="observed_expected", centre="abcd"[i])
        assert np.log(own.each_upper / own.each_lower).item() / 2 == pytest.approx(reach)  # by t of 14, not normal
