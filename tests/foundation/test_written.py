"""A number is written by one function for its kind: honest at both ends, with a minus and thousands separators."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import assume, given, strategies as st

from calibviz.foundation import written
from calibviz.foundation.written import (
    chosen_percent,
    counted,
    difference,
    estimated,
    in_unit,
    interval,
    number,
    p_value,
    percent,
    percents,
    spread,
    whole_percent,
    with_minus,
)

SHARES = st.floats(0, 1)
NUMBERS = st.floats(-1e9, 1e9)
WRITERS = {
    "percent": percent,
    "whole_percent": whole_percent,
    "chosen_percent": chosen_percent,
    "percents": lambda share: percents(share)[0],
    "lower": lambda share: interval(share, 1.0).split(" to ")[0] + " %",
    "upper": lambda share: interval(0.0, share).split(" to ")[1],
    "estimated": lambda share: estimated(share, 0.0, 1.0).split(" (")[0],
    "in_unit": lambda share: in_unit(share, "%"),
}
#: A number as a page has it: thousands in threes, no plus or minus before nothing, no hyphen, no exponent.
WELL_WRITTEN = re.compile(r"[+−]?(\d{1,3}(,\d{3})*|\d+)(\.\d+)?")


def is_well_written(text: str) -> bool:
    plain = text.removesuffix(" %").removeprefix("under ").removeprefix("over ")
    return WELL_WRITTEN.fullmatch(plain) is not None and not re.fullmatch(r"[+−][0.,]+", plain)


def value_of(text: str) -> float:
    return float(text.removesuffix(" %").replace("−", "-").replace(",", ""))


@pytest.mark.parametrize("name", WRITERS)
@given(share=SHARES)
def test_only_0_reads_as_0_percent_and_only_1_as_100(name: str, share: float) -> None:
    text = WRITERS[name](share)
    assert text.endswith(" %") and is_well_written(text)
    reads_as = text.removesuffix(" %")
    assert (share == 0) == (not reads_as.strip("0.")), text
    assert (100 * share >= 100) == (reads_as.partition(".")[0] == "100"), text


@pytest.mark.parametrize("name", WRITERS)
@given(share=SHARES)
def test_the_text_of_a_share_is_near_it_and_what_is_bounded_lies_beyond(name: str, share: float) -> None:
    text = WRITERS[name](share)
    if text.startswith("under "):
        assert 100 * share < value_of(text.removeprefix("under "))
    elif text.startswith("over "):
        assert 100 * share > value_of(text.removeprefix("over "))
    else:
        assert value_of(text) == pytest.approx(100 * share, abs=0.51)


@given(SHARES)
def test_a_measured_share_has_one_text_wherever_it_stands(share: float) -> None:
    assert percent(share) == in_unit(share, "%") == spread([share])


@given(SHARES)
def test_a_measured_share_is_right_to_two_decimals_or_to_two_digits_of_what_is_left(share: float) -> None:
    assume(1e-7 < share < 1 - 1e-7)
    room = min(share, 1 - share)
    assert value_of(percent(share)) == pytest.approx(100 * share, abs=max(1e-6, min(0.0051, 0.051 * 100 * room)))


@given(NUMBERS)
def test_numbers_and_differences_are_well_written(value: float) -> None:
    for text in (number(value), difference(value), difference(value, "%")):
        assert is_well_written(text), text
    assert value_of(difference(value)) == pytest.approx(value, abs=5.1e-5)
    assert value_of(difference(value, "%")) == pytest.approx(100 * value, abs=5.1e-3)
    assert difference(value).lstrip("+") == number(value) or abs(value) < 5e-5
    assert (value == 0) == (not number(value).strip("0."))


@given(st.integers(-(10**12), 10**12))
def test_whole_numbers_keep_all_their_digits(n: int) -> None:
    assert value_of(number(n)) == n == value_of(difference(n))
    assert is_well_written(number(n)) and is_well_written(difference(n))


@given(SHARES, SHARES)
def test_the_ends_of_an_interval_are_in_order_and_differ_where_they_do(first: float, second: float) -> None:
    low, high = min(first, second), max(first, second)
    lower, upper = interval(low, high).removesuffix(" %").split(" to ")
    if high - low > 1e-6:
        assert lower != upper
        assert lower.startswith("under") or upper.startswith("over") or value_of(lower) <= value_of(upper)


@given(SHARES, SHARES)
def test_shares_that_are_compared_have_as_many_decimals_and_differ_where_they_do(first: float, second: float) -> None:
    texts = percents(first, second)
    if abs(first - second) > 1e-6:
        assert texts[0] != texts[1]
    decimals = {len(text.removesuffix(" %").partition(".")[2]) for text in texts}
    assert len(decimals) == 1


@given(SHARES)
def test_a_p_value_has_a_floor_and_three_decimals_at_most(p: float) -> None:
    text, named = p_value(p), p_value(p, "p")
    assert named.removeprefix("p ").removeprefix("= ") == text
    if p < 0.001:
        assert text == "< 0.001" and named == "p < 0.001"
    elif text == "> 0.99":
        assert 0.99 < p < 1
    else:
        assert re.fullmatch(r"1|0\.\d{1,3}", text) and float(text) == pytest.approx(p, rel=0.5, abs=0.0051)
        assert (text == "1") == (p == 1)


@given(st.integers(0, 10**12))
def test_a_count_has_thousands_separators_and_its_noun(n: int) -> None:
    assert counted(n) == ("no sample" if n == 0 else "1 sample" if n == 1 else f"{n:,} samples")


def test_a_number_that_is_not_known_is_a_dash() -> None:
    unknown = math.nan
    for text in (percent(unknown), number(unknown), difference(unknown), p_value(unknown), interval(unknown, 1.0)):
        assert text == written.UNKNOWN
    assert p_value(unknown, "p") == "p not known"


def test_an_infinite_number_says_so() -> None:
    assert (number(math.inf), percent(math.inf)) == ("∞", "∞ %")


def test_a_number_may_be_of_any_size() -> None:
    assert number(1.5e14) == "150,000,000,000,000.0000"
    assert number(-1e30).startswith("−1,000,000,000,000,0") and percent(1e300).endswith(".00 %")


@pytest.mark.parametrize(("text", "shown"), [("-0.5 %", "−0.5 %"), ("-1e-05", "−1e−05"), ("1,000", "1,000")])
def test_a_number_has_the_sign_of_a_minus(text: str, shown: str) -> None:
    assert with_minus(text) == shown


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (0.00123, "0.12 %"),
        (0.01, "1 %"),
        (0.386, "39 %"),
        (0.99, "99 %"),
        (0.99876, "99.88 %"),
        (1, "100 %"),
    ],
)
def test_a_share_is_whole_but_near_its_ends(share: float, text: str) -> None:
    assert whole_percent(share) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0"),
        (0.00498, "0.5"),
        (0.0000321, "0.003"),
        (3e-7, "0.00003"),
        (1 - 3e-7, "99.99997"),
        (0.01, "1"),
        (0.196, "20"),
        (0.99, "99"),
        (0.9961, "99.6"),
        (1, "100"),
    ],
)
def test_no_end_of_an_interval_is_rounded_to_nothing_or_all(share: float, text: str) -> None:
    assert interval(share, share) == f"{text} to {text} %"


def test_a_change_has_a_minus_and_no_change_has_no_sign() -> None:
    values = (-0.015, 1234.5, 10, -0.00001, 0, 0.0)
    assert [difference(value) for value in values] == ["−0.0150", "+1,234.5000", "+10", "0.0000", "0", "0.0000"]
    assert [difference(value, "%") for value in (0.0938, -0.00001)] == ["+9.38", "0.00"]
