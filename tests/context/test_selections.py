"""Selections: what they keep, how they print, and the text they are read from."""

from __future__ import annotations

import datetime
import operator
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
from hypothesis import example, given, strategies as st
from traitlets import TraitError

import calibviz as cv
from calibviz.context import condition_parser
from calibviz.context.condition_parser import SelectionError
from calibviz.explorer.state.state import ExplorerState

OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NAMES = ["cat", "dog", 'the "eel"']
SITES = ["Bern", "Köln", 'a "b"', "", "it's", "new\nline"]


def predictions(n=40, **more):
    rng = np.random.default_rng(0)
    probs = rng.integers(1, 9, (n, 3)).astype(float)
    fields = {
        "age": rng.integers(20, 30, n),
        "site": [SITES[i] for i in rng.integers(0, len(SITES), n)],
        "flag": rng.random(n) < 0.5,
        "dose in mg": rng.integers(0, 5, n) / 4,
        "day": np.datetime64("2024-02-27") + rng.integers(0, 5, n),
    }
    probs /= probs.sum(axis=1, keepdims=True)
    return cv.Predictions(probs, rng.integers(0, 3, n), class_names=NAMES, fields=fields, **more)


P = predictions()
OUTPUT = P.probs[:, 1]
SAMPLES = [
    {
        "label": int(P.labels[i]),
        "predicted": int(P.predicted[i]),
        "correct": int(P.predicted[i] == P.labels[i]),
        "confidence": float(P.probs[i].max()),
        "output": float(OUTPUT[i]),
        **{("probability", c): float(P.probs[i, c]) for c in range(3)},
        **{name: column[i].item() for name, column in P.fields.items()},
    }
    for i in range(len(P))
]
for sample in SAMPLES:
    sample["day"] = sample["day"].isoformat()

SHARES = st.one_of(st.integers(0, 1), st.integers(0, 10).map(lambda k: k / 10), st.sampled_from(OUTPUT.tolist()))
CLASSES = st.one_of(st.integers(-1, 4), st.sampled_from(NAMES))
OWN_CLASSES = st.one_of(st.integers(0, 2), st.sampled_from(NAMES))  # all that == and isin take
KINDS = {
    "label": (cv.quantity("label"), CLASSES),
    "predicted": (cv.quantity("predicted"), CLASSES),
    "correct": (cv.quantity("correct"), st.one_of(st.booleans(), st.integers(-1, 2), st.sampled_from([0.0, 0.5, 1.0]))),
    "confidence": (cv.quantity("confidence"), SHARES),
    "output": (cv.quantity("output"), SHARES),
    ("probability", 0): (cv.probability("cat"), SHARES),
    ("probability", 2): (cv.probability(2), SHARES),
    "age": (cv.field("age"), st.one_of(st.integers(18, 31), st.floats(20, 30))),
    "site": (cv.field("site"), st.sampled_from([*SITES, "Lyon"])),
    "flag": (cv.field("flag"), st.booleans()),
    "dose in mg": (cv.field("dose in mg"), st.integers(0, 5).map(lambda k: k / 4)),
    "day": (cv.field("day"), st.sampled_from([f"2024-02-{d}" for d in (26, 27, 28, 29)])),
}


@st.composite
def leaves(draw):
    """A condition, and the Python function of a sample that says the same."""
    kind = draw(st.sampled_from(list(KINDS)))
    quantity, values = KINDS[kind]
    form = draw(st.sampled_from(["compare", "isin", "between"]))

    def plain(value):
        return NAMES.index(value) if kind in ("label", "predicted") and isinstance(value, str) else value

    sign = draw(st.sampled_from(list(OPERATORS)))
    own = OWN_CLASSES if kind in ("label", "predicted") else values
    if form == "isin":
        wanted = draw(st.lists(own, max_size=4))
        return quantity.isin(wanted), lambda s: s[kind] in [plain(v) for v in wanted]
    if form == "between":
        low, high = draw(values), draw(values)
        return quantity.between(low, high), lambda s: plain(low) <= s[kind] <= plain(high)
    value = draw(own if sign in ("==", "!=") else values)
    return OPERATORS[sign](quantity, value), lambda s: OPERATORS[sign](s[kind], plain(value))


