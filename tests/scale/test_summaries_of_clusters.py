"""Summaries of samples in clusters: where cells are exact, what is computed of them is what the samples give."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr

import calibviz as cv
from calibviz.foundation.clusters import hashed
from calibviz.scale import cluster_sums

N, CLUSTERS = 1200, 40
QUIET = {"progress": False}
LENS = "class 1"


def made(seed=0, clusters=CLUSTERS, whole=False, levels=20, weights=False):
    """Samples of a few scores, so that no cell holds two of them."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, clusters, N)
    score = rng.integers(1, levels, N) / levels
    if whole:
        score = (rng.integers(1, levels, clusters) / levels)[code]
    luck = np.sqrt(0.3) * rng.normal(size=clusters)[code] + np.sqrt(0.7) * rng.normal(size=N)
    luck = rng.normal(size=clusters)[code] if whole else luck
    fields = {"patient": np.array([f"p{i}" for i in range(clusters)])[code], "day": rng.integers(0, 3, N)}
    weight = rng.uniform(0.5, 2, N) if weights else None
    return cv.Predictions(score, (ndtr(luck) < score).astype(int), weights=weight, fields=fields, cluster="patient")


def twin(p):
    """The problem of the samples, with clusters in the order of the hashes of their names: draws go by that."""
    return cv.lens(LENS)(p.with_cluster(np.array([hashed(name) for name in p.cluster_names])))


def numbers(estimate):
    return estimate.estimate, estimate.lower, estimate.upper


