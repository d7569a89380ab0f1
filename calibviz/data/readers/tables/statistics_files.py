"""Files of SPSS (.sav, .zsav, .por) and SAS (.sas7bdat, .xpt), whose values with labels become these."""

from __future__ import annotations

from pathlib import Path

from ...columns.choices import Account, ReadingOptions
from ...columns.tables import ArrayTable
from ...safeguards import refuse_repeated
from ..apart import read_apart, table_of
from ..signatures import ending_in

SPSS = "write a text in SPSS: SAVE TRANSLATE OUTFILE='predictions.csv' /TYPE=CSV /FIELDNAMES /CELLS=LABELS."
SAS = "write a text in SAS: proc export data=frame outfile='predictions.csv' dbms=csv; run;"
BY_SAS = (".sas7bdat", ".xpt")
ENDINGS = (".sav", ".zsav", ".por", *BY_SAS)


def statistics_table(file: Path, choices: ReadingOptions, account: Account) -> ArrayTable:
    """The columns of a file of SPSS or SAS."""
    ending = ending_in(file, ENDINGS)
    what = f"the {ending} file"
    names, columns, _ = read_apart("statistics", file, what, SAS if ending in BY_SAS else SPSS, ending=ending)
    refuse_repeated(names, "columns")
    return table_of(names, columns)
