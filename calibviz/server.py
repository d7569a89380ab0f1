"""One web page, served by Voila to this machine alone.

A page has to come up alike for everybody, so the user's own Jupyter set-up takes no part: no configuration file is
read, no installed kernel is looked for, no lab extension is loaded but the few that the page draws with. Everything
that the server writes goes to one temporary folder, which goes away with it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import tempfile
import threading
import webbrowser
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import nbformat
from ipykernel.kernelspec import RESOURCES, get_kernel_dict
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec, KernelSpecManager
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import RequestHandler
from tornado.websocket import WebSocketHandler
from traitlets.config import Config
from voila.app import Voila
from voila.handler import VoilaHandler

#: A closed tab stops its kernel itself; one that crashed cannot, so a kernel without a page lives this many seconds.
IDLE_SECONDS = 600

#: What the widgets of the page are drawn with.
EXTENSIONS = [
    "@jupyter-widgets/jupyterlab-manager",
    "@voila-dashboards/widgets-manager8",
    "anywidget",
    "bqplot",
    "bqscales",
]

#: The page talks to its own server only. Voila's template links style sheets on the web that nothing here uses; without
#: this, a machine with a slow or absent network would wait for them, and other hosts would learn that the page is open.
CONTENT_SECURITY_POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
    "connect-src 'self' ws://127.0.0.1:* ws://localhost:* data: blob:; "
    "frame-ancestors 'self'"
)


def serve(
    cells: Sequence[str], *, port: int = 0, theme: str = "light", browser: bool = True, idle: int = IDLE_SECONDS
) -> None:
    """Serve a page made of cells of code until the process is interrupted or told to end.

    The address is printed in one line as soon as the server answers. Every tab that opens it gets a kernel of its own,
    run by the interpreter that runs this function.

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
        Seconds after which a kernel without a page is stopped.

    Raises
    ------
    OSError
        If the port cannot be had.
    """
    end: Future[None] = Future()
    _complete_on_signals(end)
    with tempfile.TemporaryDirectory(prefix="calibviz-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        _keep_settings_in(folder)
        notebook = folder / "calibviz.ipynb"
        nbformat.write(_notebook(cells), notebook)
        server = Server.instance(
            notebook_path=str(notebook),
            connection_dir_root=name,
            config_file_paths=[],
            ip="127.0.0.1",
            port=port,
            open_browser=browser,
            log_level=logging.ERROR,
            tornado_settings={
                # Otherwise a page on the web could reach this server under a name that it points to this machine.
                "allow_remote_access": False,
                "headers": {"Content-Security-Policy": CONTENT_SECURITY_POLICY},
                # On one machine a connection that is gone is known to be gone.
                "ws_ping_interval": 0,
            },
            config=Config(
                VoilaConfiguration={
                    "theme": theme,
                    "kernel_spec_manager_class": RunningPython,
                    "extension_allowlist": EXTENSIONS,
                    "show_tracebacks": True,
                },
                MappingKernelManager={"cull_idle_timeout": idle, "cull_interval": max(1, idle // 10)},
                NotebookNotary={"db_file": ":memory:", "secret_file": str(folder / "secret")},
            ),
        )
        server.initialize([])
        _complete_on_signals(end)  # again, since Voila has taken SIGTERM, for a loop that does not run yet
        server.end = end
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


class RunningPython(KernelSpecManager):
    """Knows one kernel: the interpreter that runs this code, in whatever environment that is, activated or not."""

    def find_kernel_specs(self) -> dict[str, str]:
        return {NATIVE_KERNEL_NAME: RESOURCES}

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        # Errors show in the terminal; a warning that a kernel can be heard on the loopback device helps nobody there.
        return KernelSpec(resource_dir=RESOURCES, **get_kernel_dict(extra_arguments=["--log-level=ERROR"]))


class Server(Voila):
    """Voila with the handlers of :func:`adapted`, and with an end that leaves nothing behind."""

    port: int
    end: Future[None]

    def init_handlers(self) -> list[Any]:
        return [(pattern, adapted(handler), *rest) for pattern, handler, *rest in super().init_handlers()]

    def listen(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        sockets = bind_sockets(self.port, self.ip)
        self.port = sockets[0].getsockname()[1]
        logging.getLogger("tornado.access").setLevel(logging.ERROR)
        http = HTTPServer(self.app)
        http.add_sockets(sockets)
        if not self.end.done():
            self._announce()
        await asyncio.wrap_future(self.end)
        # What still runs is now expected to fail, and nobody is there to read about it.
        logging.disable(logging.CRITICAL)
        http.stop()
        await self.kernel_manager.shutdown_all(now=True)
        await http.close_all_connections()

    def _announce(self) -> None:
        print(f"calibviz is at {self.connection_url}  (Ctrl-C ends it)", flush=True)
        if self.open_browser:
            # In a thread of its own, since some browsers keep the caller waiting.
            threading.Thread(target=webbrowser.open, args=(self.connection_url,), daemon=True).start()


def adapted(handler: type[RequestHandler]) -> type[RequestHandler]:
    """Return a handler of Voila's with what this server adds to it.

    Websockets send every message at once: a slider's movement is answered by several small messages, and by default
    the second one waits in the operating system until the browser has acknowledged the first, for 5 to 25 ms.

    Pages set the cookie that their request to stop the kernel, sent as the tab closes, has to repeat. Voila asks for
    the cookie but does not set it.
    """
    if issubclass(handler, WebSocketHandler):

        class Prompt(handler):  # type: ignore[misc, valid-type]
            def open(self, *args: Any, **kwargs: Any) -> Any:
                self.set_nodelay(True)
                return super().open(*args, **kwargs)

        return Prompt

    if issubclass(handler, VoilaHandler):

        class Page(handler):  # type: ignore[misc, valid-type]
            async def get(self, *args: Any, **kwargs: Any) -> None:
                _ = self.xsrf_token  # reading it sets it
                await super().get(*args, **kwargs)

        return Page

    return handler


def _complete_on_signals(end: Future[None]) -> None:
    """Have Ctrl-C, a request to terminate and the closing of the terminal complete a future, and do nothing else.

    An exception, raised wherever the signal finds the process, would leave half-made things behind.
    """

    def complete(*_: object) -> None:
        if not end.done():
            end.set_result(None)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is None or (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):  # nohup's wish
            continue
        signal.signal(number, complete)
