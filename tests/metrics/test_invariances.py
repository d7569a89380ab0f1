"""What every estimator must not see: the order of samples, weights in place of repeated rows, the type of floats."""

from __future__ import annotations

import numpy as np
import pytest
import slow
from hypothesis import given, settings, strategies as st

import calibviz as cv

SCALAR = ["top-1", "rank 2", "within-top 2", "class 1", "pooled"]
VECTOR = ["full", "top-2", "grouping"]
FAMILIES = ["classwise", "top-1 by class"]
LENSES = st.sampled_from([*SCALAR, *VECTOR, *FAMILIES, "none"])
BINNINGS = [cv.Uniform(4), cv.EqualMass(3), cv.EqualMass(50), cv.Sweep(), cv.Distinct(), cv.KDTree(0.3)]
MEDIAN = cv.KDTree(split="median", min_leaf=2)


def predictions(probs, labels, weights=None):
    k = probs.shape[1]
    return cv.Predictions(probs, labels, weights=weights, groups={"a": [k - 1], "b": range(k - 1)})


def or_nan(estimate, *arguments, **choices):
    """What an estimator says, nan where it refuses."""
    try:
        return estimate(*arguments, **choices)
    except ValueError:
        return np.nan


def of_scores(p, lens):
    """What bins and sums say of a scalar lens or of a family."""
    out = {}
    for binning in [*BINNINGS, MEDIAN][:: 2 if lens in FAMILIES else 1]:
        out[f"error, {binning}"] = cv.calibration_error(p, lens, binning=binning)
        out[f"rms error, {binning}"] = cv.calibration_error(p, lens, binning=binning, p=2)
        out[f"largest error, {binning}"] = cv.calibration_error(p, lens, binning=binning, aggregate="max")
        out[f"brier split, {binning}"] = parts_of(cv.brier_split(p, lens, binning=binning))
    for binning in BINNINGS[:: 2 if lens in FAMILIES else 1]:
        out[f"label-binned, {binning}"] = cv.label_binned_error(p, lens, binning=binning, p=2)
        if lens not in FAMILIES:  # without the root, which makes much of what rounds to 0
            out[f"debiased, {binning}"] = or_nan(cv.debiased_error, p, lens, binning=binning) ** 2
    out |= {f.__name__: f(p, lens) for f in (cv.ks_error, cv.kuiper_error, cv.sweep_bins, cv.brier_score, cv.log_loss)}
    return out


def of_vectors(p, lens):
    out = {"brier": cv.brier_score(p, lens), "log loss": cv.log_loss(p, lens)}
    for binning in (cv.Uniform(4), cv.KDTree(0.3), cv.KDTree(2**-5), MEDIAN):
        out[f"error, {binning}"] = cv.calibration_error(p, lens, binning=binning)
        out[f"L2 error, {binning}"] = cv.calibration_error(p, lens, binning=binning, distance=cv.Lp(2), p=2)
        out[f"brier split, {binning}"] = parts_of(cv.brier_split(p, lens, binning=binning))
    return out


def of_curves(p, lens):
    out = {"smooth": cv.smooth_error(p, lens), "kde": or_nan(cv.kde_error, p, lens)}
    if lens not in FAMILIES:
        corp = cv.corp(p, lens)
        out |= {name: getattr(corp, name) for name in ("miscalibration", "discrimination", "uncertainty")}
        out |= {"score": corp.score, "recalibrated": corp.recalibrated, "weight": corp.weight}
    return out


def of_predictions(p):
    """What needs no lens."""
    out = {str(metric): metric(p, 4) for metric in cv.GCE.variants()}
    return out | {f"accuracy {k}": cv.accuracy(p, k=k) for k in range(1, p.n_classes + 1)}


def parts_of(split):
    return np.array([getattr(split, name) for name in split.__dataclass_fields__])


def numbers(p, lens):
    """Everything that can be said of some predictions under one lens, or of them as a whole: number by name."""
    if lens == "none":
        return of_predictions(p)
    return of_vectors(p, lens) if lens in VECTOR else of_scores(p, lens) | of_curves(p, lens)


def same(one, other, within):
    assert set(one) == set(other)
    for name, value in one.items():
        atol = within if within == 0 else max(within, 2e-9 if name.endswith("smooth") else 1e-12)
        np.testing.assert_allclose(other[name], value, rtol=0 if within == 0 else 1e-12, atol=atol, err_msg=name)


@given(slow.judged(max_size=16), LENSES, st.randoms(use_true_random=False))
def test_order_of_samples_is_nothing(table, lens, random):
    probs, labels, weights = table
    weights = None if weights is None else np.ceil(weights)  # the median split counts samples
    order = list(range(len(probs)))
    random.shuffle(order)
    shuffled = predictions(probs[order], labels[order], None if weights is None else weights[order])
    same(numbers(predictions(probs, labels, weights), lens), numbers(shuffled, lens), 1e-12)


@given(slow.judged(max_size=16), LENSES)
def test_whole_weights_are_repeated_rows(table, lens):
    probs, labels, weights = table
    weights = np.ones(len(probs)) if weights is None else np.ceil(weights)
    times = weights.astype(int)
    repeated = predictions(np.repeat(probs, times, axis=0), np.repeat(labels, times, axis=0))
    same(numbers(predictions(probs, labels, weights), lens), numbers(repeated, lens), 1e-12)


@given(slow.judged(max_size=16), st.sampled_from([0.25, 3.0, 1e-3]))
@settings(max_examples=15)
def test_fractional_weights_have_no_order(table, scale):
    probs, labels, weights = table
    weights = scale * (np.arange(len(probs)) % 5 + 0.5) if weights is None else weights * scale
    one, other = (predictions(*(part[::step] for part in (probs, labels, weights))) for step in (1, -1))
    for lens in ("class 1", "top-1", "classwise"):
        binnings = [binning for binning in BINNINGS if binning != cv.Sweep()]
        for estimate in (cv.calibration_error, cv.label_binned_error):
            values = [[estimate(p, lens, binning=binning) for binning in binnings] for p in (one, other)]
            assert values[0] == pytest.approx(values[1], abs=1e-9)
        for estimate in (cv.ks_error, cv.kuiper_error, cv.brier_score, cv.smooth_error):
            assert estimate(one, lens) == pytest.approx(estimate(other, lens), abs=2e-9)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), LENSES, st.booleans())
@settings(max_examples=20)
def test_small_floats_are_their_float64(dtype, seed, classes, lens, weighted):
    rng = np.random.default_rng(seed)
    small = rng.dirichlet(np.ones(classes), 40).astype(dtype)
    small[:10] = np.eye(classes)[rng.integers(0, classes, 10)]
    small[10:14] = small[14:18]
    labels, weights = rng.integers(0, classes, 40), rng.integers(1, 4, 40) if weighted else None
    one, other = (predictions(probs, labels, weights) for probs in (small, small.astype(np.float64)))
    assert one.probs.dtype == dtype
    same(numbers(one, lens), numbers(other, lens), 0)
