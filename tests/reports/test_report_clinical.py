"""The clinical part of a report and its segments: their numbers are the engine's, what is not known is said."""

from __future__ import annotations

import numpy as np
import pytest
from decision_log import decision_log
from report_pages import REPLICATES, Page, draw_few, page, some
from scipy.stats import binomtest

import calibviz as cv
from calibviz.app.cli import main
from calibviz.decisions.acting_draws import expanded_level
from calibviz.reports.measuring import clinical, findings, segments
from calibviz.reports.measuring.clinical import implied_threshold
from calibviz.reports.measuring.errors import ERRORS
from calibviz.uncertainty.bootstrap import drawn_weights, percentile_interval
from calibviz.uncertainty.noise_floors import Beside

HEART = cv.load_dataset("heart")["random forest"]
ABOUT = HEART, "class disease"


def only_these(patched):
    """Have reports make few draws, and leave out the other parts, which take the most time."""

    def left_out(*_, **__):
        raise ValueError("left out")

    draw_few(patched)
    patched.setattr(clinical, "MOST_NULLS", 99)
    patched.setattr(segments, "MOST_DRAWS", 99)
    for name in ("_recalibration", "ranks_of", "_sensitivity", "_classes"):
        patched.setattr(findings, name, left_out)
    patched.setattr(findings, "intervals_beside", lambda *_: dict.fromkeys(ERRORS, Beside(no_floor="left out")))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    only_these(monkeypatch)


@pytest.fixture(scope="module")
def shown():
    with pytest.MonkeyPatch.context() as patched:
        only_these(patched)
        made = cv.report(HEART, clinical=True, threshold=0.2, costs=[[0, 10], [1, 0], [2, 2]], progress=False)
    return Page(made.html)


def test_measures_are_those_of_the_engine(shown):
    found = shown.numbers
    for name in ("observed_expected", "calibration_intercept", "calibration_slope"):
        expected = getattr(cv, name)(*ABOUT)
        values = [found["clinical-numbers", f"{name} {what}"] for what in ("value", "lower", "upper")]
        np.testing.assert_allclose(values, [expected.estimate, expected.lower, expected.upper])
    indices = cv.calibration_indices(*ABOUT)
    for name in ("ici", "e50", "e90"):
        assert found["clinical-numbers", f"{name} value"] == getattr(indices, name)
    chance = cv.consistency(HEART, error=cv.ici, lens="class disease", replicates=99, progress=False)
    assert found["clinical-numbers", "ici noise"] == pytest.approx(np.sort(chance.replicates)[-5])
    assert f"p = {chance.p_value:.2g}" in shown.texts["clinical-numbers"]


def test_beside_a_slope_stands_what_it_leaves_out():
    rng = np.random.default_rng(0)
    score = rng.integers(0, 11, 240) / 10  # the votes of ten trees
    p = cv.Predictions(score, (rng.random(240) < 0.1 + 0.8 * score).astype(int))
    said = page(p, clinical=True).texts["clinical-numbers"]
    slope = cv.calibration_slope(p)
    assert slope.impossible and said.count(f"; {slope.without}") == 2
    assert slope.dropped == np.isin(score, [0, 1]).sum()


def test_net_benefit_is_that_of_the_engine(shown):
    table = cv.decision_curve(*ABOUT, thresholds=[0.2], replicates=REPLICATES).squeeze("threshold")
    for strategy in ("model", "treat all", "treat none"):
        for name in ("net_benefit", "lower", "upper", "treated", "true_positive", "false_positive"):
            expected = table[name].sel(strategy=strategy).item()
            assert shown.numbers["net-benefit", f"{name} {strategy}"] == pytest.approx(expected, abs=1e-12)
    near = cv.local_calibration(*ABOUT, thresholds=0.2).squeeze()
    for name in ("score", "target", "lower", "upper"):
        assert shown.numbers["clinical", f"near {name}"] == near[name].item()
    assert f"The {near['count'].item():.0f} samples within 5 percentage points" in shown.texts["clinical"]
    assert "a false alarm costs 0.25 of what a hit is worth" in shown.texts["clinical"]


def test_net_benefit_over_acting_always_is_paired(shown):
    draws = list(drawn_weights(len(HEART), None, REPLICATES, seed=0))
    ways = [{"strategy": strategy, "threshold": 0.2} for strategy in ("model", "treat all")]

    def gained(p):
        model, always = (cv.net_benefit(p, *ABOUT[1:], **way) for way in ways)
        return model - always

    level = expanded_level((HEART.probs[:, 1] < 0.2).sum())
    expected = [gained(HEART), *percentile_interval(np.array([gained(HEART.reweighted(w)) for w in draws]), level)]
    place = "net benefit {} of model over treat all"
    values = [shown.numbers["net-benefit", place.format(what)] for what in ("value", "lower", "upper")]
    np.testing.assert_allclose(values, expected, atol=1e-12)
    assert shown.numbers["net-benefit", "net benefit value of treat none over treat all"] == pytest.approx(
        -cv.net_benefit(*ABOUT, threshold=0.2, strategy="treat all")
    )
    assert "In bold: its 95 % interval does not hold 0." in shown.texts["clinical"]


