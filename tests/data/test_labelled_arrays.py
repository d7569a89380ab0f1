"""Fields of probabilities and ensembles of xarray as samples, with their coordinates as fields."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import calibviz as cv

RNG = np.random.default_rng(8)
TIME, LAT, LON = pd.date_range("2025-01-01", periods=6), [50.0, 51.0, 52.0], [3, 4]
DIMS, SHAPE = ("time", "lat", "lon"), (6, 3, 2)
COORDS = {
    "time": TIME,
    "lat": LAT,
    "lon": LON,
    "month": ("time", TIME.month),
    "height": (("lat", "lon"), np.ones((3, 2))),
}
ENSEMBLE = xr.DataArray(RNG.random((10, *SHAPE)), dims=("number", *DIMS), coords=COORDS)
PROB = xr.DataArray(RNG.random(SHAPE), dims=DIMS, coords=COORDS)
SEEN = xr.DataArray(RNG.random(SHAPE), dims=DIMS, coords=COORDS)
HAPPENED = SEEN > 0.6


def test_the_share_of_the_members_is_the_probability():
    p = cv.Predictions.from_xarray(ENSEMBLE > 0.6, HAPPENED, member="number")
    np.testing.assert_allclose(p.probs[:, 1], (ENSEMBLE > 0.6).mean("number").values.ravel())
    np.testing.assert_array_equal(p.labels, HAPPENED.values.ravel())
    assert p.fields.keys() == {"time", "lat", "lon", "month", "height"}
    np.testing.assert_array_equal(p.fields["time"], np.repeat(TIME.values, 6))
    np.testing.assert_array_equal(p.fields["lon"], np.tile(LON, 18))
    said = p.about["assumed"]
    assert said.startswith("P(1) from 'prob': mean ") and "truth from 'observed'" in said
    assert (
        "a sample is one of 6 time x 3 lat x 2 lon; rows that share time or lat or lon may not be independent" in said
    )
    assert "probabilities are the shares of 10 members" in said
    assert np.isfinite(cv.calibration_error(p, selection="lat > 50.5"))


@pytest.mark.parametrize("sample", [None, ("time", "lat", "lon"), ["lon", "time", "lat"]])
def test_dimensions_are_matched_by_name_and_stacked_in_the_order_that_sample_says(sample):
    p = cv.Predictions.from_xarray(PROB.transpose("lat", "lon", "time"), HAPPENED, sample=sample)
    order = sample or ("lat", "lon", "time")
    np.testing.assert_array_equal(p.probs[:, 1], PROB.transpose(*order).values.ravel())
    np.testing.assert_array_equal(p.labels, HAPPENED.transpose(*order).values.ravel())


def test_one_dimension_is_named_alone_and_has_no_neighbours():
    p = cv.Predictions.from_xarray(PROB[:, 0, 0], HAPPENED[:, 0, 0], sample="time")
    assert len(p) == 6 and "independent" not in p.about["assumed"] and "a sample is one of 6 time" in p.about["assumed"]


@pytest.mark.parametrize("names", [["dry", "wet", "snow"], [10, 20, 30], None])
def test_classes_are_those_of_the_coordinate(names):
    probs = RNG.dirichlet([1, 1, 1], SHAPE)
    coords = {"time": TIME} | ({} if names is None else {"class": names})
    prob = xr.DataArray(probs, dims=(*DIMS, "class"), coords=coords).transpose("class", ...)
    codes = RNG.integers(0, 3, SHAPE)
    seen = xr.DataArray(codes if names is None else np.array(names)[codes], dims=DIMS)
    p = cv.Predictions.from_xarray(prob, seen)
    np.testing.assert_array_equal(p.probs, probs.reshape(-1, 3))
    np.testing.assert_array_equal(p.labels, codes.ravel())
    assert list(p.class_names) == [str(name) for name in names or range(3)]
    one_hot = xr.DataArray(np.eye(3)[codes], dims=(*DIMS, "class"))
    np.testing.assert_array_equal(cv.Predictions.from_xarray(prob, one_hot).labels, codes.ravel())


def test_weights_over_some_dimensions_are_those_of_every_sample():
    weights = np.cos(np.deg2rad(PROB.lat))
    p = cv.Predictions.from_xarray(PROB, HAPPENED, weights=weights)
    np.testing.assert_allclose(p.weights, np.tile(np.repeat(weights.values, 2), 6))


def test_what_is_missing_is_refused_with_its_place_or_left_out():
    few = PROB.where((PROB.lat != 51) | (PROB.time != TIME[2]))
    with pytest.raises(ValueError, match=r"prob is missing at time=2025-01-03, lat=51.0, lon=3; missing='drop' leaves"):
        cv.Predictions.from_xarray(few, HAPPENED)
    seen = SEEN.where(SEEN.time != TIME[0])
    with pytest.raises(ValueError, match=r"observed is missing at time=2025-01-01, lat=50.0, lon=3"):
        cv.Predictions.from_xarray(PROB, (seen > 0.6).where(seen.notnull()))
    p = cv.Predictions.from_xarray(few, (seen > 0.6).where(seen.notnull()), missing="drop")
    assert len(p) == 36 - 2 - 6 == len(p.fields["lat"])
    assert "2 rows without prob left out; 6 rows without observed left out" in p.about["assumed"]
    event = (ENSEMBLE > 0.6).astype(float)
    event[0, :, 2] = np.nan
    assert len(cv.Predictions.from_xarray(event, HAPPENED, member="number", missing="drop")) == 24
    with pytest.raises(ValueError, match="prob is missing everywhere"):
        cv.Predictions.from_xarray(PROB * np.nan, HAPPENED, missing="drop")


def test_arrays_of_dask_are_loaded_by_who_knows_their_size():
    with pytest.raises(ValueError, match=r"prob is a dask array of \S+ GB that is not loaded: prob.load\(\) reads it"):
        cv.Predictions.from_xarray(PROB.chunk(time=2), HAPPENED)
    assert len(cv.Predictions.from_xarray(PROB.chunk(time=2).load(), HAPPENED)) == 36


STACKED = PROB.stack(sample=("time", "lat", "lon"))


def test_a_stacked_dimension_has_its_levels_as_fields():
    p = cv.Predictions.from_xarray(STACKED, HAPPENED.stack(sample=("time", "lat", "lon")))
    assert {"time", "lat", "lon"} <= p.fields.keys() and "sample" not in p.fields


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prob": PROB.values}, "prob must be an xarray.DataArray, not "),
        (
            {"observed": HAPPENED.to_dataset(name="rain")},
            "observed must be an xarray.DataArray, not a Dataset: choose one of 'rain'",
        ),
        ({"member": "nunber"}, "member='nunber': prob has no such dimension among 'time', 'lat', 'lon'"),
        ({"prob": ENSEMBLE > 0.6, "member": "numbr"}, "did you mean 'number'?"),
        (
            {"prob": ENSEMBLE > 0.6},
            "prob has the dimension 'number', which observed lacks: where it counts classes, rename "
            "it to 'class'; where it counts the members of an ensemble, pass member='number'",
        ),
        (
            {"prob": ENSEMBLE, "member": "number"},
            "not whether the event occurs in each: pass the event, such as ensemble",
        ),
        (
            {"prob": ENSEMBLE > 0.6, "observed": ENSEMBLE > 0.6, "member": "number"},
            "observed has the dimension 'number' of",
        ),
        ({"sample": ["time", "lat"]}, "prob has the dimension 'lon', which sample leaves out"),
        ({"sample": ["time", "level"]}, "sample='level': prob has no such dimension among 'time', 'lat', 'lon'"),
        ({"sample": 3}, "sample must be text"),
        ({"prob": PROB[0, 0, 0], "observed": HAPPENED[0, 0, 0]}, "prob has no dimension whose places could be samples"),
        (
            {"observed": HAPPENED.expand_dims(level=2)},
            "observed has the dimension 'level', which prob lacks: choose one",
        ),
        (
            {"observed": HAPPENED[:5]},
            "observed has 5 values along 'time', but prob has 6: xr.align(prob, observed, join=",
        ),
        (
            {"observed": HAPPENED.assign_coords(lat=[50, 51, 53])},
            "observed stands at lat=53, where prob stands at lat=52.0",
        ),
        ({"weights": xr.DataArray([1, 2], dims="level")}, "weights has the dimension 'level', which is none of 'time'"),
        ({"weights": xr.DataArray([1, 2], dims="lat")}, "weights has 2 values along 'lat', but prob has 3"),
        ({"prob": PROB + 0.5}, "a probability lies between 0 and 1"),
        (
            {"prob": PROB.where(PROB.lat < 52, 3)},
            "at time=2025-01-01, lat=52.0, lon=3: probs[4] is 3",
        ),
        ({"observed": HAPPENED * 2}, "lat="),
        ({"missing": "skip"}, "missing must be one of 'raise', 'drop', not 'skip'"),
    ],
)
def test_what_does_not_match_is_refused_by_name(given, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        cv.Predictions.from_xarray(**{"prob": PROB, "observed": HAPPENED} | given)
