"""Shapes of records: as tools write them, and as they are where no tool is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..columns.choices import Account
from ..columns.option_lists import Converted, Record
from . import evaluation_harness, helm, inspect_logs, openai_logs

TOOLS = (evaluation_harness, inspect_logs, helm, openai_logs)


def as_tools_write(records: list[Record], places: NDArray[np.intp], account: Account) -> Converted:
    """The records of a known tool as plain ones, with their places in the source; any others as they are."""
    for tool in TOOLS:
        if tool.is_written(records):
            return tool.plain_records(records, places, account)
    return records, places, None
