"""Nothing of the Explorer is cut or hidden, and everyone can use it: at all widths, light and dark, in every host."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from calibviz.answers.registry import ANSWERS

from .explorer import (
    ALL,
    DIGITS,
    QUICK,
    choose,
    control,
    open_drawer,
    open_explorer,
    open_measures,
    press,
    resize,
    settle,
    write,
)
from .layout import layout_problems, violations
from .pages import Pages
from .stage import Stage

WIDTHS = (1920, 1400, 1000, 800, 700, 582, 420)
PLACES = [
    ("voila_stage", "light", WIDTHS), ("dark_stage", "dark", (1400,)),
    ("lab", "dark", (800,)), ("notebook", "light", (1000,)),  # pages of their own
]  # fmt: skip  # short entries stand in rows
QUESTIONS = {kind.question: name for name, kind in ANSWERS.items() if kind.question}


@pytest.mark.parametrize(
    ("host_name", "theme", "widths"), PLACES, ids=lambda value: value if value != WIDTHS else "all"
)
def test_all_panels_fit_and_are_accessible(
    request: pytest.FixtureRequest, host_name: str, theme: str, widths: tuple[int, ...]
) -> None:
    host: Pages | Stage = request.getfixturevalue(host_name)
    own = {"theme": theme} if isinstance(host, Pages) else {}
    # All of it is in view: what is not, bqplot does not draw again when its place changes.
    page = open_explorer(host, ALL + "explorer", viewport={"width": widths[0], "height": 14000}, **own)
    for width in widths:
        resize(page, width, 14000 if width > 600 else 20500)
        assert (width, layout_problems(page)) == (width, [])
    assert violations(page) == []
    dark = page.locator(".calibviz-explorer").evaluate("one => getComputedStyle(one).color.match(/\\d+/)[0] > 127")
    assert dark == (theme == "dark")


# How much of the grid is under panels and the gaps beside and below them.
FILLED = """grid => {
    const gap = parseFloat(getComputedStyle(grid).columnGap);
    const area = ({ width, height }, room) => (width + room) * (height + room);
    const panels = [...grid.children].map((panel) => area(panel.getBoundingClientRect(), gap));
    return panels.reduce((sum, part) => sum + part, 0) / area(grid.getBoundingClientRect(), gap);
}"""


SOME_PANELS = (  # which leave one or two of three columns over, unless a panel takes these
    ("reliability", "cumulative", "recalibration"),
    ("comparison", "instances", "reliability"),
    ("reliability", "classes", "sensitivity", "confidence", "temperature"),
    ("confidence", "classes", "segments", "reliability", "instances"),
)


@pytest.mark.parametrize("panels", [None, *SOME_PANELS], ids=lambda panels: (panels and "-".join(panels)) or "all")
def test_the_grid_of_panels_side_by_side_has_no_voids(voila_stage: Stage, panels: tuple[str, ...] | None) -> None:
    cell = ALL + "explorer" if panels is None else f"{DIGITS}explorer.state.panels = {panels}\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 1400, "height": 8000})
    for width in (1600, 1400, 950, 800):
        resize(page, width, 8000)
        assert page.locator(".calibviz-panels").evaluate(FILLED) > 0.98, width


BOX = """element => {
    const { top, bottom, height, left, right, width } = element.getBoundingClientRect();
    return { top, bottom, height, left, right, width };
}"""
BOXES = f"elements => elements.map({BOX})"  # of one moment, in the order of the page


def test_the_settings_lie_over_the_questions_and_move_nothing(voila_stage: Stage) -> None:
    opened = "cv.Explorer(cv.load_dataset('tumours'), lens='class benign')"
    cell = f"import calibviz as cv\n{QUICK}explorer = {opened}\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 1366, "height": 1000})
    settle(page)

    def box(selector: str) -> dict[str, float]:
        measured: dict[str, float] = page.locator(selector).first.evaluate(BOX)
        return measured

    for width in (1366, 1600):
        resize(page, width, 1000)
        before = {name: box(f".calibviz-{name}") for name in ("panel-reliability", "question", "bar", "words")}
        open_drawer(page)
        settings = box(".calibviz-controls")
        assert {name: box(f".calibviz-{name}") for name in before} == before, width
        assert settings["left"] >= before["panel-reliability"]["right"]
        assert settings["left"] <= before["question"]["left"] and settings["right"] >= before["question"]["right"]
        assert settings["top"] >= before["words"]["bottom"]
        page.keyboard.press("Escape")
        expect(page.locator(".calibviz-controls")).to_be_hidden()


@pytest.mark.parametrize("answer", ["decision", "segments", "recalibration", "comparison", "cumulative", "sensitivity"])
def test_a_picture_keeps_its_width_and_its_answer_has_the_rest(voila_stage: Stage, answer: str) -> None:
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('heart'), panels="
    cell += f"('reliability', '{answer}'))\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 1600, "height": 4000})
    picture, panel = page.locator(".calibviz-panel-reliability"), page.locator(f".calibviz-panel-{answer}")
    for width in (1600, 1366, 900, 420):
        resize(page, width, 4000)
        whole = page.locator(".calibviz-header").evaluate(BOX)
        left, right = picture.evaluate(BOX), panel.evaluate(BOX)
        if width > 420:
            assert left["width"] == {1600: 546, 1366: 476, 900: 340}[width]
            assert right["left"] - left["right"] == (36 if width > 1100 else 28)
            assert (left["left"], right["right"]) == (whole["left"], whole["right"])
            assert left["top"] < right["top"]  # below the tabs of the questions and the views
        else:
            assert left["width"] == right["width"] == whole["width"]
            assert left["top"] >= right["bottom"]  # the answer that was asked for comes first
        assert layout_problems(page) == []


BEGINNING = ".calibviz-answer:not(.is-silent), tbody th"  # of an answer, which may be a table and no sentence
IS_CLEAR = """panel => {
    const answer = panel.querySelector("BEGINNING").getBoundingClientRect();
    const top = document.elementFromPoint(answer.left + answer.width / 2, answer.top + answer.height / 2);
    return panel.contains(top);
}""".replace("BEGINNING", BEGINNING)


def open_hearts(stage: Stage, width: int) -> Page:
    """The first screen of the hearts in a window of a laptop's height, when it is still."""
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('heart'))\nexplorer"
    page = open_explorer(stage, cell, drawer=False, viewport={"width": width, "height": 768})
    settle(page)
    return page


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_an_answer_below_the_picture_comes_into_sight(stage: Stage, by: str) -> None:
    page = open_hearts(stage, 800)  # in one column: from 860 pixels on the answer stands beside the picture
    for key, name in ("1", "segments"), ("2", "decision"):
        button = page.get_by_role("button", name=ANSWERS[name].button, exact=True)
        if by == "mouse":
            button.click()
        else:
            if key == "1":
                button.focus()
            page.keyboard.press(key)  # from the first answer, which gives way, to the second
        panel = page.locator(f".calibviz-panel-{name}")
        beginning = panel.locator(BEGINNING).first
        expect(beginning).to_be_in_viewport(ratio=1)
        settle(page)
        expect(beginning).to_be_in_viewport(ratio=1)
        assert panel.evaluate(IS_CLEAR)  # the header that sticks is above it
        if by == "key":  # where the answer was in sight at once, the focus stays on the button above it
            assert panel.evaluate(
                """panel => [panel, ...document.querySelectorAll(".calibviz-question button")]
                    .includes(document.activeElement)"""
            )


