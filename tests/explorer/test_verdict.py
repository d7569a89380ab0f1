"""The verdict: page, report and function hold the same one, and its sentences claim what the numbers show."""

from __future__ import annotations

import html
import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
import tqdm.auto
from driver import screen
from hypothesis import given, settings, strategies as st
from scipy.special import expit, logit
from scipy.stats import binom

import calibviz as cv
from calibviz.answers.acting.likert import promises
from calibviz.answers.asked.first import first_spec
from calibviz.answers.first_screen.reliability import reliability
from calibviz.answers.first_screen.segments import searched, short_answer as worst
from calibviz.answers.first_screen.tested import USUAL, tested as judged
from calibviz.answers.first_screen.verdict import verdict_of
from calibviz.answers.first_screen.verdict_sentences import BACKWARDS, SEARCHING, worth_less_in_short
from calibviz.answers.first_screen.worst_news import WorthLess, worth_less
from calibviz.answers.registry import ANSWERS
from calibviz.answers.situation.engine import Engine
from calibviz.answers.situation.job import Job
from calibviz.answers.situation.situation import Situation
from calibviz.data.nouns import nouns
from calibviz.foundation.marked import plain

FIRST = {name: next(iter(cv.load_dataset(name).values())) for name in ("digits", "heart", "tumours")}
CHOICES = [
    ("digits", {}),
    ("digits", {"lens": "class 8", "selection": "ink > 0.2"}),
    ("digits", {"lens": "top-2", "outcome": "rest"}),
    ("heart", {}),
    ("heart", {"lens": "top-1", "margin": 0.1}),
    ("heart", {"selection": "age > 50"}),
    ("tumours", {}),
]
CLAIMS = ("Too high", "Too low", "Over-confident", "Under-confident", "Too extreme", "Too cautious", "Off in parts")


def test_while_segments_are_searched_nothing_is_said_of_them():
    engine = Engine({"model": FIRST["heart"]})
    situation = Situation(engine, first_spec(("model",), lens=engine.first_lens))
    of_all = judged(situation, situation.before, USUAL)
    while not of_all.done:
        of_all.step()
    search, begun = searched(situation, situation.before), 0
    while not search.done:
        verdict = verdict_of(situation)
        begun += search.value is not None
        assert verdict.searched == 0 and "No segment is" not in str(verdict)
        search.step()
    assert begun > 1 and verdict_of(situation).searched == 31


def plain_text(page: str) -> str:
    return html.unescape(page).replace("\N{NO-BREAK SPACE}%", " %")


def of_report(page: str) -> list[str]:
    return [plain_text(re.sub("<[^>]*>", "", said)) for said in re.findall(r'<p class="said">(.*?)</p>', page)]


