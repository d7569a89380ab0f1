"""The panel Reliability: the reliability diagram, and the histogram of the scores below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .... import figures
from ....context.class_lenses import Pooled
from ....figures import Overlay
from ....uncertainty.intervals import INTERVAL_LEVEL, interval_of
from ..situation import Situation
from .content import Content


def reliability(look: Situation) -> Content:
    """The reliability diagram, with bars, overlays, curves and Likert categories, and the histogram of the scores."""
    spec, side = look.spec, look.before
    bins, note = look.bins(side), ""
    bars: Any = None
    name = f"{100 * INTERVAL_LEVEL:g} % interval"
    if spec.interval == "none" or len(side.problems) > 1:
        bars = "none" if spec.interval == "none" else None
    elif spec.interval != "clopper-pearson" and isinstance(look.lens, Pooled):
        bars, note = "none", f"No {spec.interval} bars: they take scores for independent, and these are not."
    elif spec.interval != "clopper-pearson":
        problem, binning = side.problems[0], spec.make_binning()

        def steps() -> Iterator[tuple[float, Any]]:
            yield 1.0, interval_of(spec.interval, problem, binning, bins[0], n=400)

        job = look.engine.jobs.get(("bars", side.key, spec.interval, binning), f"{spec.interval} bars", steps)
        bars, note = ("none" if job.value is None else job.value), job.ended_early
        if spec.interval == "consistency":
            name = f"{100 * INTERVAL_LEVEL:g} % consistency bars"
    overlays = [Overlay(label, other.problems, look.bins(other)) for label, other in look.overlays]
    current = spec.bin if spec.bin is not None and spec.bin < len(bins[0]) else None
    categories = spec.categories()
    edges = sorted({end for ends in categories.values() for end in ends})
    diagram = figures.reliability_figure(
        side.problems, bins, look.name, categories=categories, bars=bars, bars_name=name, overlays=overlays,
        curves=spec.curves, current=current, draggable=edges,
    )  # fmt: skip  # short entries stand in rows
    histogram = look.engine.of(
        side.problems[0], ("histogram", look.name), lambda: figures.histogram_figure(side.problems, look.name)
    )
    if len(look.trials) > 1 and spec.binning in ("sweep", "k-d tree"):
        note = f"All trials in {len(bins[0])} equal-mass bins, as many as the {spec.binning} of the first has."
    return Content((diagram, histogram), note)
