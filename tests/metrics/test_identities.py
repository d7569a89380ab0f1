"""Two routes to one number, for every input."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import slow
from hypothesis import assume, given, settings, strategies as st

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError
from calibviz.metrics.distances import InterInterval
from calibviz.metrics.scores import BrierSplit

SCALAR = ["top-1", "rank 2", "within-top 2", "class 0", "class 1"]
VECTOR = ["full", "top-2", "grouping"]
FAMILIES = ["classwise", "top-1 by class"]
OF_SCALARS = [cv.Uniform(5), cv.Uniform(4, "right"), cv.EqualMass(3), cv.EqualMass(30), cv.Sweep(), cv.Distinct()]
OF_SCALARS += [cv.KDTree(0.3), cv.KDTree(2**-5)]
OF_VECTORS = [cv.Uniform(1), cv.Uniform(5), cv.KDTree(0.3), cv.KDTree(2**-5)]
POWERS = [1, 1.5, 2, 3.5, 20]


def predictions(table):
    probs, labels, weights = table
    k = probs.shape[1]
    return cv.Predictions(probs, labels, weights=weights, groups={"a": [k - 1], "b": range(k - 1)})


def pairs(lenses, binnings):
    return st.tuples(st.sampled_from(lenses), st.sampled_from(binnings))


LOOKS = st.one_of(pairs(SCALAR, OF_SCALARS), pairs(VECTOR, OF_VECTORS))


def loops(table, lens):
    """The samples of a scalar lens for the slow loops."""
    probs, labels, weights = table
    return slow.scalar_lens(lens, probs, slow.target_rows(labels, probs.shape[1]), weights)


# ---- lenses that are one another


@given(slow.judged(classes=2), st.integers(1, 20), st.sampled_from([1, 0.5, 0.3, 0.1, 2**-5]), st.sampled_from(POWERS))
def test_two_classes_are_the_first_one(table, bins, gamma, power):
    p = predictions(table)
    for binning in (cv.Uniform(bins), cv.Uniform(bins, "right"), cv.KDTree(gamma)):
        full, first = (cv.calibration_error(p, lens, binning=binning, p=power) for lens in ("full", "class 0"))
        assert full == pytest.approx(first, abs=1e-12)


@given(slow.judged(), st.sampled_from([1, 0.5, 0.3, 0.1, 2**-5]), st.sampled_from(POWERS))
def test_all_ranks_are_the_sorted_rows(table, gamma, power):
    probs, labels, weights = table
    order = np.array([slow.ranking(row) for row in probs])
    targets = np.take_along_axis(np.array(slow.target_rows(labels, probs.shape[1])), order, axis=1)
    ranked = cv.Predictions(np.take_along_axis(probs, order, axis=1), targets, weights=weights)
    for binning in (cv.KDTree(gamma), cv.Uniform(1)):
        found = cv.calibration_error(predictions(table), f"top-{probs.shape[1]}", binning=binning, p=power)
        assert found == pytest.approx(cv.calibration_error(ranked, "full", binning=binning, p=power), abs=1e-12)


@given(slow.judged(), st.sampled_from(OF_VECTORS), st.sampled_from(POWERS))
def test_groups_of_one_class_are_the_classes(table, binning, power):
    p = predictions(table)
    single = cv.Grouping({str(c): [c] for c in range(p.n_classes)})
    for distance in (cv.TotalVariation(), cv.Lp(2)):
        errors = [
            cv.calibration_error(p, lens, binning=binning, distance=distance, p=power) for lens in (single, "full")
        ]
        assert errors[0] == pytest.approx(errors[1], abs=1e-15)


@given(slow.judged(), st.sampled_from(SCALAR + VECTOR))
def test_one_bin_is_the_distance_of_the_means(table, lens):
    p = predictions(table)
    problem = cv.lens(lens)(p)
    weight = problem.weight / problem.total
    if problem.is_scalar:
        expected = abs(problem.mean_score - problem.mean_target)
        assert cv.calibration_error(p, lens, binning=cv.EqualMass(1)) == pytest.approx(expected, abs=1e-12)
    else:
        expected = abs(weight @ (problem.score - problem.target_rows())).sum() / 2
    assert cv.calibration_error(p, lens, binning=cv.Uniform(1)) == pytest.approx(expected, abs=1e-12)
    if problem.whole_weights:  # twice as many are needed than there are
        whole = cv.KDTree(split="median", min_leaf=len(problem) * int(problem.weight.max()))
        assert cv.calibration_error(p, lens, binning=whole) == pytest.approx(expected, abs=1e-12)
    # No node of n samples is below round(n), but one of weight 2.75 is below 3.
    units = np.full(len(table[0]), 2.75 / len(table[0]))
    equal, same = (cv.Predictions(*table[:2], weights=w, groups=p.groups) for w in (units, None))
    leaf, cell = (
        cv.calibration_error(equal, lens, binning=cv.KDTree(1)),
        cv.calibration_error(same, lens, binning=cv.Uniform(1)),
    )
    assert leaf == pytest.approx(cell, abs=1e-12)
    assert len(cv.KDTree(1)(problem)) <= 2 or not problem.whole_weights


# ---- orders


@given(slow.judged(), LOOKS, st.lists(st.sampled_from(POWERS), min_size=2, max_size=4, unique=True))
def test_error_grows_with_the_power_up_to_the_largest(table, look, powers):
    p = predictions(table)
    for distance in (None, cv.Lp(2)):
        errors = [
            cv.calibration_error(p, look[0], binning=look[1], distance=distance, p=power) for power in sorted(powers)
        ]
        errors.append(cv.calibration_error(p, look[0], binning=look[1], distance=distance, aggregate="max"))
        assert all(after >= before - 1e-12 for before, after in itertools.pairwise(errors))


@given(slow.judged(), pairs(SCALAR, OF_SCALARS), st.sampled_from(POWERS))
def test_label_binned_is_never_below_the_binned_error(table, look, power):
    p = predictions(table)
    found = cv.label_binned_error(p, look[0], binning=look[1], p=power)
    assert found >= cv.calibration_error(p, look[0], binning=look[1], p=power) - 1e-12
    if isinstance(look[1], cv.Distinct):
        assert found == pytest.approx(cv.calibration_error(p, look[0], binning=look[1], p=power), abs=1e-12)


@pytest.mark.parametrize("power", [100, 1e4, 1e8])
def test_label_binned_of_large_powers_is_the_largest_gap(power):
    p = cv.Predictions([0.3, 0.6], [0, 1])
    for binning in (cv.Uniform(2), cv.Uniform(1)):
        found = cv.label_binned_error(p, "class 1", binning=binning, p=power)
        assert found >= cv.calibration_error(p, "class 1", binning=binning, p=power) - 1e-12
    assert cv.label_binned_error(p, "class 1", binning=cv.Uniform(2), p=power) == pytest.approx(0.4, rel=1 / power)


@given(slow.judged(), st.sampled_from(VECTOR), st.sampled_from(OF_VECTORS), st.sampled_from(POWERS))
def test_total_variation_is_half_of_l1(table, lens, binning, power):
    p = predictions(table)
    variation, l1 = (cv.calibration_error(p, lens, binning=binning, distance=d, p=power) for d in (None, cv.Lp(1)))
    assert variation == pytest.approx(l1 / 2, abs=1e-12)


@given(slow.judged(), pairs(SCALAR, OF_SCALARS), st.integers(0, 16), st.integers(0, 16))
def test_inter_interval_is_at_most_the_total_variation(table, look, low, high):
    p, low, high = predictions(table), min(low, high) / 16, max(low, high) / 16
    selection = cv.quantity("output").between(low, high)
    assume(selection.mask(p, _outputs(p, look[0])).any())
    inter, variation = (
        cv.calibration_error(p, look[0], binning=look[1], selection=selection, distance=d)
        for d in (InterInterval(low, high), None)
    )
    assert inter <= variation + 1e-12
    if low == high:  # every score is the category itself
        assert inter == pytest.approx(variation, abs=1e-12)
    point = InterInterval(low, low)
    targets = cv.reliability(p, look[0], binning=look[1])["target"].dropna("bin").values
    np.testing.assert_allclose(point(targets, targets), abs(targets - low), atol=1e-15)


def _outputs(p, lens):
    problem = cv.lens(lens)(p)
    out = np.full(len(p), np.nan)
    out[problem.order] = problem.score
    return out


@given(slow.judged(), st.integers(1, 20), st.sampled_from(["left", "right"]))
def test_pooling_evens_errors_out(table, bins, closed):
    p = predictions(table)
    pooled, classwise = (
        cv.calibration_error(p, lens, binning=cv.Uniform(bins, closed)) for lens in ("pooled", "classwise")
    )
    assert pooled <= classwise + 1e-12


@given(slow.judged(), st.sampled_from([*SCALAR, "pooled", *FAMILIES]))
def test_kuiper_lies_between_ks_and_its_double(table, lens):
    p = predictions(table)
    ks, kuiper = cv.ks_error(p, lens), cv.kuiper_error(p, lens)
    assert ks - 1e-12 <= kuiper <= 2 * ks + 1e-12


# ---- estimators and their loops


@given(slow.judged(), st.sampled_from(SCALAR), st.integers(1, 12), st.sampled_from(POWERS))
def test_estimators_are_their_loops(table, lens, bins, power):
    p, samples = predictions(table), loops(table, lens)
    gaps = [*slow.cumulative_gaps(samples), 0.0]
    assert cv.kuiper_error(p, lens) == pytest.approx(max(gaps) - min(gaps), abs=1e-12)
    cells = {
        cv.Uniform(bins): slow.uniform_bins(samples, bins),
        cv.EqualMass(bins): slow.equal_mass_bins(samples, bins),
    }
    tied = {}
    for score, target, weight in slow.tidy(samples):
        tied.setdefault(score, []).append((score, target, weight))
    cells[cv.Distinct()] = list(tied.values())
    whole = table[2] is None or (table[2] == np.floor(table[2])).all()
    for binning, members in cells.items():
        means = slow.means(members)
        rows = [(w, abs(s - t)) for part, (_, _, t) in zip(members, means, strict=True) for s, _, w in part]
        total = sum(w for w, _ in rows)
        label_binned = (sum(w * gap**power for w, gap in rows) / total) ** (1 / power)
        assert cv.label_binned_error(p, lens, binning=binning, p=power) == pytest.approx(label_binned, abs=1e-10)
        assert cv.calibration_error(p, lens, binning=binning, p=power) == pytest.approx(
            slow.error(members, power), abs=1e-10
        )
        if table[1].ndim == 1 and whole:
            square = sum(w * ((s - t) ** 2 - t * (1 - t) / (w - 1)) for w, s, t in means if w >= 2) / total
            assert cv.debiased_error(p, lens, binning=binning) ** 2 == pytest.approx(max(0, square), abs=1e-12)


@given(slow.judged(), st.sampled_from(SCALAR))
def test_distinct_bins_are_the_finest(table, lens):
    p = predictions(table)
    found = cv.calibration_error(p, lens, binning=cv.Distinct())
    for binning in OF_SCALARS:
        assert cv.calibration_error(p, lens, binning=binning) <= found + 1e-12
    table = cv.reliability(p, lens, binning=cv.Distinct())
    assert table["score"].values.tolist() == sorted(set(cv.lens(lens)(p).score.tolist()))
    assert cv.ks_error(p, lens) <= found + 1e-12


# ---- splits of the Brier score


@given(slow.judged(), st.one_of(LOOKS, pairs([*FAMILIES, "pooled"], OF_SCALARS)))
def test_brier_split_adds_up(table, look):
    p = predictions(table)
    split, brier = cv.brier_split(p, look[0], binning=look[1]), cv.brier_score(p, look[0])
    assert split.brier == pytest.approx(brier, abs=1e-12)
    parts = split.reliability, split.resolution, split.uncertainty, split.within_variance
    assert min(parts) >= -1e-12
    if isinstance(look[1], cv.Distinct):
        assert split.within_variance == pytest.approx(0, abs=1e-12)
        assert split.within_covariance == pytest.approx(0, abs=1e-12)
    if look[0] not in FAMILIES:
        l2 = cv.calibration_error(p, look[0], binning=look[1], distance=cv.Lp(2), p=2)
        assert split.reliability == pytest.approx(l2**2, abs=1e-12)


@given(slow.judged(), st.sampled_from(SCALAR))
def test_brier_split_is_its_definition(table, lens):
    p, samples = predictions(table), [s for s in loops(table, lens) if s[2] > 0]
    total = math.fsum(w for _, _, w in samples)
    mean = sum(t * w for _, t, w in samples) / total
    members = slow.uniform_bins(samples, 4)
    split = cv.brier_split(p, lens, binning=cv.Uniform(4))
    rows = [(w, s, t) for w, s, t in slow.means(members) if w > 0]
    within = [[(s - a, t - b, w) for s, t, w in m] for m, (_, a, b) in zip(members, slow.means(members), strict=True)]
    expected = BrierSplit(
        sum(w * (s - t) ** 2 for w, s, t in rows) / total,
        sum(w * (t - mean) ** 2 for w, _, t in rows) / total,
        sum(w * (t - mean) ** 2 for _, t, w in samples) / total,
        sum(w * ds * ds for part in within for ds, _, w in part) / total,
        2 * sum(w * ds * dt for part in within for ds, dt, w in part) / total,
    )
    for name in expected.__dataclass_fields__:
        assert getattr(split, name) == pytest.approx(getattr(expected, name), abs=1e-12), name


@given(slow.judged(), st.sampled_from([*SCALAR, "pooled"]))
def test_corp_splits_the_brier_score(table, lens):
    p = predictions(table)
    parts = cv.corp(p, lens)
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(
        cv.brier_score(p, lens), abs=1e-12
    )
    split = cv.brier_split(p, lens, binning=cv.Distinct())
    assert parts.uncertainty == pytest.approx(split.uncertainty, abs=1e-12)
    assert parts.discrimination <= split.resolution + 1e-12  # more bins resolve more
    assert parts.miscalibration <= split.reliability + 1e-12


# ---- families


MEANS = {
    "uniform": lambda p, lens, selection=None: cv.calibration_error(
        p, lens, binning=cv.Uniform(4), selection=selection
    ),
    "equal-mass": lambda p, lens, selection=None: cv.calibration_error(
        p, lens, binning=cv.EqualMass(3), selection=selection, p=2
    ),
    "sweep": lambda p, lens, selection=None: cv.calibration_error(p, lens, binning=cv.Sweep(), selection=selection),
    "tree": lambda p, lens, selection=None: cv.calibration_error(p, lens, binning=cv.KDTree(0.3), selection=selection),
    "largest": lambda p, lens, selection=None: cv.calibration_error(
        p, lens, binning=None, selection=selection, aggregate="max"
    ),
    "sweep bins": cv.sweep_bins,
    "ks": cv.ks_error,
    "kuiper": cv.kuiper_error,
    "label-binned": lambda p, lens, selection=None: cv.label_binned_error(p, lens, binning=None, selection=selection),
    "debiased": lambda p, lens, selection=None: cv.debiased_error(
        p, lens, binning=cv.EqualMass(2), selection=selection
    ),
    "brier": cv.brier_score,
    "log loss": cv.log_loss,
    "smooth": cv.smooth_error,
}


@pytest.mark.parametrize("name", MEANS)
@given(slow.judged(max_size=12))
@settings(max_examples=15)
def test_families_are_means_over_classes(name, table):
    p, estimate = predictions(table), MEANS[name]
    if name == "debiased" and p.soft_labels is not None:
        with pytest.raises(ValueError, match="needs targets of 0 or 1, but the labels are soft"):
            estimate(p, "classwise")
        return
    classes = range(p.n_classes)
    within = 2e-9 if name in ("smooth", "debiased") else 1e-12
    assert estimate(p, "classwise") == pytest.approx(np.mean([estimate(p, f"class {c}") for c in classes]), abs=within)
    total = 0.0
    for c in classes:
        try:
            total += estimate(p, "top-1", selection=cv.quantity("predicted") == c)
        except EmptyProblemError:
            continue
    assert estimate(p, "top-1 by class") == pytest.approx(total / p.n_classes, abs=within)
