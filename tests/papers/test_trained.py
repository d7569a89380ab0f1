"""Classifiers of the digits that are trained when they are asked for, and predictions of no use."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv


@pytest.fixture(scope="module")
def training():
    return cv.papers.training()


@pytest.fixture(scope="module")
def noise():
    return cv.papers.label_noise([0, 0.5, 1])


def test_a_network_in_training_becomes_right_and_then_too_sure(training):
    cube = cv.evaluate(training, metrics=["accuracy", "mean_score"], progress=False).squeeze(drop=True)
    assert cube.accuracy.dims == ("epoch",) and training.logits.dims == ("epoch", "sample", "class")
    assert cube.accuracy[0] < 0.5 and cube.accuracy[-1] > 0.88
    sureness = cube.mean_score - cube.accuracy
    assert sureness.sel(epoch=5) < -0.2 and sureness.sel(epoch=144) > 0.02


def test_earlier_epochs_do_not_depend_on_later_ones(training):
    few = cv.papers.training([2, 5])
    np.testing.assert_array_equal(few.logits, training.logits.sel(epoch=[2, 5]))
    assert few.attrs["source"] == "cv.papers.training([2, 5], rng=0)"
    assert eval(few.attrs["source"], {"cv": cv}).identical(few)


def test_noise_takes_its_share_of_the_accuracy(noise):
    cube = cv.evaluate(noise, metrics=["accuracy", "mean_score"], progress=False).squeeze(drop=True)
    assert cube.accuracy.dims == ("share",)
    clean, half, all_drawn = cube.accuracy.values
    assert clean > 0.95
    assert half == pytest.approx(0.5 * 0.95 + 0.5 * 0.1, abs=0.08)  # half of the labels are right, the rest by chance
    assert all_drawn == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / noise.sizes["sample"]))
    assert (cube.mean_score.diff("share") < 0).all()


def test_a_label_that_was_drawn_stays_drawn(noise):
    clean, half, all_drawn = noise.labels.values
    changed = clean != half
    assert 0.4 < changed.mean() < 0.5
    np.testing.assert_array_equal(half[changed], all_drawn[changed])
    assert cv.papers.label_noise([0.5]).probs.equals(noise.probs.sel(share=[0.5]))


@pytest.mark.parametrize("epochs", [[], [3, 2], [1, 1]])
def test_epochs_must_ascend(epochs):
    with pytest.raises(ValueError, match=r"^epochs must be one number or more that ascend, not \["):
        cv.papers.training(epochs)


def test_shares_are_refused_by_name():
    with pytest.raises(ValueError, match=r"^shares is empty: pass at least one"):
        cv.papers.label_noise([])
    with pytest.raises(ValueError, match=r"^shares\[1\] must lie between 0 and 1, not be 1.5"):
        cv.papers.label_noise([0.1, 1.5])
    with pytest.raises(TypeError, match=r"^shares must be a list of numbers, not 0.1"):
        cv.papers.label_noise(0.1)


@pytest.mark.parametrize("name", ["heart", "digits"])
def test_the_base_rate_is_calibrated_and_tells_nothing(name):
    p = next(iter(cv.load_dataset(name).values()))
    idle = cv.papers.base_rate(p)
    assert cv.ks_error(idle) < 1e-12 and cv.calibration_error(idle, "full", binning=cv.KDTree(0.1)) < 1e-12
    assert (idle.probs == idle.probs[0]).all() and idle.class_names == p.class_names
    assert idle.groups == p.groups and idle.fields.keys() == p.fields.keys() and idle.about.keys() == {"title"}
    np.testing.assert_allclose(idle.probs[0], np.bincount(p.labels) / len(p))
    assert cv.evaluate(idle, metrics="discrimination", progress=False).discrimination.item() == pytest.approx(
        0, abs=1e-9
    )


def test_the_base_rate_counts_weights_and_needs_classes():
    p = cv.Predictions([0.2, 0.7, 0.4], [0, 1, 1], weights=[2.0, 1.0, 1.0])
    assert cv.papers.base_rate(p).probs[0].tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match=r"^predictions must hold the probabilities of classes and one label for each"):
        cv.papers.base_rate(cv.simulated("resnet110_c10", 50))


def test_errors_that_cancel_in_a_bin_are_seen_by_all_others():
    p = cv.papers.cancelling()
    assert len(p) == 1000 and p.labels.mean() == 0.55
    assert cv.calibration_error(p, binning=cv.Uniform(10)) == pytest.approx(abs(0.45 * 0.52 + 0.55 * 0.58 - 0.55))
    assert cv.calibration_error(p, binning=cv.Distinct()) == pytest.approx(0.45 * 0.52 + 0.55 * 0.42)
    assert cv.ks_error(p) == pytest.approx(0.45 * 0.52)
    even = cv.papers.cancelling(low=0.54, high=(0.55 - 0.45 * 0.54) / 0.55)
    assert cv.calibration_error(even, binning=cv.Uniform(10)) < 1e-12
    np.testing.assert_array_equal(eval(p.about["source"], {"cv": cv}).probs, p.probs)


def test_cancelling_names_what_it_cannot_use():
    with pytest.raises(ValueError, match=r"^low must lie between 0 and 1, not be 1.2"):
        cv.papers.cancelling(low=1.2)
    with pytest.raises(ValueError, match=r"^share must lie between 0 and 1, not be -0.1"):
        cv.papers.cancelling(share=-0.1)
