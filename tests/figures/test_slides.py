"""Pictures as wide as a slide: their caption, their columns, and that nothing lies on anything else."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.legend import Legend
from matplotlib.offsetbox import AnnotationBbox
from matplotlib.text import Text

import calibviz as cv
from calibviz.figures import Figure, Grid, Label, Run, Series
from calibviz.figures.captions import Caption
from calibviz.figures.styles import GREEN, GREEN_TEXT, VERMILION, VERMILION_TEXT
from calibviz.figures.tables import Cell, Column, Opened, Strip, Table
from calibviz.foundation.marked import aside, off, runs, strong
from calibviz.plots.slides import SHAPE, slide

CAPTION = Caption(
    (runs("Too high: predicted 60 of 100, observed 50."), runs(f"In East observed {off('9')} {aside('(8 people)')}.")),
    {"data": "Hearts", "n": "9"},
)


def figure(name: str, title: str = "A title") -> Figure:
    line = Series("a line", "before", "line", np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    return Figure(name, title, "predicted", "observed", (line,), "alt")


def table(rows: int) -> Table:
    return Table("t", "A table", (Column("a"), Column("b")), tuple((Cell("x"), Cell("1")) for _ in range(rows)), "alt")


GRID = Grid("g", "A grid", ("row",), ("a", "b"), np.array([[1.0, 2.0]]), "error", "alt")


@pytest.mark.parametrize(
    ("records", "beside", "columns"),
    [
        ([figure("a")], {}, [["A title"]]),
        ([figure("a"), figure("b", "")], {"A question": runs("An answer.")}, [["A title", ""]]),
        ([figure("a"), figure("b", ""), figure("c", "C")], {}, [["A title", ""], ["C"]]),
        ([figure(name, name) for name in "abcdef"], {}, [["a", "b"], ["c", "d"], ["e", "f"]]),
        ([figure("a"), table(3), GRID], {}, None),
        ([table(12)], {}, None),
    ],
)
def test_a_slide_has_its_shape_and_its_columns_in_order(records, beside, columns):
    picture = slide(records, CAPTION, beside)
    width, height = picture.get_size_inches()
    assert width / height == pytest.approx(SHAPE) and width >= 13.3
    assert len(picture.axes) == len(records) + sum(isinstance(record, Grid) for record in records)
    FigureCanvasAgg(picture).draw()
    _, body = picture.subfigs
    if columns is not None:
        found = [[ax.get_title(loc="left") for band in cell.subfigs for ax in band.axes] for cell in body.subfigs]
        assert [column for column in found if column] == columns
    boxes = [ax.get_tightbbox() for ax in picture.axes]
    assert all(box.x0 >= 0 and box.x1 <= picture.bbox.x1 and box.y0 >= 0 for box in boxes)
    lowest = min(text.get_window_extent().y0 for text in words_in(picture.subfigs[0]))
    assert all(box.y1 <= lowest for box in boxes)


def words_in(part):
    """The texts that stand directly in a part of a picture, from top to bottom and from left to right."""
    return [
        text for box in part.artists if isinstance(box, AnnotationBbox) for text in box.findobj(Text) if text.get_text()
    ]


def test_a_caption_and_texts_beside_are_all_there_and_inside():
    beside = {"A question?": runs(f"An {strong('answer')} in many words. " * 9), "Another?": runs("No.")}
    picture = slide(
        [figure("a")], Caption((runs("A long line of a verdict. " * 12), runs("$5")), {"data": "x" * 30}), beside
    )
    FigureCanvasAgg(picture).draw()
    above, body = picture.subfigs
    written = " ".join(text.get_text() for text in words_in(above))
    assert written.split() == ["A", "long", "line", "of", "a", "verdict."] * 12 + [r"\$5", "x" * 30]
    assert "answer" in {text.get_text() for text in words_in(body.subfigs[-1])}
    for texts in (words_in(above), words_in(body.subfigs[-1])):
        places = [text.get_window_extent() for text in texts]
        assert all(box.x0 >= 0 and box.x1 <= picture.bbox.x1 for box in places)
        assert all(box.y0 >= 0 and box.y1 <= picture.bbox.y1 for box in places)
        assert all(low.y1 <= high.y0 + 1 or low.x0 >= high.x1 - 1 for high, low in pairwise(places))


def test_the_number_that_is_off_is_the_only_one_in_its_colour():
    above, _ = slide([figure("a")], CAPTION).subfigs
    found = {text.get_text(): text for text in words_in(above)}
    assert [words for words, text in found.items() if text.get_color() == VERMILION_TEXT] == ["9"]
    assert (found["9"].get_weight(), found["(8 people)"].get_weight()) == ("bold", "normal")


def test_the_name_of_y_is_one_line_below_the_title():
    long = replace(figure("a"), y_label="from its least to its largest value")
    picture = slide([long, figure("b"), figure("c")], CAPTION)
    renderer = FigureCanvasAgg(picture).get_renderer()
    picture.draw(renderer)
    ax = picture.axes[0]
    name, title = (text.get_window_extent(renderer) for text in (ax.yaxis.label, ax._left_title))
    assert ax.get_ylabel() == long.y_label and name.y1 <= title.y0 + 1


def test_a_histogram_stands_below_its_diagram_on_the_same_axis():
    upper, lower = slide([figure("a"), figure("b", "")], CAPTION).axes
    assert upper.get_shared_x_axes().joined(upper, lower)
    assert (upper.get_xlabel(), lower.get_xlabel()) == ("", "predicted")
    assert upper.yaxis.label.get_rotation() == 0


def test_pictures_on_one_axis_have_one_legend():
    line = Series("another line", "truth", "line", np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    (legend,) = slide([figure("upper"), replace(figure("lower", ""), series=(line,))], CAPTION).findobj(Legend)
    assert [text.get_text() for text in legend.get_texts()] == ["a line", "another line"]


def test_texts_stand_out_from_a_dark_ground():
    with rc_context({"figure.facecolor": "black", "text.color": "white"}):
        above, _ = slide([figure("a")], CAPTION).subfigs
    first, *_, last = words_in(above)
    assert first.get_color() == "white" and last.get_color() == "#AEB6BF"


def test_edges_that_a_page_lets_people_drag_are_not_drawn():
    handle = Series("", "handle", "dots", np.array([0.2]), np.array([0.0]))
    record = Figure("a", "A", "x", "y", (handle, *figure("b").series), "alt")
    assert len(cv.plots.draw(record).lines) == 1


def test_words_stand_where_a_label_says_in_the_colours_of_their_pieces():
    lines = ((Run("East", VERMILION, True),), (Run("9 people predicted 70: "), Run("8 had it", VERMILION, True)))
    label = Label(0.7, 0.9, lines, "left")
    handle = Series("", "handle", "dots", np.array([0.2, 1.0]), np.array([0.0, 0.0]))
    record = replace(figure("a"), labels=(label,), has_level_names=True, series=(handle,))
    ax = cv.plots.draw(record)
    FigureCanvasAgg(ax.figure).draw()
    [box] = [artist for artist in ax.artists if isinstance(artist, AnnotationBbox)]
    words = [text for text in box.findobj(Text) if text.get_text()]
    assert [text.get_text().replace("\u00a0", " ") for text in words] == ["East", "9 people predicted 70: ", "8 had it"]
    assert [text.get_color() == VERMILION for text in words] == [True, False, True]
    extents = [text.get_window_extent() for text in words]
    place = ax.transData.transform((label.x, label.y))
    assert all(extent.x1 < place[0] for extent in extents)
    assert extents[1].x1 <= extents[2].x0 + 1  # the blank at the end of a piece takes its room
    assert [text.get_text() for text in ax.texts] == ["20 %"]
    assert ax.yaxis.label.get_rotation() == 0


def test_a_table_stands_below_the_texts_beside_where_it_has_room():
    with_room = slide([figure("a")], CAPTION, {"A question?": runs("An answer.")}, table(3))
    without = slide([figure("a")], CAPTION, {"A question?": runs("A word of an answer. " * 60)}, table(3))
    found = [{text.get_text() for ax in picture.axes for text in ax.texts} for picture in (with_room, without)]
    assert "A table" in found[0] and "A table" not in found[1]


def test_an_answer_stands_between_the_verdict_and_the_facts():
    caption = replace(
        CAPTION, said=(runs(f"Yes, {strong('from 20 %')}."), runs(f"Not in East: of 8, {off('6')} had it."))
    )
    picture = slide([figure("a")], caption)
    above, _ = picture.subfigs
    written = "".join(text.get_text() for text in words_in(above))
    assert "".join(written.split()) == "".join("".join(caption.texts).split())
    assert [text.get_text() for text in words_in(above) if text.get_color() == VERMILION_TEXT] == ["9", "6"]
    assert picture.description.split("\n") == [
        *caption.lines,
        "Yes, from 20 %.",
        "Not in East: of 8, 6 had it.",
        "Hearts · 9",
    ]


STRIPS = (
    Strip(0.6, 0.7, 0.8, 0.3, of="stands", outer=(0.55, 0.85), is_first=True),
    Strip(0.2, 0.4, 0.6, 0.3, hollow=True),
    Strip(0.1, 0.2, 0.25, 0.3, of="after"),
)
CITIES = "Zurich and Basel", "Paris", "Rome"
OF_STRIPS = Table(
    "t",
    "",
    (
        Column("segment"),
        Column("gap", ticks=((0.3, "0"), (0.8, "+10")), sides=("← predicted too high", "predicted too low →")),
        Column("a heading of many words that has no room in a line"),
        Column(""),
    ),
    tuple(
        (
            Cell(name, bold=True, aside="site", below="a line below it"),
            Cell("the strip in words", strip=strip),
            Cell("93", look=look),
            Cell("try" if i else "tried", look="button" if i else "pressed"),
        )
        for i, (name, strip, look) in enumerate(zip(CITIES, STRIPS, ("off", "", "after"), strict=True))
    ),
    "Three segments: a title in many words, which would be cut where a line is not broken. " * 2,
    "A note.",
    (0, None),
    opened=(Opened(), Opened(f"{strong('12 of these')} are in Zurich."), Opened()),
)  # fmt: skip  # short entries stand in rows


def test_a_table_in_a_picture_shows_what_the_page_shows():
    picture = slide([figure("a"), OF_STRIPS], CAPTION)
    FigureCanvasAgg(picture).draw()
    ax = picture.axes[-1]
    texts = {text.get_text(): text for text in ax.texts}
    assert {"← predicted too high", "predicted too low →", "+10", "A note.", "12 of these", "a line below it"} <= set(
        texts
    )
    assert "the strip in words" not in texts and "try" not in texts and "tried" in texts  # nobody can press it here
    colours = [text.get_color() for text in ax.texts if text.get_text() == "93"]
    assert colours[0] == VERMILION_TEXT and colours[2] == GREEN_TEXT
    marks = {line.get_marker(): line.get_color() for line in ax.lines if line.get_marker()}
    assert marks["D"] == VERMILION and marks["s"] == GREEN and "o" in marks
    places = [text.get_window_extent() for text in ax.texts]
    whole = ax.get_figure().bbox
    assert all(box.x0 >= whole.x0 and box.x1 <= whole.x1 for box in places)
    assert not [
        (a.get_text(), b.get_text())
        for i, (a, one) in enumerate(zip(ax.texts, places, strict=True))
        for b, other in zip(ax.texts[i + 1 :], places[i + 1 :], strict=True)
        if one.padded(-1.0).overlaps(other.padded(-1.0))
    ]
