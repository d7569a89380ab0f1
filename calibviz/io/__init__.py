"""Readers of prediction files: .npz, .csv, .parquet and .nc.

A reader turns a file into the arguments of `Predictions` and nothing else; values are checked there. What a file
claims about its size is checked before memory is asked for, and nothing that could run code is ever loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from ..predictions import Predictions
from .archives import read_npz
from .common import Arguments
from .netcdf import labelled_arguments, read_netcdf
from .tables import read_csv, read_parquet

__all__ = ["labelled_arguments", "read_predictions"]

READERS: dict[str, Callable[[Path], Arguments]] = {
    ".npz": read_npz,
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".nc": read_netcdf,
}


def read_predictions(path: str | PathLike[str], *, normalize: bool = False) -> Predictions:
    """Read the predictions in a file; its ending says how.

    Parameters
    ----------
    path : str or path
        `.npz`: arrays `probs` (n, K), `prob` (n,) of the second of two classes, or `logits`; `labels`, `label` or
        `outcome`; optionally `weights` or `weight`, `class_names`, and `images` (n, h, w) or (n, h, w, 3). Every
        other array of shape (n,) is a field.

        `.csv` (UTF-8, with a header) and `.parquet`: a column `label`, `labels` or `outcome`, optionally `weight` or
        `weights`, and the probabilities in exactly one of three forms: columns p_0, ..., p_{K-1}, with class numbers
        as labels; a single column `prob` or `p`, the probability of class 1, with labels 0/1 or true/false; or
        columns named by the classes. In that last form every label names a column, and the columns so named, in the
        order of the file, are the classes. A class that no label names cannot be told from a field then: where other
        numeric columns exist, a row that does not sum to 1 is an error. All other columns are fields, except one
        without a name (the index that pandas writes). Logits need one of the other formats.

        `.nc`: variables as in `.npz`, over the dimensions `sample` and `class`. The coordinate `class` gives the
        class names; where it holds numbers other than 0..K-1, the labels are its values. Every other variable or
        coordinate over `sample` is a field.
    normalize : bool
        Rescale rows of probabilities to sum to 1.

    Returns
    -------
    Predictions
        With the file's name as `title` and the call that reads it as `source`.

    Raises
    ------
    FileNotFoundError, ImportError, TypeError, ValueError
        One sentence that names the file and the place in it. Rows count from 0, lines from 1.
    """
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(f"{file}: there is no such file")
    if file.suffix.lower() not in READERS or file.is_dir():
        what = "a directory" if file.is_dir() else f"one ending in {file.suffix!r}"
        raise ValueError(f"{file}: expected a file ending in {', '.join(READERS)}, not {what}")
    option = ", normalize=True" if normalize else ""
    about = {"title": file.name, "source": f"cv.read_predictions({str(path)!r}{option})"}
    try:
        return Predictions(**READERS[file.suffix.lower()](file), normalize=normalize, about=about)
    except MemoryError as error:
        raise ValueError(f"{file}: its content does not fit into memory") from error
    except (ImportError, TypeError, ValueError) as error:
        # The plain kind of the error: subclasses such as UnicodeDecodeError do not take a message of their own.
        kind = next(kind for kind in (ImportError, TypeError, ValueError) if isinstance(error, kind))
        raise kind(f"{file}: {error}") from error