def grown(children):
    return st.one_of(
        st.tuples(children, children).map(lambda ab: (ab[0][0] & ab[1][0], lambda s: ab[0][1](s) and ab[1][1](s))),
        st.tuples(children, children).map(lambda ab: (ab[0][0] | ab[1][0], lambda s: ab[0][1](s) or ab[1][1](s))),
        children.map(lambda a: (~a[0], lambda s: not a[1](s))),
    )


@given(st.recursive(leaves(), grown, max_leaves=8))
def test_mask_and_text_say_the_same(pair):
    condition, holds = pair
    kept = condition.mask(P, OUTPUT)
    assert kept.tolist() == [bool(holds(s)) for s in SAMPLES]
    again = cv.selection(str(condition))
    assert again == condition
    assert hash(again) == hash(condition)
    assert again.mask(P, OUTPUT).tolist() == kept.tolist()
    assert repr(condition) == f"selection({str(condition)!r})"
    assert eval(repr(condition), vars(cv)) == condition


ANY_VALUE = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.text())


@given(st.text(), st.sampled_from(list(OPERATORS)), ANY_VALUE, ANY_VALUE, st.one_of(st.integers(0), st.text()))
@example("in", "==", 1, 2, 0)
@example("हिन्दी", "<", 1e-300, -5e22, "℘")
@example("e\u0301t\u00e9", "!=", True, "", "a·b")
@example("label", "==", "\\", '"', "'")
@example("True", "==", "\x00\u2028\ud7ff", -0.0, "")
def test_any_name_and_value_can_be_printed(name, sign, value, other, c):
    for condition in (
        OPERATORS[sign](cv.field(name), value),
        cv.field(name).isin([value, other]),
        cv.field(name).between(value, other),
        OPERATORS[sign](cv.probability(c), value),
        ~(OPERATORS[sign](cv.field(name), value) | (cv.probability(c) > other)) & (cv.quantity("label") == 1),
    ):
        assert cv.selection(str(condition)) == condition


TEXT_LEAVES = st.sampled_from(["label == 1", "0 < confidence < 1", "1 <= age <= 2", 'a not in ["b"]', "0.5 > output"])
TEXTS = st.recursive(
    TEXT_LEAVES,
    lambda inner: st.one_of(
        inner.map("({})".format),
        inner.map("not {}".format),
        st.lists(inner, min_size=2, max_size=3).map(" and ".join),
        st.lists(inner, min_size=2, max_size=3).map(" or ".join),
    ),
    max_leaves=8,
)


@given(TEXTS)
@example("(label == 1 and label == 2) and label == 3")
@example("label == 1 or (label == 2 or label == 3)")
@example("label == 1 and 0 < confidence < 1")
@example("not not label == 1")
def test_printing_what_was_read_reads_the_same(text):
    condition = cv.selection(text)
    assert cv.selection(str(condition)) == condition
    assert str(cv.selection(str(condition))) == str(condition)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("label in [3, 5] and confidence > 0.5", cv.quantity("label").isin([3, 5]) & (cv.quantity("confidence") > 0.5)),
        ("label not in ['cat']", ~cv.quantity("label").isin(["cat"])),
        ("not label == 1 and age < 3", ~(cv.quantity("label") == 1) & (cv.field("age") < 3)),
        ("not (label == 1 and age < 3)", ~((cv.quantity("label") == 1) & (cv.field("age") < 3))),
        ("a == 1 or b == 2 and c == 3", (cv.field("a") == 1) | ((cv.field("b") == 2) & (cv.field("c") == 3))),
        ("(a == 1 or b == 2) and c == 3", ((cv.field("a") == 1) | (cv.field("b") == 2)) & (cv.field("c") == 3)),
        ("a == 1 and b == 2 or c == 3", ((cv.field("a") == 1) & (cv.field("b") == 2)) | (cv.field("c") == 3)),
        ("0.2 <= output <= 0.4", cv.quantity("output").between(0.2, 0.4)),
        ("0.2 < output <= .4", (cv.quantity("output") > 0.2) & (cv.quantity("output") <= 0.4)),
        ("0.5<confidence", cv.quantity("confidence") > 0.5),
        ("3 >= age", cv.field("age") <= 3),
        ("3 == label", cv.quantity("label") == 3),
        ("probability(2) >= 1e-3", cv.probability(2) >= 0.001),
        ('probability("the \\"eel\\"") < 1', cv.probability('the "eel"') < 1),
        ('field("dose in mg") == -1', cv.field("dose in mg") == -1),
        ('field("label") == 1', cv.field("label") == 1),
        ("flag == True", cv.field("flag") == True),  # noqa: E712
        ("correct == 0", cv.quantity("correct") == 0),
        ('field("correct") == 0', cv.field("correct") == 0),
        ("âge > 3", cv.field("âge") > 3),
        (" label\n==\t1 ", cv.quantity("label") == 1),
        ("label in []", cv.quantity("label").isin([])),
    ],
)
def test_text(text, condition):
    assert cv.selection(text) == condition
    assert cv.selection(condition) is condition


