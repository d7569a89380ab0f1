"""Room for all messages of a view on their way from the kernel to the browser."""

from __future__ import annotations

from typing import Any

from IPython.core.getipython import get_ipython

LONGEST_QUEUE = 100_000  # messages; a view of all panels sends some 1,500 when it opens, and 900 when it closes


def lengthen_message_queue() -> None:
    """Let the kernel keep more messages for a browser that is slow to take them.

    ZeroMQ holds 1,000 messages by default, and drops what comes after them without a word: pictures that never come,
    and widgets that stay on screen when they are closed. A new limit holds for the connections that exist by then, so
    this is called again for each page. Outside of a Jupyter kernel that sends in a thread, nothing is done.
    """
    sender: Any = getattr(getattr(get_ipython(), "kernel", None), "iopub_thread", None)
    if sender is None:
        return

    def lengthen() -> None:
        sender.socket.sndhwm = max(sender.socket.sndhwm, LONGEST_QUEUE)

    sender.schedule(lengthen)  # a socket belongs to its thread
