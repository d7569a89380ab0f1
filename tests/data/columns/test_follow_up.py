"""Columns of follow-up: a table with times and events opens at a horizon, or says what is lacking."""

import re

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.app.options import as_options, in_shell
from calibviz.data.columns.choices import Question

N = 300
RNG = np.random.default_rng(0)
RISK = np.round(RNG.uniform(0.1, 0.8, N), 3)
HAPPENS, ENDS = RNG.exponential(-1 / np.log1p(-RISK)), RNG.uniform(0.2, 3, N)
TIME, EVENT = np.round(np.minimum(HAPPENS, ENDS), 4), (HAPPENS <= ENDS).astype(int)
SITE = np.array(["north", "south"])[np.arange(N) % 2]
TABLE = pd.DataFrame({"risk_1y": RISK, "time": TIME, "status": EVENT, "site": SITE})
HERE = {"time": "time", "event": "status"}


def same(p, q):
    for name in ("probs", "labels", "weights", "cluster_codes"):
        np.testing.assert_array_equal(getattr(p, name), getattr(q, name))
    assert p.horizon == q.horizon and p.class_names == q.class_names


WHOLE = cv.Predictions.at_horizon(RISK, time=TIME, event=EVENT, horizon=1)


@pytest.mark.parametrize("ending", ["frame", "csv", "parquet", "jsonl", "npz", "from_frame"])
def test_a_table_of_any_format_is_what_its_arrays_are(tmp_path, ending):
    file = tmp_path / f"mine.{ending}"
    if ending == "csv":
        TABLE.to_csv(file, index=False)
    elif ending == "parquet":
        TABLE.to_parquet(file)
    elif ending == "jsonl":
        TABLE.to_json(file, orient="records", lines=True)
    elif ending == "npz":
        np.savez(file, **{name: TABLE[name].to_numpy() for name in ("risk_1y", "time", "status")}, site=SITE)
    read = cv.Predictions.from_frame if ending == "from_frame" else cv.read_predictions
    p = read(TABLE if "frame" in ending else file, **HERE, horizon=1)
    same(p, WHOLE)
    assert list(p.fields) == ["site"]  # neither the time nor the event, which tell what happened


def test_the_line_says_what_was_taken_and_the_call_opens_it_again(tmp_path):
    TABLE.to_csv(tmp_path / "mine.csv", index=False)
    p = cv.read_predictions(tmp_path / "mine.csv", **HERE, horizon=1.0, by="site")
    same(p, cv.Predictions.at_horizon(RISK, time=TIME, event=EVENT, horizon=1, by=SITE))
    left = N - p.horizon.known
    assert re.fullmatch(
        r"P\(yes\) from 'risk_1y': mean \d+ %, observed \d+ %; time from 'time'; event from 'status'; '1' is the "
        rf"event, '0' is censored; outcomes at 1: {len(p)} known, which count for {left} rows censored before; "
        "censoring is taken to be independent of the risk within site",
        p.about["assumed"],
    )
    assert "time='time', event='status', horizon=1, by='site')" in p.about["source"]
    same(eval(p.about["source"]), p)


WORDS = np.where(np.arange(N) % 7 == 0, "moved", np.array(["well", "relapse"])[EVENT])


@pytest.mark.parametrize(
    ("status", "options", "like"),
    [
        (np.array(["alive", "dead"])[EVENT], {}, EVENT),
        (EVENT.astype(bool), {}, EVENT),
        (EVENT.astype(float), {}, EVENT),
        (EVENT + 1, {"event_of": 2, "censored": 1}, EVENT),
        (EVENT + 1, {"event_of": "2", "censored": ""}, np.where(EVENT, 1, 2)),
        (np.where(SITE == "north", 2 * EVENT, EVENT), {"event_of": 2}, np.where(SITE == "north", EVENT, 2 * EVENT)),
        (WORDS, {"event_of": "relapse", "censored": "well"}, np.where(WORDS == "moved", 2, EVENT)),
    ],
)
def test_values_stand_for_the_event_for_censored_and_for_competing(status, options, like):
    p = cv.read_predictions(TABLE.assign(status=status), **HERE, horizon=1, **options)
    same(p, cv.Predictions.at_horizon(RISK, time=TIME, event=like, horizon=1))


