"""Hosts other than Jupyter and Voila, each in a process of its own, and a page in Chromium that no network disturbs."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
from browser.jupyter_servers import until
from browser.pages import lone_page
from playwright.sync_api import Page

Served = Callable[[str, str], Page]
#: What each is started with. It says itself where it listens.
COMMANDS = {
    "marimo": ["run", "--headless", "--no-token", "--host", "127.0.0.1", "--port", "0"],
    "solara": ["run", "--no-open", "--production", "--host", "127.0.0.1", "--port", "0"],
}
#: What each needs; Solara takes the scripts of its page from the network where its assets are not installed.
NEEDED = {"marimo": ("marimo",), "solara": ("solara", "solara-assets")}
NOWHERE = "http://127.0.0.1:9"  # where nobody listens


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A page of a host that shows a script."""
    with ExitStack() as stack:

        def open_page(host: str, script: str) -> Page:
            require(*NEEDED[host])
            (tmp_path / "app.py").write_text(script, encoding="utf-8")
            address = stack.enter_context(running(host, tmp_path))
            page = stack.enter_context(lone_page(address))
            page.goto(address)
            return page

        yield open_page


def require(*packages: str) -> None:
    """Skip a test where a package is missing."""
    try:
        for name in packages:
            distribution(name)
    except PackageNotFoundError as error:
        pytest.skip(f"{error.name} is not installed: pip install -e '.[hosts]' brings the hosts that are tried here")


@contextmanager
def running(host: str, folder: Path) -> Iterator[str]:
    """The address of a host that shows the app in a folder; it reaches nothing beyond this machine."""
    package = find_spec("calibviz")
    assert package is not None and package.submodule_search_locations
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(package.submodule_search_locations[0]).parent),  # it imports what the tests import
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
        **{f"XDG_{name}_HOME": str(folder / name) for name in ("CONFIG", "CACHE", "STATE", "DATA")},
    }
    log = folder / "log.txt"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", host, *COMMANDS[host], "app.py"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )

    def address() -> str | None:
        text = log.read_text(encoding="utf-8", errors="replace")
        assert process.poll() is None, f"{host} has ended:\n{text}"
        named = re.search(r"http://(?:localhost|127\.0\.0\.1):(\d+)", text)
        if named is None:
            return None
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", int(named[1]))):
            return f"http://127.0.0.1:{named[1]}"  # it names its port before it listens
        return None

    try:
        yield until(address, f"{host} to listen")
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
