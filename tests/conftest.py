"""The order of all tests, and what several files of them share."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
FEW_SIZES = (100, 400)  # of studies, whose intervals take most of the time of a decision


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


@pytest.fixture(autouse=True)
def little_noise(request, monkeypatch):
    """Have views and reports draw few data sets for noise floors and tests, and leave out intervals, which take long.

    A test that is about them asks for `of_intervals`.
    """
    if "calibviz" in sys.modules and "of_intervals" not in request.fixturenames:
        module = importlib.import_module("calibviz.uncertainty.noise_floors")  # which the test may be first to use
        monkeypatch.setattr(module, "NULLS", 39)
        monkeypatch.setattr(module, "MOST_JUDGED", 0)
        monkeypatch.setattr(importlib.import_module("calibviz.answers.tested"), "REPLICATES", 39)


@pytest.fixture(autouse=True)
def few_simulations(request, monkeypatch):
    """Have the laboratory simulate few data sets; a test that is about them asks for the others."""
    module = sys.modules.get("calibviz.explorer.lab.situation")
    if module is not None and "of_simulations" not in request.fixturenames:
        monkeypatch.setattr(module, "SIMULATIONS", 100)
        monkeypatch.setattr(module, "MAP_SIMULATIONS", 30)


@pytest.fixture
def of_simulations():
    """The laboratory simulates as many as for a person."""


@pytest.fixture(autouse=True)
def few_in_rankings(request, monkeypatch):
    """Have the Explorer's comparison draw few data sets of each cell; a test that is about them asks for the others."""
    module = sys.modules.get("calibviz.answers.steps.rankings")
    if module is not None and "of_rankings" not in request.fixturenames:
        monkeypatch.setattr(module, "NULLS", 9)
        monkeypatch.setattr(module, "REPLICATES", 19)


@pytest.fixture(autouse=True)
def few_in_sample_sizes(monkeypatch):
    """Have the panel about decisions draw two data sets of two sizes; what they tell is tested with the function."""
    module = sys.modules.get("calibviz.answers.decision")
    if module is not None:
        monkeypatch.setattr(module, "SIZE_REPLICATES", 2)
        monkeypatch.setattr(module, "sample_size", partial(module.sample_size, n=FEW_SIZES))


@pytest.fixture
def of_rankings():
    """The comparison draws as many as for a person."""


@pytest.fixture
def of_intervals():
    """Intervals of errors are computed, as for a person."""


@pytest.fixture
def few_replicates(monkeypatch):
    """Have reports draw few bootstrap samples."""
    # Not at the top, where it would load SciPy before pytest collects: what SciPy says of warnings would be forgotten.
    from report_pages import draw_few

    draw_few(monkeypatch)


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
