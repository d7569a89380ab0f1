"""Ranks of calibrators, rank correlations, preferences and mean confidences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import xarray as xr
from scipy.stats import spearmanr

import calibviz as cv
from calibviz.metrics.records.registry import METRICS

DIGITS = cv.load_dataset("digits")
CALIBRATORS = ["none", "temperature", "isotonic", "histogram", "spline", "beta"]
CUBE = cv.evaluate(
    {name: DIGITS[name] for name in ("random forest", "neural network")},
    ["top-1", "rank 2", "full"],
    bins=[5, 10, 15],
    calibrators=CALIBRATORS,
    folds=3,
    metrics=["ece", "ks", "sweep", "brier", "sweep_bins", "accuracy", "count", "gce"],
    progress=False,
)


def test_every_metric_is_an_error_or_is_left_out():
    left_out = {"sweep_bins", "discrimination", "uncertainty", "accuracy", "mean_score", "mean_target", "count"}
    left_out |= {"observed_expected", "calibration_in_the_large", "calibration_intercept", "calibration_slope"}
    left_out |= {"top_k_accuracy", "net_benefit", "auc", "brier_skill"}
    ranked = {name for name, record in METRICS.items() if record.better == "smaller"}
    assert ranked == set(METRICS) - left_out - {
        "likert_count",
        "likert_mean_target",
    }


def test_ranks_are_counts_of_smaller_errors():
    ranks = cv.rank_calibrators(CUBE, untested=True)
    assert set(ranks.data_vars) == {"ece", "ks", "sweep", "brier", "gce"}
    for name in ranks.data_vars:
        assert ranks[name].dims == CUBE[name].dims
        errors, found = (d[name].transpose(..., "calibrator").values for d in (CUBE, ranks))
        errors = errors.round(12)
        less = (errors[..., None, :] < errors[..., :, None]).sum(axis=-1)
        same = (errors[..., None, :] == errors[..., :, None]).sum(axis=-1)
        expected = np.where(np.isnan(errors), np.nan, less + (same + 1) / 2)
        np.testing.assert_array_equal(found, expected)
    assert np.isnan(ranks.ks.sel(lens="full")).all()
    by_model = cv.rank_calibrators(CUBE, "model", untested=True)
    assert set(np.unique(by_model.ks.sel(lens="top-1"))) == {1.0, 2.0}


def test_equal_but_for_rounding_is_a_tie():
    values = xr.DataArray([0.3, 0.1 + 0.2, 0.5], {"calibrator": ["a", "b", "c"]}, "calibrator")
    cube = xr.Dataset({"ks": values})
    assert cv.rank_calibrators(cube, untested=True).ks.values.tolist() == [1.5, 1.5, 3.0]
    assert cv.preferred(cube, untested=True).ks.item() == "a"


def test_correlation_over_bins_is_spearmans():
    rho = cv.rank_correlation(CUBE, "bins")
    assert set(rho.data_vars) == {"ece", "ece_mean", "gce", "gce_mean"}
    for model, lens in itertools.product(CUBE.model.values, ("top-1", "rank 2")):
        errors = (
            CUBE.ece.sel(model=model, lens=lens, binning="uniform")
            .squeeze()
            .transpose("calibrator", "bins")
            .values.round(12)
        )
        np.testing.assert_allclose(
            rho.ece.sel(model=model, lens=lens, binning="uniform").squeeze(), spearmanr(errors).statistic, atol=1e-12
        )
        pairs = [spearmanr(errors[:, i], errors[:, j]).statistic for i, j in ((0, 1), (0, 2), (1, 2))]
        assert rho.ece_mean.sel(model=model, lens=lens, binning="uniform").item() == pytest.approx(np.mean(pairs))
    assert rho.ece.dims[-2:] == ("bins", "bins_other")
    np.testing.assert_allclose(np.diagonal(rho.ece.sel(lens="top-1").squeeze(), axis1=-2, axis2=-1), 1)


def test_correlation_between_metrics():
    rho = cv.rank_correlation(CUBE, "metric")
    labels = rho.metric.values.tolist()
    assert len(labels) == 2 * 3 + 1 + 1 + 1 + 32 * 3
    assert {"ece, uniform, 5 bins", "ks", "brier", "ACE, 15 bins", "ECE, 10 bins"} <= set(labels)
    at = {"model": "neural network", "lens": "top-1"}
    ks, ace = (
        CUBE.ks.sel(at).squeeze(),
        CUBE.gce.sel(
            model="neural network",
            binning="equal-mass",
            max_prob=False,
            class_conditional=True,
            threshold=0.0,
            norm="l1",
            bins=15,
        ).squeeze(),
    )
    expected = spearmanr(ks.values.round(12), ace.values.round(12)).statistic
    assert rho.correlation.sel(at | {"metric": "ks", "metric_other": "ACE, 15 bins"}).item() == pytest.approx(expected)
    assert rho.correlation_mean.sel(lens="top-1").max() < 1  # metrics disagree
    models = cv.rank_correlation(CUBE, "metric", of="model")
    assert set(np.unique(models.correlation.sel(lens="top-1").values.round(9))) <= {-1.0, 1.0}


def test_correlation_over_calibrators_of_models_and_reverse_orders():
    values = xr.DataArray(
        [[1.0, 2, 3], [3, 2, 1], [1, 3, 2], [2, 2, 2]],
        {"trial": [0, 1, 2, 3], "calibrator": ["a", "b", "c"]},
        ("trial", "calibrator"),
    )
    rho = cv.rank_correlation(xr.Dataset({"ks": values}), "trial")
    assert rho.ks.sel(trial=0, trial_other=1).item() == pytest.approx(-1)
    assert rho.ks.sel(trial=0, trial_other=2).item() == pytest.approx(0.5)
    assert np.isnan(rho.ks.sel(trial=3)).all()
    assert rho.ks_mean.item() == pytest.approx((-1 + 0.5 - 0.5) / 3)


def test_preferred_is_the_least():
    best = cv.preferred(CUBE, untested=True)
    for model, bins in itertools.product(CUBE.model.values, CUBE.bins.values):
        errors = CUBE.ece.sel(model=model, bins=bins, lens="top-1", binning="uniform").squeeze().values
        assert (
            best.ece.sel(model=model, bins=bins, lens="top-1", binning="uniform").item() == CALIBRATORS[errors.argmin()]
        )
    assert (best.ks.sel(lens="full") == "").all()
    assert "calibrator" not in best.dims
    cube = cv.evaluate(
        cv.subsamples(DIGITS["neural network"], share=0.3, replicates=10),
        calibrators=["temperature", "histogram", "isotonic"],
        calibration=0.5,
        metrics=["ece", "sweep"],
        progress=False,
    )
    best = cv.preferred(cube, untested=True).ece
    shares = [(best == name).mean().item() for name in ("temperature", "histogram", "isotonic")]
    assert sum(shares) == pytest.approx(1)
    assert max(shares) < 1  # small samples disagree


def test_messages():
    one = cv.evaluate(DIGITS["random forest"], progress=False)
    with pytest.raises(ValueError, match="cube has only one calibrator, 'none': there is nothing to rank"):
        cv.rank_calibrators(one)
    with pytest.raises(ValueError, match=r"cube has no error with a dimension 'trial': name several in cv\.evaluate"):
        cv.rank_calibrators(CUBE, "trial")
    with pytest.raises(TypeError, match=r"cube must be the xarray\.Dataset that cv\.evaluate makes, not list"):
        cv.preferred([])
    with pytest.raises(ValueError, match=r"dim must be 'metric' or a dimension of the errors, .*bins.*, not 'seed'"):
        cv.rank_correlation(CUBE, "seed")
    with pytest.raises(ValueError, match="dim must be 'metric' or a dimension"):
        cv.rank_correlation(CUBE, "calibrator")
    with pytest.raises(ValueError, match="cube has only one error: name several"):
        cv.rank_correlation(CUBE[["ks"]], "metric")


def test_results_survive_netcdf(tmp_path):
    pytest.importorskip("netCDF4")
    ranks, best = (function(CUBE, untested=True) for function in (cv.rank_calibrators, cv.preferred))
    for i, made in enumerate((ranks, cv.rank_correlation(CUBE, "metric"), best)):
        made.to_netcdf(tmp_path / f"{i}.nc")
        with xr.open_dataset(tmp_path / f"{i}.nc") as read:
            assert set(read.data_vars) == set(made.data_vars)


# ---- confidences


def test_confidences_are_means_of_sorted_rows():
    table = cv.confidences(
        DIGITS,
        calibrators=["none", "temperature"],
        folds=3,
        selections={"all": None, "3": "label in [3]"},
        progress=False,
    )
    assert table.confidence.dims == ("model", "selection", "calibrator", "rank")
    for name, p in DIGITS.items():
        for selection, keep in (("all", np.full(len(p), True)), ("3", p.labels == 3)):
            probs = p.probs[keep].astype(float)
            at = {"model": name, "selection": selection, "calibrator": "none"}
            np.testing.assert_allclose(table.confidence.sel(at), np.sort(probs)[:, ::-1].mean(axis=0), atol=1e-12)
            entropy = -(probs * np.log(np.where(probs > 0, probs, 1))).sum(axis=1).mean()
            assert table.entropy.sel(at).item() == pytest.approx(entropy)
    np.testing.assert_allclose(table.confidence.sum("rank"), 1, atol=1e-6)
    np.testing.assert_array_equal(table.relative.sel(calibrator="none"), 1)
    ratio = table.confidence.sel(calibrator="temperature") / table.confidence.sel(calibrator="none")
    np.testing.assert_allclose(table.relative.sel(calibrator="temperature"), ratio)


def test_confidences_count_weights_and_know_limits():
    p = cv.Predictions([[0.5, 0.3, 0.2], [1.0, 0, 0], [1 / 3, 1 / 3, 1 / 3]], [0, 0, 1], weights=[1, 2, 0])
    table = cv.confidences(p, selections={"all": None, "none": "label == 1", "sure": "confidence > 0.9"})
    np.testing.assert_allclose(table.confidence.sel(selection="all").squeeze(), [2.5 / 3, 0.1, 0.2 / 3])
    assert np.isnan(table.confidence.sel(selection="none")).all()
    assert np.isnan(table.entropy.sel(selection="none")).all()
    assert table.entropy.sel(selection="sure").item() == 0
    uniform = cv.confidences(cv.Predictions(np.full((5, 4), 0.25), [0, 1, 2, 3, 0]))
    assert uniform.entropy.item() == pytest.approx(np.log(4))
    by_model = cv.confidences({"a": p, "b": p.select(np.array([0, 1]))}, baseline={"model": "a"})
    np.testing.assert_array_equal(by_model.relative.sel(model="a"), 1)


def test_messages_of_confidences():
    p = DIGITS["random forest"]
    with pytest.raises(ValueError, match="a selection by output needs a lens"):
        cv.confidences(p, selections={"x": "output > 0.5"})
    with pytest.raises(ValueError, match=r"baseline has 'model': 'x', but its labels are .*'model'"):
        cv.confidences(p, baseline={"model": "x"})
    with pytest.raises(ValueError, match="predictions have 2 and 10 classes: pass one kind at a time"):
        cv.confidences({"a": p, "b": cv.Predictions([0.5, 0.2], [0, 1])})
    with pytest.raises(ValueError, match="calibrators must be different, and one at least: 'none', 'none'"):
        cv.confidences(p, calibrators=["none", "none"])
    with pytest.raises(ValueError, match="calibration is missing"):
        cv.confidences(p, calibrators=["isotonic"])


def test_the_settings_of_metrics_stay_coordinates():
    models = cv.load_dataset("digits")
    cube = cv.evaluate(models, metrics=["gce", "ece", "ks"], bins=[5, 15], progress=False)
    found = cv.rank_correlation(cube, "metric", of="model")
    sce = found.sel(metric="SCE, 15 bins")
    assert (sce.binning, sce.max_prob, sce.class_conditional, sce.norm, sce.bins) == ("uniform", 0, 1, "l1", 15)
    assert found.sel(metric="ks").norm == "" and np.isnan(found.sel(metric="ks").bins)
    uniform = found.metric[(found.binning == "uniform") & (found.norm == "")].values.tolist()
    assert uniform == ["ece, uniform, 5 bins", "ece, uniform, 15 bins"]
    l1 = found.correlation.where(found.norm == "l1", drop=True)
    assert l1.sizes["metric"] == 32


def test_a_cube_of_models_alone_is_ranked_by_model():
    models = {name: cv.load_dataset("digits")[name] for name in ("random forest", "naive Bayes")}
    cube = cv.evaluate(models, metrics="brier", ranking="model", progress=False)
    with pytest.raises(ValueError, match=r"there is nothing to rank; of='model' ranks its models$"):
        cv.preferred(cube)
    assert cv.preferred(cube, of="model").brier.item() in (*models, "within noise")
