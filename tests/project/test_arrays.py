"""Everything that takes predictions first takes probabilities and their labels as well, in any kind of array."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import api_calls
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr
from api_values import is_widget, predictions

import calibviz as cv
from calibviz.engine.scalar import MapOfSamples
from calibviz.reports import Report
from calibviz.uncertainty.resampling.bootstrap import Bootstrap
from calibviz.uncertainty.resampling.consistency import Consistency

FIRST = {name: given[0] for name, given in api_calls.targets().items() if name.count(".") == name.startswith("plots.")}
NEED_FIELDS = ("by_centre", "rubin", "monitor_windows", "over_time", "windows")  # which arrays do not have
FUNCTIONS = sorted(name for name, first in FIRST.items() if first == "predictions" and name not in NEED_FIELDS)
CALLED = [name for name in FUNCTIONS if not is_widget(name)]
PROBS, LABELS = predictions().probs, predictions().labels
NAMED = pl.DataFrame(dict(zip("abc", PROBS.T, strict=True)))  # a table, since recipes name the class "a"


def function_of(name: str) -> Any:
    owner, _, method = name.rpartition(".")
    return getattr(getattr(cv, owner) if owner else cv, method)


def options_of(name: str) -> dict[str, Any]:
    given = api_calls.arguments(name, function_of(name))
    return {option: value for option, value in given.items() if option not in ("predictions", "labels")}


def content(value: Any) -> Any:
    """The numbers of whatever a function returns, as plain values."""
    if isinstance(value, xr.Dataset | xr.DataArray):
        return value.to_dict()
    if isinstance(value, cv.plots.Picture):
        return [line.get_xydata() for axes in value.axes for line in axes.lines]
    if isinstance(value, cv.Predictions):
        return [value.probs, value.labels]
    if isinstance(value, MapOfSamples):
        return value.of_samples(value.problem)
    if isinstance(value, cv.Summary):
        return [value.problem.score, value.problem.target, value.problem.weight]
    if isinstance(value, Bootstrap | Consistency):
        return [value.estimate, value.replicates]
    if isinstance(value, Report):
        return re.sub(r"Made on \S+ \S+ UTC", "", value.html)
    if dataclasses.is_dataclass(value):
        return {field.name: content(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(name): content(each) for name, each in value.items()}
    return value


@pytest.mark.parametrize("name", CALLED)
def test_arrays_give_what_predictions_give(name):
    function, options = function_of(name), options_of(name)
    expected = content(function(cv.Predictions(NAMED, LABELS), **options))
    np.testing.assert_equal(content(function(NAMED, LABELS, **options)), expected)
    np.testing.assert_equal(content(function(NAMED, labels=LABELS, **options)), expected)


def test_views_take_arrays():
    expected = cv.Panel("reliability", cv.Predictions(PROBS, LABELS))
    for view in (cv.Panel("reliability", PROBS, LABELS), cv.Panel("reliability", PROBS, labels=LABELS)):
        xr.testing.assert_equal(view.cube(), expected.cube())
        view.close()
    expected.close()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_array_without_labels_is_refused(name):
    said = rf"^predictions must be cv\.Predictions\(probs, labels\), not ndarray: labels is missing, as in {name}\("
    with pytest.raises(TypeError, match=said.replace("plots.", "")):
        function_of(name)(PROBS, **options_of(name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_predictions_have_labels_of_their_own(name):
    with pytest.raises(TypeError, match=r"^labels go with an array of probabilities, but predictions is Predictions"):
        function_of(name)(predictions(), labels=LABELS, **options_of(name))


def test_the_second_array_is_no_label_where_labels_are_given():
    costs = np.eye(3)
    expected = cv.expected_cost(cv.Predictions(PROBS, LABELS), costs=costs)
    xr.testing.assert_equal(cv.expected_cost(PROBS, costs=costs, labels=LABELS), expected)
    xr.testing.assert_equal(cv.expected_cost(predictions=PROBS, costs=costs, labels=LABELS), expected)


def test_pairs_stand_for_models_and_calibration_sets():
    pair, p = (PROBS, LABELS), cv.Predictions(PROBS, LABELS)
    others = (PROBS[:, ::-1].copy(), LABELS)
    q = cv.Predictions(*others)
    options = {"calibrators": "isotonic", "metrics": "brier"}
    xr.testing.assert_equal(cv.evaluate(pair, calibration=others, **options), cv.evaluate(p, calibration=q, **options))
    of_pairs, of_predictions = (
        cv.within_noise(models, replicates=9) for models in ({"p": pair, "q": others}, {"p": p, "q": q})
    )
    assert (of_pairs.errors, of_pairs.p_values) == (of_predictions.errors, of_predictions.p_values)
    np.testing.assert_equal(content(cv.summarize_all({"p": pair})), content(cv.summarize_all({"p": p})))
    for draw in (cv.plots.ks, cv.plots.recalibration):
        np.testing.assert_equal(content(draw(PROBS, LABELS, calibration=others)), content(draw(p, calibration=q)))


class OnlyDLPack:
    """An array of another library, which hands over its memory by DLPack alone."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


class OnGraphicsCard(OnlyDLPack):
    """The same on a device that NumPy cannot read."""

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("it is on another device")


class WithGradient:
    """A tensor that refuses to become an array, as those of torch do."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


SCORE, RIGHT = PROBS[:, 1].copy(), (LABELS == 1).astype(np.int64)


@pytest.mark.parametrize("kind", [OnlyDLPack, pl.Series, pa.array, lambda a: pa.chunked_array([a]), xr.DataArray, list])
def test_arrays_of_other_libraries(kind):
    p = cv.Predictions(kind(SCORE), kind(RIGHT), weights=kind(SCORE), fields={"age": kind(SCORE)})
    assert np.array_equal(p.probs[:, 1], SCORE) and np.array_equal(p.labels, RIGHT)
    assert np.array_equal(p.weights, SCORE) and np.array_equal(p.fields["age"], SCORE)
    assert cv.ks_error(kind(SCORE), kind(RIGHT)) == cv.ks_error(cv.Predictions(SCORE, RIGHT))
    assert cv.ScalarProblem(kind(SCORE), kind(RIGHT)).score.tolist() == sorted(SCORE)


def test_rows_by_dlpack_are_not_copied():
    rows = PROBS.copy()
    assert np.shares_memory(cv.Predictions(OnlyDLPack(rows), OnlyDLPack(LABELS.copy())).probs, rows)
    fitted = cv.Temperature(1.5).fit(OnlyDLPack(rows), LABELS)
    assert np.array_equal(fitted.predict_proba(OnlyDLPack(rows)), fitted.predict_proba(PROBS))


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
def test_tables_name_the_classes(kind):
    table = kind(dict(zip("abc", PROBS.T, strict=True)))
    assert cv.evaluate(table, LABELS, "class b").lens.item() == "class b"
    assert cv.ks_error(table, LABELS, lens="class b") == cv.ks_error(cv.Predictions(PROBS, LABELS), "class 1")


def test_arrays_that_cannot_be_read_are_refused_by_name():
    with pytest.raises(ValueError, match=r"^probs cannot be read as an array: .*device"):
        cv.ks_error(OnGraphicsCard(SCORE), RIGHT)
    with pytest.raises(ValueError, match=r"^labels cannot be read as an array: Can't call numpy\(\) on Tensor"):
        cv.ks_error(SCORE, WithGradient())
    with pytest.raises(ValueError, match=r"^logits must have shape \(n, K\) .* it has shape \(0, 3\)"):
        cv.Predictions(logits=OnlyDLPack(np.zeros((0, 3))), labels=[])