def test_an_empty_text_keeps_everything():
    assert cv.selection("") is cv.selection("  ") is cv.selection(None) is None
    assert cv.ks_error(P, selection="") == cv.ks_error(P)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("label", 5, "expected one of == != < <= > >= in, but the text ends"),
        ("label = 3", 6, "use == to compare"),
        ("label == ", 9, 'expected a number, or a text in quotes such as "cat", but the text ends'),
        ("label == cat", 9, "found 'cat'"),
        ("confidence > 0.5 and", 20, "but the text ends"),
        ("confidence > 0.5 label == 1", 17, "expected 'and', 'or' or the end, but found 'label'"),
        ("(label == 1", 11, r"expected '\)', but the text ends"),
        ("label == 1)", 10, r"found '\)'"),
        ("label in 3", 9, r"expected '\[', but found '3'"),
        ("label in [3 5]", 12, r"expected '\]', but found '5'"),
        ('site == "Bern', 8, "a text is not closed"),
        ("label == 1 & age < 3", 11, "unexpected character, at '& age < 3'"),
        ("0.8 >= output >= 0.2", 14, "expected 'and', 'or' or the end"),
        ("0.8 > output < 0.2", 13, "a chain reads low <= quantity <= high"),
        ("5 in label", 2, "expected a comparison, but found 'in'"),
        ("and label == 1", 0, "but found 'and'"),
        ("probability() > 1", 12, "expected a number, or a text"),
        ("probability(0.5) > 1", 12, "expected a class number or name, but found '0.5'"),
        ("field(3) > 1", 6, "expected a field's name in quotes"),
        ("3 == 4", 5, "expected label, predicted, correct, confidence, output, prob"),
        ("__import__('os') == 1", 10, r"but found '\('"),
        ("__import__('os').system('true')", 16, "unexpected character"),
        ("label == __import__('os')", 9, "found '__import__'"),
        ("confidence.__class__ == 1", 10, "unexpected character"),
        ("label == 1; import os", 10, "unexpected character"),
        ("[c for c in label]", 0, "but found '\\['"),
        ("lambda: 1", 6, "unexpected character"),
        ("label == 1 if True else 2", 11, "expected 'and', 'or' or the end, but found 'if'"),
    ],
)
def test_text_errors_name_the_place(text, position, message):
    with pytest.raises(SelectionError, match=message) as caught:
        cv.selection(text)
    assert caught.value.position == position
    assert f"at character {position + 1}" in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "label == 1" + ")" * 5000,
        "not " * 5000 + "label == 1",
        "(" * 99_000,
        "not (" * 15_000 + "label == 1" + ")" * 15_000,
        "(a == 1 or " * 8_000 + "label == 1" + ")" * 8_000,
        "(a == 1 or " * 51 + "label == 1" + ")" * 51,
    ],
)
def test_too_deep_a_text_is_an_error_of_the_text(text):
    with pytest.raises(SelectionError, match="expected less nesting, but found '") as caught:
        cv.selection(text)
    opening = list(re.finditer(r"not |\(", text))[50]
    assert caught.value.position == opening.start()


