"""What a cube can hold: the variables, their formulas, and all of them measured on one problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..context.lenses import Problem
from ..engine.binning import Binning, EqualMass, Sweep, Uniform, bin_series
from ..engine.family import ProblemFamily
from ..engine.kdtree import KDTree
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from ..foundation.chance import FLOOR, NULLS
from ..metrics.acting import net_benefits
from ..metrics.binless import corp, kde_error, smooth_error
from ..metrics.binned import (
    binned_error,
    calibration_error,
    debiased_error,
    errors_of_series,
    ks_error,
    kuiper_error,
    label_binned_error,
)
from ..metrics.clinical import calibration_in_the_large, calibration_intercept, calibration_slope, observed_expected
from ..metrics.distances import Distance, shares_of
from ..metrics.flexible_curve import e50, e90, eci, emax, ici
from ..metrics.gce import BINNINGS as GCE_BINNINGS
from ..metrics.gce import NORMS, THRESHOLDS
from ..metrics.likert import problem_likert
from ..metrics.risks import excess_risk, mean_generalized_risk, mean_risk
from ..metrics.scores import brier_score, log_loss

T = TypeVar("T")
Array = NDArray[np.float64]
Reasons = dict[str, list[tuple[str, str]]]  # why something is nan: where in the array, and a sentence
Measured = tuple[dict[str, Array], Reasons]

BINNINGS: dict[str, Callable[[int], Binning]] = {"uniform": Uniform, "equal-mass": EqualMass}

CELL_DIMS = ("model", "selection", "calibrator", "lens")
GCE_DIMS = ("gce_binning", "max_prob", "class_conditional", "threshold", "norm")
LONG_NAMES = {
    "ece": "calibration error, (sum_b w_b/W d_b^p)^(1/p) over bins",
    "mce": "maximum calibration error, max_b d_b over bins",
    "kdtree_ece": "calibration error over the leaves of a k-d tree",
    "ks": "Kolmogorov-Smirnov calibration error, max |h_i - h~_i|",
    "kuiper": "Kuiper calibration error, max - min of h_i - h~_i and 0",
    "sweep": "calibration error on the bins of the equal-mass monotone sweep",
    "sweep_bins": "number of bins that the monotone sweep chooses",
    "smooth": "smooth calibration error",
    "kde": "kernel density calibration error, p = 1",
    "debiased": "debiased L2 error in 15 equal-mass bins",
    "label_binned": "label-binned L1 error in 15 uniform bins",
    "brier": "Brier score of what the lens looks at",
    "miscalibration": "miscalibration part of the Brier score, by isotonic recalibration (CORP)",
    "discrimination": "discrimination part of the Brier score, by isotonic recalibration (CORP)",
    "uncertainty": "uncertainty part of the Brier score: variance of the targets",
    "log_loss": "log loss of what the lens looks at",
    "accuracy": "share of the selected samples whose predicted class is right",
    "top_k_accuracy": "share of the selected samples whose label is among the k likeliest classes",
    "mean_score": "mean score",
    "mean_target": "mean target; under the top-1 lens the accuracy",
    "count": "number of selected samples (whole-number weights count repetitions), under pooled of their entries",
    "observed_expected": "observed by expected: mean target / mean score",
    "calibration_in_the_large": "mean target - mean score",
    "calibration_intercept": "calibration intercept: shift of all log-odds, the slope held at 1",
    "calibration_slope": "calibration slope: factor of the log-odds",
    "ici": "integrated calibration index: mean distance from the flexible curve",
    "e50": "median distance from the flexible curve",
    "e90": "90 % quantile of the distance from the flexible curve",
    "emax": "largest distance from the flexible curve",
    "eci": "estimated calibration index: 100 times the mean squared distance from the flexible curve",
    "aurc": "area under the risk-coverage curve: mean risk of those accepted, the surest first",
    "excess_aurc": "the same above that of a perfect ranking",
    "augrc": "area under the generalized risk-coverage curve: mean share of samples that are wrong and accepted",
    "net_benefit": "net benefit of acting where the score reaches a threshold, in true positives per sample",
    "likert_error": "inter-interval error of a Likert category, over bins",
    "likert_total_variation": "calibration error of the same samples, over bins",
    "likert_count": "number of selected samples in a Likert category; whole-number weights count repetitions",
    "likert_mean_target": "mean target of a Likert category",
    "gce": "general calibration error (gce_measuring, appendix C), of whole rows",
}
DIMS = {
    "ece": (*CELL_DIMS, "binning", "bins"),
    "mce": (*CELL_DIMS, "binning", "bins"),
    "kdtree_ece": (*CELL_DIMS, "gamma"),
    "top_k_accuracy": (*CELL_DIMS, "k"),
    "net_benefit": (*CELL_DIMS, "decision_threshold"),
    "likert_error": (*CELL_DIMS, "category", "binning", "bins"),
    "likert_total_variation": (*CELL_DIMS, "category", "binning", "bins"),
    "likert_count": (*CELL_DIMS, "category"),
    "likert_mean_target": (*CELL_DIMS, "category"),
    "gce": (*CELL_DIMS[:-1], *GCE_DIMS, "bins"),
}
CUBE_DIMS = {dim for dims in (CELL_DIMS, *DIMS.values()) for dim in dims} - {"model"} | {"quantile", "among"}
LIKERT = tuple(metric for metric in DIMS if metric.startswith("likert"))
# What is measured only where an argument says at what, and an example of it.
ASKED_BY = {
    "kdtree_ece": ("gammas", "[0.1]"), "top_k_accuracy": ("k", "5"), "net_benefit": ("thresholds", "[0.2]"),
    **dict.fromkeys(LIKERT, ("likert", "[0, 0.5, 1]")),
}  # fmt: skip
OF_ROWS = ("accuracy", "top_k_accuracy")  # these look at the predicted classes, whatever the lens
# What is 0 for calibrated predictions but for noise, so that what they reach by chance is its floor. Of proper scores
# that is the miscalibration part alone: most of a Brier score or a log loss says how sharp the scores are, and
# underconfident predictions show less of either than calibrated ones with the same scores would.
OF_CALIBRATION = (
    "ece", "mce", "kdtree_ece", "ks", "kuiper", "sweep", "smooth", "kde", "debiased", "label_binned", "miscalibration",
    "likert_error", "likert_total_variation", "gce",
)  # fmt: skip
BY_DISTANCE = ("ece", "mce", "kdtree_ece", "sweep")  # what `distance` and `p` are of
WITHOUT_QUANTILES = ("count", "likert_count")
# What an interval of the true error is known for (see `cv.interval`).
WITH_INTERVAL: Mapping[str, Callable[..., float]] = {
    "ece": calibration_error, "sweep": calibration_error, "ks": ks_error, "kuiper": kuiper_error,
    "debiased": debiased_error,
}  # fmt: skip
CLINICAL = (
    "observed_expected", "calibration_in_the_large", "calibration_intercept", "calibration_slope", "ici", "e50", "e90",
    "emax", "eci",
)  # fmt: skip
SELECTIVE = ("aurc", "excess_aurc", "augrc")
NOT_BY_DEFAULT = (
    "mce", "kde", "label_binned", "miscalibration", "discrimination", "uncertainty", "log_loss", "gce", *CLINICAL,
    *SELECTIVE,
)  # fmt: skip


def binning_of(value: Any) -> tuple[str, Callable[[int], Binning]]:
    """The name of a kind of binning, and what makes one of it for a number of bins.

    A binning of the user's own, or one with other settings, stands for itself; where it has `bins`, for all counts.
    """
    if isinstance(value, str):
        return validation.choice(value, "binnings", tuple(BINNINGS)), BINNINGS[value]
    if not callable(value) or isinstance(value, type) or not hasattr(value, "name"):
        raise TypeError(f"binnings must be names or binnings such as cv.Uniform(closed='right'), not {value!r}")
    name = str(value.name)
    if is_dataclass(value) and any(field.name == "bins" for field in fields(value)):
        return name, lambda bins: cast(Binning, replace(cast(Any, value), bins=bins))
    return name, lambda bins: cast(Binning, value)


def metrics_of(
    metrics: Iterable[str] | str | None,
    given: Mapping[str, Any],
    noise: bool = False,
    intervals: float | None = None,
) -> tuple[str, ...]:
    """The metrics that are asked for, by default those that the other arguments of a cube, `given`, allow."""
    if metrics is None:
        left_out = {*NOT_BY_DEFAULT, *(metric for metric, (argument, _) in ASKED_BY.items() if not given[argument])}
        return tuple(metric for metric in LONG_NAMES if metric not in left_out)
    wanted = [validation.choice(metric, "metrics", tuple(LONG_NAMES)) for metric in validation.several(metrics)]
    validation.refuse_repeats("metric", wanted)
    for metric in wanted:
        argument, example = ASKED_BY.get(metric, ("", ""))
        if argument and not given[argument]:
            raise ValueError(
                f"{argument} is missing, but the metric {metric!r} needs it: pass for example {argument}={example}"
            )
    if noise and not set(wanted) & set(OF_CALIBRATION):
        raise ValueError(f"noise is of errors of calibration, of which metrics has none: add {OF_CALIBRATION[0]!r}")
    if intervals is not None and not set(wanted) & set(WITH_INTERVAL):
        raise ValueError(f"intervals are of {', '.join(WITH_INTERVAL)}, of which metrics has none: add one of them")
    return tuple(wanted)


@dataclass(frozen=True, eq=False)
class Plan:
    """What is measured on every problem, and with which settings."""

    metrics: tuple[str, ...]
    binnings: Mapping[str, Callable[[int], Binning]]
    bins: tuple[int, ...]
    gammas: tuple[float, ...]
    likert: Mapping[str, tuple[float, float]]
    distance: Distance | None
    p: float
    bootstrap: int
    quantiles: tuple[float, ...]
    seed: int | None
    noise: bool = False
    intervals: float | None = None
    k: tuple[int, ...] = ()
    thresholds: tuple[float, ...] = ()

    def joined(self, metric: str) -> dict[str, str]:
        """The variables that join a metric by their suffixes, and what each is of it."""
        found = {}
        if self.bootstrap and metric not in WITHOUT_QUANTILES:
            found["quantile"] = f"over {self.bootstrap} bootstrap replicates"
        if self.noise and metric in OF_CALIBRATION:
            nulls = f"{NULLS} data sets drawn as if the predictions were calibrated"
            found["noise"] = f"{100 * FLOOR:g} % quantile over {nulls}"
            found["p_value"] = f"how often {nulls} and the data show at least as much"
        if self.intervals is not None and metric in WITH_INTERVAL:
            found["lower"] = f"lower end of a {100 * self.intervals:g} % interval of the true error"
            found["estimate"] = "the true error that makes this one neither small nor large"
            found["upper"] = f"upper end of a {100 * self.intervals:g} % interval of the true error"
        return found

    @property
    def of_nulls(self) -> Plan:
        """What is measured on data sets drawn as if the predictions were calibrated."""
        return replace(self, metrics=tuple(metric for metric in self.metrics if metric in OF_CALIBRATION))

    @property
    def of_lenses(self) -> tuple[str, ...]:
        """The metrics that a lens has."""
        return tuple(metric for metric in self.metrics if metric != "gce")

    @property
    def of_problems(self) -> tuple[str, ...]:
        """The metrics that a problem has."""
        return tuple(metric for metric in self.of_lenses if metric not in OF_ROWS)

    def ranks(self, metric: str) -> NDArray[np.int64]:
        """How many of the likeliest classes each value of a metric of rows looks at."""
        return np.array(1 if metric == "accuracy" else self.k)

    def shape(self, metric: str) -> tuple[int, ...]:
        """The shape of a metric's values on one problem."""
        if metric in ("ece", "mce"):
            return len(self.binnings), len(self.bins)
        if metric == "gce":
            return (len(GCE_BINNINGS), 2, 2, len(THRESHOLDS), len(NORMS), len(self.bins))
        if metric in LIKERT:
            of_bins = "bins" in DIMS[metric]
            return (len(self.likert), *((len(self.binnings), len(self.bins)) if of_bins else ()))
        several = {"kdtree_ece": self.gammas, "top_k_accuracy": self.k, "net_benefit": self.thresholds}
        return (len(several[metric]),) if metric in several else ()


