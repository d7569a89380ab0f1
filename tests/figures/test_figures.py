"""The figure records say what the numbers say, and a picture of one kind always has the same series."""

from __future__ import annotations

import re

import numpy as np
import pytest
from figure_checks import by_role, check, form, ks_mark

import calibviz as cv
from calibviz import figures
from calibviz.engine.scalar import ScalarProblem
from calibviz.metrics.calibration_tests import ks_limit


def random_problem(seed=0, n=500, ties=False, weights=False):
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    if ties:
        score = score.round(1)
    return ScalarProblem(score, rng.random(n) < score**1.5, rng.random(n) if weights else None)


PROBLEMS = {
    "plain": [random_problem()],
    "many": [random_problem(n=3000)],
    "one sample": [ScalarProblem(np.array([0.3]), np.array([1]))],
    "all at 0": [ScalarProblem(np.zeros(5), np.zeros(5))],
    "all at 1": [ScalarProblem(np.ones(5), np.ones(5))],
    "ties": [random_problem(ties=True)],
    "weights": [random_problem(weights=True)],
    "trials": [random_problem(seed) for seed in range(3)],
    "uneven trials": [random_problem(), random_problem(1, 40, ties=True), random_problem(2, 1)],
}
CASES = pytest.mark.parametrize("problems", PROBLEMS.values(), ids=PROBLEMS)


# ---- reliability


def bins_of(problems, binning=None):
    return [(binning or cv.Uniform(12))(problem) for problem in problems]


@CASES
@pytest.mark.parametrize("bins", [1, 12])
def test_reliability_always_has_the_same_series(problems, bins):
    made = bins_of(problems, cv.Uniform(bins))
    plain = figures.reliability_figure(PROBLEMS["plain"], bins_of(PROBLEMS["plain"]))
    full = figures.reliability_figure(
        problems,
        made,
        categories={"low": (0, 0.5), "high": (0.5, 1)},
        overlays=[figures.Overlay("other", problems, made)],
        curves=("smooth", "corp"),
        current=0,
        draggable=(0.5,),
    )
    for figure in (figures.reliability_figure(problems, made, bars="none"), full):
        assert form(check(figure)) == form(plain)
        assert all(len(series.x) <= figures.MOST_POINTS + 2 for series in figure.series)


def test_reliability_of_trials_is_their_mean_with_bars_of_a_deviation():
    problems = PROBLEMS["trials"]
    bins = bins_of(problems)
    figure = figures.reliability_figure(problems, bins, bars=bins_of(problems))
    dots, bars = by_role(figure, "bins"), by_role(figure, "interval")
    targets = np.array([one.target for one in bins])
    np.testing.assert_allclose(dots.x, np.mean([one.score for one in bins], axis=0))
    np.testing.assert_allclose(dots.y, targets.mean(axis=0))
    np.testing.assert_allclose(bars.y[1::3] - bars.y[::3], 2 * targets.std(axis=0))
    assert "std of 3 trials" in bars.name
    assert "mean of 3 trials" in figure.alt


def test_a_bin_that_is_empty_in_some_trials_is_the_mean_of_the_others():
    problems = [ScalarProblem(np.array(score), np.ones(len(score))) for score in ([0.1, 0.9], [0.2])]
    dots = by_role(figures.reliability_figure(problems, bins_of(problems, cv.Uniform(2))), "few")
    np.testing.assert_allclose(dots.x, [0.15, 0.9])


def test_curves_of_reliability():
    (problem,) = PROBLEMS["many"]
    figure = figures.reliability_figure([problem], bins_of([problem]), curves=("corp",))
    corp = by_role(figure, "corp")
    fit = cv.corp(problem)
    assert (np.diff(corp.y) >= 0).all()
    np.testing.assert_allclose(np.interp(fit.score, corp.x, corp.y), fit.recalibrated, atol=1e-12)
    assert not len(by_role(figure, "smooth").x)