@pytest.mark.parametrize("opening", ["not ", "(", "(not ", "(a == 1 or ", "(a == 1 and not "])
def test_fifty_levels_are_read_in_a_thread_with_a_small_stack(opening):
    levels = 50 // len(re.findall(r"not |\(", opening))
    text = opening * levels + "label == 1" + ")" * (levels * opening.count("("))
    before = threading.stack_size(512 * 1024)  # as on macOS
    try:
        with ThreadPoolExecutor(1) as pool:
            condition = pool.submit(cv.selection, f"{text} or {text}").result()
    finally:
        threading.stack_size(before)
    assert str(condition).count("label == 1") == 2


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "a in " + "[" * 50_000, "field(" * 16_000, "a<" * 40_000, ") " * 40_000]
)
def test_a_long_text_of_signs_is_refused_in_words(text):
    with pytest.raises(SelectionError, match=r"\.\.\., at character \d+: expected"):
        cv.selection(text)


@pytest.mark.parametrize(
    "name",
    ["class", "None", "lambda", "if", "is", "await", "match", "ﬁre", "ſ", "Å", "K", "ª", "²", "__debug__"],
)
def test_a_field_may_have_a_name_that_python_refuses_or_changes(name):
    condition = cv.field(name) > 1
    assert str(condition) == f"{name} > 1"
    for text in (f"{name}>1", f"1 < {name}", f"({name} > 1)", f'field("{name}") > 1'):
        assert cv.selection(text) == condition
    p = cv.Predictions([0.2, 0.9], [0, 1], fields={name: [1, 2]})
    assert cv.selection(f"{name} > 1").mask(p).tolist() == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        *("(a) == 1", "a == (1)", "(1) == a", "a in (1, 2)", "a in [1,]", "a in [(1)]", "a in [[1]]", "(a == 1) == 1"),
        *("a == 1_000", "a == 0x10", "a == 1j", 'a == "b" "c"', 'a == f"b"', 'a == b"c"', 'a == """b"""', "a is 1"),
        *("a == - 1", "a == --1", "a == 1 # b", "a == 1,", "a == 1 == 1", "a == 1 < 2", "1 < 2 < a", "1 < a < 2 < 3"),
        *("a == 1 \\\n or b == 1", "probability(1, 2) > 0", "probability((1)) > 0", "field(name='a') > 0"),
        *("field('a')('b') > 0", "a not == 1", "a == not 1", "a == b", "a == 1\x00", "a := 1", "a == 1 if b else 2"),
        *(
            "1 < True",
            "0 <= False <= 1",
            "[] in a",
            "a",
            "(a)",
            "()",
            "not",
            "a in",
            "*a == 1",
            "a.b == 1",
            "a[0] == 1",
        ),
    ],
)
def test_python_that_is_no_selection_is_refused(text):
    with pytest.raises(SelectionError, match="at character"):
        cv.selection(text)


def test_numbers_are_read_as_they_are_written():
    assert cv.selection("a in [007, +5, -0, 1., .5, 1e3, ٣]") == cv.field("a").isin([7, 5, 0, 1.0, 0.5, 1000.0, 3])
    assert cv.selection("a == 1and b == 2or c == 3") == cv.selection("a == 1 and b == 2 or c == 3")
    for huge in ("9" * 400, "9" * 5000, "1e999", "0" * 5000 + "1"):
        with pytest.raises(SelectionError, match="at character 5: expected a finite number, but found"):
            cv.selection(f"a < {huge}")


@given(st.lists(st.sampled_from([*"()[],<>=&#;'\"\\$", "<=", "not ", " in ", " and ", " or ", "a", "1", "ﬁ", "\n"])))
def test_any_text_is_read_or_refused_in_words(parts):
    text = "".join(parts)
    try:
        condition = cv.selection(text)
    except SelectionError as error:
        assert 0 <= error.position <= len(text)
    else:
        assert condition is None or cv.selection(str(condition)) == condition


