"""Decisions at thresholds, costs of actions and selective prediction: identities, limits and messages."""

from __future__ import annotations

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
from hypothesis import assume, given, strategies as st
from samples import others, samples

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError

P = cv.Predictions([0.1, 0.2, 0.6, 0.7, 0.7, 0.9], [0, 1, 0, 1, 0, 1])


def drawn(n: int, seed: int = 0) -> cv.Predictions:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 2, n)
    return cv.Predictions(score, (rng.random(n) < score**1.3).astype(int))


@given(samples(least_weight=0), st.floats(0, 0.99))
def test_net_benefit_counts_the_confusion_matrix(sample, threshold):
    score, target, weight = sample
    problem = cv.ScalarProblem(score, target, weight)
    weight = np.ones(len(score)) if weight is None else weight
    act = score >= threshold
    right, vain = (weight * act) @ target, (weight * act) @ (1 - target)
    wanted = (right - threshold / (1 - threshold) * vain) / weight.sum()
    assert cv.net_benefit(problem, threshold=threshold) == pytest.approx(wanted, abs=1e-9)


@given(st.floats(0, 0.9), st.floats(0.05, 0.95))
def test_a_threshold_is_a_cost_ratio(threshold, prevalence):
    assume(abs(prevalence - P.labels.mean()) > 1e-6)  # a shift to the share that is there warns: it moves nothing
    for settings in ({}, {"prevalence": prevalence}, {"prevalence": prevalence, "shift": True}):
        by_ratio = cv.net_benefit(P, cost_ratio=threshold / (1 - threshold), **settings)
        assert by_ratio == pytest.approx(cv.net_benefit(P, threshold=threshold, **settings), abs=1e-12)


@pytest.mark.filterwarnings("ignore:the weights follow the labels")
def test_another_prevalence_is_other_weights():
    p, share = drawn(500), 0.1
    found = p.labels.mean()
    weights = np.where(p.labels == 1, share / found, (1 - share) / (1 - found))
    other = cv.Predictions(p.probs, p.labels, weights=weights)
    for threshold in (0.1, 0.3):
        moved = cv.net_benefit(p, threshold=threshold, prevalence=share)
        assert moved == pytest.approx(cv.net_benefit(other, threshold=threshold), abs=1e-12)


def test_shift_moves_the_odds():
    p, share = drawn(500), 0.2
    found = p.labels.mean()
    odds = p.probs[:, 1] / p.probs[:, 0] * share * (1 - found) / ((1 - share) * found)
    moved = cv.Predictions(odds / (1 + odds), p.labels)
    there = cv.net_benefit(p, threshold=0.15, prevalence=share, shift=True)
    assert there == pytest.approx(cv.net_benefit(moved, threshold=0.15, prevalence=share), abs=1e-12)


def test_one_class_has_no_other_prevalence():
    p = cv.Predictions([0.2, 0.8], [1, 1])
    assert np.isnan(cv.net_benefit(p, threshold=0.5, prevalence=0.3))
    assert cv.net_benefit(p, threshold=0.5) == 0.5


def test_decision_curve_has_its_strategies():
    p = drawn(400)
    spline = cv.Spline().fit(cv.lens("class 1")(drawn(400, 1)))
    table = cv.decision_curve(p, thresholds=[0.0, 0.2, 0.5], calibrator=spline, replicates=50)
    assert table.strategy.values.tolist() == ["model", "recalibrated", "treat all", "treat none"]
    assert (table.net_benefit.sel(strategy="treat none") == 0).all()
    assert (table.lower <= table.net_benefit + 1e-12).all() and (table.net_benefit <= table.upper + 1e-12).all()
    direct = cv.net_benefit(p, threshold=0.2, calibrator=spline)
    assert table.net_benefit.sel(strategy="recalibrated", threshold=0.2).item() == direct
    mapped = cv.lens("class 1")(p).mapped(spline)
    assert direct == pytest.approx(cv.net_benefit(mapped, threshold=0.2), abs=1e-12)
    avoided = table.interventions_avoided.sel(strategy="treat none", threshold=0.2).item()
    assert avoided == pytest.approx(1 - p.labels.mean() / 0.2, abs=1e-12)  # TN - FN / odds, and nobody is acted on


