"""What the command says where calibviz itself goes wrong, and that it says nothing where nobody reads on."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from importlib import metadata

UNREAD, FAILED = 141, 70  # exit codes


def quiet(run: Callable[[], int]) -> int:
    """The exit code of what runs, also where nobody reads what it prints: then it is 141, and nothing is said."""
    try:
        try:
            return run()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where a broken pipe can still be kept quiet
    except BrokenPipeError:
        # Python flushes once more when it ends, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD


def asked_to_report(error: Exception, debug: bool) -> int:
    """Ask in one sentence for a report of what should not have happened; the exit code."""
    if debug:
        traceback.print_exception(error)
    where = issues()
    print(
        f"calibviz: this should not have happened: {type(error).__name__}: {sentence(error)}. "
        f"Please report it{f' at {where}' if where else ''}{'' if debug else ', with what --debug shows'}",
        file=sys.stderr,
    )
    return FAILED


def issues() -> str | None:
    """Where to report what went wrong, as the metadata of the package say."""
    try:
        urls = metadata.metadata("calibviz").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    return dict(entry.split(", ", 1) for entry in urls).get("Issues")


def sentence(error: Exception) -> str:
    """Return the message of an error in one line."""
    reason = error.strerror if isinstance(error, OSError) else None
    return " ".join(str(reason or error or type(error).__name__).split())
