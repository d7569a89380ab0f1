"""The page about several models on the same samples."""

from __future__ import annotations

import numpy as np

from .code import code_of_comparison
from .comparison import METHODS, MOST_DRAWN, Compared
from .data import data_section
from .findings import KNOTS
from .markup import Markup, joined, tag
from .numbers import METRICS
from .page import header, page
from .parts import (
    category_table,
    datum,
    facts_of,
    interval,
    made,
    missing,
    notes,
    outside,
    paragraph,
    pictures,
    ranks_table,
    section,
    sentence,
    strong,
    table,
    unavailable,
    value,
)


def page_of(found: Compared) -> str:
    """The document."""
    title = ", ".join(found.judged)
    return page(
        f"Calibration of {title}",
        _header(title, found),
        _numbers(found),
        _pictures(found),
        section(
            "Which model?",
            paragraph("The models ranked by each error; 1 is the least."),
            ranks_table(found.ranks, "models", "ranks"),
            notes(found.ranks.notes),
            identity="models",
        ),
        _repaired(found),
        _categories(found),
        data_section(next(iter(found.judged.values())).predictions, of_several=True),
        made(code_of_comparison(found)),
    )


def _header(title: str, found: Compared) -> Markup:
    facts = facts_of(next(iter(found.judged.values())), found.choices)
    said = [tag("div", tag("dt", name), tag("dd", text)) for name, text in found.said.items()]
    return header("Calibration of several models", title, facts, tag("dl", *said, class_="readings"))


def _numbers(found: Compared) -> Markup:
    first, *others = found.judged
    rows, differences = [], []
    for key in METRICS:
        row = [joined([METRICS[key].name, tag("small", METRICS[key].why)])]
        for name, one in found.judged.items():
            number = one.numbers[key]
            row.append(joined([value(key, number, name), tag("small", interval(key, number, name))]))
        rows.append(row)
        apart = [joined([METRICS[key].name])]
        for name in others:
            number = found.differences[name][key]
            cell = joined(
                [value(key, number, name, signed=True), tag("small", interval(key, number, name, signed=True))]
            )
            apart.append(strong(cell, number.differs))
        differences.append(apart)
    n = next(iter(found.judged.values())).replicates
    said = f"Below each number is its 90 % interval, over {n:,} bootstrap samples."
    paired = (
        "The same bootstrap samples are drawn of every model, so the differences are paired; those of percentages are "
        "in percentage points. In bold: 0 lies outside of the interval."
    )
    return section(
        "Side by side", table(["", *found.judged], rows, "Numbers", identity="numbers"), notes([said]),
        _unavailable(found),
        tag("h3", f"Differences to {first}"),
        table(["", *others], differences, "Differences", identity="differences"), notes([paired]),
        identity="in-numbers",
    )  # fmt: skip


def _unavailable(found: Compared) -> Markup:
    """Why numbers are not there, or are infinite, with the models of which that is so unless it is of all."""
    models: dict[str, list[str]] = {}
    for name, one in found.judged.items():
        for why in (*unavailable(one.numbers), *outside(one.numbers)):
            models.setdefault(why, []).append(name)
    every = len(found.judged)
    return joined(
        paragraph("" if len(names) == every else f"{', '.join(names)}: ", sentence(why), class_="note")
        for why, names in models.items()
    )


def _pictures(found: Compared) -> Markup:
    left_out = list(found.judged)[MOST_DRAWN:]
    note = (
        [f"The reliability diagram shows the first {MOST_DRAWN}; not drawn: {', '.join(left_out)}"] if left_out else []
    )
    return section(
        "In pictures", pictures((found.reliability, *found.cumulative), "pictures"), notes(note), identity="in-pictures"
    )


def _repaired(found: Compared) -> Markup:
    title = "After recalibration"
    if isinstance(found.repaired, str):
        return section(title, missing(found.repaired), identity="recalibration")
    where = "a random half of the samples" if found.calibration is None else "the calibration set of each model"
    said = (
        f"Is one model still better when each is repaired? Temperature and spline ({KNOTS} knots) were fitted to "
        f"{where}, and judged on other samples."
    )
    tables = []
    for key, errors in found.repaired.items():
        metric, least = METRICS[key], np.nanmin(errors, initial=np.inf)
        rows = []
        for name, row in zip(found.judged, errors.tolist(), strict=True):
            cells = zip(METHODS, row, strict=True)
            rows.append(
                [name, *(strong(datum(metric, e, f"{key} {method} of {name}"), e == least) for method, e in cells)]
            )
        label = f"{metric.name} after recalibration"
        tables.append(tag("h3", metric.name))
        tables.append(table(["model", *METHODS], rows, label, identity=f"repaired-{key}"))
    return section(title, paragraph(said), *tables, notes(found.notes), identity="recalibration")


def _categories(found: Compared) -> Markup | None:
    if not found.choices.categories:
        return None
    tables = []
    for i, (name, categories) in enumerate(found.categories.items()):
        tables += [tag("h3", name), category_table(categories, f"Categories of {name}", f"likert-{i}")]
    return section("Categories", *tables, identity="categories")