def test_a_calibrator_of_rows_keeps_the_samples():
    p = drawn(400)
    temperature = cv.Temperature().fit(drawn(400, 1))
    chosen = "0.3 < output and output < 0.8"
    found = cv.decision_curve(p, selection=chosen, thresholds=[0.5], calibrator=temperature)
    kept = (p.probs[:, 1] > 0.3) & (p.probs[:, 1] < 0.8)
    other = temperature.transform(p).select(kept)
    wanted = cv.net_benefit(other, threshold=0.5)
    assert found.net_benefit.sel(strategy="recalibrated").item() == pytest.approx(wanted, abs=1e-12)


def test_net_benefit_moves_by_those_who_change_sides():
    p, threshold = drawn(800), 0.3
    spline = cv.Spline().fit(cv.lens("class 1")(drawn(400, 1)))
    table = cv.changed_sides(p, calibrator=spline, thresholds=[threshold]).squeeze("threshold")
    odds = threshold / (1 - threshold)
    worth = table.weight * (table.target - odds * (1 - table.target))
    moved = worth.fillna(0).sel(direction="up").item() - worth.fillna(0).sel(direction="down").item()
    change = table.net_benefit.sel(when="after").item() - table.net_benefit.sel(when="before").item()
    assert change == pytest.approx(moved / 800, abs=1e-12)
    assert table["count"].sum() > 0
    for direction in ("up", "down"):
        (places,) = table.attrs["indices"][direction]
        assert len(places) == table["count"].sel(direction=direction).item()
        before = p.probs[places, 1] >= threshold
        assert (before == (direction == "down")).all()


def test_a_summary_has_no_places_of_samples():
    p = drawn(800)
    spline = cv.Spline().fit(cv.lens("class 1")(drawn(400, 1)))
    summary = cv.summarize(p, "class 1", progress=False)
    assert "indices" in cv.changed_sides(p, "class 1", calibrator=spline, thresholds=0.3).attrs
    assert "indices" not in cv.changed_sides(summary, calibrator=spline, thresholds=0.3).attrs


def test_changed_sides_looks_at_one_class():
    p = cv.Predictions([[0.6, 0.4], [0.3, 0.7]], [0, 1])

    class Swap:
        def fit(self, predictions):
            return self

        def transform(self, predictions):
            return cv.Predictions(predictions.probs[:, ::-1], predictions.labels)

    with pytest.raises(ValueError, match="changes which class is looked at: ask about one class"):
        cv.changed_sides(p, "top-1", calibrator=Swap(), thresholds=0.5)


def test_nobody_near_a_threshold():
    table = cv.local_calibration(P, thresholds=[0.4, 0.7], width=0.05)
    assert table["count"].values.tolist() == [0, 2]
    assert np.isnan(table.target[0]) and not np.isnan(table.curve[0])


@pytest.mark.parametrize("threshold", [0.1, 0.25, 0.5])
def test_cost_is_prevalence_less_net_benefit(threshold):
    p = drawn(300)
    odds = threshold / (1 - threshold)
    paid = cv.expected_cost(p, costs=[[0, 1], [odds, 0]]).realized.item()
    assert paid == pytest.approx(p.labels.mean() - cv.net_benefit(p, threshold=threshold), abs=1e-9)


def test_costs_of_mistakes_count_mistakes():
    p = cv.load_dataset("digits")["random forest"]
    found = cv.expected_cost(p, costs=1 - np.eye(10))
    assert found.realized.item() == pytest.approx(1 - cv.accuracy(p), abs=1e-12)
    assert found.perfect.item() == 0
    assert found.expected.item() == pytest.approx(1 - p.confidence.mean(), abs=1e-6)
    assert np.isnan(found.expected_regret.item())


def test_regret_is_of_the_reference():
    p = cv.load_dataset("tumours")["naive Bayes"]
    costs = [[0, 10], [1, 0]]
    assert cv.expected_cost(p, costs=costs, reference=p).expected_regret.item() == 0
    calibration, judged = p.split(0.5, rng=0)
    temperature = cv.Temperature().fit(calibration)
    by_calibrator = cv.expected_cost(judged, costs=costs, reference=temperature)
    by_predictions = cv.expected_cost(judged, costs=costs, reference=temperature.transform(judged))
    assert by_calibrator.identical(by_predictions)
    assert by_calibrator.expected_regret.item() >= 0
    chosen = cv.expected_cost(judged, costs=costs, selection="confidence > 0.6", reference=temperature)
    kept = judged.select(judged.confidence > 0.6)
    other = cv.expected_cost(kept, costs=costs, reference=temperature)
    assert chosen.expected_regret.item() == pytest.approx(other.expected_regret.item(), abs=1e-12)


