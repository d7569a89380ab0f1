"""Reports as a program reads them, and predictions to report on."""

from __future__ import annotations

from functools import partial
from html.parser import HTMLParser

import numpy as np
from efforts import FEW, spend

import calibviz as cv
from calibviz.answers.exports import recorded
from calibviz.cube import contests
from calibviz.reports import report_page

VOID = {"input", "meta"}
REPLICATES = FEW.means
IN_RANKS = 49  # in place of 499 for each method of recalibration: they take most of the rest


def recalibrated(p: cv.Predictions) -> cv.Predictions:
    """The samples after a temperature that was fitted to the other folds."""
    after: cv.Predictions = cv.cross_fitted(p, calibrator="temperature").transform(p)
    return after


class Page(HTMLParser):
    """What a report holds.

    Attributes
    ----------
    tags : list of (name, attributes)
    tables : dict of name to list of rows, each a dict of column to dict of name to float
        The numbers of the cells, under the heading of the row and of the column.
    headings : dict of name to list of str
        The headings of the rows of each table.
    text : str
        All of it, in which no-break spaces before per cent signs are plain ones.
    texts : dict of the identity of an element to the text in it
    ids : list of str
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[dict[str, dict[str, float]]]] = {}
        self.headings: dict[str, list[str]] = {}
        self._table, self._column = "", ""
        self.text = ""
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
        if tag == "table":
            self._table = attributes["data-table"]
            self.tables.setdefault(self._table, [])
            self.headings.setdefault(self._table, [])
        elif tag == "tr":
            self.tables[self._table].append({})
            self.headings[self._table].append("")
        elif tag == "td":
            self._column = attributes.get("data-column", "")
        elif tag == "data" and "data-what" in attributes:
            named = {key.removeprefix("data-"): value for key, value in attributes.items() if key.startswith("data-")}
            numbers = {named.pop("what"): attributes["value"], **named}
            self.tables[self._table][-1][self._column] = {name: float(value) for name, value in numbers.items()}
        if tag not in VOID:
            self._open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        assert self._open and self._open[-1][0] == tag, (tag, self._open[-3:])
        self._open.pop()

    def handle_data(self, text):
        text = text.replace("\N{NO-BREAK SPACE}%", " %")
        self.text += text
        if self._open[-2:-1] and self._open[-2][0] == "th" and self._open[-1][0] in ("span", "data"):
            self.headings[self._table][-1] += text
        for _, identity in self._open:
            if identity:
                self.texts[identity] = self.texts.get(identity, "") + text

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)

    def at(self, table: str, row: str, column: str) -> dict[str, float]:
        """The numbers of a cell, whose row is named by the beginning of its heading."""
        headings = self.headings[table]
        if row not in headings:
            (row,) = (heading for heading in headings if heading.startswith(row))
        return self.tables[table][headings.index(row)][column]

    def number(self, table: str, row: str, column: str, name: str = "") -> float:
        """One of them, by default the first."""
        numbers = self.at(table, row, column)
        return numbers[name] if name else next(iter(numbers.values()))


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
    """Have reports draw few bootstrap samples, and few sets of labels for what no test reads off them."""
    spend(monkeypatch, floors_of_temperatures=IN_RANKS)
    few = partial(contests.contender_of, n=IN_RANKS, floors=IN_RANKS)
    monkeypatch.setattr(contests, "contender_of", few)


def record_few(monkeypatch):
    """Have reports record two states of their first screen, in place of some forty, where nothing moves it."""
    monkeypatch.setattr(report_page, "FEW", (2, 1, 1))
    monkeypatch.setattr(recorded, "BINS", (15,))
    monkeypatch.setattr(recorded, "STEPS", ())
