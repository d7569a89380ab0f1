"""The outputs that lessons store are those of a run of today, in a time that a student waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from scripts_as_modules import module_of

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECONDS = 25  # on quiet cores, from the first cell to the last
OF_A_SHARED_MACHINE = 4  # as many times as long


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script that stores them."""
    return module_of("run_notebooks")


@pytest.fixture(scope="module")
def kernel(script: ModuleType) -> Iterator[object]:
    """A kernel for all lessons, since the page of each has one of its own; its start takes most of a short run."""
    with script.one_kernel() as kernel:
        yield kernel


@pytest.mark.filterwarnings("ignore")  # of Jupyter's own
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_shows_what_it_stores(script: ModuleType, kernel: object, path: Path) -> None:
    now, seconds = script.run(path, complete=False, kernel=kernel)  # `differences` leaves out what views say
    assert script.differences(nbformat.read(path, as_version=4), now) == []
    assert seconds < OF_A_SHARED_MACHINE * SECONDS


def test_a_changed_word_or_number_is_seen(script: ModuleType) -> None:
    def shown(text: str) -> nbformat.NotebookNode:
        output = nbformat.v4.new_output("stream", text=text)
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", id="one", outputs=[output])])

    alike = [
        ("ECE 12.34 %", "ECE 12.35 %"),
        ("1,797 images", "1,797 images"),
        ("0.003", "0.004"),
        ("5 % of 9", "5 % of 9"),
    ]
    apart = [("ECE 12.34 %", "ECE 12.9 %"), ("ECE", "KS"), ("5 bins", "6 bins"), ("1.0e-3", "1.0e-2"), ("a 1", "a 1 2")]
    assert not any(script.differences(shown(one), shown(other)) for one, other in alike)
    assert all(script.differences(shown(one), shown(other)) for one, other in apart)
