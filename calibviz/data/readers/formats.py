"""Formats of files: each with its reader and its preview, and the endings of names by which it is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..columns.choices import Account, Arguments, ReadingOptions
from .archives import read_npz
from .logs import read_log
from .netcdf import read_netcdf
from .parquet_files import read_parquet
from .previews import (
    Preview,
    preview_csv,
    preview_log,
    preview_netcdf,
    preview_npz,
    preview_parquet,
    preview_zarr,
)
from .text_tables import read_csv
from .zarr_stores import read_zarr


@dataclass(frozen=True)
class FileFormat:
    """How files of a format are read.

    Attributes
    ----------
    read : callable
        Gives the arguments of `Predictions`.
    preview : callable
        Gives the first rows.
    is_text : bool
        Whether files may be packed, as `.csv.gz`.
    """

    read: Callable[[Path, ReadingOptions, Account], Arguments]
    preview: Callable[[Path, ReadingOptions], Preview]
    is_text: bool = False


FORMATS = {
    ".npz": FileFormat(read_npz, preview_npz),
    ".csv": FileFormat(read_csv, preview_csv, is_text=True),
    ".parquet": FileFormat(read_parquet, preview_parquet),
    ".nc": FileFormat(read_netcdf, preview_netcdf),
    ".zarr": FileFormat(read_zarr, preview_zarr),
    ".jsonl": FileFormat(read_log, preview_log, is_text=True),
}
#: Other endings of the same formats.
LIKE = {".tsv": ".csv", ".txt": ".csv", ".ndjson": ".jsonl"}
#: The endings of files; a store of .zarr is a folder.
ENDINGS = tuple(ending for ending in (*FORMATS, *LIKE) if ending != ".zarr")
AS_FRAME = "pass cv.read_predictions the DataFrame that pandas reads from it"
#: What to do with files of other formats that people have.
WAYS_OUT = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), f"; save its sheet as .csv, or {AS_FRAME}"),
    ".json": f"; write it as .jsonl, a record in each line, or {AS_FRAME}",
    ".npy": "; put the arrays `probs` and `labels` into a .npz by np.savez",
    **dict.fromkeys((".dta", ".sav", ".sas7bdat", ".feather", ".orc", ".h5", ".xml", ".html"), f"; {AS_FRAME}"),
}
#: How the content of a file begins whose name does not tell its format.
SIGNATURES = {
    b"PK": ".npz",
    b"PAR1": ".parquet",
    b"CDF": ".nc",
    b"\x89HDF": ".nc",
    b"\x1f\x8b": ".csv.gz",
    b"{": ".jsonl",
}


def format_of(file: Path, shown: str) -> FileFormat:
    """The format of a file, by its ending; messages call the file `shown`."""
    packed = file.suffix.lower() == ".gz"
    ending = Path(file.stem).suffix.lower() if packed else file.suffix.lower()
    expected = f"{', '.join(FORMATS)} (or {', '.join(LIKE)}; texts also packed as .gz)"
    if file.is_dir() and ending != ".zarr":
        if next(file.rglob("*.parquet"), None) is None:
            raise ValueError(f"{shown}: expected a file ending in {expected}, not a directory")
        ending = ".parquet"
    known = FORMATS.get(LIKE.get(ending, ending))
    if known is None or (packed and not known.is_text):
        raise ValueError(
            f"{shown}: expected a file ending in {expected}, not one ending in {file.suffix.lower()!r}"
            f"{WAYS_OUT.get(ending, '')}"
        )
    return known


def ending_of(title: str, content: bytes) -> str:
    """The ending of an open file, by its name, or else by how its content begins."""
    ending = "".join(part for part in Path(title).suffixes[-2:] if part in (*FORMATS, *LIKE, ".gz"))
    return ending or next((end for start, end in SIGNATURES.items() if content.lstrip().startswith(start)), ".csv")
