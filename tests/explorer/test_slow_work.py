"""Slow work in the Explorer is named, timed and cancelled, and is in nobody's way."""

from __future__ import annotations

import asyncio
import gc
import re
import threading
import time
import weakref
from dataclasses import replace

import numpy as np
import pytest
from browser.pages import of_a_shared_machine
from driver import kept, screen, threads, until, wanted

import calibviz as cv
from calibviz.answers.situation import jobs as jobs_module
from calibviz.answers.situation.jobs import Jobs
from calibviz.answers.steps.temperatures import GRID, Temperatures
from calibviz.explorer import Explorer, SimulationLab
from calibviz.explorer.transport.transport import Transport
from calibviz.explorer.view.page import busy, live
from calibviz.foundation.cancellation import check
from calibviz.recalibration.registry import CALIBRATORS

PATIENCE = 240.0  # seconds
AT_ONCE = of_a_shared_machine(1)  # second, within which what nobody waits for has ended


class Slow(cv.Temperature):
    """In place of a slow calibrator: fitted once the test lets it; may ask in the meantime whether it was cancelled."""

    stubborn = False
    begun, ended = 0, 0
    may_end = threading.Event()

    def _fit(self, predictions):
        cls = type(self)
        cls.begun += 1
        try:
            while not cls.may_end.wait(0.005):
                if not cls.stubborn:
                    check()
        finally:
            cls.ended += 1
        super()._fit(predictions)


@pytest.fixture
def slow(monkeypatch):
    kind = type("Slow", (Slow,), {"short_name": "dirichlet", "may_end": threading.Event()})
    monkeypatch.setitem(CALIBRATORS, "dirichlet", replace(CALIBRATORS["dirichlet"], make=kind))
    yield kind
    kind.may_end.set()


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(live, "UNSEEN", 0.0)
    monkeypatch.setattr(jobs_module, "REPORT_EVERY", 0.02)
    monkeypatch.setattr(jobs_module, "TICK", 0.1)
    monkeypatch.setattr(jobs_module, "QUICK", 0.1)
    monkeypatch.setattr(busy, "A_WHILE", 0.1)
    monkeypatch.setattr(busy, "REACTION", 0.0)


@pytest.fixture(scope="module")
def predictions():
    return cv.load_dataset("digits")["naive Bayes"]


def noted(explorer):
    """What is said below the numbers, without the line on what stands below each error."""
    return screen(explorer).numbers["note"].partition(" Below each error")[0]


def run(work):
    asyncio.run(work())


def test_panels_fill_while_a_fit_runs_and_it_ends_once_nobody_waits(predictions, slow):
    async def work():
        explorer = Explorer(
            predictions,
            calibrator="dirichlet",
            calibrators=("temperature",),
            panels=("sensitivity", "comparison", "classes", "temperature", "confidence"),
        )
        for label in ("bootstrap", "comparison", "temperatures", "mean probabilities"):
            await until(lambda label=label: any(j.label == label and j.done for j in wanted(screen(explorer).jobs)))
        await until(lambda: "Grey: no more" in screen(explorer).note("comparison"))
        await until(lambda: "fitting dirichlet" in screen(explorer).working)
        assert slow.begun == 1 and not slow.ended
        assert noted(explorer) == "Fitting dirichlet …" and len(screen(explorer).sides) == 1
        explorer.state.calibrator = "temperature"
        start = time.monotonic()
        await until(lambda: slow.ended)
        assert time.monotonic() - start < AT_ONCE
        await until(lambda: screen(explorer).is_idle)
        assert len(screen(explorer).sides) == 2
        assert not any("dirichlet" in job.label for job in kept(screen(explorer).jobs))
        explorer.close()

    run(work)


def test_the_status_names_and_times_what_runs(predictions, slow):
    async def work():
        explorer = Explorer(predictions, calibrator="dirichlet", panels=("reliability",))
        times = set()
        await until(lambda: screen(explorer).offers("Cancel"))
        assert screen(explorer).offered.tooltip == "Cancel fitting dirichlet"
        await until(
            lambda: times.add(screen(explorer).working) or len({s for s in times if re.search(r"\d s", s)}) >= 2
        )
        assert all("fitting dirichlet …" in one for one in times)
        slow.may_end.set()
        await until(lambda: screen(explorer).is_idle)
        assert screen(explorer).offered is None and len(screen(explorer).sides) == 2
        explorer.close()

    run(work)


