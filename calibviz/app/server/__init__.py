"""A web page, served by Voila on this machine to the user who started it.

The page has to be the same for everybody, so the user's own Jupyter set-up is ignored: no configuration file, no
installed kernel, and no lab extension but the few that draw the page. The server writes to one temporary folder, which
only its user can open and which is removed in the end, or when the next one starts.

`connections` are accepted, `gate` decides who is let in, `handlers` answer the requests, `kernels` run the cells,
`ending` ends the server.
"""

from __future__ import annotations

import asyncio
import html
import logging
import os
import secrets
import threading
import webbrowser
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME
from tornado.netutil import bind_sockets
from traitlets.config import Config
from voila.app import Voila

from ...foundation.folders import OwnFolder
from ..early import EarlyKernel
from ..terminal import say
from .connections import Connections, full_table
from .ending import Ending
from .gate import Gate
from .handlers import LONGEST_MESSAGE, REPLACEMENTS, is_of_interest
from .kernels import IDLE_SECONDS, Kernels, RunningPython, fits_sockets

#: The lab extensions that draw the widgets of the page.
EXTENSIONS = [
    "@jupyter-widgets/jupyterlab-manager",
    "@voila-dashboards/widgets-manager8",
    "anywidget",
    "bqplot",
    "bqscales",
]

#: A crashed browser leaves its websockets open. So they are pinged, and closed if they do not answer; milliseconds.
PING, PING_TIMEOUT = 15_000, 40_000

#: Bytes of a request, apart from messages of the websocket; a page sends a few words.
LONGEST_BODY = 2**16

HERE = Path(__file__).parent
SNAPS = Path("/snap")


def serve(
    cells: Sequence[str],  # Python code; the value of the last expression of each is shown
    *,
    port: int = 0,  # on 127.0.0.1; 0 takes a free one, and an OSError says that one is taken
    theme: str = "system",  # what the browser asks for; or "light" or "dark"
    browser: bool = True,  # whether to open the address in the user's browser
    idle: float = IDLE_SECONDS,  # seconds that the kernel of a lost page lives; that of a closed one is stopped
    query: str = "",  # what the address says of the page, such as "bins=20", in the signs of addresses
    prepare: Callable[[Path], object] = lambda folder: None,  # writes the files that the cells read into their folder
    early: EarlyKernel | None = None,  # what the first kernel goes on with
) -> None:
    """Serve a page made of cells of code until the process is interrupted or asked to end.

    The address is printed in one line as soon as the server answers; nobody is let in without the token in it. Every
    tab gets a kernel of its own, run by the interpreter that runs this function. The folder in which the cells run is
    removed in the end.
    """
    os.umask(0o077)  # files of the server and its kernels are for this user only
    folders: list[OwnFolder] = []

    def end_by_force() -> None:
        if Server.initialized():
            Server.instance().kill_kernels()
        for folder in folders:
            folder.remove()

    with Ending(end_by_force) as ending, ExitStack() as stack:

        def new_folder(place: Path | None) -> Path:
            folders.append(OwnFolder(place))
            stack.callback(folders[-1].remove)
            return folders[-1].path

        folder = new_folder(None)
        # Names of sockets are limited, so sockets get a folder of their own where the temporary one has a long name.
        sockets = folder if fits_sockets(folder) or not os.path.isdir("/tmp") else new_folder(Path("/tmp"))
        _keep_settings_in(folder)
        prepare(folder)
        notebook = folder / "calibviz.ipynb"
        nbformat.write(_make_notebook(cells, follows_system=theme == "system"), notebook)
        server = _new_server(notebook, sockets, port, theme, browser, idle)
        server.initialize([])
        server.end, server.query = ending.asked, query
        if early is not None:
            server.early = early
        # A browser from a snap sees no temporary files, but visible folders in the home of the user.
        server.opening = (new_folder(Path.home()) if browser and SNAPS.is_dir() else folder) / "open.html"
        server.start()


