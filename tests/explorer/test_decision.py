"""Whether to act at a threshold: the panel has the numbers of the library, and its sentence keeps its level."""

from __future__ import annotations

import re

import driver
import numpy as np
import pytest
from driver import screen
from figure_checks import by_role, check
from scipy.stats import binom

import calibviz as cv
from calibviz.answers.acting.acceptance import acceptance
from calibviz.answers.acting.decision import answer, decision, paired_problems, short_answer
from calibviz.answers.asked.choices import CONTROLS
from calibviz.answers.asked.typed import ratio_threshold
from calibviz.answers.first_screen.calibrators import recommended
from calibviz.decisions.acting_draws import BenefitDifference, decision_steps, too_few
from calibviz.decisions.thresholds import WIDTH
from calibviz.explorer.view.panels.marks import legend
from calibviz.explorer.view.panels.views import held_threshold
from calibviz.foundation.marked import plain, runs
from calibviz.foundation.written import interval, percent

LENS = "class disease"


@pytest.fixture(scope="module")
def hearts():
    return cv.load_dataset("heart")["logistic regression"]


@pytest.fixture
def explorer(hearts):
    made = cv.Explorer(
        {"logistic regression": hearts}, panels=("decision",), lens=LENS, threshold=0.2, calibrator="beta"
    )
    yield made
    made.close()


def content_of(explorer):
    content = driver.content_of(explorer, "decision")
    check(content.records[0])
    return content


def cells(content):
    return {row[0].text: [cell.text for cell in row[1:]] for row in content.records[1].rows}


@pytest.mark.parametrize("movers", [0, 4, 40])
def test_a_difference_that_few_samples_make_is_no_verdict(of_acting, movers):
    score = np.concatenate([np.full(100, 0.1), np.full(movers, 0.35), np.full(100, 0.9)])
    target = np.concatenate([np.arange(100) < 12, np.zeros(movers), np.arange(100) < 85])
    before = cv.ScalarProblem(score, target)
    after = before.mapped(lambda s: np.where(s == 0.35, 0.2, s))
    *_, (_, draws) = decision_steps({"model": before, "recalibrated": after}, np.array([0.3]))
    change = draws.difference("recalibrated", "model", 0.3, None)
    assert change.samples == movers
    assert change.value == pytest.approx(0.3 / 0.7 * movers / len(score))
    assert change.is_more == (movers == 40) and not change.is_less
    for other, mass in (("treat all", 100), ("treat none", 100 + movers)):
        assert draws.difference("model", other, 0.3, None).samples == mass


@pytest.mark.thorough
def test_a_repair_is_seldom_said_to_add_where_it_takes_away(of_acting):
    """Of a calibrated model few move; by the interval alone, a tenth of such sets would say that the map adds."""
    sets, adds = 60, 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        score = np.concatenate([rng.uniform(0.31, 0.4, 5), rng.choice([0.1, 0.8], 95)])
        before = cv.ScalarProblem(score, rng.random(100) < score)
        problems = {"model": before, "recalibrated": before.mapped(lambda s: np.where(s < 0.5, s**1.5, s))}
        *_, (_, draws) = decision_steps(problems, np.array([0.3]))
        adds += draws.difference("recalibrated", "model", 0.3, None).is_more
    assert adds <= binom.ppf(0.999, sets, 0.025)


def test_no_number_of_samples_is_told_where_few_make_the_difference():
    rng = np.random.default_rng(0)
    told = np.append(rng.uniform(0.3, 0.9, 400), np.full(6, 0.15))
    predictions = cv.Predictions(told, rng.random(406) < told)
    made = cv.Explorer(predictions, predictions, panels=("decision",), threshold=0.2, calibrator="beta")
    said = content_of(made).answer
    assert "6 samples are acted on otherwise, too few to say" in said
    assert "If it is as large" not in said and "  " not in said
    made.close()


