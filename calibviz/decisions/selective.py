"""Selective prediction: the model decides on the samples of which it is the surest, somebody else on the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from ..context.conditions import Condition
from ..context.induced import Judged
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import takes_arrays
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.described import described
from ..foundation.progress import with_progress
from ..foundation.written import Brief
from ..metrics.asked import measured_each, of_lens, problem_of
from ..metrics.records.registry import METRICS
from ..metrics.risks import EQUAL, TieBlocks, excess_risk, mean_generalized_risk, mean_risk
from ..uncertainty.intervals.risk_intervals import mean_risk_interval, risk_interval
from ..uncertainty.resampling.bootstrap import level_of_clusters, percentile_interval, resampled

LEVEL = 0.95


@dataclass(frozen=True)
class Coverage(Brief):
    """How much can be left to the model, and from which score on; see `coverage_at_risk`.

    Attributes
    ----------
    coverage : float, in [0, 1]
        0 if no share is safe enough.
    threshold : float
        The least score that is accepted; nan if none is.
    lower, upper : float, in [0, 1]
        The percentile interval of the coverage, nan without a bootstrap.

    See Also
    --------
    coverage_at_risk : Returns it.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> safe = cv.coverage_at_risk(p, risk=0.01, replicates=99)
    >>> safe.lower <= safe.coverage <= safe.upper
    True
    """

    coverage: float
    threshold: float
    lower: float = float("nan")
    upper: float = float("nan")


SAID = {name: METRICS[name].long_name for name in ("aurc", "excess_aurc")} | {
    "aurc_lower": "lower end of the interval of the AURC",
    "aurc_upper": "upper end of the interval of the AURC",
}


@assumes_independence
@takes_arrays
def risk_coverage(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    level: float | None = LEVEL,
) -> xr.Dataset:
    """The risk-coverage curve: the share that is wrong among the surest, for every share that is accepted.

    With e_1, e_2, ... the losses 1 - target by descending score, accepting the first k of n samples has the coverage
    k/n, the risk (1/k) sum_{i <= k} e_i and the generalized risk (1/n) sum_{i <= k} e_i.

    Parameters
    ----------
    predictions : Predictions, a scalar problem, a summary, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name, optional
        The score is the confidence, and 1 - target the loss. By default the positive class of two, whose loss is 1
        where it is not the true one, and "top-1" of more, whose loss is 1 where the likeliest class is wrong: name it
        for two classes as well, if either may be predicted. A family such as "classwise" gives a curve
        for each `outcome`, nan beyond its last point.
    selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    level : float in (0, 1), or None
        How often intervals shall hold the truth; None leaves them out.

    Returns
    -------
    xarray.Dataset
        Over `point`, one for each distinct score, the surest first: coverage, risk (the share of wrong ones among those
        accepted), generalized_risk (among all) and threshold, the least score that is accepted. Beside them `aurc` and
        `excess_aurc` in one number each. With a `level`, which is then an attribute: `lower` and `upper`, the
        Clopper-Pearson interval of the risk from each threshold on, and `aurc_lower` and `aurc_upper`, by the delta
        method, nan of a summary and where fewer than 10 samples are wrong, or right.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or the lens has several outcomes and none is chosen.

    See Also
    --------
    aurc, augrc : The curve in one number.
    coverage_at_risk : How much can be accepted.

    Notes
    -----
    In a summary, the samples of a cell are accepted together, as if they were tied at their mean score. The points lie
    on the curve of the samples, so the coverage at a risk is never too large. The areas are exact if the scores of each
    cell are equal. Otherwise `augrc` is off by no more than half the sum over the cells of (share of the samples in the
    cell) (share of the samples that are wrong and in the cell); the error of `aurc` depends on the order within cells.

    References
    ----------
    Geifman and El-Yaniv 2017, Selective classification for deep neural networks; Traub et al. 2024, Overcoming common
    flaws in the evaluation of selective classification systems (the generalized risk).

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> cv.risk_coverage(p).risk[-1].round(3).item()
    0.023
    >>> cv.risk_coverage(p).upper[-1].round(3).item()
    0.031
    """
    if level is not None:
        validation.level(level)

    def measure(problem: ScalarProblem) -> xr.Dataset:
        curve = risk_curve(problem)
        curve = curve if level is None else with_intervals(curve, problem, level)
        return described(curve, "Geifman and El-Yaniv 2017; Traub et al. 2024", SAID)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def risk_curve(problem: ScalarProblem) -> xr.Dataset:
    """The risk-coverage curve of one problem, without intervals; see `risk_coverage`."""
    blocks = TieBlocks.of(problem, problem.weight)
    accepted, lost = np.cumsum(blocks.weight), np.cumsum(blocks.loss)
    return xr.Dataset(
        {
            "coverage": ("point", np.minimum(accepted / accepted[-1], 1.0), {"long_name": "share that is accepted"}),
            "risk": ("point", lost / accepted, {"long_name": "share of wrong ones among the accepted"}),
            "generalized_risk": ("point", lost / accepted[-1], {"long_name": "share of wrong and accepted ones"}),
            "threshold": ("point", blocks.value, {"long_name": "least score that is accepted"}),
            "aurc": mean_risk(problem),
            "excess_aurc": excess_risk(problem),
        },
        {"point": np.arange(len(blocks.value))},  # along which the curves of several outcomes are aligned
    )


def with_intervals(curve: xr.Dataset, problem: ScalarProblem, level: float) -> xr.Dataset:
    """The risk-coverage curve of a problem, or some points of it, with its intervals; see `risk_coverage`."""
    lower, upper = risk_interval(problem, curve.point.values, level)
    aurc_lower, aurc_upper = mean_risk_interval(problem, level)
    about = "end of the interval of the risk"
    return curve.assign(
        lower=("point", lower, {"long_name": f"lower {about}"}),
        upper=("point", upper, {"long_name": f"upper {about}"}),
        aurc_lower=aurc_lower,
        aurc_upper=aurc_upper,
    ).assign_attrs(level=level)


@of_lens()
def aurc(problem: ScalarProblem) -> float:
    """Area under the risk-coverage curve: the mean risk over all numbers of samples that can be accepted.

    (1/n) sum_i (1/i) sum_{j <= i} e_j over the samples by descending score, averaged over all orders of ties.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `risk_coverage`.

    Returns
    -------
    float, in [0, 1]

    See Also
    --------
    excess_aurc : What it exceeds that of a perfect ranking by.
    augrc : The same area for the generalized risk.

    References
    ----------
    Geifman et al. 2019, Bias-reduced uncertainty estimation for deep neural classifiers.

    Examples
    --------
    >>> round(cv.aurc(cv.load_dataset("digits")["random forest"]), 4)
    0.0007
    """
    return mean_risk(problem)


@of_lens()
def excess_aurc(problem: ScalarProblem) -> float:
    """Excess AURC: the area under the risk-coverage curve minus that of a perfect ranking.

    A perfect ranking of the same samples accepts every right one before any wrong one.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `risk_coverage`.

    Returns
    -------
    float, at least 0
        0 exactly for a perfect ranking.

    See Also
    --------
    aurc : The whole area.

    References
    ----------
    Geifman et al. 2019, Bias-reduced uncertainty estimation for deep neural classifiers.

    Examples
    --------
    >>> round(cv.excess_aurc(cv.load_dataset("digits")["random forest"]), 4)
    0.0004
    """
    return excess_risk(problem)


@of_lens()
def augrc(problem: ScalarProblem) -> float:
    """Area under the generalized risk-coverage curve: the mean share of samples that are wrong and accepted.

    The curve has the points (k/n, (1/n) sum_{i <= k} e_i), k = 0, ..., n, joined by straight lines; tied samples are
    accepted together.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `risk_coverage`.

    Returns
    -------
    float, in [0, 1/2]

    See Also
    --------
    aurc : The same area for the risk among the accepted.

    References
    ----------
    Traub et al. 2024, Overcoming common flaws in the evaluation of selective classification systems.

    Examples
    --------
    >>> round(cv.augrc(cv.load_dataset("digits")["random forest"]), 4)
    0.0007
    """
    return mean_generalized_risk(problem)


@takes_arrays
def risk_at_coverage(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    coverage: float,
) -> float:
    """The risk of accepting at least a share of the samples, the surest ones.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `risk_coverage`.
    coverage : float, in (0, 1]

    Returns
    -------
    float, in [0, 1]

    See Also
    --------
    coverage_at_risk : The other way round.

    Examples
    --------
    >>> round(cv.risk_at_coverage(cv.load_dataset("digits")["random forest"], coverage=0.95), 4)
    0.0053
    """
    wanted = validation.real_number(coverage, "coverage", 0.0, 1.0)
    if wanted == 0:
        raise ValueError("coverage must be larger than 0: without an accepted sample there is no risk")

    def measure(problem: ScalarProblem) -> float:
        curve = risk_curve(problem)
        return float(curve.risk[int(np.argmax(curve.coverage.values >= wanted - EQUAL))])

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


@assumes_independence
@takes_arrays
def coverage_at_risk(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    risk: float,
    replicates: int = 0,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> Coverage:
    """The largest share of the samples that can be accepted, the surest ones, at no more than a risk.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `risk_coverage`.
    risk : float, in [0, 1]
        The share of wrong ones among the accepted that is allowed.
    replicates : int
        With n > 0 replicates, `lower` and `upper` are percentiles of the coverage.
    level : float, in (0, 1)
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Coverage
        The coverage is 0 and the threshold nan if even the surest samples are wrong too often.

    See Also
    --------
    risk_at_coverage : The other way round.

    References
    ----------
    Geifman and El-Yaniv 2017, Selective classification for deep neural networks.

    Examples
    --------
    >>> safe = cv.coverage_at_risk(cv.load_dataset("digits")["random forest"], risk=0.01)
    >>> round(safe.coverage, 2), round(safe.threshold, 2)
    (0.97, 0.37)
    """
    seed = validation.draws(rng, progress, replicates=replicates, fewest=0)
    allowed, level = validation.real_number(risk, "risk", 0.0, 1.0), validation.level(level)

    def measure(problem: ScalarProblem) -> Coverage:
        share, threshold = _most_covered(problem, allowed)
        if not replicates:
            return Coverage(share, threshold)
        others = [
            _most_covered(replicate, allowed)[0]
            for replicate in with_progress(resampled(problem, replicates, seed=seed), "bootstrap", replicates, progress)
            if isinstance(replicate, ScalarProblem)
        ]
        lower, upper = percentile_interval(np.array(others), level_of_clusters(problem, level))
        return Coverage(share, threshold, float(lower), float(upper))

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def _most_covered(problem: ScalarProblem, allowed: float) -> tuple[float, float]:
    """The largest share whose risk is allowed, and the least score in it; 0 and nan if there is none."""
    blocks = TieBlocks.of(problem, problem.weight)
    accepted, lost = np.cumsum(blocks.weight), np.cumsum(blocks.loss)
    safe = np.flatnonzero(lost / accepted <= allowed + EQUAL)
    if not len(safe):
        return 0.0, np.nan
    return float(min(accepted[safe[-1]] / accepted[-1], 1.0)), float(blocks.value[safe[-1]])
