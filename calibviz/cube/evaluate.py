"""`evaluate`: errors under many lenses, selections, calibrators and bin counts, as one labelled cube.

The one place where results become xarray cubes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import xarray as xr

from ..context.condition_parser import named_selections
from ..context.conditions import Condition
from ..context.lens_names import lens
from ..context.lenses import Lens
from ..data.predictions import Predictions
from ..data.stack import Stack, stack_of
from ..engine.kdtree import KDTree
from ..foundation import validation
from ..foundation.progress import with_progress
from ..metrics.acting import thresholds_of
from ..metrics.distances import Distance, TotalVariation
from ..metrics.gce import BINNINGS as GCE_BINNINGS
from ..metrics.gce import NORMS, THRESHOLDS
from ..metrics.own import Metric
from ..recalibration.registry import applied, method_of
from ..scale.lazy import LazyPredictions
from ..scale.summary import Summary
from .cells_in_memory import CellsInMemory
from .cells_of_sums import SumCells
from .contests import contests_of
from .fitting import fitted_on
from .from_parts import lazy_cells, lazy_models
from .from_summaries import lens_of, summaries_of, summary_cells
from .metrics import CUBE_DIMS, Measured, Plan, attributes_of_own, binning_of, metrics_of
from .missing import attributes_of

QUANTILES = (0.05, 0.95)


def evaluate(
    predictions: Predictions | LazyPredictions | Summary | Mapping[str, Any] | xr.Dataset,
    lenses: Iterable[str | Lens] | str | Lens = ("top-1",),
    *,
    binnings: Iterable[Any] | str = ("uniform",),
    bins: Iterable[int] | int = (15,),
    gammas: Iterable[float] | float = (),
    selections: Mapping[str, str | Condition | None] | None = None,
    calibrators: Iterable[Any] | str = ("none",),
    calibration: Predictions | LazyPredictions | Summary | Mapping[str, Any] | xr.Dataset | float | None = None,
    folds: int | None = None,
    likert: Mapping[str, tuple[float, float]] | Iterable[float] | None = None,
    distance: Distance | None = None,
    p: float = 1.0,
    k: Iterable[int] | int = (),
    thresholds: Iterable[float] | float = (),
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    bootstrap: int = 0,
    quantiles: Iterable[float] | float = QUANTILES,
    noise: bool = False,
    intervals: float | None = None,
    ranking: Iterable[str] | str = (),
    seed: int | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """Calibration errors as a cube over model, selection, calibrator, lens, binning and bins.

    Parameters
    ----------
    predictions : Predictions, dict of model name to Predictions, or xarray.Dataset
        What is judged. A Dataset has the variables that `read_predictions` describes for .nc; dimensions before
        `sample` and `class` (model, trial, seed) become dimensions of the cube. What `open_predictions` made
        (LazyPredictions) is judged by sums that one pass fills (see `Summary`); scalar calibrators are fitted to such
        sums, those of whole rows to 50,000 rows drawn in a pass before, like those that k-d trees are grown on. A
        Summary, or a dict of them, knows its own lens and selection alone.
    lenses : lenses or their names
    binnings : {"uniform", "equal-mass"} or binnings such as Uniform(closed="right"), one or several
    bins : int, one or several
    gammas : float, one or several, optional
        Values of gamma, for `kdtree_ece`.
    selections : dict of name to selection or its text, optional
        By default all samples, under the name "all".
    calibrators : names or calibrators
        "none", "temperature", "bias-corrected", "ensemble", "vector", "matrix", "dirichlet", "neural", "spline",
        "isotonic", "platt", "beta", "histogram", or calibrator objects, of which copies are fitted. Under a scalar
        lens a scalar calibrator is fitted to what that lens looks at; under a vector lens it is used one-vs-rest, as
        the attribute `applied_to` of the coordinate `calibrator` says. "isotonic, one-vs-rest" and so on are used
        one-vs-rest under every lens. Selections look at the recalibrated predictions; under a scalar calibrator only
        `output` changes.
    calibration : as `predictions`, or float in (0, 1)
        What calibrators are fitted to: other samples than those judged, or the share of `predictions` that is set
        aside for it at random. All methods, "none" too, are then judged on the rest.
    folds : int, at least 2, instead of `calibration`
        Cross-fitting: every sample is recalibrated by calibrators that were fitted to the other folds.
    likert : ascending cut points, or dict of name to (low, high), optional
        Likert categories, for `likert_error` and the like, as in the function `likert_error`.
    distance, p
        As in `calibration_error`; for `ece`, `mce`, `kdtree_ece` and `sweep`.
    k : int, one or several, optional
        For `top_k_accuracy`, as in `accuracy`.
    thresholds : float in [0, 1), one or several, optional
        For `net_benefit` over `decision_threshold`, as in the function of that name.
    metrics : names of the cube's variables, or `Metric` objects of your own, optional
        Only these are computed. By default ece, kdtree_ece where gammas are given, top_k_accuracy where `k` is,
        net_benefit where thresholds are, likert_error, likert_total_variation, likert_count and likert_mean_target
        where `likert` is given, ks, kuiper, sweep, sweep_bins, smooth, debiased, brier, accuracy, mean_score,
        mean_target and count. On request also mce, kde, label_binned, miscalibration, discrimination, uncertainty,
        log_loss, gce, aurc, excess_aurc, augrc, and what clinical prediction models are asked: observed_expected,
        calibration_in_the_large, calibration_intercept, calibration_slope, ici, e50, e90, emax and eci, each as in the
        function of that name; of a family of problems the mean. The GCE family looks at whole rows, so under it scalar
        calibrators are used one-vs-rest.
    bootstrap : int
        With n > 0 replicates every variable but the counts is joined by its quantiles: `ece_quantile` and so on. Of
        means, such as brier and accuracy, they hold the truth as often as they say. Of an error of calibration they
        are its spread under resampling and no interval for the truth: such errors are biased upwards.
    quantiles : float in [0, 1], one or several
        Of the replicates.
    noise : bool
        Join every error of calibration by what chance alone shows: `ece_noise` and so on, the 95 % quantile of 499 data
        sets whose labels are drawn from the probabilities, and `ece_p_value`, how often they show at least as much as
        the data (see `consistency`). Means, counts and proper scores have no such floor.
    intervals : float in (0, 1), optional
        How often intervals of the true error shall hold it, such as 0.95: ece, sweep, ks, kuiper and debiased are
        joined by `ece_lower`, `ece_estimate`, `ece_upper` and so on (see `interval`), where there is one problem of one
        score a sample. It takes some 0.3 s for each at 5,000 samples; those of one cell share their data sets.
    ranking : "calibrator", "model", or another dimension of the models, one or several
        Along it `brier`, `log_loss` and `debiased`, those of them that are measured, are tested as by `within_noise`:
        `brier_within_noise` and so on, over `among` as well, say which labels are not shown to be worse than the best
        of theirs; all, where they were not judged on the same samples. `rank_calibrators` and `preferred` go by it.
    seed : int
        Of the share, the folds and all that is drawn: the noise, the intervals and the bootstrap, whose draws are the
        same in every cell: differences between cells are paired; of LazyPredictions under scalar lenses they are not.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        `ece` and `mce` over all dimensions, `kdtree_ece` over `gamma` in place of binning and bins, `top_k_accuracy`
        over `k`, `net_benefit` over `decision_threshold`, the Likert
        errors over `category` as well, `gce` over its five choices and `bins`, the rest without. A cell that cannot
        exist (no sample selected, equal-mass bins of a vector lens, ...) is nan, and the attribute `unavailable` of
        its variable says why; `unavailable_reasons` lists the reasons without the cells, as JSON.

    Raises
    ------
    TypeError, ValueError
        Where an argument is unknown, empty or given twice, or calibrators have no `calibration`. What fails in one cell
        alone is no error: the cell is nan, and `unavailable` says why.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cube = cv.evaluate(p, ["top-1", "class malignant"], bins=[10, 15])
    >>> round(cube.ece.sel(lens="top-1", bins=15).item(), 3)
    0.057
    """
    validation.truth(progress, "progress")
    validation.truth(noise, "noise")
    level = None if intervals is None else validation.real_number(intervals, "intervals", 0.0, 1.0, open_ends=True)
    lazy, summarized = lazy_models(predictions, "predictions"), summaries_of(predictions, "predictions")
    if summarized is not None:
        lenses, selections = _seen_already(next(iter(summarized.values())), lenses, selections)
    sums = lazy or summarized
    judged = (
        stack_of(predictions, "predictions", CUBE_DIMS)
        if sums is None
        else Stack(cast(Any, sums), {"model": list(sums)})
    )
    if sums is not None and folds is not None:
        raise ValueError("folds are of predictions in memory: pass calibration=0.5, or draw predictions.sample()")
    chosen_lenses = [lens(one) for one in validation.several(lenses)]
    chosen_binnings = [binning_of(one) for one in validation.several(binnings)]
    conditions = named_selections(selections)
    methods = [method_of(one) for one in validation.several(calibrators)]
    categories = {} if likert is None else validation.intervals(likert, "likert")
    coords: dict[str, list[Any]] = {
        "model": list(judged.models),
        "selection": list(conditions),
        "calibrator": [name for name, _ in methods],
        "lens": [one.name for one in chosen_lenses],
        "binning": [name for name, _ in chosen_binnings],
        "bins": [validation.whole_number(b, "bins", 1) for b in validation.several(bins)],
        "gamma": [KDTree(gamma).gamma for gamma in validation.several(gammas)],
        "k": [validation.whole_number(one, "k", 1) for one in validation.several(k)],
        "decision_threshold": thresholds_of(at).tolist() if (at := list(validation.several(thresholds))) else [],
        "category": list(categories),
        "gce_binning": list(GCE_BINNINGS),
        "max_prob": [True, False],
        "class_conditional": [True, False],
        "threshold": list(THRESHOLDS),
        "norm": list(NORMS),
        "quantile": [validation.real_number(q, "quantiles", 0.0, 1.0) for q in validation.several(quantiles)],
    }
    for name in coords:
        validation.refuse_repeats(name, coords[name])
        if not coords[name] and name not in ("gamma", "k", "decision_threshold", "category"):
            raise ValueError(f"{name} is empty: pass at least one")
    given = {
        "gammas": coords["gamma"], "k": coords["k"], "thresholds": coords["decision_threshold"], "likert": categories,
    }  # fmt: skip
    plan = Plan(
        metrics_of(metrics, given, noise, level),
        dict(chosen_binnings),
        tuple(coords["bins"]),
        tuple(coords["gamma"]),
        categories,
        distance,
        validation.real_number(p, "p", 1.0, np.finfo(float).max),
        validation.whole_number(bootstrap, "bootstrap", 0),
        tuple(coords["quantile"]),
        validation.seed(seed),
        noise,
        level,
        tuple(coords["k"]),
        tuple(coords["decision_threshold"]),
    )
    contests = contests_of(ranking, judged, coords, list(plan.metrics), plan.seed)
    if contests is not None and sums is not None:
        raise ValueError("ranking compares models sample by sample, and sums have no samples: pass cv.Predictions")
    source: CellsInMemory | SumCells
    if lazy is not None:
        source = lazy_cells(lazy, chosen_lenses, conditions, methods, plan, calibration, progress)
    elif summarized is not None:
        source = summary_cells(summarized, next(iter(conditions)), methods, plan, calibration)
    else:
        source = CellsInMemory(fitted_on(judged.models, calibration, folds, methods, plan.seed), conditions, plan)
    results = _Results(coords, plan)
    looks: list[Lens | None] = list(chosen_lenses) if plan.of_lenses else []
    if "gce" in plan.metrics:
        looks.append(None)  # the GCE family brings its own lenses
    # Models and calibrators first: `Fitted` keeps what it made for one pair of them at a time.
    cells = list(itertools.product(judged.models, methods, looks, conditions))
    for model, method, one, name in with_progress(cells, "evaluate", len(cells), progress):
        place = {"model": model, "selection": name, "calibrator": method[0]}
        results.add(place | ({} if one is None else {"lens": one.name}), source.cell(model, method, one, name))
        if contests is not None and one is not None and isinstance(source, CellsInMemory):
            look = partial(source.fitted.problem, model, method[0], method[1], one, conditions[name])
            contests.add(model, (name, method[0], one.name), look, one, conditions[name])
    share = calibration if isinstance(calibration, float | np.floating) else None
    told = ("calibration", share), ("folds", folds), ("ranking", None if contests is None else list(contests.among))
    fitting = {name: value for name, value in told if value is not None}
    cube = results.dataset(judged, _call(chosen_lenses, methods, chosen_binnings, coords, conditions, plan, fitting))
    if said := applied(methods):
        cube.calibrator.attrs["applied_to"] = said
    return cube if contests is None else contests.joined(cube)


def _seen_already(summary: Summary, lenses: Any, selections: Any) -> tuple[list[Lens], dict[str, Any]]:
    """The lens and the selection that a summary was made through, which are the only ones that it knows."""
    own = lens_of(summary)
    if selections is not None or [lens(one).name for one in validation.several(lenses)] not in (["top-1"], [own.name]):
        raise ValueError(f"a summary knows the lens {own.name!r} alone: leave lenses and selections to it")
    return [own], {"all" if summary.selection is None else str(summary.selection): None}


class _Results:
    """The arrays of the cube while they are filled in."""

    def __init__(self, coords: Mapping[str, Sequence[Any]], plan: Plan) -> None:
        self.coords = coords
        self.plan = plan
        self.dims: dict[str, tuple[str, ...]] = {}
        self.joined: dict[str, tuple[str, str]] = {}  # what joins a metric: the metric, and what of it
        for metric, record in plan.metrics.items():
            dims = record.dims
            self.dims[metric] = dims
            for suffix, what in plan.joined(metric).items():
                self.joined[f"{metric}_{suffix}"] = metric, what
                self.dims[f"{metric}_{suffix}"] = (*dims, "quantile") if suffix == "quantile" else dims
        self.values = {name: np.full([len(coords[dim]) for dim in dims], np.nan) for name, dims in self.dims.items()}
        self.reasons: dict[str, list[tuple[str, str]]] = {}

    def add(self, place: Mapping[str, str], found: Measured) -> None:
        """Put what was measured in one cell in its place."""
        values, reasons = found
        index = tuple(self.coords[dim].index(label) for dim, label in place.items())
        for name, value in values.items():
            self.values[name][index] = value
        # The name of one of many sets tells its dimensions itself: "model=vgg, trial=1".
        said = ", ".join(label if dim == "model" and "=" in label else f"{dim}={label}" for dim, label in place.items())
        for metric, several in reasons.items():
            for where, sentence in several:
                self.reasons.setdefault(metric, []).append((f"{said}{', ' if where else ''}{where}", sentence))

    def dataset(self, judged: Stack, call: str) -> xr.Dataset:
        """The cube, in which the axis of the models is that of all dimensions they stand for."""
        arrays = {}
        for name, values in self.values.items():
            metric, what = self.joined.get(name, (name, ""))
            record = self.plan.metrics[metric]
            attrs = {"long_name": ", ".join(filter(None, [record.definition, what])), "units": "1"}
            attrs |= {} if what else attributes_of_own(record)
            attrs |= attributes_of(why for key in dict.fromkeys([metric, name]) for why in self.reasons.get(key, []))
            dims = (*judged.coords, *self.dims[name][1:])
            arrays[name] = (dims, values.reshape(*judged.shape, *values.shape[1:]), attrs)
        used = {dim for dims in self.dims.values() for dim in dims} - {"model"}
        coords = judged.coords | {dim: labels for dim, labels in self.coords.items() if dim in used} | judged.others
        if "category" in used:
            for i, end in enumerate(("low", "high")):
                coords[end] = ("category", [ends[i] for ends in self.plan.likert.values()])
        distance = TotalVariation() if self.plan.distance is None else self.plan.distance
        return xr.Dataset(arrays, coords, {"call": call, "distance": distance.name, "p": self.plan.p})


def _call(
    lenses: Sequence[Lens],
    methods: Sequence[tuple[str, Any]],
    binnings: Sequence[tuple[str, Any]],
    coords: Mapping[str, Sequence[Any]],
    conditions: Mapping[str, Condition | None],
    plan: Plan,
    fitting: Mapping[str, Any],
) -> str:
    """The call that makes the cube, but for its data."""
    arguments = {
        "lenses": [one.name if _is_named(one) else one for one in lenses],
        "binnings": [name for name, _ in binnings],
        "bins": coords["bins"],
        "gammas": coords["gamma"],
        "selections": {name: None if one is None else str(one) for name, one in conditions.items()},
        "calibrators": [name if method is None else method for name, method in methods],
        "distance": plan.distance,
        "p": plan.p,
        "metrics": [name if record.own is None else record.own for name, record in plan.metrics.items()],
    }
    if plan.k:
        arguments["k"] = list(plan.k)
    if plan.thresholds:
        arguments["thresholds"] = list(plan.thresholds)
    if plan.likert:
        arguments["likert"] = dict(plan.likert)
    arguments |= fitting
    if plan.bootstrap:
        arguments |= {"bootstrap": plan.bootstrap, "quantiles": coords["quantile"]}
    if plan.noise:
        arguments["noise"] = True
    if plan.intervals is not None:
        arguments["intervals"] = plan.intervals
    if plan.bootstrap or plan.noise or plan.intervals is not None or fitting:
        arguments["seed"] = plan.seed
    return f"evaluate({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def _is_named(one: Lens) -> bool:
    try:
        return lens(one.name) == one
    except ValueError:
        return False
