"""The samples as they would count at another prevalence (label shift)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import calibviz as cv
from calibviz.context.induced import scalar_problem
from calibviz.metrics.calibration_tests import ks_limit
from calibviz.reports import report


def binary(n=400, seed=0, **given):
    rng = np.random.default_rng(seed)
    score = rng.beta(2, 3, n)
    return cv.Predictions(score, (rng.random(n) < score**1.5).astype(int), **given)


def three(n=300, seed=0, **given):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, 3))
    return cv.Predictions(labels=np.argmax(logits + rng.gumbel(size=(n, 3)), axis=1), logits=logits, **given)


def shares(p):
    return np.bincount(p.labels, p.weights, p.n_classes) / p.weights.sum()


@pytest.mark.parametrize("weights", [None, "whole", "parts"])
@pytest.mark.parametrize("shift", [False, True])
def test_the_net_benefit_is_that_at_a_prevalence(weights, shift):
    given = {"whole": 1 + np.arange(400) % 3, "parts": (2 + np.arange(400) % 5) / 4}.get(weights)
    p = binary(weights=given)
    for share, at in ((0.1, 0.2), (0.6, 0.5), (0.9, 0.05)):
        there = cv.net_benefit(p, threshold=at, prevalence=share, shift=shift)
        assert cv.net_benefit(p.at_prevalence(share, shift), threshold=at) == pytest.approx(there, abs=1e-12)


def test_the_net_benefit_of_soft_labels_is_that_at_a_prevalence():
    rng = np.random.default_rng(1)
    score, soft = rng.random(200), rng.random(200)
    p = cv.Predictions(score, np.column_stack([1 - soft, soft]))
    there = cv.net_benefit(p, threshold=0.3, prevalence=0.2)
    assert cv.net_benefit(p.at_prevalence(0.2), threshold=0.3) == pytest.approx(there)
    assert cv.lens("class 1")(p.at_prevalence(0.2)).mean_target == pytest.approx(0.2)


def test_classes_have_the_shares_that_were_asked_for_and_the_whole_weighs_the_same():
    p, wanted = three(), [0.2, 0.5, 0.3]
    there = p.at_prevalence(wanted)
    np.testing.assert_allclose(shares(there), wanted)
    assert there.weights.sum() == pytest.approx(len(p))
    assert there.probs is not p.probs and (there.probs == p.probs).all()
    assert there.about["prevalence"] == "0 20 %, 1 50 %, 2 30 %; probabilities as they were"
    back = there.at_prevalence(np.bincount(p.labels, minlength=3) / len(p))
    np.testing.assert_allclose(back.weights, 1.0)
    np.testing.assert_allclose(there.select(np.arange(50)).squared_weights, there.squared_weights[:50])


def test_moved_probabilities_are_those_of_bayes_and_logits_agree_with_them():
    p, wanted = three(), np.array([0.2, 0.5, 0.3])
    there = p.at_prevalence(wanted, shift=True)
    times = wanted / (np.bincount(p.labels) / len(p))
    np.testing.assert_allclose(there.probs, p.probs * times / (p.probs * times).sum(axis=1, keepdims=True))
    again = cv.Predictions(labels=p.labels, logits=there.logits)
    np.testing.assert_allclose(again.probs, there.probs)
    exact = cv.Predictions([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [0, 1, 0]).at_prevalence(0.5, shift=True)
    np.testing.assert_array_equal(exact.probs[:2], np.eye(2))


GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "dependence.json"
TRAINED = (
    [r for r in json.loads(GOLDEN.read_text())["records"] if r["call"] == "trained_at"] if GOLDEN.is_file() else []
)


@pytest.mark.skipif(not TRAINED, reason="the golden values are not on this machine")
@pytest.mark.parametrize("index", range(len(TRAINED)))
def test_moved_from_the_shares_of_the_training_they_are_those_of_another_program(index):
    record = TRAINED[index]
    p = cv.Predictions(record["inline"]["probs"], record["inline"]["labels"])
    args = dict(record["args"])
    there = p.at_prevalence(args.pop("prevalence"), shift=True, **args)
    np.testing.assert_allclose(there.probs, record["value"]["probs"], atol=1e-9)


def test_an_under_sampled_training_set_is_undone():
    """Where a tenth of the others was kept for training, odds are a tenth of those told (Elkan 2001)."""
    rng = np.random.default_rng(3)
    score = rng.beta(1, 6, 20_000)
    hit = rng.random(20_000) < score
    kept = 0.1
    inflated = score / (score + kept * (1 - score))
    share = hit.mean()
    trained = share / (share + kept * (1 - share))
    p = cv.Predictions(inflated, hit.astype(int))
    assert cv.ks_error(p) > 0.1
    there = p.at_prevalence(share, shift=True, trained_at=trained)
    np.testing.assert_allclose(there.probs[:, 1], score, atol=1e-12)
    np.testing.assert_allclose(there.weights, 1)
    again = cv.Predictions(labels=p.labels, logits=np.log(p.probs)).at_prevalence(
        share, True, trained_at=[1 - trained, trained]
    )
    np.testing.assert_allclose(cv.Predictions(labels=p.labels, logits=again.logits).probs, there.probs, atol=1e-12)
    said = f"probabilities moved to it from 0 {100 * (1 - trained):.4g} %, 1 {100 * trained:.4g} %"
    assert there.about["prevalence"].endswith(said)
    for at in (0.1, 0.3):
        benefit = cv.net_benefit(p, threshold=at, prevalence=share, shift=True, trained_at=trained)
        assert benefit == pytest.approx(cv.net_benefit(there, threshold=at), abs=1e-12)
        table = cv.decision_curve(p, thresholds=[at], prevalence=share, shift=True, trained_at=trained)
        assert table.net_benefit.sel(strategy="model").item() == pytest.approx(benefit)


UNMOVED = "the samples already have these shares: this moves nothing"


@pytest.mark.parametrize(
    "move",
    [
        lambda p, share: p.at_prevalence(share, shift=True),
        lambda p, share: p.at_prevalence([1 - share, share], shift=True),
        lambda p, share: cv.net_benefit(p, threshold=0.2, prevalence=share, shift=True),
        lambda p, share: cv.decision_curve(p, prevalence=share, shift=True, replicates=3),
    ],
)
def test_a_shift_that_moves_nothing_is_said(move):
    p = binary()
    with pytest.warns(UserWarning, match=UNMOVED) as heard:
        move(p, p.labels.mean())
    assert len(heard) == 1 and heard[0].filename == __file__
    move(p, 0.1)  # without a warning


def test_the_samples_of_such_a_population_say_the_same():
    """Drawing samples of each class to those shares, instead of weighting, gives the same errors but for noise."""
    p = binary(200_000)
    ones, zeros = np.flatnonzero(p.labels == 1), np.flatnonzero(p.labels == 0)
    drawn = p.select(np.concatenate([ones[: len(zeros) // 9], zeros]))
    there = p.at_prevalence(0.1)
    for error in (cv.calibration_error, cv.ks_error, cv.brier_score):
        assert error(there, lens="class 1") == pytest.approx(error(drawn, lens="class 1"), abs=0.004)
        assert abs(error(there, lens="class 1") - error(p, lens="class 1")) > 0.01


@pytest.mark.parametrize(("a", "b", "share"), [(1, 30, 0.3), (2, 2, 0.1)])
def test_tests_keep_their_level_at_another_prevalence(a, b, share):
    alarms, sets = np.zeros(4), 200
    for i in range(sets):
        rng = np.random.default_rng((i, 8))
        score = rng.beta(a, b, 500)
        there = cv.Predictions(score, (rng.random(500) < score).astype(int)).at_prevalence(share, shift=True)
        tests = (cv.ks_test(there), cv.kuiper_test(there), cv.spiegelhalter_test(there), cv.ks_test(there, "top-1"))
        alarms += [one.p_value <= 0.05 for one in tests]
    assert (alarms <= binom.ppf(0.999, sets, 0.05)).all() and (alarms >= binom.ppf(0.001, sets, 0.05)).all()


def test_with_several_classes_the_tests_miss_more_rather_than_cry_wolf():
    alarms = 0
    for i in range(60):
        p = three(seed=i).at_prevalence([0.1, 0.2, 0.7], shift=True)
        alarms += cv.ks_test(p, "top-1").p_value <= 0.05
    assert alarms <= binom.ppf(0.999, 60, 0.05)


def test_the_words_and_the_band_rest_on_the_same_variance():
    p = binary()
    there = p.at_prevalence(0.1)
    score = there.probs[:, 1].astype(float)
    pi = p.labels.mean()
    spread = np.sqrt((0.1 / pi) * (0.9 / (1 - pi)) * (score * (1 - score)).sum()) / len(p)
    assert ks_limit(scalar_problem(there, "class 1")) == pytest.approx(2.2414027 * spread, rel=1e-4)
    times = np.arange(len(p)) % 3 + 1.0
    twice = scalar_problem(there.reweighted(there.weights * times), "class 1")
    assert ks_limit(twice) > ks_limit(scalar_problem(there, "class 1"))


FOLLOWING = "at a chosen prevalence weights follow the labels, so that noise cannot be simulated"


@pytest.mark.parametrize(
    "draw",
    [
        lambda p: cv.consistency(p, error=cv.ks_error, lens="top-1", replicates=2),
        lambda p: cv.consistency(p, error=cv.ks_error, lens="top-1", selection="confidence > 0.6", replicates=2),
        lambda p: cv.consistency(p, error=lambda q: cv.calibration_error(q), lens="classwise", replicates=2),
        lambda p: cv.consistency(p, error=lambda q: cv.calibration_error(q), lens="full", replicates=2),
        lambda p: cv.trust(p, replicates=19),
        lambda p: cv.interval(p),
        lambda p: cv.sample_size(p, n=50),
        lambda p: cv.segments(p, "top-1", fields=["age"]),
        lambda p: cv.ks_test(p, "classwise"),
        lambda p: cv.reliability(p, "top-1", interval="consistency"),
    ],
)
def test_what_draws_labels_anew_refuses_weights_that_follow_them(draw):
    there = binary(fields={"age": np.arange(400)}).at_prevalence(0.1)
    with pytest.raises(ValueError, match=FOLLOWING):
        draw(there)


def test_what_is_refused_there_leads_to_a_test_that_is_not():
    there = three().at_prevalence([0.2, 0.5, 0.3])
    for refused in (cv.trust, cv.calibration_test, lambda p: cv.consistency(p, error=cv.ks_error)):
        with pytest.raises(
            ValueError, match=r": cv\.ks_test is a test that knows them, and cv\.bootstrap shows the spread$"
        ):
            refused(there)
    assert 0 < cv.ks_test(there).p_value < 1


@pytest.mark.parametrize("lens", ["class 1", "class 0"])
def test_labels_are_drawn_as_they_were_sampled(lens):
    """Slowly: labels are drawn at the shares of the samples, and then each is weighted by its class."""
    p = binary(150)
    there = p.at_prevalence(0.1)
    found = cv.calibration_test(there, lens, replicates=999, progress=False)
    factor = np.array([0.9, 0.1]) * len(p) / np.bincount(p.labels)
    odds = there.probs / factor
    chance = odds[:, 1] / odds.sum(axis=1)
    labels = np.concatenate([p.labels[None], np.random.default_rng(3).random((999, len(p))) < chance]).astype(int)
    score = there.probs[:, int(lens[-1])].astype(float)
    gaps = factor[labels] * ((labels == int(lens[-1])) - score)
    walk = np.cumsum(gaps[:, np.argsort(score, kind="stable")], axis=1)
    spread = np.sqrt(factor.prod() * (score * (1 - score)).sum())
    assert found.gap_z == pytest.approx(walk[0, -1] / spread)
    assert found.kuiper_ratio == pytest.approx((max(walk[0].max(), 0) - min(walk[0].min(), 0)) / spread)
    assert np.std(walk[1:, -1]) == pytest.approx(spread, rel=0.1) and abs(walk[1:, -1].mean()) < spread / 8
    share = (np.abs(walk[:, -1]) >= np.abs(walk[0, -1]) * (1 - 1e-9)).mean()
    assert found.gap_p_value == pytest.approx(share, abs=0.06)


def test_segments_of_scores_that_are_moved_along_are_those_of_the_scores_as_they_were():
    """w (t - s) is v (t - h): h are the scores before, and v are weights that no label changes."""
    p = binary(fields={"age": np.arange(400), "site": np.repeat(list("abcd"), 100)})
    there = p.at_prevalence(0.1, shift=True)
    odd, even = 0.1 / p.labels.mean(), 0.9 / (1 - p.labels.mean())
    score = there.probs[:, 1].astype(float)
    before = p.reweighted(odd * (1 - score) + even * score)
    found, same = (cv.segments(each, replicates=99, progress=False) for each in (there, before))
    same = same.reindex_like(found)
    for name in ("p_value", "p_adjusted", "ratio"):
        np.testing.assert_allclose(found[name], same[name], rtol=1e-5, atol=1e-9, err_msg=name)
    whole = found.isel(segment=np.flatnonzero(found.n_fields.values == 0))
    assert whole.unlike_score.item() == pytest.approx(whole.target.item(), abs=0.02)  # of the curve, at the prevalence


def test_scores_that_are_moved_along_keep_the_level_of_their_test():
    rng = np.random.default_rng(4)
    found = []
    for _ in range(150):
        score = rng.beta(2, 2, 200)
        p = cv.Predictions(score, (rng.random(200) < score).astype(int)).at_prevalence(0.1, shift=True)
        found.append(cv.calibration_test(p, replicates=99, progress=False).p_value)
    assert np.sum(np.array(found) <= 0.05) <= binom.ppf(0.999, 150, 0.05)
    assert np.median(found) == pytest.approx(0.5, abs=0.15)


def test_the_verdict_says_what_is_shown_at_another_prevalence():
    p = cv.load_dataset("heart")["logistic regression"]
    as_they_were = cv.verdict(p.at_prevalence(0.2), progress=False)
    assert str(as_they_were).startswith("Too high: predicted 38 of 100, observed 20 (920 people")
    assert "trained_at" in as_they_were.sentence
    moved = cv.verdict(p.at_prevalence(0.2, shift=True), progress=False)
    assert str(moved).startswith("Over all, no error shows: predicted 19 of 100, observed 20 (920 people")
    assert "\nIn Zurich and Basel predicted 39, observed 74 (123 people)." in str(moved)
    page = report(p.at_prevalence(0.2, shift=True), progress=False).html.replace("&nbsp;", " ")
    assert "Over all, no error shows" in page


@pytest.mark.parametrize(
    ("make", "lens"),
    [
        (lambda: three().at_prevalence([0.2, 0.5, 0.3]), "class 1"),
        (lambda: binary(weights=1.0 + np.arange(400) % 3).at_prevalence(0.1), "class 1"),
        (lambda: binary(weights=0.5 + np.arange(400) % 3).at_prevalence(0.1), "class 1"),
        (lambda: binary().at_prevalence(0.1), "classwise"),
        (lambda: binary().at_prevalence(0.1), "top-1"),
        (lambda: binary(cluster=np.arange(400) // 4).at_prevalence(0.1), "class 1"),
    ],
)
def test_where_one_label_has_several_weights_none_is_drawn(make, lens):
    with pytest.raises(ValueError, match=FOLLOWING):
        cv.calibration_test(make(), lens, progress=False)


@pytest.mark.parametrize("shift", [False, True])
def test_the_noise_of_an_error_is_that_of_its_test(shift):
    there = binary().at_prevalence(0.4, shift)
    drawn, walked = cv.consistency(there, error=cv.ks_error, replicates=999, progress=False), cv.ks_test(there)
    assert drawn.estimate == pytest.approx(walked.statistic)
    assert drawn.p_value == pytest.approx(walked.p_value, abs=0.04)


def test_the_cube_and_the_report_measure_it_and_say_what_is_missing():
    there = binary().at_prevalence(0.1)
    cube = cv.evaluate(
        there, metrics=["ks", "ece"], lenses=["class 1", "top-1"], noise=True, replicates=5, progress=False
    )
    assert cube.ks.sel(lens="class 1").item() == pytest.approx(cv.ks_error(there, "class 1"))
    assert np.isfinite(cube.ks_noise.sel(lens="class 1")) and np.isnan(cube.ks_noise.sel(lens="top-1"))
    assert FOLLOWING in cube.ks_noise.attrs["unavailable"]
    for lens in ("class 1", "top-1"):
        page = report(there, lens=lens, progress=False).html.replace("&nbsp;", " ")
        assert "weighted to 0 90 %, 1 10 %; probabilities as they were" in page
        assert (FOLLOWING in page) == (lens == "top-1")


@pytest.mark.parametrize(
    ("make", "prevalence", "kind", "message"),
    [
        (binary, 0.0, ValueError, "prevalence must lie strictly between 0 and 1"),
        (binary, "0.1", TypeError, "prevalence must be a number"),
        (three, 0.1, ValueError, r"prevalence must have shape \(3,\), a share for each of the classes '0', '1', '2'"),
        (three, [0.5, 0.5], ValueError, r"prevalence must have shape \(3,\).* not \(2,\)"),
        (three, [0.5, 0.5, 0.0], ValueError, r"prevalence\[2\] is 0.*every class needs a share above 0"),
        (three, [0.5, 0.5, 0.5], ValueError, "prevalence adds up to 1.5, not to 1"),
        (lambda: cv.Predictions([0.2, 0.4], [0, 0]), 0.1, ValueError, "no sample of the class '1' is there"),
    ],
)
def test_refusals(make, prevalence, kind, message):
    with pytest.raises(kind, match=message):
        make().at_prevalence(prevalence)


def test_shares_of_the_training_need_a_shift():
    p = three()
    for call in (
        lambda: p.at_prevalence([0.2, 0.3, 0.5], trained_at=[0.2, 0.3, 0.5]),
        lambda: cv.net_benefit(p, threshold=0.2, prevalence=0.1, trained_at=0.5),
    ):
        with pytest.raises(ValueError, match=r"trained_at says which shares .*: pass shift=True as well"):
            call()
    with pytest.raises(ValueError, match=r"trained_at must have shape \(3,\)"):
        p.at_prevalence([0.2, 0.3, 0.5], shift=True, trained_at=0.5)
    with pytest.raises(ValueError, match=r"trained_at\[0\] is 0.*every class needs a share above 0"):
        p.at_prevalence([0.2, 0.3, 0.5], shift=True, trained_at=[0, 0.5, 0.5])


def test_weights_that_follow_the_labels_are_said():
    """Controls that stand for many: tests keep their level by `at_prevalence`, and by no weights that are passed."""
    s = np.tile([0.1, 0.3, 0.6, 0.8], 30)
    y = np.tile([0, 1, 0, 1, 1, 0], 20)
    by_label = np.where(y == 1, 1.0, 18.5)
    said = r"the weights follow the labels \('0': 18.5, '1': 1\).*give the shares of the classes to at_prevalence"
    with pytest.warns(UserWarning, match=said):
        cv.Predictions(s, y, weights=by_label)
    with pytest.warns(UserWarning, match=said):
        cv.Predictions(s, y).reweighted(by_label)
    three_classes = np.tile(np.eye(3)[[0, 1, 2]] * 0.7 + 0.1, (40, 1))
    with pytest.warns(UserWarning, match=r"\('0': 2, '1': 1, '2': 1\)"):
        cv.Predictions(three_classes, np.tile([0, 1, 2], 40), weights=np.tile([2, 1, 1], 40))


@pytest.mark.parametrize("rows", [slice(None), slice(12)])
def test_other_weights_are_not_taken_to_follow_the_labels(rows):
    s, y = np.tile([0.1, 0.3, 0.6, 0.8], 30)[rows], np.tile([0, 1, 0, 1, 1, 0], 20)[rows]
    other = np.where(y == 1, 1.0, 18.5)
    if len(y) > 12:  # one that is unlike is enough
        other[3] = 2.0
    assert cv.Predictions(s, y, weights=other).squared_weights is None
    assert cv.Predictions(s, y, weights=np.full(len(y), 3.0)).weights.sum() == 3 * len(y)
