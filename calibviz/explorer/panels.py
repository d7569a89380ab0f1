"""The panels: each shows one part of a `View`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import ipywidgets

from ..figures import percent
from .engine import Category, View
from .marks import Plot, legend
from .transport import HTML, Transport, assign

HEIGHTS = {"reliability": "290px", "histogram": "110px", "cumulative": "400px", "recalibration": "400px"}


class PlotPanel:
    """A heading with a legend, and one figure or several below each other."""

    def __init__(self, view: View, names: Sequence[str], transport: Transport) -> None:
        self._heading = HTML(transport=transport)
        self._plots = {name: Plot(view.figures[name], transport, HEIGHTS[name]) for name in names}
        self._first = names[0]
        self.widget = ipywidgets.VBox([self._heading, *(plot.widget for plot in self._plots.values())])
        self.widget.add_class("calibviz-panel")
        self.draw(view)

    def draw(self, view: View) -> None:
        record = view.figures[self._first]
        assign(self._heading, value=f"<h3>{escape(record.title)}</h3>{legend(record.series)}")
        for name, plot in self._plots.items():
            plot.draw(view.figures[name])


class NumbersPanel:
    """The headline numbers before and after recalibration, and the Likert categories."""

    def __init__(self, view: View, transport: Transport) -> None:
        self._table = HTML(transport=transport)
        self.widget = ipywidgets.VBox([self._table])
        self.widget.add_class("calibviz-panel")
        self.widget.add_class("calibviz-numbers")
        self.draw(view)

    def draw(self, view: View) -> None:
        assign(self._table, value=_headline(view) + _likert(view.categories))


def _headline(view: View) -> str:
    spec = view.spec
    binning = "monotone sweep" if spec.binning == "sweep" else f"{spec.binning}, {_bins(spec.bins)}"
    joint, of_one = ("joint ", " of the outcome") if view.outcomes else ("", "")
    head = [
        ("", ""),
        ("samples", "how many of the held-out samples the selection keeps"),
        ("accuracy", "share of them whose likeliest class is the right one"),
        ("mean score", "what the model says on average, through this lens"),
        ("mean target", "what is true on average"),
        (
            f"{joint}ECE ({binning})",
            "mean distance of mean score and mean target over the bins, weighted by their samples",
        ),
        (
            f"ECE{of_one} (sweep)",
            "the same of one score, on as many equal-mass bins as keep the mean target from falling (Roelofs et al.)",
        ),
        (f"KS{of_one}", "largest distance of the cumulative curves: an error without bins (Gupta et al.)"),
    ]
    rows = [
        (
            name,
            f"{side.count:,} of {view.held_out:,}",
            percent(side.accuracy),
            percent(side.mean_score),
            percent(side.mean_target),
            _maybe(side.ece),
            f"{percent(side.sweep)} <small>in {_bins(side.sweep_bins)}</small>",
            percent(side.ks),
        )
        for name, side in (("before", view.before), (f"after (spline, {spec.knots} knots)", view.after))
    ]
    note = f"<div>{escape(view.note)}</div>" if view.note else ""
    return "<h3>Held-out samples, before and after recalibration</h3>" + _table(head, rows) + note


def _likert(categories: Sequence[Category]) -> str:
    if not categories:
        return ""
    rows = [
        (
            escape(one.name),
            *(f"{side['count']:,}" for side in (one.before, one.after)),
            *(_maybe(side["mean_target"]) for side in (one.before, one.after)),
            *(_maybe(side["error"]) for side in (one.before, one.after)),
        )
        for one in categories
    ]
    columns = {
        "samples": "how many scores lie in the category; one on a cut point counts in both",
        "mean target": "what is true of them on average",
        "error": "how far the mean target of a bin lies outside the category, on average (Kirchenbauer et al.)",
    }
    head = [("category", "")]
    head += [(f"{what} {side}", why) for what, why in columns.items() for side in ("before", "after")]
    note = "<small>A score on a cut point counts in both categories.</small>"
    return "<h3>Likert categories and their inter-interval error</h3>" + _table(head, rows) + note


def _bins(count: int) -> str:
    return f"{count} bin" if count == 1 else f"{count} bins"


def _maybe(value: float | None) -> str:
    return "&ndash;" if value is None or math.isnan(value) else percent(value)


def _table(head: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> str:
    """Rows of HTML cells under headings, each with an explanation."""
    columns = "".join(f'<th scope="col" title="{escape(why)}">{cell}</th>' for cell, why in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"
