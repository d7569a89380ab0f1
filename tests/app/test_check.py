"""The gate: what passes, what fails, and what so many samples cannot tell; exit status, JSON and JUnit XML."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import t as student

import calibviz as cv
from calibviz.app.cli import main
from calibviz.uncertainty.intervals.bin_intervals import gap_interval, mean_interval

pytestmark = pytest.mark.thorough

TUMOURS = cv.load_dataset("tumours")


def drawn(seed: int, n: int = 1000, power: float = 1.0) -> cv.Predictions:
    """Scores of which the odds are `power` times too timid: calibrated for 1."""
    rng = np.random.default_rng(seed)
    score = rng.uniform(0.05, 0.95, n)
    odds = power * np.log(score / (1 - score))
    return cv.Predictions(score, rng.random(n) < 1 / (1 + np.exp(-odds)))


def file_of(folder, name: str, p: cv.Predictions):
    lines = [f"{s:.6f},{label}" for s, label in zip(p.probs[:, 1], p.labels, strict=True)]
    (folder / name).write_text("\n".join(["prob,label", *lines]))
    return str(folder / name)


def test_an_interval_decides_with_each_end_at_the_level():
    p = TUMOURS["naive Bayes"]
    found = cv.interval(p, error=cv.ks_error, level=0.9)
    for within, status in ((found.upper, "pass"), (found.upper - 1e-9, "cannot tell"), (found.lower - 1e-9, "fail")):
        (one,) = cv.check(p, within=within).checks
        assert one.status == status
        assert (one.estimate, one.lower, one.upper) == (found.estimate, found.lower, found.upper)


def test_without_a_limit_a_test_can_fail_a_model_but_not_pass_it():
    wrong, right = (cv.check(TUMOURS[name]) for name in ("naive Bayes", "logistic regression"))
    assert (wrong.status, right.status) == ("fail", "cannot tell")
    assert right.checks[0].p_value == cv.calibration_test(TUMOURS["logistic regression"]).p_value
    assert "with a limit it can pass" in str(right)


def test_the_gap_of_means_has_its_interval():
    p = TUMOURS["naive Bayes"]
    (one,) = cv.check(p, within=0.05, measure="gap").checks
    assert one.estimate == pytest.approx(abs(cv.calibration_in_the_large(p)))
    assert one.lower <= one.estimate <= one.upper
    assert "Distance of the means" in one.sentence


@pytest.mark.parametrize(("measure", "name"), [("ks", "KS error"), ("kuiper", "Kuiper error"), ("ece", "ECE")])
def test_a_sentence_begins_with_what_was_measured(measure: str, name: str):
    (one,) = cv.check(TUMOURS["naive Bayes"], within=0.5, measure=measure, progress=False).checks
    assert one.sentence.startswith(f"{name} ")


@pytest.mark.parametrize("kind", ["sure", "telling nothing", "rare", "equal"])
def test_the_gap_holds_its_level_whatever_the_scores_tell(kind: str):
    """The interval of the observed share misses 10 % at each end of scores that tell nothing, and of sure ones none."""
    rng = np.random.default_rng(1)
    shapes = {"sure": (0.3, 0.3), "telling nothing": (0.3, 0.3), "rare": (0.5, 24.5)}
    missed, widths, alone = np.zeros(2), [], []
    for _ in range(400):
        score = np.full(200, 0.1) if kind == "equal" else rng.beta(*shapes[kind], 200)
        true = np.full(200, 0.5) if kind == "telling nothing" else score
        problem = cv.ScalarProblem(score, rng.random(200) < true)
        low, high = gap_interval(problem, 0.9)
        missed += low > 0, high < 0  # of the mean score 0.5 of all, and of calibrated scores
        widths.append(high - low)
        alone.append(np.diff(mean_interval(problem, 0.9))[0])
    assert (missed <= 400 * 0.085).all()
    ratio = {"sure": 0.62, "telling nothing": 1.28, "rare": 0.98, "equal": 1.0}[kind]
    assert np.mean(widths) / np.mean(alone) == pytest.approx(ratio, abs=0.02)


def test_the_gap_of_certain_outcomes_has_the_interval_of_their_share():
    for score, target in (([0.2] * 12, [0] * 12), ([0.0, 1.0] * 6, [0, 1] * 6), ([0.7], [1])):
        problem = cv.ScalarProblem(score, target)
        low, high = gap_interval(problem, 0.9)
        share = mean_interval(problem, 0.9)
        assert (low, high) == pytest.approx(np.array(share) - problem.mean_score)


def test_whole_weights_repeat_the_samples_of_a_gap():
    rng = np.random.default_rng(2)
    score, times = rng.beta(0.5, 2, 60), rng.integers(1, 4, 60)
    target = rng.random(60) < score
    weighted = cv.ScalarProblem(score, target, times)
    repeated = cv.ScalarProblem(np.repeat(score, times), np.repeat(target, times))
    assert gap_interval(weighted) == pytest.approx(gap_interval(repeated), abs=1e-12)


def test_a_sentence_says_at_which_level_its_interval_holds():
    p, other = TUMOURS["naive Bayes"], TUMOURS["logistic regression"]
    assert "% (90 %): " in cv.check(p, within=0.01).checks[0].sentence
    assert "% (98 %): " in cv.check(p, within=0.01, level=0.99).checks[0].sentence
    assert all("(92.5 %): " in one.sentence for one in cv.check(p, within=0.5, baseline=other).checks)


def test_of_several_one_fails_all_and_all_have_to_pass():
    p, other = TUMOURS["naive Bayes"], TUMOURS["logistic regression"]
    both = cv.check(other, within={"ks": 0.1, "gap": 0.001}, baseline=p)
    assert [one.status for one in both.checks] == ["pass", "cannot tell", "pass"] and both.status == "cannot tell"
    worse = cv.check(p, within=0.5, baseline=other)
    assert [one.status for one in worse.checks] == ["pass", "fail"] and worse.status == "fail"
    alone = cv.check(p, baseline=other).checks[0]
    assert worse.checks[1].lower < alone.lower and worse.checks[1].upper == alone.upper  # at half of 5 %, and at 5 %
    assert alone.estimate == pytest.approx(cv.brier_score(p) - cv.brier_score(other), abs=1e-12)


def test_how_many_samples_would_settle_it():
    (one,) = cv.check(drawn(0), within=0.03).checks
    needed = 1000 * ((one.upper - one.lower) / (2 * abs(0.03 - one.estimate))) ** 2
    assert one.status == "cannot tell" and needed > 1000
    assert f"about {float(f'{needed:.2g}'):,.0f} would settle it" in one.sentence


def test_rates_at_and_beyond_the_limit():
    """Where the truth lies at the limit hardly any model passes or fails; far beyond it most fail, and none passes."""
    score = np.linspace(0.05, 0.95, 20001)
    statuses = {}
    for power in (1.0, 0.6):
        odds = power * np.log(score / (1 - score))
        truth = float(np.abs(np.cumsum(score - 1 / (1 + np.exp(-odds)))).max() / len(score))
        limit = 0.05 if power == 1 else truth
        statuses[power] = [cv.check(drawn(seed, 800, power), within=limit).status for seed in range(40)]
    assert statuses[0.6].count("pass") <= 6 and statuses[0.6].count("fail") <= 6
    assert statuses[1.0].count("fail") == 0 and statuses[1.0].count("pass") >= 15
    assert [cv.check(drawn(seed, 800, 0.3), within=0.02).status for seed in range(8)] == ["fail"] * 8


def test_patients_of_many_rows_are_less_sure():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(80), 10)
    score = rng.uniform(0.1, 0.9, 80)[patient]
    target = rng.random(80)[patient] < score
    alone, together = (cv.Predictions(score, target, cluster=cluster) for cluster in (None, patient))
    found = [cv.check(p, within=0.3, measure="gap") for p in (alone, together)]
    assert [one.clusters for one in found] == [None, 80]
    one, other = (each.checks[0].upper - each.checks[0].estimate for each in found)
    assert other > 2.5 * one


def test_patients_of_different_risk_are_no_less_sure_where_it_is_predicted():
    """The gap of means varies with what was not predicted: its error is that of sums of gaps over patients."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(80), 10)
    score = rng.uniform(0.05, 0.95, 80)[patient]
    p = cv.Predictions(score, rng.random(800) < score, cluster=patient)
    gaps = np.bincount(patient, p.labels - p.probs[:, 1]) / 800
    half = student.ppf(0.95, 79) * np.sqrt(80 / 79 * ((gaps - gaps.mean()) ** 2).sum())
    (found,) = cv.check(p, within=0.05, measure="gap").checks
    assert found.upper == pytest.approx(abs(gaps.sum()) + half)
    assert found.status == "pass"
    none = cv.Predictions(score, np.zeros(800, int), cluster=patient)
    assert cv.check(none, within=0.49, measure="gap").checks[0].lower < score.mean() - 0.03


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"within": 2}, "within must lie strictly between 0 and 1, not be 2"),
        ({"within": {"ks": 0.1, "ece": 7}}, r"within\['ece'\] must lie strictly between 0 and 1"),
        ({"within": 0.1, "measure": "ici"}, "measure 'ici' has no interval that holds its level: use 'ks'"),
        ({"within": 0.1, "measure": "mce"}, "measure must be one of 'ks', 'kuiper', 'ece', 'gap'"),
        ({"baseline": drawn(1)}, "baseline: it has 1,000 samples, but the predictions have 569"),
        ({"level": 0.4}, "level"),
        ({"lens": "pooled"}, "'pooled' has several scores of each sample"),
    ],
)
def test_what_cannot_be_checked_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        cv.check(TUMOURS["naive Bayes"], **options)


