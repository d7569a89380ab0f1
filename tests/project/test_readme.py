"""The README: its code runs and gives the numbers that it says, its commands and pictures are what they should be."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from page_code import blocks, run, shown

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DEMO = "python3 -m venv .venv && .venv/bin/pip install '.[app]' && .venv/bin/calibviz demo"
TEST = "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest"


def text() -> str:
    return README.read_text(encoding="utf-8")


@pytest.mark.usefixtures("of_intervals")
def test_code_runs_and_gives_the_numbers_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    said = [found for block in blocks(text(), "python") for found in run(block, namespace, README.name)]
    namespace["explorer"].close()
    assert len(said) >= 5
    for source, number, value in said:
        assert shown(value, number) == number, source
    assert "import calibviz as cv" in capsys.readouterr().out  # what Explorer.code gave


def test_a_stranger_reads_it_in_a_few_minutes() -> None:
    assert len(text().splitlines()) <= 150


def test_both_commands_are_there_word_for_word() -> None:
    assert {f"{DEMO}\n", f"{TEST}\n"} <= set(blocks(text(), "sh"))


def test_continuous_integration_takes_the_test_command_from_here() -> None:
    script = ROOT / ".ci" / "run"
    if not script.exists():
        pytest.skip("not a checkout of the repository")
    pattern = re.search(r"grep -m 1 -E '([^']+)' README\.md", script.read_text(encoding="utf-8"))
    assert pattern
    assert next(line for line in text().splitlines() if re.search(pattern[1], line)).strip() == TEST


def test_files_it_links_to_exist() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", text()) + re.findall(r"(?:src|srcset)=\"([^\"]+)\"", text())
    local = {link for link in links if not link.startswith(("http://", "https://", "#"))}
    assert {"docs/images/explorer-light.png", "docs/images/explorer-dark.png"} <= local
    assert [link for link in sorted(local) if not (ROOT / link).is_file()] == []
