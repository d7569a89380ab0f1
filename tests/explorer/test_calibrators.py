"""The table of calibrators: one row a calibrator, beside the model as it is."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen
from figure_checks import check

import calibviz as cv
from calibviz.answers.recalibration import short_answer as recalibrates
from calibviz.answers.reliability import reliability
from calibviz.explorer import Explorer

#: What the answer says of the chosen calibrator, by the word of its row.
SAID = {"better": "yes, it helps", "worse": "no, it harms", "not shown": "gain within noise"}

#: Its row is there unasked, since one site is shown to be off.
BY_SITE = "platt by site"


@pytest.fixture
def hearts():
    explorer = Explorer(cv.load_dataset("heart"), panels=("recalibration",))
    screen(explorer).finish()
    yield explorer
    explorer.close()


def table_of(explorer):
    return screen(explorer).records("recalibration")[1]


def click(explorer, row):
    explorer._panels["recalibration"]._shown["calibrators"]._handle_custom_msg({"click": [row, 0]}, [])
    screen(explorer).finish()


def test_each_row_is_what_the_headline_says_once_the_calibrator_is_chosen(hearts):
    table = table_of(hearts)
    assert [row[0].text for row in table.rows] == ["as it is", "temperature", "spline", "isotonic", "beta", BY_SITE]
    assert table.current == (2, None)
    for i in range(1, len(table.rows)):
        click(hearts, i)
        name = table.rows[i][0].text
        assert hearts.state.calibrator == name
        assert table_of(hearts).current == (i, None)
        problem = hearts.situation.after.problems[0]
        heading, error, brier = table_of(hearts).rows[i]
        assert heading.text == name
        assert error.text == f"{100 * cv.ks_error(problem):.2f} %"
        assert error.strip.of == "after" and error.strip.hollow == error.below.startswith("within noise") == error.faint
        loss = np.average((problem.score - problem.given_target) ** 2, weights=problem.weight)
        assert brier.text == f"{loss:.4f}"
        word = brier.below.split(":")[0]
        said = screen(hearts).answer("recalibration")
        assert SAID[word] in said
        assert brier.below.split(": ")[1] in said
    assert table.rows[0][1].strip.of == "before" and table.rows[0][2].below == ""


def test_other_samples_are_not_compared_and_that_is_said(hearts):
    hearts.state.selection = "output > 0.75"
    screen(hearts).finish()
    here, there = (side.problems[0].samples for side in (hearts.situation.before, hearts.situation.after))
    assert here != there
    said = screen(hearts).answer("recalibration")
    assert said.startswith(
        f"The selection keeps {here} people before the spline and {there} after it, not the same ones"
    )
    brier = table_of(hearts).rows[2][2]
    assert brier.faint and brier.below == f"of {there} samples, not the same"
    hearts.state.panels = ("reliability",)
    screen(hearts).finish()
    card = recalibrates(hearts.situation)
    assert card.text == said and not card.picture


def test_the_same_samples_of_another_prevalence_are_not_called_others():
    moved = cv.load_dataset("heart")["random forest"].at_prevalence(0.2)
    explorer = Explorer(moved, panels=("recalibration",), lens="class disease", selection="age > 50")
    screen(explorer).finish()
    assert screen(explorer).answer("recalibration") == ""
    assert all("not the same" not in row[2].below for row in table_of(explorer).rows)
    explorer.close()


def test_the_model_as_it_is_cannot_be_clicked(hearts):
    click(hearts, 0)
    assert hearts.state.calibrator == "spline"


def test_the_chosen_calibrator_has_a_row_though_it_is_not_compared(hearts):
    hearts.state.update(calibrators=("isotonic",), calibrator="platt")
    screen(hearts).finish()
    assert [row[0].text for row in table_of(hearts).rows] == ["as it is", "isotonic", "platt", BY_SITE]


def test_a_step_of_the_bins_makes_no_row_anew(hearts):
    before = table_of(hearts)
    hearts.state.bins = 9
    assert table_of(hearts) is before
    hearts.state.selection = "site == 'Cleveland'"
    screen(hearts).finish()
    assert table_of(hearts).rows[0][1].text != before.rows[0][1].text


class Refusing:
    """Cannot be fitted."""

    def fit(self, problem):
        raise ValueError("too few of a kind")

    def __call__(self, score):
        return score


def test_a_calibrator_that_cannot_be_fitted_says_why_and_leaves_the_others_alone(hearts):
    hearts.state.calibrators = ("temperature", Refusing())
    screen(hearts).finish()
    table = table_of(hearts)
    rows = {row[0].text: row for row in table.rows}
    refusing = rows["Refusing"]
    assert "too few of a kind" in refusing[1].why
    assert [cell.text for cell in refusing[1:]] == ["–", "–"]
    assert rows["temperature"][1].strip is not None
    hearts.state.bins = 9
    assert table_of(hearts) is table


def test_a_calibrator_after_which_nothing_is_kept_says_so():
    rng = np.random.default_rng(0)
    told = rng.uniform(0.6, 1.0, 400)
    explorer = Explorer(
        cv.Predictions(told, rng.random(400) < told - 0.5),
        panels=("recalibration",),
        selection="output > 0.95",
        calibrators=("isotonic",),
        calibrator="isotonic",
    )
    screen(explorer).finish()
    heading, error, _ = table_of(explorer).rows[1]
    assert heading.text == "isotonic"
    assert error.why == "After isotonic the selection keeps no sample."
    explorer.close()


def of_calibrator(explorer):
    """What the reliability diagram draws of a calibrator: the name of each series, and where its points are."""
    screen(explorer).finish()
    record = check(reliability(explorer.situation).records[0])
    return {series.shape: series for series in record.series if series.role == "after" and len(series.x)}


def test_the_calibrator_that_is_asked_about_is_drawn_over_the_model():
    explorer = cv.Explorer(cv.load_dataset("heart")["random forest"], calibrator="beta")
    assert not of_calibrator(explorer)
    explorer.state.panels = ("reliability", "recalibration")
    drawn = of_calibrator(explorer)
    assert {shape: series.name for shape, series in drawn.items()} == {"line": "after beta"}
    explorer.state.overlays = ("calibrator: beta",)
    asked_for = of_calibrator(explorer)
    assert asked_for.keys() == {"line", "dots"}
    np.testing.assert_array_equal(drawn["line"].y, asked_for["line"].y)
    explorer.state.overlays = ()
    explorer.state.calibrator = "isotonic"
    assert of_calibrator(explorer)["line"].name == "after isotonic"
    explorer.state.curves = ()
    assert {shape: series.name for shape, series in of_calibrator(explorer).items()} == {"dots": "after isotonic"}
    explorer.state.overlays = ("calibrator: beta",)
    assert [series.name for series in of_calibrator(explorer).values()] == ["beta"]
    explorer.state.update(overlays=(), panels=("reliability", "segments"))
    assert not of_calibrator(explorer)
    explorer.close()
