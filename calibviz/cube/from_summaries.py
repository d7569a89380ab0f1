"""The cells of a cube of summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..context.lenses import Lens, Outcome
from ..scale.row_randomness import resolved
from ..scale.summary import Summary
from .cells_of_sums import Method, PassPlan, SumCells, share_of
from .metrics import Plan


def summaries_of(value: Any, argument: str) -> dict[str, Summary] | None:
    """Summaries by model name; None where others are passed."""
    models = {str(name): one for name, one in value.items()} if isinstance(value, Mapping) else {"model": value}
    if not any(isinstance(one, Summary) for one in models.values()):
        return None
    first = next(iter(models.values()))
    for name, one in models.items():
        if not isinstance(one, Summary):
            raise TypeError(f"{argument}[{name!r}] must be a cv.Summary like others, not {type(one).__name__}")
        if (one.name, one.selection) != (first.name, first.selection):
            raise ValueError(f"{argument}[{name!r}] has another lens or selection: {one.name!r}, not {first.name!r}")
    return models


def summary_cells(
    models: Mapping[str, Summary],
    selection: str,
    methods: Sequence[Method],
    plan: Plan,
    calibration: Any,
) -> SumCells:
    """The cells of models of which there are summaries: of one lens, under one selection.

    Parameters
    ----------
    models : dict of name to Summary
    selection : str
        How the cube names theirs.
    methods, plan
        Of the cube.
    calibration : float, Summary or dict of name to them, optional
        The share of the samples that calibrators are fitted to, drawn at random in every cell, or other samples.
    """
    share = share_of(calibration, methods)
    judged, fit = dict(models), {}
    if share:
        parts = {name: one.split(share, resolved(plan.seed)) for name, one in models.items()}
        fit, judged = ({name: part[i] for name, part in parts.items()} for i in range(2))
    elif calibration is not None:
        fit = summaries_of(calibration, "calibration") or {}
        for name, one in models.items():
            if name not in fit or fit[name].name != one.name:
                raise ValueError(f"calibration must be a share such as 0.5, or a summary of {one.name!r} for {name!r}")
    return SumCells(
        {selection: None},
        plan,
        {name: PassPlan(scalar={lens_of(one).name}) for name, one in models.items()},
        {name: {(None, lens_of(one).name, selection, None): one} for name, one in judged.items()},
        {name: {lens_of(one).name: one} for name, one in fit.items()},
    )


def lens_of(summary: Summary) -> Lens:
    """What a summary was looked at through."""
    return summary.lens if summary.outcome is None else Outcome(summary.lens, summary.outcome)