def drawn(n, curve=np.asarray, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    return cv.Predictions(score, rng.random(n) < curve(score), weights=weights)


# ---- one verdict


@pytest.mark.parametrize(("name", "choices"), CHOICES, ids=str)
def test_the_page_holds_it(name, choices):
    explorer = cv.Explorer(FIRST[name], **choices)
    explorer.finish()
    found = cv.verdict(FIRST[name], **choices)
    assert found == explorer.verdict
    assert str(found) == explorer.sentences["verdict"] == "\n".join(found.lines)
    assert found.samples == explorer.situation.before.problems[0].samples
    explorer.close()


@pytest.mark.thorough
@pytest.mark.parametrize("name", FIRST)
def test_a_report_begins_with_it(name, few_replicates):
    p = FIRST[name].select(np.arange(0, len(FIRST[name]), len(FIRST[name]) // 200))
    for choices in ({}, {"selection": "confidence > 0.6"})[: 1 + (name == "heart")]:
        made, found = cv.report(p, **choices, progress=False), cv.verdict(p, **choices)
        assert made.verdict == found
        assert of_report(made.html) == list(found.lines)
        assert found.sentence in plain_text(made.html)


def test_a_comparison_has_one_of_each_model(few_replicates):
    models = {name: p for name, p in cv.load_dataset("tumours").items() if name != "naive Bayes"}
    made = cv.compare(models, margin=0.04, progress=False)
    assert made.verdicts == {name: cv.verdict(p, margin=0.04) for name, p in models.items()}
    for verdict in made.verdicts.values():
        assert all(line in plain_text(made.html) for line in verdict.lines)
    with pytest.raises(ValueError, match="there are 3 verdicts, one of each model: choose one of verdicts"):
        _ = made.verdict


def test_no_choice_of_bins_and_no_panel_moves_it(of_intervals):
    explorer = cv.Explorer(FIRST["digits"].select(np.arange(0, 1797, 3)), panels=("reliability",))
    explorer.finish()
    said = explorer.sentences["verdict"]
    for choices in (
        {"bins": 3}, {"binning": "sweep"}, {"binning": "equal-mass", "norm": "maximum"}, {"distance": "L2"},
        {"panels": ("segments", "decision")}, {"threshold": 0.2},
    ):  # fmt: skip  # short entries stand in rows
        explorer.state.update(**choices)
        explorer.finish()
        assert explorer.sentences["verdict"] == said
    assert explorer.code()
    for choices in ({"calibrator": "isotonic"}, {"calibrator": "none", "margin": 0.5}):
        explorer.state.update(**choices)
        explorer.finish()
        assert explorer.sentences["verdict"] != said
    explorer.close()


def test_its_numbers_are_those_of_the_functions(of_intervals):
    p = FIRST["heart"]
    found = cv.verdict(p)
    assert found.test == cv.calibration_test(p) and found.size == cv.interval(p, error=cv.ks_error)
    assert found.lens == "class disease" and found.samples == len(p) == found.worth
    assert (found.predicted, found.observed) == (found.test.predicted, found.test.observed)
    assert found.could_hide == found.size.upper and found.within is False
    table = cv.segments(p)
    assert found.segment.segment == str(table.segment[0].item()) == "site = Zurich and Basel"
    assert found.searched == table.sizes["segment"] - 1
    assert cv.verdict(p, segments=False).segments == ()
    assert cv.verdict(p, replicates=99, rng=5).test == cv.calibration_test(p, replicates=99, rng=5)
    assert cv.verdict(p, level=0.9).size == cv.interval(p, error=cv.ks_error, level=0.9)
    assert "(90 %)" in cv.verdict(p, level=0.9, margin=0.5).sentence


def test_recalibrated_scores_are_judged_by_folds():
    p = FIRST["heart"]
    found = cv.verdict(p, calibrator="platt")
    table = cv.segments(p, calibrator=cv.cross_fitted(p, calibrator=cv.Platt()))
    assert found.calibrator == "Platt scaling"
    assert found.predicted == pytest.approx(table.score.sel(segment="all samples").item(), abs=1e-12)
    assert found.segment.predicted == table.score.sel(segment=found.segment.segment).item()
    calibration, evaluation = p.split(0.5, rng=0)
    given = cv.verdict(evaluation, calibrator="platt", calibration=calibration)
    assert given.samples == len(evaluation) and given != cv.verdict(evaluation, calibrator="platt")
    assert given == cv.verdict(evaluation, calibrator=cv.Platt(), calibration=calibration)


def test_after_a_calibrator_it_says_what_is_predicted_then_over_all_and_in_the_worst_segment():
    p = FIRST["heart"]
    before, each = cv.verdict(p), cv.verdict(p, calibrator="platt by site")
    assert str(each) == (
        "After Platt scaling by site, over all, no error shows: predicted 55 of 100, observed 55 (920 people).\n"
        "In Zurich and Basel predicted 70 → 93, observed 93 (123 people)."
    )
    assert each.moved.segment == before.segment
    assert each.moved.before == pytest.approx(before.segment.predicted, abs=1e-12)
    mapped = cv.cross_fitted(p, calibrator=cv.ByField("site", cv.Platt())).transform(p)
    kept = p.fields["site"] == "Zurich and Basel"
    assert each.moved.after == pytest.approx(mapped.probs[kept, 1].mean(), abs=1e-9)
    assert ("93", "recalibrated") in each.marked[1] and ("93", "beyond noise") not in each.marked[1]
    one = cv.verdict(p, calibrator="platt")
    assert (
        one.lines[0] == "After Platt scaling, over all, no error shows: predicted 55 of 100, observed 55 (920 people)."
    )
    assert one.lines[1].startswith("In Zurich and Basel predicted 70 → 72, observed 93 (123 people); 1 more segment")
    assert ("93", "beyond noise") in one.marked[1] and one.moved.segment == before.segment
    assert before.calibrator == "" and before.moved is None


def test_the_page_says_the_same_of_the_calibrator_that_is_chosen():
    explorer = cv.Explorer(FIRST["heart"], calibrator="platt by site")
    screen(explorer).finish()
    assert explorer.sentences["verdict"] == str(cv.verdict(FIRST["heart"], calibrator="platt by site"))
    assert "Brier score <b>0.1410 → 0.1295</b>" in explorer._evidence.value
    assert "beyond noise; judged on people it has not seen" in explorer._evidence.value
    worst = {role: screen(explorer).mark("reliability", "reliability", role) for role in ("worst was", "worst after")}
    assert [round(100 * float(mark.x[0])) for mark in worst.values()] == [70, 93]
    explorer.state.calibrator = "none"
    screen(explorer).finish()
    assert explorer.sentences["verdict"] == str(cv.verdict(FIRST["heart"]))
    assert "overall error" in explorer._evidence.value
    explorer.close()


def test_a_summary_has_that_of_its_samples():
    p = FIRST["heart"]
    summary = cv.summarize(p, lens="class disease")
    found, whole = cv.verdict(summary), cv.verdict(p, segments=False)
    assert found.sentence.partition(";")[0] == whole.sentence.partition(";")[0]


# ---- what it says


def test_the_numbers_of_the_embedded_data(of_intervals):
    hearts = cv.verdict(FIRST["heart"])
    assert str(hearts) == (
        "Over all, no error shows: predicted 53 of 100, observed 55 (920 people).\n"
        "In Zurich and Basel predicted 70, observed 93 (123 people)."
    )
    assert str(cv.verdict(cv.load_dataset("digits")["naive Bayes"])) == (
        "Over-confident: predicted 98 of 100 right, observed 92 (1,797 images).\n"
        "Slant above 2.38: predicted 98, observed 87 (449 images)."
    )
    assert str(cv.verdict(cv.load_dataset("tumours")["logistic regression"])).startswith(
        "No error that 569 tumours could show: predicted 37 of 100, observed 37.\n"
        "No segment is off beyond noise (24 looked at). An error of up to "
    )
    few = cv.Predictions(np.full(8, 0.5), [1, 0, 0, 1, 0, 0, 1, 0])
    assert cv.verdict(few).lines[0] == "No error that 8 samples could show: predicted 50 of 100, observed 38 (9 to 76)."
    assert cv.verdict([0.3], [1]).lines[1] == "An error of up to 70 points would go unnoticed."
    assert cv.verdict(drawn(2000), margin=0.0964).lines[0].startswith("Calibrated to within 9.64 points over all: ")


def with_one_off(field, values, off, n=900):
    """Scores that are right but in one value of a field, where too few events are observed."""
    rng = np.random.default_rng(0)
    score, held = rng.uniform(0.1, 0.9, n), rng.choice(values, n)
    return cv.Predictions(score, rng.random(n) < np.where(held == off, 0.4 * score, score), fields={field: held})


@pytest.mark.parametrize(
    ("field", "values", "off", "begins"),
    [
        ("smoker", ["Yes", "No", "Never"], "Yes", "Smoker = Yes: predicted "),
        ("ward", ["North = East", "South", "West"], "North = East", "In North = East predicted "),
        ("home_city", ["delft", "bern", "cork"], "delft", "In delft predicted "),
        ("grade", ["I", "II", "III"], "III", "Grade = III: predicted "),
        ("site", [1, 2, 3], 2, "Site = 2: predicted "),
    ],
)
def test_only_places_are_what_something_is_in(field, values, off, begins):
    """The others are right, so that none of them is news, though the curve of all samples is bent by the one."""
    line = cv.verdict(with_one_off(field, values, off), replicates=99).lines[1]
    assert line.startswith(begins) and line.endswith("samples).")


def test_one_number_is_rounded_alike_in_sentence_and_line():
    found = cv.verdict([0.5] * 8, [1] * 5 + [0] * 3)
    assert "observed 63 %;" in found.sentence and "observed 63 (" in found.lines[0]


def test_an_impossible_sample_is_named_and_no_range_of_others_is():
    """Calibrated scores, but for one of exactly 0: a test rejects for its sake."""
    rng = np.random.default_rng(0)
    score = np.append(rng.random(999), 0.0)
    target = rng.random(1000) < score
    target[-1] = True
    found = cv.verdict(score, target, segments=False)
    full, short = "1 sample predicted at exactly 0 % or 100 % turned out otherwise", "; 1 certain prediction was wrong."
    assert full in found.sentence and found.lines[0].endswith(short)
    assert all("between" not in said for said in (found.sentence, *found.lines))


@pytest.mark.thorough
def test_its_lines_have_room_on_a_laptop(of_intervals):
    """At 1366 pixels, 22 pixels high and bold, a line holds some 115 signs."""
    for p in cv.load_dataset("heart").values():
        assert max(map(len, cv.verdict(p).lines)) <= 110


def test_scores_that_are_refuted_matter_however_few_are(of_intervals):
    found = cv.verdict([0.0] * 10_000, [0] * 9_999 + [1], segments=False)
    assert found.within and found.sentence.startswith("Refuted: ") and "hardly" not in found.sentence


def test_means_that_differ_are_not_said_to_agree():
    assert ", most of all between " in cv.verdict([0.1, 0.5, 0.3, 0.3], [1, 0, 1, 1]).sentence


@pytest.mark.parametrize("weights", [None, [0.5, 0.7, 1.3] * 40])
def test_what_could_be_hidden_grows_with_the_level(weights):
    p = cv.Predictions(np.linspace(0.1, 0.9, 120), np.arange(120) % 5 < 3, weights=weights)
    hidden = [cv.verdict(p, segments=False, level=level).could_hide for level in (0.5, 0.9, 0.999)]
    assert hidden[0] < hidden[1] < hidden[2] <= 0.5


def test_a_segment_that_alone_is_right_is_not_called_off():
    rng = np.random.default_rng(5)
    score, site = rng.uniform(0.1, 0.9, 4000), rng.choice(["A", "B"], 4000, p=[0.8, 0.2])
    chance = np.where(site == "B", score, expit(logit(score) - 1))
    found = cv.verdict(cv.Predictions(score, rng.random(4000) < chance, fields={"site": site}), replicates=99)
    assert found.lines[0].startswith("Too high")
    right = next(one for one in found.segments if one.words == "site = B")
    assert right.may_be_right
    alone = replace(found, segments=(right,))
    assert alone.lines[1].startswith("B is unlike the others: predicted ")


def test_a_constant_of_the_log_odds_is_that_of_other_shares():
    asked = "; as after training on other shares: trained_at=?"
    shifted = drawn(1000, lambda s: expit(logit(s) + 0.6))
    cautious, near = drawn(1000, lambda s: expit(1.6 * logit(s) + 0.6)), drawn(9000, lambda s: expit(logit(s) + 0.15))
    assert cv.verdict(shifted).sentence.endswith(asked)
    for other in (cautious, near, cv.Predictions(shifted.probs, shifted.labels, of_confidence=True)):
        found = cv.verdict(other)
        assert found.direction == -1 and asked not in found.sentence
    fitted_elsewhere = cv.verdict(shifted, calibrator=cv.Temperature(1.01), calibration=near)
    assert fitted_elsewhere.direction == -1 and asked not in fitted_elsewhere.sentence


@pytest.fixture(scope="module")
def whole():
    """A verdict with all that one can hold."""
    return cv.verdict(drawn(400, lambda s: expit(logit(s) + 1)), margin=0.02)


def given_that(whole, p=1.0, gap=1.0, tilt=0.0, size=None, **more):
    test = replace(whole.test, p_value=p, gap_p_value=gap, gap_z=-1.0, tilt_z=tilt, impossible=0)
    ends = None if size is None else cv.interval(drawn(50), error=cv.ks_error, progress=False)
    if size is not None:
        ends = replace(ends, lower=size[0], upper=size[1])
    facts = {"predicted": 0.534, "observed": 0.5535, "observed_interval": (0.5, 0.6), "samples": 920, "worth": 920.0}
    facts |= {"could_hide": 0.052 if size is None else size[1], "about_predicted": False, "is_backwards": False}
    facts |= {"is_of_other_shares": False}
    return replace(whole, test=test, size=ends, segments=(), searched=0, **(facts | more))


SAID = [
    (
        {"p": 0.01, "gap": 0.01, "size": (0.01, 0.06)},
        "Too high: predicted 53.4 %, observed 55.4 %; KS error 1.0 to 6.0 % (95 %).",
    ),
    ({"p": 0.01, "gap": 0.01}, "Too high: predicted 53.4 %, observed 55.4 %."),
    (
        {"p": 0.01, "gap": 0.01, "is_of_other_shares": True},
        "Too high: predicted 53.4 %, observed 55.4 %; as after training on other shares: trained_at=?",
    ),
    ({"p": 0.01, "gap": 0.01, "tilt": -3.0}, "Too high and too extreme: predicted 53.4 %, observed 55.4 %."),
    (
        {"p": 0.01, "gap": 0.01, "tilt": -3.0, "about_predicted": True},
        "Over-confident: predicted 53.4 %, observed 55.4 %.",
    ),
    ({"p": 0.01, "tilt": 3.0}, "Too cautious: predicted 53 %, observed 55 %."),
    (
        {"p": 0.01, "gap": 0.01, "size": (0.001, 0.015)},
        "Too high, but by less than 2 points over all: predicted 53.4 %, observed 55.4 %; KS error 0.1 to 1.5 % (95 "
        "%), which hardly matters.",
    ),
    (
        {"size": (0.0, 0.015)},
        "Calibrated to within 2 points over all: predicted 53 %, observed 55 %; KS error at most 1.5 % (95 %).",
    ),
    (
        {"size": (0.0, 0.052)},
        "No miscalibration is shown: predicted 53 %, observed 55 %; 920 samples could hide a KS error of up to 5.2 %.",
    ),
    (
        {"worth": 500.0},
        "No miscalibration is shown: predicted 53 %, observed 55 %; 920 samples, worth 500 by their weights, could "
        "hide a KS error of up to 5.2 %.",
    ),
    ({"p": 0.01, "gap": 0.01, "is_backwards": True}, f"{BACKWARDS} Too high: predicted 53.4 %, observed 55.4 %."),
    ({"p": 1.0, "is_certain": True}, "Nothing to test: every score is 0 or 1, and all came true."),
    ({"p": 0.0, "is_certain": True}, "Refuted: predicted 53 %, observed 55 %."),
    ({"p": 0.0, "gap": 0.0, "outcome": "cat"}, "Outcome cat: Too high: predicted 53.4 %, observed 55.4 %."),
]  # fmt: skip  # a case is a row


@pytest.mark.parametrize(("facts", "sentence"), SAID, ids=[said[:40] for _, said in SAID])
def test_the_sentence(whole, facts, sentence):
    assert given_that(whole, **facts).sentence == sentence


def test_an_error_that_cancels_is_placed(whole):
    found = given_that(whole, p=0.01)
    test = replace(found.test, range_low=0.2, range_high=0.4, range_predicted=0.3, range_observed=0.42)
    found = replace(found, test=test)
    assert found.sentence == (
        "Off in parts: predicted 53 %, observed 55 %, which agree on the whole, but not between 20 % and 40 % "
        "(predicted 30 %, observed 42 % there)."
    )
    assert found.lines == (
        "Off in parts: predicted 53 of 100, observed 55 (920 samples); between 20 % and 40 % predicted 30, observed "
        "42.",
    )
    refuted = replace(found, test=replace(test, impossible=3))
    assert refuted.sentence.endswith("; 3 samples predicted at exactly 0 % or 100 % turned out otherwise.")
    kind = replace(refuted, calibrator="beta map").sentence
    assert kind.endswith(", as happens to every calibrator that predicts these, however good it is elsewhere.")


@pytest.mark.thorough
@given(st.data())
@settings(max_examples=200, deadline=None)
def test_no_sentence_claims_what_its_numbers_do_not_show(data):
    unit = st.floats(0.0, 1.0)
    lower, upper = sorted((data.draw(unit), data.draw(unit)))
    whole = cv.verdict(drawn(30), segments=False)
    facts = {name: data.draw(unit) for name in ("p", "gap", "predicted", "observed")}
    facts |= {"tilt": data.draw(st.floats(-5, 5)), "samples": data.draw(st.integers(1, 10**6))}
    facts["size"] = (lower, upper) if data.draw(st.booleans()) else None
    found = given_that(whole, **facts, margin=data.draw(st.floats(0.001, 0.5)))
    for said in (found.sentence, found.lines[0]):
        claims = [claim for claim in CLAIMS if said.startswith(claim)]
        assert len(claims) == (facts["p"] <= 0.05), said
        assert ("within" in said or "less than" in said) == (facts["size"] is not None and upper < found.margin)
        assert ("too extreme" in said.lower()) <= (facts["tilt"] < -1.96)
        assert (said.startswith(("Too high", "Too low"))) == (facts["p"] <= 0.05 and facts["gap"] <= 0.05)
        assert re.search(r"\d", said) and not re.search(r"nan|None|\{", said)
    hides = "could hide" in found.sentence
    assert (
        hides == any("would go unnoticed" in line for line in found.lines) == (facts["p"] > 0.05 and not found.within)
    )


@pytest.mark.thorough
@pytest.mark.parametrize("n", [12, 200])
def test_calibrated_scores_are_seldom_called_off(n):
    sets = 200
    alarms = sum(cv.verdict(drawn(n, seed=seed), segments=False, replicates=199).shown for seed in range(sets))
    assert alarms <= binom.ppf(0.999, sets, 0.06)


def test_there_is_no_gate():
    """Told 1 %, observed 100 % of 12: no number of samples is too few to see that."""
    found = cv.verdict(cv.Predictions(np.full(12, 0.01), np.ones(12, int)))
    assert found.shown and found.lines[0] == "Too low: predicted 1 of 100, observed 100 (12 samples)."


def test_what_cannot_be_tested_says_why():
    for p, lens, why in (
        (FIRST["digits"], "pooled", "there is no test, since the scores of a sample share its label"),
        (cv.Predictions([0.2, 0.6], [[0.5, 0.5], [0.1, 0.9]]), "class 1", "soft"),
    ):
        found = cv.verdict(p, lens)
        assert found.test is None and why in found.no_test and why in str(found)
        assert str(found).startswith("Predicted ") and found.segments == ()


# ---- bad input


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"margin": 2}, "margin must lie between 0.001 and 0.999, not be 2"),
        ({"level": 1.0}, "level must"),
        ({"replicates": 0}, "replicates must"),
        ({"lens": "class disease", "outcome": 1}, "outcome=1 cannot be used: the lens 'class disease' has one score"),
        ({"calibrator": "splin"}, "calibrator must be one of"),
        ({"selection": "age > 500"}, "keeps none of the samples: age > 500"),
    ],
)
def test_what_is_refused(choices, said):
    with pytest.raises(ValueError, match=said):
        cv.verdict(FIRST["heart"], **choices)
    with pytest.raises(TypeError):
        cv.verdict({"a": FIRST["heart"]})


