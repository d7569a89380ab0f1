"""The kinds of files by their first bytes, where names do not tell."""

from __future__ import annotations

import codecs
import re
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

ZIP = ".zip"  # of which nothing else is known
HEAD = 4096  # bytes that are looked at

#: The kinds of files: an ending that is usual for each, what it is in words, and how its content may begin.
KNOWN: tuple[tuple[str, str, tuple[bytes, ...]], ...] = (
    (".parquet", "a file of Parquet", (b"PAR1",)), (".npy", "an array of NumPy", (b"\x93NUMPY",)),
    (".nc", "a file of netCDF or HDF5", (b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x89HDF\r\n\x1a\n")),
    (".gz", "packed by gzip", (b"\x1f\x8b",)), (".npz", "an archive of NumPy's arrays", ()),
    (".feather", "a file of Arrow", (b"ARROW1", b"\xff\xff\xff\xff", b"FEA1")),
    (".xls", "a workbook of Excel", (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",)), (".xlsx", "a workbook of Excel", ()),
    (".xlsb", "a workbook of Excel", ()), (".ods", "a workbook of OpenDocument", ()),
    (".sav", "a file of SPSS", (b"$FL2",)), (".zsav", "a file of SPSS", (b"$FL3",)), (".por", "a file of SPSS", ()),
    (".dta", "a file of Stata", (b"<stata_dta>",)), (".xpt", "a file of SAS", (b"HEADER RECORD*******LIB",)),
    (".sas7bdat", "a file of SAS", (bytes(12) + b"\xc2\xea\x81\x60",)), (".rds", "a file of R", (b"X\n\0\0\0",)),
    (".rda", "a file of R", (b"RDX2\n", b"RDX3\n")), (".orc", "a file of ORC", (b"ORC",)),
    (".avro", "a file of Avro", (b"Obj\x01",)), (".mat", "a file of MATLAB", (b"MATLAB 5.0",)),
    (".db", "a database of SQLite", (b"SQLite format 3\0",)), (".arff", "a file of Weka", (b"@relation",)),
    (".lfs", "a pointer of Git LFS (git lfs pull fetches the file)", (b"version https://git-lfs",)),
    (".pdf", "a PDF", (b"%PDF",)), (".png", "a picture", (b"\x89PNG",)), (".safetensors", "a file of tensors", ()),
    (".zst", "packed by Zstandard", (b"(\xb5/\xfd",)), (".bz2", "packed by bzip2", (b"BZh",)),
    (".xz", "packed by xz", (b"\xfd7zXZ",)), (".7z", "packed by 7-Zip", (b"7z\xbc\xaf",)),
    (".rar", "packed by RAR", (b"Rar!",)), (".zip", "a zip archive", ()), (".pkl", "a pickle", ()),
    (".joblib", "a pickle of joblib", ()), (".pt", "a file of PyTorch", ()), (".eval", "a log of inspect_ai", ()),
    (".json", "JSON", ()), (".csv", "text", ()), (".html", "a web page", (b"<!doctype html", b"<html")),
    (".xml", "XML", (b"<",)),
)  # fmt: skip  # short entries stand in rows
SIGNATURES = {start: ending for ending, _, starts in KNOWN for start in starts}
KINDS = {ending: kind for ending, kind, _ in KNOWN}
OF_R = (".rda", ".rds")  # which packs them
STATA = (113, 114, 115)  # old versions, of which the first byte tells the number
SPSS_PORTABLE = b"SPSS PORT FILE"  # somewhere in the first lines
#: Members of zip archives by which these are known.
MEMBERS = {"xl/workbook.xml": ".xlsx", "xl/workbook.bin": ".xlsb", "content.xml": ".ods", "header.json": ".eval"}


def ending_by_content(stream: BinaryIO) -> str:
    """The ending of a file that begins as this one does; of an unknown binary one nothing."""
    head = stream.read(HEAD)
    if not head:
        return ""
    if head.startswith(b"PK\x03\x04"):
        return _of_zip(stream)
    if head[:1] == b"\x80" and head[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        return ".pkl"
    if re.match(rb"c[\w.]+\n\w+\np\d+\n|\([dl]p\d+\n", head):  # of protocol 0, which is text
        return ".pkl"
    if head[:1] == b"x" and _unpacked(head, zlib.MAX_WBITS).startswith(b"\x80"):
        return ".joblib"
    if head.startswith(b"\x1f\x8b"):
        inner = _unpacked(head, zlib.MAX_WBITS | 16)
        of_r = (ending for start, ending in SIGNATURES.items() if ending in OF_R and inner.startswith(start))
        return next(of_r, ".gz")
    if head[0] in STATA and head[1:2] in (b"\1", b"\2") and head[2:4] == b"\1\0":
        return ".dta"
    known = next((ending for start, ending in SIGNATURES.items() if head.lower().startswith(start.lower())), "")
    if known:
        return known
    if 0 < int.from_bytes(head[:8], "little") < 2**40 and head[8:9] == b"{":
        return ".safetensors"
    if SPSS_PORTABLE in head[:600]:
        return ".por"
    return _of_text(head)


def ending_in(file: Path, endings: Collection[str]) -> str:
    """The ending of a file if it is one of some, else that of what it holds."""
    ending = file.suffix.lower()
    if ending in endings:
        return ending
    with file.open("rb") as stream:
        return ending_by_content(stream)


def _unpacked(head: bytes, bits: int) -> bytes:
    """The first bytes of what is packed; none where it is not."""
    try:
        return zlib.decompressobj(bits).decompress(head, len(max(SIGNATURES, key=len)))
    except zlib.error:
        return b""


def _of_zip(stream: BinaryIO) -> str:
    try:
        with zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, ValueError):
        return ZIP
    for member, ending in MEMBERS.items():
        if member in names:
            return ending
    if any(name.endswith(("/data.pkl", ".pkl")) for name in names):
        return ".pt"
    if any(name.startswith("samples/") and name.endswith(".json") for name in names):
        return ".eval"
    return ".npz" if any(name.endswith(".npy") for name in names) else ZIP


def _of_text(head: bytes) -> str:
    """The ending of a text: a document or a log of JSON, or a table; of bytes that are no text nothing."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ".csv"
    if b"\0" in head or any(byte < 32 and byte not in b"\t\n\r\f\x1a\x1b" for byte in head):
        return ""
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    return ".json" if start[:1] in (b"{", b"[") else ".csv"
