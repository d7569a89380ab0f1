"""Where it is worst: the panel has the numbers of `segments`, its sentence keeps its level, and a click keeps it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from driver import screen
from figure_checks import check

import calibviz as cv
from calibviz.answers.segments import answer, segments
from calibviz.foundation.written import interval, percent

LENS = "class disease"


@pytest.fixture(scope="module")
def hearts():
    return cv.load_dataset("heart")["logistic regression"]


@pytest.fixture
def explorer(hearts):
    made = cv.Explorer({"logistic regression": hearts}, panels=("segments",), lens=LENS, calibrator="beta")
    yield made
    made.close()


def said_of(p, **settings):
    return answer(cv.segments(p, "class 1", **({"replicates": 99, "progress": False} | settings)))


def content_of(explorer):
    explorer.finish()
    assert explorer._status.value == ""
    return segments(explorer.situation)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("selection", ["", 'sex == "male" and output > 0.2'])
def test_the_numbers_are_those_of_the_library(hearts, explorer, depth, selection):
    explorer.state.update(depth=depth, minimum=40, selection=selection)
    content = content_of(explorer)
    judged = hearts
    table = cv.segments(judged, LENS, selection=selection, depth=depth, minimum=40, replicates=39)
    rows = content.records[0].rows
    assert [row[0].text for row in rows] == table.words.values[: len(rows)].tolist()
    assert [row[0].why for row in rows] == table.segment.values[: len(rows)].tolist()
    for row, i in zip(rows, range(len(rows)), strict=True):
        here = table.isel(segment=i)
        shared = here.shared_with.item()
        assert row[0].below.startswith(f"{int(here['count'])} samples" + ("; " if shared else ""))
        if np.isfinite(here.rest_score):
            rest = f"The other {int(here['count'] - here.shared)}: predicted {percent(float(here.rest_score))}, "
            assert f"{int(here.shared)} of these {int(here['count'])} are in " in row[0].below
            assert f"{rest}observed {percent(float(here.rest_target))} (" in row[0].below
        assert row[1].text == percent(float(here.score))
        assert row[2].text == percent(float(here.target))
        assert row[2].below == interval(float(here.lower), float(here.upper))
        assert row[3].text.replace("−", "-") == f"{100 * float(here.gap):+.2f}"
        shown = ["yes" if p <= 0.05 else "no" for p in (float(here.p_adjusted), float(here.p_unlike))]
        if not here.n_fields:  # all samples have a test of their own, and are unlike no others
            whole = cv.calibration_test(judged, LENS, selection=selection)
            assert table.attrs["all_samples_p_value"] == whole.p_value
            shown = ["yes" if whole.shown else "no", "–"]
        assert [cell.text for cell in row[-2:]] == shown
    assert content.names == tuple(table.selection.values[: len(rows)].tolist())
    beyond = (table.p_adjusted <= 0.05) & (table.n_fields > 0)
    is_shared = cv.calibration_test(judged, LENS, selection=selection).shown
    assert table.attrs["all_samples_off"] == is_shared
    first = table.words.values[np.flatnonzero(beyond)[0]] if beyond.any() else "No segment is shown to be off"
    assert content.answer.startswith("All samples together are off" if is_shared else f"{first}: ")
    groups = table.sizes["segment"] - 1
    assert f"of {groups} segments" in content.answer or "all " in content.answer
    if len(rows) <= groups:
        assert (
            f"{groups + 1} in all, those that are shown to be off first: all samples, and {groups} segments."
            in content.note
        )


def test_groups_that_are_too_small_are_named_in_words(hearts):
    only_ages = cv.Predictions(hearts.probs, hearts.labels, fields={"age": hearts.fields["age"]})
    explorer = cv.Explorer(only_ages, panels=("segments",), minimum=240)
    note = content_of(explorer).note
    explorer.close()
    assert re.search(r"fewer than 240 samples: age \d+ to \d+, ", note) and "<" not in note


def test_fields_that_are_no_covariates_are_named_below_the_table_and_in_the_report(hearts):
    n = len(hearts)
    fields = {
        "sex": hearts.fields["sex"],
        "p_no": 1 - hearts.probs[:, 1],
        "patientid": np.arange(n),
        "visit_id": np.arange(n) // 3,
    }
    p = cv.Predictions(hearts.probs, hearts.labels, fields=fields, class_names=hearts.class_names)
    explorer = cv.Explorer(p, panels=("segments",), lens=LENS)
    content = content_of(explorer)
    explorer.close()
    left = (
        "Fields that are left out: p_no (1 - score); patientid (one value a row, so no group); visit_id (rows that "
        "share visit_id may not be independent, and intervals and tests take them to be)."
    )
    assert left in content.note
    assert {row[0].text for row in content.records[0].rows} == {"all samples", "sex = female", "sex = male"}
    assert left in cv.report(p, lens=LENS).html


@pytest.mark.parametrize("calibrator", ["beta", "temperature"])  # a map of scores, and one of rows
def test_the_gap_after_is_of_the_same_samples(hearts, explorer, calibrator):
    explorer.state.calibrator = calibrator
    content = content_of(explorer)
    judged = hearts
    fitted = {"beta": cv.Beta(), "temperature": cv.Temperature()}[calibrator]
    fitted = cv.cross_fitted(judged, LENS if calibrator == "beta" else None, calibrator=fitted)
    table = cv.segments(judged, LENS, depth=1, minimum=30, replicates=0, calibrator=fitted)
    after = {row[0].why: row[4].text.replace("−", "-") for row in content.records[0].rows}
    assert after == {name: f"{100 * float(table.gap.sel(segment=name)):+.2f}" for name in after}


def test_a_click_keeps_the_group(explorer):
    content = content_of(explorer)
    assert content.answer.startswith("site = Zurich and Basel: predicted 70.37 %, observed 93.50 % of 123 samples")
    drawn = screen(explorer)
    drawn.click(drawn.table("segments"), 0)
    assert explorer.state.selection == 'site == "Zurich and Basel"'
    assert "of at least 30 samples" in content_of(explorer).answer


def test_calibrated_scores_are_called_wrong_in_one_search_of_twenty():
    """Named where the adjusted p is at most 5 %: so often in 300 searches, 27 at the most (0.1 % of binomial(5 %))."""
    named = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        score = rng.beta(2, 3, 600)
        fields = {"site": rng.choice(list("abcd"), 600), "age": rng.integers(20, 90, 600)}
        p = cv.Predictions(score, (rng.random(600) < score).astype(int), fields=fields)
        said = said_of(p, depth=1, minimum=30)
        named += "No segment is shown to be" not in said
    assert 4 <= named <= 27


def test_segments_that_are_off_as_all_samples_are_are_not_named():
    rng = np.random.default_rng(0)
    score, site = rng.beta(2, 2, 3000), rng.choice(list("abc"), 3000)
    score = 0.2 + 0.6 * score
    opposite = score + np.where(site == "a", -0.15, np.where(site == "b", 0.15, 0.0))  # all together are right
    for truth, is_shared in ((score**2, True), (opposite, False)):
        p = cv.Predictions(score, (rng.random(3000) < truth).astype(int), fields={"site": site})
        said = said_of(p, depth=1, minimum=30)
        assert said.startswith("All samples together are off: " if is_shared else "site = ")
        assert ("No segment is shown to be unlike the others" in said) == is_shared


def test_a_segment_that_is_off_beyond_all_samples_is_unlike_the_others():
    rng = np.random.default_rng(0)
    score, site = rng.beta(2, 2, 3000), rng.choice(list("abc"), 3000)
    truth = np.where(site == "a", np.clip(score**2 + 0.3, 0, 1), score**2)
    p = cv.Predictions(score, (rng.random(3000) < truth).astype(int), fields={"site": site})
    said = said_of(p, depth=1, minimum=30)
    assert said.startswith("All samples together are off: ") and "Beyond that, 3 segments are unlike the others" in said
    first = cv.segments(p, depth=1, minimum=30, replicates=99).words[0].item()  # that of the largest gap
    assert f"of 3 segments of at least 30 samples: {first}: predicted " in said
    assert ", by the curve of all samples " in said


def test_nothing_but_misses_in_a_large_segment_is_asked_about():
    rng = np.random.default_rng(0)
    score, drawn = rng.uniform(0.2, 0.4, 1500), rng.random(1500)
    is_known = np.arange(1500) < 150
    fields = {"follow up": np.where(is_known, "yes", "no")}
    p = cv.Predictions(score, ((drawn < score * 1.1) & ~is_known).astype(int), fields=fields)
    said = said_of(p)
    assert "No event, although 4" in said and "is follow up known only afterwards?" in said


def test_a_search_that_has_no_groups_says_so():
    rng = np.random.default_rng(0)
    score = rng.random(200)
    explorer = cv.Explorer(
        cv.Predictions(score, (rng.random(200) < score).astype(int)), panels=("segments",), lens="class 1"
    )
    assert segments(explorer.situation).answer.startswith("There is no segment of at least 30 samples to look at")
    explorer.state.minimum = 250
    explorer.finish()
    assert "all 200 samples together are fewer than minimum=250" in segments(explorer.situation).note
    explorer.close()


def test_scores_and_samples_that_have_no_groups(hearts):
    explorer = cv.Explorer(hearts, panels=("segments",), lens="pooled")
    assert segments(explorer.situation).note.startswith("All classes of a sample at once are no one score")
    explorer.close()
    soft = cv.Predictions([[0.2, 0.8], [0.6, 0.4]] * 60, [[0.3, 0.7], [0.5, 0.5]] * 60)
    explorer = cv.Explorer(soft, panels=("segments",), lens="class 1")
    explorer.finish()
    assert "these labels are soft" in segments(explorer.situation).note
    explorer.close()


def test_the_segments_are_a_picture_in_files(explorer, tmp_path):
    content = content_of(explorer)
    check(content.drawn[0])
    assert content.drawn[0].y_ticks[0][1] == content.records[0].rows[0][0].text
    explorer.save(tmp_path / "worst.png")
    assert (tmp_path / "worst.png").stat().st_size > 10_000
