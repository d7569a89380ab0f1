"""The line below the verdict: the error, its interval and its noise floor, in numbers and as a small picture."""

from __future__ import annotations

from html import escape

from ...figures import percent
from ...uncertainty.error_intervals import ErrorInterval
from ...uncertainty.noise_floors import LIKELY, Beside
from ..model.noise import TO_COME
from .sentence import unbroken
from .theme import BACK, BLUE, FAINT

LENGTH, HEIGHT, MARGIN = 160, 14, 5  # pixels of the picture
HEADROOM = 1.15  # what it reaches to, in multiples of the largest number in it


def evidence(title: str, error: float, beside: Beside) -> str:
    """The line as HTML; what is still being computed is left out."""
    measured = f"overall error ({escape(title)}) <b>{percent(error)}</b>"
    if beside.no_floor:
        return unbroken(f"<span>{measured}</span> <span>no noise floor: {escape(beside.no_floor)}</span>")
    floor, interval = beside.floor, None if beside.is_vague else beside.interval
    if floor is None:
        return unbroken(f"<span>{measured}</span> <span>noise: {TO_COME}</span>")
    said = [measured, _picture(error, floor.reaches, interval)]
    said.append(f"chance alone shows up to <b>{percent(floor.reaches)}</b>")
    if interval is not None:
        said.append(
            f"{LIKELY}: <b>{percent(interval.estimate)}</b> ({100 * interval.lower:.1f} to {100 * interval.upper:.1f})"
        )
    return unbroken(" ".join(f"<span>{part}</span>" for part in said))


def _picture(error: float, reaches: float, interval: ErrorInterval | None) -> str:
    """A grey area as long as chance reaches, a dot for the error, open within it, and a line for the true error."""
    ends = (0.0,) if interval is None else (interval.lower, interval.upper)
    scale = (LENGTH - 2 * MARGIN) / (HEADROOM * max(error, reaches, *ends, 1e-9))
    middle, right = HEIGHT / 2, LENGTH - MARGIN

    def line(low: float, high: float, colour: str, width: int) -> str:
        return (
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}" stroke="{colour}" '
            f'stroke-width="{width}"/>'
        )

    parts = [
        f'<rect x="{MARGIN}" y="1" width="{scale * reaches:.1f}" height="{HEIGHT - 2}" fill="{FAINT}" opacity="0.3"/>',
        line(MARGIN, right, FAINT, 1),
    ]
    if interval is not None:
        parts.append(line(MARGIN + scale * interval.lower, MARGIN + scale * interval.upper, BLUE, 3))
    fill = BACK if error <= reaches else BLUE
    x = MARGIN + scale * error
    parts.append(f'<circle cx="{x:.1f}" cy="{middle}" r="4" fill="{fill}" stroke="{BLUE}" stroke-width="2"/>')
    return f'<svg width="{LENGTH}" height="{HEIGHT}" aria-hidden="true">{"".join(parts)}</svg>'
