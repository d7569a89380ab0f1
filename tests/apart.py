"""Code in a process of its own, with what it takes: a fork of one that has imported what reads files."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from functools import cache

PROGRAM = r"""
import contextlib, importlib, io, json, os, re, resource, sys
from pathlib import Path
import calibviz as cv
for name in ("calibviz.data.readers", "h5py", "pandas", "pyarrow.parquet", "xarray", "zarr"):
    importlib.import_module(name)

def taken(code):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            eval(code)
        except ValueError as error:
            print(error)
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    # What `own` says of memory begins with that of the process that started this one.
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    seconds = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    return said.getvalue(), seconds, (int(peak[1]) + others.ru_maxrss) / 1024

for line in sys.stdin:
    if child := os.fork():
        if status := os.waitpid(child, 0)[1]:
            print(json.dumps([f"it ended with the status {status}", 0, 0]), flush=True)
        continue
    print(json.dumps(taken(json.loads(line))), flush=True)
    os._exit(0)
"""


@cache
def _parent() -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def apart(code: str) -> tuple[str, float, float]:
    """What an expression prints or is refused with, and its seconds of the processor and megabytes at most."""
    process = _parent()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(code) + "\n")
    process.stdin.flush()
    said, seconds, megabytes = json.loads(process.stdout.readline())
    return said, seconds, megabytes


def refused(code: str, seconds: float, megabytes: float) -> str:
    """The first line of that, where it takes little of time and memory."""
    said, *taken = apart(code)
    assert said, "it was read"
    assert taken[0] < seconds
    assert taken[1] < megabytes
    return said.splitlines()[0]
