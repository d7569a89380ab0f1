"""Clusters are never ignored silently: what takes predictions depends on them, needs none, or refuses them in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import calibviz as cv

ROWS, CLUSTERS = 240, 24


def made(clusters: bool, classes: int = 2) -> cv.Predictions:
    rng = np.random.default_rng(1)
    code = rng.integers(0, CLUSTERS, ROWS)
    probs = rng.dirichlet(np.ones(classes), ROWS)
    pulled = np.roll(probs, 1, axis=1) * (code % 3 == 0)[:, None] + probs  # so that samples of a cluster are alike
    labels = ((pulled / pulled.sum(axis=1, keepdims=True)).cumsum(axis=1) < rng.random((ROWS, 1))).sum(axis=1)
    day = np.datetime64("2024-01-01") + np.sort(rng.integers(0, 4, ROWS))
    fields = {"site": rng.choice(list("ab"), ROWS), "day": day}
    return cv.Predictions(probs, labels.clip(max=classes - 1), fields=fields, cluster=code if clusters else None)


QUIET: dict[str, Any] = {"progress": False}
#: How each public function that takes predictions is called.
CALLS: dict[str, Callable[[Any], Any]] = {
    "accept_at_risk": lambda p: cv.accept_at_risk(p, risk=0.5),
    "bootstrap": lambda p: cv.bootstrap(p, error=cv.brier_score, replicates=50, **QUIET),
    "by_centre": lambda p: cv.by_centre(p, "site"),
    "changed_sides": lambda p: cv.changed_sides(p, calibrator=lambda s: s**2, thresholds=0.3),
    "consistency": lambda p: cv.consistency(p, error=cv.ks_error, replicates=50, **QUIET),
    "coverage_at_risk": lambda p: cv.coverage_at_risk(p, risk=0.45, replicates=50),
    "cross_fitted": lambda p: cv.cross_fitted(p, calibrator="Platt"),
    "decision_curve": lambda p: cv.decision_curve(p, thresholds=[0.3], replicates=50),
    "evaluate": lambda p: cv.evaluate(
        p, ["class 1"], metrics=["ks", "brier"], noise=True, replicates=20, quantiles=[0.1], **QUIET
    ),
    "expected_cost": lambda p: cv.expected_cost(p, cv.CostMatrix([[0, 1], [5, 0]]), **QUIET),
    "fit_network": lambda p: cv.fit_network(p, **QUIET),
    "interval": lambda p: cv.interval(p, error=cv.ks_error, **QUIET),
    "local_calibration": lambda p: cv.local_calibration(p, thresholds=0.5, width=0.2),
    "monitor_windows": lambda p: cv.monitor_windows(p, width="D"),
    "multicalibration_error": lambda p: cv.multicalibration_error(p, fields="site"),
    "net_benefit": lambda p: cv.net_benefit(p, threshold=0.3),
    "over_time": lambda p: cv.over_time(p, width="D", replicates=50, **QUIET),
    "reliability": lambda p: cv.reliability(p),
    "risk_at_coverage": lambda p: cv.risk_at_coverage(p, coverage=0.5, replicates=50),
    "sample_size": lambda p: cv.sample_size(p, error=cv.ks_error, n=[100, 200], replicates=4, **QUIET),
    "segments": lambda p: cv.segments(p, fields="site", replicates=50, **QUIET),
    "sensitivity": lambda p: cv.sensitivity(p, settings=[5, 10], replicates=20, **QUIET),
    "spread_by_size": lambda p: cv.spread_by_size(p, error=cv.ks_error, replicates=20, **QUIET),
    "summarize_all": lambda p: cv.summarize_all(p, ["class 1"]),
    "trust": lambda p: cv.trust(p, replicates=50, **QUIET),
    "windows": lambda p: cv.windows(p, field="day"),
    "within_noise": lambda p: cv.within_noise({"a": p, "b": p.with_probs(p.probs**2)}, error=cv.brier_score, **QUIET),
    "calibration_test": lambda p: cv.calibration_test(p, **QUIET),
}
