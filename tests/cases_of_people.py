"""The files of `tests/files`, what each of them holds, and how predictions are compared with that."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import calibviz as cv

FILES = Path(__file__).parent / "files"
CASES = json.loads((FILES / "expected.json").read_text(encoding="utf-8"))
ALIKE = {"1": ("1", "true", "yes"), "0": ("0", "false", "no")}


def ece15(score, target, weights):
    """The mean absolute gap over 15 equal bins."""
    bins = np.minimum((score * 15).astype(int), 14)
    return sum(abs((weights * (score - target))[bins == k].sum()) for k in range(15)) / weights.sum()


def scores_and_targets(p, lens):
    names = [name.casefold() for name in p.class_names]
    targets = np.eye(len(names))[p.labels] if p.labels is not None else p.soft_labels
    if lens != "right" and not lens.startswith("class") and not p.of_confidence:
        likeliest, rows = p.probs.argmax(axis=1), np.arange(len(p))
        return p.probs[rows, likeliest], targets[rows, likeliest]
    wanted = "right" if p.of_confidence else lens.removeprefix("class ").casefold()
    [k] = [k for k, name in enumerate(names) if name in ALIKE.get(wanted, (wanted,))]
    return p.probs[:, k], targets[:, k]


def judge(p, case, numbers_alone=False):
    """Compare predictions with what a file holds."""
    score, target = scores_and_targets(p, case["lens"])
    weights = np.ones(len(score)) if p.weights is None else p.weights
    assert len(score) == case["n"]
    assert weights.sum() == pytest.approx(case.get("total", len(score)))
    assert np.average(score, weights=weights) == pytest.approx(case["mean_predicted"], abs=1e-8)
    assert np.average(target, weights=weights) == pytest.approx(case["observed"], abs=1e-8)
    if not case.get("edges"):
        assert ece15(score, target, weights) == pytest.approx(case["ece15"], abs=1e-7)
    if "top1_ece15" in case:
        assert cv.calibration_error(p, "top-1", binning=cv.Uniform(15)) == pytest.approx(case["top1_ece15"], abs=1e-6)
    if "accuracy" in case:
        assert cv.accuracy(p) == pytest.approx(case["accuracy"], abs=1e-6)
    if numbers_alone:
        return
    assert list(p.class_names) == case.get("class_names", list(p.class_names))
    assert set(case.get("fields", ())) <= p.fields.keys() and not set(case.get("not_fields", ())) & p.fields.keys()
    assert all(p.fields[name].dtype.kind in "iuf" for name in case.get("numeric_fields", ()))
    for name, mean in case.get("field_means", {}).items():
        assert p.fields[name].mean() == pytest.approx(mean, abs=1e-6)


def options_of(case):
    options = dict(case["options"] or {})
    return options | ({"truth": FILES / options["truth"]} if "truth" in options else {})
