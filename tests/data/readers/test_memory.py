"""Reading takes little memory: of a text, at most twice the larger of the file and of its numbers."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

ROWS, CLASSES = 400_000, 10
PROGRAM = r"""
import re, sys
from pathlib import Path
import calibviz.data.readers, pandas
def peak():
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
pandas.read_csv(sys.argv[1], nrows=100)  # what is loaded late
before = peak()
there = calibviz.data.readers.read_predictions(sys.argv[1])
print(peak() - before, len(there.labels))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the peak in /proc")
def test_a_text_takes_at_most_twice_the_larger_of_the_file_and_its_numbers(tmp_path):
    probs = np.random.default_rng(0).dirichlet(np.ones(CLASSES), ROWS)
    labelled = np.column_stack([probs, np.arange(ROWS) % CLASSES])
    file = tmp_path / "mine.csv"
    header = ",".join([*(f"p_{k}" for k in range(CLASSES)), "label"])
    np.savetxt(file, labelled, delimiter=",", header=header, comments="", fmt=["%.17g"] * CLASSES + ["%d"])
    done = subprocess.run([sys.executable, "-c", PROGRAM, file], capture_output=True, text=True, check=True)
    taken, rows = map(int, done.stdout.split())
    assert rows == ROWS
    assert taken <= 2 * max(file.stat().st_size, labelled.nbytes)
