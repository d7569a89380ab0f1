"""The AUC by other routes, how often its interval holds, and scores that run backwards."""

from __future__ import annotations

import re

import numpy as np
import pytest
from driver import screen
from hypothesis import given, strategies as st
from report_pages import page
from scipy.special import ndtr, ndtri
from sklearn.metrics import roc_auc_score

import calibviz as cv
from calibviz.answers.first_screen.verdict_sentences import BACKWARDS
from calibviz.metrics.clinical import discrimination
from calibviz.metrics.clinical.discrimination import least_area, runs_backwards

ROWS = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 3)), min_size=4, max_size=40)


def parts(rows):
    score, target, weight = map(np.array, zip(*rows, strict=True))
    return score / 6, target, weight.astype(float)


def by_pairs(score, target):
    """The AUC and its standard error (DeLong et al. 1988, equations 3 to 5), from all pairs."""
    events, others = score[target], score[~target]
    psi = (events[:, None] > others) + 0.5 * (events[:, None] == others)
    with np.errstate(invalid="ignore", divide="ignore"):
        variances = [psi.mean(axis=axis).var(ddof=1) / psi.shape[1 - axis] for axis in (0, 1)]
    return psi.mean(), sum(variances) ** 0.5


@given(ROWS)
def test_it_is_the_share_of_pairs_in_order(rows):
    score, target, _ = parts(rows)
    found = cv.auc(cv.ScalarProblem(score, target))
    if target.all() or not target.any():
        assert np.isnan([found.estimate, found.lower, found.upper, found.z]).all()
        assert re.fullmatch("there is no (event|sample without the event): the AUC compares both", found.why_not)
        return
    assert (found.events, found.others) == (target.sum(), (~target).sum()) and not found.why_not
    assert found.estimate == pytest.approx(roc_auc_score(target, score))
    assert 0 <= found.lower <= found.estimate <= found.upper <= 1
    if 1 < target.sum() < len(target) - 1:
        area, error = by_pairs(score, target)
        assert (found.estimate, found.standard_error) == (pytest.approx(area), pytest.approx(error, abs=1e-9))


@given(ROWS)
def test_weights_repeat_rows_and_have_no_unit(rows):
    score, target, weight = parts(rows)
    if not weight.any():
        return
    times = weight.astype(int)
    found = cv.auc(cv.ScalarProblem(score, target, weight))
    repeated = cv.auc(cv.ScalarProblem(score.repeat(times), target.repeat(times)))
    for name in ("estimate", "lower", "upper", "standard_error", "events", "others"):
        assert getattr(found, name) == pytest.approx(getattr(repeated, name), abs=1e-12, nan_ok=True)
    fractions = weight * np.linspace(0.3, 1.7, len(weight))
    if target[weight > 0].any() and not target[weight > 0].all():
        some, tiny = (cv.auc(cv.ScalarProblem(score, target, fractions * unit)) for unit in (1.0, 1e-200))
        assert some.estimate == pytest.approx(roc_auc_score(target, score, sample_weight=fractions))
        assert (tiny.lower, tiny.upper) == (pytest.approx(some.lower), pytest.approx(some.upper))


@given(ROWS)
def test_rising_maps_leave_it_and_falling_ones_turn_it(rows):
    score, target, weight = parts(rows)
    if not weight.any():
        return
    here = cv.auc(cv.ScalarProblem(score, target, weight))
    risen = cv.auc(cv.ScalarProblem(score**3 / 2 + 0.1, target, weight))
    fallen = cv.auc(cv.ScalarProblem(1 - score, target, weight))
    for name in ("estimate", "lower", "upper"):
        assert getattr(risen, name) == pytest.approx(getattr(here, name), abs=1e-12, nan_ok=True)
    assert fallen.estimate == pytest.approx(1 - here.estimate, abs=1e-12, nan_ok=True)
    assert fallen.lower == pytest.approx(1 - here.upper, abs=1e-9, nan_ok=True)


def test_prevalence_does_not_matter():
    p = cv.load_dataset("tumours")["naive Bayes"]
    moved = cv.auc(p.at_prevalence(0.05))
    for name in ("estimate", "lower", "upper"):
        assert getattr(moved, name) == pytest.approx(getattr(cv.auc(p), name), abs=1e-12)


def test_perfect_order_is_as_sure_as_independent_pairs():
    found = cv.auc(cv.ScalarProblem(np.linspace(0, 1, 30), np.arange(30) >= 20))
    assert (found.estimate, found.upper, found.standard_error) == (1, 1, 0)
    assert found.lower == pytest.approx(0.025 ** (1 / 10))


def test_a_summary_of_weights_is_worth_what_its_samples_are():
    rng = np.random.default_rng(0)
    score = rng.integers(1, 20, 400) / 20
    p = cv.Predictions(score, (rng.random(400) < score).astype(int), weights=rng.exponential(1, 400))
    found, of_samples = vars(cv.auc(cv.summarize(p))), vars(cv.auc(p))
    assert found == pytest.approx(of_samples)


