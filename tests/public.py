"""What is public beside `calibviz.__all__`: the classes of what public functions return and public attributes hold."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import calibviz as cv
from calibviz._accessor import OfCube
from calibviz.context.lenses import BuiltIn

#: What is described with the functions that make it, or with the view that holds it.
ELSEWHERE = {"Condition", "LabView", "Lens", "Quantity"}


def functions(name: str) -> Iterator[tuple[str, Any]]:
    """A public function, or the public methods and properties of a class, with their names."""
    value = getattr(cv, name)
    if not inspect.isclass(value):
        yield name, value
        return
    for member, given in members(value):
        yield f"{name}.{member}", given


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class itself."""
    for name, given in vars(kind).items():
        if not name.startswith("_") or name == "__call__":
            yield name, getattr(given, "__func__", getattr(given, "fget", getattr(given, "func", given)))


def returned(function: Any) -> dict[str, type]:
    """The classes of this package that a function returns, by their names."""
    plain = inspect.unwrap(function)
    return classes_in(plain.__annotations__.get("return", ""), plain.__globals__)


def classes_in(annotation: Any, names: dict[str, Any]) -> dict[str, type]:
    """The classes of this package that an annotation names."""
    values = [names.get(word) for word in re.findall(r"\w+", str(annotation))]
    return {kind.__name__: kind for kind in values if inspect.isclass(kind) and kind.__module__.startswith("calibviz.")}


@cache
def results() -> dict[str, type]:
    """The classes that nobody has to know by name, since they come from a function or are an attribute of a view."""
    found: dict[str, type] = {}
    for name in cv.__all__:
        for _, function in functions(name):
            if inspect.isfunction(inspect.unwrap(function)):
                found |= returned(function)
    for view in (cv.Explorer, cv.SimulationLab):
        for kind in view.__mro__:
            if kind.__module__.startswith("calibviz."):
                annotations = inspect.get_annotations(kind)
                found |= classes_in(annotations.get("state", ""), vars(inspect.getmodule(kind)))
    return {name: kind for name, kind in sorted(found.items()) if name not in {*cv.__all__, *ELSEWHERE}}


def documented() -> dict[str, Any]:
    """All that is public, with the results, by name."""
    return {name: getattr(cv, name) for name in cv.__all__} | results()


@cache
def reached() -> set[tuple[str, str]]:
    """The modules and names of what users call, and of all that they get from it: through results, fields and kinds."""
    packages = (cv, cv.figures, cv.papers, cv.plots, cv.teaching)
    waiting = [BuiltIn, OfCube, *(getattr(package, name) for package in packages for name in package.__all__)]
    found = set()
    while waiting:
        value = inspect.unwrap(waiting.pop())
        where = (getattr(value, "__module__", ""), getattr(value, "__qualname__", ""))
        if not str(where[0]).startswith("calibviz.") or where in found:
            continue
        found.add(where)
        if inspect.isclass(value):
            waiting += [*value.__mro__, *value.__subclasses__()]
            waiting += [member for _, member in members(value)]
            public = (kind for name, kind in inspect.get_annotations(value).items() if not name.startswith("_"))
            waiting += classes_in(list(public), vars(sys.modules[value.__module__])).values()
        elif inspect.isfunction(value):
            waiting += returned(value).values()
    return found
