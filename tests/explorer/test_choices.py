"""Between texts in controls and choices: both ways, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
import traitlets
from hypothesis import assume, example, given, strategies as st

import calibviz as cv
from calibviz.answers.asked.selection_edits import (
    CONFIDENCE,
    OUTPUT,
    chosen_range,
    conjuncts,
    field_examples,
    with_part,
    with_range,
    without,
)
from calibviz.answers.asked.typed import groups_choice, groups_text, likert_choice, likert_text
from calibviz.context.condition_parser import SelectionError
from calibviz.explorer.state.state import ExplorerState
from calibviz.foundation import validation

SHARES = st.one_of(st.floats(0, 1), st.integers(0, 100).map(lambda k: k / 100))
NAMES = st.one_of(
    st.text(min_size=1, max_size=8),
    st.text(' "\\:;,*[]-–0123456789to', min_size=1, max_size=6),
    st.sampled_from(["rest", "*", "not very", '5" nails', "0-0.8", "a: b", "\ud800"]),
)

# ---- Likert categories


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", ()),
        ("  ", ()),
        ("0, 0.33, 0.66, 1", (0.0, 0.33, 0.66, 1.0)),
        ("0 .5 1", (0.0, 0.5, 1.0)),
        ("not very: 0-0.8; very: 0.9-1", (("not very", (0.0, 0.8)), ("very", (0.9, 1.0)))),
        ("not very: 0–0.8; very: 0.9 – 1;", (("not very", (0.0, 0.8)), ("very", (0.9, 1.0)))),
        ("not very: 0 to 0.8; very: [0.9, 1]", (("not very", (0.0, 0.8)), ("very", (0.9, 1.0)))),
        ("level 5:[ 0 , 1e-1 ]", (("level 5", (0.0, 0.1)),)),
        ("rare: 1e-3-2e-3", (("rare", (0.001, 0.002)),)),
        ('"a: b; c": 0-1', (("a: b; c", (0.0, 1.0)),)),
        ('5" nails: 0-1', (('5" nails', (0.0, 1.0)),)),
        ("both: 0.5-0.5", (("both", (0.5, 0.5)),)),
    ],
)
def test_likert(text, value):
    assert likert_choice(text) == value
    assert likert_choice(likert_text(value)) == value


CUTS = st.lists(SHARES, min_size=2, max_size=5, unique=True).map(lambda cuts: tuple(sorted(cuts)))
RANGES = st.tuples(SHARES, SHARES).map(lambda ends: (min(ends), max(ends)))
CATEGORIES = st.dictionaries(NAMES, RANGES, min_size=1, max_size=4).map(lambda found: tuple(found.items()))


@given(st.just(()) | CUTS | CATEGORIES)
@example((1e-300, 0.1 + 0.2))
def test_likert_comes_back(value):
    assert likert_choice(likert_text(value)) == value
    if value:
        named = isinstance(value[0], tuple)
        assert validation.intervals(dict(value) if named else value)


def test_likert_text_is_short():
    assert likert_text((0.0, 0.33, 1.0)) == "0, 0.33, 1"
    assert likert_text((("not very", (0.0, 0.8)), ("a: b", (0.9, 1.0)))) == 'not very: 0-0.8; "a: b": 0.9-1'


LIKERT_FORM = "write cut points such as 0, 0.33, 0.66, 1, or categories such as not very: 0-0.8; very: 0.9-1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0, half, 1", f"Cut points are numbers, and 'half' is not one: {LIKERT_FORM}"),
        ("not very 0-0.8", f"and 'not' is not one: {LIKERT_FORM}"),
        ("0, 0.5, 0.2", "likert[2] is 0.2, not above the cut point 0.5 before it"),
        ("0, 80", "likert[1] must lie between 0 and 1, not be 80"),
        ("0, nan", "likert[1] must lie between 0 and 1, not be nan"),
        ("0.5", "likert needs two cut points or one named category at least"),
        ("a: 0-0.5; b", f"'b' is not a name, one colon and what it stands for: {LIKERT_FORM}"),
        ("a: b: 0-1", f"'a: b: 0-1' is not a name, one colon and what it stands for: {LIKERT_FORM}"),
        (": 0-1", "': 0-1' is not a name, one colon"),
        ('"": 0-1', "'\"\": 0-1' is not a name, one colon"),
        ("a:", "'a:' is not a name, one colon"),
        ("a: 0.5", f"the category 'a' has the range '0.5': {LIKERT_FORM}"),
        ("a: [0, 0.5", "the category 'a' has the range '[0, 0.5'"),
        ("a: 0-0.5; rest", "the category 'rest' has the range '*'"),
        ("a: 0-0.5; a: 0.6-1", "the category 'a' is named twice"),
        ("a: 0.5-0.2", "likert['a'] has its low end 0.5 above its high end 0.2"),
        ("a: -0.5-0.2", "likert['a'] must lie between 0 and 1, not be -0.5"),
        ('"a: 0-1', '"a is not closed by a second quote'),
        ('"a" b: 0-1', '"a" b is not closed by a second quote, or something follows it'),
    ],
)
def test_likert_that_cannot_be_read(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        likert_choice(text)


# ---- groups

DIGITS = tuple("012345")


@pytest.mark.parametrize(
    ("text", "names", "value"),
    [
        ("", DIGITS, ()),
        ("even: 0, 2, 4; odd: 1, 3, 5", DIGITS, (("even", ("0", "2", "4")), ("odd", ("1", "3", "5")))),
        ("even: 4,0 , 2; rest", DIGITS, (("even", ("4", "0", "2")), ("rest", ("1", "3", "5")))),
        ("even: 0, 2, 4; odd: *;", DIGITS, (("even", ("0", "2", "4")), ("odd", ("1", "3", "5")))),
        ("rest: *; low: 0", DIGITS, (("rest", ("1", "2", "3", "4", "5")), ("low", ("0",)))),
        ("rest: 0; others: *", DIGITS[:3], (("rest", ("0",)), ("others", ("1", "2")))),
        ("a: cat, 2; b: 1", ("cat", "dog", "eel"), (("a", ("cat", "eel")), ("b", ("dog",)))),
        ('a: "cat, wild"; "b: c": *', ("cat, wild", "x: y"), (("a", ("cat, wild",)), ("b: c", ("x: y",)))),
        ('a: "*"; rest', ("*", "b"), (("a", ("*",)), ("rest", ("b",)))),
    ],
)
def test_groups(text, names, value):
    assert groups_choice(text, names) == value
    assert groups_choice(groups_text(value), names) == value


CLASS_NAMES = st.lists(
    NAMES.filter(lambda name: name == name.strip() and name.isprintable()), min_size=2, max_size=6, unique=True
).map(tuple)


@given(CLASS_NAMES, st.lists(NAMES, min_size=2, max_size=4, unique=True), st.randoms(use_true_random=False))
def test_groups_come_back(names, groups, random):
    order = random.sample(names, len(names))
    members = {group: order[i :: len(groups)] for i, group in enumerate(groups) if order[i :: len(groups)]}
    assume(len(members) > 1)
    value = tuple((group, tuple(found)) for group, found in members.items())
    assert groups_choice(groups_text(value), names) == value
    # The last one as the rest, in the order of the classes.
    star = f"{groups_text(value[:-1])}; {groups_text(((value[-1][0], ('x',)),)).removesuffix('x')}*"
    left = tuple(name for name in names if name in value[-1][1])
    assert groups_choice(star, names) == (*value[:-1], (value[-1][0], left))


def test_groups_make_a_lens():
    p = cv.load_dataset("digits")["naive Bayes"]
    groups = groups_choice("even: 0, 2, 4, 6, 8; rest", p.class_names)
    assert cv.Grouping(groups)(p).outcomes == ("even", "rest")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: cat; b: dog", "class 'eel' is in no group: add it, or a group 'rest: *'"),
        ("a: cat; b: cow; rest", "group 'b': class 'cow' is unknown: the classes are 'cat', 'dog', 'eel'"),
        ("a: cat, dog; b: eel, cat", "class 'cat' is in the group 'a' and again in 'b'"),
        ("a: cat, cat; rest", "class 'cat' is in the group 'a' and again in 'a'"),
        ("a: cat; a: dog, eel", "the group 'a' is named twice"),
        ("a: cat,; rest", "the group 'a' lists no class, or has a comma too many: write groups such as even: 0, 2, 4"),
        ("a: ; rest", "'a:' is not a name, one colon and what it stands for: write groups such as even: 0, 2, 4"),
        ("cat, dog; rest", "'cat, dog' is not a name, one colon and what it stands for"),
        ("a: cat: dog; rest", "'a: cat: dog' is not a name, one colon"),
        ("a: cat, dog, eel; rest", "no class is left for the group 'rest': take it out"),
        ("a: cat; b: *; rest", "no class is left for the group 'rest': take it out"),
        ("a: cat, dog, eel", "a single group holds every class and says nothing: write groups such as"),
        ("rest", "a single group holds every class and says nothing"),
        ('a: "cat; rest', '"cat is not closed by a second quote'),
    ],
)
def test_groups_that_cannot_be_read(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        groups_choice(text, ("cat", "dog", "eel"))


# ---- parts of a selection

PARTS = ["label in [3, 5]", "confidence > 0.9", "0.2 <= output <= 0.4", "a == 1 or b == 2", "not (a == 1 and b == 2)"]


@pytest.mark.parametrize("count", range(6))
def test_parts_of_a_selection(count):
    parts = PARTS[:count]
    text = ""
    for part in parts:
        text = with_part(text, part)
        assert with_part(text, part) == text
    assert conjuncts(text) == tuple(parts)
    assert cv.selection(text) == cv.selection(" and ".join(f"({part})" for part in parts))
    for i in range(count):
        assert conjuncts(without(text, i)) == (*parts[:i], *parts[i + 1 :])
        assert set(conjuncts(with_part(without(text, i), parts[i]))) == set(parts)
    with pytest.raises(ValueError, match="i must"):
        without(text, count)


def test_an_or_is_one_part():
    assert conjuncts("a == 1 or b == 2") == ("a == 1 or b == 2",)
    assert with_part("a == 1 or b == 2", "c == 3") == "(a == 1 or b == 2) and c == 3"
    assert with_part("c == 3", "a == 1 or b == 2") == "c == 3 and (a == 1 or b == 2)"
    assert without("(a == 1 or b == 2) and c == 3", 1) == "a == 1 or b == 2"
    assert with_part("a==1", "b == 2 and a == 1") == "a == 1 and b == 2"
    assert with_part("", "") == ""
    with pytest.raises(SelectionError):
        with_part("a == 1", "b =")


def test_ranges_of_confidence_and_output_do_not_mix():
    text = with_range(with_range("label == 3", CONFIDENCE, 0.5, 0.9), OUTPUT, 0.1, 0.2)
    assert text == "label == 3 and 0.5 <= confidence <= 0.9 and 0.1 <= output <= 0.2"
    assert chosen_range(text, CONFIDENCE) == (0.5, 0.9) and chosen_range(text, OUTPUT) == (0.1, 0.2)
    text = with_range(text, OUTPUT, 0.3, 1.0)
    assert text == "label == 3 and 0.5 <= confidence <= 0.9 and 0.3 <= output <= 1.0"
    assert with_range(with_range(text, OUTPUT, 0.0, 1.0), CONFIDENCE, 0.0, 1.0) == "label == 3"
    assert chosen_range("confidence > 0.3", OUTPUT) == chosen_range("", OUTPUT) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "chosen", "moved"),
    [
        ("confidence >= 0.6", (0.6, 1.0), "0.7 <= confidence <= 0.8"),
        ("confidence < 0.6 and label == 3", (0.0, 0.6), "0.7 <= confidence <= 0.8 and label == 3"),
        (
            "label == 3 and confidence > 0.2 and confidence <= 0.9",
            (0.2, 0.9),
            "label == 3 and 0.7 <= confidence <= 0.8",
        ),
        ("confidence > 0.9 and confidence < 0.1", (0.0, 1.0), "0.7 <= confidence <= 0.8"),
        ("confidence == 1", (0.0, 1.0), "confidence == 1 and 0.7 <= confidence <= 0.8"),
        ("confidence > 2", (0.0, 1.0), "confidence > 2 and 0.7 <= confidence <= 0.8"),
        ("not confidence > 0.5", (0.0, 1.0), "not (confidence > 0.5) and 0.7 <= confidence <= 0.8"),
    ],
)
def test_a_range_may_be_written_by_one_end_or_by_two(text, chosen, moved):
    assert chosen_range(text, CONFIDENCE) == chosen
    assert with_range(text, CONFIDENCE, 0.7, 0.8) == moved


# ---- examples


def predictions(n=50, classes=3, **more):
    rng = np.random.default_rng(3)
    return cv.Predictions(rng.dirichlet(np.ones(classes), n), rng.integers(0, classes, n), **more)


def test_examples_of_every_kind_of_field():
    n = 50
    fields = {
        "ink": np.linspace(0.2, 0.4171, n),
        "year": np.arange(n) + 1999,
        "dose in mg": [None, 0.0, *[1.0] * (n - 2)],
        "site": ["A", "", *['the "B"'] * 20, *[""] * 28],
        "flag": np.arange(n) < 30,
        "day": np.datetime64("2024-02-01T10:00") + np.arange(n) * np.timedelta64(1, "D"),
        "small": np.full(n, 0.1, dtype=np.float32),
        "waited": np.arange(n) * np.timedelta64(1, "s"),
        "ninth": np.arange(n),
    }
    p = predictions(n, class_names=["cat", "dog", "eel"], fields=fields)
    examples = field_examples(p)
    assert examples == (
        "ink > 0.31",
        "year > 2020",
        'field("dose in mg") == 1.0',
        'site == "the \\"B\\""',
        "flag == True",
        'day >= "2024-02-26"',
        f"small == {float(np.float32(0.1))}",
        'label in ["cat", "dog"]',
        "confidence > 0.9",
        "correct == 0",
    )
    for example_ in examples[:6]:
        assert 0 < cv.selection(example_).mask(p).sum() < n, example_
    assert cv.selection(examples[6]).mask(p).all()


@given(st.lists(st.one_of(st.none(), st.floats(), st.integers(-(10**12), 10**12)), min_size=2, max_size=30))
@example([0, 0, 0, 1])
@example([1e-300, -1e300])
@example([None, float("inf"), float("-inf")])
def test_an_example_keeps_some(column):
    p = predictions(len(column), fields={"x": np.array(column, dtype=float)})
    numbers = [found for found in p.fields["x"] if np.isfinite(found)]
    found = [example_ for example_ in field_examples(p) if example_.startswith("x ")]
    assert len(found) == bool(numbers)
    for example_ in found:
        kept = cv.selection(example_).mask(p).sum()
        assert 0 < kept <= len(column)
        assert kept < len(column) or len(set(numbers)) == 1


def test_examples_where_there_is_little_to_say():
    assert field_examples(predictions()) == ("label in [0, 1]", "confidence > 0.9", "correct == 0")
    assert field_examples(predictions(classes=2))[0] == "label in [0]"
    assert field_examples(cv.Predictions([[0.5, 0.5]], [[0.5, 0.5]])) == ("confidence > 0.9", "correct == 0")
    nothing = predictions(2, fields={"x": [None, None], "s": ["", ""], "day": np.array(["NaT", "NaT"], "M8[D]")})
    assert field_examples(nothing) == field_examples(predictions(2))
    cases = np.char.add("P-", np.arange(200).astype(str))
    twice = np.where(np.arange(200) % 20 == 1, "P-0", cases)
    sites = {"site": np.tile(["Ulm", "Bern"], 100), "case": cases, "nearly": twice, "half": np.repeat(cases[:100], 2)}
    assert field_examples(predictions(200, fields=sites))[:2] == ('site == "Bern"', 'half == "P-0"')
    assert field_examples(predictions(3, fields={"site": ["a", "b", "c"]}))[0] == 'site == "a"'
    many = predictions(30_000, fields={"x": np.arange(30_000)})
    assert field_examples(many)[0] == "x > 15000"


@pytest.mark.parametrize(
    ("choice", "value"), [("binning", np.array(["uniform"])), ("gamma", 10**400), ("gamma", np.array([0.1, 0.2]))]
)
def test_what_cannot_be_compared_or_held_is_refused_as_anything_else(choice, value):
    state = ExplorerState(["model"])
    with pytest.raises(traitlets.TraitError, match=choice):
        state.update(**{choice: value})
    assert state.to_dict() == ExplorerState(["model"]).to_dict()


class Flatter:
    """A calibrator as small as one can be: it fits and transforms, and has nothing of the package's own classes."""

    name = "flatter"

    def fit(self, predictions):
        self.share = 0.5
        return self

    def transform(self, predictions):
        return predictions.with_probs((1 - self.share) * predictions.probs + self.share / predictions.n_classes)


def test_a_calibrator_that_only_fits_and_transforms():
    calibrator = Flatter()
    p = cv.load_dataset("tumours")["naive Bayes"]
    explorer = cv.Explorer(p, panels=(), lens="top-1", calibrator=calibrator)
    explorer.finish()
    (after,) = explorer.situation.after.problems
    expected = cv.evaluate(p, "top-1", calibrators=[calibrator], folds=5, metrics="mean_score")
    assert after.mean_score == pytest.approx(expected.mean_score.item(), abs=1e-12)
    assert not hasattr(calibrator, "share")  # a copy was fitted
    explorer.close()
