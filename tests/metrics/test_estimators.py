"""Estimators and tables against slow loops and scipy."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
import slow
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError


def both(score, labels, weights=None):
    """The same binary problem for the engine (class 1) and for the loops."""
    w = np.ones(len(score)) if weights is None else weights
    return cv.Predictions(score, labels, weights=weights), list(zip(score, labels.astype(float), w, strict=True))


def fractions(n):
    """Eighths, so that sums are exact and a cut is on a sample's end or clearly off it."""
    return st.lists(st.integers(1, 30), min_size=n, max_size=n).map(lambda w: np.array(w) / 8)


def some_weights(kind, n):
    return {"none": lambda n: st.none(), "whole": slow.whole_weights, "fractional": fractions}[kind](n)


@pytest.mark.parametrize("kind", ["none", "whole", "fractional"])
@given(slow.problems(), st.data())
def test_scalar_estimators_are_their_definitions(kind, problem, data):
    score, labels = problem
    p, loops = both(score, labels, data.draw(some_weights(kind, len(score))))
    bins = data.draw(st.integers(1, 30))
    power = data.draw(st.sampled_from([1, 2, 3.5]))
    for closed in ("left", "right"):
        found = cv.calibration_error(p, "class 1", binning=cv.Uniform(bins, closed), p=power)
        assert found == pytest.approx(slow.error(slow.uniform_bins(loops, bins, closed), power), abs=1e-12)
    expected = slow.equal_mass_bins(loops, bins)
    assert cv.calibration_error(p, "class 1", binning=cv.EqualMass(bins), p=power) == pytest.approx(
        slow.error(expected, power), abs=1e-10
    )
    assert cv.calibration_error(p, "class 1", binning=cv.EqualMass(bins), aggregate="max") == pytest.approx(
        slow.error(expected, aggregate="max"), abs=1e-10
    )
    assert cv.ks_error(p, "class 1") == pytest.approx(slow.ks(loops), abs=1e-12)
    table = cv.reliability(p, "class 1", binning=cv.EqualMass(bins))
    for b, (weight, mean_score, mean_target) in enumerate(slow.means(expected)):
        row = table.isel(bin=b)
        assert row["weight"] == pytest.approx(weight, abs=1e-9)
        if weight > 0:
            assert row["score"] == pytest.approx(mean_score, abs=1e-9)
            assert row["target"] == pytest.approx(mean_target, abs=1e-9)
            assert row["left"] == min(s for s, _, _ in expected[b])
            assert row["right"] == max(s for s, _, _ in expected[b])
        else:
            assert np.isnan(row["score"]) and np.isnan(row["target"]) and np.isnan(row["lower"])
    assert table["count"].sum() == cv.lens("class 1")(p).samples


@pytest.mark.parametrize("scheme", ["equal-mass", "uniform"])
@pytest.mark.parametrize("kind", ["none", "whole", "fractional"])
@given(slow.problems(max_size=25, levels=12), st.data(), st.booleans())
@settings(max_examples=40)
def test_sweep_against_the_loop(scheme, kind, problem, data, monotone):
    score, labels = problem
    if monotone:  # mostly rising targets, so that the sweep goes far
        labels = (score > 0.4).astype(int) | (labels if data.draw(st.booleans()) else 0)
    p, loops = both(score, labels, data.draw(some_weights(kind, len(score))))
    is_one = len({s for s, _, w in loops if w}) == 1  # of equal scores the loop would make more
    bins = 1 if is_one else slow.sweep(loops, scheme)
    assert cv.sweep_bins(p, "class 1", scheme=scheme) == bins
    cut = slow.equal_mass_bins if scheme == "equal-mass" else slow.uniform_bins
    found = cv.calibration_error(p, "class 1", binning=cv.Sweep(scheme), p=2)
    assert found == pytest.approx(slow.error(cut(loops, bins), 2), abs=1e-10)