def test_every_pair_of_claims_has_words(whole):
    for direction, tilt, about in itertools.product((-1, 0, 1), (-1, 0, 1), (True, False)):
        found = given_that(whole, p=0.01, gap=0.01 if direction else 1.0, tilt=-3.0 * tilt, about_predicted=about)
        found = replace(found, test=replace(found.test, gap_z=-float(direction or 1)))
        assert any(found.sentence.startswith(claim) for claim in CLAIMS)


def test_a_bar_says_what_is_being_worked_on_unless_none_is_wanted(monkeypatch):
    said = []

    class Bar(tqdm.auto.tqdm):
        def set_postfix_str(self, text, refresh):
            said.append((self.disable, text))

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    cv.verdict(drawn(200))
    assert (False, "interval of KS 100 %") in said
    said.clear()
    cv.verdict(drawn(200), progress=False)
    assert said and all(is_disabled for is_disabled, _ in said)


def test_acting_is_seldom_called_worth_less_where_scores_are_calibrated():
    rng, named = np.random.default_rng(0), 0
    for _ in range(100):
        score, site = rng.beta(1, 2, 400), rng.choice(list("abcd"), 400)
        p = cv.Predictions(score, (rng.random(400) < score).astype(int), fields={"site": site})
        table = cv.segments(p, replicates=0)
        named += worth_less(p, cv.lens("class 1")(p), table, 0.2) is not None
    assert named <= 5


