"""The base of the states of the Explorer and of the laboratory."""

from __future__ import annotations

import numbers
from typing import Any

import traitlets

from ...answers.asked.choices import Choice, refuse_unknown


class OneOf(traitlets.Enum):
    """One of several words or numbers; refuses values that cannot be compared with them, such as arrays."""

    def validate(self, obj: Any, value: Any) -> Any:
        if isinstance(value, str | numbers.Number):
            return super().validate(obj, value)
        return self.error(obj, value)


class Chosen(traitlets.Any):
    """One of the choices of the Explorer, which its check judges."""

    allow_none = False

    def __init__(self, choice: Choice) -> None:
        super().__init__(choice.default, help=choice.meaning)
        self.choice = choice

    def validate(self, obj: Any, value: Any) -> Any:
        return checked(self.choice.allowed.check, value, self.choice.name, obj._known)


class NumberField(traitlets.Float):
    """A number; refuses whole numbers that are too large for a float."""

    def validate(self, obj: Any, value: Any) -> Any:
        try:
            return super().validate(obj, value)
        except OverflowError:
            return self.error(obj, value)


class Choices(traitlets.HasTraits):
    """Choices that are set one by one, or several at once; other attributes cannot be set."""

    CHOICES: tuple[str, ...] = ()  # the traits that can be chosen
    NAMES: tuple[str, ...] = ()  # which error messages list

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name.startswith("_") or hasattr(type(self), name)):
            raise AttributeError(f"{name!r} is not a choice: there are {', '.join(self.NAMES)}")
        super().__setattr__(name, value)

    def update(self, /, **choices: Any) -> None:
        """Set several choices at once; if one is refused, none is set."""
        for name in choices:
            checked(refuse_unknown, name, self.NAMES)
        with self.hold_trait_notifications():
            for name, value in choices.items():
                setattr(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """Every choice by name, in values that JSON can hold."""
        return {name: getattr(self, name) for name in self.CHOICES}


def checked(check: Any, *arguments: Any) -> Any:
    """Return what a check returns; its `TypeError` or `ValueError` becomes a `TraitError`."""
    try:
        return check(*arguments)
    except (TypeError, ValueError) as error:
        raise traitlets.TraitError(str(error)) from None