def test_cubes_families_summaries_and_soft_labels():
    p = cv.load_dataset("digits")["random forest"]
    table = cv.auc(p, "classwise")
    cube = cv.evaluate(p, ["classwise", "class 3"], metrics=["auc"])
    assert table.estimate.sel(outcome="3").item() == pytest.approx(cv.auc(p, "class 3").estimate)
    assert cube.auc.sel(lens="class 3").item() == pytest.approx(cv.auc(p, "class 3").estimate)
    summed = cv.auc(cv.summarize(p, "class 3"))
    assert summed.estimate == pytest.approx(cv.auc(p, "class 3").estimate, abs=1e-4)
    soft = cv.auc(cv.ScalarProblem(np.array([0.2, 0.6]), np.array([0.3, 0.9])))
    assert soft.estimate == pytest.approx((0.3 * 0.7 / 2 + 0.3 * 0 + 0.9 * 0.7 + 0.9 * 0.1 / 2) / (1.2 * 0.8))
    assert np.isnan([soft.lower, soft.upper, soft.standard_error]).all()
    pooled = cv.auc(p, "pooled")
    assert 0.5 < pooled.estimate < 1 and np.isnan([pooled.lower, pooled.upper, pooled.standard_error]).all()
    alone = cv.evaluate(cv.Predictions([0.2, 0.3], [1, 1]), "class 1", metrics=["auc"])
    assert np.isnan(alone.auc).all()


@pytest.mark.parametrize(
    ("events", "others", "area", "least"),
    [
        (50, 50, 0.9, 93),
        (200, 200, 0.75, 93),
        (10, 10, 0.9, 93),
        (5, 50, 0.9, 92),
        (10, 500, 0.8, 90),
        (1, 30, 0.8, 95),
    ],
)
def test_the_interval_holds_the_truth(events, others, area, least):
    rng, held = np.random.default_rng(0), 0
    for _ in range(600):
        score = ndtr(np.append(rng.normal(2**0.5 * ndtri(area), 1, events), rng.normal(0, 1, others)))
        found = cv.auc(cv.ScalarProblem(score, np.arange(events + others) < events))
        held += found.lower <= area <= found.upper
    assert held / 6 >= least


SHAPES = {
    "even": lambda rng, n: rng.random(n),
    "sure": lambda rng, n: rng.beta(0.3, 0.3, n),
    "rare": lambda rng, n: rng.beta(1, 99, n),
    "five values": lambda rng, n: rng.choice([0.1, 0.3, 0.5, 0.7, 0.9], n),
    "nearly one value": lambda rng, n: rng.normal(0.5, 0.005, n),
    "two near values": lambda rng, n: rng.choice([0.3, 0.31], n),
    "some 0 and 1": lambda rng, n: np.where(rng.random(n) < 0.3, rng.integers(0, 2, n), rng.random(n)),
}


@pytest.mark.parametrize("blocks", [2, 3, 1_000])
@given(ROWS)
def test_no_more_than_the_area_is_found_in_blocks(blocks, rows):
    score, target, weight = parts(rows)
    if not weight.any():
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discrimination, "MOST_BLOCKS", blocks)
        for given_weight in (None, weight, weight / 3):
            problem = cv.ScalarProblem(score, target, given_weight)
            least, area = least_area(problem), cv.auc(problem).estimate
            assert np.isnan(least) == np.isnan(area) and not least > area + 1e-12


@pytest.mark.parametrize("shape", SHAPES)
def test_calibrated_scores_do_not_run_backwards_and_reversed_ones_do(shape):
    rng, called, sets = np.random.default_rng(1), 0, 0
    for n in (15, 60, 300):
        for _ in range(400):
            score = SHAPES[shape](rng, n)
            called += runs_backwards(cv.ScalarProblem(score, rng.random(n) < score))
            sets += 1
    assert called <= 6  # of 1,200, where 2.4 are expected at the most: 0.2 %
    if "value" not in shape or shape == "five values":
        found = 0
        for _ in range(50):
            score = SHAPES[shape](rng, 3_000)
            found += runs_backwards(cv.ScalarProblem(1 - score, rng.random(3_000) < score))
        assert found >= 40, shape


def reversed_model(n=300, **more):
    rng = np.random.default_rng(2)
    score = rng.random(n)
    return cv.Predictions(1 - score, rng.random(n) < score, **more)


def test_a_slope_below_0_tells_what_the_z_does_not():
    rng = np.random.default_rng(5)
    score = rng.random(24)
    problems = [cv.ScalarProblem(1 - score, rng.random(24) < score) for _ in range(40)]
    by_slope = [p for p in problems if cv.auc(p).z > -3 and cv.calibration_slope(p).upper < 0]
    assert by_slope and all(map(runs_backwards, by_slope))


@pytest.mark.thorough
def test_verdicts_begin_with_it(few_replicates):
    p = reversed_model()
    explorer = cv.Explorer(p, calibration=reversed_model(100))
    assert screen(explorer).words.startswith(BACKWARDS)
    explorer.close_all()
    text = page(p, clinical=True)
    assert any(said.lstrip().startswith(BACKWARDS) for said in cv.report(p, progress=False).html.split('class="said">'))
    assert text.number("clinical", "AUC", "value") == pytest.approx(cv.auc(p).estimate)
    assert text.at("clinical", "AUC", "95 % interval")["lower"] == pytest.approx(cv.auc(p).lower)
    forwards = cv.Predictions(1 - p.probs[:, 1], p.labels)
    explorer = cv.Explorer(forwards, calibration=reversed_model(100))
    assert BACKWARDS not in screen(explorer).words and BACKWARDS not in cv.report(forwards, progress=False).html
    explorer.close_all()