# ---- segments that nobody has looked at yet


def test_until_segments_are_judged_it_claims_nothing_of_them():
    explorer = cv.Explorer(FIRST["heart"])
    claims, said = ("No error that", "No segment", "unnoticed"), set()
    jobs = explorer.situation.engine.jobs
    while (found := verdict_of(explorer.situation)).is_searching:
        assert found.lines[0].startswith("Over all, no error shows: ") and found.lines[1:] == (SEARCHING,)
        assert not found.searched and not any(claim in str(found) for claim in claims)
        said.add(found.lines)
        next(job for job in jobs._live() if job.label == "segments").step()
    assert len(said) == 1 and found.segments and found.searched
    explorer.close()


def test_cancelled_work_is_no_all_clear():
    explorer = cv.Explorer(FIRST["tumours"])
    jobs = explorer.situation.engine.jobs
    assert verdict_of(explorer.situation).is_searching
    search = next(job for job in jobs._live() if job.label == "segments")
    for _ in range(2):  # before there is anything, and with what there is then
        jobs.cancel(search)
        whole, news = verdict_of(explorer.situation).lines
        assert whole.startswith("Over all, no error shows: ")
        assert news.startswith("Segments were not looked at: cancelled. An error of up to ")
        assert worst(explorer.situation).text == "Segments were not looked at: cancelled."
        jobs.start_over()
        search.step()
    explorer.finish()
    assert "looked at)" in explorer.verdict.lines[1]
    explorer.close()