@pytest.mark.parametrize("scheme", ["equal-mass", "uniform"])
def test_sweep_of_equal_scores_has_one_bin(scheme):
    p = cv.Predictions(np.full(400, 0.3), np.arange(400) % 3 // 2)
    cube = cv.evaluate(p, "class 1", metrics=["sweep", "sweep_bins"], progress=False)
    assert cv.sweep_bins(p, "class 1", scheme=scheme) == cube.sweep_bins.item() == 1
    assert cube.sweep.item() == pytest.approx(abs(0.3 - p.labels.mean()))
    assert cv.reliability(p, "class 1", binning=cv.Sweep(scheme)).sizes["bin"] == 1


@pytest.mark.parametrize("scheme", ["equal-mass", "uniform"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 11])
@pytest.mark.parametrize("label", [0, 1])
def test_sweep_of_equal_labels_goes_to_the_end(scheme, n, label):
    p = cv.Predictions(np.linspace(0.2, 0.9, n), np.full(n, label))
    assert cv.sweep_bins(p, "class 1", scheme=scheme) == max(1, n - 1)


@pytest.mark.parametrize(("labels", "bins"), [([1, 0], 1), ([0, 1], 1), ([0, 1, 0], 1), ([1, 0, 1], 2), ([0, 0, 1], 2)])
def test_sweep_of_two_or_three(labels, bins):
    p = cv.Predictions(np.arange(1, len(labels) + 1) / 4, labels)
    assert cv.sweep_bins(p, "class 1") == bins


def test_sweep_sees_a_fall_that_is_slow():
    n = 200  # each step falls by 4e-10 only, but halves differ by 4e-8
    soft = 0.5 - 4e-10 * np.arange(n)
    p = cv.Predictions(np.linspace(0.1, 0.9, n), np.column_stack([1 - soft, soft]))
    assert cv.sweep_bins(p, "class 1") == 1


def test_sweep_is_quick_where_every_label_is_right():
    n = 20_000
    p = cv.Predictions(np.random.default_rng(0).random(n), np.ones(n, dtype=int))
    start = time.process_time()
    for scheme in ("equal-mass", "uniform"):
        assert cv.sweep_bins(p, "class 1", scheme=scheme) == n - 1
    assert time.process_time() - start < 5


@given(slow.tables(), st.integers(1, 12), st.sampled_from(["left", "right"]), st.data())
def test_vector_estimators_are_their_definitions(table, bins, closed, data):
    probs, labels = table
    k = probs.shape[1]
    groups = {"a": [k - 1], "b": list(range(k - 1))}
    weights = data.draw(st.one_of(st.none(), slow.whole_weights(len(labels)), fractions(len(labels))))
    p = cv.Predictions(probs, labels, groups=groups, weights=weights)
    for lens in ("full", "top-2", f"top-{k}", "grouping"):
        scores, outcomes = slow.vector_lens(lens, probs, slow.one_hot(labels, k), groups.values())
        found = cv.calibration_error(p, lens, binning=cv.Uniform(bins, closed))
        assert found == pytest.approx(slow.cell_error(scores, outcomes, bins, weights, closed), abs=1e-12)


def test_many_cells_do_not_overflow():
    rng = np.random.default_rng(0)
    probs, labels = rng.dirichlet(np.ones(40), 60), rng.integers(0, 40, 60)
    p = cv.Predictions(probs, labels)
    for bins in (100, 1000, 10**6):
        expected = slow.cell_error(probs, slow.one_hot(labels, 40), bins) if bins < 1000 else None
        found = cv.calibration_error(p, "full", binning=cv.Uniform(bins))
        assert expected is None or found == pytest.approx(expected, abs=1e-12)
        assert len(cv.reliability(p, "full", binning=cv.Uniform(bins)).bin) == 60


def test_cumulative_table():
    score, labels = np.array([0.25, 0.75, 0.25, 0.5]), np.array([1, 1, 0, 0])
    weights = np.array([1.0, 2.0, 1.0, 0.0])
    p, loops = both(score, labels, weights)
    table = cv.cumulative(p, "class 1")
    assert dict(table.sizes) == {"sample": 3}
    assert set(table.data_vars) == {"fractile", "score", "cumulative_score", "cumulative_target", "index"}
    assert table["fractile"].values.tolist() == [0.25, 0.5, 1]
    assert table["score"].values.tolist() == [0.25, 0.25, 0.75]
    assert table["cumulative_target"].values.tolist() == [0.125, 0.25, 0.75]
    assert table["cumulative_score"].values.tolist() == [0.0625, 0.125, 0.5]
    assert table["index"].values.tolist() == [0, 2, 1]
    assert table.attrs["ks"] == cv.ks_error(p, "class 1") == pytest.approx(slow.ks(loops)) == 0.25


def test_index_is_the_place_in_the_predictions():
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50), weights=rng.integers(0, 3, 50))
    table = cv.cumulative(p, "rank 2", selection=cv.quantity("label").isin([0, 1]))
    index = table["index"].values
    np.testing.assert_array_equal(np.sort(p.probs, axis=1)[index, -2], table["score"])
    assert sorted(index) == np.flatnonzero(np.isin(p.labels, [0, 1]) & (p.weights > 0)).tolist()


