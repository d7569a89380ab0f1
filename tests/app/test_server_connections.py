"""Connections that say nothing, or too slowly: they are closed, and never in the way of the user."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from commands import SECONDS, SERVE, WHO, Running, User, kernel_id_of, until
from websockets_of_pages import connect, hang_up, hear, question, run

from calibviz.app.server import connections

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(sys.platform == "win32", reason="there, connections are not counted among files"),
]

FEW_FILES = 256
LIMITED = ["sh", "-c", f'ulimit -n {FEW_FILES}; exec "$@"', "-"]
HASTE = 1


def serve(before: str) -> list[str]:
    """The command that serves cells after a line of code of this test."""
    return [*SERVE[:2], f"from calibviz.app.server import connections; {before}\n{SERVE[2]}"]


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that waits no longer than a second for a request."""
    user = User(tmp_path_factory.mktemp("home"))
    with user.start(*serve(f"connections.HASTE = {HASTE}"), "600", WHO) as running:
        yield running
        assert running.end() == (0, "")


def dial(running: Running) -> socket.socket:
    address = urllib.parse.urlsplit(running.url)
    return socket.create_connection((address.hostname, address.port), timeout=SECONDS)


def test_nobody_has_long_to_make_a_request() -> None:
    assert connections.HASTE == 10


@pytest.mark.parametrize("pause", [SECONDS, 0.05], ids=["idle", "dripping"])
@pytest.mark.parametrize(
    "begins", ["", "GET /{base} HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nContent-Length: 9999\r\n\r\n"]
)
def test_a_request_that_is_not_whole_in_time_is_not_awaited(running: Running, begins: str, pause: float) -> None:
    visitor = running.enter()
    for cookie in (f"Cookie: {visitor.cookie}\r\n", ""):
        with dial(running) as connection:
            host = f"Host: {urllib.parse.urlsplit(running.url).netloc}\r\n"
            path = urllib.parse.urlsplit(visitor.page).path[1:]
            said = begins.format(base=path).replace(" HTTP/1.1\r\n", f" HTTP/1.1\r\n{host}{cookie}")
            connection.sendall(said.encode())
            end = time.monotonic() + SECONDS
            connection.settimeout(pause)
            with suppress(ConnectionError):
                while time.monotonic() < end:
                    with suppress(TimeoutError):
                        if not connection.recv(2**16):
                            break
                    connection.sendall(b"x")
            assert time.monotonic() < end


def test_an_answer_does_not_keep_a_stranger(running: Running) -> None:
    """One who asks again and again, each time in time."""
    with dial(running) as connection, suppress(ConnectionError):
        until(lambda: not (connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") or connection.recv(2**16)))


def test_what_belongs_to_the_user_stays(running: Running) -> None:
    """A page that takes its time, and its websocket, which says nothing for long."""
    visitor = running.enter()
    page = visitor.get()

    async def talk() -> None:
        connection = await connect(visitor, kernel_id_of(page))
        await asyncio.sleep(3 * HASTE)
        await connection.write_message(question(), binary=True)
        await hear(connection, "kernel_info_reply", status="ok")
        hang_up(connection)

    run(talk)


def test_a_slow_page_stays(user: User) -> None:
    slow = f"import time; time.sleep({3 * HASTE})"
    with user.start(*serve(f"connections.HASTE = {HASTE}"), "600", slow, WHO) as running:
        assert f"of {sys.executable} shows 42" in running.enter().get()


def test_crowds_of_strangers_leave_room_for_the_user(user: User) -> None:
    with user.start(*LIMITED, *SERVE, "600", WHO) as running, ExitStack() as crowd:
        for _ in range(FEW_FILES + 60):
            crowd.enter_context(dial(running))
        assert running.server().num_fds() < FEW_FILES / 2
        assert f"of {sys.executable} shows 42" in running.enter().get()
        assert running.end() == (0, "")


def test_a_full_table_is_told_in_one_line(user: User) -> None:
    """Here, where strangers may take all places, as other files may."""
    with user.start(*LIMITED, *serve("connections.SHARE = 2"), "600", WHO) as running, ExitStack() as crowd:
        for _ in range(FEW_FILES + 60):
            crowd.enter_context(dial(running))
        until(lambda: running.server().num_fds() < FEW_FILES / 2)
        assert f"of {sys.executable} shows 42" in running.enter().get()
        assert running.server().cpu_times().user < SECONDS / 10
        assert running.end() == (0, f"calibviz: {connections.FULL_MESSAGE.format(FEW_FILES)}\n")


def test_a_page_for_which_no_file_is_left_says_so(user: User) -> None:
    fail = (
        "from calibviz.app.server.kernels import Kernels\n"
        "async def fail(self, **_):\n    raise OSError(connections.FULL[0], 'too many')\n"
        "Kernels.start_kernel = fail"
    )
    with user.start(*LIMITED, *serve(fail), "600", WHO) as running:
        answers = [running.enter().ask() for _ in range(2)]
        said = connections.FULL_MESSAGE.format(FEW_FILES) + "\n"
        assert [(answer.status, answer.text) for answer in answers] == [(503, said)] * 2
        assert running.end() == (0, f"calibviz: {said}")
