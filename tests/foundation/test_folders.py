"""Temporary folders: those of processes that are gone are removed, and nothing else."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from calibviz.foundation.folders import MARK, OwnFolder, sweep

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, such folders stay")

MAKE = """
import sys
from pathlib import Path
from calibviz.foundation.folders import OwnFolder
folder = OwnFolder(Path(sys.argv[1]))
Path(folder.path, "private").write_text("x")
print(folder.path, flush=True)
input()
"""


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """A folder whose process was killed."""
    process = subprocess.Popen([sys.executable, "-c", MAKE, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().decode().strip())
        sweep(tmp_path)
        assert Path(path, "private").exists()  # as long as it lives
        process.send_signal(signal.SIGKILL)
    return path


def test_a_folder_is_for_its_user_and_gone_when_it_is_removed(tmp_path: Path) -> None:
    folder = OwnFolder(tmp_path)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700 and folder.path.parent == tmp_path
    for _ in range(2):
        folder.remove()
        assert not folder.path.exists()


def test_a_folder_that_nobody_needs_is_removed(tmp_path: Path) -> None:
    path = OwnFolder(tmp_path).path
    assert not path.exists()
    done = subprocess.run([sys.executable, "-c", MAKE, tmp_path], input=b"\n", capture_output=True)
    assert done.returncode == 0 and not Path(done.stdout.decode().strip()).exists()


def test_whoever_makes_a_folder_removes_what_was_left(tmp_path: Path, left: Path) -> None:
    assert left.exists()
    mine = OwnFolder(tmp_path)
    assert list(tmp_path.iterdir()) == [mine.path]


def test_nothing_is_removed_through_a_link(tmp_path: Path, left: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    left.rename(elsewhere)
    Path(tmp_path, "calibviz-link").symlink_to(elsewhere)
    sweep(tmp_path)
    assert Path(elsewhere, "private").exists()


def test_links_in_a_folder_are_removed_and_not_followed(tmp_path: Path, left: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    Path(other, "kept").touch()
    Path(left, "link").symlink_to(other)
    sweep(tmp_path)
    assert not left.exists() and Path(other, "kept").exists()


def unmark(folder: Path) -> None:
    Path(folder, MARK).unlink()


def link_the_mark(folder: Path) -> None:
    unmark(folder)
    Path(folder, MARK).symlink_to(Path(folder, "private"))


def make_the_mark_a_pipe(folder: Path) -> None:
    unmark(folder)
    os.mkfifo(Path(folder, MARK), 0o600)


def give_away(folder: Path) -> None:
    if os.getuid():
        pytest.skip("only root can give a folder to somebody else")
    os.chown(folder, 65534, 65534)


def give_the_mark_away(folder: Path) -> None:
    give_away(folder)
    os.chown(folder, 0, 0)
    os.chown(Path(folder, MARK), 65534, 65534)


@pytest.mark.parametrize(
    "change",
    [
        unmark,
        link_the_mark,
        make_the_mark_a_pipe,
        give_away,
        give_the_mark_away,
        lambda folder: folder.chmod(0o770),
        lambda folder: Path(folder, MARK).chmod(0o666),
    ],
)
def test_what_may_be_of_others_is_left_alone(tmp_path: Path, left: Path, change: Callable[[Path], object]) -> None:
    change(left)
    sweep(tmp_path)
    assert Path(left, "private").exists()


def test_a_place_that_is_not_there_is_no_matter(tmp_path: Path) -> None:
    sweep(tmp_path / "absent")
