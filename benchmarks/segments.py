"""How often `cv.segments` cries wolf on calibrated scores, how often it finds a planted segment, and how long it takes.

python benchmarks/segments.py             # the rates, as rows of benchmarks/coverage.md
python benchmarks/segments.py --speed     # seconds for 100,000 rows of 20 fields
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import calibviz as cv

LEVEL = 0.05
PLANTED = "Zurich"  # 308 samples of one of six sites: 31 % is predicted and 18 % observed


def scores_of(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Calibrated scores of networks of several shapes."""
    if kind == "five values":
        return rng.choice([0.05, 0.2, 0.4, 0.7, 0.95], n)
    if kind == "spike at 0":
        return np.where(rng.random(n) < 0.6, 0.001, rng.random(n))
    if kind == "bimodal":
        return np.where(rng.random(n) < 0.5, rng.beta(2, 12, n), rng.beta(12, 2, n))
    return rng.beta(1.5, 3, n)


def drawn(kind: str, n: int, seed: int, planted: bool = False) -> cv.Predictions:
    """Scores with a field of six sites, one of two sexes, an age and a measurement with missing values."""
    rng = np.random.default_rng((seed, n))
    score = scores_of(kind, n, rng)
    site = rng.choice(["North", "South", "East", "West", "Centre"], n)
    truth = score.copy()
    if planted:
        chosen = rng.choice(n, 308, replace=False)
        site[chosen] = PLANTED
        score[chosen] = rng.beta(3.1, 6.9, 308)
        truth[chosen] = score[chosen] * 0.18 / 0.31
    fields = {
        "site": site,
        "sex": rng.choice(["female", "male"], n),
        "age": rng.integers(20, 90, n),
        "measured": np.where(rng.random(n) < 0.1, np.nan, rng.standard_normal(n)),
    }
    return cv.Predictions(score, (rng.random(n) < truth).astype(int), fields=fields)


def rates(sets: int, draws: int) -> None:
    """Print how often some segment is called wrong."""
    print(f"| scores | n | wolf is cried, % of {sets} | planted segment is found first, % |\n|---|---:|---:|---:|")
    for kind in ("Beta(1.5, 3)", "five values", "spike at 0", "bimodal"):
        for n in (300, 2000):
            alarms = [
                cv.segments(drawn(kind, n, i), replicates=draws, minimum=30, progress=False).p_adjusted.min().item()
                <= LEVEL
                for i in range(sets)
            ]
            found = "–"
            if kind == "Beta(1.5, 3)" and n == 2000:
                first = [
                    cv.segments(drawn(kind, n, i, True), replicates=draws, minimum=30, progress=False)
                    for i in range(sets // 4)
                ]
                hits = [PLANTED in one.segment[0].item() and one.p_adjusted[0].item() <= LEVEL for one in first]
                found = f"{100 * np.mean(hits):.0f}"
            print(f"| {kind} | {n:,} | {100 * np.mean(alarms):.1f} | {found} |", flush=True)


def speed() -> None:
    """Print how long segments of 100,000 rows take."""
    rng = np.random.default_rng(0)
    n = 100_000
    score = rng.beta(1, 3, n)
    fields = {f"field {i}": rng.standard_normal(n) for i in range(20)}
    p = cv.Predictions(score, (rng.random(n) < score).astype(int), fields=fields)
    print("| depth | draws | segments | seconds |\n|---:|---:|---:|---:|")
    for depth, draws in ((1, 0), (1, 1000), (2, 0), (2, 1000)):
        start = time.perf_counter()
        found = cv.segments(p, depth=depth, replicates=draws, progress=False)
        taken = time.perf_counter() - start
        print(f"| {depth} | {draws:,} | {found.sizes['segment']:,} | {taken:.1f} |", flush=True)


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--draws", type=int, default=199)
    args = parser.parse_args()
    if args.speed:
        speed()
    else:
        rates(args.sets, args.draws)


if __name__ == "__main__":
    main()
