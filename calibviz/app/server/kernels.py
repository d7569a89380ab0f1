"""The kernels of the pages: how many there may be, how long one lives, and who can hear it."""

from __future__ import annotations

import asyncio
import itertools
import os
import uuid
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any

import zmq
from ipykernel.kernelspec import RESOURCES, get_kernel_dict
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec, KernelSpecManager
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager, ServerKernelManager
from tornado.web import HTTPError
from traitlets import Float, Integer, Unicode, default

from .gate import Refused

#: Each takes a few hundred MB.
MOST_KERNELS = 8

TOO_MANY = (
    "{} pages of calibviz are open, and there can be no more, for each takes the memory of a Python of its own. "
    "Close other tabs that show one, then reload this one."
)

#: A page that is left says so. One that is lost cannot, but may come back, so its kernel lives this many seconds more.
IDLE_SECONDS = 60.0

LAUNCHER = Path(__file__).with_name("launcher.py")

#: What follows the folder in the names of a kernel's sockets.
LONGEST_NAME = "/99999-9"


class RunningPython(KernelSpecManager):
    """Knows one kernel: the interpreter that runs this code, in whatever environment that is, activated or not."""

    def find_kernel_specs(self) -> dict[str, str]:
        return {NATIVE_KERNEL_NAME: RESOURCES}

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        # Errors show in the terminal; a warning that a kernel can be heard on the loopback device helps nobody there.
        known = get_kernel_dict(extra_arguments=["--log-level=ERROR"])
        python, _, _, *rest = known["argv"]  # -m ipykernel_launcher
        return KernelSpec(resource_dir=RESOURCES, **{**known, "argv": [python, str(LAUNCHER), *rest]})


class Kernel(ServerKernelManager):
    """A kernel that listens on sockets in a folder, where there are such."""

    @default("ip")
    def _ip_default(self) -> str:
        assert isinstance(self.parent, Kernels)
        # What the sockets' names begin with. Those of two kernels differ also where they start at the same time.
        return f"{self.parent.sockets}/{next(self.parent.count)}" if self.parent.sockets else super()._ip_default()


class Kernels(AsyncMappingKernelManager):
    """Kernels that live as long as they are held, by a page that is being written or by a websocket.

    A kernel that has died is not started again: it would come back empty, under a page that looks as if it were not.
    """

    most = Integer(MOST_KERNELS, config=True, help="How many kernels there may be at a time.")
    idle = Float(IDLE_SECONDS, config=True, help="Seconds that a kernel lives which nobody holds.")
    sockets = Unicode("", config=True, help="A folder for sockets that nobody else can open; else ports are used.")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        self.count = itertools.count()
        self._holders: dict[str, set[Hashable]] = {}
        self._alone: dict[str, asyncio.TimerHandle] = {}
        self._starting: set[asyncio.Future[str]] = set()
        self._ending: set[asyncio.Task[None]] = set()

    @default("kernel_manager_class")
    def _kernel_manager_class_default(self) -> str:
        return f"{Kernel.__module__}.{Kernel.__name__}"

    async def start(self, holder: Hashable, **kwargs: Any) -> str:
        """Start a kernel that somebody holds, if there is room for one; return its name."""
        if len(self._holders) >= self.most:
            raise Refused(503, TOO_MANY.format(self.most))
        kernel_id = str(uuid.uuid4())
        self._holders[kernel_id] = {holder}
        starting = asyncio.ensure_future(self.start_kernel(kernel_id=kernel_id, **kwargs))
        self._starting.add(starting)
        try:
            return await starting
        except BaseException:
            if kernel_id in self:  # its process runs, and nobody else knows of it
                await self._end(kernel_id)
            self._forget(kernel_id)
            raise
        finally:
            self._starting.discard(starting)

    def hold(self, kernel_id: str, holder: Hashable) -> None:
        """Keep a kernel, if there still is such a one, until `release`."""
        if kernel_id in self._holders:
            self._holders[kernel_id].add(holder)
            if timer := self._alone.pop(kernel_id, None):
                timer.cancel()

    def release(self, kernel_id: str, holder: Hashable) -> None:
        """Let go of a kernel; if nobody else holds it, it ends after a while."""
        holders = self._holders.get(kernel_id, set())
        holders.discard(holder)
        if kernel_id in self._holders and not holders and kernel_id not in self._alone:
            self._alone[kernel_id] = asyncio.get_running_loop().call_later(self.idle, self.end, kernel_id)

    def end(self, kernel_id: str) -> None:
        """Stop a kernel now, whatever it does, if there is such a one."""
        if kernel_id in self and kernel_id in self._holders:
            task = asyncio.ensure_future(self._end(kernel_id))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def end_all(self) -> None:
        """Stop all kernels, also those that are only being started, and start no more."""
        self.most = 0
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*map(self._end, self.list_kernel_ids()))

    async def _end(self, kernel_id: str) -> None:
        with suppress(HTTPError, KeyError):  # it has died, or is ended twice
            await self.shutdown_kernel(kernel_id, now=True)  # type: ignore[no-untyped-call]

    def remove_kernel(self, kernel_id: str) -> Any:
        """Forget a kernel that is no more."""
        self._forget(kernel_id)
        return super().remove_kernel(kernel_id)

    def _forget(self, kernel_id: str) -> None:
        self._holders.pop(kernel_id, None)
        if timer := self._alone.pop(kernel_id, None):
            timer.cancel()

    def _handle_kernel_died(self, kernel_id: str) -> None:
        self.stop_watching_activity(kernel_id)  # type: ignore[no-untyped-call]
        self.stop_buffering(kernel_id)  # type: ignore[no-untyped-call]
        super()._handle_kernel_died(kernel_id)  # type: ignore[no-untyped-call]

    def kill(self) -> None:
        """End the processes of all kernels, from any thread and without their help."""
        for kernel in list(self._kernels.values()):
            process = getattr(kernel.provisioner, "process", None)
            if process is not None:
                with suppress(OSError):
                    process.kill()


def fits_sockets(folder: Path) -> bool:
    """Tell whether kernels can listen in a folder: where such sockets exist, their names cannot be long."""
    return os.name == "posix" and zmq.has("ipc") and len(os.fsencode(f"{folder}{LONGEST_NAME}")) <= zmq.IPC_PATH_MAX_LEN
