"""The parts of a page: sections, tables of numbers, pictures with their legends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...context.class_lenses import scores_per_sample
from ...figures import Figure
from ...figures.markup import Markup, joined, tag
from ...figures.svg.picture import drawn, swatch
from ...foundation.written import with_minus
from ...uncertainty.noise_floors import LIKELY, TOO_FEW, Beside
from ..measuring.choices import Scope
from ..measuring.errors import CATEGORY_ERRORS, Besides
from ..measuring.findings import Category, Measured
from ..measuring.numbers import READINGS, Number, Reading
from .page import versions

#: How to read each picture, by its name.
READ = {
    "reliability": "Each dot is a bin of samples. On the diagonal, what is said is true as often as it is said; below "
    "it, the model says too much.",
    "histogram": "How often the model gives which score.",
    "cumulative": "Samples from the lowest score to the highest. The lines part where scores and truth part.",
    "difference": "What is true minus what was said, added up. Between the dashed lines it may be chance.",
    "recalibration": "The line says what each score should have been. The dots are bins of held-out samples.",
    "sensitivity": "How much the error depends on how many bins one takes. Where a part is shaded, it does least.",
    "points-per-bin": "How many samples the fullest, the middle and the emptiest bin hold.",
    "likert-counts": "How many samples are told each category.",
    "likert-errors": "How far what is found in the bins of a category lies outside of it, on average; open marks: from "
    "the very score.",
    "classes": "The calibration error of each class by itself.",
    "drift": "The error of each window, with its spread under resampling, over what chance explains.",
    "risk-coverage": "How many of the surest samples are wrong, over how many of them are accepted.",
    "calibration-curve": "What is found at each score, as a smooth curve. Where its band holds the diagonal, the score "
    "may be right.",
    "decision-curve": "What acting from each threshold on is worth. Below a thin line, acting on everybody or on "
    "nobody is worth more.",
}
DASH = Markup("–")
AS_SHARE = Reading("", "")


def section(title: str, *content: str | None, identity: str) -> Markup:
    """A section of the page, with its heading."""
    return tag("section", tag("h2", title), *content, id=identity)


def paragraph(*text: str | None, class_: str | None = None) -> Markup:
    """A paragraph."""
    return tag("p", *text, class_=class_)


def sentence(text: str) -> str:
    """A message of the engine, written as a sentence."""
    said = " ".join(text.split())
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('.', '!', '?')) else '.'}"


def missing(text: str) -> Markup:
    """A paragraph that says why a part of the page is missing."""
    return paragraph(sentence(text), class_="missing")


def notes(texts: Iterable[str]) -> Markup:
    """Sentences in small print."""
    return joined(paragraph(sentence(text), class_="note") for text in texts)


def pictures(records: Sequence[Figure], prefix: str) -> Markup:
    """Pictures side by side, each with its legend and a caption."""
    return tag("div", *(_picture(record, f"{prefix}-{i}") for i, record in enumerate(records)), class_="pictures")


def _picture(record: Figure, identity: str) -> Markup:
    drawing = drawn(record, identity)
    has_hints = "<title>" in drawing
    plot = tag(
        "div",
        drawing,
        class_="plots",
        tabindex="0" if has_hints else None,
        role="group" if has_hints else None,
        aria_label=f"{record.title}. The arrow keys lead from dot to dot." if has_hints else None,
    )
    listed = {series.name: series for series in record.series if series.name and len(series.x)}
    buttons = (
        tag("button", swatch(series), name, type="button", aria_pressed="true") for name, series in listed.items()
    )
    legend = (
        tag("div", *buttons, class_="legend", role="group", aria_label=f"Legend: {record.title}") if listed else None
    )
    words = " ".join(filter(None, (READ.get(record.name), record.note)))
    caption = tag("figcaption", words) if words else None
    return tag("figure", tag("h3", record.title), plot, legend, caption, data_figure=record.name)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    name: str,
    *,
    identity: str | None = None,
    more: int = 0,
    left_out: int = 0,
) -> Markup:
    """A table whose rows begin with their heading. With `more`, only so many rows are shown; the others unfold.

    It says how many rows after them were left out of the page.
    """
    heads = [tag("th", head, scope="col") if head else tag("td") for head in columns]
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    shown, rest = (body[:more], body[more:]) if more else (body, [])

    def whole(part: Sequence[Markup], label: str, identity: str | None) -> Markup:
        filled = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *part), id=identity, aria_label=label)
        return tag("div", filled, class_="table", tabindex="0", role="region", aria_label=label)

    if not rest:
        return whole(shown, name, identity)
    summary = tag("summary", f"and {len(rest):,} more")
    unfolding = tag("details", summary, whole(rest, f"{name}: the others", None), class_="more")
    said = [f"{left_out:,} more rows would make the page too large, and are left out"] if left_out else []
    return joined([whole(shown, name, identity), unfolding, notes(said)])


def numbers_table(numbers: Mapping[str, Number]) -> Markup:
    """The table of the means of one model, with their intervals."""
    rows = [[named(key), value(key, number), ends(key, number.interval)] for key, number in numbers.items()]
    return table(["", "value", "95 % interval"], rows, "Numbers", identity="numbers")


def errors_table(numbers: Mapping[str, Number], besides: Besides) -> Markup:
    """The table of the errors of one model, with their noise floors and the intervals of the true errors."""
    rows = []
    for key, beside in besides.items():
        interval = beside.interval
        rows.append(
            [
                named(key),
                faint(value(key, numbers[key]), beside.is_noise(numbers[key].value)),
                _noise(key, numbers[key], beside),
                _estimate(key, beside),
                DASH if interval is None else ends(key, (interval.lower, interval.upper)),
            ]
        )
    columns = ["", "measured", "calibrated predictions reach", LIKELY, "95 % interval"]
    return table(columns, rows, "Errors", identity="errors")


def _estimate(key: str, beside: Beside) -> Markup:
    """The likely true error, if the interval is narrow enough for one number to mean something."""
    if beside.interval is None:
        return DASH
    estimate = beside.interval.estimate
    if beside.is_vague:
        return tag("data", TOO_FEW, value=repr(estimate), data_what=f"{key} estimate")
    return datum(READINGS[key], estimate, f"{key} estimate")


def _noise(key: str, number: Number, beside: Beside) -> Markup:
    """What calibrated predictions reach, how often they show as much, and whether the error is no more than that."""
    if beside.floor is None:
        return DASH
    p = tag("data", f"{beside.floor.p_value:.2g}", value=repr(beside.floor.p_value), data_what=f"{key} p_value")
    reached = datum(READINGS[key], beside.floor.reaches, f"{key} noise")
    within = "within noise, " if beside.is_noise(number.value) else ""
    return joined([reached, tag("small", within, "p = ", p)])


def with_noise(key: str, number: Number, beside: Beside | None, of: str) -> Markup:
    """A number; below it, if it is an error, what calibrated predictions reach."""
    shown = value(key, number, of)
    if beside is None or beside.floor is None:
        return shown
    return above_floor(READINGS[key], shown, number.value, beside.floor.reaches, what(key, "noise", of))


def above_floor(metric: Reading, shown: Markup, error: float, reaches: float, identity: str) -> Markup:
    """An error, as `shown`, and below it what calibrated predictions reach, unless that is nan."""
    if math.isnan(reaches):
        return shown
    is_noise = error <= reaches
    reached = datum(metric, reaches, identity)
    return joined([faint(shown, is_noise), tag("small", "within noise: " if is_noise else "noise: ", reached)])


def why_missing(besides: Besides) -> list[str]:
    """Sentences that say why noise floors or intervals are missing, each reason once."""
    names_by_reason: dict[str, list[str]] = {}
    for key, beside in besides.items():
        if why := beside.no_floor or beside.no_interval:
            reason = f"{'noise floor' if beside.no_floor else 'interval'}: {why}"
            names_by_reason.setdefault(reason, []).append(READINGS[key].name)
    return [
        f"No {reason}" if len(names) == len(besides) else f"{', '.join(names)}: no {reason}"
        for reason, names in names_by_reason.items()
    ]


def named(key: str) -> Markup:
    """The name of a number, and below it what the number says."""
    return joined([READINGS[key].name, tag("small", READINGS[key].why)])


def faint(content: Markup, is_noise: bool) -> Markup:
    """The content, in grey if it is no more than noise; words beside it say so too."""
    return tag("span", content, class_="faint") if is_noise else content


def unavailable(numbers: Mapping[str, Number]) -> list[str]:
    """Sentences that say why numbers are missing or infinite."""
    why = [f"{READINGS[key].name}: {number.why_not}" for key, number in numbers.items() if number.why_not]
    infinite = [READINGS[key].name for key, number in numbers.items() if np.isinf(number.value)]
    return [*why, *(f"The {name} is infinite, since something of probability 0 came true" for name in infinite)]


def value(key: str, number: Number, of: str = "") -> Markup:
    """A number; `of` names what it is about, such as a model."""
    return datum(READINGS[key], number.value, what(key, "value", of))


def ends(key: str, interval: tuple[float, float] | None, of: str = "", signed: bool = False) -> Markup:
    """An interval as its two ends, or a dash if there is none."""
    if interval is None or np.isnan(interval).any():
        return DASH
    lower = datum(READINGS[key], interval[0], what(key, "lower", of), signed, unit="")
    upper = datum(READINGS[key], interval[1], what(key, "upper", of), signed)
    return span(lower, upper)


def span(lower: Markup, upper: Markup) -> Markup:
    """An interval from one number to another."""
    return tag("span", lower, " to ", upper, class_="interval")


def what(key: str, kind: str, of: str) -> str:
    """The label by which a program that reads the page finds a number."""
    return f"{key} {kind} of {of}" if of else f"{key} {kind}"


def datum(metric: Reading, number: float, label: str, signed: bool = False, unit: str = " %") -> Markup:
    """A number, rounded for readers, with all its digits and its `label` for programs that read the page."""
    if np.isnan(number):
        return DASH
    if np.isinf(number):
        text = "∞" if number > 0 else "−∞"
    elif metric.is_share:
        text = f"{100 * number:.2f}{unit}"
    else:
        text = f"{number:.4f}"
    text = with_minus(text)
    sign = "+" if signed and number > 0 else ""
    return tag("data", f"{sign}{text}", value=repr(float(number)), data_what=label)


def category_table(categories: tuple[Category, ...], label: str = "Categories", identity: str = "likert") -> Markup:
    """The table of Likert categories: what their samples are told, what is found, and the errors."""
    rows = []
    for category in categories:
        row = category.row
        cells = [datum(AS_SHARE, row[key], f"{key} {category.name}") for key in ("mean_score", "mean_target")]
        errors = [_error_of(category, key) for key in CATEGORY_ERRORS]
        rows.append([category.name, f"{row['count']:,}", *cells, *errors, _verdict(category)])
    columns = ["category", "samples", "told", "found", *CATEGORY_ERRORS.values(), "does it hold?"]
    return table(columns, rows, label, identity=identity)


def _error_of(category: Category, key: str) -> Markup:
    """An error of a category, and below it what calibrated predictions reach."""
    shown = datum(AS_SHARE, category.row[key], f"{key} {category.name}")
    reaches = category.floors[key].reaches if key in category.floors else math.nan
    return above_floor(AS_SHARE, shown, category.row[key], reaches, f"{key} noise {category.name}")


def _verdict(category: Category) -> str:
    """Whether the mean target lies in the category: a clear answer if all or none of its 95 % interval does."""
    if category.interval is None:
        return "no sample"
    (low, high), target = category.ends, category.row["mean_target"]
    if low <= target <= high:
        return "yes" if low <= category.interval[0] and category.interval[1] <= high else "perhaps"
    less = target < low
    clear = category.interval[1] < low if less else category.interval[0] > high
    return f"{'no' if clear else 'perhaps not'}: it happens {'less' if less else 'more'} often"


def strong(content: Markup, is_strong: bool) -> Markup:
    """The content, in bold if `is_strong`."""
    return tag("strong", content) if is_strong else content


def bar(length: float) -> Markup:
    """A thin bar, filled to a length from 0 to 1."""
    filled = tag("rect", width=f"{100 * min(1.0, max(0.0, length)):.1f}", height=6, class_="filled")
    empty = tag("rect", width=100, height=6, class_="empty")
    whole = {"viewBox": "0 0 100 6", "class_": "bar", "preserveAspectRatio": "none", "aria_hidden": "true"}
    return tag("svg", empty, filled, **whole)


def facts_of(measured: Measured, choices: Scope) -> dict[str, str | None]:
    """The facts in the head of a report: samples, classes, lens, selection."""
    return {
        "looked at": _kept_of(measured, choices),
        "classes": f"{measured.predictions.n_classes:,}",
        "lens": choices.name,
        "selection": None if choices.selection is None else str(choices.selection),
    }


def _kept_of(measured: Measured, choices: Scope) -> str:
    """How many samples the page looks at, of how many, and how they were drawn and weighted."""
    problem, p = measured.problem, measured.predictions
    scores = scores_per_sample(choices.lens, p)
    what = "samples" if scores == 1 else "scores"
    of_all = "" if choices.selection is None else f" of {len(p) * scores:,}"
    drawn = f", {p.about['drawn']}" if "drawn" in p.about else ""
    weighted = f", weighted to {p.about['prevalence']}" if "prevalence" in p.about else ""
    return f"{len(problem):,}{of_all} {what}{drawn}{weighted}"


def made(program: str) -> Markup:
    """The last section: the versions of the software, and the program that gives the numbers again."""
    said = paragraph(versions(), " The program below gives the same numbers again.")
    return section("How it was made", said, _code(program), identity="made")


def _code(text: str) -> Markup:
    """A program with a button that copies it."""
    return tag(
        "div",
        tag("button", "Copy", type="button", class_="copy", data_copies="code"),
        tag("pre", tag("code", text, id="code")),
        class_="code",
    )
