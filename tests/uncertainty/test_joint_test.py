"""The test of calibration without bins: golden values, identities, its level, and what it names."""

from __future__ import annotations

import json

import numpy as np
import pytest
from golden_sets import SHARED, load
from hypothesis import given, settings, strategies as st
from scipy.special import expit, logit
from scipy.stats import binom

import calibviz as cv
from calibviz.engine import cluster_draws
from calibviz.uncertainty.resampling import calibrated_sums

FILE = SHARED / "golden" / "conclusions.json"
RECORDS = [
    record
    for record in (json.loads(FILE.read_text())["records"] if FILE.is_file() else [])
    if record["call"] == "calibration_test"
]


def drawn(n, seed, curve=np.asarray, scores=None):
    """Scores, uniform unless given, and labels from a curve."""
    rng = np.random.default_rng(seed)
    score = rng.random(n) if scores is None else scores(rng, n)
    return cv.ScalarProblem(score, rng.random(n) < curve(score))


def numbers(found):
    """All that is known of a result, for `pytest.approx`."""
    return {name: value for name, value in vars(found).items() if value is not None}


def result_of(problem, **options):
    return cv.calibration_test(problem, **{"replicates": 199, "progress": False} | options)


@pytest.mark.skipif(not RECORDS, reason="the golden values are not on this machine")
@pytest.mark.parametrize("index", range(len(RECORDS)))
def test_golden(index):
    record = RECORDS[index]
    p = load(record["set"])
    p = cv.Predictions(p.probs.astype(np.float64), p.labels) if p.logits is None else p
    if "rows" in record:
        m, step = record["rows"]
        p = p.select(np.arange(m) * step)
    if "weights" in record:
        i = np.arange(len(p))
        p = cv.Predictions(p.probs, p.labels, weights=1 + i % 3 if record["weights"] == "whole" else (2 + i % 5) / 4)
    value = dict(record["value"])
    tolerance = value.pop("tolerance of p_value", None)
    chosen = {"lens": record["lens"], "selection": record.get("selection")}
    found = cv.calibration_test(p, **chosen, replicates=999 if tolerance else 19, progress=False)
    if chosen["selection"]:
        ks, kuiper = cv.ks_test(p, **chosen), cv.kuiper_test(p, **chosen)
        assert ks.ratio == pytest.approx(value.pop("ks_ratio"), rel=1e-6)
        assert kuiper.p_value == pytest.approx(value.pop("kuiper_p"), rel=1e-5, abs=1e-14)
    if tolerance:
        assert found.p_value == pytest.approx(value.pop("p_value"), abs=tolerance)
    for name, wanted in value.items():
        assert getattr(found, name) == pytest.approx(float(wanted), rel=1e-6, abs=1e-6, nan_ok=True), name


# ---- what it is made of


@given(st.integers(0, 1000), st.sampled_from([1, 2, 5, 30, 80]), st.booleans())
@settings(max_examples=25)
def test_the_statistics_are_those_of_the_formulas(seed, n, weighted):
    rng = np.random.default_rng(seed)
    s, t = rng.random(n).round(1 + seed % 2), (rng.random(n) < 0.4).astype(float)
    w = (2 + np.arange(n) % 5) / 4 if weighted else np.ones(n)
    found = result_of(cv.ScalarProblem(s, t, w if weighted else None), replicates=1)
    m = w.sum() ** 2 / (w**2).sum()
    v = w * m / w.sum()
    x = np.array([(v[s < one].sum() + v[s <= one].sum()) / (2 * m) for one in s])
    z = np.clip(logit(s), -25, 25)
    features = np.column_stack([np.ones(n), z, *(np.sqrt(2) * np.cos(np.pi * j * x) for j in range(1, 21))])
    known = features.T @ np.diag(v * s * (1 - s)) @ features
    slope = features.T @ (v * (t - s))
    penalty = np.diag([0.1, 1.0, *(np.arange(1, 21) ** 4 / 10)])
    assert found.smooth_statistic == pytest.approx(slope @ np.linalg.solve(known + penalty, slope), rel=1e-7, abs=1e-9)
    spread = np.sqrt((w**2 * s * (1 - s)).sum())
    if spread > 0:
        assert found.gap_z == pytest.approx((w * (t - s)).sum() / spread, abs=1e-9)
    assert found.kuiper_ratio == cv.kuiper_test(cv.ScalarProblem(s, t, w if weighted else None)).ratio
    assert (found.predicted, found.observed) == pytest.approx((np.average(s, weights=w), np.average(t, weights=w)))
    assert (found.samples, found.worth) == (n, pytest.approx(m))


