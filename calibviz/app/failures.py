"""How the command ends where calibviz itself fails, or where nobody reads its output any more."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from importlib import metadata

VALUE = r"(?:\.\.\.|True|'[^']*'|\[[^]]*\])"  # of an option in a message
#: What messages say to those who write Python only; a command and a page have options in its place.
IN_PYTHON = (
    " to cv.Predictions or cv.read_predictions",
    ", or pass calibration=..., the predictions that recalibrations are fitted to",
    ", or pass cv.read_predictions the DataFrame that pandas reads from it",
    ", or pass class_names=[...], the names of the columns",
)
EXIT_UNREAD, EXIT_FAILED = 141, 70  # exit codes


def quiet(run: Callable[[], int]) -> int:
    """The exit code of a function; 141, without a message, where nobody reads its output any more."""
    try:
        try:
            return run()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where a broken pipe can still be handled
    except BrokenPipeError:
        # Python flushes once more at its end, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_UNREAD


def asked_to_report(error: Exception, debug: bool) -> int:
    """The exit code of an unexpected error, after a sentence that asks the user to report it."""
    if debug:
        traceback.print_exception(error)
    where = issues()
    print(
        f"calibviz: this should not have happened: {type(error).__name__}: {sentence(error)}. "
        f"Please report it{f' at {where}' if where else ''}{'' if debug else ', with what --debug shows'}",
        file=sys.stderr,
    )
    return EXIT_FAILED


def issues() -> str | None:
    """The address for reports of errors, from the metadata of the package; None where there is none."""
    try:
        urls = metadata.metadata("calibviz").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    return dict(entry.split(", ", 1) for entry in urls).get("Issues")


def without_python(message: str) -> str:
    """A message without what only those who write Python can do."""
    for text in IN_PYTHON:
        message = message.replace(text, "")
    return message


def with_options(message: str, options: Iterable[str], shown: Callable[[str, str], str]) -> str:
    """A message in which `shown("sep", "';'")` takes the place of `sep=';'`, and so on for each of some options."""
    return option_pattern(options).sub(lambda match: shown(match[1], match[2]), message)


def option_pattern(options: Iterable[str]) -> re.Pattern[str]:
    """The pattern of one of some options and its value in a message."""
    return re.compile(rf"\b({'|'.join(options)})=({VALUE})")


def sentence(error: Exception) -> str:
    """The message of an error in one line."""
    reason = error.strerror if isinstance(error, OSError) else None
    return " ".join(str(reason or error or type(error).__name__).split())
