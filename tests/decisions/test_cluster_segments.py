"""Segments of samples in clusters: draws for whole clusters, and a minimum of these."""

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr

import calibviz as cv
from calibviz.decisions.by_segment.cluster_walks import WALKS_REACH


def made(
    clusters: int = 50, rows: int = 12, seed: int = 0, latent: float = 0.3, off: float = 0.0, whole: bool = False
) -> cv.Predictions:
    """Calibrated samples but for those of site "a", whose log-odds are too low by `off`."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(clusters), rows)
    n = len(code)
    site, sex = rng.choice(list("abc"), n), rng.choice(list("mf"), clusters)[code]
    score = np.repeat(rng.uniform(0.1, 0.9, clusters), rows) if whole else rng.uniform(0.1, 0.9, n)
    truth = np.where(site == "a", expit(logit(score) + off), score)
    shared = np.sqrt(latent) * rng.normal(size=clusters)[code] + np.sqrt(1 - latent) * rng.normal(size=n)
    shared = np.repeat(rng.normal(size=clusters), rows) if whole else shared
    fields = {"site": site, "sex": sex, "patient": code.astype(str), "ward": (code + 3) % clusters}
    return cv.Predictions(score, (ndtr(shared) < truth).astype(int), fields=fields, cluster="patient")


def table_of(p: cv.Predictions, **options):
    return cv.segments(p, **{"fields": ["site", "sex"], "replicates": 199, "progress": False, "minimum": 20} | options)


@pytest.mark.parametrize("clusters", [11, 12])
def test_segments_of_few_clusters_take_all_patterns_of_signs(clusters):
    """A segment has the p-value that the test of its samples has, which is exact."""
    p = made(clusters, 60, seed=clusters)
    table = table_of(p, fields=["site"], replicates=999)
    assert len(table.segment) > 2
    for name, selection, p_value in zip(
        table.segment.values, table.selection.values, table.p_value.values, strict=True
    ):
        assert p_value == cv.kuiper_test(p, selection=str(selection) or None).p_value, name
        assert p_value * 2**clusters == round(p_value * 2**clusters)


def test_what_segments_reach_is_compared_with_the_same_draws():
    p = made(seed=1, off=0.6)
    table = table_of(p, depth=1)
    problem = cv.lens("class 1")(p)
    rng = np.random.default_rng(0)
    site, code = p.fields["site"][problem.order], problem.cluster_codes
    gaps = problem.given_target - problem.score
    rows = {f"site = {name}": site == name for name in "abc"} | {
        f"sex = {name}": p.fields["sex"][problem.order] == name for name in "mf"
    }
    rows["all samples"] = np.ones(len(problem), bool)

    def reach(gaps, kept):
        walk = np.append(0, np.cumsum(gaps[kept]))
        return walk.max() - walk.min()

    signs = np.concatenate([1 - 2 * rng.integers(0, 2, (min(8, 199 - i), 50)) for i in range(0, 199, 8)])
    drawn = {name: np.array([reach(sign[code] * gaps, kept) for sign in signs]) for name, kept in rows.items()}
    each = problem.score * (1 - problem.score)
    independent = {name: 2 * np.sqrt(np.log(2) * each[kept].sum()) for name, kept in rows.items()}
    unit = {name: max(np.sqrt((values**2).mean()), independent[name]) for name, values in drawn.items()}
    largest = np.max([drawn[name] / unit[name] for name in rows], axis=0)
    assert set(table.segment.values) == set(rows)
    for name in rows:
        own = reach(gaps, rows[name]) / unit[name]
        found = table.sel(segment=name)
        assert found.p_value.item() == pytest.approx((1 + (drawn[name] / unit[name] >= own).sum()) / 200)
        assert found.p_adjusted.item() == pytest.approx((1 + (largest >= own).sum()) / 200)


@pytest.mark.parametrize("statistic", ["kuiper", "ks"])
def test_the_unit_of_independent_rows_is_the_root_mean_square_of_their_walks(statistic):
    """Claim: the root mean square of what long walks reach, by the standard deviation of their ends."""
    steps = np.random.default_rng(0).choice([-1.0, 1.0], (4000, 2000))
    walks = np.cumsum(steps, axis=1)
    high, low = np.maximum(walks.max(axis=1), 0), np.minimum(walks.min(axis=1), 0)
    reach = high - low if statistic == "kuiper" else np.maximum(high, -low)
    assert np.sqrt((reach**2).mean() / 2000) == pytest.approx(WALKS_REACH[statistic], rel=0.03)


def test_a_segment_that_is_off_is_seen_and_is_unlike_the_others():
    table = table_of(made(80, 15, seed=2, off=1.2))
    assert table.segment.values[0].startswith("site = a")
    assert table.p_adjusted[0] <= 0.05 and table.p_unlike[0] <= 0.05
    assert np.isfinite(table.ratio_unlike).all() and np.isfinite(table.lower).all()


def test_segments_of_few_clusters_are_named_but_not_tested():
    p = made(seed=3)
    rare = np.where(p.cluster_codes < 4, "rare", "usual")
    p = cv.Predictions(p.probs, p.labels, fields=p.fields | {"kind": rare}, cluster="patient")
    table = table_of(p, fields=["kind"], minimum=10)
    assert table.attrs["too_few_clusters"] == {"kind = rare": 4}
    assert "kind = rare" not in table.segment.values
    with_event = p.probs[:, 1].copy()
    with_event[rare == "usual"] = 0.002
    q = cv.Predictions(with_event, np.zeros(len(p), int), fields={"kind": rare}, cluster=p.cluster_codes)
    assert table_of(q, fields=["kind"], minimum=10).attrs["too_few_clusters"] == {
        "kind = rare": 4,
        "kind = usual": 46,
    }


def test_the_clusters_are_no_segments():
    p = made(seed=4)
    table = table_of(p, fields=None)
    assert {table.attrs["skipped_fields"][name] for name in ("patient", "ward")} == {"the cluster of each sample"}
    assert not any("patient" in name or "ward" in name for name in table.segment.values)


@pytest.mark.parametrize("clusters", [1, 2, 5])
def test_too_few_clusters_have_no_p_value(clusters):
    table = table_of(made(clusters, 200 // clusters, seed=6), lens="class 1", replicates=999)
    assert np.isnan(cv.calibration_test(made(5, 40, seed=6), "class 1").p_value)
    for name in ("p_value", "p_adjusted", "p_value_unlike", "p_unlike"):
        assert np.isnan(table.sel(segment="all samples")[name])


def test_fields_that_are_skipped_keep_their_order():
    p = made(20, 6, seed=4)
    names = [f"ward {k}" for k in range(12)]
    fields = {name: p.fields["ward"] for name in names}
    table = table_of(cv.Predictions(p.probs, p.labels, fields=fields, cluster=p.fields["patient"]), fields=None)
    assert list(table.attrs["skipped_fields"]) == names


def test_under_a_selection_by_truth_signs_turn_the_residuals_of_all_rows():
    """Claim: of rows with y = 1, A (t - s) less its mean s (1 - s) is (y - s)(1 - s), selected or not."""
    p = made(seed=7)
    table = table_of(p, selection="label == 1", lens="class 1", fields=["site"], depth=1)
    order = np.argsort(p.probs[:, 1], kind="stable")
    score, label, code = p.probs[order, 1], p.labels[order], p.cluster_codes[order]
    gaps = (label - score) * (1 - score)
    signs, rng = [], np.random.default_rng(0)
    for i in range(0, 199, 8):
        signs.append(1 - 2 * rng.integers(0, 2, (min(8, 199 - i), 50)))

    def reach(gaps):
        walks = np.cumsum(np.hstack([np.zeros((len(gaps), 1)), gaps]), axis=1)
        return walks.max(axis=1) - walks.min(axis=1)

    for name in "abc":
        kept = p.fields["site"][order] == name
        drawn = reach((np.vstack(signs)[:, code] * gaps)[:, kept])
        own = reach(gaps[None, kept])[0]
        assert table.sel(segment=f"site = {name}").p_value.item() == pytest.approx((1 + (drawn >= own).sum()) / 200)
    assert np.isnan(table.p_unlike).all() and table.attrs["all_samples_off"] is None


def test_false_alarms_stay_rare_under_a_selection_by_truth():
    """Claim: some segment is flagged in calibrated sets of 50 clusters, of rows whose label is 1."""
    asked = {"selection": "label == 1", "lens": "class 1", "fields": ["site"], "depth": 1, "replicates": 99}
    flagged = rows = 0
    for seed in range(16):
        p = made(seed=seed, rows=30, latent=0.6)
        flagged += bool((table_of(p, **asked).p_adjusted <= 0.05).any())
        rows += bool((table_of(p.with_cluster(False), **asked).p_adjusted <= 0.05).any())
    assert flagged <= 2 < 5 <= rows


def test_the_largest_ratio_is_that_of_clusters():
    p = made(seed=5)
    problem = cv.lens("class 1")(p)
    ratios = [cv.kuiper_test(problem).ratio]
    for name in "abc":
        ratios.append(cv.kuiper_test(problem.subset(p.fields["site"][problem.order] == name)).ratio)
    found = cv.multicalibration_error(p, fields="site", depth=1, minimum=20, scale="sigma")
    assert found == pytest.approx(max(ratios))


@pytest.mark.thorough
@pytest.mark.parametrize("whole", [False, True])
def test_false_alarms_stay_rare_where_rows_would_raise_them(whole):
    """Claim: some segment is flagged in calibrated sets of 50 clusters, latent correlation .5."""
    sets, of_clusters, of_rows = 24, 0, 0
    for seed in range(sets):
        p = made(seed=seed, latent=0.5, whole=whole)
        rows = p.with_cluster(False)
        own, plain = (table_of(q, depth=1, replicates=99) for q in (p, rows))
        of_clusters += bool((own.p_adjusted <= 0.05).any())
        of_rows += bool((plain.p_adjusted <= 0.05).any())
    assert of_clusters <= 0.125 * sets
    assert of_rows >= 0.3 * sets


@pytest.mark.thorough
def test_false_alarms_stay_rare_where_few_clusters_hold_an_event():
    """Claim: some segment is flagged in calibrated sets of 200 clusters of 10 rows, of which 4.8 % have the event."""
    sets, flagged = 30, 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        score = rng.beta(0.5, 10.0, 2000)
        fields = {name: rng.choice(list(values), 2000) for name, values in (("ward", "efgh"), ("sex", "mf"))}
        fields["site"] = np.repeat(rng.choice(list("abcd"), 200), 10)
        p = cv.Predictions(score, rng.random(2000) < score, fields=fields, cluster=np.arange(2000) // 10)
        table = table_of(p, fields=list(fields), minimum=50, replicates=99)
        flagged += bool((table.p_adjusted <= 0.05)[table.n_fields > 0].any())
    assert flagged <= 0.075 * sets  # with a unit without its floor 4 are
