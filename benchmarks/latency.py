"""How long a figure takes to follow a slider, next to the least that the stack can do.

    python benchmarks/latency.py

Opens two pages in a real browser: (a) one slider and one curve in plain ipywidgets and bqplot, (b) the Explorer. In
turns, it presses arrow keys on the slider of either, with the pointer over the slider, and takes the time from the key
to the changed curve, in the page itself. The ratio says what the Explorer adds; the times themselves depend on the
machine and the server.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.jupyter_servers import VOILA, JupyterServer
from browser.pages import find_browser, launch

BARE = """
import bqplot, ipywidgets, numpy as np
x = np.linspace(0, 1, 100)
line = bqplot.Lines(x=x, y=x, scales={"x": bqplot.LinearScale(), "y": bqplot.LinearScale(min=-1, max=1)})
slider = ipywidgets.IntSlider(value=15, min=1, max=100)
slider.observe(lambda change: setattr(line, "y", np.sin(change.new * x)), "value")
ipywidgets.VBox([slider, bqplot.Figure(marks=[line], animation_duration=0)])
"""
WIDE = """
import calibviz as cv, numpy as np
rng = np.random.default_rng(0)
probs = rng.normal(size=(50_000, 1_000)).astype(np.float32)
labels = rng.integers(1_000, size=50_000)
probs[np.arange(50_000), labels] += rng.normal(4, 2, 50_000)
np.exp(probs, out=probs)
probs /= probs.sum(axis=1, keepdims=True)
predictions = cv.Predictions(probs, labels)
"""
LONG = """
import calibviz as cv, numpy as np
rng = np.random.default_rng(0)
scores = rng.beta(0.5, 0.5, 5_000_000)
predictions = cv.Predictions(scores, rng.random(5_000_000) < scores**1.2)
"""
ALL = "from calibviz.answers.registry import ANSWERS\n"
FOUR = "panels=('reliability', 'cumulative', 'recalibration', 'sensitivity')"
#: What (b) shows: the first screen, four panels or all of them; "wide all" waits until slow work has ended.
CASES = {
    "first": "import calibviz as cv; cv.Explorer(cv.load_dataset('digits'))",
    "four": f"import calibviz as cv; cv.Explorer(cv.load_dataset('digits'), {FOUR})",
    "all": ALL + "import calibviz as cv; cv.Explorer(cv.load_dataset('digits'), panels=tuple(ANSWERS))",
    "wide": WIDE + f"cv.Explorer(predictions, {FOUR})",
    "wide all": ALL + WIDE + "explorer = cv.Explorer(predictions, panels=tuple(ANSWERS)); explorer.finish(); explorer",
    "long": LONG + f"cv.Explorer(predictions, {FOUR})",
}

DRAWER = ".calibviz-advanced"  # the button that opens the drawer in which the slider is
WATCH = """([handle, path]) => {
    let pressed, done;
    document.querySelector(handle).addEventListener("keydown", () => { pressed = performance.now(); }, true);
    const followed = () => {
        if (pressed === undefined) return;
        done(performance.now() - pressed);
        pressed = undefined;
    };
    const observer = new MutationObserver(followed);
    for (const curve of document.querySelectorAll(path)) observer.observe(curve, { attributeFilter: ["d"] });
    window.arm = () => {
        const limit = setTimeout(() => done(null), 10000);
        window.latency = new Promise((resolve) => { done = resolve; }).finally(() => clearTimeout(limit));
    };
}"""

#: Between two keys, in ms: the kernel is idle again, and keys do not keep step with the frames.
PAUSES = (61, 83, 97, 71)


@contextmanager
def serve(code: str, server: str) -> Iterator[str]:
    """Serve one cell of code, with Voila as it is or with the server of ``calibviz explore``, and yield the address."""
    with tempfile.TemporaryDirectory() as folder:
        if server == "voila":
            voila = JupyterServer(VOILA, Path(folder))
            try:
                yield f"{voila.url}/voila/render/{voila.add_notebook([code])}"
            finally:
                voila.stop()
        else:
            start = f"from calibviz.app.server import serve; serve([{code!r}], browser=False)"
            with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True) as process:
                try:
                    assert process.stdout is not None
                    yield next(word for word in process.stdout.readline().split() if word.startswith("http"))
                finally:
                    process.terminate()


def open_page(browser: Browser, url: str, handle: str, path: str) -> Page:
    """Open a page, and prepare it for `measure`."""
    page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
    page.set_default_timeout(180_000)  # some data take their time to make
    page.goto(url)
    page.wait_for_selector(f"{DRAWER}, {handle}")
    if page.locator(DRAWER).count():
        page.click(DRAWER)
    page.wait_for_selector(handle)
    page.wait_for_selector(f"{path}[d]", state="attached")
    page.wait_for_timeout(2000)  # let everything else settle that the page does when it has loaded
    page.evaluate(WATCH, [handle, path])
    return page


def measure(page: Page, handle: str, key: str, count: int) -> list[float]:
    """Press a key `count` times, and return how long the curve took to follow each time, in ms."""
    page.bring_to_front()
    page.hover(handle)  # as after a drag: the browser then looks anew for what is under the pointer, on both pages
    page.focus(handle)
    times = []
    for i in range(count):
        page.evaluate("arm()")
        page.keyboard.press(key)
        time = page.evaluate("latency")
        if time is None:
            raise SystemExit(f"nothing was drawn within 10 s of {key}")
        times.append(time)
        page.wait_for_timeout(PAUSES[i % len(PAUSES)])
    return times


def compare(browser: Browser, urls: list[str], selectors: list[tuple[str, str]], blocks: int, size: int) -> None:
    """Measure both pages in turns and print what came out."""
    pages = [open_page(browser, url, *selector) for url, selector in zip(urls, selectors, strict=True)]
    times: list[list[float]] = [[], []]
    for block in range(-1, blocks):
        for page, (handle, _), taken in zip(pages, selectors, times, strict=True):
            new = measure(page, handle, "ArrowRight" if block % 2 else "ArrowLeft", size)
            if block >= 0:  # the first one warms up
                taken += new
    for name, taken in zip(("one curve", "Explorer"), times, strict=True):
        low, median, high = statistics.quantiles(taken, n=4)
        print(f"{name:10} {median:6.1f} ms  (quartiles {low:.1f} to {high:.1f}, n = {len(taken)})")
    bare, explorer = map(statistics.median, times)
    print(f"{'ratio':10} {explorer / bare:6.2f}")


def main() -> None:
    """Read the command line and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", choices=CASES, default="first", help="what (b) shows")
    parser.add_argument("--handle", default=".calibviz-bins .noUi-handle", help="CSS selector of the slider of (b)")
    parser.add_argument("--path", default=".calibviz-reliability path.line", help="CSS selector of the curves of (b)")
    parser.add_argument("--server", choices=("voila", "calibviz"), default="calibviz")
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--size", type=int, default=10, help="key presses per block")
    args = parser.parse_args()
    path = find_browser()
    if path is None:
        raise SystemExit("no Chromium or Chrome found")
    with ExitStack() as stack:
        urls = [stack.enter_context(serve(code, args.server)) for code in (BARE, CASES[args.case])]
        playwright = stack.enter_context(sync_playwright())
        browser = launch(playwright, path)
        stack.callback(browser.close)
        selectors = [(".noUi-handle", "path.line"), (args.handle, args.path)]
        compare(browser, urls, selectors, args.blocks, args.size)


if __name__ == "__main__":
    main()
