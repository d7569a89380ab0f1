"""What the registry says of the metrics holds of what they measure."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv
from calibviz.figures.records import Figure
from calibviz.metrics.records.record import Needs
from calibviz.metrics.records.registry import METRICS


@pytest.fixture(scope="module")
def cube():
    predictions = cv.load_dataset("digits")["naive Bayes"].select(np.arange(0, 1797, 6))
    return cv.evaluate(
        predictions,
        ["top-1", "class 3", "full"],
        metrics=list(METRICS),
        gammas=0.1,
        k=2,
        thresholds=[0.1, 0.5],
        categories=[0, 0.5, 1],
        progress=False,
    )


@pytest.mark.parametrize("record", METRICS.values(), ids=METRICS)
def test_range_dimensions_and_lenses(cube, record):
    values = cube[record.name]
    assert values.dims == record.dims and values.attrs["description"] == record.definition
    assert (values.long_name, values.source) == (record.long_name, record.source or "calibviz, docs/formulas.md")
    assert values.units == {"nat": "nat", "samples": "samples", "bins": "bins"}.get(record.unit, "1")
    assert 2 <= len(values.long_name) <= 28
    known = values.values[np.isfinite(values.values)]
    assert len(known) and record.range[0] - 1e-12 <= known.min() and known.max() <= record.range[1] + 1e-12
    if record.has_problem:  # uniform bins are of vector lenses, too
        assert bool(np.isfinite(values.sel(lens="full")).any()) == (record.needs is Needs.PROBLEM)


def test_every_metric_says_what_is_needed_of_it():
    for name, record in METRICS.items():
        assert record.name == name and record.definition and bool(record.argument) == bool(record.example)
        assert (record.measure is None) == (record.needs in (Needs.ROWS, Needs.PREDICTIONS))
        assert record.title or not record.in_menu
        assert record.better == "smaller" or not record.calibration
    titles = [record.title for record in METRICS.values() if record.title]
    assert len(set(titles)) == len(titles)


def test_pictures_read_percent_of_the_registry(cube):
    for name in ("ks", "brier", "accuracy"):
        figure = cv.figures.bars_figure(cube.squeeze(), name, "lens", None)
        assert isinstance(figure, Figure) and figure.y_in_percent == (METRICS[name].unit == "%")
