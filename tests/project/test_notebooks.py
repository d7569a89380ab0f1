"""The notebooks as files: one shape for all of them, no outputs, links and pictures that are there.

That they run and that their widgets answer is tested by tests/browser/test_notebooks.py, or without a browser that they
run by nbmake (see pyproject.toml and conftest.py).
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_BYTES = 70_000  # of a picture

Cell = dict[str, Any]
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
def test_nothing_of_a_run_is_kept(path: Path) -> None:
    held = read(path)
    assert re.fullmatch(r"\d\d_[a-z_]+", path.stem)
    assert (held["nbformat"], held["nbformat_minor"]) == (4, 5)
    assert held["metadata"].keys() == {"kernelspec", "language_info", "title"}
    assert held["metadata"]["kernelspec"]["name"] == "python3"
    assert held["metadata"]["language_info"] == {"name": "python"}
    assert held["metadata"]["title"].startswith("calibviz: ")
    for name, cell in cells(path).items():
        assert re.fullmatch(r"[a-z][a-z0-9-]+", name)
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


@each
def test_what_a_lesson_has(path: Path) -> None:
    """A title, what one will learn, a live widget and a still of it, an exercise, its answer, what to remember."""
    held = cells(path)
    names = list(held)
    assert 15 <= len(names) <= 25
    assert names[0] == "title" and names[-1] == "end"
    assert text(held["title"]).startswith("# ") and "\n**You will learn**\n" in text(held["title"])
    assert text(held["end"]).startswith("## What to remember\n")
    assert re.findall(r"^# ", prose(path), re.MULTILINE) == ["# "]
    places = [names.index(name) for name in ("widget", "still", "exercise", "answer", "solution", "end")]
    assert places == sorted(places) and places[1] == places[0] + 1
    assert text(held["exercise"]).startswith("## An exercise\n")
    assert text(held["answer"]).startswith("**An answer.**")
    assert held["widget"]["cell_type"] == held["solution"]["cell_type"] == "code"
    # What the text claims, code checks.
    assert sum(text(cell).count("assert ") for cell in held.values() if cell["cell_type"] == "code") >= 3
    assert "assert " in text(held["solution"])


@each
def test_links_lead_somewhere(path: Path) -> None:
    found = links(prose(path))
    assert [link for link in found if not (path.parent / link.partition("#")[0]).is_file()] == []


@pytest.mark.parametrize(("before", "after"), list(pairwise(NOTEBOOKS)), ids=lambda path: path.stem)
def test_neighbours_link_to_each_other_by_their_titles(before: Path, after: Path) -> None:
    ends = [text(cells(path)["end"]).splitlines()[-1] for path in (before, after)]
    assert f"Next: [{after.stem[:2]} " in ends[0] and f"]({after.name})" in ends[0]
    assert f"Previous: [{before.stem[:2]} " in ends[1] and f"]({before.name})" in ends[1]


@each
def test_the_still_is_small_light_and_described(path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    # No picture of Markdown: Voila looks for those from the root of its server, and fails where "../" leads out of it.
    assert "![" not in prose(path)
    found = re.match(r'<img alt="([^"]+)" src="([^"]+)" width="640">\n', text(cells(path)["still"]))
    assert found
    description, target = found.groups()
    assert len(description) > 60
    picture = path.parent / target
    assert picture.resolve() == ROOT / "docs" / "images" / "notebooks" / f"{path.stem}.png"
    assert picture.stat().st_size < MOST_BYTES
    with pillow.open(picture) as image:
        assert image.format == "PNG" and image.width >= 600
        assert image.convert("L").getpixel((0, 0)) > 240


def test_no_picture_is_left_over() -> None:
    stills = {path.stem for path in (ROOT / "docs" / "images" / "notebooks").iterdir()}
    assert stills == {path.stem for path in NOTEBOOKS}


def test_a_page_lists_them_all() -> None:
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\d\d)\]\(\.\./notebooks/(\w+\.ipynb)\) \| (.+?) \|", page, re.MULTILINE)
    assert rows == [(path.stem[:2], path.name, title(path)) for path in NOTEBOOKS]
