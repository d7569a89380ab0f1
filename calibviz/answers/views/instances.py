"""The panel Samples: the samples of a bin, those whose scores are the farthest from the truth first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...context.lenses import Problem
from ...data.nouns import Nouns
from ...data.predictions import Predictions
from ...engine.binnings.bins import Bins
from ...figures.pictures.reliability.words import FEW
from ...figures.tables import Cell, Column, Place, Table
from ...foundation.arrays import Array, missing_in
from ...foundation.marked import strong
from ...foundation.written import interval, of_hundred, percent, spaced, with_minus
from ...metrics.binned import effective_counts
from ...uncertainty.intervals.bin_intervals import target_interval
from ..asked.spec import OF_BINS, OF_DRAWN
from ..situation.content import Content
from ..situation.reading import reads
from ..situation.situation import Situation

#: The headings of columns whose terms a first reader need not know.
PLAIN_WORDS = {"predicted": "predicted class", "score": "predicted", "target": "observed"}
#: The names and headings of the columns that are no fields.
TAKEN = ("index", "picture", "label", "predicted", "confidence", "score", "target", *PLAIN_WORDS.values())
MOST_INSTANCES = 50
MOST_PROBABILITIES = 10
TINY = 1e-9  # the spread where all is predicted for sure, so that any difference is the largest


@reads(*OF_DRAWN, *OF_BINS, "bin", "order", "sample")
def instances(situation: Situation) -> Content:
    """The samples of the chosen bin, or all samples, the most miscalibrated first."""
    if situation.of_summary:
        return Content((), "A summary holds sums, not samples.")
    rows, chosen = chosen_rows(situation), situation.spec.bin
    bins, problem = situation.bins(situation.drawn)[0], situation.drawn.problems[0]
    where = "all bins: a click on a dot of the diagram shows its own"
    if chosen is not None:
        where = ", ".join(filter(None, (f"bin {chosen + 1} of {len(bins)}", bin_in_words(situation))))
    if not len(rows):
        return Content((), f"No sample lies in {where}.")
    content = _listed(situation, int(rows[0]), len(rows), where)
    of_bin = "" if chosen is None or bins.score.ndim > 1 else f": on average {_means_of(bins, problem, chosen)}"
    furthest = _furthest_off(bins, problem, situation.nouns) if chosen is None else ""
    said = " ".join(filter(None, (f"{content.note}{of_bin}.", furthest)))
    content = replace(content, marked=said, note="A click on a sample shows all of it.")
    sample = situation.spec.sample
    if sample is None or sample >= len(situation.drawn.predictions[0]):
        return content
    listed = [record for record in content.records if isinstance(record, Table)]
    samples = [sample_of(content, i) for i in range(len(listed[0].rows))] if listed else []
    if sample in samples:
        listed[0] = replace(listed[0], current=(samples.index(sample), None))
    return replace(content, records=(*listed, _whole_row(situation, sample)))


def bin_in_words(situation: Situation) -> str:
    """The scores of the chosen bin, such as "predicted 60 to 67 %"; empty without one, and under a vector lens."""
    chosen = situation.spec.bin
    if chosen is None:
        return ""
    bins = situation.bins(situation.drawn)[0]
    if chosen >= len(bins) or bins.left is None or bins.right is None:
        return ""
    return f"predicted {interval(float(bins.left[chosen]), float(bins.right[chosen]))}"


def sample_of(content: Content, row: int) -> int:
    """The index of the sample in a row of the list."""
    (listed, *_) = content.records
    assert isinstance(listed, Table)
    return int(listed.rows[row][0].text)


def _whole_row(situation: Situation, sample: int) -> Table:
    """All that is known of one sample: its probabilities, the largest first, and its fields."""
    predictions = situation.drawn.predictions[0]
    probs, names = predictions.probs[sample], predictions.class_names
    truth = predictions.target_of(np.arange(len(probs))[None], slice(sample, sample + 1))[0]
    order = np.argsort(-probs, kind="stable")
    likeliest = order[:MOST_PROBABILITIES]
    shown = [*likeliest, *(c for c in np.flatnonzero(truth) if c not in likeliest)]
    rows = tuple(
        (
            Cell(names[c]),
            Cell(f"{100 * float(probs[c]):.2f} %", bar=min(1.0, float(probs[c]))),
            Cell(f"{100 * float(truth[c]):.0f} %" if truth[c] else "", why="what is true"),
        )
        for c in shown
    )
    fields = "; ".join(f"{spaced(name)}: {_field(column[sample])}" for name, column in predictions.fields.items())
    left_out = len(probs) - len(shown)
    rest = f"{left_out:,} more classes, predicted {100 * float(np.delete(probs, shown).sum()):.2f} % together."
    return Table(
        "sample",
        f"Sample {sample}",
        (Column("class"), Column("predicted", "its probability"), Column("observed", "what is observed of it")),
        rows,
        f"The probabilities of sample {sample}, the largest first.",
        " ".join(filter(None, (rest * bool(left_out), fields))),
        places=tuple(Place(classes=(int(c),)) for c in shown),
    )


def _furthest_off(bins: Bins, problem: Problem, nouns: Nouns) -> str:
    """The bin whose predicted and observed differ most, given how many samples it holds; empty where all hold too few.

    It is empty as well under a lens of several outcomes, each of which has scores of its own.
    """
    if bins.score.ndim > 1:
        return ""
    held = effective_counts(bins, problem)
    predicted = np.clip(bins.score, 0.0, 1.0)  # a mean may be 1 and a rounding error
    spread = np.sqrt(predicted * (1 - predicted) / np.maximum(held, 1.0))  # of the observed, if calibrated
    off = np.abs(bins.target - bins.score) / np.maximum(spread, TINY)
    judged = np.flatnonzero((held >= FEW) & np.isfinite(off))
    if not len(judged):
        return ""
    worst = int(judged[np.argmax(off[judged])])
    said = _means_of(bins, problem, worst)
    return f"Bin {worst + 1} of {len(bins)} is the furthest off for the number of its {nouns.many}: {said}."


def _means_of(bins: Bins, problem: Problem, place: int) -> str:
    low, high = (float(end[place]) for end in target_interval(bins, problem))
    known = [] if np.isnan(low) else [low, high]
    predicted, observed, *ends = of_hundred(bins.score[place], bins.target[place], *known)
    return f"predicted {predicted}, observed {strong(observed)} of 100" + (f" ({' to '.join(ends)})" if ends else "")


@reads(*OF_DRAWN, "order")
def _listed(situation: Situation, first: int, count: int, where: str) -> Content:
    """The list of some of so many samples, from the first of the sorted problem on, and how many these are."""
    spec, side = situation.spec, situation.drawn
    predictions, problem = side.predictions[0], side.problems[0]
    rows = np.arange(first, first + count)
    shown = _columns(situation)
    by, ascending = spec.order.removeprefix("-"), not spec.order.startswith("-")
    by = by if by in shown and by != "picture" else ""
    listed = rows[_order(situation, rows, shown.get(by), ascending)[:MOST_INSTANCES]]
    chosen: dict[str, Literal["ascending", "descending"]] = {by: "ascending" if ascending else "descending"}
    headings = {name: PLAIN_WORDS.get(name, spaced(name)) for name in shown}
    columns = tuple(
        Column(text, shown[name].meaning, "" if name == "picture" else chosen.get(name, "none"))
        for name, text in headings.items()
    )
    table = tuple(zip(*(map(each.cell, each.values(listed)) for each in shown.values()), strict=True))
    said = (
        f"{situation.nouns.counted(len(rows))} in {where}{', of the first trial' if len(situation.trials) > 1 else ''}"
    )
    which = (
        f"The first {len(table)} by {headings[by]}."
        if by
        else f"The {len(table)} whose score is farthest from the truth."
    )
    note = which if len(table) < len(rows) else ""
    labels = predictions.labels
    places = tuple(
        Place(
            float(problem.score[place]),
            float(problem.given_target[place]),
            classes=() if labels is None else (int(labels[problem.order[place]]),),
        )
        for place in listed
    )
    record = Table("instances", "", columns, table, f"{said}.", note, clickable="rows", places=places)
    return Content((record,), said, tuple(shown))


@dataclass(frozen=True)
class SampleColumn:
    """A column of the list: its meaning, its values at some places of the sorted problem, and the cell of a value."""

    meaning: str
    values: Callable[[NDArray[np.intp]], NDArray[Any]]
    cell: Callable[[Any], Cell]


def _columns(situation: Situation) -> dict[str, SampleColumn]:
    """The columns of the list by name: what is predicted and true of each sample, then its fields."""
    p, problem = situation.drawn.predictions[0], situation.drawn.problems[0]
    names, target, every = p.class_names, problem.given_target, np.arange(len(p))

    def of_samples(column: NDArray[Any], text: Callable[[Any], str], meaning: str = "") -> SampleColumn:
        return SampleColumn(meaning, lambda places: column[problem.order[places]], lambda value: Cell(text(value)))

    picture = replace(of_samples(every, str), cell=lambda i: Cell(f"image of sample {i}", picture=p.image_url(i)))
    soft = of_samples(np.zeros(len(p)), lambda _: "soft")
    return {
        "index": of_samples(every, str, "of the sample, from 0"),
        **({} if p.images is None else {"picture": picture}),
        "label": soft if p.labels is None else of_samples(p.labels, names.__getitem__),
        **({} if p.of_confidence else {"predicted": of_samples(p.predicted, names.__getitem__, "the likeliest class")}),
        "confidence": of_samples(
            p.confidence, lambda share: percent(float(share)), "the probability of the predicted class"
        ),
        "score": SampleColumn(
            f"the score: what is predicted of {situation.name}",
            lambda places: problem.score[places],
            lambda share: Cell(percent(share)),
        ),
        "target": SampleColumn(
            "the target: what is true", lambda places: target[places], lambda share: Cell(f"{100 * share:.0f} %")
        ),
        **{name: of_samples(values, _field) for name, values in _fields(p).items()},
    }


def _fields(predictions: Predictions) -> dict[str, NDArray[Any]]:
    """The fields, and notes of single samples, by the names of their columns, which differ from those of all others."""
    columns = predictions.notes | predictions.fields
    return {f"{name} (field)" if name in TAKEN else name: column for name, column in columns.items()}


def _order(situation: Situation, rows: NDArray[np.intp], by: SampleColumn | None, ascending: bool) -> NDArray[np.intp]:
    """The places of rows in the order that is asked for; by default the farthest from the truth first.

    What is missing comes last.
    """
    if by is None:
        problem = situation.drawn.problems[0]
        gap = np.abs(problem.score[rows] - problem.given_target[rows])
        return np.argsort(-gap, kind="stable") if len(rows) < 5 * MOST_INSTANCES else _largest(gap, MOST_INSTANCES)
    values = by.values(rows)
    order = np.argsort(values, kind="stable")
    if ascending:
        return order
    missing = int((values != values).sum())
    return np.concatenate([order[: len(order) - missing][::-1], order[len(order) - missing :]])


def chosen_rows(situation: Situation) -> NDArray[np.intp]:
    """The places, in the sorted problem, of the samples of the chosen bin."""
    problem, spec = situation.drawn.problems[0], situation.spec
    if spec.bin is None:
        return np.arange(len(problem))
    bins = situation.bins(situation.drawn)[0]
    if spec.bin >= len(bins) or not bins.weight[spec.bin]:
        return np.arange(0)
    # The bins follow the order of the scores.
    first, count = int(bins.count[: spec.bin].sum()), int(bins.count[spec.bin])
    if not count:
        first, count = first - 1, 1  # the bin lies within a sample of large weight
    return np.arange(first, min(first + count, len(problem)))


def _largest(values: Array, k: int) -> NDArray[np.intp]:
    """The places of the k largest values, the largest first."""
    top = np.argpartition(-values, k)[:k]
    return top[np.argsort(-values[top], kind="stable")]


def _field(value: Any) -> str:
    if missing_in(np.asarray([value]))[0]:
        return "–"
    text = f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)
    return with_minus(text) if isinstance(value, float | int | np.floating | np.integer) else text
