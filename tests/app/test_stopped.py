"""Sentences on a page once its kernel or server has ended, and what is shown where there are no widgets."""

from __future__ import annotations

import base64
import logging
import sys
from html import escape
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

import calibviz as cv
from calibviz.answers.exports.recorded import FEW
from calibviz.app import cli
from calibviz.app.demo import demo, explored
from calibviz.explorer.view.page import still
from calibviz.explorer.view.page.pulse import Pulse
from calibviz.explorer.view.page.stopped import IN_COLAB, IN_MARIMO, PICTURE, RECORDED, STILL, STOPPED
from calibviz.reports.writing.page import framed

pytestmark = pytest.mark.thorough

VIEW = "application/vnd.jupyter.widget-view+json"
PNG = b"\x89PNG\r\n"


@pytest.fixture
def published(monkeypatch):
    """What is displayed: MIME bundles."""
    bundles = []
    monkeypatch.setattr(still, "display", lambda bundle, raw: bundles.append(bundle))
    for name in ("SERVER_SOFTWARE", *still.LAID_OUT_OTHERWISE):
        monkeypatch.delenv(name, raising=False)
    return bundles


@pytest.fixture
def lab():
    made = cv.SimulationLab()
    yield made
    made.close()


@pytest.fixture(scope="module")
def heart():
    p = cv.load_dataset("heart")["random forest"]
    made = cv.Explorer(p, selection="age > 60", depth=1)  # few samples and segments: recorded in a moment
    yield made
    made.close()


def test_a_view_is_displayed_before_its_picture_is_drawn(published, lab, monkeypatch):
    seen = []
    drawn = lab._still_bundle
    monkeypatch.setattr(lab, "_still_bundle", lambda: seen.append(list(published)) or drawn())
    lab._ipython_display_()
    sentence, view, picture = published
    assert STILL in sentence["text/html"] and list(sentence) == ["text/html"]
    assert view[VIEW]["model_id"] == lab.model_id and view["text/plain"].startswith("SimulationLab: True error")
    assert list(picture) == ["image/png"] and base64.b64decode(picture["image/png"]).startswith(PNG)
    assert seen == [[sentence, view]]


def test_what_matplotlib_says_of_fonts_does_not_stand_between_view_and_picture(published, lab, monkeypatch, caplog):
    fonts = logging.getLogger("matplotlib.font_manager")
    drawn = lab._still_bundle
    monkeypatch.setattr(lab, "_still_bundle", lambda: fonts.warning("building the font cache") or drawn())
    lab._ipython_display_()
    assert not caplog.records and len(published) == 3
    fonts.warning("said as before")
    assert [record.message for record in caplog.records] == ["said as before"]


def test_voila_draws_no_picture(published, lab, monkeypatch):
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5")
    monkeypatch.setattr(lab, "_still_bundle", lambda: pytest.fail("drawn in vain"))
    lab._ipython_display_()
    assert [set(bundle) for bundle in published] == [{VIEW, "text/plain"}]


@pytest.mark.parametrize("name", ["VSCODE_PID", "POSITRON_VERSION", "DATABRICKS_RUNTIME_VERSION"])
def test_vs_code_positron_and_databricks_get_one_output(published, lab, monkeypatch, name):
    monkeypatch.setenv(name, "1")
    lab._ipython_display_()
    assert [set(bundle) for bundle in published] == [{VIEW, "text/plain", "image/png"}]


@pytest.mark.parametrize("in_page", [True, False], ids=["in its page", "imported"])
def test_solara_draws_no_picture_in_its_pages(published, lab, monkeypatch, in_page):
    pages = SimpleNamespace(has_current_context=lambda: in_page)
    monkeypatch.setitem(sys.modules, "solara.server.kernel_context", pages)
    lab._ipython_display_()
    assert [VIEW in bundle for bundle in published] == ([True] if in_page else [False, True, False])


