"""How long one pass over binary predictions takes on a cluster, how much memory, and what follows for more of them.

Run ``python benchmarks/scale.py``; the predictions are made on the fly and never stored whole.
"""

from __future__ import annotations

import argparse
import resource
from time import perf_counter

import dask.array as da
import numpy as np
import xarray as xr
from distributed import Client, LocalCluster

import calibviz as cv
from calibviz.scale.lazy import LazyPredictions

CHUNK = 1_000_000
LIMIT = 2_000_000_000  # bytes of a worker
TURNS = 2
MOST_RATIO = 2  # of the seconds of a pass to those of making the rows alone
SCORES_ALONE = 9  # bytes of a row: a float64 and a label


def rows_of(rows: int) -> da.Array:
    """Over-confident scores and labels, made where and when a chunk of them is needed."""

    def block(numbers: np.ndarray) -> np.ndarray:
        rng = np.random.default_rng(int(numbers[0]))
        logit = rng.normal(0, 2.5, len(numbers))
        happened = rng.random(len(numbers)) < 1 / (1 + np.exp(-logit / 1.3))
        return np.column_stack([1 / (1 + np.exp(-logit)), happened])

    numbers = da.arange(rows, chunks=CHUNK, dtype=np.int64)
    return da.map_blocks(block, numbers, dtype=float, chunks=(numbers.chunks[0], (2,)), new_axis=1)


def made(rows: int) -> LazyPredictions:
    """The rows as predictions."""
    both = rows_of(rows)
    data = {"prob": ("sample", both[:, 0]), "label": ("sample", both[:, 1].astype(np.int8))}
    return cv.open_predictions(xr.Dataset(data))


def made_alone(rows: int) -> da.Array:
    """The same rows as a dask array that nothing looks at."""
    both = rows_of(rows)
    return da.map_blocks(lambda block: np.zeros((1, 1)), both, dtype=float, chunks=((1,) * both.numblocks[0], (1,)))


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def passed(rows: int, workers: int) -> tuple[float, float, int, dict[str, cv.Summary]]:
    """Seconds of making the rows alone, seconds of the pass, the most memory of a worker, and the summaries.

    Both are done in turns; the turn counts in which both together were quickest.
    """
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        cv.summarize(made(2 * workers * CHUNK), progress=False)  # imports, and whatever is slow the first time
        made_alone(2 * workers * CHUNK).compute()
        seconds: list[tuple[float, float]] = []
        for _ in range(TURNS):
            start = perf_counter()
            made_alone(rows).compute()
            middle = perf_counter()
            found = cv.summarize_all(made(rows), ["top-1", "class 1"], progress=False)
            seconds.append((middle - start, perf_counter() - middle))
        alone, whole = min(seconds, key=sum)
        return alone, whole, max(client.run(peak).values()), {lens: s for (_, _, lens), s in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000, 100_000_000])
    options = parser.parse_args()
    print(
        "| rows | workers | making them alone, s | with the pass, s | ratio | rows a second | most memory of a worker |"
    )
    print("|-:|-:|-:|-:|-:|-:|-:|")
    ratio = 0.0
    seconds: dict[tuple[int, int], float] = {}
    for rows in options.rows:
        for workers in (1, 2):
            alone, seconds[rows, workers], memory, found = passed(rows, workers)
            ratio = seconds[rows, workers] / alone
            print(
                f"| {rows:,} | {workers} | {alone:.1f} | {seconds[rows, workers]:.1f} | {ratio:.2f} "
                f"| {rows / seconds[rows, workers]:,.0f} | {memory / 1e9:.2f} GB |",
                flush=True,
            )
    first, last = options.rows[0], options.rows[-1]
    missed = "" if ratio <= MOST_RATIO else "  MISSED"
    print(f"\nOn two workers the pass takes {ratio:.2f} times as long as making the rows alone")
    print(f"(wished: at most {MOST_RATIO}).{missed}")
    print(f"Two workers are {seconds[last, 1] / seconds[last, 2]:.2f} times as fast as one (wished: 1.5).")
    print(f"A row of {last:,} takes {seconds[last, 2] / last / (seconds[first, 2] / first):.2f} times the time")
    print(f"that one of {first:,} takes (wished: at most 1.3).\n")
    print(f"| of {last:,} rows | value | bounds | seconds |\n|-|-:|-:|-:|")
    numbers = {
        "top-1, ECE in 15 bins": ("top-1", cv.Uniform(15)),
        "top-1, ECE in 15 equal-mass bins": ("top-1", cv.EqualMass(15)),
        "top-1, sweep": ("top-1", cv.Sweep()),
        "top-1, KS": ("top-1", "ks"),
        "class 1, KS": ("class 1", "ks"),
    }
    for name, (lens, measure) in numbers.items():
        start = perf_counter()
        value = cv.ks_error(found[lens]) if measure == "ks" else cv.calibration_error(found[lens], binning=measure)
        taken = perf_counter() - start
        low, high = cv.error_bounds(found[lens], error=measure)
        print(f"| {name} | {value:.6f} | {low:.6f} to {high:.6f} | {taken:.3f} |")
    start = perf_counter()
    value = float(cv.Spline().fit(found["class 1"])(0.9))
    taken = perf_counter() - start
    low, high = cv.curve_bounds(found["class 1"], cv.Spline(), at=0.9).probability.values[0]
    print(f"| class 1, what the spline makes of 0.9 | {value:.6f} | {low:.6f} to {high:.6f} | {taken:.3f} |")
    start = perf_counter()
    calibration, judged = found["class 1"].split()
    after = cv.ks_error(judged.problem.mapped(cv.Spline().fit(calibration.problem)))
    print(f"| class 1, KS after the spline of one half | {after:.6f} | | {perf_counter() - start:.3f} |\n")
    print("| rows | seconds on 2 workers | workers for an hour | stored |\n|-:|-:|-:|-:|")
    for rows in (10**9, 10**11):
        needed = seconds[last, 2] / last * rows
        stored = rows * SCORES_ALONE / 1e9
        print(f"| {rows:,} | {needed:,.0f} | {max(1, round(2 * needed / 3600)):,} | {stored:,.0f} GB |")


if __name__ == "__main__":
    main()