def test_the_line_of_no_skill_splits_the_brier_skill():
    (problem,) = PROBLEMS["many"]
    figure = figures.reliability_figure([problem], bins_of([problem]), curves=("corp",))
    line, fit, mean = by_role(figure, "level"), cv.corp(problem), problem.mean_target
    assert line.name == "no Brier skill" and "half-way between the diagonal and the mean observed" in figure.alt
    above = problem.target - np.interp(problem.score, line.x, line.y)
    skill = np.mean(2 * (problem.score - mean) * above) / fit.uncertainty
    assert skill == pytest.approx(1 - cv.brier_score(problem) / fit.uncertainty)
    for trials, curves in (([problem], ("smooth",)), ([problem] * 3, ("corp",))):
        other = figures.reliability_figure(trials, bins_of(trials), curves=curves)
        assert not len(by_role(other, "level").x) and "skill" not in other.alt
    one = ScalarProblem(np.array([0.2, 0.8]), np.ones(2))
    assert not len(by_role(figures.reliability_figure([one], bins_of([one]), curves=("corp",)), "level").x)


def test_the_selected_bin_is_marked_unless_it_is_empty():
    problem = ScalarProblem(np.array([0.1, 0.9]), np.array([0, 1]))
    for current, expected in ((0, [0.1]), (1, []), (3, [0.9]), (9, []), (None, [])):
        figure = figures.reliability_figure([problem], [cv.Uniform(4)(problem)], current=current)
        assert by_role(figure, "selected").x.tolist() == expected
        assert ("Selected" in figure.alt) == bool(expected)


def test_at_most_four_overlays():
    problems = PROBLEMS["plain"]
    overlay = figures.Overlay("a", problems, bins_of(problems))
    shown = figures.reliability_figure(problems, bins_of(problems), overlays=[overlay] * figures.MOST_OVERLAYS)
    assert [by_role(shown, role).name for role in figures.OVERLAY_ROLES] == ["a"] * 4
    with pytest.raises(ValueError, match="overlays has 5 entries, but a picture shows 4 at most"):
        figures.reliability_figure(problems, bins_of(problems), overlays=[overlay] * 5)


@CASES
def test_the_bars_of_a_histogram_add_up_to_the_samples(problems):
    for edges in (None, np.array([0.0, 0.3, 1.0])):
        figure = check(figures.histogram_figure(problems, edges=edges))
        series = by_role(figure, "everything")
        samples = np.mean([problem.samples for problem in problems])
        assert series.y[1:-1:2].sum() == pytest.approx(samples)
        np.testing.assert_allclose(series.x[::2], np.arange(41) / 40 if edges is None else edges)
        assert figure.y_range == (0.0, max(series.y.max(), 1.0))
        assert not len(by_role(figure, "histogram").x) and not len(by_role(figure, "worst histogram").x)


def counts(figure, role):
    return by_role(figure, role).y[1:-1:2]


def words(figure):
    return ["".join(run.text for run in line) for label in figure.labels for line in label.lines]


def test_a_selection_and_the_worst_segment_stand_in_colour_on_all_samples():
    (whole,) = PROBLEMS["plain"]
    part = ScalarProblem(whole.score[:120], whole.given_target[:120])
    plain = figures.histogram_figure([whole], noun="people")
    worst = figures.histogram_figure([whole], noun="people", worst=("120 people in Zurich", part))
    chosen = figures.histogram_figure([part], among=[whole], noun="people", worst=("120 people in Zurich", part))
    for figure in (plain, worst, chosen):
        assert form(check(figure)) == form(plain)
        np.testing.assert_array_equal(counts(figure, "everything"), counts(plain, "everything"))
        assert figure.y_range == plain.y_range  # it stays while a part is selected
    in_part = np.histogram(part.score, np.arange(41) / 40)[0]
    np.testing.assert_allclose(counts(worst, "worst histogram"), in_part)
    np.testing.assert_allclose(counts(chosen, "histogram"), in_part)
    assert not len(counts(worst, "histogram")) and not len(counts(chosen, "worst histogram"))
    assert words(plain) == ["all 500 people"]
    assert words(worst) == ["all 500 people · 120 people in Zurich"]
    assert words(chosen) == ["all 500 people · 120 of them selected"]


