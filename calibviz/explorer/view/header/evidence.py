"""The line below the verdict: the error, its interval and its noise floor, in numbers and as a small picture."""

from __future__ import annotations

from html import escape

from ....answers.situation.noise import TO_COME
from ....figures.svg.small import NoisyError, noise_strips
from ....foundation.written import estimated, percent
from ....uncertainty.noise_floors import LIKELY, Beside
from ..sentence import unbroken


def evidence(title: str, error: float, beside: Beside) -> str:
    """The line as HTML; what is still being computed is left out."""
    return unbroken(" ".join(f"<span>{part}</span>" for part in _parts(title, error, beside)))


def _parts(title: str, error: float, beside: Beside) -> list[str]:
    measured = f"overall error ({escape(title)}) <b>{percent(error)}</b>"
    if beside.no_floor:
        return [measured, f"no noise floor: {escape(beside.no_floor)}"]
    floor, interval = beside.floor, None if beside.is_vague else beside.interval
    if floor is None:
        return [measured, f"noise: {TO_COME}"]
    said = [measured, noise_strips(NoisyError(error, beside))]
    said.append(f"noise alone shows up to <b>{percent(floor.reaches)}</b>")
    if interval is not None:
        # In the digits in which the verdict gives what so many samples could hide.
        ends = estimated(interval.estimate, interval.lower, interval.upper)
        said.append(f"{LIKELY}: <b>{ends.replace(' (', '</b> (', 1)}")
    return said
