"""How long the start takes: ``import calibviz`` and first numbers, each in a fresh process, beside ``import xarray``.

Then, in a browser, from the command to the first picture: ``calibviz demo`` beside a Voila page with a bqplot figure;
and in the demo, from a click on another data set to its picture. At last the memory of a kernel that shows an Explorer.
Run ``python benchmarks/start.py``; ``--rounds`` changes how often each is started.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import nbformat
import psutil
from jupyter_client.manager import start_new_kernel
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.pages import find_browser, launch

PREDICTIONS = "cv.Predictions([[0.3, 0.7], [0.6, 0.4]], [1, 0])"
BESIDE = "import xarray"
PROGRAMS = {
    "python alone": "",
    BESIDE: BESIDE,
    "import calibviz": "import calibviz",
    "first calibration_error": f"import calibviz as cv; cv.calibration_error({PREDICTIONS})",
    "first evaluate": f"import calibviz as cv; cv.evaluate({PREDICTIONS})",
}
BARE = """
import bqplot, ipywidgets, numpy as np
x = np.linspace(0, 1, 100)
line = bqplot.Lines(x=x, y=x, scales={"x": bqplot.LinearScale(), "y": bqplot.LinearScale()})
bqplot.Figure(marks=[line], animation_duration=0)
"""
BARE_PAGE = "a bare Voila page"
PAGES = {
    BARE_PAGE: [sys.executable, "-m", "voila", "--no-browser", "--port={}", "bare.ipynb"],
    "calibviz demo": [sys.executable, "-m", "calibviz.app", "demo", "--no-browser"],
}
SWITCHES = ("tumours", "heart")  # the data sets of the demo that are chosen in turns
SWITCH_LIMIT = 0.7  # seconds
CHOOSE_DATA = """async (name) => {
    const drawn = () => {
        const views = [...document.querySelectorAll(".calibviz-swapped > :not(.is-coming) .calibviz-explorer")];
        return views.some((view) => view !== before && view.querySelector("svg path.line[d]"));
    };
    const before = document.querySelector(".calibviz-explorer");
    const start = performance.now();
    [...document.querySelectorAll(".calibviz-data button")].find((button) => button.innerText.includes(name)).click();
    while (!drawn()) await new Promise((done) => requestAnimationFrame(done));
    return (performance.now() - start) / 1000;
}"""
EXPLORER = """
import calibviz as cv
explorer = cv.Explorer(cv.load_dataset("heart"))
display(explorer)
explorer.finish()
"""
#: What pandas and xarray import where it is installed; of calibviz, only extras need it.
OF_EXTRAS = ("pyarrow", "dask")
KERNELS = {
    "a kernel with an Explorer": f"import sys; sys.modules.update(dict.fromkeys({OF_EXTRAS}))" + EXPLORER,
    f"the same, with {' and '.join(OF_EXTRAS)}": f"import {', '.join(OF_EXTRAS)}" + EXPLORER,
}
MEMORY_LIMIT = 180  # MB
LIMITS = {"import calibviz": 1.3, "calibviz demo": 1.0}  # times what stands beside it


def seconds(program: str) -> float:
    """The time from the start of an interpreter to its end."""
    start = perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[1], check=True)
    return perf_counter() - start


def seconds_of_page(command: list[str], browser: Browser, folder: Path) -> tuple[float, list[float]]:
    """The time from the start of a command that serves a page to the first curve in it, and to each next data set."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        command = [word.format(free.getsockname()[1]) for word in command]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONUNBUFFERED": "1"}
    start = perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        said = (re.search(r"http://(127\.0\.0\.1|localhost):\d+/\S*", line) for line in process.stdout)
        address = next(filter(None, said))[0]
        with browser.new_page() as page:
            page.goto(address, wait_until="commit")
            page.wait_for_selector("svg path.line[d]", state="attached")
            taken, switches = perf_counter() - start, list[float]()
            if page.locator(".calibviz-data").count():
                page.wait_for_timeout(3000)  # what fills in is there
                for name in SWITCHES * 2:
                    switches.append(page.evaluate(CHOOSE_DATA, name))
                    page.wait_for_timeout(2000)
        process.terminate()
    return taken, switches


def megabytes(program: str) -> float:
    """The memory of a kernel that has run a program."""
    manager, client = start_new_kernel()
    try:
        reply = client.execute_interactive(program, timeout=120, output_hook=lambda message: None)
        assert reply["content"]["status"] == "ok", reply["content"]
        return psutil.Process(manager.provisioner.pid).memory_info().rss / 2**20
    finally:
        client.stop_channels()
        manager.shutdown_kernel()


def print_times(times: dict[str, list[float]], beside: str) -> None:
    base = median(times[beside])
    for name, measured in times.items():
        ratio = median(measured) / base
        missed = "  MISSED" if ratio > LIMITS.get(name, ratio) else ""
        print(f"{name:24} {1000 * median(measured):6.0f} ms, {ratio:5.2f} times {beside}{missed}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    for program in PROGRAMS.values():  # so that all files are compiled, and read from disk
        seconds(program)
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(options.rounds):  # in turns, so that a busy moment meets all of them
        for name, program in PROGRAMS.items():
            times[name].append(seconds(program))
    print_times(times, BESIDE)

    path = find_browser()
    if path is None:
        sys.exit("the pages need Chromium or Chrome, and there is none")
    pages: dict[str, list[float]] = {name: [] for name in PAGES}
    switches: list[float] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(BARE)])
        nbformat.write(notebook, Path(folder, "bare.ipynb"))
        browser = launch(playwright, path)
        for i in range(options.rounds + 1):
            for name, command in PAGES.items():
                taken, switched = seconds_of_page(command, browser, Path(folder))
                if i:  # the first fills the browser's and the system's caches
                    pages[name].append(taken)
                    switches += switched
        browser.close()
    print_times(pages, BARE_PAGE)
    missed = "  MISSED" if median(switches) > SWITCH_LIMIT else ""
    print(f"{'another data set':24} {1000 * median(switches):6.0f} ms, at most {1000 * SWITCH_LIMIT:.0f}{missed}")

    for name, program in KERNELS.items():
        taken = megabytes(program)
        print(f"{name:38} {taken:4.0f} MB, at most {MEMORY_LIMIT}{'  MISSED' if taken > MEMORY_LIMIT else ''}")


if __name__ == "__main__":
    main()
