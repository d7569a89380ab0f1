"""Errors over the temperature: their least values to the end, and which temperatures are within noise of them."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from scipy.stats import binom

import calibviz as cv
from calibviz.answers.situation.engine import Engine
from calibviz.answers.situation.situation import Situation
from calibviz.answers.steps.temperatures import GRID, _losses, _makers, temperature_steps
from calibviz.answers.views.temperature import answer
from calibviz.context.induced import induced_problem
from calibviz.explorer.state.state import ExplorerState
from calibviz.recalibration.temperature import closer_places, tempered


def confident(seed, n=400, temperature=2.0):
    """Predictions that are calibrated at a temperature."""
    rng = np.random.default_rng(seed)
    logits = 2 * rng.normal(size=(n, 4))
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = (rng.random((n, 1)) > probs.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return cv.Predictions(labels=labels, logits=temperature * logits)


def followed(predictions, metrics, closely, setting=14, at_once=False, **choices):
    """Everything that the steps tell."""
    state = ExplorerState(("model",))
    state.update(metrics=metrics, **choices)
    situation = Situation(Engine(predictions), state.spec)
    return [value for _, value in temperature_steps(situation, closely, setting, at_once=at_once)]


@pytest.fixture(scope="module")
def found():
    p = confident(3, 4000, 2.18)
    judged = Engine(p).moved_now(ExplorerState(("model",)).spec, "model", "none")[0]
    return judged, followed(p, ("ece", "ks", "kuiper"), ("ece", "ks", "kuiper", "nll"))


def least(found, name):
    values = found.of(name, 14)
    at = int(np.nanargmin(values))
    return 2.0 ** found.places[at], values[at]


@pytest.mark.parametrize(
    ("name", "error"),
    [("ece", cv.calibration_error), ("ks", cv.ks_error), ("kuiper", cv.kuiper_error), ("nll", cv.log_loss)],
)
def test_least_values_are_those_of_a_dense_grid(found, name, error):
    p, told = found
    temperature, value = least(told[-1], name)
    fine = 2.0 ** np.arange(-0.5, 2.5, 0.01)
    dense = [error(cv.Predictions(labels=p.labels, logits=p.logits / t)) for t in fine]
    spacing = np.abs(np.diff(dense)).max()
    assert value <= min(dense) + spacing / 4
    coarse = least(told[len(GRID) - 1], name)
    assert value < coarse[1] and temperature != coarse[0]
    moved = cv.Predictions(labels=p.labels, logits=p.logits / temperature)
    assert error(moved) == pytest.approx(value, abs=1e-9)


def test_metrics_differ_in_where_they_are_least(found):
    _, told = found
    places = [least(told[-1], name)[0] for name in ("ks", "nll", "kuiper")]
    assert len(set(places)) == 3
    assert len({least(told[len(GRID) - 1], name)[0] for name in ("ks", "nll", "kuiper")}) < 3


def test_nothing_is_told_before_all_least_values_are_found(found):
    _, told = found
    first = followed(confident(3, 4000, 2.18), ("ece", "ks", "kuiper"), ("ece", "ks", "kuiper", "nll"), at_once=True)[0]
    assert not first.within and len(first.places) > len(GRID)
    assert least(first, "ks") == least(told[-1], "ks")


def test_the_true_temperature_is_within_noise():
    """At the level that is claimed, 95 %, less three standard errors of so many sets."""
    sets = 40
    ends = [followed(confident(seed, 800), ("ks",), ("ks", "nll"), at_once=True)[-1].within for seed in range(sets)]
    for name in ("ks", "nll"):
        low, high = np.array([one[name] for one in ends]).T
        assert ((low <= 1) & (high >= 1)).mean() >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / sets)
        assert np.median(high - low) < 1  # and the half of it, or twice as much, is not


@pytest.mark.thorough
@pytest.mark.parametrize("loss", [(), ("log_loss", "class 2")], ids=["all", "class"])
def test_the_panel_says_that_a_temperature_helps_where_it_does(loss):
    """Of calibrated probabilities in one of twenty sets at most, give or take three standard errors of so many."""
    choices = {"metrics": ("log_loss",), "closely": ("log_loss",), "lens": "class 2"}
    if not loss:
        choices = {"metrics": (), "closely": ("nll",)}

    def said(seed, temperature):
        return answer(followed(confident(seed, 600, temperature), at_once=True, **choices)[-1], *loss)

    sets = 150
    calibrated = [said(seed, 1.0) for seed in range(sets)]
    assert sum("no temperature is shown to help" not in text for text in calibrated) <= sets * 0.05 + 3 * np.sqrt(
        sets * 0.05 * 0.95
    )
    assert all("It lies above 1: the probabilities are surer than they should be." in said(s, 2.0) for s in range(9))
    assert all("It lies below 1: the probabilities are less sure" in said(s, 0.5) for s in range(9))


def sure(seed, n):
    """Calibrated predictions most of which are nearly certain, so that few samples tell of a temperature."""
    rng = np.random.default_rng(seed)
    logits = 6 * rng.normal(size=(n, 10))
    probs = np.exp(logits - logits.max(axis=1, keepdims=True))
    probs /= probs.sum(axis=1, keepdims=True)
    labels = (rng.random((n, 1)) > probs.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return cv.Predictions(labels=labels, logits=logits)


@pytest.mark.thorough
@pytest.mark.parametrize("n", [30, 100])
def test_of_sure_predictions_a_temperature_is_seldom_said_to_help(n):
    """With the spread of replicates alone, in one of ten sets."""
    sets = 200
    said = [answer(followed(sure(seed, n), (), ("nll",), at_once=True)[-1]) for seed in range(sets)]
    told = [text for text in said if text]
    assert len(told) > 0.8 * sets
    assert sum("no temperature is shown to help" not in text for text in told) <= binom.ppf(0.999, len(told), 0.05)
    surer = sure(0, 3000)
    surer = cv.Predictions(labels=surer.labels, logits=2 * surer.logits)
    assert "surer than they should be" in answer(followed(surer, (), ("nll",), at_once=True)[-1])


def test_no_temperature_is_within_noise_where_none_calibrates():
    rng = np.random.default_rng(0)
    score = rng.choice([0.1, 0.9], 2000)
    p = cv.Predictions(np.stack([1 - score, score], axis=1), (rng.random(2000) < np.where(score < 0.5, 0.6, 0.4)))
    ((low, high),) = followed(p, ("ks",), ("ks",))[-1].within.values()
    assert not low <= high
    soft = cv.Predictions(p.probs, np.full((2000, 2), 0.5))
    assert set(followed(soft, ("ks",), ("ks", "nll"))[-1].within) == {"nll"}  # of which no label can be drawn


def test_valleys_are_halved_where_the_least_may_be():
    x = np.arange(6.0)
    assert closer_places(x, np.array([5, 1, 4, 4, 1.5, 4]), 0.5) == [0.5, 1.5, 3.5, 4.5]
    assert closer_places(x, np.array([5, 1, 1.5, 4, 3.9, 4]), 0.5) == [0.5, 1.5]  # the other falls too little
    assert closer_places(x, np.array([0, 1, 2, 3, 4, 5.0]), 0.5) == [0.5]
    assert closer_places(x, np.array([np.inf, 1, 0, np.nan, 4, 5.0]), 0.5) == [1.5, 3.0]
    assert closer_places(x, np.full(6, 0.1), 0.5) == closer_places(x, np.full(6, np.nan), 0.5) == []
    assert closer_places(x, np.array([5, 1, 4, 4, 1.5, 4]), 1.0) == []


# ---- MetricTemperature


@pytest.mark.parametrize("factor", [20.0, 0.05])
def test_a_metric_temperature_is_found_far_from_1(factor):
    p = confident(1)
    far = cv.Predictions(labels=p.labels, logits=factor * p.logits)
    near, moved = (cv.MetricTemperature(cv.ks_error).fit(one) for one in (p, far))
    assert moved.temperature_ == pytest.approx(factor * near.temperature_, rel=1e-3)
    assert moved.error_ == pytest.approx(near.error_, abs=1e-4)


def test_a_metric_temperature_at_a_bound_is_said():
    p = cv.Predictions(labels=[0, 1] * 200, logits=np.tile([3.0, 0.0], (400, 1)))  # right by chance, whatever it says
    said = "no temperature between 0.001 and 1000 minimises the negative log-likelihood; 1000 is used"
    for error in (cv.calibration_error, lambda q: 0.1):  # rows that say nothing leave only that temperature
        with pytest.warns(RuntimeWarning, match=said):
            assert cv.MetricTemperature(error).fit(p).temperature_ == pytest.approx(1000)


def test_a_metric_temperature_is_the_least_of_several_valleys():
    def error(q):
        place = np.log2(3 / np.ptp(np.log(np.maximum(q.probs[0], 1e-300))))  # of the temperature
        return min(abs(place - 0.71) + 0.1, 2 * abs(place + 1.03) + 0.05)

    # 20 of 21 rows are right, so that the log loss is least at 3 / log(20) = 1.001.
    rows, labels = np.repeat([[3.0, 0.0], [0.0, 3.0]], 21, axis=0), [0] * 20 + [1] * 21 + [0]
    found = cv.MetricTemperature(error).fit(cv.Predictions(labels=labels, logits=rows))
    assert found.temperature_ == pytest.approx(2**-1.03, rel=1e-4)
    assert found.error_ == pytest.approx(0.05, abs=5e-4)


def test_of_equal_errors_the_temperature_of_least_log_loss_wins():
    p = confident(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cv.MetricTemperature(lambda q: 0.1).fit(p)
    assert found.temperature_ == pytest.approx(cv.Temperature().fit(p).temperature_, rel=1e-12)


@pytest.mark.parametrize("soft", [False, True])
def test_a_metric_temperature_leaves_the_rows_what_they_know(soft):
    """Of balanced classes, rows that say nothing are calibrated by class; a metric must not pay for that."""
    p = confident(4)
    if soft:
        p = cv.Predictions(p.probs, np.eye(p.n_classes)[p.labels], logits=p.logits)
    usual = cv.Temperature().fit(p).temperature_
    constant = cv.Predictions(np.tile(np.bincount(confident(4).labels) / len(p), (len(p), 1)), confident(4).labels)

    def loss(temperature):
        return cv.log_loss(cv.Predictions(labels=confident(4).labels, logits=p.logits / temperature))

    most = (loss(usual) + cv.log_loss(constant)) / 2
    with pytest.warns(RuntimeWarning) as heard:
        found = cv.MetricTemperature(lambda q: 1 - q.confidence.std() if q.confidence.max() > 0.5 else 0.0).fit(p)
    [said] = [str(one.message) for one in heard]
    other = float(re.search(r"the error is less still at T = (\S+), where all rows are nearly alike", said)[1])
    losses = f"(log loss {loss(other):.4f} for {loss(found.temperature_):.4f}): not used"
    assert said.endswith(losses)
    assert usual / 3 <= found.temperature_ <= 3 * usual and loss(found.temperature_) <= most
    with pytest.warns(RuntimeWarning, match="where nearly every row is certain"):
        sure = cv.MetricTemperature(lambda q: 1 - q.confidence.mean()).fit(p)
    assert usual / 3 <= sure.temperature_ and loss(sure.temperature_) <= most + 1e-12


def test_of_scores_that_know_nothing_no_other_temperature_is_called_certain():
    """Labels that have nothing to do with the logits: log loss is least at the hottest end; no row is certain below."""
    rng = np.random.default_rng(0)
    logits = 2 * rng.normal(size=(100, 3))
    p = cv.Predictions(logits=logits, labels=rng.integers(0, 3, 100))
    with pytest.warns(RuntimeWarning) as heard:
        found = cv.MetricTemperature(lambda q: abs(q.confidence.mean() - 0.6)).fit(p)
    said = [str(one.message) for one in heard][-1]
    assert found.temperature_ == 1000
    assert "where the log loss is no less than that of the class frequencies (log loss 1." in said


def test_no_gce_metric_makes_a_model_say_nothing():
    p, judged = confident(2), confident(3)
    usual = cv.calibration_error(cv.Temperature().fit(p).transform(judged))
    for metric in cv.GCE.variants():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            moved = cv.MetricTemperature(metric).fit(p).transform(judged)
        assert cv.calibration_error(moved) <= usual + 0.05


@pytest.mark.parametrize("selection", ["output > 0.9", "confidence > 0.9", "probability(1) > 0.3"])
def test_other_samples_at_each_temperature_have_no_log_loss_to_compare(selection):
    told = followed(confident(6), ("brier", "ks"), ("brier", "ks", "nll"), selection=selection)[-1]
    assert np.isnan(told.errors["nll"]).all() and not told.within


def test_the_same_samples_at_each_temperature_have_a_log_loss():
    told = followed(confident(6), ("brier",), ("nll",), selection="predicted == 1")[-1]
    assert np.isfinite(told.errors["nll"]).all() and np.isfinite(told.within["nll"]).all()


def told_classes(logits, temperature):
    probs = np.exp(logits / temperature)
    return probs / probs.sum(axis=1, keepdims=True)


LOSSES = {
    ("top-1", "brier"): lambda q, y: (q.max(axis=1) - (q.argmax(axis=1) == y)) ** 2,
    ("class 1", "log_loss"): lambda q, y: -np.log(np.where(y == 1, q[:, 1], 1 - q[:, 1])),
    ("pooled", "brier"): lambda q, y: ((q - np.eye(4)[y]) ** 2).sum(axis=1),
    ("full", "nll"): lambda q, y: -np.log(q[np.arange(len(y)), y]),
}


@pytest.mark.parametrize(("lens", "name"), LOSSES)
def test_how_many_samples_make_up_a_slope(lens, name):
    p, near = confident(5, 60), (2.0 ** (-1 / 16), 2.0 ** (1 / 16))

    def makers(predictions):
        return _makers(*(_losses(name, induced_problem(tempered(predictions, t), lens)) for t in near))

    low, high = (LOSSES[lens, name](told_classes(p.logits, t), p.labels) for t in near)
    squares = (high - low) ** 2
    assert makers(p) == pytest.approx(squares.sum() ** 2 / (squares**2).sum())
    times = np.arange(60) % 4
    rows = np.repeat(np.arange(60), times)
    again = cv.Predictions(labels=p.labels[rows], logits=p.logits[rows])
    assert makers(cv.Predictions(labels=p.labels, logits=p.logits, weights=times)) == pytest.approx(makers(again))
    of_unit = [
        makers(cv.Predictions(labels=p.labels, logits=p.logits, weights=(times + 0.5) * unit))
        for unit in (1, 1e200, 1e-200)
    ]
    assert of_unit == pytest.approx([of_unit[0]] * 3)
