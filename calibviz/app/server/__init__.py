"""One web page, served by Voila to whoever started it, on this machine.

A page has to come up alike for everybody, so the user's own Jupyter set-up takes no part: no configuration file is
read, no installed kernel is looked for, no lab extension is loaded but the few that the page draws with. Everything
that the server writes goes to one temporary folder, which is open to its user only and goes away with it.

`gate` says who is let in, `handlers` what they get, `kernels` what runs for them, `ending` how it ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from traitlets.config import Config
from voila.app import Voila

from .ending import Ending
from .gate import Gate, new_token
from .handlers import INSTEAD_OF, LONGEST_MESSAGE, is_of_interest
from .kernels import IDLE_SECONDS, Kernels, RunningPython, fits_sockets

#: What the widgets of the page are drawn with.
EXTENSIONS = [
    "@jupyter-widgets/jupyterlab-manager",
    "@voila-dashboards/widgets-manager8",
    "anywidget",
    "bqplot",
    "bqscales",
]

#: A browser that has stopped leaves its websockets open. This often they are asked, and so long they may not answer, in
#: milliseconds.
PING, PING_TIMEOUT = 15_000, 40_000

#: What a page sends, apart from messages of its websocket, is a few words.
LONGEST_BODY = 2**16

HERE = Path(__file__).parent
SNAPS = Path("/snap")


def serve(
    cells: Sequence[str],
    *,
    port: int = 0,
    theme: str = "light",
    browser: bool = True,
    idle: float = IDLE_SECONDS,
    prepare: Callable[[Path], object] = lambda folder: None,
) -> None:
    """Serve a page made of cells of code until the process is interrupted or told to end.

    The address is printed in one line as soon as the server answers; without the token in it nobody is let in. Every
    tab that opens it gets a kernel of its own, run by the interpreter that runs this function.

    Parameters
    ----------
    cells
        Python code; the value of the last expression of each cell is shown.
    port
        Port on 127.0.0.1; 0 takes a free one.
    theme
        ``"light"`` or ``"dark"``.
    browser
        Whether to open the address in the user's browser.
    idle
        Seconds after which a kernel is stopped whose page is lost. That of a page that is closed is stopped at once.
    prepare
        Is called with the folder in which the cells will run, to put there what they read. It goes away in the end.

    Raises
    ------
    OSError
        If the port cannot be had.
    """
    os.umask(0o077)  # also in the kernels: what they write is for this user
    folders: list[Path] = []

    def end_by_force() -> None:
        if Server.initialized():
            Server.instance().kill_kernels()
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)

    with Ending(end_by_force) as ending, ExitStack() as stack:

        def new_folder(place: str | None) -> Path:
            temporary = tempfile.TemporaryDirectory(prefix="calibviz-", dir=place, ignore_cleanup_errors=True)
            folders.append(Path(stack.enter_context(temporary)))
            return folders[-1]

        folder = new_folder(None)
        # Where the folder for temporary files has a long name, sockets have a place of their own.
        sockets = folder if fits_sockets(folder) or not os.path.isdir("/tmp") else new_folder("/tmp")
        _keep_settings_in(folder)
        prepare(folder)
        notebook = folder / "calibviz.ipynb"
        nbformat.write(_notebook(cells), notebook)
        server = Server.instance(
            notebook_path=str(notebook),
            connection_dir_root=str(folder),
            config_file_paths=[],
            ip="127.0.0.1",
            port=port,
            base_url=f"/{secrets.token_hex(8)}/",  # see `gate`
            open_browser=browser,
            log_level=logging.ERROR,
            tornado_settings={
                "allow_remote_access": False,
                "disable_check_xsrf": True,  # the gate asks for more than that
                "ws_ping_interval": PING,
                "ws_ping_timeout": PING_TIMEOUT,
                "websocket_max_message_size": LONGEST_MESSAGE,
            },
            config=Config(
                VoilaConfiguration={
                    "theme": theme,
                    # Otherwise what the address says of them would be written into the page as it is.
                    "allow_theme_override": "NO",
                    "allow_template_override": "NO",
                    "kernel_spec_manager_class": RunningPython,
                    "multi_kernel_manager_class": Kernels,
                    "extension_allowlist": EXTENSIONS,
                    "show_tracebacks": True,
                },
                Kernels={"idle": idle, "sockets": str(sockets) if fits_sockets(sockets) else ""},
                # Anybody on the machine can listen to what kernels say on ports, so those are the last resort.
                KernelManager={"transport": "ipc" if fits_sockets(sockets) else "tcp"},
                KernelRestarter={"restart_limit": 0, "time_to_dead": 1.0},
                NotebookNotary={"db_file": ":memory:", "secret_file": str(folder / "secret")},
            ),
        )
        server.initialize([])
        server.end = ending.asked
        # Browsers that come as snaps see no temporary files, but what lies openly in the home of their user.
        server.opening = (new_folder(str(Path.home())) if browser and SNAPS.is_dir() else folder) / "open.html"
        server.start()


def _keep_settings_in(folder: Path) -> None:
    """Point Jupyter and IPython, here and in the kernels, to empty settings. The process serves this page only."""
    os.environ["JUPYTER_CONFIG_DIR"] = str(folder / "jupyter")
    os.environ.pop("JUPYTER_CONFIG_PATH", None)
    os.environ["IPYTHONDIR"] = str(folder / "ipython")
    (folder / "ipython").mkdir()


def _notebook(cells: Sequence[str]) -> nbformat.NotebookNode:
    kernelspec = {"name": NATIVE_KERNEL_NAME, "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
        metadata={"title": "calibviz", "kernelspec": kernelspec},
    )


class Server(Voila):
    """Voila with a gate before it, handlers and a template of our own, and an end that leaves nothing behind."""

    port: int
    template_paths: list[str]
    static_paths: list[str]
    end: Future[None]
    opening: Path

    def setup_template_dirs(self) -> None:
        """Put our template, and the script of the page, before Voila's."""
        super().setup_template_dirs()
        self.template_paths = [str(HERE / "templates"), *self.template_paths]
        self.static_paths = [str(HERE / "static"), *self.static_paths]

    def init_handlers(self) -> list[Any]:
        """Return the handlers that the page needs."""
        return [(at, INSTEAD_OF[old], *rest) for at, old, *rest in super().init_handlers() if old in INSTEAD_OF]

    def listen(self) -> None:
        """Serve until the end."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        sockets = bind_sockets(self.port, self.ip)
        self.port = sockets[0].getsockname()[1]
        for name in ("tornado.access", "tornado.general"):  # what strangers send is no news for the terminal
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self.log.addFilter(is_of_interest)
        token = new_token()
        http = HTTPServer(Gate(self.app, self.port, self.base_url, token), max_body_size=LONGEST_BODY)
        http.add_sockets(sockets)
        if not self.end.done():
            self._announce(f"http://{self.ip}:{self.port}/?token={token}")
        await asyncio.wrap_future(self.end)
        # What still runs is now expected to fail, and nobody is there to read about it.
        logging.disable(logging.CRITICAL)
        http.stop()
        await self.kernel_manager.end_all()
        await http.close_all_connections()

    def _announce(self, url: str) -> None:
        print(f"calibviz is at {url}  (Ctrl-C ends it)", flush=True)
        if self.open_browser:
            # By way of a file, since everybody on the machine can read the arguments of a command.
            page = f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={url}">'
            self.opening.write_text(page, encoding="utf-8")
            # In a thread of its own, since some browsers keep the caller waiting.
            threading.Thread(target=webbrowser.open, args=(self.opening.as_uri(),), daemon=True).start()

    def kill_kernels(self) -> None:
        """End the kernels from any thread, whatever the loop is doing."""
        if hasattr(self, "kernel_manager"):
            self.kernel_manager.kill()

    def _handle_signal_stop(self, *_: Any) -> None:
        """Leave signals to `Ending`."""
