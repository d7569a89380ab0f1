"""How often `cv.calibration_test` cries wolf, and how often it shows an error, beside the tests of the walk alone.

    python benchmarks/joint_test.py

Draws data sets of calibrated models with scores of eight kinds, and of models with errors of fourteen shapes, and
prints as Markdown tables in how many of them p is at most 0.05. It takes four minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

import calibviz as cv

Array = NDArray[np.float64]
Scores = Callable[[np.random.Generator, int], Array]
Curve = Callable[[Array], Array]

LEVEL = 0.05
CALIBRATED = {12: 400, 30: 400, 200: 400, 1000: 200}  # data sets of each size
WRONG = {50: 200, 300: 200, 2000: 60}


def uniform(rng: np.random.Generator, n: int) -> Array:
    """Scores that are spread evenly."""
    return rng.random(n)


def sure(rng: np.random.Generator, n: int) -> Array:
    """Scores close to 1."""
    return 1.0 - rng.beta(0.05, 2.8, n)


def rare(rng: np.random.Generator, n: int) -> Array:
    """Scores of an event of 5 in 1,000."""
    return rng.beta(0.5, 100.0, n)


def peaks(rng: np.random.Generator, n: int) -> Array:
    """Scores close to 0 or to 1."""
    return rng.beta(0.3, 0.3, n)


KINDS: dict[str, Scores] = {
    "uniform": uniform,
    "sure": sure,
    "rare": rare,
    "five values": lambda rng, n: rng.choice([0.1, 0.3, 0.5, 0.7, 0.95], n),
    "two decimals": lambda rng, n: rng.beta(1.0, 3.0, n).round(2),
    "two peaks": peaks,
    "one score": lambda rng, n: np.full(n, 0.2),
    "exact 0 and 1": lambda rng, n: np.where(rng.random(n) < 0.5, rng.integers(0, 2, n), rng.random(n)),
}


def moved(by: float, power: float = 1.0) -> Curve:
    """Log-odds that are stretched, then moved."""
    return lambda s: expit(power * logit(s) + by)


def between(low: float, high: float, by: float) -> Curve:
    """Right, but for a range of scores."""
    return lambda s: np.clip(np.where((s > low) & (s <= high), s + by, s), 0.0, 1.0)


SHAPES: dict[str, tuple[Scores, Curve]] = {
    "log-odds - .35": (uniform, moved(-0.35)),
    "log-odds + .35, two peaks": (peaks, moved(0.35)),
    "odds^.7": (uniform, moved(0.0, 0.7)),
    "odds^1.4": (uniform, moved(0.0, 1.4)),
    "odds^.7, two peaks": (peaks, moved(0.0, 0.7)),
    "odds^.8, - .3": (uniform, moved(-0.3, 0.8)),
    "sure, odds^.7": (sure, moved(0.0, 0.7)),
    "rare, twice as many": (rare, lambda s: np.minimum(2 * s, 1.0)),
    "s^1.3": (uniform, lambda s: s**1.3),
    "10 points between .3 and .6": (uniform, between(0.3, 0.6, -0.1)),
    "20 points between .7 and .8": (uniform, between(0.7, 0.8, -0.2)),
    "a wave": (uniform, lambda s: np.clip(s + 0.08 * np.sin(4 * np.pi * s), 0.0, 1.0)),
    "four steps": (uniform, lambda s: (np.minimum(np.floor(4 * s), 3) + 0.5) / 4),
    "a constant": (lambda rng, n: rng.beta(2.0, 2.0, n) * 0.6 + 0.2, lambda s: np.full_like(s, 0.5)),
}


def data_set(scores: Scores, curve: Curve, n: int, seed: int, weighted: bool) -> cv.ScalarProblem:
    """Return one data set."""
    rng = np.random.default_rng((n, seed))
    score = scores(rng, n)
    labels = rng.random(n) < curve(score)
    return cv.ScalarProblem(score, labels, rng.exponential(size=n) if weighted else None)


def shown(problem: cv.ScalarProblem, replicates: int, seed: int) -> list[bool]:
    """Return what the gap alone, KS, Kuiper and both statistics together show at 5 %."""
    joint = cv.calibration_test(problem, replicates=replicates, rng=seed, progress=False)
    ps = [joint.gap_p_value, cv.ks_test(problem).p_value, cv.kuiper_test(problem).p_value, joint.p_value]
    return [p <= LEVEL for p in ps]


def rates(scores: Scores, curve: Curve, n: int, sets: int, replicates: int, weighted: bool = False) -> Array:
    """Return the shares of data sets in percent, shape (4,)."""
    found = [shown(data_set(scores, curve, n, i, weighted), replicates, i) for i in range(sets)]
    return np.asarray(100 * np.mean(found, axis=0))


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=199)
    parser.add_argument("--share", type=float, default=1.0, help="of the data sets, to see how it goes")
    args = parser.parse_args()
    start = time.perf_counter()

    def sets_of(number: int) -> int:
        return max(1, round(args.share * number))

    sizes = [f"{n:,} ({sets_of(number)} sets)" for n, number in CALIBRATED.items()]
    print(f"| calibrated scores | {' | '.join(sizes)} |\n|---|{'---:|' * len(sizes)}")
    for weighted in (False, True):
        for kind, scores in KINDS.items():
            found = [
                f"{rates(scores, np.asarray, n, sets_of(number), args.replicates, weighted)[-1]:.1f}"
                for n, number in CALIBRATED.items()
            ]
            print(f"| {kind}{', weighted' * weighted} | {' | '.join(found)} |", flush=True)
            print(f"{kind}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    print("\n| shape | n | gap alone | KS | Kuiper | `calibration_test` |\n|---|---:|---:|---:|---:|---:|")
    for n, number in WRONG.items():
        table = np.array([rates(*shape, n, sets_of(number), args.replicates) for shape in SHAPES.values()])
        for name, row in zip(SHAPES, table, strict=True):
            print(f"| {name} | {n:,} | {' | '.join(f'{rate:.0f}' for rate in row)} |", flush=True)
        for title, summary in (("mean", table.mean(axis=0)), ("least", table.min(axis=0))):
            print(f"| **{title}** | {n:,} | {' | '.join(f'{rate:.0f}' for rate in summary)} |", flush=True)
        print(f"n = {n}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