def test_a_baseline_of_other_labels_is_refused():
    p = drawn(0)
    other = cv.Predictions(p.probs, np.where(np.arange(1000) == 7, 1 - p.labels, p.labels))
    with pytest.raises(ValueError, match="baseline: row 7 has another label"):
        cv.check(p, baseline=other)


def test_the_exit_status_of_the_command(tmp_path, capsys):
    good, bad = file_of(tmp_path, "good.csv", drawn(0)), file_of(tmp_path, "bad.csv", drawn(0, power=0.3))
    assert main(["check", good, "--within", "10"]) == 0
    assert capsys.readouterr().out.startswith("pass\nKS error")
    assert main(["check", bad, "--max-ks", "0.02"]) == 1
    assert main(["check", good, "--within", "2.5"]) == 3
    assert main(["check", good]) == 3
    capsys.readouterr()
    assert main(["check", good, "--within", "2.5", "--allow-cannot-tell"]) == 0
    assert capsys.readouterr().out.startswith("cannot tell, which --allow-cannot-tell lets pass\n")
    assert main(["check", bad, "--baseline", good]) == 2
    assert "baseline: row" in capsys.readouterr().err
    assert main(["check", good, "--within", "5", "--max-ks", "0.05"]) == 2
    assert "--within and --max-ks limit the same error" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "none.csv")]) == 2


