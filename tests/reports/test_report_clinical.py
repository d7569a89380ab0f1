"""The clinical part of a report and its segments: their numbers are the engine's, what is not known is said."""

from __future__ import annotations

import numpy as np
import pytest
from decision_log import decision_log
from efforts import FEW, spend
from report_pages import Page, draw_few, page, record_few, some
from scipy.stats import binomtest

import calibviz as cv
from calibviz.app.cli import main
from calibviz.decisions.costs import implied_threshold
from calibviz.figures.segment_names import SegmentName
from calibviz.uncertainty.resampling.consistency import calibrated, kinds_of_draws

pytestmark = pytest.mark.thorough

HEART = cv.load_dataset("heart")["random forest"]
ABOUT = HEART, "class disease"
ASKED = {"clinical": True, "threshold": 0.2, "costs": [[0, 10], [1, 0], [2, 2]]}
NULLS, AT_FLOOR = 99, -5  # data sets for the floors of the indices, and the place of the floor among them
#: The beginning of the heading of the row of each measure.
ROWS = {"observed_expected": "O:E", "calibration_intercept": "calibration intercept"}
ROWS |= {"calibration_slope": "calibration slope"}


@pytest.fixture(scope="module", autouse=True)
def quick():
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        record_few(patch)
        spend(patch, floors_of_indices=NULLS)
        yield


@pytest.fixture(scope="module")
def shown(quick):
    return page(HEART, **ASKED)


def test_measures_are_those_of_the_engine(shown):
    for name, row in ROWS.items():
        expected = getattr(cv, name)(*ABOUT)
        values = [shown.number("clinical", row, "value"), *shown.at("clinical", row, "95 % interval").values()]
        np.testing.assert_allclose(values, [expected.estimate, expected.lower, expected.upper])
    indices = cv.calibration_indices(*ABOUT)
    for name, row in (("ici", "ICI"), ("e50", "E50"), ("e90", "E90")):
        assert shown.number("clinical", row, "value") == getattr(indices, name)
    noise = cv.consistency(HEART, error=cv.ici, lens="class disease", replicates=NULLS, progress=False)
    reaches = shown.at("clinical", "ICI", "calibrated predictions reach")
    assert reaches == pytest.approx({"noise": np.sort(noise.replicates)[AT_FLOOR]})


def test_clusters_of_one_outcome_have_the_larger_floor_of_both_kinds_of_draws():
    rng = np.random.default_rng(3)
    code = np.repeat(np.arange(30), 5)
    score = rng.uniform(0.1, 0.9, 30)[code]
    p = cv.Predictions(score, (rng.random(30)[code] < score).astype(int), cluster=code)
    shown = page(p, clinical=True)
    problem = cv.lens("class 1")(p)
    drawn = [[cv.ici(null) for null in calibrated(problem, NULLS, 0, kind)] for kind in kinds_of_draws(problem)]
    reaches = shown.at("clinical", "ICI", "calibrated predictions reach")
    assert len(drawn) == 2 and reaches["noise"] == pytest.approx(max(np.sort(one)[AT_FLOOR] for one in drawn))


def test_beside_a_slope_stands_what_it_leaves_out():
    rng = np.random.default_rng(0)
    score = rng.integers(0, 11, 240) / 10  # the votes of ten trees
    p = cv.Predictions(score, (rng.random(240) < 0.1 + 0.8 * score).astype(int))
    said = page(p, clinical=True).texts["clinical"]
    slope = cv.calibration_slope(p)
    assert slope.impossible and said.count(f"; {slope.without}") == 2
    assert slope.dropped == np.isin(score, [0, 1]).sum()


def test_what_acting_is_worth_is_that_of_the_engine(shown):
    benefit = cv.net_benefit(*ABOUT, threshold=0.2)
    assert f"{100 * benefit:.1f}" in shown.texts["decision"]
    assert "Acting from 20 % on, one missed weighs as much as 4 acted on needlessly." in shown.texts["decision"]
    assert "No threshold was named" not in shown.texts["decision"]


def test_costs_are_those_of_the_engine(shown):
    paid = cv.expected_cost(HEART, "class disease", costs=ASKED["costs"])
    rows = {"expected": "what the scores promise", "realized": "observed", "perfect": "if the truth were known"}
    for name, row in rows.items():
        assert shown.number("costs", row, "mean cost") == paid[name].item()
    for action in range(3):
        assert shown.number("costs", f"action {action}", "mean cost") == paid.constant[action].item()
        assert shown.number("costs", f"action {action}", "how often taken") == paid.share[action].item()