# ---- what is refused


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("nope == 1", "field 'nope' is unknown: the fields of these predictions are: age, site, flag, dose in mg, day"),
        ('label == "cow"', "label: class 'cow' is unknown: the classes are 'cat', 'dog'"),
        ("probability(7) > 0.5", "probability of class 7 is unknown"),
        ("site > 3", "site holds text and cannot be compared with 3"),
        ('age == "old"', 'age holds numbers and cannot be compared with "old"'),
        ('correct == "no"', 'correct holds numbers and cannot be compared with "no"'),
        ('confidence > "high"', "confidence holds numbers and cannot be compared with"),
        ('day == "someday"', "day holds dates or durations, and 'someday' cannot be read as one"),
        ("day > 5", "day holds dates or durations"),
        ("day == True", "day holds dates or durations"),
    ],
)
def test_conditions_that_do_not_fit_the_predictions(condition, message):
    with pytest.raises(ValueError, match=message):
        cv.ks_error(P, selection=condition)


def test_messages_of_the_python_form():
    with pytest.raises(TypeError, match="a selection is not true or false by itself"):
        bool(cv.quantity("label") == 1)
    with pytest.raises(TypeError, match="is not true or false by itself"):
        0.2 < cv.quantity("confidence") < 0.8  # noqa: B015
    with pytest.raises(TypeError, match="mind the parentheses"):
        (cv.quantity("label") == 1) & True
    with pytest.raises(TypeError, match="isin must be a list of values, not the text 'cat'"):
        cv.quantity("label").isin("cat")
    for wrong in ([1], None, 1j, cv.quantity("label")):
        with pytest.raises(TypeError, match="confidence can be compared with a number or a text, not with"):
            cv.quantity("confidence") == wrong  # noqa: B015
    with pytest.raises(TypeError, match="selection must be a condition or its text, not 5"):
        cv.selection(5)
    with pytest.raises(ValueError, match="output is the score that a lens looks at, and there is no lens here"):
        (cv.quantity("output") > 0.5).mask(P)
    with pytest.raises(ValueError, match="a selection on the label needs hard labels"):
        cv.ks_error(cv.Predictions([[0.5, 0.5]], [[0.5, 0.5]]), selection="label == 1")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), np.float32("inf")])
def test_numbers_that_no_text_can_hold_are_refused(value):
    for make in (
        lambda v: cv.quantity("confidence") < v,
        lambda v: cv.field("age").isin([v]),
        lambda v: cv.quantity("output").between(0, v),
    ):
        with pytest.raises(ValueError, match="finite"):
            make(value)


def test_numpy_values_are_plain_values():
    assert (cv.field("age") > np.int64(3)) == (cv.field("age") > 3)
    assert str(cv.probability(np.int64(1)) > np.float64(0.5)) == "probability(1) > 0.5"
    assert cv.quantity("label").isin(np.array([1, 2])) == cv.quantity("label").isin([1, 2])
    for date in (np.datetime64("2024-02-28"), datetime.date(2024, 2, 28)):
        assert (cv.field("day") > date).mask(P).tolist() == (P.fields["day"] > np.datetime64("2024-02-28")).tolist()


def test_small_floats_compare_as_their_float64():
    column = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    small, large = (cv.Predictions([0.1, 0.2, 0.3], [0, 1, 0], fields={"x": c}) for c in (column, column.astype(float)))
    for text in ("x == 0.1", "x <= 0.1", "x >= 0.3", "x in [0.1, 0.2]", "0.1 <= x <= 0.2"):
        assert cv.selection(text).mask(small).tolist() == cv.selection(text).mask(large).tolist(), text


# ---- correct


def test_correct_tells_the_errors_from_the_rest():
    wrong = cv.selection("correct == 0").mask(P)
    assert wrong.tolist() == (P.predicted != P.labels).tolist()
    assert 0 < wrong.sum() < len(P)
    assert cv.accuracy(P.select(wrong)) == 0 and cv.accuracy(P.select(~wrong)) == 1
    assert (cv.quantity("correct") == False).mask(P).tolist() == wrong.tolist()  # noqa: E712


def test_soft_labels_are_correct_from_half_of_their_mass_on():
    soft = cv.Predictions([[0.6, 0.3, 0.1]] * 3, [[0.49, 0.51, 0], [0.5, 0.25, 0.25], [0.51, 0.49, 0]])
    assert cv.selection("correct == 1").mask(soft).tolist() == [False, True, True]
    again = soft.reweighted(np.array([1.0, 2.0, 3.0]))
    assert cv.selection("correct == 0").mask(again).tolist() == [True, False, False]