def test_four_of_five_studies_of_the_size_that_is_told_show_the_difference():
    """With as many as make the interval end at 0, every second one would."""
    rng = np.random.default_rng(4)
    score = np.clip(rng.normal(0.45, 0.15, 300), 0.02, 0.98)
    label = rng.random(300) < score
    predictions = cv.Predictions(score, label)
    made = cv.Explorer(predictions, predictions, panels=("decision",), threshold=0.3)
    said = content_of(made).answer
    made.close()
    [told] = re.findall(r"some ([0-9,]+) samples would show it with 80 % probability; here are 300\.", said)
    size = int(told.replace(",", ""))
    assert size > 300 and "the gain over acting on all is within noise" in said
    gained = np.where(score < 0.3, 0.3 / 0.7 * ~label - label, 0.0)  # less than acting on all, per sample
    drawn = gained[rng.integers(0, 300, (400, size))]
    shown = (np.abs(drawn.mean(axis=1)) > 1.96 * drawn.std(axis=1) / np.sqrt(size)).sum()
    assert binom.ppf(0.001, 400, 0.74) < shown < binom.ppf(0.999, 400, 0.86)


@pytest.mark.parametrize("calibrator", ["beta", "temperature"])  # a map of scores, and one of rows
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_numbers_are_those_of_the_library(hearts, explorer, calibrator, prevalence):
    explorer.state.update(calibrator=calibrator, prevalence=prevalence)
    rows = cells(content_of(explorer))
    judged = hearts
    at = {"lens": LENS, "threshold": 0.2, "prevalence": prevalence}
    fitted = {"beta": cv.Beta(), "temperature": cv.Temperature()}[calibrator]
    fitted = cv.cross_fitted(judged, LENS if calibrator == "beta" else None, calibrator=fitted)
    wanted = {
        "logistic regression": cv.net_benefit(judged, **at),
        f"after {calibrator}": cv.net_benefit(judged, calibrator=fitted, **at),
        "all": cv.net_benefit(judged, strategy="treat all", **at),
        "nobody": 0.0,
    }
    shown = {name: f"{100 * b:.1f}".replace("-", "−") for name, b in wanted.items()}
    assert {name: row[0] for name, row in rows.items()} == shown


def test_to_act_on_nobody_has_no_interval_and_the_others_are_written_with_true_minus_signs(explorer):
    explorer.state.update(threshold=0.8)
    benefits = {row[0].text: row[1] for row in content_of(explorer).records[1].rows}
    assert (benefits["nobody"].text, benefits["nobody"].below) == ("0.0", "")
    everybody = benefits["all"]
    assert re.fullmatch(r"−\d+\.\d", everybody.text)
    assert re.fullmatch(r"−\d+\.\d to −\d+\.\d", everybody.below)


def test_what_no_sample_changes_has_no_interval_and_the_sentence_has_that_of_the_table(explorer):
    explorer.state.update(threshold=0.8, prevalence=0.3)
    content = content_of(explorer)
    benefits = {row[0].text: row[1] for row in content.records[1].rows}
    assert (benefits["all"].text, benefits["all"].below) == ("−250.0", "")
    low, high = benefits["logistic regression"].below.split(" to ")
    assert f"the gain over acting on nobody is within noise ({low} to {high})" in content.answer


def test_a_net_benefit_of_few_samples_has_no_interval(explorer):
    for threshold, below in ((0.99, r"[1-9] acted on: too few to say"), (0.999, "0 acted on")):
        explorer.state.update(threshold=threshold)
        row = content_of(explorer).records[1].rows[0]
        assert re.fullmatch(below, row[1].below), threshold


def test_of_a_class_risk_and_coverage_are_about_those_acted_on(explorer):
    def axes(lens):
        explorer.state.update(lens=lens)
        figure = next(one for one in content_of(explorer).records if one.name == "risk-coverage")
        return figure.x_label, figure.y_label

    assert axes("top-1") == ("coverage, the surest first", "wrong, of those accepted")
    assert axes(LENS) == ("acted on, the highest scores first", "needless, of those acted on")


