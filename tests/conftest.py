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
    """Have pages draw few data sets, also what fixtures make for a whole module.

    A test that is about what is drawn asks for `of_intervals` or its like.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "calibviz" in sys.modules:
            import efforts  # not at the top, where it would load SciPy before pytest collects

            patch.setattr(efforts.effort, "USUAL", efforts.FEW)
        yield


def as_usual(*names):
    """A fixture that has pages draw as much of something as for a person."""

    @pytest.fixture
    def spent(few, monkeypatch):
        import efforts  # as above

        efforts.spend_as_usual(monkeypatch, *names)

    return spent


of_rankings = as_usual("floors_of_cells", "floors_of_contests", "means", "least_means")
of_sensitivity = as_usual("errors")
of_acting = as_usual("acting")
of_intervals = as_usual("floors", "most_judged", "tests")
of_estimates = as_usual("simulations")
of_slow_estimates = as_usual("simulations", "slow_simulations")


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
    from efforts import now

    shared.state.set_trait("spec", shared.state.spec.but(effort=now()))
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
