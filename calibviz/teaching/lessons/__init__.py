"""The questions of the course, a module for each lesson."""

from __future__ import annotations

from ..exercises import Exercise
from . import lesson_01

#: By their names, in the order of the course.
EXERCISES: dict[str, Exercise] = {
    found.name: found for lesson in (lesson_01,) for found in vars(lesson).values() if isinstance(found, Exercise)
}
