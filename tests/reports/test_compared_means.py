"""All differences of a page that compares models are told apart together, by one maximum."""

from __future__ import annotations

import re

import numpy as np
import pytest
from report_pages import Page

import calibviz as cv
from calibviz.answers.situation.paired_change import losses_of, told_apart
from calibviz.engine.clustered import Clusters

CAPTION = "In bold: told apart at 5 % for all differences on this page together"
BOLD = re.compile(r'<data [^>]*class="bold"')


def drawn(models=4, n=300, seed=0, **options):
    """Noisy views of the same probabilities, equally good."""
    rng = np.random.default_rng(seed)
    z = 1.5 * rng.normal(size=n)
    labels = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    scores = [1 / (1 + np.exp(-(z + 0.7 * rng.normal(size=n)))) for _ in range(models)]
    return [cv.Predictions(score, labels, **options) for score in scores]


def values_of(several):
    return [losses_of(cv.lens("class 1")(p), p.top_target, 0.3) for p in several]


def test_the_values_are_those_whose_means_are_the_numbers():
    for p in drawn(2):
        accuracy, score, brier, log, benefit = losses_of(cv.lens("class 1")(p), p.top_target, 0.3).mean(axis=1)
        assert accuracy == pytest.approx(cv.accuracy(p)) and score == pytest.approx(p.probs[:, 1].mean())
        assert brier == pytest.approx(cv.brier_score(p, "class 1"))
        assert log == pytest.approx(cv.log_loss(p, "class 1"))
        assert benefit == pytest.approx(cv.net_benefit(p, "class 1", threshold=0.3))


def test_two_models_and_one_number_are_a_test_of_one_mean():
    """The largest of one |z| is beyond 1.96 in one of 20 draws, up to their number."""
    values = np.random.default_rng(0).normal(size=(2, 1, 400))
    spread = (values[1] - values[0]).std(ddof=1) / 20
    for z, is_told in ((1.7, False), (2.25, True)):
        values[1] += z * spread - (values[1] - values[0]).mean()
        assert told_apart(list(values), np.ones(400), 400)[0, 1, 0] == is_told


def test_more_differences_ask_for_more_of_each_and_order_and_repetitions_do_not_matter():
    several = values_of(drawn(4))
    told = told_apart(several, np.ones(300), 300)
    assert (told == told.transpose(1, 0, 2)).all() and not told[np.arange(4), np.arange(4)].any()
    few = told_apart(several[:2], np.ones(300), 300)
    assert (few[0, 1] | ~told[0, 1]).all()
    weights = np.random.default_rng(1).integers(1, 4, 300).astype(float)
    repeated = [np.repeat(value, weights.astype(int), axis=1) for value in several]
    np.testing.assert_array_equal(
        told_apart(several, weights, weights.sum()), told_apart(repeated, np.ones(int(weights.sum())), weights.sum())
    )


def test_equal_models_and_infinite_losses_are_told_apart_by_nothing_else():
    one, other = values_of(drawn(2))
    assert not told_apart([one, one.copy()], np.ones(300), 300).any()
    other[3, 0] = np.inf
    assert not told_apart([one, other], np.ones(300), 300)[..., 3].any()
    shifted = one + 1e-3 * np.arange(300)[None]
    assert told_apart([one, shifted], np.ones(300), 300)[0, 1].all()


def test_equally_good_models_are_seldom_in_bold():
    sets = 40
    bold = sum(told_apart(values_of(drawn(4, 200, seed)), np.ones(200), 200).any() for seed in range(sets))
    assert bold <= 6  # of 40, where 5 % are 2; each difference by itself is bold in half of the sets


def test_a_page_says_what_bold_means_and_marks_what_is_told_apart():
    a, b = drawn(2, 800)
    worse = b.with_probs(b.probs[::-1].copy())
    page = cv.compare({"a": a, "b": b, "worse": worse}, threshold=0.3, progress=False).html
    assert Page(page).text.count(CAPTION) == 2  # below the differences and below the net benefits
    assert len(BOLD.findall(page)) >= 4
    same = cv.compare({"a": a, "again": a}, threshold=0.3, progress=False).html
    assert CAPTION in Page(same).text and not BOLD.search(same)


def test_clusters_have_one_multiplier_each():
    rng = np.random.default_rng(0)
    code = np.repeat(np.arange(40), 10)
    own = Clusters.of_rows(code, None)
    each = Clusters.of_rows(np.arange(400), None)
    sets, of_clusters, of_rows = 100, 0, 0
    for _ in range(sets):
        values = [np.repeat(rng.normal(size=(5, 40)), 10, axis=1) + rng.normal(size=(5, 400)) for _ in range(2)]
        of_clusters += told_apart(values, np.ones(400), 400, clusters=own).any()
        of_rows += told_apart(values, np.ones(400), 400).any()
        alone = told_apart(values, np.ones(400), 400, clusters=each)
        assert (alone == told_apart(values, np.ones(400), 400)).mean() > 0.9
    assert of_clusters <= 12 and of_rows >= 30
    few = Clusters.of_rows(np.arange(400) % 5, None)
    assert not told_apart([values[0], values[0] + 1 + values[1] / 10], np.ones(400), 400, clusters=few).any()
