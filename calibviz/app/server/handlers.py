"""The handlers behind the gate: the page, its files, its websocket, and the message that it is closed."""

from __future__ import annotations

import asyncio
import logging
import os
import posixpath
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from contextvars import ContextVar
from typing import Any

from jupyter_server.base.handlers import FileFindHandler
from jupyter_server.services.kernels.handlers import KernelHandler
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler
from tornado.websocket import WebSocketClosedError, WebSocketHandler
from voila.handler import BaseVoilaHandler
from voila.notebook_renderer import NotebookRenderer
from voila.shutdown_kernel_handler import VoilaShutdownKernelHandler
from voila.static_file_handler import MultiStaticFileHandler, TemplateStaticFileHandler
from voila.tornado.handler import TornadoVoilaHandler
from voila.tornado.kernel_websocket_handler import VoilaKernelWebsocketHandler
from voila.utils import get_page_config

from .gate import Guarded, Refused

#: The protocol of messages between the page and its kernel.
PROTOCOL = "v1.kernel.websocket.jupyter.org"

#: What a page asks its server by itself, to know whether its kernel is awake: the only text among binary messages.
PULSE = "pulse"

#: Limits of a message of the page, in bytes and parts; real messages are far smaller.
LONGEST_MESSAGE, MOST_PARTS = 2**20, 1000

#: Seconds between two blank lines of a slow page; some browsers give up on a page that sends nothing for minutes.
PATIENCE = 10.0

#: The page of a kernel that has ended before it was ready.
FAILED = '<p role="alert">Python has ended before the page was ready: the terminal says why.</p>'

#: The page that the present task writes.
PAGE_BEING_WRITTEN: ContextVar[Page | None] = ContextVar("page", default=None)


def is_of_interest(record: logging.LogRecord) -> bool:
    """Whether to log a record; errors of a page that its browser has left are expected, and are not logged."""
    page = PAGE_BEING_WRITTEN.get()
    return page is None or not page.is_gone


def policy(host: str) -> str:
    """The content security policy of the page.

    Scripts come from files of the server, and from the modules of widgets, which anywidget makes "blob:" addresses of.
    Scripts in the page itself do not run, so a text that gets into the page is harmless. Inline styles are allowed,
    since JupyterLab and bqplot write them. The websocket is named because not all browsers count it as 'self'.
    """
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self' ws://{host}",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )


class Page(Guarded, BaseVoilaHandler):
    """The page, written while its own kernel runs the cells; of a request, only the query reaches the kernel."""

    def initialize(self, notebook_path: str, template_paths: list[str], config: Any, **kwargs: Any) -> None:
        super().initialize(**kwargs)
        self._notebook_path, self._template_paths, self._config = notebook_path, template_paths, config
        self._kernel_id: str | None = None
        self.is_gone = False

    async def get(self, path: str) -> None:
        """Write the page."""
        if path:
            raise HTTPError(404)
        PAGE_BEING_WRITTEN.set(self)
        renderer = self._new_renderer()
        await renderer.initialize()
        if self.is_gone:
            return
        self._kernel_id = kernel_id = await self.kernel_manager.start(
            self,
            kernel_name=renderer.notebook.metadata.kernelspec.name,
            path="",
            env={**os.environ, "QUERY_STRING": self.request.query},
        )
        if self.is_gone:
            self.kernel_manager.end(kernel_id)
            return
        self.set_header("Cache-Control", "no-store")
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Security-Policy", policy(self.request.host))
        self.set_header("Referrer-Policy", "same-origin")  # without a referrer, `LastWord` would get no origin
        snippets = renderer.generate_content_generator(kernel_id, self.kernel_manager.get_kernel(kernel_id))
        try:
            async with aclosing(patiently(snippets)) as texts:
                async for text in texts:
                    self.write(text)
                    await self.flush()
        except StreamClosedError:  # Tornado may raise it instead of calling `on_connection_close`
            self.on_connection_close()
        except Exception:
            if not self.is_gone:
                logging.getLogger("tornado.application").exception("The page could not be written")
                self.write(FAILED)
        finally:
            self.kernel_manager.release(kernel_id, self)
            if client := getattr(getattr(renderer, "executor", None), "kc", None):
                client.stop_channels()  # Voila does this only at the end of a complete page

    def on_connection_close(self) -> None:
        """End the kernel of a page that its browser has left."""
        super().on_connection_close()
        self.is_gone = True
        if self._kernel_id is not None:
            self.kernel_manager.end(self._kernel_id)

    def _new_renderer(self) -> NotebookRenderer:
        return NotebookRenderer(
            request_handler=self,
            voila_configuration=self.voila_configuration,
            traitlet_config=self._config,
            notebook_path=self._notebook_path,
            template_paths=self._template_paths,
            config_manager=self.config_manager,
            contents_manager=self.contents_manager,
            base_url=self.base_url,
            kernel_spec_manager=self.kernel_spec_manager,
            page_config=get_page_config(
                base_url=self.base_url,
                settings=self.settings,
                voila_configuration=self.voila_configuration,
                log=self.log,
            ),
        )


