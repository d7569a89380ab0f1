"""Selections that look at the truth: labels of all rows are drawn, then it selects, then it is measured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import ndtr
from scipy.stats import binom

import calibviz as cv

TRUTH = [
    "label in [0, 2]",
    "label == 1",
    "correct == 1",
    "correct == 0 and confidence > 0.4",
    "label != 2 or site == 1",
]
LENSES = ["class 2", "top-1", "rank 2", "within-top 2"]


def drawn(n, seed, k=3, weights=None, sharpness=1.0):
    """Rows of probabilities, labels that are drawn from them (from blunter ones if sharpness < 1), and fields."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.full(k, 0.7), n)
    truth = probs**sharpness / (probs**sharpness).sum(axis=1, keepdims=True)
    labels = (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=k - 1)
    weight = {None: None, "whole": rng.integers(0, 4, n).astype(float), "parts": rng.integers(1, 9, n) / 4}[weights]
    fields = {"site": rng.integers(0, 3, n), "age": rng.random(n)}
    return cv.Predictions(probs, labels, weights=weight, fields=fields)


def result_of(p, **options):
    return cv.calibration_test(p, **{"replicates": 99, "progress": False} | options)


def numbers(found):
    return {name: value for name, value in vars(found).items() if value is not None}


def chances(p, lens, selection):
    """The score, the target and whether it is selected of each row, under its own label and under each other one."""
    n, k = p.probs.shape

    def under(labels):
        other = cv.Predictions(p.probs, labels, weights=None, fields=p.fields)
        problem = cv.lens(lens)(other)
        target, score = np.empty(n), np.empty(n)
        target[problem.order], score[problem.order] = problem.given_target, problem.score
        return score, target, cv.selection(selection).mask(other).astype(float)

    score, target, kept = under(p.labels)
    each = [under(np.full(n, label))[1:] for label in range(k)]
    chance = p.probs.astype(float)
    expected = sum(chance[:, i] * a * (t - score) for i, (t, a) in enumerate(each))
    variance = sum(chance[:, i] * a * (t - score) ** 2 for i, (t, a) in enumerate(each)) - expected**2
    share = sum(chance[:, i] * a for i, (_, a) in enumerate(each))
    hit = sum(chance[:, i] * a * t for i, (t, a) in enumerate(each))
    return score, target, kept, expected, variance, share, hit


# ---- what it is made of


@given(st.integers(0, 1000), st.sampled_from(LENSES), st.sampled_from(TRUTH), st.booleans())
@settings(max_examples=30)
def test_the_statistics_are_those_of_the_formulas(seed, lens, selection, weighted):
    p = drawn(40, seed, weights="parts" if weighted else None)
    score, target, kept, expected, variance, share, hit = chances(p, lens, selection)
    if not kept.any() or variance.sum() < 1e-9:
        return
    weight = np.ones(len(p)) if p.weights is None else p.weights
    residual = weight * (kept * (target - score) - expected)
    spread = np.sqrt((weight**2 * variance).sum())
    walk = np.append(0, residual[np.argsort(score)].cumsum())
    asked = {"lens": lens, "selection": selection}
    ks, kuiper, z = (test(p, **asked) for test in (cv.ks_test, cv.kuiper_test, cv.spiegelhalter_test))
    assert ks.ratio == pytest.approx(np.abs(walk).max() / spread, abs=1e-7)
    assert ks.statistic == pytest.approx(np.abs(walk).max() / (weight * kept).sum(), abs=1e-7)
    assert kuiper.ratio == pytest.approx(np.ptp(walk) / spread, abs=1e-7)
    tilt = 1 - 2 * score
    of_tilt = np.sqrt((weight**2 * variance * tilt**2).sum())
    assert z.statistic == pytest.approx((residual * tilt).sum() / of_tilt, abs=1e-6)
    found = result_of(p, **asked, replicates=1)
    assert (found.kuiper_ratio, found.gap_z) == pytest.approx((kuiper.ratio, residual.sum() / spread), abs=1e-7)
    assert found.expected == pytest.approx((weight * hit).sum() / (weight * share).sum())
    assert found.expected_predicted == pytest.approx((weight * share * score).sum() / (weight * share).sum())
    assert found.expected_share == pytest.approx((weight * share).sum() / weight.sum())
    own = weight * kept
    assert (found.predicted, found.observed) == pytest.approx((own @ score / own.sum(), own @ target / own.sum()))
    assert np.isnan(found.tilt_z) and found.tilt == 0