def measured(problem: Problem, plan: Plan) -> Measured:
    """Everything but accuracies and the GCE family, which look at more than a problem; of a family the means."""
    if isinstance(problem, ProblemFamily):
        return _family(problem, plan)
    values = {metric: np.full(plan.shape(metric), np.nan) for metric in plan.of_problems}
    reasons: Reasons = {}
    shared = _Shared(problem, plan)
    for metric in plan.of_problems:
        if metric in ("ece", "mce"):
            for b, (name, make) in enumerate(plan.binnings.items()):
                try:
                    values[metric][b] = shared.series(metric, name, [make(count) for count in plan.bins])
                except ValueError as error:
                    reasons.setdefault(metric, []).append((f"binning={name}", str(error)))
            continue
        try:
            values[metric][...] = shared.value(metric)
        except ValueError as error:
            reasons[metric] = [("", str(error))]
    return values, reasons


def _family(family: ProblemFamily, plan: Plan) -> Measured:
    """Each problem is made once, measured in every way, and dropped."""
    values = {metric: np.zeros(plan.shape(metric)) for metric in plan.of_problems}
    reasons: Reasons = {}
    parts = 0
    asked = [metric for metric in LIKERT if metric in values]
    kept = tuple(metric for metric in plan.metrics if metric not in LIKERT)
    distance, shares = shares_of(plan.distance, len(family.outcomes))
    plan = replace(plan, metrics=kept, distance=distance)
    for index, part in family.numbered():
        parts += 1
        found, why = measured(part, plan)
        for metric in found:
            if shares is None or metric not in BY_DISTANCE:
                values[metric] += found[metric] / len(family.outcomes)
            else:
                values[metric] += found[metric] * shares[index]
        reasons = why | reasons  # the first problem that has one tells
    if not parts:  # all weights are 0
        raise EmptyProblemError
    for metric in asked:
        values[metric][...] = np.nan
        reasons[metric] = [("", "Likert categories need a lens that makes one problem")]
    if "count" in values:
        values["count"] = np.array(float(len(family)))
    return values, reasons


