"""Workbooks of Excel and OpenDocument: the one sheet that holds a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ....foundation.validation import listed
from ....foundation.written import counted
from ...columns.choices import Account, OfTruth, ReadingOptions, Unclear, as_text
from ...columns.name_lines import LOOKED_AT, joined_names, name_lines
from ...columns.tables import ArrayTable, shortened
from ...safeguards import refuse_repeated
from ..apart import NoSuchTable, read_apart, table_of
from ..checked_zips import check_workbook

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
OTHERWISE = "save the sheet as .csv"


def sheet_table(file: Path, choices: ReadingOptions, account: Account) -> ArrayTable:
    """The table in a sheet, the first row of which, or the first below a title, names the columns."""
    with file.open("rb") as stream:
        start = stream.read(4)
    if start == ZIP:
        check_workbook(file)
    elif start != OLE:
        raise ValueError(
            "the file is no workbook: it begins neither as those of Excel nor as those of OpenDocument; where it is "
            "text, rename it to .csv"
        )
    try:
        header, columns, (sheet, above) = read_apart("workbook", file, "the workbook", OTHERWISE, sheet=choices.sheet)
    except NoSuchTable as refused:
        raise _which_sheet(refused, choices) from None
    names = ["" if name is None else as_text(name).strip() for name in header]
    named = [(name, given) for name, given in zip(names, header, strict=True) if name]
    fractions = [given for _, given in named if isinstance(given, float) and not given.is_integer()]
    if len(named) < 2 or fractions or all(isinstance(given, int | float) for _, given in named):
        held = shortened(header[0]) if len(named) < 2 else shortened([*fractions, named[0][1]][0])
        raise ValueError(
            f"the first row of the sheet {sheet!r} holds {held}, but must hold the names of the columns; remove "
            "lines above them"
        )
    rows = list(zip(*(column[:LOOKED_AT] for column in columns), strict=True))
    if lines := name_lines(rows):
        names = joined_names(names, rows[:lines], account)
        columns = [_numbers_below(column[lines:]) for column in columns]
    refuse_repeated(filter(None, names), "columns")
    if above:
        account.say(f"{counted(above, 'row')} above the names of the columns left out")
    return table_of(names, columns)


def _numbers_below(column: Any) -> Any:
    """The values below words in a column, as numbers where they are numbers alone."""
    if all(value is None or type(value) in (int, float) for value in column):
        return np.array([np.nan if value is None else value for value in column])
    return column


def _which_sheet(refused: NoSuchTable, choices: ReadingOptions) -> ValueError:
    """The error of a workbook in which no sheet, or several, may hold the predictions."""
    tables: list[Any] = refused.details[0]
    if refused.kind == "sheets":
        return ValueError(f"sheet={choices.sheet!r}: no sheet has this name among {listed(tables)}")
    if not tables:
        return ValueError(f"no sheet holds a table, names of columns above rows, among {listed(refused.details[1])}")
    said = f"{len(tables)} sheets hold tables"
    if isinstance(choices, OfTruth):  # an option names the sheet of the probabilities
        return ValueError(f"{said}: {listed(tables)}; save that of the labels as a file of its own")
    ways = [{"sheet": name} for name in tables]
    return Unclear(said, *ways, otherwise=f": {listed(tables)}; sheet={tables[0]!r} chooses one")
