"""`evaluate` with a share, folds or subsamples for its calibrators, and with Likert categories."""

from __future__ import annotations

from contextvars import Context

import numpy as np
import pytest
import xarray as xr

import calibviz as cv
from calibviz.recalibration import folds_of
from calibviz.recalibration.registry import CALIBRATORS

DIGITS = cv.load_dataset("digits")
FOREST = DIGITS["random forest"]
NETWORK = DIGITS["neural network"]
METRICS = ["ece", "ks", "brier", "accuracy", "count"]


def measured(predictions, lens="top-1", **kwargs):
    return cv.evaluate(predictions, lens, metrics=METRICS, progress=False, **kwargs)


def test_a_share_is_a_split():
    cube = measured(FOREST, ["top-1", "full"], calibrators=["none", "isotonic", "vector"], calibration=0.4, rng=3)
    calibration, rest = FOREST.split(0.4, rng=3)
    same = measured(rest, ["top-1", "full"], calibrators=["none", "isotonic", "vector"], calibration=calibration)
    xr.testing.assert_identical(cube.drop_attrs(), same.drop_attrs())
    assert cube["count"].sel(calibrator="none", lens="top-1").item() == len(rest)
    assert "calibration=0.4, rng=3" in cube.call


@pytest.mark.parametrize("name", ["spline", "isotonic", "platt", "beta", "histogram"])
def test_one_vs_rest_has_a_name_of_its_own(name):
    """Under every lens that name is the object; the plain one is that only where a lens has several scores."""
    whole = f"{name}, one-vs-rest"
    cube = measured(NETWORK, ["top-1", "class 3", "full"], calibrators=[name, whole], calibration=0.5)
    (made,) = (one() for key, one in CALIBRATORS.items() if key == whole)
    assert isinstance(made, cv.OneVsRest) and made.name == whole
    by_hand = measured(NETWORK, ["top-1", "class 3", "full"], calibrators=made, calibration=0.5)
    xr.testing.assert_equal(cube.sel(calibrator=[whole]), by_hand)
    xr.testing.assert_equal(*(cube.sel(calibrator=one, lens="full", drop=True) for one in (name, whole)))
    brier = cube.brier.sel(lens=["top-1", "class 3"])
    assert (brier.sel(calibrator=name) != brier.sel(calibrator=whole)).all()
    said = cube.calibrator.attrs["applied_to"]
    assert said.startswith(f"{name}: the score of a lens; each class against the rest, one-vs-rest, where a lens has")
    assert "applied_to" not in by_hand.calibrator.attrs


def test_every_sample_is_judged_out_of_its_fold_whole_rows():
    fold = folds_of(NETWORK, 4, 7)
    assert np.bincount(fold).tolist() == [450, 449, 449, 449]
    probs = np.empty_like(NETWORK.probs)
    for k in range(4):
        fitted = cv.BiasCorrectedTemperature().fit(NETWORK.select(fold != k))
        probs[fold == k] = fitted.transform(NETWORK.select(fold == k)).probs
    moved = NETWORK.with_probs(probs)
    cube = measured(NETWORK, ["top-1", "classwise"], calibrators=["bias-corrected"], folds=4, rng=7)
    plain = measured(moved, ["top-1", "classwise"])
    for name in METRICS:
        np.testing.assert_array_equal(cube[name].squeeze(), plain[name].squeeze())
    assert "folds=4, rng=7" in cube.call


@pytest.mark.parametrize("lens", ["top-1", "rank 2", "class 3", "within-top 2"])
@pytest.mark.parametrize("selection", [None, "output > 0.2", "label in [1, 3, 5]"])
def test_every_sample_is_judged_out_of_its_fold_scores(lens, selection):
    fold = folds_of(FOREST, 3, 0)
    look = cv.lens(lens)
    whole = look(FOREST)
    score, target = np.empty(len(FOREST)), np.empty(len(FOREST))
    target[whole.order] = whole.given_target
    for k in range(3):
        fitted = cv.Isotonic().fit(look(FOREST.select(fold != k)))
        part = whole.order[np.isin(whole.order, np.flatnonzero(fold == k))]
        given = np.empty(len(FOREST))
        given[whole.order] = whole.score
        score[part] = fitted(given[part])
    keep = np.ones(len(FOREST), dtype=bool)
    if selection == "output > 0.2":
        keep = score > 0.2
    elif selection:
        keep = np.isin(FOREST.labels, [1, 3, 5])
    expected = cv.ScalarProblem(score[keep], target[keep])
    cube = measured(FOREST, lens, calibrators=["isotonic"], folds=3, selections={"these": selection})
    assert cube.ks.item() == pytest.approx(cv.ks_error(expected), abs=1e-12)
    assert cube.ece.item() == pytest.approx(cv.calibration_error(expected), abs=1e-12)
    assert cube["count"].item() == keep.sum()


