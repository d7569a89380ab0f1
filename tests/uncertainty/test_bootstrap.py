"""The bootstrap against a slow loop that repeats rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError
from calibviz.foundation.written import interval, number
from calibviz.uncertainty.resampling.bootstrap import drawn_weights, expanded_level

GROUPS = {"pets": ["cat", "dog"], "wild": ["eel", "fox"]}


def predictions(n=60, *, tied=False, soft=False, weights=None, seed=0):
    """Four classes, with a field; tied probabilities are sixteenths, so that their sums are exact."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet([0.6, 0.6, 0.6, 0.6], n)
    if tied:
        probs = np.array([rng.multinomial(16, row) for row in probs]) / 16
    labels = np.array([rng.choice(4, p=0.7 * row + 0.075) for row in probs])
    given = {"whole": rng.integers(0, 4, n), "fractional": rng.integers(0, 9, n) / 8 + 0.3 * (np.arange(n) % 2)}
    return cv.Predictions(
        probs,
        rng.dirichlet([1, 1, 1, 1], n) if soft else labels,
        weights=None if weights is None else given[weights],
        class_names=["cat", "dog", "eel", "fox"],
        groups=GROUPS,
        cluster=False,
        fields={"age": rng.integers(20, 60, n), "first": (np.arange(n) == 0).astype(int)},
    )


def repeated_rows(p, drawn):
    """Fresh predictions in which every row stands as often as it was drawn; fractional weights stay with their rows."""
    counts = p.weights is None or (p.weights == np.floor(p.weights)).all()
    times = drawn if counts else np.divide(drawn, p.weights, out=np.zeros(len(p)), where=p.weights > 0)
    rows = np.repeat(np.arange(len(p)), np.rint(times).astype(int))
    return cv.Predictions(
        p.probs[rows],
        (p.labels if p.soft_labels is None else p.soft_labels)[rows],
        weights=None if counts else p.weights[rows],
        class_names=p.class_names,
        groups=p.groups,
        cluster=False,
        fields={name: column[rows] for name, column in p.fields.items()},
    )


def by_hand(p, statistic, n, size=None, seed=0):
    """The replicates of a bootstrap, by repeating rows."""
    return [statistic(repeated_rows(p, w)) for w in drawn_weights(len(p), p.weights, n, size, seed)]


# ---- the bootstrap: the same draws, with rows repeated

