"""calibviz: can these probabilities be acted on?

A NumPy engine for the calibration of classifiers under any lens and selection, labelled results, and linked
Jupyter widgets. Widgets and plots are imported when they are first used. Examples in docstrings begin after
``import calibviz as cv``.

Docstrings cite four papers by a short name:

- *gece*: Kirchenbauer, Oaks and Heim (2022), What is Your Metric Telling You? Evaluating Classifier Calibration under
  Context-Specific Definitions of Reliability
- *ks*: Gupta et al. (2020), Calibration of Neural Networks using Splines
- *ece_sweep*: Roelofs et al. (2022), Mitigating Bias in Calibration Error Estimation
- *gce_measuring*: Nixon et al. (2019), Measuring Calibration in Deep Learning
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__ as __version__
from .context.class_lenses import Classwise, Pooled, Top1ByClass
from .context.condition_parser import SelectionError, selection
from .context.expressions import confidence, correct, field, label, output, predicted, probability
from .context.lens_names import lens
from .context.lenses import ClassConditional, Full, Grouping, Outcome, Rank, Top1, TopK, WithinTop
from .cube.confidences import confidences
from .cube.diagrams import cumulative, reliability
from .cube.evaluate import evaluate
from .cube.ranks import preferred, rank_calibrators, rank_correlation
from .data.datasets import dataset_names, load_dataset, load_interventions
from .data.io import read_predictions
from .data.predictions import Predictions
from .data.stack import Stack, subsamples
from .decisions.costs import expected_cost
from .decisions.segments import multicalibration_error, segments
from .decisions.selective import Coverage, augrc, aurc, coverage_at_risk, excess_aurc, risk_at_coverage, risk_coverage
from .decisions.thresholds import changed_sides, decision_curve, local_calibration, net_benefit
from .engine.binning import Distinct, EqualMass, Sweep, Uniform
from .engine.bins import Bins
from .engine.family import ProblemFamily
from .engine.kdtree import KDTree
from .engine.scalar import EmptyProblemError, ScalarProblem
from .engine.vector import VectorProblem
from .metrics.binless.corp import Corp
from .metrics.binless.errors import corp, kde_error, smooth_error
from .metrics.binned import (
    calibration_error,
    debiased_error,
    ks_error,
    kuiper_error,
    label_binned_error,
    sweep_bins,
)
from .metrics.calibration_tests import CalibrationTest, WalkTest, ks_test, kuiper_test, spiegelhalter_test
from .metrics.clinical.estimates import (
    Estimate,
    InterceptEstimate,
    SlopeEstimate,
    calibration_in_the_large,
    calibration_intercept,
    calibration_slope,
    observed_expected,
)
from .metrics.clinical.flexible_curve import (
    CalibrationIndices,
    calibration_curve,
    calibration_indices,
    e50,
    e90,
    eci,
    emax,
    ici,
)
from .metrics.distances import ClassWeighted, InterInterval, Lp, Mahalanobis, TotalVariation
from .metrics.gce import GCE, GCE_METRICS, gce_variants, general_calibration_error
from .metrics.likert import likert_error
from .metrics.records.own import Metric
from .metrics.scores import BrierSplit, accuracy, brier_score, brier_split, log_loss
from .recalibration import (
    Beta,
    BiasCorrectedTemperature,
    ByRank,
    Dirichlet,
    EnsembleTemperature,
    HistogramBinning,
    InContext,
    Isotonic,
    MatrixScaling,
    MetricTemperature,
    NeuralScaling,
    NotFittedError,
    OneVsRest,
    Platt,
    Spline,
    Temperature,
    VectorScaling,
)
from .reports import Report, compare, report
from .scale import LazyPredictions, open_predictions, summaries, summarize, windows
from .scale.curve_bounds import curve_bounds
from .scale.error_bounds import error_bounds
from .scale.score_grid import ScoreGrid
from .scale.summary import Summary
from .simulation.cubes import miss_rates, simulate_errors
from .simulation.network_fit import NetworkFit, fit_network
from .simulation.networks import NETWORKS, Network, power_network, simulated, true_calibration_error
from .simulation.sample_size import sample_size
from .simulation.trust import Trust, trust
from .uncertainty.best_set import BestSet, within_noise
from .uncertainty.bootstrap import Bootstrap, bootstrap
from .uncertainty.consistency import Consistency, consistency
from .uncertainty.drift import drift
from .uncertainty.error_intervals import ErrorInterval, interval
from .uncertainty.sensitivity import flattest_window, sample_sizes, sensitivity

if TYPE_CHECKING:
    from . import figures, plots
    from .explorer import Explorer

_LAZY: dict[str, tuple[str, str | None]] = {
    "ClassesPanel": ("calibviz.explorer", "ClassesPanel"),
    "ComparisonPanel": ("calibviz.explorer", "ComparisonPanel"),
    "ConfidencePanel": ("calibviz.explorer", "ConfidencePanel"),
    "CumulativePanel": ("calibviz.explorer", "CumulativePanel"),
    "DecisionPanel": ("calibviz.explorer", "DecisionPanel"),
    "SegmentsPanel": ("calibviz.explorer", "SegmentsPanel"),
    "Explorer": ("calibviz.explorer", "Explorer"),
    "ExplorerState": ("calibviz.explorer", "ExplorerState"),
    "InstancesPanel": ("calibviz.explorer", "InstancesPanel"),
    "LikertPanel": ("calibviz.explorer", "LikertPanel"),
    "RecalibrationPanel": ("calibviz.explorer", "RecalibrationPanel"),
    "ReliabilityPanel": ("calibviz.explorer", "ReliabilityPanel"),
    "SensitivityPanel": ("calibviz.explorer", "SensitivityPanel"),
    "SimulationLab": ("calibviz.explorer", "SimulationLab"),
    "SimulationState": ("calibviz.explorer", "SimulationState"),
    "TemperaturePanel": ("calibviz.explorer", "TemperaturePanel"),
    "figures": ("calibviz.figures", None),
    "plots": ("calibviz.plots", None),
}

__all__ = [
    "GCE",
    "GCE_METRICS",
    "NETWORKS",
    "BestSet",
    "Beta",
    "BiasCorrectedTemperature",
    "Bins",
    "Bootstrap",
    "BrierSplit",
    "ByRank",
    "CalibrationIndices",
    "CalibrationTest",
    "ClassConditional",
    "ClassWeighted",
    "ClassesPanel",
    "Classwise",
    "ComparisonPanel",
    "ConfidencePanel",
    "Consistency",
    "Corp",
    "Coverage",
    "CumulativePanel",
    "DecisionPanel",
    "Dirichlet",
    "Distinct",
    "EmptyProblemError",
    "EnsembleTemperature",
    "EqualMass",
    "ErrorInterval",
    "Estimate",
    "Explorer",
    "ExplorerState",
    "Full",
    "Grouping",
    "HistogramBinning",
    "InContext",
    "InstancesPanel",
    "InterInterval",
    "InterceptEstimate",
    "Isotonic",
    "KDTree",
    "LazyPredictions",
    "LikertPanel",
    "Lp",
    "Mahalanobis",
    "MatrixScaling",
    "Metric",
    "MetricTemperature",
    "Network",
    "NetworkFit",
    "NeuralScaling",
    "NotFittedError",
    "OneVsRest",
    "Outcome",
    "Platt",
    "Pooled",
    "Predictions",
    "ProblemFamily",
    "Rank",
    "RecalibrationPanel",
    "ReliabilityPanel",
    "Report",
    "ScalarProblem",
    "ScoreGrid",
    "SegmentsPanel",
    "SelectionError",
    "SensitivityPanel",
    "SimulationLab",
    "SimulationState",
    "SlopeEstimate",
    "Spline",
    "Stack",
    "Summary",
    "Sweep",
    "Temperature",
    "TemperaturePanel",
    "Top1",
    "Top1ByClass",
    "TopK",
    "TotalVariation",
    "Trust",
    "Uniform",
    "VectorProblem",
    "VectorScaling",
    "WalkTest",
    "WithinTop",
    "accuracy",
    "augrc",
    "aurc",
    "bootstrap",
    "brier_score",
    "brier_split",
    "calibration_curve",
    "calibration_error",
    "calibration_in_the_large",
    "calibration_indices",
    "calibration_intercept",
    "calibration_slope",
    "changed_sides",
    "compare",
    "confidence",
    "confidences",
    "consistency",
    "corp",
    "correct",
    "coverage_at_risk",
    "cumulative",
    "curve_bounds",
    "dataset_names",
    "debiased_error",
    "decision_curve",
    "drift",
    "e50",
    "e90",
    "eci",
    "emax",
    "error_bounds",
    "evaluate",
    "excess_aurc",
    "expected_cost",
    "field",
    "figures",
    "fit_network",
    "flattest_window",
    "gce_variants",
    "general_calibration_error",
    "ici",
    "interval",
    "kde_error",
    "ks_error",
    "ks_test",
    "kuiper_error",
    "kuiper_test",
    "label",
    "label_binned_error",
    "lens",
    "likert_error",
    "load_dataset",
    "load_interventions",
    "local_calibration",
    "log_loss",
    "miss_rates",
    "multicalibration_error",
    "net_benefit",
    "observed_expected",
    "open_predictions",
    "output",
    "plots",
    "power_network",
    "predicted",
    "preferred",
    "probability",
    "rank_calibrators",
    "rank_correlation",
    "read_predictions",
    "reliability",
    "report",
    "risk_at_coverage",
    "risk_coverage",
    "sample_size",
    "sample_sizes",
    "segments",
    "selection",
    "sensitivity",
    "simulate_errors",
    "simulated",
    "smooth_error",
    "spiegelhalter_test",
    "subsamples",
    "summaries",
    "summarize",
    "sweep_bins",
    "true_calibration_error",
    "trust",
    "windows",
    "within_noise",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'calibviz' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    imported = import_module(module)
    return imported if attribute is None else getattr(imported, attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
