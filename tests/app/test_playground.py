"""The playground: its numbers are Python's, and the page works alone, from a file, in a frame, and with keys."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.pages import PATIENCE, lone_browser
from commands import COMMAND
from playwright.sync_api import Browser, Page, expect

import calibviz as cv
from calibviz.app.cli import main
from calibviz.app.playground.page import SLOW_SETS, playground_page, playground_script
from calibviz.engine.batch import ScalarBatch
from calibviz.explorer.lab.situation import truth_of
from calibviz.simulation.drawn import PRESETS, drawn_network
from calibviz.simulation.estimators import ESTIMATORS, TRUTH

pytestmark = pytest.mark.thorough

#: Node reads cases, one a line of JSON, and answers each in the same way.
ANSWERS = """
import { readFileSync, writeSync } from "node:fs";
const cases = JSON.parse(readFileSync(0, "utf8"));
const answers = cases.map(({ scores, targets, bins, power, network }) => {
  if (scores) {
    const sample = sampleOf(scores, targets);
    return Object.fromEntries(Object.entries(ESTIMATORS).map(([name, of]) => [name, of(sample, bins, power)]));
  }
  const population = populationOf(network);
  const known = Object.keys(ESTIMATORS).map((name) => [name, truthOf(name, network, power, population)]);
  const drawn = drawSample(network, 20000, randomOf(3));
  return { truths: Object.fromEntries(known), score: [...drawn.score], target: [...drawn.target] };
});
writeSync(1, JSON.stringify(answers));
"""


def in_node(cases: list[dict[str, object]], folder: Path) -> list[dict[str, object]]:
    node = shutil.which("node")
    if node is None:
        assert not os.environ.get("CI"), "no Node is installed"
        pytest.skip("no Node is installed")
    file = folder / "playground.mjs"
    file.write_text(f"{playground_script()}\n{ANSWERS}", encoding="utf-8")
    given = json.dumps(cases)
    done = subprocess.run([node, str(file)], input=given, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, object]] = json.loads(done.stdout)
    return answers


def samples() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    for n in (7, 60, 800):
        for score in (rng.random(n), rng.beta(3, 0.3, n), np.round(rng.random(n), 1), rng.beta(1, 20, n)):
            for truth in (score, score**2):
                target = (rng.random(n) < truth).astype(float)
                target[0] = 1.0  # without one the kernel density has no bandwidth
                yield score, target
    yield np.linspace(0, 1, 50), (np.arange(50) > 20).astype(float)  # targets that rise
    yield np.full(30, 0.4), (np.arange(30) % 3 == 0).astype(float)
    for predictions in (cv.load_dataset("tumours")["naive Bayes"], cv.load_dataset("heart")["logistic regression"]):
        yield predictions.probs[:, 1], (predictions.labels == 1).astype(float)


def by_python(score: np.ndarray, target: np.ndarray, bins: int, power: int) -> dict[str, float | None]:
    order = np.argsort(score, kind="stable")
    batch = ScalarBatch(score[order][None], target[order][None])
    values: dict[str, float | None] = {}
    for name, estimator in ESTIMATORS.items():
        try:
            values[name] = float(estimator.errors(batch, bins, power)[0])
        except ValueError:
            values[name] = None
    return values


def test_every_estimator_gives_the_numbers_of_python(tmp_path: Path) -> None:
    cases, expected = [], []
    for score, target in samples():
        for bins, power in ((1, 1), (7, 2), (15, 1)):
            cases.append({"scores": score.tolist(), "targets": target.tolist(), "bins": bins, "power": power})
            expected.append(by_python(score, target, bins, power))
    for case, measured, numbers in zip(cases, in_node(cases, tmp_path), expected, strict=True):
        assert list(measured) == list(numbers) == list(ESTIMATORS)
        for name, number in numbers.items():
            size = len(case["scores"])  # type: ignore[arg-type]
            said = name, size, case["bins"], case["power"]
            assert measured[name] == (number if number is None else pytest.approx(number, rel=0, abs=1e-9)), said


def test_true_errors_are_those_of_python_and_samples_follow_the_network(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    networks = [drawn_network(of.curve, of.density, None, of.is_rounded, name) for name, of in PRESETS.items()]
    networks += [cv.Network.drawn(np.round(rng.random(11), 3), rng.random(20).round(3)) for _ in range(3)]
    gappy = np.zeros(20)
    gappy[[0, 7, 12]] = 0.5, 1.0, 0.2
    networks.append(cv.Network.drawn(density=gappy))
    cases = [
        {"network": {"curve": of.curve, "density": of.density, "isRounded": of.is_rounded}, "power": power}
        for of in networks
        for power in (1, 2)
    ]
    answers = in_node(cases, tmp_path)
    for (network, power), answer in zip([(of, p) for of in networks for p in (1, 2)], answers, strict=True):
        for name, truth in answer["truths"].items():  # type: ignore[attr-defined]
            assert truth == pytest.approx(truth_of(network, name, power), rel=0, abs=1e-9), (network, name)
        score, target = np.array(answer["score"]), np.array(answer["target"])
        edges = np.arange(21) / 20
        shares = np.histogram(score, edges)[0] / len(score)
        np.testing.assert_allclose(shares, network.shares_between(edges), atol=0.02)
        assert abs(target.mean() - network.true_curve(score).mean()) < 0.02


def test_the_command_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["playground"]) == 0
    assert capsys.readouterr().out == "written to 'playground.html'\n"
    assert (tmp_path / "playground.html").read_text(encoding="utf-8") == playground_page()
    assert main(["playground", "no/where.html"]) == 2
    assert "cannot write 'no/where.html'" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_a_hyphen_prints_the_page_and_names_no_file(tmp_path: Path) -> None:
    command = [*COMMAND, "playground", "-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == playground_page() and not list(tmp_path.iterdir())


def test_the_page_loads_nothing() -> None:
    page = playground_page()
    assert "default-src 'none'; style-src 'sha256-" in unescape(page)
    addresses = set(re.findall(r"https?://[^\"\s]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}, "the name of SVG elements"
    assert not re.search(r"<(link|img|iframe)|\ssrc=|\sstyle=|\son\w+=", page)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with lone_browser() as browser:
        yield browser


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[object]:
    """Opens the page from a file; it asks for nothing else, and nothing fails in it."""
    wrong: list[str] = []
    contexts = []
    file = tmp_path / "playground.html"
    file.write_text(playground_page(), encoding="utf-8")

    def open_page(width: int = 1366, height: int = 768, name: str = "playground.html", **options: str) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))  # type: ignore[arg-type]
        page = contexts[-1].new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
        page.goto((tmp_path / name).as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


ALL = "Estimates of 1,000 data sets, 200 samples each"


def test_one_screen_follows_what_is_drawn(opened) -> None:  # type: ignore[no-untyped-def]
    page = opened()
    words, heading = page.locator("#words"), page.locator("#heading")
    expect(heading).to_have_text(ALL)
    expect(words).to_contain_text("True error 8.57\u00a0%")
    bottom = page.evaluate("document.querySelector('.two').getBoundingClientRect().bottom")
    assert bottom < 768 and page.evaluate("document.documentElement.scrollWidth") <= 1366
    page.get_by_role("button", name="remember as A").click()
    expect(page.locator("#estimates")).to_contain_text(f"({SLOW_SETS} sets)")
    assert page.locator("#truth").inner_text() == TRUTH
    page.get_by_role("button", name="draw 100").click()
    expect(words).to_contain_text("100 estimates (200 samples each)")
    expect(page.locator("#comparison")).to_contain_text("1,000 estimates (200 samples each)")
    page.get_by_role("button", name="all 1,000").click()
    page.get_by_role("button", name="calibrated").click()
    expect(words).to_contain_text("True error 0.00\u00a0%")
    expect(page.locator("#comparison")).to_contain_text("A: True error 8.57\u00a0%")
    assert page.locator("svg#estimates .behind").count() == len(ESTIMATORS)
    knob = page.locator("#curve .knob").nth(5)
    box = knob.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"], box["y"] - 60, steps=5)
    page.mouse.up()
    bent = float(knob.get_attribute("aria-valuenow") or "nan")
    assert 60 < bent < 85
    knob.press("Shift+ArrowDown")
    expect(knob).to_have_attribute("aria-valuenow", f"{bent - 5:g}")
    curve = [k / 10 for k in range(11)]
    curve[5] = round((bent - 5) / 100, 3)
    truth = cv.true_calibration_error(cv.Network.drawn(curve), 1)
    expect(words).to_contain_text(f"True error {100 * truth:.2f}\u00a0%")
    page.get_by_role("button", name="swap with A").click()
    expect(words).to_contain_text("True error 8.57\u00a0%")
    page.get_by_role("button", name="forget A").click()
    expect(page.locator("#comparison")).to_be_empty()


def test_data_sets_fall_one_by_one(opened) -> None:  # type: ignore[no-untyped-def]
    page = opened()
    heading = page.locator("#heading")
    expect(heading).to_have_text(ALL)
    for name, sets in (("draw one", "1"), ("draw one", "2"), ("draw 100", "102"), ("all 1,000", "1,000")):
        page.get_by_role("button", name=name).click()
        expect(heading).to_contain_text(f"Estimates of {sets} data sets")
    page.get_by_role("button", name="let them fall").click()
    expect(heading).to_contain_text(re.compile(r"Estimates of (?!1,000)\d+ data sets"))  # not one of them for long
    page.get_by_role("button", name="stop").click()
    expect(page.get_by_role("button", name="let them fall")).to_be_visible()
    page.locator("#estimates .row").nth(7).click()
    expect(page.locator("#estimator")).to_have_value("sweep")


def test_the_base_rate_has_no_error_and_separates_nobody(opened) -> None:  # type: ignore[no-untyped-def]
    page = opened()
    page.get_by_role("button", name="base rate").click()
    expect(page.locator("#words")).to_contain_text("True error 0.00\u00a0%")
    expect(page.locator("#separation")).to_contain_text("32.50\u00a0% for everybody")
    page.get_by_role("button", name="zigzag").click()
    expect(page.locator("#separation")).to_contain_text("49.00\u00a0% on average")


def test_scores_of_ones_own_are_measured_as_python_does(opened) -> None:  # type: ignore[no-untyped-def]
    page = opened(reduced_motion="reduce")
    expect(page.locator("#heading")).to_have_text(ALL)
    page.locator("summary").click()
    page.locator("#own").fill("0.3, 1\n0.9, 2")
    page.get_by_role("button", name="take them").click()
    said = 'line 2: "0.9, 2" is not a score from 0 to 1 and a label 0 or 1, such as 0.91, 1'
    expect(page.locator("#refused")).to_have_text(said)
    rng = np.random.default_rng(5)
    score = rng.random(150).round(4)
    target = (rng.random(150) < score**2).astype(float)
    page.locator("#own").fill("\n".join(f"{s}\t{int(t)}" for s, t in zip(score, target, strict=True)))
    page.get_by_role("button", name="take them").click()
    expect(page.locator("#refused")).to_be_empty()
    page.locator("#estimator").select_option("equal-mass")
    expected = by_python(score, target, 15, 1)["equal-mass"]
    assert expected is not None
    expect(page.locator("#words")).to_contain_text(f"your sample gives {100 * expected:.2f}\u00a0%")
    expect(page.locator("#n")).to_have_value("150")
    page.get_by_role("button", name="leave them").click()
    expect(page.locator("#words")).to_contain_text("this sample gives")


def test_it_works_in_a_frame(opened, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    frame = '<iframe sandbox="allow-scripts" src="playground.html" width="700" height="900"></iframe>'
    (tmp_path / "framed.html").write_text(f"<!DOCTYPE html>{frame}", encoding="utf-8")
    page = opened(name="framed.html")
    inside = page.frame_locator("iframe")
    expect(inside.locator("#heading")).to_have_text(ALL)
    inside.get_by_role("button", name="label noise").click()
    expect(inside.locator("#words")).to_contain_text("True error 5.00\u00a0%")


@pytest.mark.parametrize("width", [1366, 420])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible_and_no_wider_than_the_screen(opened, width: int, theme: str) -> None:  # type: ignore[no-untyped-def]
    page = opened(width=width, color_scheme=theme)
    expect(page.locator("#heading")).to_have_text(ALL)
    page.locator("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    violations = Axe().run(page).response["violations"]
    assert not [(found["id"], [node["html"] for node in found["nodes"]]) for found in violations]
