"""Windows of a field of dates, looked at all together: what a date is, how wide a window is, what is claimed."""

import numpy as np
import pytest

import calibviz as cv
from calibviz import figures
from calibviz.figures.time_words import evidence_over_time, sentence_over_time, time_notes
from calibviz.uncertainty.monitoring.over_time import time_windows

START = np.datetime64("2026-01-05T00:00:00")  # a Monday
N = 1200


def some(seed=0, n=N, days=56, field="time", as_=lambda moments: moments, **more):
    """Calibrated scores of two classes over some days, with their moments in a field."""
    rng = np.random.default_rng(seed)
    moments = START + np.sort(rng.integers(0, days * 86_400, n)).astype("timedelta64[s]")
    score = rng.uniform(size=n)
    fields = {name: np.broadcast_to(column, n) for name, column in more.items()}
    return cv.Predictions(score, rng.random(n) < score, fields={field: as_(moments), **fields})


def found_in(p, **choices):
    return cv.over_time(p, replicates=9, progress=False, **{"lens": "class 1", "level": 0.9} | choices)


# Which claim is made, and how often it is wrong


@pytest.mark.thorough
@pytest.mark.parametrize("statistic", [cv.ks_error, lambda q: abs(q.mean_target - q.mean_score)])
def test_of_calibrated_models_at_most_one_in_twenty_has_a_window_beyond_chance(statistic):
    windows, trials = 4, 300
    rng = np.random.default_rng(1)
    beyond = 0
    for trial in range(trials):
        score = rng.uniform(size=(windows, 40))
        problems = {i: cv.ScalarProblem(own, (rng.random(40) < own).astype(float)) for i, own in enumerate(score)}
        table = cv.drift(
            problems, error=statistic, replicates=1, level=0.9, simultaneous=True, rng=trial, progress=False
        )
        beyond += bool((table.error > table.noise).any())
    # The rate is 0.05 at most, and not far below; 300 trials are off by 0.038 in one case of a thousand.
    assert 0.02 < beyond / trials < 0.05 + 0.038


def test_chance_of_all_windows_is_an_order_statistic_of_enough_draws():
    rng = np.random.default_rng(2)
    score = rng.uniform(size=(8, 40))
    problems = {i: cv.ScalarProblem(own, (rng.random(40) < own).astype(float)) for i, own in enumerate(score)}
    each, together = (
        cv.drift(problems, replicates=9, level=0.9, simultaneous=s, progress=False) for s in (False, True)
    )
    draws = 480  # three of which lie beyond 1 - 0.05 / 8 of them
    for i, problem in problems.items():
        ascending = np.sort(cv.consistency(problem, error=cv.ks_error, replicates=draws, progress=False).replicates)
        assert together.noise[i].item() == pytest.approx(ascending[-3], abs=1e-6)
        assert together.noise[i].item() >= ascending[-3]
    assert (together.noise.values > each.noise.values).all()
    assert (together.lower.values == each.lower.values).all()  # the spread is as before
    names = [series.name for series in figures.drift_figure(together).series]
    assert "95 % of calibrated models, in all windows" in names
    assert "in all windows" not in figures.drift_figure(each).alt


def test_a_window_in_which_the_model_is_off_is_named():
    p = some(n=4000)
    week = (p.fields["time"] >= np.datetime64("2026-02-02")) & (p.fields["time"] < np.datetime64("2026-02-09"))
    labels = np.where(week, np.random.default_rng(3).random(4000) < p.probs[:, 1] ** 3, p.labels)
    table = found_in(cv.Predictions(p.probs[:, 1], labels.astype(int), fields=p.fields))
    assert sentence_over_time(table) == (
        "Of 8 windows of a week, by “time”, 1 shows a larger KS error than noise shows in a calibrated model: "
        "2026-02-02."
    )
    assert sentence_over_time(found_in(p)) == (
        "Of 8 windows of a week, by “time”, none shows a larger KS error than noise shows in a calibrated model."
    )


# Which samples are in a window


