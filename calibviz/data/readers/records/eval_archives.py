"""Logs of inspect_ai (.eval): an archive with a document of JSON for each sample."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

from ...columns.choices import Account, Arguments, ReadingOptions
from ...columns.option_lists import Record
from ...safeguards import charge, for_now, refuse_size
from ...shapes.inspect_logs import reduced
from ..checked_zips import opened_zip, refuse_packed
from .logs import charged_text, record_arguments, value_of

SAMPLE = re.compile(r"samples/.*\.json")


def read_eval(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a log of inspect_ai."""
    return record_arguments(samples_of(file), choices, account)


def samples_of(file: Path, first: int | None = None) -> list[Record]:
    """The samples of a log, or its first ones, without their messages; one is unpacked at a time."""
    with opened_zip(file, "the .eval archive") as archive:
        members = [member for member in archive.filelist if SAMPLE.fullmatch(member.filename)]
        if not members:
            raise ValueError(
                "the archive holds no samples/*.json: it is no log of inspect_ai, or one that is not finished"
            )
        refuse_size(sum(member.file_size for member in members))
        otherwise = "`inspect log convert --to json` writes a .json that is read"
        refuse_packed({member.filename: member for member in members}, "the part", otherwise)
        return [_sample(archive, member) for member in members[:first]]


def _sample(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Record:
    with for_now():
        charge(member.file_size)
        content = charged_text(archive.read(member), Account())
        record: Any = value_of(content, f"the part {member.filename!r}")
        if not isinstance(record, dict):
            raise ValueError(f"the part {member.filename!r} is no record")
        kept, size = reduced(record)
    charge(size)
    return kept