def test_a_line_of_json_stands_last_and_pipelines_get_junit_xml(tmp_path, capsys):
    file, report = file_of(tmp_path, "good.csv", drawn(0)), tmp_path / "junit.xml"
    assert main(["check", file, "--max-ks", "0.025", "--max-ece", "0.2", "--json", "-", "--junit", str(report)]) == 3
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert line["status"] == "cannot tell" and line["n"] == 1000 and line["clusters"] is None
    assert [(one["measure"], one["status"]) for one in line["checks"]] == [("ks", "cannot tell"), ("ece", "pass")]
    suite = ElementTree.parse(report).getroot()
    assert suite.attrib == {"name": "calibviz", "tests": "2", "failures": "0", "errors": "1", "skipped": "0"}
    first, second = suite.iter("testcase")
    assert first.find("error").get("type") == "cannot tell" and len(second) == 0
    allowed = ["--allow-cannot-tell", "--json", str(tmp_path / "line.json")]
    assert main(["check", file, "--max-ks", "0.025", "--junit", str(report), *allowed]) == 0
    assert ElementTree.parse(report).find("testcase/skipped") is not None
    assert json.loads((tmp_path / "line.json").read_text())["status"] == "cannot tell"


def test_what_is_read_is_not_written_over(tmp_path, capsys):
    file = file_of(tmp_path, "good.csv", drawn(0))
    for option in ("--json", "--junit"):
        assert main(["check", file, option, file]) == 2
        assert "it is a file to read" in capsys.readouterr().err


def test_few_clusters_cannot_tell_and_say_so():
    p = drawn(0)
    few = cv.Predictions(p.probs, p.labels, cluster=np.arange(1000) % 4)
    for options in ({}, {"within": 0.05, "measure": "gap"}):
        found = cv.check(few, **options)
        assert found.status == "cannot tell" and "since 4 clusters are fewer than 6." in found.checks[0].sentence
    some = cv.Predictions(p.probs, p.labels, cluster=np.minimum(np.arange(1000), 400))  # worth 2.8
    [found] = cv.check(some, within=0.05).checks
    assert found.sentence == ("KS error: no interval, since 401 clusters are worth 2 of equal size, fewer than 20.")
    assert (found.status, found.estimate, found.lower, found.upper) == ("cannot tell", None, None, None)


def test_an_interval_of_few_clusters_is_said_to_be_approximate():
    p = drawn(0)
    some = cv.Predictions(p.probs, p.labels, cluster=np.arange(1000) // 25)
    said = "approximate, since 40 clusters are fewer than 50): "
    assert said in cv.check(some, within=0.05).checks[0].sentence
    assert "approximate" not in cv.check(some, within=0.05, measure="gap").checks[0].sentence


def test_the_clusters_of_either_side_count_and_may_not_differ():
    p, patient = drawn(0), np.arange(1000) // 10
    new, old = (cv.Predictions(p.probs**power, p.labels, normalize=True) for power in (1.3, 1.0))
    alone = cv.check(new, baseline=old).checks[0]
    for one, other in ((new, old), (old, new)):
        in_clusters = cv.Predictions(one.probs, one.labels, cluster=patient)
        pair = (in_clusters, other) if one is new else (other, in_clusters)
        found = cv.check(pair[0], baseline=pair[1]).checks[0]
        assert found.estimate == pytest.approx(alone.estimate) and found.upper != alone.upper
    with pytest.raises(ValueError, match="its rows lie in other clusters"):
        cv.check(
            cv.Predictions(new.probs, new.labels, cluster=patient),
            baseline=cv.Predictions(old.probs, old.labels, cluster=patient[::-1].copy() // 2),
        )
