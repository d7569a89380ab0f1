"""Outcomes at a horizon: golden values, curves by definition, what weighted rows estimate, what is refused."""

import json

import numpy as np
import pytest
from golden_sets import SHARED
from hypothesis import given, settings, strategies as st

import calibviz as cv
from calibviz.context.induced import scalar_problem

FILE = SHARED / "golden" / "dependence.json"


def drawn(seed: int, n: int = 300, censored: float = 0.4, slope: float = 1.0):
    """Risks of an event by time 1, with times of events of that risk (for a slope of 1), and of censoring."""
    rng = np.random.default_rng(seed)
    risk = rng.uniform(0.1, 0.8, n)
    odds = slope * np.log(risk / (1 - risk))
    rate = -np.log1p(-1 / (1 + np.exp(-odds)))
    happened = rng.exponential(1 / rate)
    ended = rng.exponential(-1 / np.log1p(-censored), n) if censored else np.full(n, np.inf)
    time = np.minimum(np.minimum(happened, ended), 2.0)
    return risk, time, (happened <= np.minimum(ended, 2.0)).astype(int)


def at(risk, time, event, **more):
    return cv.Predictions.at_horizon(risk, time=time, event=event, horizon=1.0, **more)


@pytest.mark.skipif(not FILE.exists(), reason="the golden values lie beside the repository")
def test_golden_values():
    records = [each for each in json.loads(FILE.read_text())["records"] if each["call"] == "at_horizon"]
    assert records
    for record in records:
        given = record["inline"]
        more = {"weights": given.get("weight"), "by": given.get("by"), **record["args"]}
        p = cv.Predictions.at_horizon(given["risk"], time=given["time"], event=given["event"], **more)
        value = record["value"]
        np.testing.assert_array_equal(p.labels, value["labels"])
        np.testing.assert_allclose(p.weights, value["weights"], rtol=1e-9)
        assert (p.horizon.known, p.horizon.censored_before) == (value["kept"], value["censored_before"])
        found = p.horizon.observed, p.horizon.expected, p.horizon.ratio
        np.testing.assert_allclose(found, [value[name] for name in ("observed", "expected", "ratio")], rtol=1e-9)


def by_definition(time, event, weight, horizon):
    """The weight of each known row, and the share with the event, with a loop over times."""
    inverse, share, free = np.ones(len(time)), 0.0, 1.0
    for u in np.unique(time[time <= horizon]):
        risk = weight[time >= u].sum()
        of = [weight[(time == u) & (event == code)].sum() for code in (1, 2)]
        share += free * of[0] / risk
        free *= 1 - sum(of) / risk
    for i in range(len(time)):
        for u in np.unique(time[time < min(time[i], horizon)]):
            events = weight[(time == u) & (event != 0)].sum()
            inverse[i] /= 1 - weight[(time == u) & (event == 0)].sum() / (weight[time >= u].sum() - events)
    return inverse, share


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=30),
    st.integers(1, 7),
)
def test_weights_and_share_equal_their_definition(rows, horizon):
    time, event, weight = (np.array(column, dtype=float) for column in zip((9, 0, 1), *rows, strict=True))
    p = (
        cv.Predictions.at_horizon(
            np.linspace(0.1, 0.9, len(time)), time=time, event=event, horizon=horizon, weights=weight
        )
        if (time >= horizon).sum() >= 10
        else None
    )
    if p is None:
        with pytest.warns(UserWarning, match="rests on few"):
            p = cv.Predictions.at_horizon(
                np.linspace(0.1, 0.9, len(time)), time=time, event=event, horizon=horizon, weights=weight
            )
    known = (time >= horizon) | (event != 0)
    inverse, share = by_definition(time, event, weight, horizon)
    np.testing.assert_allclose(p.weights, (weight * inverse)[known], rtol=1e-9)
    np.testing.assert_allclose(p.horizon.observed, share, atol=1e-12)
    np.testing.assert_allclose(p.weights @ p.labels / weight.sum(), share, atol=1e-12)
    np.testing.assert_allclose(p.weights.sum(), weight.sum(), rtol=1e-12)


