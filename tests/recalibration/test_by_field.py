"""A calibrator for each value of a field that has enough samples."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz.answers.first_screen.calibrators import is_closer, of_field_of_segment
from calibviz.answers.subject import subject
from calibviz.answers.views import recalibration
from calibviz.uncertainty.intervals.brier_change import brier_change

DISEASE = "class disease"
ZURICH = "site == 'Zurich and Basel'"


def drawn(sizes, seed=0, rare=None, missing=0, **options):
    """Scores whose log-odds are off by another shift in each value, and fields that say which; some say nothing."""
    rng = np.random.default_rng(seed)
    site = np.repeat(list(sizes), list(sizes.values()))
    shift = np.select([site == "a", site == "b"], [1.5, -1.5], 0.0)
    z = rng.normal(size=len(site))
    labels = (rng.random(len(site)) < 1 / (1 + np.exp(-z - shift))).astype(int)
    for value, count in (rare or {}).items():
        labels[site == value] = np.arange(sizes[value]) < count
    site = site.astype("U8")
    site[:missing] = ""
    return cv.Predictions(1 / (1 + np.exp(-z)), labels, fields={"site": site}, **options)


@pytest.fixture(scope="module")
def hearts():
    return cv.load_dataset("heart")["logistic regression"]


def test_on_the_hearts_it_is_the_only_one_that_helps(hearts):
    given = cv.brier_score(hearts, DISEASE)
    by_site = cv.cross_fitted(hearts, calibrator=cv.ByField("site", cv.Platt())).transform(hearts)
    assert given == pytest.approx(0.141, abs=5e-4)
    assert cv.brier_score(by_site, DISEASE) == pytest.approx(0.130, abs=1e-3)
    change = {}
    for name in ("temperature", "spline", "isotonic", "beta", "platt", "platt by site"):
        moved = cv.cross_fitted(hearts, calibrator=of_rows(name)).transform(hearts)
        change[name] = brier_change(*(cv.lens(DISEASE)(p) for p in (hearts, moved)))
    helps = {name for name, (_, upper) in change.items() if upper < 0}
    assert helps == {"platt by site"}
    before, after = (cv.lens(DISEASE)(p.select(cv.selection(ZURICH).mask(p))) for p in (hearts, by_site))
    assert before.mean_score == pytest.approx(0.70, abs=0.005)
    assert after.mean_score == pytest.approx(0.93, abs=0.01) and after.mean_target == pytest.approx(0.935, abs=0.001)


def test_each_value_gets_what_a_fit_to_its_samples_alone_gives():
    p = drawn({"a": 200, "b": 150, "c": 40}, missing=5)
    fitted = cv.ByField("site", cv.Platt()).fit(p)
    assert fitted.values_ == ["a", "b"] and len(fitted.calibrators_) == 2
    moved = fitted.transform(p)
    site = p.fields["site"]
    for value in ("a", "b"):
        alone = p.select(site == value)
        np.testing.assert_array_equal(
            moved.probs[site == value], cv.OneVsRest(cv.Platt()).fit(alone).transform(alone).probs
        )
    others = np.isin(site, ["c", ""])
    common = cv.OneVsRest(cv.Platt()).fit(p).transform(p)
    np.testing.assert_array_equal(moved.probs[others], common.probs[others])
    unseen = cv.Predictions(p.probs[:3], p.labels[:3], fields={"site": ["elsewhere", "a", "c"]})
    np.testing.assert_array_equal(fitted.transform(unseen).probs[[0, 2]], common.probs[[0, 2]])


@pytest.mark.parametrize(
    ("sizes", "rare", "values"),
    [
        ({"a": 50, "b": 49, "c": 300}, {}, ["a", "c"]),
        ({"a": 100, "b": 100, "c": 300}, {"a": 5, "b": 4}, ["a", "c"]),
        ({"a": 100, "b": 100, "c": 300}, {"a": 95, "b": 96}, ["a", "c"]),
    ],
)
def test_few_samples_or_few_of_a_class_share_the_common_one(sizes, rare, values):
    assert cv.ByField("site", cv.Platt()).fit(drawn(sizes, rare=rare)).values_ == values


def test_weights_count_by_what_they_are_worth():
    p = drawn({"a": 40, "b": 60}, rare={"a": 20, "b": 30})
    counted = cv.Predictions(p.probs, p.labels, fields=p.fields, weights=np.where(p.fields["site"] == "a", 2, 1))
    assert cv.ByField("site", cv.Platt()).fit(counted).values_ == ["a", "b"]
    weights = np.where(np.arange(100) % 30 == 0, 50.5, 0.01)  # hardly more than a few samples
    with pytest.warns(RuntimeWarning, match="no value of the field 'site' has 50 samples of the calibration set"):
        sparse = cv.Predictions(p.probs, p.labels, fields=p.fields, weights=weights)
        fitted = cv.ByField("site", cv.Platt()).fit(sparse)
    assert fitted.values_ == []
    plain = cv.OneVsRest(cv.Platt()).fit(sparse).transform(sparse)
    np.testing.assert_array_equal(fitted.transform(sparse).probs, plain.probs)


def test_rows_keep_their_logits_and_numbers_and_dates_are_values_too():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(400, 3))
    labels = np.argmax(z / 1.5 + rng.gumbel(size=z.shape), axis=1)
    year = np.where(np.arange(400) < 200, 2020, 2021)
    for column in (year, year.astype(float), year > 2020, np.array([f"{y}-01-01" for y in year], "datetime64[D]")):
        p = cv.Predictions(labels=labels, logits=z, fields={"year": column})
        fitted = cv.ByField("year", cv.Temperature()).fit(p)
        assert len(fitted.values_) == 2 and fitted.keeps_ranking
        first = p.select(np.arange(200))
        moved = fitted.transform(p)
        np.testing.assert_allclose(moved.logits[:200], cv.Temperature().fit(first).transform(first).logits)
        assert not cv.ByField("year", cv.Isotonic()).keeps_ranking


def test_it_is_known_by_name_in_the_cube_as_by_the_object(hearts):
    cube = cv.evaluate(hearts, DISEASE, metrics=["brier"], calibrators=["none", "platt by site"], folds=5)
    same = cv.evaluate(hearts, DISEASE, metrics=["brier"], calibrators=[cv.ByField("site", cv.Platt())], folds=5)
    assert cube.calibrator.values.tolist() == ["none", "platt by site"]
    assert float(cube.brier.sel(calibrator="platt by site").squeeze()) == float(same.brier.squeeze())
    crossed = cv.cross_fitted(hearts, calibrator="platt by site").transform(hearts)
    assert float(same.brier.squeeze()) == pytest.approx(cv.brier_score(crossed, DISEASE), abs=1e-15)
    with pytest.raises(ValueError, match="'plat by site'"):
        cv.evaluate(hearts, DISEASE, calibrators=["plat by site"], folds=5)


def test_it_is_written_as_plain_numbers_and_read_again():
    p = drawn({"a": 200, "b": 150, "c": 40})
    fitted = cv.ByField("site", cv.Platt()).fit(p)
    read = cv.ByField.from_dict(json.loads(json.dumps(fitted.to_dict())))
    np.testing.assert_array_equal(read.transform(p).probs, fitted.transform(p).probs)
    assert repr(read) == "ByField('site', Platt())" and read.name == "platt by site"


def test_what_cannot_be_used_is_refused():
    p = drawn({"a": 100, "b": 100})
    bare = cv.Predictions(p.probs, p.labels)
    with pytest.raises(ValueError, match=r"looks at the field 'ward', and these predictions have the fields 'site'"):
        cv.ByField("ward", cv.Platt()).fit(p)
    fitted = cv.ByField("site", cv.Platt()).fit(p)
    with pytest.raises(ValueError, match=r"these predictions have no fields: fit and transform cv\.Predictions"):
        fitted.transform(bare)
    with pytest.raises(ValueError, match="these predictions have no fields"):
        fitted.predict_proba(p.probs)
    numbers = cv.Predictions(p.probs, p.labels, fields={"site": np.arange(len(p))})
    with pytest.raises(ValueError, match=r"the field 'site' holds numbers, but ByField\('site', Platt\(\)\) was"):
        fitted.transform(numbers)
    with pytest.raises(TypeError, match="calibrator must be a calibrator of scores or of rows"):
        cv.ByField("site", cv.Platt)
    with pytest.raises(TypeError, match="field must be text"):
        cv.ByField(3, cv.Platt())


def test_the_page_offers_it_and_its_code_repeats_it(hearts):
    explorer = cv.Explorer(hearts, panels=("recalibration",))
    try:
        explorer.finish()
        assert ("platt by site", "platt by site") in screen(explorer).controls["calibrator"].options
        assert "choose “platt by site”" in screen(explorer).note("recalibration")
        # Its row is there, since a site is shown to be off, and that of no other field is.
        rows = [row[0]["text"] for row in screen(explorer).cells("recalibration")]
        assert [name for name in rows if " by " in name] == ["platt by site"]
        explorer.state.calibrator = "platt by site"
        explorer.finish()
        for_all = "One for all people: gain within noise. "
        answer = screen(explorer).answer("recalibration")
        assert answer.startswith(f"{for_all}One for each site: yes. Zurich and Basel goes from 70 to 9")
        explorer.state.calibrator = "platt by sex"  # another field than that of the segment that is off
        explorer.finish()
        answer = screen(explorer).answer("recalibration")
        assert re.match(f"{for_all}One for each sex: [a-z, ]+[.] One for each site: yes[.]", answer)
        assert "platt by sex" not in answer
        explorer.state.calibrator = "platt by site"
        explorer.finish()
        assert "cv.ByField('site', cv.Platt())" in explorer.code()
        again = cv.Explorer(hearts, panels=("recalibration",))
        again.state.from_link(explorer.state.to_link())
        assert again.state.calibrator == "platt by site"
        again.close()
    finally:
        explorer.close()


def test_a_segment_that_gets_no_closer_to_what_is_observed_is_said_not_to_be_helped(hearts):
    explorer = cv.Explorer(hearts, panels=("recalibration",))
    try:
        explorer.finish()
        helped = of_field_of_segment(explorer.situation)
        [column] = [i for i, cell in enumerate(screen(explorer).cells("recalibration")[0]) if cell["text"] == "70"]
        looks = {row[0]["text"]: row[column]["look"] for row in screen(explorer).cells("recalibration")}
        assert looks["platt by site"] == "after"  # green
        other = replace(helped, segment=replace(helped.segment, observed=0.6))
        said = recalibration._moved(explorer.situation, other)
        assert re.fullmatch(
            "It does not help Zurich and Basel: from 70 to 9[34], observed 60, judged on people .*", said
        )
        assert not is_closer(other.segment, 0.93) and is_closer(helped.segment, 0.93)
    finally:
        explorer.close()


def test_without_a_choice_the_one_for_all_that_helps_is_spoken_of():
    """Of gradient boosting the spline is within noise; temperature helps, as the table says."""
    explorer = cv.Explorer({"m": cv.load_dataset("heart")["gradient boosting"]}, panels=("recalibration",))
    try:
        explorer.finish()
        helps = {row[0]["text"]: row[3]["text"] for row in screen(explorer).cells("recalibration")}
        assert helps["temperature"] == "yes"
        start = "One for all people: yes, temperature scaling helps. "
        assert screen(explorer).answer("recalibration").startswith(start)
        explorer.state.calibrator = "isotonic"  # one that somebody chose
        explorer.finish()
        said = {"yes": "yes, isotonic regression helps", "within noise": "gain within noise"}[helps["isotonic"]]
        assert screen(explorer).answer("recalibration").startswith(f"One for all people: {said}.")
    finally:
        explorer.close()


def test_of_those_for_all_the_best_is_spoken_of_and_no_name_has_underscores():
    """Of random forest temperature and beta do harm, but the spline does not."""
    explorer = cv.Explorer(cv.load_dataset("heart"), model="random forest", calibrator="platt by chest_pain")
    explorer.finish()
    said = explorer.sentences["recalibration"]
    assert said.startswith("One for all people: gain within noise. One for each chest pain: ")
    explorer.state.panels = ("recalibration",)
    explorer.finish()
    rows = [row[0]["text"] for row in screen(explorer).cells("recalibration")]
    parts = {part.name: part for part in subject(explorer.situation)}
    assert "platt by chest pain" in rows and parts["recalibration"].text == "recalibrated with platt by chest pain"
    assert not [offer.text for offer in parts["recalibration"].offers if "_" in offer.text]
    assert "_" not in said + explorer._panels["recalibration"]._content.note
    explorer.close()


@pytest.mark.thorough
def test_a_report_shows_it(hearts, few_replicates):
    page = cv.report(hearts, calibrators=[cv.ByField("site", cv.Platt())], progress=False).html
    assert "platt by site" in page


def of_rows(name):
    """A calibrator of rows by its name."""
    return name if name == "temperature" or " by " in name else f"{name}, one-vs-rest"
