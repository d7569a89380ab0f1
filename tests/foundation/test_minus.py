"""Numbers for people have a minus, and no hyphen, in front and in their exponents."""

from __future__ import annotations

import pytest

from calibviz.foundation.minus import with_minus


@pytest.mark.parametrize(("number", "text"), [("-0.5 %", "−0.5 %"), ("-1e-05", "−1e−05"), ("1,000", "1,000")])
def test_a_number_has_the_sign_of_a_minus(number: str, text: str) -> None:
    assert with_minus(number) == text
