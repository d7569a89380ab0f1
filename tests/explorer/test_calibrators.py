"""The table of calibrators: one row a calibrator, beside the model as it is."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen
from figure_checks import by_role, check

import calibviz as cv
from calibviz.answers.first_screen.reliability import reliability
from calibviz.answers.views.recalibration import in_numbers, short_answer as recalibrates
from calibviz.explorer import Explorer
from calibviz.foundation.written import of_hundred
from calibviz.metrics.likert import in_category
from calibviz.uncertainty.intervals.brier_change import brier_change

#: Its row is there unasked, since one site is shown to be off.
BY_SITE = "platt by site"


@pytest.fixture
def hearts():
    explorer = Explorer(cv.load_dataset("heart"), panels=("recalibration",), calibrator="spline")
    screen(explorer).finish()
    yield explorer
    explorer.close()


#: What the sentence says of the chosen calibrator, by the word of its row.
SAID = {"yes": " helps: ", "no, it harms": " makes it worse: ", "within noise": " is not shown to help: "}


def table_of(explorer):
    return screen(explorer).records("recalibration")[1]


def click(explorer, row):
    explorer._panels["recalibration"]._shown["calibrators"]._handle_custom_msg({"click": [row, 0]}, [])
    screen(explorer).finish()


def test_each_row_is_what_the_answer_says_once_the_calibrator_is_chosen(hearts):
    table = table_of(hearts)
    names = [row[0].text for row in table.rows]
    assert names == ["none", BY_SITE, "temperature", "beta", "spline", "isotonic"]  # helps first, then by numbers
    assert [row[0].below for row in table.rows][:3] == ["as it is", "2 numbers for each site", "1 number"]
    assert table.current == (4, None)
    assert [row[-1].text for row in table.rows] == ["try", "try", "try", "try", "in use", "try"]
    for i in range(1, len(table.rows)):
        click(hearts, i)
        assert hearts.state.calibrator == names[i]
        assert table_of(hearts).current == (i, None)
        situation = hearts.situation
        problem = situation.after.problems[0]
        heading, change, brier, word, worst, button = table_of(hearts).rows[i]
        assert (heading.text, button.text, button.look) == (names[i], "in use", "pressed")
        loss = np.average((problem.score - problem.given_target) ** 2, weights=problem.weight)
        assert brier.text == f"{loss:.4f}" and f"{100 * cv.ks_error(problem):.2f} %" in brier.why
        low, high = brier_change(situation.before.problems[0], problem)
        assert dict(change.numbers) == {"lower": low, "upper": high}
        assert word.text == ("yes" if high < 0 else "no, it harms" if low > 0 else "within noise")
        assert change.strip.hollow == word.faint == (low <= 0 <= high)
        assert change.strip.of == ("stands" if low > 0 else "after")
        assert SAID[word.text] in in_numbers(situation) and change.text in in_numbers(situation)
        kept = cv.load_dataset("heart")["logistic regression"].fields["site"][problem.order] == "Zurich and Basel"
        assert dict(worst.numbers)["predicted"] == pytest.approx(problem.score[kept].mean())
    _, change, _, word, worst, button = table.rows[0]
    assert (change.strip.of, change.strip.value, word.text, worst.text, button.text) == (
        "before", pytest.approx(change.strip.middle), "", "70", "try",
    )  # fmt: skip  # short entries stand in rows
    assert table.columns[4].text == "Zurich and Basel: predicted (observed 93)"


def test_other_samples_are_not_compared_and_that_is_said(hearts):
    hearts.state.selection = "output > 0.75"
    screen(hearts).finish()
    here, there = (side.problems[0].samples for side in (hearts.situation.before, hearts.situation.after))
    assert here != there
    said = screen(hearts).answer("recalibration")
    assert said.startswith(
        f"The selection keeps {here} people before the spline and {there} after it, not the same ones"
    )
    [brier] = [row[2] for row in table_of(hearts).rows if row[0].text == "spline"]
    assert brier.faint and brier.below == f"of {there} people, not the same"
    hearts.state.panels = ("reliability",)
    screen(hearts).finish()
    card = recalibrates(hearts.situation)
    assert card.text == said and not card.picture


def test_the_same_samples_of_another_prevalence_are_not_called_others():
    moved = cv.load_dataset("heart")["random forest"].at_prevalence(0.2)
    explorer = Explorer(
        moved, panels=("recalibration",), lens="class disease", selection="age > 50", calibrator="spline"
    )
    screen(explorer).finish()
    assert screen(explorer).answer("recalibration") == ""
    assert all("not the same" not in row[2].below for row in table_of(explorer).rows)
    explorer.close()


def test_a_click_on_the_model_as_it_is_takes_the_calibrator_away(hearts):
    click(hearts, 0)
    assert hearts.state.calibrator == "none" and hearts.situation.after is None
    [table] = screen(hearts).records("recalibration")  # no map
    assert table.current == (0, None) and table.rows[0][-1].text == "in use"


def test_the_chosen_calibrator_has_a_row_though_it_is_not_compared(hearts):
    hearts.state.update(calibrators=("isotonic",), calibrator="platt")
    screen(hearts).finish()
    assert [row[0].text for row in table_of(hearts).rows] == ["none", BY_SITE, "platt", "isotonic"]


def test_a_step_of_the_bins_makes_no_row_anew(hearts):
    before = table_of(hearts)
    hearts.state.bins = 9
    assert table_of(hearts) is before
    hearts.state.selection = "site == 'Cleveland'"
    screen(hearts).finish()
    assert table_of(hearts).rows[0][2].text != before.rows[0][2].text


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
    assert {cell.text for cell in refusing[1:-1]} == {"–"}
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
    heading, error, *_ = table_of(explorer).rows[1]
    assert heading.text == "isotonic"
    assert error.why == "After isotonic the selection keeps no sample."
    explorer.close()


def of_calibrator(explorer):
    """What the reliability diagram draws of a calibrator: the name of each series, and where its points are."""
    screen(explorer).finish()
    record = check(reliability(explorer.situation).records[0])
    return {series.shape: series for series in record.series if series.role == "after" and len(series.x)}


def test_the_chosen_calibrator_is_drawn_over_the_model():
    explorer = cv.Explorer(cv.load_dataset("heart")["random forest"])
    assert not of_calibrator(explorer)
    explorer.state.calibrator = "beta"
    drawn = of_calibrator(explorer)
    assert {shape: series.name for shape, series in drawn.items()} == {"line": "", "dots": "after beta"}
    explorer.state.overlays = ("calibrator: beta",)
    asked_for = of_calibrator(explorer)
    assert asked_for.keys() == {"line", "dots"}
    np.testing.assert_array_equal(drawn["line"].y, asked_for["line"].y)
    explorer.state.overlays = ()
    explorer.state.calibrator = "isotonic"
    assert of_calibrator(explorer)["dots"].name == "after isotonic"
    explorer.state.curves = ()
    assert {shape: series.name for shape, series in of_calibrator(explorer).items()} == {"dots": "after isotonic"}
    explorer.state.overlays = ("calibrator: beta",)
    assert [series.name for series in of_calibrator(explorer).values()] == ["beta"]
    explorer.state.update(overlays=(), calibrator="none")
    assert not of_calibrator(explorer)
    explorer.close()


def test_band_strip_and_histogram_are_those_after_the_calibrator():
    p = cv.load_dataset("heart")["logistic regression"]
    edges = (0, 0.2, 0.7, 1)
    explorer = cv.Explorer(p, calibrator="beta", likert=edges)
    screen(explorer).finish()
    diagram, drawn = reliability(explorer.situation).records
    (moved,) = explorer.situation.after.problems
    explorer.close()
    assert not [one for one in diagram.series if one.role == "flexible band" and len(one.x)]
    (outline,) = [one for one in drawn.series if one.role == "after histogram"]
    counts = np.histogram(moved.score, np.arange(41) / 40)[0]
    np.testing.assert_allclose(outline.y[1:-1:2], counts)
    (words,) = drawn.labels
    assert words.lines[0][-1].text == " · after beta"
    (score,) = [cv.lens("class disease")(p)]
    strip = ["".join(run.text for run in label.lines[1]) for label in diagram.labels if label.is_on_area]
    for low, high, said in zip(edges, edges[1:], strip, strict=False):
        shares = [of_hundred(in_category(each, low, high).mean_target)[0] for each in (score, moved)]
        assert said.startswith(" → ".join(shares))


@pytest.mark.parametrize("is_apart", [False, True])
def test_numbers_of_the_samples_of_the_fit_are_grey_and_judge_nothing(is_apart):
    whole = cv.load_dataset("heart")["logistic regression"]
    calibration, judged = whole.split(0.5, rng=0) if is_apart else (None, whole)
    made = Explorer(judged, calibration, panels=("reliability", "recalibration"), calibrator="spline")
    screen(made).finish()
    before, said = table_of(made), screen(made).answer("recalibration")
    screen(made).set("shown on", "calibration")
    screen(made).finish()
    table = table_of(made)
    assert [row[0].text for row in table.rows] == [row[0].text for row in before.rows]  # no row moves
    of_fit = whole if calibration is None else calibration
    problem = cv.lens("class disease")(of_fit)
    fitted = cv.Isotonic().fit(problem)
    row = next(row for row in table.rows if row[0].text == "isotonic")
    optimistic = dict(row[2].numbers)["brier"]
    assert optimistic == pytest.approx(cv.brier_score(problem.mapped(fitted)))
    assert dict(row[1].numbers)["upper"] < 0  # where it has not seen them it harms
    assert next(row[3].text for row in before.rows if row[0].text == "isotonic") == "no, it harms"
    for row in table.rows:
        numbers = [cell for cell in row[1:] if cell.look not in ("button", "pressed")]
        assert all(cell.faint and not cell.look for cell in numbers)
        assert {cell.strip.of for cell in numbers if cell.strip} == {"unjudged"} or row[1].text == "–"
        assert row[3].text in ("", "not judged")
    assert "the very people that each calibrator was fitted to" in table.note and "judge nothing" in table.note
    assert "not seen" not in " ".join(column.why for column in table.columns)
    assert screen(made).answer("recalibration") == said  # which stays the one that is judged
    made.close()


@pytest.mark.parametrize("selection", ["", "age > 50"])
def test_the_bins_that_are_drawn_and_listed_are_those_after_the_chosen_calibrator(selection):
    heart = cv.load_dataset("heart")["random forest"]
    explorer = cv.Explorer(heart, panels=("reliability", "instances"), bins=40, selection=selection)
    plain = check(reliability(explorer.situation).records[0])
    explorer.state.calibrator = "isotonic"
    page = screen(explorer)
    page.finish()
    situation = explorer.situation
    problem = situation.after.problems[0]
    bins, (figure, *_) = cv.Uniform(40)(problem), reliability(situation).records
    check(figure)
    enough, count = bins.samples(problem) >= 10, bins.samples(problem)
    dots = {role: by_role(figure, role) for role in ("after", "few after", "bins", "few", "interval", "interval after")}
    np.testing.assert_array_equal(dots["after"].y, bins.target[enough])
    np.testing.assert_array_equal(dots["few after"].y, bins.target[~enough & (count > 0)])
    np.testing.assert_allclose(
        np.divide(dots["after"].areas, max(dots["after"].areas)), np.maximum(count[enough] / count.max(), 25 / 330)
    )
    assert [len(dots[role].x) for role in ("bins", "few", "interval")] == [0, 0, 0] and len(dots["interval after"].x)
    np.testing.assert_array_equal(by_role(figure, "flexible").y, by_role(plain, "flexible").y)  # the model as it is
    assert "Before it: predicted" in figure.alt and ", after isotonic: " in figure.alt

    chosen = int(np.flatnonzero(enough)[2])
    page.click_dot("reliability", "reliability", 2, role="after")
    page.finish()
    assert explorer.state.bin == chosen
    low, high = bins.left[chosen], bins.right[chosen]
    inside = problem.order[(problem.score >= low) & (problem.score < high)]
    assert explorer.selected == sorted(inside.tolist()) and len(inside) == count[chosen]
    ring = by_role(reliability(explorer.situation).records[0], "selected")
    assert (ring.x, ring.y) == (bins.score[chosen], bins.target[chosen])
    page.click_dot("reliability", "reliability", 0, role="few after")
    assert explorer.state.bin == int(np.flatnonzero(~enough & (count > 0))[0])

    explorer.state.update(overlays=("calibrator: beta",), bin=None)  # beside which the model has its own bins again
    page.finish()
    before = cv.Uniform(40)(explorer.situation.before.problems[0])
    figure = reliability(explorer.situation).records[0]
    assert len(by_role(figure, "bins").x) + len(by_role(figure, "few").x) == (before.weight > 0).sum()
    page.click_dot("reliability", "reliability", 2, role="after")
    assert explorer.state.bin is None  # they are another's
    explorer.close()
