"""How much memory JupyterLab takes with all notebooks of the course, opened and run one after the other.

    python benchmarks/course.py
    python benchmarks/course.py --only 01 09

As a student does on Binder who closes a tab and opens the next, which ends no kernel; with `--without`, Binder's
settings end none either. Of memory that several processes share, each counts its part (PSS, on Linux only): after the
last cell of each notebook, and the most meanwhile. Binder gives 2 GB to server and kernels; what is above 1.5 is marked
`MISSED`. A Python in which `binder/requirements.txt` alone is installed leaves out what only tests need.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter

import nbformat
import psutil
from jupyter_client.blocking.client import BlockingKernelClient

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.jupyter_servers import LAB, NO_PAGE, JupyterServer

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SETTINGS = ROOT / "binder" / "jupyter_server_config.py"
LIMIT = 1500  # MB
EVERY = 0.5  # seconds from look to look


def megabytes(process: psutil.Process) -> float:
    """What a process and those below it hold."""
    held = 0.0
    for one in (process, *process.children(recursive=True)):
        try:
            held += one.memory_full_info().pss / 2**20
        except psutil.NoSuchProcess:
            continue  # a worker that has just ended
    return held


@contextmanager
def watched(process: psutil.Process) -> Iterator[list[float]]:
    """What a process holds meanwhile, look by look."""
    looks, done = [megabytes(process)], Event()

    def look() -> None:
        while not done.wait(EVERY):
            looks.append(megabytes(process))

    thread = Thread(target=look)
    thread.start()
    try:
        yield looks
    finally:
        done.set()
        thread.join()
        looks.append(megabytes(process))


def run(client: BlockingKernelClient, notebook: Path) -> None:
    """Run all cells."""
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "code":
            content = client.execute(cell.source, reply=True, timeout=300)["content"]
            if content["status"] != "ok":
                raise RuntimeError(f"{notebook.name}, cell {cell.id}: {content['ename']}: {content['evalue']}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=[""], help="how names of notebooks begin, such as 01")
    parser.add_argument("--without", action="store_true", help="without Binder's settings, all kernels stay")
    options = parser.parse_args()
    chosen = tuple(options.only)
    command = [*LAB, NO_PAGE, *([] if options.without else [f"--config={SETTINGS}"])]
    with TemporaryDirectory() as folder:
        server = JupyterServer(command, Path(folder))
        try:
            process = server.process
            print("| notebook | its kernel, MB | all, MB | the most meanwhile, MB | s |\n|---|---|---|---|---|")
            print(f"| none |  | {megabytes(process):.0f} |  |  |", flush=True)
            for notebook in (one for one in NOTEBOOKS if one.stem.startswith(chosen)):
                start = perf_counter()
                others = set(server.kernels())
                with watched(process) as looks:
                    client = server.open_kernel(server.add_notebook(notebook))
                    run(client, notebook)
                    client.stop_channels()
                own = sum(map(megabytes, server.kernels() - others))
                missed = " MISSED" if max(looks) > LIMIT else ""
                seconds = perf_counter() - start
                print(
                    f"| {notebook.stem} | {own:.0f} | {looks[-1]:.0f} | {max(looks):.0f}{missed} | {seconds:.0f} |",
                    flush=True,
                )
        finally:
            server.stop()


if __name__ == "__main__":
    main()
