"""Reports: their numbers are the engine's, of one model and of several."""

from __future__ import annotations

import contextlib
import io
import re

import numpy as np
import pytest
from efforts import FEW
from report_pages import REPLICATES, Page, page, recalibrated, some
from scipy.stats import binom

import calibviz as cv
from calibviz import figures, reports
from calibviz.answers.views import numbers
from calibviz.foundation.written import inferred
from calibviz.reports.writing import data
from calibviz.uncertainty.resampling.bootstrap import drawn_weights, expanded_level, percentile_interval

#: The beginning of the heading of the row of each number.
ERRORS = {"ece": "ECE, 15", "sweep": "ECE, monotone", "debiased": "debiased", "ks": "KS"}
MEANS = {"accuracy": "accuracy", "mean_score": "predicted", "mean_target": "observed", "brier": "Brier"}
MEANS |= {"log_loss": "log loss"}
STATISTICS = {
    "ece": lambda q: cv.calibration_error(q, binning=cv.Uniform(15)),
    "sweep": lambda q: cv.calibration_error(q, binning=cv.Sweep()),
    "debiased": lambda q: cv.debiased_error(q, binning=cv.EqualMass(15)),
    "ks": cv.ks_error,
}
RANKED = {"ece": "ECE", "sweep": "ECE, monotone", "debiased": "debiased", "ks": "KS", "brier": "Brier"}
RANKED |= {"log_loss": "log loss"}

pytestmark = pytest.mark.usefixtures("few_replicates", "few_states")


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
    found = page(p, lens=lens, selection=selection)
    cube = cv.evaluate(
        p,
        lens,
        selections={"shown": selection},
        metrics=[*MEANS, *ERRORS],
        replicates=REPLICATES,
        bins=15,
        quantiles=(0.025, 0.975),
    )
    for name, row in ERRORS.items():
        assert found.number("errors", row, "measured") == pytest.approx(cube[name].item(), abs=1e-12), name
    for name, row in MEANS.items():
        assert found.number("numbers", row, "value") == pytest.approx(cube[name].item(), abs=1e-12), name
        if name not in numbers.SHARES:
            ends = list(found.at("numbers", row, "95 % interval").values())
            np.testing.assert_allclose(ends, cube[f"{name}_quantile"].values.ravel(), atol=1e-12, err_msg=name)


@pytest.mark.parametrize("given", [False, True])
def test_calibrators_are_judged_on_what_they_were_not_fitted_to(given):
    p, other = some(), some(seed=2)
    fits = {"calibration": other} if given else {"folds": 5}
    found = page(p, calibration=other) if given else page(p)
    methods = ["none", "temperature", "spline", "isotonic", "beta"]
    metrics = ["ece", "ks", "brier", "log_loss"]
    cube = cv.evaluate(p, calibrators=methods, metrics=metrics, **fits)
    for name, row in zip(metrics, ("ECE", "KS", "Brier", "log loss"), strict=True):
        for method in methods:
            factor = 100 if name in ("ece", "ks") else 1
            value = factor * cube[name].sel(calibrator=method).item()
            assert found.number("comparison", row, method) == pytest.approx(value, abs=1e-9), (name, method)


def test_changes_are_paired():
    """The interval is that of the differences on the same draws, not the difference of two intervals."""
    p = some()
    before = cv.lens("top-1")(p)
    after = cv.lens("top-1")(recalibrated(p))

    def drawn(problem):
        def statistic(q):
            if q.weights is None:
                return cv.log_loss(problem)
            return cv.log_loss(cv.ScalarProblem(problem.score, problem.given_target, q.weights[problem.order]))

        return cv.bootstrap(p, error=statistic, replicates=REPLICATES)

    one, two = drawn(before), drawn(after)
    found = page(p)
    assert "After temperature" in found.texts["changes"]
    values = [found.number("changes", "log loss", column) for column in ("before", "after", "change")]
    ends = np.quantile(two.replicates - one.replicates, [0.025, 0.975])
    expected = [one.estimate, two.estimate, two.estimate - one.estimate, *ends]
    np.testing.assert_allclose([*values, *found.at("changes", "log loss", "95 % interval").values()], expected)
    assert found.texts["changes"].count("Brier") == 1
    (brier,) = re.findall(r"changes by (\S+) to (\S+) \(90 %\) on", found.texts["recalibration"])
    assert f"{brier[0]} to {brier[1]}" in found.texts["changes"]  # the same interval as in the sentence


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
    places = {
        "mean_score": ("promises", "predicted"),
        "mean_target": ("promises", "observed"),
        "error": ("categories", "error bin by bin"),
        "one_bin_error": ("categories", "error as one bin"),
    }
    for category, row in zip(table.category.values, ("0 to 10", "10 to 50", "50 to 100"), strict=True):
        for name, (where, column) in places.items():
            value = table[name].sel(category=category).item()
            assert found.number(where, row, column) == pytest.approx(value, abs=1e-12)
    assert cv.verdict(p, lens, calibrator=None).sentence in found.text


