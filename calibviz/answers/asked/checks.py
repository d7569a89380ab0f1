"""The checks of `CHOICES`: each returns the value that a choice gets of the one given, or refuses it.

A check is given the value, the name of the choice, and what is known: the models, and what is the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...context.condition_parser import selection as read_selection
from ...context.lens_names import lens as read_lens
from ...context.lenses import Grouping, Lens, Outcome
from ...data.nouns import words_of
from ...engine.binnings.binning_kinds import BINNINGS
from ...foundation import validation
from ...metrics.distances import ClassWeighted, Mahalanobis
from ...recalibration.registry import AS_IT_IS
from . import spec
from .own_choices import Known
from .spec import Matrix, Subject, Weights
from .typed import HEAVIEST

Check = Callable[[Any, str, Known], Any]


@dataclass(frozen=True)
class Allowed:
    """The values that a choice may have."""

    check: Check  # what is made of a value; raises a `TypeError` or a `ValueError` where it is not allowed
    values: str  # what is allowed, as a docstring says it
    traits: Mapping[str, Any] = field(default_factory=dict)  # what a control has of it, if it has such a trait


def whole(least: int, most: int = validation.LARGEST_COUNT) -> Allowed:
    """A whole number in [least, most]."""
    span = f"{least} to {most}" if most < validation.LARGEST_COUNT else f"at least {least}"
    ends = {"min": least, "max": min(most, spec.MOST_TYPED)}
    return Allowed(lambda value, name, _: validation.whole_number(value, name, least, most), f"int, {span}", ends)


def real(low: float, high: float) -> Allowed:
    """A number in [low, high]."""
    span, ends = f"{low:g} to {high:g}", {"min": low, "max": high}
    return Allowed(lambda value, name, _: validation.real_number(value, name, low, high), f"float, {span}", ends)


def one_of(words: Iterable[str]) -> Allowed:
    """One of some words."""
    allowed = tuple(words)
    options = {"options": allowed}
    return Allowed(lambda value, name, _: validation.choice(value, name, allowed), either(allowed), options)


def some_of(words: Iterable[str]) -> Allowed:
    """Any number of some words."""
    allowed = tuple(words)
    options = {"options": allowed}
    return Allowed(lambda value, name, _: several(value, name, allowed), f"tuple of {either(allowed)}", options)


def or_none(allowed: Allowed) -> Allowed:
    """None, or what else is allowed."""

    def check(value: Any, name: str, known: Known) -> Any:
        return None if value is None else allowed.check(value, name, known)

    return Allowed(check, f"{allowed.values}, or None", allowed.traits)


def either(words: Iterable[str]) -> str:
    """Some words as a docstring names them."""
    return "{" + ", ".join(f'"{word}"' for word in words) + "}"


def text(value: Any, name: str, _: Known) -> str:
    """Any text."""
    return validation.text(value, name)


def cluster(value: Any, name: str, _: Known) -> str | Literal[False]:
    """The name of a field, nothing, or False."""
    return value if value is False else validation.text(value, name)


def words(value: Any, name: str, _: Known) -> str:
    """Words that stand in sentences, or nothing."""
    given = validation.text(value, name).strip()
    return words_of(given, name) if given else ""


def several(values: Any, name: str, allowed: Sequence[str], most: int | None = None) -> tuple[str, ...]:
    """The values as a tuple; each must be one of the allowed words, and none may repeat."""
    chosen = tuple(validation.choice(value, name, allowed) for value in validation.listing(values, name, "names"))
    if len(set(chosen)) < len(chosen) or (most is not None and len(chosen) > most):
        raise ValueError(
            f"{name} must be different{'' if most is None else f', and {most} at most'}: {validation.listed(chosen)}"
        )
    return chosen


def by_name(value: Any, name: str) -> Mapping[str, Any]:
    """A dict, or what pairs (name, ...) say."""
    if isinstance(value, Mapping):
        return value
    try:
        pairs = [(str(key), entry) for key, entry in value]
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a dict, or pairs (name, ...), not {value!r}") from None
    names = [key for key, _ in pairs]
    if twice := next((key for i, key in enumerate(names) if key in names[:i]), None):
        raise ValueError(f"{name} has {twice!r} twice")
    return dict(pairs)


def model(value: Any, name: str, known: Known) -> str:
    """One of the models."""
    return validation.choice(value, name, known.models)


def overlays(value: Any, name: str, known: Known) -> tuple[str, ...]:
    """Models and calibrators, by their texts."""
    for text in value if isinstance(value, list | tuple) else ():
        known.name_of_calibrator(str(text).removeprefix(spec.OF_CALIBRATOR))  # one by a field is known from now on
    return several(value, name, tuple(spec.overlay_choices(known.models, known.known_calibrators)), spec.MOST_OVERLAYS)


def lens(value: Any, name: str, known: Known) -> str:
    """The name of a lens, without its outcome and its groups."""
    if isinstance(value, str) and value in known.own_of("lens"):
        return value
    chosen = read_lens(value)
    if isinstance(chosen, Outcome):
        raise ValueError(
            f"set the lens and its outcome each: lens={chosen.lens.name!r}, outcome={str(chosen.outcome)!r}"
        )
    if isinstance(chosen, Grouping) and chosen.groups:
        raise ValueError("set the lens and its groups each: lens='grouping', groups={...}")
    built_in = _lens_named(chosen.name)
    if isinstance(value, str) or chosen == built_in:
        return str(chosen.name)
    return known.name_of(name, chosen, built_in is not None)


def distance(value: Any, name: str, known: Known) -> str:
    """The name of a distance, without its weights and its matrix."""
    if isinstance(value, ClassWeighted):
        raise ValueError(f"set the distance and its weights each: distance={spec.WEIGHTED!r}, weights={{...}}")
    if isinstance(value, Mahalanobis):
        raise ValueError(f"set the distance and its matrix each: distance={spec.MAHALANOBIS!r}, matrix=...")
    return _named(value, name, tuple(spec.DISTANCES), known)


def binning(value: Any, name: str, known: Known) -> str:
    """The name of a binning."""
    return _named(value, name, tuple(BINNINGS), known)


def calibrator(value: Any, name: str, known: Known) -> str:
    """The name of a calibrator, or "none"."""
    return validation.choice(known.name_of_calibrator(value), name, (AS_IT_IS, *known.known_calibrators))


def calibrators(value: Any, name: str, known: Known) -> tuple[str, ...]:
    """The names of several calibrators."""
    named = [known.name_of_calibrator(each) for each in validation.listing(value, name, "calibrators or their names")]
    return several(named, name, known.known_calibrators)


def metrics(value: Any, name: str, known: Known) -> tuple[str, ...]:
    """The names of several metrics of the menu."""
    named = [known.name_of_metric(each) for each in validation.listing(value, name, "metrics or their names")]
    return several(named, name, (*spec.MENU, *known.own_of("metric")))


def panels(value: Any, name: str, known: Known) -> tuple[str, ...]:
    """The names of several panels."""
    named = [known.name_of_panel(each) for each in validation.listing(value, name, "panels or their names")]
    return several(named, name, known.panels)


def truth(value: Any, name: str, _: Known) -> bool:
    """True or False."""
    return validation.truth(value, name)


def selection(value: Any, _name: str, _: Known) -> str:
    """The text of a selection; empty for none."""
    return "" if read_selection(value) is None else str(value)


def groups(value: Any, name: str, _: Known) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Groups of classes as pairs."""
    if isinstance(value, Mapping | list | tuple) and not value:
        return ()
    frozen: Any = Grouping(by_name(value, name)).groups
    return tuple((group, tuple(map(str, members))) for group, members in frozen)


