"""The ticks of an axis: their places and their labels."""

from __future__ import annotations

import math

from ...foundation.written import with_minus

LONGEST = 16  # characters of the label of a tick
ROUND = 1e-9


def plain_ticks(low: float, high: float, most: int = 6) -> tuple[tuple[float, str], ...]:
    """At most `most` round numbers from low to high with their labels, 1, 2 or 5 times a power of ten apart."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough * (1 - ROUND))
    first, last = math.ceil(low / step - ROUND), math.floor(high / step + ROUND)
    digits = max(0, -math.floor(math.log10(step) + ROUND))
    large = max(abs(low), abs(high)) >= 1e5 or digits > 5
    return tuple((i * step, _number(i * step, digits, large)) for i in range(first, last + 1))


def percent_ticks(low: float, high: float, most: int = 6) -> tuple[tuple[float, str], ...]:
    """The ticks of shares, labelled as percentages."""
    return tuple((at / 100, f"{text} %") for at, text in plain_ticks(100 * low, 100 * high, most))


def short(name: str) -> str:
    """A name, cut so that it fits under an axis."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _number(value: float, digits: int, large: bool) -> str:
    text = f"{value:g}" if large else f"{value:.{digits}f}"
    return "0" if float(text) == 0 else with_minus(text)
