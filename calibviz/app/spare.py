"""A Python that loads what the first page needs while the server of the page still starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

LAUNCHER = Path(__file__).parent / "server" / "launcher.py"


class Spare:
    """A process that waits until it is told which kernel to be; it ends with this process, or when it is closed.

    Parameters
    ----------
    *modules : str
        Names of the modules that it loads meanwhile.
    """

    def __init__(self, *modules: str) -> None:
        command = [sys.executable, str(LAUNCHER), "--wait", *modules]
        # In a session of its own, like every kernel: Ctrl-C in the terminal is for the server alone.
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            command, stdin=subprocess.PIPE, start_new_session=True, env={**os.environ, **_of_parent()}
        )

    def become(
        self, command: Sequence[str], environment: Mapping[str, str], folder: str
    ) -> subprocess.Popen[bytes] | None:
        """Let the process be the kernel that a command would start; None where it cannot, or is one already."""
        process, self._process = self._process, None
        if process is None or list(command[:2]) != [sys.executable, str(LAUNCHER)]:
            self._process = process
            return None
        assert process.stdin is not None
        said = {"arguments": list(command[2:]), "environment": {**environment, **_of_parent()}, "folder": folder}
        try:
            with process.stdin:
                process.stdin.write(json.dumps(said).encode() + b"\n")
        except OSError:  # it has ended
            process.kill()
            process.wait()
            return None
        return process

    def close(self) -> None:
        """End the process, unless it has become a kernel."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            process.kill()
            process.wait()
            with suppress(OSError):
                process.stdin.close()


def _of_parent() -> dict[str, str]:
    """What Jupyter tells a kernel when it starts one, which the kernel reads when it is loaded."""
    return {"JPY_PARENT_PID": str(os.getpid())}


def can_wait() -> bool:
    """Whether a process can become a kernel later: on Windows a kernel needs handles from its start on."""
    return os.name == "posix"
