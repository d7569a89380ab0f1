"""Every built-in metric: the one place that says what it is called, what it means and how it is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from ...engine.binnings.binning import Sweep
from ...engine.binnings.kdtree import KDTree
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ..binless.corp import corp_of
from ..binless.kernel_density import kde_error
from ..binless.smooth import smooth_error
from ..binned import binned_error, calibration_error, debiased_error, ks_error, kuiper_error, label_binned_error
from ..clinical.acting import net_benefits
from ..clinical.discrimination import auc_of
from ..clinical.estimates import calibration_in_the_large, calibration_intercept, calibration_slope, observed_expected
from ..clinical.flexible_curve import calibration_indices
from ..likert import problem_likert
from ..risks import excess_risk, mean_generalized_risk, mean_risk
from ..scores import brier_score, brier_skill, log_loss, ranked_probability_score
from .record import Measurement, MetricRecord, Needs, Note

#: The dimensions of the 32 errors of the GCE family in a cube: the parameters of `GCE`.
GCE_DIMS = ("binning", "max_prob", "class_conditional", "threshold", "norm")
ANY = (-np.inf, np.inf)
POSITIVE = (0.0, np.inf)


def of_problem(function: Callable[[Any], Any]) -> Callable[[Measurement], Any]:
    """Return the measuring function of a metric that is a function of the problem alone."""
    return lambda measurement: function(measurement.problem)


def _index(name: str) -> Callable[[Measurement], Any]:
    """Return the measuring function of one of the calibration indices."""
    return lambda measurement: getattr(calibration_indices(measurement.problem), name)


def _estimate(function: Callable[[Any], Any], measurement: Measurement) -> Any:
    found = function(measurement.problem)
    if why_not := getattr(found, "why_not", ""):
        raise ValueError(why_not)
    if without := getattr(found, "without", ""):
        measurement.remarks.append(("", Note(without)))
    return found.estimate


def _in_bins(aggregate: str, measurement: Measurement) -> Array:
    settings = measurement.settings
    errors = np.full((len(settings.binnings), len(settings.bins)), np.nan)
    for b, (name, make) in enumerate(settings.binnings.items()):
        try:
            errors[b] = measurement.series(name, [make(count) for count in settings.bins], aggregate)
        except ValueError as error:
            measurement.remarks.append((f"binning={name}", str(error)))
    return errors


def _on_trees(measurement: Measurement) -> Array:
    gammas = measurement.settings.gammas
    order = np.argsort(gammas)  # the finest first: the tree is then grown in one go
    errors = measurement.series("of trees", [KDTree(gammas[i]) for i in order])
    return errors[np.argsort(order)]


def _swept(measurement: Measurement) -> Any:
    return measurement.once("sweep", lambda: Sweep()(cast(ScalarProblem, measurement.problem)))


def _corp(part: str, measurement: Measurement) -> float:
    return float(getattr(measurement.once("corp", lambda: corp_of(cast(ScalarProblem, measurement.problem))), part))


def _likert(column: str, in_bins: bool, measurement: Measurement) -> Array:
    columns = measurement.once("likert", lambda: _categories(measurement))
    return columns[column] if in_bins else columns[column][:, 0, 0]


def _categories(measurement: Measurement) -> Mapping[str, Array]:
    """Every category in all bins."""
    settings, problem = measurement.settings, cast(ScalarProblem, measurement.problem)
    shape = (len(settings.categories), len(settings.binnings), len(settings.bins))
    columns = {name: np.full(shape, np.nan) for name in ("error", "total_variation", "count", "mean_target")}
    for i, (low, high) in enumerate(settings.categories.values()):
        for b, make in enumerate(settings.binnings.values()):
            for c, count in enumerate(settings.bins):
                row = problem_likert(problem, low, high, make(count))
                for name, values in columns.items():
                    values[i, b, c] = row[name]
    return columns


_OF_LIKERT: dict[str, Any] = {"argument": "categories", "example": "[0, 0.5, 1]"}
_GECE = "Kirchenbauer, Oaks and Heim 2022"

RECORDS = (
    MetricRecord(
        name="ece", title="ECE", term="ECE",
        definition="calibration error, (sum_b w_b/W d_b^p)^(1/p) over bins",
        says="distance of mean score and mean target in each bin, averaged by the samples in it; few samples make it "
        "larger",
        source=f"{_GECE}, equation 3; Guo et al. 2017", unit="%", calibration=True, needs=Needs.PROBLEM,
        own_dims=("binning", "bins"),
        in_menu=True, by_distance=True, interval_of=calibration_error, measure=partial(_in_bins, "mean"),
    ),
    MetricRecord(
        name="mce", title="MCE", definition="maximum calibration error, max_b d_b over bins",
        source="Guo et al. 2017", unit="%", calibration=True, needs=Needs.PROBLEM,
        own_dims=("binning", "bins"),
        by_default=False, in_menu=True, by_distance=True, measure=partial(_in_bins, "max"),
    ),
    MetricRecord(
        name="kdtree_ece", title="ECE (k-d tree)",
        definition="calibration error over the leaves of a k-d tree", source=_GECE,
        unit="%", calibration=True, needs=Needs.PROBLEM, own_dims=("gamma",), argument="gammas", example="[0.1]",
        by_distance=True, in_leaves=True, measure=_on_trees,
    ),
    MetricRecord(
        name="ks", title="KS", term="KS error",
        definition="Kolmogorov-Smirnov calibration error, max |h_i - h~_i|",
        says="largest distance of the cumulative curves, without bins (Gupta et al. 2020)",
        source="Gupta et al. 2020, equations 11 and 12", unit="%", calibration=True, in_menu=True, interval_of=ks_error,
        measure=of_problem(ks_error),
    ),
    MetricRecord(
        name="kuiper", title="Kuiper", term="Kuiper error",
        definition="Kuiper calibration error, max - min of h_i - h~_i and 0", source="Arrieta-Ibarra et al. 2022",
        unit="%", calibration=True, in_menu=True, interval_of=kuiper_error, measure=of_problem(kuiper_error),
    ),
    MetricRecord(
        name="sweep", title="ECE (sweep)", term="ECE, monotone sweep",
        definition="calibration error on the bins of the equal-mass monotone sweep",
        says="the same on as many bins of equal mass as keep the mean target from falling (Roelofs et al. 2022)",
        source="Roelofs et al. 2022, algorithm 1", unit="%", calibration=True, in_menu=True, by_distance=True,
        interval_of=calibration_error,
        measure=lambda m: binned_error(_swept(m), m.settings.distance, m.settings.p),
    ),
    MetricRecord(
        name="sweep_bins", title="bins of the sweep", definition="number of bins that the monotone sweep chooses",
        source="Roelofs et al. 2022, algorithm 1",
        unit="bins", range=(1, np.inf), better="neither", measure=lambda m: float(len(_swept(m))),
    ),
    MetricRecord(
        name="smooth", title="smooth ECE", definition="smooth calibration error", source="Błasiok and Nakkiran 2023",
        unit="%", calibration=True, in_menu=True, measure=of_problem(smooth_error),
    ),
    MetricRecord(
        name="kde", title="kernel ECE",
        definition="kernel density calibration error, p = 1", source="Zhang et al. 2020",
        unit="%", range=POSITIVE, calibration=True, by_default=False, in_menu=True, measure=of_problem(kde_error),
    ),
    MetricRecord(
        name="debiased", title="debiased", term="debiased L2 error",
        definition="debiased L2 error in 15 equal-mass bins",
        says="root mean square distance in 15 bins of equal mass, less its noise (Kumar et al. 2019)",
        source="Kumar et al. 2019, section 5", unit="%", calibration=True, in_menu=True, interval_of=debiased_error,
        measure=of_problem(debiased_error),
    ),
    MetricRecord(
        name="label_binned", title="label-binned ECE", definition="label-binned L1 error in 15 uniform bins",
        source="Roelofs et al. 2022, equation 3",
        unit="%", calibration=True, by_default=False, in_menu=True, measure=of_problem(label_binned_error),
    ),
    MetricRecord(
        name="brier", title="Brier", term="Brier score", definition="Brier score of what the lens looks at",
        says="mean squared distance of score and target: calibration and sharpness", source="Brier 1950",
        range=(0, 2), needs=Needs.PROBLEM, in_menu=True, in_leaves=True, measure=of_problem(brier_score),
    ),
    MetricRecord(
        name="brier_skill", title="Brier skill", term="Brier skill score",
        definition="1 - Brier score / that of constant predictions of the prevalences; 0 is no skill",
        says="how much better the Brier score is than if the share of the event were predicted of each sample",
        source="Murphy 1973", range=(-np.inf, 1), better="larger", needs=Needs.PROBLEM, by_default=False,
        measure=of_problem(brier_skill),
    ),
    MetricRecord(
        name="ranked_probability_score", title="RPS", term="ranked probability score",
        definition="ranked probability score of ordered outcomes: mean Brier score of \"at most the k-th\"",
        says="mean squared distance of the probabilities of at most each class and of what was observed",
        source="Epstein 1969; Murphy 1971", needs=Needs.PROBLEM, by_default=False,
        measure=of_problem(ranked_probability_score),
    ),
    MetricRecord(
        name="miscalibration", source="Dimitriadis et al. 2021", unit="%", calibration=True,
        definition="miscalibration part of the Brier score, by isotonic recalibration (CORP)",
        by_default=False, measure=partial(_corp, "miscalibration"),
    ),
    MetricRecord(
        name="discrimination",
        definition="discrimination part of the Brier score, by isotonic recalibration (CORP)",
        source="Dimitriadis et al. 2021", better="larger", by_default=False, measure=partial(_corp, "discrimination"),
    ),
    MetricRecord(
        name="uncertainty", definition="uncertainty part of the Brier score: variance of the targets",
        source="Dimitriadis et al. 2021", better="neither", by_default=False, measure=partial(_corp, "uncertainty"),
    ),
    MetricRecord(
        name="log_loss", title="log loss", term="log loss", definition="log loss of what the lens looks at",
        says="mean −ln of the probability predicted for what was observed, in nats", unit="nat", range=POSITIVE,
        needs=Needs.PROBLEM, by_default=False, in_menu=True, in_leaves=True, measure=of_problem(log_loss),
    ),
    MetricRecord(
        name="accuracy", title="accuracy", term="accuracy",
        definition="share of the selected samples whose predicted class is right",
        says="how often the likeliest class is the right one, whatever the lens",
        unit="%", better="larger", needs=Needs.ROWS, in_menu=True, in_leaves=True,
    ),
    MetricRecord(
        name="top_k_accuracy", title="top-k accuracy",
        definition="share of the selected samples whose label is among the k likeliest classes",
        better="larger", needs=Needs.ROWS, own_dims=("k",), argument="k", example="5",
    ),
    MetricRecord(
        name="mean_score", title="mean score", term="predicted", definition="mean score",
        says="mean score: what the model predicts on average", unit="%", better="neither",
        measure=of_problem(lambda problem: problem.mean_score),
    ),
    MetricRecord(
        name="mean_target", title="mean target", term="observed",
        definition="mean target; under the top-1 lens the accuracy",
        says="mean target: what is observed on average", unit="%", better="neither",
        measure=of_problem(lambda problem: problem.mean_target),
    ),
    MetricRecord(
        name="count", title="number of samples",
        definition="number of selected samples (whole-number weights count repetitions), under pooled of their entries",
        unit="samples", range=POSITIVE, better="neither", needs=Needs.PROBLEM, has_quantiles=False, in_leaves=True,
        measure=of_problem(lambda problem: float(problem.samples)),
    ),
    MetricRecord(
        name="observed_expected", title="O/E", definition="observed by expected: mean target / mean score",
        source="Debray et al. 2017", range=POSITIVE, better="neither", by_default=False,
        measure=partial(_estimate, observed_expected),
    ),
    MetricRecord(
        name="calibration_in_the_large", definition="mean target - mean score", source="Van Calster et al. 2016",
        range=(-1, 1), better="neither", by_default=False, measure=of_problem(calibration_in_the_large),
    ),
    MetricRecord(
        name="calibration_intercept", definition="calibration intercept: shift of all log-odds, the slope held at 1",
        source="Cox 1958", range=ANY, better="neither", by_default=False,
        measure=partial(_estimate, calibration_intercept),
    ),
    MetricRecord(
        name="calibration_slope", definition="calibration slope: factor of the log-odds", source="Cox 1958",
        range=ANY, better="neither", by_default=False, measure=partial(_estimate, calibration_slope),
    ),
    MetricRecord(
        name="auc", title="AUC", term="AUC",
        definition="area under the ROC curve, the c statistic: how often an event has a higher score than a sample "
        "without it",
        says="how well the scores order samples, whatever their calibration", better="larger", by_default=False,
        source="Hanley and McNeil 1982; DeLong et al. 1988", measure=partial(_estimate, auc_of),
    ),
    MetricRecord(
        name="ici", title="ICI", definition="integrated calibration index: mean distance from the flexible curve",
        source="Austin and Steyerberg 2019", by_default=False, measure=_index("ici"),
    ),
    MetricRecord(
        name="e50", title="E50",
        definition="median distance from the flexible curve", source="Austin and Steyerberg 2019",
        by_default=False, measure=_index("e50"),
    ),
    MetricRecord(
        name="e90", title="E90", definition="90 % quantile of the distance from the flexible curve",
        source="Austin and Steyerberg 2019", by_default=False, measure=_index("e90"),
    ),
    MetricRecord(
        name="emax", title="Emax",
        definition="largest distance from the flexible curve", source="Austin and Steyerberg 2019",
        by_default=False, measure=_index("emax"),
    ),
    MetricRecord(
        name="eci", title="ECI",
        definition="estimated calibration index: 100 times the mean squared distance from the flexible curve",
        source="Van Hoorde et al. 2015", range=(0, 100), by_default=False, measure=_index("eci"),
    ),
    MetricRecord(
        name="aurc", title="AURC",
        definition="area under the risk-coverage curve: mean risk of those accepted, the surest first",
        source="Geifman and El-Yaniv 2017", by_default=False, in_menu=True, measure=of_problem(mean_risk),
    ),
    MetricRecord(
        name="excess_aurc", title="excess AURC",
        definition="the same above that of a perfect ranking", source="Geifman et al. 2019",
        by_default=False, measure=of_problem(excess_risk),
    ),
    MetricRecord(
        name="augrc", title="AUGRC",
        definition="area under the generalized risk-coverage curve: mean share of samples that are wrong and accepted",
        source="Traub et al. 2024", by_default=False, measure=of_problem(mean_generalized_risk),
    ),
    MetricRecord(
        name="net_benefit",
        definition="net benefit of acting where the score reaches a threshold, in true positives per sample",
        source="Vickers and Elkin 2006", range=(-np.inf, 1), better="larger", own_dims=("decision_threshold",),
        argument="thresholds", example="[0.2]",
        measure=lambda m: net_benefits(cast(ScalarProblem, m.problem), np.array(m.settings.thresholds)),
    ),
    MetricRecord(
        name="likert_error", title="error of the category",
        definition="inter-interval error of a Likert category, over bins",
        source=f"{_GECE}, equation 7", unit="%", calibration=True, own_dims=("category", "binning", "bins"),
        measure=partial(_likert, "error", True), **_OF_LIKERT,
    ),
    MetricRecord(
        name="likert_total_variation", title="ECE of the category",
        definition="calibration error of the same samples, over bins",
        source=_GECE, unit="%", calibration=True, own_dims=("category", "binning", "bins"),
        measure=partial(_likert, "total_variation", True), **_OF_LIKERT,
    ),
    MetricRecord(
        name="likert_count", title="samples in the category",
        definition="number of selected samples in a Likert category; whole-number weights count repetitions",
        source=_GECE, unit="samples", range=POSITIVE, better="neither", own_dims=("category",),
        has_quantiles=False, measure=partial(_likert, "count", False), **_OF_LIKERT,
    ),
    MetricRecord(
        name="likert_mean_target", title="mean target of the category",
        definition="mean target of a Likert category", source=_GECE,
        better="neither", own_dims=("category",), measure=partial(_likert, "mean_target", False), **_OF_LIKERT,
    ),
    MetricRecord(
        name="gce", title="GCE", definition="general calibration error (gce_measuring, appendix C), of whole rows",
        source="Nixon et al. 2019, appendix C", unit="%", calibration=True, needs=Needs.PREDICTIONS,
        own_dims=(*GCE_DIMS, "bins"), by_default=False,
    ),
)  # fmt: skip  # short entries stand in rows
METRICS: Mapping[str, MetricRecord] = {record.name: record for record in RECORDS}
