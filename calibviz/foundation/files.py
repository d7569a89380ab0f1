"""Files that are whole: one is written beside what was there, and takes its place once it is complete."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from . import validation

#: What ends Python at once, without its `finally`, where nobody handles it; Windows has no SIGHUP.
ENDING = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]


def path_to_write(value: Any) -> Path:
    """The path of a file to write; checked before long work, it is refused where the file could not be written."""
    file = validation.path(value, "path")
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a directory", str(file))
    if not file.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no directory {str(file.parent)!r}", str(file))
    place = _place(file)
    if place is None:
        return file
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, "it may only be read", str(file))
    if not os.access(place.parent, os.W_OK):
        why = f"the directory {str(place.parent)!r} takes no new file"
        whole = ", and a file is replaced only by a whole new one beside it" if place.exists() else ""
        raise PermissionError(errno.EACCES, why + whole, str(file))
    return file


def write_whole(value: Any, content: bytes) -> Path:
    """Write a file that is whole, or leave what was there, and return its path.

    Neither a full disk nor an end of the process leaves a part of the file. Permissions stay as they were, and so do
    links, of which the target is replaced. Devices and pipes cannot be replaced: they are written to. An `OSError` says
    what became of the file before.
    """
    file = path_to_write(value)
    place = _place(file)
    try:
        if place is None:
            file.write_bytes(content)
        else:
            _replace(place, content)
    except OSError as error:
        kept = "; the file that was there is unchanged" if place is not None and place.exists() else ""
        raise OSError(error.errno, f"{error.strerror}{kept}", str(file)) from error
    return file


def _place(file: Path) -> Path | None:
    """Where a file is once links are followed; None for what has no place that another could take."""
    place = Path(os.path.realpath(file))
    try:
        there = file.stat()
    except FileNotFoundError:
        return place
    # An open file can be named (/dev/stdout) that has been removed: Linux marks its path. Only then are both compared,
    # for another that saves to the same path may replace the file in between.
    removed = place.name.endswith(" (deleted)") and not (place.exists() and place.samefile(file))
    return place if stat.S_ISREG(there.st_mode) and not removed else None


def _replace(place: Path, content: bytes) -> None:
    before = place.stat() if place.exists() else None
    mode = 0o666 if before is None else 0o600  # less what the umask forbids
    part = place.with_name(f".calibviz-{secrets.token_hex(8)}")  # no longer than names may be, whatever the file's is
    with _removed_in_the_end(part):
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as stream:
            if before is not None:
                _inherit(place, before, part)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.replace(part, place)
        except PermissionError as error:
            why = f"{error.strerror}: another program has it open, or it belongs to another account"
            raise PermissionError(error.errno, why) from error


def _inherit(place: Path, before: os.stat_result, part: Path) -> None:
    """Give a new file the owner, group and permissions of the one that it will replace, as far as this account may."""
    if os.name == "posix":
        for owner in (before.st_uid, -1):
            with suppress(PermissionError):
                os.chown(part, owner, before.st_gid)
                break
    shutil.copystat(place, part)
    if part.stat().st_gid != before.st_gid:  # what its group might do, another group might not
        part.chmod(stat.S_IMODE(before.st_mode) & ~stat.S_IRWXG)


@contextmanager
def _removed_in_the_end(part: Path) -> Iterator[None]:
    """A context after which a file is gone, unless it was renamed; also where a signal ends the process in it."""

    def end(number: int, frame: object) -> None:
        part.unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    is_main = threading.current_thread() is threading.main_thread()  # others cannot handle signals
    handled = [number for number in ENDING if is_main and signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in handled:
            signal.signal(number, end)
        yield
    finally:
        part.unlink(missing_ok=True)
        for number in handled:
            signal.signal(number, signal.SIG_DFL)
