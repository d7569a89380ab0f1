"""Clusters are never ignored silently: what takes predictions depends on them, needs none, or refuses them in words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr

import calibviz as cv

ROWS, CLUSTERS = 300, 60
QUIET: dict[str, Any] = {"progress": False}


def made(clusters: bool | None) -> cv.Predictions:
    rng = np.random.default_rng(1)
    code = rng.integers(0, CLUSTERS, ROWS)
    score = rng.beta(1.5, 1.5, ROWS)
    label = rng.random(ROWS) < np.clip(score + 0.3 * (code % 2) - 0.15, 0, 1)  # those of a cluster are alike
    day = np.datetime64("2024-01-01") + code % 4
    fields = {"site": rng.choice(list("ab"), ROWS), "day": day, "patient": code}
    return cv.Predictions(score, label.astype(int), fields=fields, cluster="patient" if clusters else clusters)


def two(p: cv.Predictions) -> dict[str, cv.Predictions]:
    return {"a": p, "b": p.with_probs(p.probs**2 / (p.probs**2).sum(axis=1, keepdims=True))}


#: What depends on the clusters, and what of it is compared.
DEPENDS: dict[str, Callable[[cv.Predictions], Any]] = {
    "accept_at_risk": lambda p: cv.accept_at_risk(p, risk=0.5).guarantee,
    "auc": lambda p: cv.auc(p).lower,
    "bootstrap": lambda p: cv.bootstrap(p, error=cv.brier_score, replicates=50, **QUIET).lower,
    "by_centre": lambda p: cv.by_centre(p, "site").lower,
    "calibration_curve": lambda p: cv.calibration_curve(p).lower,
    "calibration_intercept": lambda p: cv.calibration_intercept(p).lower,
    "calibration_slope": lambda p: cv.calibration_slope(p).lower,
    "calibration_test": lambda p: cv.calibration_test(p, **QUIET).p_value,
    "changed_sides": lambda p: cv.changed_sides(p, calibrator=lambda s: s**2, thresholds=0.3).lower,
    "choose_update": lambda p: cv.choose_update(p).slope_p_value,
    "consistency": lambda p: cv.consistency(p, error=cv.ks_error, replicates=50, **QUIET).upper,
    "corp, intervals": lambda p: cv.corp(p, replicates=50, **QUIET).intervals["discrimination"].lower,
    "coverage_at_risk": lambda p: cv.coverage_at_risk(p, risk=0.45, replicates=50).lower,
    "debiased_error": lambda p: cv.debiased_error(two(p)["b"]),
    "decision_curve": lambda p: cv.decision_curve(p, thresholds=[0.3], replicates=50).lower,
    "evaluate": lambda p: (
        cv.evaluate(p, ["class 1"], metrics=["ks"], noise=True, replicates=20, quantiles=[0.1], **QUIET).ks_noise
    ),
    "interval": lambda p: cv.interval(p, error=cv.ks_error, **QUIET).upper,
    "ks_test": lambda p: cv.ks_test(p).p_value,
    "kuiper_test": lambda p: cv.kuiper_test(p).p_value,
    "local_calibration": lambda p: cv.local_calibration(p, thresholds=0.5, width=0.2).lower,
    "monitor_windows": lambda p: cv.monitor_windows(p, width="D").log_e,
    "multicalibration_error": lambda p: cv.multicalibration_error(p, fields="site", minimum=20, scale="sigma"),
    "murphy_curve": lambda p: cv.murphy_curve(p, thresholds=[0.3], replicates=50).lower,
    "observed_expected": lambda p: cv.observed_expected(p).lower,
    "over_time": lambda p: cv.over_time(p, width="D", replicates=50, **QUIET).noise,
    "reliability": lambda p: cv.reliability(p).lower,
    "risk_coverage": lambda p: cv.risk_coverage(p, level=0.9).lower,
    "segments": lambda p: cv.segments(p, fields="site", minimum=20, replicates=50, **QUIET).lower,
    "segments, by truth": lambda p: (
        cv.segments(p, "class 1", selection="label == 1", fields="site", minimum=20, replicates=50, **QUIET).p_adjusted
    ),
    "sensitivity": lambda p: cv.sensitivity(p, settings=[5, 10], replicates=20, **QUIET).lower,
    "spiegelhalter_test": lambda p: cv.spiegelhalter_test(p).p_value,
    "spread_by_size": lambda p: cv.spread_by_size(p, error=cv.ks_error, replicates=20, **QUIET).lower,
    "trust": lambda p: cv.trust(p, replicates=50, **QUIET).threshold,
    "verdict": lambda p: str(cv.verdict(p)),
    "within_noise": lambda p: cv.within_noise(two(p), error=cv.brier_score, **QUIET).p_values["b"],
}
WITHOUT_NOISE = ("debiased_error", "multicalibration_error")  # errors alone
#: What refuses them, since it is not built for them.
REFUSES: dict[str, Callable[[cv.Predictions], Any]] = {
    "calibration_belt": lambda p: cv.calibration_belt(p),
    "calibration_curve, honest": lambda p: cv.calibration_curve(p, smoother="honest"),
    "consistency, by truth": lambda p: cv.consistency(p, "class 1", error=cv.ks_error, selection="label == 1", **QUIET),
    "hosmer_lemeshow": lambda p: cv.hosmer_lemeshow(p),
    "reliability, of cells": lambda p: cv.reliability(
        cv.Predictions(np.column_stack([p.probs / 2, np.full(ROWS, 0.5)]), p.labels, cluster=p.cluster_codes),
        "full",
        binning=cv.KDTree(0.2),
    ),
    "sample_size": lambda p: cv.sample_size(p, error=cv.ks_error, n=[100], replicates=4, **QUIET),
    "summarize": lambda p: cv.summarize(p),
    "summarize_all": lambda p: cv.summarize_all(p, ["class 1"]),
    "windows": lambda p: cv.windows(p, field="day"),
}
#: Plain numbers of the samples, which are the same whether these belong together or not; with the reason.
MEAN, CURVE = "a mean over samples", "an error of the observed scores, of which `interval` and `consistency` tell more"
NEEDS_NONE = {
    "accuracy": MEAN,
    "augrc": MEAN,
    "aurc": MEAN,
    "brier_score": MEAN,
    "brier_split": MEAN,
    "calibration_error": CURVE,
    "calibration_in_the_large": MEAN,
    "confidences": "errors over thresholds, without intervals",
    "corp": CURVE,
    "cumulative": "the walk of the gaps, without its noise",
    "excess_aurc": MEAN,
    "ici": "the spline curve, whose estimate is the same",
    "calibration_indices": "the spline curve, whose estimate is the same",
    "kde_error": CURVE,
    "ks_error": CURVE,
    "kuiper_error": CURVE,
    "label_binned_error": CURVE,
    "likert_error": CURVE,
    "log_loss": MEAN,
    "net_benefit": MEAN,
    "ranked_probability_score": MEAN,
    "risk_at_coverage": MEAN,
    "smooth_error": CURVE,
    "sweep_bins": "how many bins keep the targets monotone",
    "fit_network": "the most likely network, without intervals",
}
ARGUMENTS: dict[str, dict[str, Any]] = {"net_benefit": {"threshold": 0.3}, "risk_at_coverage": {"coverage": 0.5}}
#: What has tests of its own, elsewhere.
ELSEWHERE = {
    "check": "tests/answers",
    "compare": "the report of models",
    "cross_fitted": "folds of whole clusters",
    "expected_cost": "needs a matrix of costs, and is a mean",
    "report": "all of the above",
    "rubin": "needs imputations",
    "subsamples": "parts of whole clusters",
    "kernel_error": "needs whole rows, and is an error of the observed scores",
    "likely_clusters": "looks for clusters where none are named",
}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, xr.DataArray | xr.Dataset):
        return bool(one.identical(other))
    return bool(one == other) or repr(one) == repr(other)


@pytest.mark.parametrize("name", DEPENDS)
def test_what_looks_at_clusters_depends_on_them(name: str) -> None:
    of, without = DEPENDS[name](made(True)), DEPENDS[name](made(False))
    assert not same(of, without)


@pytest.mark.parametrize("name", [name for name in DEPENDS if name not in WITHOUT_NOISE])
def test_what_depends_on_clusters_asks_for_them(name: str) -> None:
    with pytest.warns(cv.DependenceWarning, match="different 'patient'"):
        DEPENDS[name](made(None))


@pytest.mark.parametrize("name", REFUSES)
def test_what_is_not_built_for_clusters_refuses_them_and_names_the_way_out(name: str) -> None:
    with pytest.raises(ValueError, match=r"would take all samples to be independent.*cluster=False"):
        REFUSES[name](made(True))
    if name != "sample_size":  # which takes a while
        REFUSES[name](made(False))


@pytest.mark.parametrize("name", NEEDS_NONE)
def test_plain_numbers_are_the_same_with_clusters(name: str) -> None:
    options = ARGUMENTS.get(name, {})
    assert same(*(getattr(cv, name)(made(clusters), **options) for clusters in (True, False)))


def test_every_public_function_of_predictions_is_on_a_list() -> None:
    takes = {
        name
        for name in dir(cv)
        if inspect.isfunction(function := getattr(cv, name))
        and next(iter(inspect.signature(function).parameters), "") in ("predictions", "models", "p")
    }
    listed = {name for name in (*DEPENDS, *REFUSES, *NEEDS_NONE, *ELSEWHERE) if "," not in name}
    assert takes <= listed, sorted(takes - listed)