def test_a_field_may_be_called_correct():
    p = cv.Predictions([0.2, 0.9], [0, 1], fields={"correct": [3, 4]})
    assert str(cv.field("correct") > 3) == 'field("correct") > 3'
    assert cv.selection('field("correct") > 3').mask(p).tolist() == [False, True]


# ---- output


def test_output_is_the_score_of_the_lens():
    for lens, output in {"top-1": P.confidence, "class dog": P.probs[:, 1], "rank 2": np.sort(P.probs)[:, 1]}.items():
        part = P.select(output > 0.3)
        assert cv.ks_error(P, lens, selection="output > 0.3") == cv.ks_error(part, lens)
    q = predictions(groups={"pets": ["cat", "dog"], "fish": ['the "eel"']})
    pets = q.probs[:, :2].sum(axis=1)
    for lens, first, last in (("full", q.probs[:, 0], q.probs[:, 2]), ("grouping", pets, q.probs[:, 2])):
        for outcome, output in ((None, first), (0, first), (len(cv.lens(lens)(q).outcomes) - 1, last)):
            part = q.select(output > 0.35)
            assert cv.calibration_error(
                q, lens, binning=cv.Uniform(4), selection="output > 0.35", outcome=outcome
            ) == pytest.approx(cv.calibration_error(part, lens, binning=cv.Uniform(4), outcome=outcome), abs=1e-12)


def test_output_and_weights():
    weights = np.arange(len(P)) % 3
    q = predictions(weights=weights)
    for text in ("output > 0.3", "not output > 0.3", "output <= 0.3 or label == 1"):
        part = q.select(cv.selection(text).mask(P, P.probs[:, 0]))
        assert cv.ks_error(q, "class cat", selection=text) == pytest.approx(cv.ks_error(part, "class cat"), abs=1e-12)
        assert len(cv.cumulative(q, "class cat", selection=text).sample) == (part.weights > 0).sum()
        assert cv.calibration_error(q, "full", selection=text) == pytest.approx(cv.calibration_error(part, "full"))


# ---- long texts


def test_a_text_that_is_too_long_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(condition_parser, "_Reader", None)  # not a token of it is read
    numbers = f"age in [{', '.join(map(str, range(200_000)))}]"
    message = "selection has 1,488,897 characters, more than the 100,000 that are read: 'age in [0, 1, 2"
    for call in (
        lambda: cv.selection(numbers),
        lambda: cv.calibration_error(P, selection=numbers),
        lambda: ExplorerState(["a"]).update(selection=numbers),
    ):
        with pytest.raises((ValueError, TraitError)) as caught:
            call()
        assert str(caught.value).startswith(message)
        assert len(str(caught.value)) < 200


class Counted(str):
    """A text that counts how many of its characters are copied."""

    copied = 0

    def __getitem__(self, key):
        found = super().__getitem__(key)
        Counted.copied += len(found)
        return found


@pytest.mark.parametrize("text", [f"age in [{', '.join(['12345'] * 12_000)}]", " or ".join(["a > 1"] * 10_000)])
def test_reading_goes_through_a_text_once(text):
    Counted.copied = 0
    assert len(str(condition_parser.parse(Counted(text)))) == len(text)
    assert Counted.copied < len(text)


def test_what_is_wrong_in_a_long_text_is_shown_by_its_place():
    text = f"age in [{', '.join(['12345'] * 12_000)}] $"
    with pytest.raises(ValueError, match=r"\.\.\., at character 84009: unexpected character, at '\$'$") as caught:
        cv.selection(text)
    assert len(str(caught.value)) < 1200


@pytest.mark.parametrize("others", ["", ", 1.5", ", 18446744073709551615", ", 184467440737095516150", ", -1", ", 3.0"])
@pytest.mark.parametrize(("start", "kind"), [(2**53, np.int64), (2**63, np.uint64)])
def test_whole_numbers_are_looked_up_exactly(others, start, kind):
    ages = np.array([start, start + 1, 3], dtype=kind)
    p = cv.Predictions([0.2, 0.9, 0.4], [0, 1, 1], fields={"age": ages})
    assert cv.selection(f"age in [{start + 1}{others}]").mask(p).tolist() == [False, True, "3.0" in others]
