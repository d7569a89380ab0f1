"""`evaluate` of an `xarray.Dataset` with dimensions before sample and class, and what becomes of the cube."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import calibviz as cv

CLASSES = ["cat", "dog", "eel"]
CELL = ("selection", "calibrator", "lens")


def stacked(dims, n=60, seed=0, shared=True, weights=False):
    """Predictions over some dimensions, each with its labels as coordinate; labels shared by all of them or not."""
    rng = np.random.default_rng(seed)
    shape = tuple(len(labels) for labels in dims.values())
    leading = () if shared else shape
    labels = rng.integers(0, 3, (*leading, n))
    columns = {
        "logits": ((*dims, "sample", "class"), 1.5 * rng.normal(size=(*shape, n, 3)) + np.eye(3)[labels]),
        "labels": ((*(() if shared else dims), "sample"), labels),
        "age": ((*(() if shared else dims), "sample"), rng.integers(20, 60, (*leading, n))),
    }
    if weights:
        columns["weights"] = ((*dims, "sample"), rng.integers(1, 4, (*shape, n)))
    return xr.Dataset(columns, {**dims, "class": CLASSES})


def one_of(dataset, place):
    """The predictions at one place of the leading dimensions, made by hand."""
    at = dataset.sel(place)
    return cv.Predictions(
        logits=at["logits"].values,
        labels=at["labels"].values,
        weights=at["weights"].values if "weights" in at else None,
        class_names=CLASSES,
        fields={"age": at["age"].values},
    )


DIMS = {
    "trial and seed": {"trial": [10, 20], "seed": [1, 3]},
    "model among them": {"seed": [1, 2], "model": ["vgg", "resnet"], "trial": [0.5]},
    "model alone": {"model": ["vgg", "resnet", "mlp"]},
    "names": {"trial": ["first", "second"]},
}


@pytest.mark.parametrize("shared", [True, False], ids=["labels shared", "labels of its own"])
@pytest.mark.parametrize("dims", DIMS.values(), ids=DIMS)
def test_dimensions_of_a_dataset_are_dimensions_of_the_cube(dims, shared):
    dataset, fitting = (stacked(dims, seed=s, shared=shared, weights=not shared) for s in (0, 1))
    arguments = {
        "lenses": ["top-1", "full", "classwise"],
        "bins": [3, 9],
        "gammas": 0.2,
        "selections": {"all": None, "old": "age >= 40"},
        "calibrators": ["none", "spline"],
        "metrics": ["ece", "kdtree_ece", "ks", "brier", "accuracy", "count"],
        "replicates": 2,
        "progress": False,
    }
    cube = cv.evaluate(dataset, calibration=fitting, **arguments)
    order = ["model", *(dim for dim in dims if dim != "model")]
    assert cube["ece"].dims == (*order, *CELL, "binning", "bins")
    assert cube["ks"].dims == (*order, *CELL)
    assert cube["kdtree_ece_quantile"].dims == (*order, *CELL, "gamma", "quantile")
    for dim, labels in dims.items():
        assert cube[dim].values.tolist() == labels
    if "model" not in dims:
        assert cube["model"].values.tolist() == ["model"]
    for labels in itertools.product(*dims.values()):
        place = dict(zip(dims, labels, strict=True))
        alone = cv.evaluate(one_of(dataset, place), calibration=one_of(fitting, place), **arguments)
        cell = cube.sel(place).squeeze("model", drop=True) if "model" not in dims else cube.sel(place)
        for name in alone:
            np.testing.assert_array_equal(cell[name].values, alone[name].sel(model="model").values)
        direct = cv.calibration_error(one_of(dataset, place), "full", binning=cv.Uniform(9), selection="age >= 40")
        at = cell["ece"].sel(selection="old", calibrator="none", lens="full", bins=9)
        assert at.item() == pytest.approx(direct, abs=1e-12)


def test_the_order_of_the_dimensions_does_not_matter():
    dataset = stacked({"trial": [10, 20], "seed": [1, 2, 3]})
    plain = cv.evaluate(dataset, progress=False)
    for dims in (("class", "sample", "seed", "trial"), ("seed", "class", "trial", "sample")):
        turned = cv.evaluate(dataset.transpose(*dims), progress=False)
        xr.testing.assert_allclose(turned.transpose(*plain.dims), plain)


def test_probabilities_class_numbers_and_a_dimension_without_labels():
    dataset = stacked({"trial": [0, 1]}).drop_vars(["trial", "class"])
    probs = np.exp(dataset["logits"])
    dataset = dataset.drop_vars("logits").assign(probs=probs / probs.sum("class"))
    cube = cv.evaluate(dataset, "class 2", progress=False)
    assert cube["trial"].values.tolist() == [0, 1]
    for trial in (0, 1):
        p = cv.Predictions(dataset["probs"].values[trial], dataset["labels"].values)
        assert cube["ks"].sel(trial=trial).item() == cv.ks_error(p, "class 2")


def test_a_dataset_without_other_dimensions_is_one_model():
    dataset = stacked({"trial": [1, 2]})
    cube = cv.evaluate(dataset.sel(trial=2), progress=False)
    assert cube["ks"].dims == ("model", *CELL)
    assert cube["ks"].item() == cv.ks_error(one_of(dataset, {"trial": 2}))
    assert cv.evaluate(dataset.sel(trial=[2]), progress=False)["ks"].sel(trial=2).item() == cube["ks"].item()


def test_moments_as_labels():
    days = pd.to_datetime(["2024-01-01", "2024-06-30"])
    cube = cv.evaluate(stacked({"day": days}), progress=False)
    assert (cube["day"].values == days.values).all()
    assert cube["ks"].sel(day="2024-06-30").size == 1


def test_calibration_may_have_more_places_and_other_samples():
    dataset, fitting = stacked({"seed": [2, 3]}), stacked({"seed": [1, 2, 3]}, n=90, seed=1)
    cube = cv.evaluate(dataset, calibrators="spline", calibration=fitting, progress=False)
    for seed in (2, 3):
        spline = cv.Spline().fit(cv.lens("top-1")(one_of(fitting, {"seed": seed})))
        p = one_of(dataset, {"seed": seed})
        by_hand = cv.Predictions(np.clip(spline(p.confidence), 0, 1), p.top_target.astype(int))
        assert cube["ks"].sel(seed=seed).item() == pytest.approx(cv.ks_error(by_hand, "class 1"), abs=1e-12)
    named = {"seed=2": one_of(fitting, {"seed": 2}), "seed=3": one_of(fitting, {"seed": 3})}
    same = cv.evaluate(dataset, calibrators="spline", calibration=named, progress=False)
    xr.testing.assert_identical(same, cube)


# ---- what becomes of the cube


@pytest.fixture(scope="module")
def cube():
    dims = {"model": ["vgg", "resnet"], "trial": [10, 20]}
    return cv.evaluate(
        stacked(dims, n=40, shared=False),
        ["top-1", "full", "classwise"],
        binnings=["uniform", "equal-mass", cv.KDTree(split="median", min_leaf=10)],
        bins=[2, 10],
        gammas=[0.1, 0.5],
        selections={"all": None, "old": "age >= 40", "none": "age > 99"},
        calibrators=["none", "temperature"],
        calibration=stacked(dims, n=80, seed=3, shared=False),
        metrics=["ece", "mce", "kdtree_ece", "ks", "log_loss", "uncertainty", "accuracy", "count", "gce"],
        replicates=3,
        quantiles=[0.05, 0.5],
        progress=False,
    )


@pytest.mark.thorough
def test_every_dimension_is_chosen_by_label(cube):
    place = {"model": "resnet", "trial": 20, "selection": "old", "calibrator": "temperature"}
    choices = {
        "ece": {"lens": "full", "binning": "k-d tree, median", "bins": 10},
        "kdtree_ece": {"lens": "classwise", "gamma": 0.1},
        "ks": {"lens": "top-1"},
        "gce": {
            "binning": "equal-mass",
            "max_prob": False,
            "class_conditional": True,
            "threshold": 0.01,
            "norm": "l2",
            "bins": 2,
        },
    }
    assert set(cube.dims) == {*place, "quantile", *itertools.chain(*choices.values())}
    for metric, choice in choices.items():
        found = cube[metric].sel(place | choice)
        assert found.ndim == 0
        assert found.notnull()
        assert cube[f"{metric}_quantile"].sel(place | choice | {"quantile": 0.05}).ndim == 0
        lists = {dim: [label] for dim, label in (place | choice).items() if not isinstance(label, bool)}
        assert cube[metric].sel(lists).sizes == {dim: 1 if dim in lists else 2 for dim in cube[metric].dims}
        for dim, label in (place | choice).items():
            i = cube[dim].values.tolist().index(label)
            xr.testing.assert_identical(cube[metric].sel({dim: label}), cube[metric].isel({dim: i}))
    assert (cube["ks_quantile"].diff("quantile").fillna(0) >= 0).all()


def test_it_becomes_a_table(cube):
    table = cube[["ece", "ks"]].to_dataframe(["model", "trial", "selection", "calibrator", "lens", "binning", "bins"])
    assert len(table) == cube["ece"].size
    row = table.loc[("vgg", 10, "all", "none", "top-1", "equal-mass", 10)]
    at = {"model": "vgg", "trial": 10, "selection": "all", "calibrator": "none", "lens": "top-1"}
    assert row["ks"] == cube["ks"].sel(at)
    assert row["ece"] == cube["ece"].sel(at).sel(binning="equal-mass", bins=10)
    assert len(cube["gce"].to_dataframe()) == cube["gce"].size
    part = cube[["ece_quantile", "ks_quantile", "count"]].sel(bins=2, binning="uniform")
    assert len(part.to_dataframe()) == cube["ks_quantile"].size


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
def test_it_survives_a_file(cube, engine, tmp_path):
    pytest.importorskip({"h5netcdf": "h5netcdf", "netcdf4": "netCDF4"}[engine])
    cube.to_netcdf(tmp_path / "cube.nc", engine=engine)
    with xr.open_dataset(tmp_path / "cube.nc", engine=engine) as again:
        xr.testing.assert_identical(again.load(), cube)
        assert again["max_prob"].values.tolist() == [True, False]
        assert again["gce"].sel(max_prob=True).sizes["model"] == 2


def test_attributes_tell_what_it_is(cube):
    for name, variable in cube.data_vars.items():
        assert variable.attrs["long_name"], name
        units = {"count": "samples", "log_loss": "nat", "log_loss_quantile": "nat"}
        assert variable.attrs["units"] == units.get(name, "1")
        said = variable.attrs.get("unavailable", "")
        assert (not variable.isnull().any()) or "selection=none" in said or name.startswith("count")
        assert said.count("\n") < 300
    for part in ("evaluate(lenses=['top-1', 'full', 'classwise']", "'old': 'age >= 40'", "gammas=[0.1, 0.5]", "rng=0"):
        assert part in cube.attrs["call"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda d: cv.evaluate(d.assign(labels=d["labels"] + 5)),
            ValueError,
            r"predictions\[trial=10, seed=1\]: labels\[\d+\] is \d, but the 3 classes are 0..2",
        ),
        (lambda d: cv.evaluate(d.drop_vars("labels")), ValueError, "found no labels among the arrays"),
        (
            lambda d: cv.evaluate(d, calibrators="spline", calibration=d.sel(seed=[1, 3])),
            ValueError,
            "calibration is missing for the model 'trial=10, seed=2'",
        ),
        (
            lambda d: cv.evaluate(d, calibrators="spline", calibration=d.assign(labels=d["labels"] - 1)),
            ValueError,
            r"calibration\[trial=10, seed=1\]: labels\[\d+\] is -1",
        ),
        (lambda d: cv.evaluate(d["logits"]), TypeError, "predictions must be .*not DataArray"),
    ],
)
def test_messages(call, error, message):
    with pytest.raises(error, match=message):
        call(stacked({"trial": [10, 20], "seed": [1, 2, 3]}))


def test_a_class_that_is_never_predicted_has_empty_bins_and_a_reason():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet([2, 2], 60) @ np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])
    p = cv.Predictions(probs, rng.integers(0, 3, 60), class_names=["a", "b", "rare"])
    table = cv.reliability(p, "top-1 by class", binning=cv.Uniform(5))
    counts = np.bincount(p.predicted, minlength=3)
    assert table.outcome.values.tolist() == ["a", "b", "rare"] and counts[2] == 0
    assert table["count"].sum("bin").values.tolist() == counts.tolist()
    assert np.isnan(table.target.sel(outcome="rare")).all() and table["count"].dtype.kind == "i"
    with pytest.raises(ValueError, match="no sample is left: the class 'rare' is never predicted"):
        cv.observed_expected(p, "top-1 by class", outcome="rare")
    assert np.isnan(cv.observed_expected(p, "top-1 by class").estimate.sel(outcome="rare"))
