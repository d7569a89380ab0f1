"""Which class is the last matters for uniform bins of whole rows, which do not cut it, and not for the k-d tree."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import calibviz as cv


def test_uniform_bins_of_whole_rows_depend_on_the_last_class_alone():
    rng = np.random.default_rng(0)
    z = 2 * rng.normal(size=(500, 3))
    labels = np.argmax(z / 2 + rng.gumbel(size=z.shape), axis=1)
    probs = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    of_last = {}
    trees = []
    for order in permutations(range(3)):
        p = cv.Predictions(probs[:, order], np.argsort(order)[labels])
        of_last.setdefault(order[-1], []).append(cv.calibration_error(p, "full", binning=cv.Uniform(5)))
        trees.append(cv.calibration_error(p, "full", binning=cv.KDTree(0.1)))
    for one, other in of_last.values():
        assert one == pytest.approx(other, abs=1e-12)
    assert len({round(one, 4) for one, _ in of_last.values()}) == 3
    assert trees == pytest.approx([trees[0]] * 6, abs=1e-12)