def test_colab_says_which_switch_it_needs_and_then_gets_one_output(published, lab, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    lab._ipython_display_()
    (before,) = published
    assert list(before) == ["text/html"] and PICTURE.format(how=IN_COLAB) in before["text/html"]
    monkeypatch.setitem(sys.modules, "google.colab.output._widgets", SimpleNamespace(_installed_url="https://..."))
    lab._ipython_display_()
    assert set(published[1]) == {VIEW, "text/plain", "image/png"} and len(published) == 2


def test_marimo_asks_for_a_page_that_moves_or_for_a_picture(lab, heart):
    kind, shown = heart._mime_()
    assert kind == "text/html" and type(shown) is str and len(shown) < 1_000_000
    sentence, frame = shown.split("</p>", 1)
    assert sentence == f"<p><b>{RECORDED.format(how=IN_MARIMO)}</b>"
    recorded = heart._recorded(FEW, progress=False)
    assert f"{framed(recorded, 'Heart disease at four hospitals: random forest')}" == frame
    kind, shown = lab._mime_()
    assert kind == "text/html" and shown.startswith(f"<p><b>{PICTURE.format(how=IN_MARIMO)}</b></p><img src=")
    image = shown.split("base64,")[1].split('"')[0]
    assert base64.b64decode(image).startswith(PNG) and f'alt="{escape(lab._sentence())}"' in shown


def test_a_picture_that_fails_leaves_the_view_and_is_logged(published, lab, monkeypatch, caplog):
    def broken():
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(lab, "_still_bundle", broken)
    with caplog.at_level(logging.ERROR):
        lab._ipython_display_()
    assert "ZeroDivisionError: a bug" in caplog.text
    assert VIEW in published[1] and published[2] == {"text/html": ""}


def test_a_saved_notebook_holds_one_picture_and_so_does_its_page(tmp_path: Path):
    cells = ["import calibviz as cv\ncv.SimulationLab()", "print(type(_).__name__)"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=300, store_widget_state=False).execute()
    nbformat.validate(notebook)
    shown, named = (cell.outputs for cell in notebook.cells)
    assert named[0].text == "SimulationLab\n"  # it is still the value of its cell
    pictures = [output for output in shown if "image/png" in output.data]
    assert len(pictures) == 1
    sizes = [len(str(output.data)) for output in shown if output is not pictures[0]]
    assert sum(sizes) < 2000  # bytes beside the picture
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert page.count("<img") == 1


def test_the_command_is_named_by_the_page_it_serves(monkeypatch):
    page = demo("", command="calibviz demo --port 8000")
    pulse = page.children[-1]
    assert isinstance(pulse, Pulse)
    assert pulse.sentences["voila"]["ended"] == "The server has ended: start `calibviz demo --port 8000` again."
    assert pulse.sentences["notebook"] == STOPPED["notebook"]
    own = explored(cv.load_dataset("tumours")["naive Bayes"], "", command="calibviz explore a.csv")
    assert "`calibviz explore a.csv`" in own.children[-1].sentences["voila"]["ended"]
    own.children[1].view.close()
    page.children[1].view.close()
    for widget in (*page.children, page):
        widget.close()


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["demo", "--no-browser"], "calibviz demo --no-browser"),
        (["explore", "two words.csv", "--port", "8000"], "calibviz explore 'two words.csv' --port 8000"),
    ],
)
def test_the_page_is_told_what_was_typed(monkeypatch, tmp_path, arguments, command):
    served = []
    monkeypatch.chdir(tmp_path)
    Path("two words.csv").write_text("label,a,b\n" + "a,0.7,0.3\nb,0.2,0.8\nb,0.6,0.4\n" * 20, encoding="utf-8")
    monkeypatch.setattr("calibviz.app.server.serve", lambda cells, **_: served.extend(cells))
    assert cli.main(arguments) == 0
    assert f"command={command!r}" in served[0]
    compile(served[0], "cell", "exec")
