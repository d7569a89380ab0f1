"""Arrays by name, as files of arrays hold them: which is what, and those alone that are wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import texts
from ...columns.array_roles import one_column, roles, settled
from ...columns.choices import Account, Arguments, ReadingOptions
from ...columns.known_names import chosen_column, says_log_probability
from ...columns.table_roles import table_arguments
from ...columns.tables import ArrayTable
from ...safeguards import charge_array

Header = tuple[tuple[int, ...], np.dtype[Any]]
"""The shape and the kind of an array."""

IMAGES = "images"


@dataclass
class NamedArrays:
    """The arrays of a file by name; each is charged before it is loaded, and is loaded once."""

    headers: Mapping[str, Header]
    load: Callable[[str], NDArray[Any]]  # gives an array by its name

    def __post_init__(self) -> None:
        self._loaded: dict[str, NDArray[Any]] = {}
        self._charged: set[str] = set()

    def charge(self, *names: str) -> None:
        """Set memory aside for some arrays, before the first of them takes time."""
        for name in names:
            if name not in self._charged:
                self._charged.add(name)
                charge_array(*self.headers[name])

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._loaded:
            self.charge(name)
            self._loaded[name] = self.load(name)
        return self._loaded[name]

    def add(self, name: str, values: NDArray[Any]) -> None:
        """Add an array that is loaded."""
        self.headers = {**self.headers, name: (values.shape, values.dtype)}
        self._loaded[name] = values
        self._charged.add(name)


def array_arguments(arrays: NamedArrays, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in arrays; those that are neither an argument nor a field are not loaded."""
    columns = _columns(arrays, choices)
    if columns:
        arrays.charge(*columns)
        return table_arguments(ArrayTable({name: one_column(arrays[name]) for name in columns}), choices, account)
    names = roles(arrays.headers, choices, account, arrays)
    shapes = {name: shape for name, (shape, _) in arrays.headers.items()}
    samples = shapes[names["labels"]][:1]
    shape = shapes.get(IMAGES, ())
    if shape[:1] == samples and len(shape) >= 3 and shape[3:] in ((), (3,)):
        names[IMAGES] = IMAGES
    taken = set(names.values())
    fields = [name for name in arrays.headers if name not in taken and shapes[name] == samples]
    arrays.charge(*names.values(), *fields)
    arguments: Arguments = {role: arrays[name] for role, name in names.items()}
    arguments["fields"] = {name: arrays[name] for name in fields}
    if "class_names" in arguments:
        given = arguments["class_names"].ravel().tolist()
        arguments["class_names"] = texts(given, "class_names[", of_rows=False)
    return settled(_by_place(arguments, account), choices, account, names["labels"])


def _columns(arrays: NamedArrays, choices: ReadingOptions) -> list[str]:
    """The arrays that are the columns of a table: all, where each has an entry a sample; none where one has more.

    Two are the scores and the labels, unless the scores are logarithms. Where an option names outcomes at a horizon,
    others are left out.
    """
    sizes = {name: shape[:1] if shape[1:] in ((), (1,)) else () for name, (shape, _) in arrays.headers.items()}
    if choices.event is not None:
        event = chosen_column(choices.event, arrays.headers, "event")
        return [name for name, size in sizes.items() if size == sizes[event]]
    are_more = len(sizes) > 2 or any(map(says_log_probability, sizes))
    return list(sizes) if are_more and len({*sizes.values()}) == 1 and () not in sizes.values() else []


def _by_place(arguments: Arguments, account: Account) -> Arguments:
    """Arguments of tokens (n, places, K), with labels (n, places), as rows: one for each place."""
    role = "probs" if "probs" in arguments else "logits"
    scores, labels = np.asarray(arguments[role]), np.asarray(arguments["labels"])
    if scores.ndim != 3 or labels.shape != scores.shape[:2]:
        return arguments
    n, places = labels.shape
    account.say(f"a row for each of {places:,} places in {n:,} samples, which depend on each other")
    flat = {role: scores.reshape(-1, scores.shape[2]), "labels": labels.reshape(-1)}
    number = np.repeat(np.arange(len(labels)), labels.shape[1])
    named = {name: value for name, value in arguments.items() if name == "class_names"}
    return named | flat | {"fields": {"sample": number}}
