"""A map of logits that is scaled to the error in one context, where held-out folds show that this helps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError


def drawn(n=600, hot=2.0, seed=0):
    """Logits whose labels are drawn at temperature 2, but in a group of a third at another one."""
    rng = np.random.default_rng(seed)
    logits, inside = 3 * rng.normal(size=(n, 3)), np.arange(n) % 3 == 0
    scaled = logits / np.where(inside, hot, 2.0)[:, None]
    labels = np.argmax(scaled + rng.gumbel(size=(n, 3)), axis=1)
    return cv.Predictions(labels=labels, logits=logits, fields={"group": np.where(inside, "a", "b")})


GROUP = {"selection": "group == 'a'", "error": cv.ks_error}


def test_a_group_of_its_own_gets_a_temperature_of_its_own():
    calibration, judged = drawn(hot=6.0), drawn(3000, hot=6.0, seed=1)
    found = cv.InContext(cv.Temperature(), **GROUP).fit(calibration)
    assert found.chosen_ == "context" and found.gain_ > 1.645 * found.noise_ > 0
    assert found.gain_ == pytest.approx(found.plain_error_ - found.context_error_)
    assert found.temperature_ * found.calibrator_.temperature_ == pytest.approx(6.0, rel=0.25)
    errors = [cv.ks_error(one.transform(judged), selection=GROUP["selection"]) for one in (found.calibrator_, found)]
    assert errors[1] < errors[0] / 2


def test_without_a_difference_it_is_the_plain_fit():
    sets, chosen = 10, 0
    for seed in range(sets):
        calibration = drawn(150, seed=seed)
        found = cv.InContext(cv.Temperature(), **GROUP).fit(calibration)
        plain = cv.Temperature().fit(calibration)
        chosen += found.chosen_ == "context"
        if found.chosen_ == "plain":
            assert found.temperature_ == 1 and found.gain_ <= 1.645 * found.noise_
            np.testing.assert_array_equal(found.transform(calibration).probs, plain.transform(calibration).probs)
    assert chosen <= binom.ppf(0.999, sets, 0.05)


def test_what_it_chose_is_not_worse_on_the_folds():
    for hot in (2.0, 6.0):
        found = cv.InContext(cv.Temperature(), **GROUP).fit(drawn(hot=hot))
        errors = {"plain": found.plain_error_, "context": found.context_error_}
        assert errors[found.chosen_] <= found.plain_error_


@pytest.mark.parametrize("calibrator", [cv.BiasCorrectedTemperature(), cv.VectorScaling(), cv.MatrixScaling(1.0)])
def test_the_parameters_of_a_linear_map_are_scaled(calibrator):
    calibration = drawn(1500, hot=8.0)
    found = cv.InContext(calibrator, **GROUP).fit(calibration)
    assert found.chosen_ == "context" and found.keeps_ranking is calibrator.keeps_ranking
    z = calibration.logits
    weight, bias = found.calibrator_.weight_, found.calibrator_.bias_
    moved = (z @ weight.T if np.ndim(weight) == 2 else z * weight) + bias
    np.testing.assert_allclose(found.transform(calibration).logits, moved / found.temperature_, rtol=1e-9)


def test_the_error_may_be_of_likert_categories_or_of_acting_at_a_threshold():
    p = drawn(100, hot=6.0)
    likert = cv.InContext(cv.Temperature(), categories=(0.0, 0.5, 0.8, 1.0)).fit(p)
    acting = cv.InContext(cv.Temperature(), "class 1", threshold=0.3).fit(p)
    parts = cv.likert_error(p, categories=(0.0, 0.5, 0.8, 1.0), binning=cv.Uniform(1))
    assert likert._measure(p) == pytest.approx((parts.error * parts["count"]).sum().item() / len(p))
    assert acting._measure(p) == pytest.approx(-cv.net_benefit(p, "class 1", threshold=0.3))


def test_a_cube_takes_it_by_its_name():
    p = drawn(hot=6.0)
    method = cv.InContext(cv.Temperature(), **GROUP)
    methods, inside = ["temperature", method], {"a": GROUP["selection"]}
    cube = cv.evaluate(p, calibrators=methods, folds=2, metrics="ks", selections=inside, progress=False)
    assert method.name.startswith("in context, calibrator=temperature") and method.name in cube.calibrator
    assert cube.ks.sel(calibrator=method.name).item() < cube.ks.sel(calibrator="temperature").item()


def test_weights_of_0_and_weights_of_2_are_fewer_and_more_samples():
    p = drawn(hot=6.0)
    none = p.relabelled(p.labels, (np.arange(len(p)) < 400).astype(float))
    found = [cv.InContext(cv.Temperature(), **GROUP).fit(one) for one in (none, p.select(np.arange(400)))]
    assert found[0].temperature_ == pytest.approx(found[1].temperature_)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"calibrator": cv.Spline()}, TypeError, "calibrator must map logits, such as .* not Spline"),
        ({"calibrator": "temperature"}, TypeError, "calibrator must map logits"),
        ({"lens": "top-x"}, ValueError, "top-x"),
        ({"selection": "output > 0.5"}, ValueError, "selection must not look at the output"),
        ({"categories": (0, 1), "threshold": 0.5}, ValueError, "pass one of categories, threshold and error at most"),
        ({"categories": (0.5,)}, ValueError, "categories must hold two or more ascending numbers"),
        ({"categories": (0.5, 0.1)}, ValueError, "categories must hold two or more ascending numbers"),
        ({"threshold": 1.0}, ValueError, "threshold must be at least 0 and below 1"),
        ({"error": "ece"}, TypeError, "error must be a function of a problem such as cv.ks_error, not 'ece'"),
    ],
)
def test_refusals(given, kind, message):
    with pytest.raises(kind, match=message):
        cv.InContext(**{"calibrator": cv.Temperature(), **given})


def test_a_context_that_is_too_small_or_has_several_scores_is_refused():
    p = drawn(60)
    with pytest.raises(EmptyProblemError, match="the context holds no sample of the calibration set"):
        cv.InContext(cv.Temperature(), selection="group == 'c'").fit(p)
    with pytest.warns(RuntimeWarning, match="the context holds 4 samples .* folds: the plain fit is used"):
        found = cv.InContext(cv.Temperature(), **GROUP).fit(p.select(np.arange(10)))
    assert found.chosen_ == "plain" and found.temperature_ == 1 and np.isnan(found.gain_)
    with pytest.raises(ValueError, match="choose one with outcome"):
        cv.InContext(cv.Temperature(), "full", threshold=0.2).fit(p)
