"""Images of the samples: what is accepted, what they follow, and how they are shown."""

from __future__ import annotations

import copy
import pickle
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest

import calibviz as cv
from calibviz.data.readers import read_predictions

RNG = np.random.default_rng(8)
N = 12
PROBS = RNG.dirichlet([1, 1, 1], N)
LABELS = np.arange(N) % 3
GREY = RNG.integers(0, 256, (N, 5, 7), dtype=np.uint8)
COLOURED = RNG.integers(0, 256, (N, 40, 9, 3), dtype=np.uint8)


def shown(images):
    return cv.Predictions(PROBS, LABELS, images=images)


@pytest.mark.parametrize("images", [GREY, COLOURED], ids=["grey", "coloured"])
def test_bytes_are_shared_and_read_only(images):
    p = shown(images)
    assert np.shares_memory(p.images, images)
    with pytest.raises(ValueError, match="read-only"):
        p.images[0] = 0
    assert images.flags.writeable
    assert "images" in repr(p)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_floats_are_rounded_to_bytes(dtype):
    np.testing.assert_array_equal(shown((GREY / 255).astype(dtype)).images, GREY)
    assert shown(np.full((N, 1, 1), 1 + 1e-7)).images.max() == 255
    assert shown((GREY / 255).tolist()).images.dtype == np.uint8


def test_there_are_none_by_default():
    p = cv.Predictions(PROBS, LABELS)
    assert p.images is None
    assert "images" not in repr(p)
    with pytest.raises(ValueError, match=r"^these predictions have no images: pass images=\.\.\. to cv\.Predictions$"):
        p.image_url(0)


def changed(place, value):
    out = GREY / 255
    out[place] = value
    return out


@pytest.mark.parametrize(
    ("images", "kind", "message"),
    [
        (GREY[:-1], ValueError, "images has 11 entries, but there are 12 rows of probabilities"),
        (GREY[:, 0], ValueError, "images must have shape (n, h, w) or (n, h, w, 3); it has shape (12, 7)"),
        (
            COLOURED[..., :2],
            ValueError,
            "images must have shape (n, h, w) or (n, h, w, 3); it has shape (12, 40, 9, 2)",
        ),
        (GREY[:, :0], ValueError, "images must have shape (n, h, w) or (n, h, w, 3); it has shape (12, 0, 7)"),
        (GREY.astype(int), TypeError, "images must be uint8, or floats in [0, 1], not int64"),
        (["cat.png"] * N, TypeError, "images must be uint8, or floats in [0, 1], not <U7"),
        (GREY / 1.0, ValueError, f"images[0, 0, 0] is {GREY[0, 0, 0]}: a pixel lies between 0 and 1, or is uint8"),
        (changed((9, 4, 2), np.nan), ValueError, "images[9, 4, 2] is nan: a pixel lies between 0 and 1, or is uint8"),
        (changed((3, 0, 6), -0.5), ValueError, "images[3, 0, 6] is -0.5: a pixel lies between 0 and 1, or is uint8"),
    ],
)
def test_other_images_are_refused(images, kind, message):
    with pytest.raises(kind) as caught:
        shown(images)
    assert str(caught.value) == message


def test_the_place_in_a_later_block_is_named():
    images = np.zeros((400, 30, 30, 3))
    images[399, 29, 1, 2] = 2
    with pytest.raises(ValueError, match=r"^images\[399, 29, 1, 2\] is 2: "):
        cv.Predictions(np.full((400, 2), 0.5), np.zeros(400, int), images=images)


def test_images_follow_their_samples():
    p = shown(COLOURED)
    rows = np.array([5, 2, 2])
    np.testing.assert_array_equal(p.select(rows).images, COLOURED[rows])
    np.testing.assert_array_equal(p.select(LABELS == 1).images, COLOURED[LABELS == 1])
    first, second = p.split(0.25, rng=1)
    mask = p.split_mask(0.25, rng=1)
    np.testing.assert_array_equal(first.images, COLOURED[mask])
    np.testing.assert_array_equal(second.images, COLOURED[~mask])
    others = p.with_probs(PROBS[:, ::-1]), p.reweighted(np.ones(N)), p.relabelled(LABELS[::-1].copy(), None)
    for other in others:
        assert np.shares_memory(other.images, COLOURED)
    for other in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        np.testing.assert_array_equal(other.images, COLOURED)


@pytest.mark.parametrize(("images", "factor"), [(GREY, 7), (COLOURED, 4), (COLOURED[:, :, :1], 32)])
def test_the_url_holds_the_enlarged_image(images, factor):
    pillow = pytest.importorskip("PIL.Image")
    p = shown(images)
    for i in (0, N - 1):
        head, _, body = p.image_url(i).partition(",")
        assert head == "data:image/png;base64"
        found = np.asarray(pillow.open(BytesIO(b64decode(body, validate=True))))
        np.testing.assert_array_equal(found, images[i].repeat(factor, axis=0).repeat(factor, axis=1))
        assert min(found.shape[:2]) >= 32


def test_large_images_keep_their_size():
    pillow = pytest.importorskip("PIL.Image")
    p = cv.Predictions(PROBS[:1], LABELS[:1], images=np.zeros((1, 32, 50), np.uint8))
    assert pillow.open(BytesIO(b64decode(p.image_url(0).partition(",")[2]))).size == (50, 32)


@pytest.mark.parametrize("i", [-1, N])
def test_a_sample_that_does_not_exist(i):
    with pytest.raises(ValueError, match=rf"^i must be between 0 and {N - 1}, not {i}$"):
        shown(GREY).image_url(i)


@pytest.mark.parametrize("images", [GREY, COLOURED], ids=["grey", "coloured"])
def test_archives_hold_images(tmp_path, images):
    np.savez(tmp_path / "p.npz", probs=PROBS, labels=LABELS, images=images, age=np.arange(N))
    p = read_predictions(tmp_path / "p.npz")
    np.testing.assert_array_equal(p.images, images)
    assert p.fields.keys() == {"age"}


@pytest.mark.parametrize("other", [np.arange(N), GREY[:, 0], GREY[1:], COLOURED[..., :2]])
def test_arrays_of_another_shape_are_no_images(tmp_path, other):
    np.savez(tmp_path / "p.npz", probs=PROBS, labels=LABELS, images=other)
    p = read_predictions(tmp_path / "p.npz")
    assert p.images is None
    assert p.fields.keys() == ({"images"} if other.shape == (N,) else set())


def test_what_images_of_an_archive_must_be(tmp_path):
    np.savez(tmp_path / "p.npz", probs=PROBS, labels=LABELS, images=GREY.astype(np.int16))
    with pytest.raises(TypeError, match=r"p\.npz: images must be uint8, or floats in \[0, 1\], not int16$"):
        read_predictions(tmp_path / "p.npz")