def test_who_scrolls_while_an_answer_opens_is_not_called_back(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, drawer=False, viewport={"width": 1000, "height": 768})
    settle(page)
    header = page.locator(".calibviz-header")
    start = header.evaluate(BOX)["top"]
    page.mouse.move(500, 500)
    page.get_by_role("button", name="Samples", exact=True).evaluate(
        """button => {
            button.click();
            window.dispatchEvent(new WheelEvent("wheel", { deltaY: 5 }));
        }"""
    )
    expect(page.locator(".calibviz-panel-instances table")).to_be_attached()
    settle(page)
    assert header.evaluate(BOX)["top"] == start


def test_an_answer_that_is_in_sight_moves_nothing(voila_stage: Stage) -> None:
    page = open_hearts(voila_stage, 1366)
    header = page.locator(".calibviz-header")
    start = header.evaluate(BOX)["top"]
    page.get_by_role("button", name="Can I act at a threshold?", exact=True).click()
    expect(page.locator(".calibviz-panel-decision .calibviz-answer")).to_be_in_viewport(ratio=1)
    settle(page)
    assert header.evaluate(BOX)["top"] == start


def test_the_lower_pictures_of_the_bin_count_share_a_row_and_all_panels_are_chosen_in_one(voila_stage: Stage) -> None:
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('digits'), panels="
    page = open_explorer(
        voila_stage, f"{cell}('reliability', 'sensitivity'))\nexplorer", False, viewport={"width": 1366, "height": 2000}
    )
    page.locator(".calibviz-sample-sizes").wait_for()
    settle(page)
    left, right = page.locator(":is(.calibviz-title-points-per-bin, .calibviz-title-sample-sizes)").evaluate_all(BOXES)
    assert left["top"] == right["top"] and left["right"] < right["left"]
    assert (
        len({box["top"] for box in page.locator(".calibviz-chooser:not(.calibviz-more) button").evaluate_all(BOXES)})
        == 1
    )