def test_what_is_found_near_a_threshold_is_at_the_prevalence(hearts, explorer):
    explorer.state.update(threshold=0.3, prevalence=0.05)
    found = content_of(explorer).records[1].rows[0][-1]
    judged = hearts
    problem = cv.lens(LENS)(judged)
    cases = problem.mean_target
    weights = np.where(problem.given_target == 1, 0.05 / cases, 0.95 / (1 - cases))
    near = np.abs(problem.score - 0.3) <= WIDTH
    share = np.average(problem.given_target[near], weights=weights[near])
    assert found.text == percent(share)
    low, high = (float(end) / 100 for end in re.findall(r"[\d.]+", found.below.partition("%")[0]))
    assert low <= share <= high


@pytest.mark.parametrize(
    ("movers", "said"),
    [(0, "no sample is"), (0.4, "part of a sample is"), (1, "1 sample is"), (1200, "1,200 samples are")],
)
def test_samples_that_make_a_difference_are_counted_in_good_grammar(movers, said):
    assert BenefitDifference(0.0, 0.0, 0.0, movers).counted() == said


def test_who_changes_sides_and_what_is_found_near(hearts, explorer):
    table = content_of(explorer).records[1]
    judged = hearts
    beta = cv.cross_fitted(judged, LENS, calibrator=cv.Beta())
    moved = cv.changed_sides(judged, LENS, calibrator=beta, thresholds=0.2).squeeze()
    for direction, words in (("up", "acted on only after beta"), ("down", "no longer acted on after beta")):
        row = moved.sel(direction=direction)
        count = int(row["count"])
        assert (f"{count} {words}" in table.note) == (count > 0)
        if count:
            ends = interval(float(row.lower), float(row.upper))
            assert f"of them observed (95 % interval {ends})" in table.note
            explorer.state.prevalence = 0.05  # another share of them is true there
            assert f"of them observed (95 % interval {ends})" not in content_of(explorer).records[1].note
            explorer.state.prevalence = None
    near = cv.local_calibration(judged, LENS, thresholds=0.2).squeeze()
    assert table.rows[0][-1].text == percent(float(near.target))
    assert f"of {int(near['count'])}, predicted" in table.rows[0][-1].below


def test_bands_are_those_of_the_decision_curve_and_differences_are_paired(of_acting, hearts, explorer):
    content = content_of(explorer)
    bands = [series for series in content.records[0].series if series.role in ("before", "after")]
    assert [series.shape for series in bands] == ["area", "area", "line", "line"]
    draws = list(decision_steps(paired_problems(explorer.situation), np.array([0.2])))[-1][1]
    above = draws.difference("model", "treat all", 0.2, None)
    judged = hearts
    table = cv.decision_curve(judged, LENS, thresholds=[0.2], replicates=draws.replicates)
    alone = float(table.upper.sel(strategy="model")[0] - table.lower.sel(strategy="model")[0])
    assert above.lower < above.value < above.upper
    assert above.upper - above.lower < alone  # what both have in common is not counted as noise


def test_the_handle_the_sliders_and_the_cost_ratio_set_one_threshold(explorer):
    controls = screen(explorer).controls
    controls["cost ratio"].value = "3"
    assert explorer.state.threshold == 0.25 and controls["threshold"].value == 0.25
    controls["threshold"].value = 0.05
    assert explorer.state.threshold == 0.05 and controls["cost ratio"].value == "19 needless"
    steps = controls["ratio by steps"]
    assert (steps.value, steps.label) == (0.05, "19")
    steps.label = "1/3"
    assert explorer.state.threshold == 0.75 and controls["cost ratio"].value == "1/3 needless"
    controls["cost ratio"].value = "7 needless"  # between two steps it is one itself
    assert explorer.state.threshold == 0.125 and (steps.value, steps.label) == (0.125, "7")
    assert len(steps.options) == 100 and len({text for text, _ in steps.options}) == 100
    explorer._panels["decision"]._choose(threshold=held_threshold(1.2))
    assert explorer.state.threshold == 0.99
    handle = by_role(decision(explorer.situation).records[0], "threshold")
    assert handle.x.tolist() == [0.99]


