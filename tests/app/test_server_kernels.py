"""The kernels of the pages: how many there are, and when they end."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import zmq
from commands import SERVE, WHO, Answer, Running, User, kernel_id_of, kernel_of, until, wait_until_ended
from websockets_of_pages import V1, connect, hang_up, hear, question, run

from calibviz.app.server.kernels import Heartbeat

pytestmark = pytest.mark.thorough

MOST = 3
SERVE_FEW = [
    sys.executable,
    "-c",
    f"from calibviz.app.server.kernels import Kernels; Kernels.most = {MOST}\n{SERVE[2]}",
]


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def running(user: User) -> Iterator[Running]:
    """A server for few pages, which waits for a lost one as long as there are tests."""
    with user.start(*SERVE_FEW, "600", WHO) as running:
        yield running


def test_there_are_only_so_many(running: Running) -> None:
    visitor = running.enter()
    pages = [visitor.get() for _ in range(MOST)]
    refused = [visitor.ask() for _ in range(3)]
    assert {answer.status for answer in refused} == {503}
    assert refused[0].text.startswith(f"{MOST} pages of calibviz are open, and there can be no more")
    assert "Close other tabs" in refused[0].text
    assert len(running.kernels()) == MOST
    leave(running, pages[0])
    wait_until_ended(kernel_of(pages[0]))
    until(lambda: visitor.ask().status == 200)
    assert running.end() == (0, "")


def leave(running: Running, page: str) -> Answer:
    """Say what a page says as it is left."""
    visitor = running.enter()
    return visitor.ask(f"voila/api/shutdown/{kernel_id_of(page)}", method="POST", data=b"", Origin=visitor.origin)


def test_a_page_that_is_left_ends_its_kernel(running: Running) -> None:
    page = running.enter().get()
    assert leave(running, page).status == 204
    wait_until_ended(kernel_of(page))
    assert leave(running, page).status == 204  # and may say so twice


def test_pages_that_are_not_awaited_leave_no_kernel(user: User) -> None:
    """As many times as somebody presses reload, at whatever moment of a kernel's start and work."""
    note = user.home / "note"
    busy = f"import pathlib, time\npathlib.Path({str(note)!r}).touch()\ntime.sleep(600)"
    with user.start(*SERVE, "600", busy) as running:
        visitor = running.enter()
        for _ in range(4):
            visitor.begin().close()
        until(lambda: running.kernels() == [])
        moments: list[Callable[[socket.socket], Any]] = [
            lambda connection: until(running.kernels),
            lambda connection: connection.recv(100),
            lambda connection: until(note.exists),
        ]
        for come in moments:
            with visitor.begin() as connection:
                come(connection)
            until(lambda: running.kernels() == [])
        assert running.end() == (0, "")  # nothing of all this has been written to the terminal


@pytest.mark.parametrize("fails", [False, True])
def test_a_page_that_is_left_while_its_kernel_starts_leaves_none(user: User, fails: bool) -> None:
    """However long that takes, and also where Jupyter then fails."""
    go, begun = user.home / "go", user.home / "begun"
    held = (
        "import asyncio, pathlib\nfrom calibviz.app.server.kernels import Kernels\n"
        "finish = Kernels._finish_kernel_start\n"
        f"go, begun = pathlib.Path({str(go)!r}), pathlib.Path({str(begun)!r})\n"
        "async def held_back(self, kernel_id):\n    begun.touch()\n    while not go.exists():\n"
        "        await asyncio.sleep(0.02)\n    await finish(self, kernel_id)\n"
        f"    if {fails}:\n        raise RuntimeError('held back')\n"
        "Kernels._finish_kernel_start = held_back\n"
    )
    with user.start(*SERVE[:2], held + SERVE[2], "600", WHO) as running:
        with running.enter().begin():
            until(begun.exists)
            assert len(running.kernels()) == 1
        go.touch()
        until(lambda: running.kernels() == [])


def test_a_kernel_that_cannot_be_talked_to_is_ended(user: User) -> None:
    full = (
        "from calibviz.app.server.kernels import Kernel\n"
        "def full(self):\n    raise OSError(24, 'Too many open files')\n"
        "Kernel._connect_control_socket = full\n"
    )
    with user.start(*SERVE[:2], full + SERVE[2], "600", WHO) as running:
        assert running.enter().ask().status == 503
        until(lambda: running.kernels() == [])


def test_a_heartbeat_that_is_stopped_as_it_begins_ends(tmp_path: Path) -> None:
    class Late(Heartbeat):
        def _create_socket(self) -> None:
            self._exit.wait()
            super()._create_socket()

    with zmq.Context() as context:
        heartbeat = Late(context, None, f"ipc://{tmp_path}/nobody")
        heartbeat.start()
        heartbeat.stop()
        assert not heartbeat.is_alive()


