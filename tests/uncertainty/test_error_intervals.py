"""Intervals of calibration errors: that they cover, what they share with other numbers, and what is refused."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import slow
from hypothesis import assume, example, given, settings, strategies as st
from scipy.special import expit, logit
from scipy.stats import beta, binom

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError
from calibviz.metrics.binned import ks_errors
from calibviz.metrics.calibration_tests import ks_limit
from calibviz.uncertainty.intervals import error_inversion
from calibviz.uncertainty.intervals.bin_intervals import mean_interval
from calibviz.uncertainty.intervals.error_intervals import ERRORS as ERRORS_OF, several_ends
from calibviz.uncertainty.intervals.true_curves import true_curve

ERRORS = (cv.calibration_error, cv.debiased_error, cv.ks_error, cv.kuiper_error)
LEVEL = 0.9


def drawn(n, curve, seed, a=1.0, b=1.0):
    """Scores from Beta(a, b), labels from a curve."""
    rng = np.random.default_rng(seed)
    score = rng.beta(a, b, n)
    return cv.ScalarProblem(score, rng.random(n) < curve(score))


def steep(score):
    """Overconfident: half the log-odds."""
    return expit(logit(score) / 2)


def dip(score):
    """Calibrated, but for a dip of 30 points among 8 % of uniform scores."""
    return np.where(abs(score - 0.5) < 0.04, score - 0.3, score)


# ---- what it is made of


@given(slow.judged(max_size=12), st.sampled_from(ERRORS))
@settings(max_examples=12)
def test_the_interval_holds_its_estimate(table, error):
    probs, labels, _ = table
    assume(labels.ndim == 1)
    found = cv.interval(cv.Predictions(probs, labels), error=error, lens="class 0", progress=False)
    assert 0 <= found.lower <= found.estimate <= found.upper <= 1
    assert 0 <= found.noise <= 1 and 0 < found.p_value <= 1
    assert found.raw == pytest.approx(error(cv.Predictions(probs, labels), "class 0"), abs=1e-12)


@pytest.mark.parametrize("error", ERRORS)
def test_noise_and_p_are_those_of_consistency_resampling(error):
    problem = drawn(300, steep, 0)
    found = cv.interval(problem, error=error, rng=4, progress=False)
    null = cv.consistency(problem, error=error, replicates=499, rng=4, progress=False)
    assert found.raw == null.estimate
    assert found.p_value == null.p_value
    assert found.noise == np.sort(null.replicates)[-25]  # of 499


@pytest.mark.parametrize("error", ERRORS)
def test_whole_weights_are_repeated_rows(error):
    rng = np.random.default_rng(1)
    score, label, weight = rng.random(80).round(2), rng.random(80) < 0.4, rng.integers(0, 4, 80)
    weighted = cv.ScalarProblem(score, label, weight.astype(float))
    written_out = cv.ScalarProblem(np.repeat(score, weight), np.repeat(label, weight))
    assert cv.interval(weighted, error=error, progress=False) == cv.interval(written_out, error=error, progress=False)


def test_the_order_of_the_samples_does_not_matter():
    rng = np.random.default_rng(2)
    score, label = rng.random(200).round(2), rng.random(200) < 0.5
    order = rng.permutation(200)
    found = cv.interval(cv.ScalarProblem(score, label), error=cv.ks_error, progress=False)
    again = cv.interval(cv.ScalarProblem(score[order], label[order]), error=cv.ks_error, progress=False)
    assert again == found
    assert cv.interval(cv.ScalarProblem(score, label), error=cv.ks_error, rng=1, progress=False) != found


def test_samples_that_are_drawn_again_give_the_same(monkeypatch):
    problem = drawn(150, steep, 3)
    found = cv.interval(problem, progress=False)
    monkeypatch.setattr("calibviz.uncertainty.intervals.error_inversion.MOST_HELD", 0)
    assert cv.interval(problem, progress=False) == found


@pytest.mark.thorough
@pytest.mark.parametrize("n", [1, 30, 400])
def test_data_sets_that_are_measured_at_once_give_what_they_give_one_by_one(n, monkeypatch):
    rng = np.random.default_rng(6)
    score = rng.random(n).round(1 if n < 100 else 3)  # with ties
    problem = cv.ScalarProblem(score, rng.random(n) < steep(score))
    errors = [
        *((error, None) for error in ERRORS),
        *product((cv.calibration_error, cv.debiased_error), (cv.Distinct(), cv.Sweep("uniform"))),
    ]
    at_once = several_ends(problem, cv.lens("class 1"), errors, LEVEL, 0)
    monkeypatch.setattr(error_inversion, "MOST_IN_BATCH", 0)
    assert at_once == several_ends(problem, cv.lens("class 1"), errors, LEVEL, 0)


@given(st.integers(0, 10_000), st.sampled_from([0.5, 0.9, 0.95]), st.sampled_from([cv.Uniform(7), cv.Sweep()]))
@example(5, 0.9, cv.Uniform())  # without Kuiper's, its lower end would be above
@settings(max_examples=8)
def test_the_interval_of_the_ece_never_leaves_out_errors_that_kuipers_holds(seed, level, binning):
    """E|s - T| is at least the range of the cumulated s - T."""
    problem = drawn(300, dip, seed)
    ece = cv.interval(problem, binning=binning, level=level, rng=seed, progress=False)
    kuiper = cv.interval(problem, error=cv.kuiper_error, level=level, rng=seed, progress=False)
    assert ece.lower <= kuiper.lower
    together = several_ends(
        problem, cv.lens("top-1"), [(cv.kuiper_error, None), (cv.calibration_error, binning)], level, seed
    )
    assert together == [(one.lower, one.estimate, one.upper) for one in (kuiper, ece)]


def test_a_higher_level_is_a_wider_interval():
    problem = drawn(500, steep, 4)
    narrow, wide = (cv.interval(problem, error=cv.ks_error, level=level, progress=False) for level in (0.5, 0.95))
    assert wide.lower < narrow.lower < narrow.estimate == pytest.approx(wide.estimate, abs=0.005)
    assert narrow.upper < wide.upper


def test_any_binning_of_one_score_serves():
    problem = drawn(400, steep, 5)

    def halves(one):
        return cv.Uniform(2)(one)

    for binning in (cv.EqualMass(10), cv.Sweep(), cv.Uniform(7, closed="right"), halves):
        found = cv.interval(problem, binning=binning, progress=False)
        assert found.raw == cv.calibration_error(problem, binning=binning)
        assert found.lower < 0.1 < found.upper  # the true error is 0.0966
    assert cv.interval(problem, binning=halves, progress=False) == cv.interval(
        problem, binning=cv.Uniform(2), progress=False
    )


def test_one_outcome_of_a_vector_lens_and_a_selection():
    p = cv.load_dataset("digits")["random forest"]
    found = cv.interval(p, error=cv.ks_error, lens="full", selection="confidence > 0.6", outcome="3", progress=False)
    assert found.raw == cv.ks_error(p, "full", selection="confidence > 0.6", outcome="3")


def test_predictions_that_hold_what_they_promise_reach_down_to_zero():
    found = cv.interval(drawn(2000, lambda score: score, 7), progress=False)
    assert found.lower == 0 and found.raw < found.noise and found.p_value > 0.05
    assert "p = " in repr(found) and "95 % 0.0000 to" in repr(found)


# ---- the fitted curve


def test_the_fitted_curve_is_near_the_true_one():
    problem = drawn(20_000, lambda s: np.clip(s + 0.1 * np.sin(2 * np.pi * s), 0, 1), 8)
    curve = true_curve(problem, 5, np.random.default_rng(0))
    truth = problem.score + 0.1 * np.sin(2 * np.pi * problem.score)
    assert np.abs(curve.fit - truth).mean() < 0.015
    draws = expit(curve.curves[1:])
    assert draws.shape == (5, 20_000)
    assert 0.001 < np.abs(draws - curve.fit).mean() < 0.02


def test_of_calibrated_predictions_the_fitted_curve_is_near_the_diagonal():
    problem = drawn(2000, np.asarray, 9)
    assert np.abs(true_curve(problem, 1, np.random.default_rng(0)).fit - problem.score).mean() < 0.02


# ---- that it covers


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("error", "curve", "truth"),
    [
        (cv.calibration_error, steep, 0.0966),
        (cv.debiased_error, steep, 0.1069),
        (cv.ks_error, steep, 0.0483),
        (cv.kuiper_error, steep, 0.0483),
        (cv.calibration_error, np.asarray, 0.0),
        (cv.ks_error, np.asarray, 0.0),
    ],
)
def test_it_holds_the_truth_as_often_as_it_says(error, curve, truth):
    """`benchmarks/interval_coverage.py` tries the ten networks and many more data sets."""
    sets = 16
    found = [cv.interval(drawn(200, curve, seed), error=error, level=LEVEL, progress=False) for seed in range(sets)]
    covered = sum(one.lower <= truth + 1e-4 and truth - 1e-4 <= one.upper for one in found)
    assert covered >= binom.ppf(0.001, sets, LEVEL - 0.04)


@pytest.mark.thorough
def test_the_lower_end_of_the_ece_keeps_its_level_where_the_error_is_a_narrow_dip():
    """The fit smooths the dip away: without Kuiper's lower end, a third of such data sets have the truth below."""
    sets, truth = 24, 0.08 * 0.3
    below = sum(
        cv.interval(drawn(1000, dip, seed), level=LEVEL, progress=False).lower > truth + 1e-4 for seed in range(sets)
    )
    assert below <= binom.ppf(0.999, sets, (1 - LEVEL) / 2)


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("curve", [np.asarray, steep])
def test_a_ks_error_within_chance_may_be_as_large_as_the_samples_could_hide(level, curve):
    problem = drawn(2000, curve, 0)
    [(lower, estimate, inverted)] = error_inversion.Inversion(problem, 0, False).ends(
        [error_inversion.Tested(ks_errors, ERRORS_OF[cv.ks_error].truth, cv.ks_error(problem))], level
    )
    found = cv.interval(problem, error=cv.ks_error, level=level, progress=False)
    (low, high), limit = mean_interval(problem, level), ks_limit(problem, level)
    hidden = max(found.raw + limit, problem.mean_score - low, high - problem.mean_score)
    assert (found.raw <= limit) == (curve is np.asarray)
    assert (found.lower, found.estimate) == (lower, estimate)
    assert found.upper == max(inverted, hidden if found.raw <= limit else 0.0)


