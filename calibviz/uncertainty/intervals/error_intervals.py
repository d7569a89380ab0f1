"""Intervals of the true calibration error, made by inverting a test of every possible error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ...context.class_lenses import Pooled
from ...context.conditions import Condition
from ...context.induced import Judged, induced_problem, lens_of
from ...context.lenses import Lens, Problem
from ...data.dependence import assumes_independence
from ...data.models import takes_arrays
from ...engine.batch import ScalarBatch
from ...engine.binnings.binning import Binning, EqualMass, Sweep, Uniform, bins_of, refuse_vector
from ...engine.by_truth import LOOKS_AT_TRUTH
from ...engine.clustered import Clusters
from ...engine.scalar import MOST_REPEATED, ScalarProblem
from ...foundation import validation
from ...foundation.arrays import Array
from ...foundation.chance import EQUAL, NULLS, noise_floor, p_values
from ...foundation.clusters import few_clusters
from ...foundation.progress import with_progress
from ...foundation.written import chosen_percent, number, p_value
from ...metrics.binned import (
    calibration_error,
    debiased_error,
    debiased_squares,
    errors_of_series,
    ks_error,
    ks_errors,
    kuiper_error,
    kuiper_errors,
)
from ...metrics.calibration_tests import ks_limit, ks_test, walk_spread
from ...metrics.masses import unit_weights, variances
from ..resampling.consistency import calibrated, kinds_of_draws
from .bin_intervals import mean_interval
from .error_inversion import Inversion, Tested

LEVEL = 0.95
NO_WEIGHTS = "an interval of an error of samples in clusters takes no weights"
SAME = 1e-9  # relative difference of weights that are equal but for rounding
FEWEST_CLUSTERS, MANY_CLUSTERS = 20, 50  # of equal size, for an interval, and for its level
MOST_INVERTED = 20_000  # samples; the interval of the KS error of more needs no draws
NO_INTERVAL = (
    f"{LOOKS_AT_TRUTH}: the error of a calibrated model is not 0 there, so no interval of the error is defined; see "
    "cv.calibration_test"
)
OF_BATCHES = (Uniform, EqualMass, Sweep)  # binnings that cut all problems of a batch at once


@dataclass(frozen=True)
class ErrorInterval:
    """A calibration error, an interval of the true error, and the noise floor; see `interval`.

    Attributes
    ----------
    estimate : float, in [0, 1]
        The true error under which the measured error is the median, so without the bias of `raw`.
    lower, upper : float, in [0, 1]
        The interval; it holds the estimate. The lower end is 0 where a calibrated model could show the same error: of
        clusters, where `p_value` is above (1 - level) / 2.
    raw : float
        The measured error, such as the ECE, which noise makes too large.
    noise : float
        The 95 % quantile of the error of calibrated predictions with these scores.
    p_value : float, in (0, 1]
        The probability that calibrated predictions with these scores show at least `raw`.
    level : float, in (0, 1)
        The coverage of such intervals.
    draws : int
        How often calibrated predictions were drawn for the p-value; 0 where its distribution is known.
    note : str
        Of clusters, or rows at a horizon, worth 20 to 49 of equal size: that the level is approximate; else empty.

    See Also
    --------
    interval : Makes it.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.interval(p, error=cv.ks_error)
    <ErrorInterval 0.0371, 95 % 0.0253 to 0.0601; measured 0.0387, calibrated predictions reach 0.0062, p < 0.002>
    """

    estimate: float
    lower: float
    upper: float
    raw: float
    noise: float
    p_value: float
    level: float
    draws: int = 0
    note: str = ""

    def __repr__(self) -> str:
        return (
            f"<ErrorInterval {number(self.estimate)}, {chosen_percent(self.level)} {number(self.lower)} to "
            f"{number(self.upper)}; measured {number(self.raw)}, calibrated predictions reach {number(self.noise)}, "
            f"{p_value(self.p_value, 'p', self.draws)}>"
        )


@dataclass(frozen=True)
class _Error:
    """An error that has an interval; its functions are those of `Tested`."""

    measure: Callable[[ScalarProblem, Binning], Array]
    truth: Callable[[Array, Array, Array], Array]
    binning: Binning | None = None  # the default; None for an error without bins
    # What the samples could hide at a level: the upper end of the interval is no less.
    hidden: Callable[[ScalarProblem, float], float] = lambda problem, level: 0.0
    # Another error, which is never larger in truth: the lower end of the interval is no larger than that of this one.
    smaller: Callable[..., float] | None = None

    def errors(self, drawn: ScalarProblem, binning: Binning) -> Array:
        """Return the errors of a batch in any binning, as `measure` does of one problem."""
        if isinstance(drawn, ScalarBatch) and self.binning is not None and type(binning) not in OF_BATCHES:
            return np.array([self.measure(problem, binning) for problem in drawn.problems])
        return self.measure(drawn, binning)


def _signed_root(problem: ScalarProblem, binning: Binning) -> Array:
    square = debiased_squares(problem, binning)
    return np.asarray(np.sign(square) * np.sqrt(abs(square)))


def _plug_in(problem: ScalarProblem, binning: Binning) -> Array:
    return errors_of_series(bins_of(problem, binning), np.zeros(1, np.intp))[..., 0]


def hidden_error(problem: ScalarProblem, level: float) -> float:
    """Return what the true KS error may be where the measured one is within noise, no more than `ks_limit`.

    The measured error and the noise together; the noise is that of a calibrated model, which is too small where scores
    are close to 0 and 1, so the interval of the mean target may say more. The inverted test alone says less: of 200
    samples its upper end lies below the truth of two simulated networks in one data set of ten.
    """
    low, high = mean_interval(problem, level)
    reached = ks_error(problem) + ks_limit(problem, level)
    return min(_largest_of(problem), max(reached, problem.mean_score - low, high - problem.mean_score))


def _largest_of(problem: ScalarProblem) -> float:
    """The largest KS error that scores can have, if nothing but events is observed of them, or none."""
    return max(problem.mean_score, 1 - problem.mean_score)


def _hidden_of(problem: ScalarProblem, level: float) -> float:
    return hidden_error(problem, level) if ks_error(problem) <= ks_limit(problem, level) else 0.0


def _cumulate(score: Array, curve: Array, share: Array) -> Array:
    """The cumulative gaps between score and curve over the ascending scores, from 0 on, as shares of the weight."""
    return np.cumsum(np.pad((score - curve) * share, ((0, 0), (1, 0))), axis=1)


ERRORS: dict[Callable[..., float], _Error] = {
    calibration_error: _Error(
        _plug_in,
        lambda score, curve, share: (np.abs(score - curve) * share).sum(axis=1),
        Uniform(),
        smaller=kuiper_error,
    ),
    debiased_error: _Error(
        _signed_root, lambda score, curve, share: np.sqrt(((score - curve) ** 2 * share).sum(axis=1)), EqualMass()
    ),
    ks_error: _Error(
        lambda problem, _: ks_errors(problem), lambda *of: np.abs(_cumulate(*of)).max(axis=1), hidden=_hidden_of
    ),
    kuiper_error: _Error(lambda problem, _: kuiper_errors(problem), lambda *of: np.ptp(_cumulate(*of), axis=1)),
}


@assumes_independence
@takes_arrays
def interval(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    error: Callable[..., float] = calibration_error,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    binning: Binning | None = None,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> ErrorInterval:
    """Return an interval of the true calibration error of a model, by a test of every possible true error.

    How often would a model with that error show less than the data do? The percentiles of a bootstrap do not hold the
    truth, since calibration errors are biased upwards, most of all for good models.

    KS, Kuiper and debiased intervals kept their level on every shape tried. That of the ECE did where the error is
    smooth or one-sided; for errors that alternate on a scale finer than the fit can see (four steps, n = 5,000) its
    upper end is too low in up to a third of cases.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome. Whole-number weights count repetitions.
    error : function
        One of `calibration_error`, `ks_error`, `kuiper_error`, `debiased_error`.
    binning : binning, optional
        For an error in bins, any binning of one score, such as `Sweep()`; by default Uniform(15), for `debiased_error`
        EqualMass(15).
    level : float, in (0, 1)
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    ErrorInterval
        With estimate, lower, upper, raw, noise and p_value. The truth is E|s - T(s)| for `calibration_error` in any
        bins, the root of E(s - T(s))^2 for `debiased_error`, and the largest gap, or the range, of the cumulated
        s - T(s) for `ks_error` and `kuiper_error`, where T is the true curve.

    Raises
    ------
    ValueError
        For another error, soft labels, weights that are no whole numbers, lenses with several outcomes, and selections
        that look at the truth: the error of a calibrated model is not 0 there. For clusters see the notes.

    See Also
    --------
    consistency : The noise floor of any error.
    bootstrap : The spread of any number under resampling.

    Notes
    -----
    The true curve T is fitted by `true_curve`, and nine further curves are drawn from the uncertainty of the fit. Each
    is stretched away from the scores, logit T' = z + c (logit T - z) with z = logit s, until E|s - T'| is a wanted g.
    (A curve that moves scores near 0 or 1 outwards may not reach g: it is reversed, or replaced by the curve 1/2.) From
    each curve 20 data sets are drawn (scores with replacement, labels from T', with the same random numbers for every
    g), and p(g) is the share of these with less error than the data. The interval reaches from the g with p(g) =
    (1 + level) / 2 to the g with p(g) = p(0) (1 - level) / 2, and the estimate is the g with p(g) = 1/2.
    E|s - T| is never less than the range of the cumulated s - T. So the lower end of the ECE, in any bins, is at most
    that of the Kuiper error from the same draws: the fit smooths a narrow dip away, the cumulated gaps do not.
    Where the KS error is at most the limit that calibrated predictions exceed in 1 - level of the cases, its upper end
    is no less than what so many samples could hide: the error and that limit together, or what the interval of the mean
    target allows. `benchmarks/interval_coverage.py` measures the coverage. Errors finer than the bins are not seen.
    Of more than 20,000 samples nothing is drawn for the KS error: its interval is the error and, on both sides,
    z sqrt(max(sum u s (1 - s), sum u (t - s)^2)) / W, where z is 2.24 at 95 %: the limit of `ks_test`, but that a wrong
    model may have more noise than a calibrated one. The walk of the gaps errs by no more with about that probability,
    whatever the true curve, and its largest value by no more than the walk.

    Samples in clusters are drawn in whole clusters, with replacement. The target of a row is T'(s) + xi (t - T(s)), T
    the fit and xi one sign for each drawn cluster. Where each cluster is one score and one outcome, each is made one
    sample. The lower end is 0 unless the test by the draws of `consistency` rejects at (1 - level) / 2. Refused are
    clusters worth fewer than 20 of equal size (Kish 1965), weights that differ, clusters of one outcome but several
    scores, and those of one score that differ in size; below 50 the level is approximate, which `note` says.

    At a horizon (`Predictions.at_horizon`) rows keep their weights when they are drawn, and all means are weighted. Of
    40 data sets each, of 400 or 500 rows of which 40 or 60 % were censored, 90 % intervals of the KS, Kuiper and mean
    absolute error held the truth in 90 to 100 %: of right scores, of too extreme ones, of too high ones, and of some
    that are too low near 1/2 alone.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> error = cv.interval(p, error=cv.ks_error, lens="class malignant")
    >>> error.lower < error.estimate < error.upper
    True
    """
    seed = validation.draws(rng, progress, share=level)
    kind, binning = chosen_error(error, binning)
    judged = induced_problem(predictions, lens, selection, outcome)
    problem = drawable(judged, lens_of(predictions, lens))
    if error is ks_error and len(problem) > MOST_INVERTED and problem.clusters is None:
        assert isinstance(judged, ScalarProblem)
        return _by_the_walk(judged if judged.clusters is None else problem, level)  # of clusters one row each is left
    raw = max(0.0, float(kind.measure(problem, binning)))
    several = _shown_if_calibrated(problem, kind, binning, seed, progress)
    [(lower, estimate, upper)] = _find_ends(problem, [(kind, binning)], level, seed, progress, {kind: several})
    noise = max(float(noise_floor(shown)) for shown in several)
    chance = _largest_chance(several, raw)
    note = approximate(Clusters.of(problem))
    return ErrorInterval(estimate, lower, upper, raw, noise, chance, level, len(several[0]), note)


def approximate(clusters: Clusters | None) -> str:
    """Words that call the level of an interval of an error approximate, and say why; empty where it is not."""
    few = "" if clusters is None else clusters.worth_less(MANY_CLUSTERS)
    return few and f"approximate, since {few}"


def _shown_if_calibrated(
    problem: ScalarProblem, kind: _Error, binning: Binning, seed: int | None, progress: bool
) -> list[Array]:
    """The errors of calibrated predictions, of each kind of draws."""
    several = []
    for drawn in kinds_of_draws(problem):
        nulls = with_progress(calibrated(problem, NULLS, seed, drawn), "noise floor", NULLS, progress)
        several.append(np.array([max(0.0, float(kind.measure(null, binning))) for null in nulls]))
    return several


def _largest_chance(several: Sequence[Array], observed: float) -> float:
    """The probability that calibrated predictions show at least an error: of several kinds of draws the largest."""
    return max(float(p_values(shown, observed)) for shown in several)


def _by_the_walk(problem: ScalarProblem, level: float) -> ErrorInterval:
    """The interval of the KS error of very many samples: see the notes of `interval`."""
    found, weights, gaps = ks_test(problem), unit_weights(problem), problem.given_target - problem.score
    spread = float(np.sqrt((variances(problem) * gaps**2).sum()) / weights.sum())
    limit = -float(ndtri((1 - level) / 4)) * max(spread, walk_spread(problem))
    raw = found.statistic
    upper = min(_largest_of(problem), max(raw + limit, _hidden_of(problem, level)))
    return ErrorInterval(raw, max(0.0, raw - limit), upper, raw, ks_limit(problem), found.p_value, level)


def several_ends(
    problem: Problem,
    lens: Lens,
    errors: Sequence[tuple[Callable[..., float], Binning | None]],
    level: float,
    seed: int | None,
) -> list[tuple[float, float, float]]:
    """The lower end, the estimate and the upper end of several errors of one problem, as `interval` finds them.

    The true curve is fitted once, and all errors share the data sets that are drawn.
    """
    return _find_ends(drawable(problem, lens), [chosen_error(*error) for error in errors], level, seed, False, {})


def _find_ends(
    problem: ScalarProblem,
    chosen: Sequence[tuple[_Error, Binning]],
    level: float,
    seed: int | None,
    progress: bool,
    known: Mapping[_Error, list[Array]],
) -> list[tuple[float, float, float]]:
    """The ends of each error; `known` are the errors of calibrated predictions, where they were drawn already."""

    def tested(kind: _Error, binning: Binning) -> Tested:
        observed = float(kind.measure(problem, binning))
        return Tested(lambda drawn: kind.errors(drawn, binning), kind.truth, observed)

    def shown_lower(kind: _Error, binning: Binning, lower: float) -> float:
        """The lower end; of clusters 0 unless the test by their draws rejects, which keeps its level of few."""
        if problem.clusters is None or lower == 0:
            return lower
        observed = max(0.0, float(kind.measure(problem, binning)))
        several = known.get(kind) or _shown_if_calibrated(problem, kind, binning, seed, False)
        chance = _largest_chance(several, observed)
        return lower if chance <= max((1 - level) / 2, 1 / (NULLS + 1)) + EQUAL else 0.0

    inversion = Inversion(problem, seed, progress)
    found = [
        (shown_lower(kind, binning, lower), estimate, upper)
        for (kind, binning), (lower, estimate, upper) in zip(
            chosen, inversion.ends([tested(kind, binning) for kind, binning in chosen], level), strict=True
        )
    ]
    lowers = {kind: lower for (kind, _), (lower, _, _) in zip(chosen, found, strict=True) if kind.binning is None}

    def lower_of(kind: _Error, lower: float) -> float:
        """The lower end of an error, at most that of an error which is never larger."""
        if kind.smaller is None or lower == 0:
            return lower
        smaller, binning = chosen_error(kind.smaller, None)
        if smaller not in lowers:
            [(least, _, _)] = inversion.ends([tested(smaller, binning)], level)
            lowers[smaller] = shown_lower(smaller, binning, least)
        return min(lower, lowers[smaller])

    return [
        (lower_of(kind, lower), estimate, max(upper, kind.hidden(problem, level)))
        for (kind, _), (lower, estimate, upper) in zip(chosen, found, strict=True)
    ]


def chosen_error(error: Callable[..., float], binning: Binning | None) -> tuple[_Error, Binning]:
    """The record of an error, and the binning to use: by default that of the error."""
    kind = ERRORS.get(error) if callable(error) else None
    if kind is None:
        named = ", ".join(f"cv.{error.__name__}" for error in ERRORS)
        raise ValueError(f"error must be one of {named}, which have an interval, not {error!r}")
    if binning is not None and kind.binning is None:
        raise ValueError(f"binning must be left out: cv.{error.__name__} has no bins")
    if binning is None:
        return kind, Uniform() if kind.binning is None else kind.binning
    return kind, binning


def drawable(problem: Problem, lens: Lens) -> ScalarProblem:
    """The problem with each sample repeated by its weight; a problem without an interval is refused."""
    if isinstance(lens, Pooled):
        raise ValueError("an interval needs one score a sample: pooled entries of a sample share its label")
    refuse_vector(problem, "an interval")
    assert isinstance(problem, ScalarProblem)
    if problem.by_truth is not None:
        raise ValueError(NO_INTERVAL)
    problem.refuse_to_draw()
    if not problem.is_binary:
        raise ValueError("an interval draws one label a sample, but the labels are soft")
    if problem.times is not None:
        problem = _written_out(problem)
    if (clusters := Clusters.of(problem)) is not None:
        return _in_clusters(problem, clusters)
    if problem.given_weight is None:
        return problem
    if not problem.whole_weights:
        raise ValueError(
            "an interval needs weights that are whole numbers, which count repetitions: of others cv.bootstrap gives "
            "the spread, and cv.calibration_test a test"
        )
    if problem.total > MOST_REPEATED:
        raise ValueError(f"the weights repeat the samples {problem.total:g} times: too many to draw a label for each")
    return problem.repeated()


def _written_out(problem: ScalarProblem) -> ScalarProblem:
    """The samples that rows of a summary stand for, each of its cluster."""
    assert problem.times is not None and problem.cluster_codes is not None
    times = np.rint(problem.times[problem.order]).astype(np.intp)
    if np.ptp(problem.weight / times) > SAME * problem.weight.max():
        raise ValueError(NO_WEIGHTS)
    if times.sum() > MOST_REPEATED:
        raise ValueError(f"the summary stands for {times.sum():,} samples: too many to draw a label for each")
    score, target, cluster = (np.repeat(a, times) for a in (problem.score, problem.given_target, problem.cluster_codes))
    return ScalarProblem(score, target, cluster=cluster)


def _in_clusters(problem: ScalarProblem, clusters: Clusters) -> ScalarProblem:
    """The problem without weights, but at a horizon; where each cluster is one score and one outcome, one row each."""
    if np.ptp(clusters.weight) and problem.horizon is None:
        raise ValueError(NO_WEIGHTS)
    if few := clusters.worth_less(FEWEST_CLUSTERS):
        raise few_clusters(f"an interval of an error takes more: {few}", clusters.are_rows)
    plain = problem
    if problem.given_weight is not None and problem.horizon is None:
        plain = problem.taken(np.arange(len(problem)))
        plain.given_weight, plain.total = None, float(len(problem))
    if not clusters.share_outcomes(problem.given_target):
        return plain
    first = np.unique(clusters.code, return_index=True)[1]
    sizes = np.bincount(clusters.code)
    if (problem.score != problem.score[first][clusters.code]).any():
        raise validation.WayOutError(
            "the samples of each cluster share its outcome, but have several scores: there is no interval of an error",
            "; cv.calibration_test tests",
        )
    if np.ptp(sizes):
        raise validation.WayOutError(
            "the samples of each cluster share its outcome and its score, and clusters differ in size",
            ": pass one sample of each without cluster=",
        )
    return ScalarProblem(problem.score[first], problem.given_target[first])