def test_a_fit_is_cancelled_by_the_button_and_begun_again_by_choice_alone(predictions, slow):
    sentence = "Fitting dirichlet was cancelled. Choose it again to start over."

    async def work():
        explorer = Explorer(predictions, calibrator="dirichlet", panels=("recalibration", "confidence"))
        await until(lambda: screen(explorer).offers("Cancel"))
        start = time.monotonic()
        screen(explorer).offered.click()
        assert noted(explorer) == sentence and len(screen(explorer).sides) == 1
        assert sentence in screen(explorer).note("recalibration") and sentence in screen(explorer).note("confidence")
        await until(lambda: slow.ended)
        assert time.monotonic() - start < AT_ONCE
        await until(
            lambda: screen(explorer).offers("Retry") and "Cancelled: fitting dirichlet" in screen(explorer).working
        )
        explorer.state.bins = 7
        explorer.state.interval = "none"
        explorer.finish()
        await until(lambda: not threads(screen(explorer).jobs))
        assert slow.begun == 1 and noted(explorer) == sentence
        screen(explorer).offered.click()
        await until(lambda: slow.begun == 2 and screen(explorer).offers("Cancel"))
        assert noted(explorer) == "Fitting dirichlet …"
        screen(explorer).offered.click()
        assert noted(explorer) == sentence
        await until(lambda: slow.ended == 2)
        explorer.state.calibrator = "temperature"
        assert len(screen(explorer).sides) == 2
        explorer.state.calibrator = "dirichlet"
        slow.may_end.set()
        await until(lambda: screen(explorer).is_idle)
        assert slow.begun == 7 and len(screen(explorer).sides) == 2 and screen(explorer).offered is None
        explorer.state.calibrator = "temperature"
        explorer.state.calibrator = "dirichlet"
        assert slow.begun == 7 and len(screen(explorer).sides) == 2  # what is there is not made again
        explorer.close()

    run(work)


def test_what_leaves_the_explorer_is_of_what_there_is_after_a_cancellation(predictions, slow):
    async def work():
        explorer = Explorer(predictions, calibrator="dirichlet", panels=("reliability",), calibrators=())
        await until(lambda: screen(explorer).offers("Cancel"))
        screen(explorer).offered.click()
        assert explorer.figure().axes and "cv.evaluate" in explorer.code()
        slow.may_end.set()
        assert set(explorer.cube().calibrator.values) == {"none", "dirichlet"}  # the cube fits whatever it is asked for
        assert noted(explorer).endswith("Choose it again to start over.")
        explorer.close()

    run(work)


@pytest.mark.thorough
def test_a_calibrator_that_never_asks_is_in_nobodys_way(predictions, slow):
    slow.stubborn = True

    async def work():
        explorer = Explorer(predictions, calibrator="dirichlet", panels=("sensitivity", "comparison"), calibrators=())
        await until(
            lambda: screen(explorer).offers("Cancel") and "Grey: no more" in screen(explorer).note("comparison")
        )
        screen(explorer).offered.click()
        assert noted(explorer).startswith("Fitting dirichlet was cancelled")
        explorer.state.calibrator = "vector"
        explorer.state.lens = "rank 2"
        await until(lambda: screen(explorer).working == "")
        assert len(screen(explorer).sides) == 2 and not slow.ended
        explorer.state.calibrator = "dirichlet"  # the fit that could not be stopped goes on
        await until(lambda: screen(explorer).offers("Cancel"))
        screen(explorer).offered.click()
        slow.may_end.set()
        await until(lambda: not threads(screen(explorer).jobs))
        assert slow.begun == slow.ended == 1
        assert noted(explorer).startswith("Fitting dirichlet was cancelled")  # and what it found is not shown
        explorer.close()

    run(work)


