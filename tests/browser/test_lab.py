"""The simulation laboratory in a real browser."""

from __future__ import annotations

from playwright.sync_api import expect

from .explorer import IS_STILL, choose, press, shown, wait_for_change
from .stage import Stage

CELL = "import calibviz as cv\nlab = cv.SimulationLab()\n"
COUNTED = "() => !document.querySelector('.calibviz-panel-bias').innerText.includes('…')"


def test_the_laboratory(stage: Stage) -> None:
    page = stage([CELL + "lab"], viewport={"width": 1200, "height": 1400})
    page.wait_for_selector(".calibviz-estimates path", state="attached")
    page.wait_for_function(COUNTED)
    words = page.locator(".calibviz-words")
    expect(words).to_contain_text("True error 10.71 %")
    network = page.locator(".calibviz-network select")
    expect(network).to_have_value("resnet110_c10")  # sliders of whole steps have not moved it
    for act, names in (
        (press("bins", "ArrowRight"), ("estimates",)),
        (press("n", "ArrowRight"), ("sample", "sample-scores", "estimates", "estimates-by-bins")),
        (choose("estimator", "equal-mass"), ("sample", "estimates", "estimates-by-bins", "bias table")),
        (press("b1", "PageUp"), ("sample", "estimates", "estimates-by-bins", "bias table")),
        (choose("network", "densenet161_imagenet"), ("sample", "sample-scores", "estimates", "bias table")),
        (lambda p: p.get_by_role("button", name="draw 100").click(), ("sample", "estimates")),
    ):
        before = shown(page)
        act(page)
        wait_for_change(page, before, names)
    page.wait_for_function(COUNTED)
    page.wait_for_function(IS_STILL)
    page.locator(".calibviz-panel-bias td").nth(0).click()  # 2 bins, 200 samples
    expect(words).to_contain_text("(200 samples each)")
    expect(page.locator(".calibviz-bins .widget-readout").first).to_have_text("2")


def test_the_laboratory_of_predictions(stage: Stage) -> None:
    page = stage(["import calibviz as cv\nlab = cv.SimulationLab(cv.load_dataset('digits')['neural network'])\nlab"])
    page.wait_for_selector(".calibviz-estimates path", state="attached")
    words, note = page.locator(".calibviz-words"), page.locator(".calibviz-lab > .calibviz-note").first
    expect(words).to_contain_text("True error 3.34")
    expect(note).to_contain_text("with the true curve that cv.trust fits to them")
    network, slider = page.locator(".calibviz-network select"), page.locator(".calibviz-b1")
    expect(network).to_have_value("your predictions")
    expect(slider).to_be_hidden()
    for act, name, error, text in (
        (choose("network", "a Beta fitted to them"), "a Beta fitted to them", "5.30", "1.96 points less"),
        (press("b1", "ArrowRight"), "own", "4.96", "1.62 points less"),
        (choose("network", "your predictions"), "your predictions", "3.34", "The true error is that of this curve"),
    ):
        act(page)
        expect(network).to_have_value(name)
        expect(words).to_contain_text(f"True error {error}")
        expect(note).to_contain_text(text)
    expect(slider).to_be_hidden()


def test_the_curve_is_bent_and_samples_fall_on_one_screen(stage: Stage) -> None:
    page = stage([CELL + "lab"], viewport={"width": 1366, "height": 768})
    page.wait_for_selector(".calibviz-estimates path", state="attached")
    words, heading = page.locator(".calibviz-words"), page.locator(".calibviz-panel-estimates h3").first
    page.locator(".calibviz-sample-scores").first.scroll_into_view_if_needed()  # below the code of the cell
    top = words.bounding_box()
    for part in (".calibviz-sample", ".calibviz-sample-scores", ".calibviz-estimates", ".widget-play"):
        box = page.locator(part).first.bounding_box()
        assert top and box and box["y"] + box["height"] - top["y"] < 500, part  # 768 less bars and code of JupyterLab
    page.get_by_role("button", name="remember as A").click()
    page.get_by_role("button", name="swap with A").wait_for()
    before = words.inner_text()
    for figure in (".calibviz-sample", ".calibviz-sample-scores"):  # a knot, and a part of the density
        dot = page.locator(f"{figure} .object_grp").nth(5)
        box = dot.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y - 20, steps=4)
        page.mouse.move(x, y - 40, steps=4)
        expect(words).not_to_have_text(before)  # while it is held
        page.mouse.up()
        page.wait_for_function(IS_STILL)
        before = words.inner_text()
    knot = page.locator(".calibviz-sample .calibviz-handle").nth(3)
    value = float((knot.get_attribute("aria-valuetext") or "").removesuffix(" %"))
    knot.focus()
    knot.press("ArrowUp")
    expect(knot).to_have_attribute("aria-valuetext", f"{value + 1:g} %")
    page.locator(".widget-play button").first.click()
    expect(heading).to_contain_text("Estimates of 3 data sets")
    page.locator(".widget-play button").first.click()
    page.get_by_role("button", name="all 1,000").click()
    expect(heading).to_have_text("Estimates of 1,000 data sets")
    page.get_by_role("button", name="base rate").click()
    expect(words).to_contain_text("True error 0.00 %")
    page.get_by_role("button", name="swap with A").click()
    expect(words).to_contain_text("True error 10.71 %")
