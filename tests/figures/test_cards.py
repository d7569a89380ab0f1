"""Small pictures beside the answers: their words lie on no line."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import calibviz as cv
from calibviz.figures import decision_curve_figure
from calibviz.figures.styles import GREEN
from calibviz.figures.svg.cards import Moved, before_and_after, benefit_lines


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("prevalence", [0.1, 0.55])
def test_the_name_of_acting_on_all_lies_on_no_line(prevalence, threshold):
    p = cv.load_dataset("heart")["logistic regression"]
    table = cv.decision_curve(p, "class disease", prevalence=prevalence, replicates=0)
    svg = ElementTree.fromstring(benefit_lines(decision_curve_figure(table), threshold))
    name = next((text for text in svg.iter("text") if text.text in ("act on all", "all")), None)
    if name is None:  # both curves fall at once, with the threshold between them
        assert prevalence == threshold == 0.1
        return
    room = {"act on all": 56, "all": 14}[name.text]  # the short one where a line stands in the way of the other
    left, base = float(name.get("x")), float(name.get("y"))
    points = [np.array(re.findall(r"-?[\d.]+", path.get("d")), float).reshape(-1, 2) for path in svg.iter("path")]
    x, y = np.concatenate(points).T
    assert not ((x > left) & (x < left + room) & (y > base - 8) & (y < base + 1)).any()
    upright = float(next(svg.iter("line")).get("x1"))
    assert not left < upright < left + room and 0 <= left < 200 - room


def test_a_gap_is_green_after_recalibration_only_where_it_got_smaller():
    svg = ElementTree.fromstring(before_and_after([Moved("a", 0.2, -0.05, True), Moved("b", 0.05, -0.2, False)]))
    smaller, larger = (square.get("fill") for square in svg.iter("rect"))
    assert GREEN in smaller and GREEN not in larger