def test_an_action_may_be_to_ask():
    p = cv.Predictions([0.1, 0.5, 0.9], [0, 1, 1])
    found = cv.expected_cost(p, costs=[[0, 1], [1, 0], [0.2, 0.2]])
    assert found.share.values.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert found.realized.item() == pytest.approx(0.2 / 3)


# Selective prediction


def areas(score, loss):
    """AURC and AUGRC by their definitions, without ties."""
    order = np.argsort(-score)
    lost = np.cumsum(loss[order])
    rank = np.arange(1, len(score) + 1)
    curve = np.concatenate([[0], lost]) / len(score)
    return (lost / rank).mean(), ((curve[1:] + curve[:-1]) / 2).mean()


@given(st.integers(1, 60), st.integers(0, 10_000))
def test_areas_are_their_definitions(n, seed):
    rng = np.random.default_rng(seed)
    score, target = rng.permutation(n) / n, rng.integers(0, 2, n)
    wanted = areas(score, 1 - target)
    problem = cv.ScalarProblem(score, target)
    assert (cv.aurc(problem), cv.augrc(problem)) == pytest.approx(wanted, abs=1e-12)
    best = areas(np.sort(rng.random(n))[::-1], np.sort(1 - target))[0]
    assert cv.excess_aurc(problem) == pytest.approx(wanted[0] - best, abs=1e-12)


def test_ties_are_averaged_over_their_orders():
    rng = np.random.default_rng(1)
    target = rng.integers(0, 2, 8)
    tied = cv.aurc(cv.ScalarProblem(np.full(8, 0.5), target))
    orders = [areas(rng.permutation(8) / 8, 1 - target)[0] for _ in range(4000)]
    assert tied == pytest.approx(np.mean(orders), abs=4 * np.std(orders) / np.sqrt(4000))


@given(samples())
def test_the_same_samples_told_in_another_way(sample):
    problem = cv.ScalarProblem(*sample)
    for other in others(*sample):
        for measure in (cv.aurc, cv.excess_aurc, cv.augrc):
            assert measure(problem) == pytest.approx(measure(other), abs=1e-9)
        for threshold in (0.2, 0.5):
            wanted = cv.net_benefit(problem, threshold=threshold)
            assert cv.net_benefit(other, threshold=threshold) == pytest.approx(wanted, abs=1e-9)


@given(samples(least_weight=1))
def test_a_perfect_ranking_has_no_excess(sample):
    _, target, weight = sample
    target = np.round(target)
    assert cv.excess_aurc(cv.ScalarProblem(target, target, weight)) == 0


def test_risk_and_coverage_are_each_other():
    p = cv.load_dataset("digits")["random forest"]
    curve = cv.risk_coverage(p)
    assert curve.risk[-1].item() == pytest.approx(1 - cv.accuracy(p))
    assert curve.coverage[-1].item() == 1
    for risk in (0.005, 0.02):
        found = cv.coverage_at_risk(p, risk=risk)
        assert cv.risk_at_coverage(p, coverage=found.coverage) <= risk + 1e-12
        assert (p.confidence >= found.threshold).mean() == pytest.approx(found.coverage)
    banded = cv.coverage_at_risk(p, risk=0.01, replicates=50)
    assert banded.lower <= banded.coverage <= banded.upper
    nothing = cv.coverage_at_risk(cv.Predictions([[0.4, 0.6]], [0]), risk=0.1)
    assert nothing.coverage == 0 and np.isnan(nothing.threshold)


