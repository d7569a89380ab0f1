"""Tables and downloads in a real browser, in Voila and in JupyterLab: by mouse and keyboard, in light and dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from .pages import Pages
from .stage import Stage

SCRIPT = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"
SET_UP = f"""
from dataclasses import replace

import ipywidgets
from calibviz.explorer.view.page.download import Download
from calibviz.explorer.view.panels.table import TableView
from calibviz.explorer.transport.shared_widgets import HTML
from calibviz.explorer.transport.transport import Transport, assign
from calibviz.figures.tables import Cell, Column, Table

GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="
SCRIPT = {SCRIPT!r}

def make_table(rows=30, columns=6, add=0, **kwargs):
    cells = lambda i: (
        Cell(f"row {{i}}" if i else SCRIPT),
        Cell("a picture", picture=GIF),
        *(Cell(f"{{i + add}}.{{j}}", i * j % 12 / 11, bar=i / rows) for j in range(2, columns - 1)),
        Cell(f"{{i + add}} in all", bar=i / rows),
    )
    heads = [Column("name"), Column(SCRIPT, why=SCRIPT), *(Column(f"c{{j}}", f"why {{j}}") for j in range(2, columns))]
    table = Table("test", "A title", tuple(heads), tuple(map(cells, range(rows))), "What it shows", "A note")
    return replace(table, **kwargs)

transport = Transport()
said = HTML(transport=transport)
said.add_class("test-said")
view = TableView(transport=transport)

def say(*words):
    assign(said, value=said.value + " ".join(map(str, words)) + "; ")
"""
SHOW = "ipywidgets.VBox([transport, said, view])"
ANSWER = """
def answer(row, column):
    with transport.collect():
        say(row, column)
        view.show(make_table(add=100, clickable="cells", current=(row, column)))

