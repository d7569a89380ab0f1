"""The base of the states of the Explorer and of the laboratory."""

from __future__ import annotations

import numbers
from typing import Any

import traitlets


class OneOf(traitlets.Enum):
    """One of several words or numbers; refuses values that cannot be compared with them, such as arrays."""

    def validate(self, obj: Any, value: Any) -> Any:
        if isinstance(value, str | numbers.Number):
            return super().validate(obj, value)
        return self.error(obj, value)


class Named(traitlets.Any):
    """A name, or something to call that has one, as a lens or a distance does."""

    info_text = "a name, or an object to call with a name of its own"
    allow_none = False

    def validate(self, obj: Any, value: Any) -> Any:
        if isinstance(value, str) or is_named(value):
            return value
        return self.error(obj, value)


class Checked(traitlets.Any):
    """Anything but None, which a function of the state checks: traitlets would take None without asking it."""

    info_text = "not None"
    allow_none = False

    def validate(self, _obj: Any, value: Any) -> Any:
        return value


class NumberField(traitlets.Float):
    """A number; refuses whole numbers that are too large for a float."""

    def validate(self, obj: Any, value: Any) -> Any:
        try:
            return super().validate(obj, value)
        except OverflowError:
            return self.error(obj, value)


class Choices(traitlets.HasTraits):
    """Choices that are set one by one, or several at once; other attributes cannot be set.

    Attributes
    ----------
    CHOICES : tuple of str
        The traits that can be chosen.
    NAMES : tuple of str
        The names that error messages list.
    """

    CHOICES: tuple[str, ...] = ()
    NAMES: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name.startswith("_") or hasattr(type(self), name)):
            raise AttributeError(f"{name!r} is not a choice: there are {', '.join(self.NAMES)}")
        super().__setattr__(name, value)

    def update(self, /, **choices: Any) -> None:
        """Set several choices at once; if one is refused, none is set."""
        unknown = [name for name in choices if name not in self.CHOICES]
        if unknown:
            raise traitlets.TraitError(f"{unknown[0]!r} is not a choice: there are {', '.join(self.NAMES)}")
        with self.hold_trait_notifications():
            for name, value in choices.items():
                setattr(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """Every choice by name, in values that JSON can hold."""
        return {name: getattr(self, name) for name in self.CHOICES}


def is_named(value: Any) -> bool:
    """Whether it can be called and has a name, which a class has not."""
    return callable(value) and not isinstance(value, type) and isinstance(getattr(value, "name", None), str)


def checked(check: Any, *arguments: Any) -> Any:
    """What a check returns; its `TypeError` or `ValueError` becomes a `TraitError`."""
    try:
        return check(*arguments)
    except (TypeError, ValueError) as error:
        raise traitlets.TraitError(str(error)) from None
