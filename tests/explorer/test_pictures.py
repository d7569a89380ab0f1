"""What is drawn of single scores: bins and the samples in them, bars, cumulative curves, recalibration maps."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen
from figure_checks import by_role, check, ks_mark

import calibviz as cv
from calibviz.answers.asked.spec import CUMULATIVE
from calibviz.answers.registry import ANSWERS
from calibviz.context.induced import scalar_problem
from calibviz.explorer import Explorer
from calibviz.figures import Figure
from calibviz.foundation.written import percent
from calibviz.recalibration import ScalarCalibrator
from calibviz.recalibration.registry import CALIBRATORS


@pytest.fixture(scope="module")
def digits():
    return cv.load_dataset("digits")["naive Bayes"]


@pytest.fixture(scope="module")
def shared(digits):
    made = Explorer(digits, panels=())
    yield made
    made.close()


def shown(explorer, panel, finish=True, **choices):
    """What a panel shows; by default once all has arrived."""
    explorer.state.update(panels=(panel,), **choices)
    assert screen(explorer).complaint == ""
    if finish:
        screen(explorer).finish()
    content = ANSWERS[panel].content(explorer.situation)
    for record in content.records:
        if isinstance(record, Figure):
            check(record)
    return content


def tied(n=200):
    """Predictions of which many have the same score."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 5, n) / 5
    return cv.Predictions(np.column_stack([first, 1 - first]), rng.integers(0, 2, n))


BINNINGS = {
    "uniform": cv.Uniform(6),
    "equal-mass": cv.EqualMass(6),
    "sweep": cv.Sweep(),
    "k-d tree": cv.KDTree(1 / 8),
}


@pytest.mark.parametrize("binning", BINNINGS)
@pytest.mark.parametrize(
    ("source", "lens", "selection"),
    [
        ("digits", "top-1", ""),
        ("digits", "class 3", "ink > 0.2 and label in [1, 3, 5]"),
        ("digits", "rank 2", "output > 0.01"),
        ("digits", "grouping", ""),
        ("own", "top-1", "confidence > 0.7"),
        ("tied", "class 0", ""),
        ("weighted", "class 0", ""),
    ],
)
def test_the_selected_samples_are_those_of_the_clicked_bin(digits, explorer, source, lens, selection, binning):
    made = explorer
    if source == "own":
        calibration, evaluation = digits.split(0.4, rng=3)
        made = Explorer(evaluation, calibration, panels=())
    else:
        if source != "digits":
            plain = tied()
            weights = np.arange(len(plain)) % 3 if source == "weighted" else None
            made = Explorer(cv.Predictions(plain.probs, plain.labels, weights=weights), panels=())
        evaluation = next(iter(made.situation.engine.models.values()))[0]
    shown(made, "reliability", binning=binning, bins=6, gamma=1 / 8, lens=lens, selection=selection)
    part, places = evaluation, np.arange(len(evaluation))
    problem = cv.lens(lens)(part) if lens != "grouping" else cv.lens(lens)(part).outcome(0)
    scores, weights = np.full(len(part), np.nan), np.ones(len(part)) if part.weights is None else part.weights
    scores[problem.order] = problem.score
    kept = weights > 0
    if selection:
        output = scores if "output" in selection else None
        kept &= cv.selection(selection).mask(part, output)
    bins = made.situation.bins(made.situation.before)[0]
    np.testing.assert_array_equal(made.selected, places[kept])
    filled = np.flatnonzero(bins.weight > 0)
    found = []
    for place, b in enumerate(filled):
        screen(made).click_dot("reliability", "reliability", place)
        assert made.state.bin == b
        found.append(made.selected)
        inside = places[kept & (scores >= bins.left[b]) & (scores <= bins.right[b])]
        if source != "weighted":  # equal masses share a sample of weight 2 between them
            assert set(made.selected) <= set(inside)
            assert scores[np.isin(places, made.selected)].mean() == pytest.approx(bins.score[b])
        assert len(made.selected) == bins.count[b]
    assert sorted(i for one in found for i in one) == places[kept].tolist()
    screen(made).click_dot("reliability", "reliability", len(filled) - 1)
    assert made.state.bin is None
    if made is not explorer:
        made.close()


def test_uniform_bins_hold_the_samples_between_their_edges(explorer, digits):
    explorer.state.update(bins=5, bin=3)
    inside = (digits.confidence >= 0.6) & (digits.confidence < 0.8)
    assert explorer.selected == np.flatnonzero(inside).tolist()