def test_without_censoring_it_is_a_label():
    risk, time, event = drawn(0, censored=0.0)
    p = at(risk, time, event)
    np.testing.assert_array_equal(p.labels, time <= 1)
    np.testing.assert_array_equal(p.weights, 1)
    assert p.horizon.observed == pytest.approx(np.mean(time <= 1))


def test_what_weighted_rows_estimate_is_what_would_have_been_observed():
    risk, time, event = drawn(1, 20_000, censored=0.5)
    p = at(risk, time, event)
    _, known, _ = drawn(1, 20_000, censored=0.0)
    assert abs(p.horizon.observed - np.mean(known <= 1)) < 0.012
    as_label = cv.Predictions(risk, (event == 1) & (time <= 1))  # who is censored taken for one without the event
    assert cv.observed_expected(as_label).estimate < 0.9 < 0.97 < cv.observed_expected(p).estimate < 1.03


@pytest.mark.thorough
def test_calibrated_risks_are_seldom_called_wrong():
    """False alarms of tests by signs, and how often the interval of O:E holds the truth, at 40 % censored."""
    sets = 120
    found = [at(*drawn(seed, 250)) for seed in range(sets)]
    tests = [(cv.ks_test(p).p_value, cv.calibration_test(p, replicates=199, progress=False).p_value) for p in found]
    assert (np.array(tests) <= 0.05).mean(axis=0).max() <= 0.1
    ratios = [cv.observed_expected(p) for p in found]
    assert np.mean([one.lower <= 1 <= one.upper for one in ratios]) >= 0.9
    wrong = [cv.ks_test(at(*drawn(seed, 600, slope=0.4))).p_value for seed in range(20)]
    assert np.mean(np.array(wrong) <= 0.05) >= 0.8


def test_text_names_the_event_and_the_censored():
    risk, time, event = drawn(2)
    words = np.array(["alive", "relapse"])[event]
    words[(event == 1) & (np.arange(300) % 5 == 0)] = "death"
    p = at(risk, time, words, event_of="relapse", censored="alive")
    codes = np.where(words == "death", 2, event)
    q = at(risk, time, codes)
    np.testing.assert_array_equal(p.labels, q.labels)
    np.testing.assert_array_equal(p.weights, q.weights)
    np.testing.assert_array_equal(at(risk, time, event.astype(bool)).weights, at(risk, time, event).weights)


def test_fields_and_clusters_go_with_the_known_rows():
    risk, time, event = drawn(3)
    fields = {"site": np.array(["a", "b"])[np.arange(300) % 2], "patient": np.arange(300) // 3}
    p = at(risk, time, event, fields=fields, cluster="patient", by="site", noun="people")
    known = (time >= 1) | (event == 1)
    np.testing.assert_array_equal(p.fields["site"], fields["site"][known])
    assert p.cluster == "patient" and p.n_clusters == len(np.unique(fields["patient"][known])) and p.noun == "people"
    said = (
        f"outcomes at 1: {known.sum()} known, which count for {(~known).sum()} rows censored before; censoring is taken"
    )
    assert p.about["assumed"] == f"{said} to be independent of the risk within site"
    alone = at(risk, time, event)
    assert "cluster" not in repr(alone)
    assert alone.cluster is None and alone.n_clusters == len(alone)
    for name in "ab":
        of = fields["site"] == name
        np.testing.assert_allclose(p.weights[p.fields["site"] == name].sum(), of.sum())


def test_few_rows_that_stand_for_many_are_warned_of():
    risk, time, event = drawn(4, 40)
    with pytest.warns(UserWarning, match=r"\d rows followed to the horizon 1.9, and a row counts up to"):
        cv.Predictions.at_horizon(risk, time=time, event=event, horizon=1.9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"horizon": 2.5}, r"horizon 2\.5: the longest follow-up is 2"),
        ({"horizon": 0}, "horizon must be above 0"),
        ({"horizon": -1}, "horizon must be finite and at least 0"),
        ({"time": -1.0}, "a time cannot be negative"),
        ({"time": np.nan}, "every time must be finite"),
        ({"event": 0.5}, r"event: row 0 is 0\.5; 0 is censored, 1 the event"),
        ({"event": np.nan}, "event: row 0 has none"),
        ({"event": "dead"}, "event holds text, '0', '1', 'dead': pass event_of="),
        ({"event_of": 7}, "event_of=7 is in no row of event: 0, 1"),
        ({"by": "ward"}, "by: there is no field 'ward'"),
    ],
)
def test_what_gives_no_outcome_is_refused(change, said):
    risk, time, event = drawn(5)
    given = {"time": time, "event": event, "horizon": 1.0}
    for name, value in change.items():
        if name in ("time", "event") and not np.ndim(value):
            column = given[name].tolist()
            column[0] = value
            value = [str(each) for each in column] if isinstance(value, str) else column
        given[name] = value
    with pytest.raises((ValueError, TypeError), match=said):
        cv.Predictions.at_horizon(risk, **given)


