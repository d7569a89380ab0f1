"""What the engine costs in time and memory, beside the limits that it should keep.

    python benchmarks/engine.py

Simulates the predictions of a classifier of 1,000 classes, 50,000 samples in float32, and prints how long the first
number takes with all checks of the input, how long every further scalar lens and bin count, and how much memory all of
this needs on top of the input; and how long a thousand replicates of the error over gamma take (seconds of one core),
beside the same with the nodes of the trees split one by one, and with rows repeated in place of weights. Times are
medians; they depend on the machine, and the limits are meant for a laptop.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable

import numpy as np

import calibviz as cv
from calibviz.engine.binnings import kdtree

LENSES = ["top-1", "class 7", *(f"{kind} {r}" for kind in ("rank", "within-top") for r in range(1, 6))]
BIN_COUNTS = range(1, 101)

# The limits: seconds for the times, shares of the size of the input for the memory.
NEW_BIN_COUNT = 0.001
NEW_LENS = 0.150
PEAK = 0.6
THOUSAND_REPLICATES = 120.0

BLOCK = 500  # rows that are simulated at once, so that making the input hides no peak of the engine


def simulate(samples: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw probabilities (samples, classes), float32, and labels that are as likely as these say."""
    rng = np.random.default_rng(seed)
    probs = np.empty((samples, classes), dtype=np.float32)
    labels = np.empty(samples, dtype=np.int64)
    for start in range(0, samples, BLOCK):
        logits = 3 * rng.standard_normal((min(BLOCK, samples - start), classes), dtype=np.float32)
        part = np.exp(logits - logits.max(axis=1, keepdims=True))
        part /= part.sum(axis=1, keepdims=True)
        drawn = part.cumsum(axis=1) > rng.random((len(part), 1), dtype=np.float32)
        drawn[:, -1] = True
        probs[start : start + len(part)] = part
        labels[start : start + len(part)] = drawn.argmax(axis=1)
    return probs, labels


def everything(probs: np.ndarray, labels: np.ndarray) -> None:
    """Use the engine as somebody does who looks at the predictions from all sides."""
    p = cv.Predictions(probs, labels)
    for lens in LENSES:
        cv.calibration_error(p, lens)
        cv.ks_error(p, lens)
    for bins in BIN_COUNTS:
        cv.calibration_error(p, "rank 2", binning=cv.Uniform(bins))
        cv.calibration_error(p, "within-top 3", binning=cv.EqualMass(bins))
    cv.reliability(p)
    cv.ks_error(p, selection="confidence > 0.5")


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """How long a call takes."""
    start = clock()
    call()
    return clock() - start


def first_number(probs: np.ndarray, labels: np.ndarray, rounds: int) -> float:
    """From arrays to the first calibration error."""
    return statistics.median(
        seconds(lambda: cv.calibration_error(cv.Predictions(probs, labels))) for _ in range(rounds)
    )


def lens_times(probs: np.ndarray, labels: np.ndarray, rounds: int) -> dict[str, tuple[float, float]]:
    """For each lens: after the first number and all lenses above it, and as the very first one."""
    in_turn: dict[str, list[float]] = {lens: [] for lens in LENSES}
    alone: dict[str, list[float]] = {lens: [] for lens in LENSES}
    for _ in range(rounds):
        p = cv.Predictions(probs, labels)
        for lens in LENSES:
            in_turn[lens].append(seconds(lambda p=p, lens=lens: cv.calibration_error(p, lens)))
        for lens in LENSES:
            fresh = p.with_probs(p.probs)  # the same arrays, checked already, with nothing computed yet
            alone[lens].append(seconds(lambda p=fresh, lens=lens: cv.calibration_error(p, lens)))
    return {lens: (statistics.median(in_turn[lens]), statistics.median(alone[lens])) for lens in LENSES}


def bin_count_time(probs: np.ndarray, labels: np.ndarray, binning: type, lenses: Iterable[str]) -> float:
    """A bin count that was not asked for before, under a lens that was."""
    p = cv.Predictions(probs, labels)
    times = []
    for lens in lenses:
        cv.calibration_error(p, lens)
        times += [seconds(lambda b=b, lens=lens: cv.calibration_error(p, lens, binning=binning(b))) for b in BIN_COUNTS]
    return statistics.median(times)


