"""Who gets anything from the page's server, and who does not."""

from __future__ import annotations

import json
import re
import stat
import struct
import subprocess
import sys
import tempfile
import urllib.parse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from commands import SECONDS, SERVE, WHO, Running, User, Visitor, ask, kernel_id_of
from voila.tornado import kernel_websocket_handler
from websockets_of_pages import V1, connect, hang_up, hear, question, refusal, run

from calibviz.app.server.gate import NEEDS_TOKEN_MESSAGE, OTHER_HOST_MESSAGE, PREFETCH_MESSAGE
from calibviz.app.server.handlers import LONGEST_MESSAGE, Socket

WRONG = {"Cookie": "calibviz-1=0"}


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """A server that stays, in a folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        user = User(Path(name))
        user.temporary.chmod(0o755)
        with user.start(*SERVE, "600", WHO) as running:
            yield running


@pytest.fixture(scope="module")
def visitor(running: Running) -> Visitor:
    return running.enter()


@pytest.fixture(scope="module")
def kernel_id(visitor: Visitor) -> str:
    """The kernel of the one page that is open."""
    return kernel_id_of(visitor.get())


@pytest.fixture(scope="module")
def routes(visitor: Visitor, kernel_id: str) -> list[str]:
    """Something at every kind of address that there is, and at some at which there is nothing."""
    # Of what the page loads, which another kernel would be needed to see again.
    static = ["voila/static/voila.js", "voila/static/calibviz-page.js", "voila/templates/lab/static/index.css"]
    more = ["voila/labextensions/anywidget/package.json", f"api/kernels/{kernel_id}", "absent", "favicon.ico"]
    below = [f"api/kernels/{kernel_id}/channels", f"voila/api/shutdown/{kernel_id}", "voila/files/calibviz.ipynb"]
    base = urllib.parse.urlsplit(visitor.page).path
    roots = ["/", "/favicon.ico", "/api/kernels", "/voila/static/voila.js"]
    return roots + [base + path for path in ["", *static, *more, *below]]


@pytest.fixture
def kernels(running: Running, kernel_id: str) -> Iterator[None]:
    """Fail where a test has started a kernel, or ended the one that there is."""
    before = {one.pid for one in running.kernels()}
    yield
    assert {one.pid for one in running.kernels()} == before


# The token


def test_the_token_becomes_a_cookie_and_leaves_the_address(running: Running, visitor: Visitor) -> None:
    welcome = ask(running.url + "&lens=rank+2&bins=%22%3E%3Cscript%3E", Sec_Fetch_Site="cross-site")
    name, *rest = [part.strip() for part in welcome.headers["Set-Cookie"].split(";")]
    port = urllib.parse.urlsplit(running.url).port
    assert name.startswith(f"calibviz-{port}=")
    # On a path of its own: other servers on this machine are sent the cookies of all ports.
    assert {"HttpOnly", "SameSite=Strict", f"Path={urllib.parse.urlsplit(visitor.page).path}"} == set(rest)
    assert re.fullmatch(r"/\w{16,}/", urllib.parse.urlsplit(visitor.page).path)
    assert welcome.headers["Referrer-Policy"] == "no-referrer"
    onward = running.enter("&lens=rank+2&bins=%22%3E%3Cscript%3E").page
    assert onward == f"{visitor.page}?lens=rank+2&bins=%22%3E%3Cscript%3E"
    assert running.url.partition("=")[2] not in welcome.text


@pytest.mark.usefixtures("kernels")
def test_nothing_is_given_without_the_cookie(visitor: Visitor, routes: list[str]) -> None:
    for route in routes:
        for method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS"):
            for headers in ({}, {"Cookie": WRONG["Cookie"]}, {"Cookie": f"{visitor.cookie}x"}, {"Cookie": "=;=="}):
                answer = ask(visitor.origin + route, method=method, Origin=visitor.origin, **headers)
                said = "" if method == "HEAD" else f"{NEEDS_TOKEN_MESSAGE}\n"
                assert (answer.status, answer.text) == (403, said), (route, method)


def test_a_wrong_token_is_refused(visitor: Visitor) -> None:
    for token in ("", "0", "%ff", visitor.cookie):
        assert ask(f"{visitor.origin}/?token={token}").status == 403


def test_a_cookie_that_another_port_has_added_shuts_nobody_out(visitor: Visitor, kernel_id: str) -> None:
    name = visitor.cookie.partition("=")[0]
    for cookies in (f"{name}=x; {visitor.cookie}", f"{visitor.cookie}; {name}=x", f"a; =; ä; {visitor.cookie}"):
        assert visitor.ask(f"api/kernels/{kernel_id}", Cookie=cookies).status == 200


@pytest.mark.usefixtures("kernels")
def test_websockets_need_the_cookie_and_the_page(visitor: Visitor, kernel_id: str) -> None:
    port = urllib.parse.urlsplit(visitor.page).port
    cases: list[dict[str, str | None]] = [
        {"Cookie": None},
        WRONG,
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": f"http://localhost:{port}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": f"https://127.0.0.1:{port}"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site"},
    ]
    for headers in cases:
        assert refusal(visitor, kernel_id, **headers) == (403, f"{NEEDS_TOKEN_MESSAGE}\n"), headers


# Pages of others


@pytest.mark.usefixtures("kernels")
def test_other_sites_get_nothing_and_start_nothing(visitor: Visitor, routes: list[str]) -> None:
    origin = visitor.origin
    cases: list[dict[str, str]] = [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "navigate"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Dest": "script"},
        {"Origin": "null"},
        {"Origin": f"{origin}.example"},
        {"Origin": origin.replace("127.0.0.1", "localhost")},
    ]
    for route in routes:
        for headers in cases:
            answer = visitor.ask(route, **headers)
            assert (answer.status, answer.text) == (403, f"{NEEDS_TOKEN_MESSAGE}\n"), (route, headers)
            assert "Access-Control-Allow-Origin" not in answer.headers
    for method in ("POST", "DELETE"):  # without a word about where it comes from
        assert visitor.ask("api/kernels/x", method=method, Sec_Fetch_Site="none").status == 403


@pytest.mark.usefixtures("kernels")
def test_only_this_machine_is_answered(running: Running, visitor: Visitor) -> None:
    port = urllib.parse.urlsplit(visitor.page).port
    for host in ("calibviz.example", f"calibviz.example:{port}", f"127.0.0.1.example:{port}", "0.0.0.0", "[::1]"):
        assert ask(running.url, Host=host).text == f"{OTHER_HOST_MESSAGE}\n"
        assert visitor.ask(Host=host).status == 403
    assert ask(running.url, Host=f"localhost:{port}").status == 200


@pytest.mark.usefixtures("kernels")
def test_no_kernel_for_what_nobody_looks_at(visitor: Visitor) -> None:
    for purpose in ({"Sec_Purpose": "prefetch"}, {"Sec_Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}):
        answer = visitor.ask(**purpose)
        assert (answer.status, answer.text) == (403, f"{PREFETCH_MESSAGE}\n")
    assert visitor.ask(method="HEAD").status == 405
    for absent in ("favicon.ico", "calibviz.ipynb", "voila/files/calibviz.ipynb", "api/kernelspecs", "login"):
        answer = visitor.ask(absent)
        assert (answer.status, answer.text) == (404, "404: Not Found\n")


def test_every_answer_is_for_its_own_page_alone(visitor: Visitor, routes: list[str]) -> None:
    answers = [ask(visitor.origin + routes[0]), *(visitor.ask(route) for route in routes if not route.endswith("/"))]
    for answer in answers:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_what_is_asked_for_is_not_repeated(visitor: Visitor) -> None:
    for path in ("%3Cb%3Ealert", "voila/templates/%3Cb%3Ealert", "api/kernels/a-a-a-a-alert", "voila/static/alert"):
        answer = visitor.ask(path)
        assert answer.status >= 400 and "alert" not in answer.text + str(answer.headers.items())


def test_files_outside_are_out_of_reach(visitor: Visitor) -> None:
    for up in ("../", "..%2f", "%2e%2e/", "....//", "..\\"):
        for start in ("voila/static/", "voila/templates/lab/static/", "voila/labextensions/", "voila/files/"):
            answer = visitor.ask(f"{start}{up * 12}etc/passwd")
            assert answer.status >= 400 and "root:" not in answer.text


# Websockets


@pytest.mark.usefixtures("kernels")
def test_other_protocols_are_refused(visitor: Visitor, kernel_id: str) -> None:
    for protocol in (None, "v2.kernel.websocket.jupyter.org", "x"):
        status, said = refusal(visitor, kernel_id, protocol=protocol)
        assert status == 400 and V1 in said


def message(*offsets: int, rest: bytes = b"") -> bytes:
    return struct.pack(f"<{len(offsets)}Q", *offsets) + rest


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("text", 1007),
        (b"", 1007),
        (b"\x00", 1007),
        (message(2**62), 1007),
        (message(2**31) * 1000, 1007),
        (message(900) * 1000, 1007),
        (message(6, 56, 61, 63, 65, 67, 2**63), 1007),
        (message(6, 56, 61, 63, 65, 67, 69, rest=b"shell{}{}{}{}"), 1007),  # no type
        (message(6, 56, 61, 2**20, 65, 67, 69, rest=b"shell{}{}{}{}"), 1007),
        (message(6, 56, 61, 100_061, 100_063, 100_065, 100_067, rest=b"shell" + b"[" * 100_000 + b"{}{}{}"), 1007),
        (bytes(LONGEST_MESSAGE + 1), 1009),
    ],
    ids=range(11),
)
@pytest.mark.usefixtures("kernels")
def test_garbage_closes_its_own_websocket(visitor: Visitor, kernel_id: str, sent: Any, code: int) -> None:
    async def talk() -> int | None:
        other = await connect(visitor, kernel_id, session="other")
        connection = await connect(visitor, kernel_id, session="this")
        await connection.write_message(sent, binary=isinstance(sent, bytes))
        while await connection.read_message() is not None:
            pass
        await other.write_message(question(), binary=True)
        await hear(other, "kernel_info_reply", status="ok")
        for one in (other, connection):
            hang_up(one)
        return connection.close_code

    assert run(talk) == code


def test_answers_to_a_websocket_that_is_gone_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jupyter writes them in the other protocol, which Voila would read without end."""
    monkeypatch.setattr(kernel_websocket_handler, "read_header_from_binary_message", pytest.fail)
    gone = object.__new__(Socket)
    gone.ws_connection = None
    assert gone.selected_subprotocol == V1
    assert gone.write_message(b"\xff" * 16, binary=True) is None


