"""Voila, JupyterLab and Notebook in processes of their own, away from the settings and ports of whoever tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import nbformat
import psutil  # type: ignore[import-untyped]
from commands import QUICKLY
from jupyter_client.blocking.client import BlockingKernelClient

#: What `python -m` does with the module that is the first argument.
RUN_MODULE = QUICKLY + "import runpy; runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
#: Jupyter's own commands, apart from where they listen and what they serve. The port is the system's choice.
VOILA = [
    "voila",
    "--no-browser",
    "--Voila.ip=127.0.0.1",
    "--Voila.port=0",
    "--Voila.port_retries=0",
    "--show_tracebacks=True",
    "--VoilaConfiguration.allow_theme_override=YES",
    # Voila loads all that JupyterLab does, and this part of Jupyter Notebook fails there.
    "--VoilaConfiguration.extension_denylist=['@jupyter-notebook/lab-extension']",
]
LAB = [
    "jupyterlab",
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--ServerApp.port_retries=0",
    "--IdentityProvider.token=",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.extension_manager=readonly",
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
]
NOTEBOOK = [
    "notebook",
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--ServerApp.port_retries=0",
    "--IdentityProvider.token=",
    "--JupyterNotebookApp.expose_app_in_browser=True",
    "--LabApp.extension_manager=readonly",
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
]
NO_PAGE = "--ServerApp.disable_check_xsrf=True"
LAB_SETTINGS: dict[str, dict[str, Any]] = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
}


def until(condition: Callable[[], Any], what: str, seconds: float = 240) -> Any:
    """Return the first true value of `condition`, asked for again and again."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.05)
    return value


class JupyterServer:
    """A server process over a folder of notebooks.

    Parameters
    ----------
    command
        `VOILA`, `LAB` or `NOTEBOOK`.
    folder
        An empty folder for notebooks, settings and everything else the server and its kernels write.
    restarts
        Whether kernels that have died are replaced by new ones, as Jupyter does where nobody has set it otherwise.
    """

    def __init__(self, command: Sequence[str], folder: Path, restarts: bool = False) -> None:
        self.command = command
        self.restarts = restarts
        self.folder = folder
        self.kept: set[psutil.Process] = set()
        self.notebooks = folder / "notebooks"
        self.settings = folder / "lab-settings"
        self.notebooks.mkdir()
        self._log = folder / "server.log"
        # Kernels are asked to listen on ports that were free a moment before, and die where these no longer are. Files
        # are not taken by anyone else; their names may have a hundred letters at most.
        self._sockets = Path(mkdtemp(prefix="k"))
        if command is not VOILA:
            for name, value in LAB_SETTINGS.items():
                self.write_setting(name, value)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", RUN_MODULE, *command, *self._kernel_options(), str(self.notebooks)],
                cwd=self.notebooks,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.process = psutil.Process(self._process.pid)
        try:
            self.url = f"http://127.0.0.1:{until(self._port, f'{command[0]} to listen')}"
        except BaseException:
            self.stop()
            raise

    def _kernel_options(self) -> list[str]:
        return [
            f"--KernelManager.autorestart={self.restarts}",
            "--KernelManager.transport=ipc",
            f"--KernelManager.ip={self._sockets / 'kernel'}",
        ]

    def _environment(self) -> dict[str, str]:
        package = find_spec("calibviz")
        assert package is not None and package.submodule_search_locations
        tested = str(Path(package.submodule_search_locations[0]).parent)  # kernels import what the tests import
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [tested, os.environ.get("PYTHONPATH")])),
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.folder / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(self.settings),
            "JUPYTERLAB_WORKSPACES_DIR": str(self.folder / "workspaces"),
            "JUPYTER_PLATFORM_DIRS": "1",
            "IPYTHONDIR": str(self.folder / "ipython"),
            "TMPDIR": str(self.folder),
        }

    def _port(self) -> int | None:
        """Return the port that this very process listens on, so that nobody else's page is taken for ours."""
        if self._process.poll() is not None:
            raise RuntimeError(f"{self.command[0]} has ended:\n{self.log()}")
        ports = [c.laddr.port for c in self.process.net_connections("tcp4") if c.status == psutil.CONN_LISTEN]
        return ports[0] if ports else None

    def log(self) -> str:
        """Return what the server has written."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def add_notebook(self, cells: Sequence[str] | Path) -> str:
        """Write a notebook, or take one from the repository; return its path on the server."""
        if isinstance(cells, Path):
            taken = self.notebooks / cells.parent.name / cells.name
            taken.parent.mkdir(exist_ok=True)
            shutil.copyfile(cells, taken)
            return taken.relative_to(self.notebooks).as_posix()
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            # The server starts this one with the interpreter that it runs itself.
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        )
        name = f"{uuid.uuid4().hex}.ipynb"
        nbformat.write(notebook, self.notebooks / name)
        return name

    def open_kernel(self, notebook: str) -> BlockingKernelClient:
        """A client of the kernel that the server starts for a notebook, of which no page is open.

        The server has to be `LAB` or `NOTEBOOK`, and is asked without the cookie of a page: `NO_PAGE` allows that.
        """
        session = {"path": notebook, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
        request = urllib.request.Request(f"{self.url}/api/sessions", json.dumps(session).encode())
        with urllib.request.urlopen(request) as answer:
            kernel = json.load(answer)["kernel"]["id"]
        client = BlockingKernelClient(connection_file=str(self.folder / "runtime" / f"kernel-{kernel}.json"))
        client.load_connection_file()
        client.start_channels(iopub=False, stdin=False, hb=False)  # on a busy machine kernels miss beats
        return client

    def write_setting(self, plugin: str, value: dict[str, Any]) -> None:
        """Set what Lab or Notebook reads when a page loads, of a plugin such as ``apputils-extension/themes``."""
        file = self.settings / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), encoding="utf-8")

    def suspend(self) -> None:
        """Let the server answer nobody, as if the network were gone; its kernels go on."""
        self.process.suspend()

    def resume(self) -> None:
        """Let the server go on where it was suspended."""
        with suppress(psutil.NoSuchProcess):
            self.process.resume()

    def kill(self) -> None:
        """End the server as a crash would."""
        self._process.kill()

    def keep_kernels(self) -> None:
        """Let the kernels that run now outlive `stop_kernels`."""
        self.kept = set(self.process.children(recursive=True))

    def kernels(self) -> set[psutil.Process]:
        """The processes of every kernel that the server has started, but those to be kept."""
        return set(self.process.children(recursive=True)) - self.kept

    def stop_kernels(self) -> None:
        """End these."""
        for kernel in self.kernels():
            with suppress(psutil.NoSuchProcess):
                kernel.kill()

    def stop(self) -> None:
        """End the server and its kernels (which lead process groups of their own)."""
        self.kept.clear()
        with suppress(psutil.NoSuchProcess):
            self.stop_kernels()
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._sockets, ignore_errors=True)
