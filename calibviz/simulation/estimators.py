"""What estimators of calibration error say of simulated data, whose true error is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..metrics.binned import ks_error, kuiper_error
from ..metrics.kernel_density import kde_value
from ..metrics.smooth import smooth_value
from ..uncertainty.bootstrap import number_of
from .batches import Cutter, SimulatedScores, SimulatedSets, equal_mass, uniform
from .networks import Network, true_calibration_error

Array = NDArray[np.float64]

ENTRIES = 2_000_000  # of scores at a time
FALSE_ALARMS = 0.05
POPULATION = 2**16  # samples that stand for infinitely many


@dataclass(frozen=True)
class Estimator:
    """An estimator as it is simulated.

    Attributes
    ----------
    errors : function of SimulatedSets, bins and p
        Returns an array of shape (m,).
    in_bins : bool
        Whether `bins` matters.
    one_by_one : bool
        Whether data sets are measured one after the other, which takes longer.
    truth : function of a network and p
        What the estimator is after.
    """

    errors: Callable[[SimulatedSets, int, float], Array]
    in_bins: bool = False
    one_by_one: bool = False
    truth: Callable[[Network, float], float] = true_calibration_error


def _plug_in(cut: Cutter) -> Estimator:
    def errors(sets: SimulatedSets, bins: int, p: float) -> Array:
        return cut(sets, np.arange(len(sets)), bins).error(p)

    return Estimator(errors, in_bins=True)


def _label_binned(cut: Cutter) -> Estimator:
    def errors(sets: SimulatedSets, bins: int, p: float) -> Array:
        made = cut(sets, np.arange(len(sets)), bins)
        count = np.broadcast_to(np.diff(made.cuts, axis=1), made.target.shape)
        told = np.repeat(made.target.ravel(), count.ravel()).reshape(sets.given_target.shape)
        return (np.abs(sets.scores.score - told) ** p).mean(axis=1) ** (1 / p)

    return Estimator(errors, in_bins=True)


def _debiased(cut: Cutter) -> Estimator:
    def errors(sets: SimulatedSets, bins: int, _p: float) -> Array:
        made = cut(sets, np.arange(len(sets)), bins)
        count = made.share * sets.n
        noise = made.target * (1 - made.target) / np.maximum(count - 1, 1)
        kept = made.share * (count > 1.5)
        return np.sqrt(np.maximum(0.0, (kept * ((made.score - made.target) ** 2 - noise)).sum(axis=1)))

    return Estimator(errors, in_bins=True, truth=lambda network, _p: true_calibration_error(network, 2))


def _sweep(cut: Cutter) -> Estimator:
    def errors(sets: SimulatedSets, _bins: int, p: float) -> Array:
        found = np.empty(len(sets))
        chosen = sets.swept(cut)
        for bins in np.unique(chosen):
            rows = np.flatnonzero(chosen == bins)
            found[rows] = cut(sets, rows, int(bins)).error(p)
        return found

    return Estimator(errors)


def _by_itself(estimate: Callable[[ScalarProblem, float], float], own_truth: bool) -> Estimator:
    def errors(sets: SimulatedSets, _bins: int, p: float) -> Array:
        return np.array([number_of(estimate(problem, p)) for problem in sets.problems])

    if own_truth:
        return Estimator(errors, one_by_one=True, truth=lambda network, p: estimate(population(network), p))
    return Estimator(errors, one_by_one=True)


def _cumulative(errors: Callable[[Array], Array], estimate: Callable[[ScalarProblem], float]) -> Estimator:
    # Between the ends of a run of ties the difference is a straight line: its ends have the extremes.
    return Estimator(
        lambda sets, _bins, _p: errors(sets.cumulative_target - sets.scores.cumulative_score) / sets.n,
        truth=lambda network, _p: estimate(population(network)),
    )


def _kde(problem: ScalarProblem, p: float) -> float:
    if p not in (1, 2):
        raise ValueError(f"p must be 1 or 2 for the estimator 'kde', not {p!r}")
    return float(kde_value(problem, int(p)) ** (1 / p))


ESTIMATORS: dict[str, Estimator] = {
    "uniform": _plug_in(uniform),
    "equal-mass": _plug_in(equal_mass),
    "uniform label-binned": _label_binned(uniform),
    "equal-mass label-binned": _label_binned(equal_mass),
    "uniform debiased": _debiased(uniform),
    "equal-mass debiased": _debiased(equal_mass),
    "uniform sweep": _sweep(uniform),
    "sweep": _sweep(equal_mass),
    "ks": _cumulative(lambda gap: np.abs(gap).max(axis=1), ks_error),
    "kuiper": _cumulative(lambda gap: gap.max(axis=1) - gap.min(axis=1), kuiper_error),
    "kde": _by_itself(_kde, own_truth=False),
    "smooth": _by_itself(lambda problem, _p: smooth_value(problem), own_truth=True),
}
#: What cuts the bins, and which sweep chooses their number.
CUTTERS: dict[str, Cutter] = {"uniform": uniform, "equal-mass": equal_mass}
SWEEPS = {"uniform sweep": "uniform", "sweep": "equal-mass"}

Estimators = str | Sequence[str] | Mapping[str, Callable[[ScalarProblem], float]]


def population(network: Network) -> ScalarProblem:
    """So many scores at evenly spaced quantiles, with their true probabilities, that they leave no noise."""
    score, rest = network.quantiles((np.arange(POPULATION) + 0.5) / POPULATION)
    return ScalarProblem(score, network.true_curve(score, rest))


def read_estimators(given: Any) -> dict[str, Estimator]:
    """Estimators by name; functions of a problem, in a dict, are measured one data set after the other."""
    if isinstance(given, Mapping):
        functions = validation.mapping(given, "estimators", "functions of a problem")
        for name, function in functions.items():
            if not callable(function):
                raise TypeError(f"estimators[{name!r}] must be a function of a problem, not {function!r}")
        found = {name: _by_itself(_without_p(one), own_truth=False) for name, one in functions.items()}
    else:
        names = [validation.choice(one, "estimators", tuple(ESTIMATORS)) for one in validation.several(given)]
        validation.refuse_repeats("estimator", names)
        found = {name: ESTIMATORS[name] for name in names}
    if not found:
        raise ValueError("estimators is empty: pass at least one")
    return found


def _without_p(function: Callable[[ScalarProblem], float]) -> Callable[[ScalarProblem, float], float]:
    return lambda problem, _p: function(problem)


def block_sizes(n: int, simulations: int, entries: int = ENTRIES) -> list[int]:
    """How many data sets are simulated at a time."""
    at_once = max(1, entries // n)
    return [min(at_once, simulations - first) for first in range(0, simulations, at_once)]


def drawn_scores(
    a: float, b: float, n: int, simulations: int, seed: Any, entries: int = ENTRIES
) -> Iterator[SimulatedScores]:
    """Scores of simulated data sets from Beta(a, b), about so many entries at a time.

    They are sorted before the labels are drawn, which then need no sorting. How many come at a time does not change
    them.
    """
    of_scores, of_labels = np.random.default_rng(seed).spawn(2)
    for size in block_sizes(n, simulations, entries):
        rest = of_scores.beta(b, a, (size, n))
        rest.sort(axis=1)
        yield SimulatedScores(rest[:, ::-1], of_labels.random(rest.shape))


def estimates(sets: SimulatedSets, estimators: Mapping[str, Estimator], bins: Sequence[int], p: float) -> Array:
    """Every estimate of every data set, shape (estimators, bins, m); the same for all bins where they do not matter."""
    found = np.empty((len(estimators), len(bins), len(sets)))
    for row, estimator in zip(found, estimators.values(), strict=True):
        if estimator.in_bins:
            for place, count in zip(row, bins, strict=True):
                place[:] = estimator.errors(sets, count, p)
        else:
            row[:] = estimator.errors(sets, 0, p)
    return found
