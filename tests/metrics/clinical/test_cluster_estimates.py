"""Intervals of samples in clusters, by sums over these."""

import numpy as np
import pytest
from clustered_samples import RECORDS, clustered, judged_of
from scipy.special import expit, logit
from scipy.stats import f as fisher, t as student

import calibviz as cv
from calibviz.engine.clustered import Clusters
from calibviz.metrics.clinical.penalised_curve import held_at_ends, penalised_curve
from calibviz.uncertainty.intervals.bin_intervals import mean_interval
from calibviz.uncertainty.intervals.brier_change import brier_change

ESTIMATES = {
    f"cluster_{measure.__name__}": measure
    for measure in (cv.observed_expected, cv.calibration_intercept, cv.calibration_slope)
}


@pytest.mark.parametrize("record", [r for r in RECORDS if r["call"] in ESTIMATES], ids=lambda r: r["call"])
def test_golden_values_of_estimates(record):
    found = ESTIMATES[record["call"]](judged_of(record))
    for name, value in record["value"].items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("record", [r for r in RECORDS if r["call"] == "cluster_bins"])
def test_golden_values_of_bins(record):
    table = cv.reliability(judged_of(record), binning=cv.Uniform(record["args"]["bins"]))
    assert table.lower.values == pytest.approx(record["value"]["lower"], abs=1e-6)
    assert table.upper.values == pytest.approx(record["value"]["upper"], abs=1e-6)


@pytest.mark.parametrize("record", [r for r in RECORDS if r["call"] == "clusters"])
def test_golden_values_of_numbers(record):
    clusters = Clusters.of(judged_of(record))
    assert (clusters.count, clusters.worth) == (
        record["value"]["clusters"],
        pytest.approx(record["value"]["effective"]),
    )


def single(n: int = 300) -> tuple[cv.ScalarProblem, cv.ScalarProblem]:
    """A problem, and the same in clusters of one row each."""
    rng = np.random.default_rng(7)
    score = rng.beta(2, 3, n)
    target = rng.random(n) < score
    other = cv.ScalarProblem(score, target)
    other.clusters = np.arange(n)
    return cv.ScalarProblem(score, target), other


def test_clusters_of_one_row_each_give_what_rows_give():
    plain, each = single(2000)
    for measure in (cv.observed_expected, cv.calibration_intercept, cv.calibration_slope):
        one, two = measure(plain), measure(each)
        assert two.estimate == one.estimate
        assert (two.lower, two.upper) == pytest.approx((one.lower, one.upper), rel=0.06, abs=0.03)
    assert cv.calibration_slope(each).p_value == pytest.approx(cv.calibration_slope(plain).p_value, abs=0.1)
    mean, error = (plain.given_target - plain.score).mean(), (plain.given_target - plain.score).std(ddof=1) / 2000**0.5
    assert Clusters.of(each).error_of_mean(each.given_target - each.score) == pytest.approx(error)
    assert abs(mean) < 4 * error
    rows, own = (cv.reliability(problem, binning=cv.EqualMass(5)) for problem in (plain, each))
    assert own.lower.values == pytest.approx(rows.lower.values, abs=0.004)
    scores = np.array([0.2, 0.5])
    for smoother in ("penalised", "spline"):
        a, b = (cv.calibration_curve(problem, at=scores, smoother=smoother) for problem in (plain, each))
        assert (b.upper - b.lower).values == pytest.approx((a.upper - a.lower).values, rel=0.15)
    after = [problem.mapped(lambda s: s**1.3) for problem in (plain, each)]
    assert brier_change(each, after[1]) == pytest.approx(brier_change(plain, after[0]), rel=0.06)


@pytest.mark.parametrize("scale", [0.25, 7.0])
def test_the_unit_of_weights_changes_no_interval(scale):
    problem = clustered(12, 8, seed=1, weighted=True)
    other = cv.ScalarProblem(problem.score, problem.given_target, problem.weight * scale, cluster=problem.cluster_codes)
    for measure in (cv.observed_expected, cv.calibration_intercept, cv.calibration_slope):
        one, two = measure(problem), measure(other)
        assert (two.lower, two.upper) == pytest.approx((one.lower, one.upper), rel=1e-6)
    assert mean_interval(other) == pytest.approx(mean_interval(problem))
    at = [0.3, 0.6]
    a, b = (cv.calibration_curve(q, at=at) for q in (problem, other))
    assert b.lower.values == pytest.approx(a.lower.values, rel=1e-6)


