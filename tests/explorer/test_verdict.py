"""The sentence of the first screen: the function, the Explorer and the report say the same."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import calibviz as cv

FIRST = {name: next(iter(cv.load_dataset(name).values())) for name in ("digits", "heart", "tumours")}
CHOICES = [
    ("digits", {}),
    ("digits", {"lens": "class 8", "selection": "ink > 0.2", "calibrator": "isotonic"}),
    ("digits", {"lens": "top-2", "outcome": "rest"}),
    ("heart", {}),
    ("heart", {"lens": "top-1", "calibrator": "temperature"}),
    ("heart", {"selection": "age > 50", "calibrator": "beta"}),
    ("tumours", {}),
]


def of_report(page: str) -> str:
    [said] = re.findall(r'<p class="said">(.*?)</p>', page)
    return html.unescape(said)


@pytest.mark.parametrize(("name", "choices"), CHOICES, ids=str)
def test_it_is_what_the_explorer_shows(name, choices):
    p = FIRST[name]
    explorer = cv.Explorer(p, panels=(), **choices)
    explorer.finish()
    found = cv.verdict(p, **choices)
    assert str(found) == found.sentence == explorer.sentences["verdict"]
    look = explorer.look
    for side, numbers in ((look.before, found), (look.after, found.after)):
        problem = side.problems[0]
        assert (numbers.lens, numbers.samples) == (look.name, problem.samples)
        measured = problem.mean_score, problem.mean_target, cv.ks_error(problem)
        assert (numbers.mean_score, numbers.mean_target, numbers.ks) == measured
    explorer.close()


@pytest.mark.parametrize("name", FIRST)
def test_it_is_what_a_report_begins_with(name, few_replicates):
    p = FIRST[name].select(np.arange(0, len(FIRST[name]), 2))
    for choices in ({}, {"selection": "confidence > 0.6"}):
        said = of_report(cv.report(p, **choices, progress=False).html)
        found = cv.verdict(p, **choices, calibrator=None)
        assert (found.sentence, found.after) == (said, None)
    assert found.samples < len(p)


def test_its_numbers_are_those_of_the_functions():
    p = FIRST["heart"]
    found = cv.verdict(p, calibrator=None)
    assert found.ks == cv.ks_error(p) and found.lens == "class disease" and found.samples == len(p)
    calibration, evaluation = p.split(0.5, rng=0)
    given = cv.verdict(evaluation, calibration=calibration)
    spline = cv.Spline().fit(cv.lens("class disease")(calibration))
    assert given.after.ks == cv.ks_error(cv.lens("class disease")(evaluation).mapped(spline))
    assert cv.verdict(evaluation, calibration=calibration, calibrator=cv.Beta()).after != given.after
    summary = cv.summarize(p)
    assert cv.verdict(summary, calibrator=None).sentence == found.sentence


def test_what_it_cannot_use_it_refuses():
    p = FIRST["heart"]
    for choices, error, said in (
        ({"lens": "class none"}, ValueError, "class 'none' is unknown"),
        ({"outcome": "rest"}, ValueError, "outcome='rest' cannot be used: the lens 'class disease' has one score"),
        ({"calibrator": "magic"}, ValueError, "calibrator must be one of"),
        ({"selection": "age > 500"}, ValueError, "keeps none of the samples"),
    ):
        with pytest.raises(error, match=said):
            cv.verdict(p, **choices)
    with pytest.raises(TypeError, match=r"^predictions must be cv\.Predictions"):
        cv.verdict({"a": p})
