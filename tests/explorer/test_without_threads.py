"""Where no thread can be started, as in a browser: the event loop makes the steps of slow work, one a turn."""

from __future__ import annotations

import asyncio
import threading
import time

import numpy as np
import pytest
from driver import screen, threads, until

import calibviz as cv
from calibviz.answers.situation import jobs as jobs_module
from calibviz.answers.situation.jobs import Jobs
from calibviz.explorer import Explorer
from calibviz.explorer.view.page import live


@pytest.fixture(autouse=True)
def without_threads(monkeypatch):
    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    monkeypatch.setattr(live, "UNSEEN", 0.0)


def counted(n, made, pause=0.005):
    for i in range(n):
        time.sleep(pause)
        made.append(i)
        yield (i + 1) / n, i


def test_the_loop_has_a_turn_after_each_step(monkeypatch):
    monkeypatch.setattr(jobs_module, "REPORT_EVERY", 0.01)

    async def work():
        seen, made = [], []
        jobs = Jobs(lambda: seen.append(len(made)))
        job = jobs.get("one", "one", lambda: counted(20, made))
        jobs.start(after=0.0)
        turns = []
        while not job.done:
            turns.append(len(made))
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        assert set(turns) >= set(range(1, 20))
        assert len(seen) >= 5 and seen[-1] == 20 and job.value == 19
        assert not threads(jobs) and not jobs._takes_turns and not jobs._idle

    asyncio.run(work())


def test_jobs_take_turns_and_wait_for_what_they_need(monkeypatch):
    monkeypatch.setattr(jobs_module, "TURN", 0.01)
    made = []

    async def work():
        jobs = Jobs(lambda: None)

        def needy():
            other = jobs.get("other", "other", lambda: counted(2, made))
            while not other.done:
                yield (other,)
            yield 1.0, other.value

        one, two = ([], [])
        both = [jobs.get(i, str(i), lambda into=into: counted(20, into)) for i, into in enumerate((one, two))]
        job = jobs.get("needy", "needy", needy)
        jobs.start(after=0.0)
        await until(lambda: len(one) > 2)
        assert not all(each.done for each in both) and len(two)
        await until(lambda: job.done and all(each.done for each in both))
        assert job.value == 1

    asyncio.run(work())


def test_work_waits_for_still_controls_ends_when_cancelled_and_begins_again():
    async def work():
        made = []
        jobs = Jobs(lambda: None)
        job = jobs.get("one", "one", lambda: counted(1000, made))
        for _ in range(5):
            jobs.start(after=0.1)
            await asyncio.sleep(0.02)
        assert not made
        await until(lambda: len(made) > 3)
        jobs.cancel(job)
        n = len(made)
        await asyncio.sleep(0.1)
        assert job.done and len(made) == n and not jobs._takes_turns
        short = jobs.get("two", "two", lambda: counted(3, made))
        jobs.start(after=0.0)
        await until(lambda: short.done)

    asyncio.run(work())


def test_nothing_waits_for_what_no_thread_makes():
    async def work():
        jobs = Jobs(lambda: None)
        began = time.monotonic()
        job = jobs.get("soon", "soon", lambda: iter([(1.0, "there")]), now="soon")
        assert time.monotonic() - began < jobs_module.QUICK and job.value is None
        await until(lambda: job.value == "there")

    asyncio.run(work())


def test_the_explorer_fills_in_and_says_what_it_says_elsewhere():
    hearts = cv.load_dataset("heart")["logistic regression"]

    async def work():
        explorer = Explorer(hearts)
        await until(lambda: "Zurich" in explorer.sentences["verdict"] and screen(explorer).working == "")
        said = explorer.sentences["verdict"]
        explorer.close()
        return said

    assert asyncio.run(work()) == str(cv.verdict(hearts, progress=False))


def test_segments_are_those_of_several_threads(monkeypatch):
    hearts = cv.load_dataset("heart")["logistic regression"]
    alone = cv.segments(hearts, progress=False)
    monkeypatch.undo()
    np.testing.assert_array_equal(alone.p_adjusted, cv.segments(hearts, progress=False).p_adjusted)
