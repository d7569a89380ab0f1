"""Segments of predictions that are read in parts: those of the same rows in memory, however they are cut."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import lazy_samples
import numpy as np
import pytest
import xarray as xr

import calibviz as cv
from calibviz.decisions.by_segment import columns, read_in_parts
from calibviz.scale.lazy import LazyPredictions

N = 1500


def made(seed: int = 0, n: int = N, wrong: float = 0.15, weights: str | None = None) -> xr.Dataset:
    rng = np.random.default_rng(seed)
    score, site = rng.beta(2, 3, n), rng.choice(6, n)
    truth = np.clip(score - wrong * (site == 5), 0, 1)
    data = {
        "probs": (("sample", "class"), np.stack([1 - score, score], axis=1)),
        "label": ("sample", (rng.random(n) < truth).astype(int)),
        "site": ("sample", np.array([f"S{i}" if i else "" for i in site])),
        "age": ("sample", rng.integers(20, 90, n)),
        "marker": ("sample", np.where(rng.random(n) < 0.05, np.nan, rng.standard_normal(n))),
        "day": ("sample", np.array("2024-01-01", dtype="datetime64[ns]") + rng.integers(0, 99, n) * 86_400 * 10**9),
        "name": ("sample", np.array([f"n{i}" for i in range(n)])),
    }
    if weights is not None:
        drawn = rng.integers(0, 4, n)
        data["weight"] = "sample", drawn.astype(float) if weights == "whole" else drawn / 3 + 0.1
    return xr.Dataset(data)


def in_memory(data: xr.Dataset) -> cv.Predictions:
    fields = {name: data[name].values for name in ("site", "age", "marker", "day", "name")}
    weights = data["weight"].values if "weight" in data else None
    return cv.Predictions(data["probs"].values, data["label"].values, fields=fields, weights=weights)


def opened(data: xr.Dataset, rows: int) -> LazyPredictions:
    return cv.open_predictions(data.chunk(sample=rows))


@pytest.mark.parametrize("rows", [97, 400, N])
@pytest.mark.parametrize("weights", [None, "whole", "parts"])
def test_they_are_those_in_memory(rows: int, weights: str | None) -> None:
    data = made(weights=weights)
    settings = {"depth": 2, "minimum": 40, "replicates": 0, "progress": False, "selection": "confidence > 0.55"}
    there = cv.segments(in_memory(data), **settings)
    read = cv.segments(opened(data, rows), **settings)
    assert there.sizes["segment"] > 100 and "name" not in "".join(there.segment.values)
    assert any("day" in name for name in there.segment.values)
    assert read.attrs["too_small"] == there.attrs["too_small"]
    assert set(read.segment.values) == set(there.segment.values)
    xr.testing.assert_allclose(read.sel(segment=there.segment), there, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_weights_of_any_unit_which_are_whole_in_some_parts_or_segments_alone(scale: float) -> None:
    data = made(weights="parts")
    is_early, in_one_site = np.arange(N) < 800, data["site"].values == "S1"
    data["weight"] = data["weight"].where(~is_early & ~in_one_site, 2.0) * scale
    settings = {"fields": ["site", "age"], "depth": 2, "minimum": 40, "replicates": 0, "progress": False}
    there, read = cv.segments(in_memory(data), **settings), cv.segments(opened(data, 400), **settings)
    assert read.attrs["too_small"] == there.attrs["too_small"]
    assert there["count"].sel(segment="site = S1") == np.count_nonzero(in_one_site)  # not so many repetitions
    xr.testing.assert_allclose(read.sel(segment=there.segment), there, rtol=1e-9, atol=1e-12)


@pytest.mark.thorough
def test_under_a_calibrator_and_of_all_statistics() -> None:
    data = made()
    p, lazy = in_memory(data), opened(data, 400)
    settings = {"fields": ["name", "site", "predicted"], "depth": 1, "minimum": 1, "replicates": 0, "progress": False}
    for more in ({"error": "ks"}, {"calibrator": cv.Spline().fit(cv.lens("class 1")(p))}, {"lens": "top-1"}):
        there, read = (cv.segments(one, **settings, **more) for one in (p, lazy))
        assert read.sizes["segment"] > N
        xr.testing.assert_allclose(read.sel(segment=there.segment), there, rtol=1e-9, atol=1e-12)
    assert cv.multicalibration_error(lazy) == pytest.approx(cv.multicalibration_error(p), rel=1e-9)


@pytest.mark.parametrize("weights", [None, "parts"])
def test_chance_is_drawn_from_the_sums(weights: str | None) -> None:
    data = made(wrong=0.09, weights=weights)
    settings = {"fields": ["site", "age"], "replicates": 600, "progress": False}
    there = cv.segments(in_memory(data), **settings)
    read = cv.segments(opened(data, 400), **settings).sel(segment=there.segment)
    assert (there.p_adjusted < 0.2).any() and (there.p_adjusted > 0.5).any()
    np.testing.assert_allclose(read.p_adjusted, there.p_adjusted, atol=0.11)


def test_neighbouring_scores_share_sums_where_there_would_be_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made()
    settings = {"fields": ["site", "age"], "replicates": 0, "progress": False}
    exact = cv.segments(in_memory(data), **settings)
    monkeypatch.setattr(read_in_parts, "MOST_GROUPS", 1200)
    monkeypatch.setattr(read_in_parts, "MOST_DROPPED", 50)
    several = [cv.segments(opened(data, rows), **settings) for rows in (90, 500, N)]
    for read in several[1:]:  # how the rows are read plays no part
        xr.testing.assert_allclose(read, several[0], rtol=1e-9)
    read = several[0].sel(segment=exact.segment)
    for name in ("count", "weight", "score", "target", "gap", "lower", "upper"):
        np.testing.assert_allclose(read[name], exact[name], rtol=1e-9)
    assert 0 < np.abs(read.ratio - exact.ratio).max() < 0.1
    monkeypatch.setattr(read_in_parts, "MOST_GROUPS", 20)
    with pytest.raises(ValueError, match="name fewer fields"):
        cv.segments(opened(data, 500), **settings)


def test_numbers_of_many_values_are_cut_close_to_their_quantiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_in_parts, "MOST_NUMBERS", 300)
    numbers = np.random.default_rng(0).standard_normal(5000)
    held = {}
    for pieces in (3, 20):
        parts = [columns.Values.of(part).fewer(300, None) for part in np.array_split(numbers, pieces)]
        held[pieces] = columns.Values.joined(parts, 300)
        assert 100 < len(held[pieces].low) <= 300 and held[pieces].count.sum() == 5000
    at = [0, 0.25, 0.5, 0.75, 1]
    np.testing.assert_array_equal(held[3].quantiles(at), held[20].quantiles(at))
    np.testing.assert_allclose(held[3].quantiles(at), np.quantile(numbers, at), atol=0.02)
    assert held[3].quantiles([0, 1]).tolist() == [numbers.min(), numbers.max()]


@pytest.mark.thorough
def test_calibrated_scores_that_are_read_in_parts_are_seldom_called_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_in_parts, "MOST_GROUPS", 300)  # of 600 rows: sums hold several
    monkeypatch.setattr(read_in_parts, "MOST_DROPPED", 50)
    settings = {"fields": ["site", "age"], "replicates": 99, "minimum": 30, "progress": False}
    rate = np.mean([
        cv.segments(opened(made(i, 600, 0.0), 300), **settings).p_adjusted.min().item() <= 0.05 for i in range(60)
    ])  # fmt: skip  # short entries stand in rows
    assert rate <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 60)


def test_messages() -> None:
    lazy = opened(made(), 400)
    with pytest.raises(ValueError, match="fields names 'town'"):
        cv.segments(lazy, fields="town", progress=False)
    with pytest.raises(ValueError, match="no sample is left"):
        cv.segments(lazy, selection="age > 900", progress=False)
    with pytest.raises(TypeError, match="which sums have lost"):
        cv.segments(cv.summarize(lazy, "class 1", progress=False))


@pytest.mark.parametrize("stored", [lazy_samples.zarr, lazy_samples.parquet])
def test_of_files(stored: Any, tmp_path: Path) -> None:
    there = cv.segments(lazy_samples.in_memory(), replicates=0, progress=False)
    read = cv.segments(cv.open_predictions(stored(lazy_samples.made(), tmp_path)), replicates=0, progress=False)
    assert any("predicted" in name for name in there.segment.values)
    xr.testing.assert_allclose(read.sel(segment=there.segment), there, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("backwards", [False, True])
def test_segments_of_a_store_do_not_depend_on_the_order_in_which_it_is_listed(
    backwards: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, found = lazy_samples.zarr(lazy_samples.made(), tmp_path), xr.open_zarr

    def listed(*store: Any, **options: Any) -> xr.Dataset:
        opened = found(*store, **options)
        return opened[sorted(opened.variables, reverse=backwards)]

    monkeypatch.setattr(xr, "open_zarr", listed)
    opened = cv.open_predictions(path)
    names = cv.segments(opened, depth=2, replicates=0, progress=False).segment.values
    assert "0 <= age <= 21, site = a" in names
    assert list(opened.sample(progress=False).fields) == list(cv.read_predictions(path).fields) == ["age", "site"]


def test_words_of_rows_that_are_read_in_parts_hold_too(monkeypatch):
    monkeypatch.setattr(columns, "MOST_NUMBERS", 50)
    numbers = np.sort(np.random.default_rng(0).integers(0, 100_000, 4000))
    held = columns.Values.joined([columns.Values.of(part).fewer(50, None) for part in np.split(numbers, 4)], 50)
    assert held.dropped
    cut = columns.FieldCut.of(columns.Subject("field", "pay"), held, 4)
    codes = cut.codes(numbers)
    ends = [tuple(map(int, re.findall(r"\d+", text))) for text in cut.words]
    for k, (least, largest) in enumerate(ends):
        assert least <= numbers[codes == k].min() and numbers[codes == k].max() <= largest
    assert all(largest < least for (_, largest), (least, _) in itertools.pairwise(ends))
