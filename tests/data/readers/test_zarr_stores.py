"""Zarr stores of which something is missing: zarr would read it as its fill value, such as the label 0."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest
import xarray as xr
from prediction_files import refuse

import calibviz as cv

pytestmark = pytest.mark.filterwarnings(  # of what the two packages think of metadata that are consolidated, or not
    "ignore:Failed to open Zarr store with consolidated metadata", "ignore:Consolidated metadata is currently not part"
)
N, ROWS = 600, 100


def data(labels=None) -> xr.Dataset:
    rng = np.random.default_rng(3)
    probs = rng.dirichlet([1, 1, 1], N)
    labels = rng.integers(0, 3, N) if labels is None else labels
    columns = {"label": labels, "age": rng.integers(0, 90, N)}
    return xr.Dataset({"probs": (("sample", "class"), probs), **{k: ("sample", v) for k, v in columns.items()}})


def written(folder, dataset=None, *, zarr_format=3, consolidated=True, shards=None, **options):
    path = folder / "p.zarr"
    encoding = {} if shards is None else {n: {"chunks": (50,), "shards": (shards,)} for n in ("label", "age")}
    (data() if dataset is None else dataset).chunk(sample=ROWS).to_zarr(
        path, zarr_format=zarr_format, consolidated=consolidated, encoding=encoding, **options
    )
    return path


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"zarr_format": 2}, "3"),
        ({"zarr_format": 2, "consolidated": False}, "3"),
        ({}, "c/3"),
        ({"consolidated": False}, "c/3"),
        ({"shards": ROWS}, "c/3"),
    ],
)
@pytest.mark.parametrize("name", ["label", "age"])
def test_a_missing_chunk_of_whole_numbers_is_refused_by_name(tmp_path, options, key, name):
    path = written(tmp_path, **options)
    assert len(cv.read_predictions(path)) == len(cv.open_predictions(path).sample(10**9, progress=False)) == N
    (path / name / key).unlink()
    message = f"the chunk '{key}' of the array '{name}', rows 300 to 399, is missing: it is lost, or zarr left it out"
    refuse(path, f"{message} ...")
    with pytest.raises(ValueError, match=f"p.zarr: {message}"):
        cv.open_predictions(path)


@pytest.mark.parametrize("key", ["c/2/0", "c"])
def test_a_missing_chunk_of_probabilities_is_refused_by_name(tmp_path, key):
    path = written(tmp_path)
    shutil.rmtree(path / "probs" / key) if key == "c" else (path / "probs" / key).unlink()
    first = "rows 0 to 99" if key == "c" else "rows 200 to 299"
    refuse(path, f"the chunk 'c/{0 if key == 'c' else 2}/0' of the array 'probs', {first}, is missing: ...")


def test_a_chunk_that_is_lost_after_the_store_was_opened_is_refused(tmp_path):
    path = written(tmp_path)
    lazy = cv.open_predictions(path, rows=200)
    (path / "label" / "c" / "5").unlink()
    with pytest.raises(ValueError, match=r"rows 400 to 599: the chunk 'c/5' of the array 'label', rows 500 to 599, is"):
        cv.summarize(lazy, progress=False)


def test_a_chunk_of_nothing_but_the_fill_value_is_read_where_it_is_written(tmp_path):
    """Labels that are sorted, as zarr writes them by default, cannot be told from a store of which a chunk is lost."""
    labels = np.sort(data()["label"].values)
    path = written(tmp_path, data(labels))
    refuse(
        path,
        "the chunk 'c/0' of the array 'label', rows 0 to 99, is missing: it is lost, or zarr left it out as it holds "
        "nothing but the fill value, which cannot be told apart; where nothing is lost, write the store again with "
        "to_zarr(..., write_empty_chunks=True)",
    )
    whole = tmp_path / "whole"
    whole.mkdir()
    again = written(whole, xr.open_zarr(path).drop_encoding(), write_empty_chunks=True)
    np.testing.assert_array_equal(cv.read_predictions(again).labels, labels)
    np.testing.assert_array_equal(cv.open_predictions(again).sample(10**9, progress=False).labels, labels)


def test_what_is_not_read_may_be_missing(tmp_path):
    wide = data().assign(embedding=(("sample", "of"), np.ones((N, 2), dtype=int)))
    path = written(tmp_path, wide)
    shutil.rmtree(path / "embedding" / "c")
    assert len(cv.read_predictions(path)) == N
    (path / "age" / "c" / "0").unlink()
    assert len(cv.open_predictions(path, fields=[]).sample(10**9, progress=False)) == N


@pytest.mark.parametrize("place", [("label", "zarr.json"), ("label", "c", "1")])
def test_a_pipe_in_a_store_is_refused(tmp_path, place):
    path = written(tmp_path)
    path.joinpath(*place).unlink()
    os.mkfifo(path.joinpath(*place))
    name = "label/zarr.json of the zarr store" if "zarr.json" in place else "'c/1' of the array 'label'"
    refuse(path, f"{name} is a pipe, not a file: write what it gives to a file, and read that")
    with pytest.raises(ValueError, match=f"p.zarr: {name} is a pipe, not a file"):
        cv.open_predictions(path)
