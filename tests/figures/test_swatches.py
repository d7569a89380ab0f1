"""A swatch in a legend: one way to draw it, for the page of the Explorer and for reports."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from calibviz.explorer.view.panels.marks import legend
from calibviz.figures import BARS, Series
from calibviz.figures.records import Role, Shape
from calibviz.figures.styles import STYLES, tone
from calibviz.figures.svg.picture import swatch

SHAPES: tuple[Shape, ...] = ("line", "dots", "line and dots", "area")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("role", STYLES)
def test_a_swatch_shows_what_its_series_shows(role: Role, shape: Shape) -> None:
    drawn = ElementTree.fromstring(swatch(role, shape))
    kinds = [part.get("class", "").split(" ")[0] for part in drawn.iter() if part.get("class")][1:]
    assert ("area" in kinds) == (shape == "area") and ("dot" in kinds) == ("dots" in shape)
    assert ("line" in kinds) == (shape == "area" or "line" in shape)
    if shape == "line":
        [line] = [part for part in drawn.iter() if part.get("class") == "line"]
        assert ("V" in str(line.get("d"))) == (role in BARS)
        assert (line.get("stroke-dasharray") is None) == (STYLES[role].dash == "solid")
    coloured = [part for part in drawn.iter() if part.tag.split("}")[-1] in ("rect", "path", "g")]
    assert any("currentColor" in (part.get("fill"), part.get("stroke")) for part in coloured)


def test_a_legend_holds_swatches_in_their_colours_and_no_letters_that_look_like_them() -> None:
    series = [Series("noise & more", "noise", "area", *[()] * 2), Series("", "bins", "dots", *[()] * 2)]  # type: ignore[arg-type]
    html = legend(series)
    assert str(swatch("noise", "area")) in html and f"color:{tone(STYLES['noise'].colour)}" in html
    assert "noise &amp; more" in html and html.count("<svg") == 1
    assert not set(html) & set("▒▓┃━╍┉●■◆▲▼✚○□◇△▽✛")
