"""Files of Stata (.dta), SPSS (.sav, .zsav, .por) and SAS (.sas7bdat, .xpt), whose values with labels become these."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from ...columns.choices import Account, ReadingOptions
from ...columns.tables import ArrayTable, FrameTable
from ...safeguards import charge, reading, refuse_repeated
from ..apart import read_apart, table_of
from ..signatures import ending_in

if TYPE_CHECKING:
    import pandas as pd

SPSS = "write a text in SPSS: SAVE TRANSLATE OUTFILE='predictions.csv' /TYPE=CSV /FIELDNAMES /CELLS=LABELS."
SAS = "write a text in SAS: proc export data=frame outfile='predictions.csv' dbms=csv; run;"
BY_SAS = (".sas7bdat", ".xpt")
ENDINGS = (".sav", ".zsav", ".por", *BY_SAS)
AT_ONCE = 50_000  # rows, after which what they take is charged


def stata_table(file: Path, choices: ReadingOptions, account: Account, first: int | None = None) -> FrameTable:
    """The columns of a file, or its first rows; labels stand for values where each value has one of its own."""
    return FrameTable(_stata_frame(file, first))


def _stata_frame(file: Path, first: int | None) -> pd.DataFrame:
    import pandas as pd

    charge(file.stat().st_size)  # pandas reads the file as a whole
    with reading("the .dta file", Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about columns of which some values have no label
        with pd.read_stata(file, iterator=True) as reader:
            has_labels = bool(reader.value_labels())
        numbers = _rows(file, first, labelled=False)
        if not has_labels:
            return numbers
        try:
            frame = _rows(file, first, labelled=True)
        except ValueError:  # two values have one label
            return numbers
    for name in frame.columns:
        known = frame[name].dropna()
        if frame[name].dtype != numbers[name].dtype and not all(isinstance(value, str) for value in known):
            frame[name] = numbers[name]
    return frame


def _rows(file: Path, first: int | None, labelled: bool) -> pd.DataFrame:
    import pandas as pd

    parts = []
    size = AT_ONCE if first is None else first
    with pd.read_stata(file, chunksize=size, convert_categoricals=labelled, order_categoricals=False) as reader:
        for part in reader:
            charge(int(part.memory_usage(deep=True).sum()))
            categories = [name for name in part.columns if isinstance(part[name].dtype, pd.CategoricalDtype)]
            parts.append(part.astype(dict.fromkeys(categories, object)))
            if first is not None:
                break
    return pd.concat(parts) if parts else pd.DataFrame()


def statistics_table(file: Path, choices: ReadingOptions, account: Account) -> ArrayTable:
    """The columns of a file of SPSS or SAS."""
    ending = ending_in(file, ENDINGS)
    what = f"the {ending} file"
    names, columns, _ = read_apart("statistics", file, what, SAS if ending in BY_SAS else SPSS, ending=ending)
    refuse_repeated(names, "columns")
    return table_of(names, columns)
