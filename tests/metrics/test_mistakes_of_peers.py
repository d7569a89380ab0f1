"""What peers get wrong: one test for each edge."""

from __future__ import annotations

import math

import numpy as np
import pytest
import slow
from hypothesis import given, settings, strategies as st
from scipy.stats import beta, binom

import calibviz as cv
from calibviz import figures
from calibviz.metrics.binned import error_series

BINNINGS = [cv.Uniform(10), cv.Uniform(10, "right"), cv.EqualMass(4), cv.Sweep(), cv.Distinct(), cv.KDTree(0.25)]
ERRORS = {
    **{
        f"error, {binning}": lambda p, lens, b=binning: cv.calibration_error(p, lens, binning=b) for binning in BINNINGS
    },
    **{
        f"label-binned, {binning}": lambda p, lens, b=binning: cv.label_binned_error(p, lens, binning=b)
        for binning in BINNINGS
    },
    "debiased": lambda p, lens: cv.debiased_error(p, lens, binning=cv.EqualMass(2)),
    "median tree": lambda p, lens: cv.calibration_error(p, lens, binning=cv.KDTree(split="median", min_leaf=2)),
    "bins of the sweep": cv.sweep_bins,
    "ks": cv.ks_error,
    "kuiper": cv.kuiper_error,
    "kde": cv.kde_error,
    "smooth": cv.smooth_error,
    "brier": cv.brier_score,
    "log loss": cv.log_loss,
    "corp": lambda p, lens: cv.corp(p, lens).miscalibration,
}


# ---- scores of exactly 0 and 1, and bins that are as many as they are said to be


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("bins", [1, 2, 10, 15, 100])
def test_a_score_of_1_is_in_the_last_bin_and_0_in_the_first(bins, closed):
    p = cv.Predictions([0.0, 0.0, 1.0, 1.0, 1.0], [0, 1, 1, 1, 0])
    table = cv.reliability(p, "class 1", binning=cv.Uniform(bins, closed))
    assert len(table.bin) == bins
    assert (table["left"][0], table["right"][-1]) == (0, 1)
    if bins > 1:
        assert table["count"].values.tolist() == [2, *[0] * (bins - 2), 3]
        assert table["target"].values[[0, -1]].tolist() == [1 / 2, 2 / 3]
        assert cv.calibration_error(p, "class 1", binning=cv.Uniform(bins, closed)) == pytest.approx(2 / 5)


@pytest.mark.parametrize("binning", BINNINGS, ids=repr)
def test_no_score_of_0_is_dropped(binning):
    # One sample in two says 0 and is wrong: an estimator that drops zeros sees calibrated ones only.
    p = cv.Predictions(np.tile([0.0, 1.0], 20), np.ones(40, dtype=int))
    assert cv.reliability(p, "class 1", binning=binning)["count"].sum() == 40
    assert cv.calibration_error(p, "class 1", binning=binning) == pytest.approx(0.5)
    for estimate in (cv.ks_error, cv.kuiper_error, cv.smooth_error, cv.brier_score):
        assert estimate(p, "class 1") == pytest.approx(0.5, abs=1e-6)
    assert cv.likert_error(p, "class 1", categories=[0, 0.5, 1])["count"].values.tolist() == [20, 20]


@pytest.mark.parametrize("closed", ["left", "right"])
def test_uniform_bins_are_as_many_as_asked_for(closed):
    for bins in range(1, 201):
        edges = [k / bins for k in range(bins + 1)]
        table = cv.reliability(cv.Predictions(edges, [1] * (bins + 1)), "class 1", binning=cv.Uniform(bins, closed))
        assert cv.Uniform(bins).edges.tolist() == edges
        assert (table["left"].values.tolist(), table["right"].values.tolist()) == (edges[:-1], edges[1:])
        # Every edge is a score of its own bin; only the end beyond the last one, or before the first, joins it.
        joined = bins - 1 if closed == "left" else 0
        assert table["count"].values.tolist() == [2 if b == joined else 1 for b in range(bins)]


