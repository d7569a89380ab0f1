"""What `Predictions` accepts, and what it says about the rest: argument, value and place."""

from __future__ import annotations

import inspect
import pickle
from datetime import date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from scipy.sparse import csr_matrix

import calibviz as cv

NAN, INF = float("nan"), float("inf")
GOOD = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.0, 1.0, 0.0]])
LABELS = [0, 2, 1]


def changed(place, value, array=GOOD):
    out = array.copy()
    out[place] = value
    return out


class Tensor:
    """Only `__array__`, as tensors of other libraries have."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


# ---- what is accepted


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_arrays_are_shared_and_untouched(dtype):
    probs, logits = GOOD.astype(dtype), np.log(GOOD + 0.1).astype(dtype)
    before, weights, labels = probs.copy(), np.ones(3), np.array(LABELS)
    p = cv.Predictions(probs, labels, logits=logits, weights=weights)
    assert p.probs.dtype == dtype
    assert np.shares_memory(p.probs, probs)
    assert np.shares_memory(p.logits, logits)
    for name in ("probs", "logits", "labels", "weights"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(p, name)[0] = 0
    probs[0, 0] = before[0, 0]  # the user's own arrays stay writeable
    weights[0] = labels[0] = 0
    np.testing.assert_array_equal(probs, before)


@pytest.mark.parametrize("writeable", [True, False])
def test_the_top_class_is_found_in_arrays_that_nobody_may_write_to(writeable):
    probs = np.array(GOOD)
    probs.flags.writeable = writeable
    p = cv.Predictions(probs, LABELS)
    assert p.predicted.tolist() == probs.argmax(axis=1).tolist()
    assert p.confidence.tolist() == probs.max(axis=1).tolist()
    assert probs.flags.writeable is writeable and not p.probs.flags.writeable


def test_rows_within_the_tolerance_are_kept_as_they_are():
    probs = np.array([[0.5, 0.5009], [0.5, 0.4991]])
    p = cv.Predictions(probs, [0, 1])
    assert np.shares_memory(p.probs, probs)
    assert p.probs.tolist() == [[0.5, 0.5009], [0.5, 0.4991]]


@pytest.mark.parametrize("overshoot", [1e-7, 9e-7])
def test_small_overshoot_is_clipped(overshoot):
    probs = np.array([[1 + overshoot, -overshoot], [0.4, 0.6]])
    before = probs.copy()
    p = cv.Predictions(probs, [0, 1])
    assert p.probs.tolist() == [[1, 0], [0.4, 0.6]]
    np.testing.assert_array_equal(probs, before)
    assert cv.Predictions([1 + overshoot, -overshoot], [1, 0]).probs.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    "probs",
    [
        GOOD.tolist(),
        tuple(map(tuple, GOOD)),
        np.asfortranarray(GOOD),
        GOOD.astype(">f8"),
        GOOD.astype(np.longdouble),
        GOOD.astype(object),
        GOOD[::-1][::-1],
        pd.DataFrame(GOOD, columns=["a", "b", "c"]),
        pl.DataFrame(GOOD, schema=["a", "b", "c"]),
        xr.DataArray(GOOD, dims=("sample", "class")),
        Tensor(GOOD),
        np.matrix(GOOD),
    ],
    ids=lambda value: type(value).__name__,
)
def test_containers(probs):
    p = cv.Predictions(probs, LABELS)
    assert type(p.probs) is np.ndarray
    np.testing.assert_array_equal(p.probs, GOOD)


@pytest.mark.parametrize(
    "labels",
    [
        [0, 2, 1],
        (0, 2, 1),
        np.array([0, 2, 1], dtype=np.uint8),
        np.array([0.0, 2.0, 1.0], dtype=np.float32),
        ["cat", "eel", "dog"],
        np.array(["cat", "eel", "dog"], dtype=object),
        np.array([b"cat", b"eel", b"dog"]),
        np.eye(3)[[0, 2, 1]],
        np.eye(3, dtype=bool)[[0, 2, 1]],
        np.eye(3, dtype=int)[[0, 2, 1]].tolist(),
        pd.Series(["cat", "eel", "dog"]),
        pd.Series(["cat", "eel", "dog"], dtype="category"),
        pd.Series([0, 2, 1], dtype="Int64"),
        pl.Series(["cat", "eel", "dog"]),
        pl.Series([0, 2, 1]),
        xr.DataArray([0, 2, 1]),
        Tensor(np.array([0, 2, 1])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_labels(labels):
    p = cv.Predictions(GOOD, labels, class_names=["cat", "dog", "eel"])
    assert p.labels.tolist() == [0, 2, 1]
    assert p.labels.dtype == np.intp
    assert p.soft_labels is None


def test_soft_labels():
    rows = np.array([[0.5, 0.5, 0], [0, 0, 1], [0.2, 0.3, 0.5]])
    p = cv.Predictions(GOOD, rows)
    assert p.labels is None
    np.testing.assert_array_equal(p.soft_labels, rows)
    assert cv.accuracy(p) == pytest.approx((0.5 + 1 + 0.3) / 3)


def test_binary_input():
    p = cv.Predictions([0.2, 0.7], [0, 1])
    np.testing.assert_array_equal(p.probs, [[0.8, 0.2], [1 - 0.7, 0.7]])
    small = cv.Predictions(np.array([0.1], dtype=np.float32), [0])
    assert small.probs[0, 1] == np.float64(np.float32(0.1))
    assert small.probs[0, 0] == 1 - np.float64(np.float32(0.1))
    assert cv.Predictions([True, False], [1, 0]).probs.tolist() == [[0, 1], [1, 0]]
    logits = cv.Predictions(logits=[0.0, 2.0], labels=[0, 1])
    np.testing.assert_allclose(logits.probs[:, 1], 1 / (1 + np.exp([0.0, -2.0])))


def test_logits_give_the_softmax_in_float64():
    z = np.array([[30.0, 0, -5], [1000, 1001, 1002], [-1e4, 0, 0]], dtype=np.float32)
    p = cv.Predictions(logits=z, labels=LABELS)
    assert p.probs.dtype == np.float64
    assert p.probs[0, 0] < 1
    for row, found in zip(z.astype(float), p.probs, strict=True):
        e = np.exp(row - row.max())
        np.testing.assert_allclose(found, e / e.sum(), rtol=1e-14)
    both = cv.Predictions(GOOD, LABELS, logits=z)
    np.testing.assert_array_equal(both.probs, GOOD)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_normalize(dtype):
    counts = np.array([[1, 3, 0], [0.5, 0.25, 0.25], [7, 7, 7]], dtype=dtype)
    before = counts.copy()
    p = cv.Predictions(counts, LABELS, normalize=True)
    exact = counts.astype(float) / counts.astype(float).sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(p.probs, cv.Predictions(counts.astype(float), LABELS, normalize=True).probs)
    np.testing.assert_allclose(p.probs, exact)
    np.testing.assert_array_equal(counts, before)
    assert p.row_sums.dtype == np.float64 and p.row_sums.tolist() == [4, 1, 21]


def test_sums_of_rescaled_rows_are_remembered():
    p = cv.Predictions([[2, 2], [1, 0], [0.2, 0.2]], [0, 1, 1], normalize=True)
    reweighted, relabelled = p.reweighted(np.array([0.0, 1, 2])), p.relabelled(np.array([1, 1, 1]), None)
    for one in (p, reweighted, relabelled, pickle.loads(pickle.dumps(p))):
        assert one.row_sums.tolist() == [4, 1, 0.4]
    with pytest.raises(ValueError, match="read-only"):
        p.row_sums[0] = 1
    assert p.select(np.array([2, 0])).row_sums.tolist() == [0.4, 4]
    assert cv.Predictions([0.2, 0.7], [0, 1], normalize=True).row_sums is None
    # Others were not rescaled here.
    logits = cv.Predictions(None, [0], logits=[[1, 2]], normalize=True)
    for other in (cv.Predictions(GOOD, LABELS), p.with_probs(p.probs), logits):
        assert other.row_sums is None


# ---- what is refused


@pytest.mark.parametrize(
    ("probs", "message"),
    [
        (changed((1, 2), NAN), r"probs\[1, 2\] is nan: every entry must be finite"),
        (changed((2, 0), INF), r"probs\[2, 0\] is inf: every entry must be finite"),
        (changed((0, 1), -INF), r"probs\[0, 1\] is -inf: every entry must be finite"),
        (changed((0, 1), -0.3), r"probs\[0, 1\] is -0.3: a probability lies between 0 and 1"),
        (changed((2, 1), 1.01), r"probs\[2, 1\] is 1.01: a probability lies between 0 and 1"),
        (changed((2, 1), 1 + 2e-6), r"probs\[2, 1\] is 1: a probability lies between|probs\[2, 1\] is 1.000002"),
        (changed((0, 0), 0.4), "row 0 of probs sums to 0.9, not to 1 within 0.001; pass normalize=True"),
        (changed(1, 0), "row 1 of probs sums to 0, not to 1"),
        (np.empty((0, 3)), r"probs is empty: its shape is \(0, 3\)"),
        ([], "probs is empty"),
        (np.ones((3, 1)), r"probs has shape \(3, 1\): at least two classes are needed"),
        (np.ones((3, 1, 2)), r"probs must have shape \(n, K\).*it has shape \(3, 1, 2\)"),
        (0.5, r"probs must have shape \(n, K\).*it has shape \(\)"),
        ([[0.5, 0.5], [1.0]], "probs cannot be read as an array"),
        ([0.2, NAN, 0.1], r"probs\[1\] is nan: every entry must be finite"),
        ([0.2, 0.5, 1.2], r"probs\[2\] is 1.2: a probability lies between 0 and 1"),
        ([[2.0, 1.0, -3.0]] * 3, r"probs\[0, 0\] is 2: a probability lies between 0 and 1"),
        (np.ma.masked_array(GOOD, GOOD == 0.3), r"probs\[0, 1\] is masked|probs holds masked"),
    ],
)
def test_bad_values(probs, message):
    with pytest.raises(ValueError, match=message):
        cv.Predictions(probs, LABELS)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_place_of_a_bad_value_in_a_large_array(dtype):
    probs = np.full((70_000, 8), 0.125, dtype=dtype)
    for row in (0, 32_767, 32_768, 69_999):
        with pytest.raises(ValueError, match=rf"probs\[{row}, 5\] is nan"):
            cv.Predictions(changed((row, 5), NAN, probs), np.zeros(70_000, int))
    with pytest.raises(ValueError, match=r"row 69999 of probs sums to 0\.875"):
        cv.Predictions(changed((69_999, 0), 0, probs), np.zeros(70_000, int))


@pytest.mark.parametrize(
    ("probs", "message"),
    [
        (None, r"probs is missing: pass probabilities of shape \(n, K\), or logits"),
        ("0.5", "probs must be an array of numbers, not str"),
        ([["a", "b"]], "probs must be an array of numbers, not an array of text"),
        ({"a": 1}, "probs must be an array of numbers, not dict"),
        (csr_matrix(GOOD), "probs must be an array of numbers, not csr_matrix"),
        (GOOD + 0j, "probs must be an array of numbers, not an array of complex128"),
        (np.zeros((3, 3), "M8[D]"), r"probs must be an array of numbers, not an array of datetime64\[D\]"),
        (changed((1, 1), "x", GOOD.astype(object)), r"probs must hold numbers, but probs\[1, 1\] is 'x'"),
        (changed((1, 1), "0.1", GOOD.astype(object)), r"probs must hold numbers, but probs\[1, 1\] is '0.1'"),
        (changed((1, 1), pd.NA, GOOD.astype(object)), r"probs must hold numbers, but probs\[1, 1\] is <NA>"),
    ],
)
def test_bad_kinds(probs, message):
    with pytest.raises(TypeError, match=message):
        cv.Predictions(probs, LABELS)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (changed((1, 2), NAN), r"probs\[1, 2\] is nan"),
        (changed((1, 2), -0.5), r"probs\[1, 2\] is -0.5: a probability cannot be negative"),
        (changed(1, 0), "row 1 of probs sums to 0 and cannot be renormalised"),
        (changed(0, 1e308), "row 0 of probs sums to inf and cannot be renormalised"),
    ],
)
def test_normalize_has_its_limits(value, message):
    with pytest.raises(ValueError, match=message):
        cv.Predictions(value, LABELS, normalize=True)


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (None, TypeError, "labels is missing"),
        ([0, 3, 1], ValueError, r"labels\[1\] is 3, but the 3 classes are 0..2"),
        ([0, 1, -1], ValueError, r"labels\[2\] is -1, but the 3 classes are 0..2"),
        ([0, 0.5, 1], ValueError, r"labels\[1\] is 0.5: a label is the whole number of a class, or its name"),
        ([0, NAN, 1], ValueError, r"labels\[1\] is nan: a label is the whole number"),
        ([0, 1], ValueError, "labels has 2 entries, but there are 3 rows of probabilities"),
        ([0, 1, 2, 0], ValueError, "labels has 4 entries, but there are 3 rows"),
        (0, ValueError, r"labels must have shape \(n,\) or \(n, K\); it has shape \(\)"),
        (["0", "cow", "1"], ValueError, r"labels\[1\] is 'cow', which is not one of the class names '0', '1', '2'"),
        ([b"0", b"cow", b"1"], ValueError, r"labels\[1\] is 'cow', which is not one of the class names"),
        ([0, None, 1], ValueError, r"labels\[1\] is None, which is not one of the class names"),
        ([1j, 0, 1], TypeError, "labels must be whole numbers, class names or rows, not complex128"),
        ([[1, 0]] * 3, ValueError, r"labels has shape \(3, 2\), but there are 3 classes"),
        (
            [[0, 3, 1]] * 3,
            ValueError,
            r"labels\[0, 1\] is 3: .*; divide counts, such as votes of annotators, by the sum",
        ),
        ([[0, 1, 1]] * 3, ValueError, "row 0 of labels sums to 2, .*; divide counts, such as votes of annotators, by"),
        ([[0, 0, 0]] * 3, ValueError, "row 0 of labels sums to 0, not to 1: rows are one-hot or label frequencies"),
        ([[0.5, 0.4, 0]] * 3, ValueError, "row 0 of labels sums to 0.9, not to 1"),
        ([[1, 0, 0], [2, -1, 0], [0, 0, 1]], ValueError, r"labels\[1, 0\] is 2: a probability lies between 0 and 1"),
        ([[1, 0, 0], [NAN, 1, 0], [0, 0, 1]], ValueError, r"labels\[1, 0\] is nan"),
        ([[1], [1, 2], [0]], ValueError, "labels cannot be read as an array"),
        (csr_matrix(np.eye(3)), (TypeError, ValueError), "labels must"),
    ],
)
def test_bad_labels(labels, error, message):
    with pytest.raises(error, match=message):
        cv.Predictions(GOOD, labels)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"weights": [1, 2]}, ValueError, r"weights must have shape \(3,\), one for each sample; it has shape \(2,\)"),
        ({"weights": [1, -2, 1]}, ValueError, r"weights\[1\] is -2: a weight cannot be negative"),
        ({"weights": [1, NAN, 1]}, ValueError, r"weights\[1\] is nan: every entry must be finite"),
        ({"weights": [1, 1, INF]}, ValueError, r"weights\[2\] is inf: every entry must be finite"),
        ({"weights": [0, 0, 0]}, ValueError, "weights are all 0, so no sample counts: pass weights of which one"),
        ({"weights": ["a", "b", "c"]}, TypeError, "weights must be an array of numbers"),
        ({"weights": 1}, ValueError, r"weights must have shape \(3,\)"),
        ({"class_names": ["a", "b"]}, ValueError, "class_names has 2 names, but there are 3 classes"),
        ({"class_names": ["a", "b", "a"]}, ValueError, r"class_names\[2\] repeats the name 'a'"),
        ({"class_names": ["1", 1, 2]}, ValueError, r"class_names\[1\] repeats the name '1'"),
        ({"class_names": "abc"}, TypeError, "class_names must be a list of 3 names, not the text 'abc'"),
        ({"groups": [[0], [1, 2]]}, TypeError, "groups must map names to lists of classes, as a dict does"),
        ({"groups": {"a": [0, 1], "b": [1, 2]}}, ValueError, "groups must not overlap: class '1' is in 'a' and in 'b'"),
        ({"groups": {"a": [0, 0], "b": [1, 2]}}, ValueError, "groups must not overlap: class '0' is in 'a' and in 'a'"),
        ({"groups": {"a": [0], "b": [1]}}, ValueError, "groups must hold every class: no group holds the class '2'"),
        ({"groups": {"a": [0, 1, 2], "b": []}}, ValueError, r"groups\['b'\] is empty"),
        ({"groups": {"a": [0, 1, 2]}}, ValueError, "groups must be at least two groups: a single one"),
        ({"groups": {}}, ValueError, "groups must hold every class"),
        ({"groups": {"a": [0, 7], "b": [1, 2]}}, ValueError, r"groups\['a'\]: class 7 is unknown"),
        ({"groups": {"a": [0, True], "b": [2]}}, ValueError, r"groups\['a'\]: class True is unknown"),
        ({"groups": {"a": "01", "b": [2]}}, TypeError, r"groups\['a'\] must be a list of classes, not the text '01'"),
        ({"groups": {"a": 0, "b": [1, 2]}}, TypeError, r"groups\['a'\] must be a list of classes, not 0"),
        ({"groups": {1: [0], "1": [1], "b": [2]}}, ValueError, "'1'"),
        ({"fields": {"age": [1, 2]}}, ValueError, r"fields\['age'\] must have shape \(3,\).*it has shape \(2,\)"),
        ({"fields": {"age": [[1], [2], [3]]}}, ValueError, r"fields\['age'\] must have shape \(3,\)"),
        ({"fields": [1, 2, 3]}, TypeError, "fields must map names to columns"),
        ({"logits": GOOD[:2]}, ValueError, r"logits has shape \(2, 3\), but probs has shape \(3, 3\)"),
        ({"logits": GOOD[:, :2]}, ValueError, r"logits has shape \(3, 2\), but probs has shape \(3, 3\)"),
        ({"logits": changed((1, 1), -INF)}, ValueError, r"logits\[1, 1\] is -inf: every entry must be finite"),
        ({"logits": np.ones((3, 1))}, ValueError, r"logits must have shape \(n, K\).*it has shape \(3, 1\)"),
        ({"logits": "abc"}, TypeError, "logits must be an array of numbers, not str"),
    ],
)
def test_bad_extras(arguments, error, message):
    with pytest.raises(error, match=message):
        cv.Predictions(GOOD, LABELS, **arguments)


LEVELS = {"size": {"small": [0], "large": [1, 2]}, "kind": {"odd": [1], "even": ["0", "2"]}}


def test_levels_of_a_hierarchy():
    p = cv.Predictions(GOOD, LABELS, hierarchy=LEVELS)
    assert p.hierarchy == {"size": {"small": (0,), "large": (1, 2)}, "kind": {"odd": (1,), "even": (0, 2)}}
    assert list(p.hierarchy) == list(LEVELS)
    for other in (p.select(np.array([2, 0])), p.reweighted(np.ones(3)), p.with_probs(GOOD)):
        assert other.hierarchy == p.hierarchy
    assert "hierarchy size, kind" in repr(p)
    assert cv.Predictions(GOOD, LABELS).hierarchy == {}
    error = cv.calibration_error(p, cv.Grouping(p.hierarchy["size"]))
    assert error == cv.calibration_error(cv.Predictions(GOOD, LABELS, groups=LEVELS["size"]), "grouping")


@pytest.mark.parametrize(
    ("hierarchy", "error", "message"),
    [
        ([LEVELS], TypeError, "hierarchy must map names to groups of classes, as a dict does"),
        ({"size": [[0], [1, 2]]}, TypeError, "hierarchy['size'] must map names to lists of classes, as a dict does"),
        ({" size": LEVELS["size"]}, ValueError, "hierarchy has the name ' size': a name cannot be empty"),
        ({1: LEVELS["size"], "1": LEVELS["kind"]}, ValueError, "hierarchy has the name '1' twice"),
        ({"size": {"a": [0, 1], "b": [1, 2]}}, ValueError, "hierarchy['size'] must not overlap: class '1' is in 'a'"),
        ({"size": {"a": [0], "b": [1]}}, ValueError, "hierarchy['size'] must hold every class: no group holds the"),
        ({"size": {"a": [0, 1, 2]}}, ValueError, "hierarchy['size'] must be at least two groups"),
        ({"size": {"a": [0, 1, 2], "b": []}}, ValueError, "hierarchy['size']['b'] is empty: every group needs at"),
        ({"size": {"a": [0, 7], "b": [1, 2]}}, ValueError, "hierarchy['size']['a']: class 7 is unknown"),
        ({"size": {"a": "01", "b": [2]}}, TypeError, "hierarchy['size']['a'] must be a list of classes, not the text"),
        ({"size": {"": [0, 1], "b": [2]}}, ValueError, "hierarchy['size'] has the name '': a name cannot be empty"),
    ],
)
def test_bad_hierarchies(hierarchy, error, message):
    with pytest.raises(error) as caught:
        cv.Predictions(GOOD, LABELS, hierarchy=hierarchy)
    assert str(caught.value).startswith(message)


def test_numbers_of_object_columns_stay_numbers():
    p = cv.Predictions(GOOD, LABELS, fields={"age": np.array([30, 40.5, 50], dtype=object)})
    assert cv.selection("age > 35").mask(p).tolist() == [False, True, True]


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, NAN])
def test_split_messages(share):
    p = cv.Predictions(GOOD, LABELS)
    with pytest.raises(ValueError, match="share must lie strictly between 0 and 1"):
        p.split(share)
    with pytest.raises(
        ValueError, match=r"share 0\.01 of 3 samples leaves one part empty: pass a share nearer to 0\.5"
    ):
        p.split(0.01)
    with pytest.raises(ValueError, match="ranks must be between 1 and 3, not 4"):
        p.ranking(4)


def test_split_has_no_overlap():
    n = 101
    fields, weights = {"id": np.arange(n)}, np.arange(n) + 1
    p = cv.Predictions(np.full((n, 2), 0.5), np.arange(n) % 2, logits=np.zeros((n, 2)), fields=fields, weights=weights)
    first, second = p.split(0.3, rng=1)
    assert len(first) == 30
    assert sorted([*first.fields["id"], *second.fields["id"]]) == list(range(n))
    for part in (first, second):
        np.testing.assert_array_equal(part.weights, part.fields["id"] + 1)
        np.testing.assert_array_equal(part.labels, part.fields["id"] % 2)
        assert part.logits.shape == part.probs.shape
    np.testing.assert_array_equal(p.split(0.3, rng=1)[0].fields["id"], first.fields["id"])
    assert p.split(0.3, rng=2)[0].fields["id"].tolist() != first.fields["id"].tolist()


# ---- names


@pytest.mark.parametrize(
    ("sign", "code"),
    [
        ("\n", "U+000A"),
        ("\0", "U+0000"),
        ("\u202e", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("\u2067", "U+2067 RIGHT-TO-LEFT ISOLATE"),
        ("\u200b", "U+200B ZERO WIDTH SPACE"),
        ("\u2028", "U+2028 LINE SEPARATOR"),
        ("\ud800", "U+D800"),
        ("\ue001", "U+E001"),  # by which sentences mark what is off
    ],
)
@pytest.mark.parametrize(
    ("argument", "start"),
    [
        (lambda name: {"class_names": ["a", name, "c"]}, "class_names[1] is"),
        (lambda name: {"fields": {name: [1, 2, 3]}}, "fields has the name"),
        (lambda name: {"groups": {"a": [0], name: [1, 2]}}, "groups has the name"),
        (lambda name: {"hierarchy": {name: {"a": [0], "b": [1, 2]}}}, "hierarchy has the name"),
        (lambda name: {"hierarchy": {"of": {"a": [0], name: [1, 2]}}}, "hierarchy['of'] has the name"),
    ],
)
def test_names_hold_nothing_that_is_not_seen(sign, code, argument, start):
    name = f"b{sign}d"
    with pytest.raises(ValueError) as caught:
        cv.Predictions(GOOD, LABELS, **argument(name))
    assert str(caught.value) == f"{start} {name!r}: a name cannot hold the sign {code}, which is not seen"


def test_names_of_all_languages():
    names = ["می\u200cشود", "👩\u200d⚕️", "sans\xa0lésion"]
    p = cv.Predictions(GOOD, LABELS, class_names=names, fields={name: [1, 2, 3] for name in names})
    assert p.class_names == tuple(p.fields) == tuple(names)


# ---- true or false


def flags():
    """Every argument of the public names that is true or false, with a call that is wrong in nothing else so early."""
    for name in cv.__all__:
        thing = getattr(cv, name)
        several = [(name, thing)] if callable(thing) else []
        if inspect.isclass(thing):
            several += [(f"{name}.{of}", method) for of, method in vars(thing).items() if inspect.isfunction(method)]
        for called, function in several:
            if called.rpartition(".")[2].startswith("_") or called.endswith(".get_params"):  # scikit-learn passes that
                continue
            try:
                parameters = inspect.signature(function).parameters
            except ValueError:
                continue
            for argument, parameter in parameters.items():
                if parameter.annotation in ("bool", bool):
                    needed = [one for one in parameters.values() if one.default is one.empty]
                    given = [cv.Spline()] * sum(one.kind < one.VAR_POSITIONAL for one in needed)
                    named = {one.name: cv.Spline() for one in needed if one.kind is one.KEYWORD_ONLY}
                    yield pytest.param(function, given, named, argument, id=f"{called}-{argument}")


@pytest.mark.parametrize("value", ["no", "False", NAN, None, 0])
@pytest.mark.parametrize(("function", "given", "named", "argument"), list(flags()))
def test_true_or_false_is_nothing_else(function, given, named, argument, value):
    with pytest.raises(TypeError, match=f"^{argument} must be True or False, not {value!r}$"):
        function(*given, **named | {argument: value})


def test_a_rescaling_is_asked_for_by_true_alone():
    half = GOOD / 2
    assert cv.Predictions(half, LABELS, normalize=np.True_).probs[0].tolist() == [0.5, 0.3, 0.2]
    with pytest.raises(ValueError, match=r"sums to 0\.5"):
        cv.Predictions(half, LABELS, normalize=np.False_)


# ---- what the user changes afterwards


@pytest.mark.parametrize("kind", [float, int, "U3", "datetime64[D]", bool])
def test_fields_are_copied(kind):
    ages = np.array([0, 1, 1]).astype(kind)
    p = cv.Predictions(GOOD, LABELS, fields={"age": ages, "series": pd.Series(ages, copy=False)})
    before = {name: column.copy() for name, column in p.fields.items()}
    ages[:] = ages[1]
    for name, column in p.fields.items():
        np.testing.assert_array_equal(column, before[name])
        with pytest.raises(ValueError, match="read-only"):
            column[0] = column[1]


def test_a_selection_is_of_the_fields_as_they_were_given():
    age = np.array([10.0, 70.0, 80.0])
    p = cv.Predictions(GOOD, LABELS, fields={"age": age})
    before = cv.calibration_error(p, selection="age > 60")
    age[:] = age[::-1].copy()
    again = cv.Predictions(GOOD, LABELS, fields=p.fields)
    assert cv.calibration_error(p, selection="age > 60") == before == cv.calibration_error(again, selection="age > 60")


def test_large_whole_numbers_stay_apart():
    p = cv.Predictions(GOOD, LABELS, fields={"patient": [2**70, 2**70 + 1, 1], "visit": [2**60, None, 2**60 + 1]})
    assert p.fields["patient"].tolist() == [str(2**70), str(2**70 + 1), "1"]
    assert p.fields["visit"].tolist() == [str(2**60), "", str(2**60 + 1)]


@pytest.mark.parametrize("column", [[1j, 2, 3], np.zeros(3, dtype=[("a", int)])])
def test_fields_are_numbers_text_or_dates(column):
    with pytest.raises(TypeError, match=r"fields\['x'\] must hold numbers, text, booleans or dates, not "):
        cv.Predictions(GOOD, LABELS, fields={"x": column})


def test_an_empty_list_is_called_empty():
    with pytest.raises(ValueError, match=r"^thresholds must not be empty$"):
        cv.decision_curve(cv.Predictions(GOOD, LABELS), "class 1", thresholds=[])


def test_fields_of_moments_are_told_in_one_time_zone_and_may_lack_some():
    noon = datetime(2024, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    made = cv.Predictions([[0.5, 0.5]] * 3, [0, 1, 0], fields={"seen": [noon, None, date(2024, 1, 2)]})
    seen = made.fields["seen"]
    assert seen.dtype.kind == "M" and np.isnat(seen).tolist() == [False, True, False]
    assert seen[0] == np.datetime64("2024-01-01T10:00") and seen[2] == np.datetime64("2024-01-02")
    with pytest.raises(ValueError, match=r"fields\['seen'\] must have shape \(3,\), one a sample; it has shape \(2,\)"):
        cv.Predictions([[0.5, 0.5]] * 3, [0, 1, 0], fields={"seen": [1, 2]})


def test_rows_may_be_a_slice():
    made = cv.Predictions([[0.5, 0.5], [0.2, 0.8], [0.3, 0.7]], [0, 1, 0])
    np.testing.assert_array_equal(made.select(slice(1, None)).probs, made.select([1, 2]).probs)


@pytest.mark.parametrize("column", [pd.Series([pd.NA, "a"], dtype="string"), pd.Series([pd.NA, 2.5], dtype="Float64")])
@pytest.mark.parametrize("of", [lambda column: {"f": column}, lambda column: {"f": column.astype(object)}, "frame"])
def test_fields_of_pandas_may_lack_values(column, of):
    p = cv.Predictions([0.2, 0.7], [0, 1], fields=pd.DataFrame({"f": column}) if of == "frame" else of(column))
    assert p.fields["f"].tolist() == pytest.approx([np.nan, 2.5] if column[1] == 2.5 else ["", "a"], nan_ok=True)


def test_a_field_may_be_infinite():
    table = pd.DataFrame({"label": [0, 1] * 15, "prob": np.linspace(0.2, 0.7, 30), "ratio": [np.inf, 1.5, -2] * 10})
    assert cv.read_predictions(table).fields["ratio"].tolist() == [np.inf, 1.5, -2] * 10


@pytest.mark.parametrize("kind", ["arrow", "polars", "pandas"])
def test_large_whole_numbers_keep_their_digits_where_others_are_missing(kind):
    ids = [2**60 + 1, None, 2**60, -3]
    frame = pl.DataFrame({"label": [0, 1, 0, 1], "prob": [0.1, 0.9, 0.2, 0.7], "id": ids, "few": [1, None, 3, 4]})
    table = {"polars": frame, "arrow": frame.to_arrow(), "pandas": frame.to_pandas(use_pyarrow_extension_array=True)}
    fields = cv.Predictions.from_frame(table[kind], fields=["id", "few"]).fields
    assert fields["id"].tolist() == ["1152921504606846977", "", "1152921504606846976", "-3"]
    np.testing.assert_array_equal(fields["few"], [1, np.nan, 3, 4])