def test_a_calibrator_of_many_scores_is_in_nobodys_way(predictions, slow, monkeypatch):
    kind = type("SlowPlatt", (cv.Platt,), {"_fit": lambda self, problem: (wait(), cv.Platt._fit(self, problem))[1]})
    begun = []

    def wait():
        begun.append(True)
        while not slow.may_end.wait(0.005):
            check()

    monkeypatch.setitem(CALIBRATORS, "platt", replace(CALIBRATORS["platt"], make=kind))
    monkeypatch.setattr("calibviz.answers.situation.engine.MANY_SCORES", 0)

    async def work():
        explorer = Explorer(predictions, calibrator="platt", panels=("recalibration", "sensitivity"))
        await until(lambda: "fitting platt" in screen(explorer).working and screen(explorer).offers("Cancel"))
        assert noted(explorer) == "Fitting platt …"
        screen(explorer).offered.click()
        assert noted(explorer) == "Fitting platt was cancelled. Choose it again to start over."
        await until(lambda: not threads(screen(explorer).jobs))
        explorer.state.calibrator = "beta"
        await until(lambda: screen(explorer).is_idle and len(screen(explorer).sides) == 2)
        slow.may_end.set()
        explorer.state.calibrator = "platt"
        await until(lambda: screen(explorer).is_idle and len(screen(explorer).sides) == 2)
        explorer.state.bins = 7
        assert len(screen(explorer).sides) == 2 and len(begun) == 7
        explorer.close()

    run(work)


def test_who_comes_back_at_once_finds_the_fit_going_on(predictions, slow):
    async def work():
        explorer = Explorer(predictions, calibrator="dirichlet", panels=("reliability",))
        await until(lambda: slow.begun)
        explorer.state.calibrator = "temperature"
        explorer.state.calibrator = "dirichlet"
        slow.may_end.set()
        await until(lambda: screen(explorer).is_idle)
        assert slow.begun == 5 and len(screen(explorer).sides) == 2
        explorer.close()

    run(work)


def test_a_cancelled_column_of_the_comparison_stays_empty_until_it_is_begun_again(predictions, slow):
    async def work():
        explorer = Explorer(predictions, panels=("comparison",), calibrators=("temperature", "dirichlet", "vector"))
        await until(lambda: "fitting dirichlet" in screen(explorer).working and screen(explorer).offers("Cancel"))

        def cells():
            return np.array([row[1:-1] for row in screen(explorer).cells("comparison")])

        def empty():
            return ["–" in str(column) for column in cells().T.tolist()]

        await until(lambda: empty() == [False, False, True, False])
        screen(explorer).offered.click()
        await until(lambda: "incomplete" in screen(explorer).note("comparison"))
        assert screen(explorer).note("comparison").startswith("Cancelled at 75")
        await until(lambda: screen(explorer).offers("Retry"))  # beside it the noise of the other columns may be drawn
        assert empty() == [False, False, True, False]
        await until(lambda: slow.ended)
        explorer.state.bins = 7
        explorer.finish()
        assert slow.begun == 1 and empty() == [False, False, True, False]
        slow.may_end.set()
        screen(explorer).offered.click()
        await until(lambda: "Grey: no more" in screen(explorer).note("comparison"))
        assert slow.begun == 6 and not any(empty())
        explorer.close()

    run(work)


def test_a_measurement_is_cancelled_where_it_is(predictions, monkeypatch):
    monkeypatch.setattr(jobs_module, "TURN", 100.0)
    go_on = threading.Event()

    def steps(*_arguments):
        yield 0.25, Temperatures(GRID, {"ks": np.full(33, 0.1), "nll": np.full(33, 1.0)}, {})
        while not go_on.wait(0.005):
            check()
        yield 1.0, Temperatures(GRID, {"ks": np.full(33, 0.2), "nll": np.full(33, 1.0)}, {})

    monkeypatch.setattr("calibviz.answers.views.temperature.temperature_steps", steps)
    monkeypatch.setattr("calibviz.answers.views.temperature.at_once", lambda *_: "")

    async def work():
        explorer = Explorer(predictions, panels=("temperature",), metrics=("ks",))
        await until(lambda: "temperatures" in screen(explorer).working and screen(explorer).offers("Cancel"))
        await until(lambda: screen(explorer).records("temperature"))
        screen(explorer).offered.click()
        sentence = "Cancelled at 25 %: temperatures. What is shown is incomplete."
        assert screen(explorer).note("temperature") == sentence and screen(explorer).records("temperature")
        explorer.finish()
        await until(lambda: not threads(screen(explorer).jobs))
        assert screen(explorer).note("temperature") == sentence
        go_on.set()
        screen(explorer).offered.click()
        await until(lambda: screen(explorer).is_idle and screen(explorer).note("temperature") == "")
        explorer.close()

    run(work)


