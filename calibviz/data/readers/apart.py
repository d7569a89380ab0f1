"""Files that libraries of other people read: in a process of its own, so that none can end or overwhelm this one.

A workbook of some bytes can ask for any amount of memory, and calamine then ends its process; so may a damaged file do
in C. The process gets the memory that the file may still take, where the system can bound it (Linux).
"""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...foundation.packages import IN_BROWSER, missing
from ..columns.tables import ArrayTable
from ..safeguards import LONGEST_REASON, TEXT_RATIO, charge, left, refuse_many

PROGRAM = Path(__file__).with_name("apart_program.py")
LONGEST_LINE = 2**24  # bytes of what tells the columns
MOST = 2**40  # bytes where there is no budget


class NoSuchTable(ValueError):
    """The error of a file that holds no such table, with what the program says of it."""

    def __init__(self, kind: str, details: list[Any]) -> None:
        super().__init__(kind)
        self.kind, self.details = kind, details


def read_apart(kind: str, file: Path, what: str, otherwise: str, **options: Any) -> tuple[list[Any], list[Any], Any]:
    """The names of the columns of a file, these, and of a sheet its name and the rows above; it is called `what`.

    `otherwise` is what to do where the library is not installed.
    """
    if IN_BROWSER:
        raise ValueError(f"{what} cannot be read in a browser, where no process starts by itself: {otherwise}")
    most = left()
    size = MOST if math.isinf(most) else int(most)
    command = [
        sys.executable,
        "-P",
        "-W",
        "ignore",
        str(PROGRAM),
        kind,
        str(file.absolute()),
        str(size),
        json.dumps(options),
    ]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            head = _head(process.stdout)
            if head is None:
                if process.wait() == -signal.SIGABRT:  # as Rust ends where memory is lacking
                    charge(size + 1)
                raise ValueError(f"{what} cannot be read and may be damaged: the library that reads it ended")
            if "error" in head:
                _refuse(head["error"], head["details"], what, otherwise, size)
            names, blocks = head["header"], head["blocks"]
            refuse_many(len(names), "columns")
            columns = [_column(process.stdout, form, length) for form, length in blocks]
        finally:
            process.kill()
    return names, columns, head.get("sheet")


def _head(stream: IO[bytes]) -> dict[str, Any] | None:
    line = stream.readline(LONGEST_LINE)
    if not line.endswith(b"\n"):
        return None
    head = json.loads(line)
    return head if isinstance(head, dict) else None


def _column(stream: IO[bytes], form: str, length: int) -> Any:
    charge(length if form == "numbers" else TEXT_RATIO * length)
    block = stream.read(length)
    if len(block) < length:
        raise ValueError("the library that reads the file ended before it was done")
    if form == "numbers":
        return np.frombuffer(block, dtype=np.float64)
    values = json.loads(block)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _refuse(kind: str, details: list[Any], what: str, otherwise: str, size: int) -> None:
    """Raise what the program tells."""
    if kind == "module":
        raise missing(details[0], f"reading {what}", "io", otherwise)
    if kind == "large":
        charge(max(int(details[0]), size + 1))
        raise ValueError(f"{what} takes more memory than there is")
    if kind == "damaged":
        reason = str(details[0])
        short = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} ..."
        raise ValueError(f"{what} cannot be read and may be damaged: {short}")
    raise NoSuchTable(kind, details)


def table_of(names: list[str], columns: list[Any]) -> ArrayTable:
    """Columns by name; those without a name are left out."""
    return ArrayTable({name: column for name, column in zip(names, columns, strict=True) if name})
