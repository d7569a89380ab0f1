"""The cells of a cube of predictions that are read in parts: what is asked of one pass, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..context.conditions import Condition
from ..context.lenses import Lens
from ..scale.lazy import LazyPredictions
from ..scale.row_randomness import resolved
from ..scale.summarize import Unseen, looked_through
from .cells_of_sums import Method, SumCells, share_of
from .metrics import Plan
from .pass_plan import asked_of


def lazy_models(value: Any, argument: str) -> dict[str, LazyPredictions] | None:
    """Predictions that are read in parts, by model name; None where others are passed."""
    models = {str(name): one for name, one in value.items()} if isinstance(value, Mapping) else {"model": value}
    lazy = [isinstance(one, LazyPredictions) for one in models.values()]
    if not any(lazy):
        return None
    if not all(lazy):
        name = list(models)[lazy.index(False)]
        raise TypeError(f"{argument}[{name!r}] is not from cv.open_predictions like others: open or read all of them")
    return models


def lazy_cells(
    models: Mapping[str, LazyPredictions],
    lenses: Sequence[Lens],
    conditions: Mapping[str, Condition | None],
    methods: Sequence[Method],
    plan: Plan,
    calibration: Any,
    progress: bool,
) -> SumCells:
    """The cells of models that are read in parts, all in one pass.

    Parameters
    ----------
    models : dict of name to LazyPredictions
    lenses, conditions, methods, plan
        Of the cube.
    calibration : float, LazyPredictions or dict of name to them, optional
        The share of the samples that calibrators are fitted to, or other samples, which take a pass of their own.
    progress : bool
    """
    share, others = share_of(calibration, methods), None
    if calibration is not None and not share:
        others = _calibration_of(models, calibration)
    seed = resolved(plan.seed)
    plan = replace(plan, seed=seed)
    asked = {
        name: asked_of(name, one, lenses, conditions, methods, plan, others[name] if others else one, share, progress)
        for name, one in models.items()
    }
    judged = {name: list(one.judged.values()) for name, one in asked.items()}
    fit = {name: list(one.fit.values()) for name, one in asked.items()}
    if others is None:
        found = looked_through(models, {name: [*judged[name], *fit[name]] for name in models}, seed, progress)
        fitted = {name: several[len(judged[name]) :] for name, several in found.items()}
    else:
        found = looked_through(models, judged, seed, progress)
        fitted = looked_through({name: others[name] for name in models}, fit, seed, progress)
    sums = {name: dict(zip(one.judged, found[name], strict=False)) for name, one in asked.items()}
    for name, one in asked.items():
        one.why_not |= {place[:3]: made.why for place, made in sums[name].items() if isinstance(made, Unseen)}
    fitted_to = {name: dict(zip(one.fit, fitted[name], strict=False)) for name, one in asked.items()}
    return SumCells(conditions, plan, asked, sums, fitted_to)


def _calibration_of(models: Mapping[str, LazyPredictions], value: Any) -> dict[str, LazyPredictions]:
    others = lazy_models(value, "calibration")
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
    return others
