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
        (lambda p: p.get_by_role("button", name="draw another sample").click(), ("sample", "estimates")),
    ):
        before = shown(page)
        act(page)
        wait_for_change(page, before, names)
    page.wait_for_function(COUNTED)
    page.wait_for_function(IS_STILL)
    page.locator(".calibviz-panel-bias td").nth(0).click()  # 2 bins, 200 samples
    expect(words).to_contain_text("Of 200 samples")
    expect(page.locator(".calibviz-bins .widget-readout").first).to_have_text("2")


def test_the_laboratory_of_predictions(stage: Stage) -> None:
    page = stage(["import calibviz as cv\nlab = cv.SimulationLab(cv.load_dataset('digits')['neural network'])\nlab"])
    page.wait_for_selector(".calibviz-estimates path", state="attached")
    words, note = page.locator(".calibviz-words"), page.locator(".calibviz-note")
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
