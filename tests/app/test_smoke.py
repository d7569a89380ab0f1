"""What a user does first, each once and from end to end: a cube, the commands, the Explorer, the demo page.

These tests need pytest alone beside calibviz, and are quick: they run with the lowest versions, too (lowest.ini).
"""

from __future__ import annotations

import html
import http.cookiejar
import re
import urllib.parse
import urllib.request
from pathlib import Path

import ipywidgets
import numpy as np
import pytest
from commands import COMMAND, ERROR, SECONDS, WIDGET, User
from driver import numbers_of, screen
from report_pages import some

import calibviz as cv


def test_cube_with_calibrators_and_bootstrap() -> None:
    calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    cube = cv.evaluate(
        evaluation,
        ["top-1", "full"],
        calibrators=["none", "temperature", "beta", "spline"],
        calibration=calibration,
        replicates=5,
        progress=False,
    )
    assert cube.sizes["calibrator"] == 4
    errors, bounds = cube["ks"].sel(lens="top-1").squeeze(), cube["ks_quantile"].sel(lens="top-1")
    assert errors.to_pandas()["none"] > errors.to_pandas()["temperature"] > 0
    assert (bounds.sel(quantile=0.05) < bounds.sel(quantile=0.95)).all()


@pytest.mark.thorough
def test_commands_write_reports(tmp_path: Path) -> None:
    user, rng = User(tmp_path), np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), 200)
    labels = (probs.cumsum(axis=1) < rng.random((200, 1))).sum(axis=1)
    for name, shown in {"first": probs, "second": probs**2 / (probs**2).sum(axis=1, keepdims=True)}.items():
        np.savez(tmp_path / f"{name}.npz", probs=shown, labels=labels, class_names=np.array(["cat", "dog", "fox"]))
    for arguments in (["report", "first.npz"], ["compare", "first.npz", "second.npz"]):
        page = tmp_path / f"{arguments[0]}.html"
        done = user.run(*arguments, "-o", page.name)
        assert done.returncode == 0 and all("truth from 'labels'" in line for line in done.stderr.splitlines()), done
        text = page.read_text(encoding="utf-8")
        assert "<svg" in text and "200" in text and "Traceback" not in text
        assert all(Path(name).stem in text for name in arguments[1:])


@pytest.mark.usefixtures("few_replicates")
def test_report_of_three_samples_ends() -> None:
    """A report waits for all of its fits: each has to end, also where there is nothing to fit."""
    assert "<svg" in cv.report(some(n=3), progress=False).html


def test_explorer_follows_its_controls_and_closes() -> None:
    before = len(ipywidgets.widget._instances)
    explorer = cv.Explorer(cv.load_dataset("digits"))
    (shown,) = numbers_of(explorer.situation, explorer.situation.before)
    for name, value in {"lens": "class", "bins": 7, "calibrator": "temperature", "selection": "ink > 0.3"}.items():
        screen(explorer).set(name, value)
        assert screen(explorer).complaint == "", (name, screen(explorer).complaint)
    assert explorer.state.bins == 7 and explorer.state.selection == "ink > 0.3"
    (fewer,) = numbers_of(explorer.situation, explorer.situation.before)
    assert 0 < fewer.count < shown.count
    explorer.close()
    assert len(ipywidgets.widget._instances) == before


def test_demo_page_holds_the_widget(tmp_path: Path) -> None:
    with User(tmp_path).start(*COMMAND, "demo", "--no-browser") as running:
        page = fetched(running.url)
        assert WIDGET in page and ERROR not in page
        assert running.end() == (0, "")


def fetched(address: str) -> str:
    """What a browser gets to see under an address: it keeps cookies, and goes where a page sends it."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    for _ in range(5):
        with browser.open(address, timeout=SECONDS) as response:
            page, address = response.read().decode(), response.url
        onward = re.search(r"<meta[^>]*http-equiv=.?refresh[^>]*url=([^\"'>\s]+)", page, re.IGNORECASE)
        if onward is None:
            return str(page)
        address = urllib.parse.urljoin(address, html.unescape(onward[1]))
    raise pytest.fail(f"{address} sends its visitors onward without end")
