"""A sample that opens to show all of it, and where rows of tables stand in the pictures."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen

import calibviz as cv


@pytest.fixture(scope="module")
def shared():
    made = cv.Explorer(cv.load_dataset("digits")["random forest"], panels=("instances",))
    yield made
    made.close()


@pytest.fixture
def explorer(shared):
    shared.state.from_dict({"panels": ("instances",)})
    return shared


def tables(explorer):
    return {record.name: record for record in screen(explorer).records("instances")}


def test_a_click_opens_a_sample_and_another_closes_it(explorer):
    assert set(tables(explorer)) == {"instances"}
    index = int(tables(explorer)["instances"].rows[3][0].text)
    screen(explorer).click(screen(explorer).table("instances"), 3)
    assert explorer.state.sample == index
    assert explorer.state.steps[0] == f"sample: none → {index}" and f"sample={index}" in explorer.state.to_link()
    opened = tables(explorer)
    assert opened["instances"].current == (3, None) and opened["sample"].title == f"Sample {index}"
    screen(explorer).click(screen(explorer).table("instances"), 3)
    assert explorer.state.sample is None and set(tables(explorer)) == {"instances"}


def test_it_shows_all_probabilities_the_truth_and_the_fields(explorer):
    explorer.state.sample = 7
    predictions = explorer.look.before.predictions[0]
    rows = tables(explorer)["sample"].rows
    told = [float(row[1].text.removesuffix(" %")) / 100 for row in rows]
    assert told == sorted(told, reverse=True) and sum(told) == pytest.approx(1, abs=1e-3)
    assert [row[0].text for row in rows if row[2].text] == [predictions.class_names[predictions.labels[7]]]
    note = tables(explorer)["sample"].note
    assert all(f"{name}: " in note for name in predictions.fields)


def test_of_many_classes_the_ten_largest_and_the_true_one_are_shown():
    rng = np.random.default_rng(3)
    probs = rng.dirichlet(np.full(30, 0.3), 200)
    made = cv.Explorer(cv.Predictions(probs, probs.argmin(axis=1)), panels=("instances",), sample=0)
    table = tables(made)["sample"]
    shown = [int(row[0].text) for row in table.rows]
    assert shown[:10] == np.argsort(-probs[0], kind="stable")[:10].tolist() and shown[10:] == [probs[0].argmin()]
    rest = 1 - probs[0][shown].sum()
    assert table.note.startswith(f"19 more classes, told {100 * rest:.2f} % together.")
    made.close()


def test_a_sample_that_is_not_there_shows_none(explorer):
    explorer.state.sample = 10**6
    assert set(tables(explorer)) == {"instances"} and screen(explorer).complaint == ""


def test_rows_of_samples_and_groups_know_their_place(explorer):
    problem = explorer.look.before.problems[0]
    table = tables(explorer)["instances"]
    place_of = {int(i): place for place, i in enumerate(problem.order)}
    for row, place in zip(table.rows, table.places, strict=True):
        at = place_of[int(row[0].text)]
        assert (place.score, place.target) == (problem.score[at], problem.given_target[at])
    explorer.state.panels = ("segments",)
    explorer.finish()
    (record,) = [one for one in screen(explorer).records("segments") if one.name == "segments"]
    for row, place in zip(record.rows, record.places, strict=True):
        assert row[1].text.startswith(f"{100 * place.score:.1f}, {100 * place.target:.1f}")
        assert place.low <= place.target <= place.high


@pytest.mark.parametrize("weighted", [False, True])
def test_the_fractile_axis_knows_its_scores(weighted):
    rng = np.random.default_rng(1)
    score = np.round(rng.random(500), 2)
    weights = rng.integers(1, 5, 500).astype(float) if weighted else None
    problem = cv.ScalarProblem(score, rng.random(500) < score, weights)
    figure = next(one for one in cv.figures.cumulative_figures([problem], "x") if one.name == "difference")
    weight = problem.weight
    for share, at in zip(np.linspace(0, 1, 101), figure.score_at, strict=True):
        below, upto = (weight[part].sum() / weight.sum() for part in (problem.score < at, problem.score <= at))
        nearest = np.abs(problem.score - at).min()
        assert below - 0.02 <= share <= upto + 0.02 or nearest > 0


def test_what_is_missing_is_a_dash():
    table = cv.load_dataset("tumours")["naive Bayes"].select(np.arange(80))
    fields = {
        "size": np.array([np.nan, 2.0] * 40),
        "day": np.array(["NaT", "2026-01-02"] * 40, dtype="datetime64[D]"),
        "site": np.array(["", "East"] * 40),
    }
    made = cv.Explorer(cv.Predictions(table.probs, table.labels, fields=fields), panels=("instances",))
    rows = {int(row[0].text): [cell.text for cell in row[-3:]] for row in tables(made)["instances"].rows}
    shown = ["–", "–", "–"], ["2", "2026-01-02", "East"]
    assert {index % 2 for index in rows} == {0, 1}
    assert all(texts == shown[index % 2] for index, texts in rows.items())
    made.close()
