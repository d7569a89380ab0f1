"""Checks that a file is a regular one, and that nobody changes it while it is read."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path

#: Kinds of files that block when they are opened, or that never end.
IRREGULAR_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a directory",
}
SETTLING_TIME = 20_000_000  # nanoseconds; file systems give changes within a few milliseconds the same time

State = tuple[int, int, int]
"""Size, time of the last change in nanoseconds, and inode of a file."""


def state_of(file: str | os.PathLike[str], name: str = "this") -> State:
    """The state of a regular file; any other kind is refused before it is opened."""
    status = os.stat(file)
    if not stat.S_ISREG(status.st_mode):
        kind = IRREGULAR_KINDS.get(stat.S_IFMT(status.st_mode), "of an unknown kind")
        raise ValueError(f"{name} is {kind}, not a file: write what it gives to a file, and read that")
    return status.st_size, status.st_mtime_ns, status.st_ino


def refuse_link(path: Path, name: str) -> None:
    """Refuse a symbolic link, by which a file or a folder would be read that lies elsewhere."""
    if path.is_symlink():
        raise ValueError(f"{name} is a link to {os.readlink(path)!r}: what is read must not lie elsewhere")


def settled_state(file: str | os.PathLike[str], name: str = "this") -> State:
    """The state of a file, taken late enough after its last change that a later change has another time."""
    state = state_of(file, name)
    settle(state[1])
    return state


def refuse_irregular(path: Path) -> None:
    """Refuse a path that is neither a file nor a folder: reading a pipe or a device may never end."""
    if not path.is_dir():
        state_of(path)


@contextmanager
def one_state(file: Path, name: str = "the file", seen: Hashable = None) -> Iterator[None]:
    """A context that reads a regular file; a `ValueError` where it changes meanwhile or has changed since `seen`."""
    before = settled_state(file, name)
    # The file is kept open, so that no other file gets its inode.
    with file.open("rb"), unchanged(lambda: state_of(file, name), name, before if seen is None else seen):
        yield


@contextmanager
def unchanged(state: Callable[[], Hashable], name: str, seen: Hashable = None) -> Iterator[None]:
    """A context that raises a `ValueError` where the state differs from `seen` at first, or has changed in the end."""
    before = state()
    if seen is not None and before != seen:
        raise ValueError(f"{name} changed after it was opened: open it again")
    changed = ValueError(f"{name} changed while it was read: read it again when nothing writes to it any more")
    try:
        yield
    except Exception as error:
        if _try_state(state) != before:
            raise changed from error
        raise
    if _try_state(state) != before:
        raise changed


def _try_state(state: Callable[[], Hashable]) -> Hashable:
    try:
        return state()
    except (OSError, ValueError):  # the file is gone, or is no regular file any more
        return None


def settle(latest: int) -> None:
    """Wait after a recent change, so that another change would get another time."""
    age = time.time_ns() - latest
    if 0 <= age < SETTLING_TIME:
        time.sleep((SETTLING_TIME - age) / 1e9)