def test_whole_weights_are_no_repetitions_of_rows_in_clusters():
    problem = clustered(10, 6, seed=3)
    doubled = cv.ScalarProblem(problem.score, problem.given_target, np.full(60, 2.0), cluster=problem.cluster_codes)
    assert not doubled.whole_weights and doubled.samples == 60 and doubled.effective_size == pytest.approx(60)
    assert mean_interval(doubled) == pytest.approx(mean_interval(problem))


def test_the_slope_is_that_of_a_plain_sandwich():
    problem = clustered(15, 7, seed=5, weighted=True)
    found, w, s, t = cv.calibration_slope(problem), problem.weight, problem.score, problem.given_target
    x = np.column_stack([np.ones_like(s), logit(s)])
    p = expit(x @ [found.intercept, found.estimate])
    bread = np.linalg.inv((x * (w * p * (1 - p))[:, None]).T @ x)
    scores = [(x * (w * (t - p))[:, None])[problem.cluster_codes == c].sum(axis=0) for c in range(15)]
    meat = sum(np.outer(one, one) for one in scores)
    error = np.sqrt((15 / 14 * bread @ meat @ bread)[1, 1])
    own = np.bincount(problem.cluster_codes, w)
    reach = student.ppf(0.975, own.sum() ** 2 / (own**2).sum() - 1)
    assert (found.lower, found.upper) == pytest.approx(
        (found.estimate - reach * error, found.estimate + reach * error), rel=1e-6
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_intercept_and_slope_are_tested_as_hotelling_does(weighted):
    problem = clustered(9, 12, seed=6, weighted=weighted)
    found, f = cv.calibration_slope(problem), Clusters.of(problem).worth - 1
    assert found.p_value == pytest.approx(fisher.sf(found.statistic * (f - 1) / (2 * f), 2, f - 1), rel=1e-9)
    one = np.where(problem.cluster_codes == 0, 1.0, 1e-3)  # worth hardly more than one cluster: nothing is shown
    assert (
        cv.calibration_slope(
            cv.ScalarProblem(problem.score, problem.given_target, one, cluster=problem.cluster_codes)
        ).p_value
        == 1
    )


def test_the_test_of_intercept_and_slope_keeps_its_level_in_few_clusters():
    """Claim: false alarms at 5 % of 8 clusters of 20 rows of the joint test of intercept and slope, latent .3."""
    sets = 300
    alarms = sum(cv.calibration_slope(clustered(8, 20, seed=seed)).p_value <= 0.05 for seed in range(sets))
    assert alarms <= 0.075 * sets


def test_fewer_than_six_clusters_have_no_interval():
    problem = clustered(5, 30, seed=2)
    for measure in (cv.observed_expected, cv.calibration_intercept, cv.calibration_slope):
        found = measure(problem)
        assert np.isfinite(found.estimate) and np.isnan([found.lower, found.upper]).all()
        assert found.note == "5 clusters are fewer than 6"
    assert np.isnan(mean_interval(problem)).all()
    assert np.isnan(cv.calibration_curve(problem).lower).all()
    assert brier_change(problem, problem.mapped(lambda s: s**2)) is None


def test_few_clusters_with_an_event_claim_no_level():
    code = np.repeat(np.arange(20), 10)
    score = np.full(200, 0.006) + np.arange(200) / 1e6
    found = cv.observed_expected(cv.ScalarProblem(score, np.arange(200) % 97 == 0, cluster=code))
    assert found.note == "few clusters hold an event, or few hold none: no level is claimed"
    assert found.lower < found.estimate < found.upper


def test_clusters_of_one_outcome_claim_no_level_of_fewer_than_ten_with_an_event():
    code = np.repeat(np.arange(100), 5)
    score = np.linspace(0.06, 0.12, 100)[code]
    target = code % 11 == 0
    said = "few clusters hold an event, or few hold none: no level is claimed"
    for of, noted in ((target, True), (target ^ (np.arange(500) == 3), False)):  # one row of another outcome
        for rarer in (cv.ScalarProblem(score, of, cluster=code), cv.ScalarProblem(1 - score, ~of, cluster=code)):
            estimates = cv.observed_expected, cv.calibration_intercept, cv.calibration_slope
            assert [measure(rarer).note for measure in estimates] == [said if noted else None] * 3
    enough = cv.ScalarProblem(score + 0.02, target, cluster=code)  # 11 are expected to hold one
    assert cv.calibration_slope(enough).note is None


def test_no_event_leaves_what_so_many_clusters_could_hide():
    score, code = np.linspace(0.3, 0.5, 100), np.repeat(np.arange(20), 5)
    found = cv.observed_expected(cv.ScalarProblem(score, np.zeros(100), cluster=code))
    assert (found.estimate, found.lower) == (0, 0)
    assert found.upper == pytest.approx((1 - 0.025 ** (1 / 20)) / 0.4)


def test_an_interval_of_a_bin_ignores_the_order_of_tied_rows():
    problem, rng = clustered(8, 10, seed=4, ties=True), np.random.default_rng(0)
    mixed = rng.permutation(80)
    other = cv.ScalarProblem(problem.score[mixed], problem.given_target[mixed], cluster=problem.cluster_codes[mixed])
    one, two = (cv.reliability(q, binning=cv.EqualMass(7)) for q in (problem, other))
    assert two.lower.values == pytest.approx(one.lower.values)


def test_the_band_of_the_curve_is_that_of_a_plain_sandwich():
    problem = clustered(30, 10, seed=6, latent=0.8)
    curve, scores = penalised_curve(problem), np.array([0.2, 0.7])
    held = curve.precision - np.diag(np.append([0.1, 1], curve.roughness * np.arange(1, 21) ** 4 / 10))
    gaps = problem.given_target - curve.fitted
    meat = np.zeros((22, 22))
    for c in range(30):
        own = (curve.features * gaps[:, None])[problem.cluster_codes == c].sum(axis=0)
        meat += np.outer(own, own)
    inverse = np.linalg.inv(curve.precision)
    covariance = inverse @ (meat + curve.precision - held) @ inverse
    features = curve._features_at(scores)
    half = 1.959964 * np.sqrt(np.einsum("ij,jk,ik->i", features, covariance, features))
    lower, upper = curve.band(scores, 0.95)
    assert logit(upper) - logit(lower) == pytest.approx(2 * half, rel=1e-4)


def test_alike_rows_of_one_cluster_hold_no_band_at_an_end():
    score, code = np.linspace(0.01, 0.99, 80), np.repeat(np.arange(8), 10)
    problem = cv.ScalarProblem(score, np.arange(80) >= 40, cluster=code)
    vague = np.zeros(1), np.ones(1)
    lower, _ = held_at_ends(problem, np.array([0.65]), vague, 0.95)
    assert lower[0] == pytest.approx(0.025 ** (1 / 2), abs=1e-9)  # rows of two clusters lie further in


def test_the_honest_band_refuses_clusters():
    with pytest.raises(ValueError, match=r'smoother="honest" would take all samples to be ind.*cluster=False'):
        cv.calibration_curve(clustered(10, 5), smoother="honest")


def test_an_auc_has_no_interval_and_says_so():
    found = cv.auc(clustered(10, 20))
    assert np.isnan([found.lower, found.upper, found.standard_error, found.z]).all() and 0.5 < found.estimate < 1
    assert found.note.startswith("DeLong's interval of an AUC would take all samples to be independent")


def test_the_debiased_error_takes_off_the_squares_of_clusters():
    problem = clustered(25, 8, seed=8, weighted=True)
    bins, w = cv.EqualMass(5)(problem), problem.weight
    edges = np.searchsorted(np.cumsum(w), np.cumsum(bins.weight) * (1 - 1e-9), "left") + 1
    total = 0.0
    for first, last in zip(np.append(0, edges[:-1]), edges, strict=True):
        gaps = np.bincount(problem.cluster_codes[first:last], (w * (problem.given_target - problem.score))[first:last])
        total += (gaps.sum() ** 2 - (gaps**2).sum()) / w[first:last].sum()
    expected = np.sqrt(max(0.0, total / w.sum()))
    assert cv.debiased_error(problem, binning=cv.EqualMass(5)) == pytest.approx(expected, abs=0.02)
