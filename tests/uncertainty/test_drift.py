"""Windows of time, and how an error drifts."""

import numpy as np
import pytest
import xarray as xr

import calibviz as cv
from calibviz import figures

START = np.datetime64("2024-05-01T00:00")
N = 3000


def drifting(seed=0, n=N):
    """Thirty days of scores that are right at first and ever more over-confident."""
    rng = np.random.default_rng(seed)
    minute = np.sort(rng.integers(0, 30 * 24 * 60, n))
    logit = 2 * rng.normal(size=n)
    sharpness = 1 - 0.7 * (minute / minute.max()) ** 2
    happened = rng.random(n) < 1 / (1 + np.exp(-logit * sharpness))
    site = rng.choice(["b", "a"], n)
    fields = {"time": START + minute * np.timedelta64(1, "m"), "hour": minute / 60, "site": site}
    return cv.Predictions(1 / (1 + np.exp(-logit)), happened, fields=fields)


def summary(seed=0, n=50):
    return cv.summarize(drifting(seed, n), "class 1")


def lazily(p, rows):
    fields = {name: ("sample", values) for name, values in p.fields.items()}
    data = {"prob": ("sample", p.probs[:, 1]), "label": ("sample", p.labels)} | fields
    return cv.open_predictions(xr.Dataset(data), rows=rows)


@pytest.mark.parametrize("rows", [None, 70, N])
@pytest.mark.parametrize(
    ("field", "width", "starts"),
    [
        ("time", "D", list(np.arange("2024-05-01", "2024-05-31", dtype="datetime64[D]"))),
        ("time", "M", [np.datetime64("2024-05")]),
        ("time", "W", [np.datetime64(f"2024-{day}") for day in ("04-29", "05-06", "05-13", "05-20", "05-27")]),
        ("hour", 240.0, [0.0, 240.0, 480.0]),
        ("site", None, ["a", "b"]),
    ],
)
def test_windows_are_the_samples_in_them(rows, field, width, starts):
    p = drifting()
    found = cv.windows(
        p if rows is None else lazily(p, rows),
        field=field,
        width=width,
        lens="class 1",
        selection="probability('1') > 0.1",
    )
    assert list(found) == starts
    assert sum(one.rows for one in found.values()) == N
    values = p.fields[field]
    for i, (start, one) in enumerate(found.items()):
        inside = values == start if width is None else values >= start
        if width is not None and i + 1 < len(starts):
            inside &= values < starts[i + 1]
        exact = cv.calibration_error(p.select(inside), "class 1", selection="probability('1') > 0.1")
        assert cv.calibration_error(one) == pytest.approx(exact, abs=1e-12)


def test_drift_is_the_bootstrap_and_the_consistency_of_each_window():
    p = drifting()
    found = cv.drift(cv.windows(p, field="hour", width=240, lens="class 1"), replicates=30, rng=4, progress=False)
    assert found["window"].values.tolist() == [0, 240, 480]
    for i, start in enumerate([0, 240, 480]):
        part = cv.summarize(p.select((p.fields["hour"] >= start) & (p.fields["hour"] < start + 240)), "class 1")
        sure = cv.bootstrap(part, error=cv.ks_error, replicates=30, rng=4)
        chance = cv.consistency(part, error=cv.ks_error, replicates=30, rng=4)
        row = found.isel(window=i)
        assert (row["error"].item(), row["lower"].item(), row["upper"].item()) == pytest.approx(
            (sure.estimate, sure.lower, sure.upper)
        )
        assert row["noise"].item() == pytest.approx(chance.upper)
        assert row["count"].item() == part.rows
        assert row["mean_score"].item() == pytest.approx(part.problem.mean_score)
    assert (found["error"] > found["noise"]).values.tolist() == [False, False, True]


def test_a_service_fills_windows_as_batches_come():
    p = drifting()
    logged = {}
    for rows in np.array_split(np.arange(N), 40):
        batch = p.select(rows)
        day = batch.fields["time"][0].astype("datetime64[W]")
        logged.setdefault(day, cv.Summary("class 1")).update(batch.probs, batch.labels)
    found = cv.drift(
        logged, error=lambda q: cv.calibration_error(q, binning=cv.EqualMass(10)), replicates=20, progress=False
    )
    assert found["count"].sum() == N
    assert found["window"].dtype.kind == "M"


def test_windows_of_hours_and_of_tenths():
    p = drifting()
    found = cv.windows(p, field="time", width="6h", lens="class 1")
    assert {start.astype(int) % 1 for start in found} == {0} and len(found) == 120
    assert sum(one.rows for one in found.values()) == N
    tenths = cv.Predictions(p.probs, p.labels, fields={"v": np.arange(N) % 10 / 10})
    assert list(cv.windows(tenths, field="v", width=0.1)) == [k / 10 for k in range(10)]
    half = cv.Predictions(p.probs, p.labels, fields={"v": (np.arange(N) % 500).astype(np.float16)})
    assert list(cv.windows(half, field="v", width=1e5)) == [0.0]


