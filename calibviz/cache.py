"""A small least-recently-used store, bounded by the bytes that its entries hold."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")

BUDGET = 512 * 2**20
LEAST_SIZE = 4096  # of an entry with its key, which no `nbytes` counts


class Cache:
    """Keeps what `get` made until the entries together hold more than `budget` bytes.

    An entry's size is its `nbytes`; the latest entry always stays. A key that cannot be hashed, such as a
    lens of the user's own that holds a list, is made anew each time.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._entries: OrderedDict[Hashable, Any] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}
        self._held = 0

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        try:
            found: T = self._entries[key]
        except KeyError:
            pass
        except TypeError:
            return make()
        else:
            self._entries.move_to_end(key)
            return found
        made = make()
        self._entries[key] = made
        self._sizes[key] = LEAST_SIZE + int(getattr(made, "nbytes", 0))
        self._held += self._sizes[key]
        while len(self._entries) > 1 and self._held > self._budget:
            self._held -= self._sizes.pop(self._entries.popitem(last=False)[0])
        return made


class ByIdentity:
    """Makes a key of an object that is equal to itself alone, whatever its own equality says."""

    def __init__(self, value: object) -> None:
        self.value = value  # held, so that no other object gets its id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
