"""The embedded networks that were trained in four ways, and the script that makes them."""

from __future__ import annotations

import importlib.util
import json
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import calibviz as cv

SCRIPTS = Path(__file__).parents[2] / "scripts"
FILE = resources.files("calibviz.data.datasets").joinpath("stacked/interventions.npz")
NAMES = ["plain", "label smoothing", "mix-up", "focal loss"]
FIELDS = ["ink", "slant", "aspect"]
# Mean over the trials of the evaluation part: accuracy, and mean confidence minus accuracy.
EXPECTED = {
    "plain": (0.884, 0.064),
    "label smoothing": (0.881, -0.156),
    "mix-up": (0.874, -0.048),
    "focal loss": (0.882, -0.001),
}


@pytest.fixture(scope="module")
def parts():
    return dict(zip(("calibration", "evaluation"), cv.load_interventions(), strict=True))


def confidence_and_accuracy(part):
    """Both over (intervention, trial), computed here from the logits."""
    z = part.logits.astype(np.float64)
    confidence = 1 / np.exp(z - z.max("class")).sum("class")
    return confidence.mean("sample"), (z.argmax("class") == part.labels).mean("sample")


@pytest.mark.parametrize("name", ["calibration", "evaluation"])
def test_dimensions_types_and_attributes(parts, name):
    part = parts[name]
    assert part.logits.dims == ("intervention", "trial", "sample", "class")
    assert part.logits.shape == (4, 5, 600, 10)
    assert part.logits.dtype == np.float32
    assert np.isfinite(part.logits).all()
    assert list(part.data_vars) == ["logits", "labels", *FIELDS]
    assert all(part[variable].dims == ("sample",) for variable in ("labels", *FIELDS))
    assert part.intervention.values.tolist() == NAMES
    assert part.trial.values.tolist() == [0, 1, 2, 3, 4]
    assert part["class"].values.tolist() == list("0123456789")
    assert part.attrs.keys() == {"title", "made", "licence", "source"}
    assert part.attrs["licence"] == cv.load_dataset("digits")["naive Bayes"].about["licence"]
    made = part.attrs["made"].splitlines()
    assert [line.split(":")[0] for line in made] == NAMES
    assert all("noise" in line for line in made)
    assert name in part.attrs["title"]
    assert eval(part.attrs["source"], {"cv": cv}).identical(part)


def test_parts_are_different_samples_of_the_digits(parts):
    digits = cv.load_dataset("digits")["naive Bayes"]
    rows = [part["sample"].values for part in parts.values()]
    assert len(np.unique(np.concatenate(rows))) == 1200
    for part, chosen in zip(parts.values(), rows, strict=True):
        np.testing.assert_array_equal(part.labels, digits.labels[chosen])
        for field in FIELDS:
            np.testing.assert_array_equal(part[field], digits.fields[field][chosen])
        shares = np.bincount(part.labels, minlength=10) / 600
        np.testing.assert_allclose(shares, np.bincount(digits.labels) / len(digits.labels), atol=1 / 600)


def test_each_network_is_another_one(parts):
    logits = parts["evaluation"].logits.values.reshape(20, -1)
    assert len(np.unique(logits, axis=0)) == 20


@pytest.mark.parametrize("name", ["calibration", "evaluation"])
def test_plain_training_is_over_confident_and_every_intervention_less(parts, name):
    confidence, accuracy = confidence_and_accuracy(parts[name])
    assert ((accuracy > 0.84) & (accuracy < 0.93)).all()
    plain = {"intervention": "plain"}
    assert (confidence.sel(plain) - accuracy.sel(plain) > 0.04).all()
    assert (confidence.drop_sel(plain) < confidence.sel(plain) - 0.04).all()


def test_how_each_intervention_errs(parts):
    confidence, accuracy = (found.mean("trial") for found in confidence_and_accuracy(parts["evaluation"]))
    for name, (right, over) in EXPECTED.items():
        assert float(accuracy.sel(intervention=name)) == pytest.approx(right, abs=0.002)
        assert float((confidence - accuracy).sel(intervention=name)) == pytest.approx(over, abs=0.002)


