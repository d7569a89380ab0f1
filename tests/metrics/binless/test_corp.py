"""The CORP decomposition against the definition of the isotonic fit and differences of scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import slow  # noqa: F401, the profile of Hypothesis
from hypothesis import given
from samples import others, samples

import calibviz as cv
from calibviz.metrics.binless.corp import corp_of

DATA = Path(__file__).parents[4] / "shared" / "data"


def pooled(score, target, weight):
    """Score, mean target and weight of each distinct score."""
    rows = [(s, score == s) for s in sorted(set(score.tolist())) if weight[score == s].sum() > 0]
    return [(s, np.average(target[tied], weights=weight[tied]), weight[tied].sum()) for s, tied in rows]


def greatest_of_least_means(target, weight):
    """The isotonic fit by its min-max formula: at i the greatest over j <= i of the least mean of j, ..., k >= i."""
    m = len(target)
    means = np.array(
        [
            [np.average(target[j : k + 1], weights=weight[j : k + 1]) if j <= k else np.nan for k in range(m)]
            for j in range(m)
        ]
    )
    return np.array([max(means[j, i:].min() for j in range(i + 1)) for i in range(m)])


def pool_adjacent_violators(target, weight):
    blocks = []
    for t, w in zip(target, weight, strict=True):
        blocks.append((t, w, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (t1, w1, n1), (t2, w2, n2) = blocks[-2:]
            blocks[-2:] = [((t1 * w1 + t2 * w2) / (w1 + w2), w1 + w2, n1 + n2)]
    return np.concatenate([np.full(n, t) for t, _, n in blocks])


def check(corp, score, target, weight):
    """Every field against Brier scores of the samples as they were given."""

    def brier(forecast):
        return np.average((forecast - target) ** 2, weights=weight)

    fit = corp.recalibrated[np.searchsorted(corp.score, score).clip(0, len(corp.score) - 1)]
    mean = np.average(target, weights=weight)
    assert corp.miscalibration == pytest.approx(brier(score) - brier(fit), abs=1e-12)
    assert corp.discrimination == pytest.approx(brier(mean) - brier(fit), abs=1e-12)
    assert corp.uncertainty == pytest.approx(brier(mean), abs=1e-12)
    assert corp.whole == pytest.approx(brier(score), abs=1e-12)
    assert corp.miscalibration >= 0 and corp.discrimination >= 0
    assert (np.diff(corp.recalibrated) >= 0).all() and (np.diff(corp.score) > 0).all()


@given(samples())
def test_is_its_definition(sample):
    score, target, weight = sample
    w = np.ones(len(score)) if weight is None else weight
    corp = corp_of(cv.ScalarProblem(*sample))
    distinct, means, weights = (np.array(column) for column in zip(*pooled(score, target, w), strict=True))
    assert corp.score.tolist() == distinct.tolist()
    np.testing.assert_allclose(corp.weight, weights, rtol=1e-14)
    np.testing.assert_allclose(corp.recalibrated, greatest_of_least_means(means, weights), atol=1e-14)
    np.testing.assert_allclose(corp.recalibrated, pool_adjacent_violators(means, weights), atol=1e-14)
    check(corp, score, target, w)


def loss(forecast, target, weight):
    """The log loss by its definition, with 0 log 0 = 0."""
    out = 0.0
    for f, t, w in zip(forecast, target, weight, strict=True):
        for chance, share in ((f, t), (1 - f, 1 - t)):
            if share > 0 and w > 0:
                out += w * share * (-np.log(chance) if chance > 0 else np.inf)
    return out / sum(weight)


@given(samples())
def test_parts_of_the_log_loss_are_differences_of_log_losses(sample):
    score, target, weight = sample
    w = np.ones(len(score)) if weight is None else weight
    problem = cv.ScalarProblem(*sample)
    corp, brier = corp_of(problem, cv.log_loss), corp_of(problem)
    assert corp.recalibrated.tolist() == brier.recalibrated.tolist()  # one fit for both scores
    fit = corp.recalibrated[np.searchsorted(corp.score, score).clip(0, len(corp.score) - 1)]
    mean = np.full(len(score), np.average(target, weights=w))
    assert corp.miscalibration == pytest.approx(loss(score, target, w) - loss(fit, target, w), abs=1e-12)
    assert corp.discrimination == pytest.approx(loss(mean, target, w) - loss(fit, target, w), abs=1e-12)
    assert corp.uncertainty == pytest.approx(loss(mean, target, w), abs=1e-12)
    assert corp.whole == pytest.approx(cv.log_loss(problem), abs=1e-12)
    assert corp.miscalibration >= 0 and corp.discrimination >= 0


def test_of_certain_scores_the_log_loss_is_infinite_where_one_is_wrong():
    target = np.array([0, 0, 1, 1.0])
    right = cv.corp(cv.ScalarProblem([0, 0, 1, 1], target), error=cv.log_loss)
    assert (right.miscalibration, right.discrimination) == (0, right.uncertainty) and right.whole == 0
    assert right.uncertainty == pytest.approx(np.log(2), abs=1e-15)
    wrong = cv.corp(cv.ScalarProblem([0, 0, 0, 1], target), error=cv.log_loss)
    assert wrong.miscalibration == np.inf == wrong.whole and np.isfinite(wrong.discrimination)
    one = cv.corp(cv.ScalarProblem([0.3, 1.0], [1.0, 1.0]), error=cv.log_loss)
    assert (one.discrimination, one.uncertainty) == (0, 0)
    assert one.miscalibration == pytest.approx(-np.log(0.3) / 2)


def test_only_two_scores_are_split():
    with pytest.raises(ValueError, match=r"^error must be cv\.brier_score or cv\.log_loss, not .*ks_error"):
        cv.corp(cv.ScalarProblem([0.3], [1.0]), error=cv.ks_error)


@given(samples())
def test_tells_the_same_of_the_same_samples(sample):
    corp = corp_of(cv.ScalarProblem(*sample))
    for other in map(corp_of, others(*sample)):
        for name in ("score", "recalibrated", "weight", "miscalibration", "discrimination", "uncertainty"):
            np.testing.assert_allclose(getattr(other, name), getattr(corp, name), atol=1e-14)


def test_of_scores_that_are_calibrated():
    score = np.repeat([0.25, 0.5, 0.75], 4)
    target = np.array([1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1.0])
    corp = corp_of(cv.ScalarProblem(score, target))
    assert corp.recalibrated.tolist() == [0.25, 0.5, 0.75]
    assert corp.weight.tolist() == [4, 4, 4]
    assert corp.miscalibration == 0
    assert corp.discrimination == pytest.approx(1 / 24)
    assert corp.uncertainty == pytest.approx(1 / 4)


def test_of_scores_that_tell_nothing():
    score = np.linspace(0.1, 0.9, 6)
    corp = corp_of(cv.ScalarProblem(score, np.array([1, 1, 1, 0, 0, 0.0])))
    assert corp.recalibrated == pytest.approx([0.5] * 6)
    assert corp.discrimination == pytest.approx(0, abs=1e-30)
    one = corp_of(cv.ScalarProblem([0.3], [1.0]))
    assert (one.miscalibration, one.discrimination, one.uncertainty) == (pytest.approx(0.49), 0, 0)


def test_small_parts_keep_their_digits():
    score = np.array([0.25, 0.75])
    corp = corp_of(cv.ScalarProblem(score, score + 1e-12))
    assert corp.miscalibration == pytest.approx(1e-24, rel=1e-3)
    corp = corp_of(cv.ScalarProblem(score, 0.5 + np.array([-1e-12, 1e-12])))
    assert corp.discrimination == pytest.approx(1e-24, rel=1e-3)


def test_single_precision_is_its_up_cast():
    rng = np.random.default_rng(0)
    score = rng.random(500).astype(np.float32)
    target = (rng.random(500) < score).astype(np.float32)
    single, double = (corp_of(cv.ScalarProblem(score.astype(t), target.astype(t))) for t in ("f4", "f8"))
    assert single.whole == double.whole
    assert single.recalibrated.tolist() == double.recalibrated.tolist()


@pytest.mark.skipif(not DATA.is_dir(), reason="the data are not on this machine")
@pytest.mark.parametrize("lens", ["top-1", "rank 2", "class 3"])
def test_of_a_network(lens):
    data = np.load(DATA / "resnet110_cifar10_logits.npz")
    problem = cv.lens(lens)(cv.Predictions(labels=data["labels_test"], logits=data["logits_test"]))
    corp = corp_of(problem)
    check(corp, problem.score, problem.given_target, problem.weight)
    targets = problem.target[problem.block_ends - 1]
    np.testing.assert_allclose(corp.recalibrated, pool_adjacent_violators(targets, corp.weight), atol=1e-12)
