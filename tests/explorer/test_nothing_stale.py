"""What an Explorer has to get right from step to step: nothing stale, nothing left over, nothing stuck."""

from __future__ import annotations

import numpy as np
import pytest
from driver import numbers_of, screen
from ipywidgets.widgets.widget import _instances

import calibviz as cv
from calibviz.answers.acting.decision import paired_problems
from calibviz.answers.registry import ANSWERS
from calibviz.answers.situation import engine as engine_module
from calibviz.app.demo import demo
from calibviz.explorer import Explorer
from calibviz.figures import Figure
from calibviz.recalibration.registry import CALIBRATORS


@pytest.fixture(scope="module")
def digits():
    return cv.load_dataset("digits")["naive Bayes"]


@pytest.fixture(scope="module")
def shared(digits):
    made = Explorer(digits, panels=())
    yield made
    made.close()


def after_of(explorer):
    return numbers_of(explorer.situation, explorer.situation.after)[0]


@pytest.mark.parametrize(("scalar", "vector", "outcome"), [("class 3", "full", "3"), ("rank 2", "top-5", "rank 2")])
@pytest.mark.parametrize("order", [1, -1])
def test_scores_and_rows_are_recalibrated_apart(explorer, digits, scalar, vector, outcome, order):
    evaluation = digits
    lens = cv.lens(scalar)
    moved = cv.cross_fitted(evaluation, calibrator=cv.OneVsRest(cv.Spline())).transform(evaluation)
    expected = {
        (scalar, None): lens(evaluation).mapped(cv.cross_fitted(evaluation, scalar, calibrator=cv.Spline())).mean_score,
        (vector, outcome): lens(moved).mean_score,
    }
    for name, of in list(expected)[::order]:
        explorer.state.update(lens=name, outcome=of, calibrator="spline")
        assert after_of(explorer).mean_score == pytest.approx(expected[name, of], abs=1e-12)


def test_what_was_fitted_and_dropped_is_fitted_again(digits, monkeypatch):
    monkeypatch.setattr(engine_module, "SLOW_SIZE", 0)
    monkeypatch.setattr(engine_module, "MOST_MOVED", 2)
    explorer = Explorer(digits, panels=(), lens="full")
    names = [name for name in CALIBRATORS if explorer.situation.engine.is_of_scores(explorer.state.spec, name)][:4]
    for name in [*names, *names]:
        explorer.state.calibrator = name
        explorer.finish()
        assert explorer.situation.after is not None, name
    explorer.close()


def test_fits_say_what_is_wrong_with_them():
    probs = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]] * 20)
    explorer = Explorer(cv.Predictions(probs, [0, 1, 0, 1] * 20), panels=(), calibrator="temperature")
    assert "temperature: no temperature between" in screen(explorer).numbers["note"]
    explorer.state.calibrator = "spline"
    assert "no temperature" not in screen(explorer).numbers["note"]
    explorer.close()


def test_choices_that_cannot_be_shown(explorer):
    explorer.state.update(panels=("comparison", "reliability"), calibrators=("temperature",))
    explorer.finish()
    explorer.state.selection = "ink > 1000"
    refusal = screen(explorer).complaint
    assert "keeps none" in refusal
    screen(explorer).open("likert")
    screen(explorer).refresh()
    assert explorer.state.panels == ("comparison", "reliability")
    for name in ("code", "code", "link"):
        screen(explorer).export(name)
        assert screen(explorer).complaint.count("cannot be shown") == (name == "code")
    assert screen(explorer).complaint == refusal
    explorer.state.calibrators = ()
    screen(explorer).click(screen(explorer).table("comparison"), 0, 2)  # what is drawn still has the column
    assert explorer.state.calibrator == "temperature"
    explorer.state.selection = ""
    assert screen(explorer).complaint == ""


def test_only_pictures_on_screen_have_a_legend(explorer):
    explorer.state.update(panels=("cumulative",), calibrator="spline")
    for view in ("fractile", "difference", "score", "slopes by score", "fractile"):
        explorer.state.cumulative = view
        assert len(screen(explorer).figures("cumulative")) == len(screen(explorer).legends("cumulative")) == 2, view
    explorer.state.panels = ("likert",)
    explorer.state.likert = (0, 0.5, 1)
    assert len(screen(explorer).legends("likert")) == 2