def test_the_laboratory_cancels_its_map(monkeypatch):
    go_on = threading.Event()

    def steps(*_arguments):
        while not go_on.wait(0.005):
            check()
        yield 1.0, {}

    monkeypatch.setattr("calibviz.explorer.lab.situation._map", steps)
    monkeypatch.setattr("calibviz.explorer.lab.situation._misses", lambda *_: iter([(1.0, {})]))

    async def work():
        lab = SimulationLab(n=200)
        await until(lambda: "bias map" in screen(lab).working and screen(lab).offers("Cancel"))
        screen(lab).offered.click()
        assert "Cancelled: bias map." in screen(lab).table("bias").content["note"] and "…" not in str(
            screen(lab).table("bias").content["rows"]
        )
        await until(lambda: screen(lab).offers("Retry"))  # the slow estimators may have to end before
        lab.finish()
        go_on.set()
        screen(lab).offered.click()
        await until(lambda: screen(lab).working == "")
        assert "cancelled" not in screen(lab).table("bias").content["note"]
        lab.close()

    run(work)


@pytest.mark.parametrize("looped", [True, False])
def test_an_interrupted_wait_leaves_all_usable(predictions, monkeypatch, looped):
    interrupted = []

    class Interrupted(cv.Temperature):
        def _fit(self, given):
            if threading.current_thread() is threading.main_thread() and not interrupted:
                interrupted.append(True)
                raise KeyboardInterrupt
            super()._fit(given)

    monkeypatch.setitem(CALIBRATORS, "dirichlet", replace(CALIBRATORS["dirichlet"], make=Interrupted))
    monkeypatch.setattr("calibviz.answers.situation.engine.SLOW_SIZE", 0)
    monkeypatch.setattr("calibviz.answers.first_screen.tested.AT_ONCE", 0)  # no thread is begun for the test

    def check_it():
        explorer = Explorer(predictions, calibrator="dirichlet", panels=("reliability", "sensitivity"))
        screen(explorer).jobs.start(after=PATIENCE)  # no thread is faster
        with pytest.raises(KeyboardInterrupt):
            explorer.finish()
        explorer.state.bins = 7
        assert noted(explorer) == "Fitting dirichlet …" and "refused" not in screen(explorer).complaint
        assert explorer.figure().axes
        assert len(screen(explorer).sides) == 2 and "dirichlet" not in screen(explorer).working
        explorer.close()

    async def work():
        check_it()

    asyncio.run(work()) if looped else check_it()


def test_a_step_that_takes_long_holds_up_no_other():
    go_on = threading.Event()

    def long():
        go_on.wait()
        yield 1.0, "long"

    async def work():
        jobs = Jobs(lambda: None)
        slow = [jobs.get(("slow", i), "slow", long) for i in range(2)]
        fits = [jobs.get(("fit", i), "fit", long, is_fit=True) for i in range(5)]
        quick = jobs.get("quick", "quick", lambda: iter([(1.0, "quick")]))
        jobs.start(after=0.0)
        await until(lambda: quick.done)
        assert not any(job.done for job in slow + fits)
        assert sum(job.began is not None for job in fits) <= jobs_module.MOST_AT_ONCE
        go_on.set()
        await until(lambda: all(job.done for job in slow + fits) and not threads(jobs))

    run(work)


def test_jobs_of_many_steps_take_turns(monkeypatch):
    monkeypatch.setattr(jobs_module, "TURN", 0.01)
    made = []

    def steps(name):
        for i in range(30):
            time.sleep(0.002)
            made.append(name)
            yield (i + 1) / 30, i

    async def work():
        jobs = Jobs(lambda: None)
        both = [jobs.get(name, name, lambda name=name: steps(name)) for name in ("one", "two")]
        jobs.start(after=0.0)
        await until(lambda: all(job.done for job in both))

    run(work)
    assert made.index("two") < 30 < len(made) - 1 - made[::-1].index("one")


def test_a_job_waits_for_one_of_others():
    order = []

    def needy(jobs):
        def steps(name):
            order.append(name)
            yield 1.0, name

        others = tuple(jobs.get(name, name, lambda name=name: steps(name)) for name in ("first", "second"))
        while not all(one.done for one in others):
            yield tuple(one for one in others if not one.done)
        order.append("needy")
        yield 1.0, "needy"

    async def work():
        jobs = Jobs(lambda: None)
        job = jobs.get("needy", "needy", lambda: needy(jobs))
        jobs.start(after=0.0)
        await until(lambda: job.done)

    run(work)
    assert order == ["first", "second", "needy"]
    order.clear()
    jobs = Jobs(lambda: None)
    job = jobs.get("needy", "needy", lambda: needy(jobs))
    assert jobs.finish() and job.value == "needy" and not jobs.finish()
    assert order == ["first", "second", "needy"]


