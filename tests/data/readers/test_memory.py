"""Reading takes little memory: of a text, at most twice the larger of the file and of its numbers."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

import calibviz as cv
from calibviz.data.readers.tables.text_tables import WIDE, CsvTable

pytestmark = pytest.mark.thorough

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


def test_the_time_and_the_memory_of_a_wide_text_grow_with_its_columns(tmp_path):
    taken = []
    for classes in (4_000, 16_000):
        file = tmp_path / f"{classes}.csv"
        header = ",".join(["label", *(f"p_{k}" for k in range(classes))])
        file.write_text("\n".join([header, *[",".join(["0", *["5e-6"] * classes])] * 30]))
        start = time.process_time()
        with pytest.raises(ValueError, match=r"line 2 of probs sums to"):
            cv.read_predictions(file)
        taken.append(time.process_time() - start)
    assert taken[1] < 9 * taken[0], taken  # four times, were both alone on the machine; the square would be 16 times


def test_a_wide_text_of_numbers_alone_takes_no_data_frame(tmp_path, monkeypatch):
    """Of whose columns each takes long."""
    monkeypatch.setattr(CsvTable, "_parsed", lambda *_: pytest.fail("pandas was asked"))
    probs = np.random.default_rng(0).dirichlet(np.ones(WIDE), 3)
    file = tmp_path / "wide.csv"
    header = ",".join([*(f"p_{k}" for k in range(WIDE)), "label"])
    np.savetxt(file, np.column_stack([probs, range(3)]), delimiter=",", header=header, comments="")
    np.testing.assert_allclose(cv.read_predictions(file).probs, probs, rtol=1e-12)


def test_a_wide_text_is_read_as_a_narrow_one(tmp_path):
    classes, rows = 2_500, 40
    probs = np.random.default_rng(0).dirichlet(np.ones(classes), rows)
    labels = [f"c{k % classes}" for k in range(rows)]
    written = [[f"{v:.17g}".replace(".", ",") for v in row] for row in probs]
    written[3][7] = "NA"
    header = ";".join([*(f"p_c{k}" for k in range(classes)), "label", "site"])
    lines = [
        ";".join([*row, label, "NA" if label == "c1" else "n"]) for row, label in zip(written, labels, strict=True)
    ]
    file = tmp_path / "wide.csv"
    file.write_text("\n".join([header, *lines]))
    there = cv.read_predictions(file, missing="drop")
    kept = [i for i in range(rows) if i != 3]
    np.testing.assert_allclose(there.probs, probs[kept], rtol=1e-12)
    assert [there.class_names[k] for k in there.labels] == [labels[i] for i in kept]
    assert "1 row without a probability left out" in there.about["assumed"]
    lines[5] = lines[5].replace(";", ";x", 1)
    file.write_text("\n".join([header, *lines]))
    with pytest.raises(ValueError, match=r"line 7 of column 'p_c1' is 'x0,\d+', not a number"):
        cv.read_predictions(file, missing="drop")
    file.write_text("\n".join([header, *lines[:5], "0,5;0,5"]))
    with pytest.raises(ValueError, match=r"line 7 has 2 values, but the header has 2,502 names"):
        cv.read_predictions(file)