def test_an_answer_that_takes_fewer_lines_moves_nothing_below_it(voila_stage: Stage) -> None:
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('tumours'), panels="
    page = open_explorer(
        voila_stage,
        f"{cell}('reliability', 'decision'), threshold=0.05)\nexplorer",
        False,
        viewport={"width": 1366, "height": 2000},
    )
    settle(page)
    answer = page.locator(".calibviz-panel-decision > .calibviz-answer")
    expect(answer).to_contain_text(re.compile(r"\b5\s?%"))
    dragged = control(page, "threshold"), page.locator(".calibviz-panel-decision .calibviz-decision-curve")
    before = [one.evaluate(BOX) for one in dragged]
    write("cost_ratio", "1")(page)
    expect(answer).to_contain_text(re.compile(r"\b50\s?%"))
    settle(page)
    assert [one.evaluate(BOX) for one in dragged] == before


@pytest.mark.parametrize("panels", [("segments", "decision"), ("comparison", "cumulative")], ids="-".join)
def test_two_answers_stand_beside_each_other_where_both_have_room(voila_stage: Stage, panels: tuple[str, str]) -> None:
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('heart'), panels={panels})\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 1366, "height": 5000})
    for width, is_beside in ((1366, True), (950, False)):
        resize(page, width, 5000)
        first, second = (page.locator(f".calibviz-panel-{name}").evaluate(BOX) for name in panels)
        assert abs(first["width"] - second["width"]) < 1
        assert (first["top"] == second["top"]) == is_beside
        assert page.locator(".calibviz-panels").evaluate(FILLED) > 0.98
        assert layout_problems(page) == []


LONG = """panel => {
    const [list, note] = [".is-long > div", ".is-long > small"].map((name) => panel.querySelector(name));
    const [box, below] = [list.getBoundingClientRect(), note.getBoundingClientRect()];
    const left = panel.getBoundingClientRect().bottom - box.bottom;
    return { height: box.height, left, isApart: box.bottom <= below.top };
}"""


def test_a_long_list_takes_the_height_of_its_neighbour_and_hides_no_note(voila_stage: Stage) -> None:
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('heart'), panels="
    page = open_explorer(voila_stage, f"{cell}('reliability', 'instances'))\nexplorer", drawer=False)
    for width in (1600, 950):
        resize(page, width, 4000)
        samples = page.locator(".calibviz-panel-instances")
        expect(samples).to_contain_text("farthest from the truth")
        assert samples.evaluate(LONG)["isApart"]


