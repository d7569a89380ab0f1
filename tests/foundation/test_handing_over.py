"""Objects that other processes take over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import calibviz as cv
from calibviz.foundation.handing_over import hand_over, taken_over


@pytest.fixture
def predictions() -> cv.Predictions:
    """Numbers, texts and dates of seven samples, so that arrays end anywhere."""
    probs = np.asfortranarray(np.random.default_rng(0).dirichlet(np.ones(3), 7).astype(np.float32))
    day = np.arange(7).astype("datetime64[D]")
    fields = {"site": ["north", "süd", "", "a", "b", "c", "d"], "day": day}
    return cv.Predictions(probs, [0, 1, 2, 0, 1, 2, 0], fields=fields, weights=np.arange(7) + 0.5)


def test_what_is_taken_over_is_what_was_handed_over(predictions: cv.Predictions, tmp_path: Path) -> None:
    hand_over({"mine": predictions}, tmp_path / "read")
    taken = taken_over(tmp_path / "read")["mine"]
    assert repr(taken) == repr(predictions)
    for name in ("probs", "labels", "weights"):
        mine, given = getattr(taken, name), getattr(predictions, name)
        assert mine.dtype == given.dtype and np.array_equal(mine, given)
    assert all(np.array_equal(taken.fields[name], column) for name, column in predictions.fields.items())
    assert cv.calibration_error(taken) == cv.calibration_error(predictions)


def test_arrays_are_read_from_the_file_and_cannot_be_written(tmp_path: Path) -> None:
    hand_over([np.arange(3), np.ones(0), np.arange(5.0)], tmp_path / "read")
    whole, empty, real = taken_over(tmp_path / "read")
    assert whole.tolist() == [0, 1, 2] and empty.size == 0 and real.tolist() == [0, 1, 2, 3, 4]
    assert all(array.ctypes.data % 64 == 0 for array in (whole, real))
    with pytest.raises(ValueError, match="read-only"):
        real[0] = 1.0


def test_another_process_takes_over_without_a_copy(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    hand_over(np.zeros(50_000_000, dtype=np.uint8), tmp_path / "read")
    program = (
        "import pathlib, resource, numpy\n"
        "from calibviz.foundation.handing_over import taken_over\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"taken = taken_over(pathlib.Path({str(tmp_path / 'read')!r}))\n"
        "print(len(taken), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    length, kilobytes = map(int, done.stdout.split())
    assert length == 50_000_000 and kilobytes < 10_000
