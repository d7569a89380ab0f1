"""Sources of objects: the calls, as code, that make predictions or a Dataset again.

The scripts that the Explorer and the reports offer hold such code. None of it comes from outside: a `Source` is made of
names that this package wrote and of values that `repr` wrote. Texts of a user or a file, such as ``about["source"]``,
never become code.
"""

from __future__ import annotations

import numbers
import weakref
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, repr=False)
class Source:
    """An expression of Python: begin with a name, then call it, take items and call methods.

    >>> from calibviz.foundation.sources import Source
    >>> Source("cv.load_dataset")("digits")["naive Bayes"]
    cv.load_dataset('digits')['naive Bayes']
    """

    code: str

    def __call__(self, *arguments: Any, **options: Any) -> Source:
        written_arguments = [written(value) for value in arguments]
        written_arguments += [f"{name}={written(value)}" for name, value in options.items()]
        return Source(f"{self.code}({', '.join(written_arguments)})")

    def __getitem__(self, key: Any) -> Source:
        return Source(f"{self.code}[{written(key)}]")

    def method(self, name: str) -> Source:
        """The expression with a method looked up on its value."""
        return Source(f"{self.code}.{name}")

    def __repr__(self) -> str:
        return self.code


_DATASETS: dict[int, tuple[weakref.ref[xr.Dataset], Source]] = {}  # by identity, as a Dataset has no hash


def remember(dataset: xr.Dataset, made_by: Source) -> xr.Dataset:
    """Return the Dataset, registered for `source_of`: attributes would be copied to Datasets derived from it."""
    key = id(dataset)
    _DATASETS[key] = weakref.ref(dataset, lambda _: _DATASETS.pop(key, None)), made_by
    return dataset


def source_of(value: Any) -> Source | None:
    """The code that makes predictions or a Dataset again, where this package knows it."""
    kept = _DATASETS.get(id(value))
    if kept is not None and kept[0]() is value:
        return kept[1]
    source = getattr(value, "made_by", None)
    return source if isinstance(source, Source) else None


def assigned(name: str, made_by: Source | None, passed_to: str) -> str:
    """A line of a script that assigns a name; where the source is not known, a comment that says what to assign."""
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
        settings = {field.name: getattr(value, field.name) for field in fields(value)}
        changed = {field.name: settings[field.name] for field in fields(value) if settings[field.name] != field.default}
        return str(Source(f"cv.{type(value).__name__}")(**changed))
    raise TypeError(f"{type(value).__name__} cannot be written as code")