def test_dates_that_are_text_are_dates():
    p = drifting()
    day = p.fields["time"].astype("datetime64[D]").astype(str)
    found = cv.windows(cv.Predictions(p.probs, p.labels, fields={"day": day}), field="day", width="W", lens="class 1")
    assert [one.rows for one in found.values()] == [one.rows for one in cv.windows(p, field="time", width="W").values()]


def test_weights_that_are_no_counts_have_an_interval_but_no_chance():
    p = drifting()
    weighted = cv.Predictions(p.probs, p.labels, weights=np.linspace(0.1, 1, N))
    found = cv.drift({0: cv.summarize(weighted, "class 1")}, replicates=5, progress=False)
    assert found["error"].item() == pytest.approx(cv.ks_error(weighted, "class 1"), abs=1e-4)
    assert found["lower"].item() < found["error"].item() < found["upper"].item()
    assert np.isnan(found["noise"].item())
    assert "1 window" in figures.drift_figure(found).alt


def test_an_empty_window_is_nan():
    found = cv.drift({1: cv.Summary("class 1"), 2: summary(0, N)}, replicates=5, progress=False)
    assert np.isnan(found["error"].values).tolist() == [True, False]
    assert found["count"].values.tolist() == [0, N]
    drawn = figures.drift_figure(found)
    assert drawn.alt.startswith("Calibration error over 1 window: from ")


@pytest.mark.parametrize(
    ("windows", "ticks"),
    [
        ({1.5: summary(1), 4.0: summary(2)}, ()),
        ({"a": summary(1), "b": summary(2)}, ((0.0, "a"), (1.0, "b"))),
        (
            {np.datetime64("2024-05-01"): summary(1), np.datetime64("2024-05-04"): summary(2)},
            ((0.0, "2024-05-01"), (3.0, "2024-05-04")),
        ),
    ],
)
def test_the_picture_has_every_window_where_it_belongs(windows, ticks):
    table = cv.drift(windows, replicates=9, progress=False)
    drawn = figures.drift_figure(table)
    assert drawn.x_ticks == ticks
    error = next(series for series in drawn.series if series.name == "error")
    assert error.y.tolist() == table["error"].values.tolist()
    assert len(error.hints) == 2 and error.hints[0].endswith("%")
    picture = cv.plots.drift(table)
    assert picture.axes[0].get_title() == "Drift of class 1"
    assert picture.axes[0].get_ylabel() == "KS error"


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: cv.windows(5, field="time"), TypeError, "predictions must be cv.Predictions"),
        (
            lambda: cv.windows(drifting(), field="day"),
            ValueError,
            "field 'day' is unknown: .* are 'time', 'hour', 'site'",
        ),
        (lambda: cv.windows(lazily(drifting(), 99), field="day", progress=False), ValueError, "field 'day' is unknown"),
        (lambda: cv.windows(cv.Predictions([0.5], [1]), field="day"), ValueError, "predictions are none"),
        (lambda: cv.windows(drifting(), field="time", width="fortnight"), ValueError, "width must be one of 'Y', 'M'"),
        (lambda: cv.windows(drifting(), field="hour", width=0), ValueError, "width must be above 0"),
        (lambda: cv.windows(drifting(), field="site", width=2), ValueError, "the field 'site' does not hold numbers"),
        (lambda: cv.windows(drifting(), field="hour"), ValueError, "more than 1000 windows: choose a larger width"),
        (lambda: cv.windows(drifting(), field="site", width="D"), ValueError, "the field 'site' does not hold dates"),
        (lambda: cv.drift({1: drifting()}), TypeError, r"windows\[1\] must be a summary .* not Predictions"),
        (lambda: cv.drift({2: summary(), 1: summary()}), ValueError, "ascending order, but 1 follows 2"),
        (lambda: cv.drift({2: summary(), "b": summary()}), TypeError, "all be numbers, dates or names, not 2, 'b'"),
        (lambda: cv.drift([1]), TypeError, "windows must map windows to summaries"),
        (lambda: cv.drift({}), ValueError, "windows is empty"),
        (lambda: cv.plots.drift({}), TypeError, "table must be what cv.drift"),
    ],
)
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("rows", [None, 20])
@pytest.mark.parametrize(("field", "missing"), [("hour", np.nan), ("site", ""), ("time", np.datetime64("NaT"))])
def test_a_sample_without_a_window_is_named(rows, field, missing):
    p = drifting(n=50)
    values = p.fields[field].copy()
    values[[33, 44]] = missing
    p = cv.Predictions(p.probs[:, 1], p.labels, fields=p.fields | {field: values})
    with pytest.raises(ValueError, match=f"row 33 of the field '{field}' is missing"):
        cv.windows(p if rows is None else lazily(p, rows), field=field, progress=False)
