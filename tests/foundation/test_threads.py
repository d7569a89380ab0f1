"""Rows that several processors work on: the same results and errors, whatever the number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import calibviz as cv
from calibviz.foundation import arrays, cancellation, threads
from calibviz.foundation.arrays import over_rows

ROWS, COLUMNS = 60_000, 50  # more entries than two threads need


@pytest.fixture(params=[1, 2, 3, 7])
def several(request, monkeypatch):
    monkeypatch.setenv("CALIBVIZ_NUM_THREADS", str(request.param))
    monkeypatch.setattr(arrays, "ENTRIES_OF_A_THREAD", 1 << 18)
    return request.param


def test_each_row_is_worked_on_once_and_by_no_more_threads(several):
    seen, by = np.zeros(ROWS, dtype=int), set()

    def work(block):
        seen[block] += 1
        by.add(threading.get_ident())
        time.sleep(0.001)

    over_rows(work, ROWS, COLUMNS)
    assert (seen == 1).all() and len(by) <= several and (len(by) > 1) == (several > 1)


def test_a_thread_of_another_pool_works_alone(several):
    by = set()
    with threads.alone():
        threads.in_turn(lambda _: by.add(threading.get_ident()), 9, 9)
    assert by == {threading.get_ident()}
    threads.in_turn(lambda _: (by.add(threading.get_ident()), time.sleep(0.001)), 9, 9)
    assert (len(by) > 1) == (several > 1)


def test_results_are_those_of_one_thread(several):
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(COLUMNS), ROWS).astype(np.float32)
    probs[5] = probs[ROWS - 1] = 1 / COLUMNS  # ties go to the first class
    p = cv.Predictions(probs, rng.integers(0, COLUMNS, ROWS))
    np.testing.assert_array_equal(p.predicted, probs.argmax(axis=1))
    np.testing.assert_array_equal(p.confidence, probs.max(axis=1))


def test_the_first_bad_row_is_named(several):
    probs = np.full((ROWS, COLUMNS), 1 / COLUMNS)
    for row in (ROWS - 3, 40_000, ROWS // 2 + 1, 7):
        probs[row, 3] = np.nan
        with pytest.raises(ValueError, match=rf"probs\[{row}, 3\] is nan"):
            cv.Predictions(probs, np.zeros(ROWS, dtype=int))


def test_the_calling_thread_can_be_cancelled_and_no_other_thread_goes_on(several):
    running = []

    def work(_block):
        running.append(1)
        time.sleep(0.001)
        running.pop()

    def check(_done):
        assert threading.current_thread() is here
        raise cancellation.Cancelled

    here = threading.current_thread()
    with cancellation.cancellable(check), pytest.raises(cancellation.Cancelled):
        over_rows(work, ROWS, COLUMNS)
    assert running == []


def test_other_threads_end_soon_after_the_calling_one_is_cancelled(several):
    done = []

    def work(item):
        time.sleep(0.002)
        done.append(item)

    def check(_done):
        if len(done) > 10:
            raise cancellation.Cancelled

    with cancellation.cancellable(check), pytest.raises(cancellation.Cancelled):
        threads.in_turn(work, 2000, several)
    assert len(done) < 200  # all others in their threads would be most of them


def test_threads_inside_of_threads_wait_for_nobody(several):
    sums = np.zeros((8, ROWS), dtype=int)

    def work(item):
        over_rows(lambda block: np.add.at(sums[item], np.arange(block.start, block.stop), 1), ROWS, COLUMNS)

    threads.in_turn(work, len(sums), several)
    assert (sums == 1).all()


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_few_wide_rows_are_summed(several, rows):
    values = np.ones((rows, 1 << 21))
    [total] = arrays.summed_over_rows(lambda block: (values[block].sum(axis=0),), *values.shape)
    assert (total == rows).all()


def test_the_calling_thread_does_all_where_no_other_can_be_started(several, monkeypatch):
    def refused(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads.ThreadPoolExecutor, "submit", refused)
    test_each_row_is_worked_on_once_and_by_no_more_threads(1)
    test_the_first_bad_row_is_named(several)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"OMP_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "3", "CALIBVIZ_NUM_THREADS": "2"}, 2),
        ({"CALIBVIZ_NUM_THREADS": "0"}, 1),
        ({"OMP_NUM_THREADS": "many"}, None),
        ({}, None),
    ],
)
def test_a_setting_limits_the_threads(monkeypatch, settings, expected):
    for name in threads.SETTINGS:
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    assert threads.workers() == (expected or 4)


FORKED = """
import os
import numpy as np
from calibviz.foundation import arrays
arrays.ENTRIES_OF_A_THREAD = 1 << 10
def run():
    seen = np.zeros(3000, dtype=int)
    def work(block):
        seen[block] += 1
    arrays.over_rows(work, 3000, 50)
    assert (seen == 1).all()
run()
child = os.fork()
run()
if child:
    _, status = os.waitpid(child, 0)
    os._exit(status)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork on this system")
def test_a_process_that_was_forked_has_threads_of_its_own():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], timeout=60, check=False)
    assert done.returncode == 0


def test_a_mean_over_many_rows_does_not_depend_on_the_threads_of_blas():
    means = """if True:
        import numpy as np, calibviz as cv
        rng = np.random.default_rng(0)
        p = cv.Predictions(rng.random(200_001), rng.integers(2, size=200_001), weights=rng.random(200_001))
        print(repr([cv.brier_score(p, "class 1"), cv.log_loss(p, "class 1"), cv.accuracy(p)]))"""
    said = [
        subprocess.run(
            [sys.executable, "-c", means],
            env={**os.environ, "OPENBLAS_NUM_THREADS": number},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in ("1", "2")
    ]
    assert said[0] == said[1]