@given(
    st.integers(0, 1000),
    st.sampled_from(["confidence > 0.5", "site in [0, 2] and age < 0.8", "output < 0.6"]),
    st.sampled_from(["class 2", "top-1"]),
    st.sampled_from([None, "whole", "parts"]),
)
@settings(max_examples=25)
def test_a_selection_that_any_label_passes_is_no_other(seed, selection, lens, weights):
    """`label >= 0` looks at the truth, and every truth passes: all numbers are those of the selection without it."""
    p = drawn(80, seed, weights=weights)
    plain, looking = ({"lens": lens, "selection": text} for text in (selection, f"({selection}) and label >= 0"))
    for test in (cv.ks_test, cv.kuiper_test, cv.spiegelhalter_test):
        assert numbers(test(p, **looking)) == pytest.approx(numbers(test(p, **plain)), rel=1e-9, abs=1e-12)
    one, other = (numbers(result_of(p, **asked)) for asked in (looking, plain))
    assert np.isnan(one.pop("tilt_z"))
    assert one.pop("expected") == one.pop("expected_predicted") == pytest.approx(other["predicted"])
    assert 0 < one.pop("expected_share") == one.pop("share") <= 1
    del other["tilt_z"]
    assert one == pytest.approx(other, rel=1e-9, abs=1e-9)
    if weights != "whole":  # whose repetitions are drawn one by one, or together
        options = {"error": cv.ks_error, "replicates": 19, "progress": False}
        drawn_so = [cv.consistency(p, **asked, **options).replicates for asked in (looking, plain)]
        assert drawn_so[0] == pytest.approx(drawn_so[1], rel=1e-9)


@pytest.mark.parametrize("lens", ["top-1", "class 1"])
def test_certain_predictions_that_failed_are_no_noise(lens):
    """No label of any chance could select them, so no draw holds them; but the data do."""
    certain, likely = [[0.0, 1.0, 0.0]] * 20, [[0.98, 0.02, 0.0]] * 20
    p = cv.Predictions(np.array(certain + likely), np.zeros(40, int))
    found = cv.calibration_test(p, lens, selection="correct == 0")
    assert found.p_value < 1e-100 and found.impossible == 20
    assert found.kuiper_ratio == cv.kuiper_test(p, lens, selection="correct == 0").ratio


def test_where_no_sample_could_be_selected_nothing_is_expected():
    p = cv.Predictions([0.0] * 10 + [1.0] * 10, [0] * 9 + [1] + [1] * 10)
    assert cv.verdict(p, selection="correct == 0").sentence == (
        "Selected by what is true: a calibrated model would leave no sample here, and there is 1 sample (p < 0.001)."
    )


@given(st.integers(0, 1000), st.sampled_from(TRUTH), st.sampled_from([None, "whole", "parts"]))
@settings(max_examples=15)
def test_the_order_of_the_samples_does_not_matter(seed, selection, weights):
    p = drawn(60, seed, weights=weights)
    order = np.random.default_rng(seed).permutation(len(p))
    one, other = (result_of(q, lens="class 2", selection=selection) for q in (p, p.select(order)))
    assert numbers(one) == pytest.approx(numbers(other), rel=1e-9, abs=1e-9, nan_ok=True)


def test_whole_weights_are_repeated_rows():
    p = drawn(80, 1, weights="whole")
    rows = p.select(np.repeat(np.arange(len(p)), p.weights.astype(int)))
    rows = cv.Predictions(rows.probs, rows.labels, fields=rows.fields)
    asked = {"lens": "class 2", "selection": "label in [0, 2]"}
    assert numbers(result_of(p, **asked)) == pytest.approx(numbers(result_of(rows, **asked)), rel=1e-9, nan_ok=True)
    one, other = (cv.consistency(q, **asked, error=cv.ks_error, replicates=999, progress=False) for q in (p, rows))
    assert (one.estimate, one.mean) == pytest.approx((other.estimate, other.mean), rel=0.05)
    tables = [cv.segments(q, **asked, fields="site", minimum=20, replicates=0) for q in (p, rows)]
    assert tables[0].p_value.values == pytest.approx(tables[1].p_value.values, rel=1e-6)


# ---- its level, and what it finds


@pytest.mark.thorough
@pytest.mark.parametrize(("lens", "selection"), [("class 2", "label in [0, 2]"), ("top-1", "correct == 1")])
def test_a_calibrated_model_is_called_off_in_one_of_twenty_cases(lens, selection):
    sets, asked = 100, {"lens": lens, "selection": selection}
    several = [drawn(150, seed) for seed in range(sets)]
    most = binom.ppf(0.999, sets, 0.05)
    assert sum(result_of(p, **asked, rng=seed).shown for seed, p in enumerate(several)) <= most
    assert sum(cv.kuiper_test(p, **asked).p_value <= 0.05 for p in several) <= most
    options = {"error": cv.ks_error, "replicates": 99, "progress": False}
    assert sum(cv.consistency(p, **asked, **options).p_value <= 0.05 for p in several) <= most
    tables = [cv.segments(p, **asked, minimum=5, depth=1, replicates=99, progress=False) for p in several[:50]]
    assert sum(table.p_adjusted.min().item() <= 0.05 for table in tables) <= binom.ppf(0.999, 50, 0.05)


