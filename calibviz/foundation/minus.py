"""The sign of a minus in numbers that people read."""

from __future__ import annotations


def with_minus(number: str) -> str:
    """The text of a number with the sign of a minus, which is no hyphen."""
    return number.replace("-", "−")
