"""The line below the verdict: one error beside its noise, in numbers and as a small picture."""

from __future__ import annotations

from html import escape

from ....answers.first_screen.calibrators import BrierMoved, written_change
from ....answers.situation.content import Header
from ....answers.situation.noise import TO_COME
from ....data.likely_clusters import Caution
from ....figures.svg.small import NoisyError, noise_strips
from ....foundation.written import number, p_value, unbroken, whole_points
from ....uncertainty.noise_floors import Beside
from ..sentence import as_html


def evidence(title: str, error: float, beside: Beside, decides: float | None, alone: Caution | None = None) -> str:
    """The line as HTML; what is still being computed is left out.

    `decides` is the p-value of the test that the verdict rests on, where the error alone would say otherwise; `alone`
    says which rows count as independent that may belong together.
    """
    parts = _parts(title, error, beside, decides)
    if alone is not None:
        parts.append(f'<span title="{escape(alone.said)}">{escape(alone.short)}</span>')
    return unbroken(" ".join(f"<span>{part}</span>" for part in parts))


def evidence_after(moved: BrierMoved) -> str:
    """The line of a calibrator as HTML: what it changes of the Brier score."""
    low, high = moved.change
    beyond = "within" if low <= 0 <= high else "beyond"
    parts = (
        f"Brier score <b>{number(moved.before)} → {number(moved.after)}</b>",
        f"change {written_change(moved.change)}, {beyond} noise; judged on {escape(moved.samples)} it has not seen",
    )
    return unbroken(" ".join(f"<span>{part}</span>" for part in parts))


def evidence_of(said: Header) -> str:
    """The line of an open question as HTML."""
    return " ".join(f"<span>{as_html(part)}</span>" for part in said.numbers)


def _parts(title: str, error: float, beside: Beside, decides: float | None) -> list[str]:
    measured = f'<span title="{escape(title)}">overall error</span> <b>{whole_points(error)}</b>'
    if beside.no_floor:
        return [measured, f"no noise floor: {escape(beside.no_floor)}"]
    if beside.floor is None:
        return [measured, f"noise: {TO_COME}"]
    most = whole_points(beside.floor.reaches).split(" ")[0]
    where = "within" if beside.is_noise(error) else "beyond"
    alone, by_test = "", []
    if decides is not None:
        alone, by_test = " by itself", [f"the test of errors of any shape decides: {p_value(decides, 'p')}"]
    noise = f"{where} noise{alone}: right numbers alone show up to {most}"
    return [measured, noise_strips(NoisyError(error, beside)), noise, *by_test]