CONTROLS = """panel => [...panel.querySelectorAll(".calibviz-own-controls > *")].filter((one) => one.checkVisibility())
    .map((one) => {
        const [label, box] = [one.querySelector(".widget-label"), one.getBoundingClientRect()];
        const named = label && label.getBoundingClientRect();
        return { left: box.left, right: box.right, top: box.top, label: named?.left, field: named?.right };
    })"""


def test_controls_of_a_narrow_panel_stand_below_each_other_in_line(voila_stage: Stage) -> None:
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('heart'), panels="
    page = open_explorer(voila_stage, f"{cell}('reliability', 'comparison'))\nexplorer", drawer=False)
    resize(page, 420, 4000)
    *controls, button = page.locator(".calibviz-panel-comparison").evaluate(CONTROLS)
    assert len(controls) == 5 and button["label"] is None
    for edge in ("left", "right", "label", "field"):
        assert max(one[edge] for one in controls) - min(one[edge] for one in controls) < 1, edge
    assert len({one["top"] for one in [*controls, button]}) == 6


def test_a_sentence_has_a_low_box_beside_a_high_panel(voila_stage: Stage) -> None:
    cell = f"{DIGITS}explorer.state.panels = ('sensitivity', 'likert', 'confidence')\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 1400, "height": 3000})
    settle(page)
    likert = page.locator(".calibviz-panel-likert")
    expect(likert).to_contain_text("No categories yet")
    assert likert.evaluate(BOX)["height"] < 110 < page.locator(".calibviz-panel-confidence").evaluate(BOX)["height"]


def test_the_signs_of_work_cover_no_number_of_a_narrow_page(voila_stage: Stage) -> None:
    label = "bootstrap bars of the reliability …"
    job = f'<div class="calibviz-job"><span>{label}</span><progress></progress><span>12 s</span></div>'
    page = open_explorer(voila_stage, DIGITS + "explorer", drawer=False, viewport={"width": 420, "height": 3000})
    place = page.locator(".calibviz-working .widget-html-content")
    for width in (420, 700):
        page.set_viewport_size({"width": width, "height": 3000})
        page.wait_for_function("width => window.innerWidth === width", arg=width)
        place.evaluate("place => place.replaceChildren()")
        settle(page)  # what follows a new width may take a while, and work of its own would take the sign's place
        before = page.locator(".calibviz-header").evaluate(BOX)
        place.evaluate(f"place => {{ place.innerHTML = '{job}'; }}")
        above, sign = page.locator(".calibviz-evidence").evaluate(BOX), page.locator(".calibviz-job").evaluate(BOX)
        assert above["bottom"] <= sign["top"] and 0 < sign["height"] <= 24
        if width == 420:
            assert page.locator(".calibviz-header").evaluate(BOX) == before  # nothing moves
            assert layout_problems(page) == []


#: The line of evidence at its longest, a sign of work and the button that cancels it; their boxes, and that of the row.
AT_WORK = """row => {
    const find = (name) => row.querySelector(name), evidence = find(".calibviz-evidence .widget-html-content");
    evidence.insertAdjacentHTML("beforeend", "<span>the test of errors of any shape decides: p = 0.0012</span>");
    find(".calibviz-working .widget-html-content").innerHTML = '<div class="calibviz-job"><span>bootstrap bars …'
        + '</span><progress></progress><span>12 s</span></div>';
    Object.assign(find(".calibviz-cancel"), { textContent: "Cancel" }).style.display = "";
    const box = (element) => (({ left, right, width }) => ({ left, right, width }))(element.getBoundingClientRect());
    const boxes = [box(row), ...[".calibviz-job", ".calibviz-cancel"].map((name) => box(find(name)))];
    const [how, job] = [".calibviz-how", ".calibviz-job"].map((name) => find(name).getBoundingClientRect());
    return [how.right <= job.left || how.bottom <= job.top + 1, ...boxes];
}"""


