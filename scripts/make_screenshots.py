"""Take pictures of the Explorer in a real browser.

    python scripts/make_screenshots.py                          # those of the README, into docs/images
    python scripts/make_screenshots.py explorer-light           # only some of them
    python scripts/make_screenshots.py --survey FOLDER          # all hosts, themes and widths, to be looked at

The notebooks are served by Voila, JupyterLab and Jupyter Notebook and photographed by an installed Chromium or Chrome
(see tests/browser). A further picture is one more entry in `PICTURES`.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from small_pictures import write

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.jupyter_servers import LAB, NOTEBOOK, VOILA, JupyterServer
from browser.pages import LabPages, NotebookPages, Pages, VoilaPages, find_browser, launch

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "images"
WIDTH = 1420  # wide enough for three panels side by side
SCALE = 1.5
MARGIN = 12  # around the Explorer, in CSS pixels
COLOURS = 256
HOSTS = {"voila": (VOILA, VoilaPages), "lab": (LAB, LabPages), "notebook": (NOTEBOOK, NotebookPages)}

#: What a page has no business to show: refusals of the Explorer, warnings and errors of its kernel.
COMPLAINTS = """.calibviz-status .refused, [data-mime-type="application/vnd.jupyter.stderr"],
[data-mime-type="application/vnd.jupyter.error"]"""

#: True once the Explorer has looked the same for a second, with all its fonts, and nothing fills in any more.
SETTLED = """async () => {
    await document.fonts.ready;
    const shown = document.querySelector(".calibviz-explorer");
    const look = () => shown.outerHTML + JSON.stringify(shown.getBoundingClientRect());
    let last = look(), since = performance.now();
    while (performance.now() - since < 1000 || shown.querySelector(".calibviz-working progress")) {
        await new Promise(requestAnimationFrame);
        const now = look();
        if (now !== last) { last = now; since = performance.now(); }
    }
    return true;
}"""


@dataclass(frozen=True)
class Picture:
    """A page to photograph: the code whose value is an Explorer, and the theme."""

    code: str
    theme: str = "light"


EXPLORER = "import calibviz as cv; cv.Explorer(cv.load_dataset('heart'))"
CATEGORIES = (  # what the README's tour ends with
    "import calibviz as cv; cv.Explorer(cv.load_dataset('digits'), model='random forest', "
    "selection='label in [3, 5, 8, 9]', bins=10, likert=(0, 0.5, 0.9, 1), panels=('reliability', 'likert'))"
)
PANELS = (
    "import calibviz as cv; from calibviz.answers.registry import ANSWERS; cv.Explorer(cv.load_dataset('digits'), "
    "model='random forest', panels=tuple(ANSWERS), likert=(0, 0.5, 0.9, 1), overlays=('model: naive Bayes',), bin=10)"
)
TRIALS = (
    "import calibviz as cv; from calibviz.answers.registry import ANSWERS; calibration, evaluation = "
    "cv.load_interventions(); cv.Explorer(evaluation, calibration, panels=tuple(ANSWERS), likert=(0, 0.33, 0.66, 1))"
)
PICTURES = {
    f"{name}-{theme}": Picture(code, theme)
    for name, code in (("explorer", EXPLORER), ("categories", CATEGORIES), ("panels", PANELS))
    for theme in ("light", "dark")
}


@contextmanager
def opened(browser: Browser, host: str) -> Iterator[Pages]:
    """A server of one kind, and what opens pages on it."""
    command, kind = HOSTS[host]
    with tempfile.TemporaryDirectory() as folder:
        server = JupyterServer(command, Path(folder))
        try:
            yield kind(browser, server)
        finally:
            server.stop()


def photograph(pages: Pages, picture: Picture, width: int, scale: float) -> bytes:
    """The Explorer on a page of its own, all of it, as PNG."""
    viewport = {"width": width, "height": 1000}
    page = pages(
        [picture.code], picture.theme, viewport=viewport, device_scale_factor=scale, color_scheme=picture.theme
    )
    page.locator(".calibviz-explorer path.line[d]").first.wait_for(state="attached")
    page.locator(".calibviz-evidence svg").first.wait_for(state="attached")
    page.evaluate(SETTLED)
    for complaint in page.locator(COMPLAINTS).all():
        raise SystemExit(f"the page says: {complaint.inner_text().strip()}")
    # The whole of it in one window: lab and notebook scroll inside of theirs.
    height = page.evaluate("document.querySelector('.calibviz-explorer').getBoundingClientRect().height")
    page.set_viewport_size({"width": width, "height": round(height) + 200})
    page.evaluate(SETTLED)
    png = _cut_out(page) if isinstance(pages, VoilaPages) else page.screenshot()
    page.context.close()
    return png


def _cut_out(page: Page) -> bytes:
    """The Explorer and a margin, without the line for messages above it, which is empty."""
    box = page.locator(".calibviz-desk").bounding_box()
    assert box is not None
    top = max(0.0, box["y"] - MARGIN)
    height = box["y"] + box["height"] + MARGIN - top
    viewport = page.viewport_size
    assert viewport is not None
    return page.screenshot(clip={"x": 0, "y": top, "width": viewport["width"], "height": height})


def survey(browser: Browser, folder: Path) -> None:
    """Every host in both themes, Voila in all widths."""
    sizes = {"voila": (700, 800, 1000, 1400, 1920), "lab": (1000, 1600), "notebook": (1000, 1400)}
    for host, widths in sizes.items():
        with opened(browser, host) as pages:
            for theme, width in itertools.product(("light", "dark"), widths):
                write(
                    photograph(pages, Picture(PANELS, theme), width, 1.0),
                    folder / f"{host}-{theme}-{width}.png",
                    COLOURS,
                )
            if host == "voila":
                write(photograph(pages, Picture(TRIALS), 1400, 1.0), folder / "trials.png", COLOURS)


def main() -> None:
    """Read the command line and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)} (default: all)")
    parser.add_argument("--survey", type=Path, metavar="FOLDER", help="all hosts, themes and widths, into this folder")
    arguments = parser.parse_args()
    names = arguments.names or list(PICTURES)
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        parser.error(f"there is no picture {unknown[0]!r}")
    path = find_browser()
    if path is None:
        raise SystemExit("no Chromium or Chrome found")
    with sync_playwright() as playwright:
        browser = launch(playwright, path)
        if arguments.survey is not None:
            arguments.survey.mkdir(parents=True, exist_ok=True)
            survey(browser, arguments.survey)
        else:
            FOLDER.mkdir(parents=True, exist_ok=True)
            with opened(browser, "voila") as pages:
                for name in names:
                    write(photograph(pages, PICTURES[name], WIDTH, SCALE), FOLDER / f"{name}.png", COLOURS)
        browser.close()


if __name__ == "__main__":
    main()
