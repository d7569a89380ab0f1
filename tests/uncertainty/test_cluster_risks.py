"""Intervals of risks of samples in clusters."""

import numpy as np
import pytest
from clustered_samples import clustered

import calibviz as cv
from calibviz.engine.clustered import Clusters
from calibviz.uncertainty.intervals.bin_intervals import mean_interval


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_over_the_first_rows_are_those_of_a_loop(weighted):
    problem, rng = clustered(7, 5, seed=1, weighted=weighted), np.random.default_rng(0)
    clusters, a, b = Clusters.of(problem), rng.normal(size=35), rng.normal(size=35)
    w = clusters.weight
    for k, found in enumerate(clusters.products_up_to(a, b), 1):
        own = [np.bincount(clusters.code[:k], (w * x)[:k], 7) for x in (a, b)]
        assert found == pytest.approx(own[0] @ own[1])
        assert clusters.many_up_to[k - 1] == len(np.unique(clusters.code[:k]))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_risk_of_the_surest_has_the_interval_of_their_bin(weighted):
    problem = clustered(12, 10, seed=2, weighted=weighted, ties=True)
    table = cv.risk_coverage(problem, level=0.9)
    for i in range(table.sizes["point"]):
        part = problem.subset(problem.score >= table.threshold.values[i] - 1e-12)
        if len(np.unique(part.cluster_codes)) >= 6:
            low, high = mean_interval(part, 0.9)
            assert (table.lower.values[i], table.upper.values[i]) == pytest.approx((1 - high, 1 - low))


def test_the_area_under_the_risk_curve_varies_by_clusters():
    problem = clustered(200, 5, seed=3, latent=0.9)
    each = cv.ScalarProblem(problem.score, problem.given_target)
    table, rows = (cv.risk_coverage(q, level=0.9) for q in (problem, each))
    assert table.aurc.item() == rows.aurc.item()
    assert (table.aurc_upper - table.aurc_lower).item() > 1.2 * (rows.aurc_upper - rows.aurc_lower).item()
    singly = cv.ScalarProblem(problem.score, problem.given_target, cluster=np.arange(1000))
    again = cv.risk_coverage(singly, level=0.9)
    assert again.aurc_upper.item() == pytest.approx(rows.aurc_upper.item(), rel=0.02)


def test_fewer_than_six_clusters_have_no_interval():
    table = cv.risk_coverage(clustered(5, 30), level=0.9)
    assert np.isnan(table.lower).all() and np.isnan(table.aurc_lower)


def test_those_near_a_threshold_have_the_interval_of_their_bin():
    problem = clustered(20, 12, seed=4, latent=0.8)
    table = cv.local_calibration(problem, thresholds=[0.5], width=0.2)
    part = problem.subset(np.abs(problem.score - 0.5) <= 0.2)
    assert (table.lower.item(), table.upper.item()) == pytest.approx(mean_interval(part))


def test_a_window_of_few_clusters_has_the_interval_of_that_bin():
    """Six clusters are needed in all: a bin, a window and those who change sides may lie in one of them."""
    code = np.repeat(np.arange(12), 8)
    score = 0.05 + 0.9 * code / 12 + np.tile(np.arange(8), 12) / 1000
    problem = cv.ScalarProblem(score, np.arange(96) % 5 % 2 == 0, cluster=code)
    p = cv.Predictions(problem.score, problem.target.astype(int), cluster=problem.cluster_codes)
    bins = cv.reliability(p, binning=cv.Uniform(10)).squeeze()
    near = cv.local_calibration(problem, thresholds=[0.25, 0.65], width=0.05)
    for end in ("lower", "upper"):
        assert near[end].values == pytest.approx(bins[end].values[[2, 6]])
    sides = cv.changed_sides(problem, calibrator=lambda s: s - 0.1, thresholds=[0.65])
    part = np.flatnonzero((problem.score >= 0.65) & (problem.score < 0.75))
    assert len(np.unique(problem.cluster_codes[part])) < 6
    assert 0 < sides.sel(direction="down").lower.item() < sides.sel(direction="down").upper.item()
    few = problem.subset(problem.score < 0.4)
    assert np.isnan(cv.local_calibration(few, thresholds=[0.25]).lower.item())


def test_the_surest_weigh_like_rows_where_each_is_its_own_cluster():
    problem = clustered(300, 1, seed=5)
    rows = cv.ScalarProblem(problem.score, problem.given_target)
    problem.clusters = np.arange(300)
    one, two = (cv.risk_coverage(q, level=0.9) for q in (rows, problem))
    assert two.upper.values[50:] == pytest.approx(one.upper.values[50:], abs=0.01)


def test_a_plan_of_a_study_refuses_clusters():
    with pytest.raises(ValueError, match="a study of so many samples would take all samples to be independent"):
        cv.sample_size(clustered(10, 10), error=cv.ks_error, n=[100], replicates=2, progress=False)


def test_a_plan_of_a_study_under_a_selection_by_truth_says_first_what_no_clusters_mend():
    p = cv.Predictions(np.linspace(0.1, 0.9, 100), np.arange(100) % 2, cluster=np.arange(100) // 5)
    said = "^the selection looks at what is true: .*; see cv.calibration_test, or leave selection out$"
    for one in (p, p.with_cluster(False)):
        with pytest.raises(ValueError, match=said):
            cv.sample_size(one, selection="label == 1", error=cv.ks_error, n=[100], replicates=2, progress=False)


def test_fractions_are_of_clusters():
    table = cv.spread_by_size(clustered(20, 5), error=cv.ks_error, fractions=[0.5, 1.0], replicates=20)
    assert table["size"].values.tolist() == [10, 20]