def test_the_likeliest_classes_are_looked_through_where_there_are_no_fields():
    p = cv.load_dataset("resnet110")["ResNet-110"]
    assert not p.fields
    first, second = cv.verdict(p, progress=False).lines
    assert first == "Over-confident: predicted 98 of 100 right, observed 94 (10,000 photographs)."
    assert second.startswith("Likeliest class cat: predicted 97, observed 86 (1,007 photographs); ")
    assert len(cv.verdict(p, segments=False, progress=False).lines) == 1


def test_too_few_samples_for_a_segment_are_said_in_plain_words():
    rng = np.random.default_rng(3)
    score = rng.random(12)
    p = cv.Predictions(score, rng.random(12) < score, fields={"site": np.repeat(["North", "South"], 6)})
    assert cv.verdict(p).lines[1].startswith("Segments were not looked at: none has 30 samples or more.")


def test_other_words_for_samples_judge_nothing_anew(monkeypatch):
    """No work, in whichever panel, depends on what samples and events are called."""
    explorer = cv.Explorer(FIRST["heart"], panels=tuple(ANSWERS))
    explorer.finish()
    was, step = str(explorer.verdict), Job.step

    def none(job, *rest):
        assert job.done, f"{job.label} was begun anew"
        step(job, *rest)

    monkeypatch.setattr(Job, "step", none)
    explorer.state.update(noun="hearts", event_noun="were ill")
    assert str(explorer.verdict) == was.replace("people", "hearts")
    explorer.finish()
    assert not explorer.situation.engine.jobs.current
    explorer.close()


