"""The first screen: what its buttons, its dots and its diamond open."""

from __future__ import annotations

import numpy as np
import pytest
from driver import below, screen
from efforts import spend

import calibviz as cv
from calibviz.answers.asked.choices import NAMES
from calibviz.answers.first_screen.headline_numbers import headline
from calibviz.explorer.app import VIEWS


@pytest.fixture(scope="module")
def shared():
    made = cv.Explorer(
        cv.load_dataset("heart"), likert={"unlikely": (0, 0.2), "possible": (0.2, 0.7), "likely": (0.7, 1)}
    )
    made.finish()
    yield made
    made.close()


@pytest.fixture
def explorer(shared):
    shared.state.from_dict({"likert": dict(shared.state.likert)})
    for label in ("How is this measured?", "Share", "More", "Advanced"):
        screen(shared).switch(label, False)
    return shared


def desk(explorer):
    return {name for name in explorer._desk._dom_classes if name != "calibviz-desk"}


def test_it_opens_with_the_picture_and_three_questions(explorer):
    assert screen(explorer).panels == ("reliability",)
    assert desk(explorer) == {"calibviz-start"}
    assert all(screen(explorer).card(name) for name in ("segments", "decision", "recalibration"))


@pytest.mark.parametrize(
    ("label", "of_class"),
    [
        ("How is this measured?", "calibviz-how-open"), ("Share", "calibviz-sharing"), ("More", "calibviz-more-open"),
        ("Advanced", "calibviz-open"),
    ],
)  # fmt: skip  # short entries stand in rows
def test_a_button_opens_its_part_and_closes_it_again(explorer, label, of_class):
    before = explorer.state.spec
    screen(explorer).switch(label, True)
    assert desk(explorer) == {"calibviz-start", of_class}
    screen(explorer).switch(label, False)
    assert desk(explorer) == {"calibviz-start"} and explorer.state.spec == before


def test_a_question_closes_the_settings_that_would_lie_over_its_answer(explorer):
    screen(explorer).switch("Advanced", True)
    screen(explorer).open("segments")
    assert desk(explorer) == {"calibviz-asked"}


def test_how_it_is_measured_begins_with_the_sentence_of_the_verdict(explorer):
    (numbers,) = (widget for widget in explorer._desk.children if "calibviz-numbers" in widget._dom_classes)
    said = [widget.value for widget in numbers.children if hasattr(widget, "value")]
    assert said[0] == "<h3>How is this measured?</h3>"
    assert explorer.verdict.sentence.split(";")[0][:40] in said[1]
    assert [row[0]["text"] for row in screen(explorer).numbers["rows"]][-4:] == [
        "people", "accuracy", "predicted", "observed",
    ]  # fmt: skip  # short entries stand in rows


def test_nothing_of_how_it_is_measured_is_computed_while_it_is_closed():
    made = cv.Explorer(cv.load_dataset("heart"), calibrator="platt")
    made.finish()
    made.state.bins = 12
    made.finish()
    of_ece = ("noise of ECE", "interval of ECE")
    assert not any(screen(made).jobs_of(label) for label in of_ece)
    screen(made).open_numbers()
    assert [len(screen(made).jobs_of(label)) for label in of_ece] == [4, 4]  # before and after, in two kinds of bins
    made.close()


@pytest.mark.parametrize("choices", [{}, {"calibrator": "platt"}, {"lens": "full"}], ids=["alone", "after", "joint"])
def test_errors_are_drawn_beside_their_noise_on_one_scale(choices):
    made = cv.Explorer(cv.load_dataset("heart"), **choices)
    screen(made).switch("How is this measured?", True)
    made.finish()
    sides = headline(made.situation).rows[:3]
    for i in range(1, len(sides[0])):
        for cell, of in ((row[i], "before" if i == 1 else "after") for row in sides):
            numbers, strip = dict(cell.numbers), cell.strip
            assert strip.of == of and strip.hollow == cell.faint and strip.origin == 0
            assert strip.value * numbers["noise"] == pytest.approx(strip.middle * numbers["value"])
    scales = [[cell.strip.middle / dict(cell.numbers)["noise"] for cell in row[1:]] for row in sides]
    assert np.ptp(scales[:2] if made.state.lens == "full" else scales) < 1e-9  # a joint error is of another size
    made.close()


