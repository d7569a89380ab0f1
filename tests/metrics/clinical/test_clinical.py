"""Clinical calibration: identities, limits, other programs' ways, and the size of the tests."""

from __future__ import annotations

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
import xarray as xr
from hypothesis import given
from samples import samples
from scipy.special import expit, logit
from scipy.stats import norm

import calibviz as cv


def numbers_of(found) -> dict[str, float]:
    return {name: value for name, value in vars(found).items() if value is not None}


def drawn(n: int, seed: int = 0, slope: float = 1.0, shift: float = 0.0) -> cv.ScalarProblem:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 2, n)
    return cv.ScalarProblem(score, rng.random(n) < expit(shift + slope * logit(score)))


@given(samples(least_weight=1))
def test_ratio_and_difference_are_of_the_means(sample):
    problem = cv.ScalarProblem(*sample)
    if problem.mean_score:
        assert cv.observed_expected(problem).estimate == pytest.approx(problem.mean_target / problem.mean_score)
    gap = problem.mean_target - problem.mean_score
    assert cv.calibration_in_the_large(problem) == pytest.approx(gap)


def test_where_all_came_true_the_ratio_has_the_interval_of_a_share():
    found = cv.observed_expected(cv.ScalarProblem(np.full(50, 0.98), np.ones(50)))
    assert (found.estimate, found.upper) == pytest.approx((1 / 0.98, 1 / 0.98))
    assert found.lower == pytest.approx(
        0.025 ** (1 / 50) / 0.98
    )  # else every calibrated model of such scores is missed


@given(samples(least_weight=1))
def test_without_events_the_ratio_is_0_with_the_upper_end_of_a_share(sample):
    score, _, weight = sample
    problem = cv.ScalarProblem(score, np.zeros(len(score)), weight)
    found = cv.observed_expected(problem)
    if not problem.mean_score:
        assert np.isnan([found.estimate, found.lower, found.upper]).all()
        return
    assert (found.estimate, found.lower) == (0, 0)
    upper = 1 - 0.025 ** (1 / problem.effective_size)  # Clopper and Pearson, of no hit
    assert found.upper == pytest.approx(upper / problem.mean_score, rel=1e-9)


def test_logistic_recalibration_leaves_nothing():
    problem = drawn(2000, slope=0.6, shift=-0.4)
    fit = cv.calibration_slope(problem)
    moved = problem.mapped(lambda score: expit(fit.intercept + fit.estimate * logit(score)))
    again = cv.calibration_slope(moved)
    assert (again.estimate, again.intercept) == pytest.approx((1, 0), abs=1e-8)
    assert again.statistic == pytest.approx(0, abs=1e-8)
    assert cv.calibration_intercept(moved).estimate == pytest.approx(0, abs=1e-8)
    assert cv.observed_expected(moved).estimate == pytest.approx(1, abs=1e-8)
    assert again.lower < 1 < again.upper


def test_weights_count_repetitions():
    problem = drawn(300, slope=0.7)
    times = np.random.default_rng(1).integers(1, 4, 300)
    weighted = cv.ScalarProblem(problem.score, problem.given_target, times)
    rows = cv.ScalarProblem(np.repeat(problem.score, times), np.repeat(problem.given_target, times))
    for measure in (
        cv.observed_expected,
        cv.calibration_intercept,
        cv.calibration_slope,
        cv.calibration_indices,
        cv.spiegelhalter_test,
        cv.ks_test,
        cv.kuiper_test,
    ):
        assert numbers_of(measure(weighted)) == pytest.approx(numbers_of(measure(rows)), rel=1e-6, abs=1e-9)


