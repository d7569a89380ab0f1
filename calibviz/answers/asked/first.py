"""The choices of a fresh Explorer, for those who open none, and objects that stand for several choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...context.lenses import Grouping, Outcome
from ...engine.binnings.binning_kinds import BINNINGS
from ...metrics.distances import Mahalanobis
from ...recalibration.base import Calibrator, ScalarCalibrator
from ...recalibration.registry import CALIBRATORS, method_of
from .choices import checked_choices, first_defaults
from .own_choices import Known
from .spec import MAHALANOBIS, Spec


def first_spec(models: Sequence[str], **choices: Any) -> Spec:
    """The choices that a fresh Explorer has, with others in the place of some.

    Objects may be given whole that an Explorer takes apart into several choices: a lens with its outcome or its groups,
    a binning with its bins, a matrix.
    """
    known = Known(models)
    known.defaults = first_defaults(known.models)
    spec = Spec(**{**known.defaults, **checked_choices(_apart(choices), known)}, own=known.own)
    return spec if "threshold" in choices else spec.but(threshold=spec.first_threshold)


def _apart(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Choices, where an object that stands for several of them is taken apart."""
    parts: dict[str, Any] = {}
    for name, value in choices.items():
        made = _parts(name, value)
        for part in made.keys() & (parts.keys() | (choices.keys() - {name})):
            raise ValueError(f"{part}={choices.get(part)!r} cannot be used: {name}={value!r} says it already")
        parts |= made
    return parts


def _parts(name: str, value: Any) -> dict[str, Any]:
    """The choices that an object means which is given for one of them, as texts and numbers."""
    match name, value:
        case "lens", Outcome(lens=whole, outcome=outcome):
            return {**_parts(name, whole), "outcome": outcome}
        case "lens", Grouping(groups=groups) if groups:
            return {"lens": "grouping", "groups": groups}
        case "distance", Mahalanobis(matrix=matrix):
            return {"distance": MAHALANOBIS, "matrix": matrix}
        case "calibrator", Calibrator() | ScalarCalibrator() if (built_in := method_of(value)[0]) in CALIBRATORS:
            return {"calibrator": built_in}  # one with other settings has a name of its own
        case "binning", _ if kind := BINNINGS.get(getattr(value, "name", "")):
            taken: dict[str, Any] = {kind.takes: getattr(value, kind.takes)} if kind.takes else {}
            return {"binning": kind.name, **taken} if kind.make(**taken) == value else {"binning": value}
    return {name: value}
