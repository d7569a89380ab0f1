"""Work that is called off ends soon, says so by `Cancelled` alone, and leaves nothing half made."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

import calibviz as cv
from calibviz.answers.situation.engine import Engine
from calibviz.explorer.state.state import ExplorerState
from calibviz.foundation.arrays import BLOCK_ENTRIES
from calibviz.foundation.cancellation import Cancelled, cancellable, check, portion
from calibviz.recalibration.registry import CALIBRATORS

SAMPLES, CLASSES = 3000, 120
BLOCKS = -(-SAMPLES // 2 // (BLOCK_ENTRIES // CLASSES))  # of the half that calibrators are fitted to
MOST = 60  # checks of a fit that are looked at


def made(samples=SAMPLES, classes=CLASSES):
    rng = np.random.default_rng(0)
    logits = 2.0 * rng.normal(size=(samples, classes))
    labels = rng.integers(classes, size=samples)
    logits[np.arange(samples), labels] += 3.0
    probs = np.exp(logits)
    return cv.Predictions(probs / probs.sum(axis=1, keepdims=True), labels)


@pytest.fixture(scope="module")
def small():
    return made(400, 5)


class Counter:
    """Counts how often work asks, and ends it at the n-th time."""

    def __init__(self, most):
        self.most, self.count = most, 0

    def __call__(self, _done):
        self.count += 1
        if self.count >= self.most:
            raise Cancelled


def checks_of(work, most=10**9):
    """How often some work asks whether it was cancelled, up to the time at which it is."""
    counter = Counter(most)
    try:
        with cancellable(counter):
            work()
    except Cancelled:
        assert counter.count == most
    return counter.count


def test_nothing_is_asked_of_whom_nobody_can_cancel():
    check()
    check(0.5)
    with portion(0.0, 0.5):
        check(1.0)


def test_cancelling_is_no_error_that_could_be_handled():
    assert not issubclass(Cancelled, Exception)


def test_a_portion_of_work_counts_as_such():
    heard = []
    with cancellable(heard.append), portion(0.5, 1.0), portion(0.0, 0.5):
        check(0.0)
        check(0.5)
        check()
    check(0.9)
    assert heard == [0.5, 0.625, None]


def test_another_thread_is_not_asked():
    counter, ended = Counter(1), []
    with cancellable(counter):
        thread = threading.Thread(target=lambda: ended.append(check()))
        thread.start()
        thread.join()
    assert counter.count == 0 and ended == [None]


@pytest.mark.parametrize("name", CALIBRATORS)
def test_every_calibrator_asks_between_blocks_of_rows(name):
    predictions = made()
    engine = Engine(predictions)
    spec = ExplorerState(tuple(engine.models)).spec
    assert checks_of(lambda: engine.moved_now(spec, "model", name), MOST) >= 6 * BLOCKS


@pytest.mark.thorough
@pytest.mark.parametrize("name", CALIBRATORS)
def test_who_begins_again_gets_what_was_never_cancelled(name):
    def moved(engine):
        return engine.moved_now(spec, "model", name)[0].probs

    predictions = made(300, 4)
    cancelled, spec = Engine(predictions), ExplorerState(("model",)).spec
    whole = checks_of(lambda: moved(cancelled))
    cancelled = Engine(made(300, 4))
    for most in np.unique(np.geomspace(1, whole, 12).astype(int)):
        assert checks_of(lambda: moved(cancelled), int(most)) == most
        assert not cancelled._moved and not cancelled._notices
    np.testing.assert_array_equal(moved(cancelled), moved(Engine(predictions)))


@pytest.mark.parametrize(
    ("work", "least"),
    [
        (lambda p: cv.HistogramBinning(replicates=30).fit(cv.lens("top-1")(p)), 30),
        (lambda p: cv.Spline(bounded=True).fit(cv.lens("top-1")(p)), 1),
        (lambda p: cv.MetricTemperature().fit(p), 63),
        (lambda p: cv.MatrixScaling("cv").fit(p), 25),
        (lambda p: cv.OneVsRest(cv.Isotonic()).fit(p), 5),
        (lambda p: cv.ByRank(cv.Isotonic()).fit(p).transform(p), 10),
        (lambda p: cv.calibration_error(p, "full", binning=cv.KDTree(0.01)), 10),
        (lambda p: cv.evaluate(p, ["top-1", "full"], calibrators=["none", "platt"], calibration=0.5), 4),
        (lambda p: cv.sensitivity(p, replicates=20), 20),
        (lambda p: cv.bootstrap(p, error=cv.ks_error, replicates=20), 20),
        (lambda p: cv.simulate_errors("resnet110_c10", n=100, replicates=200), 1),
    ],
)
def test_long_work_asks_between_its_steps(work, least):
    assert checks_of(lambda: work(made(400, 5))) >= least
    with pytest.raises(Cancelled), cancellable(Counter(max(1, least // 2))):
        work(made(400, 5))


def test_a_tree_that_was_cut_short_grows_on(small):
    expected = cv.calibration_error(made(400, 5), "full", binning=cv.KDTree(0.01))
    for most in (1, 2, 5, 13, 40):
        checks_of(lambda: cv.calibration_error(small, "full", binning=cv.KDTree(0.01)), most)
    assert cv.calibration_error(small, "full", binning=cv.KDTree(0.01)) == expected


def test_progress_is_told_to_who_can_cancel(small):
    heard = []
    with cancellable(heard.append):
        cv.OneVsRest(cv.Isotonic()).recalibrate(small, small)
    told = [done for done in heard if done is not None]
    assert told == [0.0, 0.2, 0.4, 0.6, 0.8]
    assert all(first <= second for first, second in itertools.pairwise(told))