# Other accounts on the machine

LOOK = """
import os, socket, sys
for folder, folders, files in os.walk(sys.argv[1]):
    print(*(os.path.join(folder, file) for file in files), sep="\\n")
for path in sys.argv[2:]:
    try:
        print("open", os.listdir(path))
    except PermissionError:
        pass
"""


def test_nobody_else_can_read_what_is_written(running: Running, kernel_id: str) -> None:
    home = Path(psutil.Process(running.process.pid).environ()["TMPDIR"])
    (folder,) = home.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    found = [path for path in folder.rglob("*") if not path.is_symlink()]
    assert {path.name for path in found} >= {"calibviz.ipynb", f"kernel-{kernel_id}.json"}
    # IPython copies one file of its own with the mode that it has where it is installed.
    assert [path.name for path in found if path.stat().st_mode & 0o077] in ([], ["README"])
    with suppress(PermissionError):  # where the tests are run by somebody else than root
        situation = [sys.executable, "-c", LOOK, str(home), str(folder)]
        done = subprocess.run(situation, user=65534, group=65534, capture_output=True, text=True, timeout=SECONDS)
        assert (done.returncode, done.stdout.strip()) == (0, ""), done
        url = running.url.partition("?")[0]
        code = f"import urllib.request; urllib.request.urlopen({url!r})"
        done = subprocess.run([sys.executable, "-c", code], user=65534, group=65534, capture_output=True, text=True)
        assert "HTTP Error 403" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets")
def test_kernels_are_heard_by_nobody_else(running: Running, kernel_id: str) -> None:
    """They say everything on sockets in the folder, which nobody else may enter, and not on ports."""
    (file,) = Path(psutil.Process(running.process.pid).environ()["TMPDIR"]).rglob(f"kernel-{kernel_id}.json")
    connection = json.loads(file.read_text())
    assert connection["transport"] == "ipc"
    ports = [port for name, port in connection.items() if name.endswith("_port")]
    sockets = [Path(f"{connection['ip']}-{port}") for port in ports]
    assert len(sockets) == 5 and all(path.is_socket() and path.parent == file.parents[1] for path in sockets)
    assert running.url.partition("=")[2] not in " ".join(" ".join(kernel.cmdline()) for kernel in running.kernels())
    assert [one for kernel in running.kernels() for one in kernel.net_connections("inet")] == []