@pytest.mark.parametrize(("choice", "label"), [("threshold", "threshold"), ("prevalence", "prevalence")])
def test_a_slider_of_whole_per_cents_shows_finer_shares_as_they_are(explorer, choice, label):
    slider = screen(explorer).controls[label]
    for share in (0.004, 0.9985, 1 / 3):
        explorer.state.update(**{choice: share})
        assert slider.value == share and (slider.step, slider.readout_format) == (0.001, ".1f")
        slider.value = round(share, 3)  # as the browser says it once more
        assert getattr(explorer.state, choice) == share
    slider.value = 0.125
    assert getattr(explorer.state, choice) == 0.125
    slider.value = 0.2
    assert getattr(explorer.state, choice) == 0.2 and (slider.step, slider.readout_format) == (0.01, ".0f")
    explorer.state.update(threshold=0.25, prevalence=None)


def test_keys_move_the_handle_of_the_threshold_in_fine_steps(explorer):
    screen(explorer).press_handle("decision-curve", "threshold", 0, 0.251)
    assert explorer.state.threshold == 0.251
    screen(explorer).press_handle("decision-curve", "threshold", 0, 0.0)
    assert explorer.state.threshold == 0.001
    explorer.state.threshold = 0.25


def test_a_prevalence_at_that_of_the_samples_follows_them(explorer):
    slider = screen(explorer).controls["prevalence"]
    own = slider.value
    slider.value = 0.1
    assert explorer.state.prevalence == 0.1
    slider.value = own
    assert explorer.state.prevalence is None


@pytest.mark.parametrize("text", ["", "a", "-1", "0", "1/0", "inf", "1/2/3"])
def test_a_cost_ratio_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match=r"a cost ratio is a positive number or fraction such as 4 or 1/3"):
        ratio_threshold(text)


def test_sentences(of_acting, explorer):
    said = "Yes, from 20 %: worth 12.5 fewer acted on needlessly per 100 people than acting on all (7.3 to 17.3)."
    in_zurich = "Not in Zurich and Basel: of 8 people predicted below 20 %, 6 had the disease."
    assert content_of(explorer).answer == f"{said} {in_zurich}"
    assert runs(content_of(explorer).marked.split("\n")[1])[2] == ("6", "beyond noise")
    explorer.state.prevalence = 0.05
    assert content_of(explorer).answer.startswith("No, not from 20 %: acting on nobody is worth ")
    explorer.state.update(selection='site == "Zurich and Basel"', prevalence=None)
    said = content_of(explorer).answer
    for true, sentence in ((0, "None of these samples are events:"), (1, "Only 1 of these samples is events:")):
        assert too_few(cv.ScalarProblem(np.full(9, 0.5), np.arange(9) < true)).startswith(sentence)
    assert said.startswith("All but 8 of these people had the disease: too few to say what acting is worth.")
    explorer.state.update(lens="pooled", selection="")
    assert decision(explorer.situation).note.startswith("Nobody acts on all classes of a sample at once")


def test_a_threshold_between_those_of_the_curve_is_measured_there(hearts, explorer):
    explorer.state.threshold = 0.123
    rows = cells(content_of(explorer))
    judged = hearts
    assert rows["logistic regression"][0] == f"{100 * cv.net_benefit(judged, LENS, threshold=0.123):.1f}"


@pytest.mark.thorough
def test_scores_that_know_nothing_are_rarely_called_worth_more(of_acting):
    rng = np.random.default_rng(0)
    claims = 0
    for _ in range(200):
        score = rng.random(150)
        problem = cv.ScalarProblem(score, (rng.random(150) < 0.3).astype(float))
        draws = list(decision_steps({"model": problem}, np.array([0.3])))[-1][1]
        over = [draws.difference("model", other, 0.3, None) for other in ("treat all", "treat none")]
        claims += all(difference.is_more for difference in over)
    assert claims <= 0.05 * 200


