"""List the metrics of a cube in docs/metrics.md, as the registry describes them.

python scripts/make_metrics.py           # writes the table
python scripts/make_metrics.py --check   # fails if it is not that of the registry
"""

from __future__ import annotations

import sys

from generated import write_or_check

from calibviz.metrics.records.record import MetricRecord, Needs
from calibviz.metrics.records.registry import METRICS

LOOKS_AT = {
    Needs.PROBLEM: "any lens",
    Needs.SCORES: "one score a sample",
    Needs.ROWS: "predicted classes",
    Needs.PREDICTIONS: "whole rows",
}


def row_of(record: MetricRecord) -> str:
    """A metric as a row of the table."""
    low, high = (f"{end:g}".replace("inf", "∞").replace("-", "−") for end in record.range)
    unit = f" {record.unit}" if record.unit in ("nat", "samples", "bins") else ""
    asked = f"where `{record.argument}` is given" if record.argument else "yes" if record.by_default else "on request"
    cells = (
        f"`{record.name}`",
        record.title if record.in_menu else "",
        record.definition.replace("|", "\\|"),
        f"{low} to {high}{unit}",
        record.better,
        "yes" if record.calibration else "",
        LOOKS_AT[record.needs],
        asked,
        record.source,
    )
    return f"| {' | '.join(cells)} |"


def table() -> str:
    """All metrics, as Markdown."""
    columns = (
        "variable", "in the Explorer", "what it is", "range", "better", "noise floor", "looks at", "by default",
        "source",
    )  # fmt: skip  # short entries stand in rows
    rows = [row_of(record) for record in METRICS.values()]
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows, ""])


if __name__ == "__main__":
    sys.exit(write_or_check("metrics.md", "make_metrics.py", table(), __doc__))
