"""Links of pages: the query that a command opens its page with, and the command that opens the same file elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import parse_qsl, urlencode

LONGEST = 8000  # characters: more than a link and the name of its file have
TAB = "tab"  # what the command calls the sign


def query_of(link: str, without: Collection[str] = ()) -> str:
    """The query of a link, which may be a whole address, written anew; it names choices, and opens and runs nothing.

    Parameters
    ----------
    link : str
    without : collection of str
        Names that are left out, beside that of the token, which belongs to one server.

    Raises
    ------
    ValueError
        Where it is not of the form that the button "link" copies.
    """
    query = link.rpartition("?")[2].partition("#")[0]
    if len(query) > LONGEST:
        raise ValueError(f"it has {len(query)} characters, more than {LONGEST}")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise ValueError(f"{link[:60]!r} is not a link such as '?lens=rank+2&bins=20'") from None
    return urlencode([(name, value) for name, value in pairs if name not in {"token", *without}])


def command_of(files: Sequence[str], given: Mapping[str, Any]) -> str:
    """The command that explores files of these names, wherever they are, read by these options."""
    named = [name if not name.startswith("-") else f"./{name}" for name in (PurePath(file).name for file in files)]
    if isinstance(truth := given.get("truth"), str):
        given = {**given, "truth": PurePath(truth).name}
    return " ".join(filter(None, (shlex.join(["calibviz", "explore", *named]), in_shell(given))))


def in_shell(given: Mapping[str, Any]) -> str:
    """Options of `cv.read_predictions` as those of the command, quoted for the shell."""
    return " ".join(_option(name.replace("_", "-"), value) for name, value in given.items())


def _option(name: str, value: Any) -> str:
    if value is True:
        return f"--{name}"
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else TAB if value == "\t" else str(value)
    return f"--{name}{'=' if text.startswith('-') else ' '}{shlex.quote(text)}"
