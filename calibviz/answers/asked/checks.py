"""What values the choices of the Explorer take that can be judged by themselves, without the others or the models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ...context.condition_parser import selection as read_selection
from ...context.lenses import Grouping
from ...foundation import validation
from ...metrics.distances import Mahalanobis
from ...recalibration.temperature import COLDEST, HOTTEST
from .category_text import HEAVIEST
from .spec import (
    CURVES,
    FIRST_THRESHOLD,
    GAMMAS,
    LAST_THRESHOLD,
    MATRICES,
    MOST_BINS,
    MOST_FIELDS,
    MOST_KNOTS,
    PANELS,
    SPLINE_OPTIONS,
    SWITCHES,
    Matrix,
    Weights,
)

#: The ranges of choices that are whole numbers and of those that are any numbers; what some others may list.
WHOLE_NUMBERS = {
    "bins": (1, MOST_BINS),
    "knots": (2, MOST_KNOTS),
    "bin": (0,),
    "sample": (0,),
    "depth": (1, MOST_FIELDS),
    "minimum": (1,),
}
ACTING = (FIRST_THRESHOLD, LAST_THRESHOLD)
NUMBERS = {
    "temperature": (COLDEST, HOTTEST),
    "gamma": (GAMMAS[-1], GAMMAS[0]),
    "share": (0.05, 0.95),
    "threshold": ACTING,
    "prevalence": ACTING,
}
WORDS = {"curves": CURVES, "panels": PANELS, "spline": SPLINE_OPTIONS, "switches": tuple(SWITCHES)}


def several(values: Iterable[Any], name: str, allowed: Sequence[str], most: int | None = None) -> tuple[str, ...]:
    """The values as a tuple; each must be one of the allowed words, and none may repeat."""
    words = tuple(validation.choice(value, name, allowed) for value in values)
    if len(set(words)) < len(words) or (most is not None and len(words) > most):
        raise ValueError(
            f"{name} must be different{'' if most is None else f', and {most} at most'}: {validation.listed(words)}"
        )
    return words


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


def _weights(value: Any) -> Weights:
    weights = {
        str(name): validation.real_number(weight, f"weights[{name!r}]", 0.0, HEAVIEST)
        for name, weight in by_name(value, "weights").items()
    }
    return tuple((name, weight) for name, weight in sorted(weights.items()) if weight != 1.0)


def _matrix(value: Any) -> Matrix:
    if isinstance(value, str):
        return str(validation.choice(value, "matrix", MATRICES))
    return Mahalanobis(value).matrix


def _groups(value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if isinstance(value, Mapping | list | tuple) and not value:
        return ()
    frozen: Any = Grouping(by_name(value, "groups")).groups
    return tuple((name, tuple(map(str, members))) for name, members in frozen)


def _selection(value: Any) -> str:
    read_selection(value)
    return str(value)


def _zoom(value: Any) -> tuple[int, ...]:
    given = tuple(value)
    if not given:
        return ()
    ranks = tuple(validation.whole_number(rank, f"zoom[{i}]", 1) for i, rank in enumerate(given))
    if len(ranks) != 2 or ranks[0] > ranks[1]:
        raise ValueError(
            f"zoom must be the first and the last rank, such as (901, 1000), or empty for all, not {given}"
        )
    return ranks


def _likert(value: Any) -> Any:
    if isinstance(value, str) or not isinstance(value, Iterable) or not getattr(value, "ndim", 1):
        raise ValueError(f"likert must be cut points, or categories by name, not {value!r}")
    given = value if isinstance(value, Mapping) else list(value)
    if isinstance(given, Mapping) or any(isinstance(entry, list | tuple) for entry in given):
        return tuple(validation.intervals(by_name(given, "likert"), "likert").items())
    if not given:
        return ()
    validation.intervals(given, "likert")
    return tuple(float(cut) for cut in given)


def _whole_number(name: str, value: Any) -> int | None:
    return None if value is None else validation.whole_number(value, name, *WHOLE_NUMBERS[name])


def _number(name: str, value: Any) -> float | None:
    return None if value is None else validation.real_number(value, name, *NUMBERS[name])


def _words(name: str, value: Any) -> tuple[str, ...]:
    return several(value, name, WORDS[name])


#: By the name of a choice: what makes of a value that which the state holds. Where None is not allowed, the trait has
#: refused it before.
CHECKS: dict[str, Callable[[Any], Any]] = {
    "weights": _weights,
    "matrix": _matrix,
    "groups": _groups,
    "selection": _selection,
    "zoom": _zoom,
    "likert": _likert,
    **{name: partial(_whole_number, name) for name in WHOLE_NUMBERS},
    **{name: partial(_number, name) for name in NUMBERS},
    **{name: partial(_words, name) for name in WORDS},
}
