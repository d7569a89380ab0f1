"""One file that holds the playground, and loads nothing.

Its scripts are the one place where numbers of calibviz are computed a second time: tests hold each against Python's.
"""

from __future__ import annotations

import json
from importlib.resources import files

from ...explorer.lab.situation import NEARLY_ALL
from ...explorer.lab.state import MOST_BINS, REACHES, SAMPLES
from ...figures.markup import Markup, joined, tag
from ...figures.pictures.simulation import ESTIMATE_BINS, FEWEST_FULL, ROW
from ...reports.writing.page import colours, document
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
    style = joined([colours(), _own("playground.css")])
    body = tag("main", tag("h1", TITLE), _own("playground.html"), id="playground")
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
    return Markup(known + "".join(_own(name) for name in SCRIPTS))


def _own(name: str) -> Markup:
    """A file of this folder, as markup: it is not to be escaped."""
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))
