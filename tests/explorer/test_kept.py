"""The two kept states: kept, shown again, compared sample by sample, and carried along in links and code."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz.explorer import Explorer
from calibviz.foundation.written import interval


@pytest.fixture(scope="module")
def shared():
    made = Explorer(cv.load_dataset("heart"), panels=("reliability",))
    yield made
    made.close()


@pytest.fixture
def explorer(shared):
    shared.state.from_dict({"panels": ("reliability",), "calibrator": "spline"})
    return shared


def texts(explorer):
    return {row[0]["text"]: [cell["text"] for cell in row[1:]] for row in screen(explorer).kept}


def test_nothing_is_shown_until_something_is_kept(explorer):
    with pytest.raises(KeyError):
        _ = screen(explorer).kept
    screen(explorer).keep("A")
    assert list(texts(explorer)) == ["A", "A, recalibrated"]
    assert {"show A", "let go"} <= set(screen(explorer).buttons) and "show B" not in screen(explorer).buttons
    screen(explorer).press("let go")
    assert explorer.state.kept == ()
    screen(explorer).ask("undo")
    assert [name for name, _ in explorer.state.kept] == ["A"]


def test_a_kept_state_comes_back_as_it_was(explorer):
    explorer.state.update(bins=9, selection='site == "Zurich and Basel"')
    screen(explorer).keep("A")
    explorer.state.update(bins=20, selection="")
    screen(explorer).keep("B")
    screen(explorer).press("show A")
    assert (explorer.state.bins, explorer.state.selection) == (9, 'site == "Zurich and Basel"')
    screen(explorer).ask("reset")
    assert [name for name, _ in explorer.state.kept] == ["A", "B"]  # back to the start, and still compared
    screen(explorer).set("start with", "Tail classes")
    assert [name for name, _ in explorer.state.kept] == ["A", "B"]
    explorer.state.recall("B")
    assert (explorer.state.bins, explorer.state.selection) == (20, "")
    with pytest.raises(Exception, match="name must be one of 'A', 'B', not 'C'"):
        explorer.state.recall("C")
    screen(explorer).press("let go")
    with pytest.raises(Exception, match="name 'B' is not kept: call keep\\('B'\\) first"):
        explorer.state.recall("B")


def test_models_are_compared_on_the_same_samples(explorer):
    screen(explorer).keep("A")
    explorer.state.model = "random forest"
    screen(explorer).keep("B")
    explorer.finish()
    one, other = (cv.load_dataset("heart")[name] for name in ("logistic regression", "random forest"))
    losses = [(predictions.probs[:, 1] - predictions.labels) ** 2 for predictions in (one, other)]
    change = losses[1] - losses[0]
    half = 1.96 * change.std(ddof=1) / np.sqrt(len(change))
    row = next(row for row in screen(explorer).kept if row[0]["text"] == "B − A")
    low, high = (float(text) for text in row[-1]["below"].split(" to "))
    assert float(row[-1]["text"]) == pytest.approx(change.mean(), abs=5e-5)
    assert (low, high) == pytest.approx((change.mean() - half, change.mean() + half), abs=5e-5)
    assert row[1]["text"] == "same samples, paired"
    ks = [cv.ks_error(predictions, f"class {one.class_names[1]}") for predictions in (one, other)]
    shown = texts(explorer)
    assert [shown[name][4] for name in ("A", "B")] == [f"{100 * error:.2f} %" for error in ks]
    assert "noise: " in screen(explorer).kept[0][5]["below"]
    screen(explorer).press("B over A")
    assert explorer.state.overlays == ("model: random forest",)
    assert explorer.state.model == "logistic regression"


def test_calibrators_are_compared_after_repair_alone(explorer):
    screen(explorer).keep("A")
    screen(explorer).set("calibrator", "beta")
    screen(explorer).keep("B")
    explorer.finish()
    assert list(texts(explorer)) == ["A", "A, recalibrated", "B", "B, recalibrated", "B − A, recalibrated"]
    assert texts(explorer)["B − A, recalibrated"][0] == "same samples, paired"
    screen(explorer).press("B over A")
    assert explorer.state.overlays == ("calibrator: spline", "calibrator: beta")


def test_a_calibrator_is_drawn_over_the_model_as_it_is(explorer):
    explorer.state.calibrator = "none"
    screen(explorer).keep("A")
    explorer.state.calibrator = "beta"
    screen(explorer).keep("B")
    explorer.finish()
    screen(explorer).press("B over A")
    assert (explorer.state.calibrator, explorer.state.overlays) == ("none", ("calibrator: beta",))


def test_other_samples_are_not_paired(explorer):
    screen(explorer).keep("A")
    explorer.state.selection = 'site == "Zurich and Basel"'
    screen(explorer).keep("B")
    explorer.finish()
    row = next(row for row in screen(explorer).kept if row[0]["text"] == "B − A")
    assert (row[1]["text"], row[-1]["below"]) == ("not the same samples", "")
    assert row[2]["text"] == "920 and 123"
    assert "B over A" not in screen(explorer).buttons


def test_two_kept_states_are_told_apart_in_words(explorer):
    explorer.state.keep("A")
    explorer.state.model = "random forest"
    explorer.state.keep("B")
    explorer.finish()
    said = screen(explorer).told_of_kept
    assert said.startswith("A, logistic regression: predicted 53 of 100, observed 55 (920 people).")
    assert "B, random forest: predicted " in said
    assert "B against A, sample by sample: worse, Brier score +" in said  # as over the picture, with the interval
    explorer.state.selection = 'site == "Budapest"'
    explorer.state.keep("B")
    assert "Brier" not in screen(explorer).told_of_kept  # they are not the same samples


def test_what_is_kept_but_cannot_be_shown_says_why(explorer):
    explorer.state.kept = {"A": {"selection": 'site == "nowhere"'}, "B": {"lens": "class martian"}}
    assert screen(explorer).complaint == ""
    assert texts(explorer) == {}


def test_what_is_kept_is_in_the_link_and_in_the_code(explorer):
    explorer.state.bins = 9
    screen(explorer).keep("A")
    explorer.state.update(bins=20, lens="top-1")
    screen(explorer).keep("B")
    other = Explorer(cv.load_dataset("heart"), panels=())
    other.state.from_link(explorer.state.to_link())
    assert other.state.spec == explorer.state.spec
    other.close()
    (both,) = screen(explorer).export("code of both")
    assert [line for line in both.splitlines() if line.startswith("# Kept")] == ["# Kept as A", "# Kept as B"]
    assert "bins=9" in both.split("# Kept as B")[0] and "bins=20" in both.split("# Kept as B")[1]
    assert explorer.code().startswith(f"{explorer._caption().comment}{both}")
    exec(explorer.code(), names := {})
    names["explorer"].close()
    ece = explorer.situation.error(explorer.situation.before)
    assert names["numbers"].loc["none", "ece"] == pytest.approx(ece, abs=1e-12)


@pytest.mark.thorough
def test_the_difference_of_ks_errors_has_an_interval(of_intervals):
    explorer = Explorer(cv.load_dataset("heart"), panels=())
    screen(explorer).keep("A")
    explorer.state.model = "gradient boosting"
    screen(explorer).keep("B")
    explorer.finish()
    names = "logistic regression", "gradient boosting"
    models, lens = cv.load_dataset("heart"), explorer.state.lens
    one, other = (cv.interval(models[name], lens, error=cv.ks_error, level=0.975, progress=False) for name in names)
    row = next(row for row in screen(explorer).kept if row[0]["text"] == "B − A")
    assert row[5]["below"] == interval(other.lower - one.upper, other.upper - one.lower, signed=True)
    low, high = (float(end.replace("−", "-")) for end in row[5]["below"].split(" to "))
    assert low <= 100 * (other.estimate - one.estimate) <= high
    explorer.close()