def test_intervals_hold_the_truth():
    found = np.array(
        [
            (one.lower <= 0.8 <= one.upper, two.lower <= 0 <= two.upper, three.lower <= 1 <= three.upper)
            for one, two, three in (
                (
                    cv.calibration_slope(drawn(500, i, slope=0.8)),
                    cv.calibration_intercept(drawn(500, i)),
                    cv.observed_expected(drawn(500, i)),
                )
                for i in range(300)
            )
        ]
    )
    rate = found.mean(axis=0)
    assert (rate[:2] >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / 300)).all()
    assert rate[2] >= 0.9  # that of O/E takes the expected number for known: it is a little too wide or too narrow


def test_curve_is_the_truth_where_it_is_logistic():
    problem = drawn(50_000, slope=0.5, shift=0.3)
    table = cv.calibration_curve(problem, at=[0.1, 0.3, 0.6, 0.9])
    truth = expit(0.3 + 0.5 * logit(table.score.values))
    assert table.probability.values == pytest.approx(truth, abs=0.02)
    assert (table.lower < table.probability).all() and (table.probability < table.upper).all()


def test_curve_of_few_scores():
    two = cv.ScalarProblem([0.2] * 5 + [0.8] * 5, [0, 0, 0, 0, 1, 1, 1, 1, 0, 1])
    table = cv.calibration_curve(two, at=[0.2, 0.8], smoother="spline")
    assert table.probability.values == pytest.approx([0.2, 0.8], abs=1e-6)
    assert table.attrs["knots"] == []
    for times in (1, 2, 7, 50):  # the mean of many equal log-odds is rounded, which is no spread
        one = cv.ScalarProblem([0.3] * 4 * times, [0, 1, 0, 0] * times)
        straight = cv.calibration_curve(one, at=[0.1, 0.3, 0.9], smoother="spline")
        assert straight.probability.values == pytest.approx([0.25, 0.25, 0.25], abs=1e-6)


def test_the_band_says_something_where_all_are_right():
    """At ends where all are right the band of the spline is up to 100 % wide; separated by the scores, it has none."""
    first = cv.load_dataset("tumours")["gradient boosting"]
    spline, curve = (cv.calibration_curve(first, smoother=name) for name in ("spline", "penalised"))
    assert (spline.upper - spline.lower).max() > 0.9 and (curve.upper - curve.lower).max() < 0.3
    assert curve.attrs["smoother"] == "penalised" and curve.attrs["roughness"] == 10 and "knots" not in curve.attrs
    assert spline.attrs["smoother"] == "spline" and len(spline.attrs["knots"]) >= 3
    score = np.linspace(0.05, 0.95, 40)
    for target in (score > 0.5, score < 0.5, score > 0, score > 1):
        table = cv.calibration_curve(cv.ScalarProblem(score, target))
        assert (table.lower <= table.probability).all() and (table.probability <= table.upper).all()
    near = cv.local_calibration(first, thresholds=0.3)
    at = cv.calibration_curve(first, at=[0.3])
    assert (near.curve.item(), near.curve_lower.item()) == (at.probability.item(), at.lower.item())
    assert near.attrs["smoother"] == "penalised"


@pytest.mark.parametrize("smoother", ["penalised", "honest"])
def test_whole_weights_repeat_rows_in_every_curve(smoother):
    rng = np.random.default_rng(1)
    score, times = rng.beta(0.5, 1, 180), rng.integers(1, 5, 180)
    target = rng.random(180) < score
    weighted = cv.calibration_curve(cv.ScalarProblem(score, target, times), smoother=smoother)
    repeated = cv.ScalarProblem(np.repeat(score, times), np.repeat(target, times))
    xr.testing.assert_allclose(weighted, cv.calibration_curve(repeated, smoother=smoother), rtol=1e-9)


def test_the_honest_band_of_more_samples_than_floats_count():
    score, target = np.linspace(0.1, 0.9, 60), np.arange(60) % 3 == 0
    many, more = (
        cv.calibration_curve(cv.ScalarProblem(score, target, np.full(60, times)), smoother="honest")
        for times in (1e9, 1e15)
    )
    for end in ("lower", "upper"):
        assert more[end].values == pytest.approx(many[end].values, abs=1e-6)


