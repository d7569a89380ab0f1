"""Dates in texts are dates wherever a table comes from."""

import numpy as np
import pandas as pd
import pytest

import calibviz as cv

DAYS = [f"2024-01-{1 + i % 28:02d}" for i in range(60)]
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"prob": RNG.random(60).round(3), "label": RNG.integers(0, 2, 60), "day": DAYS})


@pytest.mark.parametrize("form", ["frame", "csv", "feather", "parquet", "stata"])
def test_dates_in_texts_are_dates_in_each_form_of_a_table(tmp_path, form):
    if form in ("feather", "parquet"):
        pytest.importorskip("pyarrow")
    source = TABLE if form == "frame" else tmp_path / f"a.{form if form != 'stata' else 'dta'}"
    if form != "frame":
        getattr(TABLE, f"to_{form}")(source, **({"index": False} if form == "csv" else {}))
    read = cv.read_predictions(source)
    assert read.fields["day"].dtype == "datetime64[D]"
    assert "dates in 'day'" in read.about["assumed"]


def test_dates_in_texts_of_polars_are_dates():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({name: TABLE[name].tolist() for name in TABLE})
    assert cv.read_predictions(table).fields["day"].dtype == "datetime64[D]"