def test_folds_keep_accuracy_of_scalar_calibrators_and_weights():
    weights = np.random.default_rng(0).integers(0, 3, len(FOREST)).astype(float)
    p = cv.Predictions(FOREST.probs, FOREST.labels, weights=weights)
    cube = measured(p, calibrators=["none", "isotonic", "spline"], folds=5)
    assert np.ptp(cube.accuracy.values) == 0
    assert (cube["count"] == weights.sum()).all()
    assert cube.ks.sel(calibrator="isotonic").item() < cube.ks.sel(calibrator="none").item()
    pooled = measured(FOREST, "pooled", calibrators=["none", "histogram"], folds=3)
    assert pooled["count"].sel(calibrator="histogram").item() == FOREST.probs.size


def test_folds_with_a_bootstrap_are_those_of_the_mapped_problem():
    cube = measured(FOREST, calibrators=["none", "isotonic"], folds=3, replicates=30)
    low, high = cube.ks_quantile.sel(calibrator="isotonic").squeeze().values
    assert low < high < cube.ks.sel(calibrator="none").item()


@pytest.mark.parametrize("metric", ["ece", "ks", "gce"])
def test_cross_fitted_recalibration_of_calibrated_data_changes_little(metric):
    p = cv.simulated("resnet110_c10", 4000, rng=1)
    cube = cv.evaluate(p, metrics=[metric], calibrators=["none", "isotonic"], folds=5, progress=False)
    before, after = (cube[metric].sel(calibrator=c).squeeze() for c in ("none", "isotonic"))
    assert (after < before).any()


def test_messages_of_the_ways_to_fit():
    with pytest.raises(ValueError, match="calibration and folds are two ways to fit calibrators: pass one of them"):
        measured(FOREST, calibration=0.5, folds=3)
    with pytest.raises(ValueError, match="folds must be at least 2, not 1"):
        measured(FOREST, folds=1)
    with pytest.raises(ValueError, match="folds is 4, but 'model' has 3 samples"):
        measured(FOREST.select(np.arange(3)), folds=4)
    with pytest.raises(TypeError, match=r"folds must be a whole number, not 2.5"):
        measured(FOREST, folds=2.5)
    with pytest.raises(ValueError, match=r"calibration must lie strictly between 0 and 1, not be 1.0"):
        measured(FOREST, calibration=1.0)
    with pytest.raises(ValueError, match=r"calibration is missing: .* or evaluate\(predictions, calibration=0.5\), or"):
        measured(FOREST, calibrators=["temperature"])
    with pytest.raises(
        ValueError, match=r"calibrators must be one of 'none', 'temperature', 'bias-corrected'.*not 'x'"
    ):
        measured(FOREST, calibrators=["x"], folds=2)


# ---- Likert categories


def test_likert_categories_are_those_of_likert_error():
    cuts = {"low": (0.0, 0.3), "high": (0.8, 1.0), "none": (0.301, 0.302)}
    few = FOREST.select(np.arange(300))
    cube = cv.evaluate(
        few, ["class 3", "top-1"], categories=cuts, bins=[5, 15], binnings=["uniform", "equal-mass"], progress=False
    )
    assert cube.likert_error.dims == ("model", "selection", "calibrator", "lens", "category", "binning", "bins")
    assert cube.likert_count.dims == ("model", "selection", "calibrator", "lens", "category")
    assert cube.low.values.tolist() == [0.0, 0.8, 0.301]
    for lens in ("class 3", "top-1"):
        for name, binning in (("uniform", cv.Uniform), ("equal-mass", cv.EqualMass)):
            for bins in (5, 15):
                table = cv.likert_error(few, lens, categories=cuts, binning=binning(bins))
                at = {"lens": lens, "binning": name, "bins": bins}
                np.testing.assert_array_equal(cube.likert_error.sel(at).squeeze(), table.error)
                np.testing.assert_array_equal(cube.likert_total_variation.sel(at).squeeze(), table.total_variation)
        np.testing.assert_array_equal(cube.likert_count.sel(lens=lens).squeeze(), table["count"])
        np.testing.assert_array_equal(cube.likert_mean_target.sel(lens=lens).squeeze(), table.mean_target)
    assert (cube.likert_count.sel(category="none") == 0).all()


