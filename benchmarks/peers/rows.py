"""What is measured: each quantity as calibviz computes it, and as others do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import packages
import plain
from data import BINS, Data

import calibviz as cv

Call = Callable[[Data], float]

GAMMAS = [2.0**-i for i in range(1, 13)]


@dataclass(frozen=True)
class Row:
    """One quantity.

    Parameters
    ----------
    name : str
    aim : float, or None
        What the time of calibviz should be at most, in times of the fastest peer that finds the same value.
    ours : function of what `start` returns
    start : function of `Data`
        What calibviz is given, made anew before each call, and not timed.
    peers : dict of functions of `Data`, by name
        A name begins with the package. One that ends in a star is shown, but the aim is not about it.
    reads : function of `Data`
        The bytes that have to be read at least, if each is read once where it lies: with the speed of the memory they
        are the limit of the row. 0 where what is kept of an earlier number suffices.
    """

    name: str
    aim: float | None
    ours: Callable[[Any], float]
    start: Callable[[Data], Any]
    peers: dict[str, Call]
    reads: Callable[[Data], int]


def all_probabilities(d: Data) -> int:
    return d.probs.nbytes


def of_labels(d: Data) -> int:
    """One probability of each row, which brings a cache line of 64 bytes along, and its label."""
    return len(d) * 64 + d.labels.nbytes


def confidences(d: Data) -> int:
    return d.confidence.nbytes + d.hits.nbytes


def kept(_: Data) -> int:
    return 0


def draws(d: Data) -> int:
    """Of each of 1,000 replicates how often each sample was drawn, and its score and target."""
    return 1000 * len(d) * 3 * 8


def arrays(d: Data) -> Data:
    return d


def checked(d: Data) -> cv.Predictions:
    return cv.Predictions(d.probs, d.labels)


def looked_at(d: Data) -> cv.Predictions:
    """Predictions whose top-1 problem is sorted."""
    p = checked(d)
    cv.calibration_error(p)
    return p


def top1_problem(d: Data) -> cv.ScalarProblem:
    return cv.ScalarProblem(d.confidence, d.hits)


def sorted_problem(d: Data) -> cv.ScalarProblem:
    """A problem that was asked for an error before."""
    problem = top1_problem(d)
    cv.calibration_error(problem)
    return problem


def all_bin_counts(p: cv.Predictions) -> float:
    binnings = ["uniform", "equal-mass"]
    cube = cv.evaluate(p, bins=range(1, 101), binnings=binnings, metrics=["ece"], progress=False)
    return cube.ece.sel(binning="uniform").mean().item()


def one_by_one(uniform: Callable[..., float], equal_mass: Callable[..., float]) -> Call:
    """200 calls; the value is, as above, the mean of the uniform ones."""

    def run(d: Data) -> float:
        for bins in range(1, 101):
            equal_mass(d, bins)
        return np.mean([uniform(d, bins) for bins in range(1, 101)])

    return run


def finest_tree(p: cv.Predictions, gammas: list[float]) -> float:
    cube = cv.evaluate(p, lenses=["full"], gammas=gammas, metrics=["kdtree_ece"], progress=False)
    return cube.kdtree_ece.sel(gamma=gammas[-1]).item()


def replicates(p: cv.Predictions) -> float:
    return cv.bootstrap(
        p,
        error=lambda q: cv.calibration_error(q, "top-1", binning=cv.Uniform(BINS)),
        replicates=1000,
        rng=0,
        progress=False,
    )


def sure(call: Call) -> Call:
    return lambda d: call(d.where(d.probs.max(axis=1) > 0.5))


def ece(bins: int) -> dict[str, Call]:
    return {
        "torchmetrics": partial(packages.torchmetrics_ece, bins=bins),
        "netcal": partial(packages.netcal_ece, bins=bins),
        "uncertainty-calibration": partial(packages.uncertainty_calibration_ece, bins=bins),
        "relplot": partial(packages.relplot_ece, bins=bins),
        "MAPIE": partial(packages.mapie_ece, bins=bins),
        "NumPy": partial(plain.uniform, bins=bins),
    }


COUNTS = {
    "torchmetrics, uniform twice": one_by_one(packages.torchmetrics_ece, packages.torchmetrics_ece),
    "netcal": one_by_one(packages.netcal_ece, partial(packages.netcal_ece, equal_intervals=False)),
    "relplot, uniform twice": one_by_one(packages.relplot_ece, packages.relplot_ece),
    "MAPIE": one_by_one(packages.mapie_ece, partial(packages.mapie_ece, split_strategy="quantile")),
    "NumPy": one_by_one(plain.uniform, plain.mass),
}

ROWS = [
    Row(
        "top-1 ECE, from arrays",
        1.0,
        lambda d: cv.calibration_error(cv.Predictions(d.probs, d.labels), "top-1", binning=cv.Uniform(BINS)),
        arrays,
        ece(BINS),
        all_probabilities,
    ),
    Row(
        "then 20 bins",
        0.1,
        lambda p: cv.calibration_error(p, "top-1", binning=cv.Uniform(20)),
        looked_at,
        ece(20) | {"NumPy, confidences kept *": partial(plain.uniform_of, bins=20)},
        kept,
    ),
    Row(
        "then equal-mass bins",
        0.1,
        lambda p: cv.calibration_error(p, "top-1", binning=cv.EqualMass(BINS)),
        looked_at,
        {
            "netcal": partial(packages.netcal_ece, equal_intervals=False),
            "uncertainty-calibration": packages.uncertainty_calibration_mass,
            "MAPIE": partial(packages.mapie_ece, split_strategy="quantile"),
            "NumPy": plain.mass,
            "NumPy, confidences kept *": plain.mass_of,
        },
        kept,
    ),
    Row(
        "then confidence > 0.5",
        0.1,
        lambda p: cv.calibration_error(p, "top-1", binning=cv.Uniform(BINS), selection="confidence > 0.5"),
        looked_at,
        {name: sure(call) for name, call in ece(BINS).items()},
        kept,
    ),
    Row("ECE, 200 binnings, then", 0.002, all_bin_counts, looked_at, COUNTS, kept),
    Row("ECE, 200 binnings, as the first", 0.002, all_bin_counts, checked, COUNTS, all_probabilities),
    Row(
        "classwise ECE",
        1.0,
        lambda p: cv.calibration_error(p, "classwise", binning=cv.Uniform(BINS)),
        checked,
        {
            "torchmetrics": packages.torchmetrics_classwise,
            "netcal": packages.netcal_classwise,
            "uncertainty-calibration": partial(packages.uncertainty_calibration_ece, mode="marginal"),
            "MAPIE": packages.mapie_classwise,
            "NumPy": plain.classwise,
        },
        all_probabilities,
    ),
    Row(
        "ACE (classwise, equal-mass)",
        0.6,
        lambda p: cv.calibration_error(p, "classwise", binning=cv.EqualMass(BINS)),
        checked,
        {
            "netcal": partial(packages.netcal_classwise, equal_intervals=False),
            "uncertainty-calibration": partial(packages.uncertainty_calibration_mass, mode="marginal"),
            "MAPIE": partial(packages.mapie_classwise, split_strategy="quantile"),
            "NumPy": plain.ace,
        },
        all_probabilities,
    ),
    Row(
        "debiased error of every class",
        0.6,
        lambda p: cv.debiased_error(p, "classwise", binning=cv.EqualMass(BINS)),
        checked,
        {"uncertainty-calibration": packages.uncertainty_calibration_debiased, "NumPy": plain.debiased},
        all_probabilities,
    ),
    Row(
        "sweep, from confidences",
        1.0,
        lambda d: cv.calibration_error(top1_problem(d), binning=cv.Sweep()),
        arrays,
        {"NumPy": plain.sweep},
        confidences,
    ),
    Row(
        "KS, from confidences",
        1.0,
        lambda d: cv.ks_error(top1_problem(d)),
        arrays,
        {"MAPIE": packages.mapie_ks, "NumPy": plain.ks},
        confidences,
    ),
    Row(
        "smooth ECE, from confidences",
        1.0,
        lambda d: cv.smooth_error(top1_problem(d)),
        arrays,
        {"relplot": packages.relplot_smooth},
        confidences,
    ),
    Row(
        "Brier score",
        None,
        cv.brier_score,
        checked,
        {"scikit-learn": packages.brier, "NumPy": plain.brier},
        all_probabilities,
    ),
    Row(
        "log loss", None, cv.log_loss, checked, {"scikit-learn": packages.log_loss, "NumPy": plain.log_loss}, of_labels
    ),
    Row(
        "mean of 1,000 replicates",
        0.6,
        lambda p: replicates(p).mean,
        checked,
        {"NumPy": plain.bootstrap, "NumPy, sorted once *": plain.bootstrap_sorted},
        draws,
    ),
    Row(
        "full lens, k-d tree, 2^-4",
        0.6,
        lambda p: cv.calibration_error(p, "full", binning=cv.KDTree(2**-4)),
        checked,
        {"NumPy": plain.tree},
        all_probabilities,
    ),
    Row(
        "k-d trees, 2^-1 to 2^-12",
        1.3,
        lambda p: finest_tree(p, GAMMAS),
        checked,
        {"calibviz, 2^-12 alone": lambda d: finest_tree(checked(d), GAMMAS[-1:])},
        all_probabilities,
    ),
]
