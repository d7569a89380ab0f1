"""Properties that hold for every input."""

from __future__ import annotations

import numpy as np
import pytest
import slow
from hypothesis import given, settings, strategies as st

import calibviz as cv
from calibviz.context.lenses import TopK
from calibviz.engine.scalar import EmptyProblemError

SCALAR = ["top-1", "rank 2", "within-top 2", "class 0", "class 1"]
BINNINGS = [cv.Uniform(5), cv.Uniform(8, "right"), cv.EqualMass(1), cv.EqualMass(4), cv.EqualMass(50), cv.Sweep()]


def numbers(p, lens):
    """Everything that a scalar lens can say, as one array."""
    out = [cv.calibration_error(p, lens, binning=b, p=q) for b in BINNINGS for q in (1, 2)]
    out += [cv.calibration_error(p, lens, binning=b, aggregate="max") for b in BINNINGS]
    out += [cv.ks_error(p, lens), cv.accuracy(p), cv.sweep_bins(p, lens), cv.sweep_bins(p, lens, scheme="uniform")]
    return np.array(out)


@given(slow.tables(), st.randoms(use_true_random=False), st.sampled_from(SCALAR))
def test_order_of_samples_is_nothing(table, random, lens):
    probs, labels = table
    shuffled = list(range(len(labels)))
    random.shuffle(shuffled)
    one, other = cv.Predictions(probs, labels), cv.Predictions(probs[shuffled], labels[shuffled])
    np.testing.assert_allclose(numbers(one, lens), numbers(other, lens), atol=1e-12)
    table, again = (cv.reliability(q, lens, binning=cv.EqualMass(3)).drop_vars("bin") for q in (one, other))
    for name in table:
        np.testing.assert_allclose(table[name], again[name], atol=1e-9, err_msg=name)
    grid = np.linspace(0, 1, 21)
    maps = [cv.Spline().fit(cv.lens(lens)(q))(grid) for q in (one, other)]
    np.testing.assert_allclose(*maps, atol=1e-9)


@given(slow.tables(), st.data(), st.sampled_from(SCALAR))
def test_whole_weights_are_repeated_rows(table, data, lens):
    probs, labels = table
    weights = data.draw(slow.whole_weights(len(labels)))
    weighted = cv.Predictions(probs, labels, weights=weights)
    times = weights.astype(int)
    repeated = cv.Predictions(np.repeat(probs, times, axis=0), np.repeat(labels, times))
    np.testing.assert_allclose(numbers(weighted, lens), numbers(repeated, lens), atol=1e-12)
    for binning in (*BINNINGS, cv.Uniform(3)):
        one, other = (cv.reliability(q, lens, binning=binning) for q in (weighted, repeated))
        for name in set(one) - {"count"}:
            np.testing.assert_allclose(one[name], other[name], atol=1e-9, err_msg=f"{binning}: {name}")
    one, other = (cv.likert_error(q, lens, categories=[0, 0.25, 0.5, 1]) for q in (weighted, repeated))
    for name in set(one) - {"count"}:
        np.testing.assert_allclose(one[name], other[name], atol=1e-12, err_msg=name)
    assert one["count"].values.tolist() <= other["count"].values.tolist()


@given(slow.tables(), st.data(), st.sampled_from(["full", "top-2", "grouping"]))
def test_whole_weights_are_repeated_rows_of_vectors(table, data, lens):
    probs, labels = table
    groups = {"first": [0], "rest": list(range(1, probs.shape[1]))}
    weights = data.draw(slow.whole_weights(len(labels)))
    times = weights.astype(int)
    weighted = cv.Predictions(probs, labels, weights=weights, groups=groups)
    repeated = cv.Predictions(np.repeat(probs, times, axis=0), np.repeat(labels, times), groups=groups)
    for bins in (1, 2, 5):
        one, other = (cv.reliability(q, lens, binning=cv.Uniform(bins)) for q in (weighted, repeated))
        for name in set(one) - {"count"}:
            np.testing.assert_allclose(one[name], other[name], atol=1e-9, err_msg=name)
        errors = [cv.calibration_error(q, lens, binning=cv.Uniform(bins)) for q in (weighted, repeated)]
        assert errors[0] == pytest.approx(errors[1], abs=1e-12)


