"""The questions of the course, a module for each lesson."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..exercises import Exercise

_LESSONS = [import_module(f"{__name__}.{lesson.name}") for lesson in iter_modules(__path__)]

#: By their names, in the order of the course.
EXERCISES: dict[str, Exercise] = {
    one.name: one for lesson in _LESSONS for one in vars(lesson).values() if isinstance(one, Exercise)
}