def test_the_honest_band_holds_the_whole_curve_and_is_wider():
    truths = [0.0, 0.0]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        score = rng.random(400)
        problem = cv.ScalarProblem(score, rng.random(400) < score**2)
        honest, pointwise = (cv.calibration_curve(problem, smoother=name) for name in ("honest", "penalised"))
        np.testing.assert_array_equal(honest.probability, pointwise.probability)
        assert (np.diff(honest.lower) >= 0).all() and (np.diff(honest.upper) >= 0).all()
        assert (honest.upper - honest.lower).mean() > 1.5 * (pointwise.upper - pointwise.lower).mean()
        truth = honest.score.values**2
        truths[0] += ((honest.lower <= truth) & (truth <= honest.upper)).all()
        truths[1] += ((pointwise.lower <= truth) & (truth <= pointwise.upper)).mean()
    assert truths[0] == 20 and truths[1] > 17
    with pytest.raises(ValueError, match='smoother="honest" needs weights that count repetitions'):
        cv.calibration_curve(cv.ScalarProblem([0.2, 0.6], [0, 1], [0.5, 1.2]), smoother="honest")
    with pytest.raises(ValueError, match="smoother must be"):
        cv.calibration_curve(cv.ScalarProblem([0.2, 0.6], [0, 1]), smoother="loess")


def test_the_honest_band_of_equal_scores_holds_calibrated_ones_in_a_file_sorted_by_its_outcome():
    rng = np.random.default_rng(0)
    score = rng.integers(1, 10, 1000) / 10
    target = rng.random(1000) < score
    orders = np.arange(1000), np.argsort(target, kind="stable"), np.argsort(~target, kind="stable")
    bands = [cv.calibration_curve(cv.ScalarProblem(score[i], target[i]), smoother="honest") for i in orders]
    for band in bands:
        assert (band.lower <= band.score).all() and (band.score <= band.upper).all()
    xr.testing.assert_allclose(bands[1], bands[2], rtol=1e-12)


def test_separated_targets_have_a_curve_and_no_slope():
    problem = cv.ScalarProblem(np.linspace(0.05, 0.95, 40), np.arange(40) >= 20)
    found = cv.calibration_slope(problem)
    assert found.estimate == np.inf and np.isnan(found.p_value)
    table = cv.calibration_curve(problem, at=[0.1, 0.9], smoother="spline")
    assert table.probability.values == pytest.approx([0, 1], abs=1e-6)
    assert np.isnan(table.lower).all()
    flipped = cv.ScalarProblem(problem.score, 1 - problem.target)
    assert cv.calibration_slope(flipped).estimate == -np.inf
    assert np.isnan(cv.calibration_slope(cv.ScalarProblem([0.1, 0.4], [1, 1])).estimate)


ENDS = [0, 0, 0.3, 0.6, 0.8, 0.4, 1, 1], [0, 1, 0, 1, 0, 0, 1, 1]
INNER = [0.3, 0.6, 0.8, 0.4], [0, 1, 0, 0]


@pytest.mark.parametrize("measure", [cv.calibration_slope, cv.calibration_intercept])
def test_samples_of_score_0_and_1_are_left_out_and_counted(measure):
    found, inner = measure(cv.ScalarProblem(*ENDS)), measure(cv.ScalarProblem(*INNER))
    assert numbers_of(found) == numbers_of(inner) | {"dropped": 4, "impossible": 1}
    assert found.without == "without 4 samples of score 0 or 1 (1 of which turned out otherwise)"
    assert measure(cv.ScalarProblem([0.3, 0.5, 1], [1, 0, 1])).without == "without 1 sample of score 0 or 1"
    assert inner.without == ""
    clipped = measure(cv.ScalarProblem(*ENDS), clip=1e-12)
    assert (clipped.dropped, clipped.impossible, clipped.without) == (0, 0, "")
    nothing = measure(cv.ScalarProblem([0.0, 1.0], [0, 1]))
    assert np.isnan(nothing.estimate) and (nothing.dropped, nothing.impossible) == (2, 0)


