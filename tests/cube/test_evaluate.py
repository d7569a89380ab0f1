"""`evaluate`: every cell is the number of the direct call, and the cube survives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import calibviz as cv
from calibviz.context.condition_parser import SelectionError
from calibviz.cube.metrics import reasons_in
from calibviz.recalibration.parameters import NotFittedError

CELLS = ("model", "selection", "calibrator", "lens")
LENSES = ["top-1", "rank 2", "class cat", "top-2", "full", "grouping"]
SELECTIONS = {"all": None, "sure": cv.quantity("confidence") > 0.6, "output": "output > 0.4", "old": "age >= 40"}


def model(seed, n=300):
    rng = np.random.default_rng(seed)
    z = 2 * rng.normal(size=(n, 4))
    labels = np.array([rng.choice(4, p=np.exp(row / 2) / np.exp(row / 2).sum()) for row in z])
    return cv.Predictions(
        logits=z,
        labels=labels,
        class_names=["cat", "dog", "eel", "fox"],
        groups={"pets": ["cat", "dog"], "wild": ["eel", "fox"]},
        fields={"age": rng.integers(20, 60, n)},
    )


MODELS = {"small": model(0), "large": model(1)}
FITTING = {"small": model(2), "large": model(3)}


@pytest.fixture(scope="module")
def cube():
    return cv.evaluate(
        MODELS,
        LENSES,
        binnings=["uniform", "equal-mass"],
        bins=[1, 5, 15],
        selections=SELECTIONS,
        calibrators=["none", "temperature", "spline"],
        calibration=FITTING,
        progress=False,
    )


def recalibrated(name, calibrator):
    if calibrator == "none":
        return MODELS[name]
    made = {"temperature": cv.Temperature, "spline": lambda: cv.OneVsRest(cv.Spline())}[calibrator]()
    return made.fit(FITTING[name]).transform(MODELS[name])


def by_hand(name, calibrator, lens, condition):
    """The scalar problem under a scalar calibrator, made step by step."""
    p = MODELS[name]
    spline = cv.Spline().fit(cv.lens(lens)(FITTING[name]))
    plain = cv.lens(lens)(p)
    score, target = np.empty(len(p)), np.empty(len(p))
    score[plain.order], target[plain.order] = spline(plain.score), plain.given_target
    condition = cv.selection(condition)
    mask = np.ones(len(p), bool) if condition is None else condition.mask(p, score)
    return cv.ScalarProblem(score[mask], target[mask])


def test_dimensions_and_labels(cube):
    assert cube["ece"].dims == (*CELLS, "binning", "bins")
    for name in ("ks", "sweep", "sweep_bins", "mean_score", "mean_target", "count"):
        assert cube[name].dims == CELLS
    assert cube["model"].values.tolist() == ["small", "large"]
    assert cube["selection"].values.tolist() == list(SELECTIONS)
    assert cube["calibrator"].values.tolist() == ["none", "temperature", "spline"]
    assert cube["lens"].values.tolist() == LENSES
    assert cube["binning"].values.tolist() == ["uniform", "equal-mass"]
    assert cube["bins"].values.tolist() == [1, 5, 15]
    for name in cube:
        assert cube[name].attrs["long_name"]
        assert cube[name].attrs["units"] == {"count": "samples", "sweep_bins": "bins"}.get(name, "1")
    assert cube.attrs["distance"] == "total variation"
    for part in ("evaluate(", "'top-1'", "'sure': 'confidence > 0.6'", "bins=[1, 5, 15]", "p=1"):
        assert part in cube.attrs["call"]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("calibrator", ["none", "temperature", "spline"])
def test_every_cell_is_the_direct_call(cube, name, calibrator):
    for lens in LENSES:
        scalar = lens in LENSES[:3]
        for selection, condition in SELECTIONS.items():
            cell = cube.sel(model=name, calibrator=calibrator, lens=lens, selection=selection)
            if calibrator == "spline" and scalar:
                problem = by_hand(name, calibrator, lens, condition)
                # The same problem as the class 1 of binary predictions.
                p, look, condition = cv.Predictions(problem.score, problem.given_target), "class 1", None
            else:
                p, look = recalibrated(name, calibrator), lens
            for bins in (1, 5, 15):
                errors = cell["ece"].sel(bins=bins)
                direct = cv.calibration_error(p, look, binning=cv.Uniform(bins), selection=condition)
                assert errors.sel(binning="uniform") == pytest.approx(direct, abs=1e-12)
                if scalar:
                    direct = cv.calibration_error(p, look, binning=cv.EqualMass(bins), selection=condition)
                    assert errors.sel(binning="equal-mass") == pytest.approx(direct, abs=1e-12)
                else:
                    assert np.isnan(errors.sel(binning="equal-mass"))
            if scalar:
                assert cell["ks"] == pytest.approx(cv.ks_error(p, look, selection=condition), abs=1e-12)
                assert cell["sweep_bins"] == cv.sweep_bins(p, look, selection=condition)
                direct = cv.calibration_error(p, look, binning=cv.Sweep(), selection=condition)
                assert cell["sweep"] == pytest.approx(direct, abs=1e-12)
                table = cv.reliability(p, look, binning=cv.Uniform(1), selection=condition)
                assert cell["mean_score"] == pytest.approx(table["score"].item())
                assert cell["mean_target"] == pytest.approx(table["target"].item())
            else:
                assert np.isnan(cell["ks"])
            assert cell["count"] == cv.reliability(p, look, binning=cv.Uniform(3), selection=condition)["count"].sum()


def test_a_scalar_calibrator_keeps_accuracy_and_selection(cube):
    top = cube.sel(lens="top-1", selection=["all", "sure", "old"])
    for name in ("mean_target", "count"):
        np.testing.assert_array_equal(top[name].sel(calibrator="none"), top[name].sel(calibrator="spline"))
    assert (cube["ks"].sel(lens="top-1", selection="all", calibrator="spline") < 0.1).all()


def test_unavailable_cells_say_why(cube):
    said = cube["ece"].attrs["unavailable"]
    assert "[model=small, selection=all, calibrator=none, lens=full, binning=equal-mass]" in said
    assert "needs a scalar lens" in said
    assert "lens=full]: ks needs a scalar lens" in cube["ks"].attrs["unavailable"]
    assert "unavailable" not in cube["count"].attrs
    none = cv.evaluate(MODELS["small"], selections={"none": cv.quantity("confidence") > 2, "all": None}, progress=False)
    assert none["count"].sel(selection="none") == 0
    assert none[["ece", "ks", "sweep", "mean_target"]].sel(selection="none").to_array().isnull().all()
    assert none["ks"].sel(selection="all") > 0
    assert "selection=none" in none["ks"].attrs["unavailable"]
    assert "no sample is left" in none["ks"].attrs["unavailable"]
    soft = cv.Predictions([[0.2, 0.8]], [[0.5, 0.5]])
    missing = cv.evaluate(soft, ["top-1", "rank 3"], selections={"label": "label == 1"}, progress=False)
    assert "needs hard labels" in missing["ece"].attrs["unavailable"]
    assert "needs at least 3 classes" in missing["ece"].attrs["unavailable"]


@pytest.mark.parametrize("kept_as", ["memory", "netcdf", "zarr"])
def test_every_reason_is_known(tmp_path, kept_as):
    """Several reasons of one error, under names that look like the end of a place, and after a round trip."""
    soft = cv.Predictions([[0.2, 0.8]], [[0.5, 0.5]])
    selections = {"a]: b": "label == 1", "c": cv.quantity("confidence") > 2}
    cube = cv.evaluate({"x [model=y": soft, "z": soft}, selections=selections, metrics="ece", progress=False)
    if kept_as == "netcdf":
        cube.to_netcdf(tmp_path / "cube.nc")
        cube = xr.load_dataset(tmp_path / "cube.nc")
    elif kept_as == "zarr":
        cube.to_zarr(tmp_path / "cube.zarr", zarr_format=2)
        cube = xr.load_dataset(tmp_path / "cube.zarr", engine="zarr")
    why = reasons_in(cube.ece)
    assert len(why) == 2
    assert "needs hard labels" in why[0] and "no sample is left" in why[1]
    assert "[" not in "".join(why)


def test_a_field_that_does_not_exist_is_no_empty_selection():
    found = cv.evaluate(MODELS["small"], selections={"typo": "agee > 40"}, progress=False)
    assert "field 'agee' is unknown" in found["ece"].attrs["unavailable"]
    assert np.isnan(found["count"]).all()


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
def test_it_survives_a_file(cube, engine, tmp_path):
    pytest.importorskip({"h5netcdf": "h5netcdf", "netcdf4": "netCDF4"}[engine])
    cube.to_netcdf(tmp_path / "cube.nc", engine=engine)
    with xr.open_dataset(tmp_path / "cube.nc", engine=engine) as again:
        xr.testing.assert_identical(again.load(), cube)


def test_it_becomes_a_table(cube):
    table = cube.to_dataframe()
    assert isinstance(table, pd.DataFrame)
    assert len(table) == cube["ece"].size
    row = table.loc[("small", "sure", "none", "top-1", "uniform", 15)]
    direct = cv.calibration_error(MODELS["small"], selection="confidence > 0.6")
    assert row["ece"] == pytest.approx(direct, rel=1e-14)
    assert cube.ece.sel(lens="top-1", calibrator="spline", bins=15).dims == ("model", "selection", "binning")


def test_other_distances_powers_and_metrics():
    p = MODELS["small"]
    found = cv.evaluate(p, ["full", "top-1"], distance=cv.Lp(2), p=2, metrics=["ece"], bins=range(1, 4), progress=False)
    assert list(found) == ["ece"]
    assert found.sizes["bins"] == 3
    for bins in (1, 2, 3):
        for lens in ("full", "top-1"):
            direct = cv.calibration_error(p, lens, binning=cv.Uniform(bins), distance=cv.Lp(2), p=2)
            assert found["ece"].sel(lens=lens, bins=bins).item() == direct
    short = cv.evaluate(p, metrics=["ks", "count"], progress=False)
    assert set(short.variables) - set(CELLS) == {"ks", "count"}
    assert short["ks"].dims == CELLS


# ---- objects of the user's own


class EvenRows:
    """A lens: is the label even?"""

    name = "even"

    def __call__(self, predictions):
        probs = predictions.probs[:, ::2].sum(axis=1)
        return cv.ScalarProblem(probs, (predictions.labels % 2 == 0).astype(float), predictions.weights)


class Squared:
    name = "squared"

    def __call__(self, score, target):
        gap = (score - target) ** 2
        return gap if gap.ndim == 1 else gap.sum(axis=1)


def squared(score, target):
    return Squared()(score, target)


class Halves:
    """A binning: below 1/2, and the rest."""

    name = "halves"

    def __call__(self, problem):
        return cv.Uniform(2)(problem)


class Shift:
    """A scalar calibrator that moves every score by the mean error."""

    name = "shift"

    def fit(self, problem):
        self.by = problem.mean_target - problem.mean_score
        return self

    def __call__(self, score):
        return score + self.by


class Flatten:
    """A calibrator that forgets the input."""

    name = "flatten"

    def fit(self, predictions):
        return self

    def transform(self, predictions):
        return predictions.with_probs(np.full_like(predictions.probs, 1 / predictions.n_classes))


def test_objects_of_the_users_own():
    p, other = MODELS["small"], FITTING["small"]
    found = cv.evaluate(
        p,
        [EvenRows(), "full"],
        calibrators=["none", Shift(), Flatten()],
        calibration=other,
        distance=Squared(),
        bins=4,
        progress=False,
    )
    assert found["calibrator"].values.tolist() == ["none", "shift", "flatten"]
    assert found["lens"].values.tolist() == ["even", "full"]
    plain = cv.calibration_error(p, EvenRows(), binning=cv.Uniform(4), distance=Squared())
    assert found["ece"].sel(lens="even", calibrator="none").item() == plain
    moved = np.clip(p.probs[:, ::2].sum(axis=1) + Shift().fit(EvenRows()(other)).by, 0, 1)
    q = cv.Predictions(moved, p.labels % 2 == 0)
    shifted = cv.calibration_error(q, "class 1", binning=cv.Uniform(4), distance=Squared())
    assert found["ece"].sel(lens="even", calibrator="shift").item() == pytest.approx(shifted, abs=1e-12)
    flat = (0.25 - np.bincount(p.labels, minlength=4) / len(p)) ** 2
    assert found["ece"].sel(lens="full", calibrator="flatten").item() == pytest.approx(flat.sum(), abs=1e-12)
    bare = cv.evaluate(p, EvenRows(), distance=squared, bins=4, progress=False)
    assert bare.attrs["distance"] == "squared" and bare["ece"].item() == plain
    assert cv.calibration_error(p, EvenRows(), binning=Halves()) == cv.calibration_error(
        p, EvenRows(), binning=cv.Uniform(2)
    )
    assert cv.ks_error(p, EvenRows(), selection="output > 0.5") > 0


def test_fitting_leaves_the_users_calibrators_alone():
    spline = cv.Spline()
    cv.evaluate(MODELS, calibrators=[spline], calibration=FITTING, progress=False)
    with pytest.raises(NotFittedError):
        spline([0.5])


@dataclass(frozen=True)
class FrozenShift(Shift):
    """Equal to every other one, whatever it was fitted to."""

    name: str = "frozen shift"

    def fit(self, problem):
        object.__setattr__(self, "by", problem.mean_target - problem.mean_score)
        return self


def test_equal_calibrators_fitted_to_other_data_are_others():
    p = MODELS["small"]
    for other in FITTING.values():
        problem = cv.lens("top-1")(other)
        moved = np.clip(p.confidence + problem.mean_target - problem.mean_score, 0, 1).mean()
        found = cv.evaluate(p, calibrators=FrozenShift(), calibration=other, progress=False)
        assert found["mean_score"].item() == pytest.approx(moved)


def test_two_settings_of_one_calibrator_can_be_compared():
    p, other = MODELS["small"], FITTING["small"]
    found = cv.evaluate(p, calibrators=[cv.Spline(4), cv.Spline(10)], calibration=other, progress=False)
    assert found.sizes["calibrator"] == 2
    assert len(set(found["calibrator"].values)) == 2


# ---- messages


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"calibrators": "temperature"}, ValueError, "calibration is missing: calibrators are fitted to other samples"),
        (
            {"calibrators": "temprature"},
            ValueError,
            "calibrators must be one of 'none', 'temperature', ",
        ),
        ({"calibrators": [3]}, TypeError, "calibrators must be names or calibrators with fit and transform, not 3"),
        ({"calibrators": ["none", None]}, ValueError, "calibrator 'none' is given twice"),
        ({"lenses": ["top-1", cv.lens("top-1")]}, ValueError, "lens 'top-1' is given twice"),
        ({"lenses": "top-0"}, ValueError, "k must be at least 1"),
        ({"bins": 0}, ValueError, "bins must be at least 1, not 0"),
        ({"bins": [5, 2.5]}, TypeError, "bins must be a whole number, not 2.5"),
        ({"bins": [5, 5]}, ValueError, "bins 5 is given twice"),
        ({"binnings": ["uniform", "uniform"]}, ValueError, "binning 'uniform' is given twice"),
        ({"binnings": "kdtree"}, ValueError, "binnings must be one of 'uniform', 'equal-mass', not 'kdtree'"),
        ({"metrics": ["ecc"]}, ValueError, "metrics must be one of 'ece', 'mce', 'kdtree_ece', 'ks'"),
        ({"selections": {"x": "label ="}}, SelectionError, "use == to compare"),
        ({"calibration": 3}, TypeError, r"calibration must be cv.Predictions\(probs, labels\), not int"),
    ],
)
def test_messages(arguments, error, message):
    with pytest.raises(error, match=message):
        cv.evaluate(MODELS["small"], progress=False, **arguments)


def test_messages_about_models():
    with pytest.raises(ValueError, match="predictions is empty"):
        cv.evaluate({})
    with pytest.raises(TypeError, match=r"predictions\['b'\] must be cv.Predictions\(probs, labels\), not ndarray"):
        cv.evaluate({"a": MODELS["small"], "b": np.eye(2)})
    with pytest.raises(ValueError, match="calibration is missing for the model 'large'"):
        cv.evaluate(MODELS, calibrators="spline", calibration={"small": FITTING["small"]})
