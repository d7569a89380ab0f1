"""Tests of calibration of samples in clusters: p-values by signs of the clusters."""

from itertools import product

import numpy as np
import pytest
from clustered_samples import RECORDS, clustered, judged_of
from hypothesis import given, strategies as st

import calibviz as cv

WALKS = {"cluster_ks_test": cv.ks_test, "cluster_kuiper_test": cv.kuiper_test}


@pytest.mark.parametrize("record", [r for r in RECORDS if r["call"] in WALKS], ids=lambda r: r["call"])
def test_golden_values_of_walks(record):
    found, value = WALKS[record["call"]](judged_of(record)), record["value"]
    assert found.statistic == pytest.approx(value["statistic"], abs=1e-6)
    assert found.ratio == pytest.approx(value["ratio"], rel=1e-6)
    drawn = record.get("monte_carlo")
    spread = np.sqrt(value["p_value"] * (1 - value["p_value"]) * (1 / 999 + 1 / drawn)) if drawn else 0
    assert abs(found.p_value - value["p_value"]) <= (4 * spread + 1e-3 if drawn else 1e-9)


def walk_of(problem: cv.ScalarProblem, gaps: np.ndarray) -> np.ndarray:
    ends = np.append(np.flatnonzero(np.diff(problem.score)), len(problem) - 1)
    return np.append(0.0, np.cumsum(gaps)[ends]) / problem.weight.sum()


def all_patterns(problem: cv.ScalarProblem, measure) -> tuple[float, float]:
    """The statistic and its share of all patterns of signs, in a plain loop."""
    code = np.unique(problem.cluster_codes, return_inverse=True)[1]
    gaps = problem.weight * (problem.given_target - problem.score)
    drawn = [measure(np.array(signs)[code] * gaps) for signs in product([1, -1], repeat=code.max() + 1)]
    return drawn[0], np.mean([one >= drawn[0] * (1 - 1e-9) for one in drawn])


