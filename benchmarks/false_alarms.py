"""How often `cv.trust` takes a calibrated model for a miscalibrated one, for scores of many shapes.

    python benchmarks/false_alarms.py --data-sets 2000

Draws data sets of calibrated models, and prints as a Markdown table for how many of them p is at most 0.05, where the
estimate exceeds the threshold of `cv.trust`. That p is the one of `cv.consistency`, which takes less time. Of 19 data
sets of calibrated predictions instead of 499, the level is the same.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import calibviz as cv

Array = NDArray[np.float64]
Scores = Callable[[np.random.Generator, int], Array]

SIZES = (50, 200, 1000, 5000)
SIMULATED = 19
LEVEL = 0.05
EQUAL = 1e-12


def of_network(name: str) -> Scores:
    """Scores like those of a simulated network."""
    network = cv.Network.published()[name]
    return lambda rng, n: 1.0 - network.draw_complements(n, rng)


def of_tumours(rng: np.random.Generator, n: int) -> Array:
    """Scores of the random forest on the tumours, which are shares of its trees."""
    confidence: Array = cv.load_dataset("tumours")["random forest"].confidence
    return rng.choice(confidence, n)


SHAPES: dict[str, Scores] = {
    "half of the scores are 1, the others uniform": lambda rng, n: np.where(rng.random(n) < 0.5, 1.0, rng.random(n)),
    "half within 1e-6 of 1": lambda rng, n: np.where(rng.random(n) < 0.5, 1 - 1e-6 * rng.random(n), rng.random(n)),
    "five distinct scores": lambda rng, n: rng.choice([0.3, 0.5, 0.7, 0.9, 0.99], n),
    "two peaks, Beta(0.2, 0.2)": lambda rng, n: rng.beta(0.2, 0.2, n),
    "uniform": lambda rng, n: rng.random(n),
    "random forest on the tumours": of_tumours,
    **{name: of_network(name) for name in ("resnet110_c10", "resnet110_c100", "densenet161_imagenet")},
}


def false_alarms(scores: Scores, n: int, data_sets: int, binning: cv.Uniform | cv.EqualMass | cv.Sweep) -> float:
    """Return the share of data sets of n calibrated samples that are taken for miscalibrated."""

    def error(problem: cv.ScalarProblem) -> float:
        return cv.calibration_error(problem, binning=binning)

    count = 0
    for i in range(data_sets):
        rng = np.random.default_rng((n, i))
        score = scores(rng, n)
        problem = cv.ScalarProblem(score, rng.random(n) < score)
        found = cv.consistency(problem, error=error, replicates=SIMULATED, rng=i, progress=False)
        as_large = int((found.replicates >= found.estimate - EQUAL).sum())
        count += (1 + as_large) / (1 + SIMULATED) <= LEVEL
    return count / data_sets


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--binning", choices=("uniform", "equal-mass", "sweep"), default="uniform")
    args = parser.parse_args()
    binning = {"uniform": cv.Uniform(), "equal-mass": cv.EqualMass(), "sweep": cv.Sweep()}[args.binning]
    print(f"| scores | {' | '.join(f'{n:,}' for n in args.sizes)} |\n|---|{'---:|' * len(args.sizes)}")
    start = time.perf_counter()
    for name, scores in SHAPES.items():
        rates = [100 * false_alarms(scores, n, args.data_sets, binning) for n in args.sizes]
        print(f"| {name} | {' | '.join(f'{rate:.1f}' for rate in rates)} |", flush=True)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
