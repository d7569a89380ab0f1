"""Positive numbers and cost ratios, read from the text of a control and written into it."""

from __future__ import annotations

import math

NEEDLESS = "needless"  # the word behind a cost ratio, which need not be typed


def number_of(text: str, what: str, example: str) -> float:
    """The positive number that a text means; "1/4" and "0.25" are the same."""
    above, _, below = text.partition("/")
    try:
        number = float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        number = math.nan
    if not 0 < number < math.inf:
        raise ValueError(f"{what} is a positive number or fraction such as {example}, not {text!r}")
    return number


def ratio_threshold(text: str) -> float:
    """The threshold t = 1 / (1 + k) at which one missed weighs as much as k needless: 0.2 of "4 needless" and "4"."""
    return 1 / (1 + number_of(text.strip().removesuffix(NEEDLESS), "a cost ratio", "4 or 1/3"))


def ratio_text(threshold: float) -> str:
    """The cost ratio of a threshold as people say it: "4 needless" of 0.2, and "1/3 needless" of 0.75."""
    return f"{_weight_of(threshold)} {NEEDLESS}"


def ratio_options(threshold: float) -> tuple[tuple[str, float], ...]:
    """The thresholds in whole per cents and one more, each with its cost ratio as a number, the lowest first."""
    by_text = {_weight_of(percent / 100): percent / 100 for percent in range(1, 100)}
    by_text[_weight_of(threshold)] = threshold
    return tuple(sorted(by_text.items(), key=lambda option: option[1]))


def _weight_of(threshold: float) -> str:
    missed, needless = 1 - threshold, threshold
    return f"1/{needless / missed:.3g}" if missed < needless else f"{missed / needless:.3g}"
