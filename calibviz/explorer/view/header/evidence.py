"""The line below the verdict: one error beside its noise, in numbers and as a small picture."""

from __future__ import annotations

from html import escape

from ....answers.situation.noise import TO_COME
from ....figures.svg.small import NoisyError, noise_strips
from ....foundation.written import unbroken, whole_points
from ....uncertainty.noise_floors import Beside


def evidence(title: str, error: float, beside: Beside) -> str:
    """The line as HTML; what is still being computed is left out."""
    return unbroken(" ".join(f"<span>{part}</span>" for part in _parts(title, error, beside)))


def _parts(title: str, error: float, beside: Beside) -> list[str]:
    measured = f'<span title="{escape(title)}">overall error</span> <b>{whole_points(error)}</b>'
    if beside.no_floor:
        return [measured, f"no noise floor: {escape(beside.no_floor)}"]
    if beside.floor is None:
        return [measured, f"noise: {TO_COME}"]
    most = whole_points(beside.floor.reaches).split(" ")[0]
    where = "within" if error <= beside.floor.reaches else "beyond"
    return [measured, noise_strips(NoisyError(error, beside)), f"{where} noise: right numbers alone show up to {most}"]