def test_evaluate_takes_both_parts_as_they_are(parts):
    calibration, evaluation = parts.values()
    cube = cv.evaluate(
        evaluation,
        ["top-1", "top-5", "full", cv.Grouping({"even": list("02468"), "odd": list("13579")})],
        gammas=[0.1],
        calibrators=["none", "temperature"],
        selections={"all": None, "3": "label in [3]", "slanted": "slant > 0"},
        calibration=calibration,
        metrics=["ece", "kdtree_ece", "accuracy"],
        progress=False,
    )
    assert dict(cube.kdtree_ece.sizes) == {
        "model": 1,
        "intervention": 4,
        "trial": 5,
        "selection": 3,
        "calibrator": 2,
        "lens": 4,
        "gamma": 1,
    }
    assert cube.intervention.values.tolist() == NAMES
    assert np.isfinite(cube.kdtree_ece).all()
    whole = cube.squeeze("model").sel(selection="all", lens="top-1").squeeze()
    np.testing.assert_allclose(
        whole.accuracy.sel(calibrator="none"), confidence_and_accuracy(evaluation)[1], rtol=1e-12
    )
    plain = whole.ece.sel(intervention="plain")
    assert (plain.sel(calibrator="none") > 0.04).all()
    assert (plain.sel(calibrator="temperature") < plain.sel(calibrator="none") - 0.02).all()


def test_one_cell_of_the_cube_is_what_its_network_gives_alone(parts):
    one = parts["evaluation"].sel(intervention="mix-up", trial=2)
    fields = {field: one[field].values for field in FIELDS}
    alone = cv.Predictions(labels=one.labels.values, logits=one.logits.values, fields=fields)
    cube = cv.evaluate(parts["evaluation"], metrics="ece", selections={"thin": "ink < 0.3"}, progress=False)
    expected = cv.calibration_error(alone, selection="ink < 0.3")
    assert cube.ece.sel(intervention="mix-up", trial=2).item() == pytest.approx(expected, rel=1e-12)


def test_parts_can_be_written_as_netcdf(parts, tmp_path):
    pytest.importorskip("netCDF4")
    parts["evaluation"].to_netcdf(tmp_path / "evaluation.nc", engine="netcdf4")
    again = xr.load_dataset(tmp_path / "evaluation.nc", engine="netcdf4")
    assert again.identical(parts["evaluation"])


def test_the_other_loader_points_here():
    assert "interventions" not in cv.dataset_names()
    with pytest.raises(
        ValueError, match=r"^'interventions' are two xarray\.Datasets, .*: call load_interventions\(\)$"
    ):
        cv.load_dataset("interventions")


def test_the_file_is_small_and_plain():
    assert len(FILE.read_bytes()) < 1_000_000
    with FILE.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        about = json.loads(archive["about"].item())
        members = {name: archive[name] for name in archive.files if name != "about"}
    assert about.keys() == {"title", "made", "licence", "class_names", "groups"}
    assert all(array.dtype.kind in "fi" and array.dtype.itemsize <= 4 for array in members.values())


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("sklearn")
    before = set(sys.modules)
    for name in ("make_datasets", "make_interventions"):  # the second imports the first
        spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    yield module
    for name in {"make_datasets", "make_interventions"} - before:
        del sys.modules[name]


@pytest.fixture(scope="module")
def samples(script):
    return script.parts(script.digits())


def differences(function, at, step=1e-6):
    """The gradient of a function of an array, by central differences."""
    slopes = np.empty_like(at)
    for place in np.ndindex(at.shape):
        shift = np.zeros_like(at)
        shift[place] = step
        slopes[place] = (function(at + shift) - function(at - shift)) / (2 * step)
    return slopes


@pytest.mark.parametrize("focusing", [0.0, 1.0, 2.0, 3.5])
@pytest.mark.parametrize("soft", [False, True])
def test_gradients_of_the_loss(script, focusing, soft):
    rng = np.random.default_rng(1)
    logits = 3 * rng.standard_normal((6, 10))
    targets = rng.dirichlet(np.ones(10), 6) if soft else np.eye(10)[rng.integers(0, 10, 6)]
    expected = differences(lambda z: script.loss(z, targets, focusing)[0], logits)
    np.testing.assert_allclose(script.loss(logits, targets, focusing)[1], expected, atol=1e-8)


