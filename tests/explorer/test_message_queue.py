"""No message is lost between kernel and browser, however slow the browser takes them."""

from __future__ import annotations

import queue
import time
from pathlib import Path

import pytest

VIEW = """
from calibviz.explorer.transport.transport import Transport
transport = Transport()
print("ready")
"""
MANY = 20_000
SENT = f"""
for _ in range({MANY}):
    transport.send({{}})
print("done")
"""


@pytest.mark.thorough
def test_a_slow_browser_gets_all_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = pytest.importorskip("jupyter_client.manager")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    kernels = manager.KernelManager(kernel_name="python3")  # by TCP: other transports are not on all systems
    kernels.start_kernel()
    client = kernels.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        taken(client, VIEW, "ready")
        client.execute(SENT)
        client.get_shell_msg(timeout=60)  # the cell has run, and nobody has taken a message
        time.sleep(1)
        assert len(taken(client, "", "done")) == MANY
    finally:
        client.stop_channels()
        kernels.shutdown_kernel(now=True)


def taken(client, code, end):
    """The messages of widgets until a text is printed."""
    if code:
        client.execute(code)
    messages = []
    while True:
        try:
            message = client.get_iopub_msg(timeout=20)
        except queue.Empty:
            pytest.fail(f"{len(messages)} messages of widgets, and not the text after them")
        if message["msg_type"] == "comm_msg":
            messages.append(message)
        elif message["msg_type"] == "stream" and end in message["content"]["text"]:
            return messages