def test_answer_says_nothing_before_there_are_replicates(of_acting, explorer):
    problems = paired_problems(explorer.situation)
    first = next(decision_steps(problems, np.array([0.2])))[1]
    assert answer(explorer.situation, problems, first) == ""


def test_a_selection_that_keeps_other_samples_after_a_repair_compares_nothing(hearts):
    """Scores of 0.25 that a calibrator moves to 0.5 leave a selection that keeps 0.2 to 0.3."""
    rng = np.random.default_rng(0)
    score = np.repeat([0.25, 0.9], 200)
    p = cv.Predictions(score, (rng.random(400) < np.repeat([0.6, 0.25], 200)).astype(int))
    explorer = cv.Explorer(p, panels=("decision",), lens="class 1", calibrator="histogram")
    explorer.state.selection = "0.2 <= output <= 0.3"
    explorer.finish()
    assert screen(explorer).complaint == ""
    content = decision(explorer.situation)

    explorer.close()
    assert content.note.startswith("After histogram the selection keeps other samples")
    assert [row[0].text for row in content.records[1].rows] == ["model", "all", "nobody"]
    assert "acted-on" not in {record.name for record in content.records}


def test_a_selection_by_output_says_of_whom_the_panel_is(explorer):
    explorer.state.update(calibrator="beta", selection="output > 0.3", threshold=0.9)
    content = content_of(explorer)
    before, after = (len(side.problems[0]) for side in (explorer.situation.before, explorer.situation.after))
    here = len(paired_problems(explorer.situation)["model"])
    assert here < max(before, after)
    assert f"the {here:,} people that the selection keeps both before beta and after it, of {before:,}" in content.note
    explorer.state.update(selection="confidence > 0.6")
    assert "both before" not in content_of(explorer).note


def test_a_net_benefit_below_zero_has_a_minus(explorer):
    explorer.state.update(prevalence=0.02, threshold=0.5)
    everybody = cells(content_of(explorer))["all"]
    assert everybody[0].startswith("−") and "-" not in " ".join(
        f"{cell.text} {cell.below}" for row in content_of(explorer).records[1].rows for cell in row
    )


def test_risk_and_coverage_follow_the_repair():
    explorer = cv.Explorer(cv.load_dataset("digits")["random forest"], panels=("decision",), calibrator="isotonic")
    curves = {}
    for calibrator in ("isotonic", "beta", "vector"):
        explorer.state.calibrator = calibrator
        explorer.finish()
        [after] = [s for s in screen(explorer).record("decision", "risk-coverage").series if calibrator in s.name]
        curves[calibrator] = after.y
    assert curves["beta"].shape != curves["vector"].shape or not np.allclose(curves["beta"], curves["vector"])
    explorer.close()


def test_who_is_acted_on_is_drawn_as_the_table_says(explorer):
    explorer.state.update(calibrator="beta", threshold=0.2, prevalence=None)
    content = content_of(explorer)
    record = check(content.records[3])
    problems = paired_problems(explorer.situation)
    told = {"before": problems["model"], "after": problems["recalibrated"]}
    roles = {"before": ("before", "histogram"), "after": ("after", "acted on after")}
    for row, (when, problem) in zip(content.records[1].rows, told.items(), strict=False):
        acted, positive = problem.score >= 0.2, problem.given_target == 1
        vain, rightly = np.mean(acted & ~positive), np.mean(acted & positive)
        for role, share in zip(roles[when], (vain, rightly), strict=True):
            assert np.ptp(by_role(record, role).y) == pytest.approx(share)
        missed = np.mean(~acted & positive)
        assert row[3].below == f"{100 * rightly:.1f} rightly, {100 * vain:.1f} needlessly\n{100 * missed:.1f} missed"
        assert f"{100 * missed:.2f} % missed" in record.alt


