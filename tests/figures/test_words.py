"""The reading in words: what it claims holds, and the numbers in it are the numbers given."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
from hypothesis import example, given, strategies as st
from samples import others, samples
from scipy.special import betaincinv
from scipy.stats import binom, norm

import calibviz as cv
from calibviz.figures.words import NOT_SHOWN, After, brier_change, reading, tilt
from calibviz.metrics.calibration_tests import ks_limit
from calibviz.uncertainty.bin_intervals import mean_interval

LARGEST_OF_BROWNIAN_MOTION = norm.ppf(1 - 0.05 / 4)  # the reflection principle

SOUND = {"ks": 0.01, "ks_limit": 0.02}
SURE = {"ks": 0.05, "ks_limit": 0.02}


# ---- the cases


@pytest.mark.parametrize(
    ("arguments", "more", "sentence"),
    [
        ((0.94, 0.89, (0.87, 0.91), 1000), SURE, "Over-confident: predicted 94 %, observed 89 %."),
        ((0.8, 0.85, (0.83, 0.87), 1000), SURE, "Under-confident: predicted 80 %, observed 85 %."),
        ((0.9432, 0.9398, (0.939, 0.9405), 9000), SURE, "Over-confident: predicted 94.3 %, observed 94.0 %."),
        (
            (0.94, 0.91, (0.88, 0.935), 400),
            SOUND,
            "Perhaps over-confident, if it is not noise: predicted 94 %, observed 91 %.",
        ),
        (
            (0.123, 0.101, (0.09, 0.11), 3000),
            {**SURE, "about_predicted": False},
            "Too high: predicted 12.3 %, observed 10.1 %.",
        ),
        (
            (0.05, 0.101, (0.09, 0.11), 3000),
            {**SURE, "about_predicted": False},
            "Too low: predicted 5 %, observed 10 %.",
        ),
        (
            (0.941, 0.931, (0.92, 0.95), 1000),
            SURE,
            "No error is shown overall (predicted 94 %, observed 93 %), but in parts: the cumulative curves are up to "
            "5 % apart, where noise reaches 2 %.",
        ),
        (
            (0.51, 0.5, (0.48, 0.52), 3000),
            {**SURE, "about_predicted": False, "tilted": lambda: 1},
            "Too extreme: less is observed at high scores than predicted, more at low ones (predicted 51 %, "
            "observed 50 %); the cumulative curves are up to 5 % apart, where noise reaches 2 %.",
        ),
        (
            (0.123, 0.101, (0.09, 0.11), 3000),
            {**SURE, "about_predicted": False, "tilted": lambda: 1},
            "Too high and too extreme: predicted 12.3 %, observed 10.1 %.",
        ),
        (
            (0.51, 0.5, (0.48, 0.52), 3000),
            {**SURE, "about_predicted": False, "tilted": lambda: -1},
            "Too cautious: more is observed at high scores than predicted, less at low ones (predicted 51 %, "
            "observed 50 %); the cumulative curves are up to 5 % apart, where noise reaches 2 %.",
        ),
        (
            (0.94, 0.93, (0.91, 0.95), 1200),
            SOUND,
            "No miscalibration is shown (predicted 94 %, observed 93 %): "
            "1,200 samples could hide a KS error up to about 3.0 %.",
        ),
        (
            (0.5, 0.5, (0.4, 0.6), 90),
            {"ks": 0.01, "ks_limit": 0.1, "about_predicted": False},
            "No miscalibration is shown (predicted and observed 50 %): "
            "90 samples could hide a KS error up to about 11 %.",
        ),
        (
            (1.0, 1.0, (0.9963, 1.0), 1000),
            {"ks": 0.0, "ks_limit": 0.0},
            "No miscalibration is shown (predicted and observed 100.0 %): "
            "1,000 samples could hide a KS error up to about 0.37 %.",
        ),
        ((0.94, 0.5, (0.3, 0.8), 12), SURE, "Only 12 samples: too few to tell (predicted 94 %, observed 50 %)."),
        ((0.94, 1, (0.025, 1), 1), SOUND, "Only 1 sample: too few to tell (predicted 94 %, observed 100 %)."),
        ((0.9999, 0.99, (0.98, 0.992), 900), SURE, "Over-confident: predicted 99.99 %, observed 99.00 %."),
        (
            (1 - 1e-12, 0.99, (0.98, 0.992), 900),
            SURE,
            "Over-confident: predicted over 99.999999 %, observed 99.000000 %.",
        ),
        ((1.0, 0.99, (0.98, 0.992), 900), SURE, "Over-confident: predicted 100.0 %, observed 99.0 %."),
    ],
)
def test_sentences(arguments, more, sentence):
    assert reading(*arguments, **more) == sentence


@pytest.mark.parametrize("about_predicted", [True, False])
def test_only_predicted_classes_can_be_right(about_predicted):
    sentence = reading(0.94, 0.89, (0.87, 0.91), 1000, about_predicted=about_predicted, **SURE)
    assert ("Over-confident" in sentence) == about_predicted != ("Too high" in sentence)


OVER = (0.94, 0.89, (0.87, 0.91), 1000)
EVEN = (0.9, 0.9, (0.88, 0.92), 1000)


@pytest.mark.parametrize(
    ("before", "after", "clause"),
    [
        ((OVER, 0.05), (0.90, 0.89, (0.87, 0.91), 0.015, 0.02), "leaves no error that these samples could show"),
        ((OVER, 0.05), (0.90, 0.89, (0.87, 0.91), 0.022, 0.02), "removes most of it"),
        ((OVER, 0.05), (0.925, 0.89, (0.87, 0.91), 0.04, 0.02), "removes some of it"),
        ((OVER, 0.10), (0.93, 0.89, (0.87, 0.91), 0.045, 0.02), "removes some of it"),
        ((OVER, 0.10), (0.94, 0.89, (0.87, 0.91), 0.05, 0.02), NOT_SHOWN),
        ((OVER, 0.10), (0.83, 0.89, (0.87, 0.91), 0.07, 0.02), NOT_SHOWN),
        ((OVER, 0.05), (0.94, 0.89, (0.87, 0.91), 0.05, 0.02), NOT_SHOWN),
        ((OVER, 0.05), (0.95, 0.89, (0.87, 0.91), 0.06, 0.02), "makes it worse"),
        ((EVEN, 0.05), (0.9, 0.9, (0.88, 0.92), 0.024, 0.02), "removes most of it"),
        ((EVEN, 0.05), (0.9, 0.9, (0.88, 0.92), 0.03, 0.02), "removes some of it"),
        ((EVEN, 0.05), (0.9, 0.9, (0.88, 0.92), 0.02, 0.02), "leaves no error that these samples could show"),
        ((EVEN, 0.05), (0.9, 0.9, (0.88, 0.92), 0.049, 0.05), NOT_SHOWN),
        ((EVEN, 0.01), (0.95, 0.9, (0.88, 0.92), 0.05, 0.02), "makes calibration worse"),
        ((EVEN, 0.01), (0.9, 0.9, (0.88, 0.92), 0.015, 0.02), ""),
        ((EVEN, 0.01), (0.9, 0.9, (0.88, 0.92), 0.001, 0.02), ""),
    ],
)
def test_recalibration(before, after, clause):
    arguments, ks = before
    plain = reading(*arguments, ks=ks, ks_limit=0.02)
    found = reading(*arguments, ks=ks, ks_limit=0.02, after=After("spline", *after))
    assert found == (f"{plain[:-1]}; the spline {clause}." if clause else plain)


@pytest.mark.parametrize(
    ("change", "after", "clause"),
    [
        ((-0.002, -0.001), (0.90, 0.89, (0.87, 0.91), 0.022, 0.02), "removes most of it"),
        ((-0.002, 0.001), (0.90, 0.89, (0.87, 0.91), 0.022, 0.02), NOT_SHOWN),
        ((-0.002, 0.001), (0.95, 0.89, (0.87, 0.91), 0.06, 0.02), NOT_SHOWN),
        ((0.001, 0.002), (0.95, 0.89, (0.87, 0.91), 0.06, 0.02), "makes it worse"),
        ((0.001, 0.002), (0.90, 0.89, (0.87, 0.91), 0.022, 0.02), NOT_SHOWN),
        ((-0.002, -0.001), (0.945, 0.89, (0.87, 0.91), 0.049, 0.02), "removes little of it"),
        ((-0.002, -0.001), (0.945, 0.89, (0.87, 0.91), 0.06, 0.02), "lowers the Brier score, but not the KS error"),
    ],
)
def test_better_and_worse_are_said_where_the_brier_score_shows_them(change, after, clause):
    found = reading(*OVER, ks=0.05, ks_limit=0.02, after=After("spline", *after, brier_change=change))
    assert found.endswith(f"; the spline {clause}.")


def test_the_change_of_the_brier_score_is_that_of_the_scores():
    rng = np.random.default_rng(0)
    score, weight = rng.random(500), rng.integers(1, 4, 500).astype(float)
    target = (rng.random(500) < score).astype(float)
    for weights in (None, weight):
        before, after = (
            cv.ScalarProblem(score, target, weights),
            cv.ScalarProblem(score[::-1] ** 2, target[::-1], weights),
        )
        assert brier_change(before, cv.ScalarProblem(score[:400], target[:400])) is None
        after = cv.ScalarProblem(score**2, target, weights)
        repeated = np.repeat(np.arange(500), 1 if weights is None else weight.astype(int))
        each = (score**2 - target) ** 2 - (score - target) ** 2
        low, high = brier_change(before, after)
        assert (low + high) / 2 == pytest.approx(each[repeated].mean(), abs=1e-12)
        assert (high - low) / 2 == pytest.approx(1.6449 * each[repeated].std() / np.sqrt(len(repeated)), rel=1e-9)


def test_few_repairs_of_no_use_are_said_to_help_or_to_harm():
    """A calibration error that a map turns round, from too high to just as much too low."""
    rng, said = np.random.default_rng(1), []
    for _ in range(300):
        chance = 0.2 + 0.6 * rng.random(1000)
        target = rng.random(1000) < chance
        before, after = cv.ScalarProblem(chance + 0.05, target), cv.ScalarProblem(chance - 0.05, target)
        sides = [
            {
                "mean_score": p.mean_score,
                "mean_target": p.mean_target,
                "interval": mean_interval(p),
                "count": 1000,
                "ks": cv.ks_error(p),
                "ks_limit": ks_limit(p),
            }
            for p in (before, after)
        ]
        later = After("map", **sides[1], brier_change=brier_change(before, after))
        said.append(reading(**sides[0], after=later).partition("; the map ")[2])
    false = np.mean([any(claim in one for claim in ("removes", "worse")) for one in said])
    assert false <= 0.1  # each side at 5 %
    assert np.mean([NOT_SHOWN in one for one in said]) > 0.4


@pytest.mark.parametrize(
    ("ks", "p_values", "after", "said"),
    [
        (
            0.01,
            {"ECE": 0.01, "ECE (sweep)": 0.3},
            None,
            "No error is shown overall (predicted 94 %, observed 93 %), but in bins: ECE (p = 0.01) beyond noise.",
        ),
        (0.01, {"ECE": 0.04, "ECE (sweep)": 0.3}, None, "No miscalibration is shown"),  # 1 of 2 at 4 % is noise
        (
            0.05,
            {"ECE": 0.2, "ECE (sweep)": 0.3},
            None,
            ", which bins do not show: ECE (p = 0.2), ECE (sweep) (p = 0.3).",
        ),
        (0.05, {"ECE": 0.01}, {"ECE": 0.4}, "; the spline leaves no error that these samples could show."),
        (0.05, {"ECE": 0.01}, {"ECE": 0.004}, "; the spline leaves errors in bins: ECE (p = 0.004) beyond noise."),
        (0.01, {"ECE": 0.4}, {"ECE": 0.004}, "; the spline makes errors in bins: ECE (p = 0.004) beyond noise."),
    ],
)
def test_the_line_says_where_errors_in_bins_disagree(ks, p_values, after, said):
    repaired = None if after is None else After("spline", 0.93, 0.93, (0.91, 0.95), 0.005, 0.02, 1200, after)
    line = reading(0.94, 0.93, (0.91, 0.95), 1200, ks=ks, ks_limit=0.02, p_values=p_values, after=repaired)
    assert said in line


def test_calibrated_models_are_told_to_miss_in_bins_in_5_percent_of_cases():
    """At 5 % for two errors together."""
    rng, warned, runs = np.random.default_rng(0), 0, 150
    for _ in range(runs):
        score = rng.beta(2, 1, 200)
        p = cv.Predictions(score, (rng.random(200) < score).astype(int))
        problem = cv.lens("class 1")(p)
        found = {
            str(bins): cv.consistency(
                problem,
                error=lambda q, bins=bins: cv.calibration_error(q, binning=bins),
                replicates=39,
                rng=None,
                progress=False,
            ).p_value
            for bins in (cv.Uniform(15), cv.EqualMass(10))
        }
        line = reading(0.7, 0.7, (0.6, 0.8), 200, about_predicted=False, ks=0.0, ks_limit=0.1, p_values=found)
        warned += "but in bins" in line
    assert warned <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize("name", ["resnet110_sd_c10", "resnet152_imagenet", "densenet161_imagenet"])
def test_what_so_many_samples_could_hide_is_more_than_the_true_error(name):
    """Said and wrong of at most one data set in twenty, on networks whose error 200 samples often do not show."""
    runs, wrong = 400, 0
    many = cv.simulated(name, 200_000, rng=0)
    score, chance = many.probs[:, 1], many.fields["truth"]
    truth = np.abs(np.cumsum((score - chance)[np.argsort(score)])).max() / len(score)
    for seed in range(1, runs + 1):
        problem = cv.lens("class right")(cv.simulated(name, 200, rng=seed))
        sides = {"ks": cv.ks_error(problem), "ks_limit": ks_limit(problem)}
        line = reading(problem.mean_score, problem.mean_target, mean_interval(problem), 200, **sides)
        found = re.search(r"could hide a KS error up to about ([\d.]+) %", line)
        wrong += found is not None and float(found[1]) / 100 < truth
    assert wrong <= binom.ppf(0.999, runs, 0.05)


# ---- any numbers

SHARES = st.one_of(
    st.floats(0, 1),
    st.integers(0, 1000).map(lambda k: k / 1000),
    st.sampled_from([0.0, 1.0, 1e-9, 1 - 1e-9, 5e-324, np.nextafter(1, 0), 0.5, np.nextafter(0.5, 1)]),
)


@st.composite
def sides(draw):
    """(mean_score, mean_target, interval, ks, ks_limit), with the mean in its interval."""
    score, target, ks, limit = (draw(SHARES) for _ in range(4))
    low, high = draw(SHARES), draw(SHARES)
    score = draw(st.sampled_from([score, score, target]))
    return score, target, (min(low, target), max(high, target)), ks, draw(st.sampled_from([limit, ks, limit / 50]))


COUNTS = st.one_of(st.integers(1, 60), st.integers(1, 10**9))


def shown(text):
    """The number that a percentage of a sentence stands for, and half a unit of its last digit."""
    digits = len(text.partition(".")[2])
    return float(text) / 100, 0.5000001 * 10.0 ** (-digits - 2)


@given(sides(), COUNTS, st.booleans(), st.none() | sides())
@example((1.0, np.nextafter(1, 0), (0.9, np.nextafter(1, 0)), 0.1, 0.01), 10**6, True, None)
@example((0.5, np.nextafter(0.5, 1), (0.5, 0.6), 0.1, 0.1 - 1e-17), 99, True, None)
@example((5e-324, 0.0, (0.0, 0.0), 5e-324, 0.0), 99, False, (0.0, 0.0, (0.0, 0.0), 0.0, 0.0))
def test_the_sentence_holds(side, count, about_predicted, after):
    score, target, (low, high), ks, limit = side
    later = None if after is None else After("spline", *after)
    text = reading(
        score, target, (low, high), count, about_predicted=about_predicted, ks=ks, ks_limit=limit, after=later
    )
    assert text.count("\n") == 0 and text.endswith(".") and not re.search(r"nan|inf\b|e-\d|  ", text)
    lower = text.lower()
    claims = [
        "only ",
        "over-confident",
        "too high",
        "under-confident",
        "too low",
        "no error is shown overall",
        "no miscalibration is shown",
    ]
    (claim,) = [claim for claim in claims if re.match(f"(perhaps )?{claim}", lower)]
    assert (claim == "only ") == (count < 30)
    in_curves = "cumulative curves" in text
    leaning = (
        in_curves and claim != "no error is shown overall"
    )  # the interval is unsure, the scores' own chance is not
    assert leaning <= (ks > limit and abs(score - target) > limit and text.startswith("Perhaps"))
    if claim in ("over-confident", "too high"):
        assert score > (target if leaning else high)
    if claim in ("under-confident", "too low"):
        assert score < (target if leaning else low)
    if claim == "no error is shown overall":
        assert ks > limit
    if claim == "no miscalibration is shown":
        assert ks <= limit + 1e-8
    if claim in ("no error is shown overall", "no miscalibration is shown"):
        assert low - 1e-8 <= score <= high + 1e-8
    assert text.startswith("Perhaps") <= (leaning or ks <= limit + 1e-8)
    assert ("confident" in lower) <= about_predicted

    numbers = re.findall(r"(over |under )?([\d.]+) %", text)
    values = [score, target] if ", observed " in text else [score]
    values += [ks, limit] if in_curves else []
    for (bound, number), value in zip(numbers, values, strict=False):
        found, slack = shown(number)
        if bound:
            assert value > found if bound == "over " else 0 < value < found
        else:
            assert abs(found - value) <= slack
            assert (found == 1) <= (value == 1) and (found == 0) <= (value == 0)
    if claim not in ("only ", "no error is shown overall", "no miscalibration is shown"):
        assert numbers[0] != numbers[1], "two different numbers read the same"

    if "; the spline " in text:
        later_score, later_target, (later_low, later_high), later_ks, later_limit = after
        clause = text.partition("; the spline ")[2].removesuffix(".")
        if clause == "leaves no error that these samples could show":
            assert later_ks <= later_limit + 1e-8 and later_low - 1e-8 <= later_score <= later_high + 1e-8
            assert later_ks < ks
        if clause == "removes most of it":
            assert later_ks <= ks / 2
            assert abs(later_score - later_target) <= max(abs(score - target), ks) / 2
        if clause == "removes some of it":
            assert later_ks < ks
        if "worse" in clause:
            assert later_ks > ks
        if clause == "makes calibration worse":
            assert claim == "no miscalibration is shown"


@given(sides(), COUNTS, st.floats(-0.002, 0.0))
@example((0.0, 0.0, (0.0, 0.0), 0.0, 0.0), 1, -0.0)
def test_a_little_beyond_0_and_1_reads_as_0_and_1(side, count, slack):
    _, target, interval, ks, limit = side
    for beyond, end in ((slack, 0.0), (1 - slack, 1.0)):
        more = {"ks": ks, "ks_limit": limit}
        assert reading(beyond, target, interval, count, **more) == reading(end, target, interval, count, **more)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_cannot_be_read(bad):
    good = dict(mean_score=0.5, mean_target=0.5, interval=(0.4, 0.6), count=50, ks=0.1, ks_limit=0.1)
    for name in ("mean_score", "mean_target", "ks", "ks_limit"):
        with pytest.raises(ValueError, match=f"{name} is {bad}: only a finite number"):
            reading(**{**good, name: bad})
    with pytest.raises(ValueError, match=f"high is {bad}: only a finite number"):
        reading(**{**good, "interval": (0.4, bad)})
    with pytest.raises(ValueError, match="count must be at least 1, not 0"):
        reading(**{**good, "count": 0})


def test_a_name_of_several_lines_stays_on_one():
    after = After("my\n spline", 0.89, 0.89, (0.87, 0.91), 0.01, 0.02)
    said = reading(*OVER, **SURE, after=after)
    assert said.endswith("; the my spline leaves no error that these samples could show.")


# ---- the limit of the KS error


def test_the_limit_is_the_quantile_of_the_largest_of_a_brownian_motion():
    x = 2 * ks_limit(cv.ScalarProblem([0.5], [1.0]))
    within = sum(
        4 / math.pi * (-1) ** k / (2 * k + 1) * math.exp(-((2 * k + 1) ** 2) * math.pi**2 / (8 * x**2))
        for k in range(20)
    )
    assert within == pytest.approx(0.95, abs=2e-5)
    assert x == pytest.approx(2.2414, abs=5e-5)


@given(samples(levels=(8, 64)))
def test_the_limit_is_its_formula(sample):
    score, target, weight = sample
    w = np.ones(len(score)) if weight is None else weight
    each = w if (w == np.floor(w)).all() else w**2
    expected = LARGEST_OF_BROWNIAN_MOTION * math.sqrt(sum(each * score * (1 - score))) / sum(w)
    problem = cv.ScalarProblem(score, target, weight)
    assert ks_limit(problem) == pytest.approx(expected, rel=1e-12)
    for other in others(score, target, weight):
        assert ks_limit(other) == pytest.approx(expected, rel=1e-12)
    if weight is not None and not problem.whole_weights:
        for unit in (1e-200, 0.3):
            assert ks_limit(cv.ScalarProblem(score, target, weight * unit)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("weights", ["none", "counts", "shares"])
def test_a_calibrated_model_exceeds_the_limit_in_5_percent_of_cases(weights):
    rng = np.random.default_rng(1)
    n, times = 2000, 2000
    score = np.sort(rng.beta(4, 1, n))
    weight = {"none": None, "counts": rng.integers(1, 4, n).astype(float), "shares": rng.random(n)}[weights]
    problem = cv.ScalarProblem(score, rng.random(n) < score, weight)
    limit = ks_limit(problem)
    if weights == "counts":
        score, weight = np.repeat(score, weight.astype(int)), None
    w = np.ones(len(score)) if weight is None else weight
    drawn = rng.random((times, len(score))) < score
    ks = np.abs(np.cumsum(w * (drawn - score), axis=1)).max(axis=1) / w.sum()
    assert 0.03 < (ks > limit).mean() < 0.06


def test_a_map_of_rare_events_is_seldom_said_to_help_by_the_luck_of_a_sample_without_any():
    """By the noise of so few targets alone, one of four calibrated sets would say that this map helps."""
    sets, helps = 300, 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        score = rng.beta(0.5, 20, 50)
        before = cv.ScalarProblem(score, rng.random(50) < score)
        _, high = brier_change(before, before.mapped(lambda s: s**1.5))
        helps += high < 0
    assert helps <= binom.ppf(0.999, sets, 0.05)


# ---- the interval of the mean


@given(samples(max_size=30))
def test_the_interval_is_clopper_pearson(sample):
    score, target, weight = sample
    problem = cv.ScalarProblem(score, target, weight)
    low, high = mean_interval(problem)
    trials = problem.effective_size
    hits = problem.mean_target * trials
    assert low <= problem.mean_target + 1e-12 and problem.mean_target - 1e-12 <= high
    if 1e-9 < hits < trials - 1e-9:
        assert low == pytest.approx(betaincinv(hits, trials - hits + 1, 0.025), abs=1e-9)
        assert high == pytest.approx(betaincinv(hits + 1, trials - hits, 0.975), abs=1e-9)
    for other in others(score, target, weight):
        assert mean_interval(other) == pytest.approx((low, high), abs=1e-9)


def test_a_problem_read_from_end_to_end():
    rng = np.random.default_rng(0)
    score = rng.uniform(0.5, 1.0, 4000)

    def read(chance):
        problem = cv.ScalarProblem(score, rng.random(4000) < chance)
        ks = float(np.abs(np.cumsum(problem.target - problem.score)).max() / 4000)
        return reading(
            problem.mean_score, problem.mean_target, mean_interval(problem), 4000, ks=ks, ks_limit=ks_limit(problem)
        )

    assert read(score).startswith("No miscalibration is shown (predicted 74.8 %, observed 74.9 %")
    assert read(score - 0.1).startswith("Over-confident: predicted 75 %, observed 64 %")
    assert read(score + 0.1 * (score < 0.9)).startswith("Under-confident: predicted 75 %, observed 82 %")
    assert read(1.5 - score).startswith("No error is shown overall (predicted 7")


def test_a_shift_that_only_the_scores_make_sure_is_no_fit():
    """Mean score 0.347, mean target 0.28: inside of the interval of 150 targets, beyond the chance of such scores."""
    text = reading(0.3467, 0.28, (0.21, 0.36), 150, about_predicted=False, ks=0.0667, ks_limit=0.048)
    assert text == (
        "Perhaps too high (predicted 35 %, observed 28 %): the cumulative curves are up to 6.7 % "
        "apart, where noise reaches 4.8 %."
    )
    uneven = reading(0.30, 0.28, (0.21, 0.36), 150, about_predicted=False, ks=0.0667, ks_limit=0.048)
    assert uneven.startswith("No error is shown overall")


# ---- too extreme, or too cautious


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_the_right_spread_are_hardly_ever_called_extreme_or_cautious(weighted):
    rng = np.random.default_rng(5)
    trials, found = 600, 0
    for _ in range(trials):
        truth = rng.beta(0.6, 2.0, 80)
        odds = truth / (1 - truth) * rng.choice([0.5, 1.0])  # what is too low on the whole is neither
        weight = rng.gamma(2.0, 1.0, 80) if weighted else None
        found += tilt(cv.ScalarProblem(odds / (1 + odds), rng.random(80) < truth, weight)) != 0
    assert found <= binom.ppf(0.999, trials, 0.05)


@pytest.mark.parametrize(("slope", "said"), [(0.5, 1), (2.0, -1)])
def test_scores_that_are_pulled_apart_are_extreme(slope, said):
    rng = np.random.default_rng(6)
    score = rng.beta(0.6, 0.6, 4000)
    truth = 1 / (1 + (1 / score - 1) ** slope)
    assert tilt(cv.ScalarProblem(score, rng.random(4000) < truth)) == said
    assert tilt(cv.ScalarProblem(score, rng.random(4000) < 0.5)) == 1


def test_labels_that_say_nothing_of_the_scores_make_these_too_extreme():
    rng = np.random.default_rng(7)
    text = cv.report(cv.Predictions(rng.beta(0.5, 0.5, 1500), rng.integers(2, size=1500)))._repr_html_()
    assert "Too high and too extreme: predicted 49.9 %" in text
