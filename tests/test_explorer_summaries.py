"""The Explorer on summaries."""

from __future__ import annotations

import time

import pytest

import calibviz as cv
from calibviz.explorer.spec import PANELS


@pytest.fixture(scope="module")
def summary():
    parts = [cv.summarize(cv.simulated("resnet110_c10", 100_000, seed=seed), "class right") for seed in range(3)]
    return sum(parts)


def test_it_shows_what_is_left_of_many_samples(summary):
    many = sum([summary] * 400)  # 120 million
    cv.Explorer(summary).close()
    start = time.perf_counter()
    explorer = cv.Explorer(many)
    assert time.perf_counter() - start < 5  # about half a second; of samples it would be minutes
    assert explorer.state.lens == "class yes"
    assert explorer._refused == ""
    judged = many.split()[1]
    shown = explorer.look.numbers(explorer.look.before)[0]
    assert shown.count == judged.rows
    assert shown.ece == pytest.approx(cv.calibration_error(judged), abs=1e-12)
    assert shown.ks == pytest.approx(cv.ks_error(judged), abs=1e-12)
    assert explorer.look.numbers(explorer.look.after)[0].ks < shown.ks / 5
    assert "too high" in explorer._sentence().lower()
    explorer.state.update(panels=PANELS, bins=40)
    explorer.finish()
    assert explorer._refused == ""
    assert len(explorer.figure().axes) > 8
    explorer.close()


def test_several_and_one_of_its_own_to_fit_to(summary):
    other = cv.summarize(cv.simulated("resnet152_imagenet", 50_000), "class right")
    explorer = cv.Explorer({"a": summary, "b": other}, calibration={"a": other, "b": summary}, bins=20)
    assert explorer.state.models == ("a", "b")
    explorer.state.model = "b"
    assert explorer.look.numbers(explorer.look.before)[0].count == 50_000
    explorer.close()
    panel = cv.ReliabilityPanel(summary, lens="class no")
    assert panel.state.lens == "class no"
    panel.close()


def test_summaries_and_predictions_do_not_mix(summary):
    p = cv.load_dataset("tumours")["naive Bayes"]
    with pytest.raises(TypeError, match="predictions holds summaries and others"):
        cv.Explorer({"a": summary, "b": p})
    with pytest.raises(TypeError, match=r"calibration must be a cv\.Summary"):
        cv.Explorer(summary, p)
