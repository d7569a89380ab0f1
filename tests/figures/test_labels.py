"""Words in pictures: they cover no dot, no end of a bar and no other words, in small plots and in larger ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from calibviz.data.nouns import nouns
from calibviz.engine.binnings.binning import Uniform
from calibviz.engine.scalar import ScalarProblem
from calibviz.figures import Wording, WorstSegment, reliability_figure, stretched
from calibviz.figures.labels import LARGE, NARROW, WIDE, size_of, text_width
from calibviz.figures.records import BARS
from calibviz.figures.styles import STYLES

AS_LARGE = {WIDE: (1.0, 1.3, 1.6), NARROW: (1.0, 1.25), LARGE: (1.0, 1.1, 1.25)}  # the plots that a paper stands for
TOWARDS = {"left": -1, "middle": 0, "right": 1}


def drawn(groups, event="had the disease", segment=None, threshold=None):
    score = np.concatenate([np.full(n, score) for score, n, _ in groups])
    problem = ScalarProblem(score, np.concatenate([np.arange(n) < round(share * n) for _, n, share in groups]))
    wording = Wording(nouns("people", event), segment=segment)
    return reliability_figure([problem], [Uniform(15)(problem)], wording=wording, threshold=threshold)


def marks(figure, place):
    """The dots with their radii, and the ends of bars, in pixels."""
    for series in figure.series:
        is_bar = series.role in BARS and series.shape == "line"
        if is_bar or (series.shape == "dots" and series.role not in ("handle", "on the curve", "threshold")):
            areas = [0.0] * len(series.x) if is_bar else series.areas or [STYLES[series.role].size] * len(series.x)
            for x, y, area in zip(series.x, series.y, areas, strict=True):
                if np.isfinite([x, y]).all():
                    yield (*place(x, y), 0.5 * np.sqrt(area))


def boxes(labels, place, has_details):
    for label in labels:
        width, height = size_of(label.lines, has_details)
        x, y = place(label.x, label.y)
        left = x + TOWARDS[label.side] * label.apart - (1 - TOWARDS[label.side]) / 2 * width
        yield label, (left, y + label.above - height / 2, left + width, y + label.above + height / 2)


def faults(figure, paper, scale):
    """What is wrong with the words in a plot as wide and high as the smallest of a kind times a scale."""
    low, high = figure.x_range
    wide, tall = paper.width * scale, paper.height * scale

    def place(x, y):
        return (x - low) / (high - low) * wide, y * tall

    labels = {WIDE: figure.labels, NARROW: figure.narrow, LARGE: figure.large}[paper]
    found = list(boxes([label for label in labels if label.moves and not label.is_needed], place, paper.has_details))
    for i, (label, (left, bottom, right, top)) in enumerate(found):
        words = label.lines[0][0].text
        if left < -1 or right > wide + 1 or bottom < -4 or top > tall + 6:
            yield f"{words} leaves the plot"
        for x, y, radius in marks(figure, place):
            across, up = max(left - x, 0, x - right), max(bottom - y, 0, y - top)
            if max(across, up) < radius - 0.5 or (across == up == 0):
                yield f"{words} covers the mark at {x:.0f}, {y:.0f}"
        for other, box in found[:i]:
            if left < box[2] and box[0] < right and bottom < box[3] and box[1] < top:
                yield f"{words} covers {other.lines[0][0].text}"


GROUPS = st.lists(st.tuples(st.floats(0.01, 0.99), st.integers(5, 400), st.floats(0.0, 1.0)), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(GROUPS, st.sampled_from(["had it", "had the disease", "died within a year of the operation"]), st.booleans())
def test_no_words_cover_a_dot_or_leave_the_plot(groups, event, is_stretched):
    figure = drawn(groups, event)
    figure = stretched(figure) if is_stretched else figure
    for paper, scales in AS_LARGE.items():
        for scale in scales:
            assert list(faults(figure, paper, scale)) == []


def labelled(figure):
    return [label for label in figure.labels if label.moves == "around"]


@pytest.mark.parametrize(
    ("groups", "count"),
    [
        ([(0.05 + 0.06 * k, 40, 0.0) for k in range(15)], 2),  # all at the bottom, one beside the other
        ([(0.75, 35, 0.4), (0.82, 30, 0.57), *((0.35 + 0.06 * k, 90, 0.42) for k in range(6))], 1),
        ([(0.04, 39, 0.21), (0.1, 60, 0.12), (0.3, 50, 0.3)], 1),  # in the corner
    ],
)
def test_a_dot_that_is_off_has_words_where_there_is_a_place(groups, count):
    """Beside other dots there is none; then they stand elsewhere, and a line leads to the dot."""
    figure = drawn(groups)
    assert len(labelled(figure)) >= count
    bins = next(series for series in figure.series if series.role == "bins")
    dots = {(round(x, 9), round(y, 9)) for x, y in zip(bins.x, bins.y, strict=True)}
    for label in labelled(figure):
        x, y = label.about or (label.x, label.y)
        assert (round(x, 9), round(y, 9)) in dots


def test_words_stand_on_the_side_away_from_the_diagonal_where_they_can():
    above, below = (labelled(drawn([(0.5, 100, share)]))[0] for share in (0.8, 0.2))
    assert (above.side, below.side) == ("left", "right") and above.about is below.about is None


def test_a_segment_has_its_name_even_where_no_place_is_free():
    segment = WorstSegment("A name of a segment that is far too long to be seen", 90, 0.5, 0.9, 0.8, 0.95)
    crowd = [(0.03 + 0.06 * k, 60, 0.9) for k in range(16)]
    label = next(label for label in drawn(crowd, segment=segment).labels if label.is_needed)
    assert label.lines[0][0].text.startswith("A name of a segment")


def test_the_remarks_on_the_sides_give_way_to_a_threshold():
    groups = [(0.2, 100, 0.2), (0.7, 100, 0.7)]
    assert len(drawn(groups).labels) == 3
    (diagonal,) = drawn(groups, threshold=0.3).labels
    assert diagonal.lines[0][0].text == "predicted = observed"


def test_a_wide_text_is_wider():
    assert text_width("iiii") < text_width("aaaa") < text_width("aaaa", is_bold=True) < text_width("mmmm")
    assert text_width("") == 0.0