def test_the_worst_classes_come_first():
    p = some(n=600, classes=30)
    found = page(p)
    errors = {name: cv.calibration_error(p, f"class {name}", binning=cv.Uniform(15)) for name in p.class_names}
    names = [name for name in found.headings["worst"] if name]
    assert names == sorted(errors, key=lambda name: -errors[name])[:20]
    for name in names:
        assert found.number("worst", name, "error") == pytest.approx(errors[name], abs=1e-12)
    assert "The worst 20 of 30." in found.texts["classes"]


def test_rows_of_very_many_classes_are_left_out_and_counted(monkeypatch):
    monkeypatch.setattr(data, "MOST_LISTED", 25)
    text = cv.report(some(n=600, classes=30), progress=False).html
    part = text[text.index('<section id="data">') :].partition("</section>")[0]
    before, after = part.split("<summary>and 5 more</summary>")
    assert before.count('scope="row"') == 20 and after.count('scope="row"') == 5
    assert "5 more rows would make the page too large, and are left out." in part


def test_the_worst_classes_have_the_noise_floors_of_their_errors():
    p = some(n=600, classes=6)
    made = page(p)
    for name in p.class_names:
        found = cv.consistency(
            cv.lens(f"class {name}")(p),
            error=lambda q: cv.calibration_error(q, binning=cv.Uniform(15)),
            replicates=FEW.floors,
            level=0.9,
            progress=False,
        )
        assert made.number("worst", name, "error", "noise") == pytest.approx(reached(found), abs=1e-12)


def test_code_gives_the_numbers_again():
    p = some()
    found = page(p, categories=[0, 0.5, 1], selection="confidence > 0.4")
    namespace = {"predictions": p}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(found.texts["code"], namespace)
    given = namespace["numbers"]
    for name, row in MEANS.items():
        assert given[name].item() == pytest.approx(found.number("numbers", row, "value"), abs=1e-12)
    for name, row in ERRORS.items():
        assert given[name].item() == pytest.approx(found.number("errors", row, "measured"), abs=1e-12)
    quantiles = given.brier_quantile.values.ravel()
    np.testing.assert_allclose(quantiles, list(found.at("numbers", "Brier", "95 % interval").values()), atol=1e-12)
    assert "mean_target" in printed.getvalue() and "sensitivity" in found.texts["code"]


def test_what_calibrators_are_fitted_to_and_judged_by_is_said():
    p, other = some(fields={"i": np.arange(240)}), some(n=100, seed=2)
    crossed = "Recalibration is judged on all samples by 5-fold cross-fitting: each by a fit to the others."
    text = cv.report(p, selection="i < 100", progress=False).html
    assert crossed in text and "after recalibration" in text.lower()
    text = cv.report(p, calibration=other, progress=False).html
    assert "Calibrators were fitted to 100 samples of a calibration set; 240 others judge them." in text
    assert crossed not in text


