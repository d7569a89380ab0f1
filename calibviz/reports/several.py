"""The page about several models on the same samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..decisions.thresholds import ALL, NONE
from ..figures.markup import Markup, joined, tag
from .code import code_of_comparison
from .measuring.benefit import Benefits
from .measuring.comparison import MOST_DRAWN, REPAIRS, Compared
from .measuring.errors import ERRORS
from .measuring.findings import KNOTS
from .measuring.numbers import READINGS
from .writing.benefit_marks import BENEFIT_NOTE, PAIRED_NOTE, PLAIN, more_benefit
from .writing.data import data_section
from .writing.page import header, page
from .writing.parts import (
    DASH,
    above_floor,
    category_table,
    datum,
    ends,
    facts_of,
    made,
    missing,
    named,
    notes,
    paragraph,
    pictures,
    section,
    sentence,
    span,
    strong,
    table,
    unavailable,
    why_missing,
    with_noise,
)
from .writing.rank_marks import NO_VERDICT, difference, ranks_table


def page_of(comparison: Compared) -> str:
    """The page as one HTML document."""
    title = ", ".join(comparison.judged)
    return page(
        f"Calibration of {title}",
        _header(title, comparison),
        _numbers(comparison),
        _pictures(comparison),
        section(
            "Which model?",
            paragraph("Models within noise of the best do as well as it, as far as these samples tell."),
            ranks_table(comparison.ranks, "models", "ranks"),
            notes(comparison.ranks.notes),
            identity="models",
        ),
        _acting(comparison.benefits, list(comparison.judged)),
        _repaired(comparison),
        _categories(comparison),
        data_section(next(iter(comparison.judged.values())).predictions, of_several=True),
        made(code_of_comparison(comparison)),
    )


def _header(title: str, comparison: Compared) -> Markup:
    facts = facts_of(next(iter(comparison.judged.values())), comparison.choices)
    said = [tag("div", tag("dt", name), tag("dd", text)) for name, text in comparison.said.items()]
    return header("Calibration of several models", title, facts, tag("dl", *said, class_="readings"))


def _numbers(comparison: Compared) -> Markup:
    first, *others = comparison.judged
    rows, differences = [], []
    for key in READINGS:
        row = [named(key)]
        for name, measured in comparison.judged.items():
            number = measured.numbers[key]
            mean = "" if key in ERRORS else tag("small", ends(key, number.interval, name))
            row.append(joined([with_noise(key, number, comparison.beside[name].get(key), name), mean]))
        rows.append(row)
        apart: list[str] = [READINGS[key].name]
        for name in others:
            minus = comparison.differences[name][key]
            below = tag("small", ends(key, minus.interval, name, signed=True)) if minus.interval else ""
            apart.append(joined([difference(key, minus, name), below]))
        differences.append(apart)
    n = next(iter(comparison.judged.values())).replicates
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
        table(["", *comparison.judged], rows, "Numbers", identity="numbers"),
        notes([said]),
        _unavailable(comparison),
        tag("h3", f"Differences to {first}"),
        table(["", *others], differences, "Differences", identity="differences"),
        notes([paired]),
        identity="in-numbers",
    )


def _unavailable(comparison: Compared) -> Markup:
    """Why numbers are missing or infinite, with the names of the models unless that holds for all of them."""
    names_by_reason: dict[str, list[str]] = {}
    for name, measured in comparison.judged.items():
        for why in (*unavailable(measured.numbers), *why_missing(comparison.beside[name])):
            names_by_reason.setdefault(why, []).append(name)
    return joined(
        paragraph("" if len(names) == len(comparison.judged) else f"{', '.join(names)}: ", sentence(why), class_="note")
        for why, names in names_by_reason.items()
    )


def _pictures(comparison: Compared) -> Markup:
    left_out = list(comparison.judged)[MOST_DRAWN:]
    note = (
        [f"The reliability diagram shows the first {MOST_DRAWN}; not drawn: {', '.join(left_out)}"] if left_out else []
    )
    return section(
        "In pictures",
        pictures((comparison.reliability, *comparison.cumulative), "pictures"),
        notes(note),
        identity="in-pictures",
    )


def _acting(benefits: Benefits | None, models: Sequence[str]) -> Markup | None:
    """What acting from the threshold on is worth under each model; nothing without a threshold."""
    if benefits is None:
        return None
    first, *_ = models
    rows = []
    for name, shown in (*zip(models, models, strict=True), (ALL, "on everybody"), (NONE, "on nobody")):
        value, *whole = (
            datum(PLAIN, number, f"net benefit {kind} of {name}")
            for kind, number in zip(("value", "lower", "upper"), benefits.of(name), strict=True)
        )
        apart = [more_benefit(benefits, name, other) if name != other else DASH for other in (first, ALL)]
        rows.append([shown, value, span(*whole), *apart])
    at = f"{100 * benefits.threshold:.3g} %"
    columns = ["act", "net benefit", "95 % interval", f"more than {first}", "more than on everybody"]
    return section(
        f"Acting from {at} on",
        table(columns, rows, "Net benefit", identity="net-benefit"),
        notes([BENEFIT_NOTE.format(benefits.replicates), benefits.few or PAIRED_NOTE]),
        identity="acting",
    )


def _repaired(comparison: Compared) -> Markup:
    title = "After recalibration"
    if isinstance(comparison.repaired, str):
        return section(title, missing(comparison.repaired), identity="recalibration")
    where = "a random half of the samples" if comparison.calibration is None else "the calibration set of each model"
    said = (
        f"Is one model still better when each is repaired? Temperature and spline ({KNOTS} knots) were fitted to "
        f"{where}, and judged on other samples."
    )
    tables = []
    for key, errors in comparison.repaired.items():
        metric = READINGS[key]
        alone = comparison.still_best & (comparison.still_best.sum(axis=0) == 1) & (key == "brier")
        rows = []
        for i, name in enumerate(comparison.judged):
            row: list[Markup | str] = [name]
            for j, method in enumerate(REPAIRS):
                shown = strong(datum(metric, float(errors[i, j]), f"{key} {method} of {name}"), bool(alone[i, j]))
                reached = float(comparison.reached[i, j]) if key == "ks" else math.nan
                row.append(above_floor(metric, shown, float(errors[i, j]), reached, f"{key} noise {method} of {name}"))
            rows.append(row)
        label = f"{metric.name} after recalibration"
        tables.append(tag("h3", metric.name))
        tables.append(table(["model", *REPAIRS], rows, label, identity=f"repaired-{key}"))
    bold = (
        "In bold: the smallest Brier score under a method, if a test at level 5 % tells it from all others. "
        "In grey: a KS error that calibrated predictions reach by noise."
    )
    return section(title, paragraph(said), *tables, notes([bold, *comparison.notes]), identity="recalibration")


def _categories(comparison: Compared) -> Markup | None:
    if not comparison.choices.categories:
        return None
    tables = []
    for i, (name, categories) in enumerate(comparison.categories.items()):
        tables += [tag("h3", name), category_table(categories, f"Categories of {name}", f"likert-{i}")]
    return section("Categories", *tables, identity="categories")
