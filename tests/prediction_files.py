"""Files of predictions for the tests of the readers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from workbooks import write_xlsx

from calibviz.data.readers import read_models, read_predictions
from calibviz.data.readers.formats import FORMATS

#: The formats that hold a table of fields too; the others are of arrays alone, or of one tool.
WRITTEN = [ending for ending in FORMATS if ending not in (".npy", ".safetensors", ".eval")]
RNG = np.random.default_rng(5)
N, NAMES = 40, ["cat", "dog", "fox"]
PROBS = RNG.dirichlet([1, 1, 1], N)
LOGITS = RNG.normal(size=(N, 3))
LABELS = np.arange(N) % 3
WEIGHTS = RNG.uniform(0.5, 2, N)
AGE = RNG.uniform(1, 90, N)
SITE = np.array(["Ulm", "Bern"] * (N // 2))
NUMBERED = {f"p_{i}": PROBS[:, i] for i in range(3)}
BY_CLASS = dict(zip(NAMES, PROBS.T, strict=True))


def write_npz(path: Path, **arrays) -> None:
    np.savez_compressed(path, **arrays)


def write_table(path: Path, columns: dict) -> None:
    frame = pd.DataFrame(columns)
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in frame.to_dict("records")), encoding="utf-8")
        return
    if path.suffix == ".zarr":
        xr.Dataset({name: ("sample", column) for name, column in columns.items()}).to_zarr(path, zarr_format=2)
        return
    if path.suffix == ".json":
        path.write_text(json.dumps(frame.to_dict("records")), encoding="utf-8")
    elif path.suffix == ".xlsx":
        write_xlsx(path, {"S": {name: list(column) for name, column in frame.to_dict("list").items()}})
    elif path.suffix == ".dta":
        bits = frame.select_dtypes("bool").columns
        frame.astype(dict.fromkeys(bits, "int8")).to_stata(path, write_index=False, version=118)
    elif path.suffix == ".sav":
        import pyreadstat

        pyreadstat.write_sav(frame.astype(dict.fromkeys(frame.select_dtypes("bool").columns, float)), str(path))
    elif path.suffix == ".feather":
        frame.to_feather(path)
    else:
        frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path, index=False)


def dataset(**extra) -> xr.Dataset:
    variables = {
        "probs": (("sample", "class"), PROBS),
        "label": ("sample", LABELS),
        "weight": ("sample", WEIGHTS),
        "age": ("sample", AGE),
        "site": ("sample", SITE),
    }
    return xr.Dataset(variables | extra, coords={"class": NAMES})


def write_everything(path: Path) -> None:
    if path.suffix == ".npz":
        fields = {"age": AGE, "site": SITE}
        write_npz(path, probs=PROBS, labels=LABELS, weights=WEIGHTS, class_names=np.array(NAMES), **fields)
    elif path.suffix == ".nc":
        dataset().to_netcdf(path)
    elif path.suffix == ".zarr":
        dataset().to_zarr(path, zarr_format=2)
    else:
        label = np.array(NAMES)[LABELS]
        write_table(path, {"site": SITE, **BY_CLASS, "label": label, "weight": WEIGHTS, "age": AGE})


def text_file(folder: Path, text: str, name: str = "p.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refuse(path: Path, message: str, kind: type[Exception] = ValueError, **options) -> None:
    """Reading fails with exactly "path: message", where `message` may end in "..." for any tail.

    Each reading that the error offers opens the file.
    """
    with pytest.raises(kind) as caught:
        read_predictions(path, **options)
    found, *ways = str(caught.value).split("\n")
    lines = getattr(caught.value, "lines", [])
    assert len(lines) == len(ways)
    for settled, gives in lines:
        assert gives in read_predictions(path, **settled).about["assumed"]
    expected = f"{path}: {message}"
    assert found.startswith(expected.removesuffix("...")) if expected.endswith("...") else found == expected


def read_as(source, options):
    """The predictions that a line of a question opens; of several models the first."""
    if "model" not in options:
        return read_predictions(source, **options)
    models = read_models(source, **options)
    assert len(models) > 1
    return next(iter(models.values()))
