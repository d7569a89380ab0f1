"""Centres: golden values, a slow twin, what an average and a new centre's interval hold, and what is refused."""

import json

import numpy as np
import pytest
from golden_sets import SHARED
from scipy.optimize import minimize_scalar
from scipy.stats import t as student

import calibviz as cv
from calibviz import figures
from calibviz.uncertainty.centres import MEASURES, pooled

FILE = SHARED / "golden" / "dependence.json"
HEART = cv.load_dataset("heart")["logistic regression"]


def records() -> list[dict]:
    return [each for each in json.loads(FILE.read_text())["records"] if each["call"] == "by_centre"]


@pytest.mark.skipif(not FILE.exists(), reason="the golden values lie beside the repository")
def test_golden_values():
    assert records()
    for record in records():
        if "set" in record:
            data = np.load(SHARED / "data" / f"{record['set']}.npz")
            columns = data["prob"], data["outcome"], [date[:7] for date in data["date"]]
        else:
            columns = tuple(record["inline"][name] for name in ("score", "target", "centre"))
        p = cv.Predictions(*columns[:2], fields={"centre": columns[2]})
        measure, least = record["args"]["measure"], record.get("at_least", 1)
        table = cv.by_centre(p, "centre", measures=[measure], minimum=least).isel(measure=0)
        for name, value in record["value"].items():
            np.testing.assert_allclose(table[name], value, rtol=1e-6, atol=1e-6, err_msg=f"{measure}, {name}")


def test_pooling_equals_its_definition():
    rng = np.random.default_rng(0)
    for k, tau in ((3, 0.0), (5, 0.4), (12, 1.0)):
        v = rng.uniform(0.02, 0.3, k)
        y = rng.normal(0.3, np.sqrt(v + tau**2))
        found, weight = pooled(y, v, 0.9)

        def spread(square: float, y: np.ndarray = y, v: np.ndarray = v) -> float:
            w = 1 / (v + square)
            return float(w @ (y - w @ y / w.sum()) ** 2)

        square = 0.0
        if spread(0.0) > k - 1:
            square = minimize_scalar(
                lambda x, k=k, spread=spread: (spread(x) - (k - 1)) ** 2, bounds=(0, 20), options={"xatol": 1e-12}
            ).x
        w = 1 / (v + square)
        mean, error = w @ y / w.sum(), 1 / w.sum()
        reach = student.ppf(0.95, k - 1) * np.sqrt(error * max(1, spread(square) / (k - 1)))
        new = student.ppf(0.95, k - 2) * np.sqrt(square + error)
        expected = [mean, mean - reach, mean + reach, mean - new, mean + new, np.sqrt(square), spread(0.0)]
        shown = [found.estimate, found.lower, found.upper, found.predicted_lower, found.predicted_upper]
        np.testing.assert_allclose([*shown, found.tau, found.q], expected, atol=2e-4)
        np.testing.assert_allclose(weight, w / w.sum(), atol=2e-4)


def test_each_centre_has_the_measure_of_its_samples():
    table = cv.by_centre(HEART, "site", level=0.9)
    for centre in table.centre.values:
        of = HEART.select(HEART.fields["site"] == centre)
        for name in MEASURES:
            found = getattr(cv, name)(of, level=0.9)
            row = table.sel(measure=name, centre=centre)
            np.testing.assert_allclose(
                [row.each, row.each_lower, row.each_upper], [found.estimate, found.lower, found.upper]
            )
    assert table["count"].sum() == len(HEART)
    np.testing.assert_allclose(table.weight.sum("centre"), 1)


def test_names_of_centres_may_be_given_and_small_ones_left_out():
    given = cv.by_centre(HEART, HEART.fields["site"].tolist(), minimum=150)
    assert given.centre.values.tolist() == ["Budapest", "Cleveland", "Long Beach"]
    selected = cv.by_centre(HEART, "site", selection="site != 'Zurich and Basel'")
    np.testing.assert_array_equal(given.estimate, selected.estimate)


def test_a_number_that_weights_are_multiplied_by_does_not_matter():
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.5, 2, len(HEART))
    first, second = (
        cv.by_centre(cv.Predictions(HEART.probs, HEART.labels, weights=by * weights, fields=HEART.fields), "site")
        for by in (1.0, 7.3)
    )
    for name in ("each", "estimate", "predicted_upper", "tau"):
        np.testing.assert_allclose(first[name], second[name], rtol=1e-6)


