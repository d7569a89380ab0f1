"""How often a bootstrap interval covers the truth, on simulated networks of which the truth is known.

    python benchmarks/coverage.py > coverage.md

Draws many data sets of each network and size, takes the percentile interval of `cv.bootstrap` of each, and prints as a
Markdown table how many of them hold the true value: of mean score - mean target, which is estimated without bias, and
of the calibration error in bins, whose estimate is biased upwards. It takes about a quarter of an hour.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.special import betaincc, betainccinv, betaincinv

import calibviz as cv
from calibviz.uncertainty.resampling.bootstrap import Bootstrap

PUBLISHED = tuple(cv.Network.published())
NETWORKS = ("resnet110_c10", "resnet152_imagenet", "densenet161_imagenet")
SIZES = (200, 1_000, 5_000, 20_000)
LEVEL = 0.9
BINS = 15
BINNINGS: dict[str, Callable[[int], object]] = {f"uniform {BINS}": cv.Uniform, f"equal-mass {BINS}": cv.EqualMass}
LENS = "class right"  # whose scores are the top-1 scores of the network


@dataclass(frozen=True)
class Truth:
    """What is true of a network: mean score - mean target, its calibration error, and that in bins."""

    gap: float
    error: float
    binned: tuple[float, ...]

    @classmethod
    def of(cls, network: cv.Network) -> Truth:
        """The truth, by quadrature over the quantiles of the scores."""
        cuts = np.arange(BINS + 1) / BINS
        shares = (betaincc(network.a, network.b, cuts)[::-1], cuts)  # of the scores above an edge: uniform, equal-mass
        binned = tuple(sum(abs(gap_between(network, *ends)) for ends in pairwise(share)) for share in shares)
        return cls(gap_between(network, 0.0, 1.0), cv.true_calibration_error(network, p=1), binned)


def gap_between(network: cv.Network, low: float, high: float) -> float:
    """The integral of score - true curve over the scores that a share `low` to `high` of the scores exceeds."""

    def gap(share: float) -> float:
        score = betainccinv(network.a, network.b, share)
        return float(score - network.true_curve(score, betaincinv(network.b, network.a, share)))

    value, *_ = quad(gap, low, high, epsabs=1e-10, limit=1000, full_output=True)
    return float(value)


def statistics(problem: cv.ScalarProblem) -> list[float]:
    """Mean score - mean target, and the plug-in error in each binning."""
    errors = [cv.calibration_error(problem, binning=make(BINS)) for make in BINNINGS.values()]
    return [problem.mean_score - problem.mean_target, *errors]


def intervals(network: str, samples: int, number: int, replicates: int) -> list[Bootstrap]:
    """The bootstrap of each statistic on one simulated data set, all of them on the same draws."""
    # Neither the data sets of two lines nor a data set and its replicates may come from one stream of numbers.
    data, draws = np.random.SeedSequence((PUBLISHED.index(network), samples, number)).generate_state(2)
    problem = cv.lens(LENS)(cv.simulated(network, samples, rng=int(data)))
    rows: list[list[float]] = []

    def first_of_all(resampled: cv.ScalarProblem) -> float:
        rows.append(statistics(resampled))
        return rows[-1][0]

    gap = cv.bootstrap(problem, error=first_of_all, replicates=replicates, level=LEVEL, rng=int(draws), progress=False)
    estimates, columns = rows[0], np.transpose(rows[1:])
    rest = zip(estimates[1:], columns[1:], strict=True)
    return [gap, *(Bootstrap(estimate, column, LEVEL) for estimate, column in rest)]


def covered(found: list[Bootstrap], truth: float) -> str:
    """The share of the intervals that hold the truth, in percent."""
    return f"{100 * np.mean([one.lower <= truth <= one.upper for one in found]):.0f}"


def row(network: str, samples: int, truth: Truth, data_sets: int, replicates: int) -> list[str]:
    """One line of the table."""
    found = [intervals(network, samples, number, replicates) for number in range(data_sets)]
    gaps, *errors = (list(column) for column in zip(*found, strict=True))
    cells = [network, f"{samples:,}", covered(gaps, truth.gap)]
    for column, binned in zip(errors, truth.binned, strict=True):
        bias = np.mean([one.estimate for one in column]) - truth.error
        cells += [f"{100 * bias:+.2f}", covered(column, truth.error), covered(column, binned)]
    return cells


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=NETWORKS, choices=PUBLISHED, metavar="NAME")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--data-sets", type=int, default=300)
    parser.add_argument("--replicates", type=int, default=300)
    args = parser.parse_args()
    head = ["network", "n", "mean score - mean target"]
    for name in BINNINGS:
        head += [f"ECE {name}: bias", "covers TCE", "covers binned truth"]
    print(f"# Coverage of {100 * LEVEL:g} % bootstrap intervals\n")
    print(f"In percent, over {args.data_sets} simulated data sets with {args.replicates} replicates each.\n")
    print(f"| {' | '.join(head)} |\n|---|{'---:|' * (len(head) - 1)}")
    start = time.perf_counter()
    truths = {network: Truth.of(cv.Network.published()[network]) for network in args.networks}
    for network, truth in truths.items():
        for samples in args.sizes:
            print(f"| {' | '.join(row(network, samples, truth, args.data_sets, args.replicates))} |", flush=True)
            print(f"{network} {samples}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    print("\nThe truth, in percent:\n")
    print(f"| network | mean score - mean target | TCE, p = 1 | {' | '.join(f'binned, {name}' for name in BINNINGS)} |")
    print("|---|---:|---:|---:|---:|")
    for network, truth in truths.items():
        values = (truth.gap, truth.error, *truth.binned)
        print(f"| {network} | {' | '.join(f'{100 * value:.2f}' for value in values)} |")


if __name__ == "__main__":
    main()
