"""Proper scores and accuracy against sums over samples, and against scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
import slow
from hypothesis import assume, given, strategies as st

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError

SCALAR = ["top-1", "rank 2", "within-top 2", "class 0"]


def predictions(table):
    probs, labels, weights = table
    k = probs.shape[1]
    return cv.Predictions(probs, labels, weights=weights, groups={"a": [k - 1], "b": range(k - 1)})


def parts(table):
    probs, labels, weights = table
    weights = [1.0] * len(probs) if weights is None else weights.tolist()
    return probs.tolist(), slow.target_rows(labels, probs.shape[1]), weights


def loss(chance, happened):
    """-happened log(chance), where nothing that did not happen is lost."""
    return 0.0 if happened == 0 else math.inf if chance == 0 else -happened * math.log(chance)


def mean(values, weights):
    rows = [(v, w) for v, w in zip(values, weights, strict=True) if w > 0]
    return sum(v * w for v, w in rows) / sum(w for _, w in rows)


def squares_and_losses(scores, targets):
    pairs = [list(zip(score, target, strict=True)) for score, target in zip(scores, targets, strict=True)]
    return [sum((s - t) ** 2 for s, t in row) for row in pairs], [sum(loss(s, t) for s, t in row) for row in pairs]


@given(slow.judged(), st.sampled_from(["full", "top-2", "grouping"]))
def test_scores_of_vectors_are_sums(table, lens):
    p, (probs, targets, weights) = predictions(table), parts(table)
    scores, outcomes = slow.vector_lens(lens, probs, targets, p.groups.values())
    squares, losses = squares_and_losses(scores, outcomes)
    assert cv.brier_score(p, lens) == pytest.approx(mean(squares, weights), abs=1e-12)
    assert cv.log_loss(p, lens) == pytest.approx(mean(losses, weights), abs=1e-12)
    assert cv.brier_score(cv.lens(lens)(p)) == cv.brier_score(p, lens)


@given(slow.judged(), st.sampled_from(SCALAR))
def test_scores_of_scalars_are_sums(table, lens):
    p, (probs, targets, weights) = predictions(table), parts(table)
    rows = slow.scalar_lens(lens, probs, targets)
    squares, losses = squares_and_losses([(s, 1 - s) for s, _, _ in rows], [(t, 1 - t) for _, t, _ in rows])
    assert 2 * cv.brier_score(p, lens) == pytest.approx(mean(squares, weights), abs=1e-12)
    assert cv.log_loss(p, lens) == pytest.approx(mean(losses, weights), abs=1e-12)


@given(slow.judged())
def test_accuracy_is_the_share_of_the_first_ranks(table):
    p, (probs, targets, weights) = predictions(table), parts(table)
    for k in range(1, p.n_classes + 1):
        hits = [sum(target[c] for c in slow.ranking(row)[:k]) for row, target in zip(probs, targets, strict=True)]
        assert cv.accuracy(p, k=k) == pytest.approx(mean(hits, weights), abs=1e-12)
    assert cv.accuracy(p, k=p.n_classes) == pytest.approx(1, abs=1e-12)
    assert cv.accuracy(p) == pytest.approx(cv.lens("top-1")(p).mean_target, abs=1e-12)


def skill(p, lens):
    cube = cv.evaluate(p, lens, metrics="brier_skill", progress=False)
    return cube.brier_skill.item(), cube.brier_skill.attrs.get("unavailable", "")


@given(slow.judged(), st.sampled_from(["full", "class 0", "top-1"]))
def test_skill_is_the_gain_over_the_prevalences_as_predictions(table, lens):
    p, (probs, targets, weights) = predictions(table), parts(table)
    rows = targets if lens == "full" else [[t] for _, t, _ in slow.scalar_lens(lens, probs, targets)]
    constant = [mean(column, weights) for column in zip(*rows, strict=True)]
    squares = mean([sum((t - c) ** 2 for t, c in zip(row, constant, strict=True)) for row in rows], weights)
    found, why = skill(p, lens)
    if squares < 1e-12:
        assert math.isnan(found) and "one outcome alone was observed" in why
    else:
        assert found == pytest.approx(1 - cv.brier_score(p, lens) / squares, abs=1e-9)


def test_the_prevalences_have_no_skill_and_the_truth_has_all():
    labels = np.repeat([0, 1, 2], [10, 30, 60])
    for probs, expected in ((np.tile([0.1, 0.3, 0.6], (100, 1)), 0), (np.eye(3)[labels], 1)):
        p = cv.Predictions(probs, labels)
        for lens in ("full", "class 1"):
            assert skill(p, lens)[0] == pytest.approx(expected, abs=1e-12)
    backwards = cv.Predictions(np.eye(3)[2 - labels], labels)
    assert skill(backwards, "full")[0] < 0


@given(slow.judged(), st.sampled_from(["full", "grouping"]))
def test_the_ranked_score_is_the_mean_brier_score_of_what_is_at_most_each_class(table, lens):
    p, (probs, targets, weights) = predictions(table), parts(table)
    scores, outcomes = slow.vector_lens(lens, probs, targets, p.groups.values())
    at_most = [
        cv.brier_score(
            cv.ScalarProblem(
                np.clip([sum(row[: k + 1]) for row in scores], 0, 1),
                np.clip([sum(row[: k + 1]) for row in outcomes], 0, 1),
                weights,
            )
        )
        for k in range(len(scores[0]) - 1)
    ]
    assert cv.ranked_probability_score(p, lens) == pytest.approx(sum(at_most) / len(at_most), abs=1e-12)
    if p.n_classes == 2:
        assert cv.ranked_probability_score(p) == cv.brier_score(p)


def test_the_ranked_score_follows_the_order_of_the_classes():
    probs, labels = [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]], [0, 2]
    p = cv.Predictions(probs, labels)
    assert cv.ranked_probability_score(p) == pytest.approx((0.25 + 0.04 + 0.01 + 0.16) / 4)
    backwards = cv.Predictions([row[::-1] for row in probs], [2, 0])
    assert cv.ranked_probability_score(backwards) == pytest.approx(cv.ranked_probability_score(p))
    swapped = cv.Predictions([[a, c, b] for a, b, c in probs], [0, 1])
    assert cv.ranked_probability_score(swapped) != pytest.approx(cv.ranked_probability_score(p))
    assert cv.brier_score(swapped) == pytest.approx(cv.brier_score(p))
    certain = cv.Predictions(np.eye(4)[[0, 3]], [0, 0])
    assert cv.ranked_probability_score(certain) == 0.5  # right, and as wrong as can be


@given(slow.judged())
def test_scores_of_families_are_means_over_classes(table):
    p = predictions(table)
    k = p.n_classes
    for score in (cv.brier_score, cv.log_loss):
        assert score(p, "classwise") == pytest.approx(sum(score(p, f"class {c}") for c in range(k)) / k, abs=1e-12)
        assert score(p, "classwise") == pytest.approx(score(p, "pooled"), abs=1e-12)  # as many samples in each
        assert score(p, "classwise", outcome=1) == pytest.approx(score(p, "class 1"), abs=1e-12)
    assert cv.brier_score(p, "classwise") * k == pytest.approx(cv.brier_score(p, "full"), abs=1e-12)
    if k == 2:
        assert cv.log_loss(p, "class 1") == pytest.approx(cv.log_loss(p), abs=1e-12)
        assert cv.brier_score(p) == cv.brier_score(p, "class 1")  # one term of two classes, as in scikit-learn
        assert cv.brier_score(p) == pytest.approx(cv.brier_score(p, "full") / 2, abs=1e-12)


@given(slow.judged(), st.integers(1, 16))
def test_a_selection_is_its_samples(table, sixteenths):
    p = predictions(table)
    condition = cv.probability(0) < sixteenths / 16
    mask = p.probs[:, 0] < sixteenths / 16
    assume(mask.any() and (table[2] is None or table[2][mask].any()))
    part = p.select(mask)
    for lens in ("full", "grouping", "top-1", "class 1", "classwise", "top-1 by class", "pooled"):
        for score in (cv.brier_score, cv.log_loss):
            assert score(p, lens, selection=condition) == pytest.approx(score(part, lens), abs=1e-12)
    for k in (1, 2):
        assert cv.accuracy(p, k=k, selection=condition) == pytest.approx(cv.accuracy(part, k=k), abs=1e-12)


@pytest.mark.parametrize("weights", [None, [1, 2], [0.5, 0.25]])
def test_a_chance_of_0_that_happened_costs_everything(weights):
    for probs in ([[0, 1], [0.5, 0.5]], [[0.5, 0.5], [0, 1]]):  # warnings are errors
        p = cv.Predictions(probs, [0, 0], weights=weights)
        for lens in ("full", "top-1", "class 0", "class 1", "classwise", "pooled"):
            assert cv.log_loss(p, lens) == math.inf
    soft = cv.Predictions([[0.0, 1.0], [0.5, 0.5]], [[0.25, 0.75], [0.5, 0.5]], weights=weights)
    assert cv.log_loss(soft) == math.inf
    right = cv.Predictions([[1.0, 0.0], [0.0, 1.0]], [0, 1], weights=weights)
    for lens in ("full", "top-1", "class 0", "classwise", "pooled"):
        assert cv.log_loss(right, lens) == 0 and math.copysign(1, cv.log_loss(right, lens)) == 1


def test_samples_of_weight_0_cost_nothing():
    p = cv.Predictions([[0, 1], [0.5, 0.5]], [0, 0], weights=[0, 2])
    assert cv.log_loss(p) == cv.log_loss(p, "class 0") == pytest.approx(math.log(2))
    assert cv.brier_score(p) == pytest.approx(0.25)
    assert cv.accuracy(p) == 1


def test_scores_by_hand():
    p = cv.Predictions([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]], [0, 1], class_names=["cat", "dog", "eel"])
    assert cv.brier_score(p) == pytest.approx((0.09 + 0.04 + 0.01 + 0.09 + 0.49 + 0.16) / 2)
    assert cv.log_loss(p) == pytest.approx(-(math.log(0.7) + math.log(0.3)) / 2)
    assert cv.brier_score(p, "top-1") == pytest.approx((0.3**2 + 0.4**2) / 2)
    assert cv.brier_score(p, "full", outcome="dog") == pytest.approx((0.2**2 + 0.7**2) / 2)
    assert [cv.accuracy(p, k=k) for k in (1, 2, 3)] == [0.5, 0.5, 1]  # of the tied second rank the lower class is meant
    soft = cv.Predictions([[0.5, 0.5]], [[0.25, 0.75]])
    assert cv.brier_score(soft) == pytest.approx(0.25**2)
    assert cv.log_loss(soft) == pytest.approx(math.log(2))
    assert cv.accuracy(soft) == 0.25


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_scores_are_those_of_scikit_learn(classes, weighted):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(classes)
    probs, labels = rng.dirichlet(np.ones(classes), 300), rng.integers(0, classes, 300)
    weights = rng.random(300) if weighted else None
    p = cv.Predictions(probs, labels, weights=weights)
    every = list(range(classes))
    assert cv.log_loss(p) == pytest.approx(metrics.log_loss(labels, probs, sample_weight=weights, labels=every))
    assert cv.accuracy(p) == pytest.approx(metrics.accuracy_score(labels, probs.argmax(axis=1), sample_weight=weights))
    squares = ((probs - np.eye(classes)[labels]) ** 2).sum(axis=1)
    halved = 2 if classes == 2 else 1  # `scale_by_half` of scikit-learn
    assert cv.brier_score(p) == pytest.approx(np.average(squares, weights=weights) / halved)
    for c in every:
        expected = metrics.brier_score_loss(labels == c, probs[:, c], sample_weight=weights)
        assert cv.brier_score(p, f"class {c}") == pytest.approx(expected)
        expected = metrics.log_loss(labels == c, probs[:, c], sample_weight=weights)
        assert cv.log_loss(p, f"class {c}") == pytest.approx(expected)
    for k in range(1, classes) if classes > 2 else ():
        expected = metrics.top_k_accuracy_score(labels, probs, k=k, sample_weight=weights, labels=every)
        assert cv.accuracy(p, k=k) == pytest.approx(expected)


def test_messages():
    p = cv.Predictions([[0.2, 0.3, 0.5]], [0])
    with pytest.raises(ValueError, match="k must be at least 1, not 0"):
        cv.accuracy(p, k=0)
    with pytest.raises(ValueError, match="the lens 'within-top 4' needs at least 4 classes, but there are 3"):
        cv.accuracy(p, k=4)
    with pytest.raises(TypeError, match=r"k must be a whole number, not 2\.0"):
        cv.accuracy(p, k=2.0)
    for score in (cv.brier_score, cv.log_loss, lambda p, _, selection: cv.accuracy(p, selection=selection)):
        with pytest.raises(EmptyProblemError, match="no sample is left: the selection keeps none"):
            score(p, "full", selection="label == 2")
    for score in (cv.brier_score, cv.log_loss, cv.brier_split):
        with pytest.raises(TypeError, match=r"predictions must be cv\.Predictions\(probs, labels\), not ndarray"):
            score(np.eye(3))