def test_too_sharp_probabilities_are_found():
    p = drawn(1000, 3, sharpness=0.5)
    for selection in ("label in [0, 2]", "correct == 1", "correct == 0"):
        assert result_of(p, lens="top-1", selection=selection).shown


@pytest.mark.parametrize(
    ("lens", "outcome"),
    [("class 2", None), ("top-1", None), ("full", None), ("full", 1), ("classwise", None), ("pooled", None)],
)
def test_what_calibrated_predictions_show_is_drawn_from_all_rows(lens, outcome):
    p, selection = drawn(200, 5), "label in [0, 2] and confidence > 0.4"
    found = cv.consistency(
        p, lens, selection=selection, outcome=outcome, error=cv.calibration_error, replicates=199, progress=False
    )
    rng, errors = np.random.default_rng(9), []
    for _ in range(199):
        labels = (p.probs.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1).clip(max=2)
        other = cv.Predictions(p.probs, labels)
        errors.append(cv.calibration_error(other, lens, selection=selection, outcome=outcome))
    assert found.mean == pytest.approx(np.mean(errors), abs=4 * np.std(errors) / np.sqrt(100))
    assert found.p_value > 0.01


def test_a_cube_says_what_a_calibrated_model_shows():
    p = drawn(300, 6)
    options = {"selections": {"some": "label in [0, 2]"}, "metrics": ["ece", "ks"], "bins": [10], "noise": True}
    cube = cv.evaluate({"model": p}, ["class 2", "classwise"], intervals=0.9, progress=False, **options).squeeze()
    assert (cube.ece_expected < cube.ece_noise).all() and (cube.ece_expected > 0.02).all()
    found = cv.consistency(
        p,
        "class 2",
        selection="label in [0, 2]",
        error=lambda q: cv.calibration_error(q, binning=cv.Uniform(10)),
        replicates=499,
        progress=False,
    )
    assert cube.ece_expected.sel(lens="class 2").item() == pytest.approx(found.mean)
    assert np.isnan(cube.ece_lower).all() and "the error of a calibrated model is not 0 there" in str(
        cube.ece_lower.attrs
    )
    assert cube.ece_expected.attrs["long_name"]


def test_trust_says_what_calibrated_predictions_show_and_nothing_of_a_true_curve():
    found = cv.trust(drawn(300, 7), "class 2", selection="label in [0, 2]", replicates=99, progress=False)
    assert 0.02 < found.if_calibrated < found.threshold and found.p_value > 0.01
    assert np.isnan([found.curve_error, found.bias, found.detectable]).all()
    assert str(found).endswith("The samples are selected by what is true, so no true error is fitted.")


def test_segments_are_of_the_gaps_beyond_those_of_a_calibrated_model():
    p = drawn(900, 8)
    asked = {"lens": "class 2", "selection": "label in [0, 2]", "minimum": 30, "replicates": 99, "progress": False}
    table = cv.segments(p, **asked)
    assert table.p_adjusted.min() > 0.05 and np.isnan(table.p_unlike).all() and np.isnan(table.unlike_score).all()
    everything = table.sel(segment="all samples")
    test = cv.kuiper_test(p, "class 2", selection="label in [0, 2]")
    assert everything.ratio.item() == pytest.approx(test.ratio) and everything.p_value.item() == pytest.approx(
        test.p_value
    )
    part = table.isel(segment=3)
    alone = cv.kuiper_test(p, "class 2", selection=part.selection.item())
    assert part.ratio.item() == pytest.approx(alone.ratio) and part.statistic.item() == pytest.approx(alone.statistic)
    there = cv.calibration_test(p, "class 2", selection=part.selection.item(), replicates=1)
    assert (part["count"].item(), part.target.item()) == (there.samples, pytest.approx(there.observed))
    labels = np.where((p.fields["site"] == 1) & (p.labels == 0), 2, p.labels)  # at one site, class 0 is called 2
    wrong = cv.segments(cv.Predictions(p.probs, labels, fields=p.fields), **asked)
    assert "site = 1" in wrong.segment.values[:3] and wrong.p_adjusted[0] <= 0.05
    assert cv.multicalibration_error(p, lens="class 2", selection="label in [0, 2]", minimum=30) < 0.1