class _Shared:
    """The metrics of a problem; what two of them need is made once."""

    def __init__(self, problem: Problem, plan: Plan) -> None:
        self.problem = problem
        self.plan = plan
        self.kept: dict[str, Any] = {}

    def series(self, metric: str, name: str, binnings: Sequence[Binning]) -> Array:
        bins, starts = self.once(f"bins {name}", lambda: bin_series(self.problem, binnings))
        return errors_of_series(bins, starts, self.plan.distance, self.plan.p, "max" if metric == "mce" else "mean")

    def value(self, metric: str) -> float | Array:
        if metric == "count":
            return float(self.problem.samples)
        if metric == "kdtree_ece":
            # The finest first: the tree is then grown in one go.
            order = np.argsort(self.plan.gammas)
            errors = self.series(metric, "of trees", [KDTree(self.plan.gammas[i]) for i in order])
            return errors[np.argsort(order)]
        if metric in LIKERT:
            return self.once("likert", self.likert)[metric]
        if metric in ANY_PROBLEM:
            return ANY_PROBLEM[metric](self.problem)
        problem = self.problem
        if not isinstance(problem, ScalarProblem):
            raise ValueError(f"{metric} needs a scalar lens, or one outcome of a vector lens")
        if metric in ("sweep", "sweep_bins"):
            bins = self.once("sweep", lambda: Sweep()(problem))
            return float(len(bins)) if metric == "sweep_bins" else binned_error(bins, self.plan.distance, self.plan.p)
        if metric in ("miscalibration", "discrimination", "uncertainty"):
            return float(getattr(self.once("corp", lambda: corp(problem)), metric))
        if metric == "net_benefit":
            return net_benefits(problem, np.array(self.plan.thresholds))
        return SCALAR[metric](problem)

    def likert(self) -> dict[str, Array]:
        """Every category in all bins."""
        if not isinstance(self.problem, ScalarProblem):
            raise ValueError("Likert categories need a scalar lens, or one outcome of a vector lens")
        values = {metric: np.full(self.plan.shape(metric), np.nan) for metric in LIKERT}
        for i, (low, high) in enumerate(self.plan.likert.values()):
            for b, make in enumerate(self.plan.binnings.values()):
                for c, count in enumerate(self.plan.bins):
                    row = problem_likert(self.problem, low, high, make(count))
                    values["likert_error"][i, b, c] = row["error"]
                    values["likert_total_variation"][i, b, c] = row["total_variation"]
                    values["likert_count"][i] = row["count"]
                    values["likert_mean_target"][i] = row["mean_target"]
        return values

    def once(self, name: str, make: Callable[[], T]) -> T:
        if name not in self.kept:
            self.kept[name] = make()
        found: T = self.kept[name]
        return found


ANY_PROBLEM: Mapping[str, Callable[[Problem], float]] = {
    "brier": brier_score,
    "log_loss": log_loss,
}
SCALAR: Mapping[str, Callable[[ScalarProblem], float]] = {
    "ks": ks_error,
    "kuiper": kuiper_error,
    "smooth": smooth_error,
    "kde": kde_error,
    "debiased": debiased_error,
    "label_binned": label_binned_error,
    "observed_expected": lambda problem: observed_expected(problem).estimate,
    "calibration_in_the_large": calibration_in_the_large,
    "calibration_intercept": lambda problem: calibration_intercept(problem).estimate,
    "calibration_slope": lambda problem: calibration_slope(problem).estimate,
    "ici": ici,
    "e50": e50,
    "e90": e90,
    "emax": emax,
    "eci": eci,
    "aurc": mean_risk,
    "excess_aurc": excess_risk,
    "augrc": mean_generalized_risk,
    "mean_score": lambda problem: problem.mean_score,
    "mean_target": lambda problem: problem.mean_target,
}
