"""The notebooks as files: the shape of a lesson, its outputs, links and pictures that are there.

That they run and that their widgets answer is tested by tests/browser/test_notebooks.py, or without a browser that they
run by nbmake (see pyproject.toml and conftest.py). test_stored_outputs.py compares what a lesson stores with a run.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from calibviz.answers.asked.glossary import GLOSSARY
from calibviz.teaching.lessons import EXERCISES

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_STORED = 400_000  # bytes of a notebook with its outputs
MOST_WIDGETS = 3

#: The terms of the field that a lesson explains by a link; an outcome is also an everyday word.
NAMED = [part for _, term, _ in GLOSSARY for part in term.split(", ")]
TERMS = [part for part in NAMED if not part.startswith(("`", "a ")) and part != "outcome"]
Cell = dict[str, Any]
#: Cells that no student sees: they check what the text claims.
HIDDEN = {"jupyter": {"source_hidden": True}, "tags": ["claims", "remove-cell"]}


def is_hidden(name: str) -> bool:
    return name.startswith("claims")


def is_widget(name: str) -> bool:
    return bool(re.fullmatch(r"widget(-\w+)?", name))


each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return held


def cells(path: Path) -> dict[str, Cell]:
    """The cells by their ids, in order."""
    found = read(path)["cells"]
    named = {cell["id"]: cell for cell in found}
    assert len(named) == len(found), "two cells have the same id"
    return named


def text(cell: Cell) -> str:
    return "".join(cell["source"])


def prose(path: Path) -> str:
    return "\n\n".join(text(cell) for cell in read(path)["cells"] if cell["cell_type"] == "markdown")


def title(path: Path) -> str:
    return text(read(path)["cells"][0]).splitlines()[0].removeprefix("# ")


def links(source: str) -> list[str]:
    """The targets of all links and pictures that are no addresses on the web."""
    found = re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", source)
    return [link for link in map("".join, found) if not link.startswith(("http://", "https://"))]


@each
def test_pictures_come_from_calibviz(path: Path) -> None:
    code = "\n".join(text(cell) for cell in read(path)["cells"] if cell["cell_type"] == "code")
    assert not re.search(r"matplotlib|\bplt\b|\.plot\(|\bax(es)?\b", code)


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 6


@each
def test_its_metadata_say_no_more_than_needed(path: Path) -> None:
    held = read(path)
    assert re.fullmatch(r"\d\d_[a-z_]+", path.stem)
    assert (held["nbformat"], held["nbformat_minor"]) == (4, 5)
    assert held["metadata"].keys() == {"kernelspec", "language_info", "title"}
    assert held["metadata"]["kernelspec"]["name"] == "python3"
    assert held["metadata"]["language_info"] == {"name": "python"}
    assert held["metadata"]["title"].startswith("calibviz: ")
    for name, cell in cells(path).items():
        assert re.fullmatch(r"[a-z][a-z0-9-]+", name)
        assert cell["metadata"] == (HIDDEN if is_hidden(name) else {})


@each
def test_a_lesson_stores_what_it_shows(path: Path) -> None:
    """A view is stored as a sentence, a picture without a kernel, and nothing else of it."""
    assert path.stat().st_size < MOST_STORED
    for name, cell in cells(path).items():
        if cell["cell_type"] == "code":
            assert cell["execution_count"] and bool(cell["outputs"]) != is_hidden(name)
            kinds = [sorted(output.get("data", {})) for output in cell["outputs"]]
            view = [["text/html"], ["application/vnd.jupyter.widget-view+json", "text/plain"], ["image/png"]]
            assert kinds == view if is_widget(name) else view[1] not in kinds
            assert not any(output["output_type"] == "error" for output in cell["outputs"])
            assert "stderr" not in {output.get("name") for output in cell["outputs"]}


@each
def test_a_lesson_asks_before_it_shows(path: Path) -> None:
    """Goal, minutes and what comes before; for each widget a guess, three moves, what to look for, and the answer."""
    held = cells(path)
    names = list(held)
    number = path.stem[:2]
    begin = text(held["title"])
    assert names[0] == "title" and names[-1] == "end"
    assert re.fullmatch(
        r"# .+\n\n\*\*Goal\.\*\* .*\n\n\*\*Time\.\*\* (\d+) minutes: .*\n\n\*\*Before\.\*\* .*", begin, re.DOTALL
    )
    assert 20 <= minutes(path) <= 55
    assert text(held["end"]).startswith("## What to remember\n")
    assert re.findall(r"^# ", prose(path), re.MULTILINE) == ["# "]
    widgets = [name for name in names if is_widget(name)]
    assert 1 <= len(widgets) <= MOST_WIDGETS
    assert f"at the {('', 'two ', 'three ')[len(widgets) - 1]}widget" in begin
    for name in widgets:
        assert re.search(r"^cv\.(Explorer|SimulationLab|Panel)\(", text(held[name]), re.MULTILINE)
        place = names.index(name)
        guess, moves, answer = (held[names[place + step]] for step in (-2, -1, 1))
        asked = re.fullmatch(r'cv\.teaching\.guess\("(.+)"\)', text(guess))
        assert asked and text(answer) == f'cv.teaching.answer("{asked[1]}")'
        assert re.findall(r"^(\d)\. ", text(moves), re.MULTILINE) == ["1", "2", "3"]
        assert "**Three moves**" in text(moves) and "**What to look for.**" in text(moves)
    code = "\n".join(text(cell) for cell in held.values() if cell["cell_type"] == "code")
    guesses, answers, checks = (re.findall(rf'teaching\.{one}\("(.+?)"', code) for one in ("guess", "answer", "check"))
    assert guesses == answers and len(guesses) >= len(widgets)
    assert 2 <= len(checks) <= 4 and code.count(", ...)") == len(checks)
    assert sorted(guesses + checks) == sorted(name for name in EXERCISES if name.startswith(f"{number}."))


@each
def test_claims_are_checked_where_no_student_sees_it(path: Path) -> None:
    held = {name: text(cell) for name, cell in cells(path).items() if cell["cell_type"] == "code"}
    assert [name for name, code in held.items() if "assert " in code and not is_hidden(name)] == []
    assert sum(code.count("assert ") for name, code in held.items() if is_hidden(name)) >= 3


def unexplained(source: str) -> list[str]:
    """The terms of the glossary that do not link to it where they come first in plain prose."""
    links = re.compile(r"\[([^\]]+)\]\(\.\./docs/glossary\.md\)")
    plain = re.sub(r"^#[^\n]*$|```.*?```|`[^`]+`|\*{1,2}[^*\n]+\*{1,2}", "", source, flags=re.M | re.S)
    linked = links.sub(lambda found: f"\0{found[1]}\0", plain)  # a term between two of these marks is a link
    spoken = re.sub(r"!?\[[^\]]*\]\([^)]*\)", "", linked)
    late = []
    for term in TERMS:
        first = re.search(rf"(?<![\w-]){re.escape(term)}(?:s|es)?(?![\w-])", spoken, 0 if term[0].isupper() else re.I)
        if first is not None and spoken[: first.start()].count("\0") % 2 == 0:
            late.append(term)
    return late


@each
def test_a_term_links_to_the_glossary_where_it_comes_first(path: Path) -> None:
    assert unexplained(prose(path)) == []
    words = " ".join(f"{term} {papers}" for _, term, papers in GLOSSARY).casefold()
    for word in re.findall(r"\[([^\]]+)\]\(\.\./docs/glossary\.md\)", prose(path)):
        assert any(each[:4] in words for each in word.casefold().split() if len(each) > 1), f"{word} is in no entry"


def test_the_core_of_the_course_takes_four_hours() -> None:
    core = [minutes(path) for path in NOTEBOOKS if "01" <= path.stem[:2] <= "05"]
    assert core and sum(core) <= 240 and all(40 <= one <= 55 for one in core)


def minutes(path: Path) -> int:
    return int(re.findall(r"\*\*Time\.\*\* (\d+) minutes", prose(path))[0])


@each
def test_links_lead_somewhere(path: Path) -> None:
    found = links(prose(path))
    assert [link for link in found if not (path.parent / link.partition("#")[0]).is_file()] == []


@pytest.mark.parametrize(("before", "after"), list(pairwise(NOTEBOOKS)), ids=lambda path: path.stem)
def test_neighbours_link_to_each_other_by_their_titles(before: Path, after: Path) -> None:
    ends = [text(cells(path)["end"]).splitlines()[-1] for path in (before, after)]
    assert f"Next: [{after.stem[:2]} " in ends[0] and f"]({after.name})" in ends[0]
    assert f"Previous: [{before.stem[:2]} " in ends[1] and f"]({before.name})" in ends[1]


def test_a_page_lists_them_all() -> None:
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\d\d)\]\(\.\./notebooks/(\w+\.ipynb)\) \| (.+?) \|", page, re.MULTILINE)
    assert rows == [(path.stem[:2], path.name, title(path)) for path in NOTEBOOKS]


def test_the_page_has_the_minutes_of_each_lesson() -> None:
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[\d\d\]\(\.\./notebooks/(\w+\.ipynb)\) .* \| (\d+) \|$", page, re.MULTILINE)
    assert rows == [(path.name, str(minutes(path))) for path in NOTEBOOKS]
