"""Attacks on the page of ``calibviz demo``, from outside, and what came of them.

    python benchmarks/attack.py

Starts the page itself, and asks nothing of any other server. Prints a Markdown table, and ends with 1 if something was
given that should not have been.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.pages import find_browser, launch
from commands import COMMAND, SERVE, Answer, Running, User, Visitor, ask, kernel_id_of, until, wait_until_ended
from impostor import Impostor
from playwright.sync_api import sync_playwright
from websockets_of_pages import V1, connect, hang_up, hear, question, refusal, run

from calibviz.app.server.connections import HASTE
from calibviz.app.server.handlers import LONGEST_MESSAGE, PULSE
from calibviz.app.server.kernels import MOST_KERNELS

SCRIPT = "<script>alert(document.domain)</script>"
QUOTED = "%3Cscript%3Ealert(document.domain)%3C/script%3E"


@dataclass(frozen=True)
class Row:
    """One kind of attack: what was tried, how often, what came back, and whether nothing was given."""

    tried: str
    count: int
    came: str
    withstood: bool


@dataclass
class Target:
    """The server, one page of it that is open, and how often things are tried."""

    running: Running
    visitor: Visitor
    page: Answer
    many: int

    @property
    def kernel(self) -> str:
        return kernel_id_of(self.page.text)

    @property
    def routes(self) -> list[str]:
        base = urlsplit(self.visitor.page).path
        below = ["", "voila/static/voila.js", "voila/templates/lab/static/index.css", "voila/files/calibviz.ipynb"]
        api = [f"api/kernels/{self.kernel}", f"api/kernels/{self.kernel}/channels", f"voila/api/shutdown/{self.kernel}"]
        return ["/", "/api/kernels", "/voila/static/voila.js", *(base + path for path in [*below, *api, "absent"])]

    def kernels(self) -> int:
        return len(self.running.kernels())

    def fewer_than(self, most: int, seconds: float = 400) -> bool:
        """Wait until there are fewer kernels for two seconds; one that is being started shows late, and then ends."""
        end, calm = time.monotonic() + seconds, 0
        while calm < 20 and time.monotonic() < end:
            time.sleep(0.1)
            calm = calm + 1 if self.kernels() < most else 0
        return calm >= 20


def statuses(answers: list[Answer]) -> str:
    return ", ".join(str(status) for status in sorted({answer.status for answer in answers}))


def refused(tried: str, answers: list[Answer], *allowed: int) -> Row:
    """A row for answers that must all be refusals."""
    fine = all(answer.status in (allowed or (403,)) and len(answer.text) < 300 for answer in answers)
    return Row(tried, len(answers), statuses(answers), fine)


def reflected_parameters(target: Target) -> Iterator[Row]:
    names = ["theme", "template", "lens", "data", "voila-theme", "progressive_rendering", "kernel_name"]
    answer = target.running.enter("".join(f"&{name}={QUOTED}" for name in names)).ask()
    policy = answer.headers["Content-Security-Policy"]
    script = next(part for part in policy.split(";") if "script-src" in part)
    fine = SCRIPT not in answer.text and QUOTED not in answer.text and "unsafe" not in script
    yield Row("script in parameters of the address", len(names), f"{answer.status}, not repeated;{script}", fine)
    paths = [f"{QUOTED}{i}" for i in range(3)]
    answers = [target.visitor.ask(path) for path in paths]
    fine = all(SCRIPT not in answer.text and QUOTED not in answer.text for answer in answers)
    yield Row("script in the path", len(paths), f"{statuses(answers)}, not repeated", fine)


def without_token(target: Target) -> Iterator[Row]:
    methods = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")
    urls = [target.visitor.origin + route for route in target.routes]
    yield refused("every route without a token", [ask(url, method=method) for url in urls for method in methods])
    wrong = target.visitor.cookie[:-1] + ("0" if target.visitor.cookie[-1] != "0" else "1")
    yield refused("every route with a wrong cookie", [ask(url, Cookie=wrong) for url in urls])
    tokens = ["", "0", "%00", "%ff", "a" * 1000]
    yield refused("wrong tokens", [ask(f"{target.visitor.origin}/?token={token}") for token in tokens])


def other_origins(target: Target) -> Iterator[Row]:
    headers = [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "navigate"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
    ]
    answers = [target.visitor.ask(route, **one) for route in target.routes for one in headers]
    yield refused("pages of other origins, with the cookie", answers)
    hosts = ("calibviz.example", "127.0.0.1.calibviz.example", "[::1]", "0.0.0.0", "")
    answers = [ask(target.running.url, Host=host) for host in hosts]
    yield refused("other names for this machine (rebinding), with the token", answers, 400, 403)


def out_of_the_folders(target: Target) -> Iterator[Row]:
    starts = ("voila/static/", "voila/templates/lab/static/", "voila/labextensions/", "voila/files/", "")
    ups = ("../", "%2e%2e/", "..%2f", "....//", "%2e%2e%5c")
    answers = [target.visitor.ask(f"{start}{up * 12}etc/passwd") for start in starts for up in ups]
    yield refused("files outside, by `..` in many spellings", answers, 400, 403, 404)
    names = ("calibviz.ipynb", "secret", "open.html", f"kernel-{target.kernel}.json", "ipython/")
    answers = [target.visitor.ask(f"voila/files/{name}") for name in names]
    yield refused("files of the server's own folder", answers, 404)


def raw(target: Target, request: str) -> bytes:
    """Send bytes, and return what comes back until the other side closes, or not for a second."""
    address = urlsplit(target.visitor.origin)
    said = b""
    with socket.create_connection((address.hostname, address.port), timeout=1) as connection:
        try:
            connection.sendall(request.encode("latin-1"))
            while heard := connection.recv(2**16):
                said += heard
        except OSError:
            pass
    return said


def broken_requests(target: Target) -> Iterator[Row]:
    host, base = urlsplit(target.visitor.origin).netloc, urlsplit(target.visitor.page).path
    token = target.running.url.partition("=")[2]
    ends = ["%0d%0aX-Injected:%201", "%0aX-Injected:%201", "\rX-Injected: 1", "\x00X-Injected: 1"]
    starts = [f"GET /?token={token}&a=" + end for end in ends] + [f"GET {base}absent" + end for end in ends]
    cookie = f"Host: {host}\r\nCookie: {target.visitor.cookie}\r\nConnection: close\r\n\r\n"
    answers = [raw(target, f"{start} HTTP/1.1\r\n{cookie}") for start in starts]
    fine = not any(b"\nX-Injected" in answer.replace(b"\r", b"\n") for answer in answers)
    yield Row("line ends in addresses (CRLF)", len(answers), "no header of the attacker's", fine)
    sizes = {
        "a head of 1 MB": f"GET {base} HTTP/1.1\r\nX: {'x' * 2**20}\r\n{cookie}",
        "a body of 1 GB, announced": f"POST {base}x HTTP/1.1\r\nContent-Length: {2**30}\r\n{cookie}",
        "a length below 0": f"POST {base}x HTTP/1.1\r\nContent-Length: -1\r\n{cookie}",
        "two lengths": f"POST {base}x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n{cookie}",
        "garbage": "\x00\x01\x02\r\n\r\n",
    }
    said = [raw(target, request) for request in sizes.values()]
    fine = not any(one.startswith(b"HTTP/1.1 2") for one in said)
    first = sorted({one.split(b"\r\n")[0].decode("latin-1") or "closed" for one in said})
    yield Row(", ".join(sizes), len(said), "; ".join(first), fine)


def websockets(target: Target) -> Iterator[Row]:
    cases: list[dict[str, str | None]] = [
        {"Cookie": None},
        {"Cookie": "calibviz=0"},
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "same-site"},
    ]
    came = [refusal(target.visitor, target.kernel, **case) for case in cases]
    fine = {status for status, _ in came} == {403}
    yield Row("websockets without the cookie, or of another page", len(came), "403" if fine else str(came), fine)
    came = [refusal(target.visitor, target.kernel, protocol=protocol) for protocol in (None, "v0", "x")]
    fine = {status for status, _ in came} == {400}
    yield Row(f"websockets of other protocols than {V1}", len(came), "400" if fine else str(came), fine)

    garbage = [
        struct.pack("<Q", 2**62),
        struct.pack("<Q", 2**31) * 1000,
        struct.pack("<7Q", 6, 56, 61, 63, 65, 67, 2**63),
        struct.pack("<7Q", 6, 56, 61, 100_061, 100_063, 100_065, 100_067) + b"shell" + b"[" * 100_000 + b"{}{}{}",
        b"",
        bytes(LONGEST_MESSAGE + 1),
        *(os.urandom(2**i) for i in range(target.many)),
    ]

    async def send(message: bytes) -> int | None:
        connection = await connect(target.visitor, target.kernel, session="garbage")
        await connection.write_message(message, binary=True)
        while await connection.read_message() is not None:
            pass
        hang_up(connection)
        return connection.close_code

    codes = [run(lambda message=message: send(message)) for message in garbage]

    async def is_well() -> bool:
        connection = await connect(target.visitor, target.kernel, session="well")
        await connection.write_message(question(), binary=True)
        await hear(connection, "kernel_info_reply", status="ok")
        hang_up(connection)
        return True

    memory = target.running.server().memory_info().rss / 2**20
    fine = set(codes) <= {1007, 1009} and run(is_well) and memory < 1000
    came_back = f"closed: {', '.join(map(str, sorted(set(codes))))}; others go on; {memory:.0f} MB"
    yield Row("messages that are none, or too long", len(garbage), came_back, fine)


def floods(target: Target) -> Iterator[Row]:
    before = target.kernels()
    with ThreadPoolExecutor(target.many) as threads:
        cross = [threads.submit(target.visitor.ask, Sec_Fetch_Site="cross-site") for _ in range(3 * target.many)]
        answers = [one.result() for one in cross]
    unseen = [target.visitor.ask(Sec_Purpose="prefetch"), target.visitor.ask(method="HEAD")]
    unseen += [target.visitor.ask("favicon.ico")]
    row = refused("kernels for other sites, prefetching, HEAD, icons", [*answers, *unseen], 403, 404, 405)
    yield Row(row.tried, row.count, f"{row.came}; no kernel", row.withstood and target.kernels() == before)
    with ExitStack() as stack:
        for _ in range(MOST_KERNELS + target.many):
            stack.enter_context(target.visitor.begin())
        answer = target.visitor.ask()
        most = target.kernels()
    came = f"{answer.status}; {most} kernels; all but {before} ended"
    fine = answer.status == 503 and most <= MOST_KERNELS and target.fewer_than(before + 1)
    yield Row("more pages than there may be, then none", MOST_KERNELS + target.many, came, fine)
    for _ in range(3 * target.many):
        target.visitor.begin().close()
    last = target.visitor.begin()
    last.recv(1)  # by now the others have been heard
    last.close()
    begun = time.monotonic()
    fine = target.fewer_than(before + 1)
    came = f"no kernel left after {time.monotonic() - begun:.0f} s" if fine else f"{target.kernels()} kernels"
    yield Row("quick reloads", 3 * target.many + 1, came, fine)


def other_accounts(target: Target) -> Iterator[Row]:
    (folder,) = Path(target.running.server().environ()["TMPDIR"]).iterdir()
    paths = [folder, *folder.rglob("*")]
    fine = stat.S_IMODE(folder.stat().st_mode) == 0o700
    came = f"none, below a folder of mode {folder.stat().st_mode & 0o777:o}"
    yield Row("files that other accounts can reach", len(paths), came, fine)
    words = [word for kernel in [target.running.server(), *target.running.kernels()] for word in kernel.cmdline()]
    fine = not any(target.running.url.partition("=")[2] in word for word in words)
    yield Row("the token among the arguments of processes", len(words), "not there", fine)


def dial(running: Running) -> socket.socket:
    address = urlsplit(running.url)
    return socket.create_connection((address.hostname, address.port), timeout=60)


def crowds(target: Target) -> Iterator[Row]:
    """Against a server of its own, that may open few files."""
    files, many = 256, 316
    limited = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "-", *COMMAND, "demo", "--no-browser"]
    with tempfile.TemporaryDirectory() as name, User(Path(name)).start(*limited) as running, ExitStack() as crowd:
        for _ in range(many):
            crowd.enter_context(dial(running))
        taken = running.server().num_fds()
        page = running.enter().ask()
        _, said = running.end()
    came = f"{taken} of {files} files in use; the user's page: {page.status}; {len(said.splitlines())} lines"
    yield Row("idle connections without a token", many, came, page.status == 200 and len(said.splitlines()) <= 1)


def slow_requests(target: Target) -> Iterator[Row]:
    """Requests that come byte by byte, and connections on which none comes."""
    lasted = []
    with ExitStack() as crowd:
        begins = ["", "GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999\r\n\r\n"]
        dripping = {crowd.enter_context(dial(target.running)): begin for begin in begins * target.many}
        begun = time.monotonic()
        for connection, begin in dripping.items():
            connection.sendall(begin.encode())
            connection.settimeout(0.001)
        while dripping and time.monotonic() < begun + 10 * HASTE:
            time.sleep(0.1)
            for connection in list(dripping):
                try:
                    connection.sendall(b"x")
                    with suppress(TimeoutError):
                        if connection.recv(2**16):
                            continue
                        raise ConnectionError
                except ConnectionError:
                    lasted.append(time.monotonic() - begun)
                    del dripping[connection]
    came = f"closed after {max(lasted, default=0):.0f} s" if not dripping else f"{len(dripping)} still open"
    yield Row("requests that come byte by byte", 3 * target.many, came, not dripping and max(lasted) < 2 * HASTE)


def frozen_kernel(target: Target) -> Iterator[Row]:
    page = target.visitor.ask()
    kernel = next(one for one in target.running.kernels() if kernel_id_of(page.text) in " ".join(one.cmdline()))

    async def talk() -> tuple[float, float]:
        connection = await connect(target.visitor, kernel_id_of(page.text), session="pulse")

        async def seconds_until(said: str) -> float:
            begun, heard = time.monotonic(), None
            while heard != said and time.monotonic() < begun + 60:
                await connection.write_message(PULSE)
                while isinstance(heard := await connection.read_message(), bytes):
                    pass
                await asyncio.sleep(0.2)
            return time.monotonic() - begun

        await seconds_until("awake")
        kernel.suspend()
        told = await seconds_until("frozen")
        kernel.resume()
        back = await seconds_until("awake")
        hang_up(connection)
        return told, back

    told, back = run(talk)
    came = f"told after {told:.1f} s, taken back after {back:.1f} s"
    yield Row("a kernel that is frozen, and goes on", 1, came, told < 10 and back < 10)


def port_taken_over(target: Target) -> Iterator[Row]:
    """An open page whose server was killed, and somebody else at its port at once, who poses as the server."""
    tried = "an open page, once somebody else has the port"
    path = find_browser()
    if path is None:
        yield Row(tried, 0, "not tried, for want of a browser", True)
        return
    seconds = 10 + 2 * target.many
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = launch(playwright, path)
        page = browser.new_page()
        with User(Path(name)).start(*COMMAND, "demo", "--no-browser") as running:
            page.goto(running.url)
            page.wait_for_selector(".calibviz-reliability path.line[d]", state="attached")
            cookie = page.context.cookies(page.url)[0]["value"]
            running.process.kill()
            with Impostor(urlsplit(page.url).port or 0) as impostor:
                page.wait_for_selector(".calibviz-veil")
                page.wait_for_timeout(1000 * seconds)
                asked = len(impostor.heard)
                page.reload()
                heard = b"".join(impostor.heard)
        browser.close()
    fine = asked == 0 and cookie.encode() not in heard and b"Cookie" not in heard
    came = f"{asked} requests in {seconds} s; {len(impostor.heard)} after a reload, without a cookie"
    yield Row(tried, 1, came if fine else f"{asked} requests, cookie: {cookie.encode() in heard}", fine)


def left_behind(target: Target) -> Iterator[Row]:
    """A file that was dropped, after its server or its kernel was killed."""
    drop = "from pathlib import Path\nfrom calibviz.foundation.folders import OwnFolder\n"
    drop += "folder = OwnFolder(Path.cwd())\nPath(folder.path, 'private.csv').touch()"
    came = []
    with tempfile.TemporaryDirectory() as name:
        user = User(Path(name))

        def files() -> int:
            return len(list(user.temporary.rglob("private.csv")))

        with user.start(*SERVE, "600", drop) as running:
            running.enter().get()
            came.append(files())
            running.kernels()[0].kill()
            until(lambda: not files())
            running.enter().get()
            kernels = [kernel.pid for kernel in running.kernels()]
            came.append(files())
            running.process.kill()
        for kernel in kernels:
            wait_until_ended(kernel)
        with user.start(*SERVE, "600", drop):
            left = files()
    yield Row("dropped files of a kernel and a server that were killed", len(came), f"{left} left", left == 0)


def ending(target: Target) -> Iterator[Row]:
    temporary = Path(target.running.server().environ()["TMPDIR"])
    begun = time.monotonic()
    with target.visitor.begin():
        code, said = target.running.end(signal.SIGINT)
    seconds = time.monotonic() - begun
    left = list(temporary.iterdir())
    came = f"ended in {seconds:.1f} s, {len(left)} files left"
    yield Row("Ctrl-C while a page is being made", 1, came, code == 0 and not left)
    lines = said.splitlines()
    print(said, end="", file=sys.stderr)  # so that it is known what was said
    yield Row("all of this, as the terminal saw it", 1, f"{len(lines)} lines", not lines)


ATTACKS: list[Callable[[Target], Iterator[Row]]] = [
    websockets,  # first, since nobody looks at the page, which therefore does not live long
    reflected_parameters,
    without_token,
    other_origins,
    out_of_the_folders,
    broken_requests,
    floods,
    other_accounts,
    slow_requests,
    frozen_kernel,
    crowds,
    port_taken_over,
    left_behind,
    ending,
]


def main(arguments: list[str] | None = None) -> int:
    """Attack, print the table, return how many attacks succeeded, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--many", type=int, default=12, help="how often is what is tried many times (default: 12)")
    options = parser.parse_args(arguments)
    withstood = True
    print("| what was tried | how often | what came back | withstood |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name, User(Path(name)).start(*COMMAND, "demo", "--no-browser") as running:
        visitor = running.enter()
        target = Target(running, visitor, visitor.ask(), options.many)
        for attack in ATTACKS:
            for row in attack(target):
                said = "yes" if row.withstood else "**NO**"
                print(f"| {row.tried} | {row.count} | {row.came} | {said} |", flush=True)
                withstood &= row.withstood
    return 0 if withstood else 1


if __name__ == "__main__":
    sys.exit(main())
