"""Without a lens: the positive class of two, top-1 of more, whoever asks. Proper scores judge whole rows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import xarray as xr
from driver import screen

import calibviz as cv
from calibviz.engine.scalar import MapOfSamples
from calibviz.metrics.records.registry import METRICS
from calibviz.uncertainty.resampling.bootstrap import Bootstrap
from calibviz.uncertainty.resampling.consistency import Consistency

#: What the functions ask for beside predictions.
NEEDED: dict[str, Callable[[], Any]] = {
    "calibrator": lambda: lambda scores: scores,
    "costs": lambda: [[0, 10], [1, 0]],
    "coverage": lambda: 0.5,
    "error": lambda: cv.ks_error,
    "field": lambda: "day",
    "models": lambda: None,
    "risk": lambda: 0.5,
    "threshold": lambda: 0.5,
    "thresholds": lambda: [0.5],
}
QUICK = {"replicates": 20, "minimum": 20, "binning": None, "progress": False, "rng": 0}
EXTRA: dict[str, Callable[[int], dict[str, Any]]] = {
    "cross_fitted": lambda _: {"calibrator": cv.Platt()},
    "net_benefit": lambda _: {"threshold": 0.5},
    "rubin": lambda _: {"number": "observed_expected", "imputation": ["one", "two", "three"] * 80},
    "by_centre": lambda _: {"centre": ["east", "west", "north"] * 80},
    "monitor_windows": lambda _: {"width": "D"},
    "optimism": lambda classes: {
        "X": np.arange(240)[:, None],
        "y": np.array(judged(classes).class_names)[judged(classes).labels],
    },
    "over_time": lambda _: {"width": "D"},
    "sample_size": lambda _: {"n": [50, 100]},
    "plots.recalibration": lambda classes: {"calibration": judged(classes)},
}
#: What judges whole rows: the columns of costs are classes.
OF_ROWS = {
    "brier_score": "brier",
    "log_loss": "log_loss",
    "ranked_probability_score": "ranked_probability_score",
}
OTHERS = {
    "report": "test_report_and_explorer_open_on_it",
    "compare": "test_report_and_explorer_open_on_it",
    "lens": "it makes lenses",
    "kernel_error": "it looks at whole rows, of two classes as well",
}


def functions() -> list[str]:
    named = {name: getattr(cv, name) for name in cv.__all__ if inspect.isfunction(getattr(cv, name))}
    of_plots = {f"plots.{name}": getattr(cv.plots, name) for name in cv.plots.__all__}
    return [
        name
        for name, function in (named | of_plots).items()
        if inspect.isfunction(function)
        and {"lens", "lenses"} & set(inspect.signature(function).parameters)
        and name not in OTHERS
    ]


def function_of(name: str) -> Any:
    owner, _, own = name.rpartition(".")
    return getattr(getattr(cv, owner) if owner else cv, own)


@cache
def judged(classes: int) -> cv.Predictions:
    """Random rows, of which each class is told too often; the two days are half of them."""
    rng = np.random.default_rng(classes)
    probs = rng.dirichlet(np.ones(classes), 240)
    labels = [rng.choice(classes, p=row) for row in 0.8 * probs + 0.2 / classes]
    names = ["well", "ill", "dead"][:classes]
    day = np.datetime64("2026-01-05") + np.arange(240) // 120
    return cv.Predictions(probs, labels, class_names=names, fields={"day": day})


class Classifier:
    """One whose fits are all the same: its probabilities are those of the rows."""

    def __init__(self, classes: int = 3) -> None:
        self.classes = classes
        self.classes_ = judged(classes).class_names

    def fit(self, X: Any, y: Any) -> Classifier:
        return self

    def predict_proba(self, X: Any) -> Any:
        return judged(self.classes).probs[np.asarray(X)[:, 0]]


DEFAULT = {2: "class ill", 3: "top-1"}


def content(value: Any) -> Any:
    if isinstance(value, cv.plots.Picture):
        texts = [text.get_text() for axes in value.axes for text in (axes.title, axes.xaxis.label, axes.yaxis.label)]
        return texts, [line.get_xydata() for axes in value.axes for line in axes.lines]
    if isinstance(value, Bootstrap | Consistency):
        return value.estimate, value.replicates
    if isinstance(value, MapOfSamples):
        return value.of_samples(value.problem).tolist()
    if isinstance(value, cv.Summary):
        return value.name, value.right, value.wrong
    if isinstance(value, dict):
        return {str(name): content(each) for name, each in value.items()}
    if isinstance(value, xr.Dataset | xr.DataArray):
        return value.to_dict()
    return repr(value)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", functions())
def test_each_function_without_a_lens_takes_the_default(name, classes):
    function, p = function_of(name), judged(classes)
    parameters = inspect.signature(function).parameters
    given = {key: NEEDED[key]() for key, one in parameters.items() if one.default is one.empty and key in NEEDED} | {
        key: value for key, value in QUICK.items() if key in parameters and value is not None
    }
    given |= EXTRA.get(name, lambda _: {})(classes)
    first = {"a": p, "b": p.select(range(240))} if next(iter(parameters)) == "models" else p
    first = Classifier(classes) if name == "optimism" else first
    given.pop("models", None)
    whole = name in OF_ROWS or name == "expected_cost"
    if name == "expected_cost":
        given["costs"] = np.eye(classes)
    lens = "full" if whole and classes > 2 else DEFAULT[classes]
    key = "lens" if "lens" in parameters else "lenses"
    if name == "within_noise":
        given.pop("error", None)
    np.testing.assert_equal(content(function(first, **given)), content(function(first, **given, **{key: lens})))


SAME = {
    "ks": [cv.ks_error, lambda p: cv.ks_test(p).statistic],
    "kuiper": [cv.kuiper_error, lambda p: cv.kuiper_test(p).statistic],
    "ece": [cv.calibration_error],
    "mce": [lambda p: cv.calibration_error(p, aggregate="max")],
    "kdtree_ece": [lambda p: cv.calibration_error(p, binning=cv.KDTree(0.1))],
    "sweep": [lambda p: cv.calibration_error(p, binning=cv.Sweep())],
    "sweep_bins": [cv.sweep_bins],
    "smooth": [cv.smooth_error],
    "kde": [cv.kde_error],
    "debiased": [cv.debiased_error],
    "label_binned": [cv.label_binned_error],
    "brier": [cv.brier_score],
    "brier_skill": [lambda p: 1 - cv.brier_score(p, DEFAULT[p.n_classes]) / cv.corp(p).uncertainty],
    "ranked_probability_score": [cv.ranked_probability_score],
    "log_loss": [cv.log_loss],
    "miscalibration": [lambda p: cv.corp(p).miscalibration],
    "discrimination": [lambda p: cv.corp(p).discrimination],
    "uncertainty": [lambda p: cv.corp(p).uncertainty],
    "accuracy": [cv.accuracy],
    "top_k_accuracy": [lambda p: cv.accuracy(p, k=2)],
    "mean_score": [lambda p: float(cv.cumulative(p).score.mean())],
    "mean_target": [lambda p: cv.observed_expected(p).estimate * float(cv.cumulative(p).score.mean())],
    "count": [len],
    "observed_expected": [lambda p: cv.observed_expected(p).estimate],
    "calibration_in_the_large": [cv.calibration_in_the_large],
    "calibration_intercept": [lambda p: cv.calibration_intercept(p).estimate],
    "calibration_slope": [lambda p: cv.calibration_slope(p).estimate],
    "auc": [lambda p: cv.auc(p).estimate],
    "ici": [cv.ici, lambda p: cv.calibration_indices(p).ici],
    "e50": [lambda p: cv.calibration_indices(p).e50],
    "e90": [lambda p: cv.calibration_indices(p).e90],
    "emax": [lambda p: cv.calibration_indices(p).emax],
    "eci": [lambda p: cv.calibration_indices(p).eci],
    "aurc": [cv.aurc, lambda p: float(cv.risk_coverage(p).aurc)],
    "excess_aurc": [cv.excess_aurc],
    "augrc": [cv.augrc],
    "net_benefit": [lambda p: cv.net_benefit(p, threshold=0.4)],
    "likert_error": [lambda p: likert(p).error.values],
    "likert_total_variation": [lambda p: likert(p).total_variation.values],
    "likert_count": [lambda p: likert(p)["count"].values],
    "likert_mean_target": [lambda p: likert(p).mean_target.values],
    "gce": [lambda p: cv.GCE()(p)],
}


def likert(p: cv.Predictions) -> xr.Dataset:
    return cv.likert_error(p, categories=[0.0, 0.5, 1.0])


ASKED = {
    "kdtree_ece": {"gammas": 0.1},
    "top_k_accuracy": {"k": 2},
    "net_benefit": {"thresholds": 0.4},
}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("metric", METRICS)
def test_a_function_and_a_cube_give_the_same_number(metric, classes):
    p = judged(classes)
    asked: dict[str, Any] = dict(ASKED.get(metric, {}))
    if metric.startswith("likert"):
        asked["categories"] = [0.0, 0.5, 1.0]
    if classes > 2 and metric in OF_ROWS.values():
        asked["lenses"] = "full"  # whole rows are judged where nothing is named
    cube = cv.evaluate(p, metrics=[metric], progress=False, **asked)
    if metric == "gce":
        found = cube.gce.sel(binning="uniform", max_prob=True, class_conditional=False, threshold=0.0, norm="l1")
    else:
        found = cube[metric]
        assert found.lens.values.tolist() == [asked.get("lenses", DEFAULT[classes])]
    for function in SAME[metric]:
        np.testing.assert_allclose(np.squeeze(function(p)), found.values.squeeze(), rtol=1e-12, atol=1e-15)


def test_confidences_have_no_positive_class_and_a_summary_knows_its_lens():
    p = judged(2)
    sure = cv.Predictions(p.confidence, p.top_target, of_confidence=True)
    assert cv.ks_error(sure) == cv.ks_error(sure, "top-1") == cv.ks_error(p, "top-1") != cv.ks_error(p)
    assert cv.evaluate(sure, metrics="ks").lens.item() == "top-1"
    assert cv.brier_score(sure) == cv.brier_score(p, "top-1")
    assert cv.summarize(p).name == "class ill" and cv.summarize(judged(3)).name == "top-1"
    for lens in ("top-1", "class well"):
        summary = cv.summarize(p, lens)
        assert cv.ks_error(summary) == cv.ks_error(summary, lens) == pytest.approx(cv.ks_error(p, lens), abs=1e-3)
        rows = summary.predictions()
        explorer = cv.Explorer(rows, panels=())
        assert cv.evaluate(rows, metrics="ks").lens.item() == explorer.state.lens
        assert cv.ks_error(rows) == pytest.approx(cv.ks_error(summary), abs=1e-12)
        explorer.close()


def test_models_of_different_classes_are_looked_at_through_top_1():
    p = judged(2)
    other = cv.Predictions(p.probs, p.labels, class_names=["no", "yes"])
    assert cv.evaluate({"a": p, "b": p}, metrics="ks").lens.item() == "class ill"
    assert cv.evaluate({"a": p, "b": other}, metrics="ks").lens.item() == "top-1"


@pytest.mark.parametrize("classes", [2, 3])
def test_report_and_explorer_open_on_it(classes, few_replicates):
    p = judged(classes).select(range(80))
    explorer = cv.Explorer(p, panels=())
    assert explorer.state.lens == cv.evaluate(p, metrics="ks").lens.item() == DEFAULT[classes]
    assert screen(explorer).controls["lens"].value
    explorer.close()
    quick = {"progress": False}
    for page in (cv.report, lambda p, **given: cv.compare({"a": p, "b": p}, **given)):
        [default, named] = (page(p, **quick), page(p, lens=DEFAULT[classes], **quick))
        assert re.sub(r"Made on \S+ \S+ UTC", "", default.html) == re.sub(r"Made on \S+ \S+ UTC", "", named.html)


@pytest.mark.parametrize("lens", ["top-1", "full", "class ill", cv.lens("top-1")])
@pytest.mark.parametrize("error", [cv.ks_error, cv.calibration_error, cv.brier_score, cv.ici, cv.aurc])
def test_what_has_been_looked_at_takes_no_other_lens(error, lens):
    p = judged(2)
    name = cv.lens(lens).name
    for seen in (cv.lens("class well")(p), cv.summarize(p, "class well")):
        with pytest.raises(ValueError, match=rf"^lens='{name}' cannot be used: a problem or a summary has been looked"):
            error(seen, lens)
        with pytest.raises(ValueError, match=r"^selection='confidence > 0\.6' cannot be used: a problem or a summary"):
            error(seen, selection="confidence > 0.6")
        assert error(seen) == pytest.approx(error(p, "class well"), abs=1e-3)
