"""How often the band of `cv.calibration_curve` holds the true curve.

    python benchmarks/curve_bands.py

Draws data sets of calibrated scores and of the shapes of `joint_test.py`, and prints as a Markdown table how often the
pointwise band at 95 % holds the truth at five quantiles of the scores, to a tenth of a point, and how often the
simultaneous one holds all of it where the true curve rises.
"""

from __future__ import annotations

import argparse

import numpy as np
from joint_test import KINDS, SHAPES, Array, Curve, Scores, data_set, uniform

import calibviz as cv

QUANTILES = (0.02, 0.1, 0.5, 0.9, 0.98)
SIZES = (200, 1000, 4000)
ROUNDING = 1e-3  # of scores of 1, which the truth of sure ones comes close to


def held(scores: Scores, curve: Curve, n: int, sets: int) -> tuple[Array, float, float]:
    """Return the shares at each quantile, the mean width in the middle, and the share of honest bands that hold all."""
    at = np.quantile(scores(np.random.default_rng(0), 100_000), QUANTILES)
    truth = curve(at)
    pointwise, width, whole = [], [], []
    for i in range(sets):
        problem = data_set(scores, curve, n, i, weighted=False)
        band = cv.calibration_curve(problem, at=at)
        pointwise.append((band.lower.values - ROUNDING <= truth) & (truth <= band.upper.values + ROUNDING))
        width.append((band.upper - band.lower).values[2])
        honest = cv.calibration_curve(problem, at=problem.score, smoother="honest")
        own = curve(problem.score)
        whole.append(bool(((honest.lower.values <= own) & (own <= honest.upper.values)).all()))
    return np.mean(pointwise, axis=0), float(np.mean(width)), float(np.mean(whole))


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=100)
    args = parser.parse_args()
    heads = " | ".join(f"{100 * q:g} % quantile" for q in QUANTILES)
    print(f"| shape | n | {heads} | width at 50 %, points | honest |\n|---|---:|{'---:|' * (len(QUANTILES) + 2)}")
    calibrated = {f"calibrated, {name}": (KINDS[name], np.asarray) for name in ("uniform", "rare", "two peaks")}
    dip = {"10 points between .12 and .18": (uniform, lambda s: np.where((s > 0.12) & (s <= 0.18), s - 0.1, s))}
    for name, (scores, curve) in (calibrated | SHAPES | dip).items():
        for n in SIZES:
            shares, width, whole = held(scores, curve, n, args.sets)
            rates = " | ".join(f"{100 * share:.0f}" for share in shares)
            rises = (np.diff(curve(np.linspace(0.001, 0.999, 999))) >= 0).all()
            simultaneous = f"{100 * whole:.0f}" if rises else "–"
            print(f"| {name} | {n:,} | {rates} | {100 * width:.1f} | {simultaneous} |", flush=True)


if __name__ == "__main__":
    main()
