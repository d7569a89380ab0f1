"""How often the claims of `cv.verdict` are false, and how often they are made where they are true.

    python benchmarks/verdicts.py             # "within", and the names of the errors
    python benchmarks/verdicts.py --after     # calibrators, cross-fitted: called off, and said to help

Draws data sets of scores whose true KS error is exactly the margin, 2 points, or 0, or larger, and prints as Markdown
tables in how many of them which claim is made. Then of calibrated scores, and of such as `cv.Platt` can mend, how
often the verdict calls the recalibrated scores off, and how often the interval of the Brier change leaves out 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from joint_test import SHAPES, Array, Scores, uniform
from scipy.special import expit, logit

import calibviz as cv
from calibviz.uncertainty.intervals.brier_change import brier_change

Curve = Callable[[Array], Array]


def middle(rng: np.random.Generator, n: int) -> Array:
    """Scores between 10 and 90 %, spread evenly."""
    return 0.1 + 0.8 * rng.random(n)


def steps(low: float, centre: float, high: float, by: float, back: float) -> Curve:
    """Scores that are moved between low and centre, and moved by `back` between centre and high."""
    return lambda s: s + by * ((s > low) & (s <= centre)) + back * ((s > centre) & (s <= high))


# Each has a KS error of 2 points: the area between the curve and the diagonal up to some score, largest of all.
AT_MARGIN: dict[str, tuple[Scores, Curve]] = {
    "2 points everywhere": (middle, lambda s: s - 0.02),
    "2 points everywhere, rare": (lambda rng, n: 0.03 + 0.02 * rng.random(n), lambda s: s - 0.02),
    "8 points in a quarter": (middle, steps(0.4, 0.6, 0.6, 0.08, 0.0)),
    "up, then down": (middle, steps(0.1, 0.5, 0.9, 0.04, -0.04)),
    "up, then down, in a quarter": (middle, steps(0.4, 0.5, 0.6, 0.16, -0.16)),
    "down at both ends, up between": (middle, lambda s: s + np.where((s > 0.3) & (s <= 0.7), 0.08, -0.08)),
}


of_class = cv.lens("class 1")


def drawn(scores: Scores, curve: Curve, n: int, seed: int) -> cv.Predictions:
    """Return one data set."""
    rng = np.random.default_rng((n, seed))
    score = scores(rng, n)
    return cv.Predictions(score, (rng.random(n) < curve(score)).astype(int))


def verdicts(scores: Scores, curve: Curve, n: int, sets: int, replicates: int) -> list[cv.Verdict]:
    """Return the verdict on each of some data sets."""
    return [
        cv.verdict(drawn(scores, curve, n, i), segments=False, replicates=replicates, rng=i, progress=False)
        for i in range(sets)
    ]


def is_within(p: cv.Predictions, seed: int) -> bool:
    """Whether a verdict calls scores calibrated to within 2 points: the interval of its size alone, which is quick."""
    return cv.interval(p, "class 1", error=cv.ks_error, rng=seed, progress=False).upper < 0.02


def within(sets: int) -> None:
    """Print how often scores are called calibrated to within 2 points whose KS error is 2 points, or 0."""
    sizes = 200, 1000, 4000, 400_000
    print(f"| within 2 points, % of {sets} | {' | '.join(f'{n:,}' for n in sizes)} |\n|---|{'---:|' * len(sizes)}")
    for name, (scores, curve) in (AT_MARGIN | {"calibrated": (middle, np.asarray)}).items():
        rates = (100 * np.mean([is_within(drawn(scores, curve, n, i), i) for i in range(sets)]) for n in sizes)
        print(f"| {name} | {' | '.join(f'{rate:.1f}' for rate in rates)} |", flush=True)


def names(sets: int, replicates: int) -> None:
    """Print which names the verdict gives."""
    print("\n| shape | n | shown | high | low | extreme | cautious |\n|---|---:|---:|---:|---:|---:|---:|")
    shapes = {"calibrated": (uniform, np.asarray)} | SHAPES
    for name, (scores, curve) in shapes.items():
        for n in (300, 2000):
            found = [
                (one.shown, one.direction == 1, one.direction == -1, one.tilt == 1, one.tilt == -1)
                for one in verdicts(scores, curve, n, sets, replicates)
            ]
            rates = " | ".join(f"{100 * rate:.0f}" for rate in np.mean(found, axis=0))
            print(f"| {name} | {n:,} | {rates} |", flush=True)


def after(sets: int) -> None:
    """Print how often recalibrated scores are called off, and how often a calibrator is said to help or to harm."""
    print("| scores | calibrator | n | called off, % | helps, % | harms, % |\n|---|---|---:|---:|---:|---:|")
    curves: dict[str, Curve] = {"calibrated": np.asarray, "odds^.7, shifted": lambda s: expit(0.7 * logit(s) - 0.3)}
    for name, curve in curves.items():
        for calibrator in (cv.Platt(), cv.Isotonic()):
            for n in (200, 1000):
                found = []
                for i in range(sets):
                    p = drawn(uniform, curve, n, i)
                    judged = of_class(p)
                    moved = judged.mapped(cv.cross_fitted(p, "class 1", calibrator=calibrator))
                    off = cv.calibration_test(moved, replicates=199, rng=i, progress=False).p_value <= 0.05
                    low, high = brier_change(judged, moved) or (0.0, 0.0)
                    found.append((off, high < 0, low > 0))
                rates = " | ".join(f"{100 * rate:.1f}" for rate in np.mean(found, axis=0))
                print(f"| {name} | {type(calibrator).__name__} | {n:,} | {rates} |", flush=True)


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--after", action="store_true")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--replicates", type=int, default=199)
    args = parser.parse_args()
    if args.after:
        after(args.sets)
    else:
        within(args.sets)
        names(args.sets, args.replicates)


if __name__ == "__main__":
    main()
