"""What takes a while: worked on in a thread beside the event loop, or when somebody asks for all of it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from driver import kept, numbers_of, screen, threads, until
from figure_checks import by_role

import calibviz as cv
from calibviz.answers.registry import ANSWERS
from calibviz.answers.situation import jobs as jobs_module
from calibviz.answers.situation.job import FAILED
from calibviz.answers.situation.jobs import Jobs
from calibviz.answers.steps.sensitivity import SHARES
from calibviz.explorer import Explorer
from calibviz.explorer.view.page import live

PATIENCE = 240.0  # seconds


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(live, "UNSEEN", 0.0)
    monkeypatch.setattr(jobs_module, "REPORT_EVERY", 0.02)


@pytest.fixture(scope="module")
def predictions():
    return cv.load_dataset("digits")["naive Bayes"]


def counted(n, made, pause=0.002):
    """The steps of a job that says how far it has come."""
    for i in range(n):
        time.sleep(pause)
        made.append(i)
        yield (i + 1) / n, i


def bars_of(explorer):
    figure = screen(explorer).record("sensitivity", "sensitivity")
    return next(series for series in figure.series if series.role == "interval").y


def test_without_a_loop_nothing_happens_until_finish(predictions):
    explorer = Explorer(predictions, panels=("sensitivity",))
    assert not len(bars_of(explorer)) and screen(explorer).has_progress_bar
    assert not threads(screen(explorer).jobs)
    explorer.finish()
    assert len(bars_of(explorer)) and screen(explorer).working == ""
    explorer.finish()
    explorer.close()


def test_spare_memory_is_given_back_once_all_is_done(monkeypatch):
    given = []
    monkeypatch.setattr(jobs_module, "give_back", lambda: given.append(len(made)))

    async def work():
        jobs = Jobs(lambda: None)
        jobs.get("one", "one", lambda: counted(5, made))
        jobs.get("other", "other", lambda: counted(5, made))
        jobs.start(after=0.0)
        await until(lambda: given)
        assert not threads(jobs) and not jobs.finish()  # nothing was left
        jobs.get("third", "third", lambda: counted(5, made))
        assert jobs.finish()

    made = []
    asyncio.run(work())
    assert given == [10, 15]


def test_bars_fill_in_beside_the_loop(of_sensitivity, predictions):
    async def work():
        explorer = Explorer(predictions, panels=("sensitivity",))
        seen = []
        await until(lambda: seen.append(bars_of(explorer)) or screen(explorer).working == "")
        last = bars_of(explorer)
        explorer.finish()
        np.testing.assert_array_equal(bars_of(explorer), last)
        explorer.close()
        return seen, explorer

    seen, explorer = asyncio.run(work())
    drawn = [y for y in seen if len(y)]
    assert len(drawn) >= 3
    assert any(not np.array_equal(first, second, equal_nan=True) for first, second in pairwise(drawn))
    assert not threads(screen(explorer).jobs)


def test_a_window_is_provisional_until_the_bootstrap_is_done(of_sensitivity, predictions):
    async def work():
        explorer = Explorer(predictions, panels=("sensitivity",))
        seen = []

        def shown():
            figure = screen(explorer).record("sensitivity", "sensitivity")
            return {series.name for series in figure.series if series.name}, screen(explorer).answer("sensitivity")

        await until(lambda: seen.append(shown()) or screen(explorer).working == "")
        last = shown()
        explorer.close()
        return seen, last

    seen, (names, note) = asyncio.run(work())
    assert "flattest" in names and "flattest so far" not in names
    assert note.startswith("Flat from 15 to 70 bins: the error spans ") and note.endswith("30 bins are in the middle.")
    assert all("not known yet" in note or "flat " in note.lower() for _, note in seen)
    early = [(names, note) for names, note in seen if "So far, by" in note]
    assert len(early) >= 2 and all(int(note.split()[3]) >= 10 for _, note in early)
    for names, note in early:
        assert ("flattest so far" in names) == (" replicates, flat from 15 to 70 bins: " in note)
        assert "flattest" not in names


def test_the_panel_says_why_nothing_is_flat():
    rng = np.random.default_rng(0)
    score = rng.random(2000)
    explorer = Explorer(
        cv.Predictions(np.column_stack([1 - score, score]), (rng.random(2000) < score).astype(int)),
        lens="class 1",
        binning="equal-mass",
        panels=("sensitivity",),
    )
    assert screen(explorer).answer("sensitivity") == "Where it is flat is not known yet."
    explorer.finish()
    note = screen(explorer).answer("sensitivity")
    assert note.startswith("Nowhere flat from 5 bins on: even ")
    assert "more than its bootstrap deviation of 0." in note
    explorer.close()


def test_a_change_of_choices_drops_unfinished_work(predictions):
    async def work():
        explorer = Explorer(predictions, panels=("sensitivity",))
        jobs = screen(explorer).jobs
        await until(lambda: len(bars_of(explorer)))
        first = jobs.current
        assert first is not None and not first.done
        explorer.state.lens = "rank 2"
        await until(lambda: first not in kept(jobs))
        far = first.fraction
        await until(lambda: screen(explorer).working == "")
        assert not first.done and first.fraction <= far + 0.03  # the step that it was in
        np.testing.assert_allclose(
            by_role(screen(explorer).record("sensitivity", "sensitivity"), "before").y[6],
            cv.calibration_error(predictions, "rank 2", binning=cv.Uniform(10)),
            atol=1e-6,
        )
        explorer.close()

    asyncio.run(work())


def test_what_is_complete_is_kept(predictions):
    explorer = Explorer(predictions, panels=("sensitivity",))
    explorer.finish()
    first = bars_of(explorer)
    explorer.state.lens = "rank 2"
    explorer.finish()
    explorer.state.lens = "top-1"
    np.testing.assert_array_equal(bars_of(explorer), first)
    explorer.close()


@pytest.mark.parametrize("looped", [True, False])
@pytest.mark.parametrize(
    ("error", "sentence"), [(ZeroDivisionError("a bug"), FAILED), (ValueError("Too few samples."), "Too few samples.")]
)
def test_a_job_that_fails_is_one_sentence(predictions, monkeypatch, caplog, error, sentence, looped):
    def broken(*_arguments):
        raise error
        yield

    monkeypatch.setattr("calibviz.answers.views.comparison.comparison_steps", broken)

    async def work():
        explorer = Explorer(predictions, panels=("comparison",), calibrators=())
        await until(lambda: sentence in screen(explorer).note("comparison"))
        explorer.close()

    def at_once():
        explorer = Explorer(predictions, panels=("comparison",), calibrators=())
        explorer.finish()
        assert screen(explorer).note("comparison").count(sentence) == 1
        assert screen(explorer).complaint == ""
        explorer.close()

    with caplog.at_level(logging.ERROR):
        asyncio.run(work()) if looped else at_once()
    assert ("ZeroDivisionError: a bug" in caplog.text) == (sentence == FAILED)


def test_closing_ends_the_thread(predictions):
    async def work():
        explorer = Explorer(predictions, panels=("sensitivity", "comparison"))
        await until(lambda: len(bars_of(explorer)))
        at_work = threads(screen(explorer).jobs)
        assert any(thread.is_alive() for thread in at_work)
        explorer.close()
        await until(lambda: not any(thread.is_alive() for thread in at_work))
        assert not threads(screen(explorer).jobs)

    asyncio.run(work())
    assert threading.active_count() < 20


def test_jobs_are_done_one_after_the_other_and_told_of():
    async def work():
        told, one, two = [], [], []
        jobs = Jobs(lambda: told.append((len(one), len(two))))
        first = jobs.get("first", "one", lambda: counted(20, one))
        second = jobs.get("second", "two", lambda: counted(20, two))
        assert jobs.get("first", "one", lambda: counted(1, [])) is first
        jobs.start(after=0.0)
        await until(lambda: second.done)
        await asyncio.sleep(0.05)
        assert first.done and first.value == second.value == 19 and first.fraction == 1.0
        assert all(made == 20 or not other for made, other in told)
        assert len(told) >= 2 and told[-1] == (20, 20)

    asyncio.run(work())


def test_jobs_wait_for_the_controls_to_be_still():
    async def work():
        made: list[int] = []
        jobs = Jobs(lambda: None)
        job = jobs.get("one", "one", lambda: counted(3, made))
        for _ in range(5):
            jobs.start(after=0.1)
            await asyncio.sleep(0.02)
        assert not made
        await until(lambda: job.done)

    asyncio.run(work())


@pytest.mark.thorough
def test_nothing_is_begun_before_a_page_is_ready_or_some_seconds_have_passed(predictions, monkeypatch):
    async def work(answer):
        explorer = Explorer(predictions, panels=("sensitivity",))
        await asyncio.sleep(jobs_module.STILL + 0.3)
        before = bars_of(explorer)
        answer(explorer)
        await until(lambda: len(bars_of(explorer)))
        explorer.close()
        return before

    monkeypatch.setattr(live, "UNSEEN", PATIENCE)
    for answer in (
        lambda explorer: explorer._transport._handle_custom_msg({"ready": True}, []),
        lambda explorer: explorer.state.update(bins=20),
    ):
        assert not len(asyncio.run(work(answer)))
    monkeypatch.setattr(live, "UNSEEN", 1.0)
    assert not len(asyncio.run(work(lambda explorer: None)))


def test_what_is_to_be_there_soon_is_not_waited_for_while_nobody_sees_it():
    made = []

    async def work():
        jobs = Jobs(lambda: None)
        jobs.rest(PATIENCE)
        jobs.begin()
        job = jobs.get("a", "a", lambda: counted(1, made), now="soon")
        unseen = list(made)
        jobs.wake()
        job = jobs.get("a", "a", lambda: counted(1, made), now="soon")
        return unseen, job

    unseen, job = asyncio.run(work())
    assert not unseen and made == [0] and job.value == 0


def test_steps_that_are_asked_for_are_made_at_once():
    jobs, made = Jobs(lambda: None), []
    assert jobs.get("one", "one", lambda: counted(5, made, 0)).value is None
    assert jobs.get("one", "one", lambda: counted(5, made, 0), now="first").value == 0
    assert jobs.get("one", "one", lambda: counted(5, made, 0), now="all").done and made == [0, 1, 2, 3, 4]
    assert not jobs.finish() or jobs.get("one", "one", lambda: counted(5, made, 0)).done
    jobs.get("two", "two", lambda: counted(2, made, 0))
    assert jobs.current.label == "two"
    jobs.begin()
    assert jobs.current is None and not jobs.finish()
    jobs.start()
    assert [job.key for job in kept(jobs)] == ["one"]


def test_a_loop_that_is_gone_is_no_error(predictions):
    async def work():
        explorer = Explorer(predictions, panels=("sensitivity",))
        await until(lambda: len(bars_of(explorer)))
        return explorer

    explorer = asyncio.run(work())
    explorer.finish()
    assert screen(explorer).working == "" and len(bars_of(explorer))
    explorer.close()


def test_slow_calibrators_arrive(predictions, monkeypatch):
    monkeypatch.setattr("calibviz.answers.situation.engine.SLOW_SIZE", 0)
    explorer = Explorer(
        predictions, calibrator="temperature", panels=("recalibration", "confidence", "likert"), likert=(0, 1)
    )
    assert explorer.situation.after is None and "Fitting temperature" in screen(explorer).numbers["note"]
    assert len(screen(explorer).sides) == 1
    explorer.finish()
    evaluation = predictions
    moved = cv.cross_fitted(evaluation, calibrator=cv.Temperature()).transform(evaluation)
    assert numbers_of(explorer.situation, explorer.situation.after)[0].ks == pytest.approx(cv.ks_error(moved), abs=1e-9)
    assert "Fitting" not in screen(explorer).numbers["note"]
    for name in explorer.state.panels:
        assert "Fitting" not in ANSWERS[name].content(explorer.situation).note
    explorer.close()


def test_the_spread_by_size_is_that_of_spread_by_size(of_sensitivity, predictions):
    explorer = Explorer(predictions, panels=("sensitivity",), binning="equal-mass", bins=8)
    explorer.finish()
    judged = predictions
    table = cv.spread_by_size(
        judged,
        error=lambda drawn: cv.calibration_error(drawn, binning=cv.EqualMass(8)),
        fractions=SHARES,
        progress=False,
    )
    figure = screen(explorer).record("sensitivity", "sample-sizes")
    series = by_role(figure, "bins")
    np.testing.assert_allclose(2**series.x, table["size"])
    np.testing.assert_allclose(series.y, table["mean"], rtol=1e-9)
    ends = by_role(figure, "interval").y
    np.testing.assert_allclose(ends[np.isfinite(ends)], np.stack([table.lower, table.upper], axis=1).ravel(), rtol=1e-9)
    assert figure.y_in_percent and "not known yet" not in figure.alt
    explorer.close()
