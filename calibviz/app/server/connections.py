"""The connections to the server: strangers get little time and few places, so that the user always finds one."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from contextlib import suppress
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPServerRequest
from tornado.iostream import IOStream

from ..terminal import tell

try:
    import resource
except ImportError:  # Windows, where sockets are not counted among files
    resource = None  # type: ignore[assignment]

#: Seconds in which a connection has to send a whole request, and a stranger's one of the user's.
HASTE = 10.0

#: Connections of strangers at a time, and the part of all files that this process may open that they get.
MOST_STRANGERS, SHARE = 256, 1 / 4

FULL = (errno.EMFILE, errno.ENFILE)
FULL_MESSAGE = (
    "this process has opened as many files and connections as it may, {} (`ulimit -n`). "
    "Whatever needs more fails until some are closed."
)


def most_files() -> int | None:
    """How many files this process may open, if that is limited."""
    if resource is None:
        return None
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


class Connections(HTTPServer):
    """An HTTP server that closes connections which send no whole request, and keeps places free for its user.

    A connection is a stranger's until a request on it has passed the gate, which calls `admit`. Where strangers are too
    many, the one that has been quiet for longest makes room.
    """

    def initialize(self, *args: Any, **kwargs: Any) -> None:
        """See `HTTPServer`."""
        super().initialize(*args, **{**kwargs, "idle_connection_timeout": HASTE, "body_timeout": HASTE})
        self._strangers: dict[IOStream, asyncio.TimerHandle] = {}  # in the order in which they came
        limit = most_files()
        self.most = MOST_STRANGERS if limit is None else min(MOST_STRANGERS, max(1, int(limit * SHARE)))

    def add_sockets(self, sockets: Any) -> None:
        """Accept connections on these sockets, also where there is no file left for one."""
        ears = [Ear(fileno=one.detach()) for one in sockets]
        for ear in ears:
            ear.setblocking(False)
        super().add_sockets(ears)

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Serve a new connection, for a while."""
        if len(self._strangers) >= self.most:
            quiet = (one for one in self._strangers if not _has_unread(one))
            leaving = next(quiet, next(iter(self._strangers)))
            self._forget(leaving)
            leaving.close()
        self._strangers[stream] = asyncio.get_running_loop().call_later(HASTE, stream.close)
        super().handle_stream(stream, address)

    def on_close(self, server_conn: Any) -> None:
        """Forget a connection."""
        self._forget(server_conn.stream)
        super().on_close(server_conn)

    def admit(self, request: HTTPServerRequest) -> None:
        """Take the connection of a request for the user's own."""
        self._forget(getattr(request.connection, "stream", None))

    def _forget(self, stream: IOStream | None) -> None:
        if stream is not None and (timer := self._strangers.pop(stream, None)):
            timer.cancel()


def _has_unread(stream: IOStream) -> bool:
    """Whether something has come on a connection that nobody has looked at yet."""
    with suppress(OSError):
        return not stream.closed() and bool(stream.socket.recv(1, socket.MSG_PEEK))
    return False


class Ear(socket.socket):
    """A socket that listens; where this process may open no more files, it hangs up on whoever comes.

    It keeps one file open, to have a place for those. Else they would stay in the queue, and the server would try again
    and again to accept them.
    """

    _spare: int | None = None

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection; a `ConnectionAbortedError` where it was hung up."""
        if self._spare is None:
            with suppress(OSError):
                self._spare = os.open(os.devnull, os.O_RDONLY)
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in FULL:
                raise
            full_table.tell()
            if self._spare is None:
                raise BlockingIOError from error
            os.close(self._spare)
            self._spare = None
            super().accept()[0].close()
            raise ConnectionAbortedError from error


class FullTable(logging.Filter):
    """Says once, in one line, that no more files can be opened, in place of an account of each time that this fails."""

    def __init__(self) -> None:
        super().__init__()
        self._is_told = False

    def tell(self) -> None:
        """Tell the user, unless that is done."""
        if not self._is_told:
            self._is_told = True
            tell(FULL_MESSAGE.format(most_files()))

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is about something else."""
        error = (record.exc_info or (None, None))[1]
        if getattr(error, "errno", None) not in FULL:
            return True
        self.tell()
        return False


full_table = FullTable()
