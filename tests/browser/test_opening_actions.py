"""How many actions lead from a file to its first right picture in the page: to drop it is one, each click is one."""

from __future__ import annotations

import pytest
from cases_of_people import FILES
from playwright.sync_api import Page, expect

from .explorer import QUICK
from .layout import violations
from .stage import Stage

PAGE = f'{QUICK}from calibviz.app.demo import explored\nexplored(link="")'
#: Ten kinds of files, each with what is meant: on the button of a reading, or on the page before one explores.
KINDS = {
    "two columns of truth": (["two_truths.csv"], "Truth from 'gold': "),
    "margin of an SVM": (["margin.csv"], "P(1) from 'decision_function': mean 28 %, observed 48 %"),
    "per cent": (["risk_pct.csv"], "observed 48 %; truth from 'died'; probabilities in per cent"),
    "labels in a file of their own": (
        ["sub_submission.csv", "sub_solution.csv"],
        "truth from 'target'; joined by 'id'",
    ),
    "several models": (["two_models_long.csv"], "2 models, of which 'Preprocessor1_Model1' has P(Class2)"),
    "columns without names of classes": (["keras.csv"], "P(0), P(1), P(2) from 'class_0', 'class_1', 'class_2'"),
    "arrays": (["arr_0_arr_1.npz"], "P(0), P(1), P(2) from 'arr_0': mean confidence 65 %, right 54 %"),
    "a workbook": (["workbook.xlsx"], "truth from 'Observed outcome (0/1)'; probabilities in per cent"),
    "ties": (["ties_half.csv"], "3 ties of 0.5 are soft labels"),
    "labels that are no classes": (["ignored.npz"], "4 rows with the label '-100' left out"),
}
NARROW = {"width": 420, "height": 900}


class Newcomer:
    """Somebody who drops a file and clicks, and counts both."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def drop(self, files: list[str]) -> None:
        self.page.locator(".calibviz-file-drop input").set_input_files([FILES / file for file in files])
        self.actions += 1

    def click(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=name == "explore").click()
        self.actions += 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_explored_in_two_actions(voila_stage: Stage, kind: str) -> None:
    files, meant = KINDS[kind]
    page = voila_stage([PAGE], viewport=NARROW)
    newcomer = Newcomer(page)
    said = page.locator(".calibviz-opening .said")
    newcomer.drop(files)
    expect(said).to_contain_text(files[0])
    expect(said).not_to_contain_text("Reading")
    explore = page.get_by_role("button", name="explore", exact=True)
    choose = page.get_by_text("Choose what is meant")
    expect(choose.or_(explore)).to_be_visible()  # which may come after what is said
    if choose.is_visible():
        expect(explore).to_have_count(0)
        newcomer.click(meant)
    else:
        expect(said).to_contain_text(meant)
        newcomer.click("explore")
    expect(page.locator(".calibviz-panel svg.svg-figure, .calibviz-panel table td").first).to_be_visible()
    assert newcomer.actions == 2
    assert page.locator(".calibviz-opening").count() == 0


def test_classes_are_put_in_order_with_keys(light_or_dark: Stage) -> None:
    """In both colours, in a narrow page, where everything can be read and nothing scrolls sideways."""
    page = light_or_dark([PAGE], viewport=NARROW)
    page.locator(".calibviz-file-drop input").set_input_files(FILES / "two_truths.csv")
    ordering = page.locator(".calibviz-ordering")
    names = ordering.locator("li input")
    expect(names).to_have_count(3)
    ordering.get_by_role("button", name="move cat down").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".calibviz-opening .said")).to_contain_text("truth from 'label'")  # as the form says
    assert [name.input_value() for name in names.all()] == ["dog", "cat", "owl"]
    expect(ordering.get_by_role("button", name="move cat down")).to_be_focused()
    names.nth(1).focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator(".calibviz-opening .said")).to_contain_text("3 classes (dog, owl, cat)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page, ".calibviz-opening") == []
    ordering.get_by_role("button", name="as recognised").click()
    expect(page.locator(".calibviz-opening .said")).to_contain_text("3 classes (cat, dog, owl)")