def test_a_refused_explorer_leaves_nothing(digits):
    before = set(_instances)
    with pytest.raises(ValueError, match="keeps none"):
        Explorer(digits, selection="confidence > 0.5 and confidence < 0.5", panels=tuple(ANSWERS))
    assert set(_instances) == before


def test_other_data_in_the_demonstration_leave_nothing():
    page = demo("")
    _, chooser = page.children[0].children
    counts = []
    for name in ("tumours", "digits", "tumours", "digits"):
        chooser.value = name
        counts.append(len(_instances))
    assert counts[0] == counts[2] and counts[1] == counts[3]
    page.children[1].view.close()


@pytest.mark.parametrize(("place", "x", "edges"), [(1, 0.2, (0.33, 0.331)), (0, 0.8, (0.659, 0.66))])
def test_an_edge_that_would_pass_another_stops_there(explorer, place, x, edges):
    explorer.state.update(panels=("reliability",), likert=(0, 0.33, 0.66, 1))
    assert screen(explorer).drag_edge(place, x) == pytest.approx(edges)
    assert explorer.state.likert == (0, *edges, 1)


def simulated(seed=0, n=600, classes=4, heat=2.5):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, classes)) * 2
    probs, truth = (np.exp(logits / t) / np.exp(logits / t).sum(axis=1, keepdims=True) for t in (1, heat))
    labels = (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return cv.Predictions(probs, labels)


@pytest.mark.parametrize("lens", ["class 0", "top-1"])
def test_a_comparison_does_not_depend_on_where_it_was_opened(lens):
    predictions = simulated()
    explorer = Explorer(predictions, lens=lens, panels=("comparison",), calibrators=("spline",))
    explorer.finish()
    grid = screen(explorer).records("comparison")[0]
    evaluation = predictions
    moved = cv.cross_fitted(evaluation, calibrator=cv.OneVsRest(cv.Spline())).transform(evaluation)
    for name in ("classwise", "full"):
        expected = 100 * cv.calibration_error(moved, name, binning=cv.Uniform(15))
        assert grid.values[grid.rows.index(name), 1] == pytest.approx(expected, abs=1e-9)
    explorer.close()


def test_an_empty_cell_leaves_the_others():
    predictions = simulated(heat=1)
    explorer = Explorer(predictions, selection="output >= 0.6", panels=("comparison",), calibrators=("isotonic",))
    explorer.finish()
    grid = screen(explorer).records("comparison")[0]
    values = dict(zip(grid.rows, grid.values, strict=True))
    assert np.isnan(values["rank 2"][0]) and np.isfinite(values["top-1"]).all()
    assert "keeps none" not in screen(explorer).note("comparison")
    explorer.close()


def test_what_recalibration_takes_out_of_the_selection():
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(2000, 4)) * 6
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    blurred = (probs + 0.05) ** 0.35
    labels = (blurred.cumsum(axis=1) < rng.random((2000, 1)) * blurred.sum(axis=1, keepdims=True)).sum(axis=1)
    explorer = Explorer(cv.Predictions(probs, labels), calibrator="temperature", panels=tuple(ANSWERS))
    explorer.state.selection = "output >= 0.9"
    explorer.finish()
    assert screen(explorer).complaint == "" and screen(explorer).words.startswith("Over-confident")
    assert "keeps no sample" in screen(explorer).numbers["note"]
    explorer.close()


def test_pooled_scores_move_as_the_rows_do():
    predictions = simulated(n=400)
    explorer = Explorer(predictions, lens="pooled", calibrator="vector", panels=("recalibration",))
    evaluation = predictions
    moved = cv.cross_fitted(evaluation, calibrator=cv.VectorScaling()).transform(evaluation)
    figure = screen(explorer).records("recalibration")[0]
    farthest = np.abs(moved.probs - evaluation.probs).max()
    assert f"by up to {100 * farthest:.2f} %" in figure.alt
    cloud = next(series for series in figure.series if series.role == "cloud")
    pairs = set(zip(evaluation.probs.ravel().tolist(), moved.probs.ravel().tolist(), strict=True))
    assert set(zip(cloud.x.tolist(), cloud.y.tolist(), strict=True)) <= pairs
    assert screen(explorer).sides[0]["samples"]["text"] == "1,600 of 1,600"
    explorer.close()


