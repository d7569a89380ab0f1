"""A test of calibration that sees errors of any shape and needs no bins: the walk of the gaps and a smooth curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..context.conditions import Condition
from ..context.induced import Judged, Summarized
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import takes_arrays
from ..engine.chances import Chances
from ..engine.clustered import Clusters, too_few
from ..engine.scalar import ScalarProblem, once
from ..engine.summed import SummedProblem
from ..foundation import validation
from ..foundation.arrays import Array, dot
from ..foundation.chance import EQUAL
from ..foundation.written import Brief
from ..metrics.asked import measured_each, problem_of, refuse_pooled
from ..metrics.calibration_tests import cumulated_residuals, kuiper_test
from ..metrics.clinical.estimates import impossible_of
from ..metrics.clinical.logistic_fits import fitted_shift, log_odds
from ..metrics.masses import counts_of, unit_weights, variances
from .resampling.calibrated_sums import CalibratedSums, Statistics

Known = float | None

REPLICATES = 999
TILTED = 1.96  # standard deviations from which on scores are called too extreme, or too cautious
LEVEL = 0.05  # at which the test rejects, and names a direction


@dataclass(frozen=True)
class JointTest(Brief):
    """The outcome of a test of calibration; see `calibration_test`.

    Attributes
    ----------
    p_value : float, in [0, 1]
        How often calibrated scores are as far off, in the walk of the gaps or by a smooth curve.
    kuiper_ratio : float, at least 0
        The ratio of `kuiper_test`.
    smooth_statistic : float, at least 0
        The score statistic of a smooth curve.
    gap_z : float
        Observed less predicted events, in standard deviations.
    gap_p_value : float, in [0, 1]
        How often the gap of calibrated scores is as large.
    tilt_z : float
        Below 0 where scores are too extreme, above 0 where they are too cautious, in standard deviations; nan of one
        class, and of scores that are all the same.
    predicted, observed : float
        The mean score and the mean target.
    samples : int
        Whole-number weights count repetitions.
    worth : float
        How many equal samples the weights are worth.
    impossible : int
        How many samples predicted at exactly 0 or 1 turned out otherwise; under a selection that looks at the truth,
        how many have a label of probability 0.
    range_low, range_high : float
        The ends of the scores, low < s <= high, where the gaps add up to most.
    range_closed : bool
        Whether the samples of the lower end are among them: the range then begins with the least score of all.
    range_count : int
        How many samples have such scores.
    range_predicted, range_observed : float
        Their mean score and mean target. The range was chosen by looking, so they have no interval.
    expected, expected_predicted, expected_share : float or None
        Of a selection that looks at the truth: the mean target and the mean score that the samples would have which it
        selects from calibrated labels, and their share of all samples. None of other selections.
    share : float or None
        The share that it selects from the labels of the data.
    draws, clusters, why_not
        Of samples in clusters, as in `CalibrationTest`; of fewer than six both p-values are nan.

    See Also
    --------
    calibration_test : Makes it.

    Examples
    --------
    >>> found = cv.calibration_test(cv.load_dataset("tumours")["naive Bayes"])
    >>> found.direction, found.tilt, round(found.tilt_z, 1)
    (-1, 1, -25.3)
    """

    p_value: float
    kuiper_ratio: float
    smooth_statistic: float
    gap_z: float
    gap_p_value: float
    tilt_z: float
    predicted: float
    observed: float
    samples: int
    worth: float
    impossible: int
    range_low: float
    range_high: float
    range_closed: bool
    range_count: int
    range_predicted: float
    range_observed: float
    expected: float | None = None
    expected_predicted: float | None = None
    expected_share: float | None = None
    share: float | None = None
    draws: str | None = None
    clusters: int | None = None

    @property
    def why_not(self) -> str:
        return too_few(self.clusters, are_rows=self.clusters == self.samples)

    @property
    def shown(self) -> bool:
        """Whether miscalibration is shown, at 5 %.

        See Also
        --------
        calibration_test : What tests it.
        """
        return self.p_value <= LEVEL

    @property
    def direction(self) -> int:
        """1 where scores are too high, -1 where they are too low, 0 where neither is shown.

        See Also
        --------
        calibration_in_the_large : The gap itself.
        """
        if not (self.shown and self.gap_p_value <= LEVEL):
            return 0
        return 1 if self.gap_z < 0 else -1

    @property
    def tilt(self) -> int:
        """1 where scores are too extreme, -1 where they are too cautious, 0 where neither is shown.

        See Also
        --------
        calibration_slope : How much.
        """
        if not (self.shown and abs(self.tilt_z) > TILTED):
            return 0
        return 1 if self.tilt_z < 0 else -1


@assumes_independence
@takes_arrays
def calibration_test(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    replicates: int = REPLICATES,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> JointTest:
    """Test whether all scores are right: is miscalibration of any shape shown?

    There are no bins. One null, that each label is drawn with its score as its probability, is tested by two statistics
    on the same draws: the Kuiper ratio, which sees steps and jumps, and a smooth curve, which sees bends and tilts.
    Samples are taken to be independent of each other, unless they lie in clusters.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`. Of a lens such as "classwise" each outcome is tested by itself, at 5 %.
    replicates : int, at least 1
        Draws of calibrated labels.
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    JointTest
        With p_value, kuiper_ratio, smooth_statistic, gap_z, gap_p_value, tilt_z, predicted, observed, samples, worth,
        impossible, and the range of scores where the gaps add up to most; under a selection that looks at the truth
        also expected, expected_predicted, expected_share, share. Of a family, a Dataset over `outcome`.

    Raises
    ------
    ValueError
        For soft labels without clusters, the pooled lens, and as `observed_expected`; under a selection that looks at
        the truth also for summaries, and for rows of more than two classes whose scores a calibrator has moved one by
        one: no label can be drawn from these; after `at_prevalence` for clusters, weighted samples, and lenses other
        than one class of two.

    See Also
    --------
    kuiper_test : The test of the walk alone, without draws.
    interval : How large the error is.
    segments : Where it is worst.

    Notes
    -----
    With weights v that are worth m samples and r = v (t - s), the smooth statistic is
    Q = (X'r)' (X' diag(v s (1 - s)) X + P)^-1 X'r. X_i holds 1, z = logit s (clipped to 25) and sqrt(2) cos(pi j x),
    j = 1..20, of the middle x of the mass up to and with equal scores, P = diag(.1, 1, j^4/10): the score test of the
    curve of `interval`, so no curve is fitted. Of the data and all draws, each gets the share of all that have as large
    a Kuiper ratio, and the share of those that have as large a Q; the smaller counts. p is the share of all whose
    smaller one is at most that of the data, which is exact for any scores. Where no draw comes near the data, p is at
    most twice the asymptotic p of `kuiper_test`, so that overwhelming evidence shows as such.

    The gap is sum w (t - s) / sqrt(sum u s (1 - s)), with u = w for whole-number weights, else w^2. For the tilt a
    shift a of the log-odds first closes the gap, q = logistic(logit s + a); with d = q less the mean of q by the
    weights u q (1 - q), it is sum w d (t - q) / sqrt(sum u q (1 - q) d^2). Where all scores are 0 or 1, nothing is
    drawn: p is 0 if one turned out otherwise, else 1. Where more than 200 million labels would have to be drawn,
    neighbouring scores share one of 2,000 cells, whose events are drawn from the normal distribution if their variance
    is 25 or more, else from the binomial distribution of their mean score.

    A selection that looks at the truth ("label in [1, 3]", "correct == 1") keeps other samples for other labels. With
    A(k) = 1 if a row would be selected with label k, else 0, and t(k) its target, e = sum_k P_k A(k) (t(k) - s) is what
    it adds to the sum of gaps if its probabilities P are right, and v = sum_k P_k A(k) (t(k) - s)^2 - e^2 the variance.
    The residual r = A (t - s) - e of every row, selected or not, has mean 0. It takes the place of t - s, and v that of
    s (1 - s); labels are drawn for all rows, and there is no tilt. With m = sum_k P_k A(k) t(k) and the chance to be
    selected, q = sum_k P_k A(k): expected is sum w m / sum w q, expected_predicted sum w q s / sum w q, and
    expected_share sum w q / W. Rows of q = 0 take no part.

    After `at_prevalence` a sample that weighs a if it is true and b if not was true with h = b s / v before, where
    v = a (1 - s) + b s. Its gap w (t - s) is v (t - h), so h takes the place of the chance s, and v that of w.

    Of samples in clusters all statistics have the draws of `ks_test`, no asymptotic p bounds theirs, the gap is
    sum w (t - s) / sqrt(sum_c G_c^2), G_c its part of a cluster, and the tilt sum w d (t - q) over the root of the sum
    of the squares of its parts.

    References
    ----------
    Arrieta-Ibarra et al. 2022, Metrics of calibration for probabilistic predictions (the Kuiper ratio).

    Examples
    --------
    >>> cv.calibration_test(cv.load_dataset("tumours")["naive Bayes"]).p_value < 0.01
    True
    >>> cv.calibration_test(cv.load_dataset("tumours")["logistic regression"]).shown
    False
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> found = cv.calibration_test(p, "top-1", selection="correct == 1")
    >>> found.shown, found.observed, round(found.predicted, 3), found.expected, round(found.expected_predicted, 3)
    (False, 1.0, 0.971, 1.0, 0.974)
    """
    seed = validation.draws(rng, progress, replicates)
    refuse_pooled(lens, "a test")
    problem = problem_of(predictions, lens, selection, outcome)
    summed = isinstance(predictions, Summarized) or getattr(predictions, "summary_of", None) is not None

    def kept(part: ScalarProblem) -> JointTest:  # of one problem the verdict asks, and the segments
        how = "calibration_test", summed, replicates, seed
        return once(part, how, lambda: _tested(part, summed, replicates, seed, progress))

    return measured_each(problem, kept)


def _tested(problem: ScalarProblem, summed: bool, replicates: int, seed: int, progress: bool) -> JointTest:
    chances, walk = Chances.as_sampled(problem), kuiper_test(problem)
    impossible = _impossible(chances, summed)
    possible = chances.possible()
    sums = CalibratedSums(possible, replicates)
    own = sums.statistics(sums.observed[None])
    if possible is not chances:  # rows that are selected though none could be: no draw has them, but the data do
        own = own._replace(kuiper=np.array([walk.ratio]))
    gap = float(own.gap[0])
    if walk.why_not:
        p_value = gap_p_value = np.nan
    elif sums.spread or walk.clusters:
        kinds = [_p_values(own, drawn) for drawn in sums.drawn(replicates, seed, progress)]
        p_value, gap_p_value, least = (max(of_kind) for of_kind in zip(*kinds, strict=True))
        if not walk.clusters and least <= 1 / (1 + replicates) + EQUAL:
            p_value = min(p_value, 2 * walk.p_value)
    else:  # all scores are 0 or 1, and no label can be drawn otherwise
        p_value = float(not impossible and not sums.observed.any())
        gap_p_value, gap = float(gap == 0), gap and float(np.copysign(np.inf, gap))
    tilt = tilt_z(problem) if problem.by_truth is None else np.nan
    return JointTest(
        p_value, walk.ratio, float(own.smooth[0]), gap, gap_p_value, tilt, problem.mean_score, problem.mean_target,
        problem.samples, problem.effective_size, impossible, *_range_of_gaps(problem, chances),
        *_expected(problem, chances), draws=walk.draws, clusters=walk.clusters,
    )  # fmt: skip  # short entries stand in rows


def _expected(
    problem: ScalarProblem, chances: Chances
) -> tuple[float | None, float | None, float | None, float | None]:
    """The mean target, the mean score and the share of samples selected from calibrated labels; then the real share.

    None of a selection that does not look at the truth.
    """
    if problem.by_truth is None:
        return None, None, None, None
    weight, share = chances.rows.weight, chances.share
    selected, hits, scores = (dot(weight, each) for each in (share, chances.hit, share * chances.score))
    means = (hits / selected, scores / selected) if selected else (np.nan, np.nan)
    return *means, selected / chances.total, chances.selected / chances.total


def _p_values(own: Statistics, drawn: Statistics) -> tuple[float, float, float]:
    """The joint p-value, that of the gap, and the smaller one of both statistics, of data among draws."""
    both = zip(own, drawn, strict=True)
    kuiper, smooth, gaps = (_shares_of_larger(np.abs(np.concatenate(each))) for each in both)
    least = np.minimum(kuiper, smooth)
    return float((least <= least[0] + EQUAL).mean()), float(gaps[0]), float(least[0])


def _shares_of_larger(values: Array) -> Array:
    """Return the share of values that are at least as large as each, but for rounding."""
    least = values - EQUAL * np.maximum(1.0, values)
    return (len(values) - np.searchsorted(np.sort(values), least, "left")) / len(values)


def _impossible(chances: Chances, summed: bool) -> int:
    """How many samples turned out as none could; rows of a summary count their samples."""
    if isinstance(chances.rows, SummedProblem):
        return impossible_of(chances.rows)
    chance = np.where(chances.rows.given_target == 1, chances.hit, chances.miss)
    wrong = chances.kept & (chance == 0)
    return round(float(counts_of(chances.rows)[wrong].sum())) if summed else int(wrong.sum())


def _range_of_gaps(problem: ScalarProblem, chances: Chances) -> tuple[float, float, bool, int, float, float]:
    """The range of scores of `JointTest`: between the ends of ties where the cumulated gaps are the largest and least.

    Where all gaps are 0 these are all scores; nan stands for the means of a range where no sample is selected.
    """
    scores, ends = chances.rows.score, np.append(0, chances.rows.block_ends)
    walk = cumulated_residuals(chances)
    size = EQUAL * np.abs(walk).max()  # up to which gaps are equal, or the order of the samples would choose
    first, last = sorted((int(np.argmax(walk >= walk.max() - size)), int(np.argmax(walk <= walk.min() + size))))
    if first == last:
        first, last = 0, len(walk) - 1
    low, high = scores[max(0, ends[first] - 1)], scores[ends[last] - 1]
    cuts = np.searchsorted(problem.score, [low, high], "right")
    cuts[0] *= first > 0
    weight, score, target = (float(sums[1]) for sums in problem.sums(np.array([0, *cuts, len(problem)]))[:3])
    count = round(float(counts_of(problem)[cuts[0] : cuts[1]].sum()))
    means = (score / weight, target / weight) if count else (np.nan, np.nan)
    return float(low), float(high), first == 0, count, *means


def tilt_z(problem: ScalarProblem) -> float:
    """Return how far targets rise more with the scores than these say, in standard deviations under calibration.

    The log-odds are first shifted until the mean score is the mean target, so that what is too high or too low on the
    whole is neither; then a score test asks whether what is left falls or rises with the scores. For calibrated labels
    the variance is known, less what the shift takes of it. It is below 0 where scores are too extreme, above 0 where
    they are too cautious, and nan where one outcome alone was observed, or all scores are the same.
    """
    odds, weight, target = log_odds(problem.score), unit_weights(problem), problem.target
    events = dot(weight, target)
    if np.ptp(odds) == 0 or not 0 < events < weight.sum():
        return float("nan")
    q = expit(odds + fitted_shift(odds, weight, events))
    clusters = Clusters.of(problem)
    noise = (variances(problem) if clusters is None else problem.unit_squares) * q * (1 - q)
    apart = q - dot(noise, q) / float(noise.sum())
    if clusters is None:
        spread = dot(noise, apart**2)
    else:
        spread = float(np.square(clusters.sums(apart * (problem.given_target - q))).sum())
    return float(dot(weight, apart * (target - q)) / np.sqrt(spread)) if spread > 0 else float("nan")