@pytest.mark.parametrize(("far", "name"), [(0.605, ""), (0.9, "few samples near")])
def test_the_legend_names_the_dotted_curve_only_where_it_is_seen(far, name):
    score = np.append(np.linspace(0.0, 0.55, 400), far)
    problem = [ScalarProblem(score, np.random.default_rng(0).random(401) < score)]
    dotted = by_role(figures.reliability_figure(problem, bins_of(problem), curves=("flexible",)), "flexible where few")
    assert np.isfinite(dotted.x).sum() > 1 and dotted.name == name


# ---- cumulative


@CASES
@pytest.mark.parametrize("against", ["fractile", "score"])
def test_cumulative_figures_always_have_the_same_series(problems, against):
    plain, made = (
        [*figures.cumulative_figures(some), figures.slopes_figure(some, against=against)]
        for some in (PROBLEMS["plain"], problems)
    )
    assert [one.name for one in made] == ["cumulative", "cumulative-score", "difference", "slopes"]
    for figure, expected in zip(made, plain, strict=True):
        assert form(check(figure)) == form(expected)
        curves = [series for series in figure.series if series.shape != "area"]
        assert all(len(series.x) <= figures.MOST_POINTS + 2 for series in curves)
        assert bool(len(by_role(figure, "flexible band").x)) == (len(problems) > 1)


@pytest.mark.parametrize("name", [name for name in PROBLEMS if "trials" not in name])
def test_the_largest_difference_is_the_ks_error(name):
    (problem,) = PROBLEMS[name]
    cumulative, warped, difference = figures.cumulative_figures([problem])
    ks = cv.ks_error(problem)
    assert np.abs(by_role(difference, "before").y).max() == ks
    assert np.abs(np.diff(ks_mark(difference)[0].y)).item() == ks
    for figure in (cumulative, warped):
        assert np.abs(np.diff(ks_mark(figure)[0].y)).item() == pytest.approx(ks)
        assert figures.percent(ks) in figure.alt
    assert {ks_mark(figure)[1] for figure in (cumulative, warped, difference)} == {bool(ks > ks_limit(problem))}
    score, target = by_role(warped, "predicted before"), by_role(warped, "before")
    np.testing.assert_array_equal(score.x, score.y)
    assert (np.diff(target.x) >= 0).all() and (np.diff(target.y) >= -1e-12).all()


def test_cumulative_curves_of_equal_trials_are_those_of_one():
    (problem,) = PROBLEMS["plain"]
    for one, three in zip(
        figures.cumulative_figures([problem]), figures.cumulative_figures([problem] * 3), strict=True
    ):
        a, b = by_role(one, "before"), by_role(three, "before")
        np.testing.assert_allclose(np.interp(b.x, a.x, a.y), b.y, atol=2e-3)
        band = by_role(three, "flexible band")
        known = ~np.isnan(band.x)
        assert np.abs(np.diff(band.x[known])).max() <= 1 and np.isfinite(band.y[known]).all()