def test_instances_are_the_most_miscalibrated_first(explorer, digits):
    (table,) = shown(explorer, "instances", lens="class 3", bins=4, bin=0).records
    gaps = [abs(digits.probs[i, 3] - (digits.labels[i] == 3)) for i in explorer.selected]
    listed = [int(row[0].text) for row in table.rows]
    assert len(listed) == 50
    shown_gaps = [abs(digits.probs[i, 3] - (digits.labels[i] == 3)) for i in listed]
    assert shown_gaps == sorted(shown_gaps, reverse=True)
    np.testing.assert_allclose(shown_gaps, sorted(gaps, reverse=True)[:50])
    heads = [column.text for column in table.columns]
    assert heads == [
        "index",
        "picture",
        "label",
        "predicted class",
        "confidence",
        "predicted",
        "observed",
        "ink",
        "slant",
        "aspect",
    ]
    first = dict(zip(heads, table.rows[0], strict=True))
    assert first["picture"].picture == digits.image_url(listed[0])
    assert first["label"].text == str(digits.labels[listed[0]])
    assert first["confidence"].text == percent(digits.confidence[listed[0]])
    content = shown(explorer, "instances", bin=99)
    assert " in all bins" in content.marked and explorer.state.bin is None  # there is no such bin


def test_instances_of_an_equal_number_of_bins_are_not_confused(explorer):
    first = [row[0].text for row in shown(explorer, "instances", bins=4, bin=3).records[0].rows]
    second = [row[0].text for row in shown(explorer, "instances", bins=4, bin=3, binning="equal-mass").records[0].rows]
    assert first != second


@pytest.mark.parametrize("scale", ["even", "stretched ends"])
@pytest.mark.parametrize(("text", "ends"), [("output > 0.01", (0.01, 1)), ("output <= 0.7", (0, 0.7)), ("", None)])
def test_the_histogram_shows_the_range_of_a_selection_and_leaves_it_alone(explorer, scale, text, ends):
    shown(explorer, "reliability", lens="rank 2", scale=scale, selection=text)
    assert explorer.state.selection == text
    brushed = screen(explorer).figure("reliability", "histogram").interaction.selected
    if scale == "even":
        assert (None if brushed is None else pytest.approx(tuple(brushed))) == ends
    shown(explorer, "reliability", scale="even", selection="")


def test_overlays_are_the_other_models():
    models = cv.load_dataset("digits")
    explorer = Explorer(
        models, panels=(), overlays=("model: random forest", "calibrator: isotonic", "calibrator: vector")
    )
    explorer.state.update(lens="rank 2", bins=9)
    diagram, _, compared = shown(explorer, "reliability").records
    assert [row[0].text for row in compared.rows] == ["naive Bayes", "random forest", "isotonic", "vector"]
    evaluation = models["naive Bayes"]
    other = models["random forest"]
    fitted = cv.cross_fitted(evaluation, "rank 2", calibrator=cv.Isotonic())
    vector = cv.cross_fitted(evaluation, calibrator=cv.VectorScaling()).transform(evaluation)
    problems = cv.lens("rank 2")(other), cv.lens("rank 2")(evaluation).mapped(fitted), cv.lens("rank 2")(vector)
    assert by_role(diagram, "bins").name == "naive Bayes"
    drawn = {"random forest": "overlay 1", "isotonic": "after", "vector": "overlay 2"}
    for (name, role), problem in zip(drawn.items(), problems, strict=True):
        series, bins = by_role(diagram, role), cv.Uniform(9)(problem)
        assert series.name == name
        kept = bins.samples(problem) >= (10 if role == "after" else 1)  # recalibrated, it has no hollow twin
        np.testing.assert_allclose(series.x, bins.score[kept], atol=1e-12)
        np.testing.assert_allclose(series.y, bins.target[kept], atol=1e-12)
    explorer.close()


@pytest.mark.parametrize("interval", ["clopper-pearson", "bootstrap", "consistency", "none"])
def test_bars_arrive(explorer, digits, interval):
    diagram, _ = shown(explorer, "reliability", finish=False, interval=interval).records
    late = interval in ("bootstrap", "consistency")
    assert bool(len(by_role(diagram, "interval").x)) == (interval == "clopper-pearson")
    diagram, _ = shown(explorer, "reliability").records
    drawn = next(series for series in diagram.series if series.role == "interval")
    if interval == "none":
        assert not len(drawn.x)
        return
    table = cv.reliability(digits, interval=interval, replicates=400)
    known = np.isfinite(table.lower.values) & (table["count"].values >= 10)  # fewer are hollow, without bars
    ends = drawn.y[~np.isnan(drawn.y)].reshape(-1, 2)
    np.testing.assert_allclose(ends[:, 0], table.lower.values[known], atol=0.1 if late else 1e-12)
    np.testing.assert_allclose(ends[:, 1], table.upper.values[known], atol=0.1 if late else 1e-12)


def test_scores_of_one_sample_have_no_bars_that_take_them_for_independent(explorer):
    content = shown(explorer, "reliability", lens="pooled", interval="bootstrap")
    assert not len(by_role(content.records[0], "interval").x)
    assert "take scores for independent" in content.note