def test_windows_are_the_samples_in_them():
    p = some()
    table = found_in(p, width="W", selection="confidence > 0.6")
    starts = np.arange("2026-01-05", "2026-03-02", 7, dtype="datetime64[D]")
    np.testing.assert_array_equal(table.window.values, starts)
    for start in starts:
        inside = (p.fields["time"] >= start) & (p.fields["time"] < start + 7)
        exact = cv.ks_error(p.select(inside), "class 1", selection="confidence > 0.6")
        assert table.error.sel(window=start).item() == pytest.approx(exact, abs=1e-12)
    assert table["count"].sum() == (p.probs.max(axis=1) > 0.6).sum()


@pytest.mark.parametrize(
    ("days", "width", "called"),
    [
        (0.2, "h", "an hour"),
        (1.2, "6h", "6 hours"),
        (5, "D", "a day"),
        (40, "W", "a week"),
        (200, "M", "a month"),
        (500, "3M", "a quarter"),
        (2000, "Y", "a year"),
    ],
)
def test_the_narrowest_width_that_suits_the_samples_is_taken(days, width, called):
    table = found_in(some(days=days, n=1000))
    assert f" windows of {called}, by “time”," in sentence_over_time(table)
    assert table.attrs["width"] == width and 3 <= table.sizes["window"] <= 10
    assert table["count"].sum() == 1000


# What is read as a date


@pytest.mark.parametrize(
    ("field", "as_", "assumed"),
    [
        ("when", lambda m: m, ""),
        ("time", lambda m: m.astype("datetime64[ns]"), ""),
        ("time", lambda m: m.astype(str), ""),
        ("Date", lambda m: m.astype("datetime64[D]").astype(str), ""),
        ("timestamp", lambda m: np.char.add(m.astype(str), ".25+00:00"), ""),
        ("created_at", lambda m: np.char.add((m + np.timedelta64(2, "h")).astype(str), "+02:00"), ""),
        ("datetime", lambda m: np.char.replace(np.char.add(m.astype(str), "Z"), "T", " "), ""),
        ("ts", lambda m: m.astype(np.int64), "the numbers in 'ts' are seconds since 1970"),
        ("time", lambda m: m.astype(np.int64) + 0.5, "the numbers in 'time' are seconds since 1970"),
        ("time", lambda m: 1000 * m.astype(np.int64), "the numbers in 'time' are milliseconds since 1970"),
    ],
)
def test_dates_are_read_as_people_write_them(field, as_, assumed):
    expected, table = found_in(some()), found_in(some(field=field, as_=as_))
    assert (table.attrs["field"], table.attrs["assumed"], table.attrs["undated"]) == (field, assumed, 0)
    np.testing.assert_array_equal(table.window.values, expected.window.values)
    np.testing.assert_array_equal(table.error.values, expected.error.values)


@pytest.mark.parametrize("as_", [lambda m: m, lambda m: m.astype(str), lambda m: m.astype(float)])
def test_samples_without_a_date_are_in_no_window_and_are_counted(as_):
    def gaps(moments):
        column = as_(moments)
        missing = {"M": np.datetime64("NaT"), "U": "", "f": np.nan}[column.dtype.kind]
        return np.where(np.arange(N) % 10 == 0, missing, column)

    table = found_in(some(as_=gaps))
    assert table.attrs["undated"] == N // 10 and table["count"].sum() == N - N // 10
    assert "120 samples have no date" in time_notes(table)


def test_the_first_field_of_dates_is_taken_and_the_others_are_named():
    p = some(field="day", logged="2026-01-05", date=START)
    table = found_in(p)
    assert (table.attrs["field"], table.attrs["others"]) == ("day", ["date"])
    assert "Further fields of dates are not looked at: date" in time_notes(table)
    p = some(field="logged", as_=lambda m: m.astype(str))
    assert found_in(p, field="logged").attrs["field"] == "logged"