@pytest.mark.parametrize(
    ("weight", "says"), [(20.0, "4 samples"), (20.5, "part of one sample predicted 50 to 50\ntoo few to say")]
)
def test_a_bin_within_one_heavy_sample_lists_it(weight, says):
    score = np.array([0.1, 0.2, 0.5, 0.8, 0.9, 0.3, 0.6, 0.7])
    heavy = cv.Predictions(np.c_[1 - score, score], [0, 0, 1, 1, 1, 0, 1, 0], weights=[1, 1, weight, 1, 1, 1, 1, 1])
    explorer = Explorer(heavy, calibration=heavy, lens="class 1", binning="equal-mass", bins=7, bin=1)
    assert explorer.selected == [2]
    bins = next(series for series in screen(explorer).records("reliability")[0].series if series.role == "few")
    assert bins.hints[1].startswith(says)  # whole-number weights count repetitions
    explorer.close()


def test_a_model_may_be_called_like_a_recalibrated_one():
    models = {"a": simulated(0), "a, spline": simulated(1)}
    explorer = Explorer(models, panels=("confidence",), calibrator="spline")
    explorer.finish()
    curves = [series.name for series in screen(explorer).records("confidence")[0].series if series.name]
    assert {"a", "a, spline", "a, spline (recalibrated)"} <= set(curves)
    explorer.close()


def told_by(explorer, panel):
    """All that a panel says and lists, and the points that it draws."""
    explorer.finish()
    content = ANSWERS[panel].content(explorer.situation)
    drawn = [
        (record.alt, [(s.name, s.x.tolist(), s.y.tolist()) for s in record.series])
        if isinstance(record, Figure)
        else record
        for record in content.records
    ]
    return repr((content.answer, content.note, content.names, drawn, screen(explorer).numbers))


@pytest.mark.thorough
def test_what_is_kept_is_what_would_be_made_anew():
    models, panels = cv.load_dataset("heart"), ("segments", "decision", "reliability", "comparison")
    used = Explorer(models, panels=panels)
    choices = {}
    for step in (
        {"calibrator": "temperature"},
        {"bins": 7},
        {"threshold": 0.3},
        {"calibrator": "platt"},
        {"prevalence": 0.2},
        {"model": list(models)[-1]},
        {"depth": 1},
        {"selection": "confidence > 0.6"},
        {"lens": "top-1"},
        {"minimum": 60},
    ):
        choices |= step
        used.state.update(**step)
        assert screen(used).complaint == ""
        fresh = Explorer(models, panels=panels, **choices)
        for panel in panels:
            assert told_by(used, panel) == told_by(fresh, panel), (step, panel)
        fresh.close()
    used.close()


@pytest.mark.parametrize("panel", ["segments", "decision"])
def test_other_bins_change_nothing_where_there_are_none(panel):
    explorer = Explorer(cv.load_dataset("heart"), panels=(panel,), calibrator="spline")
    explorer.finish()
    before = ANSWERS[panel].content(explorer.situation)
    explorer.state.bins = 9
    explorer.finish()
    assert ANSWERS[panel].content(explorer.situation) is before
    explorer.close()


def test_what_is_kept_of_a_problem_does_not_keep_it_alive():
    explorer = Explorer(cv.load_dataset("heart"), panels=("decision",), calibrator="platt")
    explorer.finish()
    (problem,) = explorer.situation.before.problems
    sides = paired_problems(explorer.situation)
    assert sides["model"] is problem and len(sides) == 2
    kept = explorer.situation.engine._kept[problem]
    assert not [name for name, value in kept.items() if isinstance(value, dict) and problem in value.values()]
    explorer.close()
