"""Settings of Jupyter on Binder, where server and kernels share 2 GB; postBuild puts them where Jupyter looks."""

import os
from contextlib import suppress

import psutil
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager

#: How many bytes server and kernels may hold before a kernel has to go: half of what there is. Kernels hold 300 to
#: 470 MB, that of notebook 09 with its workers 900, and grow between two looks.
MOST = int(os.environ.get("MEM_LIMIT", 2 * 2**30)) // 2
EVERY = 2  # seconds


def held() -> int:
    """The bytes of this process and of all below it; what several share counts once."""
    total, here = 0, psutil.Process()
    for process in (here, *here.children(recursive=True)):
        with suppress(psutil.Error):  # it has just ended
            total += process.memory_full_info().pss
    return total


class Kernels(AsyncMappingKernelManager):
    """Ends the kernel that nobody has used for the longest time where all together hold too much.

    Its page says that it has stopped. The last that was used stays, and so does one that works.
    """

    async def cull_kernels(self) -> None:
        await super().cull_kernels()
        kernels = sorted(self._kernels.items(), key=lambda item: item[1].last_activity)
        for name, kernel in kernels[:-1]:
            if held() <= MOST:
                break
            if kernel.execution_state == "idle":
                await self.shutdown_kernel(name)


c = get_config()  # noqa: F821  # Jupyter gives it
c.ServerApp.kernel_manager_class = Kernels
c.Kernels.cull_interval = EVERY
# Jupyter looks only where something may be too old: 12 hours, which Binder does not let anybody stay.
c.Kernels.cull_idle_timeout = 12 * 60 * 60