def test_segments_are_those_of_the_engine_the_worst_first(shown):
    table = cv.segments(*ABOUT, replicates=FEW.tests, progress=False)
    table = table.isel(segment=np.flatnonzero(table.n_fields.values > 0))  # all samples are no row
    of = zip(table.words.values, table.selection.values, table.n_fields.values, strict=True)
    named = [SegmentName.of(str(words), str(text), int(fields)) for words, text, fields in of]
    names = [name for name in shown.headings["segments"] if name]
    assert names[: len(named)] == [" ".join(filter(None, (name.name, name.field))) for name in named][: len(names)]
    for place, row in enumerate([row for row in shown.tables["segments"][1:] if row][:8]):
        one = table.isel(segment=place)
        assert row["predicted"] == {"predicted": pytest.approx(one.score.item())}
        assert row["observed"] == {"observed": pytest.approx(one.target.item())}
        gap = {"gap": one.target, "lower": one.lower, "upper": one.upper}
        assert row["gap"] == {name: pytest.approx((end - one.score).item()) for name, end in gap.items()}
        assert row[""] == {
            "p_unlike": pytest.approx(one.p_unlike.item()),
            "p-adjusted": pytest.approx(one.p_adjusted.item()),
        }


def test_pictures_say_what_they_show(shown):
    alts = [attributes["aria-label"] for name, attributes in shown.tags if name == "svg" and "role" in attributes]
    indices = cv.calibration_indices(*ABOUT)
    assert any(f"{100 * indices.ici:.2f} % from the diagonal on average (ICI)" in alt for alt in alts)
    table = cv.decision_curve(*ABOUT)
    best = np.maximum(table.net_benefit.sel(strategy="treat all"), 0)
    won = int((table.net_benefit.sel(strategy="model") > best).sum())
    assert any(f"model does better than both at {won} of 99 thresholds" in alt for alt in alts)


def test_the_guideline_is_named_and_only_facts_stand_beside_it(shown):
    said = shown.texts["clinical"]
    assert "TRIPOD+AI statement" in said and "Collins et al. 2024" in said
    assert "920 samples, 55.3 % of them." in said and "Segments of site, age, sex" in said
    assert "20 %: why, this page cannot know." in said and said.count("Not to be seen in predictions.") == 2


def test_the_code_gives_the_numbers_again(shown, capsys):
    exec(shown.texts["code"], {})
    said = capsys.readouterr().out
    for measure in (cv.observed_expected, cv.calibration_indices, cv.choose_update):
        assert str(measure(*ABOUT)) in said


def test_the_update_that_the_closed_test_chooses_is_named():
    p = cv.load_dataset("heart")["logistic regression"]
    said = page(p, selection="site == 'Zurich and Basel'", clinical=True).texts["clinical"]
    assert "chooses a new intercept, log-odds +2.4293; p < 0.001." in said
    said = page(HEART, lens="class disease", clinical=True).texts["clinical"]
    update = cv.choose_update(*ABOUT)
    assert f"a new intercept and slope, {update.slope:.4f} · log-odds +{update.intercept:.4f}; p < 0.001." in said
    soft = cv.Predictions([[0.4, 0.6], [0.7, 0.3]] * 60, [[0.2, 0.8], [0.9, 0.1]] * 60)
    assert "closed test" not in page(soft, clinical=True).texts["clinical"]
    right = cv.Predictions([[0.4, 0.6], [0.7, 0.3]] * 60, [1, 0] * 60)
    assert "No closed test of updates: the scores separate" in page(right, clinical=True).texts["clinical"]


def test_without_being_asked_there_are_segments_alone():
    p = some(fields={"age": np.arange(240) % 90})
    found = page(p)
    assert "segments" in found.ids and not {"clinical", "decision"} & set(found.ids)
    assert "segments" in page(some()).ids  # of predicted classes
    assert "segments" not in page(some(classes=2)).ids  # without fields


def test_a_log_of_decisions_is_told_over_time_and_by_how_sure_it_was():
    p = decision_log(kind=str)
    found = page(p)
    assert "Of 9 windows of a week, by “time”, 1 shows a larger KS error" in found.texts["time"]
    assert "2026-02-02." in found.texts["time"]
    for share in (1, 0.9, 0.75, 0.5, 0.25):
        row = f"{100 * share:g} %"
        exact = cv.risk_at_coverage(p, "class right", coverage=share)
        observed = found.at("risk", row, "wrong, observed")
        assert observed["observed"] == pytest.approx(exact, abs=1e-12)
        surest = p.probs[:, 1] >= found.number("risk", row, "from a score of")
        assert surest.mean() == pytest.approx(share, abs=0.002)
        predicted = 1 - p.probs[surest, 1].mean()
        assert found.number("risk", row, "wrong, predicted") == pytest.approx(predicted, abs=1e-12)
        interval = binomtest(int((p.labels[surest] == 0).sum()), int(surest.sum())).proportion_ci(0.95)
        assert [observed["lower"], observed["upper"]] == pytest.approx([interval.low, interval.high], abs=1e-9)
    assert "risk" not in page(p, lens="class wrong").ids and "risk" in page(p, lens="top-1").ids
    assert "time" not in page(some()).ids  # without dates


def test_the_code_gives_the_windows_and_the_risks_again(capsys):
    p = decision_log(kind=str)
    found = page(p)
    exec(found.texts["code"], {"predictions": p})
    printed = capsys.readouterr().out
    table = cv.over_time(p, progress=False)
    assert str(table.to_dataframe()) in printed
    assert f"0.5 {found.number('risk', '50 %', 'wrong, observed')!r}" in printed