@pytest.mark.parametrize("view", CUMULATIVE)
def test_cumulative_views(explorer, digits, view):
    records = shown(explorer, "cumulative", cumulative=view, lens="class 3", calibrator="spline").records
    if view == "all four":
        assert len({figure.name for figure in records}) == len(records) == 8
        return
    figure, after = records
    assert (figure.x_range, figure.y_range) == (after.x_range, after.y_range)
    table = cv.cumulative(digits, "class 3")
    if "slopes" in view:
        score = by_role(figure, "predicted before").y
        assert np.isin(np.round(score, 9), np.round(table.score.values, 9)).all()
        assert figure.x_label.startswith("share" if view.endswith("fractile") else "predicted")
        return
    gap = ks_mark(figure)[0].y
    assert abs(gap[1] - gap[0]) == pytest.approx(table.attrs["ks"], abs=1e-12)
    target = by_role(figure, "before")
    if view == "difference":
        mapped = scalar_problem(digits, "class 3", calibrator=explorer.situation.after.maps[0])
        assert np.abs(by_role(after, "after alone").y).max() == pytest.approx(cv.ks_error(mapped), abs=1e-12)
        return
    against = table.fractile if view == "fractile" else table.cumulative_score
    assert target.x[-1] == pytest.approx(float(against[-1]))
    assert np.isin(np.round(target.y[1:], 9), np.round(table.cumulative_target.values, 9)).all()


@pytest.mark.parametrize("calibrator", ["spline", "temperature"])
@pytest.mark.parametrize("given", [False, True])
def test_cumulative_pictures_of_the_samples_that_calibrators_are_fitted_to(digits, given, calibrator):
    calibration, evaluation = digits.split(0.5, rng=0) if given else (digits, None)
    explorer = Explorer(evaluation, calibration) if given else Explorer(digits)
    choices = {"calibrator": calibrator, "lens": "class 3", "selection": "confidence > 0.6"}
    before, after = shown(explorer, "cumulative", samples="calibration", **choices).records
    assert "in the samples of the fit" in after.title
    kept = (calibration, "class 3", "confidence > 0.6")
    fitted = CALIBRATORS[calibrator]()
    if calibrator == "spline":
        mapped = scalar_problem(*kept, calibrator=fitted.fit(scalar_problem(calibration, "class 3")))
    else:
        moved = fitted.fit(calibration).transform(calibration)
        mapped = scalar_problem(moved, *kept[1:])
    sides = (before, scalar_problem(*kept), "before"), (after, mapped, "after alone")
    for figure, problem, role in sides:
        assert np.abs(by_role(figure, role).y).max() == pytest.approx(cv.ks_error(problem), abs=1e-9)
    explorer.close()


def test_a_selection_may_keep_none_of_the_samples_of_the_fit(digits):
    calibration, evaluation = digits.split(0.5, rng=0)
    explorer = Explorer(evaluation, calibration.select(calibration.labels != 3), samples="calibration")
    content = shown(explorer, "cumulative", selection="label in [3]")
    assert not content.records and "none of the samples that calibrators are fitted to" in content.note
    explorer.close()


@pytest.mark.thorough
@pytest.mark.parametrize("calibrator", CALIBRATORS)
def test_recalibration_by_every_calibrator(explorer, digits, calibrator):
    if calibrator == "neural":  # which takes its time
        digits = digits.select(np.arange(0, 1797, 12))
        explorer = Explorer(digits, panels=())
    evaluation = digits
    kind = CALIBRATORS[calibrator]
    figure = shown(explorer, "recalibration", calibrator=calibrator, lens="class 3").records[0]
    scalar = isinstance(kind(), ScalarCalibrator)
    if scalar:
        fitted = kind().fit(cv.lens("class 3")(evaluation))
        curve = by_role(figure, "map")
        np.testing.assert_allclose(curve.y, fitted(curve.x), atol=1e-12)
        moved = cv.lens("class 3")(evaluation).mapped(cv.cross_fitted(evaluation, "class 3", calibrator=kind()))
    else:
        assert not len(by_role(figure, "map").x)
        moved = cv.lens("class 3")(cv.cross_fitted(evaluation, calibrator=kind()).transform(evaluation))
    after = cv.Uniform(15)(moved)
    np.testing.assert_allclose(by_role(figure, "after").x, after.score[after.weight > 0], atol=1e-9)
    np.testing.assert_allclose(by_role(figure, "after").y, after.target[after.weight > 0], atol=1e-9)
    content = shown(explorer, "recalibration", lens="grouping", outcome="odd")
    assert len(by_role(content.records[0], "cloud").x) and ("a map of its own" in content.note) == scalar
    if calibrator == "neural":
        explorer.close()


def test_a_cloud_of_several_scores_a_sample(explorer):
    figure = shown(explorer, "recalibration", lens="pooled", calibrator="temperature").records[0]
    assert len(by_role(figure, "cloud").x)
    (table,) = shown(explorer, "instances").records
    assert len(table.rows) == 50


@pytest.mark.parametrize("knots", [2, 6, 20])
def test_knots(explorer, digits, knots):
    content = shown(explorer, "recalibration", calibrator="spline", knots=knots)
    fitted = cv.Spline(knots).fit(cv.lens("top-1")(digits))
    dots = by_role(content.records[0], "knots")
    np.testing.assert_allclose(dots.x, fitted.knot_scores_)
    np.testing.assert_allclose(dots.y, fitted(fitted.knot_scores_))
    assert ("follows their noise" in content.note) == (20 * knots > 1797)
