"""Links of pages: the query that a command opens its page with."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import parse_qsl, urlencode

LONGEST = 8000  # characters: more than a link and the name of its file have


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
