"""The questions of the course, a module for each lesson."""

from __future__ import annotations

from ..exercises import Exercise
from . import (
    lesson_00,
    lesson_01,
    lesson_02,
    lesson_03,
    lesson_04,
    lesson_05,
    lesson_06,
    lesson_07,
    lesson_08,
    lesson_09,
    lesson_10,
)

_LESSONS = (
    lesson_00,
    lesson_01,
    lesson_02,
    lesson_03,
    lesson_04,
    lesson_05,
    lesson_06,
    lesson_07,
    lesson_08,
    lesson_09,
    lesson_10,
)

#: By their names, in the order of the course.
EXERCISES: dict[str, Exercise] = {
    one.name: one for lesson in _LESSONS for one in vars(lesson).values() if isinstance(one, Exercise)
}