def test_how_it_is_measured_says_how_many_samples_are_enough_while_it_is_open(explorer):
    assert screen(explorer).measured == explorer.verdict.sentence
    screen(explorer).switch("How is this measured?", True)
    explorer.finish()
    side = explorer.situation.before
    asked = {"precision": 0.05, "n": (100, 400), "replicates": 2, "progress": False}  # as `few`
    table = cv.sample_size(
        side.predictions[0], error=cv.ks_error, lens="class disease", selection=side.selection, **asked
    )
    said = table.note.replace("An interval", "An interval of the overall error")
    assert screen(explorer).measured == f"{explorer.verdict.sentence} Enough samples? {said} Here are 920."


@pytest.mark.thorough
@pytest.mark.parametrize("precision", [0.4, 0.2, 0.12, 0.01])
def test_two_sizes_say_how_many_samples_are_enough_as_all_of_them_do(precision, monkeypatch):
    sizes, p = (30, 60, 120, 240), cv.load_dataset("tumours")["naive Bayes"]
    monkeypatch.setattr("calibviz.answers.first_screen.enough_samples.PRECISION", precision)
    spend(monkeypatch, sizes=sizes, of_size=8)
    explorer = cv.Explorer(p, lens="class malignant", panels=())
    screen(explorer).switch("How is this measured?", True)
    explorer.finish()
    asked = {"precision": precision, "n": sizes, "replicates": 8, "progress": False}
    note = cv.sample_size(p, error=cv.ks_error, lens="class malignant", **asked).note
    assert note.replace("An interval", "An interval of the overall error") in screen(explorer).measured


def test_what_a_word_means_is_said_where_it_is_sought(explorer):
    screen(explorer).open_drawer()
    screen(explorer).set("find", "leaf")
    assert screen(explorer).meanings.startswith("leaf size, gamma: A cell of the k-d tree with fewer than this share")
    screen(explorer).set("find", "net benefit")
    assert screen(explorer).meanings == "net benefit, net_benefit: what acting from a threshold on is worth."
    screen(explorer).set("find", "")
    assert screen(explorer).meanings == ""


def test_a_click_on_a_dot_lists_its_samples_and_another_lets_go(explorer):
    screen(explorer).click_dot("reliability", "reliability", 6)
    assert (explorer.state.bin, explorer.state.panels) == (6, ("reliability", "instances"))
    assert desk(explorer) == {"calibviz-asked"}
    score = explorer.situation.before.predictions[0].probs[:, 1]
    inside = np.flatnonzero((score >= 6 / 15) & (score < 7 / 15))
    assert sorted(explorer.selected) == inside.tolist()
    assert f"{len(inside)} people in bin 7 of 15, predicted 40 to 47 %" in screen(explorer).answer("instances")
    screen(explorer).click_dot("reliability", "reliability", 6)
    assert (explorer.state.bin, explorer.state.panels) == (None, ("reliability", "instances"))


def test_a_click_on_the_diamond_opens_the_segments(explorer):
    mark = screen(explorer).mark("reliability", "reliability", "worst")
    assert len(mark.x) == 1
    screen(explorer).click_dot("reliability", "reliability", 0, role="worst")
    assert explorer.state.panels == ("reliability", "segments") and desk(explorer) == {"calibviz-asked"}
    assert screen(explorer).card("segments") == ""  # the answer stands at length beside


def test_close_brings_the_three_questions_back(explorer):
    explorer.state.panels = ("reliability", "decision")
    assert desk(explorer) == {"calibviz-asked"}
    screen(explorer).press("✕ close")
    assert explorer.state.panels == ("reliability",) and desk(explorer) == {"calibviz-start"}
    assert screen(explorer).card("decision")


def test_one_answer_takes_the_place_of_another(explorer):
    for name in ("segments", "cumulative", "decision"):
        screen(explorer).open(name)
        assert screen(explorer).panels == ("reliability", name)
    screen(explorer).switch("side by side", True)
    assert len(screen(explorer).panels) > 2 and desk(explorer) == set()
    screen(explorer).switch("side by side", False)
    assert desk(explorer) == {"calibviz-start"}


