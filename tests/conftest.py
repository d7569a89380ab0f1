"""The order of all tests, and what several files of them share."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import sys
from collections import Counter
from pathlib import Path

import pytest

# Every core has a process of its own. Threads of BLAS beside them wait for each other: the suite takes three times as
# long. It is read when NumPy is first imported, by the processes that tests start as well.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
FLOORS, TESTED = "calibviz.uncertainty.noise_floors", "calibviz.answers.tested"
LABORATORY, RANKINGS = "calibviz.explorer.lab.situation", "calibviz.answers.steps.rankings"
BARS, SENSITIVITY = "calibviz.answers.situation.noise", "calibviz.answers.steps.sensitivity"
ACTING = "calibviz.decisions.acting_draws"
#: How many data sets are drawn, in place of those for a person.
FEW = {
    FLOORS: {"NULLS": 39, "MOST_JUDGED": 0},
    TESTED: {"REPLICATES": 39},
    LABORATORY: {"SIMULATIONS": 100, "MAP_SIMULATIONS": 30, "SLOW_SIMULATIONS": 10, "SLOW_MAP_SIMULATIONS": 3},
    RANKINGS: {"NULLS": 9},
    BARS: {"MOST_REPLICATES": 60, "FEWEST_REPLICATES": 30},
    SENSITIVITY: {"REPLICATES": 20},
    ACTING: {"REPLICATES": 100},
    "calibviz.answers.enough_samples": {"REPLICATES": 2, "SIZES": (100, 400)},
}
FEW_NULLS = 59


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the browser tests last: Playwright leaves an event loop running, which others must not find.

    Among these, files of many tests come first, so that no process is left with a long one while the others are done.
    Workers keep that order as long as they may not reorder the files (see pyproject.toml). A notebook that is opened in
    a browser, which fails where a cell does, need not be run by nbmake as well.
    """
    tests = Counter(item.path for item in items)
    # By path in the end: two files may have the same number of tests, and must not be mixed.
    items.sort(key=lambda item: (-tests[item.path], item.path) if "browser" in item.path.parts else ())
    if not any("browser" in item.path.parts for item in items):
        return
    from browser.pages import find_browser

    opened = {getattr(item, "callspec", None) and item.callspec.params.get("notebook") for item in items}
    if find_browser() is not None:
        config.hook.pytest_deselected(items=[item for item in items if item.path in opened])
        items[:] = [item for item in items if item.path not in opened]


def pytest_collection_finish() -> None:
    """Leave what the collection has made, which stays, out of every later search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def few():
    """Have everything draw few data sets, also what fixtures make for a whole module.

    Views and reports do for noise floors and tests, and leave out intervals, which take long; so do the laboratory, the
    comparison, bootstraps, and the sizes of a sample that would be enough, which are tested with the function. A
    test that is about them asks for `of_intervals` or its like.
    """
    usual = {}
    with pytest.MonkeyPatch.context() as patch:
        for name, values in FEW.items() if "calibviz" in sys.modules else ():
            module = importlib.import_module(name)
            usual[name] = {value: getattr(module, value) for value in values}
            for value, number in values.items():
                patch.setattr(module, value, number)
        yield usual


def as_usual(few, monkeypatch, *names):
    """Have modules draw as many data sets as for a person."""
    for name in names:
        for value, number in few.get(name, {}).items():
            monkeypatch.setattr(importlib.import_module(name), value, number)


@pytest.fixture
def of_rankings(few, monkeypatch):
    """The comparison draws as many as for a person."""
    as_usual(few, monkeypatch, RANKINGS, BARS)


@pytest.fixture
def of_sensitivity(few, monkeypatch):
    """Sensitivity is drawn as often as for a person."""
    as_usual(few, monkeypatch, SENSITIVITY)


@pytest.fixture
def of_acting(few, monkeypatch):
    """What acting is worth is drawn as often as for a person."""
    as_usual(few, monkeypatch, ACTING)


@pytest.fixture
def of_intervals(few, monkeypatch):
    """Intervals of errors are computed, as for a person."""
    as_usual(few, monkeypatch, FLOORS, TESTED)


@pytest.fixture(scope="module")
def few_in_cubes():
    """Have cubes draw few data sets for noise floors; how many."""
    with pytest.MonkeyPatch.context() as patch:
        for part in ("cells_in_memory", "metrics", "cells_of_sums"):
            patch.setattr(f"calibviz.cube.{part}.NULLS", FEW_NULLS)
        yield FEW_NULLS


@pytest.fixture
def few_replicates(monkeypatch):
    """Have reports draw few bootstrap samples."""
    # Not at the top, where it would load SciPy before pytest collects: what SciPy says of warnings would be forgotten.
    from report_pages import draw_few

    draw_few(monkeypatch)


@pytest.fixture
def few_states(monkeypatch):
    """Have reports record few states of their first screen."""
    from report_pages import record_few  # not at the top, as above

    record_few(monkeypatch)


@pytest.fixture
def explorer(shared):
    """The `shared` Explorer of a file as it is at first, without panels."""
    from driver import screen  # not at the top, as above

    shared.state.from_dict({"panels": ()})
    assert screen(shared).complaint == ""
    return shared


@pytest.fixture(scope="session")
def data():
    """Predictions of `lazy_samples`, as a data set to be read in parts."""
    from lazy_samples import made

    return made()


@pytest.fixture(scope="session")
def whole():
    """The same in memory."""
    from lazy_samples import in_memory

    return in_memory()


@pytest.fixture(scope="session")
def ranking_benchmark():
    """What benchmarks/ranking.py simulates, for fewer data sets."""
    spec = importlib.util.spec_from_file_location("ranking_benchmark", BENCHMARKS / "ranking.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their annotations
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]
