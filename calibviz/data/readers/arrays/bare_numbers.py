"""Texts of bare numbers, which no line names, as XGBoost, LightGBM and `numpy.savetxt` write them."""

from __future__ import annotations

import codecs
import io
from pathlib import Path

import numpy as np

from ....foundation.arrays import LARGEST_EXACT
from ...columns.choices import Account
from ...columns.recognition.content import rows_add_up
from ...safeguards import charge
from ..tables.text_tables import NUMBER, as_utf8, opened_text, read_bytes
from .named_arrays import NamedArrays

LONGEST_LINE = 2**16  # bytes of the first line that are looked at
NUMBER_COST = 40  # bytes of memory for a number, while its text is read


def bare_numbers(file: Path) -> NamedArrays | None:
    """The array of a text, named like its file: a number in each line, or numbers that add up to 1; None of others.

    Where 0 stands above fractions, it is the name that pandas gives a column without one.
    """
    with opened_text(file) as stream:
        start = stream.read(LONGEST_LINE).removeprefix(codecs.BOM_UTF8).lstrip()
    first = start.partition(b"\n")[0].decode("ascii", "replace").strip()
    between = "," if "," in first else None
    numbers = first.split(between)
    if not numbers or not all(NUMBER["."].fullmatch(number.strip()) for number in numbers):
        return None
    content = as_utf8(read_bytes(file), Account())
    charge(NUMBER_COST * (content.count(b"\n") + 1) * len(numbers))
    try:
        rows = np.loadtxt(io.BytesIO(content), delimiter=between, comments=None, ndmin=2)
    except ValueError:  # there is something else
        return None
    lines = content.strip()
    if lines.count(b"\n") >= len(rows):
        empty = next(i for i, line in enumerate(io.BytesIO(lines), 1) if not line.strip())
        raise ValueError(
            f"line {empty} is empty, so the numbers below it may belong to other rows: write nan for a missing number, "
            "or leave the line out"
        )
    values = rows[:, 0] if rows.shape[1] == 1 else rows
    are_whole = bool(((values == np.floor(values)) & (np.abs(values) < LARGEST_EXACT)).all())
    if (rows.shape[1] > 1 and not rows_add_up(rows)) or (first == "0" and not are_whole):
        return None
    values = values.astype(np.int64) if are_whole else values
    return NamedArrays({file.stem: (values.shape, values.dtype)}, {file.stem: values}.__getitem__)
