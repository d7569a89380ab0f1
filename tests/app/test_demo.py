"""The demonstration: the Explorer over the embedded data, which links can set."""

from __future__ import annotations

import pytest
from driver import screen

import calibviz as cv
from calibviz.app.demo import demo, explored
from calibviz.explorer.demo_data import DEMO_NAMES


@pytest.fixture
def closing():
    made = []
    yield lambda link: made.append(demo(link)) or made[-1]
    for one in made:
        one.children[1].view.close()
        for widget in (*one.children, one):
            widget.close()


def test_the_demonstration_follows_links(closing):
    top, box, _ = closing("?data=tumours&lens=class+malignant&bins=7").children
    chooser = top.children[1]
    assert chooser.value == "tumours"
    explorer = box.view
    assert (explorer.state.lens, explorer.state.bins, screen(explorer).complaint) == ("class malignant", 7, "")
    assert tuple(chooser.options) == DEMO_NAMES
    for name in DEMO_NAMES:
        chooser.value = name
        explorer = box.view
        assert screen(explorer).complaint == "" and explorer.situation.spec == explorer.state.spec
    assert explorer.comm is not None


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("?bins=many", "The link cannot be followed"),
        ("?lens=rnak+2", "lens 'rnak 2' is unknown"),
        ("?data=numbers", "data must be one of"),
        ("?lens=class+cat", "class 'cat' is unknown"),
    ],
)
def test_a_bad_link_is_said(closing, link, sentence):
    explorer = closing(link).children[1].view
    assert sentence in screen(explorer).notice and not screen(explorer).complaint  # what is shown can be read
    screen(explorer).set("bins", 9)
    assert not screen(explorer).notice


def test_what_else_stands_in_an_address_is_no_matter(closing):
    explorer = closing("?token=abc&theme=dark&bins=9").children[1].view
    assert explorer.state.bins == 9 and screen(explorer).complaint == ""


def test_the_address_of_the_page_follows_the_choices(closing, monkeypatch):
    monkeypatch.setenv("QUERY_STRING", "")
    top, box, _ = closing("?data=tumours&bins=9").children
    chooser = top.children[1]
    explorer = box.view
    assert screen(explorer).address == "?data=tumours&bins=9"
    screen(explorer).set("lens", "top-1")
    screen(explorer).set("bins", 20)
    assert screen(explorer).address == "?data=tumours&lens=top-1&bins=20"
    assert screen(explorer).export("link") == ["?data=tumours&lens=top-1&bins=20"]
    screen(explorer).answer_copied(True, "http://127.0.0.1:8000/?data=tumours&lens=top-1&bins=20")
    assert screen(explorer).exported.startswith("http://127.0.0.1:8000/?data=tumours&lens=top-1&bins=20")
    screen(explorer).ask("undo")
    assert screen(explorer).address == "?data=tumours&lens=top-1&bins=9"
    screen(explorer).ask("reset")
    assert screen(explorer).address == "?data=tumours"
    explorer.state.selection = "age > 3 or " * 500 + "age > 3"
    chooser.value = "simulated networks"
    assert screen(box.view).address == "?data=simulated%20networks"


def test_a_page_of_one_s_own_file_has_an_address_and_a_notebook_has_none(closing, monkeypatch):
    explorer = closing("?bins=9").children[1].view
    assert screen(explorer).address == "" and explorer.state.bins == 9
    monkeypatch.setenv("QUERY_STRING", "bins=7")
    explorer = explored(cv.load_dataset("tumours")["naive Bayes"]).children[1].view
    assert screen(explorer).address == "?bins=7"
    screen(explorer).ask("undo")
    assert screen(explorer).address == "?"
    explorer.close()


@pytest.mark.parametrize("link", ["?lens=class+malignant&bins=7&data=elsewhere", "?bins=many"])
def test_a_page_of_one_s_own_file_follows_links_too(monkeypatch, link):
    monkeypatch.setenv("QUERY_STRING", link.lstrip("?"))
    explorer = explored(cv.load_dataset("tumours")["naive Bayes"]).children[1].view
    if "many" in link:
        assert "The link cannot be followed" in screen(explorer).notice
    else:
        assert (explorer.state.lens, explorer.state.bins, screen(explorer).complaint) == ("class malignant", 7, "")
    explorer.close()


def test_models_that_are_opened_together_are_drawn_over_each_other() -> None:
    models = cv.load_dataset("heart")
    explorer = explored(models, "").children[1].view
    assert explorer.state.overlays == ("model: random forest", "model: gradient boosting")
    explorer.close()
    explorer = explored(models, "?bins=7").children[1].view  # a link says all that is chosen
    assert (explorer.state.bins, explorer.state.overlays) == (7, ())
    explorer.close()
