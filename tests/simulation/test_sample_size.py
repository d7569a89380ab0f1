"""How many samples a study needs: the width of its interval, and the error that it notices."""

from __future__ import annotations

import re
from importlib import import_module

import numpy as np
import pytest
from scipy.stats import binom

import calibviz as cv
from calibviz import figures
from calibviz.engine.scalar import ScalarProblem
from calibviz.uncertainty.intervals.true_curves import true_curve

SAMPLE_SIZE = import_module("calibviz.simulation.sample_size")  # cv.sample_size is the function


def pilot(n=600):
    """A badly calibrated network, whose interval does not reach down to 0."""
    return cv.lens("class right")(cv.simulated("resnet110_c100", n, rng=3))


def fitted(problem):
    return true_curve(problem, 0, np.random.default_rng(0))


def study(problem, n, curve, rng):
    """Another data set of these scores and a true curve."""
    rows = rng.integers(0, len(problem), n)
    return ScalarProblem(problem.score[rows], rng.random(n) < curve[rows])


@pytest.fixture(scope="module")
def table():
    return cv.sample_size(
        pilot(), error=cv.ks_error, n=[1600, 200, 600], precision=0.08, detectable=0.02, threshold=0.5, replicates=80
    )


@pytest.mark.thorough
def test_four_times_the_samples_halve_the_width(table):
    assert table.n.values.tolist() == [200, 600, 1600]
    scaled = table.width * np.sqrt(table.n)
    assert (abs(scaled / scaled[-1] - 1) < 0.15).all()
    exact = table.net_benefit_width * np.sqrt(table.n)
    np.testing.assert_allclose(exact, exact[0])
    assert (np.diff(table.detectable) < 0).all()


def test_the_width_is_that_of_the_interval_of_fresh_data(table):
    problem = pilot()
    curve, rng = fitted(problem).fit, np.random.default_rng(5)
    drawn = [study(problem, 600, curve, rng) for _ in range(12)]
    found = [cv.interval(one, error=cv.ks_error, rng=i, progress=False) for i, one in enumerate(drawn)]
    widths = np.array([one.upper - one.lower for one in found])
    mean, noise = table.width.sel(n=600).item(), table.width_error.sel(n=600).item()
    assert abs(widths.mean() - mean) < 3 * np.hypot(noise, widths.std(ddof=1) / np.sqrt(len(widths)))


def test_an_error_that_is_detectable_is_noticed_four_times_out_of_five(table):
    problem, size = pilot(), 200
    curve, wanted = fitted(problem), table.detectable.sel(n=size).item()
    stretches = np.geomspace(0.01, 4, 400)
    errors = [cv.ks_error(problem.with_target(curve.stretched(0, r))) for r in stretches]
    shape = curve.stretched(0, float(np.interp(wanted, errors, stretches)))
    rng, sets = np.random.default_rng(6), 200
    noticed = sum(
        cv.consistency(
            study(problem, size, shape, rng), error=cv.ks_error, replicates=99, rng=i, progress=False
        ).p_value
        <= 0.05
        for i in range(sets)
    )
    own = binom.std(80, 0.8) / 80  # of the power that the table was made of
    assert abs(noticed / sets - 0.8) < 3 * np.hypot(own, binom.std(sets, 0.8) / sets)


def test_the_width_for_the_net_benefit_is_that_of_its_bootstrap(table):
    problem, rng = pilot(), np.random.default_rng(7)
    curve = fitted(problem).fit
    curves = [
        cv.decision_curve(study(problem, 600, curve, rng), thresholds=[0.5], replicates=100, rng=i) for i in range(12)
    ]
    widths = [float((one.upper - one.lower).sel(strategy="model").item()) for one in curves]
    assert np.mean(widths) == pytest.approx(table.net_benefit_width.sel(n=600).item(), rel=0.08)


