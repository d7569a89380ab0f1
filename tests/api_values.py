"""Bad values, and recipes of valid arguments and objects, for calls of everything public (api_calls.py)."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from public import documented

import calibviz as cv


def generator() -> Iterator[int]:
    yield from (1, 2)


def frame() -> Any:
    import pandas as pd

    return pd.DataFrame({"a": [1, 2]})


BAD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "0": lambda: 0,
    "1.5": lambda: 1.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "2**70": lambda: 2**70,
    "1e308": lambda: 1e308,
    "10**400": lambda: 10**400,
    "''": lambda: "",
    "'abc'": lambda: "abc",
    "'\\0'": lambda: "\x00",
    "bytes": lambda: b"abc",
    "[]": list,
    "[[]]": lambda: [[]],
    "{}": dict,
    "()": tuple,
    "set()": set,
    "object()": object,
    "lambda": lambda: lambda: None,
    "a class": lambda: int,
    "empty array": lambda: np.array([]),
    "ragged list": lambda: [[1, 2], [3]],
    "array of objects": lambda: np.array([object(), None]),
    "array of texts": lambda: np.array(["a", "b"]),
    "0-d array": lambda: np.array(3),
    "3-d array": lambda: np.zeros((2, 2, 2)),
    "Ellipsis": lambda: ...,
    "generator": generator,
    "DataFrame": frame,
    "missing path": lambda: Path("no", "such", "file"),
    "complex": lambda: 1 + 2j,
}

# What is made by functions and read by users, and what works on arrays that its caller vouches for.
RETURNED = {
    "Acceptance",
    "AUCEstimate",
    "BestSet",
    "Bins",
    "Bootstrap",
    "BrierSplit",
    "CalibrationIndices",
    "CalibrationTest",
    "Check",
    "Checked",
    "ChosenUpdate",
    "Consistency",
    "Corp",
    "Coverage",
    "DependenceWarning",
    "DrawnNetwork",
    "EmpiricalNetwork",
    "ErrorInterval",
    "Estimate",
    "InterceptEstimate",
    "JointTest",
    "KernelError",
    "LazyPredictions",
    "NetworkFit",
    "PooledEstimate",
    "Report",
    "SlopeEstimate",
    "Stack",
    "Trust",
    "Verdict",
    "WalkTest",
}
VOUCHED = {
    "ClassWeighted": ("__call__",),
    "Lp": ("__call__",),
    "Mahalanobis": ("__call__",),
    "TotalVariation": ("__call__",),
    "condition": ("mask", "uses"),
    "ByField": ("predict_proba",),  # which takes arrays, and they have no fields
    "MetricTemperature": ("from_dict",),  # a function has no form of plain numbers
    "DrawnNetwork": ("draw", "shares_between", "true_error"),
    "EmpiricalNetwork": ("draw", "shares_between", "share_apart", "true_error"),
    "Network": ("draw", "draw_complements", "shares_between", "true_error"),
    "Predictions": (
        "probability_of",
        "target_of",
        "target_column",
        "with_probs",
        "with_weights",
        "relabelled",
        "ranked",
        "refuse_rank",
    ),
    "ScalarProblem": (
        "above",
        "between",
        "known",
        "mapped",
        "numbers",
        "repeated",
        "subset",
        "sums",
        "taken",
        "target_up_to",
        "weights",
        "with_target",
    ),
    "Summary": ("add", "join", "thin"),
    "Sweep": ("choose", "choose_each", "most"),
    "VectorProblem": ("known", "outcome", "repeated", "reweighted", "subset", "target_rows", "with_target"),
}
MODULES = ("plots",)  # `figures` holds records that the package makes for its own pictures
FITTED = ("transform", "predict_proba", "__call__", "accuracy_change", "curve", "to_dict")  # methods that need a fit
OPERATORS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__and__", "__or__", "__call__")

# Valid arguments


@cache
def of_site() -> cv.Predictions:
    """Samples of one site, enough for a calibrator of its own."""
    return cv.Predictions(predictions().probs, predictions().labels, fields={"site": ["North"] * 60})


def predictions() -> cv.Predictions:
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), 60)
    return cv.Predictions(
        probs,
        np.arange(60) % 3,
        logits=np.log(probs),
        class_names=["a", "b", "c"],
        fields={"age": np.arange(60)},
        groups={"x": ["a"], "y": ["b", "c"]},
        images=np.zeros((60, 2, 2), np.uint8),
    )


@cache
def problem() -> cv.ScalarProblem:
    return cv.lens("class a")(predictions())


@cache
def summary() -> cv.Summary:
    made = cv.Summary("class a", class_names=["a", "b", "c"])
    made.update(predictions())
    return made


@cache
def cube() -> Any:
    lenses = ["class a", "class b", "class c"]
    metrics = ["ks", "brier", "log_loss"]
    return cv.evaluate(
        predictions(),
        lenses,
        calibrators=["none", "temperature"],
        calibration=0.5,
        metrics=metrics,
        ranking="calibrator",
    )


@cache
def lazy() -> Any:
    import xarray as xr

    p = predictions()
    data = {"probs": (("sample", "class"), p.probs), "label": ("sample", p.labels)}
    return cv.open_predictions(xr.Dataset(data).chunk(sample=20))


@cache
def stored() -> Path:
    path = Path(tempfile.mkdtemp(), "mine.npz")
    np.savez(path, probs=predictions().probs, labels=predictions().labels)
    return path


@cache
def zarr() -> Path:
    import xarray as xr

    path = Path(tempfile.mkdtemp(), "mine.zarr")
    p = predictions()
    data = {"probs": (("sample", "class"), p.probs), "label": ("sample", p.labels)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        xr.Dataset(data).to_zarr(path)
    return path


@cache
def of_models() -> Any:
    import pandas as pd

    rows = {
        "id": np.tile(np.arange(30), 2),
        "label": np.tile(np.arange(30) % 2, 2),
        "prob": np.tile(np.linspace(0.1, 0.9, 30), 2),
    }
    return pd.DataFrame(rows | {"model": np.repeat(["one", "two"], 30)})


def saved_summary() -> Path:
    path = Path(tempfile.mkdtemp(), "mine.npz")
    summary().save(path)
    return path


def saved_monitor() -> Path:
    return cv.Monitor().save(Path(tempfile.mkdtemp(), "mine.json"))


def unread() -> Path:
    return Path(tempfile.mkdtemp(), "out.png")


def dated() -> cv.Predictions:
    rng = np.random.default_rng(0)
    day = np.datetime64("2026-01-05") + np.arange(400) // 100
    return cv.Predictions(
        rng.dirichlet(np.ones(3), 400), np.arange(400) % 3, class_names=list("abc"), fields={"day": day}
    )


def over_time_and_place(values: Any) -> Any:
    import xarray as xr

    return xr.DataArray(values, dims=("time", "lat"))


def drifting() -> dict[int, cv.ScalarProblem]:
    return {0: problem(), 1: problem()}


def frame_of_predictions() -> Any:
    import pandas as pd

    return pd.DataFrame({"y_true": [0, 1, 1], "y_prob": [0.2, 0.7, 0.4]})


class Estimator:
    """What `from_estimator` needs of a classifier."""

    classes_ = ("a", "b")

    def predict_proba(self, X: Any) -> Any:
        return [[0.4, 0.6] for _ in range(len(X))]


class FittedAnew(Estimator):
    """What `optimism` needs of a classifier."""

    def fit(self, X: Any, y: Any) -> Any:
        return self


VALID: dict[str, Callable[[], Any]] = {
    "frame": frame_of_predictions,
    "estimator": Estimator,
    "X": lambda: [[1.0], [2.0]],
    "y": lambda: ["a", "b"],
    "predictions": predictions,
    "calibration": predictions,
    "judged": predictions,
    "problem": problem,
    "summary": summary,
    "cube": cube,
    "probs": lambda: predictions().probs,
    "labels": lambda: predictions().labels,
    "score": lambda: problem().score,
    "target": lambda: problem().target,
    "error": lambda: cv.ks_error,
    "models": lambda: {"one": predictions(), "two": predictions()},
    "windows": drifting,
    "path": stored,
    "source": zarr,
    "network": lambda: "resnet110_c10",
    "name": lambda: "resnet110_c10",
    "n": lambda: 50,
    "k": lambda: 2,
    "r": lambda: 2,
    "c": lambda: "a",
    "p": lambda: 1,
    "a": lambda: 1.0,
    "b": lambda: 1.0,
    "lens": lambda: cv.lens("top-2"),
    "outcome": lambda: "rest",
    "calibrator": lambda: cv.Spline(),
    "std": lambda: [1.0] * 9,
    "low": lambda: 0.1,
    "high": lambda: 0.9,
    "weights": lambda: (1.0, 2.0, 3.0),
    "matrix": lambda: ((1.0, 0.0), (0.0, 1.0)),
    "exponent": lambda: 2.0,
    "value": lambda: 0.5,
    "values": lambda: [0.5],
    "ranks": lambda: 2,
    "rows": lambda: np.arange(9),
    "i": lambda: 1,
    "share": lambda: 0.5,
    "text": lambda: "?bins=20",
    "choices": lambda: {"bins": 20},
    "other": lambda: cv.quantity("confidence") > 0.5,
    "levels": lambda: [0.5],
    "field": lambda: "age",
    "dim": lambda: "lens",
    "threshold": lambda: 0.2,
    "thresholds": lambda: [0.2, 0.4],
    "coverage": lambda: 0.5,
    "risk": lambda: 0.5,
    "costs": lambda: [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]],
}
#: The same for one call, "Class.method.parameter" or "function.parameter".
OWN: dict[str, Callable[[], Any]] = {
    "ExplorerState.models": lambda: ["one", "two"],
    "ExplorerState.keep.name": lambda: "A",
    "ExplorerState.recall.name": lambda: "A",
    "Network.true_curve.c": lambda: [0.5],
    "EmpiricalNetwork.true_curve.c": lambda: [0.5],
    "DrawnNetwork.true_curve.c": lambda: [0.5],
    "Network.drawn.curve": lambda: [k / 10 for k in range(11)],
    "Network.drawn.density": lambda: [0.5] * 20,
    "Network.drawn.base": lambda: "resnet110_c10",
    "Network.share_below.c": lambda: [0.5],
    "Report.save.path": unread,
    "report.threshold": lambda: None,  # which is for its clinical part
    "Predictions.reweighted.weights": lambda: np.linspace(1.0, 2.0, 60),
    "Predictions.at_horizon.risk": lambda: np.linspace(0.1, 0.6, 60),
    "Predictions.at_horizon.time": lambda: np.linspace(1.0, 9.0, 60),
    "Predictions.at_horizon.event": lambda: np.arange(60) % 3,
    "Predictions.at_horizon.horizon": lambda: 4.0,
    "Predictions.from_xarray.prob": lambda: over_time_and_place([[0.2, 0.7], [0.4, 0.6]]),
    "Predictions.from_xarray.observed": lambda: over_time_and_place([[0, 1], [1, 0]]),
    "Predictions.probs": lambda: predictions().probs,
    "Predictions.labels": lambda: predictions().labels,
    "Summary.update.labels": lambda: predictions().labels,
    "simulate_errors.networks": lambda: "resnet110_c10",
    "simulate_errors.n": lambda: 50,
    "miss_rates.networks": lambda: "resnet110_c10",
    "miss_rates.n": lambda: 50,
    "Summary.load.path": saved_summary,
    "Summary.save.path": unread,
    "field.name": lambda: "age",
    "quantity.name": lambda: "label",
    "GCE.named.name": lambda: "ACE",
    "Sweep.of.bins": lambda: 5,
    "Panel.name": lambda: "reliability",
    "Answer.title": lambda: "Mine",
    "Answer.content": lambda: lambda problem, recalibrated: "mine",
    "lens.name": lambda: "top-1",
    "load_dataset.name": lambda: "tumours",
    "read_models.source": of_models,
    "read_models.model": lambda: "model",
    "selection.value": lambda: "confidence > 0.5",
    "Mahalanobis.inverse_covariance.problem": lambda: cv.lens("full")(predictions()),
    "VectorProblem.score": lambda: predictions().probs,
    "VectorProblem.target": lambda: np.eye(3)[predictions().labels],
    "plots.sensitivity.table": lambda: cv.sensitivity(predictions(), replicates=2, progress=False),
    "plots.drift.table": lambda: cv.drift(drifting(), replicates=2, progress=False),
    "plots.decision_curve.table": lambda: cv.decision_curve(predictions(), "class a"),
    "plots.murphy_curve.table": lambda: cv.murphy_curve(predictions(), "class a"),
    "plots.changed_sides.table": lambda: cv.changed_sides(predictions(), "class a", calibrator=np.sqrt, thresholds=0.2),
    "plots.local_calibration.table": lambda: cv.local_calibration(predictions(), "class a", thresholds=0.2),
    "plots.risk_coverage.table": lambda: cv.risk_coverage(predictions()),
    "plots.segments.table": lambda: cv.segments(predictions(), minimum=5, replicates=0),
    "plots.bars.metric": lambda: "ks",
    "plots.bars.x": lambda: "lens",
    "plots.bars.hue": lambda: "calibrator",
    "plots.simulated_errors.cube": lambda: cv.simulate_errors("resnet110_c10", n=[50, 90], replicates=5),
    "plots.miss_rates.table": lambda: cv.miss_rates(["resnet110_c10", "resnet152_imagenet"], n=50, replicates=5),
    "plots.spread_by_size.table": lambda: cv.spread_by_size(
        predictions(), error=cv.ks_error, fractions=[0.5, 1.0], replicates=3
    ),
    "plots.confidences.table": lambda: cv.confidences(predictions()),
    "plots.ks.calibrator": lambda: np.sqrt,
    "plots.rank_correlation.table": lambda: cv.rank_correlation(cube().isel(lens=[0]), "metric"),
    "plots.panels.records": lambda: list(cv.figures.cumulative_figures([problem()])),
    "plots.draw.figure": lambda: cv.figures.cumulative_figures([problem()])[0],
    "plots.draw_grid.grid": lambda: cv.figures.ranks_figure(cube()),
    "plots.draw_grid.ax": lambda: cv.plots.Picture().subplots(),
    "summarize.predictions": predictions,
    "rubin.number": lambda: "observed_expected",
    "rubin.imputation": lambda: ["one", "two", "three"] * 20,
    "Predictions.with_cluster.cluster": lambda: "age",
    "by_centre.centre": lambda: ["east", "west", "north"] * 20,
    "plots.centres.table": lambda: cv.by_centre(predictions(), ["east", "west", "north"] * 20, "class a"),
    "over_time.predictions": dated,
    "monitor_windows.predictions": dated,
    "monitor_windows.field": lambda: "day",
    "Monitor.load.path": saved_monitor,
    "Monitor.save.path": unread,
    "optimism.estimator": FittedAnew,
    "optimism.X": lambda: [[float(i)] for i in range(40)],
    "optimism.y": lambda: ["a", "b"] * 20,
    "optimism.lens": lambda: "class a",
    "within_noise.error": lambda: cv.brier_score,
    "corp.error": lambda: cv.log_loss,
    "windows.width": lambda: 20,
    "GCE.__call__.predictions": predictions,
    **{
        f"{name}.{what}": value
        for name in (
            "net_benefit",
            "decision_curve",
            "murphy_curve",
            "changed_sides",
            "segments",
            "multicalibration_error",
        )
        for what, value in {"calibrator": lambda: np.sqrt, "lens": lambda: "class a", "outcome": lambda: None}.items()
    },
    "expected_cost.lens": lambda: "full",
    "expected_cost.outcome": lambda: None,
    "segments.minimum": lambda: 5,
    "multicalibration_error.minimum": lambda: 5,
    "error_bounds.error": lambda: cv.Uniform(10),
    "trust.replicates": lambda: 19,
    "Predictions.at_prevalence.prevalence": lambda: [0.2, 0.3, 0.5],
    "InContext.calibrator": lambda: cv.Temperature(),
    "InContext.lens": lambda: "top-1",
    "ByField.field": lambda: "site",
    "ByField.calibrator": lambda: cv.Platt(),
    "ByField.fit.predictions": of_site,
    "ByField.transform.predictions": of_site,
    "ByField.accuracy_change.predictions": of_site,
    "ByField.recalibrate.calibration": of_site,
    "ByField.recalibrate.judged": of_site,
    "ByField.fit.labels": lambda: None,
    "Metric.name": lambda: "mine",
    "Metric.function": lambda: cv.ks_error,
    "Metric.better": lambda: "smaller",
    "InContext.threshold": lambda: None,
    "InContext.error": lambda: None,
    "sample_size.lens": lambda: "top-1",
    "sample_size.outcome": lambda: None,
    "plots.sample_size.table": lambda: cv.sample_size(predictions(), n=50, replicates=2, progress=False),
}
#: Optional arguments that keep a valid call short.
SHORT = {"progress": False, "threshold": 0.2, "n": 5, "replicates": 5}


def is_widget(owner: str) -> bool:
    return owner in ("Explorer", "Panel", "SimulationLab")


@cache
def widget(name: str) -> Any:
    if name == "SimulationLab":
        return cv.SimulationLab()
    first = ("reliability",) if name == "Panel" else ()
    return getattr(cv, name)(*first, predictions(), likert=(0, 0.5, 1))


INSTANCES: dict[str, Callable[[], Any]] = {
    "ExplorerState": lambda: documented()["ExplorerState"](["one", "two"], kept={"A": {}}),
    "SimulationState": lambda: documented()["SimulationState"](),
    "Summary": summary,
    "Monitor": lambda: cv.Monitor(),
    "Predictions": predictions,
    "ScalarProblem": problem,
    "VectorProblem": lambda: cv.lens("full")(predictions()),
    "Network": lambda: cv.Network.published()["resnet110_c10"],
    "EmpiricalNetwork": lambda: cv.Network.empirical(predictions()),
    "DrawnNetwork": lambda: cv.Network.drawn(),
    "LazyPredictions": lazy,
    "Report": lambda: documented()["Report"]("mine", "<p>"),
    "GCE": lambda: cv.GCE(),
    "ScoreGrid": lambda: cv.ScoreGrid(),
    "InContext": lambda: cv.InContext(cv.Temperature()),
    "Metric": lambda: cv.Metric("mine", cv.ks_error),
    "OneVsRest": lambda: cv.OneVsRest(cv.Platt()),
    "ByField": lambda: cv.ByField("site", cv.Platt()),
    "ByRank": lambda: cv.ByRank(cv.Platt()),
    "ClassWeighted": lambda: cv.ClassWeighted((1.0, 2.0, 3.0)),
    "Mahalanobis": lambda: cv.Mahalanobis(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
    "Outcome": lambda: cv.Outcome(cv.lens("top-2"), "rest"),
    "compared": lambda: cv.quantity("confidence"),
    "condition": lambda: cv.quantity("confidence") > 0.5,
}


def instance(name: str, method: str) -> Any:
    """An object of a class, fitted where the method needs that."""
    if is_widget(name):
        return widget(name)
    made = INSTANCES[name]() if name in INSTANCES else documented()[name]()
    if hasattr(made, "fit") and method in FITTED:
        made.fit(of_site() if hasattr(made, "transform") else problem())
    return made


def recipe(target: str, parameter: str) -> Callable[[], Any] | None:
    """How to make a valid argument, if anybody has said so."""
    owner, _, method = target.partition(".")
    if parameter == "record":
        return lambda: instance(owner, "to_dict").to_dict()
    if method == "save" and is_widget(owner):
        return unread
    if method == "fit" and owner != "ByField" and hasattr(documented()[owner], "recalibrate"):  # of rows: arrays
        return {"predictions": lambda: predictions().probs, "labels": lambda: predictions().labels}.get(parameter)
    if method == "predict_proba" and parameter == "probs":
        return lambda: predictions().probs
    return OWN.get(f"{target}.{parameter}")
