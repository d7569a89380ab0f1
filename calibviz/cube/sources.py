"""Where the cells of a cube come from: predictions in memory, predictions that are read in parts, or summaries."""

from __future__ import annotations

from typing import Any

from ..scale.lazy import LazyPredictions
from ..scale.summary import Summary
from .cells_in_memory import CellsInMemory
from .cells_of_sums import PassPlan, SumCells, share_of
from .fitting import fitted_on
from .from_parts import cells_of_parts
from .request import Request, all_of


def cells_of(request: Request) -> CellsInMemory | SumCells:
    """Return what measures the cells of a cube; calibrators of summaries and of parts are fitted to sums alone."""
    models: dict[str, Any] = request.judged.models
    first = next(iter(models.values()))
    if isinstance(first, LazyPredictions):
        return cells_of_parts(models, request)
    if isinstance(first, Summary):
        return _cells_of_summaries(models, request)
    fitted = fitted_on(models, request.calibration, request.folds, request.methods, request.plan.seed)
    return CellsInMemory(fitted, request.conditions, request.plan)


def _cells_of_summaries(models: dict[str, Any], request: Request) -> SumCells:
    """The cells of summaries, which are all of one lens under one selection."""
    share, calibration = share_of(request.calibration, request.methods), request.calibration
    judged, fit = models, {}
    if share:
        parts = {name: summary.split(share, rng=request.plan.seed) for name, summary in models.items()}
        fit, judged = ({name: part[i] for name, part in parts.items()} for i in range(2))
    elif calibration is not None:
        fit = all_of(Summary, calibration, "calibration") or {}
        for name, summary in models.items():
            if name not in fit or fit[name].name != summary.name:
                said = f"a summary of {summary.name!r} for {name!r}"
                raise ValueError(f"calibration must be a share such as 0.5, or {said}")
    (lens,), (selection,) = request.lenses.values(), request.conditions
    return SumCells(
        request.conditions,
        request.plan,
        {name: PassPlan(scalar={lens.name}) for name in models},
        {name: {(None, lens.name, selection, None): summary} for name, summary in judged.items()},
        {name: {summary.scalar_lens.name: summary} for name, summary in fit.items()},
    )