def test_likert_needs_one_score_a_sample():
    cube = cv.evaluate(FOREST, ["full", "classwise", "top-5: rest"], categories=[0, 0.5, 1], progress=False)
    assert np.isnan(cube.likert_error.sel(lens=["full", "classwise"])).all()
    assert "likert_error needs a scalar lens" in cube.likert_error.unavailable
    assert "Likert categories need a lens that makes one problem" in cube.likert_error.unavailable
    assert np.isfinite(cube.likert_count.sel(lens="top-5: rest")).all()
    with pytest.raises(ValueError, match=r"categories is missing, but .*'likert_error' needs"):
        cv.evaluate(FOREST, metrics=["likert_error"])
    with pytest.raises(ValueError, match=r"categories\[1\] is 0.2, not above"):
        cv.evaluate(FOREST, categories=[0.5, 0.2])
    assert "likert_error" not in cv.evaluate(FOREST, progress=False)


# ---- subsamples


def test_subsamples_are_a_dimension():
    parts = cv.subsamples(DIGITS, share=0.2, replicates=3, rng=5)
    cube = measured(
        parts, calibrators=["none", "temperature"], calibration=cv.subsamples(DIGITS, share=0.2, replicates=3, rng=5)
    )
    assert cube.ks.dims[:2] == ("model", "subsample")
    assert cube.subsample.values.tolist() == ["whole", "1", "2", "3"]
    assert cube["count"].isel(model=0, calibrator=0).squeeze().values.tolist() == [1797, 359, 359, 359]
    whole = measured(DIGITS)
    np.testing.assert_array_equal(cube.ks.sel(subsample="whole", calibrator="none").squeeze(), whole.ks.squeeze())
    assert len(np.unique(cube.ks.sel(model="random forest", calibrator="none").values)) == 4
    again = cv.subsamples(DIGITS, share=0.2, replicates=3, rng=5)
    for name, one in parts.models.items():
        np.testing.assert_array_equal(one.labels, again.models[name].labels)


def test_an_equals_sign_in_the_name_of_a_model_is_no_dimension():
    parts = cv.subsamples({"lr=0.1": FOREST, "lr=1": FOREST}, replicates=1)
    assert list(parts.models)[:2] == ["model=lr=0.1, subsample=whole", "model=lr=0.1, subsample=1"]
    cube = cv.evaluate({"lr=0.1": FOREST}, "full", metrics="ks", progress=False)
    assert cube.ks.attrs["unavailable"].startswith("[model=lr=0.1, selection=all, ")


def test_subsamples_of_one_model_and_messages():
    cube = measured(cv.subsamples(FOREST, replicates=2))
    assert cube.sizes["subsample"] == 3
    assert cube.model.values.tolist() == ["model"]
    with pytest.raises(ValueError, match="share must lie strictly between 0 and 1"):
        cv.subsamples(FOREST, share=2)
    with pytest.raises(ValueError, match="replicates must be at least 1, not 0"):
        cv.subsamples(FOREST, replicates=0)
    with pytest.raises(ValueError, match="predictions has a dimension 'subsample', which is one of the result"):
        cv.subsamples(cv.subsamples(FOREST, replicates=2))
    with pytest.raises(TypeError, match=r"predictions must be cv\.Predictions"):
        cv.subsamples(3)


def test_warnings_say_which_calibrator_they_are_about():
    z = 8.0 * np.eye(3)[np.arange(30) % 3]
    p = cv.Predictions(logits=z, labels=np.arange(30) % 3)
    with pytest.warns(RuntimeWarning, match=r"^vector, vgg: the fit separates the classes of the calibration set"):
        measured({"vgg": p}, calibrators=["vector"], folds=3)


@pytest.mark.filterwarnings("ignore:no sample of the calibration set has")
def test_work_within_evaluate_shows_no_bars_of_its_own(capsys, monkeypatch):
    from tqdm import auto

    shown = []

    class Bar(auto.tqdm):
        def __init__(self, *args, **kwargs):
            shown.append((kwargs["desc"], kwargs["disable"]))
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(auto, "tqdm", Bar)
    afresh = Context().run  # whatever failed before in the middle of a loop
    methods = ["vector", cv.OneVsRest(cv.Isotonic())]
    afresh(cv.evaluate, NETWORK, calibrators=methods, calibration=0.5, metrics=["ks"])
    assert {name for name, disabled in shown if not disabled} == {"evaluate"}
    assert {name for name, disabled in shown if disabled} >= {"fit"}
    shown.clear()
    cv.evaluate(NETWORK, calibrators=["vector"], calibration=0.5, metrics=["ks"], progress=False)
    assert all(disabled for _, disabled in shown)
    shown.clear()
    Context().run(cv.VectorScaling().fit, NETWORK)
    assert shown == [("fit", False)]
