"""A sample that opens to show all of it, and where rows of tables stand in the pictures."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz.foundation.written import of_hundred
from calibviz.uncertainty.intervals.bin_intervals import mean_interval


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
    predictions = explorer.situation.before.predictions[0]
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
    assert table.note.startswith(f"19 more classes, predicted {100 * rest:.2f} % together.")
    made.close()


def test_a_sample_that_is_not_there_shows_none(explorer):
    explorer.state.sample = 10**6
    assert set(tables(explorer)) == {"instances"} and screen(explorer).complaint == ""


def test_rows_of_samples_and_groups_know_their_place(explorer):
    problem = explorer.situation.before.problems[0]
    table = tables(explorer)["instances"]
    place_of = {int(i): place for place, i in enumerate(problem.order)}
    for row, place in zip(table.rows, table.places, strict=True):
        at = place_of[int(row[0].text)]
        assert (place.score, place.target) == (problem.score[at], problem.given_target[at])
    explorer.state.panels = ("segments",)
    explorer.finish()
    (record,) = [one for one in screen(explorer).records("segments") if one.name == "segments"]
    for row, place in zip(record.rows, record.places, strict=True):
        assert dict(row[2].numbers + row[3].numbers) == {"predicted": place.score, "observed": place.target}
        shown = [float(row[2].text), float(row[3].text)]
        np.testing.assert_allclose(shown, [100 * place.score, 100 * place.target], atol=0.5)  # numbers of 100
        assert row[3].why == " to ".join(of_hundred(place.low, place.high))
        assert place.low <= place.target <= place.high


def test_rows_dots_and_bars_know_the_classes_that_they_are_of(explorer):
    predictions, names = explorer.situation.before.predictions[0], explorer.situation.predictions.class_names
    for row, place in zip(tables(explorer)["instances"].rows, tables(explorer)["instances"].places, strict=True):
        assert place.classes == (predictions.labels[int(row[0].text)],)
    explorer.state.sample = 7
    for row, place in zip(tables(explorer)["sample"].rows, tables(explorer)["sample"].places, strict=True):
        assert [names[c] for c in place.classes] == [row[0].text]

    model = explorer.state.model
    explorer.state.update(
        panels=("classes", "segments", "comparison"),
        compared=((model, "top-1", ""), (model, "class 3", "confidence > 0.5"), (model, "classwise", "")),
        calibrators=("temperature",),
    )
    explorer.finish()
    seen = screen(explorer)
    figure, table = (seen.record("classes", name) for name in ("classes", "worst"))
    shown = [names[c] for series in figure.series if series.role == "bins" for (c,) in series.classes]
    assert shown == [text for _, text in figure.x_ticks]
    assert [names[c] for place in table.places for c in place.classes] == [row[0].text for row in table.rows]
    segments = seen.record("segments", "segments")
    for row, place in zip(segments.rows, segments.places, strict=True):
        is_of_class, _, name = row[0].text.partition("predicted = ")
        assert is_of_class or [names[c] for c in place.classes] == ([name] if name else [])
    assert [place["classes"] for place in seen.table("comparison").content["places"]] == [(), (3,), ()]
    explorer.state.comparison = "bars"
    bars = seen.record("comparison", "comparison-bars").series[0]
    assert bars.classes == ((), (3,), ()) and bars.cells == ((0, 0), (1, 0), (2, 0))
    explorer.state.by = "level"  # is of all classes
    explorer.finish()
    assert seen.record("classes", "worst").places == ()


def test_groups_are_of_all_their_classes_and_soft_labels_of_none():
    soft = np.random.default_rng(0).dirichlet(np.ones(4), 200)
    groups = {"low": (0, 1), "high": (2, 3)}
    made = cv.Explorer(cv.Predictions(soft, soft, groups=groups), panels=("classes", "instances"), by="group")
    table = screen(made).record("classes", "worst")
    assert {row[0].text: place.classes for row, place in zip(table.rows, table.places, strict=True)} == groups
    assert {place.classes for place in tables(made)["instances"].places} == {()}
    made.close()


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
        "size": np.array([np.nan, -2.0] * 40),
        "day": np.array(["NaT", "2026-01-02"] * 40, dtype="datetime64[D]"),
        "site": np.array(["", "East"] * 40),
    }
    made = cv.Explorer(cv.Predictions(table.probs, table.labels, fields=fields), panels=("instances",))
    rows = {int(row[0].text): [cell.text for cell in row[-3:]] for row in tables(made)["instances"].rows}
    shown = ["–", "–", "–"], ["−2", "2026-01-02", "East"]
    assert {index % 2 for index in rows} == {0, 1}
    assert all(texts == shown[index % 2] for index, texts in rows.items())
    made.close()


def test_the_bin_that_is_furthest_off_for_its_size_is_named_with_its_interval():
    rng = np.random.default_rng(0)
    score = np.repeat([0.15, 0.45, 0.85], [800, 24, 800])
    target = np.concatenate([rng.random(800) < 0.25, np.arange(24) % 4 > 0, rng.random(800) < 0.85])
    explorer = cv.Explorer(cv.Predictions(score, target), panels=("instances",), bins=5)
    note, problem = screen(explorer).answer("instances"), explorer.situation.before.problems[0]
    first, few = (problem.given_target[np.isclose(problem.score, at)] for at in (0.15, 0.45))
    assert len(few) >= 10 and few.mean() - 0.45 > first.mean() - 0.15  # the larger gap is that of a few
    low, high = mean_interval(problem.subset(np.isclose(problem.score, 0.15)))
    observed, *ends = of_hundred(first.mean(), low, high)
    said = f"predicted 15, observed {observed} of 100 ({ends[0]} to {ends[1]})"
    assert f"Bin 1 of 5 is the furthest off for the number of its samples: {said}." in note
    explorer.state.bin = 0
    named = f"{len(first)} samples in bin 1 of 5, predicted 0 to 20 %"
    assert screen(explorer).answer("instances").startswith(f"{named}: on average {said}.")
    explorer.state.update(bin=None, bins=1)
    assert "Bin 1 of 1 is the furthest off" in screen(explorer).answer("instances")
    explorer.close()