@pytest.mark.parametrize("status", [EVENT + 1, WORDS])
def test_values_that_may_mean_several_things_are_asked_about(status):
    table = TABLE.assign(status=status)
    with pytest.raises(
        Question, match=r"'status' holds .*: event_of=\.\.\. says which is the event, censored=\.\.\. "
    ) as asked:
        cv.read_predictions(table, **HERE, horizon=1)
    for options, _ in asked.value.lines:
        assert cv.read_predictions(table, **options).horizon is not None


def test_the_probability_to_be_spared_is_turned():
    table = TABLE.assign(risk_1y=1 - RISK).rename(columns={"risk_1y": "surv"})
    with pytest.raises(Question, match="'surv' goes with fewer yes") as asked:
        cv.read_predictions(table, **HERE, horizon=1)
    assert "prob='surv', positive='no', time='time', event='status', horizon=1" in str(asked.value)
    p = cv.read_predictions(table, **HERE, horizon=1, prob="surv", positive="no")
    assert p.about["assumed"].startswith("P(yes) from 'surv' turned to 1 - P: ")
    np.testing.assert_allclose(p.probs, WHOLE.probs)
    np.testing.assert_array_equal(p.labels, WHOLE.labels)
    assert p.horizon.expected == pytest.approx(WHOLE.horizon.expected)


def test_a_row_without_a_time_has_no_outcome():
    table = TABLE.copy()
    table.loc[3, "time"] = np.nan
    with pytest.raises(ValueError, match=r"row 3 of column 'status' is missing; missing='drop' leaves out"):
        cv.read_predictions(table, **HERE, horizon=1)
    known = np.arange(N) != 3
    p = cv.read_predictions(table, **HERE, horizon=1, missing="drop")
    same(p, cv.Predictions.at_horizon(RISK[known], time=TIME[known], event=EVENT[known], horizon=1))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"time": "time"}, r"time='time' is for outcomes at a horizon, which need event='\.\.\.', the column of what"),
        ({"horizon": 1}, r"horizon=1 is for outcomes at a horizon, which need time='\.\.\.', the column of when"),
        ({**HERE, "horizon": 0}, "horizon must be above 0"),
        ({**HERE, "horizon": 1, "label": "status"}, "label='status' and event='status' exclude each other: keep one"),
        ({**HERE, "horizon": 9}, r"horizon 9: the longest follow-up is 2\.9"),
        ({"time": "time", "event": "time", "horizon": 1}, "time and event are both 'time'"),
        ({**HERE, "horizon": 1, "event_of": "dead"}, "event_of='dead' is in no row of 'status', which holds '[01]'"),
        ({**HERE, "horizon": 1, "event_of": [1]}, r"event_of must be one of the values of event, not \[1\]"),
        ({**HERE, "horizon": 1, "event_of": 0, "censored": 0}, "event_of and censored are both '0'"),
        ({**HERE, "horizon": 1, "by": "ward"}, "by='ward': no column has this name"),
        ({"time": "futime", "event": "status", "horizon": 1}, "time='futime': no column has this name"),
    ],
)
def test_what_gives_no_outcome_is_refused(options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        cv.read_predictions(TABLE, **options)


def test_a_horizon_is_never_guessed():
    with pytest.raises(ValueError, match="horizon is missing") as refused:
        cv.read_predictions(TABLE, **HERE)
    median, share = np.median(TIME), np.mean(TIME >= 1)
    assert f"300 rows of 'time' are followed to {median:g} at the median" in str(refused.value)
    assert f"{100 * share:.0f} % to 1, " in str(refused.value) and "pass horizon=..., in the same unit" in str(
        refused.value
    )


def test_arrays_without_columns_lead_to_python(tmp_path):
    np.savez(tmp_path / "mine.npz", probs=np.c_[1 - RISK, RISK], labels=EVENT)
    with pytest.raises(ValueError, match="time='time': no column has this name"):
        cv.read_predictions(tmp_path / "mine.npz", time="time", event="labels", horizon=1)


def test_a_few_rows_that_stand_for_many_are_said_first():
    p = cv.read_predictions(TABLE, **HERE, horizon=2.97)
    assert re.match(r"\d rows? followed to the horizon 2.97, and a row counts up to ", p.about["assumed"])


def test_options_are_those_of_a_command():
    given = {**HERE, "horizon": 5, "event_of": "2", "censored": "", "by": "site"}
    assert in_shell(given) == "--time time --event status --horizon 5 --event-of 2 --censored '' --by site"
    said = "pass time='time', event='status', horizon=..., or label='status' if nobody was lost"
    assert (
        as_options(said) == "pass --time 'time' --event 'status' --horizon ..., or --label 'status' if nobody was lost"
    )
