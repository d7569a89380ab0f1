"""The quiz for instructors: each number in its answers, computed anew; and the slides that its page tells of."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import nbformat
import numpy as np
import pytest
from scripts_as_modules import module_of

import calibviz as cv
from calibviz.app.demo import demo
from calibviz.explorer.demo_data import DEMO_NAMES, demo_data

ROOT = Path(__file__).resolve().parents[2]
QUESTION = re.compile(
    r"^\*\*(\d+)\.\*\* (.+?)\n\n<details><summary>Answer</summary>\n\n(.+?)\n\n</details>", re.M | re.S
)


def quiz() -> dict[int, str]:
    """Each question with its answer, in one line."""
    page = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    return {
        int(number): " ".join(f"{asked} | {answered}".split()) for number, asked, answered in QUESTION.findall(page)
    }


def digits(model: str) -> cv.Predictions:
    return cv.load_dataset("digits")[model]


def heart(model: str = "random forest") -> cv.Predictions:
    return cv.load_dataset("heart")[model]


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _idle() -> list[str]:
    labels = digits("random forest").labels
    shares = np.bincount(labels) / len(labels)
    return [percent(cv.calibration_error(cv.Predictions(np.tile(shares, (len(labels), 1)), labels)))]


def _cautious() -> list[str]:
    p = digits("random forest")
    right, sure = cv.accuracy(p), p.confidence.mean()
    return [percent(right), percent(sure), f"too cautious, by {100 * (right - sure):.1f} points"]


def _cancelled() -> list[str]:
    p = cv.Predictions(np.repeat([0.61, 0.66], [400, 600]), np.repeat([0, 1], [400, 600]))
    binnings = (cv.Uniform(10), cv.Distinct())
    ten, each = (percent(cv.calibration_error(p, "class 1", binning=binning)) for binning in binnings)
    return [f"{ten} in ten bins", f"{each} in a bin for each score"]


def _lenses() -> list[str]:
    one, other = digits("naive Bayes"), digits("neural network")
    assert cv.calibration_error(one) > cv.calibration_error(other)
    assert cv.calibration_error(one, "class 0") < cv.calibration_error(other, "class 0")
    return ["No: there the error of the neural network is larger"]


def _multiplied() -> list[str]:
    return [percent(odds / (1 + odds)) for odds in (4, 16)]


def _cooled() -> list[str]:
    odds = np.sqrt(0.9 / 0.1)
    return [percent(odds / (1 + odds))]


def _kept() -> list[str]:
    p = digits("naive Bayes")
    cooled = cv.Temperature().fit(p).transform(p)
    assert cv.calibration_error(cooled) < cv.calibration_error(p)
    return [f"{(cooled.probs.argmax(axis=1) != p.probs.argmax(axis=1)).sum()}: it keeps the order"]


def _bins() -> list[str]:
    errors = [cv.calibration_error(heart(), "class disease", binning=cv.Uniform(bins)) for bins in (5, 50, 100)]
    five, fifty, hundred = map(percent, errors)
    return [f"{five} in 5 bins, {fifty} in 50 and {hundred} in 100", f"{errors[-1] / errors[0]:.1f} times the error"]


def _noise() -> list[str]:
    rng = np.random.default_rng(0)
    scores = rng.random((300, 200))
    errors = [cv.calibration_error(cv.Predictions(s, (rng.random(200) < s).astype(int)), "class 1") for s in scores]
    return [f"About {100 * np.mean(errors):.0f} %"]


def _searched() -> list[str]:
    return [f"{100 * (1 - 0.95**20):.0f} %"]


def _there() -> list[str]:
    p = heart()
    texts = []
    for near in (np.ones(len(p.labels), bool), p.fields["site"] == "Zurich and Basel"):
        predicted, observed = (round(100 * mean) for mean in (p.probs[near, 1].mean(), p.labels[near].mean()))
        texts.append(f"predicts {predicted} of 100, and {observed} are")
    return texts


def _halves() -> list[str]:
    scores = np.tile([0.3, 0.5, 0.7], 2000)
    half = np.repeat([0.1, -0.1], 3000)
    soft = np.column_stack([1 - scores - half, scores + half])
    return [f"An error of {percent(cv.calibration_error(cv.Predictions(scores, soft), 'class 1'))}"]


def _likely() -> list[str]:
    p = heart()
    likely = p.probs[:, 1] >= 0.7
    predicted, observed = p.probs[likely, 1].mean(), p.labels[likely].mean()
    return [f"calls {likely.sum()} people", f"{round(100 * observed)} of 100, where {round(100 * predicted)} were"]


def _threshold() -> list[str]:
    return [f"From {100 * (1 / 9) / (1 + 1 / 9):.0f} % on"]


def _benefit() -> list[str]:
    acted = np.repeat([0.5, 0.1], [350, 650])
    ill = np.repeat([1, 0, 1, 0], [150, 200, 50, 600])
    return [f"{100 * cv.net_benefit(cv.Predictions(acted, ill), threshold=0.2):.1f}: 15 rightly"]


def _prevalence() -> list[str]:
    odds = 1 / 9
    return [percent(odds / (1 + odds))]


def _brier() -> list[str]:
    share = heart().labels.mean()
    knows_nothing = cv.Predictions(np.full(len(heart().labels), share), heart().labels)
    forest, regression = cv.brier_score(heart()), cv.brier_score(heart("logistic regression"))
    return [f"is {forest:.3f}, that of logistic regression {regression:.3f}", f"{cv.brier_score(knows_nothing):.3f}"]


def _clusters() -> list[str]:
    return [f"{np.sqrt(1000 / 100):.1f} times as wide"]


COMPUTED: dict[int, Callable[[], list[str]]] = dict(
    enumerate(
        (
            _idle, _cautious, _cancelled, _lenses, _multiplied, _cooled, _kept, _bins, _noise, _searched, _there,
            _halves, _likely, _threshold, _benefit, _prevalence, _brier, _clusters,
        ),
        start=1,
    )
)  # fmt: skip  # short entries stand in rows


def test_each_question_is_computed() -> None:
    assert list(quiz()) == list(COMPUTED) and 15 <= len(COMPUTED) <= 20


@pytest.mark.parametrize("number", COMPUTED)
def test_what_the_quiz_answers(number: int) -> None:
    said = quiz()[number]
    for text in COMPUTED[number]():
        assert text in said


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script that makes slides."""
    return module_of("make_slides")


LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.thorough
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_slides_of_a_lesson_hold_all_of_it_and_load_nothing(script: ModuleType, path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    page = script.page(notebook)
    assert path in script.lessons()
    assert not re.search(r"<(link|script|img|iframe)[^>]*(src|href)=\"(?!data:)|url\((?!data:)|@import", page)
    slides = script.slides(notebook)
    headings = sum(
        len(re.findall(r"^#+ ", cell.source, re.M)) for cell in notebook.cells if cell.cell_type == "markdown"
    )
    assert headings <= len(slides) == page.count("<section")
    for asked in re.findall(r"cv\.teaching\.(?:guess|answer|check)\(\"(.+?)\"", path.read_text().replace('\\"', '"')):
        assert f">{asked}" in page or f'data-question="{asked}"' in page
    assert "assert " not in page  # what is hidden from students
    assert page.count("data:image/png") >= page.count('class="live"') == sum(map(script.is_widget, notebook.cells))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_links_of_slides_open_what_the_lesson_shows(script: ModuleType, path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    for cell in filter(script.is_widget, notebook.cells):
        link = script.link_of(notebook, cell)
        if not link:
            continue
        page = demo(link)
        shown = page.children[1].view
        name = re.match(r"\?data=(\w+)", link)[1]
        assert name in DEMO_NAMES
        code = re.sub(r"cv\.Explorer\(\s*\w+(?:, \w+(?=[,)]))?", "made = cv.Explorer(*given", cell.source)
        names = {"cv": cv, "given": demo_data(name)}
        exec(code, names)
        made = names["made"]
        if len(made.state.models) > 1 and "model=" not in code:  # the lesson shows one of the models alone
            made.state.model = shown.state.model
        assert shown.state.to_dict() == made.state.to_dict()
        made.close()
        page.close()


def test_data_of_a_notebook_have_no_link(script: ModuleType) -> None:
    def notebook(code: str, shown: str) -> tuple[nbformat.NotebookNode, nbformat.NotebookNode]:
        cells = [nbformat.v4.new_code_cell(code, id="data"), nbformat.v4.new_code_cell(shown, id="widget")]
        return nbformat.v4.new_notebook(cells=cells), cells[1]

    own = notebook("p = cv.Predictions([0.1, 0.9], [0, 1])", "cv.Explorer(p, bins=5)")
    varied = notebook('p = cv.load_dataset("heart")', "cv.Explorer(p, bins=bins)")
    one = notebook('p = cv.load_dataset("heart")["random forest"]', 'cv.Explorer(p, panels=("segments",))')
    assert script.link_of(*own) == script.link_of(*varied) == ""
    assert script.link_of(*one) == "?data=heart&model=random+forest&panels=%5B%22segments%22%5D"