def test_a_category_tells_its_bins_from_all_of_it():
    """Two bins that miss in opposite ways: 0.1 and 0.15 outside on average, but as one bin well inside."""
    score = np.repeat([0.22, 0.38], 100)
    target = np.concatenate([np.arange(100) < k for k in (10, 55)])
    p = cv.Predictions(score, target.astype(int))
    found = page(p, lens="class 1", categories=[0.2, 0.4])
    assert found.number("categories", "20 to 40", "error bin by bin") == pytest.approx((0.1 + 0.15) / 2, abs=1e-12)
    assert found.number("categories", "20 to 40", "error as one bin") == 0
    assert 0 < found.number("categories", "20 to 40", "error bin by bin", "noise") < 0.1


def test_what_is_judged_is_not_what_calibrators_are_fitted_to():
    p = some()
    with pytest.raises(ValueError, match="calibration holds the very predictions that are judged"):
        cv.report(p, calibration=p)
    with pytest.raises(ValueError, match=r"calibration\['b'\] holds the very predictions"):
        cv.compare({"a": p, "b": p.relabelled(p.labels, None)}, calibration={"a": p.select(np.arange(30)), "b": p})


@pytest.mark.parametrize("lens", ["top-1", "pooled"])
def test_errors_stand_beside_what_calibrated_predictions_show(lens):
    p = some()
    found = page(p, lens=lens)
    for name, error in STATISTICS.items():
        expected = cv.consistency(p, error=error, lens=lens, replicates=FEW.floors, progress=False)
        beside = found.at("errors", ERRORS[name], "calibrated predictions reach")
        shown = [found.number("errors", ERRORS[name], "measured"), beside["noise"], beside["p-value"]]
        np.testing.assert_allclose(shown, [expected.estimate, reached(expected), expected.p_value], atol=1e-12)
    after = recalibrated(p)
    expected = cv.consistency(after, error=cv.ks_error, lens=lens, replicates=FEW.floors, progress=False)
    assert found.number("changes", "KS", "after", "noise") == pytest.approx(reached(expected), abs=1e-12)


def test_an_error_has_the_digits_that_it_has_in_the_explorer(of_intervals):
    p = cv.load_dataset("heart")["logistic regression"]
    row = (
        re.search(r'<th scope="row"><span>KS error</span>.*?</tr>', cv.report(p, progress=False).html)
        .group()
        .replace("&nbsp;", " ")
    )
    (likely,), (ends,) = (re.findall(rf'data-what="{name}"[^>]*>(.*?)</data>', row) for name in ("estimate", "lower"))
    expected = cv.interval(p, error=cv.ks_error, progress=False)
    assert (likely, ends) == inferred(expected.estimate, expected.lower, expected.upper)


def test_no_error_lies_outside_of_its_interval(of_intervals):
    """As errors of few samples did, which stood beside percentiles of a bootstrap."""
    p = cv.simulated("resnet152_imagenet", 60, rng=3)
    found = page(p, lens="class right")
    for name, error in {"ece": cv.calibration_error, "debiased": cv.debiased_error, "ks": cv.ks_error}.items():
        expected = cv.interval(p, error=error, lens="class right", progress=False)
        row = ERRORS[name]
        low, high = found.at("errors", row, "95 % interval").values()
        estimate = found.number("errors", row, "probably")
        beside = found.at("errors", row, "calibrated predictions reach")
        assert low <= estimate <= high
        shown = [found.number("errors", row, "measured"), estimate, low, high, beside["noise"], beside["p-value"]]
        ends = [expected.raw, expected.estimate, expected.lower, expected.upper, expected.noise, expected.p_value]
        np.testing.assert_allclose(shown, ends, atol=1e-12)
    assert "cv.interval(predictions, 'class right', selection=None, error=cv.ks_error)" in found.texts["code"]


def test_what_has_no_floor_or_interval_says_why():
    text = cv.report(some(), selection="label in [0, 2]", progress=False).html
    assert "the selection looks at what is true: the error of a calibrated model is not 0 there, so no interval" in text
    assert re.search(r"on average \d", text)  # what calibrated predictions show of an error, beside what they reach
    assert "240 samples are more than the 0 of which a page computes one." in cv.report(some(), progress=False).html


# Several models


def two():
    one = some()
    return {"sharp": one, "dull": one.with_probs(0.5 * one.probs + 0.5 / 3)}


