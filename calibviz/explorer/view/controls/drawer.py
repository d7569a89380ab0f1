"""The parts of the drawer of settings that are no controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape

import ipywidgets

from ....answers.asked.choices import CONTROLS
from ....answers.asked.glossary import GLOSSARY
from ....foundation.marked import strong
from ...transport.shared_widgets import HTML, Text, VBox, push_button
from ...transport.transport import Transport, assign
from ..sentence import Sentence, as_html
from .control_kinds import SECTIONS

MOST = 3  # meanings at once


class Drawer:
    """A search, headings, the conditions of the selection, what is refused, and what differs from the start.

    `without` takes the condition at a place out of the selection, and `search` shows the controls that `sought` finds.
    """

    def __init__(self, transport: Transport, without: Callable[[int], None], search: Callable[[], None]) -> None:
        self._transport, self._without = transport, without
        self._search = Text(
            placeholder="find a setting or a word", description="find", transport=transport,
            _dom_classes=("calibviz-find",),
        )  # fmt: skip  # short entries stand in rows
        self._meanings = Sentence(transport=transport, _dom_classes=("calibviz-meanings",))
        self._search.observe(lambda _: search(), "value")
        self._conditions = VBox(transport=transport, _dom_classes=("calibviz-chips",))
        # In the drawer, beside what it is about: the status line would lie over what is looked at.
        self._refusal = Sentence(transport=transport, _dom_classes=("calibviz-refusal",))
        self._differs = HTML(transport=transport, _dom_classes=("calibviz-differs",))
        self._headings = {title: HTML(f"<h3>{title}</h3>") for title in SECTIONS}

    def children(self, controls: Mapping[str, ipywidgets.Widget]) -> list[ipywidgets.Widget]:
        """All that is in the drawer, from top to bottom."""
        parts = {**controls, "chips": self._conditions, "refusal": self._refusal}
        sections = [[self._headings[title], *(parts[name] for name in names)] for title, names in SECTIONS.items()]
        return [self._search, self._meanings, *(widget for section in sections for widget in section), self._differs]

    @property
    def sought(self) -> str:
        """The words by which a setting is sought."""
        text: str = self._search.value
        return text.strip()

    def show_headings(self, is_shown: Callable[[str], bool]) -> None:
        """Show the headings below which a control is shown, given which of them are, by name."""
        for title, names in SECTIONS.items():
            has_some = any(CONTROLS[name].kind and is_shown(name) for name in names)
            assign(self._headings[title].layout, display=None if has_some else "none")

    def show_meanings(self) -> None:
        """Say what the words that are sought mean, where they are words of this page."""
        lines = (f"{strong(name)}: {meaning}." for name, meaning in _meanings(self.sought))
        assign(self._meanings, value=as_html("\n".join(lines)))

    def seek(self, words: str) -> None:
        """Search for settings, as if somebody had typed these words."""
        assign(self._search, value=words)

    def refuse(self, sentence: str) -> None:
        """Say why numbers are refused, or nothing."""
        assign(self._refusal, value=f'<div role="alert">{escape(sentence)}</div>' if sentence else "")

    def say_what_differs(self, sentence: str) -> None:
        """Say, as HTML, which settings are no longer as they were at the start."""
        assign(self._differs, value=sentence)

    def show_conditions(self, conditions: Sequence[str]) -> None:
        """Show a button for each condition of the selection, which takes it away."""
        kept = self._conditions.children  # a step of a slider makes no widget
        made = [
            push_button(self._transport, "", "", partial(self._without, i), comes_and_goes=True)
            for i in range(len(kept), len(conditions))
        ]
        if made:
            self._conditions.children = [*kept, *made]
        for i, button in enumerate(self._conditions.children):
            if i < len(conditions):
                assign(button, description=f"{conditions[i]} ✕", tooltip=f"Take away: {conditions[i]}")
            assign(button.layout, display=None if i < len(conditions) else "none")


def _meanings(words: str) -> list[tuple[str, str]]:
    """The terms and settings of which a word begins as `words` do, with their meanings, `words` itself first."""
    sought = words.casefold()
    if not sought:
        return []
    named = [(term.replace("`", ""), plain) for plain, term, _papers in GLOSSARY]
    named += [(", ".join(filter(None, (each.word, each.term))), each.meaning) for each in CONTROLS.values()]
    found = [(name, meaning) for name, meaning in named if meaning and f" {sought}" in f" {name.casefold()}"]
    return sorted(found, key=lambda each: sought not in each[0].casefold().split(", "))[:MOST]
