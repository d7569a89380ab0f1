"""The command where calibviz itself goes wrong, or where nobody reads on."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from commands import COMMAND, User

from calibviz.app import cli, failures

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
ISSUES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Issues"]
BROKEN = [
    sys.executable,
    "-c",
    "import sys, calibviz.app.cli as cli, calibviz.app.reading as reading\n"
    "def broken(*_, **options): return {}['no\\nsuch key']\n"
    "reading._read = broken\n"
    "sys.exit(cli.main(sys.argv[1:]))",
]


@pytest.fixture
def user(tmp_path: Path) -> User:
    made = User(tmp_path)
    rng = np.random.default_rng(0)
    weights = np.linspace(1, 2, 50)  # of these no report asks how many it takes, which lasts longest
    given = {"probs": rng.dirichlet(np.ones(3), size=50), "labels": rng.integers(3, size=50)}
    np.savez(made.home / "mine.npz", **given, weights=weights)
    return made


@pytest.mark.parametrize("command", ["explore", "report", "compare"])
def test_what_should_not_happen_is_one_sentence_that_asks_for_a_report(user: User, command: str) -> None:
    done = user.run(command, "mine.npz", command=BROKEN)
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr == (
        "calibviz: this should not have happened: KeyError: 'no\\nsuch key'. "
        f"Please report it at {ISSUES}, with what --debug shows\n"
    )


@pytest.mark.parametrize("arguments", [["--debug", "report", "mine.npz"], ["report", "mine.npz", "--debug"]])
def test_debug_shows_the_traceback(user: User, arguments: list[str]) -> None:
    done = user.run(*arguments, command=BROKEN)
    assert done.returncode == 70
    assert done.stderr.startswith("Traceback (most recent call last):") and "in broken" in done.stderr
    assert done.stderr.endswith(f"Please report it at {ISSUES}\n")


def test_without_metadata_it_still_asks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def nobody(name: str) -> None:
        raise failures.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(failures.metadata, "metadata", nobody)
    monkeypatch.setattr(cli, "_demo", lambda options: 1 / 0)
    assert cli.main(["demo"]) == 70
    assert capsys.readouterr().err == (
        "calibviz: this should not have happened: ZeroDivisionError: division by zero. "
        "Please report it, with what --debug shows\n"
    )


@pytest.mark.parametrize("more", [[], ["--debug"]])
def test_refusals_and_interruptions_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    assert cli.main(["report", "missing.npz", *more]) == 2
    assert capsys.readouterr().err == "calibviz: cannot read 'missing.npz': there is no such file\n"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "read", interrupted)
    assert cli.main(["report", "missing.npz", *more]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("arguments", [["report", "mine.npz"], ["--help"], ["report", "--help"]])
def test_nobody_has_to_read_what_it_prints(user: User, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=user.home,
            env=user.environment(PYTHONUNBUFFERED=""),
            stdin=subprocess.DEVNULL,
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=240,
        )
    assert done.returncode == 141 and all("truth from 'labels'" in line for line in done.stderr.splitlines())
