"""Who is let in: whoever has followed the address in the terminal, on this machine, from a page of this server.

One gate stands in front of all handlers, so that none can be forgotten: pages, files, websockets and addresses at which
there is nothing are refused alike.

Browsers give the cookies of 127.0.0.1 to the servers on all its ports, whoever runs them, and take pages on other ports
for the same site. So the cookie belongs to a path that only the browser learns, and what a browser says of where
a request comes from counts as much as the cookie.
"""

from __future__ import annotations

import html
import re
import secrets
from hmac import compare_digest
from typing import Any
from urllib.parse import unquote_plus

from tornado.httputil import HTTPMessageDelegate, HTTPServerRequest
from tornado.routing import Router
from tornado.web import Application, HTTPError, RequestHandler

#: Otherwise a page on the web could reach the server under a name of its own that it points to this machine.
HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?", re.ASCII | re.IGNORECASE)

#: What a browser says of a request that its user made by typing or pasting, and of one that a page of ours made.
OWN_SITES = ("none", "same-origin")

FOLLOW = "This page is for whoever started it: open the address, with its token, that calibviz printed in the terminal."
ELSEWHERE = "This server answers under the names 127.0.0.1 and localhost alone."
EARLY = "A page is not made before somebody looks at it."

#: Sent with every answer, where `handlers` does not say otherwise.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Gate(Router):
    """Lets requests through to an application, or answers them itself.

    Parameters
    ----------
    application
        What stands behind the gate, all of it below the path `base`.
    port
        Where the server listens.
    base
        A path that begins and ends with a slash.
    token
        What the address in the terminal carries.
    """

    def __init__(self, application: Application, port: int, base: str, token: str) -> None:
        self.application, self.base, self.token = application, base, token
        # With the port, so that the cookies of two of these servers differ.
        self.cookie = f"calibviz-{port}"

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> HTTPMessageDelegate | None:
        """Return what answers a request."""
        headers = request.headers
        if not HOST.fullmatch(request.host):
            return self._refuse(request, ELSEWHERE)
        tokens = request.query_arguments.get("token")
        if tokens and request.method == "GET" and request.path == "/":
            # Wherever the link was followed, the token proves the right.
            return self._welcome(request) if self._is_token(tokens[0]) else self._refuse(request, FOLLOW)
        if not (request.path.startswith(self.base) and self._has_cookie(request) and is_own(request)):
            return self._refuse(request, FOLLOW)
        if "prefetch" in headers.get("Sec-Purpose", headers.get("Purpose", "")):
            return self._refuse(request, EARLY)
        return self.application.find_handler(request, **kwargs)

    def _is_token(self, given: bytes) -> bool:
        return compare_digest(given, self.token.encode())

    def _has_cookie(self, request: HTTPServerRequest) -> bool:
        # All of that name are tried: servers on other ports can add some, to shut the user out.
        pairs = (pair.strip().partition("=") for pair in request.headers.get("Cookie", "").split(";"))
        values = [value for name, _, value in pairs if name == self.cookie]
        return any([self._is_token(value.encode("utf-8", "surrogateescape")) for value in values])

    def _refuse(self, request: HTTPServerRequest, sentence: str) -> HTTPMessageDelegate:
        return self.application.get_handler_delegate(request, Refusal, {"sentence": sentence})

    def _welcome(self, request: HTTPServerRequest) -> HTTPMessageDelegate:
        rest = [part for part in request.query.split("&") if unquote_plus(part.partition("=")[0]) != "token"]
        target = self.base + "?" * bool("".join(rest)) + "&".join(filter(None, rest))
        arguments = {"cookie": self.cookie, "token": self.token, "base": self.base, "target": target}
        return self.application.get_handler_delegate(request, Welcome, arguments)


def new_token() -> str:
    """A secret that nobody guesses, in the characters of addresses."""
    return secrets.token_hex(24)


def is_own(request: HTTPServerRequest) -> bool:
    """Tell whether a request comes from a page of this server or from nowhere, as far as the browser says."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None and site not in OWN_SITES:
        return False
    if origin is not None:
        return origin == f"http://{request.host}"
    # Browsers name the origin of every websocket, and of whatever changes something.
    return request.method in ("GET", "HEAD") and "Upgrade" not in request.headers


class Guarded(RequestHandler):
    """Sends the headers of all answers, and says what is wrong without repeating what was asked."""

    def set_default_headers(self) -> None:
        super().set_default_headers()
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        error = kwargs.get("exc_info", (None, None))[1]
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.finish(error.sentence if isinstance(error, Refused) else f"{status_code}: {self._reason}\n")


class Refused(HTTPError):
    """What was asked for is not given, and the answer says why in a sentence."""

    def __init__(self, status_code: int, sentence: str) -> None:
        super().__init__(status_code)
        self.sentence = f"{sentence}\n"


class Refusal(Guarded):
    """Answers whatever was asked with one sentence."""

    def initialize(self, sentence: str) -> None:
        self.sentence = sentence

    def prepare(self) -> None:
        raise Refused(403, self.sentence)


class Welcome(Guarded):
    """Turns the token into a cookie, and leads to the page without it.

    By a page of its own, for the next request then comes from this server, wherever the link was followed. Browsers
    send a cookie that is for one site alone with no request that another site has led to, redirects included.
    """

    def initialize(self, cookie: str, token: str, base: str, target: str) -> None:
        self.cookie, self.token, self.base, self.target = cookie, token, base, target

    def get(self) -> None:
        """Answer with the cookie and the way on."""
        self.set_header("Cache-Control", "no-store")
        self.set_cookie(self.cookie, self.token, path=self.base, httponly=True, samesite="Strict")
        self.finish(
            '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>calibviz</title>'
            f'<meta http-equiv="refresh" content="0; url={html.escape(self.target)}">'
        )