@given(st.integers(0, 1000), st.sampled_from(["none", "whole", "parts"]))
@settings(max_examples=15)
def test_the_order_of_the_samples_does_not_matter(seed, weights):
    rng = np.random.default_rng(seed)
    n = 40
    s, t = rng.random(n).round(1), rng.random(n) < 0.5
    w = {"none": None, "whole": rng.integers(1, 4, n).astype(float), "parts": rng.integers(1, 9, n) / 4}[weights]
    order = rng.permutation(n)
    one = result_of(cv.ScalarProblem(s, t, w))
    other = result_of(cv.ScalarProblem(s[order], t[order], None if w is None else w[order]))
    assert numbers(one) == pytest.approx(numbers(other), rel=1e-9, abs=1e-9, nan_ok=True)


def test_whole_weights_are_repeated_rows():
    rng = np.random.default_rng(1)
    s, t, w = 0.05 + 0.9 * rng.random(80).round(2), rng.random(80) < 0.4, rng.integers(0, 4, 80)
    weighted = numbers(result_of(cv.ScalarProblem(s, t, w.astype(float))))
    written_out = numbers(result_of(cv.ScalarProblem(np.repeat(s, w), np.repeat(t, w))))
    assert weighted == pytest.approx(written_out, rel=1e-9)


def test_the_other_outcome_gives_the_same_test_and_the_opposite_direction():
    problem = drawn(300, 2, lambda s: s**2)
    other = cv.ScalarProblem(1 - problem.score, 1 - problem.given_target)
    one, two = result_of(problem), result_of(other)
    assert one.kuiper_ratio == pytest.approx(two.kuiper_ratio)
    assert one.smooth_statistic == pytest.approx(two.smooth_statistic)
    assert (one.gap_z, one.tilt_z) == pytest.approx((-two.gap_z, two.tilt_z))
    assert (one.direction, one.tilt) == (-two.direction, two.tilt) == (1, two.tilt)


def test_the_same_data_and_seed_give_the_same_and_a_summary_gives_what_its_samples_give():
    p = cv.load_dataset("tumours")["logistic regression"]
    found = cv.calibration_test(p, progress=False)
    assert found is cv.calibration_test(p, "class malignant", rng=0, progress=False)  # which is kept
    again = cv.Predictions(p.probs, p.labels, class_names=p.class_names)
    assert found == cv.calibration_test(again, progress=False)
    assert found.p_value != cv.calibration_test(p, rng=1, progress=False).p_value
    of_sums = cv.calibration_test(cv.summarize(p, "class malignant"), progress=False)
    assert numbers(of_sums) == pytest.approx(numbers(found), abs=0.06, rel=1e-3)


def test_each_class_of_a_family_is_tested_by_itself():
    p = cv.load_dataset("digits")["random forest"]
    table = cv.calibration_test(p, "classwise", replicates=99, progress=False)
    alone = cv.calibration_test(p, "class 3", replicates=99, progress=False)
    assert table.sizes == {"outcome": 10}
    for name, value in vars(alone).items():
        assert name not in table if value is None else table[name].sel(outcome="3").item() == value
    assert all(variable.attrs["long_name"] for variable in table.values())


# ---- its level and its power


