"""How many studies of the size that `cv.sample_size` suggests have an interval as narrow as was asked for.

    python benchmarks/study_size.py

Draws pilot studies of several sizes from models whose truth is known, takes the size that each suggests for a width,
and draws studies of that size from the model. Prints as a Markdown table how many of them are as narrow, beside those
of the size that the mean width would suggest. The truth, not the pilot, draws the studies, so a small pilot may
mislead. It takes five minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import expit, logit

import calibviz as cv

Array = NDArray[np.float64]

MODELS: dict[str, tuple[float, Callable[[Array], Array]]] = {
    "uniform scores, odds^.5": (0.09, lambda s: expit(logit(s) / 2)),
    "uniform scores, calibrated": (0.08, np.asarray),
}
PILOTS = (100, 300, 1000)
SIZES = (200, 400, 800)


def drawn(curve: Callable[[Array], Array], n: int, seed: tuple[int, ...]) -> cv.ScalarProblem:
    """Return a study of n samples."""
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    return cv.ScalarProblem(score, rng.random(n) < curve(score))


def size_by(table: xr.Dataset, column: str, precision: float) -> int:
    """Return the size at which a width reaches the precision, by a straight line in logarithms."""
    place = np.interp(-np.log(precision), -np.log(np.minimum.accumulate(table[column].values)), np.log(table.n.values))
    return int(np.ceil(np.exp(place)))


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pilots", type=int, default=4, help="of each size and model")
    parser.add_argument("--studies", type=int, default=30, help="of each suggested size")
    args = parser.parse_args()
    print("| model, width that is asked for | pilot | mean suggestion | as narrow | by the mean width |")
    print("|---|---:|---:|---:|---:|")
    start = time.perf_counter()
    for number, (name, (precision, curve)) in enumerate(MODELS.items()):
        for pilot in PILOTS:
            sizes: list[int] = []
            narrow: dict[str, list[bool]] = {"width_assured": [], "width": []}
            for i in range(args.pilots):
                first = drawn(curve, pilot, (number, pilot, i))
                table = cv.sample_size(first, error=cv.ks_error, n=SIZES, replicates=100, rng=i, progress=False)
                sizes.append(size_by(table, "width_assured", precision))
                for column, found in narrow.items():
                    size = size_by(table, column, precision)
                    for j in range(args.studies):
                        study = drawn(curve, size, (number, pilot, i, j))
                        ends = cv.interval(study, error=cv.ks_error, progress=False)
                        found.append(ends.upper - ends.lower <= precision)
            shares = [f"{100 * np.mean(found):.0f}" for found in narrow.values()]
            print(f"| {name}, {100 * precision:g} points | {pilot:,} | {np.mean(sizes):,.0f} | {' | '.join(shares)} |")
            print(f"{name}, {pilot}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
