"""How numbers are written for people: shares of 1 in per cent, and the sign of a minus."""

from __future__ import annotations

import math

FEW_DIGITS = 5e-4  # a smaller share of 1 has one digit or none among the first two decimals of its percentage


def percent(value: float) -> str:
    """A share of 1 as text, such as "4.75 %"."""
    return f"{100 * value:.2f} %"


def fine_percent(value: float) -> str:
    """The same with more digits where two of them would say nothing, such as "0.00035 %"."""
    return percent(value) if not 0 < value < FEW_DIGITS else f"{100 * value:.2g} %"


def ends_in_percent(lower: float, upper: float) -> str:
    """The ends of an interval of a share as text, such as "19 to 81 %"; none is rounded to 0 or 100."""

    def end(share: float) -> str:
        value = 100 * share
        room = min(value, 100 - value)  # to the nearer of 0 and 100
        return f"{value:.{math.ceil(-math.log10(room)) if 0 < room < 0.5 else 0}f}"

    return f"{end(lower)} to {end(upper)} %"


def whole_percent(share: float) -> str:
    """A share as whole per cents from 1 % to 99 %, else with two significant digits."""
    value = 100 * share
    if 1 <= value <= 99 or value in (0, 100):
        return f"{value:.0f} %"
    return f"{value:.2g} %" if value < 1 else f"{100 - float(f'{100 - value:.2g}'):.12g} %"


def with_minus(number: str) -> str:
    """The text of a number with the sign of a minus, which is no hyphen."""
    return number.replace("-", "−")