@pytest.mark.thorough
def test_what_a_job_asks_for_is_wanted_as_long_as_the_job_is():
    made = []

    def fit():
        made.append("fit")
        while True:
            check()
            time.sleep(0.001)
        yield 1.0, None

    def needy(jobs):
        one = jobs.get("fit", "fit", fit, is_fit=True)
        while not one.done:
            yield len(made) / 100, "so far"  # not yet that it waits
        yield 1.0, "cancelled" if one.cancelled else "there"

    async def work():
        jobs = Jobs(lambda: None)
        for _ in range(3):  # every refresh
            jobs.begin()
            job = jobs.get("needy", "needy", lambda: needy(jobs))
            jobs.start(after=0.0)
            await until(lambda: made)
        (one,) = (job for job in kept(jobs) if job.key == "fit")
        jobs.cancel(one)
        jobs.begin()
        assert jobs.get("needy", "needy", lambda: needy(jobs)) is job
        jobs.start(after=0.0)
        await until(lambda: job.done)
        assert job.value == "cancelled" and made == ["fit"]

    run(work)


def test_half_made_work_that_nobody_wants_holds_nothing():
    class Large:
        pass

    held = []

    def steps():
        large = Large()
        held.append(weakref.ref(large))
        yield 0.5, large
        while True:
            check()
            time.sleep(0.001)

    async def work():
        jobs = Jobs(lambda: None)
        job = jobs.get("one", "one", steps)
        jobs.start(after=0.0)
        await until(lambda: job.fraction == 0.5 and job.began is not None)
        jobs.begin()
        jobs.start(after=0.0)
        await until(lambda: not threads(jobs))
        assert job.value is None and not kept(jobs)

    run(work)
    gc.collect()
    assert held[0]() is None


def test_work_rests_while_the_controls_move():
    asked = []

    def steps():
        while len(asked) < 5:
            check()
            asked.append(time.monotonic())
            time.sleep(0.005)
        yield 1.0, None

    async def work():
        jobs = Jobs(lambda: None)
        job = jobs.get("one", "one", steps)
        jobs.start(after=0.0)
        await until(lambda: asked)
        jobs.start(after=0.5)
        seen = len(asked)
        for _ in range(5):
            await asyncio.sleep(0.02)
        assert len(asked) <= seen + 1 and not job.done
        await until(lambda: job.done)

    run(work)


def test_a_click_that_comes_late_is_meant_for_what_was_named_before(monkeypatch):
    monkeypatch.setattr(busy, "REACTION", 100.0)
    jobs, changed = Jobs(lambda: None), []
    offer = busy.Offer(jobs, Transport(), lambda: changed.append(True))
    one, two = (jobs.get(name, name, lambda: iter([(1.0, None)])) for name in ("one", "two"))
    one.spent = two.spent = 10.0
    offer.show(one, again=False)
    offer.show(two, again=False)
    offer.button.click()
    assert one.cancelled and not two.cancelled and changed
    monkeypatch.setattr(busy, "REACTION", 0.0)
    offer.button.click()
    assert two.cancelled


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(CALIBRATORS))
def test_every_calibrator_stops_once_nobody_waits_for_it(name, monkeypatch):
    monkeypatch.setattr("calibviz.answers.situation.engine.SLOW_SIZE", 0)
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(200), 4000).astype(np.float32)
    given = cv.Predictions(probs, rng.integers(200, size=4000))
    counted = []

    def counting(done=None):
        counted.append(done)
        check(done)

    monkeypatch.setattr("calibviz.foundation.arrays.check", counting)
    monkeypatch.setattr("calibviz.recalibration.solvers.logit_blocks.check", counting)

    async def work():
        explorer = Explorer(given, lens="full", calibrator=name, panels=("reliability",))
        (fit,) = (job for job in kept(screen(explorer).jobs) if job.is_fit)
        await until(lambda: (fit.began is not None and len(counted) > 3) or fit.done)
        start = time.monotonic()
        screen(explorer).jobs.cancel(fit)
        await until(lambda: fit.began is None)
        assert time.monotonic() - start < AT_ONCE
        assert explorer.situation.after is None or not fit.cancelled
        explorer.close()

    run(work)
