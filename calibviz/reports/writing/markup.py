"""HTML and SVG from elements, in which text is always escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

VOID = ("meta",)


class Markup(str):
    """Text that is markup already; all other text is escaped before it becomes a part of it."""

    __slots__ = ()


def tag(name: str, /, *children: str | None, **attributes: str | float | bool | None) -> Markup:
    """An element. `class_` is the attribute class, `aria_label` aria-label; one that is None or False is left out."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[str | None]) -> Markup:
    """Several elements and texts, one after the other; None is nothing."""
    return Markup("".join(one if isinstance(one, Markup) else escaped(one) for one in children if one is not None))


def escaped(text: str) -> Markup:
    """Text as it reads, whatever it holds: what cannot be seen, such as a line separator, is named by its number."""
    seen = "".join(sign if sign.isprintable() or sign == "\n" else f"\\u{ord(sign):04x}" for sign in text)
    return Markup(escape(seen, quote=True))
