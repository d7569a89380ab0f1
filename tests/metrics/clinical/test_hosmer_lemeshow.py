"""The test of Hosmer and Lemeshow: a plain loop, ties, weights, and its level."""

from __future__ import annotations

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
from hypothesis import given
from samples import samples
from scipy.stats import chi2

import calibviz as cv


def drawn(n: int, seed: int = 0) -> cv.ScalarProblem:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 2, n)
    return cv.ScalarProblem(score, rng.random(n) < score)


def by_a_loop(score: list[float], target: list[float], groups: int) -> tuple[float, int]:
    """The statistic and the number of groups, which end at the quantiles."""
    cuts = [np.quantile(score, k / groups) for k in range(1, groups)] + [np.inf]
    total, used, lower = 0.0, 0, -np.inf
    for cut in cuts:
        inside = [(s, t) for s, t in zip(score, target, strict=True) if lower < s <= cut]
        lower = max(lower, cut)
        if not inside:
            continue
        used += 1
        n, events, expected = len(inside), sum(t for _, t in inside), sum(s for s, _ in inside)
        mean = expected / n
        gap, variance = (events - expected) ** 2, n * mean * (1 - mean)
        total += (gap / variance if variance else np.inf) if gap else 0.0
    return total, used


@given(samples(least_weight=1))
def test_the_statistic_is_that_of_a_loop(sample):
    score, target, _ = sample
    target = np.round(target)
    expected, used = by_a_loop(list(score), list(target), 4)
    found = cv.hosmer_lemeshow(cv.ScalarProblem(score, target), groups=4)
    assert found.sizes["group"] == used == found.degrees_of_freedom
    if np.isfinite(expected) and expected < 1e9:
        assert found.statistic.item() == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert found.p_value.item() == pytest.approx(chi2.sf(found.statistic.item(), used))


def test_groups_are_described_and_the_statistic_follows_from_them():
    found = cv.hosmer_lemeshow(problem := drawn(503))
    assert found["count"].sum() == 503 and found.group.values.tolist() == list(range(1, 11))
    assert (found.low.values[1:] > found.high.values[:-1]).all()
    np.testing.assert_allclose((found["count"] @ found.score) / 503, problem.mean_score)
    np.testing.assert_allclose((found["count"] @ found.target) / 503, problem.mean_target)
    parts = found["count"] * (found.target - found.score) ** 2 / (found.score * (1 - found.score))
    assert found.statistic.item() == pytest.approx(parts.sum().item())


def test_equal_scores_stay_in_one_group_in_any_order():
    rng = np.random.default_rng(0)
    score = np.round(rng.random(300), 1)
    target = (rng.random(300) < score).astype(float)
    target[score == 0], target[score == 1] = 0, 1
    order = rng.permutation(300)
    found, again = (cv.hosmer_lemeshow(cv.ScalarProblem(score[o], target[o])) for o in (np.arange(300), order))
    assert found.identical(again) and set(found.low.values) | set(found.high.values) <= set(score)
    assert (found.low.values[1:] > found.high.values[:-1]).all()
    two = cv.hosmer_lemeshow(cv.ScalarProblem([0.2] * 5 + [0.6] * 5, [0, 0, 1, 0, 0, 1, 1, 0, 0, 1]))
    assert two.sizes["group"] == 2 and two["count"].values.tolist() == [5, 5]


def test_whole_weights_count_repetitions_and_the_unit_of_others_means_nothing():
    problem = drawn(200)
    times = np.random.default_rng(1).integers(1, 4, 200)
    weighted = cv.hosmer_lemeshow(cv.ScalarProblem(problem.score, problem.given_target, times))
    rows = cv.ScalarProblem(np.repeat(problem.score, times), np.repeat(problem.given_target, times))
    np.testing.assert_allclose(weighted.statistic, cv.hosmer_lemeshow(rows).statistic)
    half, tenth = (
        cv.hosmer_lemeshow(cv.ScalarProblem(problem.score, problem.given_target, times * unit)) for unit in (0.5, 0.1)
    )
    np.testing.assert_allclose(half.statistic, tenth.statistic)


@pytest.mark.parametrize("weighted", [False, True])
def test_calibrated_predictions_are_rejected_once_in_20(weighted):
    rejected = []
    for seed in range(600):
        problem = drawn(600, seed)
        if weighted:
            weight = np.random.default_rng(seed + 1).uniform(0.2, 1.2, 600)
            problem = cv.ScalarProblem(problem.score, problem.given_target, weight)
        rejected.append(cv.hosmer_lemeshow(problem).p_value.item() < 0.05)
    assert np.mean(rejected) == pytest.approx(0.05, abs=3.3 * np.sqrt(0.05 * 0.95 / 600))


def test_of_development_data_two_degrees_of_freedom_are_used_up():
    problem = drawn(300)
    here, elsewhere = (cv.hosmer_lemeshow(problem, development=fitted) for fitted in (True, False))
    assert (here.degrees_of_freedom, elsewhere.degrees_of_freedom) == (8, 10)
    assert here.statistic == elsewhere.statistic and here.p_value < elsewhere.p_value
    two = cv.ScalarProblem([0.2, 0.6, 0.6], [0, 1, 0])
    with pytest.raises(ValueError, match=r"^development: 2 groups leave no degree of freedom"):
        cv.hosmer_lemeshow(two, development=True)


def test_an_event_where_none_is_possible_is_rejected_outright():
    score = np.append(np.zeros(50), np.linspace(0.3, 0.7, 50))
    target = np.append(np.zeros(50), np.arange(50) % 2)
    assert np.isfinite(cv.hosmer_lemeshow(cv.ScalarProblem(score, target), groups=2).statistic)
    target[0] = 1
    found = cv.hosmer_lemeshow(cv.ScalarProblem(score, target), groups=2)
    assert (found.statistic.item(), found.p_value.item()) == (np.inf, 0)


def test_what_it_cannot_judge_is_refused():
    p = cv.load_dataset("tumours")["naive Bayes"]
    with pytest.raises(ValueError, match="the test takes labels that are 0 or 1, but these labels are soft"):
        cv.hosmer_lemeshow(cv.ScalarProblem([0.2, 0.6], [0.3, 0.7]))
    with pytest.raises(ValueError, match="looks at what is true, and the test of Hosmer and Lemeshow would find"):
        cv.hosmer_lemeshow(p, "top-1", selection="correct == 1")
    with pytest.raises(ValueError, match="lens must not be 'pooled' for a test"):
        cv.hosmer_lemeshow(p, "pooled")
    with pytest.raises(ValueError, match="groups must be"):
        cv.hosmer_lemeshow(p, groups=1)
    with pytest.raises(ValueError, match="the test of Hosmer and Lemeshow would take all samples to be independent"):
        cv.hosmer_lemeshow(cv.ScalarProblem([0.2, 0.6, 0.3], [0, 1, 0], cluster=[1, 1, 2]))
