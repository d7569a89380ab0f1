"""The page: what it shows, to whom, how it ends, and what it leaves behind."""

from __future__ import annotations

import asyncio
import http.cookiejar
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from commands import SECONDS, SERVE, WHO, Running, User, get, kernel_of, until, wait_until_ended
from tornado import httpserver, netutil, web, websocket

from calibviz.server import adapted


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


# What it shows


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One page for the tests that only look at it."""
    with User(tmp_path_factory.mktemp("home")).start(*SERVE, "600", WHO) as running:
        yield running


def test_address_is_one_line(running: Running) -> None:
    assert running.line == f"calibviz is at {running.url}  (Ctrl-C ends it)"


def test_page_shows_what_the_kernel_says(running: Running) -> None:
    page = get(running.url)
    assert "<title>calibviz</title>" in page
    assert f"of {sys.executable} shows 42" in page


def test_each_tab_has_a_kernel_of_its_own(running: Running) -> None:
    assert kernel_of(get(running.url)) != kernel_of(get(running.url))


def test_only_this_machine_is_answered(running: Running) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        get(running.url, Host="calibviz.example")
    refused.value.close()
    assert refused.value.code == 403


def test_page_loads_nothing_from_elsewhere(running: Running) -> None:
    with urllib.request.urlopen(running.url, timeout=SECONDS) as response:
        response.read()
        policy = response.headers["Content-Security-Policy"]
    sources = {source for part in policy.split(";") for source in part.split()[1:]}
    assert not {source for source in sources if "." in source or ":/" in source} - {
        "ws://127.0.0.1:*",
        "ws://localhost:*",
    }


def test_closed_tab_ends_its_kernel(running: Running) -> None:
    """What the page sends as it is closed needs a cookie that the page was given."""
    cookies = http.cookiejar.CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
    with browser.open(running.url, timeout=SECONDS) as response:
        page = response.read().decode()
    found = re.search(r'"kernelId": "([\w-]+)"', page)
    assert found
    token = next(cookie.value for cookie in cookies if cookie.name == "_xsrf")
    data = urllib.parse.urlencode({"_xsrf": token}).encode()
    with browser.open(f"{running.url}voila/api/shutdown/{found[1]}", data=data, timeout=SECONDS) as response:
        assert response.status == 204
    wait_until_ended(kernel_of(page))


def test_kernel_without_a_page_ends(user: User) -> None:
    with user.start(*SERVE, "10", WHO) as running:
        wait_until_ended(kernel_of(get(running.url)))


def test_settings_of_the_user_take_no_part(user: User) -> None:
    kernel = {"argv": ["false"], "display_name": "Python 3", "language": "python"}
    config = {"VoilaConfiguration": {"template": "absent"}, "Voila": {"base_url": "/elsewhere/", "port": 1}}
    for path, content in {
        ".jupyter/voila.json": json.dumps(config),
        ".local/share/jupyter/kernels/python3/kernel.json": json.dumps(kernel),
        ".ipython/profile_default/startup/first.py": "raise SystemExit('in the way')",
        "own/kernels/python3/kernel.json": json.dumps(kernel),
        "voila.json": json.dumps(config),  # in the folder from which the command is called
    }.items():
        file = user.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    with user.start(*SERVE, "600", WHO, JUPYTER_PATH=str(user.home / "own"), JUPYTER_TOKEN="secret") as running:
        assert f"of {sys.executable} shows 42" in get(running.url)
        assert running.end() == (0, "")


def test_cell_that_fails_shows_why(user: User) -> None:
    with user.start(*SERVE, "600", "1 / 0") as running:
        assert "ZeroDivisionError" in get(running.url)
        assert "ZeroDivisionError" in running.end()[1]


# How it ends


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_end_leaves_nothing_behind(user: User, number: signal.Signals) -> None:
    before = set(user.home.iterdir())
    with user.start(*SERVE, "600", WHO) as running:
        kernel = kernel_of(get(running.url))
        assert running.end(number) == (0, "")
    wait_until_ended(kernel)
    assert list(user.temporary.iterdir()) == []
    assert set(user.home.iterdir()) == before


def test_end_while_a_cell_runs(user: User) -> None:
    note = user.home / "note"
    busy = f"{WHO}\nimport pathlib, time\npathlib.Path({str(note)!r}).write_text(str(os.getpid()))\ntime.sleep(600)"
    with user.start(*SERVE, "600", busy) as running:
        tab = urllib.request.urlopen(running.url, timeout=SECONDS)
        until(lambda: note.exists() and note.read_text(encoding="utf-8"))
        assert running.end() == (0, "")
        tab.close()
    wait_until_ended(int(note.read_text(encoding="utf-8")))
    assert list(user.temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_end_before_the_page_is_up(user: User, number: signal.Signals) -> None:
    process = subprocess.Popen([*SERVE, "600", WHO], env=user.environment(), stderr=subprocess.PIPE, text=True)
    until(lambda: list(user.temporary.iterdir()))
    process.send_signal(number)
    _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (0, "")
    assert list(user.temporary.iterdir()) == []


# How fast it answers


def test_websockets_send_at_once() -> None:
    class Handler(websocket.WebSocketHandler):
        def open(self, *args: str, **kwargs: str) -> None:
            assert self.ws_connection is not None
            sent_at_once = self.ws_connection.stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            self.write_message(str(bool(sent_at_once)))

    async def answer() -> Any:
        sockets = netutil.bind_sockets(0, "127.0.0.1")
        server = httpserver.HTTPServer(web.Application([("/", adapted(Handler))]))
        server.add_sockets(sockets)
        connection = await websocket.websocket_connect(f"ws://127.0.0.1:{sockets[0].getsockname()[1]}/")
        message = await connection.read_message()
        connection.close()
        server.stop()
        await server.close_all_connections()
        return message

    # In a thread of its own: the browser tests keep a loop in this one.
    with ThreadPoolExecutor() as threads:
        assert threads.submit(lambda: asyncio.run(answer())).result(timeout=SECONDS) == "True"
