"""`evaluate`: errors under many lenses, selections, calibrators and bin counts, as one labelled cube.

The one place where results become xarray cubes.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from . import validation
from .binning import Binning, EqualMass, Sweep, Uniform
from .distances import Distance, TotalVariation
from .estimators import binned_error, ks_error
from .lens_text import lens
from .lenses import Lens, Problem
from .looking import induced_problem, scalar_problem
from .predictions import Predictions, calibration_of, models_of
from .problems import EmptyProblemError, ScalarProblem
from .recalibration import Calibrator, OneVsRest, ScalarCalibrator, Spline, Temperature
from .scores import right_share
from .selection_text import selection as read_selection
from .selections import Condition

BINNINGS: dict[str, Callable[[int], Binning]] = {"uniform": Uniform, "equal-mass": EqualMass}
CALIBRATORS: dict[str, Callable[[], Calibrator | ScalarCalibrator]] = {"temperature": Temperature, "spline": Spline}

LONG_NAMES = {
    "ece": "calibration error, (sum_b w_b/W d_b^p)^(1/p) over bins",
    "ks": "Kolmogorov-Smirnov calibration error, max |h_i - h~_i|",
    "sweep": "calibration error on the bins of the equal-mass monotone sweep",
    "sweep_bins": "number of bins that the monotone sweep chooses",
    "accuracy": "share of the selected samples whose predicted class is right",
    "mean_score": "mean score",
    "mean_target": "mean target; under the top-1 lens the accuracy",
    "count": "number of selected samples",
}
CELL_DIMS = ("model", "selection", "calibrator", "lens")
ECE_DIMS = (*CELL_DIMS, "binning", "bins")


def evaluate(
    predictions: Predictions | Mapping[str, Predictions],
    lenses: Iterable[str | Lens] | str | Lens = ("top-1",),
    *,
    binnings: Iterable[str] | str = ("uniform",),
    bins: Iterable[int] | int = (15,),
    selections: Mapping[str, str | Condition | None] | None = None,
    calibrators: Iterable[Any] | str = ("none",),
    calibration: Predictions | Mapping[str, Predictions] | None = None,
    distance: Distance | None = None,
    p: float = 1.0,
    metrics: Iterable[str] | None = None,
    progress: bool = True,
) -> xr.Dataset:
    """Calibration errors as a cube over model, selection, calibrator, lens, binning and bins.

    Parameters
    ----------
    predictions : Predictions, or dict of model name to Predictions
        What is judged.
    lenses : lenses or their names
    binnings : {"uniform", "equal-mass"}, one or several
    bins : int, one or several
    selections : dict of name to selection or its text, optional
        By default all samples, under the name "all".
    calibrators : names or calibrators
        "none", "temperature", "spline", or calibrator objects, of which copies are fitted to `calibration`. Under
        a scalar lens a scalar calibrator is fitted to what that lens looks at; under a vector lens it is used
        one-vs-rest. Selections look at the recalibrated predictions; under a scalar calibrator only `output`
        changes.
    calibration : Predictions, or dict by model
        What calibrators are fitted to: other samples than those judged.
    distance, p
        As in `calibration_error`.
    metrics : names of the cube's variables, optional
        Only these are computed: ece, ks, sweep, sweep_bins, accuracy, mean_score, mean_target, count; all by default.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        `ece` over all dimensions, the rest without binning and bins. A cell that cannot exist (no sample
        selected, equal-mass bins of a vector lens, ...) is nan, and the attribute `unavailable` of its variable
        says why.
    """
    judged = models_of(predictions, "predictions")
    chosen_lenses = [lens(one) for one in _listed(lenses)]
    counts = [validation.whole_number(b, "bins", 1) for b in _listed(bins)]
    binning_names = [validation.choice(b, "binnings", tuple(BINNINGS)) for b in _listed(binnings)]
    named = validation.mapping(
        {"all": None} if selections is None else selections, "selections", "selections or their texts"
    )
    conditions = {name: read_selection(one) for name, one in named.items()}
    methods = [_method(one) for one in _listed(calibrators)]
    wanted = tuple(LONG_NAMES) if metrics is None else tuple(_listed(metrics))
    for metric in wanted:
        validation.choice(metric, "metrics", tuple(LONG_NAMES))
    coords: dict[str, list[Any]] = {
        "model": list(judged),
        "selection": list(conditions),
        "calibrator": [name for name, _ in methods],
        "lens": [one.name for one in chosen_lenses],
        "binning": binning_names,
        "bins": counts,
    }
    for name in coords:
        _refuse_repeats(name, coords[name])
    if calibration is None and any(method is not None for _, method in methods):
        raise ValueError(
            "calibration is missing: calibrators are fitted to other samples than those judged, for example "
            "calibration, evaluation = predictions.split(0.5) and evaluate(evaluation, calibration=calibration)"
        )
    fit_on = {} if calibration is None else calibration_of(judged, calibration)

    sizes = {name: len(values) for name, values in coords.items()}
    values = {m: np.full([sizes[d] for d in (ECE_DIMS if m == "ece" else CELL_DIMS)], np.nan) for m in wanted}
    reasons: dict[str, list[str]] = {m: [] for m in wanted}
    cells = itertools.product(enumerate(judged), enumerate(methods), enumerate(chosen_lenses), enumerate(conditions))
    total = sizes["model"] * sizes["calibrator"] * sizes["lens"] * sizes["selection"]
    fitted = _Fitted(judged, fit_on)
    from tqdm.auto import tqdm  # in a notebook it draws with widgets, which the engine does not import

    for (i, model), (j, (method_name, method)), (k, one), (s, name) in tqdm(
        cells, total=total, desc="evaluate", unit="cell", delay=1.0, leave=False, disable=not progress
    ):
        place = f"model={model}, selection={name}, calibrator={method_name}, lens={one.name}"
        try:
            source, problem = fitted.problem(model, method_name, method, one, conditions[name])
        except ValueError as error:
            for metric in wanted:
                reasons[metric].append(f"[{place}]: {error}")
            if "count" in wanted and isinstance(error, EmptyProblemError):
                values["count"][i, s, j, k] = 0
            continue
        for metric in wanted:
            if metric != "ece":
                try:
                    if metric == "accuracy":
                        scalar = (
                            problem
                            if isinstance(problem, ScalarProblem)
                            else scalar_problem(source, one, conditions[name])
                        )
                        values[metric][i, s, j, k] = right_share(source, scalar)
                    else:
                        values[metric][i, s, j, k] = _measure(metric, problem, distance, p)
                except ValueError as error:
                    reasons[metric].append(f"[{place}]: {error}")
        if "ece" in wanted:
            for b, binning in enumerate(binning_names):
                try:
                    values["ece"][i, s, j, k, b] = _errors(problem, BINNINGS[binning], counts, distance, p)
                except ValueError as error:
                    reasons["ece"].append(f"[{place}, binning={binning}]: {error}")
    call = _call(chosen_lenses, methods, coords, conditions, distance, p)
    return _dataset(values, coords, reasons, call, TotalVariation() if distance is None else distance, p)


class _Fitted:
    """Fits every calibrator once for each model (and scalar lens), and keeps what it made for the current pair."""

    def __init__(self, judged: Mapping[str, Predictions], fit_on: Mapping[str, Predictions]) -> None:
        self.judged = judged
        self.fit_on = fit_on
        self.current: tuple[str, str] | None = None
        self.kept: dict[str, Any] = {}

    def problem(
        self, model: str, name: str, method: Any, one: Lens, condition: Condition | None
    ) -> tuple[Predictions, Problem]:
        """The predictions that are judged, recalibrated unless only their scores are, and their problem."""
        judged = self.judged[model]
        if method is None:
            return judged, induced_problem(judged, one, condition)
        if self.current != (model, name):
            self.current, self.kept = (model, name), {}
        scalar = isinstance(method, ScalarCalibrator)
        if scalar and induced_problem(judged, one).is_scalar:
            key = f"lens {one.name}"
            if key not in self.kept:
                self.kept[key] = copy.deepcopy(method).fit(induced_problem(self.fit_on[model], one))
            return judged, induced_problem(judged, one, condition, calibrator=self.kept[key])
        if "predictions" not in self.kept:
            whole = OneVsRest(method) if scalar else copy.deepcopy(method)
            self.kept["predictions"] = whole.fit(self.fit_on[model]).transform(judged)
        return self.kept["predictions"], induced_problem(self.kept["predictions"], one, condition)


def _measure(metric: str, problem: Problem, distance: Distance | None, p: float) -> float:
    if metric == "count":
        return len(problem)
    if not isinstance(problem, ScalarProblem):
        raise ValueError(f"{metric} needs a scalar lens, or one outcome of a vector lens")
    if metric == "ks":
        return ks_error(problem)
    if metric == "sweep_bins":
        return Sweep().choose(problem)
    if metric == "sweep":
        return binned_error(Sweep()(problem), distance, p)
    return float(getattr(problem, metric))


def _errors(
    problem: Problem, binning: Callable[[int], Binning], counts: Sequence[int], distance: Distance | None, p: float
) -> list[float]:
    return [binned_error(binning(b)(problem), distance, p) for b in counts]


def _dataset(
    values: Mapping[str, np.ndarray],
    coords: Mapping[str, Sequence[Any]],
    reasons: Mapping[str, Sequence[str]],
    call: str,
    distance: Distance,
    p: float,
) -> xr.Dataset:
    arrays = {}
    for metric, array in values.items():
        attrs = {"long_name": LONG_NAMES[metric], "units": "1"}
        if reasons[metric]:
            attrs["unavailable"] = "\n".join(reasons[metric])
        arrays[metric] = (ECE_DIMS if metric == "ece" else CELL_DIMS, array, attrs)
    used = coords if "ece" in values else {d: coords[d] for d in CELL_DIMS}
    return xr.Dataset(
        arrays,
        used,
        {"call": call, "distance": distance.name, "p": p},
    )


def _call(
    lenses: Sequence[Lens],
    methods: Sequence[tuple[str, Any]],
    coords: Mapping[str, Sequence[Any]],
    conditions: Mapping[str, Condition | None],
    distance: Distance | None,
    p: float,
) -> str:
    """The call that makes the cube, but for its data."""
    arguments = {
        "lenses": [one.name if _is_named(one) else one for one in lenses],
        "binnings": coords["binning"],
        "bins": coords["bins"],
        "selections": {name: None if one is None else str(one) for name, one in conditions.items()},
        "calibrators": [name if method is None else method for name, method in methods],
        "distance": distance,
        "p": p,
    }
    return f"evaluate({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def _is_named(one: Lens) -> bool:
    try:
        return lens(one.name) == one
    except ValueError:
        return False


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, str | int) or not isinstance(value, Iterable) else list(value)


def _method(value: Any) -> tuple[str, Any]:
    if value is None or value == "none":
        return "none", None
    if isinstance(value, str):
        validation.choice(value, "calibrators", ("none", *CALIBRATORS))
        return value, CALIBRATORS[value]()
    if isinstance(value, Calibrator | ScalarCalibrator) and not isinstance(value, type):
        return str(getattr(value, "name", type(value).__name__)), value
    raise TypeError(f"calibrators must be names or calibrators with fit and transform, not {value!r}")


def _refuse_repeats(name: str, values: Sequence[Any]) -> None:
    repeated = [v for v in values if list(values).count(v) > 1]
    if repeated:
        raise ValueError(f"{name} {repeated[0]!r} is given twice: the labels of a dimension must differ")
