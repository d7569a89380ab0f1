"""The Explorer on summaries."""

from __future__ import annotations

import time

import numpy as np
import pytest
from driver import numbers_of, screen

import calibviz as cv
from calibviz.answers.asked.presets import PRESETS
from calibviz.answers.registry import ANSWERS


@pytest.fixture(scope="module")
def summary():
    parts = [cv.summarize(cv.simulated("resnet110_c10", 20_000, rng=seed), "class right") for seed in range(3)]
    return sum(parts)


@pytest.mark.thorough
def test_it_shows_what_is_left_of_many_samples():
    few = many = cv.summarize(cv.simulated("resnet110_c10", 2_000), "class right")
    for _ in range(16):
        many = many + many  # in the end of 131 million samples
    cv.Explorer(few).close()
    start = time.process_time()
    explorer = cv.Explorer(many)
    assert time.process_time() - start < 5  # about half a second; of samples it would be minutes
    assert explorer.state.lens == "class right"
    assert screen(explorer).complaint == ""
    judged = many
    shown = numbers_of(explorer.situation, explorer.situation.before)[0]
    assert shown.count == judged.rows
    assert shown.ece == pytest.approx(cv.calibration_error(judged), abs=1e-12)
    assert shown.ks == pytest.approx(cv.ks_error(judged), abs=1e-12)
    explorer.state.calibrator = "spline"
    assert numbers_of(explorer.situation, explorer.situation.after)[0].ks < shown.ks / 5
    explorer.state.calibrator = "none"
    explorer.state.update(panels=tuple(ANSWERS), bins=40, metrics=("ks",), calibrators=("platt",))
    explorer.finish()
    assert "Over-confident" in screen(explorer).words
    assert screen(explorer).complaint == ""
    assert len(explorer.figure().axes) > 8
    for name, said in {"instances": "holds sums, not samples", "confidence": "not whole rows"}.items():
        assert said in screen(explorer).note(name)
    assert shown.accuracy is None
    explorer.close()


def test_several_and_one_of_its_own_to_fit_to(summary):
    other = cv.summarize(cv.simulated("resnet152_imagenet", 50_000), "class right")
    explorer = cv.Explorer({"a": summary, "b": other}, calibration={"a": other, "b": summary}, bins=20)
    assert explorer.state.models == ("a", "b")
    explorer.state.model = "b"
    assert numbers_of(explorer.situation, explorer.situation.before)[0].count == 50_000
    explorer.close()
    panel = cv.Panel("reliability", summary, lens="class not right")
    assert panel.state.lens == "class not right"
    panel.close()


@pytest.mark.parametrize("lens", ["top-1", "class 3", "within-top 2"])
def test_it_knows_what_a_summary_is_of(lens):
    p = cv.load_dataset("digits")["random forest"]
    summary = cv.summarize(p, lens)
    explorer = cv.Explorer(summary)
    name = {"top-1": "class right", "class 3": "class 3", "within-top 2": "class yes"}[lens]
    assert explorer.state.lens == name and screen(explorer).controls["lens"].options == ("class",)
    judged = summary
    shown = numbers_of(explorer.situation, explorer.situation.before)[0]
    assert shown.accuracy == (pytest.approx(judged.problem.mean_target) if lens == "top-1" else None)
    cube = explorer.cube()
    assert "accuracy" not in cube  # of the two classes it would be another than the model's
    assert cube["count"].values.ravel()[0] == judged.rows
    assert cube.ks.sel(calibrator="none").item() == pytest.approx(cv.ks_error(judged), abs=1e-12)
    found = {"summary": summary}
    exec(explorer.code(), found)
    found["explorer"].close()
    assert found["numbers"].ks == pytest.approx(cv.ks_error(judged), abs=1e-12)
    explorer.state.lens = "top-1"
    assert f"a summary of '{lens}' is looked at through the lens '{name}' alone" in screen(explorer).complaint
    screen(explorer).set("start with", next(iter(PRESETS)))
    assert explorer.state.lens == name
    explorer.close()


def test_summaries_of_several_lenses_are_refused(summary):
    other = cv.summarize(cv.load_dataset("digits")["random forest"], "class 3")
    with pytest.raises(ValueError, match="summaries of several lenses: 'class right', 'class 3'; pass those of one"):
        cv.Explorer({"a": summary, "b": other})


def test_a_summary_of_one_sample_has_nothing_to_fit_to():
    few = cv.summarize(cv.Predictions([0.3], [1]))
    explorer = cv.Explorer(few, calibrator="spline")
    assert explorer.situation.no_after == "All weights but one are 0: no sample can be judged by a fit to others."
    explorer.close()
    cv.Explorer(few, few).close()


def test_samples_of_equal_rows_are_dealt_to_folds(summary):
    """The folds of a class differ by one sample at most, and hold together what the rows stood for."""
    plain, rows = summary.predictions(), summary.predictions(folds=5)
    for label in (0, 1):
        sizes = [rows.weights[(rows.dealt == fold) & (rows.labels == label)].sum() for fold in range(5)]
        assert max(sizes) - min(sizes) <= 1
        assert sum(sizes) == plain.weights[plain.labels == label].sum()
    assert cv.calibration_error(rows) == pytest.approx(cv.calibration_error(plain), abs=1e-12)
    score = cv.lens("class 1")(rows).mapped(cv.cross_fitted(rows, "class 1", calibrator=cv.Platt())).score
    whole = cv.lens("class 1")(rows).mapped(cv.Platt().fit(cv.lens("class 1")(plain))).score
    np.testing.assert_allclose(score, whole, atol=0.02)
    with pytest.raises(ValueError, match="folds is 3, but the rows of this summary were dealt to more"):
        cv.cross_fitted(rows, "class 1", calibrator=cv.Platt(), folds=3)


def test_summaries_and_predictions_do_not_mix(summary):
    p = cv.load_dataset("tumours")["naive Bayes"]
    with pytest.raises(TypeError, match="predictions holds summaries and others"):
        cv.Explorer({"a": summary, "b": p})
    with pytest.raises(TypeError, match=r"calibration must be a cv\.Summary"):
        cv.Explorer(summary, p)


def test_what_is_said_about_predictions_does_not_make_them_a_summary():
    p = cv.load_dataset("tumours")["naive Bayes"]
    told = cv.Predictions(p.probs, p.labels, about={"summary": "top-1"})
    explorer = cv.Explorer(told, panels=["instances"])
    assert len(screen(explorer).controls["lens"].options) > 1
    assert "summary" not in screen(explorer).answer("instances")
    explorer.close()


def test_rows_of_a_summary_stay_such_when_some_are_chosen():
    rows = cv.summarize(cv.load_dataset("digits")["random forest"], "full", outcome="3").predictions()
    assert rows.select(range(9)).summary_of == cv.Outcome(cv.lens("full"), "3")
