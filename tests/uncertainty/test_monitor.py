"""The monitor: golden values, its definition step by step, how often it raises a false alarm, and its file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

import calibviz as cv
from calibviz.uncertainty.monitoring.monitor import BETS, gains

SHARED = Path(__file__).parents[3] / "shared"
FILE = SHARED / "golden" / "dependence.json"
RECORDS = json.loads(FILE.read_text())["records"] if FILE.is_file() else []
STREAMS = [one for one in RECORDS if one["call"] == "monitor"]


def stream_of(record: dict) -> tuple[np.ndarray, np.ndarray]:
    if "inline" in record:
        return np.array(record["inline"]["score"]), np.array(record["inline"]["target"])
    data = np.load(SHARED / "data" / f"{record['set']}.npz")
    if "prob" in data:
        known = np.isin(data["outcome"], [0, 1])
        return data["prob"][known].astype(np.float64), data["outcome"][known]
    return data["probs"][:, 1].astype(np.float64), data["labels"]


@pytest.mark.skipif(not STREAMS, reason="the golden values are not on this machine")
@pytest.mark.parametrize("record", STREAMS, ids=lambda record: record.get("set", "inline"))
def test_golden_values(record):
    score, target = stream_of(record)
    parts = np.array_split(np.arange(len(score)), record["args"]["updates"])
    watched, plain = cv.Monitor(), cv.Monitor(restarts=False)
    names = {"patient": np.array(record.get("inline", {}).get("cluster", np.arange(len(score))))}
    whole = cv.Predictions(score, target, fields=names, cluster="patient")
    found = [watched.update(whole.select(part)) for part in parts]
    for part in parts:
        plain.update(whole.select(part))
    np.testing.assert_allclose(found, record["value"]["log_e"], rtol=1e-6, atol=1e-6)
    assert plain.log_e == pytest.approx(record["value"]["plain_log_e"], rel=1e-6)


def drawn(n: int, seed: int = 0, shift: float = 0.0) -> cv.ScalarProblem:
    rng = np.random.default_rng(seed)
    score = rng.uniform(0.05, 0.95, n)
    truth = 1 / (1 + np.exp(-np.log(score / (1 - score)) - shift))
    return cv.ScalarProblem(score, rng.random(n) < truth)


def likelihood(score, target, a, b):
    eta = a + b * np.log(score / (1 - score))
    chance = 1 / (1 + np.exp(-eta))
    return np.log(np.where(target == 1, chance, 1 - chance)).sum()


def test_a_stake_grows_by_the_likelihood_ratio():
    problem = drawn(50)
    usual = likelihood(problem.score, problem.target, 0, 1)
    slowly = [likelihood(problem.score, problem.target, a, b) - usual for a, b in BETS]
    np.testing.assert_allclose(gains(problem), slowly, rtol=1e-9, atol=1e-9)
    watched = cv.Monitor(restarts=False)
    assert watched.update(problem) == pytest.approx(np.log(np.mean(np.exp(slowly))))
    assert list(watched.bets.values()) == pytest.approx(slowly)


def test_of_two_updates_each_stake_is_that_of_all_that_begin_at_one_of_them():
    first, second = drawn(60, 1), drawn(80, 2)
    one, two = np.exp(gains(first)), np.exp(gains(second))
    watched = cv.Monitor()
    watched.update(first)
    assert watched.e_value == pytest.approx(np.mean(one) / 2 + 1 / 2)
    watched.update(second)
    assert watched.e_value == pytest.approx(np.mean(one * two / 2 + two / 6) + 1 / 3)
    assert (watched.updates, watched.samples) == (2, 140)


@pytest.mark.thorough
@pytest.mark.parametrize("restarts", [True, False])
def test_a_calibrated_model_seldom_raises_the_alarm_however_often_one_looks(restarts):
    raised = 0
    for seed in range(400):
        watched = cv.Monitor(restarts=restarts)
        whole = drawn(1500, seed)
        order = np.random.default_rng(seed).permutation(len(whole))
        for part in np.array_split(order, 30):
            watched.update(cv.ScalarProblem(whole.score[part], whole.target[part]))
        raised += watched.alarm
    assert raised / 400 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


def test_a_change_is_seen_sooner_with_restarts():
    calm, off = [drawn(100, seed) for seed in range(200, 240)], [drawn(100, seed, -0.5) for seed in range(100)]
    seen = {}
    for restarts in (True, False):
        watched = cv.Monitor(restarts=restarts)
        for part in calm:
            watched.update(part)
        assert not watched.alarm and watched.first is None
        for part in off:
            watched.update(part)
        assert watched.alarm and watched.first is not None
        seen[restarts] = watched.first
    assert 40 < seen[True][0] < seen[False][0]
    assert seen[True][1] == 100 * seen[True][0]


def test_the_alarm_stays():
    watched = cv.Monitor()
    watched.update(drawn(600, 0, 1.0))
    first, largest = watched.first, watched.largest
    for seed in range(20):
        watched.update(drawn(300, seed))
    assert watched.log_e < largest == watched.largest
    assert watched.alarm and watched.first == first == (1, 600)


def test_a_summary_is_an_update_and_nothing_counts_nothing():
    score = np.repeat([0.2, 0.5, 0.8], 100)
    target = np.random.default_rng(0).random(300) < score
    p = cv.Predictions(score, target.astype(int))
    one, other, empty = (cv.Monitor(lens) for lens in ("class 1", None, "class 1"))
    assert one.update(p) == pytest.approx(other.update(cv.summarize(p, "class 1", progress=False)), abs=1e-9)
    assert other.samples == 300
    chosen = cv.Monitor("class 1", "output > 0.9")
    assert chosen.update(p) == 0 == empty.log_e
    assert chosen.updates == 0


def test_weights_are_powers():
    problem = drawn(100)
    half = cv.ScalarProblem(problem.score, problem.target, np.full(100, 0.5))
    np.testing.assert_allclose(gains(half), gains(problem) / 2)
    cv.Monitor().update(half)


def test_it_goes_on_from_a_file(tmp_path):
    watched = cv.Monitor("class 1", "output > 0.1", alarm=50)
    again = cv.Monitor.load(watched.save(tmp_path / "stream.json"))
    for seed in range(6):
        p = cv.Predictions(drawn(200, seed, 0.8).score, drawn(200, seed, 0.8).target.astype(int))
        watched.update(p)
        again.update(p)
        again = cv.Monitor.load(again.save(tmp_path / "stream.json"))
    assert again.to_dict() == watched.to_dict()
    assert (again.alarm, again.first, again.log_e) == (watched.alarm, watched.first, watched.log_e)
    assert repr(again).startswith("Monitor(6 updates, ")
    one = cv.Monitor()
    one.update(cv.Predictions([0.2], [0]))
    assert repr(one) == f"Monitor(1 update, 1 sample, e-value {one.e_value:.4g}, no alarm)"


def test_windows_are_updates():
    parts = [drawn(200, seed, -0.4) for seed in range(5)]
    day = np.repeat(np.datetime64("2025-01-01") + np.arange(5), 200)
    score, target = (np.concatenate([getattr(part, name) for part in parts]) for name in ("score", "target"))
    p = cv.Predictions(score, target.astype(int), fields={"day": day})
    table = cv.monitor_windows(p, field="day", width="D")
    watched = cv.Monitor()
    assert table.log_e.values.tolist() == pytest.approx([watched.update(part) for part in parts])
    assert table["count"].values.tolist() == [200] * 5
    assert table.attrs["alarm"] == pytest.approx(np.log(20))
    assert (table.largest.diff("window") >= 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cv.Monitor("pooled"), "lens must not be 'pooled' for a monitor"),
        (lambda: cv.Monitor(alarm=1), "alarm must be larger than 1"),
        (lambda: cv.Monitor(restarts=1), "restarts"),
        (lambda: cv.Monitor(selection="confidence >"), "selection 'confidence >', at character"),
        (lambda: cv.Monitor().update(cv.ScalarProblem([0.2, 0.3], [0, 0.5])), "no soft targets"),
        (lambda: cv.Monitor().update(cv.ScalarProblem([0.2, 0.3], [0, 1], [1, 3])), r"weights must lie in \[0, 1\]"),
        (
            lambda: cv.Monitor("top-1", "label == 3").update(cv.load_dataset("digits")["random forest"]),
            "the selection looks at what is true",
        ),
        (lambda: cv.Monitor("full").update(cv.load_dataset("digits")["random forest"]), "choose one with outcome"),
        (lambda: cv.Monitor.from_dict({"lens": None}), "record is not that of a monitor: 'alarm'"),
        (lambda: cv.Monitor("top-1", cv.quantity("confidence") > 0.5).to_dict(), "selection must be given as text"),
    ],
)
def test_messages(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


@pytest.mark.parametrize("text", ["score,label", "[" * 100_000], ids=["a table", "too deep"])
def test_a_file_of_something_else_is_refused(tmp_path, text):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(ValueError, match="is no file of a monitor: it holds no JSON"):
        cv.Monitor.load(tmp_path / "p.json")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("log_bets", [np.inf] * 12, r"record\['log_bets'\]\[0\] is inf: every entry must be finite"),
        ("first", [1], r"record\['first'\] must hold 2 numbers, not 1"),
        ("first", {}, r"record\['first'\] must hold 2 numbers, not 0"),
        ("first", [1, np.inf], r"record\['first'\]\[1\] must be a whole number, not inf"),
        ("clusters", [0.5], r"record\['clusters'\]\[0\] must be a whole number, not 0.5"),
    ],
)
def test_a_record_that_was_changed_is_refused(name, value, message):
    stream = cv.Monitor()
    stream.update(clusters_of_rows())
    with pytest.raises((ValueError, TypeError), match=message):
        cv.Monitor.from_dict(stream.to_dict() | {name: value})


def clusters_of_rows(n: int = 60, seed: int = 0, first: int = 0) -> cv.Predictions:
    rng = np.random.default_rng(seed)
    score = rng.uniform(0.1, 0.9, n)
    patient = first + np.arange(n) // 4
    return cv.Predictions(score, (rng.random(n) < score).astype(int), fields={"patient": patient}, cluster="patient")


def test_the_factor_of_a_cluster_is_the_mean_of_those_of_its_rows():
    p = clusters_of_rows()
    stream = cv.Monitor(restarts=False)
    stream.update(p)
    for bet, found in stream.bets.items():
        expected = 0.0
        for c in range(15):
            factors = []
            for i in np.flatnonzero(p.cluster_codes == c):
                one = cv.Monitor(restarts=False)
                one.update(cv.Predictions(p.probs[i : i + 1, 1], p.labels[i : i + 1]))
                factors.append(np.exp(one.bets[bet]))
            expected += np.log(np.mean(factors))
        assert found == pytest.approx(expected)


def test_a_cluster_that_returns_is_refused_after_storing_too():
    stream = cv.Monitor()
    stream.update(clusters_of_rows(seed=1))
    again = cv.Monitor.from_dict(json.loads(json.dumps(stream.to_dict())))
    again.update(clusters_of_rows(seed=2, first=100))
    before = again.log_e
    with pytest.raises(ValueError, match="cluster: '13', '14' were in an earlier update"):
        again.update(clusters_of_rows(8, seed=3, first=13))
    assert again.log_e == before and again.updates == 2


def test_clusters_without_names_are_not_checked_and_it_is_said_once():
    p = clusters_of_rows()
    given = cv.Predictions(p.probs, p.labels, cluster=p.cluster_codes)
    stream = cv.Monitor()
    with pytest.warns(UserWarning, match="whether a cluster returns in a later update is not checked: their names"):
        stream.update(given)
    stream.update(given)
    assert cv.Monitor.from_dict(stream.to_dict()).update(given) == stream.update(given)


def test_windows_that_share_a_cluster_are_refused():
    p = clusters_of_rows()
    fields = {"day": np.datetime64("2024-01-01") + np.arange(60) // 20, "patient": np.arange(60) // 4}
    split = cv.Predictions(p.probs, p.labels, fields=fields, cluster="patient")
    assert cv.monitor_windows(split, width="D").sizes["window"] == 3
    mixed = cv.Predictions(p.probs, p.labels, fields=fields | {"patient": np.arange(60) // 7}, cluster="patient")
    said = r"2 patients lie in several windows \(2, 5\): .* so pass a larger width than 'D'"
    with pytest.raises(ValueError, match=said):
        cv.monitor_windows(mixed, width="D")


def test_calibrated_clusters_raise_no_alarm_where_rows_one_by_one_would():
    rng, alarms, of_rows = np.random.default_rng(0), 0, 0
    for _ in range(40):
        score, code = rng.uniform(0.1, 0.9, 2000), np.arange(2000) // 20
        shared = np.sqrt(0.5) * rng.normal(size=100)[code] + np.sqrt(0.5) * rng.normal(size=2000)
        label = (ndtr(shared) < score).astype(int)
        stream, rows = cv.Monitor(), cv.Monitor()
        for part in np.split(np.arange(2000), 10):
            fields = {"c": code[part]}
            stream.update(cv.Predictions(score[part], label[part], fields=fields, cluster="c"))
            rows.update(cv.Predictions(score[part], label[part]))
        alarms, of_rows = alarms + stream.alarm, of_rows + rows.alarm
    assert alarms <= 2 and of_rows >= 20


def test_a_cluster_that_returns_is_refused_where_each_update_holds_one_row_of_it():
    rng = np.random.default_rng(0)
    score = rng.random(50)
    p = cv.Predictions(score, rng.random(50) < score, fields={"patient": np.arange(50)}, cluster="patient")
    stream = cv.Monitor()
    stream.update(p)
    with pytest.raises(ValueError, match="were in an earlier update"):
        stream.update(p)
