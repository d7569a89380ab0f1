"""How far to trust a calibration error: its interval, its bias, and what it would miss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import validation
from .binning import Binning, Uniform, bins_of, refuse_vector
from .estimators import calibration_error
from .lenses import Lens
from .looking import Judged, induced_problem
from .network_fits import NetworkFit, fit_network
from .problems import ScalarProblem
from .progress import with_progress
from .resampling import LEVEL, REPLICATES, bootstrap, check_resampling
from .selections import Condition
from .simulated_errors import FALSE_ALARMS, drawn_scores, estimator_in
from .simulated_sets import SimulatedScores
from .simulation import MOST_POWER, Network, power_network, true_calibration_error

Array = NDArray[np.float64]

POWER = 0.8
ENTRIES, KEPT = 4_000_000, 5_000_000  # scores that are simulated, where that makes enough data sets; and kept
FEWEST, MOST = 50, 1000  # data sets
LARGEST = 10_000_000  # samples in one
USUAL = (0.005, 0.995)  # estimates between these quantiles are no surprise
MANY = 0.1
STEPS = 9  # of a search that halves its range each time
EXCESS = (1e-3, 100.0)


@dataclass(frozen=True, eq=False)
class Trust:
    """A calibration error and how far to trust it; all errors lie in [0, 1].

    Attributes
    ----------
    estimate : float
    lower, upper : float
        The bootstrap interval at `level`.
    level : float
    fit : NetworkFit
        The simulated network that stands for the predictions.
    truth : float
        The true error of that network.
    bias : float
        How much more, on average, the estimate says of such a network than is true.
    if_calibrated : float
        What it says, on average, of a calibrated network with such scores.
    threshold : float
        What it exceeds for one in 20 of them only.
    detectable : float
        The smallest true error of an over-confident network that passes the threshold 4 times out of 5; nan where none
        does.
    size : int
        Samples in each simulated data set.
    simulations : int
        How many data sets.
    notes : tuple of str
        What makes the likeness of the fitted network doubtful.
    """

    estimate: float
    lower: float
    upper: float
    level: float
    fit: NetworkFit
    truth: float
    bias: float
    if_calibrated: float
    threshold: float
    detectable: float
    size: int
    simulations: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        def percent(value: float) -> str:
            return f"{100 * value:.2f} %"

        verdict = "more than" if self.estimate > self.threshold else "no more than"
        smallest = (
            f"over-confidence by less than {percent(self.detectable)} would often go unnoticed"
            if np.isfinite(self.detectable)
            else "no over-confidence would be noticed reliably"
        )
        sentences = [
            f"Estimate {percent(self.estimate)} ({100 * self.level:.4g} % interval {percent(self.lower)} to "
            f"{percent(self.upper)}).",
            f"Of simulated networks like this one, whose true error is {percent(self.truth)}, it says "
            f"{percent(self.truth + self.bias)} on average, {100 * self.bias:+.2f} points off.",
            *self.notes,
            f"Of calibrated ones it says {percent(self.if_calibrated)} on average and up to {percent(self.threshold)} "
            f"by chance: this is {verdict} that.",
            f"With {self.size:,} sample{'s' * (self.size > 1)}, {smallest}.",
        ]
        return " ".join(sentences)

    def __repr__(self) -> str:
        return f"<Trust: {self}>"


def trust(
    predictions: Judged,
    lens: str | Lens = "top-1",
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    p: float = 1.0,
    outcome: int | str | None = None,
    *,
    n: int = REPLICATES,
    level: float = LEVEL,
    seed: int | None = 0,
    progress: bool = True,
) -> Trust:
    """How far to trust a calibration error (ece_sweep sections 5.1, 5.3 and 5.4, put together).

    A network like the one at hand is fitted and simulated: what the estimate says of it, and of calibrated networks
    with such scores, is held against the truth.

    Parameters
    ----------
    predictions, lens, selection, p, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    binning : binning, default Uniform(15)
    n : int, at least 1
        Number of bootstrap replicates.
    level : float, in (0, 1)
        Of the bootstrap interval.
    seed : int
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Trust
        With estimate, lower and upper; fit, truth and bias; if_calibrated and threshold; detectable. Printed, it is
        a paragraph in words.

    Raises
    ------
    ValueError
        For soft labels; where all scores are equal, the selection keeps no sample, or the lens makes several problems.

    Notes
    -----
    Data sets have as many samples as the selection keeps (as the weights are worth, at most 10,000,000). `detectable`
    is sought among networks with the fitted distribution of scores and T(c) = c^d, which are over-confident, at 5 %
    false alarms.

    Examples
    --------
    >>> found = cv.trust(cv.load_dataset("digits")["neural network"], n=100)
    >>> found.estimate > found.threshold
    True
    >>> round(found.detectable, 3)
    0.013
    """
    validation.truth(progress, "progress")
    check_resampling(calibration_error, n, level)
    power = validation.real_number(p, "p", 1.0, MOST_POWER)
    entropy = np.random.SeedSequence(validation.seed(seed)).entropy  # one for all networks, also where none is given
    chosen = Uniform() if binning is None else binning
    problem = induced_problem(predictions, lens, selection, outcome)
    refuse_vector(problem, "trust")
    assert isinstance(problem, ScalarProblem)
    if not problem.is_binary:
        raise ValueError("trust simulates labels of 0 or 1, but the labels are soft, which have less noise")
    size = max(1, round(problem.effective_size))
    if size > LARGEST:
        raise ValueError(f"the weights are worth {size:,} samples: data sets of at most {LARGEST:,} are simulated")
    bins_of(problem, chosen)  # refuses what is no binning, or does not fit
    fit = fit_network(problem, progress=progress)
    estimator, bins = estimator_in(chosen)
    count = min(max(ENTRIES // size, FEWEST), MOST)

    def blocks() -> Iterator[SimulatedScores]:
        return drawn_scores(fit.network.a, fit.network.b, size, count, entropy)

    kept = list(blocks()) if size * count <= KEPT else None

    def simulated(network: Network) -> Array:
        """The estimates of data sets of the same scores: what differs between networks is not their luck."""
        parts = blocks() if kept is None else kept
        return np.concatenate([estimator.errors(scores.labelled(network), bins, power) for scores in parts])

    steps = with_progress(range(2 + STEPS), "simulated networks", 2 + STEPS, progress)
    next(steps)
    like = simulated(fit.network)
    next(steps)
    null = simulated(fit.network.calibrated)
    threshold = float(np.quantile(null, 1 - FALSE_ALARMS))
    missed, seen = EXCESS  # of the exponent of c^d over 1
    for _ in steps:
        middle = float(np.sqrt(missed * seen))
        found_out = (simulated(_alternative(fit, middle)) > threshold).mean() >= POWER
        missed, seen = (missed, middle) if found_out else (middle, seen)
    found = bootstrap(
        predictions,
        lambda q: calibration_error(q, lens, chosen, selection, p=power, outcome=outcome),
        n,
        level=level,
        seed=seed,
        progress=progress,
    )
    truth = true_calibration_error(fit.network, power)
    return Trust(
        found.estimate,
        found.lower,
        found.upper,
        level,
        fit,
        truth,
        float(like.mean()) - truth,
        float(null.mean()),
        threshold,
        true_calibration_error(_alternative(fit, seen), power) if seen < EXCESS[1] else float("nan"),
        size,
        count,
        tuple(_doubts(problem, found.estimate, like)),
    )


def _doubts(problem: ScalarProblem, estimate: float, like: Array) -> Iterator[str]:
    """Why the fitted network may be unlike the one at hand."""
    low, high = np.quantile(like, USUAL)
    if not low <= estimate <= high:
        yield "(An estimate like this one would be a surprise there, so the likeness is a rough one.)"
    share = float(problem.weight @ ((problem.score == 0) | (problem.score == 1))) / problem.total
    if share > MANY:
        yield f"({100 * share:.0f} % of the scores are exactly 0 or 1, where the fit can only guess.)"


def _alternative(fit: NetworkFit, excess: float) -> Network:
    """An over-confident network with the same distribution of scores."""
    return power_network(1 + excess, fit.network.a, fit.network.b)
