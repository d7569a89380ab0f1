"""The examples in docstrings run and give what they say, and every public function and class has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest
from public import documented

import calibviz as cv

MODULES = sorted(["calibviz", *(found.name for found in pkgutil.walk_packages(cv.__path__, "calibviz."))])
WITHOUT = {
    "it is returned by a function whose example shows it": {"DrawnNetwork", "EmpiricalNetwork", "NetworkFit", "Trust"},
    "it is a widget, which the notebooks show": {
        "Explorer",
        "ExplorerState",
        "SimulationState",
        "SimulationLab",
    },
}
EXEMPT = set().union(*WITHOUT.values())


@pytest.mark.usefixtures("of_intervals", "few_states")
@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name: str) -> None:
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(verbose=False)
    told: list[str] = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, extraglobs={"cv": cv}):
        runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)


@pytest.mark.parametrize("name", [name for name in documented() if name not in EXEMPT])
def test_every_function_and_class_has_an_example(name: str) -> None:
    found = documented()[name]
    if inspect.isfunction(found) or inspect.isclass(found):
        lines = (inspect.getdoc(found) or "").splitlines()
        assert "Examples" in lines, f"cv.{name}: its docstring ends in a section Examples, with its typical call"
        assert doctest.DocTestParser().get_examples("\n".join(lines[lines.index("Examples") :]))
