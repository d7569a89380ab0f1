"""How soon the fit of a calibrator stops once it is cancelled.

    python benchmarks/cancellation.py [CALIBRATOR ...]

On 20,000 x 1,000 predictions, half of which each calibrator is fitted to, as in the Explorer: the longest time between
two moments at which a fit asks whether it was cancelled, over the first minute of it, and the time from cancelling in
the Explorer, two seconds into a fit (or at its start, if it is over by then), until nothing is being worked on.
"""

from __future__ import annotations

import argparse
import asyncio
import threading
import time

import numpy as np

import calibviz as cv
from calibviz.answers.situation.engine import Engine
from calibviz.explorer.state.state import ExplorerState
from calibviz.foundation.cancellation import Cancelled, cancellable
from calibviz.recalibration.registry import CALIBRATORS

SAMPLES, CLASSES = 20_000, 1_000
LONGEST = 60.0  # seconds of a fit that are looked at
FURTHER = 2.0  # seconds of a fit before it is cancelled


def made() -> cv.Predictions:
    """Predictions whose confidence is off, so that there is something to fit."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(SAMPLES, CLASSES))
    labels = rng.integers(CLASSES, size=SAMPLES)
    logits[np.arange(SAMPLES), labels] += rng.normal(4, 2, SAMPLES)
    logits *= rng.uniform(0.5, 2.0, CLASSES)
    probs = np.exp(logits - logits.max(axis=1, keepdims=True))
    return cv.Predictions((probs / probs.sum(axis=1, keepdims=True)).astype(np.float32), labels)


def longest_gap(predictions: cv.Predictions, calibrator: str) -> tuple[float, int, float]:
    """The longest time between two checks, how many there were, and how long the fit took (`LONGEST` at most)."""
    engine = Engine(predictions)
    spec = ExplorerState(tuple(engine.models)).spec
    asked = [time.monotonic()]

    def check(_done: float | None) -> None:
        asked.append(time.monotonic())
        if asked[-1] - asked[0] > LONGEST:
            raise Cancelled

    try:
        with cancellable(check):
            engine.moved_now(spec, "model", calibrator)
    except Cancelled:
        pass
    asked.append(time.monotonic())
    return float(np.diff(asked).max()), len(asked) - 2, asked[-1] - asked[0]


async def until_idle(predictions: cv.Predictions, calibrator: str) -> float:
    """How long it takes from cancelling a fit in the Explorer until no thread works on it any more."""
    engine = Engine(predictions)
    spec = ExplorerState(tuple(engine.models)).spec
    engine.jobs.begin()
    job = engine.moved(spec, "model", calibrator)
    before = threading.active_count()
    engine.jobs.start(after=0.0)
    start = time.monotonic()
    while not job.done and time.monotonic() - start < FURTHER:
        await asyncio.sleep(0.005)
    cancelled = time.monotonic()
    engine.jobs.cancel(job)
    while threading.active_count() > before:
        await asyncio.sleep(0.001)
    return time.monotonic() - cancelled


def main() -> None:
    """Print a table of both times for each calibrator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calibrators", nargs="*", default=list(CALIBRATORS), metavar="CALIBRATOR")
    predictions = made()
    print("calibrator       longest gap   checks   seconds of the fit   until idle")
    for name in parser.parse_args().calibrators:
        gap, checks, took = longest_gap(predictions, name)
        idle = asyncio.run(until_idle(predictions, name))
        print(f"{name:16} {gap:9.3f} s {checks:8,} {took:20.1f} {idle:10.3f} s", flush=True)


if __name__ == "__main__":
    main()
