"""The site as people see it: complete, without a request to elsewhere, accessible, and no wider than the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.pages import PATIENCE, lone_browser
from efforts import USUAL
from playwright.sync_api import Browser, Page, expect
from public import documented

import calibviz as cv
from calibviz.answers.asked import effort
from calibviz.answers.registry import ANSWERS
from calibviz.papers.catalogue import ITEMS, PAPERS

#: A page of each kind.
KINDS = (
    "index", "formulas", "glossary", "reviewers", "made/answers", "made/api/index", "made/api/ks_error",
    "made/api/Predictions", "papers", "made/papers/ks", "made/security",
    "made/notebooks/07_which_metric_which_recalibration",
)  # fmt: skip  # short entries stand in rows
Opened = Callable[..., Page]


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Browser]:
    with lone_browser() as browser:
        yield browser


@pytest.fixture
def opened(browser: Browser, site: str) -> Iterator[Opened]:
    """Opens pages of the site, which ask for nothing elsewhere and show no error."""
    wrong: list[str] = []
    with ExitStack() as stack:

        def open_page(name: str, width: int = 1366, theme: str = "light") -> Page:
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(1000 * PATIENCE)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("request", lambda request: wrong.append(request.url) if is_elsewhere(request.url) else None)
            page.goto(f"{site}/{name}")
            page.wait_for_load_state("networkidle")
            return page

        def is_elsewhere(url: str) -> bool:
            return not url.startswith((site, "blob:", "data:"))

        yield open_page
        assert not wrong


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_bars_anybody(opened: Opened, kind: str, theme: str) -> None:
    found = Axe().run(opened(f"{kind}.html", theme=theme)).response["violations"]
    assert not found, [(one["id"], [node["html"] for node in one["nodes"]][:5]) for one in found]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_wide_scrolls_by_itself(opened: Opened, kind: str) -> None:
    page = opened(f"{kind}.html", width=420)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_names_of_rows_stand_in_one_line(opened: Opened) -> None:
    names = opened("made/papers/ece_sweep.html").locator("div.table tbody th")
    assert max(names.evaluate_all("names => names.map((name) => name.getClientRects()[0].height)")) < 40  # pixels


def test_formulas_are_set(opened: Opened) -> None:
    page = opened("formulas.html")
    page.evaluate("MathJax.startup.promise.then(() => true)")
    assert page.locator("mjx-container").count() == page.locator(".math").count() > 100
    assert not page.locator("mjx-merror").count()


def test_the_search_needs_no_server(opened: Opened) -> None:
    page = opened("search.html?q=kolmogorov")
    expect(page.locator("#search-results li a", has_text="ks_error").first).to_be_visible()


def test_every_public_name_has_a_page_with_its_example(folder: Path) -> None:
    for name in documented():
        page = (folder / "made" / "api" / f"{name}.html").read_text(encoding="utf-8")
        assert f"<h1>{name}<" in page
    page = (folder / "made" / "api" / "ks_error.html").read_text(encoding="utf-8")
    assert 'href="../../formulas.html#errors-without-bins"' in page and 'href="kuiper_error.html' in page
    assert "cv" in page and '<span class="gp">&gt;&gt;&gt; </span>' in page


def test_every_answer_has_its_question_and_a_picture_or_rows_with_images(folder: Path) -> None:
    page = (folder / "made" / "answers.html").read_text(encoding="utf-8")
    for name, answer in ANSWERS.items():
        assert f">{answer.button}<" in page
        assert (f"_images/{name}.png" in page) == (name != "instances"), name
    assert page.count('alt="image of sample') == 6  # the first rows of the table of samples


def test_every_paper_has_a_page_with_its_pictures_and_links(folder: Path) -> None:
    pages = {paper: (folder / "made" / "papers" / f"{paper}.html").read_text(encoding="utf-8") for paper in PAPERS}
    for item in ITEMS:
        assert f"Open {item.name} live</a>" in pages[item.paper]
    assert all('class="plot"' in page and "_images/" not in page for page in pages.values())
    links = sum(page.count('href="../../lite/repl/index.html?kernel=python') for page in pages.values())
    assert links == len(ITEMS)


def test_notebooks_have_their_outputs(folder: Path) -> None:
    pages = sorted((folder / "made" / "notebooks").glob("*.html"))
    assert len(pages) == len(list((Path(__file__).parents[2] / "notebooks").glob("*.ipynb")))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "cell_output" in text and "<img" in text and "widget-view" not in text, page.name


def test_the_first_page_shows_what_the_explorer_says(
    opened: Opened, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort, "USUAL", USUAL)  # with which the site was built
    page = opened("index.html")
    said, news = (page.locator(f".hero .{one}").locator("visible=true") for one in ("said", "news"))
    shown = {"heart": (None, 70, 93), "digits": ("handwritten digits", 98, 87), "tumours": ("tumours", 37, 37)}
    for name, (choice, predicted, observed) in shown.items():
        if choice is not None:
            page.get_by_role("radio", name=choice).check()
        expect(news).to_have_text(f"Predicted {predicted} of 100.Observed {observed}.")
        verdict = str(cv.verdict(next(iter(cv.load_dataset(name).values()))))
        assert "\n".join(said.all_inner_texts()) == verdict
        expect(page.locator(".hero section").locator("visible=true")).to_have_count(1)
    page.get_by_role("radio", name="heart disease").check()
    cards = page.locator(".cards > li")
    assert cards.locator(".plots svg").count() == cards.count() == len(PAPERS)
    for link in cards.locator("a").all():
        assert page.request.get(f"{site}/{link.get_attribute('href')}").ok
    page.locator(".hero .plots").first.press("ArrowRight")
    expect(page.locator(".hero .tip").first).to_contain_text("by the curve")


def test_the_button_says_where_the_explorer_is_missing(opened: Opened) -> None:
    page = opened("index.html")
    assert not page.locator("iframe").count()
    page.get_by_role("button", name="Open the Explorer on this page").click()
    expect(page.locator(".try p")).to_contain_text("This copy of the site was built without it.")
    page.get_by_role("link", name="Two commands open it").click()
    assert page.url.endswith("#on-your-machine")


@pytest.mark.parametrize("button", ["Open the Explorer on this page", "Open your own file"])
def test_a_button_opens_the_explorer_that_lies_beside(opened: Opened, folder: Path, button: str) -> None:
    import lite_site

    address = lite_site.address(lite_site.OWN_FILE) if "file" in button else lite_site.address()
    lite = folder / "lite"
    (lite / "repl").mkdir(parents=True, exist_ok=True)
    (lite / "jupyter-lite.json").write_text("{}", encoding="utf-8")
    (lite / "repl" / "index.html").write_text("<p id='address'></p><script>address.textContent = location</script>")
    try:
        page = opened("index.html")
        page.get_by_role("button", name=button).click()
        inside = page.frame_locator("iframe[title='The Explorer']")
        expect(inside.locator("#address")).to_contain_text(f"/lite/{address}")
        assert not page.locator(".try button").count()
    finally:
        (lite / "jupyter-lite.json").unlink()  # the other tests see a site without it


def test_the_site_is_of_this_version(folder: Path) -> None:
    assert cv.__version__ in (folder / "objects.inv").read_bytes()[:200].decode(errors="replace")


@pytest.mark.parametrize("width", [1366, 420])
def test_the_playground_stands_in_its_page(opened: Opened, width: int) -> None:
    page = opened("playground.html", width=width)
    expect(page.frame_locator("iframe.playground").locator("#words")).to_contain_text("True error 8.57")
    box = page.locator("iframe.playground").bounding_box()
    assert box is not None and box["width"] > 0.8 * width