STATISTICS = {
    "ks": lambda q: cv.ks_error(q),
    "ks, rank 2": lambda q: cv.ks_error(q, "rank 2"),
    "kuiper": lambda q: cv.kuiper_error(q, "within-top 2"),
    "uniform": lambda q: cv.calibration_error(q, binning=cv.Uniform(7)),
    "uniform, closed right": lambda q: cv.calibration_error(q, "class dog", binning=cv.Uniform(8, closed="right"), p=2),
    "equal-mass": lambda q: cv.calibration_error(q, "class cat", binning=cv.EqualMass(6)),
    "maximum": lambda q: cv.calibration_error(q, binning=cv.EqualMass(4), aggregate="max"),
    "sweep": lambda q: cv.calibration_error(q, binning=cv.Sweep()),
    "uniform sweep": lambda q: cv.calibration_error(q, "class cat", binning=cv.Sweep("uniform")),
    "sweep bins": lambda q: cv.sweep_bins(q),
    "k-d tree, full": lambda q: cv.calibration_error(q, "full", binning=cv.KDTree(0.2)),
    "k-d tree, top-2": lambda q: cv.calibration_error(q, "top-2", binning=cv.KDTree(0.3), distance=cv.Lp(2)),
    "k-d tree, scalar": lambda q: cv.calibration_error(q, "top-1", binning=cv.KDTree(0.1)),
    "cells": lambda q: cv.calibration_error(q, "grouping", binning=cv.Uniform(4)),
    "outcome": lambda q: cv.calibration_error(q, "full", binning=cv.EqualMass(5), outcome="eel"),
    "brier": lambda q: cv.brier_score(q),
    "log loss": lambda q: cv.log_loss(q.with_probs(0.9 * q.probs + 0.025)),
    "classwise": lambda q: cv.calibration_error(q, "classwise", binning=cv.EqualMass(5)),
    "classwise brier": lambda q: cv.brier_score(q, "classwise"),
    "top-1 by class": lambda q: cv.calibration_error(q, "top-1 by class", binning=cv.Uniform(5)),
    "top-1 by class, ks": lambda q: cv.ks_error(q, "top-1 by class"),
    "pooled": lambda q: cv.calibration_error(q, "pooled", binning=cv.EqualMass(9)),
    "pooled, ks": lambda q: cv.ks_error(q, "pooled"),
    "gce": lambda q: cv.GCE("adaptive", False, True, 0.01, "l2")(q, 5),
    "label-binned": lambda q: cv.label_binned_error(q, "class cat", binning=cv.EqualMass(5)),
    "smooth": lambda q: cv.smooth_error(q),
    "isotonic": lambda q: cv.corp(q).miscalibration,
    "accuracy": lambda q: cv.accuracy(q, k=2),
    "output": lambda q: cv.ks_error(q, "class cat", selection="output > 0.2"),
    "output of a vector lens": lambda q: cv.calibration_error(
        q, "full", binning=cv.Uniform(3), selection="output < 0.5"
    ),
    "field": lambda q: cv.calibration_error(q, binning=cv.EqualMass(5), selection="age >= 35"),
    "predicted": lambda q: cv.ks_error(q, "classwise", selection=cv.quantity("predicted").isin(["cat", "fox"])),
    "confidence": lambda q: cv.calibration_error(q, "full", binning=cv.KDTree(0.3), selection="confidence > 0.5"),
    "reliability": lambda q: cv.reliability(q, "top-1", binning=cv.EqualMass(3), selection="age < 50")["target"].values[
        1
    ],
}
COUNTED = {"debiased": lambda q: cv.debiased_error(q), "kde": lambda q: cv.kde_error(q)}  # they depend on how many rows
HARD = {"label": lambda q: cv.ks_error(q, "top-2", selection="label in ['cat', 'eel']", outcome="rest")}
KINDS = {
    "plain": {},
    "tied": {"tied": True},
    "whole weights": {"weights": "whole"},
    "fractional weights": {"weights": "fractional"},
    "soft": {"soft": True},
    "all": {"tied": True, "soft": True, "weights": "fractional"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_slow_loop(kind):
    p = predictions(**KINDS[kind])
    found = dict(STATISTICS)
    if "soft" not in KINDS[kind]:
        found |= HARD
        if KINDS[kind].get("weights") != "fractional":
            found |= COUNTED
    before = {name: statistic(p) for name, statistic in found.items()}
    given = p.weights
    for name, statistic in found.items():
        one = cv.bootstrap(p, error=statistic, replicates=4, rng=3, progress=False)
        assert one.estimate == before[name], name
        assert one.replicates == pytest.approx(by_hand(p, statistic, 4, seed=3), abs=1e-12), name
    assert p.weights is given
    assert {name: statistic(p) for name, statistic in found.items()} == before


@pytest.mark.parametrize("weights", [None, "whole"])
def test_the_median_tree_too(weights):
    p = predictions(weights=weights)

    def statistic(q):
        return cv.calibration_error(q, "full", binning=cv.KDTree(split="median", min_leaf=6))

    found = cv.bootstrap(p, error=statistic, replicates=4, progress=False)
    assert found.replicates == pytest.approx(by_hand(p, statistic, 4), abs=1e-12)


def test_float32_and_problems_that_were_looked_at_before():
    rng = np.random.default_rng(5)
    probs = rng.dirichlet([1, 1, 1], 50).astype(np.float32)
    p = cv.Predictions(probs, rng.integers(0, 3, 50))
    for lens, binning in (("top-1", cv.EqualMass(5)), ("full", cv.KDTree(0.2)), ("classwise", cv.Uniform(5))):
        cv.bootstrap(
            p,
            error=lambda q, lens=lens, b=binning: cv.calibration_error(q, lens, binning=b),
            replicates=2,
            progress=False,
        )

        def statistic(q, lens=lens, binning=binning):
            return cv.calibration_error(q, lens, binning=binning)

        again = cv.bootstrap(p, error=statistic, replicates=3, progress=False)
        assert again.replicates == pytest.approx(by_hand(p, statistic, 3), abs=1e-12)


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize("lens", ["top-1", "full", "pooled"])
def test_a_problem_is_resampled_as_predictions_are(lens, weights):
    problem = cv.lens(lens)(predictions(weights=weights, tied=True))
    statistics = [cv.ks_error, lambda q: cv.calibration_error(q, binning=cv.EqualMass(5)), lambda q: q.total]
    if lens == "full":
        statistics = [lambda q: cv.calibration_error(q, binning=cv.KDTree(0.2)), lambda q: q.total]
    draws = list(drawn_weights(len(problem), problem.given_weight, 5, 40, 1))
    for statistic in statistics:
        found = cv.bootstrap(problem, error=statistic, replicates=5, size=40, rng=1, progress=False)
        for replicate, drawn in zip(found.replicates, draws, strict=True):
            times = np.rint(drawn / problem.weight if weights == "fractional" else drawn).astype(int)
            weight = np.repeat(problem.weight, times) if weights == "fractional" else None
            target = problem.given_target if problem.is_scalar else problem.target
            columns = np.repeat(problem.score, times, axis=0), np.repeat(target, times, axis=0)
            other = (cv.ScalarProblem if problem.is_scalar else cv.VectorProblem)(*columns, weight)
            assert replicate == pytest.approx(statistic(other), abs=1e-12)


def test_draws():
    p = predictions()
    draws = np.array(list(drawn_weights(60, None, 400)))
    assert (draws.sum(axis=1) == 60).all()
    assert draws.mean(axis=0) == pytest.approx(1, abs=0.3)
    assert draws.var() == pytest.approx(1 - 1 / 60, abs=0.05)  # of a multinomial count
    whole = predictions(weights="whole")
    counts = np.array(list(drawn_weights(60, whole.weights, 400)))
    assert (counts.sum(axis=1) == whole.weights.sum()).all()
    assert counts.mean(axis=0) == pytest.approx(whole.weights, abs=0.4)
    for size in (1, 25, 200):
        for one in (p, whole):
            found = cv.bootstrap(
                one, error=lambda q: cv.lens("top-1")(q).total, replicates=3, size=size, progress=False
            )
            assert (found.replicates == size).all()
    spread = [cv.bootstrap(p, error=cv.brier_score, replicates=200, size=m, progress=False).std for m in (20, 80, 320)]
    assert spread[0] / spread[1] == pytest.approx(2, rel=0.3)
    assert spread[1] / spread[2] == pytest.approx(2, rel=0.3)


def test_the_seed_and_the_statistic_do_not_know_each_other():
    p = predictions()
    first, again, other = (cv.bootstrap(p, error=cv.ks_error, replicates=20, rng=s, progress=False) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.replicates, again.replicates)
    assert (first.replicates != other.replicates).any()
    error = cv.bootstrap(p, error=cv.kuiper_error, replicates=20, rng=1, progress=False)
    assert (error.replicates >= first.replicates - 1e-12).all()  # on the same draws, so it holds for each
    unseeded = [
        cv.bootstrap(p, error=cv.ks_error, replicates=20, rng=None, progress=False).replicates for _ in range(2)
    ]
    assert (unseeded[0] != unseeded[1]).any()


def test_what_is_told_of_the_replicates():
    p = predictions()
    for level in (0.5, 0.9):
        found = cv.bootstrap(p, error=cv.ks_error, replicates=50, level=level, progress=False)
        ends = np.quantile(found.replicates, [(1 - level) / 2, (1 + level) / 2])
        assert (found.lower, found.upper) == pytest.approx(ends)
        assert (found.mean, found.std) == pytest.approx((found.replicates.mean(), found.replicates.std()))
        assert found.estimate == cv.ks_error(p)
        assert found.level == level
    said = f"{number(found.estimate)}, 90 % interval {interval(found.lower, found.upper, '')}, 50 replicates"
    assert repr(found) == f"<Bootstrap {said}>"


@pytest.mark.parametrize(
    "weights", [None, np.full(80, 3.0), np.full(80, 0.5), np.r_[np.full(20, 10.5), np.full(60, 1e-3)]]
)
def test_percentiles_are_expanded_for_less_than_100_samples_by_their_worth(weights):
    rng = np.random.default_rng(1)
    p = cv.Predictions(rng.random(80), rng.random(80) < 0.5, weights=weights)
    problem = cv.lens("class 1")(p)
    for judged in (p, problem):
        for error in (cv.brier_score, cv.log_loss, lambda q: cv.calibration_in_the_large(q)):
            found = cv.bootstrap(judged, error=error, replicates=200, progress=False)
            few = problem.effective_size < 100
            assert found.share == pytest.approx(expanded_level(problem.effective_size) if few else 0.95)
            ends = np.quantile(found.replicates, [(1 - found.share) / 2, (1 + found.share) / 2])
            assert (found.lower, found.upper) == pytest.approx(tuple(ends))
        for error in (cv.ks_error, cv.calibration_error):  # which are no means
            assert cv.bootstrap(judged, error=error, replicates=20, progress=False).share == 0.95


@pytest.mark.thorough
def test_the_interval_of_a_mean_of_few_samples_holds_it():
    """By the percentiles of 95 % themselves 91 to 92 % did."""
    sets, n, held, plain = 400, 15, 0, 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        score = 0.2 + 0.6 * rng.random(n)
        problem = cv.ScalarProblem(score, rng.random(n) < score)
        found = cv.bootstrap(problem, error=cv.brier_score, replicates=300, rng=seed, progress=False)
        truth = 0.25 - 0.36 / 12  # the mean of s (1 - s)
        held += found.lower <= truth <= found.upper
        low, high = np.quantile(found.replicates, [0.025, 0.975])
        plain += low <= truth <= high
    assert held >= binom.ppf(0.001, sets, 0.94) and plain < held


@pytest.mark.parametrize("lens", ["top-1", "full", "top-1 by class", "classwise", "pooled"])
def test_replicates_without_a_sample_are_nan(lens):
    p = predictions()
    found = cv.bootstrap(
        p, error=lambda q: cv.calibration_error(q, lens, selection="first == 1"), replicates=60, progress=False
    )
    without = np.array([w[0] == 0 for w in drawn_weights(60, None, 60)])
    assert 0 < without.sum() < 60
    np.testing.assert_array_equal(np.isnan(found.replicates), without)
    kept = found.replicates[~without]
    assert found.mean == pytest.approx(kept.mean())
    assert found.std == pytest.approx(kept.std())
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(kept, [0.05, 0.95])))
    with pytest.raises(EmptyProblemError):
        cv.bootstrap(p, error=lambda q: cv.calibration_error(q, lens, selection="first > 1"), progress=False)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"replicates": 0}, ValueError, "replicates must be at least 1, not 0"),
        ({"replicates": 2.5}, TypeError, "replicates must be a whole number, not 2.5"),
        ({"level": 1}, ValueError, "level must lie strictly between 0 and 1, not be 1"),
        ({"size": 0}, ValueError, "size must be at least 1, not 0"),
        ({"error": "ks"}, TypeError, "error must be a function such as cv.ks_error, not 'ks'"),
        ({"error": lambda q: cv.ks_error(q, "rank 9")}, ValueError, "'rank 9' needs at least 9 classes"),
    ],
)
def test_messages_of_the_bootstrap(arguments, error, message):
    with pytest.raises(error, match=message):
        cv.bootstrap(**{"predictions": predictions(), "error": cv.ks_error, "progress": False} | arguments)


def test_a_family_is_not_resampled_by_itself():
    family = cv.lens("classwise")(predictions())
    with pytest.raises(ValueError, match=r"a family of problems cannot be resampled by itself: pass cv\.Predictions"):
        cv.bootstrap(family, error=cv.ks_error, progress=False)