def test_rare_segments_are_compared_with_their_variance_and_one_label_more():
    p = drawn(60, 9)
    asked = {"lens": "class 2", "selection": "label == 2", "minimum": 1, "depth": 1, "replicates": 0}
    table = cv.segments(p, fields="site", **asked).sel(segment="site = 1")
    score, target, kept, expected, variance, *_ = chances(p, "class 2", "label == 2")
    inside = p.fields["site"] == 1
    z = abs((kept * (target - score) - expected)[inside].sum()) / np.sqrt(variance[inside].sum() + 1)
    assert table.p_value.item() == pytest.approx(2 * (1 - ndtr(z)), rel=1e-6)


# ---- the ends


def test_a_draw_that_selects_nothing_has_no_error():
    probs = np.tile([0.97, 0.01, 0.02], (30, 1))
    p = cv.Predictions(probs, np.arange(30) % 30 == 0)
    for lens in ("class 0", "full", "classwise"):
        found = cv.consistency(p, lens, selection="label == 1", error=cv.calibration_error, replicates=200)
        assert ((found.replicates == 0).mean()) == pytest.approx(0.99**30, abs=0.12)


def test_labels_of_no_chance_are_counted_as_impossible():
    probs = np.array([[0.5, 0.5, 0.0]] * 20 + [[0.3, 0.3, 0.4]] * 20)
    labels = np.array([2] * 3 + [0] * 17 + [0, 1, 2, 2] * 5)
    p = cv.Predictions(probs, labels)
    assert result_of(p, lens="class 0", selection="label in [0, 2]").impossible == 3
    assert result_of(p, lens="class 2", selection="label in [0, 2]").impossible == 3
    only = cv.Predictions(probs[:20], labels[:20])
    found = result_of(only, lens="class 2", selection="label == 2")
    assert (found.p_value, found.impossible, found.samples) == (0, 3, 3)
    certain = result_of(cv.Predictions([[0.0, 1.0], [1.0, 0.0]], [1, 0]), lens="class 1", selection="correct == 1")
    assert (certain.p_value, certain.impossible, certain.kuiper_ratio) == (1, 0, 0)


# ---- what is refused

MESSAGE = "the selection looks at what is true: the error of a calibrated model is not 0 there, so no interval of the "


@pytest.mark.parametrize(
    "selection", ["label == 1", "correct == 1", "not (label in [0, 1])", "age > 0.5 or correct == 0"]
)
def test_intervals_are_refused(selection):
    p = drawn(100, 2)
    for function in (cv.interval, cv.sample_size):
        with pytest.raises(ValueError, match=MESSAGE):
            function(p, "class 2", selection=selection)
    spread = cv.bootstrap(p, error=lambda q: cv.ks_error(q, "class 2", selection=selection), replicates=20)
    assert spread.lower < spread.upper


def test_what_has_no_rows_that_are_distributions_is_refused():
    p = drawn(300, 4)
    asked = {"lens": "class 2", "selection": "label == 2"}
    with pytest.raises(ValueError, match="at what is true, and sums have lost the samples that it leaves out"):
        cv.kuiper_test(cv.summarize(p, **asked))
    with pytest.raises(ValueError, match="at what is true, and sums have lost"):
        cv.calibration_test(cv.summarize(p, **asked).predictions())
    with pytest.raises(ValueError, match="these labels are soft"):
        cv.ks_test(cv.Predictions(p.probs, p.probs[::-1]), "top-1", selection="correct == 1")
    with pytest.raises(ValueError, match="lens must not be 'pooled'"):
        cv.ks_test(p, "pooled", selection="label == 2")
    with pytest.raises(ValueError, match="it is made before recalibration"):
        cv.segments(p, **asked, calibrator=cv.Temperature().fit(p))
    options = {"selections": {"some": "label == 2"}, "metrics": ["ks"], "noise": True, "folds": 2, "progress": False}
    cube = cv.evaluate({"model": p}, ["class 2"], calibrators=["none", cv.Isotonic(), cv.Temperature()], **options)
    known = cube.ks_noise.squeeze().notnull().values
    assert known.tolist() == [True, False, True] and "moves the entries of a row one by one" in str(cube.ks_noise.attrs)


def test_a_calibrator_of_the_scores_of_two_classes_makes_rows():
    p = drawn(300, 4, k=2)
    options = {"selections": {"some": "correct == 1"}, "metrics": ["ks"], "noise": True, "folds": 2, "progress": False}
    cube = cv.evaluate({"model": p}, ["top-1"], calibrators=["none", cv.Platt()], **options).squeeze()
    assert (cube.ks_p_value > 0.01).all() and (cube.ks_expected > 0.02).all()


def test_parts_of_what_was_selected_are_not_tested():
    from calibviz.context.induced import induced_problem

    problem = induced_problem(drawn(100, 3), "class 2", "label == 2")
    with pytest.raises(ValueError, match="samples, labels or scores have changed since"):
        cv.kuiper_test(problem.above(0.2))
