"""The first page of the site: what the Explorer says of one file, and a figure of each paper."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

import calibviz as cv
from calibviz.answers.asked.presets import CATEGORIES
from calibviz.answers.first_screen.reliability import reliability
from calibviz.answers.first_screen.verdict import verdict_after
from calibviz.answers.first_screen.verdict_sentences import Verdict
from calibviz.answers.situation.content import Content
from calibviz.figures import Figure
from calibviz.figures.markup import Markup, tag
from calibviz.foundation.written import of_hundred
from calibviz.papers.catalogue import ITEMS, PAPERS
from calibviz.papers.item import made
from calibviz.reports.writing.parts import in_tags, paragraph, pictures

#: The data that the picture is of, the first from the start, with a name for a reader and what the Explorer is given.
DATA: dict[str, tuple[str, dict[str, Any]]] = {
    "heart": ("heart disease", {"likert": CATEGORIES}),
    "digits": ("handwritten digits", {}),
    "tumours": ("tumours", {}),
}
SENTENCES = (
    "calibviz shows where a classifier\u2019s probabilities can be acted on, and where they cannot.",
    "It names the segment that is off the furthest, and tells an error from noise.",
    "It runs in Jupyter, in a browser tab and as a one-page report.",
)
LOADED = "It runs in this tab, and your file stays on your machine. Python, NumPy and SciPy load first: half a minute."
#: A figure of each paper, by its key, and which of its pictures stands on the page.
FIGURES = {
    "ks-figure-1": 0, "ece_sweep-figure-1": 1, "gce_measuring-figure-1": 1, "workshop-figure-1": 0, "gece-figure-7": 0,
}  # fmt: skip  # short entries stand in rows


def hero(addresses: Mapping[str, str]) -> Markup:
    """The news of the verdict in a few words, what calibviz is, and the Explorer's picture of the same file.

    Buttons open the Explorer with the same data and with a file of the reader's own, each by what it says at its
    address, and a choice shows other data.
    """
    seen = {name: _seen(name, choices) for name, (_, choices) in DATA.items()}
    news = (tag("p", *_news(verdict), class_="news", data_name=name) for name, (_, verdict) in seen.items())
    buttons = (tag("button", said, type="button", data_address=address) for said, address in addresses.items())
    tried = tag("div", *buttons, tag("p", LOADED, role="status"), class_="try")
    sections = (
        tag(
            "section",
            *(paragraph(in_tags(line), class_="said") for line in verdict.marked),
            pictures([record for record in content.records if isinstance(record, Figure)], f"hero-{name}"),
            data_name=name,
        )
        for name, (content, verdict) in seen.items()
    )
    offered = (
        tag("label", tag("input", type="radio", name="data", value=name, checked=name == next(iter(DATA))), said)
        for name, (said, _) in DATA.items()
    )
    chosen = tag("fieldset", tag("legend", "Data"), *offered)
    return tag(
        "div",
        tag("div", *news, *map(paragraph, SENTENCES), tried),
        tag("div", chosen, *sections, class_="shown"),
        class_="hero",
    )


def _news(verdict: Verdict) -> tuple[Markup, Markup]:
    """The numbers of the segment that is off the furthest, or of all samples where none is off."""
    off = next(iter(verdict.segments), None)
    of = verdict if off is None else off
    predicted, observed = of_hundred(of.predicted, of.observed, are_apart=off is not None)
    marked = observed if off is None else tag("b", observed)
    return tag("span", f"Predicted {predicted} of 100."), tag("span", "Observed ", marked, ".")


def _seen(name: str, choices: dict[str, Any]) -> tuple[Content, Verdict]:
    """The picture and the verdict of embedded data, as the Explorer opens them."""
    with closing(cv.Explorer(cv.load_dataset(name), **choices)) as explorer:
        explorer.finish()
        situation = explorer.situation
        return reliability(situation), verdict_after(situation)


def figures_of_papers() -> Markup:
    """A card of each paper: one of its figures, computed here, and the line of code that opens it."""
    runs: dict[str, dict[str, Any]] = {}
    cards = []
    for item in (one for one in ITEMS if one.key in FIGURES):
        figures = [record for record in made(item, runs).result.records if isinstance(record, Figure)]
        cited = f"{PAPERS[item.paper].cited}, {item.name}"
        link = tag("a", item.title, href=f"made/papers/{item.paper}.html")
        cards.append(
            tag(
                "li",
                paragraph(tag("b", link), cited),
                tag("code", item.live),
                pictures([figures[FIGURES[item.key]]], f"of-{item.paper}"),
            )
        )
    return tag("ul", *cards, class_="cards")
