"""The kinds of files by their first bytes, where names do not tell."""

from __future__ import annotations

import codecs
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

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
    b"%PDF": ".pdf",
    b"\x89PNG": ".png",
    b"<": ".xml",
}
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


def _of_zip(stream: BinaryIO) -> str:
    try:
        with zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, ValueError):
        return ".npz"
    for member, ending in MEMBERS.items():
        if member in names:
            return ending
    if any(name.endswith(("/data.pkl", ".pkl")) for name in names):
        return ".pt"
    if any(name.startswith("samples/") and name.endswith(".json") for name in names):
        return ".eval"
    return ".npz" if any(name.endswith(".npy") for name in names) else ""


def _of_text(head: bytes) -> str:
    """The ending of a text: a document or a log of JSON, or a table; of bytes that are no text nothing."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ".csv"
    if b"\0" in head or any(byte < 32 and byte not in b"\t\n\r\f\x1a\x1b" for byte in head):
        return ""
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    return ".json" if start[:1] in (b"{", b"[") else ".csv"
