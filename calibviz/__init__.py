"""calibviz: can these probabilities be acted on?

A NumPy engine for the calibration of classifiers under any lens and selection, labelled results, and linked
Jupyter widgets. Every name is imported when it is first used. Examples in docstrings begin after
``import calibviz as cv``.

Docstrings cite four papers by a short name:

- *gece*: Kirchenbauer, Oaks and Heim (2022), What is Your Metric Telling You? Evaluating Classifier Calibration under
  Context-Specific Definitions of Reliability
- *ks*: Gupta et al. (2020), Calibration of Neural Networks using Splines
- *ece_sweep*: Roelofs et al. (2022), Mitigating Bias in Calibration Error Estimation
- *gce_measuring*: Nixon et al. (2019), Measuring Calibration in Deep Learning
"""

from __future__ import annotations

import sys
from importlib import import_module

from ._version import __version__ as __version__

# For type checkers and editors alone. The table below is the list of the public names; a test compares the two.
TYPE_CHECKING = False  # typing, which takes longer than all of this, is not needed
if TYPE_CHECKING:
    from . import figures as figures, plots as plots
    from .answers.headline import Verdict as Verdict
    from .answers.verdict import verdict as verdict
    from .context.class_lenses import Classwise as Classwise, Pooled as Pooled, Top1ByClass as Top1ByClass
    from .context.condition_parser import SelectionError as SelectionError, selection as selection
    from .context.expressions import (
        confidence as confidence,
        correct as correct,
        field as field,
        label as label,
        output as output,
        predicted as predicted,
        probability as probability,
    )
    from .context.lens_names import lens as lens
    from .context.lenses import (
        ClassConditional as ClassConditional,
        Full as Full,
        Grouping as Grouping,
        Outcome as Outcome,
        Rank as Rank,
        Top1 as Top1,
        TopK as TopK,
        WithinTop as WithinTop,
    )
    from .cube.confidences import confidences as confidences
    from .cube.diagrams import cumulative as cumulative, reliability as reliability
    from .cube.evaluate import evaluate as evaluate
    from .cube.ranks import (
        preferred as preferred,
        rank_calibrators as rank_calibrators,
        rank_correlation as rank_correlation,
    )
    from .data.datasets import (
        dataset_names as dataset_names,
        load_dataset as load_dataset,
        load_interventions as load_interventions,
    )
    from .data.predictions import Predictions as Predictions
    from .data.readers import read_predictions as read_predictions
    from .data.stack import Stack as Stack, subsamples as subsamples
    from .decisions.costs import expected_cost as expected_cost
    from .decisions.segments import multicalibration_error as multicalibration_error, segments as segments
    from .decisions.selective import (
        Coverage as Coverage,
        augrc as augrc,
        aurc as aurc,
        coverage_at_risk as coverage_at_risk,
        excess_aurc as excess_aurc,
        risk_at_coverage as risk_at_coverage,
        risk_coverage as risk_coverage,
    )
    from .decisions.thresholds import (
        changed_sides as changed_sides,
        decision_curve as decision_curve,
        local_calibration as local_calibration,
        net_benefit as net_benefit,
    )
    from .engine.binning import Distinct as Distinct, EqualMass as EqualMass, Sweep as Sweep, Uniform as Uniform
    from .engine.bins import Bins as Bins
    from .engine.family import ProblemFamily as ProblemFamily
    from .engine.kdtree import KDTree as KDTree
    from .engine.scalar import EmptyProblemError as EmptyProblemError, ScalarProblem as ScalarProblem
    from .engine.vector import VectorProblem as VectorProblem
    from .explorer import (
        ClassesPanel as ClassesPanel,
        ComparisonPanel as ComparisonPanel,
        ConfidencePanel as ConfidencePanel,
        CumulativePanel as CumulativePanel,
        DecisionPanel as DecisionPanel,
        Explorer as Explorer,
        ExplorerState as ExplorerState,
        InstancesPanel as InstancesPanel,
        LikertPanel as LikertPanel,
        RecalibrationPanel as RecalibrationPanel,
        ReliabilityPanel as ReliabilityPanel,
        SegmentsPanel as SegmentsPanel,
        SensitivityPanel as SensitivityPanel,
        SimulationLab as SimulationLab,
        SimulationState as SimulationState,
        TemperaturePanel as TemperaturePanel,
        TimePanel as TimePanel,
    )
    from .metrics.binless.corp import Corp as Corp
    from .metrics.binless.errors import corp as corp, kde_error as kde_error, smooth_error as smooth_error
    from .metrics.binned import (
        calibration_error as calibration_error,
        debiased_error as debiased_error,
        ks_error as ks_error,
        kuiper_error as kuiper_error,
        label_binned_error as label_binned_error,
        sweep_bins as sweep_bins,
    )
    from .metrics.calibration_tests import (
        CalibrationTest as CalibrationTest,
        WalkTest as WalkTest,
        ks_test as ks_test,
        kuiper_test as kuiper_test,
        spiegelhalter_test as spiegelhalter_test,
    )
    from .metrics.clinical.discrimination import AUCEstimate as AUCEstimate, auc as auc
    from .metrics.clinical.estimates import (
        Estimate as Estimate,
        InterceptEstimate as InterceptEstimate,
        SlopeEstimate as SlopeEstimate,
        calibration_in_the_large as calibration_in_the_large,
        calibration_intercept as calibration_intercept,
        calibration_slope as calibration_slope,
        observed_expected as observed_expected,
    )
    from .metrics.clinical.flexible_curve import (
        CalibrationIndices as CalibrationIndices,
        calibration_curve as calibration_curve,
        calibration_indices as calibration_indices,
        e50 as e50,
        e90 as e90,
        eci as eci,
        emax as emax,
        ici as ici,
    )
    from .metrics.distances import (
        ClassWeighted as ClassWeighted,
        InterInterval as InterInterval,
        Lp as Lp,
        Mahalanobis as Mahalanobis,
        TotalVariation as TotalVariation,
    )
    from .metrics.gce import (
        GCE as GCE,
        GCE_METRICS as GCE_METRICS,
        gce_variants as gce_variants,
        general_calibration_error as general_calibration_error,
    )
    from .metrics.likert import likert_error as likert_error
    from .metrics.records.own import Metric as Metric
    from .metrics.scores import (
        BrierSplit as BrierSplit,
        accuracy as accuracy,
        brier_score as brier_score,
        brier_split as brier_split,
        log_loss as log_loss,
    )
    from .recalibration import (
        Beta as Beta,
        BiasCorrectedTemperature as BiasCorrectedTemperature,
        ByRank as ByRank,
        Dirichlet as Dirichlet,
        EnsembleTemperature as EnsembleTemperature,
        HistogramBinning as HistogramBinning,
        InContext as InContext,
        Isotonic as Isotonic,
        MatrixScaling as MatrixScaling,
        MetricTemperature as MetricTemperature,
        NeuralScaling as NeuralScaling,
        NotFittedError as NotFittedError,
        OneVsRest as OneVsRest,
        Platt as Platt,
        Spline as Spline,
        Temperature as Temperature,
        VectorScaling as VectorScaling,
    )
    from .reports import Report as Report, compare as compare, report as report
    from .scale import (
        LazyPredictions as LazyPredictions,
        open_predictions as open_predictions,
        summaries as summaries,
        summarize as summarize,
        windows as windows,
    )
    from .scale.curve_bounds import curve_bounds as curve_bounds
    from .scale.error_bounds import error_bounds as error_bounds
    from .scale.score_grid import ScoreGrid as ScoreGrid
    from .scale.summary import Summary as Summary
    from .simulation.cubes import miss_rates as miss_rates, simulate_errors as simulate_errors
    from .simulation.network_fit import NetworkFit as NetworkFit, fit_network as fit_network
    from .simulation.networks import (
        NETWORKS as NETWORKS,
        Network as Network,
        power_network as power_network,
        simulated as simulated,
        true_calibration_error as true_calibration_error,
    )
    from .simulation.sample_size import sample_size as sample_size
    from .simulation.trust import Trust as Trust, trust as trust
    from .uncertainty.best_set import BestSet as BestSet, within_noise as within_noise
    from .uncertainty.bootstrap import Bootstrap as Bootstrap, bootstrap as bootstrap
    from .uncertainty.consistency import Consistency as Consistency, consistency as consistency
    from .uncertainty.drift import drift as drift
    from .uncertainty.error_intervals import ErrorInterval as ErrorInterval, interval as interval
    from .uncertainty.over_time import over_time as over_time
    from .uncertainty.sensitivity import (
        flattest_window as flattest_window,
        sample_sizes as sample_sizes,
        sensitivity as sensitivity,
    )

