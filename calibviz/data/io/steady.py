"""Files that are read as one state: regular ones, which nobody changes meanwhile."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path

#: What waits for ever when it is opened, or never ends.
IRREGULAR = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a directory",
}
SETTLED = 20_000_000  # nanoseconds: file systems tell changes apart that are a few milliseconds from each other


State = tuple[int, int, int]
"""Size, time of the last change in nanoseconds, and inode of a file."""


def state_of(file: str | os.PathLike[str], name: str = "this") -> State:
    """The state of a regular file; anything else is refused before it is opened.

    Raises
    ------
    FileNotFoundError, ValueError
    """
    found = os.stat(file)
    if not stat.S_ISREG(found.st_mode):
        kind = IRREGULAR.get(stat.S_IFMT(found.st_mode), "of an unknown kind")
        raise ValueError(f"{name} is {kind}, not a file: write what it gives to a file, and read that")
    return found.st_size, found.st_mtime_ns, found.st_ino


def settled_state(file: str | os.PathLike[str], name: str = "this") -> State:
    """The state of a file, taken late enough that any later change shows."""
    found = state_of(file, name)
    settle(found[1])
    return found


def refuse_irregular(path: Path) -> None:
    """Refuse what is neither a file nor a folder, which would never end, or wait for ever."""
    if not path.is_dir():
        state_of(path)


@contextmanager
def one_state(file: Path, name: str = "the file", seen: Hashable = None) -> Iterator[None]:
    """A regular file that is read, or a `ValueError`, where it changes meanwhile or is not as it was seen to be."""
    before = settled_state(file, name)
    # Kept open, so that no other file gets its inode.
    with file.open("rb"), unchanged(lambda: state_of(file, name), name, before if seen is None else seen):
        yield


@contextmanager
def unchanged(state: Callable[[], Hashable], name: str, seen: Hashable = None) -> Iterator[None]:
    """Raise a `ValueError` where a state is not as it was `seen` to be, or is another one when the block ends."""
    before = state()
    if seen is not None and before != seen:
        raise ValueError(f"{name} changed after it was opened: open it again")
    try:
        yield
    except Exception as error:
        if _now(state) != before:
            raise _changed(name) from error
        raise
    if _now(state) != before:
        raise _changed(name)


def _changed(name: str) -> ValueError:
    return ValueError(f"{name} changed while it was read: read it again when nothing writes to it any more")


def _now(state: Callable[[], Hashable]) -> Hashable:
    try:
        return state()
    except (OSError, ValueError):  # it is gone, or no file any more
        return None


def settle(latest: int) -> None:
    """Wait a moment after a change that is so recent that another one could bear the same time."""
    age = time.time_ns() - latest
    if 0 <= age < SETTLED:
        time.sleep((SETTLED - age) / 1e9)
