"""Several threads that look at the same predictions and problems at once see what one alone sees."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import attrgetter

import numpy as np
import pytest

import calibviz as cv
from calibviz.context.induced import induced_problem
from calibviz.engine import kdtree
from calibviz.engine.deferred import reweighted
from calibviz.engine.kdtree import MOST_TOGETHER
from calibviz.foundation.cache import LEAST_SIZE, Cache, lazy_property

THREADS = 4
RNG = np.random.default_rng(3)
PROBS = RNG.dirichlet([0.4] * 8, 600).astype(np.float32)
LABELS = RNG.integers(0, 8, 600)
LENSES = ("top-1", "top-3", "rank 2", "within-top 3", "class 5", "full", "pooled", "top-1 by class", "grouping")
SURE = "confidence > 0.6"


@pytest.fixture(autouse=True)
def _frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def fresh():
    groups = {"low": range(4), "high": range(4, 8)}
    return cv.Predictions(PROBS, LABELS, groups=groups, fields={"place": np.arange(600)})


def together(calls):
    """What the calls return, each made in a thread of its own from the same moment on."""
    barrier = threading.Barrier(len(calls))

    def run(call):
        barrier.wait(timeout=120)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def bins_of(p, gamma, lens="full"):
    found = cv.KDTree(gamma)(induced_problem(p, lens))
    return [found.weight, found.score, found.target, found.count]


def same(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def looks():
    """Calls of a function of predictions, mixed: every one fills something that the others share."""
    out = [lambda p, r=r: p.ranking(r) for r in (1, 2, 6, 8)]
    for lens in LENSES:
        out.append(lambda p, lens=lens: cv.calibration_error(p, lens))
        out.append(lambda p, lens=lens: cv.calibration_error(p, lens, selection=SURE))
    for lens in ("top-1", "rank 2", "within-top 3"):
        out.append(lambda p, lens=lens: cv.ks_error(p, lens))
        out.append(lambda p, lens=lens: cv.kuiper_error(p, lens, "output < 0.7 or place > 300"))
        out.append(lambda p, lens=lens: cv.cumulative(p, lens).cumulative_target.values)
        out.append(lambda p, lens=lens: induced_problem(p, lens, SURE).order)
        out.append(lambda p, lens=lens: induced_problem(p, lens).above(0.4).order)
    for gamma in (0.5, 0.1, 0.02):
        out += [lambda p, gamma=gamma, lens=lens: bins_of(p, gamma, lens)[1] for lens in ("full", "top-1", "top-3")]
    out.append(lambda p: cv.calibration_error(p, "full", cv.KDTree(split="median", min_leaf=20)))
    return out


def several(p, calls):
    return [call(p) for call in calls]


def test_mixed_calls_find_what_one_thread_finds():
    calls = looks()
    expected = [call(fresh()) for call in calls]
    for seed in range(3):
        p = fresh()
        orders = [np.random.default_rng([seed, thread]).permutation(len(calls)) for thread in range(THREADS)]
        found = together([partial(several, p, [calls[i] for i in order]) for order in orders])
        for order, results in zip(orders, found, strict=True):
            same(results, [expected[i] for i in order])


def test_a_tree_that_several_threads_grow():
    gammas = (0.3, 0.1, 0.03, 0.01)
    expected = [bins_of(fresh(), gamma) for gamma in gammas]
    for _ in range(10):
        p = fresh()
        found = together([partial(bins_of, p, gamma) for gamma in gammas])
        for one, other in zip(found, expected, strict=True):
            same(one, other)


def orders(problems):
    return [problem.order for problem in problems]


def test_the_order_of_a_problem():
    whole = cv.ScalarProblem(PROBS[:50, 0], LABELS[:50] == 0)
    problems = [whole.above(0.01).above(0.02) for _ in range(200)]
    first, *others = together([partial(orders, problems)] * THREADS)
    for other in others:
        assert all(mine is theirs for mine, theirs in zip(other, first, strict=True))
    for order, problem in zip(first, problems, strict=True):
        np.testing.assert_array_equal(PROBS[order, 0], problem.score)


def test_orders_that_are_found_through_one_another():
    whole, keep = cv.ScalarProblem(PROBS[:, 0], LABELS == 0), np.arange(600) % 3 > 0
    above, meeting = whole.above(0.01), threading.Barrier(2)
    part, selection = reweighted(whole, keep).above(0.01), reweighted(above, keep[: len(above)])
    for problem in (part, above):  # that both threads get here shows that neither waits for the other

        def find(found=problem._find_order):
            meeting.wait(timeout=120)
            return found()

        problem._find_order = find
    found, other = together([partial(getattr, problem, "order") for problem in (part, selection)])
    np.testing.assert_array_equal(PROBS[found, 0], part.score)
    np.testing.assert_array_equal(PROBS[other, 0], selection.score)


def rankings(several, ranks):
    return [p.ranking(ranks) for p in several]


def test_narrow_and_wide_rankings():
    several = [cv.Predictions(PROBS[:20], LABELS[:20]) for _ in range(300)]
    expected = several[0].ranking(8)
    for found in together([partial(rankings, several, ranks) for ranks in (2, 8, 3, 7)]):
        for ranking in found:
            np.testing.assert_array_equal(ranking, expected[:, : ranking.shape[1]])
    assert {ranking.shape[1] for ranking in found} == {7}


def test_classes_of_a_family():
    probs = RNG.dirichlet(np.ones(100), 300)
    expected = cv.Classwise()(cv.Predictions(probs, LABELS[:300]))
    family = cv.Classwise()(cv.Predictions(probs, LABELS[:300]))

    def scores(step):
        return [family.outcome(c * step % 100).score for c in range(200)]

    for step, found in zip((1, 17, 53, 99), together([partial(scores, step) for step in (1, 17, 53, 99)]), strict=True):
        same(found, [expected.outcome(c * step % 100).score for c in range(200)])


def test_a_value_is_the_same_in_all_threads_and_none_waits():
    meeting = threading.Barrier(THREADS)

    class Lazy:
        @lazy_property
        def value(self):
            meeting.wait(timeout=120)  # all of them are making it
            return object()

    one = Lazy()
    assert len(set(together([lambda: one.value] * THREADS))) == 1
    assert isinstance(Lazy.value, lazy_property)
    meeting, cache = threading.Barrier(THREADS), Cache()

    def make():
        meeting.wait(timeout=120)
        return object()

    assert len(set(together([lambda: cache.get("key", make)] * THREADS))) == 1


def test_a_cache_that_is_full():
    cache = Cache(budget=3 * LEAST_SIZE)

    def use():
        return [cache.get(key % 7, lambda key=key: key % 7) == key % 7 for key in range(500)]

    assert all(map(all, together([use] * THREADS)))
    assert sum(key in cache for key in range(7)) == 3


def test_what_was_looked_at_can_be_pickled_and_copied():
    p = fresh()
    problems = [induced_problem(p, "full"), induced_problem(p, "top-1"), induced_problem(p, "top-1", SURE)]
    problems.append(problems[1].mapped(np.sqrt))
    for problem in problems:
        expected = cv.calibration_error(problem, binning=cv.KDTree(0.1))
        for other in (copy.copy(problem), copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
            assert cv.calibration_error(other, binning=cv.KDTree(0.1)) == expected
            np.testing.assert_array_equal(other.order, problem.order)
    for other in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert cv.ks_error(other) == cv.ks_error(p)


@pytest.mark.parametrize(("together", "slow"), [(0, "_Tree._weight_of"), (MOST_TOGETHER, "widest_of_many")])
def test_a_tree_whose_growth_was_interrupted(together, slow, monkeypatch):
    monkeypatch.setattr("calibviz.engine.kdtree._Tree.most_together", together)
    p, expected = fresh(), bins_of(fresh(), 0.02)
    coarse, before = bins_of(p, 0.5), bins_of(fresh(), 0.5)
    whole, left = attrgetter(slow)(kdtree), [3]

    def interrupted(*arguments):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(f"calibviz.engine.kdtree.{slow}", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bins_of(p, 0.02)
    same(coarse, before)
    same(bins_of(p, 0.5), before)
    same(bins_of(p, 0.02), expected)
