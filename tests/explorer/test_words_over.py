"""Words over a picture in the page: in the place of the plot where they belong, and never as HTML of somebody else."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz import figures
from calibviz.explorer.view.panels.words_over import words_over
from calibviz.figures import Label, Run, Series
from calibviz.figures.styles import VERMILION

MARGIN = {"left": 40, "right": 10, "top": 20, "bottom": 30}
SPANS = {"x": {"min": -1.0, "max": 3.0}, "y": {"min": 0.0, "max": 2.0}}


def picture(*labels, series=(), level=False):
    return figures.Figure("p", "", "x", "of 100 <people>", series, "A picture.", labels=labels, has_level_names=level)


def test_a_picture_without_words_has_none():
    assert words_over(picture(), MARGIN, SPANS) == ""


def test_a_place_is_a_share_of_the_plot_inside_its_margins():
    """x = 0 is a quarter of -1 to 3 from the left; y = 1.5 a quarter of 0 to 2 from the top, and 9 px above that."""
    said = words_over(picture(Label(0.0, 1.5, ((Run("here"),),), "left", 9.0, 7.0)), MARGIN, SPANS)
    assert 'class="left"' in said
    assert "left:calc(40px + (100% - 50px)*0.2500)" in said
    assert "top:calc(11px + (100% - 50px)*0.2500)" in said
    assert "--apart:7px" in said


def test_lines_runs_weights_and_details():
    line = (Run("26 had it", VERMILION, True), Run(" (59 of 100)", is_detail=True))
    said = words_over(picture(Label(0.0, 0.0, ((Run("44 people"),), line), until=1.0)), MARGIN, SPANS)
    assert 'class="right bare"' in said and "<div><span>44 people</span></div>" in said
    strong, detail = re.search("<b[^>]*>26 had it</b>", said), re.search("<span[^>]*> .59 of 100.</span>", said)
    assert "color:" in strong.group() and 'class="detail"' in detail.group() and "color:" not in detail.group()


def test_what_others_wrote_is_escaped():
    said = words_over(picture(Label(0.0, 0.0, ((Run('<img src=x onerror="a()">'),),)), level=True), MARGIN, SPANS)
    assert "<img" not in said and "&lt;img src=x" in said and "of 100 &lt;people&gt;" in said
    assert 'class="name"' in said


@pytest.mark.parametrize(
    ("role", "of_class"), [("handle", "middle pill handle"), ("threshold", "middle pill threshold")]
)
def test_what_is_dragged_bears_its_number(role, of_class):
    dragged = Series("", role, "dots", np.array([0.0, 0.2, 0.705]), np.zeros(3))
    said = words_over(picture(series=(dragged,), level=True), MARGIN, SPANS)
    assert [html.unescape(n) for n in re.findall(f'<div class="middle pill {role}"[^>]*>([^<]*)</div>', said)] == [
        "20 %",
        "70.5 %",
    ]
    assert words_over(picture(series=(dragged,)), MARGIN, SPANS) == ""  # its axis has numbers of its own


def test_a_number_on_a_stretched_axis_is_the_score():
    dragged = Series("", "handle", "dots", np.array([0.0]), np.zeros(1))
    said = words_over(replace(picture(series=(dragged,), level=True), is_stretched=True), MARGIN, SPANS)
    assert "50 %" in said


def test_the_explorer_sends_words_only_when_they_change():
    explorer = cv.Explorer(
        cv.load_dataset("heart")["logistic regression"], likert=(0, 0.2, 0.7, 1), calibrator="spline"
    )
    explorer.finish()
    figure = screen(explorer).figure("reliability", "reliability")
    transport = explorer._transport
    words = transport.labels[figure.model_id]
    sides = "more had it than predicted", "fewer had it than predicted"
    for piece in ("Zurich and Basel", "20 %", "70 %", *sides, "this many had the disease"):
        assert piece in html.unescape(words), piece
    (drawn,) = (record for record in screen(explorer).records("reliability") if record.name == "reliability")
    for labels in (drawn.labels, drawn.large, drawn.narrow):  # the words in the upper left leave room for both sides
        assert [label.x for label in labels if label.moves == "along"] == [0.0, 1.0]
    sent = []
    transport.observe(lambda change: sent.append(change.new), "labels")
    explorer.state.likert = ()
    explorer.finish()
    assert sent and "20 %" not in sent[-1][figure.model_id]
    sent.clear()
    explorer.state.bin = 3
    explorer.finish()
    assert sent == []
    explorer.close()
