"""Reports: their numbers are the engine's, of one model and of several."""

from __future__ import annotations

import contextlib
import io
import re

import numpy as np
import pytest
from report_pages import REPLICATES, Page, page, some
from scipy.stats import binom

import calibviz as cv
from calibviz import figures, reports
from calibviz.decisions.acting_draws import expanded_level
from calibviz.reports import single
from calibviz.reports.measuring import findings
from calibviz.reports.measuring.numbers import replicates_for
from calibviz.reports.writing import data
from calibviz.uncertainty import noise_floors
from calibviz.uncertainty.bootstrap import drawn_weights, percentile_interval

ERRORS = ["ece", "sweep", "debiased", "ks"]
PLAIN = ["accuracy", "mean_score", "mean_target", "ece", "sweep", "debiased", "ks", "brier", "log_loss"]
METHODS = ["none", "temperature", "vector", "spline", "isotonic", "platt", "beta", "histogram"]
STATISTICS = {
    "ece": lambda q: cv.calibration_error(q, binning=cv.Uniform(15)),
    "sweep": lambda q: cv.calibration_error(q, binning=cv.Sweep()),
    "debiased": lambda q: cv.debiased_error(q, binning=cv.EqualMass(15)),
    "ks": cv.ks_error,
}
RANKED = ["ece", "sweep", "debiased", "ks", "brier", "log_loss"]

pytestmark = pytest.mark.usefixtures("few_replicates")


# The same numbers


