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

#: How the content of files begins, and an ending that is usual for it.
SIGNATURES: dict[bytes, str] = {
    b"PAR1": ".parquet",
    b"CDF\x01": ".nc",
    b"CDF\x02": ".nc",
    b"CDF\x05": ".nc",
    b"\x89HDF\r\n\x1a\n": ".nc",
    b"\x1f\x8b": ".gz",
    b"\x93NUMPY": ".npy",
    b"ARROW1": ".feather",
    b"\xff\xff\xff\xff": ".feather",
    b"FEA1": ".feather",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ".xls",
    b"$FL2": ".sav",
    b"$FL3": ".zsav",
    b"<stata_dta>": ".dta",
    bytes(12) + b"\xc2\xea\x81\x60": ".sas7bdat",
    b"HEADER RECORD*******LIB": ".xpt",
    b"RDX2\n": ".rda",
    b"RDX3\n": ".rda",
    b"X\n\0\0\0": ".rds",
    b"ORC": ".orc",
    b"Obj\x01": ".avro",
    b"MATLAB 5.0": ".mat",
    b"SQLite format 3\0": ".db",
    b"@relation": ".arff",
    b"version https://git-lfs": ".lfs",
    b"(\xb5/\xfd": ".zst",
    b"%PDF": ".pdf",
    b"\x89PNG": ".png",
    b"BZh": ".bz2",
    b"\xfd7zXZ": ".xz",
    b"7z\xbc\xaf": ".7z",
    b"Rar!": ".rar",
    b"<!doctype html": ".html",
    b"<html": ".html",
    b"<": ".xml",
}
#: What files are in words, by the usual ending.
KINDS = {
    ".parquet": "a file of Parquet", ".nc": "a file of netCDF or HDF5", ".gz": "packed by gzip",
    ".npy": "an array of NumPy", ".npz": "an archive of NumPy's arrays", ".feather": "a file of Arrow",
    ".xls": "a workbook of Excel", ".xlsx": "a workbook of Excel", ".xlsb": "a workbook of Excel",
    ".ods": "a workbook of OpenDocument", ".sav": "a file of SPSS", ".zsav": "a file of SPSS", ".por": "a file of SPSS",
    ".dta": "a file of Stata", ".sas7bdat": "a file of SAS", ".xpt": "a file of SAS", ".rda": "a file of R",
    ".rds": "a file of R", ".orc": "a file of ORC", ".avro": "a file of Avro", ".mat": "a file of MATLAB",
    ".db": "a database of SQLite", ".arff": "a file of Weka", ".pdf": "a PDF", ".png": "a picture",
    ".html": "a web page", ".xml": "XML", ".safetensors": "a file of tensors", ".pkl": "a pickle",
    ".joblib": "a pickle of joblib", ".pt": "a file of PyTorch", ".eval": "a log of inspect_ai", ".json": "JSON",
    ".csv": "text", ".zip": "a zip archive", ".bz2": "packed by bzip2", ".xz": "packed by xz", ".7z": "packed by 7-Zip",
    ".rar": "packed by RAR",
    ".zst": "packed by Zstandard", ".lfs": "a pointer of Git LFS (git lfs pull fetches the file)",
}  # fmt: skip  # short entries stand in rows
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