def test_slopes_are_the_spline_fitted_to_these_samples():
    (problem,) = PROBLEMS["many"]
    spline = cv.Spline().fit(problem)
    by_score = figures.slopes_figure([problem], against="score")
    probability = by_role(by_score, "before")
    np.testing.assert_allclose(probability.y, spline(probability.x))
    by_fractile = figures.slopes_figure([problem])
    np.testing.assert_array_equal(by_role(by_fractile, "before").y, probability.y)
    assert by_role(by_fractile, "before").x[-1] == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_calibrated_data_stay_in_the_band_as_often_as_it_says(weighted):
    rng = np.random.default_rng(0)
    score, runs = np.sort(rng.beta(3, 1, 1000)), 4000
    weight = rng.random(1000) + 0.5 if weighted else np.ones(1000)
    problem = ScalarProblem(score, score, weight if weighted else None)
    figure = figures.cumulative_figures([problem])[2]
    lines, area = by_role(figure, "limit"), by_role(figure, "noise")
    limit = np.nanmax(lines.y)
    assert limit == -np.nanmin(lines.y)
    drawn = rng.random((runs, 1000)) < score
    distance = np.abs(np.cumsum(weight * (drawn - score), axis=1)) / weight.sum()
    assert (distance.max(axis=1) <= limit).mean() == pytest.approx(0.95, abs=0.02)
    half = len(area.x) // 2
    upper, share = -area.y[:half], weight.cumsum() / weight.sum()
    for place in (99, 500, 999):
        within = distance[:, place] <= np.interp(share[place], area.x[:half], upper)
        assert within.mean() == pytest.approx(0.95, abs=0.015)


# ---- recalibration


def test_recalibration_as_a_curve_and_as_a_cloud():
    (problem,) = PROBLEMS["many"]
    bins = cv.Uniform(10)(problem)
    spline = cv.Spline().fit(problem)
    mapped = spline(problem.score)
    shuffled = np.random.default_rng(0).permutation(len(problem))
    curve = figures.map_figure(
        "top-1",
        "spline",
        problem.score[shuffled],
        mapped[shuffled],
        is_curve=True,
        knots=(spline.knot_scores_, spline(spline.knot_scores_)),
        rug=problem.score,
        moved=0.1,
    )
    curve = figures.with_bins(curve, bins, cv.Uniform(10)(problem.mapped(spline)))
    cloud = figures.map_figure("top-1", "vector", problem.score, mapped, is_curve=False, moved=0.1)
    cloud = figures.with_bins(cloud, bins, None)
    nothing = np.empty(0)
    bare = figures.with_bins(
        figures.map_figure("top-1", "none", nothing, nothing, is_curve=True, moved=0.1), bins, None
    )
    for figure in (curve, cloud, bare):
        assert form(check(figure)) == form(curve)
        assert "up to 10.00 %" in figure.alt
    line = by_role(curve, "map")
    assert (np.diff(line.x) >= 0).all() and len(line.x) <= figures.MOST_POINTS + 1
    np.testing.assert_allclose(spline(line.x), line.y)
    assert len(by_role(cloud, "cloud").x) and not len(by_role(cloud, "map").x)
    rug = by_role(curve, "rug").x
    assert np.isnan(rug[2::3]).all() and len(rug) // 3 < 300
    assert not len(by_role(bare, "after").x)


def test_curves_of_a_table():
    figure = figures.curves_figure(
        "t", [1, 2, 4], {"a": [0.1, 0.2, 0.3], "b": [0, 0, 0]}, "x", "y", truth=0.5, ticks=True
    )
    check(figure)
    assert [place for place, _ in figure.x_ticks] == [0, 1, 2] and figure.x_ticks[2][1] == "4"
    assert [series.name for series in figure.series] == ["truth", "a", "b"]
    assert figure.y_range[0] < 0 and figure.y_range[1] > 0.5
    many = figures.curves_figure("t", np.arange(100), {"a": np.arange(100)}, "x", "y")
    assert many.series[1].shape == "line" and not len(many.series[0].x)


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ({}, "curves has 0 entries"),
        ({"a": [1, 2]}, "curves['a'] has 2 values, but x has 3"),
        ({str(k): [1, 2, 3] for k in range(6)}, "curves has 6 entries"),
    ],
)
def test_curves_that_cannot_be_drawn(curves, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        figures.curves_figure("t", [1, 2, 3], curves, "x", "y")