def test_a_category_is_said_with_the_numbers_that_its_table_and_its_strip_show():
    """One interval, one number, and a capital where a sentence begins."""
    rng = np.random.default_rng(0)
    score = np.r_[rng.uniform(0, 0.19, 8), rng.uniform(0.8, 1, 1000)]
    target = np.r_[[1] * 6 + [0] * 2, rng.random(1000) < 0.975]
    p = cv.Predictions(score, target.astype(int))
    explorer = cv.Explorer(p, likert={"unlikely": (0, 0.2), "likely": (0.7, 1.0)})
    explorer.finish()
    table = promises(explorer.situation)
    line = explorer.verdict.lines[1]
    assert line == "Unlikely means 0 to 20 %: observed 75 of 100 (35 to 97; 8 samples)."
    assert table.rows[0][4].text == "observed 35 to 97 %"
    strip = [label for label in reliability(explorer.situation).records[0].labels if label.y < 0]
    words = [" ".join(run.text.strip() for run in label.lines[1]) for label in strip]
    assert [word.split(" of 100")[0] for word in words] == [row[3].text for row in table.rows] == ["75", "98"]
    explorer.close()


@pytest.mark.parametrize("outcome", [0, 1])
def test_nothing_is_said_to_help_or_to_stand_out_where_there_is_one_outcome(outcome):
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.random(300), np.full(300, outcome), fields={"site": rng.choice(["North", "South"], 300)})
    explorer = cv.Explorer(p, lens="class 1", threshold=0.4)
    explorer.finish()
    said, one_kind = explorer.sentences, f"{['None', 'All'][outcome]} of these samples are 1"
    assert said["decision"] == f"{one_kind}: too few to say what acting is worth."
    assert said["recalibration"].startswith("One outcome alone does not say: ")
    assert explorer.verdict.worth_less is None
    assert not re.search("helps|Not in|yes", " ".join(said.values()))
    explorer.close()