view.show(make_table(clickable="cells"))
view.on("click", answer)
"""
# Contrast of each text with what is behind it, as WCAG 2 defines it.
CONTRASTS = """() => {
    const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
    const over = ([r, g, b, a], under) => [r, g, b].map((value, i) => a * value + (1 - a) * under[i]);
    const behind = (element) => {
        const chain = [];
        for (let at = element; at; at = at.parentElement) chain.unshift(parse(getComputedStyle(at).backgroundColor));
        return chain.reduce((under, colour) => over(colour, under), [255, 255, 255]);
    };
    const luminance = (colour) => {
        const parts = colour.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    return [...document.querySelectorAll(".calibviz-table :is(h3, th, td, small)")].map((element) => {
        const back = behind(element);
        const [light, dark] = [over(parse(getComputedStyle(element).color), back), back].map(luminance)
            .sort((a, b) => b - a);
        return [element.textContent, (light + 0.05) / (dark + 0.05)];
    });
}"""


def cell(page: Page, row: int, column: int) -> Locator:
    return page.locator(".calibviz-table tbody tr").nth(row).locator("th, td").nth(column)


def said(page: Page) -> Locator:
    return page.locator(".test-said .widget-html-content")


def height(cell: Locator) -> float:
    """How far below the top of its box it is seen."""
    seen: float = cell.evaluate(
        "cell => cell.getBoundingClientRect().top - cell.closest('div').getBoundingClientRect().top"
    )
    return seen


def test_a_table_is_shown_and_harms_nobody(stage: Stage) -> None:
    page = stage([SET_UP, "view.show(make_table())", SHOW])
    expect(page.get_by_role("table", name="What it shows")).to_be_visible()
    expect(page.get_by_role("heading", name="A title")).to_be_visible()
    expect(page.get_by_text("A note", exact=True)).to_be_visible()
    expect(page.get_by_role("rowheader", name="row 3", exact=True)).to_be_visible()
    expect(page.get_by_role("img", name="a picture")).to_have_count(30)
    expect(page.get_by_role("columnheader", name="c2", exact=True)).to_have_attribute("title", "why 2")
    expect(cell(page, 0, 0)).to_have_text(SCRIPT)
    expect(page.locator(".calibviz-table thead th").nth(1)).to_have_text(SCRIPT)
    expect(page.locator(".calibviz-table script, .calibviz-table img[src=x]")).to_have_count(0)
    assert page.evaluate("window.harmed") is None


def test_no_line_ends_within_a_date(stage: Stage) -> None:
    day = "2026-01-05"
    page = stage(
        [SET_UP, f"from dataclasses import replace\nview.show(replace(make_table(), note='from {day} on'))", SHOW]
    )
    note = page.locator(".calibviz-table small", has_text=day)
    expect(note).to_have_text(f"from {day} on")
    expect(note.locator("time")).to_have_text(day)
    expect(note.locator("time")).to_have_css("white-space", "nowrap")


def test_a_click_is_answered(stage: Stage) -> None:
    page = stage([SET_UP, ANSWER, SHOW])
    cell(page, 2, 3).click()
    expect(said(page)).to_have_text("2 3; ")
    expect(cell(page, 2, 3)).to_have_attribute("aria-current", "true")
    expect(cell(page, 2, 3)).to_have_text("102.3")
    cell(page, 3, 0).click()  # the heading of a row is none of the cells
    cell(page, 1, 1).locator("img").click()
    expect(said(page)).to_have_text("2 3; 1 1; ")
    expect(page.locator(".calibviz-table [aria-current]")).to_have_count(1)


def test_the_keyboard_is_enough(stage: Stage) -> None:
    page = stage([SET_UP, ANSWER, SHOW])
    expect(cell(page, 0, 1)).to_have_attribute("tabindex", "0")
    expect(page.locator(".calibviz-table td[tabindex='0']")).to_have_count(1)
    page.get_by_role("region", name="A title").focus()
    for key in ("Tab", "ArrowRight", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(said(page)).to_have_text("2 2; ")
    expect(cell(page, 2, 2)).to_be_focused()
    for key in ("End", "ArrowRight", "ArrowUp", "Space"):
        page.keyboard.press(key)
    expect(said(page)).to_have_text("2 2; 1 5; ")
    for key in ("Home", "PageDown", "PageDown", "PageDown", "PageDown", "Enter"):
        page.keyboard.press(key)
    expect(said(page)).to_have_text("2 2; 1 5; 29 1; ")
    expect(cell(page, 29, 1)).to_be_in_viewport()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(cell(page, 29, 1)).to_be_focused()


def test_focus_and_scroll_position_survive_an_update(stage: Stage) -> None:
    page = stage([SET_UP, ANSWER, SHOW])
    cell(page, 20, 2).focus()
    before = height(cell(page, 20, 2))
    assert 0 < before < 320
    page.evaluate("window.kept = document.activeElement")
    page.keyboard.press("Enter")
    expect(cell(page, 20, 2)).to_have_text("120.2")
    expect(cell(page, 20, 2)).to_be_focused()
    assert page.evaluate("window.kept === document.activeElement")
    assert abs(height(cell(page, 20, 2)) - before) < 2


def test_rows_are_chosen_as_a_whole_and_may_go(stage: Stage) -> None:
    shrink = """
def shrink(row, column):
    say(row, column)
    view.show(make_table(rows=5, clickable="rows", current=(3, None)))

view.show(make_table(clickable="rows", current=(6, None)))
view.on("click", shrink)
"""
    page = stage([SET_UP, shrink, SHOW])
    rows = page.locator(".calibviz-table tbody tr")
    expect(rows.nth(6)).to_have_attribute("aria-current", "true")
    expect(rows.nth(6)).to_have_attribute("tabindex", "0")
    rows.nth(6).focus()
    for key in ("ArrowDown", "End", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(said(page)).to_have_text("28 0; ")
    expect(rows).to_have_count(5)
    expect(rows.nth(4)).to_be_focused()  # the nearest that is left
    cell(page, 1, 3).click()
    expect(said(page)).to_have_text("28 0; 1 0; ")


PLAIN = """
shaded = make_table(columns=12)
plain = replace(shaded, rows=tuple(tuple(replace(cell, shade=None) for cell in row) for row in shaded.rows))
view.show(plain)
"""


def test_rows_are_blocks_where_a_table_would_be_cut(voila_stage: Stage) -> None:
    page = voila_stage([SET_UP, PLAIN, SHOW], viewport={"width": 420, "height": 800})
    table, box = page.locator(".calibviz-table"), page.get_by_role("region", name="A title")
    is_whole = (
        "() => [...document.querySelectorAll('.calibviz-table > div')].every(e => e.scrollWidth <= e.clientWidth)"
    )
    expect(table).to_have_class(re.compile("in-blocks"))
    page.wait_for_function(is_whole)
    page.set_viewport_size({"width": 1400, "height": 800})
    expect(table).not_to_have_class(re.compile("in-blocks"))
    page.wait_for_function(is_whole)
    expect(box).to_have_attribute("tabindex", "0")  # its 30 rows scroll
    page.set_viewport_size({"width": 420, "height": 800})
    expect(table).to_have_class(re.compile("in-blocks"))
    expect(box).not_to_have_attribute("tabindex", "0")


FRAMES = """rows => rows.map((row) => {
    const [own, cells] = [getComputedStyle(row), [...row.cells].map((cell) => getComputedStyle(cell))];
    const isFramed = own.outlineStyle === "solid" && own.outlineWidth === "2px";
    const isWhole = cells.every(({ boxShadow, zIndex }) => boxShadow === "none" && zIndex === "auto");
    return [isFramed, isWhole];
})"""


def test_a_chosen_row_that_is_a_block_has_one_frame_around_it(voila_stage: Stage) -> None:
    show = 'view.show(replace(plain, rows=plain.rows[:3], clickable="rows", current=(1, None)))'
    page = voila_stage([SET_UP, PLAIN, show, SHOW], viewport={"width": 420, "height": 800})
    expect(page.locator(".calibviz-table")).to_have_class(re.compile("in-blocks"))
    rows = page.locator(".calibviz-table tbody tr")
    expect(rows).to_have_count(3)
    assert rows.evaluate_all(FRAMES) == [[False, False], [True, True], [False, False]]
    rows.nth(1).focus()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(2)).to_have_css("outline", re.compile("3px"))
    expect(rows.nth(2)).to_have_css("outline-offset", "-3px")  # or the box of the table, as wide as a row, would cut it


def test_a_table_that_can_be_sorted_keeps_its_headings_and_scrolls(voila_stage: Stage) -> None:
    sortable = "table = make_table(columns=60)\ncolumns = tuple(replace(c, sort='none') for c in table.columns)"
    page = voila_stage([SET_UP, f"{sortable}\nview.show(replace(table, columns=columns))", SHOW])
    box = page.get_by_role("region", name="A title")
    expect(box).to_have_attribute("tabindex", "0")
    assert box.evaluate("box => box.clientHeight <= 320 && box.scrollWidth > box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    box.focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelector('.calibviz-table > div').scrollTop > 300")
    expect(page.get_by_role("columnheader", name="name", exact=True)).to_be_in_viewport()


def test_a_map_of_colours_scrolls(voila_stage: Stage) -> None:
    page = voila_stage([SET_UP, "view.show(make_table(columns=12))", SHOW], viewport={"width": 420, "height": 800})
    expect(page.get_by_role("region", name="A title")).to_have_attribute("tabindex", "0")
    expect(page.locator(".calibviz-table")).not_to_have_class(re.compile("in-blocks"))


#: In how many lines the text of an element stands.
LINES = """(selector) => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector(selector).firstChild);
    return new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size;
}"""


def test_names_of_rows_take_one_line_where_there_is_room(voila_stage: Stage) -> None:
    heads = "Column('model'), Column('how unsure (mean entropy)'), Column('wavers between (perplexity)')"
    cells = "Cell('naive Bayes, spline'), Cell('0.212 nat'), Cell('1.24 classes')"
    shown = f"view.show(Table('test', 'A title', ({heads}), (({cells}),), 'alt'))"
    page = voila_stage([SET_UP, shown, SHOW], viewport={"width": 450, "height": 800})
    name = ".calibviz-table tbody th"
    page.wait_for_selector(name)
    assert page.evaluate(LINES, name) == 1


def test_what_fits_is_no_stop(voila_stage: Stage) -> None:
    page = voila_stage([SET_UP, "view.show(make_table(rows=3))", SHOW])
    expect(page.get_by_role("rowheader", name="row 2")).to_be_visible()
    expect(page.locator(".calibviz-table [tabindex]")).to_have_count(0)


OFFER = """
download = Download()
button = ipywidgets.Button(description="save")
button.on_click(lambda _: download.offer("ä b.bin", bytes(range(256)), "application/octet-stream"))
button
"""


def test_a_file_arrives_as_it_was(stage: Stage, tmp_path: Path) -> None:
    page = stage([SET_UP, OFFER])
    with page.expect_download() as offered:
        page.get_by_role("button", name="save", exact=True).click()
    assert offered.value.suggested_filename == "ä b.bin"
    offered.value.save_as(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == bytes(range(256))


COPY = """
download = Download()
download.on_copied(lambda copied, _text: say("copied", copied))
button = ipywidgets.Button(description="copy")
button.on_click(lambda _: download.copy("two\\nlines"))
ipywidgets.VBox([transport, said, button, ipywidgets.Textarea(placeholder="paste here")])
"""
DENY = "navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));"
DENY_ALL = DENY + "document.execCommand = () => false;"
ALLOW = "() => { delete navigator.clipboard.writeText; delete document.execCommand; }"


@pytest.mark.parametrize("hindrance", ["", DENY], ids=["clipboard", "field"])
def test_text_is_put_on_the_clipboard(stage: Stage, hindrance: str) -> None:
    page = stage([SET_UP, COPY])
    page.evaluate(f"() => {{ {hindrance} }}")
    page.get_by_role("button", name="copy", exact=True).click()
    expect(said(page)).to_have_text("copied True; ")
    page.evaluate(ALLOW)
    page.get_by_placeholder("paste here").focus()
    page.keyboard.press("Control+V")
    expect(page.get_by_placeholder("paste here")).to_have_value("two\nlines")


def test_it_is_said_when_text_cannot_be_copied(voila_stage: Stage) -> None:
    page = voila_stage([SET_UP, COPY])
    page.evaluate(f"() => {{ {DENY_ALL} }}")
    page.get_by_role("button", name="copy", exact=True).click()
    expect(said(page)).to_have_text("copied False; ")
    page.evaluate(ALLOW)


NOISE = """
cells = Cell("before"), Cell("1.2 %", below="within noise: 2 %\\ntrue: 0 %", faint=True, why="Measured"), Cell("3 %")
view.show(Table("noise", "", (Column(""), Column("ECE"), Column("KS")), (cells,), "Errors"))
"""


def test_what_is_no_more_than_noise_says_so(voila_stage: Stage) -> None:
    page = voila_stage([SET_UP, NOISE, SHOW])
    grey, plain = (page.locator(".calibviz-table tbody td").nth(place) for place in (0, 1))
    expect(grey.locator("small")).to_have_text("within noise: 2 %\ntrue: 0 %")
    expect(grey).to_have_attribute("title", "Measured")
    assert plain.get_attribute("title") is None and plain.locator("small").count() == 0


BOTH = "first, view = view, TableView(transport=transport)"
SHOW_BOTH = "ipywidgets.VBox([transport, said, view, first])"


@pytest.mark.parametrize(
    ("host_name", "theme"), [("voila_stage", "light"), ("dark_stage", "dark"), ("lab_stage", "light"), ("lab", "dark")]
)
def test_every_text_can_be_read_and_noise_is_grey(request: pytest.FixtureRequest, host_name: str, theme: str) -> None:
    host: Pages | Stage = request.getfixturevalue(host_name)
    own = {"theme": theme} if isinstance(host, Pages) else {}
    show = 'view.show(make_table(clickable="cells", current=(1, 2)))'
    page = host([SET_UP, show, BOTH, NOISE, SHOW_BOTH], **own)
    tables = page.locator(".calibviz-table")
    expect(tables.nth(1).locator("tbody td").last).to_be_attached()
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) == (2 + 31 * 6) + 9  # the large one, and the other with its notes
    assert [(text, contrast) for text, contrast in contrasts if text.strip() and contrast < 4.5] == []
    grey, plain = (tables.nth(0).locator("tbody td").nth(place) for place in (0, 1))
    colours = [one.evaluate("(cell) => getComputedStyle(cell).color") for one in (grey, plain)]
    assert colours[0] != colours[1]
    is_dark = tables.nth(1).locator("> div").evaluate("box => getComputedStyle(box).backgroundColor") != (
        "rgb(255, 255, 255)"
    )
    assert is_dark == (theme == "dark")
