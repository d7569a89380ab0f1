"""The page: what it shows, to whom, how it ends, and what it leaves behind."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from commands import SECONDS, SERVE, WHO, Running, User, get, kernel_of, until, wait_until_ended
from tornado import httpserver, netutil, web, websocket

from calibviz.app.server.handlers import Prompt

pytestmark = pytest.mark.thorough

#: Not as it is, for then the page would hold it.
ASKED = "print('asked', os.environ['QUERY_STRING'].encode().hex(), 'end')"


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


# What it shows


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One page for the tests that only look at it."""
    with User(tmp_path_factory.mktemp("home")).start(*SERVE, "1", WHO, ASKED) as running:
        yield running


def test_address_is_one_line(running: Running) -> None:
    assert running.line == f"calibviz is at {running.url}  (Ctrl-C ends it)"


def test_page_shows_what_the_kernel_says(running: Running) -> None:
    page = get(running.url)
    assert "<title>calibviz</title>" in page
    assert f"of {sys.executable} shows 42" in page


def test_each_tab_has_a_kernel_of_its_own(running: Running) -> None:
    assert kernel_of(get(running.url)) != kernel_of(get(running.url))


def test_the_query_reaches_the_kernel_and_not_the_page(running: Running) -> None:
    query = "lens=rank+2&theme=<script>alert(1)</script>&template=reveal&x=%22"
    pages = [visitor.ask() for visitor in (running.enter(f"&{urllib.parse.quote(query, '=&+%')}"), running.enter())]
    said = [bytes.fromhex(re.findall(r"asked (\w*) end", page.text)[0]).decode() for page in pages]
    assert said == [urllib.parse.quote(query, "=&+%"), ""]
    assert "alert" not in pages[0].text
    assert pages[0].text.count("<script") == pages[1].text.count("<script")
    assert 'data-jp-theme-light="true"' in pages[0].text


def test_script_comes_from_files_alone(running: Running) -> None:
    page = running.enter().ask()
    for attributes, content in re.findall(r"<script([^>]*)>(.*?)</script>", page.text, re.S):
        assert ("src=" in attributes and not content) or 'json"' in attributes
    rules = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["frame-ancestors"] == rules["form-action"] == "'none'"
    assert rules["script-src"] == "'self' blob:"
    host = urllib.parse.urlsplit(running.url).netloc
    sources = {"'none'", "'self'", "'unsafe-inline'", "blob:", "data:", f"ws://{host}"}
    assert set(" ".join(rules.values()).split()) == sources
    assert [name for name, value in rules.items() if "unsafe" in value] == ["style-src"]  # JupyterLab writes them


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


BUSY = """
import asyncio, pathlib, sys
from calibviz.app.server import Server, ending, serve

ending.GRACE_SECONDS = 2

def keep_busy(self, *args):
    announce(self, *args)
    asyncio.get_running_loop().create_task(spin(self.end))

async def spin(end):
    while not pathlib.Path(sys.argv[2]).exists():
        await asyncio.sleep(0.05)
    print("busy", flush=True)
    while not end.done():
        pass
    print("asked to end", flush=True)
    while True:
        pass

announce, Server._announce = Server._announce, keep_busy
serve([sys.argv[1]], browser=False)
"""


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
    with user.start(*SERVE, "600", busy) as running, running.enter().begin():
        until(lambda: note.exists() and note.read_text(encoding="utf-8"))
        assert running.end() == (0, "")
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


@pytest.mark.parametrize("again", [True, False])
def test_end_while_the_server_is_busy(user: User, again: bool) -> None:
    """A second signal ends it at once; without one it ends by itself."""
    go = user.home / "go"
    with user.start(sys.executable, "-c", BUSY, WHO, str(go)) as running:
        with running.enter().begin() as page:
            page.recv(1)  # the kernel has started
            go.touch()
            assert running.process.stdout is not None
            assert running.process.stdout.readline() == "busy\n"
            kernels = running.kernels()
            assert len(kernels) == 1
            running.process.send_signal(signal.SIGTERM)
            assert running.process.stdout.readline() == "asked to end\n"  # two waiting signals come in any order
            if again:
                running.process.send_signal(signal.SIGINT)
            running.process.wait(timeout=SECONDS)
        assert running.process.returncode == 128 + (signal.SIGINT if again else signal.SIGTERM)
    wait_until_ended(kernels[0].pid)
    assert list(user.temporary.iterdir()) == []


# What a killed process leaves

DROPPED = """
from pathlib import Path
from calibviz.foundation.folders import OwnFolder
folder = OwnFolder(Path.cwd())
Path(folder.path, "private.csv").touch()
"""


def dropped(user: User) -> list[Path]:
    return list(user.temporary.rglob("private.csv"))


@pytest.mark.skipif(sys.platform == "win32", reason="there, such folders stay")
def test_a_killed_server_leaves_what_the_next_one_removes(user: User) -> None:
    with user.start(*SERVE, "600", DROPPED, WHO) as running:
        kernel = kernel_of(get(running.url))
        assert len(dropped(user)) == 1
        with user.start(*SERVE, "600", WHO) as other:  # no other server is in the way of one that lives
            assert len(dropped(user)) == 1
            assert other.end() == (0, "")
        running.process.kill()
        running.process.wait()
    wait_until_ended(kernel)
    assert len(dropped(user)) == 1
    with user.start(*SERVE, "600", WHO) as running:
        assert dropped(user) == [] and len(list(user.temporary.iterdir())) == 1
        assert running.end() == (0, "")
    assert list(user.temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there, such folders stay")
def test_a_kernel_that_dies_leaves_no_folder(user: User) -> None:
    with user.start(*SERVE, "600", DROPPED, WHO) as running:
        visitor = running.enter()
        killed, other = kernel_of(visitor.get()), kernel_of(visitor.get())
        assert len(dropped(user)) == 2
        os.kill(killed, signal.SIGKILL)
        until(lambda: len(dropped(user)) == 1)
        assert other in [kernel.pid for kernel in running.kernels()]
        assert running.end() == (0, "")


# How fast it answers


def test_websockets_send_at_once() -> None:
    class Handler(Prompt, websocket.WebSocketHandler):
        def open(self, *args: str, **kwargs: str) -> None:
            super().open(*args, **kwargs)
            assert self.ws_connection is not None
            sent_at_once = self.ws_connection.stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            self.write_message(str(bool(sent_at_once)))

    async def answer() -> Any:
        sockets = netutil.bind_sockets(0, "127.0.0.1")
        server = httpserver.HTTPServer(web.Application([("/", Handler)]))
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
