"""The meanings of words on the page: of the terms of the field, and of the settings."""

from __future__ import annotations

from .choices import CONTROLS
from .glossary import GLOSSARY

MOST = 3  # meanings at once


def meanings(words: str) -> list[tuple[str, str]]:
    """Return names of which a word begins as `words` do, each with its meaning; those that are `words` come first."""
    sought = words.casefold().strip()
    if not sought:
        return []
    named = [(term.replace("`", ""), plain) for plain, term, _papers in GLOSSARY]
    named += [(", ".join(filter(None, (each.word, each.term))), each.meaning) for each in CONTROLS.values()]
    found = [(name, meaning) for name, meaning in named if meaning and f" {sought}" in f" {name.casefold()}"]
    return sorted(found, key=lambda each: sought not in each[0].casefold().split(", "))[:MOST]
