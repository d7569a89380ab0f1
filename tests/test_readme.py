"""The README: its code runs and gives the numbers that it says, its commands and pictures are what they should be."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

import calibviz as cv

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
DEMO = "python3 -m venv .venv && .venv/bin/pip install '.[app]' && .venv/bin/calibviz demo"
TEST = "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest"


def text() -> str:
    return README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text(), re.DOTALL | re.MULTILINE)


def run(code: str, namespace: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """Run a block statement by statement; return (source, the value said in its comment, value) where one is said."""
    said = []
    for statement in ast.parse(code).body:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), "README.md", "exec"), namespace)
            continue
        value = eval(compile(ast.Expression(statement.value), "README.md", "eval"), namespace)
        assert statement.end_lineno is not None
        comment = re.search(r"  # (-?\d+\.\d+|\w+$)", code.splitlines()[statement.end_lineno - 1])
        if comment:
            said.append((ast.unparse(statement), comment[1], value))
    return said


def test_code_runs_and_gives_the_numbers_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    said = [found for block in blocks("python") for found in run(block, namespace)]
    namespace["explorer"].close()
    assert len(said) >= 5
    for source, number, value in said:
        shown = f"{value:.{len(number.partition('.')[2])}f}" if isinstance(value, float) else str(value)
        assert shown == number, source
    assert "import calibviz as cv" in capsys.readouterr().out  # what Explorer.code gave


def test_names_of_lenses_are_those_that_the_objects_print() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| `([A-Z]\w+\(.*?\))` \|", text(), re.MULTILINE)
    assert len(rows) >= 7
    for name, code in rows:
        made = eval(f"cv.{code}", {"cv": cv})
        assert (name, cv.lens(name).name) == (made.name, made.name)


def test_both_commands_are_there_word_for_word() -> None:
    assert {f"{DEMO}\n", f"{TEST}\n"} <= set(blocks("sh"))


def test_continuous_integration_takes_the_test_command_from_here() -> None:
    script = ROOT / ".ci" / "run"
    if not script.exists():
        pytest.skip("not a checkout of the repository")
    pattern = re.search(r"grep -m 1 -E '([^']+)' README\.md", script.read_text(encoding="utf-8"))
    assert pattern
    assert next(line for line in text().splitlines() if re.search(pattern[1], line)).strip() == TEST


def test_files_it_links_to_exist() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", text()) + re.findall(r"(?:src|srcset)=\"([^\"]+)\"", text())
    local = {link for link in links if not link.startswith(("http://", "https://"))}
    assert {"docs/images/explorer-light.png", "docs/images/explorer-dark.png"} <= local
    assert [link for link in sorted(local) if not (ROOT / link).is_file()] == []


def test_notebook_of_the_badges_exists() -> None:
    notebooks = set(re.findall(r"notebooks/\w+\.ipynb", text()))
    assert notebooks
    assert all((ROOT / notebook).is_file() for notebook in notebooks)


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_are_committed_without_outputs(notebook: Path) -> None:
    held = json.loads(notebook.read_text(encoding="utf-8"))
    assert held["metadata"]["kernelspec"]["name"] == "python3"
    code = [cell for cell in held["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
