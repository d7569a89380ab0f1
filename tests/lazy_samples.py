"""Predictions in the files and stores that are read in parts, for several files of tests."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import xarray as xr

import calibviz as cv

N, K = 6000, 4
LENSES = ["top-1", "class 3", "within-top 2", "rank 2"]
SELECTIONS = {"all": None, "old": "age > 60", "output": "output > 0.3"}


def made():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.full(K, 0.4), N)
    labels = (probs.cumsum(axis=1) < rng.random((N, 1))).sum(axis=1).clip(0, K - 1)
    fields = {"age": ("sample", rng.integers(0, 90, N)), "site": ("sample", rng.choice(["a", "b"], N))}
    return xr.Dataset({"probs": (("sample", "class"), probs), "label": ("sample", labels)}, coords=fields)


def in_memory():
    data = made()
    fields = {name: data[name].values for name in ("age", "site")}
    return cv.Predictions(data["probs"].values, data["label"].values, fields=fields)


def zarr(data, folder, rows=500):
    path = folder / "preds.zarr"
    data.chunk(sample=rows).to_zarr(path, zarr_format=2)
    return path


def frame(data):
    columns = {f"p_{k}": data["probs"].values[:, k] for k in range(K)}
    return pd.DataFrame(columns | {name: data[name].values for name in ("label", "age", "site")})


def parquet(data, folder):
    path = folder / "preds.parquet"
    frame(data).to_parquet(path, row_group_size=700)
    return path


def files(data, folder):
    table = frame(data)
    for i in range(3):
        part = table.iloc[i * N // 3 : (i + 1) * N // 3]
        (folder / f"day={i}").mkdir(parents=True)
        part.to_parquet(folder / f"day={i}" / "part.parquet", row_group_size=900)
    return folder


def opened(folder, **columns):
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return folder / "t.parquet"


def binary(n, seed=0):
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    return xr.Dataset({"prob": ("sample", score), "label": ("sample", (rng.random(n) < score).astype(int))})


SOURCES = {
    "zarr": lambda data, folder: cv.open_predictions(zarr(data, folder), rows=1000),
    "parquet": lambda data, folder: cv.open_predictions(parquet(data, folder), rows=1500),
    "folder of parquet": lambda data, folder: cv.open_predictions(files(data, folder / "many"), rows=900),
    "dataset": lambda data, folder: cv.open_predictions(data.chunk(sample=(1000, 1, 4999), **{"class": 3})),
    "dataset in memory": lambda data, folder: cv.open_predictions(data, rows=1234),
}


def same_sums(one, other, tolerance=1e-12):
    assert one.rows == other.rows
    np.testing.assert_array_equal(one.count, other.count)
    for name in ("right", "wrong", "offset", "lowest", "highest"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=tolerance, atol=1e-12)
