"""How fast files are read, and in how much memory, beside the readers of pandas and pyarrow.

Each reader runs in a process of its own, in turns; the best of some rounds counts. A ratio of a .csv above its limit is
marked `MISSED`. Run ``python benchmarks/reading.py``; ``--values`` sets how many probabilities a file holds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

CLASSES = 10
READERS = {
    "pandas": "import pandas as pd; from pandas import read_{pandas} as read",
    "pyarrow": "from pyarrow.{pyarrow} import read_{table} as read",
    "calibviz": "from calibviz import read_predictions as read",
}
ENDINGS = {"csv": {"pandas": "csv", "pyarrow": "csv", "table": "csv"}}
ENDINGS["parquet"] = {"pandas": "parquet", "pyarrow": "parquet", "table": "table"}
LIMIT, MEMORY_LIMIT = 1.5, 2.0  # times the slower of the two readers; the larger of the file and its float64 arrays
PROGRAM = r"""
import re, sys, time
from pathlib import Path
{imported}
import calibviz.data.readers, pandas, pyarrow.csv, pyarrow.dataset, pyarrow.parquet  # to load these is not to read
def peak():
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
before, start = peak(), time.perf_counter()
there = read(sys.argv[1])
print(time.perf_counter() - start, peak() - before)
"""


def written(folder: Path, values: int) -> dict[str, Path]:
    """Files of so many probabilities of ten classes, with labels."""
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(CLASSES), values // CLASSES)
    frame = pd.DataFrame(probs, columns=[f"p_{k}" for k in range(CLASSES)])
    frame["label"] = rng.integers(0, CLASSES, len(frame))
    files = {ending: folder / f"mine.{ending}" for ending in ENDINGS}
    frame.to_csv(files["csv"], index=False)
    frame.to_parquet(files["parquet"])
    return files


def measured(file: Path, imported: str) -> tuple[float, float]:
    """Seconds and MB of one reading."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(imported=imported), file],
        check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1],
    )  # fmt: skip  # short entries stand in rows
    seconds, megabytes = map(float, done.stdout.split())
    return seconds, megabytes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| file | reader | s | ratio | MB | of the larger of file and arrays |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for ending, file in written(Path(folder), options.values).items():
            size = max(file.stat().st_size, 8 * (options.values + options.values // CLASSES)) / 2**20
            rounds = [
                {name: measured(file, imported.format(**ENDINGS[ending])) for name, imported in READERS.items()}
                for _ in range(options.rounds)
            ]
            best = {name: min(each[name] for each in rounds) for name in READERS}
            slower = max(best[name][0] for name in READERS if name != "calibviz")
            for name, (seconds, megabytes) in best.items():
                ratio, share = seconds / slower, megabytes / size
                missed = (name, ending) == ("calibviz", "csv") and (ratio > LIMIT or share > MEMORY_LIMIT)
                marked = " MISSED" * missed
                print(f"| .{ending} | {name} | {seconds:.2f} | {ratio:.2f} | {megabytes:.0f} | {share:.2f}{marked} |")


if __name__ == "__main__":
    main()
