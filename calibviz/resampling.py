"""How sure a number is: the bootstrap, and consistency resampling against perfect calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import validation
from .arrays import row_blocks
from .families import ProblemFamily
from .lenses import Lens
from .looking import Judged, induced_problem
from .predictions import Predictions
from .problems import EmptyProblemError, ScalarProblem
from .progress import with_progress
from .selections import Condition
from .shortcuts import Part
from .vector_problems import VectorProblem

Array = NDArray[np.float64]

LEVEL = 0.9
REPLICATES = 1000
MOST_REPEATED = 100_000_000


@dataclass(frozen=True, eq=False)
class Resampled:
    """A number, and the same number on resampled data.

    Attributes
    ----------
    estimate : float
        On the samples as they are.
    replicates : ndarray, shape (n,)
        On resampled ones; nan where nothing was left to judge.
    level : float
        Of the interval from `lower` to `upper`.
    """

    estimate: float
    replicates: Array
    level: float

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
        return float(quantiles(self.replicates, (1 - self.level) / 2))

    @property
    def upper(self) -> float:
        """The upper end of the percentile interval of the replicates."""
        return float(quantiles(self.replicates, (1 + self.level) / 2))


def quantiles(replicates: Array, at: float | Sequence[float]) -> Array:
    """Quantiles over the first axis, which replace it; nan only where no replicate has a value.

    Between a finite and an infinite replicate they are infinite.
    """
    columns = replicates.reshape(len(replicates), -1)
    out = np.full((np.size(at), columns.shape[1]), np.nan)
    known = ~np.isnan(columns).all(axis=0)
    if known.any():
        with np.errstate(invalid="ignore"):  # between two infinite replicates
            found = np.nanquantile(columns[:, known], np.ravel(at), axis=0)
        higher = np.nanquantile(columns[:, known], np.ravel(at), axis=0, method="higher")
        out[:, known] = np.where(np.isnan(found), higher, found)
    return out.reshape((*np.shape(at), *replicates.shape[1:]))


class Bootstrap(Resampled):
    """A number and what it might have been on other samples; see `bootstrap` and `Resampled`."""

    def __repr__(self) -> str:
        return (
            f"<Bootstrap {self.estimate:.4g}, {100 * self.level:g} % interval {self.lower:.4g} to {self.upper:.4g}, "
            f"{len(self.replicates)} replicates>"
        )


class Consistency(Resampled):
    """An error and what it would be if the probabilities were calibrated; see `consistency` and `Resampled`."""

    def __repr__(self) -> str:
        return (
            f"<Consistency {self.estimate:.4g}, p = {self.p_value:.3g}; if calibrated, {100 * self.level:g} % lie "
            f"between {self.lower:.4g} and {self.upper:.4g}>"
        )

    @property
    def p_value(self) -> float:
        """(1 + #{replicates >= estimate}) / (1 + n): how often chance alone gives as large an error."""
        return float((1 + (self.replicates >= self.estimate).sum()) / (1 + len(self.replicates)))


def bootstrap(
    predictions: Judged,
    statistic: Callable[..., float],
    n: int = REPLICATES,
    *,
    size: int | None = None,
    level: float = LEVEL,
    seed: int | None = 0,
    progress: bool = True,
) -> Bootstrap:
    """Bootstrap of any number (Efron and Tibshirani 1993): samples are drawn with replacement.

    The percentile interval is honest about sampling noise, not about bias: an ECE is biased upwards, and more so
    on resampled data. `benchmarks/coverage.md` tabulates how often such intervals hold the truth: those of
    mean score - mean target do at their level, those of the ECE of a few hundred samples seldom.

    Parameters
    ----------
    predictions : Predictions, or a problem
    statistic : function of what `predictions` is
        For example ``lambda q: cv.ks_error(q, "top-1")``. It sees weights that count how often each sample was
        drawn; adaptive bins are so rebuilt in each replicate, ties and all.
    n : int, at least 1
        Number of replicates.
    size : int, optional
        How many samples are drawn each time, by default as many as there are. Whole-number weights count
        repetitions; with others, a sample is drawn with its weight.
    level : float, in (0, 1)
    seed : int
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
        Where the statistic finds no sample to judge, on the samples as they are.
    """
    validation.whole_number(n, "n", 1)
    validation.real_number(level, "level", 0.0, 1.0, open_ends=True)
    if not callable(statistic):
        raise TypeError(f"statistic must be a function such as cv.ks_error, not {statistic!r}")
    estimate = float(statistic(predictions))
    values = np.full(n, np.nan)
    for i, other in enumerate(with_progress(resampled(predictions, n, size, seed), "bootstrap", n, progress)):
        try:
            values[i] = statistic(other)
        except EmptyProblemError:
            continue
    if np.isnan(values).all():
        raise EmptyProblemError("no bootstrap replicate holds a sample to judge: raise n, or select more")
    return Bootstrap(estimate, values, level)


def resampled(
    predictions: Judged, n: int, size: int | None = None, seed: int | None = 0
) -> Iterator[Predictions | ScalarProblem | VectorProblem]:
    """Bootstrap replicates of predictions or of a problem, one after the other."""
    if isinstance(predictions, ProblemFamily):
        raise ValueError("a family of problems cannot be resampled by itself: pass cv.Predictions")
    if not isinstance(predictions, Predictions | ScalarProblem | VectorProblem):
        raise TypeError(f"predictions must be cv.Predictions(probs, labels), not {type(predictions).__name__}")
    if isinstance(predictions, Predictions):
        for weights in drawn_weights(len(predictions), predictions.weights, n, size, seed):
            yield predictions.reweighted(weights)
    else:
        for weights in drawn_weights(len(predictions), predictions.given_weight, n, size, seed):
            if isinstance(predictions, ScalarProblem):
                yield Part(predictions, weights)
            else:
                yield predictions.reweighted(weights)


def drawn_size(samples: int, weights: Array | None) -> int:
    """How many samples a bootstrap draws: repetitions, where weights are whole numbers, count each."""
    return samples if weights is None or not _are_counts(weights) else int(weights.sum())


def _are_counts(weights: Array) -> bool:
    return bool((weights == np.floor(weights)).all())


def drawn_weights(
    samples: int, weights: Array | None, n: int, size: int | None = None, seed: int | None = 0
) -> Iterator[Array]:
    """Weights (samples,) of n bootstrap replicates."""
    rng = np.random.default_rng(seed)
    counts = weights is not None and _are_counts(weights)
    total = drawn_size(samples, weights)
    size = total if size is None else validation.whole_number(size, "size", 1)
    for _ in range(n):
        if counts and weights is not None:
            yield rng.multinomial(size, weights / total).astype(np.float64)
        else:
            times = np.bincount(rng.integers(0, samples, size), minlength=samples).astype(np.float64)
            yield times if weights is None else times * weights


def consistency(
    predictions: Judged,
    statistic: Callable[..., float],
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    *,
    n: int = REPLICATES,
    level: float = LEVEL,
    seed: int | None = 0,
    progress: bool = True,
) -> Consistency:
    """Consistency resampling: is an error larger than chance makes it (Broecker and Smith 2007)?

    Labels are drawn from the probabilities, the scores stay, and the error is measured again.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`.
    statistic : function of a problem
        For example ``cv.ks_error``, or ``lambda q: cv.calibration_error(q, binning=cv.EqualMass(15))``.
    n : int, at least 1
        Number of replicates.
    level : float, in (0, 1)
    seed : int
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Consistency
        With estimate, p_value, mean, std, lower, upper and replicates.

    Raises
    ------
    ValueError
        For soft labels, whose noise is not that of one drawn label, and for a lens that makes several problems.
    """
    validation.whole_number(n, "n", 1)
    validation.real_number(level, "level", 0.0, 1.0, open_ends=True)
    if not callable(statistic):
        raise TypeError(f"statistic must be a function such as cv.ks_error, not {statistic!r}")
    problem = induced_problem(predictions, lens, selection, outcome)
    if isinstance(problem, ProblemFamily):
        raise ValueError("consistency resampling needs one problem: choose one class with outcome=...")
    observed = float(statistic(problem))
    draws = calibrated(problem, n, seed)
    values = [float(statistic(other)) for other in with_progress(draws, "consistency", n, progress)]
    return Consistency(observed, np.array(values), level)


def calibrated(
    problem: ScalarProblem | VectorProblem, n: int, seed: int | None = 0
) -> Iterator[ScalarProblem | VectorProblem]:
    """The problem with outcomes drawn from its own scores, n times over."""
    if not problem.is_binary:
        raise ValueError("consistency resampling draws one label a sample, but the labels are soft")
    if problem.given_weight is not None and problem.whole_weights:
        if problem.total > MOST_REPEATED:
            raise ValueError(
                f"the weights repeat the samples {problem.total:g} times: too many to draw a label for each"
            )
        problem = problem.repeated()
    rng = np.random.default_rng(seed)
    for _ in range(n):
        if isinstance(problem, VectorProblem):
            yield problem.with_target(_drawn_outcomes(problem, rng))
        else:
            yield problem.with_target(rng.random(len(problem)) < problem.score)


def _drawn_outcomes(problem: VectorProblem, rng: np.random.Generator) -> NDArray[np.int64]:
    n, m = problem.score.shape
    drawn = np.empty(n, dtype=np.int64)
    for block in row_blocks(n, m):
        steps = np.cumsum(problem.score[block], axis=1, dtype=np.float64)
        place = rng.random((len(steps), 1)) * steps[:, -1:]
        drawn[block] = np.minimum((steps <= place).sum(axis=1), m - 1)
    return drawn
