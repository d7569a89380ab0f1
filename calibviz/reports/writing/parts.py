"""The parts of a page: sections, tables, pictures with their legends."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...answers.first_screen.verdict_sentences import Verdict
from ...answers.report_situations import facts_of
from ...answers.situation.content import Content, completed
from ...answers.situation.reading import Remembered
from ...answers.situation.situation import Situation
from ...answers.views.comparison import grid_table
from ...figures import Figure, Grid
from ...figures.markup import Markup, joined, tag
from ...figures.svg.picture import drawn, swatch
from ...figures.svg.small import strips
from ...figures.tables import Cell, Column, Opened, Table
from ...foundation.marked import Kind, Run, runs
from ...foundation.validation import clause_of
from .page import listed_facts, versions

log = logging.getLogger(__name__)

#: The classes of what is marked in a sentence.
MARKED: dict[Kind, str | None] = {
    "": None,
    "strong": "bold",
    "beyond noise": "bold vermilion-text",
    "recalibrated": "bold green-text",
    "count": "faint",
}

#: How to read each picture, by its name.
READ = {
    "reliability": "Each dot is a bin of samples. On the diagonal, what is predicted is observed as often; below it, "
    "the model predicts too much.",
    "cumulative": "Samples from the lowest score to the highest. The lines part where predicted and observed part.",
    "recalibration": "The line says what each score should have been. The dots are bins of samples that the calibrator "
    "has not seen.",
    "sensitivity": "How much the error depends on how many bins one takes. Where a part is shaded, it does least.",
    "points-per-bin": "How many samples the fullest, the middle and the emptiest bin hold.",
    "likert-counts": "How many samples lie in each category.",
    "likert-errors": "How far what is observed in the bins of a category lies outside of it, on average; open marks: "
    "from the very score.",
    "classes": "The calibration error of each class by itself.",
    "drift": "The error of each window, with its spread under resampling, over what noise shows.",
    "risk-coverage": "How many of the surest samples are wrong, over how many of them are accepted.",
    "calibration-curve": "What is observed at each score, as a smooth curve. Where its band holds the diagonal, the "
    "score may be right.",
    "decision-curve": "What acting from each threshold on is worth. Below a thin line, acting on all or on "
    "nobody is worth more.",
}


def section(title: str, *content: str | None, identity: str) -> Markup:
    """A section of the page, with its heading."""
    return tag("section", tag("h2", title), *content, id=identity)


def paragraph(*text: str | None, class_: str | None = None) -> Markup:
    """A paragraph."""
    return tag("p", *text, class_=class_)


def judged(situation: Situation, verdict: Verdict) -> Markup:
    """The facts about a situation, and the verdict on it in large type."""
    said = [paragraph(in_tags(line), class_="said") for line in verdict.marked]
    return joined([listed_facts(facts_of(situation)), *said])


def marked(text: str) -> Markup:
    """A sentence whose marked words look as they do in the Explorer."""
    return in_tags(runs(text))


def in_tags(parts: Iterable[Run]) -> Markup:
    """The parts of a sentence, each as it is marked."""
    return joined(tag("span", words, class_=MARKED[kind]) if kind else words for words, kind in parts)


def sentence(text: str) -> str:
    """A message of the engine, written as a sentence."""
    said = " ".join(text.split())
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('.', '!', '?')) else '.'}"


def missing(text: str) -> Markup:
    """A paragraph that says why a part of the page is missing."""
    return paragraph(sentence(text), class_="missing")


def notes(texts: Iterable[str]) -> Markup:
    """Sentences in small print."""
    return joined(paragraph(sentence(text), class_="note") for text in texts if text)


def given(situation: Situation | str, answer: Remembered[Situation, [], Content], identity: str = "") -> Markup:
    """Return what an answer gives once all of its work is done, or a sentence where it cannot be given."""
    if isinstance(situation, str):
        return missing(situation)
    try:
        return content_of(completed(situation, answer), identity or answer.make.__name__)
    except ValueError as why:
        log.debug("a part of the report is missing", exc_info=True)
        return missing(clause_of(why))


def content_of(content: Content, identity: str) -> Markup:
    """Return the sentence of an answer, its pictures and tables in their order, and the notes below them."""
    if not content.records:
        return missing(content.note or content.answer)
    parts: list[Markup | None] = [paragraph(marked(content.marked), class_="lead") if content.answer else None]
    figures: list[Figure] = []
    for record in (*content.records, None):
        if isinstance(record, Figure):
            figures.append(record)
            continue
        parts += [pictures(figures, f"{identity}-{len(parts)}", content.answer)] if figures else []
        figures = []
        if record is not None:
            parts.append(table(grid_table(record) if isinstance(record, Grid) else record))
    return joined(
        [
            *filter(None, parts),
            *(paragraph(marked(line)) for line in content.below.split("\n") if line),
            notes([content.note]),
        ]
    )


def pictures(records: Sequence[Figure], prefix: str, said: str = "") -> Markup:
    """Pictures side by side, each with its legend and a caption, which repeats nothing that was said above.

    A flat one stands below that whose axis it shares; so does then the caption of that.
    """
    shown: list[Markup] = []
    words: list[str] = []
    for i, record in enumerate(records):
        is_flat, is_above = i > 0 and records[i - 1].shares_x, record.shares_x and i + 1 < len(records)
        note = "" if record.note in said else record.note
        words += filter(None, (READ.get(record.name), note))
        caption = "" if is_above else " ".join(words)
        words = words if is_above else []
        picture = _picture(record, drawn(record, f"{prefix}-{i}", is_flat, is_above), caption)
        shown.append(tag("div", shown.pop(), picture) if is_flat else picture)
    return tag("div", *shown, class_="pictures")


def _picture(record: Figure, drawing: Markup, words: str) -> Markup:
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
        tag("button", swatch(series.role, series.shape), name, type="button", aria_pressed="true")
        for name, series in listed.items()
    )
    legend = (
        tag("div", *buttons, class_="legend", role="group", aria_label=f"Legend: {record.title}") if listed else None
    )
    caption = tag("figcaption", words) if words else None
    return tag("figure", tag("h3", record.title), plot, legend, caption, data_figure=record.name)


def table(record: Table, left_out: int = 0) -> Markup:
    """A table, whose rows begin with their heading; those that are not shown at once unfold.

    It says how many rows after them were left out of the page.
    """
    record = _once(_without_buttons(record))
    opened = record.opened or (None,) * len(record.rows)
    body = [joined([_row(record, row), _detail(record, more)]) for row, more in zip(record.rows, opened, strict=True)]
    shown, rest = (body[: record.at_once], body[record.at_once :]) if record.at_once else (body, [])
    label = record.title or record.alt
    parts = [tag("h3", record.title) if record.title else None, _whole(record, shown, label, record.name)]
    if rest:
        summary = tag("summary", f"and {len(rest):,} more")
        unfolded = _whole(record, rest, f"{label}: the others", None)
        parts.append(tag("details", summary, unfolded, class_="more"))
    if left_out:
        parts.append(notes([f"{left_out:,} more rows would make the page too large, and are left out"]))
    return joined([*filter(None, parts), notes([record.note])])


def _without_buttons(record: Table) -> Table:
    """The table without a last column of buttons, of which there are none on paper."""
    looks = {row[-1].look for row in record.rows if row[-1].text}
    if not looks or not looks <= {"button", "pressed"}:
        return record
    return replace(record, columns=record.columns[:-1], rows=tuple(row[:-1] for row in record.rows))


def _once(record: Table) -> Table:
    """The table without a column of texts that one of strips before it has as well: on paper both are in one."""
    strips_of = {
        column.text: j
        for j, column in enumerate(record.columns)
        if column.text and any(row[j].strip is not None for row in record.rows)
    }
    kept = [j for j, column in enumerate(record.columns) if strips_of.get(column.text, j) >= j]
    rows = tuple(tuple(row[j] for j in kept) for row in record.rows)
    return replace(record, columns=tuple(record.columns[j] for j in kept), rows=rows)


def _whole(record: Table, rows: Sequence[Markup], label: str, name: str | None) -> Markup:
    heads = [
        tag("th", column.text, scope="col", title=column.why or None) if column.text else tag("td")
        for column in record.columns
    ]
    filled = tag(
        "table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), aria_label=label, data_table=name or record.name
    )
    return tag("div", filled, class_="table", tabindex="0", role="region", aria_label=label)


def _row(record: Table, row: Sequence[Cell]) -> Markup:
    heading, *cells = row
    columns: Sequence[Column] = record.columns[1:]
    return tag(
        "tr",
        tag("th", *_cell(heading), scope="row"),
        *(
            tag("td", *_cell(cell), data_column=column.text, title=cell.why or None)
            for column, cell in zip(columns, cells, strict=True)
        ),
    )


def _detail(record: Table, more: Opened | None) -> Markup | None:
    """A row with the sentences below a row, across all columns."""
    if more is None or not more.detail:
        return None
    return tag("tr", tag("td", marked(more.detail), colspan=len(record.columns), class_="detail"))


def _cell(cell: Cell) -> list[Markup | None]:
    """Return the text of a cell, with all digits for programs that read the page, and the lines below it."""
    is_marked: dict[str, str | None] = {"off": MARKED["beyond noise"], "after": MARKED["recalibrated"]}
    look = "faint" if cell.faint else is_marked.get(cell.look, "bold" if cell.bold else None)
    text = tag("span", cell.text, class_=look)
    if cell.numbers:
        (name, value), *others = cell.numbers
        more = {f"data_{other.replace('_', '-')}": repr(float(number)) for other, number in others}
        text = tag("data", cell.text, value=repr(float(value)), data_what=name, class_=look, **more)
    return [
        text,
        tag("span", f" {cell.aside}", class_="faint") if cell.aside else None,
        None if cell.strip is None else tag("div", strips([cell.strip]), class_="strip"),
        None if cell.bar is None else bar(cell.bar),
        *(tag("small", line) for line in cell.below.split("\n") if line),
    ]


def bar(length: float) -> Markup:
    """A thin bar, filled to a length from 0 to 1."""
    filled = tag("rect", width=f"{100 * min(1.0, max(0.0, length)):.1f}", height=6, class_="filled")
    empty = tag("rect", width=100, height=6, class_="empty")
    whole = {"viewBox": "0 0 100 6", "class_": "bar", "preserveAspectRatio": "none", "aria_hidden": "true"}
    return tag("svg", empty, filled, **whole)


def made(program: str) -> Markup:
    """The last section: the versions of the software, and the program that gives the numbers again."""
    said = paragraph(versions(), " The program below gives the same numbers again.")
    copy = tag("button", "Copy", type="button", class_="copy", data_copies="code")
    shown = tag("div", copy, tag("pre", tag("code", program, id="code")), class_="code")
    return section("How it was made", said, shown, identity="made")