def test_costs_are_those_of_the_engine(shown):
    paid = cv.expected_cost(HEART, "class disease", costs=[[0, 10], [1, 0], [2, 2]])
    for name in ("expected", "realized", "perfect"):
        assert shown.numbers["costs", f"cost {name}"] == paid[name].item()
    for action in range(3):
        assert shown.numbers["costs", f"cost {action}"] == paid.constant[action].item()
        assert shown.numbers["costs", f"share {action}"] == paid.share[action].item()


def test_segments_are_those_of_the_engine_the_worst_first(shown):
    table = cv.segments(*ABOUT, replicates=99, progress=False)
    names = [what.removeprefix("gap ") for identity, what in shown.numbers if what.startswith("gap ")]
    assert names == list(table.segment.values[:40])
    for name in names[:8]:
        row = table.sel(segment=name)
        told = {
            "gap": row.gap,
            "told": row.score,
            "found": row.target,
            "p": row.p_adjusted,
            "lower": row.lower - row.score,
            "upper": row.upper - row.score,
        }
        for what, value in told.items():
            assert shown.numbers["segments-table", f"{what} {name}"] == pytest.approx(value.item(), abs=1e-12)
    beyond = int((table.p_adjusted <= 0.05).sum())
    assert (
        beyond > 1 and f"{beyond} are beyond noise, with allowance for having looked at all" in shown.texts["segments"]
    )


def test_pictures_say_what_they_show(shown):
    alts = [attributes["aria-label"] for name, attributes in shown.tags if name == "svg" and "role" in attributes]
    indices = cv.calibration_indices(*ABOUT)
    assert any(f"{100 * indices.ici:.2f} % from the diagonal on average (ICI)" in alt for alt in alts)
    table = cv.decision_curve(*ABOUT)
    best = np.maximum(table.net_benefit.sel(strategy="treat all"), 0)
    won = int((table.net_benefit.sel(strategy="model") > best).sum())
    assert any(f"model does better than both at {won} of 99 thresholds" in alt for alt in alts)


def test_the_guideline_is_named_and_only_facts_stand_beside_it(shown):
    said = shown.texts["checklist"]
    assert "TRIPOD+AI statement" in shown.texts["clinical"] and "Collins et al. 2024" in shown.texts["clinical"]
    assert "920 samples, 55.3 % of them." in said and "segments of site, age, sex" in said
    assert "20 %: why, this page cannot know." in said and said.count("Not to be seen in predictions.") == 2


def test_the_code_gives_the_numbers_again(shown, capsys):
    namespace = {}
    code = shown.texts["code"]
    start = code.index("# Where it is wrong")
    head = "import calibviz as cv\npredictions = cv.load_dataset('heart')['random forest']\nselection = None\n"
    exec(head + code[start:], namespace)
    said = capsys.readouterr().out
    assert repr(cv.observed_expected(*ABOUT)) in said and repr(cv.calibration_indices(*ABOUT)) in said
    assert "costs" not in namespace and "realized" in said


def test_without_being_asked_there_are_segments_alone():
    p = some(fields={"age": np.arange(240) % 90})
    found = page(p)
    assert "segments" in found.ids and "clinical" not in found.ids
    table = cv.segments(p, "top-1", replicates=99, progress=False)
    assert found.numbers["segments-table", f"gap {table.segment[0].item()}"] == table.gap[0].item()
    assert "looked at through top-1" in found.texts["segments"]
    assert "segments" not in page(some()).ids  # without fields


def test_a_log_of_decisions_is_told_over_time_and_by_how_sure_it_was():
    p = decision_log(kind=str)
    found = page(p)
    assert "top-1" in found.texts["in-numbers"] or "top-1" in found.texts["segments"]
    assert "Of 9 windows of a week, by “time”, 1 shows a larger KS error" in found.texts["over-time"]
    assert "in a calibrated model: 2026-02-02." in found.texts["over-time"]
    for share in (1, 0.9, 0.75, 0.5, 0.25):
        exact = cv.risk_at_coverage(p, "class right", coverage=share)
        assert found.numbers["risk-table", f"found {share:g}"] == pytest.approx(exact, abs=1e-12)
        surest = p.probs[:, 1] >= found.numbers["risk-table", f"threshold {share:g}"]
        assert surest.mean() == pytest.approx(share, abs=0.002)
        told = 1 - p.probs[surest, 1].mean()
        assert found.numbers["risk-table", f"told {share:g}"] == pytest.approx(told, abs=1e-12)
        ends = [found.numbers["risk-table", f"{end} {share:g}"] for end in ("lower", "upper")]
        interval = binomtest(int((p.labels[surest] == 0).sum()), int(surest.sum())).proportion_ci(0.95)
        assert ends == pytest.approx([interval.low, interval.high], abs=1e-9)
    assert "risk" not in page(p, lens="class wrong").ids and "risk" in page(p, lens="top-1").ids
    assert "over-time" not in page(some()).ids  # without dates


