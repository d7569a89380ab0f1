"""What leaves the Explorer as a file, where names are anybody's."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray as xr
from driver import screen
from matplotlib.legend import Legend
from matplotlib.text import Text
from PIL import Image

import calibviz as cv
from calibviz.answers.registry import ANSWERS
from calibviz.explorer import Explorer
from calibviz.explorer.app import PICTURES
from calibviz.explorer.view.page.download import csv_of, harmless
from calibviz.figures import Grid
from calibviz.figures.tables import Table

FORMULAS = [
    '=HYPERLINK("http://127.0.0.1","x")',
    "=cmd|' /C calc'!A0",
    "+1+cmd",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "＝1+1",
    "a;=1+1",
    'a","=1',
]


def cells(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def refuse_formulas(rows: list[list[str]]) -> None:
    for cell in (cell for row in rows for cell in row):
        try:
            float(cell)
        except ValueError:
            assert not cell.strip().startswith(("=", "+", "-", "@", "＝")), cell
            assert not cell.startswith(("\t", "\r", "\n")), cell


@pytest.mark.parametrize("form", ["models", "Dataset"])
def test_the_csv_button_saves_no_formula(monkeypatch, form):
    rng = np.random.default_rng(0)
    probs, labels = rng.dirichlet(np.ones(3), 60), np.arange(60) % 3
    classes = ["=1+1", "-1", "@SUM(A1)"]
    if form == "models":
        given = {
            name: cv.Predictions(probs, labels, class_names=classes, fields={"-age": np.arange(60)})
            for name in FORMULAS
        }
    else:
        several = ("=run", "sample", "class"), np.array([probs] * len(FORMULAS))
        names = [classes[label] for label in labels]
        given = xr.Dataset({"probs": several, "label": ("sample", names)}, {"=run": FORMULAS, "class": classes})
    explorer = Explorer(given, panels=(), lens="class =1+1", likert={"+low": (0, 0.5), "@high": (0.5, 1)})
    [(name, data, kind)] = screen(explorer).export("CSV")
    assert screen(explorer).complaint == ""
    rows = cells(data)
    refuse_formulas(rows)
    assert name == "calibviz-hyperlink-http-127-0-0-1-x.csv" and kind == "text/csv"
    head = rows[0]
    assert ("model" if form == "models" else "'=run") in head
    column = head.index("model" if form == "models" else "'=run")
    said = {row[column] for row in rows[1:]}
    plain = [{text.replace("'", "") for text in texts} for texts in (said, FORMULAS)]
    assert len(said) == len(FORMULAS) and plain[0] == plain[1]
    assert "'-2+3" in said and "a;'=1+1" in said
    assert {row[head.index("category")] for row in rows[1:]} == {"'+low", "'@high"}
    cube = explorer.cube()
    assert sum(float(row[head.index("ks")]) for row in rows[1:]) == pytest.approx(
        float(cube.ks.sum()) * cube.sizes["category"], abs=1e-9
    )
    explorer.close()


@pytest.mark.parametrize("text", ["a;=1+1;", 'b";=1+1', "c\t@x", "d; -1", "e\n+1"])
def test_formulas_after_a_separator_of_other_countries_are_guarded(text):
    """Where semicolons part cells, a quotation mark within a line protects nothing."""
    found = harmless(text)
    assert found != text and not re.search(r"[;\t\n][\s\"]*[=+@-]", found)
    assert harmless("a;b, c-d + e") == "a;b, c-d + e"


def test_numbers_stay_numbers_and_every_text_is_quoted():
    table = xr.Dataset({"bias": ("=x", [-0.5, 0.25]), "n": ("=x", [-1, 2])}, {"=x": ["+a", 'b;"c']})
    assert csv_of(table).decode().splitlines() == ['"\'=x","bias","n"', '"\'+a",-0.5,-1', '"b;""c",0.25,2']
    assert [harmless(value) for value in (-0.5, -1, None, "-0.5", "a-b", "")] == [-0.5, -1, None, "'-0.5", "a-b", ""]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", PICTURES)
def test_names_with_dollar_signs_are_drawn_as_they_are(kind):
    names = [r"$\foo{$", "$5 to $10", r"\$x$", "$", r"$x_$"]
    probs = np.random.default_rng(0).dirichlet(np.ones(5), 100)
    p = cv.Predictions(probs, np.arange(100) % 5, class_names=names, groups={"$a$": names[:2], r"$\b$": names[2:]})
    explorer = Explorer({name: p for name in names}, overlays=(f"model: {names[1]}",), lens=f"class {names[0]}")
    explorer.state.update(panels=("reliability", "classes", "comparison", "likert"), likert={r"$\low$": (0, 1)})
    assert len(screen(explorer).export(kind)) == 1 and screen(explorer).complaint == ""
    explorer.close()
    axes = cv.plots.reliability(p, f"class {names[0]}").axes[0]
    axes.figure.canvas.draw()
    assert names[0] in (axes.get_title() + axes.get_xlabel()).replace(r"\$", "$")


def test_a_file_holds_the_whole_legend():
    made = Explorer(cv.load_dataset("digits")["naive Bayes"], panels=("reliability", "temperature"))
    texts = {text.get_text() for legend in made.figure().findobj(Legend) for text in legend.get_texts()}
    records = [record for panel in ("reliability", "temperature") for record in screen(made).records(panel)]
    named = {series.name for record in records for series in getattr(record, "series", ()) if series.name}
    assert len(named) > 8 and named <= texts
    made.close()


def test_a_file_holds_the_tables_of_its_panels():
    with_table = cv.Explorer(cv.load_dataset("heart"), panels=("reliability", "decision"))
    texts = {text.get_text() for ax in with_table.figure().axes for text in ax.texts}
    with_table.close()
    assert {"act on", "benefit", "all"} <= texts  # "net benefit" in two lines


@pytest.mark.parametrize(
    ("title", "model", "caption", "file"),
    [
        ("Hearts: plain", "plain", "Hearts · plain · class 1 · ", "calibviz-hearts-plain.csv"),
        ("Hearts", "plain", "Hearts · plain · class 1 · ", "calibviz-hearts-plain.csv"),
        ("../../Süd $x$.csv", "", "../../Süd $x$.csv · class 1 · ", "calibviz-süd-x-csv.csv"),
        ("", "plain", "plain · class 1 · ", "calibviz-plain.csv"),
        ("很长" + 30 * " name", "", "很长 name", "calibviz-很长" + 13 * "-name" + "-nam.csv"),
    ],
)
def test_files_and_captions_name_the_data(title, model, caption, file):
    p = cv.Predictions([0.2, 0.7, 0.4, 0.9] * 20, [0, 1, 1, 0, 0, 0, 1, 1, 1, 1] * 8)
    if title:
        p.about["title"] = title
    other = cv.Predictions([0.3, 0.6, 0.5, 0.8] * 20, [0, 1, 1, 0, 0, 0, 1, 1, 1, 1] * 8)
    explorer = Explorer({model: p, "other": other} if model else p, calibrators=())
    assert explorer._caption().below.startswith(caption)
    (sent,) = screen(explorer).export("CSV")
    assert sent[0] == file
    explorer.close()


@pytest.mark.thorough
def test_a_saved_comparison_has_the_intervals_of_all_its_errors(of_intervals):
    explorer = Explorer(cv.load_dataset("heart")["random forest"], panels=("comparison",), comparison="table")
    explorer.figure()
    [grid] = [record for record in explorer._records() if isinstance(record, Grid)]
    on_screen = [[cell["below"] for cell in row[1:-1]] for row in screen(explorer).cells("comparison")]
    explorer.finish()
    assert grid.lower is not None and np.isfinite(grid.lower[0]).all()
    assert on_screen == [[cell["below"] for cell in row[1:-1]] for row in screen(explorer).cells("comparison")]
    explorer.close()


@pytest.fixture(scope="module")
def of_hearts():
    made = Explorer(cv.load_dataset("heart"), selection="age > 40")
    yield made
    made.close()


def test_whatever_leaves_carries_the_verdict_and_what_it_is_of(of_hearts):
    """A reader who gets a file alone learns the worst news, and of which data and which version it is."""
    exported = {kind: screen(of_hearts).export(kind)[0][1] for kind in (*PICTURES, "CSV")}
    lines, facts = of_hearts.verdict.lines, of_hearts._caption().facts
    assert len(lines) == 2 and "Zurich" in lines[1]
    assert list(facts) == ["data", "model", "lens", "selection", "recalibration", "samples", "made", "version"]
    assert (facts["data"], facts["model"]) == ("Heart disease at four hospitals", "logistic regression")
    assert facts["samples"].startswith("827 of 920 ") and facts["version"] == f"calibviz {cv.__version__}"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", facts["made"])
    whole = [*lines, of_hearts._caption().below]
    head = "".join(f"# {line}\n" for line in whole)
    assert of_hearts.code().startswith(f"{head}import calibviz as cv\n")
    rows = cells(exported["CSV"])
    assert rows[0][-2:] == ["verdict", "about"] and all(row[-2:] == [" ".join(lines), whole[2]] for row in rows[1:])
    svg = ElementTree.fromstring(exported["SVG"])
    texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    written = " ".join("".join(texts).replace("\u00a0", " ").split())
    assert all(line in written for line in whole) and svg.findtext("{http://www.w3.org/2000/svg}title") == "\n".join(
        whole
    )
    assert {"Where is it worst?", "Can I act at a threshold?", "Would recalibration help?"} <= set(texts)
    assert exported["PDF"].startswith(b"%PDF-") and whole[0][:40].encode("utf-16-be") in exported["PDF"]
    with Image.open(io.BytesIO(exported["PNG"])) as png:
        assert png.info["Title"] == "\n".join(whole)
        assert png.width >= 1920 and png.width / png.height == pytest.approx(16 / 9, abs=0.01)


def test_a_picture_shows_no_answer_that_is_still_to_come(of_hearts):
    of_hearts.state.bins = 13
    assert "…" not in {text.get_text() for text in of_hearts.figure().findobj(Text)}
    of_hearts.state.undo()


@pytest.mark.parametrize("calibrator", ["none", "spline"])
def test_a_picture_waits_for_what_it_shows_alone(calibrator):
    """The intervals beside the headline numbers are in no picture; the verdict and the answers on the cards are.

    The verdict waits for the interval of KS of what it is about, the card of recalibration for those of both sides.
    """
    explorer = Explorer(cv.load_dataset("heart"), calibrator=calibrator)
    screen(explorer).switch("How is this measured?", True)
    explorer.figure()
    left = {job.label for job in screen(explorer).jobs._wanted if not job.done}
    assert left == {"interval of ECE", "interval of ECE (sweep)", "number of samples"}
    said = explorer.sentences
    explorer.finish()
    assert explorer.sentences == said and not [job for job in screen(explorer).jobs._wanted if not job.done]
    explorer.close()


def test_no_name_ends_the_comment_of_the_code():
    name = "x\nimport os\ros.abort()"
    p = cv.Predictions([0.2, 0.7, 0.4, 0.9] * 20, [0, 1, 1, 0, 1] * 16)
    p.about["title"] = name
    explorer = Explorer(p, panels=())
    head, _, _ = explorer.code().partition("import calibviz as cv\n")
    assert all(line.startswith("# ") for line in head.splitlines()) and "import os os.abort()" in head
    explorer.close()


@pytest.mark.parametrize(
    ("panel", "said"),
    [
        (
            "segments",
            ["In Zurich and Basel predicted 70, observed 93", "123 of these 202", "chest pain", "← predicted"],
        ),
        ("decision", ["Yes, from 20 %:", "Not in Zurich and Basel: of 8 people", "6 had the disease."]),
        ("recalibration", ["One for each site: yes.", "Zurich and Basel goes from 70 to 93", "no, it harms"]),
    ],
)
def test_a_picture_of_a_question_holds_its_answer_as_the_page_shows_it(panel, said):
    made = Explorer(cv.load_dataset("heart"), panels=("reliability", panel), threshold=0.2)
    svg = ElementTree.fromstring(screen(made).export("SVG")[0][1])
    texts = [element.text or "" for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    written = " ".join(" ".join("".join(f"{text} " for text in texts).replace("\u00a0", " ").split()).split())
    for words in (*made.verdict.lines, *said, ANSWERS[panel].question):
        assert "".join(words.split()) in "".join(written.split()), words
    shown = screen(made).records(panel)
    rows = next((record.rows for record in shown if isinstance(record, Table)), ())
    assert all(row[0].text in texts for row in rows[:12])
    assert not [record.alt for record in shown if isinstance(record, Table) and record.alt in written]
    assert not {"try", "all samples", "site = Budapest", "chest_pain"} & set(texts)
    made.close()