def test_reliability_table():
    p = cv.Predictions([0.0, 0.1, 0.5, 1.0, 1.0], [0, 1, 0, 1, 1])
    table = cv.reliability(p, "class 1", binning=cv.Uniform(4))
    names = {"score", "target", "count", "weight", "lower", "upper", "left", "right"}
    assert set(table.data_vars) == names
    assert all(table[name].dims == ("bin",) for name in names)
    assert table["count"].values.tolist() == [2, 0, 1, 2]
    np.testing.assert_allclose(table["score"], [0.05, np.nan, 0.5, 1])
    np.testing.assert_allclose(table["target"], [0.5, np.nan, 0, 1])
    assert np.isnan(table.isel(bin=1)[["score", "target", "lower", "upper"]].to_array()).all()
    assert table["left"].values.tolist() == [0, 0.25, 0.5, 0.75]
    assert table["right"].values.tolist() == [0.25, 0.5, 0.75, 1]


def test_reliability_of_a_vector_lens():
    p = cv.Predictions(
        [[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8]], [0, 1, 2], class_names=["cat", "dog", "eel"]
    )
    table = cv.reliability(p, "full", binning=cv.Uniform(2))
    assert dict(table.sizes) == {"bin": 2, "outcome": 3}
    assert table["outcome"].values.tolist() == ["cat", "dog", "eel"]
    for name in ("score", "target", "lower", "upper"):
        assert table[name].dims == ("bin", "outcome")
    assert "left" not in table
    np.testing.assert_allclose(table["score"].sel(outcome="cat"), [0.1, 0.65])
    np.testing.assert_allclose(table["target"].sum("outcome"), 1)
    one = cv.reliability(p, "full", binning=cv.Uniform(2), outcome="dog")
    assert dict(one.sizes) == {"bin": 2}
    assert one.identical(cv.reliability(p, "class dog", binning=cv.Uniform(2)))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_interval_is_clopper_pearson(level):
    rng = np.random.default_rng(0)
    score = rng.random(400) ** 3
    p = cv.Predictions(score, rng.random(400) < score)
    for binning in (cv.Uniform(15), cv.EqualMass(7), cv.EqualMass(130), cv.Uniform(200, "right")):
        table = cv.reliability(p, "class 1", binning=binning, level=level)
        for b in range(len(table.bin)):
            row = table.isel(bin=b)
            if n := int(row["count"]):
                exact = binomtest(round(float(row["target"]) * n), n).proportion_ci(level, "exact")
                assert row["lower"] == pytest.approx(exact.low, abs=1e-9)
                assert row["upper"] == pytest.approx(exact.high, abs=1e-9)


def test_interval_of_ties_and_weights():
    score = np.array([0.3, 0.3, 0.3, 0.6, 0.7, 0.8])  # a third, then ones: rounding must not open the interval
    p = cv.Predictions(score, [1, 0, 0, 1, 1, 1])
    table = cv.reliability(p, "class 1", binning=cv.EqualMass(2))
    assert table["upper"][1] == 1
    assert table["lower"][1] == pytest.approx(binomtest(3, 3).proportion_ci(0.95).low)
    plain, half = (cv.Predictions(score, [1, 0, 0, 1, 1, 1], weights=w) for w in (None, np.full(6, 0.5)))
    for name in ("lower", "upper"):  # six weights of 1/2 tell as much as six samples
        tables = [cv.reliability(q, "class 1", binning=cv.Uniform(2))[name] for q in (plain, half)]
        np.testing.assert_allclose(*tables, atol=1e-12)
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1, not be 1"):
        cv.reliability(p, level=1)


# ---- Likert categories


