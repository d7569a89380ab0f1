"""Reports as a program reads them, and predictions to report on."""

from __future__ import annotations

from functools import partial
from html.parser import HTMLParser

import numpy as np

import calibviz as cv
from calibviz.cube import contests
from calibviz.reports.measuring import numbers

VOID = {"meta"}
REPLICATES = 60  # in place of 500: they take the time of a report
IN_RANKS = 49  # in place of 499 for each method of recalibration: they take most of the rest


class Page(HTMLParser):
    """What a report holds.

    Attributes
    ----------
    tags : list of (name, attributes)
    numbers : dict of (identity of the table, name of the number) to float
    texts : dict of the identity of an element to the text in it
    ids : list of str
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.numbers: dict[tuple[str, str], float] = {}
        self.texts: dict[str, str] = {}
        self.ids: list[str] = []
        self._open: list[tuple[str, str | None]] = []
        self.feed(html)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), attrs
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "data" and "data-what" in attributes:
            place = next((one for _, one in reversed(self._open) if one), "")
            key = place, attributes["data-what"]
            assert key not in self.numbers, key
            self.numbers[key] = float(attributes["value"])
        if tag not in VOID:
            self._open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        assert self._open and self._open[-1][0] == tag, (tag, self._open[-3:])
        self._open.pop()

    def handle_data(self, text):
        for _, identity in self._open:
            if identity:
                self.texts[identity] = self.texts.get(identity, "") + text

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def some(n=240, classes=3, seed=1, **more):
    """Predictions that are over-confident."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=n)
    logits = rng.normal(size=(n, classes)) * 2
    logits[np.arange(n), labels] += 1.5
    probs = np.exp(logits - logits.max(axis=1, keepdims=True))
    return cv.Predictions(probs / probs.sum(axis=1, keepdims=True), labels, **more)


def page(predictions, *calibration, **choices):
    """The report on predictions."""
    return Page(cv.report(predictions, *calibration, progress=False, **choices).html)


def draw_few(monkeypatch):
    """Have reports draw few bootstrap samples."""
    monkeypatch.setattr(numbers, "MOST_REPLICATES", REPLICATES)
    monkeypatch.setattr(numbers, "FEWEST_REPLICATES", REPLICATES // 2)
    monkeypatch.setattr(contests, "contender_of", partial(contests.contender_of, n=IN_RANKS))
