"""Acting where a score reaches a threshold: net benefit, decision curves, crossings, calibration near the threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from ..context.conditions import Condition
from ..context.induced import Judged, Summarized
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import takes_arrays
from ..engine.deferred import reweighted
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..engine.summed import SummedProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import OURS, RESAMPLED, Described, described
from ..foundation.progress import with_progress
from ..metrics.asked import measured_each, problem_of, refuse_pooled
from ..metrics.clinical.acting import Acted, Prevalence, acted, net_benefits, threshold_of, thresholds_of
from ..metrics.clinical.flexible_curve import SMOOTHER, SMOOTHERS
from ..metrics.masses import counts_of
from ..uncertainty.intervals.bin_intervals import intervals_within
from ..uncertainty.resampling.bootstrap import drawn_weights, draws_of, level_of_clusters, percentile_interval
from .pairs import recalibrated_problem

LEVEL, WIDTH, EQUAL = 0.95, 0.05, 1e-12
THRESHOLDS = tuple(round(0.01 * k, 2) for k in range(1, 100))
CROSSING = ("count", "weight", "score", "recalibrated", "target", "lower", "upper")
MODEL, RECALIBRATED, ALL, NONE = "model", "recalibrated", "treat all", "treat none"


SAID = {
    "threshold": Described("score from which on somebody acts", source="Vickers and Elkin 2006"),
    "recalibrated": Described("mean recalibrated score"),
    "curve": Described("flexible curve at the threshold", source="Van Calster et al. 2016"),
    "curve_lower": Described("lower end of the band of the curve", source="Van Calster et al. 2016"),
    "curve_upper": Described("upper end of the band of the curve", source="Van Calster et al. 2016"),
    "net_benefit": Described("net benefit", "true positives per sample", "Vickers and Elkin 2006"),
}


@takes_arrays
def net_benefit(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    threshold: float | None = None,
    cost_ratio: float | None = None,
    prevalence: float | None = None,
    shift: bool = False,
    trained_at: float | None = None,
    strategy: str = MODEL,
    standardized: bool = False,
    calibrator: Any = None,
) -> float:
    """Net benefit of acting where the score reaches a threshold: true positives minus false ones at their price.

    NB = TP - o FP, with TP and FP the shares of all samples that are acted on rightly and needlessly, and
    o = t / (1 - t) the odds of the threshold t: what a false alarm costs, in true positives.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    threshold : float, in [0, 1)
        Act where the score is at least that.
    cost_ratio : float, at least 0, in place of `threshold`
        The harm of acting needlessly divided by the benefit of acting rightly: o.
    prevalence : float, in (0, 1), optional
        Another share of the positive class than that of the samples, which are weighted to have it.
    shift : bool
        Move the scores to that prevalence as well.
    trained_at : float, in (0, 1), optional
        With `shift`, the share of the positive class that the scores were made for, as in
        `Predictions.at_prevalence`; by default that of the samples.
    strategy : {"model", "treat all", "treat none"}
    standardized : bool
        Divide by the prevalence, so that 1 is the best possible value.
    calibrator : fitted calibrator, or a function of scores, optional
        Act on the scores that it makes. The selection is made before, by the scores of the model.

    Returns
    -------
    float, at most 1
        In true positives per sample. Under a family of lenses a DataArray over `outcome`.

    Raises
    ------
    ValueError
        Where not exactly one of threshold and cost ratio is given, one is out of range, or as `observed_expected`.

    See Also
    --------
    decision_curve : The net benefit of every strategy at all thresholds.

    Notes
    -----
    In a summary, a cell is acted on as a whole, by its mean score. The net benefit is exact at thresholds where no cell
    has scores on both sides, such as 1/15, 0.01 and all other edges of the grid of cells. Elsewhere it is off by no
    more than max(TP, o FP) of the one cell that holds the threshold. The same holds for `decision_curve` and
    `changed_sides`.

    References
    ----------
    Vickers and Elkin 2006, Decision curve analysis; Kerr et al. 2016 (standardized); Elkan 2001 and Saerens et al. 2002
    (another prevalence).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> round(cv.net_benefit(p, threshold=0.2), 3)
    0.355
    """
    validation.truth(standardized, "standardized")
    validation.truth(shift, "shift")
    at = np.array([_threshold_of(threshold, cost_ratio)])
    there = Prevalence.checked(prevalence, shift, trained_at)
    validation.choice(strategy, "strategy", (MODEL, ALL, NONE))

    def measure(problem: ScalarProblem) -> float:
        there.notice_unmoved(problem, stacklevel=5)
        used = problem if calibrator is None else recalibrated_problem(problem, calibrator, predictions, lens, outcome)
        table = strategies({MODEL: acted(used, at, there)}, at)
        return float(table["standardized_net_benefit" if standardized else "net_benefit"].sel(strategy=strategy)[0])

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


@assumes_independence
@takes_arrays
def decision_curve(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    thresholds: ArrayLike = THRESHOLDS,
    prevalence: float | None = None,
    shift: bool = False,
    trained_at: float | None = None,
    calibrator: Any = None,
    replicates: int = 0,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """Decision curves: the net benefit at every threshold, of the model, of treating all and of treating none.

    The standardized net benefit is NB / prevalence; the interventions avoided are (NB - NB of treating all) / o, with o
    the odds of the threshold.

    Parameters
    ----------
    predictions, lens, selection, outcome, prevalence, shift, trained_at, calibrator
        As in `net_benefit`; with a calibrator its scores are a strategy of their own beside the model.
    thresholds : array-like, shape (m,), in [0, 1)
    replicates : int
        With n > 0 replicates, `lower` and `upper` are percentiles of the net benefit; 200 are enough.
    level : float, in (0, 1)
    rng : int, numpy.random.Generator or None
        The draws are the same for all strategies and thresholds: their differences are paired.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        Over `strategy` and `threshold`: net_benefit, standardized_net_benefit, interventions_avoided, treated,
        true_positive and false_positive, all shares of the samples. The attribute `prevalence` is the share of the
        positive class.

    Raises
    ------
    ValueError
        As `net_benefit`.

    See Also
    --------
    net_benefit : The net benefit at one threshold.
    murphy_curve : The same as a loss, whose area is the Brier score.
    changed_sides : The samples that cross a threshold under a calibrator.

    References
    ----------
    Vickers and Elkin 2006; Vickers et al. 2008 (interventions avoided).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> cv.decision_curve(p, thresholds=[0.2]).net_benefit.round(3).squeeze().values
    array([0.355, 0.216, 0.   ])
    """
    seed = validation.draws(rng, progress, replicates=replicates, fewest=0)
    at, there = thresholds_of(thresholds), Prevalence.checked(prevalence, shift, trained_at)
    level = validation.level(level)

    def measure(problem: ScalarProblem) -> xr.Dataset:
        there.notice_unmoved(problem, stacklevel=6)
        acting = {MODEL: problem}
        if calibrator is not None:
            acting[RECALIBRATED] = recalibrated_problem(problem, calibrator, predictions, lens, outcome)

        def table_of(problems: Mapping[str, ScalarProblem]) -> xr.Dataset:
            return strategies({name: acted(each, at, there) for name, each in problems.items()}, at)

        table = table_of(acting)
        if replicates:
            draws = with_progress(replicates_of(acting, replicates, seed), "bootstrap", replicates, progress)
            others = [table_of(drawn).net_benefit.values for drawn in draws]
            lower, upper = percentile_interval(np.array(others), level_of_clusters(problem, level))
            dims = ("strategy", "threshold")
            table = table.assign(lower=(dims, lower), upper=(dims, upper)).assign_attrs(level=level)
        return described(table, "Vickers and Elkin 2006", SAID | RESAMPLED)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def strategies(acting: Mapping[str, Acted], thresholds: Array) -> xr.Dataset:
    """The measures of every strategy, of treating all and of treating none, at every threshold."""
    rows = with_extremes(acting)
    prevalence = rows[ALL].prevalence
    odds = thresholds / (1 - thresholds)
    benefit = np.array([row.net_benefit(odds) for row in rows.values()])
    hits = np.array([row.true_positive for row in rows.values()])
    misses = np.array([row.false_positive for row in rows.values()])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        standardized = benefit / (prevalence or np.nan)
        avoided = (benefit - (prevalence - odds * (1 - prevalence))) / np.where(odds > 0, odds, np.nan)
    dims = ("strategy", "threshold")
    return xr.Dataset(
        {
            "net_benefit": (dims, benefit, {"long_name": "net benefit", "units": "true positives per sample"}),
            "standardized_net_benefit": (dims, standardized, {"long_name": "net benefit / prevalence"}),
            "interventions_avoided": (dims, avoided, {"long_name": "interventions avoided per sample"}),
            "treated": (dims, hits + misses, {"long_name": "share that is acted on"}),
            "true_positive": (dims, hits, {"long_name": "share that is acted on rightly"}),
            "false_positive": (dims, misses, {"long_name": "share that is acted on needlessly"}),
        },
        {"strategy": list(rows), "threshold": thresholds},
        {"prevalence": prevalence},
    )


def with_extremes(acting: Mapping[str, Acted]) -> dict[str, Acted]:
    """Ways to act by scores, and to act on all and on none of the samples of the first of them."""
    first = next(iter(acting.values()))
    return {**acting, ALL: first.everybody(), NONE: first.nobody()}


def replicates_of(acting: Mapping[str, ScalarProblem], n: int, seed: int | None) -> Iterator[dict[str, ScalarProblem]]:
    """Bootstrap replicates of problems of the same samples: each sample is drawn equally often in all of them.

    A seed draws the same samples whatever their scores, so other models of these samples can be compared draw by draw.
    """
    first = next(iter(acting.values()))
    by_sample = np.zeros(int(first.order.max()) + 1)
    if isinstance(first, SummedProblem):
        samples, draws = first.order, draws_of(first, n, None, seed)
    else:
        places = np.argsort(first.order)
        weight = None if first.given_weight is None else first.given_weight[places]
        codes = None if first.clusters is None else first.clusters[first.order[places]]
        samples, draws = first.order[places], drawn_weights(len(first), weight, n, None, seed, codes)
    for drawn in draws:
        by_sample[samples] = drawn
        try:
            yield {name: reweighted(problem, by_sample[problem.order]) for name, problem in acting.items()}
        except EmptyProblemError:
            continue


@assumes_independence
@takes_arrays
def changed_sides(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibrator: Any,
    thresholds: ArrayLike,
    level: float = LEVEL,
) -> xr.Dataset:
    """The samples that cross a threshold under a calibrator: how many, their mean scores, and their mean target.

    Parameters
    ----------
    predictions, lens, selection, outcome, calibrator
        As in `net_benefit`.
    thresholds : float in [0, 1), or several
    level : float, in (0, 1)
        The level of the Clopper-Pearson interval.

    Returns
    -------
    xarray.Dataset
        Over `direction` ("up": below the threshold before and not after; "down") and `threshold`: count, weight, the
        mean score, the mean recalibrated score, the mean target, and its interval lower and upper, nan where no
        sample crosses. `net_benefit` over `when` ("before", "after") and `threshold`. The attribute `indices` maps each
        direction to a list that holds, for each threshold, the places of those samples in the predictions; it is
        absent for a summary, whose samples have no places.

    Raises
    ------
    ValueError
        Where the calibrator changes what the lens looks at (the predicted class under "top-1"), and as `net_benefit`.

    See Also
    --------
    decision_curve : The net benefit before and after.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> calibration, judged = p.split(0.5)
    >>> spline = cv.Spline().fit(cv.lens("class malignant")(calibration))
    >>> cv.changed_sides(judged, calibrator=spline, thresholds=0.2)["count"].squeeze().values
    array([2., 0.])
    """
    at, level = thresholds_of(_several(thresholds)), validation.level(level)
    refuse_pooled(lens, "those who change sides")

    def measure(problem: ScalarProblem) -> xr.Dataset:
        after = recalibrated_problem(problem, calibrator, predictions, lens, outcome)
        table = crossings(problem, after, at, level)
        if table is None:
            raise ValueError(
                f"{calibrator!r} changes which class is looked at: ask about one class, for example lens='class 1'"
            )
        if isinstance(predictions, Summarized):  # its samples have no places
            del table.attrs["indices"]
        return described(table, OURS, SAID)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def crossings(problem: ScalarProblem, after: ScalarProblem, thresholds: Array, level: float) -> xr.Dataset | None:
    """The samples that cross each threshold from one score to another; None if the two problems differ in targets."""
    size = int(problem.order.max()) + 1
    moved, target = np.zeros(size), np.zeros(size)
    moved[after.order], target[after.order] = after.score, after.given_target
    score, moved, target = problem.score, moved[problem.order], target[problem.order]
    if not np.array_equal(target, problem.given_target):
        return None
    below, below_after = score < thresholds[:, None], moved < thresholds[:, None]
    weight = problem.weight
    columns: dict[str, list[Array]] = {}
    indices: dict[str, list[list[int]]] = {}
    for direction, crossing in (("up", below & ~below_after), ("down", ~below & below_after)):
        total = crossing @ weight
        with np.errstate(divide="ignore", invalid="ignore"):
            means = [crossing @ (weight * values) / total for values in (score, moved, target)]
        ends = intervals_within(problem, crossing, level)
        row = (crossing @ counts_of(problem), total, *means, *ends)
        for name, values in zip(CROSSING, row, strict=True):
            columns.setdefault(name, []).append(values)
        indices[direction] = [np.sort(problem.order[crosses]).tolist() for crosses in crossing]
    benefit = [net_benefits(scored, thresholds) for scored in (problem, after)]
    return xr.Dataset(
        {name: (("direction", "threshold"), np.array(values)) for name, values in columns.items()}
        | {"net_benefit": (("when", "threshold"), np.array(benefit))},
        {"direction": ["up", "down"], "threshold": thresholds, "when": ["before", "after"]},
        {"level": level, "indices": indices},
    )


@assumes_independence
@takes_arrays
def local_calibration(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    thresholds: ArrayLike,
    width: float = WIDTH,
    level: float = LEVEL,
    smoother: str = SMOOTHER,
) -> xr.Dataset:
    """Calibration near a threshold: the mean score and the mean target of the samples whose score is close to it.

    At a threshold t these are the samples with abs(s_i - t) <= width; score is their mean s_i, target their mean t_i.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    thresholds : float in [0, 1), or several
    width : float, in (0, 1]
        How far from the threshold a score may be.
    level : float, in (0, 1)
    smoother : {"penalised", "spline", "honest", "belt"}
        Of the flexible curve, as in `calibration_curve`.

    Returns
    -------
    xarray.Dataset
        Over `threshold`: count, weight, score, target, gap = target - score, and the Clopper-Pearson interval of the
        target, lower and upper; nan where no score is close. Beside them `curve`, `curve_lower` and `curve_upper`, the
        flexible curve at the threshold.

    Raises
    ------
    ValueError
        As `observed_expected`.

    See Also
    --------
    calibration_curve : The flexible curve.

    Notes
    -----
    In a summary, the samples of a cell are near the threshold together, or none of them is. The sums are exact if the
    window ends at edges of the grid of cells; otherwise the weight is off by at most that of the two cells that hold
    its ends.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.local_calibration(p, thresholds=0.9).target.round(2).values
    array([0.33])
    """
    at, level = thresholds_of(_several(thresholds)), validation.level(level)
    width = validation.real_number(width, "width", 0.0, 1.0)
    validation.choice(smoother, "smoother", tuple(SMOOTHERS))

    def measure(problem: ScalarProblem) -> xr.Dataset:
        curve = SMOOTHERS[smoother](problem)
        curve_lower, curve_upper = curve.band(at, level)
        columns = near_thresholds(problem, at, width, level)
        columns |= {"curve": curve(at), "curve_lower": curve_lower, "curve_upper": curve_upper}
        table = xr.Dataset(
            {name: ("threshold", values) for name, values in columns.items()},
            {"threshold": at},
            {"width": width, "level": level, "smoother": smoother} | curve.about,
        )
        return described(table, OURS, SAID)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def near_thresholds(problem: ScalarProblem, thresholds: Array, width: float, level: float) -> dict[str, Array]:
    """The count, weight, mean score, mean target and its interval, of the samples near each threshold."""
    near = np.abs(problem.score - thresholds[:, None]) <= width + EQUAL
    total = near @ problem.weight
    with np.errstate(divide="ignore", invalid="ignore"):
        score, target = (near @ (problem.weight * values) / total for values in (problem.score, problem.given_target))
    lower, upper = intervals_within(problem, near, level)
    columns = {"count": near @ counts_of(problem), "weight": total, "score": score, "target": target}
    return columns | {"gap": target - score, "lower": lower, "upper": upper}


def _threshold_of(threshold: Any, cost_ratio: Any) -> float:
    """The threshold t, given itself or a cost ratio r: t = r / (1 + r)."""
    if (threshold is None) == (cost_ratio is None):
        raise ValueError("pass one of threshold=... and cost_ratio=..., which say the same: t = r / (1 + r)")
    if cost_ratio is not None:
        ratio = validation.real_number(cost_ratio, "cost_ratio", 0.0, 1e12)
        return ratio / (1 + ratio)
    return threshold_of(threshold)


def _several(thresholds: Any) -> Any:
    """One threshold as a list of one; others as they are."""
    return [thresholds] if np.isscalar(thresholds) or getattr(thresholds, "shape", None) == () else thresholds
