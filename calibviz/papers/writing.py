"""The gallery: one page of HTML with every figure and table of the papers, which needs no other file and no network."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from ..answers.situation.content import Content
from ..figures.markup import Markup, tag
from ..figures.tables import Cell, Column, Table
from ..foundation import validation
from ..foundation.files import path_to_write, write_whole
from ..foundation.progress import with_progress
from ..foundation.written import with_minus
from ..reports.writing.page import header, page
from ..reports.writing.parts import content_of, paragraph, section
from .catalogue import ITEMS, PAPERS
from .item import STATES, Item, Made, made

BEGIN = "import numpy as np\nimport pandas as pd\n\nimport calibviz as cv"


def gallery(path: str | PathLike[str], *, progress: bool = True) -> Path:
    """Write one HTML file with all 90 figures and tables of the papers, which takes a minute.

    Each has the code that makes it, what the paper says, what is computed here and why they differ, and the command
    that shows it in the Explorer. `calibviz papers` does the same in a terminal.

    Parameters
    ----------
    path : str or path-like
        Of the file, which is replaced as a whole.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    OSError
        Where the file cannot be written; it is known before the work.

    See Also
    --------
    figure, table : One of them.
    items : The list.

    Examples
    --------
    >>> cv.papers.gallery("papers.html")  # doctest: +SKIP
    """
    validation.truth(progress, "progress")
    file = path_to_write(path)
    runs: dict[str, dict[str, Any]] = {}
    written = {item.key: _item(made(item, runs)) for item in with_progress(ITEMS, "papers", len(ITEMS), progress)}
    sections = (
        section(str(paper), *(written[item.key] for item in ITEMS if item.paper == short), identity=short)
        for short, paper in PAPERS.items()
    )
    html = page(
        "Papers on calibration, live",
        header("Papers, live", f"{len(ITEMS)} figures and tables of {len(PAPERS)} papers", _about()),
        section("What there is", *_contents(), identity="contents"),
        *sections,
    )
    return write_whole(file, html.encode())


def _about() -> Markup:
    said = (
        "Every picture and number was computed when this page was written, by the code that unfolds below it, which "
        "begins after these lines. What the paper says is beside what is computed here."
    )
    return tag("div", paragraph(said), tag("pre", tag("code", BEGIN)), class_="about")


def _contents() -> tuple[Markup, Markup]:
    """The states in words, and the list of all items, each a link to its place."""
    counted = {state: sum(item.state == state for item in ITEMS) for state in STATES}
    legend = "; ".join(f"{state} ({count}): {STATES[state]}" for state, count in counted.items())
    heads = (tag("th", name, scope="col", class_="words") for name in ("item", "what", "state"))
    rows = (
        tag(
            "tr",
            tag("th", tag("a", f"{PAPERS[item.paper].cited}, {item.name}", href=f"#{item.key}"), scope="row"),
            tag("td", item.title, class_="words"),
            tag("td", item.state, class_="words"),
        )
        for item in ITEMS
    )
    label = "All items"
    listed = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), aria_label=label)
    scrolled = tag("div", listed, class_="table", tabindex="0", role="region", aria_label=label)
    return paragraph(f"{legend[0].upper()}{legend[1:]}."), scrolled


def _item(found: Made) -> Markup:
    item = found.item
    terminal = f'calibviz demo --link "{item.link}"  # in a terminal\n' if item.link else ""
    live = f"{terminal}{item.live}  # in a notebook"
    return tag(
        "article",
        tag("h3", f"{item.name.capitalize()}. {item.title}"),
        paragraph(item.state, class_="note"),
        shown(found),
        tag("dl", *(tag("div", tag("dt", name), tag("dd", said)) for name, said in found.readings.items()),
            class_="readings"),
        tag("details", tag("summary", "The code"), tag("pre", tag("code", item.code.strip()))),
        tag("details", tag("summary", "In the Explorer"), tag("pre", tag("code", live))),
        id=item.key, class_="item",
    )  # fmt: skip  # short entries stand in rows


def shown(found: Made) -> Markup:
    """The pictures and tables of an item, drawn in the colours of the page that they stand on."""
    item, result = found.item, found.result
    records = (record(item, result),) if item.kind == "table" else result.records
    return content_of(Content(records), item.key)


def record(item: Item, found: pd.DataFrame) -> Table:
    """A table as a record, its numbers written as the item says."""
    names = [" · ".join(name) if isinstance(name, tuple) else str(name) for name in found.columns]
    rows = tuple(
        (Cell(str(row)), *(Cell("" if pd.isna(value) else with_minus(item.form.format(value))) for value in values))
        for row, values in zip(found.index, found.values.tolist(), strict=True)
    )
    return Table("paper", "", (Column(""), *map(Column, names)), rows, item.title)