def test_a_threshold_that_was_named_counts_even_if_it_is_the_usual_one():
    """In the segment, of those predicted below 50 % far more than half are events."""
    rng = np.random.default_rng(3)
    score, site = rng.uniform(0.05, 0.95, 2_000), np.repeat(["North", "South"], 1_000)
    target = rng.random(2_000) < np.where(site == "South", 0.85, score)
    p = cv.Predictions(score, target.astype(int), fields={"site": site})
    at = {each: cv.verdict(p, threshold=each, replicates=99, progress=False).worth_less for each in (0.49, 0.5, 0.51)}
    assert {each: found and found.words for each, found in at.items()} == dict.fromkeys(at, "site = South")
    assert cv.verdict(p, replicates=99, progress=False).worth_less is None  # nobody is known to act


def test_the_line_of_refuted_scores_is_in_the_words_of_the_others():
    """Of 200 certain predictions 20 are wrong on either side: the means agree, and no number of them is off."""
    score = np.repeat([0.0, 1.0], 100)
    target = np.concatenate([np.arange(100) < 20, np.arange(100) >= 20]).astype(int)
    p = cv.Predictions(score, target, fields={"site": np.tile(["North", "South"], 100)})
    found = cv.verdict(p, progress=False)
    start, end = "Refuted: predicted 50 of 100, observed 50 (200 samples); ", "; 40 certain predictions were wrong."
    assert found.lines[0] == f"{start}high scores are too high, low ones too low{end}"
    assert "beyond noise" not in dict(found.marked[0]).values()
    assert found.sentence.startswith("Refuted: ") and "40 samples predicted at exactly" in found.sentence
    target[:5] = 0  # now more are wrong on one side, which says no more of the means
    uneven = cv.verdict(score, target, segments=False, progress=False)
    assert uneven.direction == 1 and "beyond noise" not in [mark for _, mark in uneven.marked[0]]


