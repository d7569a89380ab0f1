"""How soon each panel of the Explorer shows its first picture after a change of lens.

    python benchmarks/panels.py
    python benchmarks/panels.py --only classes --samples 5000

On 20,000 samples of 1,000 classes in float32, without a browser: until the records of the pictures are there. What
fills in later, such as intervals and noise floors, is not waited for. The worst of four changes counts.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from driver import screen

import calibviz as cv
from calibviz.answers.registry import ANSWERS

LENSES = ("class 3", "top-1", "top-5", "rank 2")
REACH = 1.0  # seconds
PATIENCE = 60.0  # seconds


def simulate(samples: int, classes: int) -> cv.Predictions:
    rng = np.random.default_rng(0)
    labels = rng.integers(classes, size=samples)
    z = rng.standard_normal((samples, classes), dtype=np.float32)
    z[np.arange(samples), labels] += rng.normal(5.0, 2.0, samples).astype(np.float32)
    probs = np.exp(3 * (z - z.max(axis=1, keepdims=True)))
    site = np.array(["north", "south"])[rng.integers(2, size=samples)]
    return cv.Predictions(probs / probs.sum(axis=1, keepdims=True), labels, fields={"site": site})


async def first_pictures(predictions: cv.Predictions, panel: str) -> list[float]:
    """Seconds from each change of lens to the first picture or table of the panel."""
    explorer = cv.Explorer(predictions, panels=(panel,), lens="within-top 2", likert=(0, 0.5, 1))
    view, times = screen(explorer), []
    for lens in LENSES:
        begin = time.perf_counter()
        explorer.state.lens = lens
        while not view.records(panel) and time.perf_counter() - begin < PATIENCE:
            await asyncio.sleep(0.005)
        times.append(time.perf_counter() - begin)
    explorer.close()
    return times


def main() -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--only", default="", help="a part of the names of the panels to measure")
    args = parser.parse_args()
    predictions = simulate(args.samples, args.classes)
    print(f"{args.samples:,} samples x {args.classes:,} classes\n\n| panel | worst, s | {' | '.join(LENSES)} |")
    print("|---|---|" + "---|" * len(LENSES))
    for panel in tuple(ANSWERS):
        if panel == "time" or args.only not in panel:  # these samples have no dates
            continue
        times = asyncio.run(first_pictures(predictions, panel))
        worst = f"{max(times):.2f}" + ("" if max(times) <= REACH else f" (reach {REACH:g}: MISSED)")
        print(f"| {panel} | {worst} | {' | '.join(f'{seconds:.2f}' for seconds in times)} |", flush=True)


if __name__ == "__main__":
    main()
