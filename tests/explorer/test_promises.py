"""What categories promise and what was observed, and the edges between them that a reader moves."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz.answers.acting.likert import ERRORS, HEADINGS, likert, promises
from calibviz.answers.asked.typed import movable_edges, with_edge

CATEGORIES = {"unlikely": (0.0, 0.2), "possible": (0.2, 0.7), "likely": (0.7, 1.0)}


@pytest.fixture(scope="module")
def hearts():
    return cv.load_dataset("heart")["logistic regression"]


def explorer_of(predictions, **choices):
    made = cv.Explorer(predictions, **{"likert": CATEGORIES, "panels": ("reliability",), **choices})
    made.finish()
    return made


def shown(predictions, **choices):
    made = explorer_of(predictions, **choices)
    table = promises(made.situation)
    made.close()
    return table


def test_the_numbers_are_those_that_are_counted_by_hand(hearts):
    table = shown(hearts)
    score, event = hearts.probs[:, 1], hearts.labels == 1
    in_worst = hearts.fields["site"] == "Zurich and Basel"
    assert [column.text for column in table.columns] == [
        "category", "people", "predicted", "observed", "promise and observed", "in Zurich and Basel",
    ]  # fmt: skip  # short entries stand in rows
    for row, (name, (low, high)) in zip(table.rows, CATEGORIES.items(), strict=True):
        inside = (score >= low) & (score <= high)
        assert row[0].text == name
        assert row[1].text == str(inside.sum())
        assert row[2].text == f"{100 * score[inside].mean():.0f}"
        assert row[3].text == f"{100 * event[inside].mean():.0f}"
        assert row[5].text == f"{event[inside & in_worst].sum()} of {(inside & in_worst).sum()}"
        strip = row[4].strip
        assert (strip.origin, strip.middle) == (low, high) and strip.value == pytest.approx(event[inside].mean())
    assert [row[5].text for row in table.rows] == ["6 of 8", "35 of 39", "74 of 76"]
    # By Clopper and Pearson, 6 of 8 are 35 to 97 of 100, above 20, and 35 of 39 are 76 to 97, above 70.
    assert [row[5].look for row in table.rows] == ["off", "off", ""]
    assert [row[3].look for row in table.rows] == ["", "", ""]


def test_a_button_begins_with_categories_where_there_are_none(hearts):
    made = explorer_of(hearts, likert=(), panels=("likert",))
    assert screen(made).note("likert").startswith("No categories yet.")
    begin = screen(made).buttons["begin with unlikely, possible, likely"]
    assert begin.layout.display is None
    begin.click()
    screen(made).finish()
    assert dict(made.state.likert) == CATEGORIES and begin.layout.display == "none"
    made.state.likert = ()
    assert begin.layout.display is None
    made.close()


def test_with_a_calibrator_the_numbers_are_those_before_and_after_it(hearts):
    made = explorer_of(hearts, calibrator="spline")
    table, picture = promises(made.situation), screen(made).record("reliability", "reliability")
    [recalibrated] = made.situation.after.problems
    after = recalibrated.score[np.argsort(recalibrated.order)]
    content = likert(made.situation)
    made.close()
    before, event, in_worst = hearts.probs[:, 1], hearts.labels == 1, hearts.fields["site"] == "Zurich and Basel"
    for row, (name, (low, high)) in zip(table.rows, CATEGORIES.items(), strict=True):
        inside = [(score >= low) & (score <= high) for score in (before, after)]
        assert row[1].text == " → ".join(str(mine.sum()) for mine in inside)
        predicted = [score[mine].mean() for score, mine in zip((before, after), inside, strict=True)]
        assert row[2].text == " → ".join(f"{100 * share:.0f}" for share in predicted)
        assert row[3].text == " → ".join(f"{100 * event[mine].mean():.0f}" for mine in inside)
        of_worst = [mine & in_worst for mine in inside]
        assert row[5].text == " → ".join(f"{event[mine].sum()} of {mine.sum()}" for mine in of_worst)
        assert (row[4].strip.of, row[4].strip.value) == ("after", pytest.approx(event[inside[1]].mean()))
        [words] = [label for label in picture.labels if label.lines[0][0].text == name]
        assert "".join(run.text for run in words.lines[1]).startswith(row[3].text)  # the strip says the same
    # 4 of 6 are 22 to 96 of 100 at 95 %, but may be in 0 to 20 where three categories are looked at; 32 of 35 are not.
    assert [row[5].look for row in table.rows] == ["", "off", ""]
    assert table.note.startswith("Before → after spline. Orange")
    assert content.records[0] == table  # which the panel Categories and reports begin with
    assert [column.text for column in content.records[-1].columns[1:]] == [HEADINGS[what] for what in ERRORS]


def test_where_a_calibrator_moves_samples_into_a_selection_nothing_is_said_of_the_segment(hearts):
    table = shown(hearts, calibrator="spline", selection="output > 0.3")
    assert [column.text for column in table.columns][-1] == "promise and observed"
    assert {len(row) for row in table.rows} == {5}


def test_a_category_that_a_calibrator_empties_has_no_numbers_after_it():
    rng = np.random.default_rng(5)
    score = np.r_[rng.uniform(0.4, 0.6, 400), 0.95]
    event = np.r_[rng.uniform(size=400) < 0.5, False]
    table = shown(cv.Predictions(score, event.astype(int)), lens="class 1", curves=(), calibrator="platt")
    assert [cell.text for cell in table.rows[2][1:]] == ["1 → –", "95 → –", "0 → –", "–"]


def test_an_observed_share_outside_of_its_category_is_marked():
    score = np.repeat([0.1, 0.45, 0.9], 100)
    event = np.concatenate([np.arange(100) < k for k in (60, 45, 90)])
    table = shown(cv.Predictions(score, event.astype(int)), lens="class 1", curves=())
    assert [row[3].look for row in table.rows] == ["off", "", ""]
    assert [row[3].text for row in table.rows] == ["60", "45", "90"]
    assert [row[4].strip.of for row in table.rows] == ["stands", "before", "before"]
    assert [row[4].strip.hollow for row in table.rows] == [False, True, True]


def test_what_is_off_only_by_its_own_interval_is_neither_marked_nor_in_the_verdict():
    """29 of 100 are 20.4 to 38.9 by their own interval, and may be 18.8 by that for three categories at once."""
    score = np.repeat([0.1, 0.45, 0.9], 100)
    for hits, look in ((29, ""), (40, "off")):
        event = np.concatenate([np.arange(100) < k for k in (hits, 45, 90)])
        made = explorer_of(cv.Predictions(score, event.astype(int)), lens="class 1", curves=())
        table, verdict = promises(made.situation), made.verdict
        made.close()
        assert table.rows[0][3].look == look and (verdict.category is None) == (look == "")
        assert table.rows[0][4].strip.low > 0.2
        assert ("all categories at once" in table.note) == (look == "off")


def test_an_empty_category_has_no_numbers():
    table = shown(cv.Predictions([0.1, 0.3, 0.2, 0.4], [0, 1, 0, 0]), lens="class 1", curves=())
    assert [cell.text for cell in table.rows[2]] == ["likely", "–", "–", "–", "–"]
    assert len({len(row) for row in table.rows} | {len(table.columns)}) == 1


def test_without_categories_or_with_many_scores_of_a_sample_there_is_no_table(hearts):
    assert shown(hearts, likert=()) is None
    assert shown(cv.load_dataset("digits")["naive Bayes"], lens="pooled") is None


def test_the_table_stands_on_screen_as_long_as_there_are_categories(hearts):
    made = explorer_of(hearts)
    table = next(widget for widget in made._desk.children if "calibviz-promises" in widget._dom_classes)
    assert table.content["title"] == "What each category promises" and table.layout.display is None
    screen(made).drag_edge(0, 0.25)
    assert (
        made.state.spec.categories()["unlikely"] == (0.0, 0.25) and made.state.spec.categories()["possible"][0] == 0.25
    )
    assert table.content["rows"][0][0]["below"] == "0 to 25 %"
    made.state.likert = ()
    assert table.layout.display == "none"
    made.close()


# ---- edges


def test_only_the_edges_between_categories_move():
    assert movable_edges([1.0, 0.2, 0.7, 0.2, 0.0]) == [0.2, 0.7]
    assert movable_edges([0.0, 1.0]) == []


def test_an_edge_of_two_categories_moves_both():
    named = (("a", (0.0, 0.2)), ("b", (0.2, 0.7)), ("c", (0.7, 1.0)))
    assert with_edge(named, 0, 0.30049) == (("a", (0.0, 0.3)), ("b", (0.3, 0.7)), ("c", (0.7, 1.0)))
    assert with_edge(named, 1, 0.8) == (("a", (0.0, 0.2)), ("b", (0.2, 0.8)), ("c", (0.8, 1.0)))
    gap = (("a", (0.0, 0.2)), ("c", (0.7, 0.9)))
    assert with_edge(gap, 2, 0.95) == (("a", (0.0, 0.2)), ("c", (0.7, 0.95)))


@pytest.mark.parametrize(("x", "moved"), [(0.5, 0.5), (-3.0, 0.001), (7.0, 0.999)])
def test_a_cut_point_stays_within_the_scores(x, moved):
    assert with_edge((0.0, 0.3, 1.0), 0, x) == (0.0, moved, 1.0)


def test_a_category_of_few_clusters_has_no_interval_and_says_so():
    rng = np.random.default_rng(0)
    score = rng.random(120)
    clinic = np.where(score < 0.3, rng.integers(3, size=120), rng.integers(3, 40, size=120))
    predictions = cv.Predictions(
        np.stack([1 - score, score], axis=1), score > 0.5, fields={"clinic": clinic}, cluster="clinic"
    )
    table = shown(predictions, likert=(0.0, 0.3, 1.0))
    few, many = (row[4] for row in table.rows)
    assert (few.text, few.strip, few.why) == ("–", None, "too few clusters for an interval")
    assert many.strip is not None and not many.why
    assert table.rows[0][1].text == f"{(score < 0.3).sum()}"