def test_what_weights_are_worth_ends_with_the_bracket():
    rng = np.random.default_rng(0)
    score = rng.uniform(0.1, 0.9, 800)
    target = (rng.random(800) < np.sqrt(score)).astype(int)
    found = cv.verdict(cv.Predictions(score, target, weights=rng.exponential(1, 800)), segments=False, progress=False)
    assert re.search(r" \(800 samples, worth [0-9]+ by their weights\)", found.lines[0])


@pytest.mark.parametrize(
    ("words", "selection", "is_worth", "said"),
    [
        ("site = North", 'site == "North"', True, "Not in North: of 8 samples predicted from 50 % on, only 3 had it."),
        (
            "site = North",
            'site == "North"',
            False,
            "In North acting on nobody is better, since of 8 samples predicted ",
        ),
        (
            "predicted = k6",
            "predicted == 'k6'",
            True,
            "Not for likeliest class k6: of 8 samples predicted from 50 % on, ",
        ),
        ("predicted = k6", "predicted == 'k6'", False, "Likeliest class k6: acting on nobody is better, since of 8 "),
    ],
)
def test_a_segment_in_which_acting_is_worth_less_goes_on_from_the_answer_over_all(words, selection, is_worth, said):
    one = WorthLess(words, selection, 1, 0.5, 20, -0.1, 0.0, False, 5, 8, 0.001)
    assert plain(worth_less_in_short(one, nouns("samples", "had it"), is_worth)).startswith(said)
