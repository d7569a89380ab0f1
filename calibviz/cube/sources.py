"""Where the cells of a cube come from: predictions in memory, predictions that are read in parts, or summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..data.models import said_of_shared
from ..data.nouns import nouns_of_field
from ..foundation.clusters import hashed
from ..foundation.fit_warnings import notice
from ..scale.lazy import LazyPredictions
from ..scale.summarize import Unseen, looked_through
from ..scale.summary import Summary
from .cells_in_memory import CellsInMemory
from .cells_of_sums import PassPlan, SumCells, share_of
from .fitting import fitted_on
from .pass_plan import pass_plan_of
from .request import Request, all_of


def cells_of(request: Request) -> CellsInMemory | SumCells:
    """Return what measures the cells of a cube; calibrators of summaries and of parts are fitted to sums alone."""
    models: dict[str, Any] = request.judged.models
    first = next(iter(models.values()))
    if isinstance(first, LazyPredictions):
        return _cells_of_parts(models, request)
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


def _cells_of_parts(models: Mapping[str, LazyPredictions], request: Request) -> SumCells:
    """The cells of models that are read in parts, all filled by one pass; other calibration samples take their own."""
    share, others = share_of(request.calibration, request.methods), None
    if request.calibration is not None and not share:
        others = _calibration_of(models, request.calibration)
    for model in models.values() if share else ():
        if isinstance(model.cluster, str):
            raise ValueError(
                f"calibration={share:g} would part the rows of a cluster, cluster={model.cluster!r}: pass the "
                "cv.open_predictions of other clusters"
            )
    seed = request.plan.seed
    asked = {
        name: pass_plan_of(name, model, request, others[name] if others else model, share)
        for name, model in models.items()
    }
    judged = {name: list(asked[name].judged.values()) for name in models}
    fit = {name: list(asked[name].fit.values()) for name in models}
    if others is None:
        looks = {name: [*judged[name], *fit[name]] for name in models}
        filled = looked_through(models, looks, seed, request.progress)
        fitted = {name: sums[len(judged[name]) :] for name, sums in filled.items()}
    else:
        filled = looked_through(models, judged, seed, request.progress)
        fitted = looked_through({name: others[name] for name in models}, fit, seed, request.progress)
    sums = {name: dict(zip(asked[name].judged, filled[name], strict=False)) for name in models}
    for name in models:
        unseen = {place[:3]: made.why for place, made in sums[name].items() if isinstance(made, Unseen)}
        asked[name].why_not |= unseen
    fitted_to = {name: dict(zip(asked[name].fit, fitted[name], strict=True)) for name in models}
    for name, model in models.items() if others else ():
        _warn_of_shared_clusters(name, model, asked[name], sums[name].values(), fitted[name])
    return SumCells(request.conditions, request.plan, asked, sums, fitted_to)


def _warn_of_shared_clusters(
    name: str, model: LazyPredictions, asked: PassPlan, judged: Iterable[Any], fitted: Iterable[Any]
) -> None:
    """Warn, as of samples in memory, where calibrators see samples of clusters that are judged, too."""
    if not isinstance(model.cluster, str):
        return
    seen = _clusters_of(fitted)
    if asked.fitted_rows is not None:
        seen |= {hashed(value) for value in asked.fitted_rows.cluster_values}
    if said := said_of_shared(nouns_of_field(model.cluster), len(seen & _clusters_of(judged))):
        notice(f"calibration and predictions, {name!r}: {said}", stacklevel=4, category=UserWarning)


def _clusters_of(looks: Iterable[Any]) -> set[int]:
    """The hashed names of the clusters that summaries hold."""
    sums = [look.cluster_sums for look in looks if isinstance(look, Summary) and look.cluster_sums is not None]
    return {int(cluster) for each in sums for cluster in np.unique(each.cluster)}


def _calibration_of(models: Mapping[str, LazyPredictions], value: Any) -> dict[str, LazyPredictions]:
    others = all_of(LazyPredictions, value, "calibration")
    if others is None:
        raise TypeError(
            f"calibration must be a share such as 0.5, or from cv.open_predictions, not {type(value).__name__}"
        )
    for name in models:
        if name not in others:
            raise ValueError(f"calibration is missing for the model {name!r}: pass a set for each model, in a dict")
        if others[name].class_names != models[name].class_names:
            raise ValueError(
                f"calibration[{name!r}] has the classes {others[name].class_names}, "
                f"but predictions[{name!r}] has {models[name].class_names}"
            )
        if others[name].of_confidence != models[name].of_confidence:
            raise ValueError(f"calibration[{name!r}] and predictions[{name!r}] differ in of_confidence")
    return others
