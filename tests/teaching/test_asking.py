"""Questions of the course: what is right, hints that grow, and pages that work without a kernel."""

from __future__ import annotations

import ast
import json
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import calibviz as cv
from calibviz.teaching import asking
from calibviz.teaching.exercises import Exercise, exercise
from calibviz.teaching.kinds import AmongTexts, Number, Share
from calibviz.teaching.lessons import EXERCISES


@pytest.fixture(autouse=True)
def new_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has answered anything yet."""
    monkeypatch.setattr(asking, "_wrong", {})


@pytest.fixture
def quarter(monkeypatch: pytest.MonkeyPatch) -> Exercise:
    """A question among those of the course."""

    @exercise("77.1", "Half of a half?", Share(0.01), "{}, as 0.5 times 0.5.", ("Less than 0.5.", "0.5 * 0.5"))
    def made(cv):
        """Half of a half."""
        half = 0.5
        return half * half

    monkeypatch.setitem(EXERCISES, "77.1", made)
    return made


def test_what_is_right_is_explained(quarter: Exercise) -> None:
    for answer in (0.25, 0.2599, np.float32(0.25), np.array(0.25), xr.DataArray([0.25]), pd.Series([0.25])):
        checked = cv.teaching.check("77.1", answer)
        assert checked.is_right and checked.sentences == ("right. 25.00 %, as 0.5 times 0.5.",)
    assert not cv.teaching.check("77.1", 0.2601).is_right


def test_hints_grow_with_each_further_wrong_answer_and_end_in_the_way(quarter: Exercise) -> None:
    first = cv.teaching.check("77.1", 0.5)
    assert not first.is_right and first.sentences == ("not yet: 0.5 is not right.", "Less than 0.5.")
    assert cv.teaching.check("77.1", 0.5) == first  # a cell that is run again
    assert cv.teaching.check("77.1", ...).sentences[0] == "not answered yet. Half of a half?"
    assert cv.teaching.check("77.1", 0.4).sentences[1:] == quarter.hints
    last = cv.teaching.check("77.1", 0.3)
    assert last.way == "half = 0.5\nhalf * half"
    assert str(last).endswith(last.way) and "<details><summary>The way</summary><pre>half = " in last._repr_html_()
    assert cv.teaching.check("77.1", 0.25).is_right


def test_an_answer_is_computed_when_it_is_needed_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []

    @exercise("77.2", "?", Number(0, 9), "{}")
    def made(cv):
        computed.append(cv.__name__)
        return 3

    monkeypatch.setitem(EXERCISES, "77.2", made)
    assert str(cv.teaching.guess("77.2")) == "Guess 77.2: ?" and not computed
    assert cv.teaching.check("77.2", 3).is_right and not cv.teaching.check("77.2", 4).is_right
    assert computed == ["calibviz"]


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("01.99", 0.5, "exercise '01.99' is unknown; there are '01.1', "),
        ("99.1", 0.5, "exercise '99.1' is unknown; there are '00.1', "),
        ("01.1", 12, "; as a share, 12 % is 0.12"),
        ("01.3", "forest", "the answer to 01.3 must be one of 'naive Bayes', 'neural network', not 'forest'"),
    ],
)
def test_an_answer_that_cannot_be_meant_names_the_question(name: str, answer: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        cv.teaching.check(name, answer)


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        (1.1, 0.5, "exercise must be a name, such as '00.1', not 1.1"),
        ("01.1", "half", "the answer to 01.1 must be a number, not 'half'"),
        ("01.1", True, "the answer to 01.1 must be a number, not True"),
        ("01.3", 0.5, "the answer to 01.3 must be one of 'naive Bayes', 'neural network', not 0.5"),
        ("01.4", 9, "(10 in all), not 9: write it as '9'"),
        ("03.3", 64, "the answer to 03.3 must be one of '16', '64', '512', not 64: write it as '64'"),
        ("03.3", 32, "the answer to 03.3 must be one of '16', '64', '512', not 32"),
    ],
)
def test_an_answer_of_another_kind_is_refused(name: object, answer: object, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        cv.teaching.check(name, answer)


def test_a_text_is_read_in_capitals_or_not() -> None:
    kind = AmongTexts(("too low", "too high"))
    assert kind.read("77.1", " Too High ") == "too high"


def test_a_page_without_scripts_has_question_and_folded_answer(quarter: Exercise) -> None:
    asked, answered = cv.teaching.guess("77.1")._repr_html_(), cv.teaching.answer("77.1")._repr_html_()
    bare = [re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL) for page in (asked, answered)]
    assert "Half of a half?" in bare[0] and "25.00 %" not in asked
    assert re.search(r"<details><summary>.*Half of a half\?</summary><p>25\.00 %, as .*</p></details>", bare[1])
    [control] = re.findall('data-control="([^"]+)"', asked)
    assert json.loads(unescape(control)) == quarter.kind.control


def test_texts_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Exercise("77.3", "<b>?", AmongTexts(("<i>",)), "<u>{}", ("<s>",), lambda cv: "<i>")
    monkeypatch.setitem(EXERCISES, "77.3", made)
    pages = [one("77.3")._repr_html_() for one in (cv.teaching.guess, cv.teaching.answer)]
    pages.append(cv.teaching.check("77.3", "<i>")._repr_html_())
    assert not any(re.search(r"<[bius]>", page.replace("<b>Guess", "").replace("<b>77.3", "")) for page in pages)


@pytest.mark.parametrize("one", EXERCISES.values(), ids=list(EXERCISES))
def test_the_way_runs_in_a_cell_and_ends_in_the_answer(one: Exercise) -> None:
    *before, last = ast.parse(one.way).body
    assert isinstance(last, ast.Expr)
    names = {"cv": cv, "np": np, "pd": pd}
    exec(compile(ast.Module(before, []), one.name, "exec"), names)
    assert one.kind.read(one.name, eval(compile(ast.Expression(last.value), one.name, "eval"), names)) == one.truth


@pytest.mark.parametrize("one", EXERCISES.values(), ids=list(EXERCISES))
def test_a_question_of_the_course_can_be_answered(one: Exercise) -> None:
    assert re.fullmatch(r"\d\d\.[1-9]\d?", one.name) and one.asks.endswith("?")
    assert one.kind.agrees(one.truth, one.truth) and cv.teaching.check(one.name, one.truth).is_right
    assert one.explained and "{" not in one.explained
    assert one.hints and all(one.hints)
    control = one.kind.control
    if control["kind"] == "choice":
        assert one.truth in control["options"]
    else:  # the slider reaches the answer
        truth = one.truth * (100 if isinstance(one.kind, Share) else 1)
        assert control["low"] <= round(truth, 9) <= control["high"]


def test_the_questions_of_a_lesson_are_numbered_without_gaps() -> None:
    lessons: dict[str, list[int]] = {}
    for name in EXERCISES:
        lesson, _, number = name.partition(".")
        lessons.setdefault(lesson, []).append(int(number))
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in lessons.values())
