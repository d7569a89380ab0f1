"""Caches of computed values: a store with a limit in bytes, and lazy properties. Threads may share both."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from functools import cached_property

    lazy_property = cached_property
else:

    class lazy_property:
        """A `functools.cached_property` that gives all threads the same value, though several may compute it.

        The one of Python 3.11 holds one lock for all objects of a class while it computes a value. So a thread waits
        for work on another object, and two such locks can wait for each other.
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
LEAST_SIZE = 4096  # bytes of an entry with its key, which no `nbytes` counts


class Cache:
    """Keeps computed values until they hold more than `budget` bytes together; then the least recently used go.

    A value counts with its `nbytes`, and the latest one always stays. Under a key that cannot be hashed, such as a
    user's lens that holds a list, the value is computed anew each time. No thread waits while another one computes; if
    several compute the same value, all get the first.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()  # with their sizes
        self._held = 0
        self._lock = RLock()  # the holder may take it again, since freeing a value can run code that asks the cache

    def __reduce__(self) -> tuple[type[Cache], tuple[int]]:
        return Cache, (self._budget,)  # the values are not pickled, since they can be computed again

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._entries

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value kept under a key, or the value that `make` returns, which is kept from then on."""
        try:
            hash(key)
        except TypeError:
            return make()
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
                return cast(T, self._entries[key][0])
        value = make()  # outside of the lock, so that no thread waits for another one's work
        with self._lock:
            entry = value, LEAST_SIZE + int(getattr(value, "nbytes", 0))
            kept = self._entries.setdefault(key, entry)
            if kept is entry:
                self._held += entry[1]
                while len(self._entries) > 1 and self._held > self._budget:
                    self._held -= self._entries.popitem(last=False)[1][1]
            return cast(T, kept[0])


class ByIdentity:
    """A key for one object: it equals only keys of the same object, whatever the object's own equality says."""

    def __init__(self, value: object) -> None:
        self.value = value  # the reference keeps other objects from getting its id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