def test_a_centre_without_an_event_gets_half_of_one_and_no_slope():
    rng = np.random.default_rng(2)
    score = rng.uniform(0.05, 0.6, 300)
    target, centre = rng.random(300) < score, np.repeat(["a", "b", "c"], 100)
    target[centre == "b"] = False
    table = cv.by_centre(cv.Predictions(score, target, fields={"centre": centre}), "centre")
    assert table.attrs["corrected"] == "observed_expected: b"
    assert table.attrs["left_out"] == "calibration_intercept: b; calibration_slope: b"
    expected = score[centre == "b"].sum()
    ratio = table.sel(measure="observed_expected", centre="b")
    np.testing.assert_allclose(ratio.each, 0.5 / (expected + 0.5))
    np.testing.assert_allclose(np.log(ratio.each_upper / ratio.each), 1.959964 * np.sqrt(1 / 0.5), rtol=1e-6)
    slope = table.sel(measure="calibration_slope")
    assert np.isnan(slope.each.sel(centre="b")) and np.isnan(slope.predicted_lower) and np.isfinite(slope.estimate)


def test_the_intervals_hold_the_average_and_a_new_centre():
    rng = np.random.default_rng(3)
    k, tau, held, new, sets = 10, 0.4, 0, 0, 150
    for _ in range(sets):
        moved = rng.normal(0.0, tau, k)
        score = rng.uniform(0.1, 0.9, (k, 200))
        odds = np.log(score / (1 - score)) + moved[:, None]
        target = rng.random(score.shape) < 1 / (1 + np.exp(-odds))
        p = cv.Predictions(score.ravel(), target.ravel(), fields={"centre": np.repeat(np.arange(k), 200)})
        table = cv.by_centre(p, "centre", measures=["calibration_intercept"]).isel(measure=0)
        held += table.lower <= 0 <= table.upper
        new += table.predicted_lower <= rng.normal(0.0, tau) <= table.predicted_upper
    assert 0.9 <= held / sets <= 0.99 and 0.89 <= new / sets <= 0.99


def test_the_table_draws_centres_average_and_a_new_one():
    table = cv.by_centre(HEART, "site")
    record = figures.centres_table(table)
    assert [row[0].text for row in record.rows] == [*table.centre.values, "average of centres", "a new centre"]
    hollow = [row[1].strip.hollow for row in record.rows]
    assert hollow == [True, True, True, False, True, True]
    assert record.rows[3][2].text == "1.33 (1.27 to 1.39)" and record.rows[-1][2].text == "0.48 to 2.32"
    places = [row[1].strip.value for row in record.rows]
    assert places == sorted(places[:4]) + places[4:]  # the heart's centres are in the order of their ratios
    words = {each.get_text() for each in cv.plots.centres(table).axes[0].texts}
    assert {"Budapest", "average of centres", "0.48 to 2.32"} <= words
    assert figures.centres_sentence(table) == (
        "observed by expected (O:E) 1.06 (0.81 to 1.39) on average over 4 centres; a new centre of this kind lies "
        "between 0.48 and 2.32 "
        "(95 %). 4 centres: the spread between them is hardly known."
    )


def test_samples_whose_centre_is_missing_are_in_none():
    sites = np.where(np.arange(len(HEART)) % 9 == 0, "", HEART.fields["site"])
    table = cv.by_centre(HEART, sites)
    assert table.attrs["without_centre"] == (sites == "").sum() == len(HEART) - table["count"].sum()
    assert "" not in table.centre.values
    assert "Without 103 samples whose centre is missing." in figures.centres_table(table).note


def test_patients_with_many_rows_make_centres_less_sure():
    rng = np.random.default_rng(4)
    patient = np.repeat(np.arange(60), 10)
    score = np.clip(rng.uniform(0.2, 0.8, 60)[patient] + rng.normal(0, 0.05, 600), 0.01, 0.99)
    target = rng.random(60)[patient] < score
    fields = {"centre": np.array(list("abc"))[patient % 3], "patient": patient}
    alone, together = (cv.Predictions(score, target, fields=fields, cluster=c) for c in (False, "patient"))
    for name in MEASURES:
        rows = [cv.by_centre(p, "centre").sel(measure=name) for p in (alone, together)]
        np.testing.assert_allclose(rows[0].each, rows[1].each, rtol=1e-9)
        assert (rows[1].each_upper - rows[1].each_lower > 1.3 * (rows[0].each_upper - rows[0].each_lower)).all()


def test_the_sentence_counts_the_centres_of_the_average():
    rng = np.random.default_rng(5)
    score, centre = rng.uniform(0.2, 0.8, 400), np.repeat(list("abcd"), 100)
    target = (rng.random(400) < score) & (centre != "d")
    p = cv.Predictions(score, target, fields={"centre": centre})
    table = cv.by_centre(p, "centre", measures=["calibration_slope"])
    assert "on average over 3 centres" in figures.centres_sentence(table)
    assert "Not in the average: slope of d." in figures.centres_table(table).note
    alone = cv.by_centre(p, "centre", selection="centre == 'd' or centre == 'a'", measures=["calibration_slope"])
    assert figures.centres_sentence(alone) == "slope is known in 1 centre, and an average takes two."


