"""Murphy curves: their definition, the scores that they integrate to, net benefit, and paired differences."""

from __future__ import annotations

import numpy as np
import pytest
import slow  # noqa: F401, the profile of Hypothesis
from figure_checks import check
from hypothesis import given
from samples import samples

import calibviz as cv
from calibviz import figures
from calibviz.decisions.thresholds import replicates_of

HEART = cv.load_dataset("heart")
ONE, OTHER = HEART["logistic regression"], HEART["random forest"]
LENS = "class disease"


def scores_at(problem, thresholds, strategy="model"):
    return cv.murphy_curve(problem, thresholds=thresholds).elementary_score.sel(strategy=strategy).values


@given(samples())
def test_is_its_definition(sample):
    score, target, weight = sample
    w = np.ones(len(score)) if weight is None else weight
    at = np.unique([0.0, 0.1, 0.5, *score[score < 1], 0.99])
    expected = [np.average(np.where(score < t, 2 * (1 - t) * target, 2 * t * (1 - target)), weights=w) for t in at]
    problem = cv.ScalarProblem(*sample)
    np.testing.assert_allclose(scores_at(problem, at), expected, atol=1e-12)
    mean = np.average(target, weights=w)
    np.testing.assert_allclose(scores_at(problem, at, "treat all"), 2 * at * (1 - mean), atol=1e-12)
    np.testing.assert_allclose(scores_at(problem, at, "treat none"), 2 * (1 - at) * mean, atol=1e-12)


@given(samples())
def test_its_area_is_the_brier_score(sample):
    """Between two scores it is a straight line, so its value in the middle gives the area."""
    score, target, weight = sample
    problem = cv.ScalarProblem(*sample)
    ends = np.unique([0.0, *score, 1.0])
    area = np.diff(ends) @ scores_at(problem, (ends[1:] + ends[:-1]) / 2)
    soft = np.average(target * (1 - target), weights=weight)  # a label that is drawn from a soft target
    assert area == pytest.approx(cv.brier_score(problem) + soft, abs=1e-12)


def test_its_weighted_area_is_the_log_loss():
    score, target = np.array([0.2, 0.7, 0.7, 0.9]), np.array([0, 1, 0, 1])
    problem = cv.ScalarProblem(score, target)
    at = (np.arange(200_000) + 0.5) / 200_000
    area = (scores_at(problem, at) / (2 * at * (1 - at))).mean()
    assert area == pytest.approx(cv.log_loss(problem), abs=1e-4)


@given(samples())
def test_net_benefit_follows_from_it(sample):
    problem = cv.ScalarProblem(*sample)
    at = np.array([0.0, 0.2, 0.5, 0.9])
    curves = cv.decision_curve(problem, thresholds=at)
    score = cv.murphy_curve(problem, thresholds=at).elementary_score
    np.testing.assert_allclose(curves.net_benefit, problem.mean_target - score / (2 * (1 - at)), atol=1e-12)


@pytest.mark.parametrize("selection", [None, "output > 0.3"])
def test_differences_are_paired(selection):
    given = {"thresholds": [0.2, 0.5], "replicates": 40, "selection": selection}
    table = cv.murphy_curve(ONE, LENS, baseline=OTHER, calibrator=np.sqrt, **given)
    assert table.strategy.values.tolist() == ["model", "recalibrated", "baseline", "treat all", "treat none"]
    assert (table.difference.sel(strategy="model") == 0).all() and (table.difference_upper[0] == 0).all()
    first = cv.lens(LENS)(ONE)
    kept = np.arange(len(ONE)) if selection is None else np.flatnonzero(ONE.probs[:, 1] > 0.3)
    one, other = cv.lens(LENS)(ONE.select(kept)), cv.lens(LENS)(OTHER.select(kept))
    apart = scores_at(other, [0.2, 0.5]) - scores_at(one, [0.2, 0.5])
    np.testing.assert_allclose(table.difference.sel(strategy="baseline"), apart, atol=1e-12)
    assert first.mean_target == pytest.approx(ONE.labels.mean())
    drawn = [
        scores_at(both["other"], [0.2, 0.5]) - scores_at(both["one"], [0.2, 0.5])
        for both in replicates_of({"one": one, "other": other}, 40, 0)
    ]
    ends = np.quantile(drawn, [0.025, 0.975], axis=0)
    found = [table[f"difference_{end}"].sel(strategy="baseline").values for end in ("lower", "upper")]
    np.testing.assert_allclose(found, ends, atol=1e-12)
    spread = (table.upper - table.lower).sel(strategy=["model", "baseline"]).sum("strategy")
    assert (ends[1] - ends[0] < spread).all()


