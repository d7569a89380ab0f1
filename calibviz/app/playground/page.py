"""One file that holds the playground, and loads nothing.

Its scripts are the one place where numbers of calibviz are computed a second time: tests hold each against Python's.
"""

from __future__ import annotations

import json

from ...explorer.lab.situation import NEARLY_ALL
from ...explorer.lab.state import MOST_BINS, REACHES, SAMPLES
from ...figures.markup import Markup, joined, tag
from ...figures.pictures.simulation import ESTIMATE_BINS, FEWEST_FULL, ROW
from ...reports.writing.page import colours, document, own_file
from ...simulation.cubes import SIMULATIONS
from ...simulation.drawn import FLAT, KNOTS, POPULATION, PRESETS
from ...simulation.estimators import TRUTH

TITLE = "A playground of calibration errors"
SCRIPTS = ("estimators.js", "drawn.js", "playground.js")
LARGEST = 3200  # samples in a data set, so that a thousand of them take seconds
SLOW_SETS = 60  # data sets that the estimators measure which take long
SEED = 1


def playground_page() -> str:
    """Return the whole document."""
    style = joined([colours(), own_file("playground.css", __package__)])
    body = tag("main", tag("h1", TITLE), own_file("playground.html", __package__), id="playground")
    return document(TITLE, style, playground_script(), body, kind="module")


def playground_script() -> Markup:
    """Return its script, in one piece, with the networks and choices that Python knows."""
    presets = {
        name: {
            "about": preset.about,
            "curve": preset.curve,
            "density": preset.density or FLAT,
            "hasDensity": bool(preset.density),
            "isRounded": preset.is_rounded,
        }
        for name, preset in PRESETS.items()
    }
    choices = {
        "sizes": [n for n in SAMPLES if n <= LARGEST], "reaches": REACHES, "sets": SIMULATIONS, "seed": SEED,
        "slowSets": SLOW_SETS, "mostBins": MOST_BINS, "knots": KNOTS.tolist(), "cells": len(FLAT),
        "population": POPULATION, "nearlyAll": NEARLY_ALL, "truth": TRUTH,
        "bars": ESTIMATE_BINS, "fewestFull": FEWEST_FULL, "row": ROW,
    }  # fmt: skip  # short entries stand in rows
    known = f"const PRESETS = {json.dumps(presets)};\nconst CHOICES = {json.dumps(choices)};\n"
    return Markup(known + "".join(own_file(name, __package__) for name in SCRIPTS))