def test_equal_mass_bins_are_as_many_as_asked_for():
    score = (np.arange(200) + 0.5) / 200
    problems = {n: cv.lens("class 1")(cv.Predictions(score[:n], np.arange(n) % 2)) for n in (3, 97, 200)}
    for n, problem in problems.items():
        for count in range(1, 201):
            bins = cv.EqualMass(count)(problem)
            members = [[i for i in range(n) if i * count // n == b] for b in range(count)]
            assert bins.count.tolist() == [len(m) for m in members]
            filled = [b for b in range(count) if members[b]]
            assert len(filled) == min(n, count)
            assert bins.left[filled].tolist() == [score[members[b][0]] for b in filled]
            assert bins.right[filled].tolist() == [score[members[b][-1]] for b in filled]
            assert np.isnan(bins.score[bins.count == 0]).all()


@pytest.mark.parametrize("make", [cv.Uniform, cv.EqualMass, lambda bins: cv.Uniform(bins, "right")])
def test_two_hundred_counts_at_once_are_each_of_them(make):
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.integers(0, 61, 300) / 60, rng.integers(0, 2, 300))
    binnings = [make(bins) for bins in range(1, 201)]
    series = error_series(cv.lens("class 1")(p), binnings)
    single = [cv.calibration_error(p, "class 1", binning=binning) for binning in binnings]
    np.testing.assert_allclose(series, single, atol=1e-12)


# ---- one bad value


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_nan_is_refused_with_its_place(dtype):
    probs = np.full((50, 4), 0.25, dtype=dtype)
    probs[17, 3] = np.nan
    for normalize in (False, True):
        with pytest.raises(ValueError, match=r"probs\[17, 3\] is nan: every entry must be finite"):
            cv.Predictions(probs, np.zeros(50, dtype=int), normalize=normalize)
    with pytest.raises(ValueError, match=r"probs\[17\] is nan: every entry must be finite"):
        cv.Predictions(probs[:, 3], np.zeros(50, dtype=int))
    with pytest.raises(ValueError, match=r"logits\[17, 3\] is nan: every entry must be finite"):
        cv.Predictions(labels=np.zeros(50, dtype=int), logits=probs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_overshoot_is_clipped_alone(dtype):
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), 50).astype(dtype)
    probs[17] = [0, 1 + 1e-7, -1e-7]
    clipped, labels = probs.copy(), rng.integers(0, 3, 50)
    clipped[17] = [0, 1, 0]
    p, expected = cv.Predictions(probs, labels), cv.Predictions(clipped, labels)
    assert p.probs.dtype == dtype
    np.testing.assert_array_equal(p.probs, clipped, strict=True)
    for name, estimate in ERRORS.items():
        assert estimate(p, "top-1") == estimate(expected, "top-1"), name
    scores = probs[:, 1].astype(float)
    binary = cv.Predictions(scores, labels > 0).probs
    np.testing.assert_array_equal(binary[:, 1], np.minimum(scores, 1))


# ---- small floats


def test_float32_logits_are_fitted_like_float64_ones():
    rng = np.random.default_rng(0)
    logits = (6 * rng.standard_normal((200, 4))).astype(np.float32)
    labels = np.where(rng.random(200) < 0.5, logits.argmax(axis=1), rng.integers(0, 4, 200))
    one, other = (cv.Predictions(labels=labels, logits=z) for z in (logits, logits.astype(np.float64)))
    fits = [cv.Temperature().fit(p) for p in (one, other)]
    assert fits[0].temperature_ == fits[1].temperature_ > 1.5  # it did something
    np.testing.assert_array_equal(*(fit.transform(p).probs for fit, p in zip(fits, (one, other), strict=True)))
    splines = [cv.Spline().fit(cv.lens("top-1")(p))(np.linspace(0, 1, 51)) for p in (one, other)]
    np.testing.assert_array_equal(*splines)
    small = one.probs.astype(np.float32)
    for name, estimate in ERRORS.items():
        values = [estimate(cv.Predictions(probs, labels), "top-1") for probs in (small, small.astype(np.float64))]
        assert values[0] == values[1], name


# ---- a slice in which a class is absent


def test_a_class_that_is_absent_from_a_slice_still_counts():
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200))
    condition = cv.quantity("label").isin([0, 1, 2]) & (cv.quantity("predicted") != 3)
    mask = (p.labels < 3) & (p.predicted < 3)
    part = cv.Predictions(p.probs[mask], p.labels[mask])
    assert part.n_classes == p.select(mask).n_classes == 4
    rows, targets = part.probs, slow.one_hot(part.labels, 4)
    full = cv.calibration_error(p, "full", binning=cv.Uniform(5), selection=condition)
    assert full == pytest.approx(slow.cell_error(rows, targets, 5), abs=1e-12)
    columns = [slow.error(slow.uniform_bins(slow.scalar_lens(f"class {c}", rows, targets), 5)) for c in range(4)]
    classwise = cv.calibration_error(p, "classwise", binning=cv.Uniform(5), selection=condition)
    assert classwise == pytest.approx(sum(columns) / 4, abs=1e-12)
    assert columns[3] == pytest.approx(rows[:, 3].mean())  # nobody is of the class: all that is said of it is wrong
    by_class = [
        cv.calibration_error(part, "top-1", binning=cv.Uniform(5), selection=cv.quantity("predicted") == c)
        for c in range(3)
    ]
    found = cv.calibration_error(p, "top-1 by class", binning=cv.Uniform(5), selection=condition)
    assert found == pytest.approx(sum(by_class) / 4, abs=1e-12)
    assert cv.GCE.named("SCE")(p, 5, condition) == pytest.approx(classwise, abs=1e-12)
    assert cv.GCE.named("class-conditional ECE")(p, 5, condition) == pytest.approx(found, abs=1e-12)
    assert cv.reliability(p, "full", binning=cv.Uniform(5), selection=condition).sizes["outcome"] == 4


