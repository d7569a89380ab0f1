"""The benchmark that attacks the page's server, in short: it prints what it has tried, and nothing was given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import SECONDS

pytestmark = pytest.mark.thorough

ATTACK = Path(__file__).parents[2] / "benchmarks" / "attack.py"


def test_attacks_are_withstood() -> None:
    command = [sys.executable, str(ATTACK), "--many", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * SECONDS)
    head, rule, *rows = done.stdout.splitlines()
    assert [row for row in rows if not row.endswith("| yes |")] == []
    assert (done.returncode, done.stderr) == (0, "")
    assert head == "| what was tried | how often | what came back | withstood |"
    assert rule.count("|") == 5 and len(rows) == 26
