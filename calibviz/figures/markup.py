"""HTML and SVG elements, whose text is always escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

VOID = ("img", "input", "meta")


class Markup(str):
    """Text that is markup already; `tag` and `joined` escape all other text."""

    __slots__ = ()


def tag(name: str, /, *children: str | None, **attributes: str | float | bool | None) -> Markup:
    """An element. `class_` stands for the attribute class, `aria_label` for aria-label; None and False omit one."""
    written = "".join(
        [
            f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(str(value))}"')
            for key, value in attributes.items()
            if value is not None and value is not False
        ]
    )
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[str | None]) -> Markup:
    """Elements and texts one after the other; None is skipped."""
    each = [child if isinstance(child, Markup) else escaped(child) for child in children if child is not None]
    return Markup("".join(each))


def escaped(text: str) -> Markup:
    """Text as markup. A character that cannot be seen, such as a line separator, is written as its code."""
    if not text.isprintable():
        text = "".join(sign if sign.isprintable() or sign == "\n" else f"\\u{ord(sign):04x}" for sign in text)
    return Markup(escape(text, quote=True))
