"""What samples and events are called, and where these words are kept."""

from __future__ import annotations

import pickle

import pytest

import calibviz as cv
from calibviz.answers.asked.first import first_spec
from calibviz.answers.situation.engine import Engine
from calibviz.answers.situation.situation import Situation
from calibviz.data.nouns import nouns
from calibviz.scale.cell_rows import in_cells


def people() -> cv.Predictions:
    return cv.Predictions([0.9, 0.3, 0.6], [1, 0, 1], class_names=["no", "yes"], noun="people", event_noun="were ill")


@pytest.mark.parametrize(
    ("many", "one"),
    {
        "people": "person", "images": "image", "young women": "young woman", "biopsies": "biopsy", "boxes": "box",
        "crashes": "crash", "classes": "class", "days": "day", "movies": "movie", "People": "Person",
        "sheep": "sheep", "series": "series", "cases": "case", "viruses": "virus",
    }.items(),
)  # fmt: skip  # short entries stand in rows
def test_the_singular_of_a_plural(many, one):
    assert nouns(many).counted(1) == f"1 {one}"
    assert nouns(many).counted(1234) == f"1,234 {many}"
    assert nouns(many).counted(0) == f"no {one}"


def test_a_pair_is_taken_as_it_is():
    of = nouns(("datum", "data"))
    assert (of.counted(1), of.counted(2)) == ("1 datum", "2 data")


@pytest.mark.parametrize(
    ("event", "of_one", "of_two", "short"),
    [
        ("are malignant", "1 is malignant", "2 are malignant", "2 are malignant"),
        ("had the disease", "1 had the disease", "2 had the disease", "2 had it"),
        ("have the disease", "1 has the disease", "2 have the disease", "2 have it"),
        ("had a stroke", "1 had a stroke", "2 had a stroke", "2 had a stroke"),
        ("died", "1 died", "2 died", "2 died"),
    ],
)
def test_what_is_said_of_events(event, of_one, of_two, short):
    of = nouns("people", event)
    assert (of.happened(1), of.happened(2), of.happened_short(2)) == (of_one, of_two, short)
    assert of.happened("53") == f"53 {event}"


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"noun": 3}, TypeError, "noun must be the plural of what a sample is, such as 'people', or both"),
        ({"noun": ("a", "b", "c")}, TypeError, r"such as \('person', 'people'\)"),
        ({"noun": " "}, ValueError, "noun is ' ', which says nothing: leave it out"),
        ({"noun": ("person", 3)}, TypeError, r"noun\[1\] must be text, not 3"),
        ({"noun": "x" * 61}, ValueError, "noun has 61 signs, but stands in sentences: 60 at most"),
        ({"event_noun": 3}, TypeError, "event_noun must be text, not 3"),
        ({"event_noun": "had it\u202e"}, ValueError, r"event_noun .*U\+202E"),
    ],
)
def test_bad_nouns_are_refused(given, error, says):
    with pytest.raises(error, match=says):
        cv.Predictions([0.9, 0.3], [1, 0], **given)
    with pytest.raises(error, match=says):
        people().with_nouns(**given)


def test_nouns_are_kept_by_whatever_is_derived():
    p, q = people(), people().nouns
    derived = [
        p.select([True, False, True]), p.reweighted(p.labels + 1.0), p.at_prevalence(0.5), p.with_probs(p.probs),
        p.relabelled(p.labels, None), pickle.loads(pickle.dumps(p)), *p.split(0.5), p.with_nouns(), in_cells(p),
    ]  # fmt: skip  # short entries stand in rows
    assert {each.nouns for each in derived} == {q}
    assert (p.noun, p.event_noun) == ("people", "were ill")
    other = p.with_nouns("patients")
    assert (other.noun, other.event_noun) == ("patients", "were ill")


def test_predictions_without_nouns_have_samples():
    p = cv.Predictions([0.9, 0.3], [1, 0])
    assert (p.noun, p.event_noun) == ("samples", None)
    assert p.nouns.counted(2) == "2 samples"


def test_the_code_that_makes_named_predictions_names_them():
    p = cv.load_dataset("tumours")["naive Bayes"].with_nouns(event_noun="were cancer")
    assert str(p.made_by).endswith("['naive Bayes'].with_nouns(event_noun='were cancer')")
    assert eval(p.about["source"], {"cv": cv}).nouns == p.nouns


@pytest.mark.parametrize(
    ("name", "noun", "event"),
    [("heart", "people", "had the disease"), ("tumours", "tumours", "are malignant"), ("digits", "images", None)],
)
def test_embedded_data_have_their_own(name, noun, event):
    for p in cv.load_dataset(name).values():
        assert (p.noun, p.event_noun) == (noun, event)


@pytest.mark.parametrize(
    ("name", "lens", "event"),
    [
        ("heart", "class disease", "had the disease"),
        ("heart", "class 1", "had the disease"),
        ("heart", "class no disease", "are no disease"),
        ("heart", "top-1", "are right"),
        ("tumours", "class malignant", "are malignant"),
        ("digits", "class 3", "are 3"),
        ("digits", "top-1", "are right"),
        ("digits", "full", "are 0"),
        ("digits", "grouping", "are even"),
        ("digits", "rank 2", "are events"),
    ],
)
def test_the_words_for_events_follow_the_lens(name, lens, event):
    engine = Engine(next(iter(cv.load_dataset(name).values())))
    of = Situation(engine, first_spec(tuple(engine.models), lens=cv.lens(lens))).nouns
    assert of.event == event
    assert of.many == cv.load_dataset(name).popitem()[1].noun
