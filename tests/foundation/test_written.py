"""Numbers for people have a minus, and no hyphen, in front and in their exponents."""

from __future__ import annotations

import pytest

from calibviz.foundation.written import whole_percent, with_minus


@pytest.mark.parametrize(("number", "text"), [("-0.5 %", "−0.5 %"), ("-1e-05", "−1e−05"), ("1,000", "1,000")])
def test_a_number_has_the_sign_of_a_minus(number: str, text: str) -> None:
    assert with_minus(number) == text


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
