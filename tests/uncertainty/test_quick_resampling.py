"""What makes resampling quick gives the very numbers that the plain way gives."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import calibviz as cv
from calibviz.engine.binnings.binning import FALL_TOLERANCE
from calibviz.uncertainty.resampling.consistency import null_problems, relabelled
from calibviz.uncertainty.resampling.relabelled import Labelling

MEASURES = {
    "uniform": lambda q: cv.calibration_error(q),
    "equal-mass": lambda q: cv.calibration_error(q, binning=cv.EqualMass(7), aggregate="max"),
    "sweep": lambda q: cv.calibration_error(q, binning=cv.Sweep()),
    "uniform sweep": lambda q: cv.calibration_error(q, binning=cv.Sweep("uniform")),
    "k-d tree": lambda q: cv.calibration_error(q, binning=cv.KDTree(0.1)),
    "distinct": lambda q: cv.calibration_error(q, binning=cv.Distinct()),
    "debiased": cv.debiased_error,
    "ks": cv.ks_error,
    "kuiper": cv.kuiper_error,
    "smooth": cv.smooth_error,
    "label binned": cv.label_binned_error,
    "corp": lambda q: cv.corp(q).miscalibration,
    "mean": lambda q: q.mean_target,
}


def problem(seed, n=200, decimals=2, weights=False):
    rng = np.random.default_rng(seed)
    score = rng.random(n).round(decimals)
    weight = rng.integers(0, 4, n) * (1.0 if seed % 2 else 0.7) if weights else None
    return cv.ScalarProblem(score, rng.random(n) < score, weight)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_relabelled_problems_are_those_of_the_labels(name, decimals):
    base = problem(0, decimals=decimals)
    under, rng = Labelling(base), np.random.default_rng(1)
    for _ in range(5):
        label = rng.random(len(base)) < base.score
        found, plain = under(label), cv.ScalarProblem(base.score, label)
        assert MEASURES[name](found) == MEASURES[name](plain)
        assert MEASURES[name](pickle.loads(pickle.dumps(found))) == MEASURES[name](plain)


@pytest.mark.parametrize("weights", [None, [1, 2, 0, 3], [0.5, 1.5, 2.5, 0]])
def test_classes_under_drawn_labels_are_those_of_the_lens_and_are_sorted_once(weights):
    rng = np.random.default_rng(2)
    probs = rng.dirichlet(np.ones(3), 200).round(1)
    probs = (probs + 0.01) / (probs + 0.01).sum(axis=1, keepdims=True)
    p = cv.Predictions(probs, rng.integers(0, 3, 200), weights=weights and np.resize(weights, 200).astype(float))
    lens = cv.lens("classwise")
    drawn = list(null_problems(p, lens(p), lens, None, 4, 0))
    plain = list(map(lens, relabelled(p, None, 4, 0)))
    for c in range(3):
        assert drawn[0].outcome(c).score is drawn[1].outcome(c).score
    for name in ("uniform", "equal-mass", "sweep", "ks", "kuiper", "mean"):
        shown = [[MEASURES[name](family.outcome(c)) for c in range(3)] for family in drawn]
        np.testing.assert_allclose(
            shown, [[MEASURES[name](family.outcome(c)) for c in range(3)] for family in plain], rtol=1e-12
        )


def one_by_one(q, scheme):
    """The sweep as it is written down: a number of bins after the other."""
    most = min(max(1, q.samples - 1), 5_000_000)
    for bins in range(2, most + 1):
        made = (cv.EqualMass if scheme == "equal-mass" else cv.Uniform)(bins)(q)
        means = made.target[made.weight > 0]
        if (np.diff(means) < -FALL_TOLERANCE).any():
            return bins - 1
    return most


@pytest.mark.parametrize("scheme", ["equal-mass", "uniform"])
@pytest.mark.parametrize("weights", [False, True])
def test_the_sweep_tries_many_numbers_of_bins_at_once(scheme, weights):
    found = []
    for seed in range(12):
        q = problem(seed, 60 if seed < 8 else 3, 2, weights)
        found.append(cv.Sweep(scheme).choose(q))
        assert found[-1] == one_by_one(q, scheme)
    # Rising but for one fall, which only many bins see.
    rising = cv.ScalarProblem(np.arange(400) / 400, np.arange(400) / 400 - 0.05 * (np.arange(400) == 201))
    found.append(cv.Sweep(scheme).choose(rising))
    assert found[-1] == one_by_one(rising, scheme) > 20
    assert len(set(found)) > 4


def test_few_looks_at_a_problem_are_enough_for_a_sweep(monkeypatch):
    asked = []
    plain = cv.ScalarProblem.target_up_to
    monkeypatch.setattr(cv.ScalarProblem, "target_up_to", lambda q, cuts: asked.append(cuts) or plain(q, cuts))
    assert cv.Sweep().choose(problem(3, 5000, 9)) > 3
    assert len(asked) <= 2
