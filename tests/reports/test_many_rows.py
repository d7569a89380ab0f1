"""Reports on so many binary samples that they are drawn by their cells of probability."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from efforts import spend
from report_pages import IN_RANKS, page, record_few

import calibviz as cv
from calibviz.answers import report_situations
from calibviz.answers.steps import rankings
from calibviz.cube import contests
from calibviz.scale import cell_rows as many

pytestmark = pytest.mark.thorough

N, NULLS = 12_000, 499
MEANS = ["accuracy", "predicted", "observed", "Brier", "log loss"]
ERRORS = ["ECE, 15", "ECE, monotone", "debiased", "KS"]


def samples(n=N, seed=0):
    rng = np.random.default_rng(seed)
    score = rng.beta(0.6, 1.5, n)
    return cv.Predictions(score, (rng.random(n) < score**1.2).astype(int))


@pytest.fixture(scope="module")
def both():
    """The page whose samples are drawn one by one, and the page of the same samples in cells."""
    p = samples()
    with pytest.MonkeyPatch.context() as patch:
        spend(patch, means=200, floors=NULLS, most_judged=N)
        patch.setattr(rankings, "interval_or_why", lambda *_: (None, ""))  # of each calibrator, which nobody reads here
        patch.setattr(contests, "contender_of", partial(contests.contender_of, n=IN_RANKS))
        record_few(patch)
        singly = page(p, lens="class 1")
        patch.setattr(many, "MOST_DRAWN_SINGLY", N // 3)
        in_cells = page(p, lens="class 1")
    return singly, in_cells


def test_numbers_of_the_samples_are_those_of_the_samples(both):
    singly, in_cells = both
    for name in MEANS:
        assert in_cells.number("numbers", name, "value") == singly.number("numbers", name, "value")
    for name in ERRORS:
        assert in_cells.number("errors", name, "measured") == singly.number("errors", name, "measured")


def test_intervals_are_nearly_the_same(both):
    singly, in_cells = both
    for name in MEANS:
        low, high = singly.at("numbers", name, "95 % interval").values()
        ends = list(in_cells.at("numbers", name, "95 % interval").values())
        np.testing.assert_allclose(ends, [low, high], atol=0.3 * (high - low), err_msg=name)


def test_noise_beside_errors_is_nearly_the_same(both):
    """The noise floors are of draws: with another seed they differ by a tenth, and a share p by some hundredths."""
    singly, in_cells = both
    for name in ERRORS:
        one, other = (page.at("errors", name, "calibrated predictions reach") for page in both)
        assert other["noise"] == pytest.approx(one["noise"], rel=0.15), name
        assert other["p-value"] == pytest.approx(one["p-value"], abs=0.05), name
        low, high = singly.at("errors", name, "95 % interval").values()
        ends = list(in_cells.at("errors", name, "95 % interval").values())
        np.testing.assert_allclose(ends, [low, high], atol=0.3 * (high - low), err_msg=name)


def test_cells_take_the_place_of_more_than_a_hundred_thousand_samples():
    assert not many.are_drawn_in_cells(samples(100_000), cv.lens("top-1"))
    assert many.are_drawn_in_cells(p := samples(100_001), cv.lens("top-1"))
    assert len(many.in_cells(p)) < 20_000


def test_calibrators_are_judged_on_all_samples(both):
    for column in ("before", "after"):
        one, other = (page.number("changes", "Brier", column) for page in both)
        assert other == pytest.approx(one, abs=3e-4), column
    assert all("on all samples by 5-fold cross-fitting" in page.texts["recalibration"] for page in both)


def test_the_page_says_so(both):
    singly, in_cells = both
    assert "in 10,072 cells of probability" in in_cells.texts["numbers"]
    assert "cells of probability" not in singly.texts["numbers"]


def test_rows_stand_for_the_samples():
    p = samples()
    rows = many.in_cells(p)
    assert len(rows) < len(p) and rows.weights.sum() == len(p)
    assert cv.calibration_error(rows, "class 1", binning=cv.Uniform(15)) == pytest.approx(
        cv.calibration_error(p, "class 1", binning=cv.Uniform(15)), abs=1e-12
    )
    for metric in (cv.ks_error, cv.brier_score, cv.log_loss):
        assert metric(rows, "class 1") == pytest.approx(metric(p, "class 1"), abs=1e-4)
    assert np.diff(many.GRID.left).max() <= many.WIDEST_CELL


@pytest.mark.parametrize("why", ["few", "weights", "three classes", "selection", "own metric", "lens"])
def test_what_is_drawn_singly(why, monkeypatch):
    monkeypatch.setattr(many, "MOST_DRAWN_SINGLY", 1000)
    p, lens, options = samples(2000), "top-1", {}
    if why == "few":
        p = samples(1000)
    elif why == "weights":
        p = p.reweighted(np.full(2000, 2.0))
    elif why == "three classes":
        p = cv.Predictions(np.full((2000, 3), 1 / 3), np.arange(2000) % 3)
    elif why == "selection":
        options = {"selection": "confidence > 0.6"}
    elif why == "own metric":
        options = {"metrics": (cv.Metric("mine", lambda problem: 0.0),)}
    else:
        lens = "pooled"

    def are_in_cells(predictions, lens, **options):
        return report_situations.Situations.of_model(
            predictions, None, {"lens": cv.lens(lens), **options}, False
        ).is_in_cells

    assert not are_in_cells(p, lens, **options)
    assert are_in_cells(samples(2000), "top-1")


def test_rows_that_do_not_add_up_to_one_are_drawn_singly():
    rng = np.random.default_rng(0)
    score = 0.5 + 0.002 * rng.standard_normal(2501)
    rows, labels = np.column_stack([1 - score, score]), rng.integers(0, 2, 2501)
    for dtype in (np.float64, np.float32):
        assert many.add_up_to_one(cv.Predictions(rows.astype(dtype), labels))
    assert not many.add_up_to_one(cv.Predictions(rows.astype(np.float16), labels))
