"""What colours mean, and that nothing in a picture looks like something else in it."""

from __future__ import annotations

import numpy as np
import pytest
from figure_checks import check_colours

import calibviz as cv
from calibviz import figures
from calibviz.answers.registry import ANSWERS
from calibviz.figures.styles import (
    BLUE,
    GREEN,
    GREEN_TEXT,
    GREY,
    INK,
    NAMES,
    ON_DARK,
    PURPLE,
    STYLES,
    VERMILION,
    VERMILION_TEXT,
)

DARK_PAGES = ("#111111", "#212121", "#14171B")  # of JupyterLab, of Voila, and of reports


def luminance(colour):
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(*colours):
    low, high = sorted(map(luminance, colours))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", NAMES)
def test_colours_stand_out_from_white_and_from_dark_pages(colour):
    assert contrast(colour, "#FFFFFF") >= (3 if colour == GREY else 4)
    for page in DARK_PAGES:
        assert contrast(ON_DARK[colour], page) >= 4.5, page


@pytest.mark.parametrize("colour", [VERMILION_TEXT, GREEN_TEXT])
def test_coloured_words_can_be_read_on_white_and_on_a_chosen_row(colour):
    for page in ("#FFFFFF", "#E6F0F7"):  # a row that is chosen has a shade of blue
        assert contrast(colour, page) >= 4.5, page


def test_a_colour_means_the_same_in_every_picture():
    of = {
        BLUE: "before interval bins few histogram flexible smooth corp",
        GREEN: "after map cloud knots",
        VERMILION: "acting threshold stands",
        GREY: "noise limit within others reference",
        PURPLE: "cursor selected",
    }
    for colour, roles in of.items():
        assert {STYLES[role].colour for role in roles.split()} == {colour}
    others = {STYLES[role].colour for role in (*figures.OVERLAY_ROLES, "extra")}
    assert len(others) == 5
    assert not others & set(of)


def test_what_crosses_differs_by_more_than_its_colour():
    before, after = STYLES["before"], STYLES["after"]
    assert (before.dash, after.dash) == ("solid", "dashed")
    overlays = [STYLES[role] for role in figures.OVERLAY_ROLES]
    assert len({style.marker for style in (before, after, *overlays)}) == 6
    assert STYLES["stands"].filled
    assert not STYLES["within"].filled


@pytest.mark.thorough
@pytest.mark.parametrize("overlays", [("calibrator: spline", "model: naive Bayes"), ("model: naive Bayes",)])
def test_no_panel_has_two_series_that_look_alike(overlays):
    explorer = cv.Explorer(
        cv.load_dataset("digits"), model="random forest", panels=tuple(ANSWERS), likert=(0, 0.5, 0.9, 1), bin=14,
        overlays=overlays, curves=("flexible", "smooth", "corp"), groups={"few": [0, 1, 2], "many": range(3, 10)},
        cumulative="all four", comparison="bars", selection="label != 1", calibrator="spline",
    )  # fmt: skip  # short entries stand in rows
    explorer.finish()
    pictures = [record for record in explorer._records() if isinstance(record, figures.Figure)]
    assert len(pictures) > 15
    for picture in pictures:
        check_colours(picture)
        if "after" in picture.title.split() and picture.name != "acted-on":  # which shows both
            assert {STYLES[series.role].colour for series in picture.series} <= {GREEN, GREY, INK, VERMILION}
    diagram = next(picture for picture in pictures if picture.name == "reliability")
    repaired = {series.name for series in diagram.series if series.role == "after" and series.name}
    assert len(repaired) == 1  # the panel of repairs is open
    explorer.close()


def test_words_in_orange_have_a_tone_of_their_own_and_nothing_within_noise_is_orange():
    assert (VERMILION_TEXT, ON_DARK[VERMILION_TEXT]) == ("#B04000", "#FF9A63")
    assert (VERMILION, ON_DARK[VERMILION]) == ("#C84A00", "#FF8A4C")
    orange = {role for role, style in STYLES.items() if style.colour == VERMILION}
    assert orange == {
        "acting", "threshold", "stands", "gap", "worst gap", "worst interval", "worst", "worst histogram", "worst was",
    }  # fmt: skip  # short entries stand in rows
