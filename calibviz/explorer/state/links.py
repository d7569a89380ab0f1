"""Choices as a query string, so that a view can be shared as a link: pure functions, no widgets.

In `?lens=rank+2&bins=20` a text stands as it is, any other value as JSON, and so does a text that could be taken for
JSON. Only what differs from the defaults is written.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import parse_qsl, urlencode

LONGEST = 4000  # characters: some browsers and servers cut longer addresses
JSON = re.compile(r'["\[\-0-9]|(true|false|null)\Z')  # the beginning of a value that is not plain text
ERRORS = "surrogatepass"  # so that any text at all can be written


def to_link(choices: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The choices that differ from the defaults, as the end of an address, such as "?lens=rank+2"; "" if none does.

    Choices are texts, numbers, bools, None, and tuples of these, nested as you like; one without a default is written
    in any case. A link that would be longer than 4000 characters is refused.
    """
    changed = {name: _written(name, value) for name, value in choices.items()}
    for name, value in defaults.items():
        if name in changed and changed[name] == _written(name, value):
            del changed[name]
    if not changed:
        return ""
    link = "?" + urlencode(changed, safe=",:/", errors=ERRORS)
    if len(link) > LONGEST:
        longest = max(changed, key=lambda name: len(changed[name]))
        raise ValueError(f"the link would have {len(link)} characters, more than {LONGEST}: {longest!r} is the longest")
    return link


def from_link(text: str) -> dict[str, Any]:
    """The choices that a link holds, with or without the question mark before it; lists come back as tuples."""
    if not isinstance(text, str):
        raise TypeError(f"link must be a text such as '?lens=rank+2&bins=20', not {text!r}")
    if len(text) > LONGEST:
        raise ValueError(f"the link has {len(text)} characters, more than {LONGEST}")
    query = text.removeprefix("?")
    if not query:
        return {}
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors=ERRORS)
    except ValueError:
        _refuse(query)
    choices: dict[str, Any] = {}
    for name, value in pairs:
        if not name.isidentifier():
            _refuse(query)
        if name in choices:
            raise ValueError(f"the link holds the choice {name!r} twice")
        choices[name] = _read(name, value)
    return choices


def _refuse(query: str) -> NoReturn:
    raise ValueError(f"{query[:60]!r} is not a link to choices, such as 'lens=rank+2&bins=20'") from None


def _written(name: str, value: Any) -> str:
    if not name.isidentifier():
        raise ValueError(f"{name!r} is not the name of a choice: a link holds names of letters, digits and _")
    try:
        frozen = _frozen(value)
        plain = isinstance(frozen, str) and not JSON.match(frozen)
        return frozen if plain else json.dumps(frozen, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        raise ValueError(f"the choice {name!r} cannot be written into a link: {reprlib.repr(value)}") from None


def _read(name: str, text: str) -> Any:
    if not JSON.match(text):
        return text
    try:
        return _frozen(json.loads(text))
    except (ValueError, RecursionError):
        raise ValueError(f"the link is damaged: its choice {name!r} reads {text[:60]!r}") from None


def _frozen(value: Any) -> Any:
    """The value with tuples in place of lists; a `ValueError` for a value that JSON would not give back."""
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if not isinstance(value, str | int | float | None) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError
    return value
