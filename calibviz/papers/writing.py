"""The gallery: one page of HTML with every figure and table of the papers, which needs no other file and no network."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from ..figures.markup import Markup, tag
from ..figures.tables import Cell, Column, Table
from ..foundation import validation
from ..foundation.files import path_to_write, write_whole
from ..foundation.progress import with_progress
from ..foundation.written import with_minus
from ..plots.drawing import Picture
from ..reports.writing.page import header, page
from ..reports.writing.parts import paragraph, section, table
from .catalogue import ITEMS, PAPERS
from .item import STATES, Item, Made, made

DOTS = 80  # an inch of a picture
BEGIN = "import numpy as np\nimport pandas as pd\n\nimport calibviz as cv"


def gallery(path: str | PathLike[str], *, progress: bool = True) -> Path:
    """Write one HTML file with all 90 figures and tables of the papers, which takes two minutes.

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
    written = {item.key: _item(item, made(item, runs)) for item in with_progress(ITEMS, "papers", len(ITEMS), progress)}
    sections = (
        section(str(paper), *(written[item.key] for item in ITEMS if item.paper == short), identity=short)
        for short, paper in PAPERS.items()
    )
    html = page(
        "Papers on calibration, live",
        header("Papers, live", f"{len(ITEMS)} figures and tables of {len(PAPERS)} papers", _about()),
        section("What there is", _contents(), identity="contents"),
        *sections,
        has_pictures=True,
    )
    return write_whole(file, html.encode())


def _about() -> Markup:
    said = (
        "Every picture and number was computed when this page was written, by the code that unfolds below it, which "
        "begins after these lines. What the paper says is beside what is computed here."
    )
    return tag("div", paragraph(said), tag("pre", tag("code", BEGIN)), class_="about")


def _contents() -> Markup:
    """The list of all items with their state, each a link to its place."""
    rows = (
        tag(
            "tr",
            tag("th", tag("a", f"{PAPERS[item.paper].cited}, {item.name}", href=f"#{item.key}"), scope="row"),
            tag("td", item.title, class_="words"),
            tag("td", item.state, class_="words"),
        )
        for item in ITEMS
    )
    counted = {state: sum(item.state == state for item in ITEMS) for state in STATES}
    legend = "; ".join(f"{state} ({count}): {STATES[state]}" for state, count in counted.items())
    head = tag(
        "thead", tag("tr", *(tag("th", name, scope="col", class_="words") for name in ("item", "what", "state")))
    )
    filled = tag("table", head, tag("tbody", *rows), aria_label="All items")
    return tag("div", paragraph(f"{legend[0].upper()}{legend[1:]}."), _scrolled(filled, "All items"))


def _scrolled(content: Markup, label: str) -> Markup:
    """Content that may be wider than a narrow page, and is moved sideways then."""
    return tag("div", content, class_="table", tabindex="0", role="region", aria_label=label)


def _item(item: Item, found: Made) -> Markup:
    terminal = f'calibviz demo --link "{item.link}"  # in a terminal\n' if item.link else ""
    live = f"{terminal}{item.live}  # in a notebook"
    return tag(
        "article",
        tag("h3", f"{item.name.capitalize()}. {item.title}"),
        paragraph(item.state, class_="note"),
        _scrolled(picture(found.result, f"{item.title}. {found.finds}"), item.title)
        if isinstance(found.result, Picture) else table(record(item, found.result)),
        tag("dl", *(tag("div", tag("dt", name), tag("dd", said)) for name, said in found.readings.items()),
            class_="readings"),
        tag("details", tag("summary", "The code"), tag("pre", tag("code", item.code.strip()))),
        tag("details", tag("summary", "In the Explorer"), tag("pre", tag("code", live))),
        id=item.key, class_="item",
    )  # fmt: skip  # short entries stand in rows


def picture(drawn: Picture, alt: str) -> Markup:
    """A picture of Matplotlib as an element that holds it."""
    return tag("img", src=f"data:image/png;base64,{b64encode(png(drawn)).decode()}", alt=alt)


def png(drawn: Picture) -> bytes:
    """A picture of Matplotlib as PNG."""
    content = BytesIO()
    drawn.savefig(content, format="png", dpi=DOTS)
    return content.getvalue()


def record(item: Item, found: pd.DataFrame) -> Table:
    """A table as a record, its numbers written as the item says."""
    names = [" · ".join(name) if isinstance(name, tuple) else str(name) for name in found.columns]
    rows = tuple(
        (Cell(str(row)), *(Cell("" if pd.isna(value) else with_minus(item.form.format(value))) for value in values))
        for row, values in zip(found.index, found.values.tolist(), strict=True)
    )
    return Table("paper", "", (Column(""), *map(Column, names)), rows, item.title)