#: The public names by the module that is imported when one of them is first used.
_NAMES_BY_MODULE: dict[str, tuple[str, ...]] = {
    ".answers.headline": ("Verdict",),
    ".answers.verdict": ("verdict",),
    ".context.class_lenses": ("Classwise", "Pooled", "Top1ByClass"),
    ".context.condition_parser": ("SelectionError", "selection"),
    ".context.expressions": ("confidence", "correct", "field", "label", "output", "predicted", "probability"),
    ".context.lens_names": ("lens",),
    ".context.lenses": ("ClassConditional", "Full", "Grouping", "Outcome", "Rank", "Top1", "TopK", "WithinTop"),
    ".cube.confidences": ("confidences",),
    ".cube.diagrams": ("cumulative", "reliability"),
    ".cube.evaluate": ("evaluate",),
    ".cube.ranks": ("preferred", "rank_calibrators", "rank_correlation"),
    ".data.datasets": ("dataset_names", "load_dataset", "load_interventions"),
    ".data.readers": ("read_predictions",),
    ".data.predictions": ("Predictions",),
    ".data.stack": ("Stack", "subsamples"),
    ".decisions.costs": ("expected_cost",),
    ".decisions.segments": ("multicalibration_error", "segments"),
    ".decisions.selective": (
        "Coverage", "augrc", "aurc", "coverage_at_risk", "excess_aurc", "risk_at_coverage", "risk_coverage",
    ),
    ".decisions.thresholds": ("changed_sides", "decision_curve", "local_calibration", "net_benefit"),
    ".engine.binning": ("Distinct", "EqualMass", "Sweep", "Uniform"),
    ".engine.bins": ("Bins",),
    ".engine.family": ("ProblemFamily",),
    ".engine.kdtree": ("KDTree",),
    ".engine.scalar": ("EmptyProblemError", "ScalarProblem"),
    ".engine.vector": ("VectorProblem",),
    ".explorer": (
        "ClassesPanel", "ComparisonPanel", "ConfidencePanel", "CumulativePanel", "DecisionPanel", "Explorer",
        "ExplorerState", "InstancesPanel", "LikertPanel", "RecalibrationPanel", "ReliabilityPanel", "SegmentsPanel",
        "SensitivityPanel", "SimulationLab", "SimulationState", "TemperaturePanel", "TimePanel",
    ),
    ".figures": ("figures",),
    ".metrics.binless.corp": ("Corp",),
    ".metrics.binless.errors": ("corp", "kde_error", "smooth_error"),
    ".metrics.binned": (
        "calibration_error", "debiased_error", "ks_error", "kuiper_error", "label_binned_error", "sweep_bins",
    ),
    ".metrics.calibration_tests": ("CalibrationTest", "WalkTest", "ks_test", "kuiper_test", "spiegelhalter_test"),
    ".metrics.clinical.discrimination": ("AUCEstimate", "auc"),
    ".metrics.clinical.estimates": (
        "Estimate", "InterceptEstimate", "SlopeEstimate", "calibration_in_the_large", "calibration_intercept",
        "calibration_slope", "observed_expected",
    ),
    ".metrics.clinical.flexible_curve": (
        "CalibrationIndices", "calibration_curve", "calibration_indices", "e50", "e90", "eci", "emax", "ici",
    ),
    ".metrics.distances": ("ClassWeighted", "InterInterval", "Lp", "Mahalanobis", "TotalVariation"),
    ".metrics.gce": ("GCE", "GCE_METRICS", "gce_variants", "general_calibration_error"),
    ".metrics.likert": ("likert_error",),
    ".metrics.records.own": ("Metric",),
    ".metrics.scores": ("BrierSplit", "accuracy", "brier_score", "brier_split", "log_loss"),
    ".plots": ("plots",),
    ".recalibration": (
        "Beta", "BiasCorrectedTemperature", "ByRank", "Dirichlet", "EnsembleTemperature", "HistogramBinning",
        "InContext", "Isotonic", "MatrixScaling", "MetricTemperature", "NeuralScaling", "NotFittedError", "OneVsRest",
        "Platt", "Spline", "Temperature", "VectorScaling",
    ),
    ".reports": ("Report", "compare", "report"),
    ".scale": ("LazyPredictions", "open_predictions", "summaries", "summarize", "windows"),
    ".scale.curve_bounds": ("curve_bounds",),
    ".scale.error_bounds": ("error_bounds",),
    ".scale.score_grid": ("ScoreGrid",),
    ".scale.summary": ("Summary",),
    ".simulation.cubes": ("miss_rates", "simulate_errors"),
    ".simulation.network_fit": ("NetworkFit", "fit_network"),
    ".simulation.networks": ("NETWORKS", "Network", "power_network", "simulated", "true_calibration_error"),
    ".simulation.sample_size": ("sample_size",),
    ".simulation.trust": ("Trust", "trust"),
    ".uncertainty.best_set": ("BestSet", "within_noise"),
    ".uncertainty.bootstrap": ("Bootstrap", "bootstrap"),
    ".uncertainty.consistency": ("Consistency", "consistency"),
    ".uncertainty.drift": ("drift",),
    ".uncertainty.error_intervals": ("ErrorInterval", "interval"),
    ".uncertainty.over_time": ("over_time",),
    ".uncertainty.sensitivity": ("flattest_window", "sample_sizes", "sensitivity"),
}  # fmt: skip  # short entries stand in rows
_MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}

# Type checkers do not see this: to them a list that is computed is empty, and every name exists, misspelt ones too.
if not TYPE_CHECKING:
    __all__ = sorted(_MODULES)

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module 'calibviz' has no attribute {name!r}")
        module = import_module(_MODULES[name], __name__)
        value = module if _MODULES[name] == f".{name}" else getattr(module, name)
        return globals().setdefault(name, value)  # which Python finds without this function from now on


class _WhenImported:
    """Finds xarray as others do, once, and adds `cube.calibviz` when it was imported, which is not done here."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name != "xarray":
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        from ._accessor import spec_of

        return spec_of(name)


if "xarray" in sys.modules:
    from ._accessor import register as _register

    _register(sys.modules["xarray"])
else:
    sys.meta_path.insert(0, _WhenImported())  # type: ignore[arg-type]


def __dir__() -> list[str]:
    return sorted(_MODULES)
