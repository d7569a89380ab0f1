"""The GCE family against its definition (gce_measuring section 4 and appendix C)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import slow
from hypothesis import assume, given, settings, strategies as st

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError

VARIANTS = [
    cv.GCE(*choice)
    for choice in itertools.product(("uniform", "equal-mass"), (True, False), (True, False), (0.0, 0.01), ("l1", "l2"))
]


def slices_of(probs, targets, weights, max_prob, class_conditional):
    """The scalar problems that a metric looks at, each a list of (score, target, weight)."""
    classes = range(probs.shape[1])
    if not max_prob:
        columns = [slow.scalar_lens(f"class {c}", probs, targets, weights) for c in classes]
        return columns if class_conditional else [[sample for column in columns for sample in column]]
    top = slow.scalar_lens("top-1", probs, targets, weights)
    if not class_conditional:
        return [top]
    chosen = [slow.ranking(row)[0] for row in probs]
    return [[sample for sample, predicted in zip(top, chosen, strict=True) if predicted == c] for c in classes]


def slow_gce(table, metric, bins):
    probs, labels, weights = table
    targets = slow.target_rows(labels, probs.shape[1])
    cut = slow.uniform_bins if metric.binning == "uniform" else slow.equal_mass_bins
    power = 1 if metric.norm == "l1" else 2
    slices = slices_of(probs, targets, weights, metric.max_prob, metric.class_conditional)
    total = 0.0
    for part in slices:
        above = [sample for sample in part if sample[0] > metric.threshold] if metric.threshold else part
        survivors = [sample for sample in above if sample[2] > 0]
        total += slow.error(cut(survivors, bins), power) ** power if survivors else 0.0
    return (total / len(slices)) ** (1 / power)


def predictions(table):
    return cv.Predictions(table[0], table[1], weights=table[2])


@pytest.mark.parametrize("metric", VARIANTS)
@given(slow.judged(max_size=14), st.sampled_from([1, 2, 5, 15]))
@settings(max_examples=10)
def test_every_metric_is_its_definition(metric, table, bins):
    p = predictions(table)
    expected = slow_gce(table, metric, bins)
    assert metric(p, bins) == pytest.approx(expected, abs=1e-10)
    choices = {name: getattr(metric, name) for name in metric.__dataclass_fields__}
    assert cv.GCE(**choices)(p, bins) == pytest.approx(expected, abs=1e-10)


@given(slow.judged(max_size=14), st.sampled_from([0.0, 1 / 16, 0.25, 0.5, 0.999]), st.sampled_from(VARIANTS))
def test_scores_on_the_threshold_drop_out(table, threshold, metric):
    metric = cv.GCE(metric.binning, metric.max_prob, metric.class_conditional, threshold, metric.norm)
    assert metric(predictions(table), 3) == pytest.approx(slow_gce(table, metric, 3), abs=1e-10)


@given(slow.judged(max_size=14), st.data())
@settings(max_examples=20)
def test_a_class_that_is_absent_adds_nothing_but_counts(table, data):
    probs, labels, weights = table
    absent = data.draw(st.integers(0, probs.shape[1] - 1))
    probs = np.delete(probs, absent, axis=1)
    assume((probs.sum(axis=1) > 0).all())
    probs = np.insert(probs / probs.sum(axis=1, keepdims=True), absent, 0, axis=1)
    for metric in VARIANTS[4:8] + VARIANTS[:4]:
        table = probs, labels, weights
        assert metric(predictions(table), 5) == pytest.approx(slow_gce(table, metric, 5), abs=1e-10)
    # Nobody predicts the class: its slice is empty, and the mean is over K slices all the same.
    p = predictions(table)
    total = 0.0
    for c in range(p.n_classes):
        try:
            total += cv.calibration_error(p, "top-1", selection=cv.quantity("predicted") == c)
        except EmptyProblemError:
            continue
    assert cv.GCE(class_conditional=True)(p) == pytest.approx(total / p.n_classes, abs=1e-12)


def test_the_named_ones_have_their_places():
    variants = cv.GCE.variants()
    assert variants == VARIANTS and len(set(variants)) == 32
    places = {"ECE": 4, "class-conditional ECE": 0, "SCE": 8, "ACE": 24, "TACE": 26, "RMSCE": 21}
    assert {name: variants.index(cv.GCE.named(name)) for name in places} == places


@given(slow.judged(), st.integers(1, 20))
def test_the_named_ones_are_what_their_names_say(table, bins):
    p = predictions(table)
    ece, rmsce = (cv.GCE.named(name)(p, bins) for name in ("ECE", "RMSCE"))
    assert ece == pytest.approx(cv.calibration_error(p, "top-1", binning=cv.Uniform(bins)), abs=1e-12)
    assert rmsce == pytest.approx(cv.calibration_error(p, "top-1", binning=cv.EqualMass(bins), p=2), abs=1e-12)
    conditional = cv.GCE.named("class-conditional ECE")(p, bins)
    assert conditional == pytest.approx(cv.calibration_error(p, "top-1 by class", binning=cv.Uniform(bins)), abs=1e-12)
    assert cv.GCE()(p) == cv.GCE.named("ECE")(p) == cv.GCE()(p, 15)


@given(slow.judged(), st.integers(1, 20))
def test_sce_and_ace_are_classwise(table, bins):
    p = predictions(table)
    for name, binning in (("SCE", cv.Uniform(bins)), ("ACE", cv.EqualMass(bins))):
        found = cv.GCE.named(name)(p, bins)
        assert found == pytest.approx(cv.calibration_error(p, "classwise", binning=binning), abs=1e-12)
    pooled = cv.GCE("even", False, False)(p, bins)
    assert pooled == pytest.approx(cv.calibration_error(p, "pooled", binning=cv.Uniform(bins)), abs=1e-12)


def test_zeros_count_without_a_threshold():
    p = cv.Predictions([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1], [0.25, 0.75, 0]], [0, 2, 2, 1])
    # Means 1.25 and 1, 1.75 and 1, 1 and 2, each over 4.
    assert cv.GCE.named("SCE")(p, 1) == pytest.approx((0.25 + 0.75 + 1) / 4 / 3)
    # Above 0.1: [.5 .5 .25] of [1 0 0], [.5 .5 .75] of [0 0 1], [1] of [1].
    by_hand = (abs(1.25 - 1) / 3 + abs(1.75 - 1) / 3 + 0) / 3
    assert cv.GCE(max_prob=False, class_conditional=True, threshold=0.1)(p, 1) == pytest.approx(by_hand)


def test_a_repair_that_makes_zeros_is_not_punished():
    models = cv.load_dataset("digits")
    calibration, evaluation = models["random forest"].split(0.5, rng=0)
    repaired = cv.OneVsRest(cv.Isotonic()).fit(calibration).transform(evaluation)
    assert (repaired.probs == 0).mean() > 0.3
    assert cv.GCE.named("ACE")(repaired) < cv.GCE.named("ACE")(evaluation) / 2


@given(slow.judged(max_size=14), st.sampled_from(VARIANTS), st.sampled_from([1, 4, 15]))
def test_whole_weights_are_repeated_rows(table, metric, bins):
    probs, labels, weights = table
    weights = np.ones(len(probs)) if weights is None else np.ceil(weights)
    times = weights.astype(int)
    repeated = np.repeat(probs, times, axis=0), np.repeat(labels, times, axis=0), None
    found = metric(predictions((probs, labels, weights)), bins)
    assert found == pytest.approx(metric(predictions(repeated), bins), abs=1e-12)


@given(slow.judged(), st.sampled_from(VARIANTS), st.integers(0, 1))
@settings(max_examples=20)
def test_a_selection_keeps_the_classes(table, metric, label):
    assume(table[1].ndim == 1)
    p = predictions(table)
    mask = p.labels != label
    assume(mask.any() and (table[2] is None or table[2][mask].any()))
    found = metric(p, 4, cv.quantity("label") != label)
    assert found == metric(p.select(mask), 4)
    kept = tuple(None if part is None else part[mask] for part in table)
    assert found == pytest.approx(slow_gce(kept, metric, 4), abs=1e-10)


@given(slow.judged(), st.integers(1, 20))
@settings(max_examples=20)
def test_the_root_mean_square_is_not_below_the_mean(table, bins):
    p = predictions(table)
    values = [metric(p, bins) for metric in VARIANTS]
    assert all(0 <= mean <= rms + 1e-12 <= 1 + 1e-9 for mean, rms in zip(values[::2], values[1::2], strict=True))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"binning": "odd"}, ValueError, "binning must be one of 'uniform', 'equal-mass', not 'odd'"),
        ({"norm": "l3"}, ValueError, "norm must be one of 'l1', 'l2', not 'l3'"),
        ({"threshold": 1}, ValueError, "threshold must be below 1: no score exceeds 1"),
        ({"threshold": -1}, ValueError, "threshold must lie between 0 and 1, not be -1"),
        ({"threshold": "low"}, TypeError, "threshold must be a number, not 'low'"),
        ({"max_prob": "yes"}, TypeError, "max_prob must be True or False, not 'yes'"),
        ({"class_conditional": 1}, TypeError, "class_conditional must be True or False, not 1"),
        ({"bins": 0}, ValueError, "bins must be at least 1, not 0"),
        ({"bins": 1.5}, TypeError, "bins must be a whole number, not 1.5"),
        ({"selection": "label == 1"}, EmptyProblemError, "no sample is left: the selection keeps none"),
    ],
)
def test_messages(arguments, error, message):
    with pytest.raises(error, match=message):
        called = {name: arguments.pop(name) for name in ("bins", "selection") if name in arguments}
        cv.GCE(**arguments)(cv.Predictions([[0.2, 0.3, 0.5]], [0]), **called)
    with pytest.raises(TypeError, match=r"predictions must be cv\.Predictions\(probs, labels\), not ndarray"):
        cv.GCE()(np.eye(3))
