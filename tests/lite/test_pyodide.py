"""All of calibviz says in a browser's Python, which Node runs here, what it says in any other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
TOUR = Path(__file__).parent / "tour"


def last_line(*command: str) -> dict[str, object]:
    """The JSON in the last line that a command prints."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_tour_is_the_same_in_both(pyodide: Path, wheels: Path) -> None:
    node = shutil.which("node")
    if node is None:
        assert not os.environ.get("CI"), "Node is missing"
        pytest.skip("Node is not installed")
    here = last_line(sys.executable, f"{TOUR}.py", str(ROOT / "README.md"))
    there = last_line(node, f"{TOUR}.mjs", str(pyodide), str(wheels), str(ROOT))
    assert here.keys() == there.keys()
    assert there["readme"] == here["readme"] and len(there["readme"]) >= 20  # type: ignore[arg-type]
    assert there["panels"] == here["panels"]
    assert there["report"] == here["report"]
    assert there["numbers"] == pytest.approx(here["numbers"], rel=1e-9, abs=1e-12)


def test_wheels_have_byte_code_for_its_python(pyodide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import lite_site

    version = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]["python"]
    assert version.startswith("{}.{}.".format(*lite_site.PYTHON))
    monkeypatch.setattr(lite_site, "PYTHON", sys.version_info[:2])
    for wheel in lite_site.wheels(tmp_path):
        with ZipFile(wheel) as archive:
            names = set(archive.namelist())
        sources = [name for name in names if name.endswith(".py")]
        assert sources and {cache_from_source(name) for name in sources} <= names
        assert not [name for name in names if "/tests/" in name]
