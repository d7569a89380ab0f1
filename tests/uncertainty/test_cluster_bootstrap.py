"""Bootstrap of samples in clusters: whole clusters are drawn."""

import numpy as np
import pytest
from clustered_samples import clustered
from scipy.stats import norm, t as student

import calibviz as cv
from calibviz.decisions.thresholds import replicates_of
from calibviz.uncertainty.resampling.bootstrap import draws_of


def gap(q):
    return cv.calibration_in_the_large(q)


def predictions(clusters: int = 20, seed: int = 0, weights: bool = False) -> cv.Predictions:
    rng = np.random.default_rng(seed)
    n = 12 * clusters
    probs = rng.dirichlet(np.ones(3), n)
    labels = (probs.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    weight = rng.uniform(0.5, 2, n) if weights else None
    return cv.Predictions(probs, labels, weights=weight, cluster=rng.integers(0, clusters, n))


@pytest.mark.parametrize("weights", [False, True])
def test_all_rows_of_a_cluster_are_drawn_equally_often(weights):
    p = predictions(weights=weights)
    own = 1.0 if p.weights is None else p.weights
    for drawn in draws_of(p, 20):
        times = np.round(drawn / own, 9)
        assert np.bincount(np.unique(p.cluster_codes)).sum() == 20
        per_cluster = [set(times[p.cluster_codes == c]) for c in range(20)]
        assert all(len(one) == 1 for one in per_cluster) and sum(one.pop() for one in per_cluster) == 20


def test_size_counts_clusters():
    (drawn,) = draws_of(predictions(), 1, size=3)
    p = predictions()
    assert sum(drawn[np.flatnonzero(p.cluster_codes == c)[0]] for c in range(20)) == 3


def test_clusters_of_weight_0_are_not_drawn():
    p = predictions()
    weights = np.where(p.cluster_codes < 5, 0.0, 1.0)
    q = p.reweighted(weights)
    for drawn in draws_of(q, 50):
        assert not drawn[weights == 0].any()
        assert sum(drawn[np.flatnonzero(p.cluster_codes == c)[0]] for c in range(5, 20)) == 15


def test_percentiles_are_widened_by_the_number_of_clusters():
    problem = clustered(12, 10, seed=1, latent=0.6)
    found = cv.bootstrap(problem, error=gap, progress=False)
    reach = student.ppf(0.975, 11) * np.sqrt(12 / 11)
    assert found.share == pytest.approx(2 * norm.cdf(reach) - 1)
    assert (found.lower, found.upper) == pytest.approx(
        np.quantile(found.replicates, [(1 - found.share) / 2, (1 + found.share) / 2])
    )


def test_clusters_of_one_row_each_vary_as_rows_do():
    problem = clustered(400, 1, seed=2)
    rows = cv.ScalarProblem(problem.score, problem.given_target)
    problem.clusters = np.arange(400)
    one, two = (cv.bootstrap(q, error=gap, progress=False) for q in (rows, problem))
    assert two.std == pytest.approx(one.std, rel=0.1)
    assert two.share == pytest.approx(one.share, abs=0.002)


def test_fewer_than_six_clusters_have_no_interval():
    found = cv.bootstrap(clustered(5, 30), error=gap, replicates=50, progress=False)
    assert np.isnan([found.lower, found.upper]).all() and np.isfinite(found.replicates).all()


def test_a_number_of_predictions_is_drawn_by_clusters_too():
    p = predictions(seed=3)
    plain = cv.Predictions(p.probs, np.where(p.cluster_codes % 2, p.labels, p.predicted))  # clusters that differ much
    own = cv.Predictions(plain.probs, plain.labels, cluster=p.cluster_codes)
    one, two = (
        cv.bootstrap(q, error=lambda q: np.average(q.predicted == q.labels, weights=q.weights), progress=False)
        for q in (plain, own)
    )
    assert two.std > 1.3 * one.std


def test_decision_curves_and_comparisons_draw_clusters():
    problem = clustered(15, 20, seed=4, latent=0.6)
    for drawn in replicates_of({"model": problem}, 10, 0):
        other = drawn["model"]
        times = [set(other.weight[other.cluster_codes == c]) for c in np.unique(other.cluster_codes)]
        assert all(len(one) == 1 for one in times)
    table = cv.decision_curve(problem, thresholds=[0.3], replicates=50)
    plain = cv.ScalarProblem(problem.score, problem.given_target)
    rows = cv.decision_curve(plain, thresholds=[0.3], replicates=50)
    width, of_rows = ((one.upper - one.lower).sel(strategy="model").item() for one in (table, rows))
    assert width > 1.2 * of_rows


def test_the_best_of_models_is_that_of_drawn_clusters():
    p = predictions(seed=5)
    other = p.with_probs(np.full_like(p.probs, 1 / 3))
    best = cv.within_noise({"a": p, "b": other}, error=cv.brier_score, progress=False)
    assert best.errors["a"] == pytest.approx(cv.brier_score(p, "top-1"))
    few = predictions(5, seed=6)
    with pytest.raises(ValueError, match="5 clusters are fewer than 6"):
        cv.within_noise({"a": few, "b": few}, error=cv.brier_score, progress=False)


def test_intervals_of_bins_by_the_bootstrap_draw_clusters():
    problem = clustered(12, 20, seed=7, latent=0.8)
    plain = cv.ScalarProblem(problem.score, problem.given_target)
    table, rows = (cv.reliability(q, binning=cv.Uniform(3), interval="bootstrap") for q in (problem, plain))
    assert ((table.upper - table.lower) > (rows.upper - rows.lower)).all()


@pytest.mark.thorough
def test_a_bootstrap_interval_of_a_mean_gap_keeps_its_level():
    """Claim: 95 % intervals of 20 clusters of 20 rows, latent correlation .3, by drawn clusters."""
    held = of_rows = 0
    for seed in range(100):
        problem = clustered(20, 20, seed=seed)
        found = cv.bootstrap(problem, error=gap, replicates=300, progress=False)
        held += found.lower <= 0 <= found.upper
        plain = cv.ScalarProblem(problem.score, problem.given_target)
        found = cv.bootstrap(plain, error=gap, replicates=300, progress=False)
        of_rows += found.lower <= 0 <= found.upper
    assert held >= 90 > of_rows + 10