def test_the_button_that_cancels_is_whole_beside_a_long_line_of_evidence(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, DIGITS + "explorer", drawer=False, viewport={"width": 934, "height": 3000})
    for width in (934, 870, 1040, 1300):
        resize(page, width, 3000)
        settle(page)
        apart, row, job, cancel = page.locator(".calibviz-evidence-row").evaluate(AT_WORK)
        assert apart and job["right"] <= cancel["left"], width
        assert cancel["right"] <= row["right"] and cancel["width"] >= 58 and job["width"] >= 60, width
        page.locator(".calibviz-evidence .widget-html-content > span").last.evaluate("added => added.remove()")
        page.locator(".calibviz-working .widget-html-content").evaluate("place => place.replaceChildren()")


def test_a_legend_is_one_line_and_a_button_shows_the_rest(voila_stage: Stage) -> None:
    drawn = 'calibrator="beta", curves=("flexible", "smooth", "corp"), panels='
    cell = DIGITS.replace('calibrator="spline", panels=', drawn) + "explorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 420, "height": 3000})
    settle(page)
    legend = page.locator(".calibviz-panel-reliability .calibviz-legend").first
    button, keys = legend.get_by_role("button"), legend.locator(".calibviz-keys > span")

    def lines() -> int:
        return len(set(keys.evaluate_all("keys => keys.map((key) => key.offsetTop)")))

    def height() -> float:
        high: float = legend.evaluate(BOX)["height"]
        return high

    expect(button).to_have_attribute("aria-expanded", "false")
    folded = height()
    assert lines() > 1 and folded < 20  # what is behind the button is there for screen readers
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    assert height() >= 2 * folded
    open_drawer(page)
    before = keys.all_text_contents()
    choose("overlays", "model: neural network")(page)
    expect(keys).not_to_have_text(before)
    settle(page)
    expect(button).to_have_attribute("aria-expanded", "true")  # also of a legend that is written anew
    assert height() >= 2 * folded
    button.click()
    expect(button).to_have_attribute("aria-expanded", "false")
    assert height() == folded
    choose("curves", "flexible")(page)
    choose("overlays")(page)
    page.locator(".calibviz-advanced").click()
    resize(page, 2600, 3000)
    expect(button).to_be_hidden()
    assert lines() == 1


# The height of what sticks to the top of the window, as far as it is in sight.
STUCK = """header => {
    const { top, bottom } = header.getBoundingClientRect();
    return bottom - Math.max(0, top);
}"""


@pytest.mark.parametrize("calibrator", ["none", "spline"])
def test_the_header_of_a_narrow_page_leaves_three_quarters_of_it_to_the_panels(
    voila_stage: Stage, calibrator: str
) -> None:
    cell = DIGITS.replace('"spline"', f'"{calibrator}"') + "explorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 420, "height": 900})
    header = page.locator(".calibviz-header")
    buttons = page.locator(".calibviz-actions > div > button").locator("visible=true").all()
    assert buttons
    for button in buttons:
        size = button.bounding_box()
        assert size is not None and min(size["width"], size["height"]) >= 36
    page.mouse.move(200, 700)
    page.mouse.wheel(0, 1500)
    expect(page.locator(".calibviz-actions")).not_to_be_in_viewport()
    expect(page.locator(".calibviz-words")).to_be_in_viewport(ratio=1)
    assert 0 < header.evaluate(STUCK) <= 900 / 4


