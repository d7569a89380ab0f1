"""How far to trust a calibration error: what noise alone makes of it, its bias, and what it would miss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import takes_arrays
from ..engine.binnings.binning import Binning, Uniform, bins_of, refuse_vector
from ..engine.clustered import Clusters
from ..engine.scalar import ScalarProblem
from ..engine.summed import SummedProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.chance import NULLS, noise_floor, p_values
from ..foundation.clusters import refuse_censored
from ..foundation.progress import with_progress
from ..foundation.written import counted, difference, p_value, percent
from ..metrics.asked import refuse_pooled
from ..metrics.binned import binned_error
from ..uncertainty.intervals.true_curves import curve_error, true_curve
from ..uncertainty.resampling.consistency import NOT_SYMMETRIC, consistency, kinds_of_draws

FALSE_ALARMS, POWER = 0.05, 0.8
FEWEST_NULLS = 19  # data sets drawn as if the predictions were calibrated
LABELS, FEWEST_SETS, MOST_SETS = 40_000_000, 50, 200  # that are drawn of one true curve: as many sets as that makes
LARGEST = 10_000_000  # samples in a data set
LEAST_STRETCH, MOST_STRETCH = 2.0**-8, 2.0**6  # of the curve that is found 4 times out of 5
HALVINGS = 4  # of the logarithm of 2, between such a stretch and one that is not found


@dataclass(frozen=True)
class Trust:
    """A calibration error and how far to trust it; all errors lie in [0, 1].

    Attributes
    ----------
    estimate : float
        The error as it is measured.
    if_calibrated : float
        What calibrated predictions with these scores show on average.
    threshold : float
        What one in 20 of them exceeds, and no more.
    p_value : float, in (0, 1]
        How often they show at least the estimate; the estimate exceeds the threshold where this is at most 0.05.
    curve_error : float
        The error of the true curve that the data suggest; nan, as what follows from it, under a selection that looks at
        the truth, where no curve is that of a calibrated model.
    bias : float
        How much larger than `curve_error` the estimate is on average where labels follow that curve.
    detectable : float
        The least error that exceeds the threshold 4 times out of 5, of curves that differ from a calibrated one as the
        suggested one does, but by less or by more; nan where none does.
    size : int
        Samples in a data set.
    replicates : int
        How many calibrated predictions were drawn.

    See Also
    --------
    trust : What makes it.
    interval : An interval of the true error.
    """

    estimate: float
    if_calibrated: float
    threshold: float
    p_value: float
    curve_error: float
    bias: float
    detectable: float
    size: int
    replicates: int

    def __str__(self) -> str:
        sentences = [
            f"The error measures {percent(self.estimate)} on {counted(self.size)}.",
            f"Calibrated predictions with these scores show {percent(self.if_calibrated)} on average, and more than "
            f"{percent(self.threshold)} once in 20 times: "
            f"noise alone {'does not' if self.estimate > self.threshold else 'can'} explain this error "
            f"({p_value(self.p_value, 'p', self.replicates)}).",
        ]
        if np.isnan(self.curve_error):
            return " ".join([*sentences, "The samples are selected by what is true, so no true error is fitted."])
        sentences += [
            f"If the true error were {percent(self.curve_error)}, as the fitted curve has it, "
            f"{percent(self.curve_error + self.bias)} would be measured on average: a bias of "
            f"{difference(self.bias, '%')} points.",
            f"An error of that shape is noticed 4 times out of 5 from {percent(self.detectable)} on; a smaller one "
            "can hide."
            if np.isfinite(self.detectable)
            else "No error of that shape, however large, is noticed 4 times out of 5.",
        ]
        return " ".join(sentences)

    def __repr__(self) -> str:
        return f"<Trust: {self}>"


@assumes_independence
@takes_arrays
def trust(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    p: float = 1.0,
    outcome: int | str | None = None,
    replicates: int = NULLS,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> Trust:
    """How far to trust a calibration error at this number of samples: its noise, its bias, and what it would miss.

    The scores stay as they are. Labels are drawn from the scores themselves, as if these were calibrated; from the true
    curve that the data suggest; and from curves between the two and beyond. Each time the error is measured again.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    binning : binning, default Uniform(15)
    p : float, at least 1
        Power of the mean.
    replicates : int, at least 19
        Number of data sets of calibrated predictions.
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Trust
        With estimate; if_calibrated, threshold and p_value; curve_error and bias; detectable. Printed, it is a
        paragraph in words.

    Raises
    ------
    ValueError
        For soft labels, and at a horizon; where the selection keeps no sample, or the lens makes several problems or
        one whose entries share labels ("pooled").

    See Also
    --------
    interval : Between which errors the true one lies.
    consistency : The same noise of any other error.
    Network.empirical : These scores and this curve, to simulate with any number of samples.

    Notes
    -----
    The threshold is the k-th largest error of the n data sets of calibrated predictions, k = floor((n + 1) / 20), so
    that calibrated predictions exceed theirs with a probability of at most 5 %, whatever their scores are (consistency
    resampling; Broecker and Smith 2007). `benchmarks/false_alarms.py` measures it.

    The suggested curve T is a penalised logistic regression of the labels on the log-odds z of the scores and 20
    cosines of their ranks, pulled towards a calibrated one. Its error is ``(mean |s - T|^p)^(1/p)`` over the scores of
    the data; `detectable` is sought among logistic(z + r (logit T - z)), r > 0. Whole-number weights repeat samples;
    other weights stay with them. At most 10,000,000 samples are taken.

    Of samples in clusters the calibrated data sets are those of `consistency`; under another curve T' the targets are
    T'(s) + xi (t - T(s)), with one sign xi for each cluster. Where signs do not suffice, trust is refused.

    Examples
    --------
    >>> found = cv.trust(cv.load_dataset("digits")["neural network"])
    >>> found.estimate > found.threshold
    True
    >>> round(found.threshold, 3), round(found.detectable, 3)
    (0.011, 0.012)
    """
    seed = validation.draws(rng, progress, replicates, fewest=FEWEST_NULLS)
    power = validation.real_number(p, "p", 1.0)
    rng = np.random.default_rng(seed)
    chosen = Uniform() if binning is None else binning
    refuse_pooled(lens, "trust")
    problem = _rows(induced_problem(predictions, lens, selection, outcome))

    def error(labelled: ScalarProblem) -> float:
        return binned_error(bins_of(labelled, chosen), p=power)

    refuse_censored(problem, "trust")
    if len(kinds_of_draws(problem)) > 1:
        raise validation.WayOutError(*NOT_SYMMETRIC)
    estimate = error(problem)
    nulls = consistency(problem, error=error, replicates=replicates, rng=seed, progress=progress).replicates
    threshold = float(noise_floor(nulls, 1 - FALSE_ALARMS))
    p_value = float(p_values(nulls, estimate))
    size = problem.samples
    if problem.by_truth is not None:
        return Trust(estimate, float(nulls.mean()), threshold, p_value, np.nan, np.nan, np.nan, size, len(nulls))
    curve = true_curve(problem, 0, rng)

    def true_error(stretch: float) -> float:
        return curve_error(problem, curve.stretched(0, stretch), power)

    sets = min(max(LABELS // len(problem), FEWEST_SETS), MOST_SETS, replicates)
    draws = _NullDraws(problem, curve.fit, rng.integers(0, 2**63, sets), error, progress)
    suggested = draws(curve.fit, "the suggested curve")
    stretch = _least_found(lambda r: (draws(curve.stretched(0, r), "other curves") > threshold).mean() >= POWER)
    return Trust(
        estimate,
        if_calibrated=float(nulls.mean()),
        threshold=threshold,
        p_value=p_value,
        curve_error=true_error(1.0),
        bias=float(suggested.mean()) - true_error(1.0),
        detectable=true_error(stretch),
        size=size,
        replicates=len(nulls),
    )


def _rows(problem: object) -> ScalarProblem:
    """The problem with a row for each label that is to be drawn."""
    refuse_vector(problem, "trust")
    assert isinstance(problem, ScalarProblem)
    if isinstance(problem, SummedProblem):
        raise ValueError("labels cannot be drawn for a summary whose weights are not whole numbers: pass the samples")
    problem.refuse_to_draw()
    if not problem.is_binary and problem.clusters is None:
        raise ValueError("trust draws labels of 0 or 1, but the labels are soft, which have less noise")
    if problem.samples > LARGEST:
        raise ValueError(f"there are {problem.samples:,} samples: labels of at most {LARGEST:,} are drawn")
    repeats = problem.by_truth is None and problem.given_weight is not None and problem.whole_weights
    return problem.repeated() if repeats else problem


@dataclass(frozen=True)
class _NullDraws:
    """The errors of data sets of the same scores, whose labels any true curve gets by the same chances."""

    problem: ScalarProblem
    fit: Array
    seeds: NDArray[np.intp]
    error: Callable[[ScalarProblem], float]
    progress: bool

    def __call__(self, curve: Array, what: str) -> Array:
        labelled = with_progress(self._labelled(curve), what, len(self.seeds), self.progress)
        return np.array([self.error(problem) for problem in labelled])

    def _labelled(self, curve: Array) -> Iterator[ScalarProblem]:
        clusters = Clusters.of(self.problem)
        for seed in self.seeds:
            rng = np.random.default_rng(seed)
            if clusters is None:
                yield self.problem.with_target(rng.random(len(curve)) < curve)
            else:  # the residuals of the fit, which a cluster shares, on either side of the curve
                sign = (1.0 - 2.0 * rng.integers(0, 2, clusters.count))[clusters.code]
                yield self.problem.with_target(curve + sign * (self.problem.given_target - self.fit))


def _least_found(is_found: Callable[[float], bool]) -> float:
    """About the least stretch that is noticed; nan where that of none is."""
    seen = 1.0
    while not is_found(seen):
        seen *= 2
        if seen > MOST_STRETCH:
            return float("nan")
    missed = seen / 2
    while seen <= 1 and missed >= LEAST_STRETCH and is_found(missed):
        seen, missed = missed, missed / 2
    for _ in range(HALVINGS):
        middle = float(np.sqrt(missed * seen))
        missed, seen = (missed, middle) if is_found(middle) else (middle, seen)
    return seen