def same(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def joint(p):
    found = cv.calibration_test(p, **QUIET)
    return found.p_value, found.gap_z, found.tilt_z, found.range_count


def near(p):
    table = cv.local_calibration(p, thresholds=[0.3, 0.6])
    return table["count"], table.lower, table.upper, table.curve, table.curve_lower, table.curve_upper


def by_mass(p):
    errors = (cv.calibration_error, cv.debiased_error)
    return [error(p, binning=binning) for error in errors for binning in (cv.EqualMass(7), cv.Sweep())]


NUMBERS = {
    "auc": lambda p: (cv.auc(p).estimate, cv.auc(p).events, cv.auc(p).others),
    "calibration_test": joint,
    "bins of equal mass": by_mass,
    "changed_sides": lambda p: cv.changed_sides(p, calibrator=lambda s: 0.8 * s + 0.1, thresholds=[0.2, 0.7])["count"],
    "local_calibration": near,
    "risk_coverage": lambda p: (cv.risk_coverage(p).lower, cv.risk_coverage(p).upper),
    "calibration_intercept": lambda p: numbers(cv.calibration_intercept(p)),
    "calibration_slope": lambda p: (cv.calibration_slope(p).lower, cv.calibration_slope(p).p_value),
    "consistency": lambda p: cv.consistency(p, error=cv.ks_error, replicates=99, **QUIET).replicates,
    "ece floor": lambda p: cv.consistency(p, error=cv.calibration_error, replicates=49, **QUIET).replicates,
    "ks_test": lambda p: (cv.ks_test(p).ratio, cv.ks_test(p).p_value),
    "kuiper_test": lambda p: (cv.kuiper_test(p).statistic, cv.kuiper_test(p).p_value),
    "observed_expected": lambda p: numbers(cv.observed_expected(p)),
    "reliability": lambda p: (cv.reliability(p).lower, cv.reliability(p).upper, cv.reliability(p)["count"]),
    "spiegelhalter_test": lambda p: (cv.spiegelhalter_test(p).statistic, cv.spiegelhalter_test(p).p_value),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("p", [made(), made(1, whole=True), made(2, clusters=9)], ids=["rows", "whole", "few"])
def test_numbers_are_those_of_the_samples(name, p):
    number, summary = NUMBERS[name], cv.summarize(p, LENS)
    assert summary.problem.samples == N
    same(np.asarray(number(summary), float), np.asarray(number(twin(p)), float))


def test_samples_of_exact_scores_are_counted_one_by_one():
    p = made()
    score = np.where(p.fields["day"] == 0, np.round(p.probs[:, 1]), p.probs[:, 1])
    some = cv.Predictions(score, p.labels, cluster=p.cluster_names)
    of = [cv.calibration_slope(q) for q in (cv.summarize(some, LENS), some)]
    assert of[0].dropped == of[1].dropped == (p.fields["day"] == 0).sum()
    assert of[0].impossible == of[1].impossible > 0


def test_weights_are_those_of_the_samples():
    p = made(3, weights=True)
    for name in ("ks_test", "observed_expected", "calibration_slope", "spiegelhalter_test"):
        same(NUMBERS[name](cv.summarize(p, LENS)), NUMBERS[name](twin(p)))


def test_an_interval_of_an_error_is_near_that_of_the_samples():
    p = made(4)
    of = [cv.interval(q, error=cv.ks_error, **QUIET) for q in (cv.summarize(p, LENS), twin(p))]
    assert abs(of[0].lower - of[1].lower) < 0.01 and abs(of[0].upper - of[1].upper) < 0.01


def test_parts_add_to_the_whole_in_any_order_and_live_in_a_file(tmp_path):
    p = made(5)
    parts = [cv.summarize(p.select(rows), LENS) for rows in np.array_split(np.random.default_rng(0).permutation(N), 7)]
    whole = cv.summarize(p, LENS)
    added = sum(parts[::-1])
    assert added.cluster == "patient" and len(added.cluster_sums.cell) == len(whole.cluster_sums.cell)
    added.save(tmp_path / "sums")
    for other in (added, cv.Summary.load(tmp_path / "sums")):
        for name in ("cluster", "cell", "count", "right"):
            assert (getattr(other.cluster_sums, name) == getattr(whole.cluster_sums, name)).all()
        assert cv.ks_test(other).p_value == cv.ks_test(whole).p_value


def test_a_part_of_samples_that_all_differ_keeps_their_clusters():
    p = made(6)
    _, first = np.unique(p.cluster_codes, return_index=True)
    one, rest = p.select(first), p.select(np.setdiff1d(np.arange(N), first))
    both = cv.summarize(one, LENS) + cv.summarize(rest, LENS)
    assert cv.ks_test(both).p_value == cv.ks_test(twin(p)).p_value


def opened(p, rows=250, cluster="patient"):
    data = {"probs": ("sample", p.probs[:, 1]), "label": ("sample", p.labels)}
    data |= {name: ("sample", column) for name, column in p.fields.items()}
    return cv.open_predictions(xr.Dataset(data).chunk(sample=rows), cluster=cluster)


def test_one_pass_over_parts_gives_the_same():
    p = made(7)
    lazy = opened(p)
    whole = cv.summarize(p, LENS)
    read = cv.summarize(lazy, LENS, **QUIET)
    assert cv.ks_test(read).p_value == cv.ks_test(whole).p_value and read.cluster == "patient"
    several = cv.summarize_all(lazy, [LENS], **QUIET)["model", "all", LENS]
    assert cv.kuiper_test(several).p_value == cv.kuiper_test(whole).p_value
    days, of_days = cv.windows(p, LENS, field="day"), cv.windows(lazy, LENS, field="day", **QUIET)
    for day in days:
        assert cv.ks_test(days[day]).p_value == cv.ks_test(of_days[day]).p_value
        assert days[day].cluster_sums.clusters == len(np.unique(p.fields["patient"][p.fields["day"] == day]))


def test_a_cube_of_parts_keeps_clusters():
    p = made(7)
    asked = {"metrics": ["ks", "ece"], "noise": True, "replicates": 100} | QUIET
    twins = p.with_cluster(np.array([hashed(name) for name in p.cluster_names]))
    read, in_memory = cv.evaluate(opened(p), LENS, **asked), cv.evaluate(twins, LENS, **asked)
    for name in ("ks", "ece", "ks_noise", "ece_noise", "ks_p_value", "ks_quantile", "ece_quantile"):
        np.testing.assert_allclose(read[name].values, in_memory[name].values, rtol=1e-9, err_msg=name)
    as_rows = cv.evaluate(p.with_cluster(False), LENS, **asked)
    assert read.ks_noise.item() > 1.3 * as_rows.ks_noise.item()


def test_a_cube_of_parts_refuses_what_its_sums_do_not_keep():
    lazy = opened(made(7))
    read = cv.evaluate(lazy, ["full", "classwise"], metrics=["ece"], **QUIET)
    assert np.isnan(read.ece.values).all()
    assert read.ece.attrs["unavailable"].count("of several outcomes do not keep which samples belong together") == 2
    said = r"calibration=0\.5 would part the rows of a cluster, cluster='patient': pass the"
    with pytest.raises(ValueError, match=said):
        cv.evaluate(lazy, LENS, metrics=["ks"], calibrators=["platt"], calibration=0.5, **QUIET)


@pytest.mark.parametrize("calibrator", ["platt", "temperature"])
def test_clusters_that_calibrators_have_seen_are_said_as_of_samples_in_memory(calibrator):
    p, shared = made(7), made(8)
    others = cv.Predictions(
        shared.probs, shared.labels, fields={"patient": np.char.add(shared.fields["patient"], " of another ward")}
    ).with_cluster("patient")
    asked = {"metrics": ["ks"], "calibrators": ["none", calibrator], "noise": True, "replicates": 20} | QUIET
    said = "40 patients are in both, so that calibrators have seen outcomes that those judged may depend on"
    for form in (lambda each: each, opened):
        with pytest.warns(UserWarning, match=said):
            cv.evaluate(form(p), LENS, calibration=form(shared), **asked)
    fitted = cv.evaluate(opened(p), LENS, calibration=opened(others), **asked)
    assert np.isfinite(fitted.ks_noise.values).all()


def test_a_summary_of_clusters_is_no_predictions_and_says_what_takes_it():
    said = "cannot be turned into predictions: use the samples, or cv.evaluate, tests and intervals, which take"
    with pytest.raises(ValueError, match=said):
        cv.Explorer(cv.summarize(made(7), LENS))


def test_other_clusters_are_refused():
    p = made(8)
    alone = p.with_cluster(False)
    with pytest.raises(ValueError, match="of samples in clusters of 'patient', and these are independent samples"):
        cv.summarize(p, LENS) + cv.summarize(alone, LENS)
    summary = cv.summarize(alone, LENS)
    with pytest.raises(ValueError, match="of independent samples, and these are samples in clusters of 'day'"):
        summary.update(p.with_cluster("day"))
    assert summary.rows == N
    for refused in (lambda: cv.summarize(p, LENS).split(), lambda: cv.summarize(p, LENS).predictions()):
        with pytest.raises(ValueError, match=r"a summary of samples in clusters cannot be .*: use the samples"):
            refused()
    assert (cv.Summary(LENS) + cv.summarize(p, LENS)).cluster == "patient"


def test_too_many_sums_become_coarse_and_then_are_refused(monkeypatch):
    rng = np.random.default_rng(9)
    code, score = rng.integers(0, 60, N), rng.random(N)
    p = cv.Predictions(score, rng.random(N) < score, cluster=code)
    fine = cv.summarize(p, LENS)
    monkeypatch.setattr(cluster_sums, "MOST_ENTRIES", len(fine.cluster_sums.cell) - 1)
    coarse = cv.summarize(p, LENS)
    assert coarse.cluster_sums.grid is None and coarse.problem.samples == N
    same(numbers(cv.observed_expected(coarse)), numbers(cv.observed_expected(fine)))
    assert abs(cv.ks_test(coarse).statistic - cv.ks_test(fine).statistic) < 0.02
    assert (fine + coarse).cluster_sums.grid is None
    monkeypatch.setattr(cluster_sums, "MOST_ENTRIES", 100)
    with pytest.raises(ValueError, match="60 clusters, whose sums are more than 100: pass cv"):
        cv.summarize(p, LENS)


def test_a_monitor_takes_clusters_of_a_summary_as_those_of_samples():
    p = made(10, clusters=300)
    first, second = (np.flatnonzero((p.cluster_codes < 150) == side) for side in (True, False))
    of_samples, of_sums = cv.Monitor(LENS), cv.Monitor(LENS)
    for rows in (first, second):
        same(of_sums.update(cv.summarize(p.select(rows), LENS)), of_samples.update(p.select(rows)))
    for monitor, again in ((of_samples, cv.summarize(p.select(first), LENS)), (of_sums, p.select(first))):
        with pytest.raises(ValueError, match="in an earlier update"):
            monitor.update(again)