@pytest.mark.parametrize(
    ("p", "choices", "message"),
    [
        (some(field="age", as_=lambda m: m.astype(np.int64)), {}, "no field of these samples holds dates"),
        (some(as_=lambda m: np.full(N, "soon")), {}, "no field of these samples holds dates"),
        (some(as_=lambda m: np.full(N, "2026-02-31")), {}, "no field of these samples holds dates"),
        (some(as_=lambda m: np.arange(N)), {}, "no field of these samples holds dates"),
        (some(as_=lambda m: np.full(N, np.datetime64("NaT", "s"))), {}, "no field of these samples holds dates"),
        (some(), {"field": "day"}, "field 'day' is unknown: the fields of these predictions are 'time'"),
        (some(site="Ulm"), {"field": "site"}, "the field 'site' does not hold dates, such as '2024-05-01' or seconds"),
        (some(n=200), {}, "the field 'time' .* windows of 100 samples on average: pass a width, such as width='D'"),
        (some(), {"width": "fortnight"}, "width must be one of 'Y', 'M', 'W', 'D', 'h', 'm', 's', or such as '6h', no"),
        (some(), {"width": "s"}, "width='s' makes 1,200 windows of the field 'time': choose one that makes 1 to 1,000"),
        (some(), {"lens": "pooled"}, "all classes of a sample at once are no one score: choose a class, or the likel"),
        (
            some(),
            {"selection": "correct == 1"},
            "there is no noise floor over time: the selection looks at what is true",
        ),
    ],
)
def test_what_cannot_be_told_is_refused(p, choices, message):
    with pytest.raises(ValueError, match=message):
        found_in(p, **choices)


def test_a_page_does_not_wait_for_minutes():
    windows = time_windows(some(n=250_000), "class 1", None)
    with pytest.raises(ValueError, match=r"scores would be drawn, which takes minutes: keep fewer samples"):
        windows.refuse_long()
    *_, (done, table) = time_windows(some(), "class 1", None).steps()
    assert done == 1.0 and "larger KS error than" in sentence_over_time(table)


def test_all_windows_are_one_stream_of_a_monitor():
    drawn = cv.simulated("resnet110_c10", 4000)
    day = np.repeat(np.datetime64("2024-05-01") + np.arange(4), 1000)
    wrong = cv.Predictions(drawn.probs, drawn.labels, fields={"day": day})
    table = cv.over_time(wrong, "class 1", width="D", progress=False)
    alone = cv.monitor_windows(wrong, "class 1", width="D")
    np.testing.assert_array_equal(table.log_e, alone.log_e)
    said = evidence_over_time(table)
    assert said.startswith(
        "As one stream: an alarm in the window 2024-05-01. The evidence against calibration has reached"
    )
    assert said.endswith("comes to a calibrated model at most once in 20 such streams, however often one looks.")
    rng = np.random.default_rng(0)
    score = rng.uniform(0, 1, 4000)
    right = cv.Predictions(score, rng.random(4000) < score, fields={"day": day})
    calm = cv.over_time(right, width="D", progress=False)
    assert evidence_over_time(calm) == "As one stream: no alarm after 4,000 samples; this shows no calibration."


def test_it_is_said_why_windows_are_no_stream():
    patient = np.array([f"p{i}" for i in range(400)]).repeat(3)  # rows come in the order of time
    patient[-1] = "p0"
    p = some(days=4)
    together = cv.Predictions(p.probs, p.labels, fields=p.fields | {"patient": patient}, cluster="patient")
    table = found_in(together, width="2D")
    assert "log_e" not in table and "in several windows ('p0'" in table.attrs["no_evidence"]
    assert table.attrs["no_evidence"].count("(") == 1  # how many there are is said before
    assert evidence_over_time(table) == f"As one stream: no evidence is gathered, since {table.attrs['no_evidence']}."
    assert found_in(together, width="Y").log_e.size == 1
    twice = cv.Predictions(p.probs, p.labels, weights=np.full(N, 2), fields=p.fields)
    assert "since weights must lie in [0, 1]" in evidence_over_time(found_in(twice, width="2D"))