def test_no_prevalence_is_made_of_one_class(hearts):
    of_none = cv.Explorer(
        hearts, panels=("decision",), lens=LENS, calibrator="beta", prevalence=0.3, selection="label == 0"
    )
    content = content_of(of_none)
    assert "all of one kind, so no weights bring them to this prevalence" in content.records[1].note
    assert "of all samples: not known." in content.records[3].alt
    cells = [cell for row in content.records[1].rows for cell in row]
    assert not any("nan" in said for cell in cells for said in (cell.text, cell.below))
    of_none.close()


@pytest.mark.parametrize(
    ("data", "model", "calibrator", "after"),
    [
        ("heart", "logistic regression", "beta", "beta"),  # chosen, though it is not shown to help
        ("heart", "logistic regression", "none", "platt by site, which is shown to help"),
        ("heart", "gradient boosting", "none", "temperature, which is shown to help"),
        ("tumours", "logistic regression", "none", None),  # none helps
    ],
)
def test_sides_are_those_of_a_calibrator_that_is_chosen_or_recommended(data, model, calibrator, after):
    made = cv.Explorer({model: cv.load_dataset(data)[model]}, panels=("decision", "recalibration"), threshold=0.2)
    made.state.calibrator = calibrator
    titles = [record.title for record in content_of(made).records if record.name == "acted-on"]
    assert titles == ([] if after is None else [f"Who changes sides after {after}"])
    helping = [row[0].text for row in screen(made).record("recalibration", "calibrators").rows if row[3].text == "yes"]
    assert calibrator == "beta" or helping[:1] == ([] if after is None else [after.partition(",")[0]])
    made.close()


def test_the_whole_panel_is_of_one_calibrator():
    made = cv.Explorer(cv.load_dataset("heart")["logistic regression"], panels=("decision",), threshold=0.2)
    content = content_of(made)
    curve, table, risk, sides = content.records
    after = "after platt by site"  # which helps; the preset spline is not shown to
    assert after in sides.title and [row[0].text for row in table.rows][1] == after
    assert after in "".join(run.text for label in curve.labels for line in label.lines for run in line)
    assert after in " ".join(series.name for series in risk.series)
    assert "spline" not in " ".join([content.note, table.note, risk.alt]) and "Platt by site" in content.note
    made.close()


def test_a_calibrator_that_moves_nobody_at_the_threshold_is_not_the_one_that_is_shown():
    """Temperature scaling of two classes leaves everybody on the same side of 50 %."""
    made = cv.Explorer({"m": cv.load_dataset("heart")["gradient boosting"]}, panels=("decision",), threshold=0.5)
    titles = [record.title for record in content_of(made).records if record.name == "acted-on"]
    assert recommended(made.situation)[0] == "temperature"
    assert "temperature" not in " ".join(titles)
    made.state.calibrator = "temperature"  # chosen, it is shown, and it is said
    assert "Nobody changes sides under temperature." in content_of(made).records[1].note
    made.close()


def test_the_legend_tells_the_parts_of_the_bars_apart(explorer):
    record = content_of(explorer).records[3]
    assert record.name == "acted-on"
    named = [series for series in record.series if series.name]
    keys = {legend([series]).replace(series.name, "") for series in named}
    assert len(keys) == len(named) == 4


@pytest.mark.parametrize(("threshold", "ratio"), [(0.05, "19"), (0.2, "4"), (0.5, "1"), (0.75, "1/3")])
def test_a_cost_ratio_is_written_as_people_say_it(explorer, threshold, ratio):
    explorer.state.threshold = threshold
    control = screen(explorer).controls["cost ratio"]
    assert control.value == f"{ratio} needless" and ratio_threshold(ratio) == pytest.approx(threshold)
    many = "one acted on needlessly weighs as much as 3 missed" if threshold > 0.5 else "one missed weighs as much as "
    assert many in content_of(explorer).records[1].note
    explorer.state.threshold = 0.2


def test_the_hint_of_the_cost_ratio_reads_it_as_the_panel_does(explorer):
    read = "one missed weighs as much as 19 acted on needlessly"
    explorer.state.threshold = ratio_threshold("19")
    assert read in CONTROLS["cost_ratio"].meaning and read in content_of(explorer).records[1].note