@given(slow.tables(), st.data(), st.sampled_from(SCALAR), st.sampled_from([0.01, 0.3, 7.5]))
def test_scale_of_weights_is_nothing(table, data, lens, scale):
    probs, labels = table
    weights = np.array(data.draw(st.lists(st.integers(1, 20), min_size=len(labels), max_size=len(labels)))) + 0.5
    one, other = (cv.Predictions(probs, labels, weights=w) for w in (weights, weights * scale))
    for binning in (cv.Uniform(5), cv.EqualMass(4), cv.EqualMass(30)):
        errors = [cv.calibration_error(q, lens, binning=binning) for q in (one, other)]
        assert errors[0] == pytest.approx(errors[1], abs=1e-9)
    assert cv.ks_error(one, lens) == pytest.approx(cv.ks_error(other, lens), abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@given(st.integers(0, 2**32 - 1), st.integers(2, 7))
@settings(max_examples=12)
def test_small_floats_are_their_float64(dtype, seed, classes):
    rng = np.random.default_rng(seed)
    small = rng.dirichlet(np.ones(classes), 40).astype(dtype)
    small[:10] = np.eye(classes)[rng.integers(0, classes, 10)]
    labels, groups = rng.integers(0, classes, 40), {"a": range(1, classes), "b": [0]}
    one, other = (cv.Predictions(q, labels, groups=groups) for q in (small, small.astype(np.float64)))
    assert one.probs.dtype == dtype
    np.testing.assert_array_equal(one.ranking(classes), other.ranking(classes))
    for lens in SCALAR:
        np.testing.assert_array_equal(numbers(one, lens), numbers(other, lens), strict=True)
        assert cv.reliability(one, lens).identical(cv.reliability(other, lens))
    for lens in ("full", "top-2", "grouping", f"top-{classes}"):
        for bins in (1, 3, 10):
            tables = [cv.reliability(q, lens, binning=cv.Uniform(bins)) for q in (one, other)]
            assert tables[0].identical(tables[1])
    maps = [cv.Spline().fit(cv.lens("top-1")(q)).fitted_ for q in (one, other)]
    np.testing.assert_array_equal(*maps)


@given(st.integers(1, 60), st.integers(0, 2**32 - 1), st.integers(1, 80))
def test_order_of_estimators_without_ties(n, seed, bins):
    rng = np.random.default_rng(seed)
    p = cv.Predictions(rng.random(n), rng.integers(0, 2, n))
    problem = cv.lens("class 1")(p)
    one_bin = cv.calibration_error(p, "class 1", binning=cv.Uniform(1))
    assert one_bin == pytest.approx(abs(problem.mean_score - problem.mean_target), abs=1e-12)
    assert one_bin == pytest.approx(cv.calibration_error(p, "class 1", binning=cv.EqualMass(1)), abs=1e-12)
    ks, finest = cv.ks_error(p, "class 1"), cv.calibration_error(p, "class 1", binning=cv.EqualMass(n))
    assert one_bin <= ks + 1e-12 <= finest + 2e-12
    coarse = cv.calibration_error(p, "class 1", binning=cv.Uniform(bins))
    assert one_bin <= coarse + 1e-12 <= finest + 2e-12
    assert coarse <= cv.calibration_error(p, "class 1", binning=cv.Uniform(2 * bins)) + 1e-12
    assert coarse <= cv.calibration_error(p, "class 1", binning=cv.Uniform(bins), p=2) + 1e-12
    assert cv.calibration_error(p, "class 1", binning=cv.Uniform(bins), aggregate="max") >= coarse - 1e-12


@given(slow.tables(), st.data())
def test_top_k_and_its_parts(table, data):
    probs, labels = table
    k = data.draw(st.integers(2, probs.shape[1]))
    p = cv.Predictions(probs, labels)
    whole = cv.lens(f"top-{k}")(p)
    for r in range(1, k + 1):
        part, rank = whole.outcome(r - 1), cv.lens(f"rank {r}")(p)
        assert part.score.tolist() == rank.score.tolist()
        assert part.target.tolist() == rank.target.tolist()
        ks = [cv.ks_error(p, f"rank {r}"), cv.ks_error(p, f"top-{k}", outcome=f"rank {r}")]
        assert ks[0] == ks[1]
    rest, within = whole.outcome(k), cv.lens(f"within-top {k}")(p)
    np.testing.assert_allclose(np.sort(1 - rest.score), within.score, atol=1e-12)
    assert 1 - rest.mean_target == pytest.approx(within.mean_target, abs=1e-12)
    if k == probs.shape[1]:
        np.testing.assert_allclose(rest.score, 0, atol=1e-12)
    one_cell = cv.calibration_error(p, f"top-{k}", binning=cv.Uniform(1))
    parts = [cv.calibration_error(p, f"top-{k}", binning=cv.Uniform(1), outcome=j) for j in range(k + 1)]
    assert one_cell == pytest.approx(sum(parts) / 2, abs=1e-12)
    assert cv.calibration_error(p, TopK(1), binning=cv.EqualMass(3)) == cv.calibration_error(
        p, "top-1", binning=cv.EqualMass(3)
    )


@given(slow.tables(), st.integers(1, 30), st.sampled_from(["left", "right"]))
def test_two_groups_are_one_score(table, bins, closed):
    probs, labels = table
    k = probs.shape[1]
    p = cv.Predictions(probs, labels, groups={"yes": range(0, k, 2), "no": range(1, k, 2)})
    binning = cv.Uniform(bins, closed)
    pair = cv.calibration_error(p, "grouping", binning=binning)
    assert pair == pytest.approx(cv.calibration_error(p, "grouping", binning=binning, outcome="yes"), abs=1e-12)
    assert pair == pytest.approx(cv.calibration_error(p, "grouping", binning=binning, distance=cv.Lp(1)) / 2, abs=1e-12)
    l2 = cv.calibration_error(p, "grouping", binning=binning, distance=cv.Lp(2))
    assert l2 == pytest.approx(pair * np.sqrt(2), abs=1e-12)


@given(slow.problems(levels=16), st.sampled_from([1, 2, 4, 8, 16, 32]), st.floats(1, 4))
def test_two_classes(problem, bins, power):
    score, labels = problem
    p = cv.Predictions(score, labels)
    errors = {
        "full": cv.calibration_error(p, "full", binning=cv.Uniform(bins), p=power),
        "class 0": cv.calibration_error(p, "class 0", binning=cv.Uniform(bins), p=power),
        "class 1": cv.calibration_error(p, "class 1", binning=cv.Uniform(bins, "right"), p=power),
    }
    assert errors["full"] == pytest.approx(errors["class 0"], abs=1e-12)
    assert errors["class 1"] == pytest.approx(errors["class 0"], abs=1e-12)
    top, second = (cv.lens(f"rank {r}")(p) for r in (1, 2))
    np.testing.assert_array_equal(np.sort(1 - second.score), top.score)
    assert cv.calibration_error(p, "within-top 2", binning=cv.Uniform(bins)) == 0
    assert cv.ks_error(p, "within-top 2") == 0
    assert (top.score >= 0.5).all()


@given(slow.tables(classes=4), st.integers(0, 3))
def test_a_class_that_is_absent_still_counts(table, c):
    probs, labels = table
    p = cv.Predictions(probs, labels)
    condition = cv.quantity("label") != c
    mask = condition.mask(p)
    assert mask.tolist() == (labels != c).tolist()
    if not mask.any():
        with pytest.raises(EmptyProblemError, match="the selection keeps none"):
            cv.calibration_error(p, "full", selection=condition)
        return
    part = p.select(mask)
    assert part.n_classes == 4
    targets = slow.one_hot(labels[mask], 4)
    for lens in ("full", "top-3", "top-4"):
        found = cv.calibration_error(p, lens, binning=cv.Uniform(4), selection=condition)
        assert found == pytest.approx(slow.cell_error(*slow.vector_lens(lens, probs[mask], targets), 4), abs=1e-12)
        assert found == cv.calibration_error(part, lens, binning=cv.Uniform(4))
    for lens in (*SCALAR, f"class {c}"):
        assert cv.ks_error(p, lens, selection=condition) == pytest.approx(cv.ks_error(part, lens), abs=1e-15)
    assert cv.lens(f"class {c}")(part).mean_target == 0


@given(slow.tables(), st.sampled_from([*SCALAR, "full", "top-2"]))
def test_errors_are_errors(table, lens):
    p = cv.Predictions(*table)
    for binning in (cv.Uniform(1), cv.Uniform(15)):
        assert 0 <= cv.calibration_error(p, lens, binning=binning) <= 1 + 1e-12
    outcome = None if cv.lens(lens)(p).is_scalar else 0
    assert 0 <= cv.ks_error(p, lens, outcome=outcome) <= 1 + 1e-12
    truth = cv.Predictions(np.eye(p.n_classes)[p.labels], p.labels)
    assert cv.calibration_error(truth, lens, binning=cv.Uniform(15)) == 0
    assert cv.ks_error(truth, lens, outcome=outcome) == 0
