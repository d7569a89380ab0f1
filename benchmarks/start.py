"""How long the start takes: ``import calibviz`` and first numbers, each in a fresh process, beside ``import xarray``.

Run ``python benchmarks/start.py``; ``--rounds`` changes how often each is started.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

PREDICTIONS = "cv.Predictions([[0.3, 0.7], [0.6, 0.4]], [1, 0])"
BESIDE = "import xarray"
PROGRAMS = {
    "python alone": "",
    BESIDE: BESIDE,
    "import calibviz": "import calibviz",
    "first calibration_error": f"import calibviz as cv; cv.calibration_error({PREDICTIONS})",
    "first evaluate": f"import calibviz as cv; cv.evaluate({PREDICTIONS})",
}
LIMITS = {"import calibviz": 1.3}  # times `import xarray`


def seconds(program: str) -> float:
    """The time from the start of an interpreter to its end."""
    start = perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[1], check=True)
    return perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    for program in PROGRAMS.values():  # so that all files are compiled, and read from disk
        seconds(program)
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(options.rounds):  # in turns, so that a busy moment meets all of them
        for name, program in PROGRAMS.items():
            times[name].append(seconds(program))
    beside = median(times[BESIDE])
    for name, measured in times.items():
        ratio = median(measured) / beside
        missed = "  MISSED" if ratio > LIMITS.get(name, ratio) else ""
        print(f"{name:24} {1000 * median(measured):6.0f} ms, {ratio:5.2f} times {BESIDE}{missed}")


if __name__ == "__main__":
    main()