def sensitivity_times(replicates: int) -> dict[str, float]:
    """Seconds of a core for a thousand replicates of `sensitivity`, as it is and in two other ways, by a few of them.

    Of the full lens of 10,000 samples and 10 classes, as in figure 7 of Kirchenbauer, Oaks and Heim (2022).
    """
    probs, labels = simulate(10_000, 10)
    p = cv.Predictions(probs, labels)
    gammas = [2.0**-power for power in range(1, 13)]
    cv.sensitivity(p, "full", binning="k-d tree", settings=gammas, replicates=1, progress=False)

    def weighted() -> None:
        cv.sensitivity(p, "full", binning="k-d tree", settings=gammas, replicates=replicates, progress=False)

    def repeated() -> None:
        rng = np.random.default_rng(0)
        for _ in range(replicates):
            rows = p.select(rng.integers(0, len(p), len(p)))
            for gamma in gammas[::-1]:
                cv.calibration_error(rows, "full", binning=cv.KDTree(gamma))

    taken = {"as it is": seconds(weighted, time.process_time), "rows repeated": seconds(repeated, time.process_time)}
    kdtree._Tree.most_together = 0
    try:
        taken["node by node"] = seconds(weighted, time.process_time)
    finally:
        kdtree._Tree.most_together = kdtree.MOST_TOGETHER
    return {name: 1000 / replicates * one for name, one in taken.items()}


def traced_peak(probs: np.ndarray, labels: np.ndarray) -> float:
    """The largest sum of what NumPy and Python have allocated, as a share of the input."""
    tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        everything(probs, labels)
        return (tracemalloc.get_traced_memory()[1] - start) / probs.nbytes
    finally:
        tracemalloc.stop()


def resident_peak(samples: int, classes: int) -> float | None:
    """The same in resident memory, as the system sees it, in a process of its own; None where it cannot be asked."""
    command = [sys.executable, __file__, "--resident-only", f"--samples={samples}", f"--classes={classes}"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(printed) if printed.strip() else None


def print_resident_peak(samples: int, classes: int) -> None:
    """Print what `resident_peak` reads."""
    try:
        import resource
    except ImportError:  # Windows
        return
    probs, labels = simulate(samples, classes)
    everything(*simulate(200, 10))  # what is imported late belongs to no input
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    everything(probs, labels)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(grown * (1 if sys.platform == "darwin" else 1024) / probs.nbytes)


def line(what: str, value: str, limit: str = "", kept: bool = True) -> None:
    """Print one measurement."""
    verdict = f"limit {limit}" + ("" if kept else ": MISSED") if limit else ""
    print(f"{what:34} {value:>26}   {verdict}".rstrip())


def main() -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5, help="times that the first number and the lenses are measured")
    parser.add_argument("--resident-only", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.resident_only:
        print_resident_peak(args.samples, args.classes)
        return
    # First, while this process is small: some systems count the memory of its parent to a new process.
    resident = resident_peak(args.samples, args.classes)
    probs, labels = simulate(args.samples, args.classes)
    print(f"{args.samples:,} samples x {args.classes:,} classes, {probs.dtype}, {probs.nbytes / 1e6:.0f} MB;", end=" ")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}\n")
    line("first number, input checked", f"{first_number(probs, labels, args.rounds) * 1e3:.0f} ms")
    print("\nnew bin count")
    for name, binning in (("uniform", cv.Uniform), ("equal-mass", cv.EqualMass)):
        taken = bin_count_time(probs, labels, binning, LENSES[:3])
        line(f"  {name}", f"{taken * 1e3:.3f} ms", f"{NEW_BIN_COUNT * 1e3:g} ms", taken < NEW_BIN_COUNT)
    print("\nnew scalar lens: after those above it, and as the first one of all")
    for lens, (in_turn, alone) in lens_times(probs, labels, args.rounds).items():
        value = f"{in_turn * 1e3:.0f} ms, {alone * 1e3:.0f} ms"
        line(f"  {lens}", value, f"{NEW_LENS * 1e3:g} ms", max(in_turn, alone) < NEW_LENS)
    print("\na thousand replicates of the error over gamma, by ten of them")
    taken = sensitivity_times(10)
    for name, one in taken.items():
        limit = (f"{THOUSAND_REPLICATES:g} s", one < THOUSAND_REPLICATES) if name == "as it is" else ("", True)
        line(f"  {name}", f"{one:.0f} s, ratio {one / taken['as it is']:.1f}", *limit)
    print("\npeak of memory, as a share of the input, on top of it")
    traced = traced_peak(probs, labels)
    line("  allocated", f"{traced:.2f}", f"{PEAK:g}", traced <= PEAK)
    if resident is not None:
        line("  resident", f"{resident:.2f}", f"{PEAK:g}", resident <= PEAK)


if __name__ == "__main__":
    main()
