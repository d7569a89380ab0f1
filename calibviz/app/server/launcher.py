"""Starts a kernel that listens on its own sockets only; a script, so that the kernel runs before calibviz is loaded."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    here = str(Path(__file__).parent)
    sys.path[:] = [folder for folder in sys.path if folder != here]  # else the kernel could import our files by name

    from ipykernel import kernelapp
    from ipykernel.iostream import IOPubThread

    if sys.argv[1:] == ["--early"]:  # see `calibviz.app.early`
        with suppress(ImportError):  # the page will say it
            import calibviz.answers.registry  # noqa: F401  # widgets want a kernel when they are loaded; this does not
        written = sys.stdin.buffer.readline()
        if not written:
            sys.exit()
        os.umask(0o077)
        sys.argv[1:], environment, folder = json.loads(written)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)

    class QuietThread(IOPubThread):
        """The output thread without the port for the output of forked children, where any account could write."""

        def __init__(self, socket: Any, pipe: bool = False, **more: Any) -> None:
            super().__init__(socket, pipe=False, **more)  # type: ignore[no-untyped-call]

    kernelapp.IOPubThread = QuietThread  # type: ignore[attr-defined, assignment]
    kernelapp.launch_new_instance()
