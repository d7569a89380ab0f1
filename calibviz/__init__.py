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
    from . import figures as figures, papers as papers, plots as plots, teaching as teaching
    from .answers.first_screen.verdict import verdict as verdict
    from .answers.gate import check as check
    from .answers.situation.content import Answer as Answer
    from .context.condition_parser import selection as selection
    from .context.expressions import field as field, probability as probability, quantity as quantity
    from .context.lens_names import lens as lens
    from .context.lenses import Grouping as Grouping, Outcome as Outcome
    from .cube.confidences import confidences as confidences
    from .cube.diagrams import cumulative as cumulative, reliability as reliability
    from .cube.evaluate import evaluate as evaluate
    from .cube.optimism import optimism as optimism
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
    from .data.likely_clusters import likely_clusters as likely_clusters
    from .data.predictions import Predictions as Predictions
    from .data.readers import read_models as read_models, read_predictions as read_predictions
    from .data.stack import subsamples as subsamples
    from .decisions.acceptance import accept_at_risk as accept_at_risk
    from .decisions.by_segment.segments import multicalibration_error as multicalibration_error, segments as segments
    from .decisions.costs import expected_cost as expected_cost
    from .decisions.murphy import murphy_curve as murphy_curve
    from .decisions.selective import (
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
    from .engine.binnings.binning import (
        Distinct as Distinct,
        EqualMass as EqualMass,
        Sweep as Sweep,
        Uniform as Uniform,
    )
    from .engine.binnings.kdtree import KDTree as KDTree
    from .engine.scalar import ScalarProblem as ScalarProblem
    from .engine.vector import VectorProblem as VectorProblem
    from .explorer import Explorer as Explorer, Panel as Panel, SimulationLab as SimulationLab
    from .foundation.clusters import DependenceWarning as DependenceWarning
    from .metrics.binless.kernel_density import kde_error as kde_error
    from .metrics.binless.smooth import smooth_error as smooth_error
    from .metrics.binned import (
        calibration_error as calibration_error,
        debiased_error as debiased_error,
        ks_error as ks_error,
        kuiper_error as kuiper_error,
        label_binned_error as label_binned_error,
        sweep_bins as sweep_bins,
    )
    from .metrics.calibration_tests import (
        ks_test as ks_test,
        kuiper_test as kuiper_test,
        spiegelhalter_test as spiegelhalter_test,
    )
    from .metrics.clinical.belt import calibration_belt as calibration_belt
    from .metrics.clinical.discrimination import auc as auc
    from .metrics.clinical.estimates import (
        calibration_in_the_large as calibration_in_the_large,
        calibration_intercept as calibration_intercept,
        calibration_slope as calibration_slope,
        observed_expected as observed_expected,
    )
    from .metrics.clinical.flexible_curve import (
        calibration_curve as calibration_curve,
        calibration_indices as calibration_indices,
        ici as ici,
    )
    from .metrics.clinical.hosmer_lemeshow import hosmer_lemeshow as hosmer_lemeshow
    from .metrics.distances import (
        ClassWeighted as ClassWeighted,
        Lp as Lp,
        Mahalanobis as Mahalanobis,
        TotalVariation as TotalVariation,
    )
    from .metrics.gce import GCE as GCE
    from .metrics.kernel import kernel_error as kernel_error
    from .metrics.likert import likert_error as likert_error
    from .metrics.records.own import Metric as Metric
    from .metrics.scores import (
        accuracy as accuracy,
        brier_score as brier_score,
        brier_split as brier_split,
        log_loss as log_loss,
        ranked_probability_score as ranked_probability_score,
    )
    from .recalibration import (
        Beta as Beta,
        BiasCorrectedTemperature as BiasCorrectedTemperature,
        ByField as ByField,
        ByRank as ByRank,
        Dirichlet as Dirichlet,
        EnsembleTemperature as EnsembleTemperature,
        HistogramBinning as HistogramBinning,
        InContext as InContext,
        Isotonic as Isotonic,
        MatrixScaling as MatrixScaling,
        MetricTemperature as MetricTemperature,
        NeuralScaling as NeuralScaling,
        OneVsRest as OneVsRest,
        Platt as Platt,
        Spline as Spline,
        Temperature as Temperature,
        VectorScaling as VectorScaling,
        cross_fitted as cross_fitted,
    )
    from .recalibration.updating import choose_update as choose_update
    from .reports import compare as compare, report as report
    from .scale import (
        open_predictions as open_predictions,
        summarize as summarize,
        summarize_all as summarize_all,
        windows as windows,
    )
    from .scale.curve_bounds import curve_bounds as curve_bounds
    from .scale.error_bounds import error_bounds as error_bounds
    from .scale.score_grid import ScoreGrid as ScoreGrid
    from .scale.summary import Summary as Summary
    from .simulation.cubes import miss_rates as miss_rates, simulate_errors as simulate_errors
    from .simulation.network_fit import fit_network as fit_network
    from .simulation.networks import (
        Network as Network,
        simulated as simulated,
        true_calibration_error as true_calibration_error,
    )
    from .simulation.sample_size import sample_size as sample_size
    from .simulation.trust import trust as trust
    from .uncertainty.best_set import within_noise as within_noise
    from .uncertainty.centres import by_centre as by_centre
    from .uncertainty.imputations import rubin as rubin
    from .uncertainty.intervals.corp_intervals import corp as corp
    from .uncertainty.intervals.error_intervals import interval as interval
    from .uncertainty.joint_test import calibration_test as calibration_test
    from .uncertainty.monitoring.drift import drift as drift
    from .uncertainty.monitoring.monitor import Monitor as Monitor
    from .uncertainty.monitoring.over_time import monitor_windows as monitor_windows, over_time as over_time
    from .uncertainty.resampling.bootstrap import bootstrap as bootstrap
    from .uncertainty.resampling.consistency import consistency as consistency
    from .uncertainty.sensitivity import (
        sensitivity as sensitivity,
        spread_by_size as spread_by_size,
    )

#: The public names by the module that is imported when one of them is first used.
_NAMES_BY_MODULE: dict[str, tuple[str, ...]] = {
    ".answers.situation.content": ("Answer",),
    ".answers.gate": ("check",),
    ".answers.first_screen.verdict": ("verdict",),
    ".context.condition_parser": ("selection",),
    ".context.expressions": ("field", "probability", "quantity"),
    ".context.lens_names": ("lens",),
    ".context.lenses": ("Grouping", "Outcome"),
    ".cube.confidences": ("confidences",),
    ".cube.diagrams": ("cumulative", "reliability"),
    ".cube.evaluate": ("evaluate",),
    ".cube.optimism": ("optimism",),
    ".cube.ranks": ("preferred", "rank_calibrators", "rank_correlation"),
    ".data.datasets": ("dataset_names", "load_dataset", "load_interventions"),
    ".data.likely_clusters": ("likely_clusters",),
    ".data.predictions": ("Predictions",),
    ".data.readers": ("read_models", "read_predictions"),
    ".data.stack": ("subsamples",),
    ".decisions.acceptance": ("accept_at_risk",),
    ".decisions.costs": ("expected_cost",),
    ".decisions.murphy": ("murphy_curve",),
    ".decisions.by_segment.segments": ("multicalibration_error", "segments"),
    ".decisions.selective": ("augrc", "aurc", "coverage_at_risk", "excess_aurc", "risk_at_coverage", "risk_coverage"),
    ".decisions.thresholds": ("changed_sides", "decision_curve", "local_calibration", "net_benefit"),
    ".engine.binnings.binning": ("Distinct", "EqualMass", "Sweep", "Uniform"),
    ".engine.binnings.kdtree": ("KDTree",),
    ".engine.scalar": ("ScalarProblem",),
    ".engine.vector": ("VectorProblem",),
    ".explorer": ("Explorer", "Panel", "SimulationLab"),
    ".figures": ("figures",),
    ".foundation.clusters": ("DependenceWarning",),
    ".metrics.binless.kernel_density": ("kde_error",),
    ".metrics.binless.smooth": ("smooth_error",),
    ".metrics.binned": (
        "calibration_error", "debiased_error", "ks_error", "kuiper_error", "label_binned_error", "sweep_bins",
    ),
    ".metrics.calibration_tests": ("ks_test", "kuiper_test", "spiegelhalter_test"),
    ".metrics.clinical.belt": ("calibration_belt",),
    ".metrics.clinical.discrimination": ("auc",),
    ".metrics.clinical.estimates": (
        "calibration_in_the_large", "calibration_intercept", "calibration_slope", "observed_expected",
    ),
    ".metrics.clinical.flexible_curve": ("calibration_curve", "calibration_indices", "ici"),
    ".metrics.clinical.hosmer_lemeshow": ("hosmer_lemeshow",),
    ".metrics.distances": ("ClassWeighted", "Lp", "Mahalanobis", "TotalVariation"),
    ".metrics.gce": ("GCE",),
    ".metrics.kernel": ("kernel_error",),
    ".metrics.likert": ("likert_error",),
    ".metrics.records.own": ("Metric",),
    ".metrics.scores": ("accuracy", "brier_score", "brier_split", "log_loss", "ranked_probability_score"),
    ".papers": ("papers",),
    ".plots": ("plots",),
    ".teaching": ("teaching",),
    ".recalibration": (
        "Beta", "BiasCorrectedTemperature", "ByField", "ByRank", "Dirichlet", "EnsembleTemperature",
        "HistogramBinning", "InContext", "Isotonic", "MatrixScaling", "MetricTemperature",
        "NeuralScaling", "OneVsRest", "Platt", "Spline", "Temperature", "VectorScaling", "cross_fitted",
    ),
    ".recalibration.updating": ("choose_update",),
    ".reports": ("compare", "report"),
    ".scale": ("open_predictions", "summarize", "summarize_all", "windows"),
    ".scale.curve_bounds": ("curve_bounds",),
    ".scale.error_bounds": ("error_bounds",),
    ".scale.score_grid": ("ScoreGrid",),
    ".scale.summary": ("Summary",),
    ".simulation.cubes": ("miss_rates", "simulate_errors"),
    ".simulation.network_fit": ("fit_network",),
    ".simulation.networks": ("Network", "simulated", "true_calibration_error"),
    ".simulation.sample_size": ("sample_size",),
    ".simulation.trust": ("trust",),
    ".uncertainty.best_set": ("within_noise",),
    ".uncertainty.centres": ("by_centre",),
    ".uncertainty.imputations": ("rubin",),
    ".uncertainty.intervals.corp_intervals": ("corp",),
    ".uncertainty.intervals.error_intervals": ("interval",),
    ".uncertainty.joint_test": ("calibration_test",),
    ".uncertainty.monitoring.drift": ("drift",),
    ".uncertainty.monitoring.monitor": ("Monitor",),
    ".uncertainty.monitoring.over_time": ("monitor_windows", "over_time"),
    ".uncertainty.resampling.bootstrap": ("bootstrap",),
    ".uncertainty.resampling.consistency": ("consistency",),
    ".uncertainty.sensitivity": ("sensitivity", "spread_by_size"),
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
