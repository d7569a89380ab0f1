"""What was computed once: a store bounded by the bytes it holds, and properties. Threads may share both."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from functools import cached_property

    lazy_property = cached_property
else:

    class lazy_property:
        """A `functools.cached_property` of which all threads get the same value, though several may make it.

        That of Python 3.11 holds a lock for all objects of the class while it makes a value, so one thread waits for
        what another does elsewhere, and two such locks can wait for each other.
        """

        def __init__(self, make):
            self.make = make
            self.__doc__ = make.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            return self if instance is None else instance.__dict__.setdefault(self.name, self.make(instance))


T = TypeVar("T")

BUDGET = 512 * 2**20
LEAST_SIZE = 4096  # of an entry with its key, which no `nbytes` counts


class Cache:
    """Keeps what `get` made until the entries together hold more than `budget` bytes.

    An entry's size is its `nbytes`; the latest entry always stays. A key that cannot be hashed, such as a
    lens of the user's own that holds a list, is made anew each time. Nobody waits while something is made: of
    threads that make the same all get what was there first.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()  # with their sizes
        self._held = 0
        self._lock = RLock()  # which its holder may take again: freeing an entry can run anything

    def __reduce__(self) -> tuple[type[Cache], tuple[int]]:
        return Cache, (self._budget,)  # what can be computed again is not pickled

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._entries

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        try:
            found = self._find(key)
        except TypeError:
            return make()
        if found is None:
            made = make()
            found = self._keep(key, (made, LEAST_SIZE + int(getattr(made, "nbytes", 0))))
        value: T = found[0]
        return value

    def _find(self, key: Hashable) -> tuple[Any, int] | None:
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def _keep(self, key: Hashable, entry: tuple[Any, int]) -> tuple[Any, int]:
        with self._lock:
            kept = self._entries.setdefault(key, entry)
            if kept is entry:
                self._held += entry[1]
                while len(self._entries) > 1 and self._held > self._budget:
                    self._held -= self._entries.popitem(last=False)[1][1]
            return kept


class ByIdentity:
    """Makes a key of an object that is equal to itself alone, whatever its own equality says."""

    def __init__(self, value: object) -> None:
        self.value = value  # held, so that no other object gets its id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
