"""Reads the names that lenses print, and chooses the lens where none is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from ..foundation import validation
from ..foundation.cache import lazy_property
from .class_lenses import Classwise, Pooled, Top1ByClass
from .lenses import ClassConditional, Full, Grouping, Lens, Outcome, Rank, Top1, TopK, WithinTop


@dataclass(frozen=True)
class LensKind:
    """A kind of lenses, which are of one class: how a menu names them, and how they are made."""

    name: str  # what a menu calls them
    make: Callable[..., Lens]  # makes one, of its number or its class where it has one
    form: str = ""  # their names, with {} for a number or a class; by default the name
    takes: Literal["", "number", "class"] = ""
    least: int = 1  # number
    has_outcomes: bool = False  # whether they have several outcomes, which are looked at one by one or together
    source: str = "Kirchenbauer, Oaks and Heim 2022, section 4.2"  # where they were defined

    @lazy_property
    def pattern(self) -> str:
        """The regular expression that their names match, with the number or the class as its only part."""
        return (self.form or self.name).replace("{}", r"(\d+)" if self.takes == "number" else "((?s:.+))")

    def named(self, parameter: int | str) -> str:
        """The name of one of them."""
        return (self.form or self.name).format(parameter)

    def parameter_in(self, name: str) -> str | None:
        """The number or the class in a name, "" where they have none; None where the name is of another kind."""
        match = re.fullmatch(self.pattern, name)
        return None if match is None else "".join(match.groups())


_KS, _GCE = "Gupta et al. 2020, section 2", "Nixon et al. 2019, appendix C"
#: The grammar of lenses. The first kind that matches a name reads it: "top-1" is no top-k.
LENS_KINDS = {
    kind.name: kind
    for kind in (
        LensKind("top-1", Top1, source="Guo et al. 2017"),
        LensKind("top-k", lambda k: TopK(int(k)), "top-{}", "number", least=2, has_outcomes=True),
        LensKind("rank", lambda r: Rank(int(r)), "rank {}", "number", source=_KS),
        LensKind("within-top", lambda r: WithinTop(int(r)), "within-top {}", "number", source=_KS),
        LensKind("class", ClassConditional, "class {}", "class"),
        LensKind("grouping", Grouping, has_outcomes=True),
        LensKind("full", Full, has_outcomes=True),
        LensKind("classwise", Classwise, has_outcomes=True, source=_GCE),
        LensKind("top-1 by class", Top1ByClass, has_outcomes=True, source=_GCE),
        LensKind("pooled", Pooled, source=_GCE),
    )
}


@lru_cache(maxsize=1000)
def kind_of(name: str) -> tuple[LensKind, str] | None:
    """The kind of lens that bears a name, and its number or class; None where none does."""
    for kind in LENS_KINDS.values():
        parameter = kind.parameter_in(name)
        if parameter is not None:
            return kind, parameter
    return None


def kind_of_lens(lens: Lens) -> LensKind | None:
    """The kind that a lens, or an outcome of it, is of; None for one of the user's own."""
    whole = lens.lens if isinstance(lens, Outcome) else lens
    if isinstance(whole, Grouping):  # whose name tells its groups
        return LENS_KINDS["grouping"]
    known = kind_of(whole.name)
    return None if known is None else known[0]


def outcome_in(name: str) -> tuple[str, str] | None:
    """The lens and the outcome that a name such as "top-5: rest" is of; None where it is of none."""
    for kind in LENS_KINDS.values():
        if kind.has_outcomes and (match := re.fullmatch(rf"({kind.pattern}): ((?s:.+))", name)):
            return match[1], match[match.re.groups]
    return None


def lens(name: str | Lens) -> Lens:
    """The lens of a name.

    Names are "top-1", "top-5", "rank 2", "within-top 3", "class cat", "grouping", "full", "classwise",
    "top-1 by class" and "pooled". "top-5: rest" is one outcome of a vector lens. A lens is returned as it is.

    Raises
    ------
    ValueError
        Where no lens bears the name.

    See Also
    --------
    Grouping : Groups of classes of your own.
    Outcome : One outcome of a vector lens.
    selection : Which samples are looked at.

    Examples
    --------
    >>> p = cv.Predictions([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 2])
    >>> cv.lens("rank 2")(p).score
    array([0.2, 0.3])
    """
    if not isinstance(name, str):
        if callable(name) and hasattr(name, "name") and not isinstance(name, type):
            return name
        hint = ": one of your own needs a name, and any other function goes by its keyword" * callable(name)
        raise TypeError(f"lens must be a lens or the name of one, not {name!r}{hint}")
    written = name.strip()
    if named := outcome_in(written):
        return Outcome(lens(named[0]), named[1])
    if known := kind_of(written):
        kind, parameter = known
        return kind.make(parameter) if kind.takes else kind.make()
    plain = written[:1].lower() + written[1:]
    near = [plain] * (kind_of(plain) is not None) + [kind.name for kind in LENS_KINDS.values() if not kind.takes]
    of_class = f"; a class of that name has the lens {f'class {written}'!r}, and a field goes by its keyword"
    hint = validation.did_you_mean(written, near) or of_class * bool(written)
    raise ValueError(
        f"lens {name!r} is unknown: use 'top-1', 'top-K', 'rank R', 'within-top R', 'class C', 'grouping', 'full', "
        f"'classwise', 'top-1 by class' or 'pooled'{hint}"
    )


def named_lenses(value: Any, argument: str = "lenses") -> dict[str, Lens]:
    """One or several lenses by name: their own names, or those that the keys of a dict give them."""
    if isinstance(value, Mapping):
        given = validation.mapping(value, argument, "lenses or their names")
        named = {validation.text(name, f"each name in {argument}"): lens(each) for name, each in given.items()}
    else:
        several = [lens(each) for each in validation.several(value)]
        validation.refuse_repeats("lens", [each.name for each in several])
        named = {each.name: each for each in several}
    if not named:
        raise ValueError("lens is empty: pass at least one")
    return named


def lens_for(models: Iterable[Any], named: str | Lens | None = None) -> Lens:
    """Return the lens that is named, or else the default of the models."""
    return default_lens(models) if named is None else lens(named)


def default_lens(models: Iterable[Any]) -> Lens:
    """Return the lens that models are looked at through where none is named: the positive class of two, else top-1.

    Of two classes, top-1 cancels what is wrong at one end of the scores by what is wrong at the other. Models of
    different classes share no positive class, and confidences in a predicted class have none; of the rows of a summary,
    the second class is what the summary looked at.
    """
    several = list(models)
    [names, *others] = {tuple(model.class_names) for model in several}
    are_confidences = all(model.of_confidence and getattr(model, "summary_of", None) is None for model in several)
    if others or len(names) != 2 or are_confidences:
        return Top1()
    return ClassConditional(names[1])
