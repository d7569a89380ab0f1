"""Where it is worst: the panel has the numbers of `segments`, its sentence keeps its level, and a click keeps it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz.answers.first_screen.segments import (
    AGAINST,
    LIST,
    LOOK,
    answer,
    problem_of,
    segments,
    short_answer as worst,
)
from calibviz.answers.registry import why_nothing
from calibviz.data.nouns import SAMPLES
from calibviz.foundation.marked import plain
from calibviz.foundation.written import of_hundred, signed_points
from calibviz.metrics.masses import clopper_pearson

LENS = "class disease"


@pytest.fixture(scope="module")
def hearts():
    return cv.load_dataset("heart")["logistic regression"]


@pytest.fixture
def explorer(hearts):
    made = cv.Explorer({"logistic regression": hearts}, panels=("segments",), lens=LENS, calibrator="beta")
    yield made
    made.close()


def drawn_off(seed):
    """Samples of three sites and of four ranges of ages: one site is far too low, another one somewhat too high."""
    rng = np.random.default_rng(seed)
    site, age = rng.choice(["North", "South", "Coast"], 300), rng.integers(18, 96, 300)
    score = rng.beta(1.5, 3.5, 300)
    chance = np.where(site == "South", np.minimum(1, score + 0.3), np.where(site == "Coast", 0.7 * score, 0.9 * score))
    return cv.Predictions(score, rng.random(300) < chance, fields={"site": site, "age": age})


def said_of(p, **settings):
    return plain(answer(cv.segments(p, "class 1", **({"replicates": 99, "progress": False} | settings)), SAMPLES))


def content_of(explorer):
    explorer.finish()
    assert explorer._status.value == ""
    return segments(explorer.situation)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("selection", ["", 'sex == "male" and output > 0.2'])
def test_the_numbers_are_those_of_the_library(hearts, explorer, depth, selection):
    explorer.state.update(depth=depth, minimum=40, selection=selection)
    content = content_of(explorer)
    table = cv.segments(hearts, LENS, selection=selection, depth=depth, minimum=40, replicates=39)
    alone = table.isel(segment=np.flatnonzero(table.n_fields.values > 0))  # all samples are no row
    shown, parts = content.records[0], alone.isel(segment=slice(len(content.records[0].rows)))
    assert content.names == tuple(parts.selection.values.tolist())
    as_all = f"as all of these {int(table['count'].max())} people" if selection else "as all people"
    assert len(shown.rows) == min(100, alone.sizes["segment"])
    for i, row in enumerate(shown.rows):
        here, (name, gap, predicted, observed, count, tag) = parts.isel(segment=i), row
        words = here.words.item().replace("_", " ")
        assert all(part in words for part in (*name.text.split(", "), *filter(None, name.aside.split(", "))))
        assert name.why == here.selection.item()
        assert dict(gap.numbers) == {
            "gap": pytest.approx(here.gap.item()),
            "lower": pytest.approx(float(here.lower - here.score)),
            "upper": pytest.approx(float(here.upper - here.score)),
        }
        assert gap.text.startswith(f"{signed_points(here.gap.item())}, 95 % interval ")
        assert (predicted.text, observed.text) == of_hundred(
            here.score.item(), here.target.item(), are_apart=observed.bold
        )
        assert count.text == f"{int(here['count'])}"
        is_unlike = here.p_unlike.item() <= 0.05
        assert tag.text == ("unlike the others" if is_unlike else as_all)
        misses = not here.lower_of_all.item() <= here.score.item() <= here.upper_of_all.item()
        assert (tag.look == "off", gap.strip.hollow) == (is_unlike and misses, not misses)
        more = shown.opened[i]
        assert bool(more.detail) == bool(here.shared_with.item())
        if np.isfinite(here.rest_score):
            first, then = of_hundred(here.rest_score.item(), here.rest_target.item(), are_apart="beyond" in more.detail)
            rest = f"The other {int(here['count'] - here.shared)}: predicted {first}, observed {then} ("
            assert f"{int(here.shared)} of these {int(here['count'])} are in " in more.detail
            assert rest in plain(more.detail)
    assert table.attrs["all_samples_off"] == cv.calibration_test(hearts, LENS, selection=selection).shown
    groups = alone.sizes["segment"]
    assert f"for all {groups} at once" in shown.note
    is_shared, is_any = table.attrs["all_samples_off"], bool((alone.p_adjusted <= 0.05).any())
    start = (
        "All people together are off"
        if is_shared
        else ("In Zurich", "Site = Zurich")
        if is_any
        else "No segment is off beyond noise"
    )
    assert content.answer.startswith(start)
    assert str(groups) in content.answer or is_shared


def test_the_thin_line_is_the_interval_of_all_segments_at_once(hearts):
    table = cv.segments(hearts, LENS, depth=1, replicates=0)
    alone = table.isel(segment=np.flatnonzero(table.n_fields.values > 0))
    level = 1 - 0.05 / alone.sizes["segment"]
    ends = clopper_pearson(alone.target.values, alone["count"].values, level)
    np.testing.assert_allclose([alone.lower_of_all.values, alone.upper_of_all.values], ends)


def test_a_diamond_marks_the_segment_that_is_spoken_of(explorer):
    rows = content_of(explorer).records[0].rows
    assert [row[1].strip.is_first for row in rows] == [True, *[False] * (len(rows) - 1)]
    assert (rows[0][0].text, rows[0][0].aside, rows[0][3].look) == ("Zurich and Basel", "site", "off")
    assert next(row[0].text for row in rows if row[0].text.endswith("is missing")) == "cholesterol is missing"
    ticks = dict(reversed(tick) for tick in content_of(explorer).records[0].columns[1].ticks)
    assert ticks["0"] == pytest.approx(rows[0][1].strip.middle) and ticks["+10"] > ticks["0"] > ticks["−10"]


def test_groups_that_are_too_small_are_named_in_words(hearts):
    only_ages = cv.Predictions(hearts.probs, hearts.labels, fields={"age": hearts.fields["age"]})
    explorer = cv.Explorer(only_ages, panels=("segments",), minimum=240)
    note = content_of(explorer).note
    explorer.close()
    assert re.search(r"fewer than 240 samples: age \d+ to \d+, ", note) and "<" not in note


def test_fields_that_are_no_covariates_are_named_below_the_table_and_in_the_report(hearts, few_replicates):
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
    assert {(row[0].text, row[0].aside) for row in content.records[0].rows} == {("female", "sex"), ("male", "sex")}
    assert left in cv.report(p, lens=LENS).html


@pytest.mark.parametrize("calibrator", ["beta", "temperature"])  # a map of scores, and one of rows
def test_the_mean_score_after_is_of_the_same_samples(hearts, explorer, calibrator):
    explorer.state.calibrator = calibrator
    explorer.finish()
    situation = explorer.situation
    fitted = {"beta": cv.Beta(), "temperature": cv.Temperature()}[calibrator]
    fitted = cv.cross_fitted(hearts, LENS if calibrator == "beta" else None, calibrator=fitted)
    table = cv.segments(hearts, LENS, replicates=0, calibrator=fitted)
    for text, score in zip(table.selection.values.tolist(), table.score.values.tolist(), strict=True):
        assert problem_of(situation, situation.after, text).mean_score == pytest.approx(score)


def test_the_buttons_of_a_row_keep_the_segment_set_it_against_the_rest_and_list_it(explorer):
    content = content_of(explorer)
    assert content.answer.startswith(
        "In Zurich and Basel predicted 70, observed 93 of 100. That is at least 13 points too low, after looking at 31 "
        "segments. The next one, cholesterol is missing, is mostly the same people."
    )
    [row] = [i for i, name in enumerate(content.names) if name == 'site == "Zurich and Basel"']
    actions = content.records[0].opened[row].actions
    assert actions == ("Look at these 123", "Set against the rest", "List the people")
    drawn = screen(explorer)
    drawn.act(drawn.table("segments"), row, AGAINST)
    kept = dict(explorer.state.kept)
    selections = [dict(kept[name])["selection"] for name in "AB"]
    assert selections == ['site == "Zurich and Basel"', 'not (site == "Zurich and Basel")']
    drawn.act(drawn.table("segments"), row, LOOK)
    assert explorer.state.selection == 'site == "Zurich and Basel"'
    assert "looked at" in content_of(explorer).answer or "after looking" in content_of(explorer).answer
    explorer.state.update(selection='sex == "male"', kept=())
    place = content_of(explorer).names.index('sex == "male" and site == "Zurich and Basel"')
    drawn.act(drawn.table("segments"), place, AGAINST)
    kept = dict(explorer.state.kept)
    assert dict(kept["B"])["selection"] == 'sex == "male" and not (site == "Zurich and Basel")'
    drawn.act(drawn.table("segments"), place, LIST)
    assert explorer.state.selection == 'sex == "male" and site == "Zurich and Basel"'
    assert "instances" in explorer.state.panels


@pytest.mark.parametrize("message", [{"action": [0, 3]}, {"action": [999, 0]}, {"action": ["0", 0]}, {"action": 0}])
def test_buttons_that_are_not_there_do_nothing(explorer, message):
    content_of(explorer)
    before = explorer.state.to_dict()
    screen(explorer).table("segments")._handle_custom_msg(message, [])
    assert explorer.state.to_dict() == before


@pytest.mark.thorough
def test_calibrated_scores_are_called_wrong_in_one_search_of_twenty():
    """Named where the adjusted p is at most 5 %: so often in 300 searches, 27 at the most (0.1 % of binomial(5 %))."""
    named = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        score = rng.beta(2, 3, 600)
        fields = {"site": rng.choice(list("abcd"), 600), "age": rng.integers(20, 90, 600)}
        p = cv.Predictions(score, (rng.random(600) < score).astype(int), fields=fields)
        said = said_of(p)
        named += "No segment is" not in said
    assert 4 <= named <= 27


def test_segments_that_are_off_as_all_samples_are_are_not_named():
    rng = np.random.default_rng(0)
    score, site = rng.beta(2, 2, 3000), rng.choice(list("abc"), 3000)
    score = 0.2 + 0.6 * score
    opposite = score + np.where(site == "a", -0.15, np.where(site == "b", 0.15, 0.0))  # all together are right
    for truth, is_shared in ((score**2, True), (opposite, False)):
        p = cv.Predictions(score, (rng.random(3000) < truth).astype(int), fields={"site": site})
        said = said_of(p)
        assert said.startswith("All samples together are off: " if is_shared else "In a predicted 50, observed 3")
        assert ("No segment is shown to be unlike the others" in said) == is_shared


def test_a_segment_that_is_off_beyond_all_samples_is_unlike_the_others():
    rng = np.random.default_rng(0)
    score, site = rng.beta(2, 2, 3000), rng.choice(list("abc"), 3000)
    truth = np.where(site == "a", np.clip(score**2 + 0.3, 0, 1), score**2)
    p = cv.Predictions(score, (rng.random(3000) < truth).astype(int), fields={"site": site})
    said = said_of(p)
    assert said.startswith("All samples together are off: ") and "2 more segments are unlike the others." in said
    first = cv.segments(p, replicates=99).words[0].item()  # that of the largest gap
    assert f"Beyond that, in {first.removeprefix('site = ')} predicted " in said
    assert ", by the curve of all samples " in said


def test_nothing_but_misses_in_a_large_segment_is_asked_about():
    rng = np.random.default_rng(0)
    score, drawn = rng.uniform(0.2, 0.4, 1500), rng.random(1500)
    is_known = np.arange(1500) < 150
    fields = {"follow up": np.where(is_known, "yes", "no")}
    p = cv.Predictions(score, ((drawn < score * 1.1) & ~is_known).astype(int), fields=fields)
    said = said_of(p)
    assert re.search("None was an event, although 4[0-9,]* of these [0-9,]+ were predicted: is follow up known ", said)


def test_a_search_that_has_no_groups_says_so():
    rng = np.random.default_rng(0)
    score = rng.random(200)
    labels = (rng.random(200) < score).astype(int)
    few, none = "none has {} samples or more", "the samples have no fields, such as an age or a site"
    sides = np.repeat(["left", "right"], 100)
    for fields, why in (({"side": sides}, few), ({}, none)):
        explorer = cv.Explorer(cv.Predictions(score, labels, fields=fields), panels=("segments",), lens="class 1")
        for minimum in (120, 250):
            explorer.state.minimum = minimum
            explorer.finish()
            said = f"Segments were not looked at: {why if fields == {} else why.format(minimum)}."
            assert said in (segments(explorer.situation).answer, segments(explorer.situation).note)
            assert said == worst(explorer.situation).text
        explorer.close()


def test_fields_of_one_value_are_said_to_tell_nothing_apart():
    rng = np.random.default_rng(0)
    score = rng.random(200)
    fields = {"side": np.repeat(["left", "right"], 100)}
    p = cv.Predictions(score, (rng.random(200) < score).astype(int), fields=fields)
    said = cv.verdict(p, selection="side == 'left'", progress=False).lines[1]
    assert said.startswith("Segments were not looked at: no field tells these samples apart.")


def test_all_samples_are_not_drawn_anew_where_there_is_no_other_segment(monkeypatch):
    """Their test is that of the verdict, and 999 draws of many samples take seconds."""
    monkeypatch.setattr("calibviz.decisions.by_segment.segments.drawn_targets", None)
    rng = np.random.default_rng(0)
    score = rng.random(200)
    explorer = cv.Explorer(cv.Predictions(score, (rng.random(200) < score).astype(int)), panels=("segments",))
    explorer.finish()
    assert worst(explorer.situation).text.startswith("Segments were not looked at: the samples have no fields")
    explorer.close()


def test_predicted_classes_can_be_looked_through_where_there_are_no_fields():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet([1, 1, 1], 600)
    explorer = cv.Explorer(cv.Predictions(probs, np.where(rng.random(600) < 0.4, 0, 1)), lens="top-1")
    assert why_nothing(explorer.situation)["segments"] == ""
    explorer.state.panels = ("segments",)
    explorer.finish()
    [table] = segments(explorer.situation).records
    assert len(table.rows) == 3 and table.search == "find a field or a value: likeliest class"
    explorer.close()


@pytest.mark.parametrize(("seed", "unlike", "right"), [(1, 1, 2), (31, 2, 1)])
def test_orange_a_filled_mark_and_the_card_say_the_same(seed, unlike, right):
    """A number is orange where the line of all segments at once misses 0; the card counts what the rows tag."""
    explorer = cv.Explorer(drawn_off(seed), panels=("segments",))
    content = content_of(explorer)
    assert len({row[1].strip.hollow for row in content.records[0].rows}) == 2
    for name, gap, _, observed, _, tag in content.records[0].rows:
        assert (observed.look == "off") == observed.bold == (not gap.strip.hollow), name.text
        assert tag.look != "off" or observed.look == "off"
    tags = [row[-1].text for row in content.records[0].rows]
    assert (tags.count("unlike the others"), tags.count("may be right")) == (unlike, right)
    more = "1 more segment is unlike the others." * (unlike - 1)
    assert content.answer.endswith(more or "of 100.") and explorer.verdict.lines[1].endswith(more or "samples).")
    for one in explorer.verdict.segments:
        row = next(row for row in content.records[0].rows if row[0].why == one.selection)
        assert one.is_beyond == (row[3].look == "off")
    explorer.close()


def test_the_card_follows_the_verdict_where_only_the_tilt_is_shown():
    """All samples are off, but not their mean: its observed number is in no colour, and the clause says where."""
    rng = np.random.default_rng(1)
    score = rng.random(2000)
    p = cv.Predictions(score, rng.random(2000) < 0.5 + 0.5 * (score - 0.5), fields={"half": np.arange(2000) % 2})
    explorer = cv.Explorer(p, lens="class 1")
    explorer.finish()
    assert explorer.verdict.shown and explorer.verdict.tilt and not explorer.verdict.direction
    marked = worst(explorer.situation).marked
    whole = marked.partition(" of 100")[0]
    assert plain(whole).startswith("All samples together are off: predicted 5") and whole == plain(whole)
    assert "; high scores are too high, low ones too low." in marked and "; high scores" in explorer.verdict.lines[0]
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
    table = content_of(explorer).records[0]
    texts = [text.get_text() for ax in explorer.figure().axes for text in ax.texts]
    assert [row[0].text for row in table.rows[:12]] == [
        words for words in texts if words in {r[0].text for r in table.rows}
    ]
    assert "site" in texts and not any(" = " in words for words in texts)
    explorer.save(tmp_path / "worst.png")
    assert (tmp_path / "worst.png").stat().st_size > 10_000
