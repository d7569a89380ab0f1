"""marimo, which has no widgets but those of anywidget: the Explorer is a recorded page there, which moves."""

from __future__ import annotations

from playwright.sync_api import expect

from calibviz.explorer.view.page.stopped import IN_MARIMO, PICTURE, RECORDED

from .conftest import Served

APP = """
import marimo

app = marimo.App()


@app.cell
def _():
    import calibviz as cv
    from calibviz.reports import Report

    p = cv.load_dataset("heart")["logistic regression"]
    return Report, cv, p


@app.cell
def _(cv, p):
    cv.Explorer(p, depth=1)
    return


@app.cell
def _(cv):
    cv.Panel("decision", cv.load_dataset("tumours")["naive Bayes"], depth=1)
    return


@app.cell
def _(cv):
    cv.SimulationLab()
    return


@app.cell
def _(Report):
    Report("mine", "<!doctype html><title>mine</title><p>A report.")
    return


if __name__ == "__main__":
    app.run()
"""


def test_marimo_shows_a_page_that_moves_and_says_why(served: Served) -> None:
    page = served("marimo", APP)
    expect(page.get_by_text(RECORDED.format(how=IN_MARIMO))).to_have_count(2)
    frame = page.frame_locator("iframe[title^='Heart disease']")
    verdict, picture = frame.locator("#part-verdict"), frame.locator("#part-reliability figure svg").first
    expect(verdict).to_contain_text("In Zurich and Basel predicted 70, observed 93 (123 people).")
    bins = picture.locator(".dot").count()
    frame.get_by_label("how many bins").select_option(label="uniform, 5 bins")
    expect(picture.locator(".dot")).not_to_have_count(bins)
    frame.get_by_label("segment").select_option(label="Zurich and Basel (site)")
    expect(verdict).to_contain_text("predicted 70 of 100, observed 93")

    panel = page.frame_locator("iframe[title^='Breast']")
    expect(panel.locator("#part-decision figure svg").first).to_be_visible()

    expect(page.get_by_text(PICTURE.format(how=IN_MARIMO))).to_be_visible()
    image = page.locator("img[src^='data:image/png']")
    assert image.evaluate("image => image.complete && image.naturalWidth > 1000")
    assert str(image.get_attribute("alt")).startswith("True error")
    expect(page.frame_locator("iframe[title=mine]").get_by_text("A report.")).to_be_visible()