def test_the_suggestion_reaches_what_was_asked_for(table):
    assert 200 < table.suggested < 1600
    needed = {}
    for name, value in (("width_assured", 0.08), ("detectable", 0.02)):
        at = np.exp(np.interp(-np.log(value), -np.log(table[name]), np.log(table.n)))
        needed[name] = int(np.ceil(at))
    assert table.suggested == max(needed.values())
    step = 10 ** (len(str(needed["width_assured"])) - 2)
    about = -(-needed["width_assured"] // step) * step
    assert f"An interval 8 points wide in 80 % of such studies takes about {about:,} samples." in table.note


@pytest.mark.thorough
def test_four_of_five_studies_of_the_suggested_size_are_as_narrow_as_was_asked_for():
    """By the mean width fewer than half of them were."""
    problem, precision, sets = pilot(), 0.08, 60
    size = cv.sample_size(problem, error=cv.ks_error, n=[200, 600], precision=precision, replicates=160).suggested
    curve, rng = fitted(problem).fit, np.random.default_rng(8)
    found = [cv.interval(study(problem, size, curve, rng), error=cv.ks_error, progress=False) for _ in range(sets)]
    narrow = sum(one.upper - one.lower <= precision for one in found)
    assert binom.ppf(0.001, sets, 0.72) <= narrow <= binom.ppf(0.999, sets, 0.88)  # of 40 widths, 80 % are known so far


def test_assured_widths_are_quantiles_of_those_of_the_studies(table):
    assert table.assurance == 0.8
    assert (table.width_assured > table.width).all()
    assert (table.width_assured < table.width + 4 * np.sqrt(20) * table.width_error).all()  # 20 of 80 studies
    assert (table.net_benefit_width_assured > table.net_benefit_width).all()
    halves = [
        cv.sample_size(pilot(), error=cv.ks_error, n=100, threshold=0.5, replicates=20, assurance=share)
        for share in (0.2, 0.5, 0.95)
    ]
    for name in ("width_assured", "net_benefit_width_assured"):
        assert (np.diff([float(each[name][0]) for each in halves]) > 0).all()
    assert len({float(each.width[0]) for each in halves}) == 1


def test_the_assured_width_of_the_net_benefit_holds_in_four_of_five_studies():
    problem, size, rng = pilot(), 300, np.random.default_rng(9)
    assured = cv.sample_size(problem, n=size, threshold=0.5, replicates=100).net_benefit_width_assured.item()
    curve = fitted(problem).fit
    narrow = 0
    for _ in range(200):
        one = study(problem, size, curve, rng)
        gained = np.where(one.score >= 0.5, 2 * one.given_target - 1, 0)
        narrow += 2 * 1.959964 * gained.std() / np.sqrt(size) <= assured
    assert binom.ppf(0.001, 200, 0.7) <= narrow <= binom.ppf(0.999, 200, 0.88)


@pytest.mark.parametrize(
    ("asked", "suggested", "said"),
    [
        (
            {"precision": 0.001},
            np.nan,
            "An interval 0.1 points wide .* takes more than 100 samples, .* raise n",
        ),
        ({"detectable": 0.0001}, np.nan, "Noticing an error of 0.01 % takes more than 100 samples"),
        ({"precision": 0.9}, 50, "takes at most 50 samples, the fewest that were tried"),
        ({"precision": 0.9, "detectable": 0.0001}, np.nan, "at most 50 samples.* more than 100 samples"),
    ],
)
def test_beyond_the_sizes_that_were_tried_it_says_so(asked, suggested, said):
    found = cv.sample_size(pilot(), n=[50, 100], replicates=2, **asked)
    np.testing.assert_equal(found.suggested, suggested)
    assert re.search(said, found.note)


def test_only_what_is_asked_for_is_told_and_sizes_do_not_depend_on_each_other():
    alone = cv.sample_size(pilot(), n=100, replicates=2, rng=2)
    both = cv.sample_size(pilot(), n=[50, 100], replicates=2, rng=2)
    assert "suggested" not in alone.attrs and "net_benefit_width" not in alone
    for name in ("width", "width_assured", "width_error", "detectable"):
        assert alone[name].item() == both[name].sel(n=100).item()


def test_scores_that_no_curve_differs_from_notice_nothing():
    flat = ScalarProblem(np.repeat([0.0, 1.0], 30), np.repeat([0, 1], 30))
    found = cv.sample_size(flat, n=30, replicates=2, detectable=0.1)
    assert np.isnan(found.detectable).all() and np.isnan(found.suggested)


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_the_least_that_is_noticed_lies_between_two_that_were_tried(value):
    least = SAMPLE_SIZE._least_noticed
    errors = np.array([0.1, 0.2, 0.4])
    assert least(np.array([0.1, 0.6, 1.0]), errors) == pytest.approx(0.3)
    assert least(np.array([0.9, 0.7, 0.9]), errors) == pytest.approx(0.3)  # all larger ones are noticed
    assert least(np.array([0.9, 0.9, 0.9]), errors) == 0.1
    assert np.isnan(least(np.array([0.1, 0.9, 0.7]), errors))
    assert np.isnan(SAMPLE_SIZE._least_size(np.array([10, 20]), np.array([value, value]), 0.1))


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"n": []}, ValueError, "n is empty"),
        ({"n": [10, 1]}, ValueError, "n must be at least 2|n must be between 2 and"),
        ({"n": [10, 10]}, ValueError, "n 10 is given twice"),
        ({"n": 10.5}, TypeError, "n must be a whole number"),
        ({"precision": 0.0}, ValueError, "precision must lie strictly between 0 and 1, not be 0.0"),
        ({"detectable": 1.0}, ValueError, "detectable must lie strictly between 0 and 1"),
        ({"threshold": 1.0}, ValueError, "threshold must be at least 0 and below 1"),
        ({"error": cv.smooth_error}, ValueError, "error must be one of cv.calibration_error, .* not"),
        ({"assurance": 1.0}, ValueError, "assurance must lie strictly between 0 and 1, not be 1.0"),
        ({"replicates": 1}, ValueError, "replicates must be at least 2"),
        ({"level": 1.0}, ValueError, "level must lie strictly between"),
    ],
)
def test_refusals(given, kind, message):
    with pytest.raises(kind, match=message):
        cv.sample_size(pilot(100), **given)


def test_its_picture_shows_what_was_asked_for(table):
    drawn = figures.sample_size_figure(table)
    named = [one.name for one in drawn.series if len(one.x)]
    assert "asked for: 8.00 %" in named and "asked for: 2.00 %" in named and "width for the net benefit" in named
    assert drawn.note == table.note and [text for _, text in drawn.x_ticks] == ["200", "600", "1,600"]
    assert cv.plots.sample_size(table).axes[0].get_title() == "Samples needed"
    alone = figures.sample_size_figure(cv.sample_size(pilot(60), n=20, replicates=2))
    assert len(alone.series) == len(drawn.series)
    with pytest.raises(TypeError, match=r"table must be what cv\.sample_size"):
        cv.plots.sample_size({})