def test_a_small_ks_error_of_few_sure_scores_is_held():
    """The test alone, inverted, leaves the truth out above in about one of ten such data sets."""
    sets, network = 60, cv.Network.published()["densenet161_imagenet"]
    truth, above = 0.0492, 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        rest = network.draw_complements(100, rng)
        problem = cv.ScalarProblem(1.0 - rest, rng.random(100) < network.true_curve(1.0 - rest, rest))
        above += cv.interval(problem, error=cv.ks_error, progress=False).upper < truth
    assert above <= binom.ppf(0.999, sets, 0.025)


# ---- what is refused


@pytest.mark.parametrize("score", [0.0, 1.0])
@pytest.mark.parametrize("error", [cv.calibration_error, cv.ks_error])
def test_where_all_scores_are_0_or_1_the_interval_is_that_of_a_share(error, score):
    n, most = 400, 9  # of which so many may be wrong
    ends = []
    for wrong in range(most):
        target = np.full(n, score)
        target[:wrong] = 1 - score
        found = cv.interval(cv.ScalarProblem(np.full(n, score), target), error=error, progress=False)
        ends.append((found.lower, found.upper))
        exact = beta.ppf(0.975, wrong + 1, n - wrong)  # Clopper and Pearson
        assert 0.8 * exact < found.upper < 1.1 * exact, wrong
    for truth in (0.001, 0.003, 0.005, 0.007):
        held = [low <= truth <= high for low, high in ends]
        assert binom.pmf(np.arange(most), n, truth) @ held > 0.93


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"error": cv.smooth_error}, ValueError, r"error must be one of cv\.calib.* have an interval, not <function"),
        ({"error": "ks"}, ValueError, r"error must be one of cv\.calibration_error"),
        ({"error": cv.ks_error, "binning": cv.Uniform()}, ValueError, "binning must be left out: cv.ks_error has no"),
        ({"binning": "uniform"}, TypeError, "binning must be a binning such as"),
        ({"level": 1}, ValueError, "level must lie strictly between 0 and 1, not be 1"),
        ({"rng": -1}, ValueError, "rng must be at least 0"),
        ({"lens": "classwise"}, ValueError, "this lens makes 3 problems"),
        ({"lens": "full"}, ValueError, "an interval needs a scalar lens"),
        ({"selection": "label == 1"}, EmptyProblemError, "no sample is left"),
    ],
)
def test_messages(arguments, error, message):
    with pytest.raises(error, match=message):
        cv.interval(cv.Predictions([[0.2, 0.3, 0.5]], [0]), **arguments, progress=False)


def test_soft_labels_and_fractional_weights_are_refused():
    with pytest.raises(ValueError, match="an interval draws one label a sample, but the labels are soft"):
        cv.interval(cv.ScalarProblem([0.2, 0.4], [0.5, 0.5]), progress=False)
    with pytest.raises(ValueError, match="an interval needs weights that are whole numbers"):
        cv.interval(cv.ScalarProblem([0.2, 0.4], [0, 1], np.array([0.5, 0.5])), progress=False)