def test_what_opens_on_the_first_screen_is_accessible(light_or_dark: Stage) -> None:
    cell = f'import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset("digits"))\nexplorer'
    page = light_or_dark([cell])
    explorer = page.locator(".calibviz-explorer")

    def button(name: str) -> Locator:
        return explorer.get_by_role("button", name=name, exact=True)

    page.wait_for_selector(".bqplot.calibviz-reliability svg.svg-figure[role=img] path[d]", state="attached")
    found = {"first screen": violations(page)}
    for question, panel in QUESTIONS.items():
        button(question).click()
        page.wait_for_selector(
            f".calibviz-panel-{panel} :is(table td, svg.svg-figure[role=img] path[d])", state="attached"
        )
        settle(page)  # a table that is still being filled has no words in colour
        found[question] = violations(page)
    for opened in ("How is this measured?", "Share", "More"):
        button(opened).click()
        expect(button(opened)).to_have_attribute("aria-pressed", "true")
        found[opened] = violations(page)
        button(opened).click()
    button("Remember as A").click()
    page.wait_for_selector(".calibviz-kept table td", state="attached")
    explorer.get_by_role("button", name="List of steps").click()
    expect(explorer.get_by_role("group", name="steps")).to_be_visible()
    found["list of steps"] = violations(page)
    page.keyboard.press("Escape")
    button("Compare").click()
    page.wait_for_selector(".calibviz-panel-comparison table td", state="attached")
    explorer.locator(".calibviz-panel-comparison .calibviz-comparison select").select_option("bars")
    page.wait_for_selector(".calibviz-panel-comparison .bqplot path[d]", state="attached")
    explorer.locator(".calibviz-panel-comparison .opener").first.click()
    found["bars, a list to check"] = violations(page)
    page.keyboard.press("Escape")
    open_drawer(page)
    found["drawer"] = violations(page)
    assert {where: problems for where, problems in found.items() if problems} == {}


@pytest.mark.parametrize("width", [1600, 420])
def test_the_names_of_bars_lie_on_nothing_and_stay_in_their_picture(voila_stage: Stage, width: int) -> None:
    options = 'panels=("reliability", "comparison"), comparison="bars", rows='
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('digits'), {options}'gce')\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": width, "height": 2500})
    settle(page)
    names = page.locator(".calibviz-comparison-bars .tick text").filter(has_text=re.compile("l1|l2|CE"))
    assert len([name for name in names.all() if name.is_visible()]) >= (32 if width == 1600 else 15)
    assert layout_problems(page) == []


@pytest.mark.parametrize(
    "cell",
    [
        f"import calibviz as cv\n{QUICK}"
        'explorer = cv.Explorer(cv.load_dataset("tumours"), likert={"low": (0, 0.2), "high": (0.5, 1)})',
        f"import calibviz as cv\n{QUICK}calibration, evaluation = cv.load_interventions()\n"
        "explorer = cv.Explorer(evaluation, calibration)",
    ],
    ids=["tumours", "interventions"],
)
def test_other_data_fit_too(voila_stage: Stage, cell: str) -> None:
    cell += "\nfrom calibviz.answers.registry import ANSWERS\nexplorer.state.panels = tuple(ANSWERS)\nexplorer"
    page = open_explorer(voila_stage, cell, viewport={"width": 1400, "height": 8000})
    assert layout_problems(page) == []
    assert violations(page) == []


NAMELESS = """explorer => [...explorer.querySelectorAll("select, input, button, .noUi-handle, [contenteditable=true]")]
    .filter((one) => one.checkVisibility() && !one.getAttribute("aria-label") && !one.labels?.[0]?.textContent.trim()
        && !(one.localName === "button" && one.textContent.trim()))
    .map((one) => one.outerHTML)"""


