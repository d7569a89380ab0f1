"""The panel Instances: the samples of a bin, those whose scores are the farthest from the truth first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....figures.tables import Cell, Column, Table
from ..situation import Situation
from .content import Content

Array = NDArray[np.float64]

MOST_INSTANCES = 50


def instances(look: Situation) -> Content:
    """The samples of the chosen bin, or all samples, the most miscalibrated first."""
    if look.of_summary:
        return Content((), "A summary holds sums, not samples.")
    rows = chosen_rows(look)
    chosen = () if look.spec.bin is None else (look.spec.bin, len(look.bins(look.before)[0]), *rows[:1], len(rows))
    key = ("instances", look.name, *chosen)
    return look.engine.latest(look.before.problems[0], key, lambda: _instances(look, rows))


def _instances(look: Situation, rows: NDArray[np.intp]) -> Content:
    spec, side = look.spec, look.before
    predictions, problem = side.predictions[0], side.problems[0]
    bins = look.bins(side)[0]
    where = (
        "all bins: click one in the reliability diagram" if spec.bin is None else f"bin {spec.bin + 1} of {len(bins)}"
    )
    if not len(rows):
        return Content((), f"No sample lies in {where}.")
    gap = np.abs(problem.score[rows] - problem.given_target[rows])
    worst = (
        rows[np.argsort(-gap, kind="stable")[:MOST_INSTANCES]]
        if len(rows) < 5 * MOST_INSTANCES
        else (rows[_largest(gap, MOST_INSTANCES)])
    )
    fields = predictions.fields
    columns = [
        Column("index", "of the sample, from 0"),
        *([Column("picture")] if predictions.images is not None else []),
    ]
    columns += [Column("label"), Column("predicted", "the likeliest class"), Column("confidence", "its probability")]
    columns += [
        Column("score", f"what {look.name} says"),
        Column("target", "what is true"),
        *(Column(n) for n in fields),
    ]
    table = []
    for place in worst:
        i = int(problem.order[place])
        label = "soft" if predictions.labels is None else predictions.class_names[predictions.labels[i]]
        table.append(
            (
                Cell(str(i)),
                *(
                    [Cell(f"image of sample {i}", picture=predictions.image_url(i))]
                    if predictions.images is not None
                    else []
                ),
                Cell(label),
                Cell(predictions.class_names[predictions.predicted[i]]),
                Cell(f"{100 * float(predictions.confidence[i]):.1f} %"),
                Cell(f"{100 * problem.score[place]:.1f} %"),
                Cell(f"{100 * problem.given_target[place]:.0f} %"),
                *(Cell(_field(column[i])) for column in fields.values()),
            )
        )
    said = f"{len(rows):,} samples in {where}{', of the first trial' if len(look.trials) > 1 else ''}"
    note = f"The {len(table)} whose score is farthest from the truth." if len(table) < len(rows) else ""
    return Content((Table("instances", "", tuple(columns), tuple(table), f"{said}.", note),), f"{said}.")


def chosen_rows(look: Situation) -> NDArray[np.intp]:
    """The places, in the sorted problem, of the samples of the chosen bin."""
    problem, spec = look.before.problems[0], look.spec
    if spec.bin is None:
        return np.arange(len(problem))
    bins = look.bins(look.before)[0]
    if spec.bin >= len(bins) or not bins.weight[spec.bin]:
        return np.arange(0)
    first, count = (
        int(bins.count[: spec.bin].sum()),
        int(bins.count[spec.bin]),
    )  # the bins follow the order of the scores
    if not count:
        first, count = first - 1, 1  # the bin lies within a sample of large weight
    return np.arange(first, min(first + count, len(problem)))


def _largest(values: Array, k: int) -> NDArray[np.intp]:
    """The places of the k largest values, the largest first."""
    top = np.argpartition(-values, k)[:k]
    return top[np.argsort(-values[top], kind="stable")]


def _field(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)
