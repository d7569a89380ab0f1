"""The bootstrap: the spread of a number under resampling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from ...context.induced import Judged, resampled_of
from ...context.lenses import Problem
from ...data.dependence import assumes_independence
from ...data.models import no_predictions, takes_arrays
from ...data.predictions import Predictions
from ...engine.clustered import Clusters
from ...engine.deferred import reweighted
from ...engine.family import ProblemFamily
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...engine.summed import SummedProblem
from ...engine.vector import VectorProblem
from ...foundation import arrays, validation
from ...foundation.arrays import Array
from ...foundation.progress import with_progress
from ...foundation.written import chosen_percent, counted, interval, number

LEVEL = 0.95
REPLICATES = 1000
MOST_DRAWN = 2**53
MANY = 100  # samples, from which on percentiles of their means are wide enough
FEWEST = 10  # samples of which a spread says anything
PAIRS = 3  # of draws, of which a mean is recognised


@dataclass(frozen=True, eq=False)
class Resampled:
    """A number, and the same number on resampled data.

    Attributes
    ----------
    estimate : float
        The number on the samples themselves.
    replicates : ndarray, shape (n,)
        The number on resampled data; nan where no sample was left to judge.
    level : float
        The level of the interval from `lower` to `upper`.
    share : float, in (0, 1)
        The share of the replicates in that interval: the level, or more as `Bootstrap` says.

    See Also
    --------
    Bootstrap, Consistency
    """

    estimate: float
    replicates: Array
    level: float
    share: float

    @property
    def mean(self) -> float:
        """Mean of the replicates."""
        return float(np.nanmean(self.replicates))

    @property
    def std(self) -> float:
        """Standard deviation of the replicates about their mean."""
        with np.errstate(invalid="ignore"):  # nan where replicates are infinite
            return float(np.nanstd(self.replicates))

    @property
    def lower(self) -> float:
        """The lower end of the percentile interval of the replicates."""
        return float(percentile_interval(self.replicates, self.share)[0])

    @property
    def upper(self) -> float:
        """The upper end of the percentile interval of the replicates."""
        return float(percentile_interval(self.replicates, self.share)[1])


def quantiles(replicates: Array, at: float | Sequence[float]) -> Array:
    """Quantiles over the first axis, which replace it; nan only where no replicate has a value.

    Between a finite and an infinite replicate they are infinite.
    """
    columns = replicates.reshape(len(replicates), -1)
    out = np.full((np.size(at), columns.shape[1]), np.nan)
    known = ~np.isnan(columns).all(axis=0)
    if known.any():
        with np.errstate(invalid="ignore"):  # between two infinite replicates
            values = np.nanquantile(columns[:, known], np.ravel(at), axis=0)
        if np.isnan(values).any():
            higher = np.nanquantile(columns[:, known], np.ravel(at), axis=0, method="higher")
            values = np.where(np.isnan(values), higher, values)
        out[:, known] = values
    return out.reshape((*np.shape(at), *replicates.shape[1:]))


def percentile_interval(replicates: Array, level: float) -> Array:
    """The ends of the interval that holds the middle `level` of the replicates, over the first axis: shape (2, ...).

    They are nan where the level is.
    """
    if np.isnan(level):
        return np.full((2, *replicates.shape[1:]), np.nan)
    return quantiles(replicates, [(1 - level) / 2, (1 + level) / 2])


def level_of_percentiles(judged: Predictions | Problem, level: float = LEVEL) -> float:
    """Return the level of the percentiles that hold a mean of samples in a share `level` of the cases.

    It is nan of fewer than six clusters.
    """
    clusters = clusters_of(judged)
    if clusters is not None:
        return clusters.level_of_percentiles(level)
    samples = _effective_size(judged)
    return level if samples >= MANY else expanded_level(samples, level)


def level_of_clusters(judged: Predictions | Problem, level: float) -> float:
    """Return the level of the percentiles of drawn clusters; without clusters `level` itself."""
    return level if clusters_of(judged) is None else level_of_percentiles(judged, level)


def clusters_of(judged: Predictions | Problem) -> Clusters | None:
    """The clusters of predictions, or of a problem; None of a family, which is not drawn by itself."""
    if isinstance(judged, Predictions):
        codes = judged.cluster_codes
        return None if codes is None else Clusters.of_rows(codes, judged.weights)
    return None if isinstance(judged, ProblemFamily) else Clusters.of(judged)


def expanded_level(samples: float, level: float = LEVEL) -> float:
    """The level of percentiles that hold a mean of so many samples at a level (Hesterberg 2015, section 5.1).

    Percentiles of a bootstrap are as narrow as if the spread were known, and by a factor of sqrt((n - 1) / n) besides.
    """
    n = max(samples, FEWEST)
    reach = stdtrit(n - 1, (1 + level) / 2) * np.sqrt(n / (n - 1))
    return float(2 * ndtr(reach) - 1)


class Bootstrap(Resampled):
    """A number and its bootstrap replicates; see `bootstrap` and `Resampled`.

    Attributes
    ----------
    share : float, in (0, 1)
        The share of the replicates between `lower` and `upper`: the level or, of a mean of fewer than 100 samples,
        so much more as it takes to hold the true mean at the level (Hesterberg 2015). Of samples in clusters it is
        2 Phi(t sqrt(C / (C - 1))) - 1, with the quantile t of `observed_expected`; nan of fewer than six clusters.

    See Also
    --------
    bootstrap : Makes it.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.bootstrap(p, error=cv.ks_error, replicates=99)
    <Bootstrap 0.0387, 95 % interval 0.0245 to 0.0515, 99 replicates>
    """

    def __repr__(self) -> str:
        return (
            f"<Bootstrap {number(self.estimate)}, {chosen_percent(self.level)} interval "
            f"{interval(self.lower, self.upper, '')}, {counted(len(self.replicates), 'replicate')}>"
        )


@assumes_independence
@takes_arrays
def bootstrap(
    predictions: Judged,
    *,
    error: Callable[..., float],
    replicates: int = REPLICATES,
    size: int | None = None,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> Bootstrap:
    """Bootstrap of any number (Efron and Tibshirani 1993): samples, or whole clusters, are drawn with replacement.

    The percentile interval shows sampling noise, but not bias. For means, such as mean score - mean target or the Brier
    score, it covers the true value at its level; of fewer than 100 samples it is as much wider as that takes. (A number
    is a mean if of two draws together it is the mean of both.) For a calibration error it is only the spread under
    resampling: such errors are biased upwards, most of all those of good models, and more so on resampled data.
    `interval` gives an interval of the true error.

    Parameters
    ----------
    predictions : Predictions, a problem, a summary, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    error : function of predictions or a problem
        For example ``lambda q: cv.ks_error(q, "top-1")``. It gets `weights` that count how often each sample was
        drawn, and has to use them: ``np.average(q.predicted == q.labels, weights=q.weights)``. Adaptive bins are
        rebuilt in each replicate.
    replicates : int, at least 1
        Number of replicates.
    size : int, optional
        Number of samples, or clusters, drawn each time, by default as many as there are. Whole-number weights count
        repetitions; with other weights, and in clusters, a sample is drawn with its weight.
    level : float, in (0, 1)
    rng : int, numpy.random.Generator or None
        The same seed gives the same draws, whatever the statistic: differences of two statistics are paired.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Bootstrap
        With estimate, mean, std, lower, upper and replicates.

    Raises
    ------
    EmptyProblemError
        Where the statistic has no sample to judge, on the samples themselves or on all replicates.
    ValueError
        Where the statistic does not use the weights.

    See Also
    --------
    consistency : The same number on data drawn from calibrated predictions.
    interval : An interval of the true calibration error.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> spread = cv.bootstrap(p, error=cv.ks_error, replicates=99)
    >>> round(spread.lower, 3), round(spread.upper, 3)
    (0.025, 0.051)
    """
    seed = checked_seed(error, replicates, level, rng, progress)
    predictions = resampled_of(predictions)
    estimate = number_of(error(predictions))
    values = np.full(replicates, np.nan)
    for i, other in enumerate(
        with_progress(resampled(predictions, replicates, size, seed), "bootstrap", replicates, progress)
    ):
        try:
            values[i] = number_of(error(other))
        except EmptyProblemError:
            continue
    if np.isnan(values).all():
        raise EmptyProblemError("no bootstrap replicate holds a sample to judge: raise n, or select more")
    if (
        isinstance(predictions, Predictions)
        and predictions.weights is None
        and replicates > 1
        and (values == estimate).all()
    ):
        _refuse_unweighted(predictions, error, next(draws_of(predictions, 1, size, seed)))
    widened = level_of_percentiles(predictions, level)
    if clusters_of(predictions) is None and widened != level and not _is_mean(error, predictions, seed):
        widened = level
    return Bootstrap(estimate, values, level, widened)


def checked_seed(statistic: Any, n: Any, level: Any, rng: Any, progress: Any) -> int:
    """The seed of draws; an error, a number of replicates or a level that resampling cannot use is refused."""
    if not callable(statistic) or isinstance(statistic, type):
        raise TypeError(f"error must be a function such as cv.ks_error, not {validation.shown(statistic)}")
    return validation.draws(rng, progress, n, level)


def _refuse_unweighted(predictions: Predictions, statistic: Callable[..., float], times: Array) -> None:
    """Raise where a statistic changes with repeated rows but not with the weights that stand for them."""
    rows = predictions.select(np.repeat(np.arange(len(predictions)), times.astype(np.intp)))
    if not np.isclose(statistic(predictions.with_weights(times)), statistic(rows), rtol=1e-9, atol=1e-12):
        raise ValueError(
            "the error does not count the weights of the predictions that it is given, so it never varies: "
            "use for example np.average(q.predicted == q.labels, weights=q.weights)"
        )


def number_of(value: Any) -> float:
    """The value of a statistic as a float; a value that is no number is refused."""
    if np.ndim(value) or isinstance(value, str) or value is None or np.isnan(value):
        raise ValueError(f"the error must return a number, not {value!r}")
    return float(value)


def resampled(
    predictions: Predictions | Problem, n: int, size: int | None = None, seed: int | None = 0
) -> Iterator[Predictions | ScalarProblem | VectorProblem]:
    """Bootstrap replicates of predictions or of a problem, one after the other."""
    return (_under(predictions, weights) for weights in draws_of(predictions, n, size, seed))


def _under(predictions: Predictions | Problem, weights: Array) -> Predictions | ScalarProblem | VectorProblem:
    if isinstance(predictions, Predictions):
        return predictions.with_weights(weights)
    return reweighted(predictions, weights)  # type: ignore[arg-type]


def _is_mean(error: Callable[..., float], predictions: Predictions | Problem, seed: int) -> bool:
    """Whether a number is the mean of one value for each sample: of two draws together it is the mean of both."""
    drawn = list(draws_of(predictions, 2 * PAIRS, None, seed))
    try:
        for one, other in zip(drawn[::2], drawn[1::2], strict=True):
            first, second, both = (number_of(error(_under(predictions, w))) for w in (one, other, one + other))
            if not np.isclose(both, np.average([first, second], weights=[one.sum(), other.sum()]), 1e-9, 1e-12):
                return False
    except EmptyProblemError:
        return False
    return True


def draws_of(
    predictions: Predictions | Problem, n: int, size: int | None = None, seed: int | None = 0
) -> Iterator[Array]:
    """Weights of n bootstrap replicates of predictions or of a problem, each of the shape of its weights."""
    given = weights_of(predictions)
    if not isinstance(predictions, SummedProblem):
        assert not isinstance(predictions, ProblemFamily)
        yield from drawn_weights(len(predictions), given, n, size, seed, predictions.cluster_codes)
        return
    worth = predictions.worth
    rng = np.random.default_rng(seed)
    total = drawn_size(predictions)
    size = total if size is None else validation.whole_number(size, "size", 1)
    for _ in range(n):
        times = rng.poisson(worth * (size / total))
        while not times.any():  # unlike samples drawn one by one, Poisson counts can all be 0
            times = rng.poisson(worth * (size / total))
        yield predictions.weight * times / worth


def weights_of(predictions: Predictions | Problem) -> Array | None:
    """The weights of predictions or of a problem; a family of problems is refused."""
    if isinstance(predictions, ProblemFamily):
        raise ValueError("a family of problems cannot be resampled by itself: pass cv.Predictions")
    if not isinstance(predictions, Predictions | ScalarProblem | VectorProblem):
        raise no_predictions(predictions)
    if isinstance(predictions, Predictions):
        return predictions.weights
    return predictions.given_weight


def _effective_size(predictions: Predictions | Problem) -> float:
    """How many equal samples the weights are worth."""
    if isinstance(predictions, ScalarProblem | VectorProblem):
        return predictions.effective_size
    weights = weights_of(predictions)
    return float(len(predictions)) if weights is None else arrays.effective_size(weights)


def drawn_size(predictions: Predictions | Problem) -> int:
    """The number of samples, or clusters, that a bootstrap draws; whole-number weights count repetitions."""
    if (clusters := clusters_of(predictions)) is not None:
        return clusters.count
    weights = weights_of(predictions)
    if isinstance(predictions, ScalarProblem | VectorProblem):
        return predictions.samples
    return _count_draws(len(predictions), weights)


def _count_draws(samples: int, weights: Array | None) -> int:
    return samples if weights is None or not arrays.are_counts(weights) else int(weights.sum())


def drawn_weights(
    samples: int,
    weights: Array | None,
    n: int,
    size: int | None = None,
    seed: int | None = 0,
    clusters: NDArray[np.intp] | None = None,
) -> Iterator[Array]:
    """Weights (samples,) of n bootstrap replicates of samples with these weights; clusters are drawn as a whole."""
    rng = np.random.default_rng(seed)
    if clusters is not None:
        own = np.ones(samples) if weights is None else weights
        known, code = np.unique(np.where(own > 0, clusters, -1), return_inverse=True)
        first = int(known[0] == -1)  # those of weight 0 are none
        count = len(known) - first
        size = count if size is None else validation.whole_number(size, "size", 1)
        for _ in range(n):
            drawn = np.bincount((first + rng.integers(0, count, size)).astype(np.intp), minlength=len(known))
            yield drawn[code] * own
        return
    counts = weights is not None and arrays.are_counts(weights)
    total = _count_draws(samples, weights)
    size = total if size is None else validation.whole_number(size, "size", 1)
    if max(size, total) > MOST_DRAWN:
        raise ValueError(f"size, or the sum of the weights, is {max(size, total):g}: too many samples to draw")
    for _ in range(n):
        if counts and weights is not None:
            yield rng.multinomial(size, weights / total).astype(np.float64)
        else:
            times = np.bincount(rng.integers(0, samples, size).astype(np.intp), minlength=samples).astype(np.float64)
            yield times if weights is None else times * weights
