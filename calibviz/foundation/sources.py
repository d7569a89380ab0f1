"""What made an object, as code: the calls that give it again.

Scripts that the Explorer and the reports hand out hold such code. None of it comes from outside: a `Source` is made
of names that this package wrote and of values that are written by `repr`. Texts that a user or a file brings along,
such as ``about["source"]``, are never code.
"""

from __future__ import annotations

import numbers
import weakref
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import xarray as xr


@dataclass(frozen=True, repr=False)
class Source:
    """An expression of Python: begin with a name, then call it, take items and call methods.

    Examples
    --------
    >>> from calibviz.foundation.sources import Source
    >>> Source("cv.load_dataset")("digits")["naive Bayes"]
    cv.load_dataset('digits')['naive Bayes']
    """

    code: str

    def __call__(self, *arguments: Any, **options: Any) -> Source:
        given = [written(value) for value in arguments]
        given += [f"{name}={written(value)}" for name, value in options.items()]
        return Source(f"{self.code}({', '.join(given)})")

    def __getitem__(self, key: Any) -> Source:
        return Source(f"{self.code}[{written(key)}]")

    def method(self, name: str) -> Source:
        """A method of what the expression gives."""
        return Source(f"{self.code}.{name}")

    def __repr__(self) -> str:
        return self.code


_DATASETS: dict[int, tuple[weakref.ref[xr.Dataset], Source]] = {}  # by identity, as a Dataset has no hash


def remember(dataset: xr.Dataset, made_by: Source) -> xr.Dataset:
    """The same Dataset, for `source_of`: its attributes would be copied to what is made of it, and to files."""
    key = id(dataset)
    _DATASETS[key] = weakref.ref(dataset, lambda _: _DATASETS.pop(key, None)), made_by
    return dataset


def source_of(value: Any) -> Source | None:
    """The code that makes predictions or a Dataset again, where this package knows it."""
    if isinstance(value, xr.Dataset):
        kept = _DATASETS.get(id(value))
        return kept[1] if kept is not None and kept[0]() is value else None
    found = getattr(value, "made_by", None)
    return found if isinstance(found, Source) else None


def assigned(name: str, made_by: Source | None, passed_to: str) -> str:
    """A line of a script that assigns a name or, where nobody knows how, says what belongs there."""
    return f"# {name} is what was passed to {passed_to}" if made_by is None else f"{name} = {made_by}"


def written(value: Any) -> str:
    """A value as code. Numbers and texts of NumPy are written as those of Python, which need no import."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | Source):
        return repr(value)
    if isinstance(value, str):
        return str.__repr__(value)
    if isinstance(value, numbers.Integral):
        return repr(int(value))
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, list | tuple):
        inner = ", ".join(map(written, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{written(key)}: {written(entry)}' for key, entry in value.items())}}}"
    if is_dataclass(value) and type(value).__module__.startswith("calibviz."):
        given = {field.name: getattr(value, field.name) for field in fields(value)}
        changed = {field.name: given[field.name] for field in fields(value) if given[field.name] != field.default}
        return str(Source(f"cv.{type(value).__name__}")(**changed))
    raise TypeError(f"{type(value).__name__} cannot be written as code")
