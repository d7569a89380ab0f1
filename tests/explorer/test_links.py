"""Links: choices as the end of an address and back."""

from __future__ import annotations

import re

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
from hypothesis import assume, example, given, strategies as st

from calibviz.explorer.state.links import LONGEST, from_link, to_link

DEFAULTS = {"lens": "top-1", "bins": 15, "likert": (), "outcome": None, "panels": ("reliability", "cumulative")}

TEXT = st.one_of(st.text(max_size=12), st.text("&=%+?#[]{}\"'\\;:/ -0123truefalsn", max_size=8), st.just("\ud800"))
LEAVES = st.one_of(
    TEXT, st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none(), st.just(())
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6)
CHOICES = st.dictionaries(st.sampled_from(["lens", "bins", "likert", "outcome", "größe", "x1"]), VALUES, max_size=4)


def same(one, other):
    """Equal in type too, which 1, 1.0 and True are not."""
    return repr(one) == repr(other)


@given(CHOICES, CHOICES)
@example({"lens": "true", "bins": "15", "likert": "null"}, {})
@example({"lens": "[0,1]", "bins": "-", "likert": '"a"', "outcome": "3 d"}, {})
@example({"lens": "a&b=c%20+d#e?", "bins": "", "likert": " [1"}, {})
@example({"likert": (("not very: 0", (0, 0.8)), ("sehr überzeugt", (0.9, 1.0)))}, {})
@example({"bins": 1}, {"bins": True})
@example({"bins": -0.0}, {"bins": 0})
def test_what_differs_comes_back(choices, defaults):
    link = to_link(choices, defaults)
    wanted = {name: v for name, v in choices.items() if name not in defaults or not same(v, defaults[name])}
    assert same(from_link(link), wanted)
    assert same(from_link(link.removeprefix("?")), wanted)
    assert re.fullmatch(r"(\?[\w.~%+=&,:/*!'()-]+)?", link, re.ASCII)
    assert {**defaults, **from_link(link)} == {**defaults, **choices}


@given(st.lists(VALUES, max_size=3))
def test_lists_come_back_as_tuples(values):
    assert to_link({"likert": values}, {}) == to_link({"likert": tuple(values)}, {})
    assert to_link({"likert": values}, {"likert": tuple(values)}) == ""
    assert isinstance(from_link(to_link({"likert": values}, {}))["likert"], tuple)


def test_links_are_short_and_can_be_read():
    assert to_link(DEFAULTS, DEFAULTS) == ""
    assert to_link({**DEFAULTS, "lens": "rank 2", "bins": 20}, DEFAULTS) == "?lens=rank+2&bins=20"
    assert to_link({**DEFAULTS, "likert": (0, 0.5, 1)}, DEFAULTS) == "?likert=%5B0,0.5,1%5D"
    assert from_link("lens=rank+2&likert=[0, 0.5, 1]") == {"lens": "rank 2", "likert": (0, 0.5, 1)}
    assert from_link("?selection=") == {"selection": ""}
    assert from_link("") == from_link("?") == {}


@given(st.text(max_size=40))
@example("lens=%FF")
@example("likert=[")
@example("bins=1e999")
def test_any_text_is_read_or_refused(text):
    try:
        found = from_link(text)
    except ValueError as error:
        assert "link" in str(error)
    else:
        assert all(name.isidentifier() for name in found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("top-1", "'top-1' is not a link to choices, such as 'lens=rank+2&bins=20'"),
        ("https://example.org/?lens=rank+2", "is not a link to choices"),
        ("lens=%FF%FE", "is not a link to choices"),
        ("lens=rank+2&&bins=3", "is not a link to choices"),
        ("a b=3", "is not a link to choices"),
        ("lens=rank+2&lens=rank+3", "the link holds the choice 'lens' twice"),
        ("likert=%5B0,0.", "the link is damaged: its choice 'likert' reads '[0,0.'"),
        ("likert=" + "[" * 3000, "the link is damaged: its choice 'likert'"),
        ("likert=[NaN]", "the link is damaged: its choice 'likert'"),
        ("bins=[{}]", "the link is damaged: its choice 'bins'"),
        ("bins=-Infinity", "the link is damaged: its choice 'bins'"),
        ("bins=1e999", "the link is damaged: its choice 'bins'"),
        ("lens=" + "a" * LONGEST, f"the link has {LONGEST + 5} characters, more than {LONGEST}"),
    ],
)
def test_what_is_no_link(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        from_link(text)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1: 2}, {1, 2}, np.int64(3), np.zeros(2), b"a", {"a": 1}, object()]
)
def test_what_cannot_be_written(value):
    for choices in ({"bins": value}, {"bins": (1, [value])}):
        with pytest.raises(ValueError, match="the choice 'bins' cannot be written into a link"):
            to_link(choices, {})


def test_other_refusals():
    with pytest.raises(ValueError, match="'a b' is not the name of a choice"):
        to_link({"a b": 3}, {})
    deep = ()
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(ValueError, match="the choice 'bins' cannot be written into a link"):
        to_link({"bins": deep}, {})
    with pytest.raises(ValueError, match=f"more than {LONGEST}: 'selection' is the longest"):
        to_link({"lens": "rank 2", "selection": "ü" * 1000}, {})
    assert len(to_link({"lens": "a" * (LONGEST - 6)}, {})) == LONGEST


@given(st.text())
def test_no_link_is_too_long(text):
    try:
        link = to_link({"selection": text * 50}, {})
    except ValueError:
        assume(False)
    assert len(link) <= LONGEST
    assert from_link(link) == ({"selection": text * 50})
