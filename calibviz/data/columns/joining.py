"""Labels that stand in another source than the probabilities, joined by an id that both have."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.validation import listed
from .choices import Account, ReadingOptions, Unclear
from .known_names import may_number
from .tables import ArrayTable, ColumnTable, FirstRows, free_name


def with_truth(table: ColumnTable, choices: ReadingOptions, account: Account) -> tuple[ColumnTable, ReadingOptions]:
    """The table with the columns of the source that the option `truth` names, their rows in the order of the table.

    Rows are joined by the column that both have and whose values are all different. Rows without a partner are refused
    unless `missing` is "drop". A column that both have, such as `target`, is the truth where it is that of `truth`, and
    keeps its name; that of `table` is then named after it. Where `truth` has one column beside the id, the options
    name this as the labels, unless it may hold probabilities.
    """
    if account.table_of is None:
        raise ValueError("truth: only tables are joined with another one")
    truth = account.table_of(choices.truth)
    key = _key(table, truth)
    ours, theirs = table.labels(key), truth.labels(key)
    place = {theirs.values[code]: row for row, code in enumerate(theirs.codes) if code >= 0}
    rows = np.array([place.get(ours.values[code], -1) if code >= 0 else -1 for code in ours.codes])
    lacking = rows < 0
    if lacking.any():
        n = int(lacking.sum())
        if choices.missing != "drop":
            has, out = ("row has", "it") if n == 1 else ("rows have", "them")
            example = ours.values[ours.codes[int(np.argmax(lacking))]]
            raise Unclear(
                f"{n:,} {has} no partner of the same {key!r} in the file of the truth, such as {example!r}; "
                f"missing='drop' leaves {out} out",
                {"missing": "drop"},
            )
        if lacking.all():
            raise ValueError(f"no row has a partner of the same {key!r} in the file of the truth")
        table.keep(account.leave_out(lacking, "without a partner in the file of the truth"))
        rows = rows[~lacking]
    account.say(f"joined by {key!r}")
    columns: dict[str, Any] = {name: table.column(name) for name in table.columns}
    for name in truth.columns:
        if name == key:
            continue
        values = np.asarray(truth.column(name))[rows]
        if name in columns:
            columns[free_name(f"{name}_predicted", columns)] = columns.pop(name)
        columns[name] = values
    others = [name for name in truth.columns if name != key]
    if len(others) == 1 and choices.label is None and FirstRows(truth).unit(others[0]) is None:
        choices = choices.changed(label=others[0])
    return ArrayTable(columns, table), choices


def _key(table: ColumnTable, truth: ColumnTable) -> str:
    """The only column that both tables have and whose values are all different in both."""
    shared = [name for name in table.columns if name in truth.columns]
    fitting = [name for name in shared if all(_are_different(each, name) for each in (table, truth))]
    named = [name for name in fitting if may_number(name)]
    fitting = named if len(named) == 1 else fitting
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise ValueError(
            "truth: the two files share no column whose values are all different, such as an id, by which their rows "
            f"could be joined: found {listed(table.columns)}, and {listed(truth.columns)}"
        )
    raise ValueError(f"truth: each of the columns {listed(fitting)} could join the two files: rename all but one")


def _are_different(table: ColumnTable, name: str) -> bool:
    column = np.asarray(table.column(name))
    if column.dtype.kind == "f" and not (np.isnan(column) | (column == np.floor(column))).all():
        return False
    labels = table.labels(name)
    return bool((labels.codes >= 0).all()) and len(labels.present) == len(labels.codes)
