"""A recorded page is made beside the view: with progress, of what was on screen, and it can be cancelled."""

from __future__ import annotations

import asyncio
import re
import threading
from unittest.mock import patch

import numpy as np
import pytest
from driver import screen, until

import calibviz as cv
from calibviz.answers.exports import recorded
from calibviz.answers.situation import jobs as jobs_module
from calibviz.explorer import Explorer
from calibviz.explorer.view.page import busy, live
from calibviz.explorer.view.page.download import Download
from calibviz.reports import recorded as page_writer


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(live, "UNSEEN", 0.0)
    monkeypatch.setattr(jobs_module, "REPORT_EVERY", 0.02)
    monkeypatch.setattr(busy, "A_WHILE", 0.0)
    monkeypatch.setattr(busy, "REACTION", 0.0)
    monkeypatch.setattr(recorded, "BINS", (5, 15))
    for name in ("app.FEW", "linked.MOST"):
        monkeypatch.setattr(f"calibviz.explorer.{name}", (2, 2, 1))


@pytest.fixture
def saved():
    """What the browser is told to save."""
    with patch.object(Download, "offer") as offer:
        yield offer.call_args_list


def few():
    rng = np.random.default_rng(5)
    score = rng.random(160)
    fields = {"site": np.array(["north", "south"])[rng.integers(2, size=160)]}
    return cv.Predictions(score, (rng.random(160) < score).astype(int), fields=fields)


def run(work, *arguments):
    asyncio.run(work(*arguments))


@pytest.mark.parametrize("has_threads", [True, False])
def test_the_view_answers_while_a_page_of_what_was_on_screen_is_made(has_threads, saved, monkeypatch):
    if not has_threads:
        monkeypatch.setattr(threading.Thread, "start", _refuse)

    async def work():
        explorer = Explorer(few(), panels=("reliability",), bins=15, calibrators=("platt",))
        seen = screen(explorer)
        seen.press("page")
        signs = set()
        explorer.state.bins = 7
        await until(lambda: signs.add(seen._classed("calibviz-working").value) or saved)
        (name, data, kind), _ = saved[0]
        assert len(saved) == 1 and name == "calibviz.html" and kind == "text/html"
        page = data.decode()
        assert " selected>uniform, 15 bins<" in page and "uniform, 7 bins" not in page
        assert len(signs) > 3 and all("recorded page …" in sign for sign in signs - {""}), signs
        await until(lambda: seen.is_idle)
        assert explorer.state.bins == 7 and seen.complaint == "" and "page" not in seen.working
        explorer.close()

    run(work)


def _refuse(self):
    raise RuntimeError("can't start new thread")


def test_a_page_says_what_a_page_written_to_a_file_says(saved, tmp_path):
    async def work():
        explorer = Explorer(few(), panels=("reliability",), bins=15, calibrators=("platt",))
        screen(explorer).press("page")
        await until(lambda: saved)
        other = Explorer(few(), panels=("reliability",), bins=15, calibrators=("platt",))
        written = other.to_html(tmp_path / "page.html", progress=False).read_bytes()
        assert _without_moment(saved[0].args[1]) == _without_moment(written)
        explorer.close()
        other.close()

    run(work)


def _without_moment(page):
    return re.sub(rb"\d\d:\d\d", b"", page)


def test_a_page_is_cancelled_and_asked_for_again(saved):
    async def work():
        explorer = Explorer(few(), panels=("reliability",), calibrators=("platt",))
        seen = screen(explorer)
        seen.press("page")
        await until(lambda: seen.offers("Cancel") and seen.offered.tooltip == "Cancel recorded page")
        seen.press("Cancel")
        await until(lambda: seen.is_idle)
        assert not saved and "page" not in seen.working and seen.complaint == ""
        seen.press("page")
        await until(lambda: saved)
        explorer.close()

    run(work)


def test_the_view_says_why_there_is_no_page(saved, monkeypatch):
    def refuse(*_):
        raise ValueError("no page of these")

    monkeypatch.setattr(page_writer, "data_section", refuse)

    async def work():
        explorer = Explorer(few(), panels=("reliability",), calibrators=("platt",))
        screen(explorer).press("page")
        await until(lambda: screen(explorer).notice)  # beside the view, which holds
        assert not saved and "no page of these" in screen(explorer).notice and not screen(explorer).complaint
        explorer.close()

    run(work)


def test_the_second_press_makes_a_page_of_what_is_on_screen_then(saved):
    async def work():
        explorer = Explorer(few(), panels=("reliability",), bins=15, calibrators=("platt",))
        screen(explorer).press("page")
        explorer.state.bins = 7
        screen(explorer).press("page")
        await until(lambda: saved)
        assert " selected>uniform, 7 bins<" in saved[0].args[1].decode()
        await until(lambda: screen(explorer).is_idle)
        assert len(saved) == 1
        explorer.close()

    run(work)