# ---- intervals of 90 %


def test_a_bootstrap_interval_of_90_percent_leaves_out_5_on_either_side():
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.random(60), rng.integers(0, 2, 60))
    found = cv.bootstrap(p, error=lambda q: cv.ks_error(q, "class 1"), replicates=200, level=0.9, progress=False)
    assert found.lower == pytest.approx(np.quantile(found.replicates, 0.05))
    assert found.upper == pytest.approx(np.quantile(found.replicates, 0.95))
    assert (found.replicates < found.lower).mean() == pytest.approx(0.05, abs=0.006)
    assert (found.replicates > found.upper).mean() == pytest.approx(0.05, abs=0.006)
    covered = 0
    for seed in range(120):  # in which 0.3 is the truth
        q = cv.Predictions(np.full(80, 0.3), np.random.default_rng(seed).random(80) < 0.3)
        mean = cv.bootstrap(
            cv.lens("class 1")(q), error=lambda problem: problem.mean_target, replicates=100, level=0.9, progress=False
        )
        covered += mean.lower <= 0.3 <= mean.upper
    assert covered / 120 == pytest.approx(0.9, abs=0.08)


def test_an_interval_of_90_percent_of_a_bin_covers_90_percent():
    n, ends = 40, []
    for hits in range(n + 1):
        p = cv.Predictions(np.full(n, 0.5), np.arange(n) < hits)
        row = cv.reliability(p, "class 1", binning=cv.Uniform(1), level=0.9).isel(bin=0)
        low = beta.ppf(0.05, hits, n - hits + 1) if hits else 0
        high = beta.ppf(0.95, hits + 1, n - hits) if hits < n else 1
        assert (row["lower"], row["upper"]) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))
        ends.append((low, high))
    lower, upper = np.array(ends).T
    truths = np.linspace(0.1, 0.9, 401)
    chances = binom.pmf(np.arange(n + 1), n, truths[:, None])
    coverage = (chances * ((lower <= truths[:, None]) & (truths[:, None] <= upper))).sum(axis=1)
    assert coverage.min() >= 0.9 and coverage.mean() < 0.95


# ---- ties


def test_no_estimator_sees_the_order_of_ties():
    score = np.repeat([0.0, 0.25, 0.5, 0.75, 1.0], 8)
    labels = np.tile([0, 0, 0, 1, 1, 0, 1, 1], 5)
    rows = np.arange(40)
    orders = [
        np.lexsort((labels, score)),
        np.lexsort((-labels, score)),
        rows[::-1],
        np.random.default_rng(0).permutation(rows),
    ]
    for lens in ("class 1", "top-1", "classwise", "pooled"):
        for name, estimate in ERRORS.items():
            if (lens, name) == ("classwise", "corp"):
                continue  # a split of each class
            values = [estimate(cv.Predictions(score[order], labels[order]), lens) for order in orders]
            assert values == pytest.approx([values[0]] * 4, abs=2e-9), (name, lens)
    ps = [cv.Predictions(score[order], labels[order]) for order in orders]
    for p in ps[1:]:
        for binning in (cv.EqualMass(3), cv.KDTree(0.25), cv.KDTree(split="median", min_leaf=2)):
            for lens in ("class 1", "full") if isinstance(binning, cv.KDTree) else ("class 1",):
                for name in ("score", "target", "weight"):
                    tables = [cv.reliability(q, lens, binning=binning)[name] for q in (ps[0], p)]
                    np.testing.assert_allclose(*tables, atol=1e-12)
        curves = [cv.cumulative(q, "class 1").drop_vars("index") for q in (ps[0], p)]
        for name in curves[0]:
            np.testing.assert_allclose(curves[0][name], curves[1][name], atol=1e-12)
        maps = [cv.Spline().fit(cv.lens("class 1")(q))(np.linspace(0, 1, 21)) for q in (ps[0], p)]
        np.testing.assert_allclose(*maps, atol=1e-9)


# ---- splines