def test_every_control_has_a_name(voila_stage: Stage) -> None:
    page = open_explorer(
        voila_stage, DIGITS + 'explorer.state.update(binning="k-d tree", panels=("comparison", "likert"))\nexplorer'
    )
    nameless = page.locator(".calibviz-explorer").evaluate(NAMELESS)
    assert nameless == []
    for name in ("start with", "what is predicted lens"):
        expect(page.locator(".calibviz-explorer").get_by_label(name, exact=True).first).to_be_visible()
    for name in (
        "true class labels: none chosen",
        "compared: 4 of",
        "errors metrics · only with rows of metrics: 4 of",
    ):
        expect(page.get_by_role("button", name=name).first).to_be_visible()
    gamma = page.get_by_role("slider", name="leaf size gamma", exact=True)
    expect(gamma).to_have_attribute("aria-valuetext", "1/8")
    gamma.press("ArrowRight")
    expect(gamma).to_have_attribute("aria-valuetext", "1/16")
    expect(page.get_by_role("slider", name="predicted output, to")).to_be_visible()
    expect(page.get_by_role("button", name="Categories", exact=True)).to_have_attribute("aria-pressed", "true")


def test_sliders_look_alike_and_are_faint_without_effect(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, DIGITS + 'explorer.state.binning = "sweep"\nexplorer')
    situation = """name => {
        const row = document.querySelector(`.calibviz-controls .calibviz-${name}`);
        const at = (part) => row.querySelector(part).getBoundingClientRect().x;
        return [at(".widget-label"), at(".noUi-target"), getComputedStyle(row.querySelector(".noUi-target")).opacity];
    }"""
    expect(page.locator(".calibviz-gamma .noUi-target")).to_have_attribute("disabled", "")
    assert page.evaluate(situation, "gamma") == page.evaluate(situation, "bins")
    control(page, "binning").locator("select").select_option("k-d tree")
    expect(page.locator(".calibviz-gamma .noUi-target")).not_to_have_attribute("disabled", "")
    assert page.evaluate(situation, "gamma")[2] == "1" != page.evaluate(situation, "bins")[2]


def test_figures_say_what_they_show(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage)
    expect(page.get_by_role("img", name="Reliability diagram of top-1")).to_be_visible()
    choose("kind", "rank")(page)
    expect(page.get_by_role("img", name="Reliability diagram of rank 2")).to_be_visible()
    with_15 = page.locator(".bqplot.calibviz-reliability svg.svg-figure").get_attribute("aria-label")
    press("bins", "ArrowLeft")(page)
    expect(page.locator(".bqplot.calibviz-reliability svg.svg-figure")).not_to_have_attribute(
        "aria-label", with_15 or ""
    )


ON_TOP = """words => {
  const { left, right, top } = words.getBoundingClientRect();
  return [left + 2, right - 2].every((x) => words.contains(document.elementFromPoint(x, top + 7)));
}"""


def test_the_sides_of_the_axis_of_segments_are_each_in_one_line(voila_stage: Stage) -> None:
    page = open_explorer(
        voila_stage, 'import calibviz as cv\ncv.Explorer(cv.load_dataset("heart"), panels=("reliability", "segments"))',
        drawer=False, viewport={"width": 1366, "height": 768},
    )  # fmt: skip  # short entries stand in rows
    settle(page)
    sides = page.locator(".calibviz-panel-segments .axis .sides span")
    left, right = (side.bounding_box() for side in sides.all())
    assert left and right and left["height"] == right["height"] < 20  # pixels, of one line
    assert left["x"] + left["width"] <= right["x"] + 0.5
    for side in sides.all():
        side.scroll_into_view_if_needed()
        assert side.evaluate(ON_TOP)


def test_what_went_wrong_is_said_above_all_and_moves_nothing(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, DIGITS + "explorer")
    settle(page)
    before = page.locator(".calibviz-panel-reliability").evaluate(BOX)
    field = control(page, "selection").locator("input")
    field.fill("nonsense")
    field.press("Enter")
    said, panels = page.locator(".calibviz-status .refused"), page.locator(".calibviz-panels")
    expect(said).to_be_visible()
    expect(panels).to_have_css("opacity", "0.4")  # they do not show what was chosen
    assert page.locator(".calibviz-panel-reliability").evaluate(BOX) == before
    page.mouse.wheel(0, 3000)
    expect(said).to_be_in_viewport()
    field.fill("")
    field.press("Enter")
    expect(said).to_have_count(0)
    expect(panels).to_have_css("opacity", "1")