@pytest.mark.thorough
def test_equally_good_models_are_seldom_told_apart_at_a_threshold():
    """Both know the truth up to noise of one size: 95 % of 100 intervals of the difference hold 0."""
    held = 0
    for i in range(100):
        rng = np.random.default_rng(i)
        truth = rng.normal(0, 1.5, 400)
        labels = (rng.random(400) < 1 / (1 + np.exp(-truth))).astype(int)
        one, other = (cv.Predictions(1 / (1 + np.exp(-truth - rng.normal(0, 0.7, 400))), labels) for _ in range(2))
        row = cv.murphy_curve(one, thresholds=[0.4], baseline=other, replicates=100).sel(strategy="baseline")
        held += bool(row.difference_lower <= 0 <= row.difference_upper)
    assert held >= 88


def test_families_have_a_curve_for_each_outcome():
    digits = cv.load_dataset("digits")["naive Bayes"]
    table = cv.murphy_curve(digits, "classwise", thresholds=[0.3])
    one = cv.murphy_curve(digits, "class 3", thresholds=[0.3])
    assert table.elementary_score.sel(outcome="3", strategy="model").item() == one.elementary_score[0].item()
    with pytest.raises(ValueError, match=r"^baseline is of rows, and this lens makes several problems: choose one"):
        cv.murphy_curve(digits, "classwise", baseline=digits)


def test_a_summary_is_exact_at_edges_of_its_cells():
    exact, found = (cv.murphy_curve(one, thresholds=[1 / 15, 0.01]) for one in (ONE, cv.summarize(ONE, LENS)))
    np.testing.assert_allclose(found.elementary_score, exact.elementary_score, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cv.murphy_curve(ONE, baseline=OTHER.select(range(9))), ValueError, r"^baseline: it has 9 samples"),
        (lambda: cv.murphy_curve(ONE, baseline=3), TypeError, r"^baseline must be cv\.Predictions"),
        (lambda: cv.murphy_curve(cv.lens(LENS)(ONE), baseline=OTHER), TypeError, r"^baseline needs cv\.Predictions"),
        (
            lambda: cv.murphy_curve(ONE, thresholds=[1.0]),
            ValueError,
            r"^thresholds\[0\] must be at least 0 and below 1",
        ),
        (lambda: cv.murphy_curve(ONE, replicates=-1), ValueError, "^replicates must be"),
        (
            lambda: cv.plots.murphy_curve(cv.decision_curve(ONE)),
            ValueError,
            r"table must be what cv\.murphy_curve\(\.\.\.\) returns, but it holds no 'elementary_score'",
        ),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_picture_has_each_curve_and_its_band():
    table = cv.murphy_curve(ONE, baseline=OTHER, replicates=20)
    record = check(figures.murphy_figure(table))
    lines = {series.name: series.y for series in record.series if series.shape.startswith("line")}
    np.testing.assert_array_equal(lines["model"], table.elementary_score.sel(strategy="model"))
    np.testing.assert_array_equal(lines["baseline"], table.elementary_score.sel(strategy="baseline"))
    mean = ONE.labels.mean()
    at = table.threshold.values
    expected = 2 * np.minimum(at * (1 - mean), (1 - at) * mean)
    np.testing.assert_allclose(lines["one prediction for all"], expected, atol=1e-12)
    assert [series.shape for series in record.series].count("area") == 2
    (ax,) = cv.plots.murphy_curve({"one": cv.murphy_curve(ONE), "other": cv.murphy_curve(OTHER)}).axes
    assert {line.get_label() for line in ax.get_lines()} >= {"one", "other"}
