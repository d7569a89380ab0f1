"""How the command ends where calibviz itself fails, or where nobody reads its output any more."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Iterable
from importlib import metadata

from .terminal import silence, tell

VALUE = r"(?:\.\.\.|True|False|FILE|-?\d+|'[^']*'|\[[^]]*\])"  # of an option in a message
CODE = "  "  # how lines of code begin in a message
#: Exit codes: of what was asked for that cannot be done, of output that nobody reads, of errors of calibviz itself.
EXIT_REFUSED, EXIT_UNREAD, EXIT_FAILED = 2, 141, 70


class RefusedInput(Exception):
    """The error of a command that cannot be done; the message says why in a sentence, and may list ways out below."""


def quiet(run: Callable[[], int]) -> int:
    """The exit code of a function; 141, without a message, where nobody reads its output any more."""
    try:
        try:
            return run()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where what fails can still be handled
    except BrokenPipeError:
        code = EXIT_UNREAD
    except OSError as error:
        tell(f"cannot print: {sentence(error)}")
        code = EXIT_REFUSED
    silence(sys.stdout)
    return code


def asked_to_report(error: Exception, debug: bool) -> int:
    """The exit code of an unexpected error, after a sentence that asks the user to report it."""
    if debug:
        traceback.print_exception(error)
    where = issues()
    tell(
        f"this should not have happened: {type(error).__name__}: {sentence(error)}. "
        f"Please report it{f' at {where}' if where else ''}{'' if debug else ', with what --debug shows'}"
    )
    return EXIT_FAILED


def issues() -> str | None:
    """The address for reports of errors, from the metadata of the package; None where there is none."""
    try:
        urls = metadata.metadata("calibviz").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    return dict(entry.split(", ", 1) for entry in urls).get("Issues")


def with_options(message: str, options: Iterable[str], shown: Callable[[str, str], str]) -> str:
    """A message in which `shown("sep", "';'")` takes the place of `sep=';'`, and so on for each of some options."""
    return option_pattern(options).sub(lambda match: shown(match[1], match[2]), message)


def option_pattern(options: Iterable[str]) -> re.Pattern[str]:
    """The pattern of one of some options and its value in a message."""
    return re.compile(rf"\b({'|'.join(options)})=({VALUE})")


def sentence(error: Exception) -> str:
    """The message of an error in one line, without lines of code below it."""
    reason = error.strerror if isinstance(error, OSError) else None
    said = str(reason or error or type(error).__name__).split("\n")
    return " ".join(" ".join(line for line in said if not line.startswith(CODE)).split())


def code_below(error: Exception) -> list[str]:
    """The lines of a message that are code to be run elsewhere, which stand below what it says."""
    return [line for line in str(error).split("\n") if line.startswith(CODE)]