@pytest.mark.parametrize("measure", [cv.calibration_slope, cv.calibration_intercept])
@pytest.mark.parametrize("weights", [[1, 2, 3, 1, 2, 2, 1, 3], [0.5, 1, 2, 1, 3, 2.5, 0.25, 1]])
def test_those_left_out_have_no_part_in_weights(measure, weights):
    whole = weights[0] == 1
    found = measure(cv.ScalarProblem(*ENDS, weights))
    inner = measure(cv.ScalarProblem(*INNER, np.array(weights[2:6])))
    left_out = {"dropped": 7 if whole else 4, "impossible": 2 if whole else 1}
    assert numbers_of(found) == pytest.approx(numbers_of(inner) | left_out, rel=1e-9)
    p = cv.Predictions(*ENDS, weights=weights)
    assert numbers_of(measure(p)) == numbers_of(found)
    assert numbers_of(measure(cv.summarize(p, "class 1"))) == pytest.approx(numbers_of(found), rel=1e-6)
    table = measure(p, "classwise")
    assert table.dropped.values.tolist() == [left_out["dropped"]] * 2  # 1 - p is 1 where p is 0
    draws = cv.bootstrap(p, error=lambda q: measure(q).dropped, replicates=20, progress=False).replicates
    assert (draws <= 2 * np.sum(weights) if whole else draws <= 8).all() and len(set(draws)) > 1


def test_a_cube_says_what_its_slopes_leave_out():
    p = cv.Predictions(*ENDS)
    cube = cv.evaluate(p, ["class 1", "classwise"], metrics=["calibration_slope", "ici"], replicates=2, progress=False)
    lines = cube.calibration_slope.attrs["notes"].splitlines()
    said = "without 4 samples of score 0 or 1 (1 of which turned out otherwise)"
    start = "[model=model, selection=all, calibrator=none, lens="
    assert lines == [
        f"{start}{where}]: {said}" for where in ("class 1", "classwise, outcome=0", "classwise, outcome=1")
    ]
    assert cube.calibration_slope_quantile.attrs["notes"] == cube.calibration_slope.attrs["notes"]
    assert "notes" not in cube.ici.attrs and "unavailable" not in cube.calibration_slope.attrs
    assert cube.calibration_slope.sel(lens="class 1").item() == cv.calibration_slope(p).estimate


def test_tests_have_their_size():
    """Of calibrated scores about 1 in 20 is called off, whatever the test."""
    rates = np.mean(
        [
            [test(drawn(400, i)).p_value < 0.05 for test in (cv.spiegelhalter_test, cv.ks_test, cv.kuiper_test)]
            for i in range(400)
        ],
        axis=0,
    )
    assert (rates <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 400)).all()
    assert (rates >= 0.01).all()


@pytest.mark.parametrize(("test", "x"), [(cv.ks_test, (1.5, 2.241)), (cv.kuiper_test, (2.0, 2.497))])
def test_asymptotic_p_values(test, x):
    from calibviz.metrics.calibration_tests import largest_beyond, range_beyond

    beyond = largest_beyond if test is cv.ks_test else range_beyond
    join, at_5_percent = x
    assert beyond(join * (1 - 1e-9)) == pytest.approx(beyond(join * (1 + 1e-9)), abs=1e-8)  # the two series meet
    assert beyond(at_5_percent) == pytest.approx(0.05, abs=0.001)
    assert beyond(8.0) == pytest.approx((4 if test is cv.ks_test else 8) * norm.sf(8), rel=1e-6)
    assert beyond(0.0) == 1.0
    values = [beyond(one) for one in np.linspace(0, 6, 200)]
    assert (np.diff(values) <= 1e-12).all()