#: The words of small pictures that are in sight, in pixels of their height on screen; and what the header shows.
IN_SIGHT = """desk => {
    const all = (selector) => [...desk.querySelectorAll(selector)], box = (one) => one.getBoundingClientRect();
    const drawn = all(".calibviz-question svg").filter((svg) => box(svg).width > 0);
    const inside = (text) => box(text).left < box(text.ownerSVGElement).right;
    const words = drawn.flatMap((svg) => [...svg.querySelectorAll("text")].filter(inside));
    const signs = all(".calibviz-actions svg, .calibviz-icon i").map(box).filter((sign) => sign.width > 0);
    const middles = signs.map((sign) => sign.top + sign.height / 2);
    const title = desk.querySelector(".calibviz-title");
    return {
        drawn: drawn.length,
        sizes: words.map((text) => 12 * text.getCTM().a),
        apart: Math.max(...middles) - Math.min(...middles),
        cut: title.scrollWidth - title.clientWidth,
    };
}"""


@pytest.mark.parametrize(("width", "drawn"), [(1366, 3), (1061, 1), (930, 1), (420, 1)])
def test_small_pictures_can_be_read_and_signs_stand_in_one_line(voila_stage: Stage, width: int, drawn: int) -> None:
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('heart'))\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": width, "height": 900})
    page.locator(".calibviz-question svg.hundred").wait_for()
    settle(page)
    found = page.locator(".calibviz-desk").evaluate(IN_SIGHT)
    assert found["drawn"] == drawn and all(size >= 11 for size in found["sizes"])
    assert found["apart"] < 2  # pixels
    assert found["cut"] <= 0


#: What is missing of the name of the data, and how far the button after the evidence is from the words before it.
NAMED = """header => {
    const box = (one) => one.getBoundingClientRect(), title = header.querySelector(".calibviz-title");
    const words = header.querySelectorAll(".calibviz-evidence .widget-html-content > span");
    const last = box(words[words.length - 1]), how = box(header.querySelector(".calibviz-how"));
    const before = how.top > last.bottom - 4 ? box(header).left : last.right;  // it may begin a line
    return { cut: title.scrollWidth - title.clientWidth, apart: how.left - before };
}"""


def test_a_long_name_is_whole_and_the_evidence_ends_with_its_button(voila_stage: Stage) -> None:
    name = "Heart disease at four hospitals of three countries"
    shown = f"cv.Explorer(cv.load_dataset('heart'), calibrator='isotonic', title='{name}')"
    page = open_explorer(voila_stage, f"import calibviz as cv\n{QUICK}explorer = {shown}\nexplorer", drawer=False)
    for width in (780, 880, 964, 1030, 1200):
        resize(page, width, 900)
        settle(page)
        found = page.locator(".calibviz-header").evaluate(NAMED)
        assert found["cut"] <= 0 and 0 <= found["apart"] <= 20, (width, found)
        assert layout_problems(page) == []


def test_the_name_of_the_data_is_whole_beside_the_drawer(voila_stage: Stage) -> None:
    shown = "cv.Explorer(cv.load_dataset('heart'), panels=('reliability', 'segments', 'likert'))"
    page = open_explorer(voila_stage, f"import calibviz as cv\n{QUICK}explorer = {shown}\nexplorer")
    resize(page, 1366, 900)
    settle(page)
    assert page.locator(".calibviz-header").evaluate(NAMED)["cut"] <= 0


def test_no_measure_is_cut_off_where_it_is_said_how_it_is_measured(voila_stage: Stage) -> None:
    cell = f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('heart'))\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 1366, "height": 768})
    open_measures(page)
    settle(page)
    rows = page.locator(".calibviz-numbers .calibviz-table > div")
    assert rows.evaluate("one => one.scrollHeight - one.clientHeight") <= 1  # pixels
