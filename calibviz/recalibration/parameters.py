"""The base class of all calibrators: settings as in scikit-learn, a name, and a form of plain numbers."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..foundation import validation
from ..foundation.written import ShownAsPrinted, number

SUM_TOLERANCE = 1e-3  # of mapped rows, whose shares add up to 1
MOST_PRINTED = 5  # fitted numbers of one name
HOW_FAR = "gradient_norm_"  # the fitted value that says how the fit went, not what it is

_KINDS: dict[str, type[Parameters]] = {}


class NotFittedError(ValueError, AttributeError):
    """A calibrator, or a value that only a fit gives it, was used before it was fitted."""

    def __init__(self, calibrator: object) -> None:
        super().__init__(f"{type(calibrator).__name__} is not fitted: call fit(...) with calibration data first")


class Parameters(ShownAsPrinted, ABC):
    """An object whose settings are the arguments of its class, and whose fitted attributes end in an underscore.

    scikit-learn can clone it, and is not required.
    """

    short_name: str

    if not TYPE_CHECKING:  # to type checkers every name would exist, misspelt ones too

        def __getattr__(self, name: str) -> Any:
            if name.endswith("_") and not name.startswith("_"):
                self._check_fitted()
            return object.__getattribute__(self, name)  # which raises the usual error

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(f"{__package__}."):  # a user's own class could have the same name
            _KINDS[cls.__name__] = cls

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name; with `deep` also those of an inner calibrator, as `calibrator__knots`."""
        params = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        if validation.truth(deep, "deep"):
            for name, value in list(params.items()):
                if isinstance(value, Parameters):
                    params |= {f"{name}__{inner}": setting for inner, setting in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Return the calibrator with changed settings; fitted values stay until the next fit.

        Raises
        ------
        TypeError, ValueError
            For an unknown name or a value out of range; nothing is changed then.
        """
        settings = self.get_params(deep=False)
        inner: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            outer, _, rest = name.partition("__")
            if outer not in settings or (rest and not isinstance(settings[outer], Parameters)):
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(settings) or 'none'}"
                )
            if rest:
                inner.setdefault(outer, {})[rest] = value
            else:
                settings[outer] = value
        for outer, several in inner.items():
            changed = type(settings[outer])(**settings[outer].get_params(deep=False))
            settings[outer] = changed.set_params(**several)
        vars(self).update(vars(type(self)(**settings)))  # which checks them
        return self

    def _changed(self) -> dict[str, Any]:
        """The settings that are not the defaults."""
        defaults = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
        return {
            name: value
            for name, value in self.get_params(deep=False).items()
            if defaults[name] is inspect.Parameter.empty or not _is_same(value, defaults[name])
        }

    def __repr__(self) -> str:
        changed = self._changed().items()
        settings = [f"{name}={v.__name__ if inspect.isfunction(v) else repr(v)}" for name, v in changed]
        return f"{type(self).__name__}({', '.join(settings)})"

    def __str__(self) -> str:
        """The call that makes it and, once it is fitted, its values, but for those that are many."""
        fitted = {name[:-1].replace("_", " "): value for name, value in self._fitted().items() if name != HOW_FAR}
        values = [f"{name} {text}" for name, value in fitted.items() if (text := _printed(value))]
        return f"{self!r}{': ' if values else ''}{', '.join(values)}"

    @property
    def name(self) -> str:
        """The label in a cube: the short name, and every setting that is not the default."""
        return ", ".join(
            [self.short_name, *(f"{name}={_label_setting(value)}" for name, value in self._changed().items())]
        )

    def _fitted(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name.endswith("_") and not name.endswith("__")}

    def _check_fitted(self) -> None:
        if not self._fitted():
            raise NotFittedError(self)

    def to_dict(self) -> dict[str, Any]:
        """Settings and fitted values as plain numbers, texts, lists and dicts, which JSON can hold.

        Raises
        ------
        TypeError
            Where a setting is a function or an object that is no calibrator of calibviz.
        """
        return {
            "calibrator": type(self).__name__,
            "parameters": {name: _to_plain(value, name) for name, value in self.get_params(deep=False).items()},
            "fitted": {name: _to_plain(value, name) for name, value in self._fitted().items()},
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        """The calibrator that `to_dict` described.

        Raises
        ------
        ValueError
            Where the record is not one of `cls`, or not complete, or its numbers make no probabilities.
        """
        record = validation.mapping(record, "record", "what to_dict() made of a calibrator")
        missing = [key for key in ("calibrator", "parameters", "fitted") if key not in record]
        if missing:
            raise ValueError(f"record lacks {missing[0]!r}: it must be what to_dict() made")
        kind = _KINDS.get(str(record["calibrator"]))
        if kind is None or not issubclass(kind, cls):
            raise ValueError(f"record describes {record['calibrator']!r}, which is no {cls.__name__}")
        inner = {key: validation.mapping(record[key], f"record[{key!r}]", "values") for key in ("parameters", "fitted")}
        calibrator = kind(**{name: _from_plain(value) for name, value in inner["parameters"].items()})
        vars(calibrator).update({name: _from_plain(value) for name, value in inner["fitted"].items()})
        if calibrator._fitted():
            calibrator._check_record()
        return calibrator

    def _check_record(self) -> None:
        """Refuse fitted values, read from a record, with which the calibrator cannot map a sample."""
        kind = type(self).__name__
        try:
            with np.errstate(all="ignore"):
                mapped = self._example()
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f"record of {kind} is not complete, or was changed: {error}") from error
        is_share = np.isfinite(mapped).all() and mapped.min() >= 0 and mapped.max() <= 1
        if not is_share or (mapped.ndim > 1 and np.abs(mapped.sum(axis=1) - 1).max() > SUM_TOLERANCE):
            raise ValueError(f"record of {kind} was changed: with its fitted values it makes {mapped.ravel().tolist()}")

    @abstractmethod
    def _example(self) -> NDArray[Any]:
        """The answer of the fitted calibrator for a sample, or for a few scores, each in [0, 1]."""


def _is_same(value: Any, default: Any) -> bool:
    return isinstance(value, bool) == isinstance(default, bool) and bool(value == default)


def _label_setting(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return str(getattr(value, "name", None) or getattr(value, "__name__", None) or value)


def _printed(value: Any) -> str:
    """A number, or a few in brackets, also those of an inner calibrator; nothing for other values."""
    if isinstance(value, np.ndarray | list):
        entries = value.ravel().tolist() if isinstance(value, np.ndarray) else value
        texts = [_printed(entry) for entry in entries] if len(entries) <= MOST_PRINTED else [""]
        return f"({', '.join(texts)})" if texts and all(texts) else ""
    return number(value) if isinstance(value, float) else f"[{value}]" * isinstance(value, Parameters)


def _to_plain(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        numbers: list[Any] = value.tolist()
        if np.isnan(value).any():  # JSON has no nan; only arrays with one axis hold any
            numbers = [None if number != number else number for number in numbers]
        return {"array": numbers}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Parameters):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [_to_plain(entry, name) for entry in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{name} is {value!r}, which has no form of plain numbers")


def _from_plain(value: Any) -> Any:
    if isinstance(value, dict) and "array" in value:
        numbers = np.array(value["array"], dtype=np.float64)
        if np.isinf(numbers).any():
            raise ValueError("record holds an infinite number: to_dict() makes none")
        return numbers
    if isinstance(value, dict):
        return Parameters.from_dict(value)
    if isinstance(value, list):
        return [_from_plain(entry) for entry in value]
    return value
