"""The gate: it lets in only the user who followed the address in the terminal, on this machine.

One gate stands before all handlers, so that none can be forgotten: it refuses pages, files, websockets and unknown
addresses alike.

Browsers send the cookies of 127.0.0.1 to the servers on all its ports, whoever runs them, and count pages on other
ports as the same site. So the cookie belongs to a path that only the browser learns, and the gate also checks the
origin of a request that the browser names.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from hmac import compare_digest
from typing import Any
from urllib.parse import unquote_plus

from tornado.httputil import HTTPMessageDelegate, HTTPServerRequest
from tornado.routing import Router
from tornado.web import Application, HTTPError, RequestHandler

#: The allowed hosts. A page on the web could otherwise reach the server by a name that it points to this machine.
HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?", re.ASCII | re.IGNORECASE)

#: Values of Sec-Fetch-Site for requests that the user typed, and for those of our own pages.
OWN_SITES = ("none", "same-origin")

NEEDS_TOKEN_MESSAGE = (
    "This page is for whoever started it: open the address, with its token, that calibviz printed in the terminal."
)
OTHER_HOST_MESSAGE = "This server answers under the names 127.0.0.1 and localhost alone."
PREFETCH_MESSAGE = "A page is not made before somebody looks at it."

#: Headers of every answer, unless a handler replaces them.
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

    All of the application is below the path `base`, which begins and ends with a slash. The token is the one in the
    address in the terminal.
    """

    #: Called with every request that is let in.
    admit: Callable[[HTTPServerRequest], None] = staticmethod(lambda request: None)

    def __init__(self, application: Application, port: int, base: str, token: str) -> None:
        self.application, self.base, self.token = application, base, token
        # The port is part of the name, so that the cookies of two such servers differ.
        self.cookie = f"calibviz-{port}"

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> HTTPMessageDelegate | None:
        """The delegate that answers a request."""
        headers = request.headers
        if not HOST.fullmatch(request.host):
            return self._refuse(request, OTHER_HOST_MESSAGE)
        tokens = request.query_arguments.get("token")
        if tokens and request.method == "GET" and request.path == "/":
            # With the token, a request may come from anywhere.
            return self._welcome(request) if self._is_token(tokens[0]) else self._refuse(request, NEEDS_TOKEN_MESSAGE)
        if not (request.path.startswith(self.base) and self._has_cookie(request) and is_own(request)):
            return self._refuse(request, NEEDS_TOKEN_MESSAGE)
        self.admit(request)
        if "prefetch" in headers.get("Sec-Purpose", headers.get("Purpose", "")):
            return self._refuse(request, PREFETCH_MESSAGE)
        return self.application.find_handler(request, **kwargs)

    def _is_token(self, given: bytes) -> bool:
        return compare_digest(given, self.token.encode())

    def _has_cookie(self, request: HTTPServerRequest) -> bool:
        # All cookies of that name are tried, since servers on other ports could add one to lock the user out.
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


def is_own(request: HTTPServerRequest) -> bool:
    """Whether a request comes from the user or from a page of this server, as far as the browser says."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None and site not in OWN_SITES:
        return False
    if origin is not None:
        return origin == f"http://{request.host}"
    # Browsers name the origin of websockets and of requests other than GET and HEAD.
    return request.method in ("GET", "HEAD") and "Upgrade" not in request.headers


class Guarded(RequestHandler):
    """A handler that sends `HEADERS`, and whose errors do not repeat parts of the request."""

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
    """A refused request, with a sentence that gives the reason."""

    def __init__(self, status_code: int, sentence: str) -> None:
        super().__init__(status_code)
        self.sentence = f"{sentence}\n"


class Refusal(Guarded):
    """A handler that refuses every request with one sentence."""

    def initialize(self, sentence: str) -> None:
        self.sentence = sentence

    def prepare(self) -> None:
        raise Refused(403, self.sentence)


class Welcome(Guarded):
    """A handler that turns the token into a cookie, and sends the browser on to the address without the token.

    It answers with a page instead of a redirect, so that the next request comes from this server: browsers do not send
    a SameSite=Strict cookie with requests that follow a link or redirect of another site.
    """

    def initialize(self, cookie: str, token: str, base: str, target: str) -> None:
        self.cookie, self.token, self.base, self.target = cookie, token, base, target

    def get(self) -> None:
        """Answer with the cookie and the next address."""
        self.set_header("Cache-Control", "no-store")
        self.set_cookie(self.cookie, self.token, path=self.base, httponly=True, samesite="Strict")
        self.finish(
            '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>calibviz</title>'
            f'<meta http-equiv="refresh" content="0; url={html.escape(self.target)}">'
        )