def reached(found):
    """What 95 of 100 calibrated models stay below: above it the p-value is at most 5 %."""
    return float(np.sort(found.replicates)[-((len(found.replicates) + 1) // 20)])


@pytest.mark.parametrize(
    ("lens", "selection"),
    [("top-1", None), ("class 2", "age > 20 and label in [0, 2]"), ("pooled", None), ("top-2: rest", None)],
)
def test_numbers_and_intervals_are_those_of_evaluate(lens, selection):
    p = some(fields={"age": np.arange(240) % 90}, weights=None)
    found = page(p, lens=lens, selection=selection).numbers
    cube = cv.evaluate(
        p,
        lens,
        selections={"shown": selection},
        metrics=PLAIN,
        replicates=REPLICATES,
        bins=15,
        quantiles=(0.025, 0.975),
    )
    for name in PLAIN:
        table = "errors" if name in ERRORS else "numbers"
        assert found[table, f"{name} value"] == pytest.approx(cube[name].item(), abs=1e-12), name
        if name in ERRORS:
            continue
        ends = [found["numbers", f"{name} {end}"] for end in ("lower", "upper")]
        np.testing.assert_allclose(ends, cube[f"{name}_quantile"].values.ravel(), atol=1e-12, err_msg=name)


@pytest.mark.parametrize("given", [False, True])
def test_repairs_are_judged_on_what_they_were_not_fitted_to(given):
    p, other = some(), some(seed=2)
    calibration, evaluation = (other, p) if given else p.split(0.5, rng=0)
    found = page(p, other).numbers if given else page(p).numbers
    how = {"metrics": RANKED, "ranking": "calibrator"}
    cube = cv.evaluate(evaluation, calibrators=METHODS, calibration=calibration, **how)
    ranks = cv.rank_calibrators(cube)
    for name in RANKED:
        for method in METHODS:
            assert found["ranks", f"{name} {method}"] == pytest.approx(cube[name].sel(calibrator=method).item())
            rank = ranks[name].sel(calibrator=method).item() if name in ranks else None
            assert found.get(("ranks", f"{name} {method} rank")) == rank


def test_changes_are_paired():
    """The interval is that of the differences on the same draws, not the difference of two intervals."""
    p = some()
    calibration, evaluation = p.split(0.5, rng=0)
    spline = cv.Spline(6).fit(cv.lens("top-1")(calibration))
    before = cv.lens("top-1")(evaluation)
    after = before.mapped(spline)

    def drawn_brier(problem):
        def statistic(q):
            if q.weights is None:
                return cv.brier_score(problem)
            return cv.brier_score(cv.ScalarProblem(problem.score, problem.given_target, q.weights[problem.order]))

        return cv.bootstrap(evaluation, error=statistic, replicates=REPLICATES)

    one, two = drawn_brier(before), drawn_brier(after)
    found = page(p).numbers
    what = ["value of before", "value of after", "value of change", "lower of change", "upper of change"]
    values = [found["recalibrated", f"brier {one}"] for one in what]
    ends = np.quantile(two.replicates - one.replicates, [0.025, 0.975])
    expected = [one.estimate, two.estimate, two.estimate - one.estimate, *ends]
    np.testing.assert_allclose(values, expected, atol=1e-12)


def test_reading_pictures_and_categories_are_the_engines():
    p, lens, cuts = cv.load_dataset("tumours")["naive Bayes"], "class malignant", [0, 0.1, 0.5, 1]
    made = cv.report(p, lens=lens, categories=cuts, progress=False)
    found = Page(made.html)
    problem = cv.lens(lens)(p)
    for figure in (
        figures.reliability_figure([problem], [cv.Uniform(15)(problem)], lens),
        figures.histogram_figure([problem], lens),
        *figures.cumulative_figures([problem], lens)[::2],
    ):
        assert any(attributes.get("aria-label") == figure.alt for name, attributes in found.tags if name == "svg")
    table = cv.likert_error(p, lens, categories=cuts, binning=cv.Uniform(15))
    for category in table.category.values:
        for name in ("mean_score", "mean_target", "error", "one_bin_error"):
            value = table[name].sel(category=category).item()
            assert found.numbers["likert", f"{name} {category}"] == pytest.approx(value, abs=1e-12)
    assert (
        "Perhaps too low (says 35.2 % on average, happens 37.3 % of the time): the cumulative curves are" in made.html
    )


def test_classes_come_worst_first_and_many_wait_to_be_asked():
    p = some(n=600, classes=30)
    text = cv.report(p, progress=False).html
    errors = {name: cv.calibration_error(p, f"class {name}", binning=cv.Uniform(15)) for name in p.class_names}
    part = text[text.index('<section id="classes">') : text.index('<section id="data">')]
    rows = re.findall(r'<th scope="row">(\d+)</th>.*?<data value="([^"]+)" data-what="error of', part)
    assert [name for name, _ in rows] == sorted(errors, key=lambda name: -errors[name])
    np.testing.assert_allclose([float(value) for _, value in rows], sorted(errors.values(), reverse=True), atol=1e-12)
    before, after = part.split("<summary>and 10 more</summary>")
    assert before.count('scope="row"') == 20 and after.count('scope="row"') == 10


def test_rows_of_very_many_classes_are_left_out_and_counted(monkeypatch):
    for module in (single, data):
        monkeypatch.setattr(module, "MOST_LISTED", 25)
    text = cv.report(some(n=600, classes=30), progress=False).html
    for section in ("classes", "data"):
        part = text[text.index(f'<section id="{section}">') :].partition("</section>")[0]
        listed = part[part.index("<table id=") :]
        assert listed.count('scope="row"') == 25
        assert "5 more rows would make the page too large, and are left out." in listed


def test_the_worst_classes_have_the_noise_floors_of_their_errors(monkeypatch):
    monkeypatch.setattr(findings, "MOST_CLASSES", 4)
    p = some(n=600, classes=6)
    made, text = page(p), cv.report(p, progress=False).html
    start = "error noise of "
    floors = {what[len(start) :]: value for (_, what), value in made.numbers.items() if what.startswith(start)}
    assert list(floors) == sorted(p.class_names, key=lambda c: -made.numbers["worst", f"error of {c}"])[:4]
    for name, reaches in floors.items():
        found = cv.consistency(
            cv.lens(f"class {name}")(p),
            error=lambda q: cv.calibration_error(q, binning=cv.Uniform(15)),
            replicates=noise_floors.NULLS,
            level=0.9,
            progress=False,
        )
        assert reaches == pytest.approx(reached(found), abs=1e-12)
        said = re.search(rf"([a-z ]+): <data[^>]*data-what=\"error noise of {name}\"", text)
        assert said is not None and said[1] == ("within noise" if found.estimate <= reaches else "noise")


def test_code_gives_the_numbers_again():
    p = some()
    found = page(p, likert=[0, 0.5, 1], selection="confidence > 0.4")
    namespace = {"predictions": p}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(found.texts["code"], namespace)
    numbers = namespace["numbers"]
    for name in PLAIN:
        table = "errors" if name in ERRORS else "numbers"
        assert numbers[name].item() == pytest.approx(found.numbers[table, f"{name} value"], abs=1e-12)
        if name in ERRORS:
            continue
        quantiles = numbers[f"{name}_quantile"].values.ravel()
        assert quantiles[0] == pytest.approx(found.numbers["numbers", f"{name} lower"], abs=1e-12)
    ranked = namespace["ranked"]
    assert ranked.ks.sel(calibrator="beta").item() == pytest.approx(found.numbers["ranks", "ks beta"], abs=1e-12)
    sides = [found.numbers["recalibrated", f"ks value of {side}"] for side in ("before", "after")]
    np.testing.assert_allclose(namespace["both"].ks.values.ravel(), sides, atol=1e-12)
    assert "mean_target" in printed.getvalue()


def test_what_a_spline_is_fitted_to_and_judged_by_is_told():
    p = some(fields={"i": np.arange(240)})
    calibration, evaluation = p.split(0.5, rng=0)
    text = cv.report(p, selection="i < 100", progress=False).html
    judged = int((evaluation.fields["i"] < 100).sum())
    assert f"fitted to these {len(calibration)}, and the selected ones of the others, {judged}, judge it." in text
    assert "fitted to these 120, and the others, 120, judge it." in cv.report(p, progress=False).html


def test_a_category_holds_or_does_not_or_perhaps():
    score = np.repeat([0.05, 0.3, 0.7, 0.92, 0.97], 100)
    target = np.concatenate([np.arange(100) < k for k in (5, 65, 48, 94, 20)])
    p = cv.Predictions(score, target.astype(int))
    text = cv.report(p, lens="class 1", categories=[0, 0.2, 0.5, 0.9, 0.95, 1], progress=False).html
    rows = re.search(r'id="likert".*?</table>', text, re.DOTALL)[0]
    said = re.findall(r"<td>([^<]*)</td></tr>", rows)
    assert said == [
        "yes",
        "no: it happens more often",
        "perhaps not: it happens less often",
        "perhaps",
        "no: it happens less often",
    ]


def test_a_category_tells_its_bins_from_all_of_it():
    """Two bins that miss in opposite ways: 0.1 and 0.15 outside on average, but as one bin well inside."""
    score = np.repeat([0.22, 0.38], 100)
    target = np.concatenate([np.arange(100) < k for k in (10, 55)])
    p = cv.Predictions(score, target.astype(int))
    found = page(p, lens="class 1", likert=[0.2, 0.4]).numbers
    assert found["likert", "error [0.2, 0.4]"] == pytest.approx((0.1 + 0.15) / 2, abs=1e-12)
    assert found["likert", "one_bin_error [0.2, 0.4]"] == 0 == found["likert", "one_bin_error noise [0.2, 0.4]"]
    assert 0 < found["likert", "error noise [0.2, 0.4]"] < 0.1


def test_what_is_judged_is_not_what_repairs_are_fitted_to():
    p = some()
    with pytest.raises(ValueError, match="calibration holds the very predictions that are judged"):
        cv.report(p, calibration=p)
    with pytest.raises(ValueError, match=r"calibration\['b'\] holds the very predictions"):
        cv.compare({"a": p, "b": p.relabelled(p.labels, None)}, calibration={"a": p.select(np.arange(30)), "b": p})


@pytest.mark.parametrize("lens", ["top-1", "pooled"])
def test_errors_stand_beside_what_calibrated_predictions_show(lens):
    p = some()
    found = page(p, lens=lens).numbers
    for name, error in STATISTICS.items():
        expected = cv.consistency(p, error=error, lens=lens, replicates=noise_floors.NULLS, progress=False)
        shown = [found["errors", f"{name} {what}"] for what in ("value", "noise", "p_value")]
        np.testing.assert_allclose(shown, [expected.estimate, reached(expected), expected.p_value], atol=1e-12)
    calibration, evaluation = p.split(0.5, rng=0)
    after = cv.lens("top-1")(evaluation).mapped(cv.Spline(6).fit(cv.lens("top-1")(calibration)))
    if lens == "top-1":
        expected = cv.consistency(after, error=cv.ks_error, replicates=noise_floors.NULLS, progress=False)
        assert found["recalibrated", "ks noise of after"] == pytest.approx(reached(expected), abs=1e-12)
    else:
        assert ("recalibrated", "ks noise of after") not in found


def test_no_error_lies_outside_of_its_interval(of_intervals):
    """As errors of few samples did, which stood beside percentiles of a bootstrap."""
    p = cv.simulated("resnet152_imagenet", 60, rng=3)
    made = page(p, lens="class right")
    found = made.numbers
    for name, error in {"ece": cv.calibration_error, "debiased": cv.debiased_error, "ks": cv.ks_error}.items():
        expected = cv.interval(p, error=error, lens="class right", progress=False)
        names = ("value", "estimate", "lower", "upper", "noise", "p_value")
        shown = [found["errors", f"{name} {what}"] for what in names]
        assert shown[2] <= shown[1] <= shown[3]
        ends = [expected.raw, expected.estimate, expected.lower, expected.upper, expected.noise, expected.p_value]
        np.testing.assert_allclose(shown, ends, atol=1e-12)
    assert "cv.interval(predictions, cv.ks_error, 'class right', selection)" in made.texts["code"]
    assert not any("Outside of its own interval" in text for text in made.texts.values())


def test_what_has_no_floor_or_interval_says_why():
    text = cv.report(some(), selection="label in [0, 2]", progress=False).html
    assert "No noise floor: the selection looks at what is true, which cannot be drawn again." in text
    assert (
        "No interval: 240 samples are more than the 0 of which a page computes one."
        in cv.report(some(), progress=False).html
    )


# Several models


def two():
    one = some()
    return {"sharp": one, "dull": one.with_probs(0.5 * one.probs + 0.5 / 3)}


def test_differences_are_paired_and_to_the_first():
    models = two()
    found = Page(cv.compare(models, progress=False).html).numbers
    sharp, dull = (
        cv.bootstrap(one, error=lambda q: cv.brier_score(q, "top-1"), replicates=REPLICATES) for one in models.values()
    )
    values = [found["differences", f"brier {what} of dull"] for what in ("value", "lower", "upper")]
    ends = np.quantile(dull.replicates - sharp.replicates, [0.025, 0.975])
    np.testing.assert_allclose(values, [dull.estimate - sharp.estimate, *ends], atol=1e-12)
    ks = cv.ks_error(models["dull"]) - cv.ks_error(models["sharp"])
    assert found["differences", "ks value of dull"] == pytest.approx(ks, abs=1e-12)


def test_net_benefits_at_a_threshold_are_compared_on_the_same_samples():
    p = cv.load_dataset("heart")
    models = {name: p[name] for name in ("logistic regression", "random forest")}
    found = Page(cv.compare(models, threshold=0.3, progress=False).html).numbers
    one, two = models.values()
    n = len(one)
    draws = list(drawn_weights(n, None, replicates_for(n), seed=0))
    gained = [
        cv.net_benefit(two.reweighted(drawn), threshold=0.3) - cv.net_benefit(one.reweighted(drawn), threshold=0.3)
        for drawn in draws
    ]
    level = expanded_level(((one.probs[:, 1] >= 0.3) != (two.probs[:, 1] >= 0.3)).sum())
    place = "net benefit {} of random forest over logistic regression"
    values = [found["net-benefit", place.format(what)] for what in ("value", "lower", "upper")]
    value = cv.net_benefit(two, threshold=0.3) - cv.net_benefit(one, threshold=0.3)
    np.testing.assert_allclose(values, [value, *percentile_interval(np.array(gained), level)], atol=1e-12)
    alone = [found["net-benefit", f"net benefit {what} of random forest"] for what in ("value", "lower", "upper")]
    curve = cv.decision_curve(two, thresholds=[0.3], replicates=len(draws), rng=0).sel(strategy="model").squeeze()
    np.testing.assert_allclose(alone, [curve.net_benefit, curve.lower, curve.upper], atol=1e-12)


def test_a_comparison_says_nothing_of_acting_without_a_threshold_and_no_verdict_of_too_few():
    one = some()
    models = {"a": one, "b": one.with_probs(one.probs[::-1].copy())}
    assert 'id="acting"' not in cv.compare(models, progress=False).html
    few = {name: model.select(np.arange(12)) for name, model in models.items()}
    page = cv.compare(few, lens="class 0", threshold=0.2, progress=False).html
    section = page[page.index('id="acting"') :].partition("</section>")[0]
    assert "too few to say what acting is worth" in section and "<strong>" not in section
    with pytest.raises(ValueError, match="threshold must be at least 0 and below 1"):
        cv.compare(models, threshold=1.0)
    with pytest.raises(ValueError, match="lens must not be 'pooled' for acting at a threshold"):
        cv.compare(models, threshold=0.2, lens="pooled")


def test_every_interval_holds_what_it_stands_beside():
    """Percentiles of a bootstrap do not, of errors that noise makes larger."""
    p = cv.simulated("resnet152_imagenet", 300, rng=3)
    models = {"good": p, "other": p.with_probs(0.9 * p.probs + 0.05)}
    found = Page(cv.compare(models, lens="class right", progress=False).html).numbers
    beside = [(table, name) for table, name in found if " lower" in name and table in ("numbers", "differences")]
    assert len(beside) == 5 * 3
    for table, name in beside:
        value, low, high = (found[table, name.replace("lower", what)] for what in ("value", "lower", "upper"))
        assert low <= value <= high, name


def test_an_error_stands_beside_what_calibrated_predictions_reach_and_is_grey_below_that():
    p = some()
    rng = np.random.default_rng(0)
    labels = (rng.random((240, 1)) > p.probs.cumsum(axis=1)[:, :-1]).sum(axis=1)
    calibrated = cv.Predictions(p.probs, labels)
    models = {"fair": calibrated, "flat": calibrated.with_probs(0.5 * p.probs + 0.5 / 3)}
    text = cv.compare(models, progress=False).html
    found = Page(text).numbers
    expected = reached(cv.consistency(calibrated, error=cv.ks_error, replicates=noise_floors.NULLS, progress=False))
    assert found["numbers", "ks noise of fair"] == pytest.approx(expected, abs=1e-12)
    for model in models:
        for name in ("ece", "sweep", "debiased", "ks"):
            value, floor = (found["numbers", f"{name} {what} of {model}"] for what in ("value", "noise"))
            grey = re.search(rf'<span class="faint"><data [^>]*data-what="{name} value of {model}"', text)
            assert (grey is not None) == (value <= floor)
    assert text.count('<span class="faint">') >= 4
    selected = cv.compare(models, selection="label == 1", progress=False).html
    assert "ks noise of" not in selected  # whose labels cannot be drawn again


@pytest.mark.parametrize("five", [False, True])
def test_two_calibrated_models_are_seldom_called_different(ranking_benchmark, five):
    """By no number in more than 7 %, but for what chance makes of that in 1 % of such tests."""
    said = "two calibrated, one of five scores" if five else "two calibrated"
    called = ranking_benchmark.called_different(said, 200, 20, 60, 7)
    for name in ("ece", "sweep", "ks"):
        assert called.pop(name) == 0  # without a verdict
    if five:  # of which the score with fewer values is less sharp
        called = {name: called[name] for name in ("debiased", "mean_score")}
    assert max(called.values()) <= binom.ppf(0.99, 20, 0.07), called


def test_a_model_and_itself_do_not_differ():
    one = some()
    found = Page(cv.compare({"a": one, "b": one}, progress=False).html).numbers
    differences = {name: value for (table, name), value in found.items() if table == "differences"}
    assert len(differences) == 3 * len(PLAIN) - 2 * 4 and set(differences.values()) == {0.0}
    assert {value for (table, name), value in found.items() if table == "ranks" and name.endswith("rank")} == {1.5}


def test_comparison_ranks_models_and_gives_its_code():
    models = two()
    found = Page(cv.compare(models, categories=[0, 0.5, 1], progress=False).html)
    namespace = {"models": models}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(found.texts["code"], namespace)
    ranks = cv.rank_calibrators(namespace["ranked"], of="model")
    for name in RANKED:
        for model in models:
            rank = ranks[name].sel(model=model).item() if name in ranks else None
            assert found.numbers.get(("ranks", f"{name} {model} rank")) == rank
    for name in ("ks", "brier"):
        for method in ("none", "temperature", "spline"):
            value = namespace["repaired"][name].sel(model="dull", calibrator=method).item()
            assert found.numbers[f"repaired-{name}", f"{name} {method} of dull"] == pytest.approx(value, abs=1e-12)
    noise = cv.evaluate(
        models, metrics="ks", calibrators=["none", "spline"], calibration=0.5, rng=0, noise=True, progress=False
    )
    for method in ("none", "spline"):
        reached = noise.ks_noise.sel(model="dull", calibrator=method).item()
        assert found.numbers["repaired-ks", f"ks noise {method} of dull"] == pytest.approx(reached, abs=1e-12)
    (said,) = re.findall(r"^dull (\S+) \[", printed.getvalue(), re.MULTILINE)
    assert float(said) == pytest.approx(found.numbers["differences", "brier value of dull"], abs=1e-12)


def test_a_note_names_the_models_that_it_is_about():
    sure = np.eye(3)[np.arange(240) % 3]
    models = {"fair": some(), "bold": some().with_probs(sure), "rash": some().with_probs(sure[::-1])}
    why = "The log loss is infinite, since something of probability 0 came true."
    assert f'<p class="note">bold, rash: {why}</p>' in cv.compare(models, progress=False).html
    text = cv.compare({name: models[name] for name in ("bold", "rash")}, progress=False).html
    assert text.count(why) == 1 and f'<p class="note">{why}</p>' in text


def test_six_models_are_compared_and_five_drawn_over_each_other():
    one = some()
    models = {f"m{i}": one.with_probs((1 - i / 10) * one.probs + i / 30) for i in range(6)}
    text = cv.compare(models, progress=False).html
    assert "The reliability diagram shows the first 5; not drawn: m5." in text
    assert text.count('data-figure="difference"') == 6


def test_what_was_judged_on_other_samples_is_refused():
    one = some()
    other = one.with_probs(one.probs[:, ::-1])
    named = cv.Predictions(one.probs, one.labels, class_names=["x", "y", "z"])
    weighted = cv.Predictions(one.probs, one.labels, weights=np.ones(240))
    for second, why in [
        (some(n=239), r"'b' has 239 samples, but 'a' has 240: compare models on the same ones"),
        (some(seed=3), r"labels of 'b' differ from those of 'a', first in row \d+: compare models on the same samples"),
        (named, "the classes of 'b' are not those of 'a', in the same order"),
        (weighted, "one of 'a' and 'b' has weights, and the other has none"),
    ]:
        with pytest.raises(ValueError, match=why):
            cv.compare({"a": one, "b": second})
    with pytest.raises(ValueError, match="the selection 'predicted == 0' keeps other samples of 'b' than of 'a'"):
        cv.compare({"a": one, "b": other}, selection="predicted == 0")
    with pytest.raises(ValueError, match="the selection looks at the output, which differs between models"):
        cv.compare({"a": one, "b": other}, selection="output > 0.5")
    with pytest.raises(ValueError, match="a comparison needs two models at least"):
        cv.compare({"a": one})
    with pytest.raises(ValueError, match="calibration is missing for the model 'b'"):
        cv.compare({"a": one, "b": other}, calibration={"a": one})


# Where it is written


@pytest.mark.parametrize(
    ("path", "error", "said"),
    [
        (np.array([]), TypeError, "path must be a path"),
        ("", ValueError, "path '' is no path of a file"),
        (".", IsADirectoryError, "directory: '.'"),
        ("no/such/folder.html", FileNotFoundError, "no/such/folder.html"),
    ],
)
def test_a_place_that_cannot_be_written_to_is_refused_before_the_work(monkeypatch, path, error, said):
    monkeypatch.setattr(reports, "findings", None)
    monkeypatch.setattr(reports, "compared", None)
    with pytest.raises(error, match=said):
        cv.report(some(), path=path)
    with pytest.raises(error, match=said):
        cv.compare({"a": some(), "b": some(seed=2)}, path=path)