@pytest.mark.thorough
@pytest.mark.parametrize(
    "scores",
    [
        lambda rng, n: rng.random(n),
        lambda rng, n: rng.beta(0.5, 60, n),
        lambda rng, n: np.full(n, 0.3),
        lambda rng, n: rng.choice([0.0, 1.0, 0.2, 0.9], n),
        lambda rng, n: 1 - rng.beta(0.05, 2.8, n),
    ],
)
@pytest.mark.parametrize("n", [12, 150])
def test_calibrated_scores_are_called_off_in_one_of_twenty_cases(scores, n):
    sets = 100
    alarms = sum(result_of(drawn(n, seed, scores=scores), replicates=99, rng=seed).shown for seed in range(sets))
    assert alarms <= binom.ppf(0.999, sets, 0.05)


def test_the_share_of_draws_is_exact_where_all_data_sets_can_be_counted():
    """Of one score of .5, six labels: how many come true has a known distribution, and all statistics rise with it."""
    for events in range(7):
        problem = cv.ScalarProblem(np.full(6, 0.5), np.arange(6) < events)
        exact = binom.pmf([k for k in range(7) if abs(k - 3) >= abs(events - 3)], 6, 0.5).sum()
        assert result_of(problem, replicates=9999).p_value == pytest.approx(exact, abs=0.02)


def test_overwhelming_evidence_shows_as_such():
    problem = drawn(3000, 3, np.sqrt)
    found = result_of(problem)
    assert found.p_value == 2 * cv.kuiper_test(problem).p_value < 1e-6
    faint = drawn(300, 5, lambda s: np.clip(s + 0.05, 0, 1))
    assert result_of(faint).p_value > 1 / 200 or result_of(faint).p_value == min(1, 2 * cv.kuiper_test(faint).p_value)


@pytest.mark.parametrize(
    ("curve", "direction", "tilt"),
    [
        (lambda s: expit(logit(s) - 0.8), 1, 0),
        (lambda s: expit(logit(s) + 0.8), -1, 0),
        (lambda s: expit(logit(s) / 2), 0, 1),
        (lambda s: expit(2 * logit(s)), 0, -1),
        (lambda s: expit(logit(s) / 2 - 1), 1, 1),
        (np.asarray, 0, 0),
    ],
)
def test_what_is_named(curve, direction, tilt):
    found = result_of(drawn(1000, 4, curve))
    assert (found.direction, found.tilt) == (direction, tilt)
    assert found.shown == bool(direction or tilt)


def test_where_the_gaps_add_up_to_most():
    problem = drawn(4000, 5, lambda s: np.where((s > 0.4) & (s <= 0.6), s - 0.2, s))
    found = result_of(problem)
    assert 0.3 < found.range_low < 0.42 and 0.58 < found.range_high < 0.8 and not found.range_closed
    inside = (problem.score > found.range_low) & (problem.score <= found.range_high)
    assert found.range_count == inside.sum()
    assert found.range_predicted == pytest.approx(problem.score[inside].mean())
    assert found.range_observed == pytest.approx(problem.given_target[inside].mean())
    assert abs((problem.given_target - problem.score)[inside].sum()) == pytest.approx(
        4000 * cv.kuiper_error(problem)
    )  # so that the range holds the whole Kuiper error
    low = result_of(drawn(500, 6, np.zeros_like))
    assert low.range_closed and low.range_low == drawn(500, 6).score[0] and low.range_count == 500


# ---- the ends


def test_scores_of_0_and_1_alone_are_refuted_by_a_single_sample():
    right = cv.ScalarProblem([0.0, 1.0, 1.0], [0, 1, 1])
    wrong = cv.ScalarProblem([0.0, 1.0, 1.0, 1.0], [1, 1, 0, 0])
    assert (result_of(right).p_value, result_of(right).impossible, result_of(right).kuiper_ratio) == (1, 0, 0)
    found = result_of(wrong)
    assert (found.p_value, found.gap_p_value, found.impossible) == (0, 0, 3)
    assert (found.gap_z, found.direction) == (-np.inf, 1)
    cancelled = result_of(cv.ScalarProblem([0.0, 1.0], [1, 0]))
    assert (cancelled.p_value, cancelled.gap_z, cancelled.gap_p_value, cancelled.direction) == (0, 0, 1, 0)


