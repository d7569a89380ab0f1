"""The histogram of the scores, below the diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....engine.scalar import ScalarProblem
from ....foundation.arrays import Array
from ....foundation.written import chosen_percent, percent
from ...records import Figure, Label, Run
from ...shapes import histogram, nothing, over_trials
from ...styles import BLUE, GREEN_TEXT, VERMILION_TEXT
from .words import HUNDREDS_WITH_SIGN, SPAN

HISTOGRAM_BINS = 40


def histogram_figure(
    problems: Sequence[ScalarProblem],
    what: str = "top-1",
    edges: Array | None = None,
    among: Sequence[ScalarProblem] | None = None,
    x_label: str = "predicted (score)",
    noun: str = "samples",
    worst: tuple[str, ScalarProblem] | None = None,
    after: tuple[str, Sequence[ScalarProblem]] | None = None,
) -> Figure:
    """How many samples have a score between edges, by default fortieths of the score range; the mean over trials.

    All samples are grey, and what is looked at of them stands in colour on it: the samples of a selection, or those of
    the segment that is off, which is given by its words and its problem. A green outline shows the scores after a
    calibrator, which is given by its name and its problems. The axis is that of `among`, of which the
    problems are a part, so it stays as it is while another part is selected.
    """
    if edges is None:
        edges = np.arange(HISTOGRAM_BINS + 1) / HISTOGRAM_BINS
    count, everything = (_counts_between(edges, some) for some in (problems, among or problems))
    moved = nothing("after histogram", "line")
    if after is not None:
        moved = histogram("", "after histogram", "line", edges, _counts_between(edges, after[1]))
    top, most = int(count.argmax()), float(max(everything.max(), moved.y.max(initial=1.0)))
    said = [Run(f"all {everything.sum():,.0f} {noun}")]
    if among is not None:
        said.append(Run(f"{count.sum():,.0f} of them selected", BLUE))
    elif worst is not None:
        said.append(Run(worst[0], VERMILION_TEXT))
    if after is not None:
        said.append(Run(f"after {after[0]}", GREEN_TEXT))
    has_two_more = len(said) > 2  # then a narrow picture has no room for the first
    if has_two_more:
        said[0] = replace(said[0], text=f"{said[0].text} · ", is_detail=True)
    after_first = 1 + has_two_more
    said[after_first:] = [replace(run, text=f" · {run.text}") for run in said[after_first:]]
    return Figure(
        "histogram",
        "",
        x_label,
        "",
        (
            histogram("", "everything", "area", edges, everything),
            nothing("histogram", "area") if among is None else histogram("", "histogram", "area", edges, count),
            nothing("worst histogram", "area")
            if worst is None or among is not None
            else histogram("", "worst histogram", "area", edges, _counts_between(edges, [worst[1]])),
            moved,
        ),
        f"Histogram of the scores of {what}{describe_trials(problems)}: the fullest of {len(count)} intervals, from "
        f"{chosen_percent(edges[top])} to {chosen_percent(edges[top + 1])}, holds "
        f"{percent(float(count[top] / count.sum()))} of the samples.",
        x_in_percent=True,
        x_ticks=HUNDREDS_WITH_SIGN,
        y_range=(0.0, most),
        score_at=np.array(SPAN),
        y_ticks=((0.0, ""),),
        has_level_names=True,
        labels=(Label(0.5, most, (tuple(said),), "middle", 9.0),),
    )


def _counts_between(edges: Array, problems: Sequence[ScalarProblem]) -> Array:
    """The samples between edges, on average over the trials; weighted ones by their share of the weight."""
    return over_trials([problem.between(edges, "left")[0] / problem.total * problem.samples for problem in problems])[0]


def describe_trials(problems: Sequence[ScalarProblem]) -> str:
    """Return words on how many trials are averaged, for the description of a picture; empty of a single one."""
    return f", mean of {len(problems)} trials" if len(problems) > 1 else ""