def weights(value: Any, name: str, _: Known) -> Weights:
    """The weights of outcomes that are not 1, as pairs in order."""
    given = {
        str(outcome): validation.real_number(weight, f"{name}[{outcome!r}]", 0.0, HEAVIEST)
        for outcome, weight in by_name(value, name).items()
    }
    return tuple((outcome, weight) for outcome, weight in sorted(given.items()) if weight != 1.0)


def matrix(value: Any, name: str, _: Known) -> Matrix:
    """The name of a matrix, or its rows."""
    return validation.choice(value, name, spec.MATRICES) if isinstance(value, str) else Mahalanobis(value).matrix


def categories(value: Any, name: str, _: Known) -> Any:
    """Cut points, or named categories as pairs."""
    if isinstance(value, str) or not isinstance(value, Iterable) or not getattr(value, "ndim", 1):
        raise ValueError(f"{name} must be cut points, or categories by name, not {value!r}")
    given = value if isinstance(value, Mapping) else list(value)
    if isinstance(given, Mapping) or any(isinstance(entry, list | tuple) for entry in given):
        return tuple(validation.intervals(by_name(given, name), name).items())
    if not given:
        return ()
    validation.intervals(given, name)
    return tuple(float(cut) for cut in given)


def ranks(value: Any, name: str, _: Known) -> tuple[int, ...]:
    """The first and the last rank, or none for all."""
    given = tuple(validation.listing(value, name, "two ranks"))
    numbers = tuple(validation.whole_number(rank, f"{name}[{i}]", 1) for i, rank in enumerate(given))
    if numbers and (len(numbers) != 2 or numbers[0] > numbers[1]):
        raise ValueError(
            f"{name} must be the first and the last rank, such as (901, 1000), or empty for all, not {given}"
        )
    return numbers


def compared(value: Any, name: str, known: Known) -> tuple[Subject, ...]:
    """Models, lenses and selections, all different."""
    rows = tuple(_subject(row, f"{name}[{i}]", known) for i, row in enumerate(validation.listing(value, name, "rows")))
    if len(set(rows)) < len(rows) or len(rows) > spec.MOST_COMPARED:
        raise ValueError(f"{name} must hold different rows, and {spec.MOST_COMPARED} at most: {len(rows)}")
    return rows


def _subject(row: Any, name: str, known: Known) -> Subject:
    if not isinstance(row, list | tuple) or len(row) != 3:
        raise ValueError(f"{name} must be (model, lens, selection), not {row!r}")
    of_model = validation.choice(row[0], f"{name}[0]", known.models)
    kept = selection(row[2], name, known)
    is_own = isinstance(row[1], str) and row[1] in known.own_of("lens")
    return of_model, row[1] if is_own else str(read_lens(row[1]).name), kept


def _named(value: Any, name: str, built_in: Sequence[str], known: Known) -> str:
    """The name of what is built in or the user's own; an object of the user's own is remembered under its name."""
    chosen = value if isinstance(value, str) else known.name_of(name, value, getattr(value, "name", None) in built_in)
    return validation.choice(chosen, name, (*built_in, *known.own_of(name)))


def _lens_named(name: str) -> Lens | None:
    """The built-in lens of a name; None where there is none."""
    try:
        return read_lens(name)
    except ValueError:
        return None