async def patiently(snippets: AsyncGenerator[tuple[str, Any], None]) -> AsyncGenerator[str, None]:
    """Yield the parts of Voila's page, and a blank line whenever a part takes long."""
    try:
        while True:
            following = asyncio.ensure_future(anext(snippets))
            # If the page is left, nobody asks for the outcome, and asyncio would log an exception as never retrieved.
            following.add_done_callback(lambda done: done.cancelled() or done.exception())
            while not (await asyncio.wait({following}, timeout=PATIENCE))[0]:
                yield "\n"
            yield following.result()[0]
    except StopAsyncIteration:
        return


class Prompt(WebSocketHandler):
    """A websocket that sends every message at once.

    The answer to a moved slider is several small messages. By default the operating system holds the second one back,
    for 5 to 25 ms, until the browser has acknowledged the first.
    """

    def open(self, *args: Any, **kwargs: Any) -> Any:
        self.set_nodelay(True)
        return super().open(*args, **kwargs)


class Socket(Prompt, Guarded, VoilaKernelWebsocketHandler):
    """The websocket between a page and its kernel, which keeps the kernel alive while it is open.

    It accepts one protocol. Voila misreads messages of the other one, the default, in an endless loop. The page also
    asks here for the kernel's pulse, since at an address somebody else may answer once this server has ended.
    """

    _telling: asyncio.Future[None] | None = None

    async def get(self, kernel_id: str) -> None:
        """Open the websocket."""
        offered = [name.strip() for name in self.request.headers.get("Sec-WebSocket-Protocol", "").split(",")]
        if PROTOCOL not in offered:
            raise Refused(400, f"This websocket speaks {PROTOCOL} alone.")
        await super().get(kernel_id=kernel_id)

    @property
    def selected_subprotocol(self) -> str:
        """The only protocol, also once the websocket is closed, when Jupyter would switch to the default."""
        return PROTOCOL

    async def open(self, kernel_id: str) -> None:
        """Hold the kernel."""
        self.kernel_manager.hold(kernel_id, self)
        await super().open(kernel_id)

    def on_message(self, message: str | bytes) -> None:
        """Pass a message on; an invalid message closes this websocket, and does nothing else."""
        if message == PULSE:
            if self._telling is None or self._telling.done():
                self._telling = asyncio.ensure_future(self._tell_pulse())
            return
        try:
            if not is_message(message):
                raise ValueError("not a message of the protocol")
            super().on_message(message)
        except Exception:
            self.close(1007, f"not a message of {PROTOCOL}")

    async def _tell_pulse(self) -> None:
        WebSocketHandler.write_message(self, await self.kernel_manager.pulse(self.kernel_id))

    def write_message(self, message: Any, binary: bool = False) -> Any:
        """Pass on a message of the kernel, if the websocket is open."""
        if self.ws_connection is None:
            return None
        with suppress(WebSocketClosedError):
            sent = super().write_message(message, binary)
            if sent is not None:  # the websocket may close first, and asyncio would log that as never retrieved
                sent.add_done_callback(lambda done: done.cancelled() or done.exception())
            return sent
        return None

    def on_close(self) -> None:
        """Let go of the kernel."""
        self.kernel_manager.release(self.kernel_id, self)
        super().on_close()


def is_message(message: str | bytes) -> bool:
    """Whether the offsets of a message are valid; Jupyter would read as many parts as the message claims to have."""
    if not isinstance(message, bytes):
        return False
    count = int.from_bytes(message[:8], "little")
    if not 6 <= count <= MOST_PARTS or len(message) < 8 * (count + 1):
        return False
    offsets = [int.from_bytes(message[8 * i : 8 * (i + 1)], "little") for i in range(1, count + 1)]
    return offsets == sorted(offsets) and offsets[0] == 8 * (count + 1) and offsets[-1] == len(message)


class LastWord(Guarded, VoilaShutdownKernelHandler):
    """The handler of the message that a page is closed, which ends its kernel."""

    def post(self, kernel_id: str) -> None:
        """End the kernel, if it still runs."""
        self.kernel_manager.end(kernel_id)
        self.set_status(204)


class Model(Guarded, KernelHandler):
    """The description of the kernel, which the page asks for when it opens."""


class TemplateFile(Guarded, TemplateStaticFileHandler):
    """The files of the page's template."""

    def parse_url_path(self, url_path: str) -> str:
        # Voila raises an error for an address of another form.
        if not url_path.startswith("lab/static/") or posixpath.normpath(url_path) != url_path:
            raise HTTPError(404)
        return super().parse_url_path(url_path)


class PageFile(Guarded, MultiStaticFileHandler):
    """Static files of Voila and of this package."""


class ExtensionFile(Guarded, FileFindHandler):
    """The files of the lab extensions."""


#: Our handler for each of Voila's handlers that the page needs; the others (files, themes, logins) are left out.
REPLACEMENTS: dict[type[RequestHandler], type[RequestHandler]] = {
    KernelHandler: Model,
    VoilaKernelWebsocketHandler: Socket,
    TemplateStaticFileHandler: TemplateFile,
    MultiStaticFileHandler: PageFile,
    VoilaShutdownKernelHandler: LastWord,
    FileFindHandler: ExtensionFile,
    TornadoVoilaHandler: Page,
}
