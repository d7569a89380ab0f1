"""What calibviz costs beside its peers: seconds, value and peak of memory of the same quantity, in one run.

    python benchmarks/peers            # every quantity, 50,000 samples of 100 classes, float32
    python benchmarks/peers --scaling  # 10,000 to 10,000,000 samples, 10 to 1,000 classes

Everything runs in one thread, and calibviz in as many as there are processors as well. A peer that is not installed is
skipped; plain NumPy is always there. The values stand side by side, so that one sees who computes the same. The limit
of a row is the time in which one processor reads what has to be read.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import ctypes
import math
import platform
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import packages
import plain
from data import Data, simulate
from rows import ROWS, Row, arrays, checked, looked_at, sorted_problem, top1_problem

import calibviz as cv

Call = tuple[Callable[[Any], float], Callable[[Data], Any]]  # what is timed, and what makes its argument before

TURNS = 15
LONG = 1.5  # seconds, after which a call is made no more
SAME = 0.01  # a value that differs by more, relative to ours, is marked
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
OF_SAMPLE, OF_INPUT = 64, 2.2  # the aims for memory: bytes of a scalar problem, multiples of the input


def race(calls: dict[str, Call], d: Data) -> dict[str, tuple[float, float | str]]:
    """Milliseconds and value of each call by name, or nan and the error.

    All are called in turns, so that whatever slows the machine slows everybody, and the least time counts. A slow call
    is made less often. What a first call loads is loaded before, on a few samples.
    """
    few = simulate(2_000, d.classes)
    for run, start in calls.values():
        with suppress(IndexError, ValueError):
            run(start(few))
    times: dict[str, list[float]] = {name: [] for name in calls}
    values: dict[str, float | str] = {}
    for _ in range(TURNS):
        for name, (run, start) in calls.items():
            if sum(times[name]) > LONG or isinstance(values.get(name), str):
                continue
            given = start(d)
            begin = time.perf_counter()
            try:
                values[name] = float(run(given))
            except (IndexError, ValueError) as error:
                if name == "calibviz":
                    raise
                values[name] = str(error)
            else:
                times[name].append(time.perf_counter() - begin)
    return {name: (1e3 * min(times[name], default=math.nan), values[name]) for name in calls}


def peak(call: Call, d: Data) -> float:
    """Bytes of resident memory that a call needs on top of its input; nan where the system does not tell."""
    if not sys.platform.startswith("linux"):
        return math.nan
    import resource

    def most() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    run, start = call
    given = start(d)
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)  # memory that is free, but kept, would be used unseen
    reader, writer = os.pipe()
    if not (child := os.fork()):  # in a new process the peak is counted anew
        try:
            run(start(simulate(2_000, d.classes)))  # what a first call of all loads belongs to no input
            before = most()
            run(given)
            os.write(writer, str(most() - before).encode())
        finally:  # errors are reported where the call is timed
            os._exit(0)
    os.close(writer)
    with open(reader) as told:
        grown = told.read()
    os.waitpid(child, 0)
    return float(grown or "nan")


def installed() -> dict[str, str]:
    """The versions of what is compared, by package."""
    found = {"calibviz": cv.__version__, "NumPy": np.__version__}
    for package in packages.MODULES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            print(f"{package} is not installed: skipped")
            continue
        packages.peer(package)  # imported before anything is measured
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
        found["torch"] = version("torch")
    return found


def bandwidth() -> float:
    """Bytes that one processor reads in a second from memory that no cache holds."""
    large, times = np.ones(2**26), []
    for _ in range(5):
        begin = time.perf_counter()
        large.max()
        times.append(time.perf_counter() - begin)
    return large.nbytes / min(times)


def in_threads(run: Callable[[Any], float], threads: int) -> Callable[[Any], float]:
    def limited(given: Any) -> float:
        os.environ["CALIBVIZ_NUM_THREADS"] = str(threads)
        try:
            return run(given)
        finally:
            del os.environ["CALIBVIZ_NUM_THREADS"]

    return limited


def compare(row: Row, d: Data, found: dict[str, str], speed: float) -> str:
    """Measure one quantity and print it; return a line of the table at the end."""
    several = f"calibviz, {THREADS} threads"
    calls: dict[str, Call] = {"calibviz": (row.ours, row.start), several: (in_threads(row.ours, THREADS), row.start)}
    calls |= {name: (run, arrays) for name, run in row.peers.items() if name.split(",")[0].rstrip(" *") in found}
    memory = {name: peak(call, d) for name, call in calls.items()}
    results = race(calls, d)
    ours, value = results["calibviz"]
    print(f"\n{row.name}")
    for name, (taken, theirs) in results.items():
        if isinstance(theirs, str):
            print(f"  {name:34} fails: {theirs}")
            continue
        remark = "" if name in (several, "calibviz") else f"ratio {ours / taken:.3g}"
        remark += f", {theirs / value - 1:+.0%}" if abs(theirs - value) > SAME * abs(value) else ""
        print(f"  {name:34} {taken:10.2f} ms  {theirs:10.6f}  {memory[name] / 1e6:7.1f} MB  {remark}".rstrip())
    times = {
        name: taken for name, (taken, _) in results.items() if name not in (several, "calibviz") and taken == taken
    }
    best = min((taken for name, taken in times.items() if not name.endswith("*")), default=math.nan)
    ratio, of_threads = ours / best, results[several][0] / best
    reached = min(ratio, of_threads)
    aim = "" if row.aim is None else f"{row.aim:g}" + (", missed" if reached > row.aim else "")
    limit = 1e3 * row.reads(d) / speed
    print(f"  ratio to the best {ratio:.3g}, {of_threads:.3g} in {THREADS} threads" + (f", aim {aim}" if aim else ""))
    plainly = {name: taken for name, taken in times.items() if name.startswith("NumPy")}
    packaged = {name: taken for name, taken in times.items() if name not in plainly}
    line = (
        row.name,
        *(milliseconds(results[name][0]) for name in ("calibviz", several)),
        fastest(packaged),
        fastest(plainly),
        *(f"{share:.2g}" for share in (ratio, of_threads)),
        aim,
        f"{milliseconds(limit)}, {min(ours, results[several][0]) / limit:.2g} x" if limit else "",
    )
    return f"| {' | '.join(line)} |"


def milliseconds(taken: float) -> str:
    return f"{taken:,.0f}" if taken >= 100 else f"{taken:.2g}"


def fastest(times: dict[str, float]) -> str:
    """The least time and its name; one with a star only where there is no other."""
    name = min(times, key=lambda name: (name.endswith("*"), times[name]), default="")
    return f"{milliseconds(times[name])} ({name})" if name else ""


def memory_rows(d: Data) -> None:
    """What a scalar problem keeps, and what a classwise error needs."""
    kept = top1_problem(d).nbytes / len(d)
    print(f"\nbytes kept for each sample of a scalar problem: {kept:.1f}, aim below {OF_SAMPLE}")
    wide = simulate(50_000, 1_000)
    grown = peak((lambda p: cv.calibration_error(p, "classwise"), checked), wide)
    share = 1 + grown / wide.probs.nbytes
    print(f"classwise error of 50,000 x 1,000, float32: {share:.2f} times the input, itself included, aim {OF_INPUT}")


SCALAR = {  # from confidences and hits: what calibviz is given, what it does, and the same in plain NumPy
    "uniform": (arrays, lambda d: cv.calibration_error(top1_problem(d)), plain.uniform_of),
    "then 20 bins": (sorted_problem, lambda p: cv.calibration_error(p, binning=cv.Uniform(20)), plain.uniform_of),
    "equal-mass": (arrays, lambda d: cv.calibration_error(top1_problem(d), binning=cv.EqualMass()), plain.mass_of),
    "sweep": (arrays, lambda d: cv.calibration_error(top1_problem(d), binning=cv.Sweep()), plain.sweep),
    "KS": (arrays, lambda d: cv.ks_error(top1_problem(d)), plain.ks),
}
WHOLE = {  # from arrays
    "top-1 ECE": (arrays, lambda d: cv.calibration_error(checked(d)), plain.uniform),
    "then 20 bins": (looked_at, lambda p: cv.calibration_error(p, binning=cv.Uniform(20)), plain.uniform),
    "classwise ECE": (checked, lambda p: cv.calibration_error(p, "classwise"), plain.classwise),
    "ACE": (checked, lambda p: cv.calibration_error(p, "classwise", binning=cv.EqualMass()), plain.ace),
}


def scaling(what: str, columns: dict[str, Any], sizes: tuple[int, ...], make: Callable[[int], Data]) -> None:
    """Print a table of times and of ratios to plain NumPy, one line for each size."""
    print(f"\n{what:>12}" + "".join(f"{name:>24}" for name in columns))
    for size in sizes:
        d = make(size)
        assert len(d.confidence) == len(d.hits)  # known before anything is timed
        print(f"{size:12,}", end="", flush=True)
        for start, ours, theirs in columns.values():
            (taken, _), (plainly, _) = race({"calibviz": (ours, start), "NumPy": (theirs, arrays)}, d).values()
            print(f"{taken:12.2f} ms ({taken / plainly:6.3f})", end="", flush=True)
        print()


def main() -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--only", default="", help="a part of the names of the rows to measure")
    args = parser.parse_args()
    # Once a large array was freed, as in most programs, malloc keeps smaller ones: without this, the first rows would
    # be slower than the last.
    np.empty(30 << 20, dtype=np.uint8)
    if args.scaling:
        print("calibviz in one thread (ratio to plain NumPy)")
        scaling("samples", SCALAR, (10**4, 10**5, 10**6, 10**7), lambda n: simulate(n, 2))
        scaling("classes", WHOLE, (10, 30, 100, 300, 1000), lambda k: simulate(args.samples, k))
        return
    found = installed()
    d = simulate(args.samples, args.classes)
    print(f"{args.samples:,} samples x {args.classes:,} classes, {d.probs.dtype}, {d.probs.nbytes / 1e6:.0f} MB")
    print(f"accuracy {d.hits.mean():.3f}, mean confidence {d.confidence.mean():.3f}; one thread")
    speed = bandwidth()
    print(f"one processor reads {speed / 1e9:.1f} GB a second")
    print(f"Python {platform.python_version()}, " + ", ".join(f"{name} {found[name]}" for name in found))
    lines = [compare(row, d, found, speed) for row in ROWS if args.only in row.name]
    if not args.only:
        memory_rows(d)
    heads = ("quantity", "calibviz, ms", f"in {THREADS} threads", "fastest package, ms", "plain NumPy, ms")
    heads += ("ratio to the best", f"in {THREADS} threads", "aim", "limit, ms, and how far off")
    print(f"\n| {' | '.join(heads)} |", "|---" * len(heads) + "|", *lines, sep="\n")


if __name__ == "__main__":
    main()