def test_what_is_not_known_over_time_is_said():
    assert "does not split these samples into 3 to 30 windows" in page(decision_log(100, str)).texts["time"]


@pytest.mark.parametrize(
    ("predictions", "choices", "said"),
    [
        (some(n=20, fields={"age": np.arange(20)}), {}, "Segments were not looked at: none has 30 samples or more."),
        (some(fields={"age": np.arange(240)}), {"lens": "pooled"}, "All classes of a sample at once are no one score"),
    ],
)
def test_what_is_not_known_of_segments_is_said(predictions, choices, said):
    assert said in page(predictions, **choices).texts["segments"]


def test_a_clinical_part_of_several_classes_looks_through_the_lens():
    p = some(n=300)
    found = page(p, clinical=True, costs=np.eye(3).tolist())
    assert "Of 300 samples" in found.texts["clinical"]
    assert "No threshold was named" in found.texts["decision"]
    assert found.number("costs", "observed", "mean cost") == pytest.approx(
        cv.expected_cost(p, costs=np.eye(3), lens="full").realized.item()
    )
    assert found.number("clinical", "ICI", "value") == cv.ici(p)
    assert "these predictions have no fields" in found.texts["clinical"]


def test_soft_labels_have_no_noise_floor():
    p = cv.Predictions(some(classes=2).probs, np.random.default_rng(0).dirichlet([1, 1], 240))
    found = page(p, clinical=True)
    assert "calibrated predictions reach" not in found.tables["clinical"][-1]
    assert (
        "No noise floor: consistency resampling draws one label a sample, but the labels are soft."
        in found.texts["clinical"]
    )


def test_costs_of_several_actions_are_answered_without_a_threshold():
    p = some(n=120)
    found = page(p, costs=np.eye(3).tolist())
    paid = cv.expected_cost(p, costs=np.eye(3), lens="full")
    assert found.number("costs", "observed", "mean cost") == pytest.approx(paid.realized.item())
    assert "clinical" not in found.ids


def test_two_actions_imply_a_threshold():
    assert implied_threshold(np.array([[0, 10], [1, 0]])) == pytest.approx(1 / 11)
    assert implied_threshold(np.array([[0, 1], [2, 3]])) is None  # the second action is never the cheaper one
    assert implied_threshold(np.eye(3)) is None
    found = page(some(classes=2), clinical=True, costs=[[0, 10], [1, 0]])
    assert "Acting from 9.091 % on" in found.texts["decision"]
    realized = found.number("costs", "observed", "mean cost")
    p = some(classes=2)
    benefit = cv.net_benefit(p, threshold=1 / 11)
    prevalence = float(np.mean(p.labels))
    assert realized == pytest.approx(10 * (prevalence - benefit))


@pytest.mark.parametrize(
    ("choices", "error", "message"),
    [
        ({"clinical": "yes"}, TypeError, "clinical must be"),
        ({"clinical": True, "threshold": 1.0}, ValueError, "threshold must be at least 0 and below 1"),
        (
            {"clinical": True, "threshold": 20},
            ValueError,
            "threshold must be at least 0 and below 1, .* it is 20; 20 % is 0.2",
        ),
        ({"clinical": True, "costs": [[0, 1, 2, 3]]}, ValueError, r"costs must be finite .* 2 or 3 columns.*\(1, 4\)"),
        ({"clinical": True, "costs": [[0, np.inf]]}, ValueError, "costs"),
        ({"clinical": True, "lens": "pooled"}, ValueError, "lens must not be 'pooled' for acting at a threshold"),
    ],
)
def test_what_cannot_be_asked_is_refused(choices, error, message):
    with pytest.raises(error, match=message):
        cv.report(some(), progress=False, **choices)


def test_the_command_takes_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    p = some(n=120, classes=2)
    np.savez("p.npz", probs=p.probs, labels=p.labels, age=np.arange(120))
    (tmp_path / "costs.csv").write_text("0,10\n1,0\n", encoding="utf-8")
    paid = cv.expected_cost(p, "class 1", costs=[[0, 10], [1, 0]]).realized.item()
    for costs in ("costs.csv", "0,10;1,0"):
        assert main(["report", "p.npz", "--clinical", "--threshold", "0.3", "--costs", costs]) == 0
        found = Page((tmp_path / "p.report.html").read_text(encoding="utf-8"))
        assert f"{100 * cv.net_benefit(p, threshold=0.3):.1f}" in found.texts["decision"]
        assert found.number("costs", "observed", "mean cost") == paid
    assert main(["report", "p.npz", "--threshold", "0.3"]) == 0
    assert 'id="decision"' in (tmp_path / "p.report.html").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["report", "p.npz", "--clinical", "--costs", "0,1;2"])
    assert "'0,1;2' is no file and no rows of as many numbers, such as 0,10;1,0" in capsys.readouterr().err
