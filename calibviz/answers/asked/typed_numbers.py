"""Positive numbers and cost ratios, read from the text of a control and written into it."""

from __future__ import annotations

import math


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
    """The threshold t = r / (1 + r) of a cost ratio r; "1/4" and "0.25" both give 0.2."""
    ratio = number_of(text, "a cost ratio", "0.25 or 1/4")
    return ratio / (1 + ratio)


def ratio_text(threshold: float) -> str:
    """The cost ratio of a threshold as people say it: "1/4" of 0.2, and "3" of 0.75."""
    missed, in_vain = 1 - threshold, threshold
    return f"1/{missed / in_vain:.3g}" if in_vain < missed else f"{in_vain / missed:.3g}"


def ratio_options(threshold: float) -> tuple[tuple[str, float], ...]:
    """The thresholds in whole per cents and one more, each with the text of its cost ratio, the lowest first."""
    by_text = {ratio_text(percent / 100): percent / 100 for percent in range(1, 100)}
    by_text[ratio_text(threshold)] = threshold
    return tuple(sorted(by_text.items(), key=lambda option: option[1]))
