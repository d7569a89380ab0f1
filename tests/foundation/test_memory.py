"""What looking at large predictions costs in memory."""

from __future__ import annotations

import tracemalloc

import numpy as np

import calibviz as cv

SAMPLES, CLASSES = 20_000, 1_000
MOST = 0.6


def test_memory_stays_well_below_the_size_of_the_input():
    rng = np.random.default_rng(0)
    probs = rng.random((SAMPLES, CLASSES), dtype=np.float32) ** 8
    probs /= probs.sum(axis=1, keepdims=True)
    labels = rng.integers(0, CLASSES, SAMPLES)
    peaks = {}
    tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]

        def note(step):
            peaks[step] = (tracemalloc.get_traced_memory()[1] - start) / probs.nbytes
            tracemalloc.reset_peak()

        p = cv.Predictions(probs, labels)
        cv.calibration_error(p)
        note("first number")
        for lens in [f"{kind} {r}" for kind in ("rank", "within-top") for r in range(1, 6)] + ["class 7"]:
            cv.calibration_error(p, lens)
            cv.ks_error(p, lens)
        note("scalar lenses")
        for bins in range(1, 101):
            cv.calibration_error(p, "rank 2", binning=cv.Uniform(bins))
            cv.calibration_error(p, "within-top 3", binning=cv.EqualMass(bins))
        cv.reliability(p)
        cv.ks_error(p, selection="label < 500 and confidence > 0.01")
        note("bins and selections")
        cv.calibration_error(p, cv.Grouping({"low": range(500), "high": range(500, 1000)}))
        cv.calibration_error(p, "top-5")
        note("groups")
    finally:
        tracemalloc.stop()
    assert np.shares_memory(p.probs, probs)
    assert all(peak <= MOST for peak in peaks.values()), peaks
