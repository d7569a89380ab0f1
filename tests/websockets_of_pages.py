"""Websockets of a page, spoken to without a browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from commands import SECONDS, Visitor
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

V1 = "v1.kernel.websocket.jupyter.org"


def run(talk: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run what takes a loop, in a thread of its own: the browser tests keep a loop in this one."""
    with ThreadPoolExecutor() as threads:
        return threads.submit(lambda: asyncio.run(asyncio.wait_for(talk(), SECONDS))).result()


async def connect(
    visitor: Visitor, kernel_id: str, protocol: str | None = V1, session: str = "1", **headers: str | None
) -> WebSocketClientConnection:
    """Open a websocket, as the page does but for the given headers (underscores for dashes, None to leave one out)."""
    url = f"{visitor.page.replace('http', 'ws', 1)}api/kernels/{kernel_id}/channels?session_id={session}"
    usual = {"Cookie": visitor.cookie, "Origin": visitor.origin, "Sec_Fetch_Site": "same-origin", **headers}
    named = {name.replace("_", "-"): value for name, value in usual.items() if value is not None}
    return await websocket_connect(HTTPRequest(url, headers=named), subprotocols=[protocol] if protocol else None)


def hang_up(connection: WebSocketClientConnection) -> None:
    """Let go of a websocket at once, as a browser that is gone."""
    protocol = connection.protocol
    connection.close()
    if protocol is not None:
        protocol.stream.close()


def refusal(visitor: Visitor, kernel_id: str, **how: Any) -> tuple[int, str]:
    """Try to open a websocket that is refused; return the status and what is said."""

    async def talk() -> tuple[int, str]:
        try:
            connection = await connect(visitor, kernel_id, **how)
        except HTTPClientError as error:
            assert error.response is not None
            return error.code, error.response.body.decode()
        hang_up(connection)
        return 101, ""

    answer: tuple[int, str] = run(talk)
    return answer


def question() -> bytes:
    """A message that every kernel answers."""
    session = Session()
    return serialize_msg_to_ws_v1(session.msg("kernel_info_request"), "shell", session.pack)


async def hear(connection: WebSocketClientConnection, kind: str, **content: Any) -> None:
    """Read on until a message of a kind comes, with this in it."""
    while (message := await connection.read_message()) is not None:
        _, parts = deserialize_msg_from_ws_v1(message)
        if json.loads(parts[0])["msg_type"] == kind and content.items() <= json.loads(parts[3]).items():
            return
    raise AssertionError(f"the websocket was closed before {kind} came: {connection.close_reason}")
