"""The three case studies of Kirchenbauer, Oaks and Heim (2022), section 5: one call each."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import calibviz as cv

METHODS = ["none", "temperature", "bias-corrected", "histogram"]
SHAPES = {"round": [0, 6, 8, 9], "straight": [1, 4, 7], "open": [2, 3, 5]}
CATEGORIES = {"low": (0, 0.33), "medium": (0.33, 0.66), "high": (0.66, 1)}


@pytest.fixture(scope="module")
def parts():
    return cv.load_interventions()


def predictions(part, intervention, trial):
    chosen = part.sel(intervention=intervention, trial=trial)
    return cv.Predictions(logits=chosen.logits.values, labels=chosen.labels.values)


def test_top_k_lenses(parts):
    calibration, evaluation = parts
    lenses = ["top-1", "top-2", "top-5", "full"]
    cube = cv.evaluate(
        evaluation,
        lenses,
        gammas=[0.1],
        calibrators=METHODS,
        calibration=calibration,
        metrics=["ece", "kdtree_ece", "accuracy"],
        progress=False,
    )
    assert cube.kdtree_ece.dims == ("model", "intervention", "trial", "selection", "calibrator", "lens", "gamma")
    assert np.isfinite(cube.kdtree_ece).all()
    one = predictions(evaluation, "mix-up", 3)
    moved = cv.Temperature().fit(predictions(calibration, "mix-up", 3)).transform(one)
    for lens, (name, p) in itertools.product(lenses, {"none": one, "temperature": moved}.items()):
        cell = cube.sel(intervention="mix-up", trial=3, lens=lens, calibrator=name)
        assert cell.kdtree_ece.item() == cv.calibration_error(p, lens, binning=cv.KDTree(0.1))
    cell = cube.sel(intervention="mix-up", trial=3, lens="top-1", calibrator="none")
    assert cell.ece.item() == cv.calibration_error(one)
    # A gain under the top-1 lens says little about the others (figure 1).
    mean = cube.kdtree_ece.mean("trial").squeeze(drop=True)
    gain = 1 - mean.sel(intervention="plain") / mean.sel(intervention="plain", calibrator="none")
    assert gain.sel(calibrator="temperature", lens="top-1") > 0.5 > gain.sel(calibrator="temperature", lens="full")


def test_grouping_lens_and_label_selection(parts):
    calibration, evaluation = parts
    selections = {"all": None} | {shape: cv.quantity("label").isin(members) for shape, members in SHAPES.items()}
    cube = cv.evaluate(
        evaluation,
        cv.Grouping(SHAPES),
        gammas=[0.1],
        selections=selections,
        calibrators=METHODS,
        calibration=calibration,
        metrics=["kdtree_ece", "count"],
        progress=False,
    )
    labels = evaluation.labels.values
    for shape, members in SHAPES.items():
        of_shape = np.isin(labels, members)
        counts = cube["count"].sel(selection=shape)
        assert (counts == of_shape.sum()).all()
        one = predictions(evaluation, "focal loss", 0).select(of_shape)
        expected = cv.calibration_error(one, cv.Grouping(SHAPES), binning=cv.KDTree(0.1))
        cell = cube.sel(selection=shape, intervention="focal loss", trial=0, calibrator="none")
        assert cell.kdtree_ece.item() == pytest.approx(expected, abs=1e-12)
    # Families are not alike: one is worse off than the whole (figure 3).
    mean = cube.kdtree_ece.mean("trial").sel(calibrator="none", intervention="plain").squeeze(drop=True)
    assert mean.drop_sel(selection="all").max() > 1.5 * mean.sel(selection="all")


def test_likert_intervals(parts):
    calibration, evaluation = parts
    cube = cv.evaluate(
        evaluation,
        "class 8",
        categories=CATEGORIES,
        calibrators=METHODS,
        calibration=calibration,
        metrics=["ece", "likert_error", "likert_total_variation", "likert_count"],
        progress=False,
    )
    one = predictions(evaluation, "label smoothing", 2)
    table = cv.likert_error(one, "class 8", categories=CATEGORIES)
    cell = cube.sel(intervention="label smoothing", trial=2, calibrator="none").squeeze(drop=True)
    for name, column in (("error", "error"), ("total_variation", "total_variation"), ("count", "count")):
        np.testing.assert_array_equal(cell[f"likert_{name}"], table[column])
    # A Likert category forgives what stays inside of it (figure 5).
    assert (cube.likert_error <= cube.likert_total_variation + 1e-12).where(cube.likert_count > 0, True).all()
    plain = cube.sel(intervention="plain", calibrator="none").mean("trial").squeeze(drop=True)
    assert plain.likert_error.sel(category="low") < 0.2 * plain.likert_total_variation.sel(category="low")
    # Interventions send more samples to the middle (figure 6).
    middle = cube.likert_count.sel(category="medium", calibrator="none").mean("trial").squeeze(drop=True)
    assert (middle.drop_sel(intervention="plain") > middle.sel(intervention="plain")).all()