@pytest.mark.parametrize("after", [0.05, 0.2, 0.4])
def test_a_kernel_that_is_ended_while_it_is_loaded_says_nothing(user: User, after: float) -> None:
    """Also where much time passes between what Jupyter does before it kills a kernel and the killing."""
    slowly = (
        "import asyncio\nfrom calibviz.app.server.kernels import Kernel\n"
        "kill = Kernel._async_kill_kernel\n"
        "async def later(self, *more):\n    await asyncio.sleep(0.5)\n    await kill(self, *more)\n"
        "Kernel._async_kill_kernel = later\n"
    )
    with user.start(*SERVE[:2], slowly + SERVE[2], "600", WHO) as running:
        with running.enter().begin():
            until(running.kernels)
            time.sleep(after)
        until(lambda: running.kernels() == [])
        assert running.end() == (0, "")


def test_a_page_that_takes_its_time_says_something(user: User) -> None:
    impatient = "from calibviz.app.server import handlers; handlers.PATIENCE = 0.1\n"
    with user.start(*SERVE[:2], impatient + SERVE[2], "600", "import time; time.sleep(600)") as running:
        with running.enter().begin() as connection:
            said = b""
            while said.count(b"\r\n1\r\n\n\r\n") < 20:  # pieces of one blank line each
                said += connection.recv(2**16)
        until(lambda: running.kernels() == [])
        assert running.end() == (0, "")


def test_a_browser_that_does_not_answer_is_given_up(user: User) -> None:
    asking = "from calibviz.app import server; server.PING, server.PING_TIMEOUT = 200, 1000\n"
    with user.start(*SERVE[:2], asking + SERVE[2], "1", WHO) as running:
        visitor = running.enter()
        page = visitor.get()
        key = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Origin: {visitor.origin}"]
        key += ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", f"Sec-WebSocket-Protocol: {V1}"]
        with visitor.begin(f"api/kernels/{kernel_id_of(page)}/channels?session_id=1", *key) as connection:
            assert connection.recv(100).startswith(b"HTTP/1.1 101")
            wait_until_ended(kernel_of(page))
            assert running.end() == (0, "")


def test_a_kernel_that_dies_says_so_and_stays_dead(running: Running) -> None:
    visitor = running.enter()
    page = visitor.get()

    async def talk() -> None:
        connection = await connect(visitor, kernel_id_of(page))
        (kernel,) = running.kernels()
        kernel.kill()
        await hear(connection, "status", execution_state="dead")
        hang_up(connection)

    run(talk)
    until(lambda: running.kernels() == [])
    assert visitor.ask(f"api/kernels/{kernel_id_of(page)}").status == 404


def test_a_lost_connection_can_be_taken_up_again(running: Running) -> None:
    visitor = running.enter()
    page = visitor.get()

    async def talk() -> None:
        for _ in range(2):
            connection = await connect(visitor, kernel_id_of(page))
            await connection.write_message(question(), binary=True)
            await hear(connection, "kernel_info_reply", status="ok")
            hang_up(connection)

    run(talk)
    assert [kernel.pid for kernel in running.kernels()] == [kernel_of(page)]


def test_a_kernel_that_nobody_holds_ends(user: User) -> None:
    """Not while its page is being written, however long that takes, nor while a websocket is open."""
    with user.start(*SERVE, "0.5", WHO, "import time; time.sleep(3)") as running:
        visitor = running.enter()
        wait_until_ended(kernel_of(visitor.get()))  # its page was never connected
        page = visitor.get()

        async def talk() -> None:
            connection = await connect(visitor, kernel_id_of(page))
            for _ in range(3):
                await connection.write_message(question(), binary=True)
                await hear(connection, "kernel_info_reply", status="ok")
                with pytest.raises(psutil.TimeoutExpired):
                    running.kernels()[0].wait(timeout=1)
            hang_up(connection)

        run(talk)
        wait_until_ended(kernel_of(page))
        assert running.end() == (0, "")


def test_long_folders_leave_kernels_their_sockets(tmp_path: Path) -> None:
    """Names of sockets have a hundred characters at most, and folders for temporary files may have longer ones."""
    home = tmp_path / ("x" * 100)
    home.mkdir()
    user = User(home)
    before = set(Path("/tmp").glob("calibviz-*"))
    with user.start(*SERVE, "600", WHO) as running:
        assert f"of {sys.executable} shows 42" in running.enter().get()
        (connection,) = user.temporary.rglob("kernel-*.json")
        assert '"transport": "ipc"' in connection.read_text()
        assert running.end() == (0, "")
    assert list(user.temporary.iterdir()) == []
    assert set(Path("/tmp").glob("calibviz-*")) <= before
