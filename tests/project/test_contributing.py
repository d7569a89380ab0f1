"""Following CONTRIBUTING.md to the letter works: its listings, written into a copy of calibviz, add what they say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from page_code import blocks

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
USES = """
assert cube.mean_gap.sizes["lens"] == 2 and cube.mean_gap.notnull().all()
assert cv.lens("margin")(p).score.round(6).tolist()[-1:] == [0.8]
assert list(p.fields) == [] and len(p) == 200
explorer.finish()
explorer.state.metrics = ("ece",)
assert "gap" in explorer.sentences, explorer.sentences
assert explorer.state.panels == ("reliability", "gap")
explorer.state.update(lens="margin", binning="square root", calibrator="shrinkage", panels=("reliability", "balance"))
explorer.finish()
assert explorer.sentences["balance"].startswith("The mean score is ") and explorer.situation.after is not None
shown = explorer.situation.before
assert len(explorer.situation.bins(shown)[0].weight) == int(len(shown.problems[0]) ** 0.5)
assert "balance" in explorer.code() and "square root" in explorer.state.to_link().replace("+", " ")
def below(widget):
    return [widget, *(one for child in getattr(widget, "children", ()) for one in below(child))]
assert {"Balance", "Mean gap"} <= {getattr(widget, "description", "") for widget in below(explorer)}
assert "mean_gap" in cv.evaluate(p, metrics="mean_gap", noise=True, progress=False)
print("done")
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of calibviz into which the listings were written."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "calibviz", folder / "calibviz", ignore=shutil.ignore_patterns("__pycache__"))
    for listing in blocks(PAGE, "py"):
        add(folder, *listing.split("\n", 1))
    return folder


def add(folder: Path, where: str, lines: str) -> None:
    """Do what the first line of a listing says with the others."""
    if new := re.fullmatch(r"# new file (\S+)", where):
        assert not (folder / new[1]).exists(), where
        (folder / new[1]).write_text(lines, encoding="utf-8")
        return
    place = re.fullmatch(r"# (\S+), (?:below: (.+)|at its end)", where)
    assert place, where
    text = (folder / place[1]).read_text(encoding="utf-8")
    if place[2] is None:
        text = f"{text}\n\n{lines}"
    else:
        found = [line for line in text.splitlines() if line.strip() == place[2]]
        assert len(found) == 1, f"{place[1]} has no single line {place[2]!r}"
        text = text.replace(f"{found[0]}\n", f"{found[0]}\n{lines}", 1)
    (folder / place[1]).write_text(text, encoding="utf-8")


def test_there_is_a_listing_for_each_thing_that_is_added_most() -> None:
    titles = re.findall(r"^\*\*(A .+)\*\*$", PAGE, re.MULTILINE)
    assert titles == ["A metric", "A lens", "A binning", "A calibrator", "A panel", "A format of file"]
    places = [listing.split("\n", 1)[0] for listing in blocks(PAGE, "py")]
    files = {re.search(r"calibviz/[\w/]+\.py", place)[0] for place in places}
    assert len(places) == 18 and len(files) == 12


def test_what_the_listings_add_is_known_everywhere(package: Path, tmp_path: Path) -> None:
    program = "\n".join(["import sys", f"sys.path.insert(0, {str(package)!r})", *used(), USES])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:metadata:DeprecationWarning", "-c", program],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip  # short arguments stand in a row
    assert (done.stdout.splitlines()[-1:], done.returncode) == (["done"], 0), done.stderr


def used() -> list[str]:
    """The programs of the page that use what the listings add."""
    return [block for block in blocks(PAGE, "python") if "cv." in block]
