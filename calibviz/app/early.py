"""A process that loads what a page needs while the command still reads its file; the first kernel goes on with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

LAUNCHER = Path(__file__).with_name("server") / "launcher.py"
EARLY = "--early"


class EarlyKernel:
    """A process that will be a kernel; at the end of the context it ends, unless it has become one.

    It ends with this process, too, since it waits for what this one writes to it.
    """

    _process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> EarlyKernel:
        if os.name == "posix":  # elsewhere Jupyter tells a process as it starts how it will be interrupted
            with suppress(OSError):  # no more processes: the kernel will say so
                self._process = subprocess.Popen(
                    [sys.executable, str(LAUNCHER), EARLY], stdin=subprocess.PIPE, start_new_session=True
                )
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()

    def become(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: str
    ) -> subprocess.Popen[bytes] | None:
        """Return the process, which becomes a kernel with these arguments; None where it is one, or has ended."""
        process, self._process = self._process, None
        if process is None:
            return None
        written = json.dumps([list(arguments), {**environment, "JPY_PARENT_PID": str(os.getpid())}, folder])
        assert process.stdin is not None
        try:
            process.stdin.write(f"{written}\n".encode())
            process.stdin.flush()
        except OSError:  # it has ended
            with suppress(OSError):
                process.stdin.close()
            process.wait()
            return None
        return process
