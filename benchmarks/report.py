"""How long a report takes, and how large it is, on 50,000 samples of 100 classes, on 500 of 10,000, and on binary ones.

Run ``python benchmarks/report.py``; ``--samples``, ``--classes``, ``--few`` and ``--rows`` change the sizes, 0 leaves a
part out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter, process_time

import numpy as np

import calibviz as cv
from calibviz.reports import Report

MOST_SECONDS = 30
MOST_BINARY_SECONDS = 15
MOST_BYTES = 3_000_000


def made(samples: int, classes: int) -> cv.Predictions:
    """Predictions in float32 whose label is often, but not always, the likeliest class."""
    rng = np.random.default_rng(0)
    labels = rng.integers(classes, size=samples)
    probs = rng.random((samples, classes), dtype=np.float32) ** 8
    probs[np.arange(samples), labels] += rng.random(samples, dtype=np.float32)
    return cv.Predictions(probs / probs.sum(axis=1, keepdims=True), labels)


def binary(rows: int) -> cv.Predictions:
    """Probabilities that are somewhat too high."""
    rng = np.random.default_rng(0)
    score = rng.beta(0.6, 1.5, rows)
    return cv.Predictions(score, (rng.random(rows) < score**1.2).astype(int))


def tell(name: str, make: Callable[[], Report], most_seconds: float) -> None:
    """Print how long a page takes, with seconds of the processor beside them, and how large it is."""
    start, worked = perf_counter(), process_time()
    size = len(make().html.encode())
    seconds, worked = perf_counter() - start, process_time() - worked
    missed = "" if seconds <= most_seconds and size <= MOST_BYTES else "  MISSED"
    print(
        f"{name:24} {seconds:6.1f} s (at most {most_seconds:g}; of the processor {worked:.1f})  "
        f"{size / 1e6:5.2f} MB (at most {MOST_BYTES / 1e6:g}){missed}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--few", type=int, default=500, help="samples of 10,000 classes")
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 610_000, 1_220_000, 2_000_000])
    options = parser.parse_args()
    if options.samples:
        predictions = made(options.samples, options.classes)
        other = predictions.with_probs(0.5 * predictions.probs + np.float32(0.5 / options.classes))
        tell("report", lambda: cv.report(predictions, progress=False), MOST_SECONDS)
        models = {"one": predictions, "other": other}
        tell("compare", lambda: cv.compare(models, progress=False), MOST_SECONDS)
    if options.few:
        few = made(options.few, 10_000)
        tell(f"report, {options.few:,} of 10,000", lambda: cv.report(few, progress=False), MOST_BINARY_SECONDS)
    for n in filter(None, options.rows):
        rows = binary(n)
        tell(f"report, {n:,} binary", lambda rows=rows: cv.report(rows, progress=False), MOST_BINARY_SECONDS)


if __name__ == "__main__":
    main()
