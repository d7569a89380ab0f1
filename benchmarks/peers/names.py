"""What names of other packages mean in calibviz: both calls on the same data, and the two numbers side by side.

    python benchmarks/peers/names.py  # prints the tables of docs/names.md

The calls are texts, evaluated as they stand in the tables: theirs with the names of their package, ours with `cv`, and
both with the arrays that `arrays` or the row makes. What is not installed is skipped and said so.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import calibviz as cv

SAME = 1e-6  # what sums in float32 may differ by
MODULES = {  # of each package, by the name that it is installed under
    "scikit-learn": ("sklearn.metrics", "sklearn.calibration", "sklearn.isotonic"),
    "torchmetrics": ("torchmetrics.functional.classification",),
    "torch-uncertainty": ("torch_uncertainty.metrics.classification",),
    "netcal": ("netcal.metrics",),
    "uncertainty-calibration": ("calibration",),
    "uncertainty-metrics": ("uncertainty_metrics",),
    "relplot": ("relplot.metrics",),
    "MAPIE": ("mapie.metrics.calibration",),
    "probmetrics": ("probmetrics.metrics", "probmetrics.calibrators"),
    "pycalib": ("pycalib.metrics",),
    "pycaleva": ("pycaleva",),
    "tensorflow-probability": ("tensorflow_probability.substrates.jax",),
    "dcurves": ("dcurves",),
    "statsmodels": ("statsmodels.api", "statsmodels.stats.proportion"),
    "mcgrad": ("mcgrad.metrics",),
    "lifelines": ("lifelines",),
    "scikit-survival": ("sksurv.metrics", "sksurv.nonparametric", "sksurv.util"),
}


@dataclass(frozen=True)
class Row:
    """One name: how a package computes it, and the call of calibviz that does, or that comes nearest."""

    name: str
    package: str
    theirs: str
    ours: str
    given: str = ""  # the input, where it is not that of `arrays`


CLASSWISE = "np.sqrt(np.mean([cv.debiased_error(p, f'class {c}') ** 2 for c in range(10)]))"
GAPS = "float(abs(table.score - table.target).mean())"

ROWS = [
    Row("ECE", "torchmetrics", "multiclass_calibration_error(t(probs), t(labels), 10)", "cv.calibration_error(p)"),
    Row("ECE", "netcal", "ECE(15).measure(probs, labels)", "cv.calibration_error(p)"),
    Row("ECE", "MAPIE", "expected_calibration_error(hits, probs, 16, 'uniform')", "cv.calibration_error(p)"),
    Row("ECE", "uncertainty-calibration", "get_ece(probs, labels)", "cv.calibration_error(p)"),
    Row("ECE", "uncertainty-metrics", "ece(labels, probs, 15)", "cv.calibration_error(p)"),
    Row("ECE", "relplot", "binnedECE(confidence, hits, 15)", "cv.calibration_error(p)"),
    Row("ECE", "probmetrics", "Metric.from_name('ece-15').compute_from_labels_probs(t(labels), t(probs))",
        "cv.calibration_error(p)"),
    Row("ECE", "tensorflow-probability", "stats.expected_calibration_error(15, np.log(probs), labels)",
        "cv.calibration_error(p)"),
    Row("ECE", "torch-uncertainty",
        "CalibrationError('multiclass', num_classes=10, num_bins=15)(t(probs), t(labels))", "cv.calibration_error(p)"),
    Row("confidence ECE", "pycalib", "conf_ECE(labels, probs)", "cv.calibration_error(p)"),
    Row("ECE, all probabilities", "pycalib", "ECE(labels, probs)", "cv.calibration_error(p, 'pooled')"),
    Row("full ECE, of the whole vector", "pycalib", "full_ECE(labels, probs, bins=2)",
        "2 * cv.calibration_error(p, 'full', binning=cv.Uniform(2))"),
    Row("ECE, binary", "torchmetrics", "binary_calibration_error(t(score), t(hit), 15)",
        "cv.calibration_error(b, 'class 1')"),
    Row("ECE, binary", "pycalib", "binary_ECE(hit, score)", "cv.calibration_error(b, 'class 1')"),
    Row("ECE, binary", "torch-uncertainty", "CalibrationError('binary', num_bins=15)(t(score), t(hit))",
        "cv.calibration_error(b, 'class 1')"),
    Row("ECE in equal-mass bins", "uncertainty-calibration", "get_ece_em(probs, labels)",
        "cv.calibration_error(p, binning=cv.EqualMass(15))"),
    Row("ECE in equal-mass bins", "netcal", "ECE(15, equal_intervals=False).measure(probs, labels)",
        "cv.calibration_error(p, binning=cv.EqualMass(15))"),
    Row("ECE in equal-mass bins", "MAPIE", "expected_calibration_error(hits, probs, 16, 'quantile')",
        "cv.calibration_error(p, binning=cv.EqualMass(15))"),
    Row("ECE in equal-mass bins", "uncertainty-metrics", "gce(labels, probs, 'adaptive', True, False, 'l1', 15)",
        "cv.calibration_error(p, binning=cv.EqualMass(15))"),
    Row("ECE in equal-mass bins", "tensorflow-probability",
        "stats.expected_calibration_error_quantiles(hits.astype(bool), np.log(confidence), 15)[0]",
        "cv.calibration_error(p, binning=cv.EqualMass(15))"),
    Row("ECE with norm l2", "torchmetrics", "multiclass_calibration_error(t(probs), t(labels), 10, norm='l2')",
        "cv.calibration_error(p, p=2)"),
    Row("RMSCE", "probmetrics", "Metric.from_name('rmsce-15').compute_from_labels_probs(t(labels), t(probs))",
        "cv.calibration_error(p, p=2)"),
    Row("RMSCE", "uncertainty-metrics", "rmsce(labels, probs)", "cv.GCE.named('RMSCE')(p, bins=30)"),
    Row("RMSCE", "uncertainty-metrics", "rmsce(labels, probs)", "cv.GCE.named('RMSCE')(p, bins=30) / np.sqrt(30)"),
    Row("MCE", "torchmetrics", "multiclass_calibration_error(t(probs), t(labels), 10, norm='max')",
        "cv.calibration_error(p, aggregate='max')"),
    Row("MCE", "netcal", "MCE(15).measure(probs, labels)", "cv.calibration_error(p, aggregate='max')"),
    Row("MCE", "pycalib", "conf_MCE(labels, probs)", "cv.calibration_error(p, aggregate='max')"),
    Row("MCE", "pycaleva", "CalibrationEvaluator(hit, score, True, 15).mce",
        "cv.calibration_error(b, 'class 1', binning=cv.EqualMass(15), aggregate='max')"),
    Row("SCE, static calibration error", "uncertainty-metrics", "sce(labels, probs, 15)", "cv.GCE.named('SCE')(p)"),
    Row("SCE, static calibration error", "uncertainty-metrics", "sce(labels, probs, 15)",
        "cv.calibration_error(p, 'classwise')"),
    Row("classwise ECE", "pycalib", "classwise_ECE(labels, probs)", "cv.calibration_error(p, 'classwise')"),
    Row("classwise ECE", "MAPIE",
        "expected_calibration_error(hits, probs, 16, 'uniform', classwise=True, class_labels=labels)",
        "cv.calibration_error(p, 'classwise')"),
    Row("classwise ECE", "torch-uncertainty", "ClasswiseCalibrationError(10)(t(probs), t(labels))",
        "cv.calibration_error(p, 'classwise')"),
    Row("marginal, p = 1", "uncertainty-calibration", "get_ece(probs, labels, mode='marginal')",
        "cv.calibration_error(p, 'classwise')"),
    Row("ACE, adaptive", "uncertainty-metrics", "ace(labels, probs, 15)", "cv.GCE.named('ACE')(p)"),
    Row("ACE, adaptive, top label", "torch-uncertainty",
        "AdaptiveCalibrationError('multiclass', num_classes=10, num_bins=15)(t(probs), t(labels))",
        "cv.calibration_error(p, binning=cv.EqualMass(15))"),
    Row("ACE, adaptive, binary", "torch-uncertainty",
        "AdaptiveCalibrationError('binary', num_bins=15)(t(score), t(hit))",
        "cv.calibration_error(b, 'top-1', binning=cv.EqualMass(15))"),
    Row("ACE, average", "netcal", "ACE(15).measure(probs, labels)", GAPS, "table = cv.reliability(p)"),
    Row("ACE, adaptive, binary", "pycaleva", "CalibrationEvaluator(hit, score, True, 15).ace", GAPS,
        "table = cv.reliability(b, 'class 1', binning=cv.EqualMass(15))"),
    Row("TACE", "uncertainty-metrics", "tace(labels, probs, 15)", "cv.GCE.named('TACE')(p)"),
    Row("top-label ECE", "MAPIE", "top_label_ece(labels, probs, num_bins=16, split_strategy='uniform')",
        "cv.calibration_error(p, 'top-1 by class')"),
    Row("class-conditional ECE", "uncertainty-metrics", "gce(labels, probs, 'even', True, True, 'l1', 15)",
        "cv.GCE.named('class-conditional ECE')(p)"),
    Row("top calibration error, debiased", "uncertainty-calibration", "get_top_calibration_error(probs, labels)",
        "cv.debiased_error(p)"),
    Row("calibration error, debiased, marginal", "uncertainty-calibration", "get_calibration_error(probs, labels)",
        CLASSWISE),
    Row("calibration error, debiased, marginal", "uncertainty-calibration", "get_calibration_error(probs, labels)",
        "cv.debiased_error(p, 'classwise')"),
    Row("KS statistic", "MAPIE", "kolmogorov_smirnov_statistic(hits, confidence) * length_scale(confidence)",
        "cv.ks_error(p)"),
    Row("KS", "probmetrics",
        "KolmogorovSmirnovCalibrationMetric().compute_from_labels_probs(t(hit), t(b.probs))",
        "cv.ks_error(b, 'class 1')"),
    Row("Kuiper statistic", "MAPIE", "kuiper_statistic(hit, score) * length_scale(score)",
        "cv.kuiper_error(b, 'class 1')"),
    Row("Kuiper", "probmetrics", "Metric.from_name('kuiper').compute_from_labels_probs(t(hit), t(b.probs))",
        "cv.kuiper_error(b, 'class 1')"),
    Row("smECE", "relplot", "smECE(confidence, hits)", "cv.smooth_error(p)"),
    Row("smECE", "probmetrics", "Metric.from_name('smece').compute_from_labels_probs(t(labels), t(probs))",
        "cv.smooth_error(p)"),
    Row("smECE, reflected kernel", "torch-uncertainty",
        "SmoothCalibrationError(kernel_type='reflected')(t(probs).float(), t(labels))", "cv.smooth_error(p)"),
    Row("smECE, by default in log-odds", "torch-uncertainty", "SmoothCalibrationError()(t(probs).float(), t(labels))",
        "cv.smooth_error(p)"),
    Row("calibration curve", "scikit-learn", "calibration_curve(hit, score, n_bins=15)[0].sum()",
        "float(table.target.sum())", "table = cv.reliability(b, 'class 1', binning=cv.Uniform(15, closed='right'))"),
    Row("Brier score", "scikit-learn", "brier_score_loss(labels, probs)", "cv.brier_score(p)"),
    Row("Brier score, binary", "scikit-learn", "brier_score_loss(hit, score)", "cv.brier_score(b, 'class 1')"),
    Row("Brier score", "pycalib", "brier_score(np.eye(10)[labels], probs)", "cv.brier_score(p) / 10"),
    Row("Brier skill score", "scikit-learn", "d2_brier_score(labels, probs)",
        "cv.evaluate(p, 'full', metrics='brier_skill').brier_skill.item()"),
    Row("Brier skill score, binary", "scikit-learn", "d2_brier_score(hit, score)",
        "cv.evaluate(b, metrics='brier_skill').brier_skill.item()"),
    Row("MCB of CORP", "scikit-learn",
        "brier_score_loss(hit, score) - brier_score_loss(hit, IsotonicRegression().fit_transform(score, hit))",
        "cv.corp(b).miscalibration"),
    Row("log loss", "scikit-learn", "log_loss(labels, probs)", "cv.log_loss(p)"),
    Row("isotonic regression", "scikit-learn", "np.mean(IsotonicRegression().fit_transform(score, hit) ** 2)",
        "np.mean(cv.Isotonic().fit(score, hit)(score) ** 2)"),
]  # fmt: skip  # short entries stand in rows

FRAME = "frame = pd.DataFrame({'hit': hit, 'score': score})"
CURVE = 'dca(frame, "hit", ["score"], [0.2, 0.6]{}).query("model == {!r} and threshold == 0.6")["{}"].item()'
MANY = "frame = pd.DataFrame({'hit': hit, 'score': score, 'site': site})"
WORST = (
    "MulticalibrationError(frame, 'hit', 'score', categorical_segment_columns=['site'], max_depth=1, "
    "precision_dtype='float64').{}"
)
OURS = "cv.multicalibration_error(cv.Predictions(score, hit, fields={{'site': site}}), depth=1, minimum=10, scale={!r})"
LOGITS = "odds = np.log(score / (1 - score))"

SMALL = "score, hit = score[:300], (draws[:300] < score[:300]).astype(int); b = cv.Predictions(score, hit)"
RISKS = "wrong = (1 - hits)[np.argsort(-confidence)]; n = len(wrong)"

DECISIONS = [
    Row("net benefit", "dcurves", CURVE.format("", "score", "net_benefit"), "cv.net_benefit(b, threshold=0.6)", FRAME),
    Row("net benefit, treat all", "dcurves", CURVE.format("", "all", "net_benefit"),
        "cv.net_benefit(b, threshold=0.6, strategy='treat all')", FRAME),
    Row("net benefit at another prevalence", "dcurves", CURVE.format(", prevalence=0.3", "score", "net_benefit"),
        "cv.net_benefit(b, threshold=0.6, prevalence=0.3)", FRAME),
    Row("interventions avoided", "dcurves",
        CURVE.format("", "score", "net_intervention_avoided"),
        "float(cv.decision_curve(b, thresholds=[0.6]).interventions_avoided.sel(strategy='model').item())", FRAME),
    Row("calibration intercept", "statsmodels",
        "GLM(hit, np.ones(len(hit)), families.Binomial(), offset=odds).fit().params[0]",
        "cv.calibration_intercept(b).estimate", LOGITS),
    Row("calibration slope", "statsmodels",
        "GLM(hit, add_constant(odds), families.Binomial()).fit().params[1]", "cv.calibration_slope(b).estimate",
        LOGITS),
    Row("calibration slope, lower end", "statsmodels",
        "GLM(hit, add_constant(odds), families.Binomial()).fit().conf_int()[1, 0]",
        "cv.calibration_slope(b).lower", LOGITS),
    Row("Clopper-Pearson, lower end", "statsmodels",
        "proportion_confint(near.sum(), len(near), method='beta')[0]",
        "cv.local_calibration(b, thresholds=[0.5]).lower.item()", "near = hit[abs(score - 0.5) <= 0.05]"),
    Row("Spiegelhalter's statistic", "MAPIE", "spiegelhalter_statistic(hit, score)",
        "cv.spiegelhalter_test(b).statistic"),
    Row("Spiegelhalter's p-value", "MAPIE", "spiegelhalter_p_value(hit, score)", "cv.spiegelhalter_test(b).p_value",
        SMALL),
    Row("Spiegelhalter's p-value, of both sides", "MAPIE", "2 * min(one := spiegelhalter_p_value(hit, score), 1 - one)",
        "cv.spiegelhalter_test(b).p_value", SMALL),
    Row("KS p-value", "MAPIE", "kolmogorov_smirnov_p_value(hit, score)", "cv.ks_test(b).p_value", SMALL),
    Row("Kuiper p-value", "MAPIE", "kuiper_p_value(hit, score)", "cv.kuiper_test(b).p_value", SMALL),
    Row("Kuiper in units of its noise", "mcgrad", "ecce_sigma(hit, score)", "cv.kuiper_test(b).ratio"),
    Row("Kuiper p-value", "mcgrad", "ecce_pvalue(hit, score)", "cv.kuiper_test(b).p_value", SMALL),
    *(Row(f"multicalibration error, {scale}", "mcgrad", WORST.format(theirs), OURS.format(scale), MANY)
      for scale, theirs in (("absolute", "mce"), ("relative", "mce_relative"), ("sigma", "mce_sigma"))),
    Row("AURC", "torch-uncertainty", "AURC()(t(probs), t(labels))", "cv.aurc(p)", RISKS),
    Row("AURC, converted", "torch-uncertainty",
        "AURC()(t(probs), t(labels)).item() * (1 - 1 / n) + (wrong[0] + wrong.mean()) / (2 * n)", "cv.aurc(p)", RISKS),
    Row("AUGRC", "torch-uncertainty", "AUGRC()(t(probs), t(labels))", "cv.augrc(p)", RISKS),
    Row("AUGRC, converted", "torch-uncertainty",
        "AUGRC()(t(probs), t(labels)).item() * (1 - 1 / n) + wrong[0] / (2 * n**2)", "cv.augrc(p)", RISKS),
    Row("coverage at a risk of 20 %", "torch-uncertainty", "CovAtxRisk(0.2)(t(probs), t(labels))",
        "cv.coverage_at_risk(p, risk=0.2).coverage"),
    Row("risk at a coverage of 80 %", "torch-uncertainty", "RiskAt80Cov()(t(probs), t(labels))",
        "cv.risk_at_coverage(p, coverage=0.8)"),
]  # fmt: skip  # short entries stand in rows

#: Risks by 5 years of people whose follow-up ends at times of their own, in the form of each package.
FIVE = "five = cv.Predictions.at_horizon(risk, time=time, event=event, horizon=5)"
TWO = "two = cv.Predictions.at_horizon(risk, time=when, event=cause, horizon=5)"
SEEN = "(seen := Surv.from_arrays(event == 1, time), seen"
HORIZON = [
    Row("observed risk by the horizon", "lifelines", "1 - KaplanMeierFitter().fit(time, event).predict(5)",
        "five.horizon.observed", FIVE),
    Row("observed risk by the horizon", "scikit-survival",
        "1 - (km := kaplan_meier_estimator(event == 1, time))[1][km[0] <= 5][-1]", "five.horizon.observed", FIVE),
    Row("observed risk with a competing event", "lifelines",
        "AalenJohansenFitter(calculate_variance=False).fit(when, cause, 1).cumulative_density_.loc[:5].iloc[-1, 0]",
        "two.horizon.observed", TWO),
    Row("observed risk with a competing event", "scikit-survival",
        "(aj := cumulative_incidence_competing_risks(cause, when))[1][1][aj[0] <= 5][-1]", "two.horizon.observed", TWO),
    Row("Brier score at the horizon", "scikit-survival", f"brier_score{SEEN}, 1 - risk, 5)[1][0]",
        "cv.brier_score(five)", FIVE),
    Row("AUC at the horizon", "scikit-survival", f"cumulative_dynamic_auc{SEEN}, risk, 5)[0][0]",
        "cv.auc(five).estimate", FIVE),
]  # fmt: skip  # short entries stand in rows

CERTAIN = "probs, labels = np.array([[0, 1], [0.06, 0.94]]), np.array([0, 1])"
ZERO = "score, hit = np.array([0, 0.05]), np.array([1, 0])"
NOTHING = "probs, labels = np.array([[0, 0.6, 0.4], [0.05, 0.6, 0.35]]), np.array([0, 1])"
ON_EDGE = "score, hit = np.array([0.4, 0.5, 0.9]), np.array([0, 0, 1])"
TIED = "probs, labels = np.array(4 * [[0.2, 0.8]]), np.array([1, 1, 0, 0])"
UNTIED = "probs, labels = np.array(4 * [[0.2, 0.8]]), np.array([1, 0, 1, 0])"
ABOVE = "probs, labels = np.array([[1 + 1e-7, 0], [0.2, 0.8]]), np.array([0, 1])"
NEVER = "probs, labels = np.array([[0, 1], [0.5, 0.5]]), np.array([0, 1])"
BELOW = "score, hit = np.array([0.8, 0.9]), np.array([0, 0])"
TOP, CLASS = "cv.calibration_error(cv.Predictions(probs, labels))", "cv.calibration_error(b, 'class 1')"
BINARY = "; b = cv.Predictions(score, hit)"

EDGES = [
    Row("confidence 1", "torchmetrics", "multiclass_calibration_error(t(probs), t(labels), 2)", TOP, CERTAIN),
    Row("confidence 1", "relplot", "binnedECE(probs.max(1), labels, 15)", TOP, CERTAIN),
    Row("confidence 1", "netcal", "ECE(15).measure(probs, labels)", TOP, CERTAIN),
    Row("confidence 1", "MAPIE", "expected_calibration_error(labels, probs, 16, 'uniform')", TOP, CERTAIN),
    Row("confidence 1", "pycalib", "conf_ECE(labels, probs)", TOP, CERTAIN),
    Row("confidence 1", "uncertainty-metrics", "ece(labels, probs, 15)", TOP, CERTAIN),
    Row("score 0", "MAPIE", "expected_calibration_error(hit, score, 16, 'uniform')", CLASS, ZERO + BINARY),
    Row("score 0", "torchmetrics", "binary_calibration_error(t(score), t(hit), 15)", CLASS, ZERO + BINARY),
    Row("an exact zero", "uncertainty-metrics", "sce(labels, probs, 15)",
        "cv.GCE.named('SCE')(cv.Predictions(probs, labels))", NOTHING),
    Row("an exact zero", "uncertainty-metrics", "sce(labels, probs, 15)",
        "cv.calibration_error(cv.Predictions(probs, labels), 'classwise')", NOTHING),
    Row("on an edge", "scikit-learn", "calibration_curve(hit, score, n_bins=2)[1].max()",
        "float(cv.reliability(b, 'class 1', binning=cv.Uniform(2)).score.max())", ON_EDGE + BINARY),
    Row("on an edge", "scikit-learn", "calibration_curve(hit, score, n_bins=2)[1].max()",
        "float(cv.reliability(b, 'class 1', binning=cv.Uniform(2, closed='right')).score.max())", ON_EDGE + BINARY),
    Row("tied scores", "torch-uncertainty",
        "AdaptiveCalibrationError('multiclass', num_classes=2, num_bins=2)(t(probs), t(labels))",
        "cv.calibration_error(cv.Predictions(probs, labels), binning=cv.EqualMass(2))", TIED),
    Row("the same, in another order", "torch-uncertainty",
        "AdaptiveCalibrationError('multiclass', num_classes=2, num_bins=2)(t(probs), t(labels))",
        "cv.calibration_error(cv.Predictions(probs, labels), binning=cv.EqualMass(2))", UNTIED),
    Row("a probability of 1 + 1e-7", "torchmetrics", "multiclass_calibration_error(t(probs), t(labels), 2)", TOP,
        ABOVE),
    Row("probability 0 of what was observed", "scikit-learn", "log_loss(labels, probs)",
        "cv.log_loss(cv.Predictions(probs, labels))", NEVER),
    Row("all scores too high", "MAPIE", "kuiper_statistic(hit, score) * length_scale(score)",
        "cv.kuiper_error(b, 'class 1')", BELOW + BINARY),
]  # fmt: skip  # short entries stand in rows


def arrays(samples: int = 3_000, classes: int = 10) -> dict[str, Any]:
    """Overconfident predictions in float64, without ties and without scores on an edge."""
    rng = np.random.default_rng(0)
    labels = rng.integers(classes, size=samples)
    z = rng.standard_normal((samples, classes))
    z[np.arange(samples), labels] += rng.normal(2.0, 1.5, samples)
    probs = np.exp(1.5 * z)
    probs /= probs.sum(axis=1, keepdims=True)
    score = rng.beta(2.0, 1.0, samples)
    hit = (rng.random(samples) < score**1.5).astype(np.int64)
    found = {"probs": probs, "labels": labels, "score": score, "hit": hit}
    found |= {"site": rng.choice(["North", "South", "West"], samples), "draws": rng.random(samples)}
    found |= survival(rng, samples)
    found |= {"confidence": probs.max(axis=1), "hits": (probs.argmax(axis=1) == labels).astype(np.int64)}
    return found | {"p": cv.Predictions(probs, labels), "b": cv.Predictions(score, hit)}


def survival(rng: np.random.Generator, people: int) -> dict[str, Any]:
    """Predicted risks by 5 years, when each person was last seen, and what was seen then: `cause` knows two events."""
    risk = rng.uniform(0.05, 0.7, people)
    events, other = rng.exponential(-5 / np.log1p(-risk)), rng.exponential(20.0, people)
    ends = rng.uniform(1, 12, people)
    time, either = np.minimum(events, ends), np.minimum(np.minimum(events, other), ends)
    cause = np.where(either == events, 1, np.where(either == other, 2, 0))
    return {"risk": risk, "time": time, "event": (time == events).astype(int), "when": either, "cause": cause}


def names_of(package: str) -> dict[str, Any]:
    """The public names of a package, and `t`, which makes a tensor where it computes with torch."""
    found: dict[str, Any] = {}
    for module in MODULES[package]:
        if package == "uncertainty-metrics":  # without what of it needs TensorFlow
            origin = importlib.util.find_spec(module)
            assert origin is not None and origin.origin is not None
            file = Path(origin.origin).parent / "numpy" / "general_calibration_error.py"
            spec = importlib.util.spec_from_file_location("general_calibration_error", file)
            assert spec is not None and spec.loader is not None
            made = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(made)
        else:
            made = importlib.import_module(module)
        found |= {name: value for name, value in vars(made).items() if not name.startswith("_")}
    if "torch" in sys.modules:
        found["t"] = sys.modules["torch"].from_numpy
    return found


def evaluated(row: Row, given: dict[str, Any], package: dict[str, Any] | None = None) -> float:
    """The number that calibviz, or with its names another package, gives for a row."""
    names = {"cv": cv, "np": np, "pd": pd, **given}
    exec(row.given, names)
    return float(eval(row.ours if package is None else row.theirs, names | (package or {}) | {"np": np}))


def line(row: Row, theirs: float | str, ours: float) -> str:
    """A line of a table of docs/names.md."""
    told, gap = theirs, "fails"
    if not isinstance(theirs, str):
        told = f"{theirs:.5f}"
        gap = "none" if abs(theirs - ours) < SAME else f"{theirs - ours:+.5f}"
    first = f"{row.name}: `{row.given}`" if row.given else row.name
    return f"| {first} | {row.package} | `{row.theirs}` | `{row.ours}` | {told} | {ours:.5f} | {gap} |"


def main() -> None:
    """Evaluate every row, and print the tables and the versions."""
    warnings.simplefilter("ignore")  # other packages warn of much
    given, found = arrays(), {}
    for package in MODULES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            print(f"{package} is not installed: skipped")
    names = {package: names_of(package) for package in found}
    for title, rows in (
        ("the same quantity", ROWS),
        ("the same decision", DECISIONS),
        ("with censored outcomes", HORIZON),
        ("at the edges", EDGES),
    ):
        print(f"\n| {title} | package | their call | calibviz | theirs | ours | difference |")
        print("|---|---|---|---|---|---|---|")
        for row in rows:
            if row.package not in found:
                continue
            theirs: float | str
            try:
                theirs = evaluated(row, given, names[row.package])
            except Exception as error:  # of any kind: it is told
                theirs = type(error).__name__
            print(line(row, theirs, evaluated(row, given)))
    print(f"\n{date.today()}:", ", ".join(f"{package} {number}" for package, number in found.items()))


if __name__ == "__main__":
    main()
