"""Temporary folders that outlive no process: whoever makes the next one removes those whose process is gone."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows, where folders of processes that were killed stay, and a browser, where nothing stays
    flock = None  # type: ignore[assignment]

PREFIX = "calibviz-"
#: The file by which a folder is known as ours. The process that made the folder holds a lock on it, which the system
#: takes back when that process ends, however it ends; so a process that comes later under the same number is no matter.
MARK = ".calibviz-in-use"


class OwnFolder:
    """A temporary folder that only this account can open; it is removed by `remove`, or after the process has ended."""

    def __init__(self, place: Path | None = None) -> None:
        place = Path(tempfile.gettempdir()) if place is None else place
        sweep(place)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        self._finalizer = weakref.finalize(self, _remove, self.path, _mark(self.path))

    def remove(self) -> None:
        """Remove the folder with all that is in it, if it is still there."""
        self._finalizer()


def _mark(folder: Path) -> int | None:
    """Mark a folder as ours, and return the open mark, which is locked."""
    if flock is None:
        return None
    unfound = folder / f"{MARK}-soon"  # nobody may find a mark that is not locked yet
    mark = os.open(unfound, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    flock(mark, LOCK_EX)
    unfound.rename(folder / MARK)
    return mark


def _remove(folder: Path, mark: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if mark is not None:
        os.close(mark)


def sweep(place: Path) -> None:
    """Remove the folders in a place that processes of this account have left behind; others are never touched."""
    if flock is None:
        return
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with suppress(OSError):
                    _remove_if_left(Path(entry.path))


def _remove_if_left(folder: Path) -> None:
    """Remove a folder of ours if nobody holds its lock; an `OSError` where it is not ours, or in use."""
    inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _check_is_own(os.fstat(inner), stat.S_ISDIR)
        mark = os.open(MARK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=inner)
        try:
            _check_is_own(os.fstat(mark), stat.S_ISREG)
            flock(mark, LOCK_EX | LOCK_NB)
            shutil.rmtree(folder)
        finally:
            os.close(mark)
    finally:
        os.close(inner)


def _check_is_own(status: os.stat_result, is_kind: Callable[[int], bool]) -> None:
    if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077 or not is_kind(status.st_mode):
        raise PermissionError("not made here, or open to others")