def promised(explorer, **choices):
    explorer.state.update(**choices)
    return plain(acceptance(explorer.situation))


def test_it_says_what_can_be_left_to_the_model():
    p = cv.load_dataset("digits")["naive Bayes"]
    explorer = cv.Explorer(p, panels=("decision",))
    said = promised(explorer, risk=0.05)
    found = cv.accept_at_risk(p, risk=0.05)
    assert said.startswith(
        f"Accept the {100 * found.coverage:.3g} % that are surest, from {100 * found.threshold:.4g} %"
    )
    assert "with 95 % confidence at most 5 % are wrong" in said
    assert f"here {found.errors:,} of {found.accepted:,}" in said
    assert said.endswith("; promised for one setting, fixed beforehand).")
    assert plain(decision(explorer.situation).below).endswith(said)
    other = promised(explorer, risk=0.2)
    assert other.startswith("Accept all, from ")
    assert other.endswith("; 2 settings were looked at: the promise holds for one of them).")
    assert promised(explorer, risk=0.05).endswith("; 2 settings were looked at: the promise holds for one of them).")
    assert promised(explorer, risk=0.01) == (
        "No threshold can promise at most 1 % wrong: 1 of the 360 that are surest is wrong, too many to be sure."
    )
    few = "No threshold can promise at most 1 % wrong: that takes at least 299 images, and here are "
    assert promised(explorer, selection="confidence < 0.9").startswith(few)
    explorer.close()


def test_it_says_on_whom_to_act_where_the_score_is_of_a_class(explorer):
    said = promised(explorer, risk=0.2)
    found = cv.accept_at_risk(cv.load_dataset("heart")["logistic regression"], LENS, risk=0.2)
    assert said.startswith(f"Act on the {100 * found.coverage:.3g} % with the highest scores")
    assert "at most 20 % are acted on needlessly" in said
    assert "print(cv.accept_at_risk(predictions, 'class disease', selection=None, risk=0.2))" in explorer.code()


def test_it_says_why_no_threshold_can_be_promised():
    p = cv.load_dataset("digits")["naive Bayes"]
    explorer = cv.Explorer(cv.Predictions(p.probs, p.labels, weights=np.arange(len(p)) % 3), panels=("decision",))
    assert "needs samples of weight 1 each" in promised(explorer, risk=0.05)
    assert "accept_at_risk" not in explorer.code()
    explorer.close()
    explorer = cv.Explorer(p, panels=("decision",))
    assert "which is not known" in promised(explorer, selection="label == 3")
    explorer.close()


@pytest.mark.parametrize("outcome", [0, 1])
def test_of_one_outcome_no_worth_is_shown_and_its_prevalence_is_not_moved(outcome):
    score = np.random.default_rng(0).random(200)
    made = cv.Explorer(cv.Predictions(score, np.full(200, outcome)), lens="class 1", panels=("decision",))
    made.finish()
    content = decision(made.situation)
    assert content.records == () and content.answer.endswith("too few to say what acting is worth.")
    prevalence = screen(made).controls["prevalence"]
    assert "only with both outcomes" in prevalence.description
    assert (prevalence.value, prevalence.disabled) == (outcome, True)
    assert made.state.prevalence is None
    made.close()


def test_too_few_near_the_threshold_are_no_share_of_100():
    score = np.append(np.linspace(0.6, 0.95, 200), [0.2] * 6)
    target = (np.random.default_rng(0).random(206) < score).astype(int)
    target[-6:] = 1
    made = cv.Explorer(cv.Predictions(score, target), lens="class 1", panels=("decision",), threshold=0.2)
    made.finish()
    below = plain(decision(made.situation).below)
    assert below.startswith("Only 6 samples between 15 and 25 %: too few to say what is observed of 20 %.")
    made.state.threshold = 0.8
    made.finish()
    assert plain(decision(made.situation).below).startswith("Of 100 predicted about 80 %, ")
    made.close()


