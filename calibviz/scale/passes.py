"""One pass over parts of predictions, as one dask graph: what is made of each part is joined in a tree."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, TypeVar

from ..data.columns.choices import Unclear
from ..foundation import validation
from ..foundation.packages import needed
from ..foundation.threads import alone

T = TypeVar("T")
Looker = Callable[["Part", dict[str, Any]], T]
Join = Callable[[Sequence[T]], T]

JOIN_WIDTH = 8  # results that are joined in one step of the tree


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of predictions."""

    start: int  # its first row
    rows: int  # how many there are
    place: str  # where they stand, for messages: "preds.parquet, rows 0 to 999"
    read: Any  # a function that returns the arguments of `Predictions`, or a Delayed that gives one
    of_confidence: bool = False  # whether its probabilities are confidences in a predicted class


class PartError(ValueError):
    """An error of a part. Its message counts rows from the first of all parts."""

    @classmethod
    def of(cls, part: Part, error: Exception) -> PartError:
        """The error of a part, from one that counts rows from the first of this part."""
        said = error.said if isinstance(error, Unclear) else error  # a part takes no option that would settle it
        moved = said.moved(part.start) if isinstance(said, validation.RowError) else said
        return cls(f"{part.place}{moved}")


@dataclass(frozen=True, eq=False)
class _Failure:
    """The failure of the part that begins at a row. It is returned, as workers print what is raised."""

    start: int
    error: Exception


def dask() -> Any:
    """The package dask; an ImportError says how to install it."""
    return needed("dask", "reading predictions in parts", "scale")


def passed(several: Sequence[tuple[Sequence[Part], Looker[T]]], join: Join[T], progress: bool = True) -> list[T]:
    """The joined results of looks at all parts of several sets, which are read in one pass."""
    # The first parts go first: most mistakes are in every part, and are reported here before a long pass.
    # All parts share one look: else dask would search its content for each part.
    shared = [dask().delayed(look, traverse=False) for _, look in several]
    first = _found([_delayed(parts[0], look) for (parts, _), look in zip(several, shared, strict=True)], several, False)
    trees = {
        i: _tree(parts[1:], look, join)
        for i, ((parts, _), look) in enumerate(zip(several, shared, strict=True))
        if len(parts) > 1
    }
    rest = dict(zip(trees, _found(list(trees.values()), several, progress), strict=True)) if trees else {}
    return [join([beginning, rest[i]]) if i in rest else beginning for i, beginning in enumerate(first)]


def _tree(parts: Sequence[Part], look: Any, join: Join[T]) -> Any:
    """The graph that joins what is made of parts, some at a time."""
    tree = [_delayed(part, look) for part in parts]
    while len(tree) > 1:
        several = [tree[i : i + JOIN_WIDTH] for i in range(0, len(tree), JOIN_WIDTH)]
        tree = [dask().delayed(_joined)(join, some) for some in several]
    return tree[0]


def _found(trees: list[Any], several: Sequence[tuple[Sequence[Part], Looker[T]]], progress: bool) -> list[T]:
    """The computed results; raises what is wrong with the first part that fails."""
    try:
        made = _computed(trees, progress)
    except Exception as error:  # of the user's own graph: we do not know which part it belongs to
        if type(error).__module__.startswith("distributed"):
            raise
        raise _unreadable(several) or error from None
    failures = [result for result in made if isinstance(result, _Failure)]
    if failures:
        raise min(failures, key=lambda failure: failure.start).error
    return made


def _delayed(part: Part, shared: Any) -> Any:
    return dask().delayed(_looked)(replace(part, read=None), part.read, shared)


def _looked(part: Part, read: Callable[[], dict[str, Any]], look: Looker[T]) -> T | _Failure:
    try:
        arguments = read()
    except (TypeError, ValueError) as error:
        return _Failure(part.start, PartError.of(part, error))
    try:
        with alone():  # the scheduler has a thread for each processor
            return look(part, arguments)
    except (TypeError, ValueError) as error:
        return _Failure(part.start, error)


def _joined(join: Join[T], several: Sequence[T | _Failure]) -> T | _Failure:
    failures = [result for result in several if isinstance(result, _Failure)]
    if failures:
        return min(failures, key=lambda failure: failure.start)
    try:
        return join(several)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        return _Failure(0, error)


def _computed(trees: list[Any], progress: bool) -> list[Any]:
    """The results of dask graphs, by the cluster if there is a client, else as dask is configured."""
    progress, client = validation.truth(progress, "progress"), None
    if "distributed" in sys.modules:
        with suppress(ValueError):
            client = import_module("distributed").default_client()
    if client is None:
        with import_module("dask.diagnostics").ProgressBar(minimum=1.0) if progress else nullcontext():
            return list(dask().compute(*trees))
    futures = client.compute(trees)
    if progress:
        import_module("distributed").progress(futures, notebook=False)
    return list(client.gather(futures))


def _unreadable(several: Sequence[tuple[Sequence[Part], Any]]) -> PartError | None:
    """The error of the first part that cannot be read; None where all can."""
    for part in sorted((part for parts, _ in several for part in parts), key=lambda part: part.start):
        try:
            _computed([dask().delayed(callable)(part.read)], False)
        except Exception as error:
            return PartError(f"{part.place}cannot be computed: {error}")
    return None
