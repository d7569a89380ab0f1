"""The page about one model."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ..figures.markup import Markup, tag
from .code import code_of
from .measuring.apart import differences
from .measuring.errors import ERRORS
from .measuring.findings import KNOTS, MOST_CLASSES, MOST_LISTED, Classes, Findings, Recalibration
from .measuring.many import SAID
from .measuring.numbers import BINS, MOST_REPLICATES, READINGS
from .writing.clinical_part import clinical_section
from .writing.data import data_section, title_of
from .writing.over_time_part import over_time_section
from .writing.page import header, page
from .writing.parts import (
    AS_SHARE,
    above_floor,
    bar,
    category_table,
    datum,
    ends,
    errors_table,
    facts_of,
    made,
    missing,
    notes,
    numbers_table,
    paragraph,
    pictures,
    section,
    table,
    unavailable,
    why_missing,
    with_noise,
)
from .writing.rank_marks import NO_VERDICT, difference, ranks_table
from .writing.risk_part import risk_section
from .writing.segments_part import segments_section

NO_CATEGORIES = (
    "No categories were named. If you act on ranges of probability, such as “below 10 %: send home”, "
    "compare every range with what was found: --categories 0,0.1,0.5,1, or categories=[0, 0.1, 0.5, 1] in Python."
)
ERRORS_NOTE = (
    "Noise makes measured errors too large. Calibrated predictions with the same scores reach the second number in 95 "
    "of 100 cases, and show at least what was measured in a share p of them; what is no more than that is grey. The "
    "interval holds the true error, without the noise, 95 times in 100."
)
BEFORE_AFTER_NOTE = (
    "Changes of percentages are in percentage points. In bold: a test tells before from after, at level 5 %. For that, "
    f"the same bootstrap samples are drawn before and after. {NO_VERDICT} Below an error is what calibrated "
    "predictions reach by noise in 95 of 100 cases; grey is what is no more."
)
CATEGORY_NOTE = (
    "Error bin by bin: how far the mean target of each bin lies outside of the category, averaged by the samples in it "
    "(Kirchenbauer et al. 2022); as one bin: how far what was found in all of the category does, which is never more. "
    "Below is what calibrated predictions reach by noise in 95 of 100 cases; grey is what is no more. A category holds "
    "where all of the 95 % interval of what was found lies in it, and does not where none of it does; between, "
    "“perhaps”. A score on an end counts in both."
)


def page_of(findings: Findings) -> str:
    """The page as one HTML document."""
    title = title_of(findings.judged.predictions)
    return page(
        f"Calibration of {title}",
        _header(title, findings),
        _numbers(findings),
        _pictures(findings),
        clinical_section(findings),
        segments_section(findings.segments),
        over_time_section(findings.over_time),
        risk_section(findings.risk),
        _recalibration(findings),
        _ranks(findings),
        _sensitivity(findings),
        _categories(findings),
        _classes(findings),
        data_section(findings.judged.predictions),
        made(code_of(findings)),
    )


def _header(title: str, findings: Findings) -> Markup:
    then = findings.recalibration
    more = None
    if isinstance(then, Recalibration):
        half = "On the half that a spline was not fitted to" if findings.calibration is None else "With a spline"
        more = paragraph(tag("small", half), then.said, class_="then")
    facts = facts_of(findings.judged, findings.choices)
    return header("Calibration report", title, facts, paragraph(findings.said, class_="said"), more)


def _numbers(findings: Findings) -> Markup:
    judged = findings.judged
    drawn = (
        f"The intervals of these means are the 2.5 % and 97.5 % quantiles over {judged.replicates:,} bootstrap samples."
    )
    means = {key: number for key, number in judged.numbers.items() if key not in ERRORS}
    return section(
        "In numbers",
        numbers_table(means),
        notes([*unavailable(means), drawn, *_fewer(findings)]),
        tag("h3", "Calibration errors"),
        errors_table(judged.numbers, findings.beside),
        notes([*unavailable({key: judged.numbers[key] for key in ERRORS}), *why_missing(findings.beside), ERRORS_NOTE]),
        identity="in-numbers",
    )


def _fewer(findings: Findings) -> list[str]:
    """Why there are fewer replicates than usual, if that is so."""
    if findings.judged.replicates >= MOST_REPLICATES:
        return []
    if findings.is_in_cells:
        return [f"There are fewer of these than the usual {MOST_REPLICATES}. {SAID}"]
    scores = len(findings.judged.problem)
    return [f"There are fewer of these than the usual {MOST_REPLICATES}, for each draws {scores:,} scores."]


def _pictures(findings: Findings) -> Markup:
    return section(
        "In pictures", pictures((*findings.reliability, *findings.cumulative), "pictures"), identity="in-pictures"
    )


def _recalibration(findings: Findings) -> Markup:
    title, then = "After recalibration", findings.recalibration
    if isinstance(then, str):
        return section(title, missing(then), identity="recalibration")
    judged, selected = f"{then.judged:,}", findings.choices.selection is not None
    if findings.calibration is not None:
        where = (
            f"A spline with {KNOTS} knots was fitted to {then.fitted_to:,} samples of a calibration set; {judged} "
            "others judge it."
        )
    else:
        others = "the selected ones of the others" if selected else "the others"
        where = (
            f"Half of the samples, drawn at random, were set aside: a spline with {KNOTS} knots was fitted to these "
            f"{then.fitted_to:,}, and {others}, {judged}, judge it."
        )
    rows = []
    changes = differences(then.before, then.after, findings.choices)
    for key in READINGS:
        before, after = then.before.numbers[key], then.after.numbers[key]
        rows.append(
            [
                READINGS[key].name,
                with_noise(key, before, then.beside_before.get(key), "before"),
                with_noise(key, after, then.beside_after.get(key), "after"),
                difference(key, changes[key], "change"),
                ends(key, changes[key].interval, "change", signed=True),
            ]
        )
    columns = ["", "before", "after", "change", "95 % interval"]
    return section(
        title,
        paragraph(then.said, class_="lead"),
        paragraph(where),
        pictures(then.pictures, "recalibration"),
        table(columns, rows, "Before and after", identity="recalibrated"),
        notes([*unavailable(then.after.numbers), *why_missing(then.beside_after), BEFORE_AFTER_NOTE, *then.notes]),
        identity="recalibration",
    )


def _ranks(findings: Findings) -> Markup:
    title = "Which repair?"
    if isinstance(findings.ranks, str):
        return section(title, missing(findings.ranks), identity="repairs")
    said = (
        "Each method was fitted and judged as the spline above. Methods within noise of the best do as well as it, as "
        "far as these samples tell."
    )
    return section(
        title,
        paragraph(said),
        ranks_table(findings.ranks, "methods", "ranks"),
        notes(findings.ranks.notes),
        identity="repairs",
    )


def _sensitivity(findings: Findings) -> Markup:
    shown = findings.sensitivity
    content = missing(shown) if isinstance(shown, str) else pictures(shown, "sensitivity")
    return section("Does the number of bins matter?", content, identity="sensitivity")


def _categories(findings: Findings) -> Markup:
    if not findings.categories:
        return section("Categories", missing(NO_CATEGORIES), identity="categories")
    return section(
        "Categories",
        category_table(findings.categories),
        pictures(findings.category_pictures, "categories"),
        notes([CATEGORY_NOTE]),
        identity="categories",
    )


def _classes(findings: Findings) -> Markup:
    title = "Class by class"
    if isinstance(findings.classes, str):
        return section(title, missing(findings.classes), identity="classes")
    shown = findings.classes
    said = (
        "What is predicted of each class, its mean probability, and what is observed, its share of the labels; the "
        f"error is that of {BINS} uniform bins, the largest first."
    )
    if np.isfinite(shown.floors).any():
        which = "the errors" if len(shown.names) <= MOST_CLASSES else f"the {MOST_CLASSES} largest errors"
        said += (
            f" Below {which}: what calibrated predictions reach in 95 of 100 cases; what is no more than that is grey. "
            "By chance alone one class in twenty shows more."
        )
    return section(
        title,
        paragraph(said),
        _class_table(shown),
        pictures((shown.picture,), "classes") if len(shown.names) > MOST_CLASSES else None,  # fewer show in the table
        identity="classes",
    )


def _class_table(shown: Classes) -> Markup:
    top = float(np.nanmax(shown.error, initial=0.0)) or 1.0
    rows = []
    columns = shown.names, shown.mean_score, shown.share, shown.error, shown.floors
    for name, score, share, error, floor in islice(zip(*columns, strict=True), MOST_LISTED):
        predicted, observed, measured = (
            datum(AS_SHARE, float(number), f"{what} of {name}")
            for what, number in {"mean_score": score, "share": share, "error": error}.items()
        )
        beside = above_floor(AS_SHARE, measured, error, floor, f"error noise of {name}")
        rows.append([name, predicted, observed, beside, bar(error / top)])
    heads = ["class", "predicted", "observed", "error", ""]
    left_out = len(shown.names) - len(rows)
    return table(heads, rows, "Errors of the classes", identity="worst", more=MOST_CLASSES, left_out=left_out)