@pytest.mark.parametrize(
    ("likert", "first"),
    [
        ((), 0.5),
        ({"unlikely": (0, 0.2), "possible": (0.2, 0.7), "likely": (0.7, 1)}, 0.7),
        ((0, 0.45, 0.55, 1), 0.45),  # the lower one of two that are as near
        ((0, 1), 0.5),
        ((0, 0.0001, 1), 0.5),  # nobody can act from there on
    ],
)
def test_the_threshold_begins_at_the_edge_of_a_category_nearest_to_a_half(likert, first):
    hearts = cv.load_dataset("heart")["logistic regression"]
    made, named = cv.Explorer(hearts, likert=likert), cv.Explorer(hearts, likert=likert, threshold=0.3)
    assert (made.state.threshold, named.state.threshold) == (first, 0.3)
    assert made.verdict.worth_less is None  # nobody named it
    assert made.state.steps == ()
    assert not likert or ("threshold" in made.code()) == ("threshold" in cv.Explorer(hearts).code())
    for explorer in (made, named):
        explorer.close()


def test_of_too_few_samples_no_line_is_drawn_beside_the_question():
    made = cv.Explorer(cv.Predictions([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 0, 1, 0, 1, 0, 1]))
    made.finish()
    short = short_answer(made.situation)
    assert short.text == "Only 3 of these samples are 1: too few to say what acting is worth."
    assert not short.picture and short.place is None
    made.close()


def test_each_number_has_a_plain_word_and_the_term_of_the_field():
    words = {name: (CONTROLS[name].word, CONTROLS[name].term) for name in ("threshold", "cost_ratio", "prevalence")}
    assert words == {
        "threshold": ("act from", "threshold"),
        "cost_ratio": ("one missed weighs", "cost ratio"),
        "prevalence": ("share where you act", "prevalence"),
    }


@pytest.mark.parametrize(
    ("threshold", "begins"),
    [
        (0.2, "Acting from 20 % is better than acting on all"),
        (0.1, "Acting from 10 % is not shown to be better than acting on all"),
    ],
)
def test_the_header_says_whether_acting_is_worth_it_while_that_is_asked(hearts, threshold, begins):
    made = cv.Explorer(hearts, threshold=threshold)
    made.finish()
    verdict, numbers = screen(made).words, screen(made).evidence
    screen(made).open("decision")
    made.finish()
    said = screen(made).words
    assert said.startswith(begins) and "(920 people)." in said
    _, benefit, above, *_ = decision(made.situation).records[1].rows[0]
    shown = f"net benefit {benefit.text} per 100 act on all "
    assert screen(made).evidence.startswith(shown)
    assert screen(made).evidence.endswith(f"difference {above.text} ({above.below})")
    made.state.prevalence = 0.3
    made.finish()
    assert screen(made).evidence.endswith("at a prevalence of 30 %") and " ".join(made.verdict.lines) == verdict
    made.state.prevalence = None
    screen(made).close("decision")
    made.finish()
    assert (screen(made).words, screen(made).evidence) == (verdict, numbers)
    made.close()


def test_the_segment_in_which_acting_is_worth_less_stands_in_the_header(hearts):
    made = cv.Explorer(hearts, panels=("reliability", "decision"), threshold=0.2)
    made.finish()
    _, shown = screen(made).answer("decision").split("Not in Zurich and Basel: ")
    assert screen(made).words.endswith(f"(920 people). Not in Zurich and Basel: {shown}")
    made.state.panels = ("decision", "reliability", "cumulative")
    made.finish()
    assert screen(made).words == " ".join(made.verdict.lines)  # several stand together: nobody asks one of them
    made.state.update(panels=("reliability", "decision"), calibrator="platt")
    made.finish()
    assert screen(made).words.startswith("After ")
    made.close()


def test_of_too_few_the_header_stays_that_of_the_verdict(hearts):
    made = cv.Explorer(hearts.select(np.arange(12)), panels=("reliability", "decision"))
    made.finish()
    assert screen(made).words == " ".join(made.verdict.lines)
    made.close()