def test_as_many_samples_of_a_weighted_summary_are_impossible_as_its_slope_says():
    """How many samples of a cell were right is not known: it is estimated by weight, in one way."""
    rng = np.random.default_rng(0)
    score = np.round(rng.random(50))
    target = np.where(np.arange(50) < 3, 1 - score, score).astype(int)
    p = cv.Predictions(score, target, weights=rng.uniform(0.8, 1.2, 50))
    assert cv.calibration_test(p).impossible == 3
    summary = cv.summarize(p)
    assert cv.calibration_test(summary).impossible == cv.calibration_slope(summary).impossible == 3


def test_the_samples_of_a_summary_are_counted_as_impossible():
    p = cv.Predictions([0.0] * 50 + [0.5] * 50, [1] * 7 + [0] * 43 + [0, 1] * 25)
    summary = cv.summarize(p, "class 1")
    for one in (p, summary, summary.predictions()):
        assert cv.calibration_test(one, "class 1" if one is p else None, progress=False).impossible == 7


@pytest.mark.parametrize("score", [0.0, 0.2, 1.0])
def test_one_score_or_one_outcome_has_no_tilt(score):
    assert np.isnan(result_of(cv.ScalarProblem(np.full(20, score), np.arange(20) < 4)).tilt_z)
    assert np.isnan(result_of(drawn(20, 0, np.ones_like)).tilt_z)


@pytest.mark.parametrize("weights", ["none", "whole", "parts"])
def test_very_many_labels_are_drawn_in_cells(weights, monkeypatch):
    rng = np.random.default_rng(7)
    n = 3000
    s = np.concatenate([rng.beta(0.05, 5, n // 2), rng.random(n // 2)])
    t = rng.random(n) < np.clip(s * 0.97, 0, 1)
    w = {"none": None, "whole": rng.integers(1, 4, n).astype(float), "parts": rng.integers(1, 9, n) / 4}[weights]
    problem = cv.ScalarProblem(s, t, w)
    exact = result_of(problem, replicates=999)
    monkeypatch.setattr(calibrated_sums, "MOST_DRAWN", 0)
    monkeypatch.setattr(cluster_draws, "CELLS", 20)
    found = result_of(cv.ScalarProblem(s, t, w), replicates=999)
    assert found.kuiper_ratio == exact.kuiper_ratio and found.gap_z == pytest.approx(exact.gap_z, abs=1e-9)
    assert found.gap_p_value == pytest.approx(exact.gap_p_value, abs=0.06)
    assert found.p_value == pytest.approx(exact.p_value, abs=0.15)
    if weights == "whole":  # one label stands for several samples then
        return
    alarms = sum(
        result_of(cv.ScalarProblem(s, np.random.default_rng(i).random(n) < s, w), replicates=99, rng=i).shown
        for i in range(60)
    )
    assert alarms <= binom.ppf(0.999, 60, 0.05)


# ---- what is refused


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"lens": "pooled"}, ValueError, "lens must not be 'pooled' for a test"),
        ({"lens": "full"}, ValueError, "needs one score a sample"),
        ({"replicates": 0}, ValueError, "replicates must be at least 1"),
        ({"rng": -1}, ValueError, "rng must be at least 0"),
        ({"progress": 1}, TypeError, "progress must be True or False"),
    ],
)
def test_refusals(options, kind, message):
    with pytest.raises(kind, match=message):
        cv.calibration_test(cv.Predictions([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], [0, 1]), **options)


def test_soft_labels_and_weights_of_labels_are_refused():
    with pytest.raises(ValueError, match="the test takes labels that are 0 or 1"):
        result_of(cv.ScalarProblem([0.2, 0.4], [0.5, 0.5]))
    p = cv.Predictions(np.eye(3)[[0, 1, 2]] * 0.4 + 0.2, [0, 1, 2]).at_prevalence([0.2, 0.3, 0.5])
    with pytest.raises(
        ValueError, match="at a chosen prevalence weights follow the labels, so that noise cannot be simulated: "
    ):
        cv.calibration_test(p)