def test_every_class_by_itself():
    p = cv.load_dataset("digits")["random forest"]
    each = cv.net_benefit(p, "classwise", threshold=0.3)
    assert each.sel(outcome="3").item() == cv.net_benefit(p, "class 3", threshold=0.3)
    table = cv.decision_curve(p, "classwise", thresholds=[0.3])
    assert table.net_benefit.sel(outcome="3", strategy="model").item() == each.sel(outcome="3").item()
    slopes = cv.calibration_slope(p, "classwise")
    assert slopes.estimate.sel(outcome="3").item() == cv.calibration_slope(p, "class 3").estimate


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cv.net_benefit(P), "pass one of threshold=... and cost_ratio=..."),
        (lambda: cv.net_benefit(P, threshold=0.1, cost_ratio=0.1), "pass one of threshold"),
        (lambda: cv.net_benefit(P, threshold=1.0), r"threshold must be at least 0 and below 1"),
        (lambda: cv.net_benefit(P, threshold=0.1, shift=True), "pass prevalence=... as well"),
        (lambda: cv.net_benefit(P, threshold=0.1, prevalence=1.0), "prevalence"),
        (lambda: cv.net_benefit(P, "full", threshold=0.1), "choose one with outcome=..."),
        (lambda: cv.net_benefit(P, threshold=0.1, calibrator=cv.Spline), "calibrator must be a fitted calibrator"),
        (lambda: cv.decision_curve(P, thresholds=[]), "thresholds must not be empty"),
        (
            lambda: cv.decision_curve(P, thresholds=np.ma.array([0.2, 0.5], mask=[0, 1])),
            "thresholds holds masked entries",
        ),
        (lambda: cv.decision_curve(P, thresholds=[0.2, 1.5]), r"thresholds\[1\] must be .* it is 1.5"),
        (lambda: cv.expected_cost(P, costs=[[0, 1, 2]]), "2 columns, one for each outcome"),
        (lambda: cv.expected_cost(P, costs=[[0, np.nan]]), "every cost must be finite"),
        (lambda: cv.expected_cost(P, costs=[[0, 1]], reference=3), "reference must be cv.Predictions"),
        (lambda: cv.expected_cost(P, costs=[[0, 1]], lens="classwise"), "choose one with outcome=..."),
        (lambda: cv.coverage_at_risk(P, risk=2), "risk"),
        (lambda: cv.net_benefit(P, selection="output > 2", threshold=0.1), "no sample is left"),
    ],
)
def test_messages(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_a_calibrator_may_work_in_place():
    def halved(score):
        score *= 0.5
        return score

    p = drawn(100)
    before = cv.net_benefit(p, threshold=0.3)
    cv.net_benefit(p, threshold=0.3, calibrator=halved)
    assert cv.net_benefit(p, threshold=0.3) == before


def test_a_calibrator_of_rows_under_many_problems_is_refused():
    p = cv.load_dataset("digits")["random forest"]
    with pytest.raises(ValueError, match=r"several problems: choose one with outcome=\.\.\."):
        cv.net_benefit(p, "classwise", threshold=0.5, calibrator=cv.Temperature().fit(p))


def test_what_is_no_reference_is_refused():
    p = cv.load_dataset("tumours")["logistic regression"]
    costs = [[0, 10], [1, 0]]
    problem = cv.lens("full")(p)
    fitted = cv.Temperature().fit(p)
    for judged, reference, error, message in (
        (problem, fitted, TypeError, r"Temperature\(.*\) maps rows of probabilities: pass cv\.Predictions"),
        (problem, p, TypeError, "reference must be cv.Predictions of the same samples"),
        (p, 3, TypeError, "reference must be cv.Predictions of the same samples, or a fitted calibrator, not int"),
        (p, p.select(np.arange(9)), ValueError, r"reference has probabilities of shape \(9, 2\), but predictions \("),
    ):
        with pytest.raises(error, match=message):
            cv.expected_cost(judged, costs=costs, reference=reference)
    weightless = cv.Predictions(p.probs, p.labels, weights=np.arange(len(p)) > 0)
    with pytest.raises(EmptyProblemError, match="reference lacks samples of the predictions: their weight there is"):
        cv.expected_cost(p, costs=costs, reference=weightless)


@pytest.mark.parametrize("wrong", [1.0, -0.1, float("nan")])
def test_a_threshold_is_refused_in_the_same_words_everywhere(wrong):
    p = cv.load_dataset("tumours")["naive Bayes"]
    calls = [
        lambda: cv.net_benefit(p, threshold=wrong),
        lambda: cv.InContext(cv.Temperature(), threshold=wrong),
        lambda: cv.sample_size(p, n=[50], threshold=wrong),
        lambda: cv.report(p, clinical=True, threshold=wrong),
    ]
    told = []
    for call in calls:
        with pytest.raises(ValueError, match="threshold must be at least 0 and below 1") as caught:
            call()
        told.append(str(caught.value))
    assert len(set(told)) == 1
