"""Take the pictures of the Explorer in docs/images, in a real browser.

    python scripts/make_screenshots.py                          # all of them
    python scripts/make_screenshots.py explorer-light           # only some

Each picture is a page of its own, served by the server of `calibviz explore` and photographed by an installed Chromium
or Chrome (see tests/browser). A further picture is one more entry in `PICTURES`.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.pages import find_browser, launch

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "images"
SIZE = {"width": 1420, "height": 1000}  # wide enough for three panels side by side
SCALE = 1.5
MARGIN = 12  # around the Explorer, in CSS pixels
COLOURS = 256  # flat colours and thin lines: a palette shows them as well, in a third of the bytes

#: What a page has no business to show: refusals of the Explorer, warnings and errors of its kernel.
COMPLAINTS = """.calibviz-status .refused, [data-mime-type="application/vnd.jupyter.stderr"],
[data-mime-type="application/vnd.jupyter.error"]"""

#: True once the Explorer has looked the same for half a second, with all its fonts.
SETTLED = """async () => {
    await document.fonts.ready;
    const shown = document.querySelector(".calibviz-explorer");
    const look = () => shown.outerHTML + JSON.stringify(shown.getBoundingClientRect());
    let last = look(), since = performance.now();
    while (performance.now() - since < 500) {
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


EXPLORER = "import calibviz as cv; cv.Explorer(cv.load_dataset('digits'), model='random forest')"
CATEGORIES = (  # what the README's tour ends with
    "import calibviz as cv; cv.Explorer(cv.load_dataset('digits'), model='random forest', "
    "selection='label in [3, 5, 8, 9]', bins=10, likert=(0, 0.5, 0.9, 1))"
)
PICTURES = {
    "explorer-light": Picture(EXPLORER),
    "explorer-dark": Picture(EXPLORER, "dark"),
    "categories-light": Picture(CATEGORIES),
    "categories-dark": Picture(CATEGORIES, "dark"),
}


@contextmanager
def serve(picture: Picture) -> Iterator[str]:
    """Serve the page of a picture and yield its address."""
    start = f"from calibviz.server import serve; serve([{picture.code!r}], theme={picture.theme!r}, browser=False)"
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield next(word for word in process.stdout.readline().split() if word.startswith("http"))
        finally:
            process.terminate()


def open_page(browser: Browser, url: str, theme: str) -> Page:
    """Open a page and wait until the Explorer on it is complete and still."""
    page = browser.new_context(viewport=SIZE, device_scale_factor=SCALE, color_scheme=theme).new_page()
    page.goto(url)
    for name in ("reliability", "histogram", "cumulative", "recalibration"):
        page.locator(f".calibviz-{name} path.line[d]").first.wait_for(state="attached")
    page.locator(".calibviz-numbers td").first.wait_for()
    page.evaluate(SETTLED)
    return page


def photograph(page: Page) -> bytes:
    """The Explorer, all of it, as PNG."""
    for complaint in page.locator(COMPLAINTS).all():
        raise SystemExit(f"the page says: {complaint.inner_text().strip()}")
    page.set_viewport_size({"width": SIZE["width"], "height": round(_bottom(page)) + MARGIN})
    page.evaluate(SETTLED)
    box = page.locator(".calibviz-body").bounding_box()  # below the line for messages, which is empty
    assert box is not None
    top = box["y"] - MARGIN
    return page.screenshot(clip={"x": 0, "y": top, "width": SIZE["width"], "height": _bottom(page) + MARGIN - top})


def _bottom(page: Page) -> float:
    box = page.locator(".calibviz-body").bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def write(png: bytes, path: Path) -> None:
    """Write a picture with a palette of its own."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {image.width} x {image.height}, {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Read the command line and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)} (default: all)")
    names = parser.parse_args().names or list(PICTURES)
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        parser.error(f"there is no picture {unknown[0]!r}")
    path = find_browser()
    if path is None:
        raise SystemExit("no Chromium or Chrome found")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launch(playwright, path)
        for name in names:
            with serve(PICTURES[name]) as url:
                page = open_page(browser, url, PICTURES[name].theme)
                write(photograph(page), FOLDER / f"{name}.png")
                page.context.close()
        browser.close()


if __name__ == "__main__":
    main()
