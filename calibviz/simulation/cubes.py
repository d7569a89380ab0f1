"""How estimators of calibration error do on simulated networks: their bias and spread, and what they miss."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import xarray as xr

from ..engine.batch import ScalarBatch
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import Described, described
from ..foundation.progress import with_progress
from .estimators import ESTIMATORS, FALSE_ALARMS, SWEEPS, Estimators, estimates, read_estimators
from .known_truth import KnownTruth, SimulatedScores, block_sizes, drawn_scores
from .networks import MOST_POWER, NETWORKS, Network, network_of, true_calibration_error

COMPARED = ("uniform", "equal-mass", "equal-mass debiased", "uniform sweep", "sweep")
SIZES = (200, 400, 800, 1600, 3200, 6400)
EXPONENTS = (1.0, 1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0)
SIMULATIONS = 1000


SAID = {
    "mean": Described("mean of the estimates"),
    "std": Described("standard deviation of the estimates"),
    "bias": Described("bias of the estimator"),
    "truth": Described("what the estimator is after", source="Roelofs et al. 2022, equation 1"),
    "sweep_bins": Described("mean number of bins that the sweep chose", "bins", "Roelofs et al. 2022, algorithm 1"),
    "miss_rate": Described("share of the miscalibrated data sets that raise no alarm"),
    "threshold": Described("estimate from which on a network is called miscalibrated"),
}


def simulate_errors(
    networks: str | KnownTruth | Iterable[str | KnownTruth] = tuple(NETWORKS),
    estimators: Estimators = COMPARED,
    n: int | Iterable[int] = SIZES,
    bins: int | Iterable[int] = 15,
    p: float = 2.0,
    *,
    replicates: int = SIMULATIONS,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """Bias and spread of estimators on simulated data, whose true error is known (ece_sweep sections 3 and 5).

    Parameters
    ----------
    networks : network, name of one of the ten, or several
        By default the ten networks of ece_sweep; `fit_network` and `Network.empirical` make one of predictions.
    estimators : list of str, or dict of functions
        "uniform" and "equal-mass" (the plug-in error in such bins), "uniform label-binned", "equal-mass label-binned",
        "uniform debiased", "equal-mass debiased", "uniform sweep", "sweep", "ks", "kuiper", "kde" and "smooth"; or a
        dict of names and functions of a problem, for example ``{"corp": lambda q: cv.corp(q).miscalibration}``.
    n : list of int, at least 1
        Sizes of the data sets.
    bins : list of int, at least 1
        Those that take no number of bins say the same for all of them.
    p : float, 1 to 1000
        Power of the mean, 1 or 2 for "kde". "debiased" always takes 2.
    replicates : int, at least 1
        Data sets of each size.
    rng : int, numpy.random.Generator or None
        The numbers of a network do not depend on what else is asked for.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        Over `estimator, n, bins, network`, in [0, 1]: mean and std of the estimates; truth, what the estimator is after
        (TCE_p; TCE_2 for "debiased"; for "ks", "kuiper" and "smooth" their own value on infinitely many samples); bias,
        mean - truth; sweep_bins, the mean number of bins that a sweep chose. The coordinate tce holds the TCE_p of each
        network: ``cube.swap_dims(network="tce")`` makes it the axis.

    Raises
    ------
    ValueError
        For an unknown name; where "kde" or a function cannot measure a data set.

    See Also
    --------
    miss_rates : How often each estimator overlooks a miscalibrated network.
    trust : The same question asked of predictions at hand.
    plots.simulated_errors : A picture of the table.

    References
    ----------
    ece_sweep equation 7 and figures 4, 6, 7 and 15.

    Examples
    --------
    >>> cube = cv.simulate_errors("resnet110_c10", ["uniform", "sweep"], n=[200, 1000], replicates=200)
    >>> (100 * cube.bias.sel(bins=15, network="resnet110_c10", n=200)).round(1).values
    array([0.5, 0.5])
    """
    seed = validation.draws(rng, progress, replicates)
    nets = _networks(networks)
    chosen = read_estimators(estimators)
    sizes, counts = (_whole_numbers(value, name) for value, name in ((n, "n"), (bins, "bins")))
    power = validation.real_number(p, "p", 1.0, MOST_POWER)

    shape = (len(chosen), len(sizes), len(counts), len(nets))
    mean, std = np.empty(shape), np.empty(shape)
    swept_bins = np.full((len(chosen), len(sizes), len(nets)), np.nan)
    built_in = [name if chosen[name] is ESTIMATORS.get(name) else "" for name in chosen]
    sweeps = {place: SWEEPS[name] for place, name in enumerate(built_in) if name in SWEEPS}

    def measure(sets: ScalarBatch) -> Array:
        """The estimates, and behind those of the last number of bins how many bins a sweep chose."""
        values = estimates(sets, chosen, counts, power)
        used = np.full_like(values[:, :1], np.nan)
        for place, sweep in sweeps.items():
            used[place] = sweep.choose_each(sets)
        return np.concatenate([values, used], axis=1)

    for i, j, values in _measured(nets, sizes, replicates, (seed,), measure, progress):
        mean[:, i, :, j], std[:, i, :, j] = values[:, :-1].mean(axis=-1), values[:, :-1].std(axis=-1)
        swept_bins[:, i, j] = values[:, -1].mean(axis=-1)
    truth = np.array([[estimator.truth(net, power) for net in nets] for estimator in chosen.values()])
    dims = ("estimator", "n", "bins", "network")
    table = xr.Dataset(
        {
            "mean": (dims, mean),
            "std": (dims, std),
            "bias": (dims, mean - truth[:, None, None, :]),
            "truth": (("estimator", "network"), truth),
            "sweep_bins": (("estimator", "n", "network"), swept_bins),
        },
        {"estimator": list(chosen), "n": sizes, "bins": counts, **_named(nets, power)},
        {"p": power, "simulations": replicates, "source": "Roelofs et al. 2022, sections 3 and 5"},
    )
    return described(table, "Roelofs et al. 2022, equation 7", SAID)


def miss_rates(
    networks: str | KnownTruth | Iterable[str | KnownTruth] | None = None,
    estimators: Estimators = ("uniform", "sweep"),
    n: int | Iterable[int] = (200, 500, 1000, 2000, 5000, 10000),
    bins: int = 15,
    p: float = 2.0,
    *,
    level: float = 1 - FALSE_ALARMS,
    replicates: int = SIMULATIONS,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """How often a miscalibrated network is taken for a calibrated one (ece_sweep section 5.4, figure 8).

    The test calls a network miscalibrated where its estimate exceeds those of a share `level` of simulated calibrated
    networks of the same scores.

    Parameters
    ----------
    networks : network, name of one of the ten, or several
        By default networks of uniform scores with T(c) = c^d, d from 1 to 3.
    estimators, n, p, replicates, rng, progress
        As in `simulate_errors`.
    bins : int, at least 1
    level : float, in (0, 1)
        One minus the type I error rate, the share of false alarms.

    Returns
    -------
    xarray.Dataset
        Over `estimator, n, network`: miss_rate, the type II error rate in [0, 1]; threshold, the estimate from which on
        a network is called miscalibrated. The coordinate tce holds the TCE_p of each network.

    Raises
    ------
    ValueError
        For an unknown name.

    See Also
    --------
    simulate_errors : Bias and spread of the same estimators.
    sample_size : How many samples it takes to notice an error.
    plots.miss_rates : A picture of the table.

    Examples
    --------
    >>> table = cv.miss_rates(cv.Network.power(1.3), n=[200, 2000], replicates=200)
    >>> table.miss_rate.sel(estimator="sweep", network="c^1.3").round(1).values
    array([0.5, 0. ])
    """
    seed = validation.draws(rng, progress, replicates, level)
    nets = _networks([Network.power(d) for d in EXPONENTS] if networks is None else networks)
    chosen = read_estimators(estimators)
    sizes = _whole_numbers(n, "n")
    count = validation.whole_number(bins, "bins", 1)
    power = validation.real_number(p, "p", 1.0, MOST_POWER)

    def measure(sets: ScalarBatch) -> Array:
        return estimates(sets, chosen, [count], power)[:, 0]

    shape = (len(chosen), len(sizes), len(nets))
    missed, thresholds = np.empty(shape), np.empty(shape)
    nulls = list({net.score_key: net.calibrated for net in nets}.values())
    alike = {
        place: [j for j, net in enumerate(nets) if net.score_key == null.score_key] for place, null in enumerate(nulls)
    }
    # Drawn apart from the networks that are held against them.
    for i, place, values in _measured(nulls, sizes, replicates, (seed, 1), measure, progress):
        thresholds[:, i, alike[place]] = alarm_threshold(values, level)[:, None]
    for i, j, values in _measured(nets, sizes, replicates, (seed,), measure, progress):
        missed[:, i, j] = share_missed(values, thresholds[:, i, j])
    dims = ("estimator", "n", "network")
    table = xr.Dataset(
        {
            "miss_rate": (dims, missed),
            "threshold": (dims, thresholds),
        },
        {"estimator": list(chosen), "n": sizes, **_named(nets, power)},
        {"p": power, "level": level, "simulations": replicates, "source": "Roelofs et al. 2022, section 5.4"},
    )
    return described(table, "Roelofs et al. 2022, section 5.4", SAID)


def alarm_threshold(of_calibrated: Array, level: float) -> Array:
    """Return what a share `level` of the estimates of calibrated networks stays below; data sets are the last axis."""
    return np.quantile(of_calibrated, level, axis=-1)


def share_missed(values: Array, threshold: Array) -> Array:
    """The share of estimates, along the last axis, that raise no alarm."""
    return (values <= threshold[..., None]).mean(axis=-1)


def _measured(
    nets: Sequence[KnownTruth],
    sizes: Sequence[int],
    simulations: int,
    key: tuple[int, ...],
    measure: Callable[[ScalarBatch], Array],
    progress: bool,
) -> Iterator[tuple[int, int, Array]]:
    """The places of each size and network, and what `measure` says of their data sets, along the last axis.

    Networks with the same distribution of scores share the scores; each size has a seed of its own, so that no number
    depends on what else is asked for.
    """
    groups: dict[Hashable, list[int]] = {}
    for j, net in enumerate(nets):
        groups.setdefault(net.score_key, []).append(j)

    number = [len(block_sizes(n, simulations)) for n in sizes]

    def blocks() -> Iterator[tuple[int, list[int], bool, SimulatedScores]]:
        for members in groups.values():
            for i, n in enumerate(sizes):
                drawn = drawn_scores(nets[members[0]], n, simulations, (*key, n))
                for k, scores in enumerate(drawn, start=1):
                    yield i, members, k == number[i], scores

    values: dict[int, list[Array]] = {j: [] for j in range(len(nets))}
    total = len(groups) * sum(number)
    for i, members, is_last, scores in with_progress(blocks(), "simulations", total, progress):
        for j in members:
            values[j].append(measure(scores.labelled(nets[j])))
        if is_last:
            for j in members:
                yield i, j, np.concatenate(values[j], axis=-1)
                values[j] = []


def _named(nets: Sequence[KnownTruth], p: float) -> dict[str, Any]:
    """The coordinates of networks."""
    tce = [true_calibration_error(net, p) for net in nets]
    return {"network": [net.name for net in nets], "tce": ("network", tce)}


def _networks(given: Any) -> list[KnownTruth]:
    if isinstance(given, KnownTruth):
        return [given]
    if not isinstance(given, Iterable) or not getattr(given, "ndim", 1):
        raise TypeError(f"networks must be networks, or names of them, not {validation.shown(given)}")
    several = [given] if isinstance(given, str) else list(given)
    nets = [network_of(network, f"networks[{place}]") for place, network in enumerate(several)]
    validation.refuse_repeats("network", [net.name for net in nets])
    if not nets:
        raise ValueError("networks is empty: pass at least one")
    return nets


def _whole_numbers(given: Any, name: str) -> list[int]:
    values = [validation.whole_number(value, name, 1) for value in validation.several(given)]
    validation.refuse_repeats(name, values)
    if not values:
        raise ValueError(f"{name} is empty: pass at least one")
    return values
