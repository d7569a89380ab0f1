"""Starts a kernel that listens on the sockets that it is given, and on nothing else.

It is run as a script, so that the kernel is there before calibviz is loaded.
"""

import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    here = str(Path(__file__).parent)
    sys.path[:] = [folder for folder in sys.path if folder != here]  # its files are no modules of the kernel's

    from ipykernel import kernelapp
    from ipykernel.iostream import IOPubThread

    class QuietThread(IOPubThread):
        """Without the port at which forked children leave what they print: any account could write there."""

        def __init__(self, socket: Any, pipe: bool = False, **more: Any) -> None:
            super().__init__(socket, pipe=False, **more)  # type: ignore[no-untyped-call]

    kernelapp.IOPubThread = QuietThread  # type: ignore[attr-defined, assignment]
    kernelapp.launch_new_instance()
