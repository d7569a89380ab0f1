"""How often calibrated models are called off under selections that look at the truth, and how often others are found.

    python benchmarks/truth_selections.py --data-sets 200

Draws data sets of five classes, whose labels follow the probabilities, or those at temperature 1.5, and prints as a
Markdown table for how many of them p is at most 0.05: by `cv.calibration_test`, by `cv.kuiper_test`, by the noise floor
of the KS error (`cv.consistency`), and in some segment of a field by `cv.segments`.

    python benchmarks/truth_selections.py --cost

Prints the seconds and the memory that 50,000 rows of 10 and of 100 classes take.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc

import numpy as np

import calibviz as cv

CLASSES, LEVEL = 5, 0.05
REPLICATES = 99
SELECTIONS = (
    ("class 1", "label in [1, 3]"),
    ("class 1", "label == 1"),
    ("top-1", "correct == 1"),
    ("top-1", "label != 0 and confidence > 0.5"),
    ("rank 2", "correct == 0 or label == 2"),
)


def drawn(n: int, seed: int, temperature: float, classes: int = CLASSES) -> cv.Predictions:
    """Return predictions whose labels are drawn from their probabilities at a temperature."""
    rng = np.random.default_rng((n, seed))
    probs = rng.dirichlet(np.full(classes, 0.6), n)
    truth = probs ** (1 / temperature)
    steps = truth.cumsum(axis=1)
    labels = (steps <= rng.random((n, 1)) * steps[:, -1:]).sum(axis=1).clip(max=classes - 1)
    return cv.Predictions(probs, labels, fields={"site": rng.integers(0, 4, n)})


def called_off(p: cv.Predictions, lens: str, selection: str, seed: int) -> list[bool]:
    """Return whether each of the four tests rejects."""
    asked = {"lens": lens, "selection": selection}
    drawn_so = {"rng": seed, "progress": False}
    floor = cv.consistency(p, **asked, error=cv.ks_error, replicates=REPLICATES, **drawn_so)
    segments = cv.segments(p, **asked, depth=2, minimum=5, replicates=REPLICATES, **drawn_so)
    found = [
        cv.calibration_test(p, **asked, **drawn_so).p_value,
        cv.kuiper_test(p, **asked).p_value,
        floor.p_value,
        float(segments.p_adjusted.min()),
    ]
    return [p_value <= LEVEL for p_value in found]


def print_levels(sizes: list[int], data_sets: int) -> None:
    """Print the table of how often each test rejects."""
    print("| selection | lens | n | labels | calibration_test | kuiper_test | floor of KS | segments |")
    print("|---|---|---:|---|---:|---:|---:|---:|")
    start = time.perf_counter()
    for lens, selection in SELECTIONS:
        for n, temperature in [*((n, 1.0) for n in sizes), (sizes[-1], 1.5)]:
            rejected = [called_off(drawn(n, seed, temperature), lens, selection, seed) for seed in range(data_sets)]
            shares = " | ".join(f"{100 * share:.1f}" for share in np.mean(rejected, axis=0))
            kind = "calibrated" if temperature == 1 else f"temperature {temperature:g}"
            print(f"| `{selection}` | {lens} | {n:,} | {kind} | {shares} |", flush=True)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


def print_costs(n: int) -> None:
    """Print the seconds and the memory of each call for many rows."""
    print("| classes | selection | call | seconds | MB beside the rows |")
    print("|---:|---|---|---:|---:|")
    for classes in (10, 100):
        for lens, selection in (SELECTIONS[0], SELECTIONS[2], ("top-1", "correct == 0")):
            p, asked = drawn(n, 0, 1.0, classes), {"lens": lens, "selection": selection}
            calls = {
                "kuiper_test": lambda p=p, asked=asked: cv.kuiper_test(p, **asked),
                "calibration_test": lambda p=p, asked=asked: cv.calibration_test(p, **asked, progress=False),
                "consistency": lambda p=p, asked=asked: cv.consistency(
                    p, **asked, error=cv.ks_error, replicates=499, progress=False
                ),
            }
            for name, call in calls.items():
                start = time.perf_counter()
                call()
                taken = time.perf_counter() - start
                other = drawn(n, 0, 1.0, classes)
                p.cache, other = other.cache, p  # nothing is kept from the call before
                tracemalloc.start()
                call()
                largest = tracemalloc.get_traced_memory()[1] / 1e6
                tracemalloc.stop()
                print(f"| {classes} | `{selection}` | {name} | {taken:.1f} | {largest:.0f} |", flush=True)


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 600])
    parser.add_argument("--cost", action="store_true")
    args = parser.parse_args()
    if args.cost:
        print_costs(50_000)
    else:
        print_levels(args.sizes, args.data_sets)


if __name__ == "__main__":
    main()
