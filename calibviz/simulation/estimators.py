"""Estimators of calibration error on simulated data, whose true error is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.batch import ScalarBatch
from ..engine.binnings.binning import Binning, EqualMass, Sweep, Uniform
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..metrics.binless.kernel_density import kde_value
from ..metrics.binless.smooth import smooth_value
from ..metrics.binned import debiased_squares, error_series, ks_errors, kuiper_errors, label_binned_errors
from ..uncertainty.resampling.bootstrap import number_of
from .known_truth import KnownTruth
from .networks import true_calibration_error

FALSE_ALARMS = 0.05


@dataclass(frozen=True)
class Estimator:
    """An estimator as it is simulated."""

    errors: Callable[[ScalarBatch, int, float], Array]  # of m data sets, the number of bins and p, shape (m,)
    binning: Callable[[int], Binning] | None = None  # of the number of bins; None where that does not matter
    one_by_one: bool = False  # whether data sets are measured one after the other, which takes longer
    truth: Callable[[KnownTruth, float], float] = true_calibration_error  # what is estimated, of a network and p

    @property
    def in_bins(self) -> bool:
        """Whether the number of bins matters."""
        return self.binning is not None


def _plug_in(binning: Callable[[int], Binning]) -> Estimator:
    return Estimator(lambda sets, bins, p: error_series(sets, [binning(bins)], p=p)[:, 0], binning)


def _label_binned(binning: Callable[[int], Binning]) -> Estimator:
    return Estimator(lambda sets, bins, p: label_binned_errors(sets, binning(bins), p)[:, 0], binning)


def _debiased(binning: Callable[[int], Binning]) -> Estimator:
    return Estimator(
        lambda sets, bins, _p: np.sqrt(np.maximum(0.0, debiased_squares(sets, binning(bins)))),
        binning,
        truth=lambda network, _p: true_calibration_error(network, 2),
    )


def _sweep(sweep: Sweep) -> Estimator:
    return Estimator(lambda sets, _bins, p: error_series(sets, [sweep], p=p)[:, 0])


def _cumulative(errors: Callable[[ScalarProblem], Array]) -> Estimator:
    return Estimator(lambda sets, _bins, _p: errors(sets), truth=lambda network, _p: float(errors(network.population)))


def _by_itself(estimate: Callable[[ScalarProblem, float], float], own_truth: bool) -> Estimator:
    def errors(sets: ScalarBatch, _bins: int, p: float) -> Array:
        return np.array([number_of(estimate(problem, p)) for problem in sets.problems])

    if own_truth:
        return Estimator(errors, one_by_one=True, truth=lambda network, p: estimate(network.population, p))
    return Estimator(errors, one_by_one=True)


def _kde(problem: ScalarProblem, p: float) -> float:
    if p not in (1, 2):
        raise ValueError(f"p must be 1 or 2 for the estimator 'kde', not {p!r}")
    return float(kde_value(problem, int(p)) ** (1 / p))


#: What `truth` is of each estimator, in words.
TRUTH = (
    "Truth: the true calibration error; of debiased estimators its root mean square; of ks, kuiper and smooth what "
    "they give of infinitely many samples."
)
#: The sweeps, which choose the number of bins.
SWEEPS = {sweep.name: sweep for sweep in (Sweep("uniform"), Sweep())}
ESTIMATORS: dict[str, Estimator] = {
    "uniform": _plug_in(Uniform),
    "equal-mass": _plug_in(EqualMass),
    "uniform label-binned": _label_binned(Uniform),
    "equal-mass label-binned": _label_binned(EqualMass),
    "uniform debiased": _debiased(Uniform),
    "equal-mass debiased": _debiased(EqualMass),
    **{name: _sweep(sweep) for name, sweep in SWEEPS.items()},
    "ks": _cumulative(ks_errors),
    "kuiper": _cumulative(kuiper_errors),
    "kde": _by_itself(_kde, own_truth=False),
    "smooth": _by_itself(lambda problem, _p: smooth_value(problem), own_truth=True),
}

Estimators = str | Sequence[str] | Mapping[str, Callable[[ScalarProblem], float]]


def read_estimators(given: Any) -> dict[str, Estimator]:
    """Estimators by name; functions of a problem, in a dict, are measured one data set after the other."""
    if isinstance(given, Mapping):
        functions = validation.mapping(given, "estimators", "functions of a problem")
        for name, function in functions.items():
            if not callable(function):
                raise TypeError(f"estimators[{name!r}] must be a function of a problem, not {function!r}")
        estimators = {name: _by_itself(_without_p(function), own_truth=False) for name, function in functions.items()}
    else:
        names = [validation.choice(name, "estimators", tuple(ESTIMATORS)) for name in validation.several(given)]
        validation.refuse_repeats("estimator", names)
        estimators = {name: ESTIMATORS[name] for name in names}
    if not estimators:
        raise ValueError("estimators is empty: pass at least one")
    return estimators


def _without_p(function: Callable[[ScalarProblem], float]) -> Callable[[ScalarProblem, float], float]:
    return lambda problem, _p: function(problem)


def estimates(sets: ScalarBatch, estimators: Mapping[str, Estimator], bins: Sequence[int], p: float) -> Array:
    """Every estimate of every data set, shape (estimators, bins, m); the same for all bins where they do not matter."""
    values = np.empty((len(estimators), len(bins), len(sets.score)))
    for row, estimator in zip(values, estimators.values(), strict=True):
        if estimator.in_bins:
            for place, count in zip(row, bins, strict=True):
                place[:] = estimator.errors(sets, count, p)
        else:
            row[:] = estimator.errors(sets, 0, p)
    return values