@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(2, 14))
@settings(max_examples=30)
def test_splines_stay_in_the_unit_interval(seed, n, knots):
    rng = np.random.default_rng(seed)
    p = cv.Predictions(rng.choice([0, 0.02, 0.5, 0.98, 1], n), rng.integers(0, 2, n))
    spline = cv.Spline(knots).fit(cv.lens("class 1")(p))
    for mapped in (
        spline(np.linspace(0, 1, 201)),
        spline([-1e-9, 1 + 1e-9]),
        cv.lens("class 1")(p).mapped(spline).score,
    ):
        assert ((mapped >= 0) & (mapped <= 1)).all()


def test_a_spline_that_leaves_the_unit_interval_is_clipped():
    score = np.linspace(0.2, 0.8, 61)
    spline = cv.Spline().fit(cv.lens("class 1")(cv.Predictions(score, score > 0.5)))
    assert spline.fitted_.min() < -0.05 and spline.fitted_.max() > 1.05  # what it would be
    mapped = spline(np.linspace(0, 1, 101))
    assert (mapped.min(), mapped.max()) == (0, 1)
    p = cv.Predictions(np.column_stack([1 - score, score, 0 * score]), (score > 0.5) * 1)
    probs = cv.OneVsRest(cv.Spline()).fit(p).transform(p).probs
    assert probs.min() >= 0 and probs.max() <= 1
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=1e-12)


# ---- empty bins


def test_empty_bins_are_nan_and_not_drawn():
    p = cv.Predictions([0.05, 0.45, 0.95, 0.97], [0, 1, 1, 1])
    table = cv.reliability(p, "class 1", binning=cv.Uniform(10))
    empty = table["count"] == 0
    assert empty.sum() == 7
    for name in ("score", "target", "lower", "upper"):
        assert np.isnan(table[name][empty]).all() and np.isfinite(table[name][~empty]).all()
    assert cv.calibration_error(p, "class 1", binning=cv.Uniform(10)) == pytest.approx((0.05 + 0.55 + 2 * 0.04) / 4)
    problem = cv.lens("class 1")(p)
    figure = figures.reliability_figure([problem], [cv.Uniform(10)(problem)])
    (dots,) = [series for series in figure.series if series.role == "few"]
    (bars,) = [series for series in figure.series if series.role == "interval"]
    np.testing.assert_allclose(dots.x, [0.05, 0.45, 0.96])
    assert dots.y.tolist() == [0, 1, 1]
    assert not len(bars.x)  # so few samples have no bars
    assert "3 bins with samples" in figure.alt
    matplotlib = pytest.importorskip("matplotlib")
    axes = cv.plots.reliability(p, "class 1", binning=cv.Uniform(10)).axes[0]
    drawn = [shown for shown in axes.collections if shown.get_label() == "fewer than 10 samples"]
    assert matplotlib and len(drawn) == 1
    np.testing.assert_allclose(drawn[0].get_offsets(), np.column_stack([dots.x, dots.y]))
    assert not any(math.isnan(value) for value in (*axes.get_xlim(), *axes.get_ylim()))


@pytest.mark.parametrize("binning", [cv.Uniform(5), cv.EqualMass(4), cv.Distinct()])
def test_no_error_exceeds_1_by_rounding(binning):
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        n = rng.integers(2, 30)
        problem = cv.ScalarProblem(np.where(rng.random(n) < 0.5, 1.0, rng.random(n)), np.zeros(n))
        made = binning(problem)
        assert np.nanmax(made.score) <= 1
        assert cv.calibration_error(problem, binning=binning, aggregate="max") <= 1
    over = cv.Predictions(np.tile([0.6, 0.4005, 0.0], (50, 1)), np.full(50, 2))  # a sum of probabilities above 1
    for options in ({}, {"aggregate": "max"}, {"p": 2}):
        assert cv.calibration_error(over, "within-top 2", binning=binning, **options) == 1
    for error in (cv.debiased_error, cv.smooth_error, cv.label_binned_error):
        assert 1 - 1e-9 < error(over, "within-top 2") <= 1
    summary = cv.summarize(over, "within-top 2")
    for measure in ("ks", "kuiper", "smooth", "debiased", cv.Uniform(15), cv.EqualMass(4), cv.Sweep()):
        for aggregate in ("mean", "max"):
            low, high = cv.error_bounds(summary, error=measure, aggregate=aggregate)
            assert 1 - 1e-5 < low <= high <= 1
    wrong = cv.Predictions([[1 / 3, 1 / 3, 1 / 3 + 1e-9]] * 7, np.tile([0.0, 0.0, 1.0], (7, 1)))
    assert cv.ks_error(wrong, "within-top 3") <= 1 and cv.kuiper_error(wrong, "within-top 3") <= 1
