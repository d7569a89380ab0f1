"""The command ``calibviz`` in processes of its own, called by a user of its own."""

from __future__ import annotations

import html
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

import calibviz as cv

#: Long enough for a busy machine; nothing waits longer than it has to.
SECONDS = 240

COMMAND = [sys.executable, "-m", "calibviz.app"]

#: Serves the cells that follow, as the command does, with kernels that outlive lost pages by the seconds before them.
#: Keeps what validates notebooks from compiling a grammar of addresses, for more than a second, as the command does.
QUICKLY = "import sys; sys.modules['rfc3987_syntax'] = None; "
SERVE = [
    sys.executable,
    "-c",
    f"{QUICKLY}from calibviz.app.server import serve; serve(sys.argv[2:], browser=False, idle=float(sys.argv[1]))",
]
WHO = "import os, sys; print(f'kernel {os.getpid()} of {sys.executable} shows {6 * 7}')"
ERROR = "application/vnd.jupyter.error"
WIDGET = "application/vnd.jupyter.widget-view+json"


def heed_hangups() -> None:
    """Let a command end with its terminal, also where the tests themselves run under nohup."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@dataclass(frozen=True)
class Running:
    """A command that has said where its page is."""

    process: subprocess.Popen[str]
    line: str
    url: str  # with the token

    def enter(self, query: str = "") -> Visitor:
        """Follow the address, with more behind it if you like."""
        return Visitor(self.url + query)

    def server(self) -> psutil.Process:
        return psutil.Process(self.process.pid)

    def kernels(self) -> list[psutil.Process]:
        """The processes that the command has started and that still run."""
        return [child for child in self.server().children(recursive=True) if _runs(child)]

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End it by a signal; return its exit code and all that it has written since it gave its address."""
        self.process.send_signal(number)
        rest, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, rest + errors


def _runs(process: psutil.Process) -> bool:
    """Whether a process still runs, which it may cease to do while it is asked."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@dataclass(frozen=True)
class User:
    """Somebody with a home directory, where it matters what the command finds and leaves there."""

    home: Path

    def __post_init__(self) -> None:
        self.temporary.mkdir()

    @property
    def temporary(self) -> Path:
        return self.home / "tmp"

    def environment(self, **more: str) -> dict[str, str]:
        tested = str(Path(cv.__file__).parents[1])  # kernels import what the tests import
        path = os.pathsep.join(filter(None, [tested, os.environ.get("PYTHONPATH")]))
        mine = {"HOME": str(self.home), "TMPDIR": str(self.temporary), "PYTHONPATH": path}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER_", "IPYTHON"))}
        return {**kept, **mine, **more}

    def run(self, *arguments: str, command: Sequence[str] = COMMAND) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *arguments],
            cwd=self.home,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    @contextmanager
    def start(self, *command: str, **environment: str) -> Iterator[Running]:
        process = subprocess.Popen(
            command,
            cwd=self.home,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_hangups,
        )
        too_long = threading.Timer(10 * SECONDS, process.kill)
        too_long.start()
        try:
            assert process.stdout is not None
            line = process.stdout.readline().rstrip("\n")
            found = re.search(r"http://127\.0\.0\.1:[1-9]\d*/\?token=\w{40,}", line)
            assert found, (line, process.communicate(timeout=SECONDS))
            yield Running(process, line, found[0])
        finally:
            too_long.cancel()
            with suppress(psutil.NoSuchProcess):
                for kernel in psutil.Process(process.pid).children(recursive=True):
                    kernel.kill()
            process.kill()
            process.communicate()


@dataclass(frozen=True)
class Answer:
    """What a server has said."""

    status: int
    headers: Mapping[str, str]
    text: str


def ask(url: str, *, method: str | None = None, data: bytes | None = None, **headers: str) -> Answer:
    """Send one request, with headers that are written with underscores, and follow nothing."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        response = urllib.request.urlopen(urllib.request.Request(url, data, named, method=method), timeout=SECONDS)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        return Answer(response.status, response.headers, response.read().decode())


class Visitor:
    """Somebody who has followed the address in the terminal, as a browser does."""

    def __init__(self, url: str) -> None:
        welcome = ask(url)
        assert welcome.status == 200, welcome
        self.cookie = welcome.headers["Set-Cookie"].partition(";")[0]
        onward = re.search(r'http-equiv="refresh" content="0; url=([^"]*)"', welcome.text)
        assert onward
        self.page = urllib.parse.urljoin(url, html.unescape(onward[1]))
        self.origin = "http://" + urllib.parse.urlsplit(url).netloc

    def ask(self, path: str = "", **more: Any) -> Answer:
        """Send a request of this page's."""
        usual = {"Cookie": self.cookie, "Sec_Fetch_Site": "same-origin"}
        if not path:
            return ask(self.page, **{**usual, **more})
        # Put together, since to join them would resolve `..` here.
        start = self.origin if path.startswith("/") else self.page.partition("?")[0]
        return ask(start + path, **{**usual, **more})

    def begin(self, path: str = "", *headers: str) -> socket.socket:
        """Ask for the page, or something below it, and return the connection on which it comes."""
        address = urllib.parse.urlsplit(self.page)
        connection = socket.create_connection((address.hostname, address.port), timeout=SECONDS)
        lines = [f"GET {address.path}{path} HTTP/1.1", f"Host: {address.netloc}", f"Cookie: {self.cookie}"]
        lines += [*headers, "", ""]
        connection.sendall("\r\n".join(lines).encode())
        return connection

    def get(self, **headers: str) -> str:
        """Return the page."""
        answer = self.ask(**headers)
        assert answer.status == 200, answer
        return answer.text


def get(url: str) -> str:
    """Return the page to which an address with a token leads."""
    return Visitor(url).get()


def kernel_of(page: str) -> int:
    found = re.search(r"kernel (\d+) of", page)
    assert found, page
    return int(found[1])


def wait_until_ended(pid: int) -> None:
    with suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(timeout=SECONDS)


def until(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def kernel_id_of(page: str) -> str:
    found = re.search(r'"kernelId": "([\w-]+)"', page)
    assert found, page
    return found[1]
