"""Scores that try the grid of a summary."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import calibviz as cv

COARSE = cv.ScoreGrid(cells=16, bins=3)


SCORES = st.lists(st.floats(0, 1) | st.integers(0, 20).map(lambda k: k / 20), min_size=1, max_size=40)  # with ties


rng = np.random.default_rng(0)


CASES = {
    "all ties": (np.full(100, 0.37), rng.integers(0, 2, 100), None),
    "one cell": (0.371 + 1e-7 * rng.random(500), rng.integers(0, 2, 500), None),
    "one cell, sorted out": (0.371 + 1e-7 * np.arange(500) / 500, np.arange(500) >= 250, None),
    "zeros and ones": (np.repeat([0.0, 1.0], 50), rng.integers(0, 2, 100), None),
    "beside zero and one": (np.array([0, 5e-324, 1e-300, 1e-17, 1 - 2**-53, 1]), [0, 1, 0, 1, 0, 1], None),
    "on the edges": (np.arange(301) / 300, rng.integers(0, 2, 301), None),
    "two digits": (rng.integers(0, 101, 1000) / 100, rng.integers(0, 2, 1000), None),
    "one sample": (np.array([0.2]), [1], None),
    "extreme weights": (rng.random(200), rng.integers(0, 2, 200), 10.0 ** rng.uniform(-12, 12, 200)),
    "half weights": (rng.random(200), rng.integers(0, 2, 200), np.full(200, 0.5)),
    "whole weights": (rng.random(200), rng.integers(0, 2, 200), rng.integers(0, 1000, 200).astype(float)),
    "single precision": (rng.random(300, dtype=np.float32), rng.integers(0, 2, 300), None),
    "monotone": (np.arange(60) / 60, np.arange(60) >= 30, None),
}
