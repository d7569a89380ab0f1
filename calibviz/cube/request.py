"""The request of a cube: the arguments of `evaluate`, validated once for all that make it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..context.condition_parser import named_selections
from ..context.conditions import Condition
from ..context.lens_names import default_lens, kind_of_lens, lens as lens_named, named_lenses
from ..context.lenses import Lens
from ..data.stack import Stack, stack_of
from ..engine.binnings.kdtree import KDTree
from ..foundation import validation
from ..foundation.described import QUANTITIES, Described, sources_of
from ..metrics.clinical.acting import thresholds_of
from ..metrics.gce import BINNINGS, NORMS, THRESHOLDS
from ..metrics.records.record import CELL_DIMS
from ..recalibration.registry import methods_of, record_of
from ..scale.lazy import LazyPredictions
from ..scale.summary import Summary
from ..uncertainty.resampling.contenders import CRITERIA
from .metrics import CUBE_DIMS, Plan, binning_of, metrics_of

T = TypeVar("T")
Method = tuple[str, Any]  # the name of a calibrator, and the calibrator; None for "none"

SUMMED: dict[type, str] = {  # models of which there are only sums, and the refusal of others beside them
    LazyPredictions: "is not from cv.open_predictions like others: open or read all of them",
    Summary: "must be a cv.Summary like others, not {kind}",
}


@dataclass(frozen=True, eq=False)
class Request:
    """The request of a cube."""

    judged: Stack  # the models: all of them Predictions, all LazyPredictions, or all Summary
    lenses: Mapping[str, Lens]
    conditions: Mapping[str, Condition | None]  # the selections; None keeps all samples
    methods: tuple[Method, ...]
    plan: Plan  # what is measured in each cell
    calibration: Any  # the share of the samples that calibrators are fitted to, or samples in the form of the judged
    folds: int | None
    ranking: tuple[str, ...]
    progress: bool

    @property
    def coords(self) -> dict[str, list[Any]]:
        """The labels of every dimension that a variable of the cube can have."""
        plan = self.plan
        return {
            "model": list(self.judged.models), "selection": list(self.conditions),
            "calibrator": [name for name, _ in self.methods], "lens": list(self.lenses),
            "binning": list(plan.binnings), "bins": list(plan.bins), "gamma": list(plan.gammas), "k": list(plan.k),
            "decision_threshold": list(plan.thresholds), "category": list(plan.categories),
            "max_prob": [True, False], "class_conditional": [True, False], "threshold": list(THRESHOLDS),
            "norm": list(NORMS), "quantile": list(plan.quantiles),
        }  # fmt: skip  # short entries stand in rows

    @property
    def said(self) -> dict[str, Described]:
        """Return the descriptions of coordinates that only registries know: where their labels were defined."""
        lenses = [kind_of_lens(lens) or lens for lens in self.lenses.values()]
        binnings = [make(self.plan.bins[0]) for make in self.plan.binnings.values()]
        calibrators = [record_of(method) for _, method in self.methods if method is not None]
        sources = {"lens": lenses, "binning": binnings, "calibrator": calibrators}
        return {
            name: QUANTITIES[name]._replace(source=sources_of(things)) for name, things in sources.items() if things
        }

    @property
    def _lenses_in_call(self) -> Any:
        written = {name: lens.name if _is_named(lens) else lens for name, lens in self.lenses.items()}
        own = any(name != lens.name for name, lens in self.lenses.items())
        return written if own else list(written.values())

    @property
    def call(self) -> str:
        """The call that makes the cube, but for its data. Optional arguments that were not given are left out."""
        plan = self.plan
        share = self.calibration if isinstance(self.calibration, float | np.floating) else None
        fitting = {"calibration": share, "folds": self.folds, "ranking": list(self.ranking) or None}
        always = {
            "lenses": self._lenses_in_call,
            "binnings": list(plan.binnings),
            "bins": list(plan.bins),
            "gammas": list(plan.gammas),
            "selections": {name: None if kept is None else str(kept) for name, kept in self.conditions.items()},
            "calibrators": [name if calibrator is None else calibrator for name, calibrator in self.methods],
            "distance": plan.distance,
            "p": plan.p,
            "metrics": [name if record.own is None else record.own for name, record in plan.metrics.items()],
        }
        if_given = {
            "k": list(plan.k) or None,
            "thresholds": list(plan.thresholds) or None,
            "categories": dict(plan.categories) or None,
            **fitting,
            "replicates": plan.replicates or None,
            "quantiles": list(plan.quantiles) if plan.replicates else None,
            "noise": plan.noise or None,
            "intervals": plan.intervals,
        }
        arguments = always | {name: value for name, value in if_given.items() if value is not None}
        if arguments.keys() & {"replicates", "noise", "intervals", *fitting}:
            arguments["rng"] = plan.seed
        return f"evaluate({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def judged_of(predictions: Any) -> Stack:
    """The models that are judged: all in memory, all read in parts, or all summaries."""
    for kind in SUMMED:
        if (models := all_of(kind, predictions, "predictions")) is not None:
            return Stack(models, {"model": list(models)})
    return stack_of(predictions, "predictions", CUBE_DIMS)


def _looked(summary: Summary) -> str:
    """The lens of a summary, and what it selects."""
    return summary.name if summary.selection is None else f"{summary.name} where {summary.selection}"


def all_of(kind: type, value: Any, argument: str) -> dict[str, Any] | None:
    """Models of one kind by name; None where none is of it. Others beside them are refused."""
    models = {str(name): model for name, model in value.items()} if isinstance(value, Mapping) else {"model": value}
    if not any(isinstance(model, kind) for model in models.values()):
        return None
    first = next(iter(models.values()))
    for name, model in models.items():
        if not isinstance(model, kind):
            raise TypeError(f"{argument}[{name!r}] {SUMMED[kind].format(kind=type(model).__name__)}")
        if isinstance(model, Summary) and (own := _looked(model)) != (other := _looked(first)):
            raise ValueError(f"{argument}[{name!r}] has another lens or selection: {own!r}, not {other!r}")
    return models


def plan_of(
    *,
    binnings: Any,
    bins: Any,
    gammas: Any,
    categories: Any,
    distance: Any,
    p: Any,
    k: Any,
    thresholds: Any,
    metrics: Any,
    replicates: Any,
    quantiles: Any,
    noise: Any,
    intervals: Any,
    seed: int,
) -> Plan:
    """Return the plan of each cell, from the arguments of `evaluate` of the same names."""
    validation.truth(noise, "noise")
    if intervals is not None:
        intervals = validation.real_number(intervals, "intervals", 0.0, 1.0, open_ends=True)
    if binnings is None:
        asks_gce = any(isinstance(name, str) and name == "gce" for name in validation.several(metrics))
        binnings = tuple(BINNINGS) if asks_gce else "uniform"
    kinds = [binning_of(binning) for binning in validation.several(binnings)]
    _labels("binning", (name for name, _ in kinds))
    cuts = validation.several(thresholds)
    given: dict[str, Any] = {
        "gammas": _labels("gamma", (KDTree(gamma).gamma for gamma in validation.several(gammas)), least=0),
        "k": _labels("k", (validation.whole_number(rank, "k", 1) for rank in validation.several(k)), least=0),
        "thresholds": _labels("decision_threshold", thresholds_of(cuts).tolist() if cuts else [], least=0),
        "categories": {} if categories is None else validation.intervals(categories, "categories"),
    }
    shares = (validation.real_number(share, "quantiles", 0.0, 1.0) for share in validation.several(quantiles))
    return Plan(
        metrics=metrics_of(metrics, given, noise, intervals),
        binnings=dict(kinds),
        bins=_labels("bins", (validation.whole_number(count, "bins", 1) for count in validation.several(bins))),
        distance=distance,
        p=validation.real_number(p, "p", 1.0),
        replicates=validation.whole_number(replicates, "replicates", 0),
        quantiles=_labels("quantile", shares),
        seed=seed,
        noise=noise,
        intervals=intervals,
        **given,
    )


def request_of(
    judged: Stack,
    plan: Plan,
    lenses: Any,
    selections: Any,
    calibrators: Any,
    calibration: Any,
    folds: Any,
    ranking: Any,
    progress: bool,
) -> Request:
    """Return the request from the models, the plan, and arguments of `evaluate` that are not in the plan."""
    first = next(iter(judged.models.values()), None)
    if isinstance(first, Summary):
        lenses, selections = _looked_through(first, lenses, selections)
    elif lenses is None:
        lenses = [default_lens(judged.models.values())]
    if isinstance(first, tuple(SUMMED)) and folds is not None:
        raise ValueError("folds are of predictions in memory: pass calibration=0.5, or draw predictions.sample()")
    looks = named_lenses(lenses), named_selections(selections), tuple(methods_of(calibrators))
    request = Request(judged, *looks, plan, calibration, folds, tuple(validation.several(ranking)), progress)
    for dim in CELL_DIMS:
        _labels(dim, request.coords[dim])
    if isinstance(first, tuple(SUMMED)):  # sums are kept by the lenses' own names
        validation.refuse_repeats("lens", [lens.name for lens in request.lenses.values()])
    _refuse_ranking(request, isinstance(first, tuple(SUMMED)))
    return request


def _looked_through(summary: Summary, lenses: Any, selections: Any) -> tuple[list[Lens], dict[str, Any]]:
    """The lens and the selection that a summary was made through, which are the only ones that it knows."""
    own = summary.scalar_lens
    is_own = lenses is None or [lens_named(lens).name for lens in validation.several(lenses)] == [own.name]
    if selections is not None or not is_own:
        raise ValueError(f"a summary knows the lens {own.name!r} alone: leave lenses and selections to it")
    return [own], {"all" if summary.selection is None else str(summary.selection): None}


def _refuse_ranking(request: Request, of_sums: bool) -> None:
    labels = {"calibrator": request.coords["calibrator"]} | dict(request.judged.coords)
    for dim in request.ranking:
        validation.choice(dim, "ranking", tuple(labels))
    if not request.ranking:
        return
    validation.refuse_repeats("ranking", request.ranking)
    if not set(CRITERIA) & set(request.plan.metrics):
        raise ValueError(f"ranking tests {', '.join(CRITERIA)}, but metrics has none of them: add one")
    for dim in request.ranking:
        if len(labels[dim]) < 2:
            only = np.asarray(labels[dim]).tolist()[0]
            raise ValueError(f"ranking is {dim!r}, but there is only one {dim}, {only!r}: pass several")
    if of_sums:
        raise ValueError("ranking compares models sample by sample, and sums have no samples: pass cv.Predictions")


def _labels(dim: str, labels: Iterable[T], least: int = 1) -> tuple[T, ...]:
    """The labels of a dimension, which must differ; with `least=0` the dimension may be missing from the cube."""
    distinct = tuple(labels)
    validation.refuse_repeats(dim, distinct)
    if len(distinct) < least:
        raise ValueError(f"{dim} is empty: pass at least one")
    return distinct


def _is_named(lens: Lens) -> bool:
    """Whether a lens can be written by its name."""
    try:
        return lens_named(lens.name) == lens
    except ValueError:
        return False
