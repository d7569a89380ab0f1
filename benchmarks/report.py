"""How long a report takes, and how large it is, on 50,000 samples of 100 classes.

Run ``python benchmarks/report.py``; ``--samples`` and ``--classes`` change the size.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

import calibviz as cv

MOST_SECONDS = 30
MOST_BYTES = 3_000_000


def made(samples: int, classes: int) -> cv.Predictions:
    """Predictions in float32 whose label is often, but not always, the likeliest class."""
    rng = np.random.default_rng(0)
    labels = rng.integers(classes, size=samples)
    probs = rng.random((samples, classes), dtype=np.float32) ** 8
    probs[np.arange(samples), labels] += rng.random(samples, dtype=np.float32)
    return cv.Predictions(probs / probs.sum(axis=1, keepdims=True), labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--classes", type=int, default=100)
    options = parser.parse_args()
    predictions = made(options.samples, options.classes)
    other = predictions.with_probs(0.5 * predictions.probs + np.float32(0.5 / options.classes))
    for name, make in (
        ("report", lambda: cv.report(predictions, progress=False)),
        ("compare", lambda: cv.compare({"one": predictions, "other": other}, progress=False)),
    ):
        start = perf_counter()
        size = len(make().html.encode())
        seconds = perf_counter() - start
        missed = "" if seconds <= MOST_SECONDS and size <= MOST_BYTES else "  MISSED"
        print(
            f"{name:8} {seconds:6.1f} s (at most {MOST_SECONDS})  {size / 1e6:5.2f} MB (at most {MOST_BYTES / 1e6:g})"
            f"{missed}"
        )


if __name__ == "__main__":
    main()
