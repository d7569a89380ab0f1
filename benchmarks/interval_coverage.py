"""How often `cv.interval` holds the true calibration error, on curves of which the truth is known.

    python benchmarks/interval_coverage.py --size 1000 --data-sets 60

Draws data sets of the ten simulated networks, of three calibrated models and of five curves of other shapes, takes the
interval of each error of each data set, and prints as a Markdown table how many of them hold the truth. The errors of
one data set share the curves and the draws, which changes no interval.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv

import calibviz as cv
from calibviz.context.lens_names import lens
from calibviz.uncertainty.intervals.error_intervals import several_ends

Array = NDArray[np.float64]
Curve = Callable[[Array, Array], Array]

LEVEL = 0.9
DENSE = 200_000  # scores that stand for all of them
ERRORS: dict[str, tuple[Callable[..., float], Any]] = {
    "ECE uniform": (cv.calibration_error, None),
    "ECE equal-mass": (cv.calibration_error, cv.EqualMass()),
    "ECE sweep": (cv.calibration_error, cv.Sweep()),
    "KS": (cv.ks_error, None),
    "Kuiper": (cv.kuiper_error, None),
    "debiased": (cv.debiased_error, None),
}


@dataclass(frozen=True)
class Model:
    """Scores c from Beta(a, b), and the true curve as a function of c and 1 - c."""

    a: float
    b: float
    curve: Curve

    def draw(self, n: int, seed: tuple[int, ...]) -> cv.ScalarProblem:
        """Return a data set of n samples."""
        rng = np.random.default_rng(seed)
        rest = rng.beta(self.b, self.a, n)
        return cv.ScalarProblem(1.0 - rest, rng.random(n) < self.curve(1.0 - rest, rest))

    def truths(self) -> dict[Callable[..., float], float]:
        """Return the true value of each error."""
        share = (np.arange(DENSE) + 0.5) / DENSE
        score, rest = betainccinv(self.a, self.b, share[::-1]), betaincinv(self.b, self.a, share[::-1])
        gap = score - self.curve(score, rest)
        summed = np.concatenate([[0.0], np.cumsum(gap)]) / DENSE
        return {
            cv.calibration_error: float(np.abs(gap).mean()),
            cv.debiased_error: float(np.sqrt((gap**2).mean())),
            cv.ks_error: float(np.abs(summed).max()),
            cv.kuiper_error: float(np.ptp(summed)),
        }


def bump(height: float, centre: float, width: float) -> Curve:
    """Calibrated but for a bump."""
    return lambda c, _: np.clip(c + height * np.exp(-(((c - centre) / width) ** 2) / 2), 0.0, 1.0)


def steps(number: int) -> Curve:
    """Constant between neighbouring multiples of 1 / number."""
    return lambda c, _: np.minimum(np.floor(c * number) + 0.5, number - 0.5) / number


def same(c: Array, _: Array) -> Array:
    """Calibrated."""
    return c


MODELS = {
    **{name: Model(one.a, one.b, one.true_curve) for name, one in cv.Network.published().items()},
    "calibrated, Beta(2.78, 0.05)": Model(2.7752, 0.0478, same),
    "calibrated, uniform": Model(1.0, 1.0, same),
    "calibrated, Beta(1.14, 0.21)": Model(1.1359, 0.2069, same),
    "bump": Model(1.0, 1.0, bump(0.15, 0.6, 0.08)),
    "dip": Model(2.0, 1.0, bump(-0.15, 0.7, 0.07)),
    "wave": Model(1.0, 1.0, lambda c, _: np.clip(c + 0.08 * np.sin(6 * np.pi * c), 0.0, 1.0)),
    "5 steps": Model(1.0, 1.0, steps(5)),
    "25 steps, finer than the bins": Model(1.0, 1.0, steps(25)),
}
BEYOND = "25 steps, finer than the bins"  # which the errors in 15 bins cannot see


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1000, help="samples in a data set")
    parser.add_argument("--data-sets", type=int, default=60)
    parser.add_argument("--errors", nargs="+", default=tuple(ERRORS), choices=tuple(ERRORS))
    parser.add_argument("--models", nargs="+", default=tuple(MODELS), choices=tuple(MODELS), metavar="MODEL")
    parser.add_argument("--sides", action="store_true", help="also print how many truths lie below (-) and above (+)")
    args = parser.parse_args()
    print(f"{args.size:,} samples, {args.data_sets} data sets a line, level {100 * LEVEL:g} %: how many intervals hold")
    print("the truth, and in brackets the truth and the mean width, all in percent.\n")
    print(f"| model | {' | '.join(args.errors)} |\n|---|{'---:|' * len(args.errors)}")
    start = time.perf_counter()
    held: dict[str, list[float]] = {name: [] for name in args.errors}
    asked = [ERRORS[name] for name in args.errors]
    for number, (model_name, model) in enumerate(MODELS.items()):
        if model_name not in args.models:
            continue
        truths, cells = model.truths(), []
        sets = [model.draw(args.size, (number, args.size, i)) for i in range(args.data_sets)]
        ends = np.array([several_ends(one, lens("top-1"), asked, LEVEL, 0) for one in sets])
        for name, (error, _), (lower, _, upper) in zip(args.errors, asked, ends.transpose(1, 2, 0), strict=True):
            truth = truths[error]
            below, above = (truth < lower).mean(), (truth > upper).mean()
            held[name].append(100 * (1 - below - above))
            missed = f" -{100 * below:.0f} +{100 * above:.0f}" if args.sides else ""
            cells.append(f"{held[name][-1]:.0f}{missed} ({100 * truth:.1f}, {100 * (upper - lower).mean():.1f})")
        print(f"| {model_name} | {' | '.join(cells)} |", flush=True)
        print(f"{model_name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    within = [i for i, name in enumerate(name for name in MODELS if name in args.models) if name != BEYOND]
    for title, summary in (("mean", np.mean), ("least", np.min)):
        values = [f"{summary([held[name][i] for i in within]):.0f}" for name in args.errors]
        print(f"| **{title}**, without the last line | {' | '.join(values)} |")
    print()


if __name__ == "__main__":
    main()