@pytest.mark.parametrize("clusters", [8, 9, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_patterns_of_few_clusters_are_used_once(clusters, weighted):
    problem = clustered(clusters, 5, seed=clusters, weighted=weighted, ties=True)
    for test, reach in ((cv.ks_test, lambda walk: np.abs(walk).max()), (cv.kuiper_test, np.ptp)):
        statistic, share = all_patterns(problem, lambda gaps, reach=reach: reach(walk_of(problem, gaps)))
        found = test(problem)
        assert (found.statistic, found.p_value) == (pytest.approx(statistic), pytest.approx(share, abs=1e-12))
        assert (found.draws, found.clusters, found.why_not) == ("signs", clusters, "")
    tilt = 1 - 2 * problem.score
    _, share = all_patterns(problem, lambda gaps: abs(gaps @ tilt))
    assert cv.spiegelhalter_test(problem).p_value == pytest.approx(share, abs=1e-12)


def test_the_ratio_and_z_are_in_units_of_sums_over_clusters():
    problem = clustered(30, 6, seed=1, weighted=True)
    gaps = problem.weight * (problem.given_target - problem.score)
    for test in (cv.ks_test, cv.kuiper_test):
        own = np.bincount(problem.cluster_codes, gaps)
        found = test(problem)
        assert found.ratio == pytest.approx(found.statistic * problem.total / np.sqrt((own**2).sum()))
    own = np.bincount(problem.cluster_codes, gaps * (1 - 2 * problem.score))
    assert cv.spiegelhalter_test(problem).statistic == pytest.approx(own.sum() / np.sqrt((own**2).sum()))


@given(scale=st.sampled_from([1e-6, 0.5, 3.0, 1e9]), seed=st.integers(0, 50))
def test_no_unit_of_weights_changes_a_test(scale, seed):
    problem = clustered(9, 4, seed=seed, weighted=True)
    other = cv.ScalarProblem(problem.score, problem.given_target, problem.weight * scale, cluster=problem.cluster_codes)
    for test in (cv.ks_test, cv.kuiper_test, cv.spiegelhalter_test):
        one, two = test(problem), test(other)
        assert one.p_value == two.p_value
        assert one.statistic == pytest.approx(two.statistic)


def test_names_and_order_of_clusters_change_nothing():
    problem, rng = clustered(9, 5, seed=3), np.random.default_rng(0)
    mixed = rng.permutation(len(problem))
    names = np.array(list("kxbqoazpd"))[problem.cluster_codes]
    other = cv.ScalarProblem(problem.score[mixed], problem.given_target[mixed], cluster=names[mixed])
    for test in (cv.ks_test, cv.kuiper_test, cv.spiegelhalter_test):
        assert test(other).p_value == test(problem).p_value


def test_fewer_than_six_clusters_have_no_p_value():
    found = cv.ks_test(clustered(5, 20, seed=0))
    assert np.isnan(found.p_value) and found.statistic > 0 and found.ratio > 0
    assert found.why_not == "5 clusters are fewer than 6"


def test_no_gap_at_all_has_p_1():
    score = np.repeat([0.0, 1.0], 12)
    found = cv.kuiper_test(cv.ScalarProblem(score, score, cluster=np.arange(24) % 8))
    assert (found.statistic, found.ratio, found.p_value) == (0.0, 0.0, 1.0)


def test_whole_clusters_are_drawn_where_signs_do_not_suffice():
    rng = np.random.default_rng(5)
    score, code = np.repeat(rng.uniform(0.1, 0.9, 40), 10), np.repeat(np.arange(40), 10)
    whole = np.repeat(rng.random(40), 10) < score
    mixed = rng.random(400) < score
    rare = np.full(400, 0.004)
    assert cv.ks_test(cv.ScalarProblem(score, whole, cluster=code)).draws == "signs and whole clusters"
    assert cv.ks_test(cv.ScalarProblem(score, mixed, cluster=code)).draws == "signs"
    assert cv.ks_test(cv.ScalarProblem(rare, mixed & (code < 2), cluster=code)).draws == "signs and whole clusters"


def test_rare_outcomes_of_whole_clusters_are_no_false_alarm():
    score, code = np.repeat(0.02, 160), np.repeat(np.arange(8), 20)
    problem = cv.ScalarProblem(score, np.zeros(160), cluster=code)  # as no event is what is expected of eight clusters
    assert cv.ks_test(problem).p_value > 0.5


def test_soft_labels_are_taken_where_signs_suffice():
    problem = clustered(9, 6, seed=2)
    soft = problem.with_target(0.25 + problem.given_target / 2)
    assert 0 < cv.ks_test(soft).p_value <= 1
    whole = cv.ScalarProblem(soft.score, np.full(len(soft), 0.3), cluster=soft.cluster_codes)
    with pytest.raises(ValueError, match="labels that are 0 or 1 are needed where all samples of a cluster have one"):
        cv.ks_test(whole)


def test_cells_of_very_many_rows_give_nearly_the_same(monkeypatch):
    problem = clustered(60, 100, seed=4)
    exact = cv.kuiper_test(problem).p_value
    monkeypatch.setattr("calibviz.engine.cluster_draws.MOST_DRAWN", 1000)
    assert cv.kuiper_test(problem).p_value == pytest.approx(exact, abs=0.02)


def test_outcomes_of_a_lens_have_a_column_for_what_was_drawn():
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.dirichlet(np.ones(3), 120), rng.integers(0, 3, 120), cluster=np.arange(120) % 20)
    table = cv.ks_test(p, "classwise")
    assert table.draws.values.tolist() == ["signs"] * 3
    assert table.p_value.sel(outcome="1").item() == cv.ks_test(p, "class 1").p_value


def test_a_selection_that_looks_at_the_truth_has_signs_too():
    rng = np.random.default_rng(2)
    p = cv.Predictions(rng.dirichlet(np.ones(3), 90), rng.integers(0, 3, 90), cluster=np.arange(90) % 9)
    found = cv.ks_test(p, "top-1", selection="label in [0, 1]")
    assert found.draws == "signs" and 0 < found.p_value <= 1
