"""The parts of a proper score by isotonic recalibration, with intervals of what they are without its bias."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from ...context.conditions import Condition
from ...context.induced import Judged, scalar_problem
from ...context.lenses import Lens
from ...data.dependence import say_dependence
from ...data.models import takes_arrays
from ...engine.deferred import reweighted
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...engine.summed import SummedProblem
from ...foundation import validation
from ...foundation.arrays import Array
from ...foundation.progress import with_progress
from ...metrics.asked import refuse_pooled
from ...metrics.binless.corp import NAMES, Corp, corp_of, entropy
from ...metrics.clinical.estimates import Estimate
from ...metrics.scores import brier_score
from ..resampling.bootstrap import LEVEL, clusters_of, draws_of, level_of_percentiles
from .bin_intervals import mean_interval

Loss = Callable[..., float]

HALF, HALVED = 0.5, 20  # times that the samples are parted into two halves, of which both are fitted to
GROWS = 2 ** (2 / 3) - 1  # of n / 2 samples the bias is that much more than of n
INFINITE = "infinite, since something of probability 0 was observed"
ONE_OUTCOME = "all samples have one outcome"
ROUNDED = 1e-12  # of the uncertainty: a part that is not above it is 0 but for rounding


@takes_arrays
def corp(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    error: Loss = brier_score,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    replicates: int = 0,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> Corp:
    """Return the isotonic reliability curve with its parts of a proper score (Dimitriadis, Gneiting, Jordan 2021).

    The curve follows the noise of the samples it is fitted to. So miscalibration and discrimination are both too large,
    by the same amount, and the miscalibration of calibrated predictions is above 0: `consistency` gives its noise
    floor, with ``error=lambda q: cv.corp(q).miscalibration``. The intervals are of both without that bias.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    error : function
        The score that is split: `brier_score` or `log_loss`.
    replicates : int
        With n > 1 bootstrap replicates, of samples or of whole clusters, there are `intervals`; 200 are enough.
    level : float, in (0, 1)
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Corp
        With score, recalibrated, weight, and miscalibration - discrimination + uncertainty = whole; `intervals` holds
        the estimate, lower and upper of each part by its name.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the lens does not fit the number of classes, or it makes several problems.
        With replicates, of the lens "pooled" and of summaries of weights that are no whole numbers.

    See Also
    --------
    brier_split : A split of the Brier score over bins.
    reliability : A reliability curve in bins.
    consistency : The noise floor of the miscalibration.

    Notes
    -----
    S(s) = MCB - DSC + UNC with MCB = S(s) - S(r), DSC = S(tbar) - S(r) and UNC = S(tbar), where S is the score, r the
    isotonic regression of the targets on the scores and tbar the mean target. 0 log 0 is 0; a score of 0 or 1 that
    turns out otherwise makes the MCB of the log loss infinite, and then it has no interval.

    The bias b of -S(r) shrinks as n^(-2/3). Fits to halves of the samples, or of the clusters, tell it:
    b = (mean of -S(r) of the halves - that of all) / (2^(2/3) - 1). With k the standard deviation of the bootstrap
    replicates of MCB, times z, its interval reaches from MCB - b - k, but not below 0, to where x = MCB - b + k
    sqrt((x + b) / MCB), since the spread grows with the root; that of DSC alike. MCB is at most S(s), and DSC at most
    UNC: no interval reaches beyond the upper end of these. The intervals are of the parts by the best rising curve of
    all that the samples were drawn from. In simulations of 200 to 5,000 samples, and of clusters, with curves from
    calibrated to strongly off, 95 % intervals held either in about 90 to 100 of 100 cases. Percentiles of the
    replicates held the MCB of calibrated predictions in none, and the DSC in 8 to 75 (`benchmarks/score_parts.py`). The
    interval of UNC is what it is at the ends of the interval of the mean target, and between them.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.corp(p).miscalibration, 4)
    0.0193
    >>> found = cv.corp(p, replicates=100).intervals["discrimination"]
    >>> round(found.lower, 3), round(found.upper, 3)
    (0.175, 0.208)
    """
    seed, level = validation.draws(rng, progress), validation.level(level)
    replicates = validation.whole_number(replicates, "replicates", 0)
    if replicates == 1:
        raise ValueError("replicates must be 0 or at least 2, not 1: one has no spread")
    if not callable(error) or error not in NAMES:
        raise ValueError(f"error must be cv.brier_score or cv.log_loss, not {validation.shown(error)}")
    problem = scalar_problem(predictions, lens, selection, outcome)
    parts = corp_of(problem, error)
    if not replicates:
        return parts
    say_dependence(predictions, stacklevel=3)  # `takes_arrays` stands between
    refuse_pooled(lens, "intervals of the parts of a score")
    if isinstance(problem, SummedProblem):
        raise ValueError("the cells of a summary whose weights are not whole numbers have no halves: pass the samples")
    return replace(parts, intervals=_intervals(problem, parts, error, replicates, level, seed, progress))


def _intervals(
    problem: ScalarProblem, parts: Corp, error: Loss, n: int, level: float, seed: int | None, progress: bool
) -> dict[str, Estimate]:
    """The interval of each part; see the notes of `corp`."""
    clusters, share = clusters_of(problem), level_of_percentiles(problem, level)
    note = None if clusters is None else clusters.note(problem)
    draws = with_progress(draws_of(problem, n, None, seed), "bootstrap", n, progress)
    drawn = _parts_under(problem, error, draws)
    halves = _parts_under(problem, error, _halves(problem, np.random.default_rng(seed)))
    of_fit = halves[:, 1] - halves[:, 2]  # -S(r)
    bias = float(of_fit.mean() - (parts.discrimination - parts.uncertainty)) / GROWS
    reach = -float(ndtri((1 - share) / 2))

    def around(place: int, value: float, bias: float, most: float, note: str | None) -> Estimate:
        spread = np.nan if note in (INFINITE, ONE_OUTCOME) else float(drawn[:, place].std())
        step = reach * spread
        # The spread of a part grows as its root: above, the end x is where x - value = step * sqrt(x / value).
        above = step
        if value > ROUNDED * parts.uncertainty:
            ratio = step / np.sqrt(value)
            above = ratio * (ratio / 2 + np.sqrt(value + ratio**2 / 4))
        # Of a small part with a large spread, that end lies beyond all that the part can be.
        lower, upper = np.clip([value - bias - step, value - bias + above], 0.0, most).tolist()  # nan stays
        return Estimate(max(0.0, value - bias), lower, upper, standard_error=spread, note=note)

    if problem.mean_target in (0.0, 1.0):
        note = ONE_OUTCOME
    if not problem.is_binary and error is brier_score:
        uncertainty = around(2, parts.uncertainty, 0.0, np.inf, note)
    else:
        of_mean = (lambda mean: mean * (1 - mean)) if error is brier_score else entropy
        low, high = mean_interval(problem, level)
        ends = [of_mean(end) for end in (low, high, 0.5 if low < 0.5 < high else low)]
        uncertainty = Estimate(parts.uncertainty, min(ends), max(ends), note=note)
    is_finite = np.isfinite(parts.miscalibration)
    whole = parts.whole + reach * float((drawn @ [1, -1, 1]).std()) if is_finite else np.inf
    return {
        "miscalibration": around(0, parts.miscalibration, bias, whole, note if is_finite else INFINITE),
        "discrimination": around(1, parts.discrimination, bias, uncertainty.upper, note),
        "uncertainty": uncertainty,
    }


def _parts_under(problem: ScalarProblem, error: Loss, weights: Iterable[Array]) -> Array:
    """The parts under other weights of the samples, shape (n, 3)."""
    rows = []
    for weight in weights:
        try:
            parts = corp_of(reweighted(problem, weight), error)
        except EmptyProblemError:
            continue
        rows.append((parts.miscalibration, parts.discrimination, parts.uncertainty))
    return np.array(rows).reshape(-1, 3)


def _halves(problem: ScalarProblem, rng: np.random.Generator) -> Iterator[Array]:
    """Weights under which each sample, or cluster, is in one of two halves at random, and then in the other."""
    code = problem.cluster_codes
    for _ in range(HALVED):
        if code is not None:
            first = problem.weight * (rng.random(int(code.max()) + 1) < HALF)[code]
        elif problem.whole_weights:
            first = rng.binomial(problem.weight.astype(np.int64), HALF).astype(np.float64)
        else:
            first = problem.weight * (rng.random(len(problem)) < HALF)
        yield first
        yield problem.weight - first
