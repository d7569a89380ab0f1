"""The process that loads what the first page needs, and becomes its kernel."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from commands import COMMAND, ERROR, SERVE, WHO, WIDGET, User, get, kernel_of, until, wait_until_ended

from calibviz.app.spare import LAUNCHER, Spare, can_wait

SERVE_SPARE = [
    sys.executable,
    "-c",
    "import sys; from calibviz.app.spare import Spare; spare = Spare('colorsys', 'no_such_module')\n"
    + SERVE[2].replace("browser=False", "browser=False, spare=spare"),
]
#: What a page tells of its kernel.
TELL = f"{WHO}; print('loaded', 'colorsys' in sys.modules, 'asks', os.environ.get('QUERY_STRING'), 'in', os.getcwd())"

pytestmark = pytest.mark.skipif(not can_wait(), reason="no process can wait on this system")


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def spare() -> Iterator[Spare]:
    spare = Spare("json")
    yield spare
    spare.close()


def test_the_first_page_gets_the_process_that_waits(user: User) -> None:
    with user.start(*SERVE_SPARE, "600", TELL) as running:
        (waiting,) = running.kernels()
        visitor = running.enter("&bins=7")
        first, second = visitor.get(), visitor.get()
        assert kernel_of(first) == waiting.pid != kernel_of(second)
        (folder,) = user.temporary.iterdir()
        assert f"loaded True asks bins=7 in {folder}" in first
        assert "loaded False asks" in second
        assert running.end() == (0, "")  # also of the module that could not be loaded
    wait_until_ended(waiting.pid)
    assert list(user.temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_process_that_nobody_needed_ends_with_the_server(user: User, number: signal.Signals) -> None:
    with user.start(*SERVE_SPARE, "600", TELL) as running:
        (waiting,) = running.kernels()
        assert running.end(number) == (0, "")
    wait_until_ended(waiting.pid)


def test_it_ends_where_the_server_is_killed(user: User) -> None:
    with user.start(*SERVE_SPARE, "600", TELL) as running:
        (waiting,) = running.kernels()
        running.process.kill()
        running.process.wait()
        wait_until_ended(waiting.pid)


def test_a_page_comes_all_the_same_where_the_process_has_ended(user: User) -> None:
    with user.start(*SERVE_SPARE, "600", TELL) as running:
        (waiting,) = running.kernels()
        waiting.kill()
        until(lambda: running.kernels() == [])
        assert "loaded False" in get(running.url)
        assert running.end() == (0, "")


def test_it_is_no_other_command(spare: Spare, tmp_path: Path) -> None:
    assert spare.become([sys.executable, "-m", "ipykernel_launcher"], os.environ, str(tmp_path)) is None
    process = spare.become([sys.executable, str(LAUNCHER), "--version"], os.environ, str(tmp_path))
    assert process is not None and process.wait(timeout=60) == 0
    assert spare.become([sys.executable, str(LAUNCHER), "--version"], os.environ, str(tmp_path)) is None


def test_what_it_writes_is_for_its_user_alone(tmp_path: Path) -> None:
    code = (
        "import calibviz.app.server.launcher as l, os; l.wait(['json']); open('made', 'w').close(); print(os.getcwd())"
    )
    told = f'{{"arguments": [], "environment": {{}}, "folder": "{tmp_path}"}}\n'
    done = subprocess.run([sys.executable, "-c", code], input=told, capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path}\n"
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o600


def test_the_command_has_one(user: User) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running:
        (waiting,) = running.kernels()
        assert "--wait" in waiting.cmdline()
        page = get(running.url)
        assert WIDGET in page and ERROR not in page
        assert [kernel.pid for kernel in running.kernels()] in ([waiting.pid], [])  # a page that nobody looks at ends
        assert running.end() == (0, "")
    assert not psutil.pid_exists(waiting.pid)