def test_few_views_stand_in_the_row_and_all_others_under_more(explorer):
    row = [button.description for button in explorer._chooser.children[1:]]
    more = [button.description for button in explorer._more.children]
    assert len(row) == len(VIEWS) + 1 and row[-1] == "More"
    assert more[:2] == ["side by side", "projector"] and not set(row) & set(more)
    everything = {button.description for button in explorer._toggles.values()}
    questions = {
        button.description
        for name, button in explorer._toggles.items()
        if explorer._offered(explorer.situation)[name].question
    }
    assert everything == {*row[:-1], *more[2:], *questions}


# ---- names


def test_the_title_opens_the_settings_of_names(explorer):
    name = "Heart disease at four hospitals"
    screen(explorer).press(name)
    assert "calibviz-open" in desk(explorer)
    labels = [control.description for control in screen(explorer).controls.values()]
    assert any("name of the data" in label for label in labels)
    headings = [
        widget.value for widget in below(explorer._controls.widget) if isinstance(getattr(widget, "value", None), str)
    ]
    assert any(NAMES in heading for heading in headings)


def test_names_stand_in_the_title_in_sentences_and_in_files(explorer):
    explorer.state.update(title="Two clinics", noun="patients", event_noun="fell ill")
    assert "Two clinics" in screen(explorer).buttons
    assert "920 patients" in screen(explorer).words
    assert "patients" in screen(explorer).numbers["rows"][3][0]["text"]
    assert (
        "fewer fell ill than predicted"
        in explorer._transport.labels[screen(explorer).figure("reliability", "reliability").model_id]
    )
    assert screen(explorer).export("CSV")[0][0] == "calibviz-two-clinics-logistic-regression.csv"


def test_the_scale_is_a_switch_beside_the_name_of_the_picture(explorer):
    (row,) = (widget for widget in below(explorer._grid) if "calibviz-heading-row" in widget._dom_classes)
    assert "Predicted and observed" in row.children[0].value
    assert [widget.options for widget in below(row) if hasattr(widget, "options")] == [("even", "stretched ends")]
    assert screen(explorer).record("reliability", "reliability").x_range == (0, 1)
    screen(explorer).set("log-odds", "stretched ends")
    assert explorer.state.scale == "stretched ends"
    low, high = screen(explorer).record("reliability", "reliability").x_range
    assert low == pytest.approx(-high) and high > 6
    screen(explorer).set("log-odds", "even")
    assert screen(explorer).record("reliability", "reliability").x_range == (0, 1)


def test_of_weights_that_do_not_count_it_is_not_known_how_many_samples_are_enough():
    rng = np.random.default_rng(0)
    score, weights = rng.random(60), rng.exponential(1, 60)
    made = cv.Explorer(cv.Predictions(score, (rng.random(60) < score).astype(int), weights=weights))
    screen(made).switch("How is this measured?", True)
    made.finish()
    assert screen(made).measured.endswith("Enough samples? That is not known where weights do not count samples.")
    made.close()


# ---- a choice that cannot be shown


def select(explorer, text):
    screen(explorer).set("find", "")  # all settings, whatever was sought before
    screen(explorer).set("selection", text)


def has_way_back(explorer):
    return "Take it back" in screen(explorer).buttons


def test_a_selection_that_keeps_nothing_is_taken_back_by_a_button_beside_the_sentence(explorer):
    assert not has_way_back(explorer)
    select(explorer, "age > 500")
    assert "keeps none of the samples: age > 500" in screen(explorer).complaint and has_way_back(explorer)
    screen(explorer).press("Take it back")
    assert (screen(explorer).complaint, explorer.state.selection) == ("", "") and not has_way_back(explorer)


def test_a_sentence_after_which_all_is_as_before_has_no_way_back(explorer):
    select(explorer, "age >")  # refused at once, so no step
    assert screen(explorer).complaint and not has_way_back(explorer)
    select(explorer, "")


def test_questions_opened_where_nothing_is_left_to_see_are_no_steps(explorer):
    select(explorer, "age > 500")
    before = screen(explorer).steps
    for name in ("segments", "decision", "recalibration"):
        screen(explorer).open(name)
    screen(explorer).switch("side by side", True)
    assert screen(explorer).steps == before and explorer.state.panels == ("reliability",)
    screen(explorer).open("segments")  # its button is up again, so it can be pressed anew
    assert "keeps none" in screen(explorer).complaint
    screen(explorer).press("Take it back")
    screen(explorer).open("segments")
    assert "segments" in explorer.state.panels