def test_differences_are_paired_and_to_the_first():
    models = two()
    found = Page(cv.compare(models, progress=False).html)
    sharp, dull = (
        cv.bootstrap(one, error=lambda q: cv.log_loss(q, "top-1"), replicates=REPLICATES) for one in models.values()
    )
    ends = np.quantile(dull.replicates - sharp.replicates, [0.025, 0.975])
    shown = found.at("differences", "log loss", "dull")
    expected = {"change": dull.estimate - sharp.estimate, "lower": ends[0], "upper": ends[1]}
    assert shown == pytest.approx(expected, abs=1e-12)
    ks = cv.ks_error(models["dull"]) - cv.ks_error(models["sharp"])
    assert found.at("differences", "KS", "dull") == pytest.approx({"change": ks}, abs=1e-12)


def test_net_benefits_at_a_threshold_are_compared_on_the_same_samples():
    p = cv.load_dataset("heart")
    models = {name: p[name] for name in ("logistic regression", "random forest")}
    found = Page(cv.compare(models, threshold=0.3, progress=False).html)
    one, two = models.values()
    n = len(one)
    draws = list(drawn_weights(n, None, FEW.means_for(n), seed=0))
    gained = [
        cv.net_benefit(two.reweighted(drawn), threshold=0.3) - cv.net_benefit(one.reweighted(drawn), threshold=0.3)
        for drawn in draws
    ]
    level = expanded_level(((one.probs[:, 1] >= 0.3) != (two.probs[:, 1] >= 0.3)).sum())
    values = list(found.at("net-benefit", "random forest", "more than logistic regression").values())
    value = cv.net_benefit(two, threshold=0.3) - cv.net_benefit(one, threshold=0.3)
    np.testing.assert_allclose(values, [value, *percentile_interval(np.array(gained), level)], atol=1e-12)
    alone = [found.number("net-benefit", "random forest", "net benefit")]
    alone += found.at("net-benefit", "random forest", "95 % interval").values()
    curve = cv.decision_curve(two, thresholds=[0.3], replicates=len(draws), rng=0).sel(strategy="model").squeeze()
    np.testing.assert_allclose(alone, [curve.net_benefit, curve.lower, curve.upper], atol=1e-12)


def test_a_comparison_says_nothing_of_acting_without_a_threshold_and_no_verdict_of_too_few():
    one = some()
    models = {"a": one, "b": one.with_probs(one.probs[::-1].copy())}
    assert 'id="acting"' not in cv.compare(models, progress=False).html
    few = {name: model.select(np.arange(12)) for name, model in models.items()}
    page = cv.compare(few, lens="class 0", threshold=0.2, progress=False).html
    section = page[page.index('id="acting"') :].partition("</section>")[0]
    assert "too few to say what acting is worth" in section
    differences = re.findall(r'<data [^>]*data-what="value"[^>]*>', section)
    assert differences and all('class="faint"' in one for one in differences)
    with pytest.raises(ValueError, match="threshold must be at least 0 and below 1"):
        cv.compare(models, threshold=1.0)
    with pytest.raises(ValueError, match="lens must not be 'pooled' for acting at a threshold"):
        cv.compare(models, threshold=0.2, lens="pooled")


def test_every_interval_holds_what_it_stands_beside():
    """Percentiles of a bootstrap do not, of errors that noise makes larger."""
    p = cv.simulated("resnet152_imagenet", 300, rng=3)
    models = {"good": p, "other": p.with_probs(0.9 * p.probs + 0.05)}
    found = Page(cv.compare(models, lens="class right", progress=False).html)
    cells = [cell for table in ("numbers", "differences") for row in found.tables[table] for cell in row.values()]
    beside = [cell for cell in cells if "lower" in cell]
    assert len(beside) == 5 * 3
    for cell in beside:
        assert cell["lower"] <= next(iter(cell.values())) <= cell["upper"], cell


