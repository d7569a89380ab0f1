"""Estimators of calibration error.

Each takes `Predictions` and looks at them through a lens, or takes a problem that a lens has made.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem
from ..context.lenses import Lens, Problem
from ..data.models import takes_arrays
from ..engine.binnings.binning import Binning, EqualMass, Sweep, Uniform, bin_series, bins_of, family_bins, finest_first
from ..engine.binnings.bins import Bins
from ..engine.binnings.kdtree import KDTree
from ..engine.clustered import ClusterBins, Clusters
from ..engine.family import ProblemFamily
from ..engine.scalar import ScalarProblem, once
from ..engine.sorted_scores import cuts_at, entries
from ..engine.vector import VectorProblem
from ..foundation import validation
from ..foundation.arrays import Array
from .asked import measured_mean, of_lens, problem_of
from .distances import Distance, TotalVariation, shares_of

MOST_KEPT = 100_000  # rows whose bins of clusters are kept


@takes_arrays
def calibration_error(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    distance: Distance | None = None,
    p: float = 1.0,
    aggregate: str = "mean",
    outcome: int | str | None = None,
) -> float:
    """Plug-in calibration error: (sum_b w_b / W * d_b^p)^(1/p) over the bins that hold samples.

    Parameters
    ----------
    predictions : Predictions, a problem, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name, optional
        By default the positive class of two, and top-1 of more. Under "classwise" and "top-1 by class" the mean
        over the classes, weighted under `ClassWeighted`.
    binning : binning, optional
        By default Uniform(15); for a vector lens KDTree(0.1), since uniform cells of many coordinates hold hardly more
        than a sample each, whose targets are far from any score.
    selection : condition or its text, optional
    distance : distance, default TotalVariation()
    p : float, at least 1
        Power of the mean.
    aggregate : {"mean", "max"}
        "max" takes the largest distance of a bin (MCE of Naeini et al. 2015).
    outcome : int or str, optional
        One outcome of a vector lens, looked at as a scalar problem.

    Returns
    -------
    float
        For the default distance in [0, 1].

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the lens does not fit the number of classes, or the binning does
        not fit the lens.

    See Also
    --------
    evaluate : Many errors, lenses and calibrators at once.
    interval : An interval of the true error.
    debiased_error, label_binned_error : Other errors in bins.
    ks_error, smooth_error : Errors without bins.

    References
    ----------
    gece equation 3; Guo et al. 2017 (top-1, uniform 15).

    Examples
    --------
    >>> round(cv.calibration_error(cv.simulated("resnet110_c10", 1000), "class right", binning=cv.EqualMass(15)), 3)
    0.054
    >>> round(cv.calibration_error([0.1, 0.4, 0.8], [0, 1, 1], lens="class 1"), 3)
    0.3
    """
    problem = induced_problem(predictions, lens, selection, outcome)
    return float(error_series(problem, [default_binning(problem, binning)], distance, p, aggregate)[0])


def default_binning(problem: Problem, binning: Binning | None = None) -> Binning:
    """The binning that was asked for; else uniform bins, for a vector lens a k-d tree."""
    if binning is not None:
        return binning
    return KDTree() if isinstance(problem, VectorProblem) else Uniform()


def error_series(
    problem: Problem,
    binnings: Sequence[Binning],
    distance: Distance | None = None,
    p: float = 1.0,
    aggregate: str = "mean",
) -> Array:
    """The plug-in error in each of several binnings, shape (len(binnings),); see `calibration_error`.

    Of a batch of m problems the shape is (m, len(binnings)).
    """
    if isinstance(problem, ProblemFamily):
        own, shares = shares_of(distance, len(problem.outcomes))
        bins = family_bins(problem, binnings)
        if bins is not None:
            errors = errors_of_series(bins, np.array([0]), own, p, aggregate)
            weights = 1.0 if shares is None else shares[:, None] * len(errors)
            return np.asarray(np.sum(weights * errors, axis=0) / len(errors))
        return problem.mean(lambda part: error_series(part, binnings, own, p, aggregate), shares)
    if isinstance(problem, VectorProblem):  # of many outcomes the bins of all binnings at once would fill the memory
        error = {i: binned_error(bins, distance, p, aggregate) for i, bins in finest_first(problem, binnings)}
        return np.array([error[i] for i in range(len(binnings))])
    return errors_of_series(*bin_series(problem, binnings), distance, p, aggregate)


def binned_error(bins: Bins, distance: Distance | None = None, p: float = 1.0, aggregate: str = "mean") -> float:
    """Plug-in calibration error of given bins; see `calibration_error`."""
    return float(errors_of_series(bins, np.array([0]), distance, p, aggregate)[0])


def errors_of_series(
    bins: Bins, starts: NDArray[np.intp], distance: Distance | None = None, p: float = 1.0, aggregate: str = "mean"
) -> Array:
    """The error of each run of bins that begins at one of `starts`; see `bin_series`."""
    validation.choice(aggregate, "aggregate", ("mean", "max"))
    p = validation.real_number(p, "p", 1.0)
    distance = TotalVariation() if distance is None else distance
    if not callable(distance) or isinstance(distance, type):
        raise TypeError(f"distance must be a distance such as cv.Lp(2), not {distance!r}")
    # Rows whose sum rounds above 1 give sums of probabilities above 1, but no total variation exceeds 1.
    most = 1.0 if isinstance(distance, TotalVariation) else np.inf
    return np.minimum(_uncapped(bins, starts, distance, p, aggregate), most)


def _uncapped(bins: Bins, starts: NDArray[np.intp], distance: Distance, p: float, aggregate: str) -> Array:
    kept = bins.weight > 0
    gap = np.zeros(kept.shape)
    if kept.ndim == 1 and kept.all():  # then nothing has to be copied
        gap[:] = distance(bins.score, bins.target)
    else:
        gap[kept] = distance(bins.score[kept], bins.target[kept])
    return (
        np.maximum.reduceat(gap, starts, axis=-1) if aggregate == "max" else _power_means(gap, bins.weight, starts, p)
    )


def _power_means(gap: Array, weight: Array, starts: NDArray[np.intp], p: float) -> Array:
    """(sum w gap^p / sum w)^(1/p) of the runs along the last axis that begin at `starts`."""
    if p == 1:
        return _means(gap, weight, starts)
    # Scaled by the largest, so that no power of a small distance vanishes.
    largest = np.maximum.reduceat(gap, starts, axis=-1)
    scale = np.where(largest > 0, largest, 1.0)
    powers = (gap / np.repeat(scale, np.diff(starts, append=gap.shape[-1]), axis=-1)) ** p
    return largest * _means(powers, weight, starts) ** (1.0 / p)


def _means(values: Array, weight: Array, starts: NDArray[np.intp]) -> Array:
    return np.add.reduceat(weight * values, starts, axis=-1) / np.add.reduceat(weight, starts, axis=-1)


@takes_arrays
def label_binned_error(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    p: float = 1.0,
    outcome: int | str | None = None,
) -> float:
    """Label-binned error: every score against the mean target of its bin (ece_sweep equation 3).

    ``(sum_i w_i |s_i - tbar_bin(i)|^p / W)^(1/p)``, never below the plug-in error in the same bins.

    Parameters
    ----------
    predictions, lens, selection, p, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    binning : binning, default Uniform(15)
        One that lists its bins in ascending order of the score, as all of this package do.

    Returns
    -------
    float, in [0, 1]

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the lens does not fit the number of classes, or it has several outcomes
        and none is chosen.

    See Also
    --------
    calibration_error : The mean score of a bin in place of every score.
    debiased_error : An error whose bias is taken off.

    Examples
    --------
    >>> round(cv.label_binned_error(cv.simulated("resnet110_c10", 1000), "class right"), 3)
    0.055
    """
    chosen = Uniform() if binning is None else binning
    validation.real_number(p, "p", 1.0)
    problem = problem_of(predictions, lens, selection, outcome)
    return measured_mean(problem, lambda part: float(label_binned_errors(part, chosen, p)[0]))


def label_binned_errors(problem: ScalarProblem, binning: Binning, p: float) -> Array:
    """The label-binned error, shape (1,), or of each problem of a batch, shape (m, 1)."""
    bins = bins_of(problem, binning)
    score = problem.score
    if problem.given_weight is None and np.array_equal(bins.weight, bins.count):
        target = np.repeat(bins.target.ravel(), bins.count.ravel()).reshape(score.shape)
        weight = np.ones(len(problem))
    else:  # a sample may straddle bins: between neighbouring cuts, of bins or of samples, one sample meets one bin
        filled = bins.weight > 0
        ends = np.cumsum(bins.weight[filled])
        cuts = np.union1d(problem.cumulative_weight[1:], ends[ends < problem.total])
        target = bins.target[filled][np.minimum(np.searchsorted(ends, cuts), len(ends) - 1)]
        score = score[np.minimum(np.searchsorted(problem.cumulative_weight[1:], cuts), len(problem) - 1)]
        weight = np.diff(cuts, prepend=0.0)
    return np.minimum(1.0, _power_means(np.abs(score - target), weight, np.array([0]), p))


@takes_arrays
def debiased_error(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> float:
    """Debiased L2 error: the variance of each bin's mean target is taken off (Kumar et al. 2019, section 5).

    sqrt(max(0, sum_b n_b / n * [(sbar - tbar)^2 - tbar (1 - tbar) / (n_b - 1)])), where bins of n_b < 2 add 0.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome. Whole-number weights count
        repetitions; others shrink n_b to the effective size.
    binning : binning, default EqualMass(15)

    Returns
    -------
    float, in [0, 1]

    Raises
    ------
    ValueError
        For soft labels: tbar (1 - tbar) is the variance of targets that are 0 or 1.

    Notes
    -----
    Of samples in clusters sum_c r_c^2 / W_b^2 is taken off, with r_c the sum of w (t - s) over those of a cluster in
    the bin, and W_b the weight of the bin. Labels may be soft then.

    See Also
    --------
    calibration_error : The error as it is, which noise makes larger.
    interval : An interval of the true error.
    simulate_errors : How biased each estimator is.

    Examples
    --------
    >>> round(cv.debiased_error(cv.simulated("resnet110_c10", 1000), "class right"), 3)
    0.1
    """
    chosen = EqualMass() if binning is None else binning

    def estimate(problem: ScalarProblem) -> float:
        return float(np.sqrt(np.clip(debiased_squares(problem, chosen), 0.0, 1.0)))

    return measured_mean(problem_of(predictions, lens, selection, outcome), estimate)


def debiased_squares(problem: ScalarProblem, binning: Binning) -> Array:
    """Return the square of the debiased error of one problem, shape (), or of each of a batch, shape (m,).

    Noise makes it negative for about half of all calibrated models.
    """
    clusters = Clusters.of(problem)
    if not problem.is_binary and clusters is None:
        raise ValueError("the debiased error needs targets of 0 or 1, but the labels are soft")
    if clusters is not None:
        return np.asarray(_debiased_by_clusters(problem, clusters, binning))
    bins = bins_of(problem, binning)
    size = effective_counts(bins, problem)
    target = np.clip(bins.target, 0.0, 1.0)  # a mean of ones may round above 1
    variance = target * (1 - target) / np.maximum(size - 1, 1)
    excess = np.where(size >= 2, (bins.score - target) ** 2 - variance, 0.0)
    return np.asarray((bins.weight * excess).sum(axis=-1) / problem.total)


def _debiased_by_clusters(problem: ScalarProblem, clusters: Clusters, binning: Binning) -> float:
    """The debiased square by the gaps of clusters, whose squares are the variance of those of bins."""

    def make() -> ClusterBins:
        return ClusterBins(problem, clusters, bins_of(problem, binning).weight)

    # Other binnings may look at the targets, and bins of many rows take much memory.
    are_kept = type(binning) in (Uniform, EqualMass) and len(problem.score) <= MOST_KEPT
    parts = once(problem, ("bins of clusters", binning), make, of_scores=True) if are_kept else make()
    gaps, squares = parts.moments(problem.given_target - problem.score, np.zeros(len(parts.weight)))
    several = parts.many > 1
    return float(((gaps**2 - squares)[several] / parts.weight[several]).sum() / clusters.total)


def effective_counts(bins: Bins, problem: Problem) -> Array:
    """How many equal samples the weight of each bin is worth, shape (B,); see `effective_size` of a problem.

    Samples are taken to be independent: of those in clusters see `uncertainty.intervals.bin_intervals`.
    """
    assert not isinstance(problem, ProblemFamily)
    return bins.weight if problem.whole_weights else bins.weight / problem.total * problem.effective_size


@of_lens(measured_mean)
def ks_error(problem: ScalarProblem) -> float:
    """Kolmogorov-Smirnov calibration error: ``max_i |h_i - h~_i|`` over the distinct scores (ks equations 11-12).

    Parameters
    ----------
    predictions, lens, selection
        As in `calibration_error`.
    outcome : int or str, optional
        The outcome of a vector lens to look at, which needs one.

    Returns
    -------
    float, in [0, 1]

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the lens does not fit the number of classes, or it has several outcomes
        and none is chosen.

    See Also
    --------
    kuiper_error : The range in place of the largest distance.
    ks_test : How often calibrated scores make it so large.
    cumulative : The curves whose distance it is.

    Examples
    --------
    >>> round(cv.ks_error(cv.simulated("resnet110_c10", 1000), "class right"), 3)
    0.054
    """
    return float(ks_errors(problem))


def ks_errors(problem: ScalarProblem) -> Array:
    """The Kolmogorov-Smirnov error of one problem, shape (), or of each of a batch, shape (m,)."""
    return np.minimum(1.0, np.abs(_difference(problem)).max(axis=-1))


@of_lens(measured_mean)
def kuiper_error(problem: ScalarProblem) -> float:
    """Kuiper calibration error: the greatest less the least of h_i - h~_i and 0 (Arrieta-Ibarra et al. 2022).

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `ks_error`, which it never falls below.

    Returns
    -------
    float, in [0, 1]

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the lens does not fit the number of classes, or it has several outcomes
        and none is chosen.

    See Also
    --------
    ks_error : The largest distance in place of the range.
    kuiper_test : How often calibrated scores make it so large.
    multicalibration_error : The largest of many segments.

    Examples
    --------
    >>> round(cv.kuiper_error(cv.simulated("resnet110_c10", 1000), "class right"), 3)
    0.054
    """
    return float(kuiper_errors(problem))


def kuiper_errors(problem: ScalarProblem) -> Array:
    """The Kuiper error of one problem, shape (), or of each of a batch, shape (m,)."""
    difference = _difference(problem)
    highest, lowest = difference.max(axis=-1, initial=0.0), difference.min(axis=-1, initial=0.0)
    return np.minimum(1.0, highest - lowest)


def cumulative_difference(problem: ScalarProblem) -> Array:
    """h_i - h~_i at the last sample of each distinct score (ks equation 11)."""
    return np.clip(_difference(problem), -1.0, 1.0)  # which rounded sums may leave


def _difference(problem: ScalarProblem) -> Array:
    ends = problem.block_ends
    return (problem.target_up_to(ends) - entries(problem.cumulative_score, ends)) / problem.total


@takes_arrays
def sweep_bins(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    scheme: str = "equal-mass",
) -> float:
    """The number of bins that the monotone sweep chooses (ece_sweep algorithm 1); of a family the mean.

    See Also
    --------
    Sweep : The binning itself.
    sensitivity : The error over the number of bins.

    Examples
    --------
    >>> cv.sweep_bins(cv.simulated("resnet110_c10", 1000), "class right")
    5.0
    """
    return measured_mean(problem_of(predictions, lens, selection, outcome), Sweep(scheme).choose)


def observed_km(problem: ScalarProblem, bins: Bins) -> Array | None:
    """The share with the event by the horizon in each bin, of all rows with such scores, shape (B,).

    Each is the estimate of Aalen and Johansen, without competing events that of Kaplan and Meier, of the rows of that
    bin alone, those that were censored before the horizon among them; nan where none is followed to it, and where the
    scores are not those of one class. None where not all rows are known: other problems than those of
    `Predictions.at_horizon`, and those of some of its rows.
    """
    if problem.followed is None:
        return None
    rows, followed = problem.followed()
    of_class = followed.predictions.probs.astype(np.float64)[rows.order]
    is_event, is_none = (np.array_equal(rows.score, of_class[:, k]) for k in (1, 0))
    edges = bins.edges(problem)
    observed = np.full(len(bins), np.nan)
    if edges is None or not (is_event or is_none):
        return observed
    cuts = cuts_at(rows.score, *edges)
    for k, (start, stop) in enumerate(pairwise(cuts)):
        observed[k] = followed.observed(rows.order[start:stop], rows.weight[start:stop])
    return observed if is_event else 1 - observed
