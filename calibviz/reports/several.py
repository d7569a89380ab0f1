"""The page about several models on the same samples."""

from __future__ import annotations

import math

from .code import code_of_comparison
from .measuring.comparison import MOST_DRAWN, REPAIRS, Compared
from .measuring.errors import ERRORS
from .measuring.findings import KNOTS
from .measuring.numbers import READINGS
from .writing.data import data_section
from .writing.markup import Markup, joined, tag
from .writing.page import header, page
from .writing.parts import (
    above_floor,
    category_table,
    datum,
    ends,
    facts_of,
    interval,
    made,
    missing,
    notes,
    paragraph,
    pictures,
    section,
    sentence,
    strong,
    table,
    unavailable,
    why_missing,
    with_noise,
)
from .writing.verdicts import NO_VERDICT, difference, ranks_table


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
            paragraph("Models within noise of the best do as well as it, as far as these samples tell."),
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
    for key in READINGS:
        row = [joined([READINGS[key].name, tag("small", READINGS[key].why)])]
        for name, one in found.judged.items():
            number = one.numbers[key]
            mean = "" if key in ERRORS else tag("small", interval(key, number, name))
            row.append(joined([with_noise(key, number, found.beside[name].get(key), name), mean]))
        rows.append(row)
        apart = [joined([READINGS[key].name])]
        for name in others:
            less = found.differences[name][key]
            below = tag("small", ends(key, less.interval, name, signed=True)) if less.interval else ""
            apart.append(joined([difference(key, less, name), below]))
        differences.append(apart)
    n = next(iter(found.judged.values())).replicates
    said = (
        f"Below a mean is its 95 % interval, over {n:,} bootstrap samples. Below an error is what calibrated "
        "predictions reach by noise in 95 of 100 cases; grey is what is no more."
    )
    paired = (
        "Below a difference of means is its 95 % interval; the same bootstrap samples are drawn of every model. "
        "Differences of percentages are in percentage points. In bold: a test tells the two apart, at level 5 %. "
        f"{NO_VERDICT}"
    )
    return section(
        "Side by side",
        table(["", *found.judged], rows, "Numbers", identity="numbers"),
        notes([said]),
        _unavailable(found),
        tag("h3", f"Differences to {first}"),
        table(["", *others], differences, "Differences", identity="differences"),
        notes([paired]),
        identity="in-numbers",
    )


def _unavailable(found: Compared) -> Markup:
    """Why numbers are not there, or are infinite, with the models of which that is so unless it is of all."""
    models: dict[str, list[str]] = {}
    for name, one in found.judged.items():
        for why in (*unavailable(one.numbers), *why_missing(found.beside[name])):
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
        metric = READINGS[key]
        alone = found.still_best & (found.still_best.sum(axis=0) == 1) & (key == "brier")
        rows = []
        for i, name in enumerate(found.judged):
            row: list[Markup | str] = [name]
            for j, method in enumerate(REPAIRS):
                shown = strong(datum(metric, float(errors[i, j]), f"{key} {method} of {name}"), bool(alone[i, j]))
                reached = float(found.reached[i, j]) if key == "ks" else math.nan
                row.append(above_floor(metric, shown, float(errors[i, j]), reached, f"{key} noise {method} of {name}"))
            rows.append(row)
        label = f"{metric.name} after recalibration"
        tables.append(tag("h3", metric.name))
        tables.append(table(["model", *REPAIRS], rows, label, identity=f"repaired-{key}"))
    bold = (
        "In bold: the smallest Brier score under a method, if a test at level 5 % tells it from all others. "
        "In grey: a KS error that calibrated predictions reach by noise."
    )
    return section(title, paragraph(said), *tables, notes([bold, *found.notes]), identity="recalibration")


def _categories(found: Compared) -> Markup | None:
    if not found.choices.categories:
        return None
    tables = []
    for i, (name, categories) in enumerate(found.categories.items()):
        tables += [tag("h3", name), category_table(categories, f"Categories of {name}", f"likert-{i}")]
    return section("Categories", *tables, identity="categories")
