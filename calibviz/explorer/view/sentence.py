"""Text that takes no room while it says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import traitlets

from ...figures.styles import GREEN_TEXT, VERMILION_TEXT, tone
from ...foundation.marked import OFF, Kind, Run, runs
from ...foundation.written import unbroken
from ..transport.shared_widgets import HTML

SILENT = "is-silent"
#: The elements of what is marked in a sentence; the colour stands beside them, since sentences are in many places.
TAGS: dict[Kind, str] = {
    "": "{}",
    "strong": "<b>{}</b>",
    "beyond noise": f'<b style="color: {tone(VERMILION_TEXT)}">{{}}</b>',
    "recalibrated": f'<b style="color: {tone(GREEN_TEXT)}">{{}}</b>',
    "count": '<span class="count" style="font-weight: 400">{}</span>',
}
OFF_LINE = ' class="is-off"'  # of a paragraph that holds a number that is off
DATE = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
WHOLE = r'<time style="white-space: nowrap">\g<0></time>'


def as_html(text: str) -> str:
    """A text for the screen as HTML, with whatever names of anybody are in it; no line ends within a date.

    What is marked in it is bold, in the colour of what is beyond noise, or lighter than the rest. Several lines are
    paragraphs.
    """
    if not text:
        return ""
    lines = text.split("\n")
    if len(lines) == 1:
        return in_tags(runs(text))
    return "".join(f"<p{OFF_LINE if OFF in line else ''}>{in_tags(runs(line))}</p>" for line in lines)


def in_tags(marked: Iterable[Run]) -> str:
    """The parts of a text as HTML."""
    return "".join(TAGS[kind].format(DATE.sub(WHOLE, unbroken(escape(words)))) for words, kind in marked)


class Sentence(HTML):
    """`HTML` that is of the class ``is-silent`` while it is empty, and takes no room then."""

    def __init__(self, value: str = "", _dom_classes: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(value, _dom_classes=(*_dom_classes, *(() if value else (SILENT,))), **kwargs)

    @traitlets.observe("value")
    def _follow_value(self, _change: Any) -> None:
        (self.remove_class if self.value else self.add_class)(SILENT)