@pytest.mark.parametrize("focusing", [0.0, 2.0])
def test_loss_of_one_hot_targets_is_that_of_the_papers(script, focusing):
    logits = np.random.default_rng(2).standard_normal((5, 10))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    of_label = p[range(5), [0, 1, 2, 3, 4]]
    found = script.loss(logits, np.eye(10)[:5], focusing)[0]
    assert found == pytest.approx(np.mean(-((1 - of_label) ** focusing) * np.log(of_label)), rel=1e-12)


@pytest.mark.parametrize("focusing", [0.0, 1.0, 2.0])
def test_loss_of_a_certain_network_is_a_number(script, focusing):
    logits = np.array([[2000.0, 0.0], [0.0, 2000.0]])
    value, slopes = script.loss(logits, np.array([[1.0, 0.0], [1.0, 0.0]]), focusing)
    assert value == 1000
    np.testing.assert_allclose(slopes, [[0, 0], [-0.5, 0.5]], atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_the_network(script, samples, name):
    intervention = script.INTERVENTIONS[name]
    parameters = script.trained(samples["train"], intervention, 0, epochs=1)
    x, t = next(script.batches(samples["train"], intervention, 1, np.random.default_rng(0)))
    found = script.gradient(parameters, x, t, intervention.focusing)
    for i, slopes in enumerate(found):
        lines = (slice(None),) if slopes.ndim == 1 else (slice(20, 22),)  # two rows of a matrix of weights will do

        def at(part, i=i, lines=lines):
            moved = [p.copy() for p in parameters]
            moved[i][lines] = part
            return script.loss(script.forward(moved, x)[1], t, intervention.focusing)[0]

        np.testing.assert_allclose(slopes[lines], differences(at, parameters[i][lines]), atol=1e-7)


def test_targets_of_the_interventions(script, samples):
    train = samples["train"]
    drawn = {
        name: next(script.batches(train, one, 1, np.random.default_rng(3)))
        for name, one in script.INTERVENTIONS.items()
    }
    for pixels, targets in drawn.values():
        assert pixels.shape == (script.BATCH, 64)
        np.testing.assert_allclose(targets.sum(axis=1), 1)
    (x, t), (smooth_x, smooth_t), (mixed_x, mixed_t), (_, focal_t) = (drawn[name] for name in NAMES)
    np.testing.assert_array_equal(np.sort(t, axis=1)[:, -2:], np.tile([0, 1], (len(t), 1)))
    np.testing.assert_array_equal(focal_t, t)
    np.testing.assert_array_equal(smooth_x, x)
    np.testing.assert_allclose(smooth_t, 0.9 * t + 0.01)
    assert not np.array_equal(mixed_x, x)
    assert ((mixed_t > 0).sum(axis=1) <= 2).all()
    assert ((mixed_t > 0).sum(axis=1) == 2).any()


@pytest.mark.parametrize("name", NAMES)
def test_training_twice_gives_the_same_bits(script, samples, name):
    first, second, other = (
        script.trained(samples["train"], script.INTERVENTIONS[name], trial, epochs=2) for trial in (3, 3, 4)
    )
    for a, b, c in zip(first, second, other, strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, c)


def test_the_script_makes_what_is_embedded(script, samples, parts):
    assert list(script.INTERVENTIONS) == NAMES
    assert not set(samples["train"].rows) & {row for part in parts.values() for row in part["sample"].values}
    for name, part in parts.items():
        np.testing.assert_array_equal(samples[name].rows, part["sample"])
        np.testing.assert_array_equal(samples[name].labels, part.labels)
        for field in FIELDS:
            np.testing.assert_allclose(samples[name].fields[field], part[field], rtol=1e-5, atol=1e-5)
    # Rounding on other machines may make it a slightly different network, but one that says much the same.
    network = script.trained(samples["train"], script.INTERVENTIONS["plain"], 0)
    made = script.forward(network, samples["evaluation"].pixels)[1]
    embedded = parts["evaluation"].logits.sel(intervention="plain", trial=0)
    assert (made.argmax(axis=1) == embedded.argmax("class").values).mean() > 0.97
    assert np.corrcoef(made.ravel(), embedded.values.ravel())[0, 1] > 0.99
    hit = script.forward(network, samples["train"].pixels)[1].argmax(axis=1) == samples["train"].labels
    assert hit.all()
