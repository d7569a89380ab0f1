"""The terminal of the command, which may be closed, full or of few letters, and must not obey what names hold."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False  # typing would have to be imported, before an interrupt is handled
if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

INTERRUPTED = 130  # exit code


def printable(text: str, kept: str = "") -> str:
    """A text in which escapes, as `repr` writes them, take the place of what moves, colours or turns a line."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in kept else sign.encode("unicode_escape").decode() for sign in text
    )


def tell(text: str, *below: str) -> None:
    """Print one line about the work, and others that belong to it."""
    print("\n".join(map(printable, (f"calibviz: {text}", *below))), file=sys.stderr, flush=True)


def say(*lines: str) -> None:
    """Print lines that were asked for; where that fails, they and the reason go to standard error."""
    try:
        print("\n".join(map(printable, lines)), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(sys.stdout)
        first, *others = (*lines[:-1], f"{lines[-1]} (which cannot be printed: {error.strerror})")
        tell(first, *others)


def is_printed_to(path: Path) -> bool:
    """Whether a path, such as /dev/stdout, is what this process prints to: a line would follow, or be written over."""
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # streams of tests and notebooks have no number
        return False


def silence(stream: TextIO) -> None:
    """Print no more, also where Python flushes what is left at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Printed(io.TextIOWrapper):
    """A stream on which other code prints, such as argparse, bars of progress, logs and tracebacks."""

    def write(self, text: str) -> int:
        line = text.removeprefix("\r")  # with which a bar begins
        super().write(text[: len(text) - len(line)] + printable(line, "\n\t"))
        return len(text)


class Reported(Printed):
    """One that is about the work, which goes on where nobody reads it any more."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            silence(self)
            return len(text)


def take_over() -> None:
    """Let this process, which is the command, print anything anywhere, and end without a word when interrupted."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise it is ignored
        signal.signal(signal.SIGINT, _end)
    for name, mode, kind in (("stdin", "r", None), ("stdout", "w", Printed), ("stderr", "w", Reported)):
        stream = getattr(sys, name)
        if stream is None:  # closed: the next file that is opened would get its number, and with it what is printed
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115  # it stays open
            os.set_inheritable(stream.fileno(), True)
        if kind is not None and type(stream) is io.TextIOWrapper:
            encoding, by_lines = stream.encoding, kind is Reported or stream.isatty()
            stream = kind(stream.detach(), encoding, "backslashreplace", line_buffering=by_lines)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _end(*_: object) -> None:
    """End at once: an exception could be raised, and shown or lost, in the midst of anything."""
    if os.isatty(2):
        os.write(2, b"\n")  # a bar of progress has a line of its own
    os._exit(INTERRUPTED)


@contextmanager
def tidy_interrupts() -> Iterator[None]:
    """A context that an interrupt leaves by an exception, for what has to tidy up."""
    before = signal.getsignal(signal.SIGINT)
    if before is not _end:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