def test_resampled_p_values_agree():
    problem = drawn(500, slope=0.8)
    for test, error in ((cv.ks_test, cv.ks_error), (cv.kuiper_test, cv.kuiper_error)):
        again = cv.consistency(problem, error=error, replicates=999, progress=False)
        assert test(problem).statistic == again.estimate
        assert test(problem).p_value == pytest.approx(again.p_value, abs=0.06)


@pytest.mark.parametrize("test", [cv.spiegelhalter_test, cv.ks_test, cv.kuiper_test])
def test_soft_labels_are_refused(test):
    with pytest.raises(ValueError, match="these labels are soft"):
        test(cv.ScalarProblem([0.2, 0.7], [0.5, 1]))


def test_messages():
    with pytest.raises(ValueError, match=r"at\[1\] is 2"):
        cv.calibration_curve(drawn(10), at=[0.1, 2])
    with pytest.raises(ValueError, match="clip"):
        cv.calibration_slope(drawn(10), clip=0.7)
    with pytest.raises(ValueError, match="level"):
        cv.observed_expected(drawn(10), level=1)


def test_cube_holds_what_the_functions_say():
    p = cv.load_dataset("heart")["random forest"]
    names = [
        "observed_expected",
        "calibration_in_the_large",
        "calibration_intercept",
        "calibration_slope",
        "ici",
        "e50",
        "e90",
        "emax",
        "eci",
    ]
    lenses = ["class disease", "top-1"]
    cube = cv.evaluate(p, lenses, metrics=names, replicates=5, calibrators=["none", "platt"], calibration=0.5)
    judged = p.split(0.5, rng=0)[1]
    for lens in lenses:
        cell = cube.sel(lens=lens, calibrator="none").squeeze()
        for name in names:
            indices = cv.calibration_indices(judged, lens)
            said = getattr(indices, name) if name in vars(indices) else getattr(cv, name)(judged, lens)
            assert cell[name].item() == getattr(said, "estimate", said)
            assert cell[f"{name}_quantile"].notnull().all()
    assert "calibration_slope" not in cv.rank_calibrators(cube, untested=True)


def test_no_number_depends_on_the_order_or_the_unit_of_weights():
    rng = np.random.default_rng(16)
    score, target = rng.choice([0.2, 0.5, 0.9], 12), rng.integers(0, 2, 12)
    weight = rng.integers(1, 9, 12) / 4
    order = rng.permutation(12)
    problem = cv.ScalarProblem(score, target, weight)
    other = cv.ScalarProblem(score[order], target[order], weight[order] * 1e-200)
    for measure in (cv.calibration_indices, cv.spiegelhalter_test, cv.ks_test, cv.kuiper_test, cv.calibration_slope):
        assert numbers_of(measure(problem)) == pytest.approx(numbers_of(measure(other)), rel=1e-6, nan_ok=True)
    assert cv.augrc(other) == pytest.approx(cv.augrc(problem))


def test_one_class_has_no_intercept_whatever_the_weights():
    problem = cv.ScalarProblem([0.1, 0.2, 0.7], [1, 1, 1], [0.1, 0.2, 0.7])
    assert cv.calibration_intercept(problem).estimate == np.inf


@pytest.mark.parametrize("test", [cv.spiegelhalter_test, cv.ks_test, cv.kuiper_test])
def test_pooled_entries_are_refused(test):
    with pytest.raises(ValueError, match="lens must not be 'pooled' for a test"):
        test(cv.Predictions([0.2, 0.7], [0, 1]), "pooled")


def test_scores_that_exceed_one_by_rounding_make_no_noise():
    """Float32 rows, of which all classes but two are added up, sum to 1 + 3e-8."""
    p = cv.load_dataset("digits")["random forest"].select(np.arange(0, 1797, 9))
    problem = cv.lens("within-top 8")(p)
    sure = problem.subset(problem.score >= 0.999)
    assert (sure.score > 1).any()
    for test in (cv.ks_test, cv.kuiper_test, cv.spiegelhalter_test):
        assert not np.isnan(test(sure).p_value)
        assert not np.isnan(test(p, "top-8", outcome="rest").p_value)
