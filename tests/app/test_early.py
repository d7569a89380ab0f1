"""The process that loads what a page needs while the command reads its file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from commands import COMMAND, ERROR, WIDGET, User, get

from calibviz.app.cli import main
from calibviz.app.early import EARLY, EarlyKernel

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="elsewhere no process begins early"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.npz"
    np.savez(path, prob=np.linspace(0, 1, 40), label=np.arange(40) % 2)
    return path


def are_early(processes: list[psutil.Process]) -> list[bool]:
    return [EARLY in process.cmdline() for process in processes if process.status() != psutil.STATUS_ZOMBIE]


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def early() -> Iterator[EarlyKernel]:
    with EarlyKernel() as made:
        yield made


def test_the_first_page_goes_on_with_the_early_process(user: User, file: Path) -> None:
    with user.start(*COMMAND, "explore", str(file), "--no-browser") as running:
        assert are_early(running.kernels()) == [True]
        for several in ([True], [True, False]):  # the second page starts a kernel of its own
            page = get(running.url)
            assert WIDGET in page and ERROR not in page
            assert sorted(are_early(running.kernels()), reverse=True) == several
        assert running.end()[0] == 0 and not running.process.poll()


def test_nothing_runs_on_once_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(tmp_path / "missing.npz"), "--no-browser"]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert not any(are_early(psutil.Process().children()))


def test_it_becomes_one_kernel_alone(early: EarlyKernel, tmp_path: Path) -> None:
    given = early.become(["--version"], {"PATH": os.environ["PATH"], "ODD": "\udcff"}, str(tmp_path))
    assert given is not None
    assert early.become(["--version"], {}, str(tmp_path)) is None
    with given:
        assert given.wait(timeout=240) == 0  # the kernel says its version, and ends


def test_one_that_has_ended_becomes_none(early: EarlyKernel, tmp_path: Path) -> None:
    process = early._process
    assert process is not None
    process.kill()
    process.wait()
    assert early.become([], {}, str(tmp_path)) is None


def test_it_ends_with_the_command() -> None:
    program = (
        "import os; from calibviz.app.early import EarlyKernel; early = EarlyKernel().__enter__();"
        "print(early._process.pid, flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    number = int(done.stdout)
    assert done.stderr == "" and not (psutil.pid_exists(number) and are_early([psutil.Process(number)]))