REFUSED = {
    "trust": cv.trust,
    "a study of so many samples": lambda p: cv.sample_size(p, error=cv.ks_error, n=[100], replicates=4, progress=False),
    "a summary": cv.summarize,
    'smoother="honest"': lambda p: cv.calibration_curve(p, smoother="honest"),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("together", [False, True])
def test_what_needs_all_outcomes_says_that_some_are_censored(what, together):
    risk, time, event = drawn(5)
    patient = np.arange(300) // 3
    p = at(risk, time, event, fields={"patient": patient}, cluster="patient" if together else False)
    said = (
        f"^{what} would take all outcomes to be known, but at a horizon some are censored, and weights stand for them$"
    )
    with pytest.raises(ValueError, match=said):
        REFUSED[what](p)
    assert cv.auc(p).note.startswith("DeLong's interval of an AUC would take all outcomes to be known")


def with_events(seed: int = 6, n: int = 400):
    """Risks, times, and events of which some compete."""
    risk, time, event = drawn(seed, n)
    return risk, time, np.where((event == 1) & (np.arange(n) % 4 == 0), 2, event)


def test_bins_show_what_their_own_rows_observe_by_a_loop():
    risk, time, event = with_events()
    weights = np.arange(400) % 3 + 1.0
    table = cv.reliability(at(risk, time, event, weights=weights), binning=cv.Uniform(5))
    for k, (left, right) in enumerate(zip(table.left.values, table.right.values, strict=True)):
        own = (risk >= left) & (risk < right)
        known = (time[own] >= 1).any()
        expected = by_definition(time[own], event[own], weights[own], 1)[1] if known else np.nan
        np.testing.assert_allclose(table.observed_km[k], expected, atol=1e-12)


def test_weights_within_bins_give_what_their_own_rows_observe():
    """The two routes to one number: weights of censoring within each bin, and Aalen and Johansen of its rows."""
    risk, time, event = with_events()
    inside = at(risk, time, event, by=np.floor(5 * risk).astype(int))
    table = cv.reliability(inside, binning=cv.Uniform(5))
    np.testing.assert_allclose(table.observed_km, table.target, atol=1e-12)
    alone = at(risk, time, event)
    assert cv.reliability(alone, binning=cv.Uniform(1)).observed_km.item() == pytest.approx(alone.horizon.observed)
    known = at(*drawn(7, 400, censored=0.0))
    table = cv.reliability(known, binning=cv.Uniform(6))
    np.testing.assert_allclose(table.observed_km, table.target, atol=1e-12)


def test_bins_agree_with_lifelines():
    lifelines = pytest.importorskip("lifelines")
    risk, time, event = drawn(8, 400)
    table = cv.reliability(at(risk, time, event), binning=cv.Uniform(4))
    own = (risk >= 0.25) & (risk < 0.5)
    fit = lifelines.KaplanMeierFitter().fit(time[own], event[own])
    assert table.observed_km[1].item() == pytest.approx(1 - fit.predict(1.0))


def test_other_lenses_selections_and_rows_know_what_they_can():
    risk, time, event = with_events()
    site = np.array(["a", "b"])[np.arange(400) % 2]
    p = at(risk, time, event, fields={"site": site})
    tables = cv.reliability(p, ["class yes", "class no", "top-1"], binning=cv.Uniform(5)).observed_km
    np.testing.assert_allclose(tables.sel(lens="class no").values, 1 - tables.sel(lens="class yes").values[::-1])
    assert np.isnan(tables.sel(lens="top-1")).all()  # it looks at no class
    of_a = cv.reliability(p, selection='site == "a"', binning=cv.Uniform(5)).observed_km
    alone = cv.reliability(at(*(each[::2] for each in (risk, time, event))), binning=cv.Uniform(5)).observed_km
    np.testing.assert_allclose(of_a, alone)
    for some in (p.select(np.arange(100)), p.reweighted(np.ones(len(p))), p.with_probs(p.probs)):
        assert np.isnan(cv.reliability(some, binning=cv.Uniform(5)).observed_km).all()
    assert np.isnan(cv.reliability(p, selection="label == 1", binning=cv.Uniform(5)).observed_km).all()
    assert cv.reliability(p.with_nouns("people"), binning=cv.Uniform(5)).observed_km.notnull().any()
    assert "observed_km" not in cv.reliability(cv.Predictions(risk, event == 1))


def test_a_bin_of_which_nobody_is_followed_is_unknown():
    risk, time, event = drawn(9, 400)
    early = np.where(risk < 0.3, np.minimum(time, 0.9), time)
    table = cv.reliability(at(risk, early, np.where(risk < 0.3, 0, event)), binning=cv.Uniform(10)).observed_km.values
    assert np.isnan(table[1:3]).all() and np.isfinite(table[3:8]).all()


def test_diagrams_show_hollow_marks_beside_the_dots():
    p = at(*with_events())
    problem, bare = scalar_problem(p), cv.lens("class yes")(p)  # which does not know who was followed
    for made, name in ((problem, "Kaplan-Meier"), (bare, "")):
        figure = cv.figures.reliability_figure([made], [cv.Uniform(5)(made)])
        (marks,) = (series for series in figure.series if series.role == "followed")
        assert marks.name == name
    table = cv.reliability(p, binning=cv.Uniform(5)).dropna("bin", subset=["observed_km"])
    figure = cv.figures.reliability_figure([problem], [cv.Uniform(5)(problem)])
    (marks,) = (series for series in figure.series if series.role == "followed")
    np.testing.assert_array_equal((marks.x, marks.y), (table.score, table.observed_km))


@pytest.mark.thorough
@pytest.mark.parametrize("slope", [1.0, 0.5])
def test_intervals_of_errors_hold_the_truth_where_some_are_censored(slope):
    """Of 12 data sets a 90 % interval of the KS error holds the truth in 9 at least, calibrated and too sure."""
    score = np.linspace(0.1, 0.8, 20_001)
    gap = score - 1 / (1 + np.exp(-slope * np.log(score / (1 - score))))
    truth = np.abs(np.cumsum(gap)).max() / len(gap)
    held = []
    for seed in range(12):
        found = cv.interval(at(*drawn(seed, 400, slope=slope)), error=cv.ks_error, level=0.9, progress=False)
        held.append(found.lower <= truth + 1e-9 and truth <= found.upper)
    assert np.sum(held) >= 9
    assert slope == 1 or found.lower > 0


def test_an_interval_without_censoring_is_that_of_rows_as_clusters():
    risk, time, event = drawn(3, 300, censored=0.0)
    known = at(risk, time, event)
    assert np.ptp(known.weights) == 0
    scaled = at(risk, time, event, weights=np.full(300, 2.5))  # whose unit means nothing
    one, other = (cv.interval(p, error=cv.ks_error, progress=False) for p in (known, scaled))
    np.testing.assert_allclose((one.lower, one.estimate, one.upper), (other.lower, other.estimate, other.upper))


def test_few_rows_have_an_approximate_interval_or_none():
    some = at(*drawn(1, 60))
    assert cv.interval(some, error=cv.ks_error, progress=False).note == "approximate, since 46 rows are fewer than 50"
    with pytest.raises(ValueError, match="an interval of an error takes more: 19 rows are fewer than 20"):
        cv.interval(some.select(np.arange(19)), error=cv.ks_error, progress=False)
