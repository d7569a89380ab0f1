"""The examples in docstrings run and give what they say, and every public function and class has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import operator
import pkgutil

import pytest

import calibviz as cv

MODULES = sorted(["calibviz", *(found.name for found in pkgutil.walk_packages(cv.__path__, "calibviz."))])
WITHOUT = {
    "it is returned by a function whose example shows it": {"NetworkFit", "Trust"},
    "it is raised, not made": {"EmptyProblemError", "NotFittedError", "SelectionError"},
    "it is a widget, which the notebooks show": {
        *(name for name in cv.__all__ if name.endswith("Panel")),
        "Explorer",
        "ExplorerState",
        "SimulationState",
        "SimulationLab",
    },
}
EXEMPT = set().union(*WITHOUT.values())


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name: str) -> None:
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(verbose=False)
    told: list[str] = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, extraglobs={"cv": cv}):
        runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)


@pytest.mark.parametrize("name", [name for name in cv.__all__ if name not in EXEMPT])
def test_every_function_and_class_has_an_example(name: str) -> None:
    found = getattr(cv, name)
    if inspect.isfunction(found) or inspect.isclass(found):
        lines = (inspect.getdoc(found) or "").splitlines()
        assert "Examples" in lines, f"cv.{name}: its docstring ends in a section Examples, with its typical call"
        assert doctest.DocTestParser().get_examples("\n".join(lines[lines.index("Examples") :]))


def related(name: str) -> list[str]:
    """The names in the section See Also of the docstring of a public name."""
    _, _, section = (inspect.getdoc(getattr(cv, name)) or "").partition("See Also\n--------\n")
    entries = (line for line in section.partition("\n\n")[0].splitlines() if not line.startswith(" "))
    return [part for entry in entries for part in entry.partition(" : ")[0].split(", ")]


def _has(owner: object, dotted: str) -> bool:
    try:
        operator.attrgetter(dotted)(owner)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("name", cv.__all__)
def test_see_also_names_what_exists(name: str) -> None:
    for other in related(name):
        assert any(_has(owner, other) for owner in (cv, getattr(cv, name))), f"{other} is no public name"


#: The modules all of whose public names have a section See Also, and the few names that need none.
LINKED = ("calibviz.data", "calibviz.recalibration", "calibviz.uncertainty")
ALONE = {"NotFittedError", "flattest_window", "sample_sizes", "sensitivity"}


@pytest.mark.parametrize(
    "name", [n for n in cv.__all__ if getattr(getattr(cv, n), "__module__", "").startswith(LINKED)]
)
def test_public_names_say_what_to_see_also(name: str) -> None:
    assert related(name) or name in ALONE
