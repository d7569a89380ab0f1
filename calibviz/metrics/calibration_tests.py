"""Tests of calibration by one statistic: Spiegelhalter's, Kolmogorov-Smirnov's and Kuiper's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ..data.dependence import assumes_independence
from ..engine.chances import Chances
from ..engine.cluster_draws import ClusterDraws
from ..engine.clustered import Clusters, too_few
from ..engine.scalar import ScalarProblem, once
from ..foundation.arrays import Array, dot
from ..foundation.chance import noise_floor
from ..foundation.written import Brief
from .asked import of_lens, refuse_soft
from .masses import label_variances, unit_weights, variances

SURELY_EXCEEDED = 0.01  # by a Brownian motion on [0, 1]: with the probability 1 to the last digit
TERMS = np.arange(60)


@dataclass(frozen=True)
class CalibrationTest(Brief):
    """A statistic and its p-value; see `spiegelhalter_test`.

    Attributes
    ----------
    statistic : float
    p_value : float, in [0, 1]
        How often calibrated scores are as far off; nan of fewer than six clusters.
    draws : {"signs", "signs and whole clusters"}, or None without clusters
        What was drawn for the p-value.
    clusters : int, or None without clusters
        How many there are.
    are_rows : bool
        Whether each row is a cluster of its own, as at a horizon.
    why_not : str
        Why there is no p-value, a clause; empty where there is one.

    See Also
    --------
    spiegelhalter_test : What makes it.
    ks_test, kuiper_test : Tests of the cumulated gaps.
    consistency : A test of any error, by resampling.

    Examples
    --------
    >>> round(cv.spiegelhalter_test(cv.load_dataset("tumours")["logistic regression"]).statistic, 2)
    -1.28
    """

    statistic: float
    p_value: float
    draws: str | None = field(default=None, kw_only=True)
    clusters: int | None = field(default=None, kw_only=True)
    are_rows: bool = field(default=False, kw_only=True, repr=False)

    @property
    def why_not(self) -> str:
        return too_few(self.clusters, self.are_rows)


@dataclass(frozen=True)
class WalkTest(CalibrationTest):
    """The outcome of a test of the cumulated gaps; see `ks_test` and `kuiper_test`.

    Attributes
    ----------
    ratio : float, at least 0
        The statistic divided by the standard deviation that the sum of all gaps has under calibration.
    draws, clusters, why_not
        As in `CalibrationTest`.

    See Also
    --------
    ks_test, kuiper_test : What make it.
    multicalibration_error : The largest such ratio over many segments.

    Examples
    --------
    >>> round(cv.ks_test(cv.load_dataset("tumours")["logistic regression"]).ratio, 2)
    0.83
    """

    ratio: float


@assumes_independence
@of_lens(refused="a test")
def spiegelhalter_test(problem: ScalarProblem) -> CalibrationTest:
    """Spiegelhalter's test: is the Brier score what it would be if the scores were calibrated?

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.

    Returns
    -------
    CalibrationTest
        With statistic z, which is standard normal under calibration, and the two-sided p_value.

    Raises
    ------
    ValueError
        For soft labels without clusters, and as `observed_expected`.

    See Also
    --------
    ks_test, kuiper_test : Tests that see errors which cancel in the Brier score.

    Notes
    -----
    With weights w, and u = w where they are whole numbers, else w^2:
    z = sum w (t - s) (1 - 2 s) / sqrt(sum u (1 - 2 s)^2 s (1 - s)). Under a selection that looks at the truth, t - s
    and s (1 - s) are the residual of `calibration_test` and its variance, of all samples. With clusters, H_c the sum of
    w (t - s) (1 - 2 s) over one, z = sum H_c / sqrt(sum H_c^2), and the p-value is that of the signs of `ks_test`.

    References
    ----------
    Spiegelhalter 1986, Probabilistic prediction in patient management and clinical trials.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.spiegelhalter_test(p).p_value < 0.001
    True
    """
    chances = chances_of(problem)
    rows, tilt = chances.rows, 1 - 2 * chances.score
    if rows.clusters is not None:
        return _spiegelhalter_of_clusters(chances)
    gap = dot(unit_weights(rows), chances.residuals * tilt)
    spread = float(np.sqrt(dot(tilt**2, variances(rows) * chances.variance)))
    with np.errstate(divide="ignore", invalid="ignore"):  # of certain scores the spread is 0
        z = float(np.divide(gap, spread))
    return CalibrationTest(z, float(2 * ndtr(-abs(z))))


@assumes_independence
@of_lens(refused="a test")
def ks_test(problem: ScalarProblem) -> WalkTest:
    """Kolmogorov-Smirnov test of calibration: how often would calibrated scores have so large a KS error?

    The p-value is asymptotic, as that of the largest ``|B|`` of a Brownian motion B on [0, 1]; `consistency` resamples.
    Of samples in clusters it is drawn.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.

    Returns
    -------
    WalkTest
        With statistic (the KS error), ratio and p_value.

    Raises
    ------
    ValueError
        For soft labels without clusters, and as `observed_expected`.

    See Also
    --------
    ks_error : The statistic.
    kuiper_test : The same of the range.
    consistency : The p-value of any error, by resampling.

    Notes
    -----
    The ratio is the KS error over sqrt(sum u s (1 - s)) / W, where u = w for whole-number weights, else w^2. As n grows
    it is distributed as ``max |B|`` if the scores are calibrated. Under a selection that looks at the truth, t - s and
    s (1 - s) are the residual of `calibration_test` and its variance, of all samples; the statistic is then no error.

    With clusters (`Predictions(cluster=...)`) the ratio is the KS error over sqrt(sum_c G_c^2) / W, G_c the sum of
    w (t - s) over a cluster. For the p-value the residuals of each cluster get a sign of their own: all 2^C patterns of
    up to 12 clusters, else 999 random ones. Where all samples of each cluster have one outcome, or fewer than three
    clusters (Kish) are expected to hold an event, or none, signs would reject too often: targets 1[U < s], with one
    uniform number U for each cluster, are drawn besides, and the larger p-value counts. Weights are no repetitions
    then. Of fewer than six clusters there is no p-value. Labels may be soft where signs suffice.

    References
    ----------
    Arrieta-Ibarra et al. 2022, Metrics of calibration for probabilistic predictions; Feller 1951, The asymptotic
    distribution of the range of sums of independent random variables; Cameron, Gelbach and Miller 2008,
    Bootstrap-based improvements for inference with clustered errors (signs).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> round(cv.ks_test(p).p_value, 2)
    0.79
    """
    return _walk_test(problem, "ks", largest_beyond)


@assumes_independence
@of_lens(refused="a test")
def kuiper_test(problem: ScalarProblem) -> WalkTest:
    """Kuiper's test of calibration: how often would calibrated scores have so large a Kuiper error?

    The p-value is asymptotic, as that of the range of a Brownian motion on [0, 1]; `consistency` resamples. Of samples
    in clusters it is drawn.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.

    Returns
    -------
    WalkTest
        With statistic (the Kuiper error), ratio and p_value.

    Raises
    ------
    ValueError
        For soft labels without clusters, and as `observed_expected`.

    See Also
    --------
    kuiper_error : The statistic.
    ks_test : The same of the largest distance.
    consistency : The p-value of any error, by resampling.

    Notes
    -----
    The ratio is the Kuiper error over sqrt(sum u s (1 - s)) / W, where u = w for whole-number weights, else w^2. As n
    grows it is distributed as max B - min B if the scores are calibrated. Under a selection that looks at the truth,
    t - s and s (1 - s) are the residual of `calibration_test` and its variance, of all samples; the statistic is then
    no error. Clusters are drawn as in `ks_test`.

    References
    ----------
    Arrieta-Ibarra et al. 2022, Metrics of calibration for probabilistic predictions; Feller 1951, The asymptotic
    distribution of the range of sums of independent random variables.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> round(cv.kuiper_test(p).p_value, 2)
    0.79
    """
    return _walk_test(problem, "kuiper", range_beyond)


def _spiegelhalter_of_clusters(chances: Chances) -> CalibrationTest:
    draws = ClusterDraws(chances)
    tilt = 1 - 2 * chances.score
    own, tilt_of_cells = draws.clusters.sums(chances.residuals * tilt), tilt[draws.starts]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = float(np.divide(own.sum(), np.sqrt(np.square(own).sum())))
    p_value = draws.p_value(lambda gaps: np.abs(gaps @ tilt_of_cells))
    return CalibrationTest(z, p_value, **draws.about)


#: How far a walk goes from its start, over the last axis.
REACHES: dict[str, Callable[[Array], Array]] = {
    "ks": lambda walk: np.abs(walk).max(axis=-1),
    "kuiper": lambda walk: np.ptp(walk, axis=-1),
}


def _walk_test(problem: ScalarProblem, statistic: str, beyond: Callable[[float], float]) -> WalkTest:
    distance, ratio = walk_size(problem, statistic)
    chances, reach = chances_of(problem), REACHES[statistic]
    if chances.rows.clusters is not None:
        draws = ClusterDraws(chances)
        p_value = draws.p_value(lambda gaps: reach(np.cumsum(np.pad(gaps, ((0, 0), (1, 0))), axis=1)))
        return WalkTest(distance, p_value, ratio, **draws.about)
    return WalkTest(distance, beyond(ratio) if np.isfinite(ratio) else 0.0, ratio)


def walk_size(problem: ScalarProblem, statistic: str) -> tuple[float, float]:
    """How far the cumulated gaps go, and that in standard deviations of their sum if the scores are calibrated."""
    distance = float(REACHES[statistic](cumulated_residuals(chances_of(problem))))
    spread = walk_spread(problem)
    return distance, distance / spread if spread else np.inf if distance else 0.0


def chances_of(problem: ScalarProblem) -> Chances:
    """The chances of a problem whose targets are 0 or 1, or that has clusters; see `Chances`."""
    if problem.clusters is None:  # by signs of clusters no label is drawn
        refuse_soft(problem)
    return Chances.of(problem)


def cumulated_residuals(chances: Chances) -> Array:
    """The residuals added up to the end of each distinct score, from 0 on, as shares of the selected weight."""
    weight = chances.rows.weight
    target, score, expected = map(np.cumsum, chances.terms(weight))
    walk = (target - score - expected)[chances.rows.block_ends - 1]
    return np.append(0.0, walk / chances.selected)


def walk_spread(problem: ScalarProblem) -> float:
    """The standard deviation of the sum of all gaps, divided by the weight, if the scores are calibrated.

    Of samples in clusters it is that under signs of theirs.
    """
    chances = Chances.of(problem)
    rows = chances.rows
    return float(np.sqrt(gap_variance(chances)) / unit_weights(rows).sum() * (rows.total / chances.selected))


def gap_variance(chances: Chances) -> float:
    """The variance of the sum of all gaps, by `unit_weights`, if the scores are calibrated."""
    if (clusters := Clusters.of(chances.rows)) is not None:
        return float(np.square(clusters.sums(chances.residuals)).sum())
    return float((variances(chances.rows) * chances.variance).sum())


def is_certain(problem: ScalarProblem) -> bool:
    """Whether no label can be drawn in two ways, such as where all scores are 0 or 1."""
    return not Chances.of(problem).variance.any()


def walk_spreads(problem: ScalarProblem) -> NDArray[np.float64]:
    """Return the spreads of the sums from the lowest score up to every sample, shape (n + 1,), from 0.

    They are nan under a selection that looks at the truth. Of samples in clusters they are those under signs of theirs.
    """
    if problem.by_truth is not None:
        return np.full(len(problem) + 1, np.nan)
    if (clusters := Clusters.of(problem)) is not None:
        return clusters.spreads_up_to(problem.given_target - problem.score) / clusters.total
    upto = np.concatenate(([0.0], label_variances(problem))).cumsum()
    return np.sqrt(upto) / unit_weights(problem).sum()


def ks_limit(problem: ScalarProblem, level: float = 0.95) -> float:
    """The value that the KS error of a calibrated model exceeds with a probability of at most about 1 - `level`.

    2.2414 sqrt(sum_i w_i^2 s_i (1 - s_i)) / W at 95 %. If every target is drawn with its score as its probability, the
    sums of w (t - s) in ascending order of the score are a random walk, whose largest distance from 0 is that of a
    Brownian motion of the same variance (Donsker): by the reflection principle it exceeds x with probability
    4 (1 - Phi(x)), up to terms of 4 (1 - Phi(3 x)). Few samples, ties and soft labels only make the distance smaller.

    Whole-number weights count repetitions: w in place of w^2. Under a selection that looks at the truth it is nan: the
    walk of t - s is then not around 0. Of samples in clusters it is that of the draws of `ks_test`, nan of fewer than
    six clusters.
    """
    if problem.by_truth is not None:
        return np.nan
    if problem.clusters is not None:
        return once(problem, ("KS limit", level), lambda: _limit_of_clusters(problem, level))
    return float(-ndtri((1.0 - level) / 4)) * walk_spread(problem)


def _limit_of_clusters(problem: ScalarProblem, level: float) -> float:
    draws = ClusterDraws(Chances.of(problem))
    if too_few(draws.count):
        return np.nan
    drawn = draws.statistics(lambda gaps: np.abs(np.cumsum(gaps, axis=1)).max(axis=1))
    return float(max(noise_floor(values[1:], level) for values in drawn) / draws.clusters.total)


def largest_beyond(x: float) -> float:
    """P(max |B| > x) of a Brownian motion B on [0, 1]."""
    if x < SURELY_EXCEEDED:
        return 1.0
    odd = 2 * TERMS + 1
    signs = (-1.0) ** TERMS
    if x > 1.5:
        return float(np.clip(4 * (signs @ ndtr(-odd * x)), 0.0, 1.0))
    return float(np.clip(1 - 4 / np.pi * (signs / odd @ np.exp(-(odd**2) * np.pi**2 / (8 * x**2))), 0.0, 1.0))


def range_beyond(x: float) -> float:
    """P(max B - min B > x) of a Brownian motion B on [0, 1]."""
    if x < SURELY_EXCEEDED:
        return 1.0
    if x > 2:
        k = TERMS + 1
        return float(np.clip(8 * ((-1.0) ** TERMS * k @ ndtr(-k * x)), 0.0, 1.0))
    half = (TERMS + 0.5) ** 2
    return float(np.clip(1 - (8 / x**2 + 2 / (half * np.pi**2)) @ np.exp(-2 * half * np.pi**2 / x**2), 0.0, 1.0))