@given(slow.problems(levels=20), st.sampled_from(["both", "left"]))
def test_likert_is_its_definition(problem, closed):
    p, loops = both(*problem)
    cuts = [0, 0.2, 0.5, 0.8, 1]
    table = cv.likert_error(p, "class 1", categories=cuts, binning=cv.Uniform(7), closed=closed)
    assert table["category"].values.tolist() == ["[0, 0.2]", "[0.2, 0.5]", "[0.5, 0.8]", "[0.8, 1]"]
    for i, (low, high) in enumerate(itertools.pairwise(cuts)):
        upper = high if closed == "both" or high == 1 else np.nextafter(high, 0)
        part = [s for s in loops if low <= s[0] <= upper]
        row = table.isel(category=i)
        assert (row["low"], row["high"], row["count"]) == (low, high, len(part))
        if part:
            bins = slow.uniform_bins(part, 7)
            inter = slow.error(bins, distance=lambda s, t, low=low, high=high: max(0, max(low - t, t - high)))
            assert row["error"] == pytest.approx(inter, abs=1e-12)
            assert row["total_variation"] == pytest.approx(slow.error(bins), abs=1e-12)
            assert row["error"] <= row["total_variation"] + 1e-12
            assert row["mean_target"] == pytest.approx(np.mean([t for _, t, _ in part]), abs=1e-12)
            assert row["mean_score"] == pytest.approx(np.mean([s for s, _, _ in part]), abs=1e-12)
        else:
            assert np.isnan(row[["error", "total_variation", "mean_target", "mean_score"]].to_array()).all()
    if closed == "left":
        assert table["count"].sum() == len(loops)


def test_likert_with_names_and_gaps():
    p = cv.Predictions([0.1, 0.8, 0.85, 0.9, 0.95], [0, 1, 1, 0, 1])
    table = cv.likert_error(p, "class 1", categories={"not very": (0, 0.8), "very": (0.9, 1), "never": (0, 0.05)})
    assert table["category"].values.tolist() == ["not very", "very", "never"]
    assert table["count"].values.tolist() == [2, 2, 0]
    np.testing.assert_allclose(table["mean_target"], [0.5, 0.5, np.nan])
    half_open = cv.likert_error(p, "class 1", categories={"not very": (0, 0.8), "very": (0.9, 1)}, closed="left")
    assert half_open["count"].values.tolist() == [1, 2]
    chosen = cv.likert_error(p, "class 1", categories=[0, 0.9, 1], selection="label == 1")
    assert chosen["count"].values.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("intervals", "message"),
    [
        ([0, 0.5, 0.5, 1], r"categories\[2\] is 0.5, not above the cut point 0.5 before it"),
        ([0], "categories needs two cut points or one named category at least"),
        ({}, "categories needs two cut points or one named category at least"),
        ([0, 1.5], "must lie between 0 and 1, not be 1.5"),
        ({"odd": (0.9, 0.1)}, r"categories\['odd'\] has its low end 0.9 above its high end 0.1"),
        ({"odd": (0.1, 0.2, 0.3)}, r"categories\['odd'\] must be \(low, high\)"),
        ([0, float("nan")], "categories"),
    ],
)
def test_likert_messages(intervals, message):
    with pytest.raises(ValueError, match=message):
        cv.likert_error(cv.Predictions([0.1], [0]), "class 1", categories=intervals)


def test_estimator_messages():
    p = cv.Predictions([[0.2, 0.3, 0.5]], [0])
    with pytest.raises(ValueError, match="aggregate must be one of 'mean', 'max', not 'median'"):
        cv.calibration_error(p, aggregate="median")
    for power in (0.5, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="p must be finite and at least 1, not"):
            cv.calibration_error(p, p=power)
    with pytest.raises(ValueError, match=r"needs a scalar lens, but this one has the outcomes 0, 1, 2"):
        cv.calibration_error(p, "full", binning=cv.EqualMass(3))
    with pytest.raises(ValueError, match="outcome 'x' is unknown"):
        cv.ks_error(p, "full", outcome="x")
    with pytest.raises(ValueError, match="outcome 0 was asked for, but the lens 'top-1' is scalar"):
        cv.ks_error(p, "top-1", outcome=0)
    with pytest.raises(TypeError, match=r"predictions must be cv\.Predictions\(probs, labels\), not ndarray"):
        cv.ks_error(np.eye(3))
    for wrong in ("uniform", 15):
        with pytest.raises(TypeError, match="binning must be a binning such as"):
            cv.calibration_error(p, binning=wrong)
    with pytest.raises(TypeError, match="distance must be a distance such as"):
        cv.calibration_error(p, distance="L2")
    with pytest.raises(EmptyProblemError, match="no sample is left: the selection keeps none"):
        cv.calibration_error(p, selection="label == 1")
