"""The embedded data sets, and the script that makes them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import calibviz as cv
from calibviz.data.datasets import dataset_names, load_dataset
from calibviz.explorer.demo_data import DEMO_NAMES, demo_data

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_datasets.py"
# Accuracy, and mean confidence minus accuracy, of each model.
EXPECTED = {
    "digits": {"naive Bayes": (0.92, 0.06), "random forest": (0.98, -0.19), "neural network": (0.94, 0.03)},
    "heart": {
        "logistic regression": (0.80, 0.01),
        "random forest": (0.78, 0.01),
        "gradient boosting": (0.74, 0.09),
    },
    "tumours": {
        "logistic regression": (0.98, -0.01),
        "naive Bayes": (0.94, 0.05),
        "random forest": (0.96, -0.03),
        "gradient boosting": (0.97, 0.01),
    },
}
SHAPES = {"heart": (920, 2), "digits": (1797, 10), "tumours": (569, 2)}


def test_the_names():
    assert dataset_names() == ["digits", "heart", "resnet110", "tumours"]


@pytest.mark.parametrize("name", EXPECTED)
def test_models_err_in_their_own_ways(name):
    models = load_dataset(name)
    assert models.keys() == EXPECTED[name].keys()
    for model, (accuracy, overconfidence) in EXPECTED[name].items():
        p = models[model]
        right = (p.predicted == p.labels).mean()
        assert p.probs.shape == SHAPES[name]
        assert right == pytest.approx(accuracy, abs=0.006)
        assert p.confidence.mean() - right == pytest.approx(overconfidence, abs=0.006)


@pytest.mark.parametrize("name", EXPECTED)
def test_models_of_a_set_share_their_samples(name):
    first, *others = load_dataset(name).values()
    for other in others:
        np.testing.assert_array_equal(other.labels, first.labels)
        assert other.fields.keys() == first.fields.keys()
        for field, column in first.fields.items():
            np.testing.assert_array_equal(other.fields[field], column)


@pytest.mark.parametrize("name", EXPECTED)
def test_about_is_complete_and_its_source_recreates_the_predictions(name):
    for model, p in load_dataset(name).items():
        assert p.about.keys() == {"title", "made", "licence", "source"}
        assert p.about["licence"].startswith("CC BY 4.0. ")
        assert "https://doi.org/10.24432/" in p.about["licence"]
        assert "each predicted by" if name == "heart" else "each sample predicted by" in p.about["made"]
        assert "by a model fitted to the other nine of 10 stratified folds" in p.about["made"]
        assert model in p.about["title"]
        again = eval(p.about["source"], {"cv": cv})
        np.testing.assert_array_equal(again.probs, p.probs)


def test_digits_have_groups_fields_and_names():
    for p in load_dataset("digits").values():
        assert p.class_names == tuple("0123456789")
        assert p.groups == {"even": (0, 2, 4, 6, 8), "odd": (1, 3, 5, 7, 9)}
        assert p.fields.keys() == {"ink", "slant", "aspect"}
        ink, slant, aspect = p.fields["ink"], p.fields["slant"], p.fields["aspect"]
        assert ((ink > 0) & (ink < 1)).all()
        assert (np.abs(slant) < 45).all()
        # A one is the tallest of the digits for its width.
        assert aspect[p.labels == 1].mean() > aspect[p.labels != 1].mean()


def test_digits_have_a_hierarchy():
    for p in load_dataset("digits").values():
        assert p.hierarchy == {
            "parity": p.groups,
            "shape": {"round": (0, 6, 8, 9), "straight": (1, 4, 7), "bent": (2, 3, 5)},
        }
    assert load_dataset("tumours")["naive Bayes"].hierarchy == {}


def test_images_of_digits_are_dark_on_white():
    first, *others = load_dataset("digits").values()
    assert first.images.shape == (1797, 8, 8)
    assert len(np.unique(first.images)) == 17
    for other in others:
        np.testing.assert_array_equal(other.images, first.images)
    # Each image is that of its sample: its ink is the field, and it is like those of its label.
    np.testing.assert_allclose(1 - first.images.mean(axis=(1, 2)) / 255, first.fields["ink"], atol=0.5 / 255)
    means = np.array([first.images[first.labels == digit].mean(axis=0) for digit in range(10)])
    distances = ((first.images[:, None] - means) ** 2).sum(axis=(2, 3))
    assert (distances.argmin(axis=1) == first.labels).mean() > 0.85


def test_hearts_are_well_on_the_whole_and_wrong_in_one_place():
    p = load_dataset("heart")["logistic regression"]
    site = p.fields["site"]
    assert dict(zip(*np.unique(site, return_counts=True), strict=True)) == {
        "Budapest": 294,
        "Cleveland": 303,
        "Long Beach": 200,
        "Zurich and Basel": 123,
    }
    assert cv.ks_error(p, "class disease") == pytest.approx(0.025, abs=0.002)
    assert cv.ks_test(p).p_value > 0.05
    there = p.select(site == "Zurich and Basel")
    assert cv.ks_error(there, "class disease") == pytest.approx(0.231, abs=0.001)
    assert there.probs[:, 1].mean() == pytest.approx(0.704, abs=0.001)
    assert there.labels.mean() == pytest.approx(0.935, abs=0.001)
    assert cv.segments(p, replicates=99).segment[0].item() == "site = Zurich and Basel"
    assert np.isnan(p.fields["cholesterol"]).sum() == 172 + 30  # zeros were missing, too
    assert "Janosi" in p.about["licence"] and "Pfisterer" in p.about["licence"]


def test_malignant_is_class_one():
    p = load_dataset("tumours")["gradient boosting"]
    assert p.class_names == ("benign", "malignant")
    assert np.bincount(p.labels).tolist() == [357, 212]
    malignant = p.labels == 1
    for field in ("mean_radius", "mean_texture", "mean_concavity"):
        assert p.fields[field][malignant].mean() > p.fields[field][~malignant].mean()
    assert p.probs[malignant, 1].mean() > 0.9


def test_the_network_is_that_of_the_papers():
    test, validation = (load_dataset("resnet110", part=part)["ResNet-110"] for part in ("evaluation", "calibration"))
    assert (test.logits.shape, validation.logits.shape) == ((10_000, 10), (5_000, 10))
    assert cv.ks_error(test, "top-1") == pytest.approx(0.04750, abs=5e-6)  # ks table 1
    assert (test.predicted == test.labels).mean() == 0.9356  # table 5
    assert cv.calibration_error(test, "top-1", binning=cv.Uniform(25)) == pytest.approx(0.04750, abs=5e-6)  # table 6
    assert "Copyright (c) 2018 Markus Kängsepp" in test.about["licence"]
    notice = resources.files("calibviz.data.datasets").joinpath("resnet110.LICENSE.txt").read_text("utf-8")
    assert "The above copyright notice and this permission notice shall be included" in notice
    for p, part in ((test, ""), (validation, ", calibration part")):
        assert p.about["title"] == f"CIFAR-10 photographs{part}: ResNet-110"
        np.testing.assert_array_equal(eval(p.about["source"], {"cv": cv}).logits, p.logits)
        # Dogs and cats are taken for each other, so names are in the order of labels.
        confused = np.bincount(10 * p.labels + p.predicted, minlength=100).reshape(10, 10) * (1 - np.eye(10))
        assert {p.class_names[i] for i in np.unravel_index(confused.argmax(), confused.shape)} == {"cat", "dog"}
        assert [p.class_names[i] for i in p.groups["vehicles"]] == ["airplane", "automobile", "ship", "truck"]


def test_a_set_without_a_calibration_part_says_how_to_split_it():
    with pytest.raises(ValueError, match=r"^part must be 'evaluation' for 'heart', not 'calibration': .*split\(\)"):
        load_dataset("heart", part="calibration")
    with pytest.raises(ValueError, match=r"^part must be one of 'calibration', 'evaluation', not 'test'$"):
        load_dataset("resnet110", part="test")


def test_field_names_are_words_that_selections_can_read():
    for name in dataset_names():
        for p in load_dataset(name).values():
            assert all(field.isidentifier() for field in p.fields)


def test_probabilities_of_logits_are_their_softmax():
    with_logits = [p for name in EXPECTED for p in load_dataset(name).values() if p.logits is not None]
    assert len(with_logits) == 7
    for p in with_logits:
        z = p.logits.astype(np.float64)
        weights = np.exp(z - z.max(axis=1, keepdims=True))
        np.testing.assert_allclose(p.probs, weights / weights.sum(axis=1, keepdims=True), rtol=1e-12)


def test_files_are_small_and_plain():
    files = [entry for entry in resources.files("calibviz.data.datasets").iterdir() if entry.name.endswith(".npz")]
    assert sum(len(entry.read_bytes()) for entry in files) < 900_000
    for entry in files:
        with entry.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            for key in archive.files:
                # Only one of probs and logits is kept, in float32.
                assert archive[key].dtype.kind in "fiuU"
                assert archive[key].dtype.itemsize <= 4 or archive[key].dtype.kind == "U"
            models = [key.split("/")[1] for key in archive.files if key.startswith(("probs/", "logits/"))]
            assert len(models) == len(set(models))


def test_unknown_names_list_the_known_ones():
    with pytest.raises(
        ValueError, match=r"^name must be one of 'digits', 'heart', 'resnet110', 'tumours', not 'mnist'$"
    ):
        load_dataset("mnist")


@pytest.mark.parametrize("name", DEMO_NAMES)
def test_the_demonstration_shows_models_and_their_calibration_part(name):
    shown, calibration = demo_data(name)
    if name == "interventions":
        assert set(shown.sample.values).isdisjoint(calibration.sample.values)
        assert "evaluation" in shown.attrs["title"]
        assert "calibration" in calibration.attrs["title"]
        return
    if name == "resnet110":
        assert calibration.keys() == shown.keys() and len(calibration["ResNet-110"]) == 5000
    else:
        assert calibration is None
        assert len(shown) >= 3
    for p in shown.values():
        again = eval(p.about["source"], {"cv": cv})
        np.testing.assert_array_equal(again.probs, p.probs)
        np.testing.assert_array_equal(again.labels, p.labels)


def test_simulated_networks_of_the_demonstration():
    shown, _ = demo_data("simulated networks")
    assert list(shown) == list(cv.Network.published())
    assert {len(p) for p in shown.values()} == {5000}


def test_the_demonstration_lists_its_names():
    assert DEMO_NAMES == ("heart", "resnet110", "digits", "tumours", "interventions", "simulated networks")
    known = ", ".join(map(repr, DEMO_NAMES))
    with pytest.raises(ValueError, match=rf"^name must be one of {known}, not 'mnist'$"):
        demo_data("mnist")


def test_loading_needs_no_scikit_learn():
    code = "import sys, calibviz.data.datasets as d; d.load_dataset('digits'); sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("sklearn")
    spec = importlib.util.spec_from_file_location("make_datasets", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_script_makes_what_is_embedded(script, name):
    recipe = script.RECIPES[name]()
    model = "logistic regression" if name == "heart" else "naive Bayes"  # which are quickly fitted
    embedded = load_dataset(name)[model]
    np.testing.assert_array_equal(recipe.labels, embedded.labels)
    for field, column in recipe.fields.items():
        if column.dtype.kind == "U":
            np.testing.assert_array_equal(column, embedded.fields[field])
        else:
            np.testing.assert_allclose(column, embedded.fields[field], rtol=1e-5, atol=1e-5)
    assert (recipe.hierarchy or {}).keys() == embedded.hierarchy.keys()
    if recipe.images is None:
        assert embedded.images is None
    else:
        np.testing.assert_array_equal(recipe.images, embedded.images)
    made = script.out_of_fold(recipe.models[model], recipe.features, recipe.labels, recipe.home)
    logits = embedded.logits if made.ndim == 2 else embedded.logits[:, 1] - embedded.logits[:, 0]
    np.testing.assert_allclose(made, logits, rtol=1e-4, atol=1e-3)


def test_slant_and_aspect_of_drawn_strokes(script):
    upright, slash = np.zeros((8, 8)), np.zeros((8, 8))
    upright[:, 3:5] = 1
    slash[range(8), range(7, -1, -1)] = 1  # from the top right to the bottom left, like "/"
    np.testing.assert_allclose(script.slant(np.stack([upright, slash, slash[:, ::-1]])), [0, 45, -45], atol=1e-9)
    np.testing.assert_allclose(script.aspect(np.stack([upright, slash])), [4, 1])