def test_an_error_stands_beside_what_calibrated_predictions_reach_and_is_grey_below_that():
    p = some()
    rng = np.random.default_rng(0)
    labels = (rng.random((240, 1)) > p.probs.cumsum(axis=1)[:, :-1]).sum(axis=1)
    calibrated = cv.Predictions(p.probs, labels)
    models = {"fair": calibrated, "flat": calibrated.with_probs(0.5 * p.probs + 0.5 / 3)}
    text = cv.compare(models, progress=False).html
    found = Page(text)
    expected = reached(cv.consistency(calibrated, error=cv.ks_error, replicates=FEW.floors, progress=False))
    assert found.at("numbers", "KS", "fair")["noise"] == pytest.approx(expected, abs=1e-12)
    for model in models:
        for name, row in ERRORS.items():
            cell = found.at("numbers", row, model)
            (grey,) = re.findall(rf'<data value="{cell[name]!r}" data-what="{name}"([^>]*)>', text)[:1]
            assert ("faint" in grey) == (cell[name] <= cell["noise"])
    selected = Page(cv.compare(models, selection="label == 1", progress=False).html)
    expected = cv.consistency(
        calibrated, error=cv.ks_error, selection="label == 1", replicates=FEW.floors, progress=False
    )
    assert selected.at("numbers", "KS", "fair")["noise"] == pytest.approx(reached(expected), abs=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("five", [False, True])
def test_two_calibrated_models_are_seldom_called_different(ranking_benchmark, five):
    """By no number in more than 7 %, but for what noise makes of that in 1 % of such tests."""
    said = "two calibrated, one of five scores" if five else "two calibrated"
    called = ranking_benchmark.called_different(said, 200, 20, 7)
    for name in ("ece", "sweep", "ks"):
        assert called.pop(name) == 0  # without a verdict
    if five:  # of which the score with fewer values is less sharp
        called = {name: called[name] for name in ("debiased", "mean_score")}
    assert max(called.values()) <= binom.ppf(0.99, 20, 0.07), called


def test_a_model_and_itself_do_not_differ():
    one = some()
    found = Page(cv.compare({"a": one, "b": one}, progress=False).html)
    differences = [value for row in found.tables["differences"] for cell in row.values() for value in cell.values()]
    assert len(differences) == 3 * 9 - 2 * 4 and set(differences) == {0.0}
    ranks = [cell["rank"] for row in found.tables["ranks"] for cell in row.values() if "rank" in cell]
    assert set(ranks) == {1.5}


def test_comparison_ranks_models_and_gives_its_code():
    models = two()
    found = Page(cv.compare(models, categories=[0, 0.5, 1], progress=False).html)
    namespace = {"models": models}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(found.texts["code"], namespace)
    ranks = cv.rank_calibrators(namespace["ranked"], of="model")
    headings = found.headings["ranks"]
    for place, name in enumerate(RANKED, 1):
        assert headings[place].startswith(RANKED[name])
        for model in models:
            rank = ranks[name].sel(model=model).item() if name in ranks else None
            assert found.tables["ranks"][place][model].get("rank") == rank
    for name, row in (("ks", "KS"), ("brier", "Brier")):
        for method in ("none", "temperature", "spline"):
            value = namespace["after"][name].sel(model="dull", calibrator=method).item()
            assert found.number(f"ranks-{method}", row, "dull") == pytest.approx(value, abs=1e-12)
    noise = cv.evaluate(
        models, metrics="ks", calibrators=["none", "spline"], folds=5, rng=0, noise=True, progress=False
    )
    for method in ("none", "spline"):
        floor = noise.ks_noise.sel(model="dull", calibrator=method).item()
        assert found.at(f"ranks-{method}", "KS", "dull")["noise"] == pytest.approx(floor, abs=1e-12)


def test_six_models_are_compared_and_five_drawn_over_each_other():
    one = some()
    models = {f"m{i}": one.with_probs((1 - i / 10) * one.probs + i / 30) for i in range(6)}
    text = cv.compare(models, progress=False).html
    assert "The reliability diagram leaves out m5." in text
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
    monkeypatch.setattr(reports.report_page, "page_of", None)
    monkeypatch.setattr(reports.comparison_page, "page_of", None)
    with pytest.raises(error, match=said):
        cv.report(some(), path=path)
    with pytest.raises(error, match=said):
        cv.compare({"a": some(), "b": some(seed=2)}, path=path)