def test_the_code_gives_the_windows_and_the_risks_again(capsys):
    p = decision_log(kind=str)
    found = page(p)
    exec(found.texts["code"], {"predictions": p})
    printed = capsys.readouterr().out
    table = cv.over_time(p, lens="class right", progress=False)
    assert str(table.to_dataframe()) in printed
    assert f"0.5 {found.numbers['risk-table', 'found 0.5']!r}" in printed


def test_what_is_not_known_over_time_is_said():
    assert "does not split these samples into 3 to 30 windows" in page(decision_log(100, str)).texts["over-time"]


@pytest.mark.parametrize(
    ("predictions", "choices", "said"),
    [
        (some(n=60, fields={"age": np.arange(60)}), {}, "60 samples are too few for segments, which need 100 each."),
        (
            some(fields={"age": np.arange(240)}),
            {"selection": "correct == True or age < 150"},
            "which of them are beyond noise is not known.",
        ),
        (
            cv.Predictions(some().probs, np.full((240, 3), 1 / 3), fields={"age": np.arange(240)}),
            {},
            "but these labels are soft",
        ),
        (some(fields={"age": np.arange(240)}), {"lens": "pooled"}, "The pooled lens mixes all classes of a sample"),
    ],
)
def test_what_is_not_known_of_segments_is_said(predictions, choices, said):
    assert said in page(predictions, **choices).texts["segments"]


def test_a_clinical_part_of_several_classes_looks_through_the_lens():
    p = some(n=300)
    found = page(p, clinical=True, costs=np.eye(3).tolist())
    assert "Looked at is top-1: of 300 samples" in found.texts["clinical"]
    assert "No threshold was named." in found.texts["clinical"]
    assert found.numbers["costs", "cost realized"] == pytest.approx(
        cv.expected_cost(p, costs=np.eye(3), lens="full").realized.item()
    )
    assert found.numbers["clinical-numbers", "ici value"] == cv.ici(p)
    assert "these predictions have no fields" in found.texts["checklist"]


def test_soft_labels_have_no_noise_floor():
    p = cv.Predictions(some(classes=2).probs, np.random.default_rng(0).dirichlet([1, 1], 240))
    found = page(p, clinical=True)
    assert ("clinical-numbers", "ici noise") not in found.numbers
    assert (
        "No noise floor: consistency resampling draws one label a sample, but the labels are soft."
        in found.texts["clinical"]
    )


def test_two_actions_imply_a_threshold():
    assert implied_threshold(np.array([[0, 10], [1, 0]])) == pytest.approx(1 / 11)
    assert implied_threshold(np.array([[0, 1], [2, 3]])) is None  # the second action is never the cheaper one
    assert implied_threshold(np.eye(3)) is None
    found = page(some(classes=2), clinical=True, costs=[[0, 10], [1, 0]])
    assert "The threshold of 9.09 % follows from the costs" in found.texts["clinical"]
    realized = found.numbers["costs", "cost realized"]
    p = some(classes=2)
    benefit = cv.net_benefit(p, threshold=1 / 11)
    prevalence = float(np.mean(p.labels))
    assert realized == pytest.approx(10 * (prevalence - benefit))


@pytest.mark.parametrize(
    ("choices", "error", "message"),
    [
        ({"threshold": 0.2}, ValueError, "threshold is for the clinical part of a report: pass clinical=True as well"),
        ({"costs": [[0, 1], [1, 0]]}, ValueError, "costs is for the clinical part of a report: pass clinical=True"),
        ({"clinical": "yes"}, TypeError, "clinical must be"),
        ({"clinical": True, "threshold": 1.0}, ValueError, "threshold must be at least 0 and below 1"),
        (
            {"clinical": True, "threshold": 20},
            ValueError,
            "threshold must be at least 0 and below 1, .* it is 20; 20 % is 0.2",
        ),
        ({"clinical": True, "costs": [[0, 1, 2, 3]]}, ValueError, r"costs must be finite .* 2 or 3 columns.*\(1, 4\)"),
        ({"clinical": True, "costs": [[0, np.inf]]}, ValueError, "costs"),
        ({"clinical": True, "lens": "pooled"}, ValueError, "lens must not be 'pooled' for a clinical report"),
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
        assert found.numbers["net-benefit", "net_benefit model"] == pytest.approx(cv.net_benefit(p, threshold=0.3))
        assert found.numbers["costs", "cost realized"] == paid
    assert main(["report", "p.npz", "--threshold", "0.3"]) == 2
    assert "threshold is for the clinical part of a report: add --clinical\n" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["report", "p.npz", "--clinical", "--costs", "0,1;2"])
    assert "'0,1;2' is no file and no rows of as many numbers, such as 0,10;1,0" in capsys.readouterr().err