def _new_server(notebook: Path, sockets: Path, port: int, theme: str, browser: bool, idle: float) -> Server:
    """A server of one notebook, which keeps what it writes in the folder of that."""
    fits = fits_sockets(sockets)
    return Server.instance(
        notebook_path=str(notebook),
        connection_dir_root=str(notebook.parent),
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
                "theme": "light" if theme == "system" else theme,
                # Otherwise Voila would write these parts of the address into the page without escaping them.
                "allow_theme_override": "NO",
                "allow_template_override": "NO",
                "kernel_spec_manager_class": RunningPython,
                "multi_kernel_manager_class": Kernels,
                "extension_allowlist": EXTENSIONS,
                "show_tracebacks": True,
            },
            Kernels={"idle": idle, "folder": str(notebook.parent), "sockets": str(sockets) if fits else ""},
            # Every account of the machine can listen to ports, so these are the last resort.
            KernelManager={"transport": "ipc" if fits else "tcp"},
            KernelRestarter={"restart_limit": 0, "time_to_dead": 1.0},
            NotebookNotary={"db_file": ":memory:", "secret_file": str(notebook.with_name("secret"))},
        ),
    )


def _keep_settings_in(folder: Path) -> None:
    """Make Jupyter and IPython use empty settings, here and in the kernels; the process serves only this page."""
    os.environ["JUPYTER_CONFIG_DIR"] = str(folder / "jupyter")
    os.environ.pop("JUPYTER_CONFIG_PATH", None)
    os.environ["IPYTHONDIR"] = str(folder / "ipython")
    (folder / "ipython").mkdir()


def _make_notebook(cells: Sequence[str], follows_system: bool) -> nbformat.NotebookNode:
    kernelspec = {"name": NATIVE_KERNEL_NAME, "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
        metadata={"title": "calibviz", "kernelspec": kernelspec, "follows_system": follows_system},
    )


class Server(Voila):
    """Voila behind a gate, with handlers and a template of our own, and an end that leaves no files or processes."""

    port: int
    template_paths: list[str]
    static_paths: list[str]
    end: Future[None]
    opening: Path
    query = ""
    early = EarlyKernel()  # one that was not begun

    def setup_template_dirs(self) -> None:
        """Put our template, and the script of the page, before Voila's."""
        super().setup_template_dirs()
        self.template_paths = [str(HERE / "templates"), *self.template_paths]
        self.static_paths = [str(HERE / "static"), *self.static_paths]

    def init_handlers(self) -> list[Any]:
        """Return the handlers that the page needs."""
        return [(at, REPLACEMENTS[old], *rest) for at, old, *rest in super().init_handlers() if old in REPLACEMENTS]

    def listen(self) -> None:
        """Serve until the end."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        sockets = bind_sockets(self.port, self.ip)
        self.port = sockets[0].getsockname()[1]
        self.kernel_manager.early = self.early
        for name in ("tornado.access", "tornado.general"):  # requests of strangers do not interest the user
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self.log.addFilter(is_of_interest)
        for log in (self.log, *map(logging.getLogger, ("asyncio", "tornado.application"))):
            log.addFilter(full_table)
        token = secrets.token_hex(24)  # which nobody guesses, in the characters of addresses
        gate = Gate(self.app, self.port, self.base_url, token)
        http = Connections(gate, max_body_size=LONGEST_BODY)
        gate.admit = http.admit
        http.add_sockets(sockets)
        if not self.end.done():
            self._announce("&".join(filter(None, (f"http://{self.ip}:{self.port}/?token={token}", self.query))))
        await asyncio.wrap_future(self.end)
        # Tasks that still run may fail now, and their errors would only confuse.
        logging.disable(logging.CRITICAL)
        http.stop()
        await self.kernel_manager.end_all()
        await http.close_all_connections()

    def _announce(self, url: str) -> None:
        say(f"calibviz is at {url}  (Ctrl-C ends it)")
        if self.open_browser:
            # The address is passed in a file, since every account of the machine can read the arguments of a command.
            page = f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={html.escape(url)}">'
            self.opening.write_text(page, encoding="utf-8")
            # In a thread, since some browsers block the caller.
            threading.Thread(target=webbrowser.open, args=(self.opening.as_uri(),), daemon=True).start()

    def kill_kernels(self) -> None:
        """End the kernels, from any thread and even while the event loop is blocked."""
        if hasattr(self, "kernel_manager"):
            self.kernel_manager.kill()

    def _handle_signal_stop(self, *_: Any) -> None:
        """Leave signals to `Ending`."""
