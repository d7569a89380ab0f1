"""Readers of prediction files: .npz, .csv, .parquet, .nc and .zarr.

A reader turns a file into the arguments of `Predictions`, which checks the values. The size that a file claims is
checked before memory is asked for, and nothing that could run code is ever loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from os import PathLike
from pathlib import Path

from ...foundation import validation
from ...foundation.sources import Source
from ..predictions import Predictions
from .archives import read_npz
from .common import NAMES, Arguments, TooLargeError, one_of
from .netcdf import classes_of, labelled_arguments, names_of, read_netcdf, variables_of, with_classes
from .parquet_files import ParquetFile, parquet_files, read_parquet
from .steady import one_state, refuse_irregular
from .tables import ArrowTable, class_numbers, csv_line, read_csv
from .zarr_stores import StoredFiles, opened_zarr, read_zarr, stored_rows

# A list that is not formatted one name a line; `scale` opens files that do not fit into memory with these.
__all__ = [
    "NAMES", "ArrowTable", "ParquetFile", "StoredFiles", "TooLargeError", "class_numbers", "classes_of",
    "labelled_arguments", "names_of", "one_of", "opened_zarr", "parquet_files", "plain_error", "read_predictions",
    "refuse_irregular", "stored_rows", "variables_of", "with_classes",
]  # fmt: skip  # short entries stand in rows

READERS: dict[str, Callable[[Path], Arguments]] = {
    ".npz": read_npz,
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".nc": read_netcdf,
    ".zarr": read_zarr,
}


def read_predictions(path: str | PathLike[str], *, normalize: bool = False) -> Predictions:
    """Read the predictions in a file; its ending says how.

    Parameters
    ----------
    path : str or path
        `.npz`: arrays `probs` (n, K), `prob` (n,) of the second of two classes, or `logits`; `labels`, `label` or
        `outcome`; optionally `weights` or `weight`, `class_names`, and `images` (n, h, w) or (n, h, w, 3). Every
        other array of shape (n,) becomes a field.

        `.csv` (UTF-8, with a header) and `.parquet`: a column `label`, `labels` or `outcome`, optionally `weight` or
        `weights`, and the probabilities in exactly one of three forms: columns p_0, ..., p_{K-1}, with class numbers
        as labels; a single column `prob` or `p`, the probability of class 1, with labels 0/1 or true/false; or
        columns named after the classes. In that last form every label names a column, and these columns, in the order
        of the file, are the classes. A class without a label could then be mistaken for a field: where other numeric
        columns exist, a row that does not sum to 1 is an error. All other columns are fields, except one without a name
        (the index that pandas writes). Logits need one of the other formats.

        `.parquet` may also be a folder of such files, in which folders such as `day=2024-01-31` are fields.

        `.nc` and `.zarr`: variables as in `.npz`, over the dimensions `sample` and `class`. The coordinate `class`
        gives the class names; where it holds numbers other than 0..K-1, the labels are its values. Every other variable
        or coordinate over `sample` is a field.
    normalize : bool
        Rescale rows of probabilities to sum to 1.

    Returns
    -------
    Predictions
        With the file's name as `title` and the call that reads it as `source`.

    Raises
    ------
    FileNotFoundError, ImportError, TypeError, ValueError
        The message names the file and the place in it; rows count from 0, lines from 1. A file whose content takes more
        than 4 GB of memory is refused.

    See Also
    --------
    open_predictions : Opens files that do not fit into memory.
    Predictions : Takes arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/mine.npz", prob=[0.9, 0.2, 0.6], label=[1, 0, 0])
    ...     cv.read_predictions(f"{folder}/mine.npz")
    <Predictions mine.npz: 3 samples, 2 classes, float64>
    """
    normalize = validation.truth(normalize, "normalize")
    file = validation.path(path)
    if not file.exists():
        raise FileNotFoundError(f"{file}: there is no such file")
    try:
        refuse_irregular(file)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    ending = file.suffix.lower()
    if file.is_dir() and ending != ".zarr":
        if next(file.rglob("*.parquet"), None) is None:
            raise ValueError(f"{file}: expected a file ending in {', '.join(READERS)}, not a directory")
        ending = ".parquet"
    if ending not in READERS:
        raise ValueError(f"{file}: expected a file ending in {', '.join(READERS)}, not one ending in {ending!r}")
    options = {"normalize": True} if normalize else {}
    try:
        with nullcontext() if file.is_dir() else one_state(file):  # in a folder each file is checked by itself
            try:
                predictions = Predictions(**READERS[ending](file), normalize=normalize, about={"title": file.name})
            except (TypeError, ValueError) as error:
                raise plain_error(error, f"{error}{_line(file, error)}") from error
        return predictions._made_by(Source("cv.read_predictions")(str(path), **options))
    except MemoryError as error:
        raise ValueError(f"{file}: its content does not fit into memory") from error
    except (ImportError, TypeError, ValueError) as error:
        raise plain_error(error, f"{file}: {error}") from error


def plain_error(error: Exception, message: str) -> Exception:
    """An error of a plain kind with a message, since subclasses such as UnicodeDecodeError do not take a message."""
    kinds = (TooLargeError, ImportError, TypeError, ValueError)
    return next(kind for kind in kinds if isinstance(error, kind))(message)


def _line(file: Path, error: Exception) -> str:
    """Where the row that an error is about stands in a file of lines, for those who look there."""
    if file.suffix.lower() != ".csv" or not isinstance(error, validation.RowError):
        return ""
    line = csv_line(file, error.row)
    return "" if line is None else f" (line {line:,} of the file)"
