"""A file that is saved is whole, or the old one is still there: on a full disk, at an end, through links, in pipes."""

from __future__ import annotations

import errno
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_pages import some

import calibviz as cv
from calibviz.reports import Report

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows has other permissions, signals and devices")
OLD, NEW = "<p>old</p>", "<p>new</p>" * 5000

#: What saves each kind of file, of more bytes than fit, in a program of its own.
MAKING = """
report = Report('r', '<p>new</p>' * 5000).save
summary = cv.summarize(cv.Predictions(np.random.default_rng(0).random(5000), np.arange(5000) % 2)).save
picture = cv.plots.reliability(cv.load_dataset('digits')['neural network']).figure.savefig
explorer = cv.Explorer(cv.load_dataset('heart')).save
lab = cv.SimulationLab().save
"""
SAVING = {"report": ".html", "summary": ".npz", "picture": ".png", "explorer": ".svg", "lab": ".pdf"}


def program(code: str, **more: Any) -> subprocess.CompletedProcess[str]:
    start = f"import os, sys, signal; sys.path.insert(0, {str(ROOT)!r})\nimport numpy as np\nimport calibviz as cv\n"
    start += "from calibviz.reports import Report\n"
    ignored = ["-W", "ignore::DeprecationWarning"]  # of bqscales
    return subprocess.run(
        [sys.executable, *ignored, "-c", start + code], capture_output=True, text=True, timeout=240, **more
    )


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A report that is there before."""
    file = tmp_path / "page.html"
    file.write_text(OLD, encoding="utf-8")
    return file


def save(path: Any, html: str = NEW) -> None:
    Report("r", html).save(path)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


# A full disk


@pytest.mark.thorough
@POSIX
def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    code, kept = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n", {}
    for folder, what in ((old, "; the file that was there is unchanged"), (new, "")):
        folder.mkdir()
        for kind, ending in SAVING.items():
            file = folder / f"{kind}{ending}"
            if what:
                file.write_bytes(b"old")
            kept[f"[Errno {errno.EFBIG}] File too large{what}: {str(file)!r}"] = file
            code += f"try: {kind}({str(file)!r})\nexcept OSError as error: print(error)\n"
    done = program(MAKING + code)
    assert (done.stdout.splitlines(), done.stderr) == (list(kept), "")
    assert names(new) == [] and names(old) == sorted(f"{kind}{ending}" for kind, ending in SAVING.items())
    assert {file.read_bytes() for file in old.iterdir()} == {b"old"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mounting, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount")
    if done.returncode:
        pytest.skip("this account mounts no disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.thorough
def test_a_disk_that_is_full_in_truth_is_one_sentence_of_the_command(small_disk: Path, tmp_path: Path) -> None:
    page = small_disk / "page.html"
    page.write_text(OLD, encoding="utf-8")
    weights = np.linspace(1, 2, 12)  # of these no report asks how many it takes, which lasts longest
    np.savez(tmp_path / "p.npz", prob=np.linspace(0, 1, 12), label=np.arange(12) % 2, weights=weights)
    command = [sys.executable, "-m", "calibviz.app", "report", "p.npz", "-o", str(page)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    said = f"calibviz: cannot write {str(page)!r}: No space left on device; the file that was there is unchanged\n"
    taken, *told = done.stderr.splitlines(keepends=True)
    assert (done.returncode, done.stdout, told) == (2, "", [said]) and "P(1) from 'prob'" in taken
    assert page.read_text(encoding="utf-8") == OLD and names(small_disk) == ["page.html"]


def test_a_picture_that_cannot_be_drawn_leaves_what_was_there(page: Path) -> None:
    with pytest.raises(ValueError, match="Format 'html' is not supported"):
        cv.plots.reliability(some()).figure.savefig(page)
    assert page.read_text(encoding="utf-8") == OLD and names(page.parent) == ["page.html"]


def test_a_picture_is_saved_as_matplotlib_saves_it(tmp_path: Path) -> None:
    picture = cv.plots.reliability(some()).figure
    for name, kind, begins in [
        ("a.png", None, b"\x89PNG"),
        ("a.svg", None, b"<?xml"),
        ("a.pdf", None, b"%PDF"),
        ("plain", None, b"\x89PNG"),
        ("page.html", "svg", b"<?xml"),
    ]:
        picture.savefig(tmp_path / name, format=kind)
        file = tmp_path / (name if "." in name else f"{name}.png")
        assert file.read_bytes().startswith(begins)
    assert names(tmp_path) == ["a.pdf", "a.png", "a.svg", "page.html", "plain.png"]


# An end in the midst of it

ENDED = (
    "def end(*_): os.kill(os.getpid(), {number}); signal.pause()\n"
    "os.fsync = end\n"
    "Report('r', '<p>new</p>' * 5000).save({file!r})"
)


@pytest.mark.thorough
@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_what_was_there_and_nothing_else(page: Path, number: signal.Signals) -> None:
    done = program(ENDED.format(number=int(number), file=str(page)), preexec_fn=heed_hangups)
    assert done.returncode == -number
    assert page.read_text(encoding="utf-8") == OLD and names(page.parent) == ["page.html"]


def heed_hangups() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@POSIX
def test_handlers_of_signals_stay_those_of_the_program(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    fsync = os.fsync
    try:
        monkeypatch.setattr(os, "fsync", lambda file: (signal.raise_signal(signal.SIGTERM), fsync(file)))
        save(page)
        assert heard == [signal.SIGTERM] and page.read_text(encoding="utf-8") == NEW
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        monkeypatch.undo()
        save(page, OLD)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_thread_saves_as_well(page: Path) -> None:
    thread = threading.Thread(target=save, args=(page,))
    thread.start()
    thread.join()
    assert page.read_text(encoding="utf-8") == NEW and names(page.parent) == ["page.html"]


def test_of_two_that_save_at_once_one_is_there_whole(page: Path) -> None:
    pages = [letter * 200_000 for letter in "ab"]
    threads = [threading.Thread(target=lambda i=i: [save(page, pages[i % 2]) for _ in range(20)]) for i in range(4)]
    for thread in threads:
        thread.start()
    seen = set()
    while any(thread.is_alive() for thread in threads):
        seen.add(page.read_text(encoding="utf-8"))
    assert seen <= {OLD, *pages} and names(page.parent) == ["page.html"]


@POSIX
def test_a_file_that_is_replaced_while_it_is_looked_at_is_never_written_in_place(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, opened = Path.stat, []

    def meanwhile(path: Path, **options: Any) -> os.stat_result:
        found = look(path, **options)
        if path == page:
            other = page.with_name("other")
            other.write_text(OLD, encoding="utf-8")
            os.replace(other, page)
            opened.append(page.open(encoding="utf-8"))
        return found

    monkeypatch.setattr(Path, "stat", meanwhile)
    save(page)
    monkeypatch.undo()
    for stream in opened:
        with stream:
            assert stream.read() == OLD
    assert opened and page.read_text(encoding="utf-8") == NEW and names(page.parent) == ["page.html"]


# What a file is


@POSIX
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        save(tmp_path / "page.html")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o666 & ~umask


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_a_file_keeps_its_permissions_and_is_never_open_to_more(
    page: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    page.chmod(mode)
    modes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: modes.append(stat.S_IMODE(os.fstat(file).st_mode)))
    save(page)
    assert [stat.S_IMODE(page.stat().st_mode), *modes] == [mode, mode]


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_keeps_its_owner_and_group(page: Path) -> None:
    os.chown(page, 65534, 65534)
    save(page)
    assert (page.stat().st_uid, page.stat().st_gid) == (65534, 65534)


@POSIX
def test_permissions_of_a_group_that_cannot_be_kept_are_not_given_to_another(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.chmod(0o664)
    before = page.stat()

    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refused)
    save(page)
    assert stat.S_IMODE(page.stat().st_mode) == 0o664, "its group is the same"
    if os.geteuid() == 0:
        monkeypatch.undo()
        os.chown(page, -1, 65534)
        monkeypatch.setattr(os, "chown", refused)
        save(page)
        assert (page.stat().st_gid, stat.S_IMODE(page.stat().st_mode)) == (before.st_gid, 0o604)


@POSIX
def test_a_link_stays_one_and_its_target_is_written(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = folder / "link.html"
    link.symlink_to("../page.html")
    save(link)
    assert link.is_symlink() and page.read_text(encoding="utf-8") == NEW and names(folder) == ["link.html"]
    dangling = folder / "dangling.html"
    dangling.symlink_to("new.html")
    save(dangling)
    assert dangling.is_symlink() and (folder / "new.html").read_text(encoding="utf-8") == NEW
    loop = folder / "loop.html"
    loop.symlink_to("loop.html")
    with pytest.raises(OSError, match=r"loop\.html"):
        save(loop)
    assert loop.is_symlink()


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    file = tmp_path / ("é" * 125 + ".html")
    for html in (OLD, NEW):
        save(file, html)
        assert file.read_text(encoding="utf-8") == html
    assert names(tmp_path) == [file.name]


@POSIX
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    thread = threading.Thread(target=save, args=(pipe,))
    thread.start()
    assert pipe.read_text(encoding="utf-8") == NEW
    thread.join()
    assert names(tmp_path) == ["pipe"] and stat.S_ISFIFO(pipe.stat().st_mode)
    save(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_what_is_printed_to_may_be_a_pipe_or_a_file_without_a_name(tmp_path: Path) -> None:
    code = "Report('r', '<p>new</p>').save('/dev/stdout')"
    assert program(code).stdout == "<p>new</p>"
    file = tmp_path / "gone.html"
    code = (
        f"stream = open({str(file)!r}, 'w+b')\nos.unlink({str(file)!r})\n"
        "Report('r', '<p>new</p>').save(f'/dev/fd/{stream.fileno()}')\nprint(stream.read())"
    )
    if Path("/proc/self/fd").exists():
        assert program(code).stdout == "b'<p>new</p>'\n" and names(tmp_path) == []


# What cannot be replaced


@POSIX
@pytest.mark.parametrize(
    ("forbid", "why"),
    [
        (lambda page: page.chmod(0o444), "it may only be read"),
        (
            lambda page: page.parent.chmod(0o555),
            "takes no new file, and a file is replaced only by a whole new one beside it",
        ),
        (lambda page: (page.unlink(), page.parent.chmod(0o555)), "takes no new file"),
    ],
)
def test_what_may_not_be_written_is_refused_before_the_work(
    page: Path, monkeypatch: pytest.MonkeyPatch, forbid: Callable[[Path], Any], why: str
) -> None:
    access = os.access

    def access_of_anybody(path: Any, mode: int) -> bool:
        """That of an account that is not root, which may write everything."""
        return bool(os.stat(path).st_mode & 0o200) if mode == os.W_OK else access(path, mode)

    monkeypatch.setattr(os, "access", access_of_anybody)
    forbid(page)
    monkeypatch.setattr(cv.reports.report_page, "page_of", None)
    for act in (lambda: save(page), lambda: cv.report(some(), path=page)):
        with pytest.raises(PermissionError, match=rf"{re.escape(why)}: {re.escape(repr(str(page)))}$"):
            act()
    page.parent.chmod(0o755)
    assert not page.exists() or page.read_text(encoding="utf-8") == OLD


def test_a_file_that_another_program_has_open_is_said_to_be_so(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Access is denied")

    monkeypatch.setattr(os, "replace", refused)
    why = "Access is denied: another program has it open, or it belongs to another account; the file that was there"
    with pytest.raises(PermissionError, match=why):
        save(page)
    assert page.read_text(encoding="utf-8") == OLD and names(page.parent) == ["page.html"]


def test_nothing_else_writes_files_of_the_user() -> None:
    """What the others write lies in temporary folders."""
    writing = re.compile(
        r"\.(write_bytes|write_text|to_netcdf|to_zarr|to_parquet|tofile)\(|open\([^)]*[\"'][wxa]b?[\"']"
    )
    found = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "calibviz").rglob("*.py")
        if writing.search(file.read_text(encoding="utf-8"))
    }
    assert found == {
        "calibviz/foundation/files.py",
        "calibviz/app/server/__init__.py",
        "calibviz/foundation/handing_over.py",
        "calibviz/data/readers/__init__.py",
        "calibviz/explorer/view/page/file_drop.py",
    }
