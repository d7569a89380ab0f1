"""What the pages of a report are put together from: sections, tables of numbers, pictures with their legends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...context.class_lenses import scores_per_sample
from ...figures import Figure
from ...uncertainty.noise_floors import LIKELY, TOO_FEW, Beside
from ..measuring.choices import Scope
from ..measuring.errors import CATEGORY_ERRORS, Besides
from ..measuring.findings import Category, Measured
from ..measuring.numbers import READINGS, Number, Reading
from .markup import Markup, joined, tag
from .page import versions
from .svg import drawn, swatch

#: What a reader is to see in a picture, by its name.
READ = {
    "reliability": "Each dot is a bin of samples. On the diagonal, what is said is true as often as it is said; below "
    "it, the model says too much.",
    "histogram": "How often the model gives which score.",
    "cumulative": "Samples from the lowest score to the highest. The lines part where scores and truth part.",
    "difference": "What is true less what was said, added up. Inside the shaded band it may be chance.",
    "recalibration": "The line says what each score should have been. The dots are bins of held-out samples.",
    "sensitivity": "How much the error depends on how many bins one takes. Where a part is shaded, it does least.",
    "points-per-bin": "How many samples the fullest, the middle and the emptiest bin hold.",
    "likert-counts": "How many samples are told each category.",
    "likert-errors": "How far what is found in the bins of a category lies outside of it, on average; open marks: from "
    "the very score.",
    "classes": "The calibration error of each class by itself.",
    "calibration-curve": "What is found at each score, as a smooth curve. Where its band holds the diagonal, the score "
    "may be right.",
    "decision-curve": "What acting from each threshold on is worth. Below a thin line, acting always or never is "
    "worth more.",
}
DASH = "–"
MOST_CLASSES = 20  # rows of a table of classes that are seen at once
AS_SHARE = Reading("", "")


def section(title: str, *content: str | None, identity: str) -> Markup:
    """A part of the page under a heading."""
    return tag("section", tag("h2", title), *content, id=identity)


def paragraph(*text: str | None, class_: str | None = None) -> Markup:
    """A paragraph."""
    return tag("p", *text, class_=class_)


def sentence(text: str) -> str:
    """A message of the engine as a sentence."""
    said = " ".join(text.split())
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('.', '!', '?')) else '.'}"


def missing(text: str) -> Markup:
    """Why something is not there."""
    return paragraph(sentence(text), class_="missing")


def notes(several: Iterable[str]) -> Markup:
    """Sentences in small print."""
    return joined(paragraph(sentence(one), class_="note") for one in several)


def pictures(records: Sequence[Figure], prefix: str) -> Markup:
    """Pictures side by side."""
    return tag("div", *(_picture(one, f"{prefix}-{i}") for i, one in enumerate(records)), class_="pictures")


def _picture(record: Figure, identity: str) -> Markup:
    drawing = drawn(record, identity)
    told = "<title>" in drawing
    plot = tag(
        "div",
        drawing,
        class_="plots",
        tabindex="0" if told else None,
        role="group" if told else None,
        aria_label=f"{record.title}. The arrow keys lead from dot to dot." if told else None,
    )
    named = {one.name: one for one in record.series if one.name and len(one.x)}
    buttons = (tag("button", swatch(one), name, type="button", aria_pressed="true") for name, one in named.items())
    legend = (
        tag("div", *buttons, class_="legend", role="group", aria_label=f"Legend: {record.title}") if named else None
    )
    words = " ".join(filter(None, (READ.get(record.name), record.note)))
    caption = tag("figcaption", words) if words else None
    return tag("figure", tag("h3", record.title), plot, legend, caption, data_figure=record.name)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], name: str, *, identity: str | None = None, more: int = 0
) -> Markup:
    """A table whose rows begin with their heading; those beyond `more`, if that is not 0, are shown when asked for."""
    heads = [tag("th", head, scope="col") if head else tag("td") for head in columns]
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    shown, rest = (body[:more], body[more:]) if more else (body, [])

    def whole(part: Sequence[Markup], label: str, identity: str | None) -> Markup:
        filled = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *part), id=identity, aria_label=label)
        return tag("div", filled, class_="table", tabindex="0", role="region", aria_label=label)

    if not rest:
        return whole(shown, name, identity)
    summary = tag("summary", f"and {len(rest):,} more")
    return joined(
        [whole(shown, name, identity), tag("details", summary, whole(rest, f"{name}: the others", None), class_="more")]
    )


def numbers_table(numbers: Mapping[str, Number]) -> Markup:
    """The means of one model, and their intervals."""
    rows = [[_named(key), value(key, number), interval(key, number)] for key, number in numbers.items()]
    return table(["", "value", "95 % interval"], rows, "Numbers", identity="numbers")


def errors_table(numbers: Mapping[str, Number], besides: Besides) -> Markup:
    """The errors of one model, each beside what calibrated predictions show and where the true error lies."""
    rows = []
    for key, beside in besides.items():
        found = beside.interval
        rows.append(
            [
                _named(key),
                _faint(value(key, numbers[key]), beside.is_noise(numbers[key].value)),
                _noise(key, numbers[key], beside),
                _estimate(key, beside),
                joined([DASH]) if found is None else ends(key, (found.lower, found.upper), ""),
            ]
        )
    columns = ["", "measured", "calibrated predictions reach", LIKELY, "95 % interval"]
    return table(columns, rows, "Errors", identity="errors")


def _estimate(key: str, beside: Beside) -> Markup:
    """The likely true error, where the interval is narrow enough for one number to mean something."""
    if beside.interval is None:
        return joined([DASH])
    estimate = beside.interval.estimate
    if beside.is_vague:
        return tag("data", TOO_FEW, value=repr(estimate), data_what=f"{key} estimate")
    return datum(READINGS[key], estimate, f"{key} estimate")


def _noise(key: str, number: Number, beside: Beside) -> Markup:
    """What calibrated predictions reach, how often they show as much, and whether that is all there is."""
    if beside.floor is None:
        return joined([DASH])
    p = tag("data", f"{beside.floor.p_value:.2g}", value=repr(beside.floor.p_value), data_what=f"{key} p_value")
    reached = datum(READINGS[key], beside.floor.reaches, f"{key} noise")
    within = "within noise, " if beside.is_noise(number.value) else ""
    return joined([reached, tag("small", within, "p = ", p)])


def with_noise(key: str, number: Number, beside: Beside | None, of: str) -> Markup:
    """A number, and below an error what calibrated predictions reach."""
    shown = value(key, number, of)
    if beside is None or beside.floor is None:
        return shown
    return above_floor(READINGS[key], shown, number.value, beside.floor.reaches, what(key, "noise", of))


def above_floor(metric: Reading, shown: Markup, error: float, reaches: float, identity: str) -> Markup:
    """An error that is `shown`, and below it what calibrated predictions reach; alone where that is nan."""
    if math.isnan(reaches):
        return shown
    is_noise = error <= reaches
    reached = datum(metric, reaches, identity)
    return joined([_faint(shown, is_noise), tag("small", "within noise: " if is_noise else "noise: ", reached)])


def why_missing(besides: Besides) -> list[str]:
    """Why noise floors or intervals are missing, each reason once."""
    whose: dict[str, list[str]] = {}
    for key, one in besides.items():
        if why := one.no_floor or one.no_interval:
            whose.setdefault(f"{'noise floor' if one.no_floor else 'interval'}: {why}", []).append(READINGS[key].name)
    return [
        f"No {what}" if len(names) == len(besides) else f"{', '.join(names)}: no {what}"
        for what, names in whose.items()
    ]


def _named(key: str) -> Markup:
    return joined([READINGS[key].name, tag("small", READINGS[key].why)])


def _faint(content: Markup, is_noise: bool) -> Markup:
    """Grey where it is no more than noise, which is said in words beside it."""
    return tag("span", content, class_="faint") if is_noise else content


def unavailable(numbers: Mapping[str, Number]) -> list[str]:
    """Why some of the numbers are not there, or are infinite: a sentence for each."""
    why = [f"{READINGS[key].name}: {one.why_not}" for key, one in numbers.items() if one.why_not]
    infinite = [READINGS[key].name for key, one in numbers.items() if np.isinf(one.value)]
    return [*why, *(f"The {name} is infinite, since something of probability 0 came true" for name in infinite)]


def value(key: str, number: Number, of: str = "") -> Markup:
    """A number, and `of` what it is."""
    return datum(READINGS[key], number.value, what(key, "value", of))


def interval(key: str, number: Number, of: str = "") -> Markup:
    """Its interval."""
    return ends(key, number.interval, of)


def ends(key: str, interval: tuple[float, float] | None, of: str, signed: bool = False) -> Markup:
    """The ends of an interval, if there is one."""
    if interval is None or np.isnan(interval).any():
        return joined([DASH])
    lower = datum(READINGS[key], interval[0], what(key, "lower", of), signed, unit="")
    upper = datum(READINGS[key], interval[1], what(key, "upper", of), signed)
    return tag("span", lower, " to ", upper, class_="interval")


def what(key: str, kind: str, of: str) -> str:
    """What a number is, for a program that reads the page."""
    return f"{key} {kind} of {of}" if of else f"{key} {kind}"


def datum(metric: Reading, number: float, told: str, signed: bool = False, unit: str = " %") -> Markup:
    """A number as it reads, with all its digits for who reads the page by a program."""
    if np.isnan(number):
        return joined([DASH])
    if np.isinf(number):
        text = "∞" if number > 0 else "−∞"
    elif metric.is_share:
        text = f"{100 * number:.2f}{unit}"
    else:
        text = f"{number:.4f}"
    text = text.replace("-", "−")
    sign = "+" if signed and number > 0 else ""
    return tag("data", f"{sign}{text}", value=repr(float(number)), data_what=told)


def category_table(categories: tuple[Category, ...], label: str = "Categories", identity: str = "likert") -> Markup:
    """Every category: what its samples are told, and what is found."""
    rows = []
    for one in categories:
        row = one.row
        cells = [datum(AS_SHARE, row[key], f"{key} {one.name}") for key in ("mean_score", "mean_target")]
        errors = [_error_of(one, key) for key in CATEGORY_ERRORS]
        rows.append([one.name, f"{row['count']:,}", *cells, *errors, _verdict(one)])
    columns = ["category", "samples", "told", "found", *CATEGORY_ERRORS.values(), "does it hold?"]
    return table(columns, rows, label, identity=identity)


def _error_of(category: Category, key: str) -> Markup:
    """An error of a category, and below it what calibrated predictions reach."""
    shown = datum(AS_SHARE, category.row[key], f"{key} {category.name}")
    reaches = category.floors[key].reaches if key in category.floors else math.nan
    return above_floor(AS_SHARE, shown, category.row[key], reaches, f"{key} noise {category.name}")


def _verdict(one: Category) -> str:
    """Whether what is found lies in the category: surely where all of its 95 % interval does, or none of it."""
    if one.interval is None:
        return "no sample"
    (low, high), found = one.ends, one.row["mean_target"]
    if low <= found <= high:
        return "yes" if low <= one.interval[0] and one.interval[1] <= high else "perhaps"
    less = found < low
    clear = one.interval[1] < low if less else one.interval[0] > high
    return f"{'no' if clear else 'perhaps not'}: it happens {'less' if less else 'more'} often"


def strong(content: Markup, is_strong: bool) -> Markup:
    """What may stand out."""
    return tag("strong", content) if is_strong else content


def bar(length: float) -> Markup:
    """A thin bar of a length from 0 to 1."""
    filled = tag("rect", width=f"{100 * min(1.0, max(0.0, length)):.1f}", height=6, class_="filled")
    empty = tag("rect", width=100, height=6, class_="empty")
    whole = {"viewBox": "0 0 100 6", "class_": "bar", "preserveAspectRatio": "none", "aria_hidden": "true"}
    return tag("svg", empty, filled, **whole)


def facts_of(measured: Measured, choices: Scope) -> dict[str, str | None]:
    """What a report is of, for its header."""
    return {
        "looked at": _kept_of(measured, choices),
        "classes": f"{measured.predictions.n_classes:,}",
        "lens": choices.name,
        "selection": None if choices.selection is None else str(choices.selection),
    }


def _kept_of(measured: Measured, choices: Scope) -> str:
    """How many of the samples are looked at."""
    problem, p = measured.problem, measured.predictions
    scores = scores_per_sample(choices.lens, p)
    what = "samples" if scores == 1 else "scores"
    of_all = "" if choices.selection is None else f" of {len(p) * scores:,}"
    drawn = f", {p.about['drawn']}" if "drawn" in p.about else ""
    weighted = f", weighted to {p.about['prevalence']}" if "prevalence" in p.about else ""
    return f"{len(problem):,}{of_all} {what}{drawn}{weighted}"


def made(program: str) -> Markup:
    """The last section: versions and code."""
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
