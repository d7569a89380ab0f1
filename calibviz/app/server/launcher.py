"""Starts a kernel that listens on its own sockets only; a script, so that the kernel runs before calibviz is loaded.

With ``--wait`` and names of modules it loads these first, and is told by a line on its input which kernel to be.
"""

import json
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any


def wait(modules: list[str]) -> None:
    """Load modules, and take the arguments, the environment and the folder that the server sends; end with it."""
    os.umask(0o077)
    for name in modules:
        with suppress(Exception):  # the page will load it again, and tell
            import_module(name)
    line = sys.stdin.readline()
    if not line:
        os._exit(0)
    told = json.loads(line)
    os.environ.clear()
    os.environ.update(told["environment"])
    os.chdir(told["folder"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    sys.argv[1:] = told["arguments"]


if __name__ == "__main__":
    here = str(Path(__file__).parent)
    sys.path[:] = [folder for folder in sys.path if folder != here]  # else the kernel could import our files by name

    from ipykernel import kernelapp
    from ipykernel.iostream import IOPubThread

    class QuietThread(IOPubThread):
        """The output thread without the port for the output of forked children, where any account could write."""

        def __init__(self, socket: Any, pipe: bool = False, **more: Any) -> None:
            super().__init__(socket, pipe=False, **more)  # type: ignore[no-untyped-call]

    kernelapp.IOPubThread = QuietThread  # type: ignore[attr-defined, assignment]
    if sys.argv[1:2] == ["--wait"]:
        wait(sys.argv[2:])
    kernelapp.launch_new_instance()
