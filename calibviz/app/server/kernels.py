"""The kernels of the pages: their number, how long they live, and the sockets that they listen on."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
import uuid
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any

import zmq
from ipykernel.kernelspec import RESOURCES, get_kernel_dict
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.channels import HBChannel
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec, KernelSpecManager
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager, ServerKernelManager
from tornado.web import HTTPError
from traitlets import Float, Integer, Type, Unicode, default

from ...foundation.folders import sweep
from ..early import LAUNCHER, EarlyKernel
from .connections import FULL, FULL_MESSAGE, full_table, most_files
from .gate import Refused

#: At a time; each takes a few hundred MB.
MOST_KERNELS = 8

TOO_MANY_MESSAGE = (
    "{} pages of calibviz are open, and there can be no more, for each takes the memory of a Python of its own. "
    "Close other tabs that show one, then reload this one."
)

#: A closed page says so. A lost page cannot, and may come back, so its kernel lives this many seconds more.
IDLE_SECONDS = 60.0

#: Seconds in which the heartbeat of a kernel answers, or the kernel is frozen; and that one question for it waits.
SILENCE, GLANCE = 4.0, 0.2

#: The longest end of the name of a kernel's socket, after its folder.
LONGEST_SOCKET_NAME = "/99999-9"


class RunningPython(KernelSpecManager):
    """The specification of one kernel: the interpreter that runs this code, in its own environment."""

    def find_kernel_specs(self) -> dict[str, str]:
        return {NATIVE_KERNEL_NAME: RESOURCES}

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        # Errors show in the terminal; the warning that kernels listen on the loopback device would only confuse.
        known = get_kernel_dict(extra_arguments=["--log-level=ERROR"])
        python, _, _, *rest = known["argv"]  # -m ipykernel_launcher
        # A kernel is interrupted before it is killed. One that is still being loaded would show where a signal met it.
        mine = {"argv": [python, str(LAUNCHER), *rest], "interrupt_mode": "message"}
        return KernelSpec(resource_dir=RESOURCES, **{**known, **mine})


class Heartbeat(HBChannel):
    """A thread that asks for the heartbeat of a kernel until it is stopped, however early.

    Jupyter's says that it runs once it has begun: where it was stopped before, it goes on, and the server waits for it.
    """

    @property
    def _running(self) -> bool:
        return not self._exit.is_set()

    @_running.setter
    def _running(self, runs: bool) -> None:
        """It runs until it is to exit, whoever says otherwise."""


class Client(AsyncKernelClient):
    """A client of a kernel, by which its page is written."""

    hb_channel_class = Type(Heartbeat)


class Kernel(ServerKernelManager):
    """A kernel that listens on sockets in a folder, where the system has such sockets."""

    provisioner: Any
    _heart: Any = None
    _beat: asyncio.Future[None] | None = None
    _asked = 0.0

    @default("ip")
    def _ip_default(self) -> str:
        assert isinstance(self.parent, Kernels)
        # The beginning of the sockets' names, which differs for two kernels that start at the same time.
        return f"{self.parent.sockets}/{next(self.parent.count)}" if self.parent.sockets else super()._ip_default()

    def _client_factory_default(self) -> type[Client]:
        return Client

    async def _async_launch_kernel(self, kernel_cmd: list[str], **kw: Any) -> None:
        assert isinstance(self.parent, Kernels)
        _, _, *arguments = kernel_cmd  # the interpreter and `LAUNCHER`, which run already
        early = self.parent.early.become(arguments, kw["env"], kw["cwd"])
        if early is None:
            await super()._async_launch_kernel(kernel_cmd, **kw)
            return
        known = self.provisioner
        known.process, known.pid, known.pgid, known.cwd = early, early.pid, early.pid, kw["cwd"]
        self._reconcile_connection_info(known.connection_info)

    async def _async_post_start_kernel(self, **kw: Any) -> None:
        try:
            await super()._async_post_start_kernel(**kw)
        except BaseException:  # its process runs, and nobody else knows of it yet
            await self._async_kill_kernel()
            raise

    async def is_awake(self) -> bool:
        """Whether the heartbeat answers: a thread of the kernel that goes on whatever Python does, as it needs none."""
        if self._beat is None or self._beat.done():
            self._beat, self._asked = asyncio.get_running_loop().create_future(), time.monotonic()
            if self._heart is None:
                self._heart = self.connect_hb()
                self._heart.on_recv(self._feel)
            self._heart.send(b"")
        answered, _ = await asyncio.wait({self._beat}, timeout=GLANCE)
        return bool(answered) or time.monotonic() - self._asked < SILENCE

    def _feel(self, _: Any) -> None:
        if self._beat is not None and not self._beat.done():
            self._beat.set_result(None)

    def let_go(self) -> None:
        """Ask for no heartbeat any more."""
        if self._beat is not None:
            self._beat.cancel()
        if self._heart is not None:
            self._heart.close(linger=0)
        self._beat = self._heart = None


class Kernels(AsyncMappingKernelManager):
    """Kernels that live as long as a holder needs them: a page that is being written, or a websocket.

    A kernel that has died is not started again: it would come back without the objects behind its page.
    """

    most = Integer(MOST_KERNELS, config=True, help="How many kernels there may be at a time.")
    idle = Float(IDLE_SECONDS, config=True, help="Seconds that a kernel lives which nobody holds.")
    folder = Unicode("", config=True, help="Where kernels run; folders that they leave there are removed.")
    sockets = Unicode("", config=True, help="A folder for sockets that nobody else can open; else ports are used.")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        self.count = itertools.count()
        self.early = EarlyKernel()  # one that was not begun
        self._holders: dict[str, set[Hashable]] = {}
        self._alone: dict[str, asyncio.TimerHandle] = {}
        self._starting: set[asyncio.Future[str]] = set()
        self._ending: set[asyncio.Task[None]] = set()

    @default("kernel_manager_class")
    def _kernel_manager_class_default(self) -> str:
        return f"{Kernel.__module__}.{Kernel.__name__}"

    async def start(self, holder: Hashable, **kwargs: Any) -> str:
        """Start a kernel for a holder, if there are not too many, and return its id."""
        if len(self._holders) >= self.most:
            raise Refused(503, TOO_MANY_MESSAGE.format(self.most))
        kernel_id = str(uuid.uuid4())
        self._holders[kernel_id] = {holder}
        starting = asyncio.ensure_future(self.start_kernel(kernel_id=kernel_id, **kwargs))
        self._starting.add(starting)
        try:
            return await starting
        except BaseException as error:
            if kernel_id in self:  # its process runs, and only this function can end it
                await self._end(kernel_id)
            self._forget(kernel_id)
            if getattr(error, "errno", None) in FULL:
                full_table.tell()
                raise Refused(503, FULL_MESSAGE.format(most_files())) from error
            raise
        finally:
            self._starting.discard(starting)

    def hold(self, kernel_id: str, holder: Hashable) -> None:
        """Keep a kernel, if it still exists, until `release`."""
        if kernel_id in self._holders:
            self._holders[kernel_id].add(holder)
            if timer := self._alone.pop(kernel_id, None):
                timer.cancel()

    def release(self, kernel_id: str, holder: Hashable) -> None:
        """Release a kernel; without other holders it ends after `idle` seconds."""
        holders = self._holders.get(kernel_id, set())
        holders.discard(holder)
        if kernel_id in self._holders and not holders and kernel_id not in self._alone:
            self._alone[kernel_id] = asyncio.get_running_loop().call_later(self.idle, self.end, kernel_id)

    async def pulse(self, kernel_id: str) -> str:
        """Whether a kernel is "awake", "frozen" or "stopped"; one that computes for long is awake."""
        if kernel_id not in self._holders or kernel_id not in self:
            return "stopped"
        return "awake" if await self._kernels[kernel_id].is_awake() else "frozen"

    def end(self, kernel_id: str) -> None:
        """Stop a kernel now, even at work, if it exists."""
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
        with suppress(HTTPError, KeyError):  # the kernel has died, or is ended twice
            await self.shutdown_kernel(kernel_id, now=True)  # type: ignore[no-untyped-call]

    def remove_kernel(self, kernel_id: str) -> Any:
        """Forget a kernel that has ended."""
        self._forget(kernel_id)
        if kernel_id in self:
            self._kernels[kernel_id].let_go()
        sweep(Path(self.folder))
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
        """Kill the processes of all kernels, from any thread."""
        for kernel in list(self._kernels.values()):
            process = getattr(kernel.provisioner, "process", None)
            if process is not None:
                with suppress(OSError):
                    process.kill()


def fits_sockets(folder: Path) -> bool:
    """Whether kernels can listen on sockets in a folder: the system must have them, and limits their names."""
    longest = len(os.fsencode(f"{folder}{LONGEST_SOCKET_NAME}"))
    return os.name == "posix" and zmq.has("ipc") and longest <= zmq.IPC_PATH_MAX_LEN