def test_a_centre_without_spread_does_not_have_all_the_weight():
    """Scores that are 0 or 1, and right, leave each patient's observed less predicted events at 0."""
    rng = np.random.default_rng(0)
    score = np.append(rng.integers(0, 2, 60).astype(float), rng.uniform(0.2, 0.8, 120))
    target = np.append(score[:60], rng.random(120) < score[60:]).astype(int)
    sure = np.repeat(["sure", "one", "two"], 60)
    p = cv.Predictions(score, target, fields={"centre": sure}, cluster=np.arange(180) // 5)
    table = cv.by_centre(p, "centre", measures=["observed_expected"])
    assert table.attrs["left_out"] == "observed_expected: sure"
    assert table.lower.item() < table.estimate.item() < table.upper.item()


def test_a_centre_of_few_clusters_is_left_out_of_all_measures():
    rng = np.random.default_rng(5)
    patient = np.repeat(np.arange(45), 10)
    score = rng.uniform(0.1, 0.9, 450)
    centre = np.where(patient < 23, "first", "second")
    centre[patient < 5], centre[patient >= 41] = "few", "none"  # in "none" there is no event
    target = (rng.random(450) < score) & (centre != "none")
    p = cv.Predictions(score, target, fields={"centre": centre}, cluster=patient)
    assert np.isnan(cv.calibration_slope(p, selection="centre == 'few'").standard_error)
    table = cv.by_centre(p, "centre")
    left_out = {f"{name}: {one}" for name in MEASURES for one in ("few", "none")}
    assert set(table.attrs["left_out"].split("; ")) == left_out
    assert not table.attrs["corrected"] and np.isfinite(table.estimate).all()


def test_a_centre_without_events_weighs_as_its_clusters_do():
    """Ten equal rows of each patient say no more than one: the centre weighs the same as that of the patients alone."""
    rng = np.random.default_rng(6)
    score = rng.uniform(0.1, 0.6, 120)
    centre = np.repeat(["first", "second", "none"], 40)
    target = (rng.random(120) < score) & (centre != "none")

    def centres(times):
        patient = np.repeat(np.arange(120), times)
        fields = {"centre": centre[patient]}
        p = cv.Predictions(score[patient], target[patient], fields=fields, cluster=patient if times > 1 else None)
        return cv.by_centre(p, "centre", measures=["observed_expected"]).sel(centre="none")

    alone, repeated = centres(1), centres(10)
    assert alone.each.item() == pytest.approx(0.5 / (score[80:].sum() + 0.5))
    assert repeated.each.item() == pytest.approx(alone.each.item())


def test_two_centres_have_no_interval_of_a_new_one():
    table = cv.by_centre(HEART, "sex", measures=["calibration_slope"])
    assert np.isnan(table.predicted_lower).all()
    assert "a new centre" not in figures.centres_sentence(table)
    assert figures.centres_table(table).rows[-1][1].strip is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"centre": "ward"}, "centre: there is no field 'ward'"),
        ({"centre": "site", "minimum": 300}, "centre: 1 centre with at least 300 samples, but an average takes two"),
        ({"centre": "site", "measures": ["auc"]}, "measures must be one of"),
        ({"centre": ["a", "b"]}, r"must have shape \(920,\)"),
        ({"centre": "site", "level": 2}, "level"),
    ],
)
def test_what_cannot_be_pooled_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        cv.by_centre(HEART, **options)


@pytest.mark.parametrize("measure", ["observed_expected", "calibration_intercept", "calibration_slope"])
def test_the_interval_of_a_centre_of_few_patients_is_that_of_the_measure(measure):
    """By the t of its patients: of eight it is a fifth wider than a normal one."""
    draws = np.random.default_rng(4)
    patient, score = np.repeat(np.arange(16), 30), draws.uniform(0.1, 0.9, 480)
    fields = {"patient": patient, "centre": np.where(patient < 8, "here", "there")}
    p = cv.Predictions(score, draws.random(480) < score, fields=fields, cluster="patient")
    for level in (0.8, 0.95):
        found = cv.by_centre(p, "centre", level=level, measures=[measure]).sel(measure=measure, centre="here")
        alone = getattr(cv, measure)(p, selection="centre == 'here'", level=level)
        assert found.each_lower.item() == pytest.approx(alone.lower)
        assert found.each_upper.item() == pytest.approx(alone.upper)
