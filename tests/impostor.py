"""Somebody who has taken the port of a server that has ended, and poses as that server."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
import time
from contextlib import suppress
from typing import Any

from commands import SECONDS
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import serialize_msg_to_ws_v1

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # of RFC 6455
EVIL = "window.obeyed = true; export default { render() {} };"


class Impostor:
    """Listens on a port of this machine as soon as that is free, notes all it hears, and gives what a page hopes for.

    Attributes
    ----------
    heard : list of bytes
        What came on each connection.
    """

    PAGE = "somebody else"

    def __init__(self, port: int) -> None:
        self.heard: list[bytes] = []
        end = time.monotonic() + SECONDS
        while True:
            try:
                self._ear = socket.create_server(("127.0.0.1", port))
                break
            except OSError:
                assert time.monotonic() < end
                time.sleep(0.001)
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> Impostor:
        return self

    def __exit__(self, *_: Any) -> None:
        with suppress(OSError):
            self._ear.shutdown(socket.SHUT_RDWR)
        self._ear.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._ear.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            if not (said := connection.recv(2**16)):
                return  # a browser may open a connection in advance, and says nothing there
            self.heard.append(said)
            if key := re.search(rb"Sec-WebSocket-Key: (\S+)", said):
                accepted = base64.b64encode(hashlib.sha1(key[1] + MAGIC).digest())
                protocol = b"Sec-WebSocket-Protocol: v1.kernel.websocket.jupyter.org"
                head = [b"HTTP/1.1 101 Switching Protocols", b"Upgrade: websocket", b"Connection: Upgrade"]
                connection.sendall(b"\r\n".join([*head, b"Sec-WebSocket-Accept: " + accepted, protocol, b"", b""]))
                connection.sendall(as_frame(evil_widget()))
                while connection.recv(2**16):
                    pass
                return
            asked = re.match(rb"GET \S*/api/kernels/([\w-]+)", said)
            model = {"id": asked[1].decode() if asked else "", "name": "python3", "execution_state": "idle"}
            kind, body = ("application/json", json.dumps(model)) if asked else ("text/html", self.PAGE)
            head = ["HTTP/1.1 200 OK", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close"]
            connection.sendall("\r\n".join([*head, "", body]).encode())


def evil_widget() -> bytes:
    """A message of a kernel that gives the page a widget with a script."""
    session = Session()
    state = {"_model_module": "anywidget", "_model_name": "AnyModel", "_view_name": "AnyView", "_esm": EVIL}
    content = {"comm_id": "evil", "target_name": "jupyter.widget", "data": {"state": state, "buffer_paths": []}}
    message = session.msg("comm_open", content, metadata={"version": "2.1.0"})
    return serialize_msg_to_ws_v1(message, "iopub", session.pack)


def as_frame(message: bytes) -> bytes:
    """A message as one binary frame of a websocket."""
    assert 126 <= len(message) < 2**16
    return b"\x82\x7e" + len(message).to_bytes(2, "big") + message
