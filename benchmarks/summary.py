"""How long a summary takes to add binary samples, in turns with three `np.bincount` over the same rows.

Run ``python benchmarks/summary.py``; it works in one thread, and its times are those of the processor.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from time import process_time

os.environ["CALIBVIZ_NUM_THREADS"] = "1"

import numpy as np  # after the number of threads

import calibviz as cv
from calibviz.scale.score_grid import cells_of

MOST_RATIO = 4.0  # of an update to the three sums
CENTRES = {"common": 0.0, "rare": -7.0, "nearly sure": 7.0}  # of the scores, in log odds


def made(rows: int, centre: float) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels of which they are the probabilities."""
    rng = np.random.default_rng(0)
    score = 1 / (1 + np.exp(-rng.normal(centre, 2.5, rows)))
    return score, (rng.random(rows) < score).astype(np.int8)


def three_sums(cell: np.ndarray, score: np.ndarray, label: np.ndarray, cells: int) -> None:
    """Counts, scores and labels added up by cells that are known."""
    np.bincount(cell, minlength=cells)
    np.bincount(cell, score, cells)
    np.bincount(cell, label, cells)


def seconds(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print("| scores | lens | update of | ns a row | of three bincounts | rows a second |\n|-|-|-|-:|-:|-:|")
    grid = cv.ScoreGrid()
    for name, centre in CENTRES.items():
        score, label = made(options.rows, centre)
        cell = cells_of(grid, score)
        for lens in ("class 1", "top-1"):
            summary = cv.Summary(lens)
            sums, arrays, predictions = [], [], []
            for _ in range(options.rounds):
                sums.append(seconds(lambda cell=cell, s=score, t=label: three_sums(cell, s, t, len(grid))))
                arrays.append(seconds(lambda of=summary, s=score, t=label: of.update(s, t)))
                new = cv.Predictions(score, label)  # one that has not been looked at
                predictions.append(seconds(lambda of=summary, p=new: of.update(p)))
            for what, times in (("arrays, checked", arrays), ("Predictions", predictions)):
                ratio = min(times) / min(sums)
                missed = "" if ratio <= MOST_RATIO else " (missed)"
                print(
                    f"| {name} | {lens} | {what} | {min(times) / options.rows * 1e9:.1f} | {ratio:.1f}{missed} "
                    f"| {options.rows / min(times):,.0f} |"
                )
    print(f"\nThe least of {options.rounds} turns; at most {MOST_RATIO:g} times the three bincounts is wished.")


if __name__ == "__main__":
    main()
