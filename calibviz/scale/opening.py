"""Opens predictions in zarr, parquet and dask-backed xarray; only names and sizes are read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr

from ..data.columns.choices import Account, Arguments, ReadingOptions
from ..data.columns.known_names import may_forbid
from ..data.readers import (
    StoredFiles,
    classes_of,
    labelled_arguments,
    names_of,
    opened_zarr,
    plain_error,
    refuse_irregular,
    stored_rows,
    variables_of,
    with_classes,
    with_stored_classes,
)
from ..data.safeguards import Budget, budgeted, number_of_bytes, refuse_much
from ..data.top_classes import WRONG_RIGHT
from ..foundation import validation
from ..foundation.sources import Source
from .first_rows import FIRST_ROWS, OpeningOptions, judged
from .lazy import LazyPredictions
from .parquet import parquet_parts
from .passes import Part, dask


def open_predictions(
    source: str | PathLike[str] | xr.Dataset,
    *,
    class_names: Iterable[str] | None = None,
    fields: Iterable[str] | None = None,
    cluster: str | Literal[False] | None = None,
    rows: int | None = None,
    normalize: bool = False,
    of_confidence: bool = False,
    limit: str | int | None = None,
) -> LazyPredictions:
    """Open predictions that need not fit in memory, without reading them yet.

    Parameters
    ----------
    source : path or xarray.Dataset
        `.zarr`, or a Dataset that dask backs: variables as `read_predictions` describes for .nc. `.parquet`, or a
        folder of such files, also one in which folders such as `day=2024-01-31` are fields: columns as described
        there, by what the first rows of the first file hold. Logits, and confidences in a column of predicted classes,
        are refused.
    class_names : names of columns, optional
        Of a .parquet whose columns of probabilities are named by the classes, where more columns may be.
    fields : names, optional
        Only these are read, by default all but the index `sample` and what is no field by its content, such as ids.
    cluster : str or False, optional
        The field that names what a sample belongs to, as in `Predictions`; it is always read, and `sample` draws
        samples with it. Whatever adds up samples refuses them, since sums do not keep which belong together.
    rows : int, at least 1, optional
        So many rows are read and judged together, a whole number of stored chunks at least; by default about 4 million
        probabilities. By default a Dataset has the chunks that it has.
    normalize : bool
        Rescale rows of probabilities to sum to 1.
    of_confidence : bool
        The single column of probabilities holds confidences in a predicted class, and the labels whether it was right,
        as in `Predictions`.
    limit : str or int, optional
        How much memory each of the parts that are read together may take, such as "8 GB"; by default 32 times the size
        of the file, at least 0.25 GB. By default all parts of a .zarr together may unpack to no more than that either.
        A Dataset has no limit.

    Returns
    -------
    LazyPredictions
        An error of a row is raised, with the number of the row, when it is looked at. What was taken for what, and what
        else was assumed, is in `about["assumed"]`. The first 10,000 rows of files show what the columns hold; where
        they lack a label or a probability, or where another reading is as consistent, the file is refused.

    Raises
    ------
    FileNotFoundError, ImportError, TypeError, ValueError

    See Also
    --------
    read_predictions : Files that fit in memory.
    summarize_all : What one pass can add up.

    Examples
    --------
    >>> import dask.array as da, xarray as xr
    >>> score = da.random.default_rng(0).random(1_000_000, chunks=250_000)
    >>> right = da.random.default_rng(1).random(1_000_000, chunks=250_000) < score
    >>> p = cv.open_predictions(xr.Dataset({"prob": ("sample", score), "label": ("sample", right)}))
    >>> cv.ks_error(cv.summarize(p, "class 1", progress=False)) < 0.002
    True
    """
    normalize = validation.truth(normalize, "normalize")
    validation.truth(of_confidence, "of_confidence")
    dask()
    rows = None if rows is None else validation.whole_number(rows, "rows", 1)
    number_of_bytes(limit)
    wanted = None if fields is None else [str(name) for name in validation.several(fields)]
    cluster = validation.cluster_name(cluster)
    asked = OpeningOptions(wanted, cluster or None, rows, normalize, limit)
    if isinstance(source, xr.Dataset):
        _refuse_names(class_names, "a Dataset")
        return _completed(_of_dataset(source, asked), of_confidence, cluster)
    if not isinstance(source, str | PathLike):
        kind = type(source).__name__
        raise TypeError(f"source must be the path of a file or a folder, or an xarray.Dataset, not {kind}")
    path = validation.path(source, "source")
    if not path.exists():
        why = "there is no such file"
        if "*" in str(source):
            why += ": pass the folder, of which all .parquet files are read"
        if "://" in str(source):
            why += " on this machine: pass what xarray opens, such as xarray.open_zarr(...)"
        raise FileNotFoundError(f"{source}: {why}")
    class_names = None if class_names is None else [str(name) for name in _names(class_names)]
    arguments = {"class_names": class_names, "fields": wanted, "cluster": cluster, "rows": rows, "limit": limit}
    arguments |= {"normalize": normalize or None, "of_confidence": of_confidence or None}
    options = {name: value for name, value in arguments.items() if value is not None}
    made_by = Source("cv.open_predictions")(str(source), **options)
    try:
        refuse_irregular(path)
        if path.suffix.lower() == ".zarr":
            _refuse_names(class_names, ".zarr")
            return _completed(_of_zarr(path, asked, made_by), of_confidence, cluster)
        if path.suffix.lower() == ".parquet" or path.is_dir():
            given = None if class_names is None else tuple(class_names)
            parts, names = parquet_parts(path, given, asked, account := Account())
            lazy = LazyPredictions(parts, names, normalize, {"title": path.name, **account.about}, made_by)
            return _completed(lazy, of_confidence, cluster)
    except (ImportError, TypeError, ValueError) as error:
        raise plain_error(error, str(path)) from error
    raise ValueError(
        f"{path}: expected .zarr, .parquet or a folder of .parquet files; cv.read_predictions reads other files"
    )


def _completed(opened: LazyPredictions, of_confidence: bool, cluster: str | Literal[False] | None) -> LazyPredictions:
    """Return the opened predictions with their clusters, marked as confidences in a predicted class if they are."""
    opened.cluster = cluster
    if not of_confidence:
        return opened
    if opened.n_classes != 2:
        raise ValueError(f"of_confidence is for one confidence a sample, but there are {opened.n_classes} classes")
    parts = [replace(part, of_confidence=True) for part in opened.parts]
    names = WRONG_RIGHT if opened.class_names == ("0", "1") else opened.class_names
    return LazyPredictions(parts, names, opened.normalize, opened.about, opened.made_by, cluster)


def _names(class_names: Iterable[str]) -> tuple[str, ...]:
    names = validation.listing(class_names, "class_names", "names of columns")
    if len(names) < 2:
        raise ValueError(f"class_names must be at least two names of columns, not {names!r}")
    return validation.class_names(names, len(names))


def _refuse_names(class_names: Iterable[str] | None, what: str) -> None:
    if class_names is not None:
        raise ValueError(f"class_names come from the coordinate 'class' of {what}, not from an argument")


def _stored_arguments(
    path: Path, variables: Sequence[str], start: int, stop: int, seen: bytes, limit: str | int | None
) -> dict[str, Any]:
    """The rows of a zarr store. Its files must not have changed since it was opened."""
    with budgeted(Budget(path, limit, math.inf)):
        return labelled_arguments(stored_rows(path, variables, start, stop, seen))


def _of_zarr(path: Path, asked: OpeningOptions, made_by: Source) -> LazyPredictions:
    with budgeted(Budget(path, asked.limit, math.inf)), opened_zarr(path) as opened:
        stored = with_stored_classes(path, opened)
        variables, class_names = _described(stored, asked, account := Account())
        seen = _seen(path, stored, variables, asked)
        account.taken, left = seen.taken, [name for name in seen.left if name in variables]
        if asked.fields is None and left:
            account.say(f"not fields: {', '.join(left)}")
            variables = [name for name in variables if name not in left]
        n = stored.sizes["sample"]
        chunk = max(_chunk_rows(stored[name], n) for name in variables)
        chosen = with_classes(stored, variables)
        if asked.limit is None:
            refuse_much(path, chosen.nbytes)
        files = StoredFiles(path, chosen)
    step = max(1, round(asked.rows_of_part(len(class_names)) / chunk)) * chunk
    parts = []
    for start in range(0, n, step):
        stop = min(start + step, n)
        now = files.state(start, stop)
        read = partial(_stored_arguments, path.absolute(), tuple(variables), start, stop, now, asked.limit)
        parts.append(Part(start, stop - start, f"{path.name}, rows {start:,} to {stop - 1:,}: ", read))
    return LazyPredictions(parts, class_names, asked.normalize, {"title": path.name, **account.about}, made_by)


def _seen(path: Path, stored: xr.Dataset, variables: list[str], asked: OpeningOptions) -> Account:
    """The account of the first rows of variables, with those that are no fields; what rows speak against is refused."""
    others = [name for name in variables_of(stored)[1] if name not in variables and may_forbid(name)]
    looked_at = [*variables, *others]
    stop = min(stored.sizes["sample"], FIRST_ROWS)
    seen = StoredFiles(path, with_classes(stored, looked_at)).state(0, stop)
    account = Account()

    def read() -> Arguments:
        with budgeted(Budget(path, asked.limit, math.inf)):
            rows = stored_rows(path, looked_at, 0, stop, seen)
            return labelled_arguments(rows, ReadingOptions(cluster=asked.cluster), account)

    judged(read, asked.normalize, account)
    return account


def _chunk_rows(variable: xr.DataArray, n: int) -> int:
    chunks = variable.encoding.get("preferred_chunks", {})
    return min(n, int(chunks.get("sample", 1))) or 1


def _described(dataset: xr.Dataset, asked: OpeningOptions, account: Account) -> tuple[list[str], list[str]]:
    """The variables to read, and the names of the classes."""
    names, fields = variables_of(dataset, account=account)
    wanted = asked.fields
    if asked.cluster is not None:
        validation.choice(asked.cluster, "cluster", tuple(fields))
        wanted = None if wanted is None else list(dict.fromkeys([*wanted, asked.cluster]))
    # An index of samples would be read as a whole for every part.
    if wanted is None and "sample" in fields:
        fields.remove("sample")
    if wanted is not None:
        for name in wanted:
            validation.choice(name, "fields", tuple(fields))
        fields = list(wanted)
    for name in names.values():
        for dim in dataset[name].dims:
            if dim not in ("sample", "class"):
                raise ValueError(
                    f"the variable {name!r} has a dimension {dim!r}: choose one set of predictions, "
                    f"for example by .isel({dim}=0)"
                )
    scores = dataset[names.get("probs", names.get("logits", ""))]
    classes = scores.sizes.get("class", 2)
    values = classes_of(dataset)
    named = None if values is None else names_of(values)
    return [*names.values(), *fields], [str(k) for k in range(classes)] if named is None else named


def _of_dataset(dataset: xr.Dataset, asked: OpeningOptions) -> LazyPredictions:
    variables, class_names = _described(dataset, asked, account := Account())
    chosen = with_classes(dataset, variables).unify_chunks()
    for name in variables:  # texts of pandas, which dask does not know
        if not isinstance(chosen[name].dtype, np.dtype):
            chosen[name] = chosen[name].dims, np.asarray(chosen[name].values, dtype=object)
    if not chosen.chunks or asked.rows is not None:
        chosen = chosen.chunk(sample=asked.rows_of_part(len(class_names)))
    # Together: what variables share is made once.
    [chosen] = dask().optimize(chosen.unify_chunks().transpose("sample", ...))
    sizes = chosen.chunksizes["sample"]
    blocks = {name: _blocks(chosen[name], sizes) for name in variables}
    classes = chosen["class"].values if "class" in chosen.coords else None
    parts = []
    graph = dict(chosen.__dask_graph__())
    for i, start in enumerate(np.cumsum([0, *sizes[:-1]]).tolist()):
        own = _culled({name: several[i] for name, several in blocks.items()}, graph)
        read = dask().delayed(_put_together)(own, classes)
        place = f"rows {start:,} to {start + sizes[i] - 1:,}: "
        parts += [Part(start, sizes[i], place, read)] if sizes[i] else []
    return LazyPredictions(parts, class_names, asked.normalize, account.about)


def _blocks(variable: xr.DataArray, sizes: Sequence[int]) -> list[list[Any]]:
    """The chunks of a variable, those of the same rows together."""
    if variable.chunks is None:  # an index is never chunked
        return [[part] for part in np.split(variable.values, np.cumsum(sizes)[:-1])]
    blocks = variable.data.to_delayed(optimize_graph=False)
    return [list(row) for row in blocks.reshape(len(blocks), math.prod(blocks.shape[1:]))]


def _culled(blocks: dict[str, list[Any]], graph: dict[Any, Any]) -> dict[str, list[Any]]:
    """Return blocks with only the parts of the graph that they need: else dask would search all of it each time."""
    made = [block for several in blocks.values() for block in several if hasattr(block, "key")]
    needed, _ = import_module("dask.optimization").cull(graph, [block.key for block in made])
    delayed = import_module("dask.delayed").Delayed
    return {
        name: [delayed(block.key, needed) if hasattr(block, "key") else block for block in several]
        for name, several in blocks.items()
    }


def _put_together(blocks: dict[str, list[Any]], classes: Any) -> Callable[[], dict[str, Any]]:
    dims = ("sample", "class")
    arrays = {
        name: several[0] if len(several) == 1 else np.concatenate(several, axis=-1) for name, several in blocks.items()
    }
    dataset = xr.Dataset({name: (dims[: array.ndim], array) for name, array in arrays.items()})
    return partial(labelled_arguments, dataset if classes is None else dataset.assign_coords({"class": classes}))
